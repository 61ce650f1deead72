"""How it works: the pipeline, the growing Rips complex, the synthetic shapes."""

from itertools import combinations

import numpy as np
from experiments.figures.drawing import BLUE, GREEN, RED, CannotDraw, Drawn, new_figure
from experiments.figures.labels import learn
from experiments.figures.results import Results
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

from pbow.datasets import SHAPE_NAMES, make_shapes
from pbow.encoding import encode_counts
from pbow.plotting import plot_barcode, plot_codebook
from pbow.sampling import draw_sample, persistence_ramp
from pbow.vectorizers import PersistenceBoW

BLACK = "0.2"
# Words that are few enough to be numbered in a small panel, and points to learn from.
N_WORDS, N_SAMPLED, MOST_POINTS = 8, 300, 3000
QUANTILES = (0.05, 0.95)
# How far each of eight points is from its place on a regular octagon, in steps.
ASIDE = np.array([0.0, 0.12, -0.10, 0.15, 0.02, -0.14, 0.10, -0.06])


def pipeline(results: Results) -> Drawn:
    """Draw the paper's illustration of its pipeline, on real diagrams."""
    dataset = results.open(name := results.first_of_shapes())
    settings = {"quantiles": QUANTILES, "sample_size": N_SAMPLED}
    bow = PersistenceBoW.paper(N_WORDS, weighting="ramp", **settings)
    bow, X, facts = learn(bow, dataset)
    rows = _typical_rows(dataset.labels, X.sizes)
    codebook = bow.codebooks_[facts["part"]]
    counts = encode_counts(X[rows], codebook)
    # What the words were learnt from: the same ramp and the same seed.
    ramp = persistence_ramp([X], QUANTILES)
    sample = draw_sample([X], N_SAMPLED, ramp=ramp, seed=0)
    merged = draw_sample([X], MOST_POINTS, ramp=None, seed=0)

    figure = new_figure(14.0, 4.4)
    grid = figure.add_gridspec(3, 9, width_ratios=[0.8, 0.12] + [1.25, 0.12] * 3 + [1])
    inputs, outputs = (
        [figure.add_subplot(grid[k, column]) for k in range(3)] for column in (0, 8)
    )
    whole, drawn, learnt = (figure.add_subplot(grid[:, k]) for k in (2, 4, 6))
    plot_codebook(bow, X, ax=learnt, sample=sample)
    look = {"path_effects": [withStroke(linewidth=2.5, foreground="white")]}
    look |= {"textcoords": "offset points", "fontweight": "bold", "zorder": 4}
    for k, word in enumerate(codebook.words, start=1):
        learnt.annotate(str(k), word, xytext=(4, 3), **look)
    view = {"xlim": learnt.get_xlim(), "ylim": learnt.get_ylim()}
    layers = [(whole, merged, BLACK), (drawn, merged, "0.85"), (drawn, sample, BLUE)]
    for ax, points, color in layers:
        ax.scatter(*points.T, s=5.0, color=color, linewidths=0)
        ax.set(xlabel="birth", **view)
    for ax in (whole, drawn, learnt):
        # Thousands of points are an image inside the SVG, which is far smaller.
        for points in ax.collections:
            points.set_rasterized(len(points.get_offsets()) > codebook.n_words)
    bars = np.arange(1, codebook.n_words + 1)
    for k, color in enumerate((BLUE, RED, GREEN)):
        births, deaths = X[rows[k]].T
        inputs[k].scatter(births, deaths - births, s=7.0, color=color, linewidths=0)
        inputs[k].set(**view)
        label = dataset.label_names[dataset.labels[rows[k]]]
        place = {"transform": inputs[k].transAxes, "ha": "right", "va": "top"}
        inputs[k].text(0.96, 0.93, label, color=color, **place)
        outputs[k].bar(bars, counts[k], color=color)
        outputs[k].set(xticks=bars, ylim=(0.0, 1.1 * counts.max()))
    for ax in inputs[:-1] + outputs[:-1]:
        ax.tick_params(labelbottom=False)
    inputs[0].set_title("input diagrams")
    inputs[1].set_ylabel("persistence")
    inputs[-1].set_xlabel("birth")
    whole.set(title="consolidated diagram", ylabel="persistence")
    drawn.set_title("weighted sub-sample")
    learnt.set(title="codebook", ylabel="")
    outputs[0].set_title("codeword histograms")
    outputs[1].set_ylabel("points")
    outputs[-1].set_xlabel("word")
    arrow = {"arrowstyle": "-|>", "color": BLACK, "linewidth": 2.0}
    for column in (1, 3, 5, 7):
        ax = figure.add_subplot(grid[:, column])
        ax.annotate("", (1.0, 0.5), (0.0, 0.5), arrowprops=arrow)
        ax.axis("off")
    return figure, facts | {"dataset": results.title(name), "n_sampled": len(sample)}


