"""How it works: the pipeline, the growing Rips complex, the synthetic shapes."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pbow.datasets import SHAPE_NAMES, Dataset, make_shapes
from pbow.encoding import encode_counts
from pbow.experiment.figures.figure import CannotDraw, Figure, new_figure
from pbow.experiment.figures.histograms import learn, title_of
from pbow.plotting import plot_barcode, plot_codebook
from pbow.sampling import draw_sample, persistence_ramp
from pbow.vectorizers import PersistenceBoW

if TYPE_CHECKING:
    import matplotlib.figure
    from matplotlib.axes import Axes

__all__ = ["pipeline", "rips_stages", "shapes"]

Floats = NDArray[np.float64]

SEED = 0
# Of the palette of Okabe and Ito, which everyone can tell apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73")
GREY, BLACK = "0.6", "0.2"

# Few enough to be numbered in a small picture.
N_WORDS = 8
N_SAMPLED = 300
MOST_POINTS = 3000
QUANTILES = (0.05, 0.95)

N_ON_CIRCLE = 8
# How far each point is from its place on a regular octagon, in steps between points.
ASIDE = (0.0, 0.12, -0.10, 0.15, 0.02, -0.14, 0.10, -0.06)


def pipeline(dataset: Dataset, title: str | None = None) -> Figure:
    """Return the paper's illustration of its pipeline, on real diagrams.

    Parameters
    ----------
    dataset : Dataset
        The inputs are a diagram of each of three classes; of several parts the last.
    title : str, optional
        What tables call the data set. By default its name.

    Raises
    ------
    CannotDraw
        Where there are not three diagrams of different classes with points, or too few
        points for the words.
    """
    part = dataset.diagrams.parts[-1]
    rows = _typical_rows(dataset, part)
    bow = PersistenceBoW.paper(
        N_WORDS, weighting="ramp", quantiles=QUANTILES, sample_size=N_SAMPLED
    )
    learn(bow, dataset, part)
    shown = title_of(dataset, title)
    names = ", ".join(dataset.label_names[dataset.labels[row]] for row in rows)
    caption = (
        f"The pipeline of persistence bag-of-words on {shown}, part {part}. From the "
        f"left: input diagrams in birth-persistence coordinates (here of {names}); the "
        f"consolidated diagram of all {len(dataset):,} inputs; {N_SAMPLED} of its "
        "points, drawn with weights that grow with persistence; a codebook of "
        f"{N_WORDS} words, learnt by k-means, and the cells of points nearest to each; "
        "the codeword histogram of each input, the number of its points in each cell."
    )
    return Figure(
        "pipeline",
        f"The pipeline, on {shown}",
        caption,
        lambda: _draw_pipeline(bow, dataset, part, rows),
    )


def rips_stages() -> Figure:
    """Return the supplement's figure of a growing Rips complex and its bar.

    Raises
    ------
    ImportError
        Without gudhi, which is in the extra ``homology``.
    """
    from pbow.homology import rips  # noqa: PLC0415  gudhi is an extra

    points = _points_on_circle()
    bars = rips([points], dims=1)[0]
    birth, death = bars[np.argmax(bars[:, 1] - bars[:, 0])].tolist()
    stages = [0.0, birth, *np.linspace(birth, death, 4)[1:3].tolist(), death]
    caption = (
        "Stages of the Vietoris-Rips complex of eight points of a circle of radius 1. "
        "Two points are joined when their distance is at most t, that is, when discs "
        "of diameter t about them meet; three when all their distances are. The bar "
        "below is the loop, persistent homology in dimension one: it is born at "
        f"t = {birth:.3f}, when the ring closes, and dies at t = {death:.3f}, when "
        "triangles fill it. Dotted lines are the stages above."
    )
    return Figure(
        "rips_stages",
        "Stages of a Vietoris-Rips complex",
        caption,
        lambda: _draw_stages(points, bars, stages),
    )


def shapes() -> Figure:
    """Return the supplement's figure of the six shapes of the synthetic data."""
    caption = (
        "A point cloud of each of the six classes of generated shapes: 500 points, "
        "moved by Gaussian noise of standard deviation 0.1. Colours are heights."
    )
    return Figure("shapes", "The six synthetic shapes", caption, _draw_shapes)


