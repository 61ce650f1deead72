"""Accuracy against what it costs: words of a codebook, seconds, dimensions."""

import json
from collections.abc import Collection

import pandas as pd
from experiments.figures import drawing
from experiments.figures.drawing import BLUE, GREEN, RED, CannotDraw, Captioned
from experiments.figures.results import ABOUT_CLASSIFIER, Results
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullFormatter

from pbow._utils.checks import is_integer
from pbow.experiment import Cell
from pbow.experiment.declaration import Params, describe
from pbow.experiment.tasks import FINAL, SCREEN
from pbow.plotting import plot_accuracy_by_size

COLORS = {"PI": GREEN, "PBoW": BLUE, "sPBoW": RED}
# What makes the vectors of a descriptor longer.
LENGTH = {"PI": "resolution", "PBoW": "n_words", "sPBoW": "n_words"}
# Diameter of the circle of the longest vectors, in points of 1/72 inch.
LARGEST = 30.0


def accuracy_by_codebook_size(results: Results) -> Captioned:
    """Return the paper's figure "Accuracy vs. codebook size"."""
    tried, about = _tried(results, ("PBoW", "sPBoW"))
    tried = tried[tried.is_on_line.astype(bool)]
    # A single point is no line.
    tried = tried[tried.duplicated(["dataset", "label"], keep=False)]
    if tried.empty:
        msg = "It needs finished runs of PBoW or sPBoW with two values of n_words."
        raise CannotDraw(msg)
    panels = tried.groupby("dataset", sort=False)
    figure, axes = drawing.new_panels(len(panels))
    handles: dict[str, Line2D] = {}
    for ax, (name, panel) in zip(axes, panels, strict=True):
        for label, points in panel.groupby("label"):
            handles.setdefault(label, _draw_line(ax, label, points))
        # Means are never beyond these, though deviations may be.
        low, high = ax.get_ylim()
        ax.set(title=results.title(name), ylim=(max(low, 0.0), min(high, 100.0)))
        ax.grid(alpha=0.3)
    drawing.add_legend(figure, [handles[label] for label in sorted(handles)])
    caption = (
        "Accuracy on the test sets by number of words: mean over the splits, and one "
        "standard deviation to each side. Words are learnt from points that are drawn "
        "uniformly (solid) or weighted by persistence (dashed). Other parameters are "
        f"the paper's optimum, or the middle of their grid. {about}"
    )
    title = "Accuracy by codebook size"
    return Captioned("accuracy_by_codebook_size", title, caption, figure)


def accuracy_against_time(results: Results) -> Captioned:
    """Return the supplement's figure "Accuracy vs. time"."""
    tried, about = _tried(results, LENGTH)
    best = tried.sort_values("accuracy", ascending=False, kind="stable")
    best = best.drop_duplicates(["dataset", "descriptor", "length"]).sort_index()
    names = best.groupby("dataset").descriptor.agg(set)
    compared = [name for name, of in names.items() if "PI" in of and len(of) > 1]
    best = best[best.dataset.isin(compared)]
    if best.empty:
        msg = "It needs finished runs of PI, and of PBoW or sPBoW, on one data set."
        raise CannotDraw(msg)
    panels = best.groupby("dataset", sort=False)
    figure, axes = drawing.new_panels(len(panels))
    longest = best.n_features.max()
    scale = LARGEST / longest**0.5
    for ax, (name, panel) in zip(axes, panels, strict=True):
        for descriptor, found in panel.groupby("descriptor", sort=False):
            color, areas = COLORS[descriptor], scale**2 * found.n_features
            look = {"facecolor": (color, 0.35), "edgecolor": color, "linewidths": 0.8}
            ax.scatter(found.seconds, found.accuracy, s=areas, zorder=2, **look)
        ax.set(xlabel="seconds", ylabel="accuracy (%)", xscale="log")
        # Within one power of ten all ticks would have labels, one over the other.
        ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
        ax.xaxis.set_major_formatter("{x:g}")
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.set_title(results.title(name))
        # Circles are wide: without room their edges would be cut.
        ax.margins(0.14)
        ax.grid(alpha=0.3)
    shown = set(best.descriptor)
    handles = [_circle(c, 8.0, name) for name, c in COLORS.items() if name in shown]
    for n in [10**k for k in range(12) if 10**k <= longest][-2:]:
        handles.append(_circle("0.4", scale * n**0.5, f"{n:,} dimensions"))
    drawing.add_legend(figure, handles)
    caption = (
        "Accuracy on the test sets against the time to construct the representation. "
        "One circle per number of words, or resolution of the image, with the best of "
        "the other parameters by accuracy on the test sets. Areas are dimensions of "
        f"the feature vectors. {about}"
    )
    title = "Accuracy against time"
    return Captioned("accuracy_against_time", title, caption, figure)


