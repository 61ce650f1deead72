"""Pictures of codebooks: words in the birth-persistence plane."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from pbow.codebook import KMeansCodebook
from pbow.diagrams import check_diagrams
from pbow.encoding import encode_counts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pbow.vectorizers import PersistenceBoW

__all__ = ["plot_class_words"]

Floats = NDArray[np.float64]

# Blue of the palette of Okabe and Ito; only areas carry information, colour does not.
CIRCLE = "#0072B2"
FILL = (CIRCLE, 0.4)
EDGE = 0.5
GREY = "0.35"

# Diameter of the largest circle, in points of 1/72 inch.
LARGEST = 26.0

# Share of the range of the words that is left free on each side, for the circles.
MARGIN = 0.12


def plot_class_words(
    vectorizer: PersistenceBoW,
    X: Any,
    y: ArrayLike,
    *,
    part: str | None = None,
    label_names: Sequence[str] | None = None,
    axes: Any = None,
) -> NDArray[Any]:
    """Draw how many points the diagrams of each class have near each word.

    One Axes a class, a circle a word, at the word's place in the birth-persistence
    plane. Its area is the number of points whose nearest word it is, averaged over the
    diagrams of the class: the paper's average codebook histogram. Words, limits and the
    scale of areas are the same in all Axes, so classes differ by their circles only; a
    word without points is a small dot.

    Parameters
    ----------
    vectorizer : PersistenceBoW
        Fitted. Only its words are used: counts are shown before any weighting and
        normalisation, and without points that never die.
    X : Diagrams or list of array-like of shape (n_points_i, 2)
        The diagrams to count, with the same parts as in fit.
    y : array-like of shape (n_samples,)
        Class of each diagram.
    part : str, optional
        Part to draw, for example ``"H1"``. Needed where there are several.
    label_names : sequence of str, optional
        Titles of the Axes, in the order of the sorted classes. By default the labels.
    axes : array-like of Axes, optional
        One Axes a class, in the order of the sorted classes. By default a new figure.

    Returns
    -------
    axes : ndarray of Axes of shape (n_classes,)
        In the order of the sorted classes. ``axes[0].figure`` is the figure.

    Raises
    ------
    ImportError
        Without matplotlib, which is in the extra ``plot``.

    References
    ----------
    Zieliński, Lipiński, Juda, Zeppelzauer, Dłotko. Persistence Bag-of-Words for
    Topological Data Analysis. IJCAI 2019. Section "Qualitative Analysis".

    Examples
    --------
    >>> from pbow import PersistenceBoW
    >>> from pbow.plotting import plot_class_words
    >>> X = [[[0, 1], [0, 2]], [[0, 1]], [[3, 9], [3, 8]], [[3, 8]]]
    >>> bow = PersistenceBoW(n_words=2, random_state=0).fit(X)
    >>> axes = plot_class_words(bow, X, ["flat", "flat", "tall", "tall"])
    >>> [ax.get_title() for ax in axes]
    ['flat', 'tall']
    """
    part, codebook = _check_codebook(vectorizer, part)
    diagrams = check_diagrams(X, parts=vectorizer.parts_, min_samples=1)[part].finite()
    classes, members = _check_labels(y, len(diagrams))
    titles = _check_names(label_names, classes)
    counts = encode_counts(diagrams, codebook)
    means = np.stack([counts[members == k].mean(axis=0) for k in range(len(classes))])
    largest = float(means.max(initial=0.0))

    panels = _new_axes(len(classes)) if axes is None else _check_axes(axes, classes)
    limits = _limits(codebook.words)
    for ax, title, mean in zip(panels, titles, means, strict=True):
        _draw_words(ax, codebook.words, _areas(mean, largest))
        ax.set(title=title, xlabel="birth", ylabel="persistence", **limits)
    if axes is None:
        _label_outer(panels)
    if largest > 0.0:
        _add_key(panels, largest)
    return panels


def _areas(mean: Floats, largest: float) -> Floats:
    """Areas as matplotlib has them: the square of the diameter in points."""
    return LARGEST**2 * mean / largest if largest > 0.0 else np.zeros(len(mean))


def _draw_words(ax: Axes, words: Floats, areas: Floats) -> None:
    # Persistence 0 is the diagonal of the diagram.
    ax.axhline(0.0, color=GREY, linewidth=0.6, linestyle=":", zorder=0.5)
    births, persistences = words.T
    ax.scatter(births, persistences, s=2.0, color=GREY, linewidths=0, zorder=1)
    # An edge tells overlapping circles apart; on a circle of no size it would be a dot.
    ax.scatter(
        births,
        persistences,
        s=areas,
        facecolor=FILL,
        edgecolor=CIRCLE,
        linewidths=np.where(areas > 0.0, EDGE, 0.0).tolist(),
        zorder=2,
    )


def _limits(words: Floats) -> dict[str, tuple[float, float]]:
    """Room for all words, and for persistence 0, with a margin."""
    if len(words) == 0:
        return {"xlim": (0.0, 1.0), "ylim": (0.0, 1.0)}
    low, high = words.min(axis=0), words.max(axis=0)
    low[1], high[1] = min(0.0, low[1]), max(0.0, high[1])
    margin = MARGIN * np.where(high > low, high - low, 1.0)
    return {
        "xlim": (float(low[0] - margin[0]), float(high[0] + margin[0])),
        "ylim": (float(low[1] - margin[1]), float(high[1] + margin[1])),
    }


def _add_key(panels: NDArray[Any], largest: float) -> None:
    """Show what the areas mean, right of the Axes in the upper right corner."""
    from matplotlib.lines import Line2D  # noqa: PLC0415

    corner = max(panels, key=lambda ax: (ax.get_position().x1, ax.get_position().y1))
    handles = [
        Line2D(
            [],
            [],
            linestyle="",
            marker="o",
            markersize=math.sqrt(_areas(np.array([value]), largest)[0]),
            markerfacecolor=FILL,
            markeredgecolor=CIRCLE,
            markeredgewidth=EDGE,
            label=f"{value:g}",
        )
        for value in _round_values(largest)
    ]
    corner.legend(
        handles=handles,
        title="points per\ndiagram",
        loc="upper left",
        bbox_to_anchor=(1.02, 1.0),
        borderaxespad=0.0,
        labelspacing=1.0,
        handletextpad=1.0,
        frameon=False,
        alignment="left",
    )


def _round_values(largest: float) -> list[float]:
    """Return three of 1, 2, 5, 10, 20, ..., about five times apart, up to `largest`."""
    exponent = math.floor(math.log10(largest))
    steps = [
        float(f"{digit}e{power}")
        for power in range(exponent, exponent - 3, -1)
        for digit in (5, 2, 1)
    ]
    return [value for value in steps if value <= largest][:5:2]


def _new_axes(n_axes: int) -> NDArray[Any]:
    try:
        import matplotlib.pyplot as plt  # noqa: PLC0415
    except ImportError as error:
        msg = (
            "pbow.plotting needs matplotlib, of the extra plot: pip install matplotlib."
        )
        raise ImportError(msg) from error
    n_columns = _n_columns(n_axes)
    n_rows = math.ceil(n_axes / n_columns)
    _, grid = plt.subplots(
        n_rows,
        n_columns,
        figsize=(2.8 * n_columns + 0.9, 2.6 * n_rows),
        squeeze=False,
        layout="constrained",
    )
    panels: NDArray[Any] = grid.ravel()
    for ax in panels[n_axes:]:
        ax.remove()
    return panels[:n_axes]


def _n_columns(n_axes: int) -> int:
    return n_axes if n_axes <= 3 else math.ceil(math.sqrt(n_axes))


def _label_outer(panels: NDArray[Any]) -> None:
    """Name the axes at the left and at the bottom of our own grid only."""
    n_columns = _n_columns(len(panels))
    for k, ax in enumerate(panels):
        if k % n_columns > 0:
            ax.set_ylabel("")
        if k + n_columns < len(panels):
            ax.set_xlabel("")


def _check_codebook(vectorizer: Any, part: str | None) -> tuple[str, KMeansCodebook]:
    check_is_fitted(vectorizer)
    codebooks = getattr(vectorizer, "codebooks_", None)
    if not isinstance(codebooks, Mapping) or not all(
        isinstance(codebook, KMeansCodebook) for codebook in codebooks.values()
    ):
        msg = (
            "plot_class_words counts points by their nearest word, so it expects a "
            f"fitted PersistenceBoW; got {type(vectorizer).__name__}."
        )
        raise TypeError(msg)
    # Essential classes have words on a line, births only.
    plane = {name: book for name, book in codebooks.items() if book.words.shape[1] == 2}
    if part is None and len(plane) == 1:
        part = next(iter(plane))
    if part is None or part not in plane:
        msg = (
            f"Expected part to be one of {', '.join(map(repr, plane))}, the parts that "
            f"the vectorizer has words for in the plane; got {part!r}."
        )
        raise ValueError(msg)
    return part, plane[part]


def _check_labels(y: ArrayLike, n_samples: int) -> tuple[NDArray[Any], NDArray[Any]]:
    labels = np.asarray(y)
    if labels.shape != (n_samples,):
        msg = (
            f"Expected one label a diagram, shape ({n_samples},); "
            f"got shape {labels.shape}."
        )
        raise ValueError(msg)
    classes, members = np.unique(labels, return_inverse=True)
    return classes, members


def _check_names(
    label_names: Sequence[str] | None, classes: NDArray[Any]
) -> Sequence[str]:
    if label_names is None:
        return [str(label) for label in classes]
    if isinstance(label_names, str) or len(label_names) != len(classes):
        msg = (
            f"Expected label_names to be a sequence of {len(classes)} names, one a "
            f"class of y; got {label_names!r}."
        )
        raise ValueError(msg)
    return label_names


def _check_axes(axes: Any, classes: NDArray[Any]) -> NDArray[Any]:
    panels = np.asarray(axes, dtype=object).ravel()
    if len(panels) != len(classes) or not all(hasattr(ax, "scatter") for ax in panels):
        msg = (
            f"Expected axes to be {len(classes)} matplotlib Axes, one a class of y; "
            f"got {axes!r}."
        )
        raise ValueError(msg)
    return panels