def _typical_rows(dataset: Dataset, part: str) -> list[int]:
    """Return diagrams of three classes, each of middle size in its class."""
    sizes = dataset.diagrams[part].finite().sizes
    rows = []
    for label in range(len(dataset.label_names)):
        members = np.flatnonzero((dataset.labels == label) & (sizes > 0))
        if len(members):
            by_size = members[np.argsort(sizes[members], kind="stable")]
            rows.append(int(by_size[len(by_size) // 2]))
    if len(rows) < len(COLOURS):
        msg = (
            "The pipeline needs diagrams with points of three classes; "
            f"{dataset.name} has {len(rows)}."
        )
        raise CannotDraw(msg)
    # First, middle and last: neighbours in the list of classes tend to look alike.
    return [rows[0], rows[len(rows) // 2], rows[-1]]


def _draw_pipeline(
    bow: PersistenceBoW, dataset: Dataset, part: str, rows: list[int]
) -> matplotlib.figure.Figure:
    X = dataset.diagrams[part].finite()
    # What the words were learnt from: the same ramp and the same seed.
    ramp = persistence_ramp([X], QUANTILES)
    sample = draw_sample([X], N_SAMPLED, ramp=ramp, seed=SEED)
    codebook = bow.codebooks_[part]
    counts = encode_counts(X[rows], codebook)

    figure = new_figure(14.0, 4.4)
    grid = figure.add_gridspec(3, 9, width_ratios=[0.8, 0.12] + [1.25, 0.12] * 3 + [1])
    inputs = [figure.add_subplot(grid[k, 0]) for k in range(3)]
    whole, drawn, learnt = (figure.add_subplot(grid[:, k]) for k in (2, 4, 6))
    outputs = [figure.add_subplot(grid[k, 8]) for k in range(3)]
    for column in (1, 3, 5, 7):
        _draw_arrow(figure.add_subplot(grid[:, column]))

    plot_codebook(bow, X, ax=learnt, sample=sample)
    limits: dict[str, Any] = {"xlim": learnt.get_xlim(), "ylim": learnt.get_ylim()}
    _number_words(learnt, codebook.words)
    merged = draw_sample([X], MOST_POINTS, ramp=None, seed=SEED)
    for ax, points, colour in (
        (whole, merged, BLACK),
        (drawn, merged, "0.85"),
        (drawn, sample, COLOURS[0]),
    ):
        ax.scatter(points[:, 0], points[:, 1], s=5.0, color=colour, linewidths=0)
        ax.set(xlabel="birth", **limits)
    whole.set_ylabel("persistence")
    learnt.set_ylabel("")
    for ax, title in (
        (whole, "consolidated diagram"),
        (drawn, "weighted sub-sample"),
        (learnt, "codebook"),
    ):
        ax.set_title(title)

    for k, row in enumerate(rows):
        births, deaths = X[row].T
        inputs[k].scatter(
            births, deaths - births, s=7.0, color=COLOURS[k], linewidths=0
        )
        inputs[k].set(**limits)
        name = dataset.label_names[dataset.labels[row]]
        inputs[k].text(
            0.96,
            0.93,
            name,
            transform=inputs[k].transAxes,
            horizontalalignment="right",
            verticalalignment="top",
            color=COLOURS[k],
        )
        outputs[k].bar(np.arange(1, N_WORDS + 1), counts[k], color=COLOURS[k])
        outputs[k].set_xticks(range(1, N_WORDS + 1))
        outputs[k].set_ylim(0.0, 1.1 * max(counts.max(), 1.0))
    for ax in inputs[:-1] + outputs[:-1]:
        ax.tick_params(labelbottom=False)
    inputs[0].set_title("input diagrams")
    inputs[1].set_ylabel("persistence")
    inputs[-1].set_xlabel("birth")
    outputs[0].set_title("codeword histograms")
    outputs[1].set_ylabel("points")
    outputs[-1].set_xlabel("word")
    return figure


def _draw_arrow(ax: Axes) -> None:
    ax.axis("off")
    ax.annotate(
        "",
        (1.0, 0.5),
        (0.0, 0.5),
        xycoords="axes fraction",
        arrowprops={"arrowstyle": "-|>", "color": BLACK, "linewidth": 2.0},
    )


def _number_words(ax: Axes, words: Floats) -> None:
    from matplotlib.patheffects import withStroke  # noqa: PLC0415

    for k, (birth, persistence) in enumerate(words, start=1):
        ax.annotate(
            str(k),
            (birth, persistence),
            xytext=(4, 3),
            textcoords="offset points",
            fontweight="bold",
            path_effects=[withStroke(linewidth=2.5, foreground="white")],
            zorder=4,
        )


def _points_on_circle() -> Floats:
    angles = 2.0 * np.pi * (np.arange(N_ON_CIRCLE) + np.array(ASIDE)) / N_ON_CIRCLE
    return np.column_stack((np.cos(angles), np.sin(angles)))


def _draw_stages(
    points: Floats, bars: Floats, stages: list[float]
) -> matplotlib.figure.Figure:
    figure = new_figure(2.4 * len(stages), 3.8)
    grid = figure.add_gridspec(2, len(stages), height_ratios=[3.0, 1.0])
    for k, t in enumerate(stages):
        ax = figure.add_subplot(grid[0, k])
        _draw_complex(ax, points, t)
        ax.set_title(f"{'abcde'[k]}:  t = {t:.2f}")
    below = figure.add_subplot(grid[1, :])
    plot_barcode(bars, ax=below)
    for k, t in enumerate(stages):
        below.axvline(t, color=BLACK, linestyle=":", linewidth=1.0, zorder=0.5)
        below.annotate(
            "abcde"[k],
            (t, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(0, 3),
            textcoords="offset points",
            horizontalalignment="center",
        )
    below.set(xlabel="t", ylabel="loop", xlim=(-0.05, 1.08 * stages[-1]))
    return figure


def _draw_complex(ax: Axes, points: Floats, t: float) -> None:
    from matplotlib.collections import LineCollection, PolyCollection  # noqa: PLC0415
    from matplotlib.patches import Circle  # noqa: PLC0415

    # The last stage is a distance itself, and rounding must not leave its edge out.
    reach = t * (1.0 + 1e-9)
    apart = np.linalg.norm(points[:, np.newaxis] - points, axis=2)
    joined = apart <= reach
    n = len(points)
    edges = [points[list(pair)] for pair in combinations(range(n), 2) if joined[pair]]
    triangles = [
        points[list(three)]
        for three in combinations(range(n), 3)
        if all(joined[pair] for pair in combinations(three, 2))
    ]
    for x, y in points if t > 0.0 else ():
        disc = Circle((x, y), t / 2.0, facecolor="0.93", edgecolor="0.8", zorder=0.5)
        ax.add_patch(disc)
    ax.add_collection(
        PolyCollection(triangles, facecolor=(COLOURS[0], 0.15), linewidths=0, zorder=1)
    )
    ax.add_collection(
        LineCollection(edges, colors=COLOURS[0], linewidths=1.2, zorder=2)
    )
    ax.scatter(points[:, 0], points[:, 1], s=18.0, color=BLACK, zorder=3)
    ax.set(xlim=(-2.0, 2.0), ylim=(-2.0, 2.0), aspect="equal")
    ax.axis("off")


def _draw_shapes() -> matplotlib.figure.Figure:
    clouds, labels = make_shapes(n_per_class=1, random_state=SEED)
    room = (clouds.min(), clouds.max())
    figure = new_figure(8.4, 5.8)
    axes: Any = figure.subplots(2, 3, subplot_kw={"projection": "3d"})
    for ax, cloud, label in zip(axes.flat, clouds, labels, strict=True):
        x, y, z = cloud.T
        ax.scatter(x, y, z, c=z, cmap="viridis", s=5.0, linewidths=0)
        ax.set_title(SHAPE_NAMES[label])
        ax.set(xlim=room, ylim=room, zlim=room)
        ax.set_box_aspect((1.0, 1.0, 1.0), zoom=1.1)
        for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
            axis.set_ticklabels([])
    return figure
