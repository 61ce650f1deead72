"""How it works: the pipeline, the growing Rips complex, the synthetic shapes."""

from itertools import combinations

import numpy as np
from experiments.figures.drawing import (
    BLUE,
    GREEN,
    RED,
    CannotDraw,
    Captioned,
    new_figure,
)
from experiments.figures.labels import last_part, learn
from experiments.figures.results import Results
from matplotlib.axes import Axes
from matplotlib.patches import Circle
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

from pbow.datasets import SHAPE_NAMES, Dataset, make_shapes
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


def pipeline(results: Results) -> Captioned:
    """Return the paper's illustration of its pipeline, on real diagrams."""
    name = results.first_of_shapes()
    dataset = results.open(name)
    part = last_part(dataset)
    X = dataset.diagrams[part].finite()
    rows = _typical_rows(dataset, X.sizes)
    settings = {"quantiles": QUANTILES, "sample_size": N_SAMPLED}
    bow = learn(PersistenceBoW.paper(N_WORDS, weighting="ramp", **settings), dataset)
    words = bow.codebooks_[part].words
    # What the words were learnt from: the same ramp and the same seed.
    ramp = persistence_ramp([X], QUANTILES)
    sample = draw_sample([X], N_SAMPLED, ramp=ramp, seed=0)
    merged = draw_sample([X], MOST_POINTS, ramp=None, seed=0)
    counts = encode_counts(X[rows], bow.codebooks_[part])

    figure = new_figure(14.0, 4.4)
    grid = figure.add_gridspec(3, 9, width_ratios=[0.8, 0.12] + [1.25, 0.12] * 3 + [1])
    inputs, outputs = (
        [figure.add_subplot(grid[k, column]) for k in range(3)] for column in (0, 8)
    )
    whole, drawn, learnt = (figure.add_subplot(grid[:, k]) for k in (2, 4, 6))
    plot_codebook(bow, X, ax=learnt, sample=sample)
    look = {"path_effects": [withStroke(linewidth=2.5, foreground="white")]}
    look |= {"textcoords": "offset points", "fontweight": "bold", "zorder": 4}
    for k, word in enumerate(words, start=1):
        learnt.annotate(str(k), word, xytext=(4, 3), **look)
    view = {"xlim": learnt.get_xlim(), "ylim": learnt.get_ylim()}
    layers = [(whole, merged, BLACK), (drawn, merged, "0.85"), (drawn, sample, BLUE)]
    for ax, points, color in layers:
        ax.scatter(*points.T, s=5.0, color=color, linewidths=0)
        ax.set(xlabel="birth", **view)
    bars = range(1, len(words) + 1)
    for k, color in enumerate((BLUE, RED, GREEN)):
        births, deaths = X[rows[k]].T
        inputs[k].scatter(births, deaths - births, s=7.0, color=color, linewidths=0)
        inputs[k].set(**view)
        label = dataset.label_names[dataset.labels[rows[k]]]
        inputs[k].set_title(
            label, loc="right", y=0.76, x=0.96, fontsize=10, color=color
        )
        outputs[k].bar(bars, counts[k], color=color)
        outputs[k].set(xticks=bars, ylim=(0.0, 1.1 * counts.max()))
    for ax in inputs[:-1] + outputs[:-1]:
        ax.tick_params(labelbottom=False)
    inputs[0].set_title("input diagrams")
    inputs[1].set_ylabel("persistence")
    inputs[-1].set_xlabel("birth")
    whole.set(title="consolidated diagram", ylabel="persistence")
    drawn.set(title="weighted sub-sample")
    learnt.set(title="codebook", ylabel="")
    outputs[0].set_title("codeword histograms")
    outputs[1].set_ylabel("points")
    outputs[-1].set_xlabel("word")
    arrow = {"arrowstyle": "-|>", "color": BLACK, "linewidth": 2.0}
    for column in (1, 3, 5, 7):
        ax = figure.add_subplot(grid[:, column])
        ax.axis("off")
        ax.annotate("", (1.0, 0.5), (0.0, 0.5), arrowprops=arrow)
    caption = (
        "From the left: three of the diagrams in birth-persistence coordinates; the "
        f"consolidated diagram of all {len(dataset):,}; {len(sample)} of its points, "
        f"drawn with weights that grow with persistence; {len(words)} words that "
        "k-means has learnt from them, with the cells of points nearest to each; and "
        f"the histograms, how many points each diagram has in each cell. Part {part}."
    )
    return Captioned("pipeline", f"Pipeline: {results.title(name)}", caption, figure)