def _tried(results: Results, names: Collection[str]) -> tuple[pd.DataFrame, str]:
    """Return what combinations of parameters gave, and what captions say about it.

    One row per combination that is done in all repetitions: of the screening, or of the
    final runs of a cell that was not screened.
    """
    rows = []
    runs = dict(
        iter(results.runs.groupby(["dataset", "descriptor", "stage", "params"]))
    )
    for cell in results.experiment.cells:
        place = (cell.dataset.name, cell.descriptor.name)
        n_repetitions = results.experiment.n_repetitions(cell.dataset)
        for params in cell.combinations() if place[1] in names else ():
            for stage in (SCREEN, FINAL):
                found = runs.get((*place, stage, describe(params)), ())
                if len(found) == n_repetitions:
                    row = {"dataset": place[0], "descriptor": place[1], "stage": stage}
                    row |= _parameters(cell, params) | {
                        "accuracies": found.accuracy.tolist(),
                        "accuracy": 100.0 * found.accuracy.mean(),
                        # The first run of a process may load compiled code.
                        "seconds": (found.fit_seconds + found.encode_seconds).median(),
                        "n_features": found.n_features.median(),
                    }
                    rows.append(row)
                    break
    tried = pd.DataFrame(rows, columns=COLUMNS)
    n = results.experiment.classifier.screen_rows
    few = f" on at most {n:,} training samples" if n else ""
    screened = f" Runs are of the screening{few}, not those of the table."
    about = screened if SCREEN in set(tried.stage) else ""
    return tried, ABOUT_CLASSIFIER + about


COLUMNS = [
    *("dataset", "descriptor", "stage", "length", "label", "is_on_line"),
    *("accuracies", "accuracy", "seconds", "n_features"),
]


def _parameters(cell: Cell, params: Params) -> dict[str, object]:
    """Return where a combination is shown; lines hold parameters they do not show."""
    name, optimum = cell.descriptor.name, cell.optimum or {}
    length = params.get(LENGTH[name])
    is_on_line = is_integer(length, 1)
    for key, values in cell.grid.items():
        if key not in ("n_words", "weighting"):
            best = optimum.get(key)
            held = best if best in values else values[len(values) // 2]
            is_on_line = is_on_line and params[key] == held
    is_weighted = params.get("weighting", "uniform") != "uniform"
    label = f"{name}, weighted" if is_weighted else name
    return {"length": json.dumps(length), "label": label, "is_on_line": is_on_line}


def _draw_line(ax: Axes, label: str, points: pd.DataFrame) -> Line2D:
    """Draw a line and its band in the color of the descriptor."""
    plot_accuracy_by_size(points.length.astype(int), points.accuracies.tolist(), ax=ax)
    line, band = ax.lines[-1], ax.collections[-1]
    name, *weighted = label.split(", ")
    line.set(color=COLORS[name], linestyle="--" if weighted else "-", label=label)
    line.set(marker="o", markersize=3.0, clip_on=False)
    band.set(color=COLORS[name], alpha=0.12, linewidth=0.0)
    return line


def _circle(color: str, diameter: float, label: str) -> Line2D:
    look = {"markerfacecolor": (color, 0.35), "markeredgecolor": color, "marker": "o"}
    return Line2D([], [], linestyle="", markersize=diameter, label=label, **look)
