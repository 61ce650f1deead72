"""Accuracy against what it costs: words of a codebook, seconds, dimensions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pbow._utils.checks import is_integer
from pbow.experiment.comparison import column_title
from pbow.experiment.declaration import Cell, DatasetEntry, Experiment, Params, describe
from pbow.experiment.figures.figure import CannotDraw, Figure, add_legend, new_panels
from pbow.experiment.figures.kinds import (
    IMAGES,
    STABLE,
    WORDS,
    explain_kinds,
    kind_of,
    row_of,
)
from pbow.experiment.plan import n_repetitions, plan_cell
from pbow.experiment.runs import FINAL, SCREEN, Run

if TYPE_CHECKING:
    import matplotlib.figure
    from matplotlib.axes import Axes

__all__ = ["accuracy_against_time", "accuracy_by_codebook_size"]

Runs = Mapping[str, Run]

# What makes the vectors of a descriptor longer.
SIZE = {IMAGES: "resolution", WORDS: "n_words", STABLE: "n_words"}
# Of the palette of Okabe and Ito, which everyone can tell apart.
COLOURS = {IMAGES: "#009E73", WORDS: "#0072B2", STABLE: "#D55E00"}
UNWEIGHTED = "uniform"

# Diameter of the circle of the longest vectors, in points of 1/72 inch.
LARGEST = 30.0


@dataclass(frozen=True)
class Measured:
    """A combination of parameters in all repetitions."""

    params: Params
    runs: tuple[Run, ...]

    @property
    def accuracies(self) -> list[float]:
        """Percent of the test samples that were right, in each repetition."""
        return [100.0 * (run.accuracy or 0.0) for run in self.runs]

    @property
    def accuracy(self) -> float:
        """Their mean."""
        return float(np.mean(self.accuracies))

    @property
    def deviation(self) -> float:
        """Their sample standard deviation; 0 of a single repetition."""
        return float(np.std(self.accuracies, ddof=1)) if len(self.runs) > 1 else 0.0

    @property
    def seconds(self) -> float:
        """Mean time to construct the representation."""
        return float(np.mean([run.representation_seconds for run in self.runs]))

    @property
    def n_features(self) -> float:
        """Mean length of the vectors."""
        return float(np.mean([run.n_features for run in self.runs]))


def accuracy_by_codebook_size(experiment: Experiment, runs: Runs) -> Figure:
    """Return the paper's figure "Accuracy vs. codebook size".

    Parameters
    ----------
    experiment : Experiment
        With a PersistenceBoW or a StablePersistenceBoW, PBoW and sPBoW in the figure,
        and several values of ``n_words``.
    runs : mapping of str to Run
        By key, as :meth:`Folder.load` returns them.

    Raises
    ------
    CannotDraw
        Where there are no two sizes to compare.
    """
    panels: dict[str, dict[str, list[Measured]]] = {}
    held: dict[str, list[str]] = {}
    cells = []
    for dataset in experiment.datasets:
        lines: dict[str, list[Measured]] = {}
        for cell in _cells(experiment, dataset, (WORDS, STABLE)):
            kept = _held(cell)
            found = _lines(cell, kept, measured(experiment, cell, runs))
            if found:
                lines |= found
                cells.append(cell)
                held.setdefault(_shown(kept), []).append(_title(cell))
        if lines:
            panels[column_title(dataset)] = lines
    if not panels:
        msg = (
            "It needs runs of PBoW or sPBoW (PersistenceBoW, StablePersistenceBoW) "
            "with two values of n_words at least, in all repetitions."
        )
        raise CannotDraw(msg)
    caption = (
        "Accuracy on the test part against the number of words of the codebook, "
        "without (solid) and with (dashed) weighted sampling of the points that it is "
        "learnt from: mean over the repetitions, and a band of one standard deviation. "
        + _protocol(experiment, cells, runs)
        + _fixed(held)
        + explain_kinds(cell.descriptor for cell in cells)
    )
    return Figure(
        "accuracy_by_codebook_size",
        "Accuracy against the size of the codebook",
        caption,
        lambda: _draw_curves(panels),
    )


def accuracy_against_time(experiment: Experiment, runs: Runs) -> Figure:
    """Return the supplement's figure "Accuracy vs. time".

    Parameters
    ----------
    experiment : Experiment
        With two of PersistenceImage, PersistenceBoW and StablePersistenceBoW: PI, PBoW
        and sPBoW in the figure.
    runs : mapping of str to Run
        By key, as :meth:`Folder.load` returns them.

    Raises
    ------
    CannotDraw
        Where there are no two descriptors to compare.
    """
    panels: dict[str, dict[str, list[Measured]]] = {}
    cells = []
    for dataset in experiment.datasets:
        best = {
            _kind(cell): (cell, _best_by_size(experiment, cell, runs))
            for cell in _cells(experiment, dataset, SIZE)
        }
        found = {name: points for name, (_, points) in best.items() if points}
        if len(found) > 1:
            panels[column_title(dataset)] = found
            cells += [best[name][0] for name in found]
    if not panels:
        msg = (
            "It needs runs of two of PI, PBoW and sPBoW (PersistenceImage, "
            "PersistenceBoW, StablePersistenceBoW) on a data set, in all repetitions."
        )
        raise CannotDraw(msg)
    caption = (
        "Accuracy on the test part against the seconds to construct the representation "
        "(learning and encoding, without classification), means over the repetitions. "
        "The area of a circle is the dimension of the vectors: a circle for each "
        "number of words, or resolution of the image, at the best of the other "
        "parameters, chosen by its accuracy on the test parts. "
        + _protocol(experiment, cells, runs, shows_time=True)
        + explain_kinds(cell.descriptor for cell in cells)
    )
    return Figure(
        "accuracy_against_time",
        "Accuracy against time",
        caption,
        lambda: _draw_circles(panels),
    )


def measured(experiment: Experiment, cell: Cell, runs: Runs) -> list[Measured]:
    """Return the combinations of a cell that were tried in all repetitions.

    From the screening, which tries all combinations; of a cell that has too few to be
    screened, from the final runs.
    """
    stage = _stage(experiment, cell)
    found: dict[str, list[Run]] = {}
    for task in plan_cell(experiment, cell, runs):
        run = runs.get(task.key)
        # What cannot be run has no accuracy.
        if task.stage == stage and run is not None and run.accuracy is not None:
            found.setdefault(describe(task.params), []).append(run)
    n = n_repetitions(experiment, cell.dataset)
    return [
        Measured(params, tuple(found[name]))
        for params in cell.combinations()
        if len(found.get(name := describe(params), ())) == n
    ]


def _stage(experiment: Experiment, cell: Cell) -> str:
    few = len(cell.combinations()) <= experiment.classifier.finalists
    return FINAL if few else SCREEN


def _cells(
    experiment: Experiment, dataset: DatasetEntry, kinds: Iterable[str]
) -> list[Cell]:
    rows = (row_of(experiment, kind) for kind in kinds)
    cells = (experiment.cell(dataset.name, row.name) for row in rows if row is not None)
    return [cell for cell in cells if cell is not None]


def _kind(cell: Cell) -> str:
    return kind_of(cell.descriptor) or cell.descriptor.name


def _held(cell: Cell) -> Params:
    """Return the parameters that no curve shows: the paper's, or the middle ones."""
    optimum = cell.optimum or {}
    held = {}
    for name, values in cell.grid.items():
        if name not in ("n_words", "weighting"):
            best = optimum.get(name)
            held[name] = best if best in values else values[len(values) // 2]
    return held


def _lines(
    cell: Cell, held: Params, tried: list[Measured]
) -> dict[str, list[Measured]]:
    """Return the points of a cell by the label of their line, by number of words."""
    lines: dict[str, list[Measured]] = {}
    for point in tried:
        if held.items() <= point.params.items() and is_integer(_size(cell, point), 1):
            lines.setdefault(_label(cell, point), []).append(point)
    return {
        label: sorted(points, key=lambda point: _size(cell, point))
        for label, points in lines.items()
        if len(points) > 1
    }


def _size(cell: Cell, point: Measured) -> Any:
    return point.params.get(SIZE[_kind(cell)])


def _label(cell: Cell, point: Measured) -> str:
    is_weighted = point.params.get("weighting", UNWEIGHTED) != UNWEIGHTED
    return f"{_kind(cell)}, weighted" if is_weighted else _kind(cell)


def _best_by_size(experiment: Experiment, cell: Cell, runs: Runs) -> list[Measured]:
    best: dict[str, Measured] = {}
    for point in measured(experiment, cell, runs):
        size = describe({"size": _size(cell, point)})
        if size not in best or point.accuracy > best[size].accuracy:
            best[size] = point
    return sorted(best.values(), key=lambda point: point.n_features)


def _protocol(
    experiment: Experiment, cells: list[Cell], runs: Runs, *, shows_time: bool = False
) -> str:
    """Say what the numbers are of: the screening is not the whole protocol."""
    classifier = experiment.classifier
    whole = [_title(c) for c in cells if _stage(experiment, c) == FINAL]
    text = "The classifier is trained on the whole training part."
    if len(whole) < len(cells):
        text = (
            "From the screening of all combinations of parameters: the classifier is "
            f"trained on at most {classifier.screen_rows:,} training samples and stops "
            f"after {classifier.screen_iterations:,} iterations, so that accuracies "
            "may differ from those of the table."
        )
        if shows_time:
            text += (
                " The representation is learnt from these samples, too, and encodes "
                "them and the test part only: seconds may differ as well."
            )
        if whole:
            text += f" Trained on the whole training part: {', '.join(whole)}."
    n_missing = sum(
        len(cell.combinations()) - len(measured(experiment, cell, runs))
        for cell in cells
    )
    if n_missing:
        are = "combination is" if n_missing == 1 else "combinations are"
        text += f" {n_missing:,} {are} not done in all repetitions yet."
    return text


def _fixed(held: Mapping[str, list[str]]) -> str:
    listed = "; ".join(
        f"{values} ({', '.join(titles)})" for values, titles in held.items() if values
    )
    if not listed:
        return ""
    return (
        " Other parameters are at the paper's optimum, or in the middle of their "
        f"values where it gives none: {listed}."
    )


def _shown(held: Params) -> str:
    return ", ".join(f"{name} = {value}" for name, value in held.items())


def _title(cell: Cell) -> str:
    return f"{cell.descriptor.title} on {column_title(cell.dataset)}"


def _draw_curves(
    panels: Mapping[str, Mapping[str, list[Measured]]],
) -> matplotlib.figure.Figure:
    figure, axes = new_panels(len(panels))
    handles: dict[str, Any] = {}
    for ax, (title, lines) in zip(axes, panels.items(), strict=True):
        for label, points in lines.items():
            handles.setdefault(label, _draw_line(ax, label, points))
        ax.set(title=title, xlabel="number of words", ylabel="accuracy (%)")
        ax.grid(alpha=0.3)
    add_legend(figure, [handles[label] for label in sorted(handles)])
    return figure


def _draw_line(ax: Axes, label: str, points: list[Measured]) -> Any:
    name, *weighted = label.split(", ")
    sizes = [point.params["n_words"] for point in points]
    means = np.array([point.accuracy for point in points])
    deviations = np.array([point.deviation for point in points])
    ax.fill_between(
        sizes,
        np.maximum(means - deviations, 0.0),
        np.minimum(means + deviations, 100.0),
        color=COLOURS[name],
        alpha=0.12,
        linewidth=0,
    )
    [line] = ax.plot(
        sizes,
        means,
        color=COLOURS[name],
        linestyle="--" if weighted else "-",
        marker="o",
        markersize=3,
        label=label,
    )
    return line


def _draw_circles(
    panels: Mapping[str, Mapping[str, list[Measured]]],
) -> matplotlib.figure.Figure:
    from matplotlib.ticker import LogLocator, NullFormatter  # noqa: PLC0415

    figure, axes = new_panels(len(panels))
    every = [
        p for found in panels.values() for points in found.values() for p in points
    ]
    largest = max(point.n_features for point in every)
    for ax, (title, found) in zip(axes, panels.items(), strict=True):
        for name, points in found.items():
            seconds = [point.seconds for point in points]
            accuracies = [point.accuracy for point in points]
            ax.scatter(
                seconds,
                accuracies,
                s=[_area(point.n_features, largest) for point in points],
                facecolor=(COLOURS[name], 0.35),
                edgecolor=COLOURS[name],
                linewidths=0.8,
                label=name,
                zorder=2,
            )
        ax.set(title=title, xlabel="seconds", ylabel="accuracy (%)", xscale="log")
        # Within one power of ten all ticks would have labels, one over the other.
        ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
        ax.xaxis.set_major_formatter("{x:g}")
        ax.xaxis.set_minor_formatter(NullFormatter())
        # Circles are wide: without room their edges would be cut.
        ax.margins(0.14)
        ax.grid(alpha=0.3)
    names = [name for name in SIZE if any(name in found for found in panels.values())]
    handles = [_key(COLOURS[name], 8.0, name) for name in names]
    handles += [
        _key("0.4", _area(n, largest) ** 0.5, f"{n:,} dimensions")
        for n in _round_sizes(largest)
    ]
    add_legend(figure, handles)
    return figure


def _area(n_features: float, largest: float) -> float:
    """Return an area as matplotlib has it: the square of the diameter in points."""
    return LARGEST**2 * n_features / max(largest, 1.0)


def _round_sizes(largest: float) -> list[int]:
    """Return powers of ten up to the largest dimension, the last two of them."""
    powers = [10**k for k in range(12) if 10**k <= largest]
    return powers[-2:]


def _key(colour: str, diameter: float, label: str) -> Any:
    from matplotlib.lines import Line2D  # noqa: PLC0415

    return Line2D(
        [],
        [],
        linestyle="",
        marker="o",
        markersize=diameter,
        markerfacecolor=(colour, 0.35),
        markeredgecolor=colour,
        label=label,
    )
