"""Time against the number of diagrams, split by what it is spent on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pbow.experiment.declaration import Experiment
from pbow.experiment.figures.figure import CannotDraw, Figure, add_legend, new_panels
from pbow.experiment.figures.kinds import STABLE, WORDS, explain_kinds, row_of
from pbow.experiment.runs import Run
from pbow.experiment.selection import summarize

if TYPE_CHECKING:
    import matplotlib.figure
    from matplotlib.axes import Axes

__all__ = ["time_against_size"]

# Seconds of a run that are one step here, from the bottom of a bar to its top; the
# colours are of the palette of Okabe and Ito.
STEPS = {
    "codebook": (("fit",), "#0072B2"),
    "assignment": (("encode",), "#E69F00"),
    "classification": (("gram", "classify"), "#009E73"),
}
CONSTRUCTION = ("codebook", "assignment")
# The bars of a pair, left and right of its middle.
BARS = {WORDS: (-0.21, ""), STABLE: (0.21, "////")}
WIDTH = 0.38

# Number of diagrams -> kind of descriptor -> step -> seconds.
Times = dict[int, dict[str, dict[str, float]]]


def time_against_size(experiment: Experiment, runs: Mapping[str, Run]) -> Figure:
    """Return the supplement's figure "Time vs. dataset size".

    Parameters
    ----------
    experiment : Experiment
        With data sets of several sizes from source ``surfaces`` and a PersistenceBoW or
        a StablePersistenceBoW, PBoW and sPBoW in the figure.
    runs : mapping of str to Run
        By key, as :meth:`Folder.load` returns them.

    Raises
    ------
    CannotDraw
        Where no such cell is complete.
    """
    times: Times = {}
    used: list[Run] = []
    rows = {kind: row_of(experiment, kind) for kind in BARS}
    shown = {row.name: kind for kind, row in rows.items() if row is not None}
    for (_, name), outcome in summarize(experiment, runs).items():
        is_asked = "surfaces" in outcome.cell.dataset.source and name in shown
        if is_asked and outcome.is_complete:
            size = outcome.nested[0].n_train + outcome.nested[0].n_test
            times.setdefault(size, {})[shown[name]] = _by_step(outcome.nested)
            used += outcome.nested
    if not times:
        msg = (
            "It needs complete cells of PBoW or sPBoW (PersistenceBoW, "
            "StablePersistenceBoW) on data sets of source 'surfaces'."
        )
        raise CannotDraw(msg)
    drawn = {run.descriptor for run in used}
    entries = [entry for entry in experiment.descriptors if entry.name in drawn]
    return Figure(
        "time_against_size",
        "Time against the size of the data set",
        _caption(used) + explain_kinds(entries),
        lambda: _draw(dict(sorted(times.items()))),
    )


def _by_step(nested: tuple[Run, ...]) -> dict[str, float]:
    return {
        step: float(
            np.mean([sum(run.seconds.get(n, 0.0) for n in names) for run in nested])
        )
        for step, (names, _) in STEPS.items()
    }


def _caption(used: list[Run]) -> str:
    words = sorted({run.params["n_words"] for run in used if "n_words" in run.params})
    share = np.mean([run.n_train / max(run.n_train + run.n_test, 1) for run in used])
    machines = sorted({run.machine for run in used if run.machine})
    text = (
        "Seconds against the number of diagrams, which are generated like those of "
        "surfaces, for PBoW (left bars) and sPBoW (right bars, hatched)"
    )
    if words:
        text += f" with {' or '.join(map(str, words))} words"
    text += (
        ": learning the codebook from the training part, assigning the points of all "
        "diagrams to words, and classification, which is the Gram matrix and the "
        f"support vector machine. {share:.0%} of the diagrams are for training. Right: "
        "the same bars without classification."
    )
    if machines:
        text += f" Measured on {'; '.join(machines)}; a run uses one."
    return text


def _draw(times: Times) -> matplotlib.figure.Figure:
    figure, [whole, construction] = new_panels(2)
    _draw_bars(whole, times, tuple(STEPS))
    _draw_bars(construction, times, CONSTRUCTION)
    whole.set_title("all steps")
    construction.set_title("representation only")
    _add_key(figure, {name for pair in times.values() for name in pair})
    return figure


def _draw_bars(ax: Axes, times: Times, steps: tuple[str, ...]) -> None:
    for place, pair in enumerate(times.values()):
        for descriptor, (shift, hatch) in BARS.items():
            bottom = 0.0
            for step in steps if descriptor in pair else ():
                seconds = pair[descriptor][step]
                ax.bar(
                    place + shift,
                    seconds,
                    WIDTH,
                    bottom=bottom,
                    color=STEPS[step][1],
                    hatch=hatch,
                    edgecolor="white",
                    linewidth=0.0,
                )
                bottom += seconds
    ax.set_xticks(range(len(times)), [f"{size:,}" for size in times])
    ax.tick_params("x", rotation=45)
    ax.set(xlabel="number of diagrams", ylabel="seconds")
    ax.grid(axis="y", alpha=0.3)
    ax.set_axisbelow(True)


def _add_key(figure: matplotlib.figure.Figure, shown: set[str]) -> None:
    from matplotlib.patches import Patch  # noqa: PLC0415

    handles: list[Any] = [
        Patch(facecolor=colour, label=step) for step, (_, colour) in STEPS.items()
    ]
    handles += [
        Patch(facecolor="0.5", edgecolor="white", hatch=hatch, label=descriptor)
        for descriptor, (_, hatch) in BARS.items()
        if descriptor in shown
    ]
    add_legend(figure, handles)