def rips_stages(results: Results) -> Captioned:
    """Return the supplement's figure of a growing Rips complex and its bar."""
    from pbow.homology import rips  # noqa: PLC0415  gudhi is an extra

    results.first_of_shapes()
    angles = 2.0 * np.pi * (np.arange(len(ASIDE)) + ASIDE) / len(ASIDE)
    points = np.column_stack((np.cos(angles), np.sin(angles)))
    bars = rips([points], dims=1)[0]
    birth, death = bars[np.argmax(bars[:, 1] - bars[:, 0])].tolist()
    stages = [0.0, *np.linspace(birth, death, 4).tolist()]
    figure = new_figure(2.4 * len(stages), 3.8)
    grid = figure.add_gridspec(2, len(stages), height_ratios=[3.0, 1.0])
    below = figure.add_subplot(grid[1, :])
    plot_barcode(bars, ax=below)
    below.set(xlabel="t", ylabel="loop", xlim=(-0.05, 1.08 * death))
    below.secondary_xaxis("top").set_xticks(stages, list("abcde"))
    for k, t in enumerate(stages):
        ax = figure.add_subplot(grid[0, k])
        _draw_complex(ax, points, t)
        ax.set_title(f"{'abcde'[k]}:  t = {t:.2f}")
        below.axvline(t, color=BLACK, linestyle=":", linewidth=1.0, zorder=0.5)
    caption = (
        "The Vietoris-Rips complex of eight points on a circle of radius 1. Points are "
        "joined when discs of diameter t around them meet. The bar below is the loop, "
        f"a homology class of dimension 1: it is born at t = {birth:.3f}, when the "
        f"ring closes, and dies at t = {death:.3f}, when triangles fill it."
    )
    title = "Stages of a Vietoris-Rips complex"
    return Captioned("rips_stages", title, caption, figure)


def shapes(results: Results) -> Captioned:
    """Return the supplement's figure of the six shapes of the synthetic data."""
    results.first_of_shapes()
    clouds, labels = make_shapes(n_per_class=1, random_state=0)
    limits = (clouds.min(), clouds.max())
    figure = new_figure(8.4, 5.8)
    axes = figure.subplots(2, 3, subplot_kw={"projection": "3d"})
    for ax, cloud, label in zip(axes.flat, clouds, labels, strict=True):
        ax.scatter(*cloud.T, c=cloud[:, 2], cmap="viridis", s=5.0, linewidths=0)
        ax.set(title=SHAPE_NAMES[label], xlim=limits, ylim=limits, zlim=limits)
        ax.set_box_aspect((1.0, 1.0, 1.0), zoom=1.1)
        ax.tick_params(labelbottom=False, labelleft=False)
    caption = (
        "One point cloud of each of the six shapes: 500 points with Gaussian noise of "
        "standard deviation 0.1. Colors are heights."
    )
    return Captioned("shapes", "The six synthetic shapes", caption, figure)


def _typical_rows(dataset: Dataset, sizes: NDArray[np.int64]) -> list[int]:
    """Return diagrams of three labels, each of middle size among those of its label."""
    rows = []
    for label in range(len(dataset.label_names)):
        members = np.flatnonzero((dataset.labels == label) & (sizes > 0))
        if len(members):
            by_size = members[np.argsort(sizes[members], kind="stable")]
            rows.append(int(by_size[len(by_size) // 2]))
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
    for three in map(list, combinations(range(len(points)), 3)):
        if joined[np.ix_(three, three)].all():
            ax.fill(*points[three].T, color=(BLUE, 0.15), linewidth=0, zorder=1)
    for two in map(list, combinations(range(len(points)), 2)):
        if joined[np.ix_(two, two)].all():
            ax.plot(*points[two].T, color=BLUE, linewidth=1.2, zorder=2)
    ax.scatter(*points.T, s=18.0, color=BLACK, zorder=3)
    ax.set(xlim=(-2.0, 2.0), ylim=(-2.0, 2.0), aspect="equal")
    ax.axis("off")