def rips_stages(results: Results) -> Drawn:
    """Draw the supplement's figure of a growing Rips complex and its bar."""
    from pbow.homology import rips  # noqa: PLC0415  gudhi is an extra

    results.first_of_shapes()
    angles = 2.0 * np.pi * (np.arange(len(ASIDE)) + ASIDE) / len(ASIDE)
    points = np.column_stack((np.cos(angles), np.sin(angles)))
    bars = rips([points], dims=1)[0]
    birth, death = bars[np.argmax(bars[:, 1] - bars[:, 0])].tolist()
    stages = dict(zip("abcde", [0.0, *np.linspace(birth, death, 4)], strict=True))
    figure = new_figure(2.4 * len(stages), 3.8)
    grid = figure.add_gridspec(2, len(stages), height_ratios=[3.0, 1.0])
    below = figure.add_subplot(grid[1, :])
    plot_barcode(bars, ax=below)
    below.set(xlabel="t", ylabel="loop", xlim=(-0.05, 1.08 * death))
    for k, (letter, t) in enumerate(stages.items()):
        ax = figure.add_subplot(grid[0, k])
        _draw_complex(ax, points, t)
        ax.set_title(f"{letter}:  t = {t:.2f}")
        below.axvline(t, color=BLACK, linestyle=":", linewidth=1.0, zorder=0.5)
        place = {"transform": below.get_xaxis_transform(), "ha": "center"}
        below.text(t, 1.04, letter, **place)
    return figure, {"birth": birth, "death": death}


def shapes(results: Results) -> Drawn:
    """Draw the supplement's figure of the six shapes of the synthetic data."""
    results.first_of_shapes()
    clouds, labels = make_shapes(n_per_class=1, random_state=0)
    limits = (clouds.min(), clouds.max())
    figure = Figure(figsize=(8.4, 5.8))  # some layouts of matplotlib crush axes in 3-D
    axes = figure.subplots(2, 3, subplot_kw={"projection": "3d"})
    figure.subplots_adjust(0.02, 0.02, 0.98, 0.94, wspace=0.02, hspace=0.16)
    for ax, cloud, label in zip(axes.flat, clouds, labels, strict=True):
        ax.scatter(*cloud.T, c=cloud[:, 2], cmap="viridis", s=5.0, linewidths=0)
        ax.set(title=SHAPE_NAMES[label], xlim=limits, ylim=limits, zlim=limits)
        ax.set(xticklabels=[], yticklabels=[], zticklabels=[])
        ax.set_box_aspect((1.0, 1.0, 1.0), zoom=1.1)
    return figure, {}


def _typical_rows(labels: NDArray[np.int64], sizes: NDArray[np.int64]) -> list[int]:
    """Return diagrams of three labels, each of middle size among those of its label."""
    rows = []
    for label in np.unique(labels[sizes > 0]):
        members = np.flatnonzero((labels == label) & (sizes > 0))
        by_size = np.argsort(sizes[members], kind="stable")
        rows.append(int(members[by_size[len(members) // 2]]))
    if len(rows) < 3:
        msg = f"It needs diagrams with points of three labels; there are {len(rows)}."
        raise CannotDraw(msg)
    # First, middle and last: neighbors in the list of labels tend to look alike.
    return [rows[0], rows[len(rows) // 2], rows[-1]]


def _draw_complex(ax: Axes, points: NDArray[np.float64], t: float) -> None:
    # The last stage is a distance itself, and rounding must not leave its edge out.
    joined = np.linalg.norm(points[:, np.newaxis] - points, axis=2) <= t * (1.0 + 1e-9)
    for point in points if t > 0.0 else ():
        ax.add_patch(Circle(point, t / 2.0, fc="0.93", ec="0.8", zorder=0.5))
    for corners in map(list, combinations(range(len(points)), 3)):
        if joined[np.ix_(corners, corners)].all():
            ax.fill(*points[corners].T, color=(BLUE, 0.15), linewidth=0, zorder=1)
    for ends in combinations(range(len(points)), 2):
        if joined[ends]:
            ax.plot(*points[list(ends)].T, color=BLUE, linewidth=1.2, zorder=2)
    ax.scatter(*points.T, s=18.0, color=BLACK, zorder=3)
    ax.set(xlim=(-2.0, 2.0), ylim=(-2.0, 2.0), aspect="equal")
    ax.axis("off")
