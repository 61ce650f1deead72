"""Accuracy against what it costs: words of a codebook, seconds, dimensions."""

import json

import numpy as np
import pandas as pd
from experiments.figures import drawing
from experiments.figures.drawing import BLUE, GREEN, RED, CannotDraw, Drawn
from experiments.figures.results import Results
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
COLUMNS = [
    *("dataset", "descriptor", "stage", "length", "label", "is_on_line"),
    *("accuracies", "seconds", "n_features"),
]
# Diameter of the circle of the longest vectors, in points of 1/72 inch.
LARGEST = 30.0


def accuracy_by_codebook_size(results: Results) -> Drawn:
    """Draw the paper's figure "Accuracy vs. codebook size"."""
    tried = _tried(results)
    tried = tried[tried.descriptor.isin(("PBoW", "sPBoW")) & tried.is_on_line]
    # A single point is no line.
    tried = tried[tried.duplicated(["dataset", "label"], keep=False)]
    if tried.empty:
        msg = "It needs finished runs of PBoW or sPBoW with two values of n_words."
        raise CannotDraw(msg)
    panels = tried.groupby("dataset", sort=False)
    figure, axes = drawing.new_panels([results.title(name) for name, _ in panels])
    handles: dict[str, Line2D] = {}
    for ax, (_, panel) in zip(axes, panels, strict=True):
        for label, points in panel.groupby("label"):
            handles.setdefault(label, _draw_line(ax, label, points))
        # Means are never beyond these, though deviations may be.
        low, high = ax.get_ylim()
        ax.set_ylim(max(low, 0.0), min(high, 100.0))
        ax.grid(alpha=0.3)
    drawing.add_legend(figure, [handles[label] for label in sorted(handles)])
    return figure, {"rows": _screening_rows(results)}


def accuracy_against_time(results: Results) -> Drawn:
    """Draw the supplement's figure "Accuracy vs. time"."""
    best = _tried(results).sort_values("accuracy", ascending=False, kind="stable")
    best = best.drop_duplicates(["dataset", "descriptor", "length"]).sort_index()
    names = best.groupby("dataset").descriptor.agg(set)
    compared = [name for name, of in names.items() if "PI" in of and len(of) > 1]
    best = best[best.dataset.isin(compared)]
    if best.empty:
        msg = "It needs finished runs of PI, and of PBoW or sPBoW, on one data set."
        raise CannotDraw(msg)
    panels = best.groupby("dataset", sort=False)
    figure, axes = drawing.new_panels([results.title(name) for name, _ in panels])
    longest = best.n_features.max()
    scale = LARGEST / longest**0.5
    for ax, (_, panel) in zip(axes, panels, strict=True):
        for descriptor, found in panel.groupby("descriptor", sort=False):
            color, areas = COLORS[descriptor], scale**2 * found.n_features
            look = {"facecolor": (color, 0.35), "edgecolor": color, "linewidths": 0.8}
            ax.scatter(found.seconds, found.accuracy, s=areas, zorder=2, **look)
        ax.set(xlabel="seconds", ylabel="accuracy (%)", xscale="log")
        # Within one power of ten all ticks would have labels, one over the other.
        ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
        ax.xaxis.set_major_formatter("{x:g}")
        ax.xaxis.set_minor_formatter(NullFormatter())
        # Circles are wide: without room their edges would be cut.
        ax.margins(0.14)
        ax.grid(alpha=0.3)
    shown = set(best.descriptor)
    handles = [_circle(c, 8.0, name) for name, c in COLORS.items() if name in shown]
    for n in [10**k for k in range(12) if 10**k <= longest][-2:]:
        handles.append(_circle("0.4", scale * n**0.5, f"{n:,} dimensions"))
    drawing.add_legend(figure, handles)
    return figure, {"rows": _screening_rows(results)}


def _screening_rows(results: Results) -> str:
    n = results.experiment.classifier.screen_rows
    return f" on at most {n:,} training samples" if n else ""


def _tried(results: Results) -> pd.DataFrame:
    """Return one row per combination of parameters that is done in all repetitions.

    It is of the screening, or of the final runs of a cell that was not screened.
    """
    rows = []
    runs = dict(iter(results.runs.groupby([*COLUMNS[:3], "params"])))
    for cell in results.experiment.cells:
        n_repetitions = results.experiment.n_repetitions(cell.dataset)
        for params in cell.combinations() if cell.descriptor.name in LENGTH else ():
            for stage in (SCREEN, FINAL):
                place = (*cell.name.split("/"), stage)
                found = runs.get((*place, describe(params)), ())
                if len(found) == n_repetitions:
                    # The first run of a process may load compiled code.
                    seconds = (found.fit_seconds + found.encode_seconds).median()
                    measured = found.accuracy.tolist(), seconds, found.n_features.max()
                    rows.append((*place, *_shown_at(cell, params), *measured))
                    break
    tried = pd.DataFrame(rows, columns=COLUMNS).astype({"is_on_line": bool})
    return tried.assign(accuracy=[100.0 * np.mean(one) for one in tried.accuracies])


def _shown_at(cell: Cell, params: Params) -> tuple[str, str, bool]:
    """Return the length, the label of the line, and whether it is on this line.

    A line holds what it does not show: at the paper's optimum, or in the middle.
    """
    name, optimum = cell.descriptor.name, cell.optimum or {}
    held = {key: values[len(values) // 2] for key, values in cell.grid.items()}
    held |= {k: best for k, best in optimum.items() if best in cell.grid.get(k, ())}
    hidden = held.keys() - {LENGTH[name], "weighting"}
    length = params.get(LENGTH[name])
    is_on_line = is_integer(length, 1) and all(params[k] == held[k] for k in hidden)
    is_weighted = params.get("weighting", "uniform") != "uniform"
    return json.dumps(length), f"{name}{', weighted' * is_weighted}", is_on_line


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
