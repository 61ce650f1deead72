"""Pictures of codebooks: words in the birth-persistence plane."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pbow.diagrams import check_diagrams
from pbow.encoding import encode_counts
from pbow.plotting._axes import BLUE, new_axes
from pbow.plotting._books import check_codebook, check_labels
from pbow.plotting._circles import add_key, draw_circles, room_for

if TYPE_CHECKING:
    from pbow.vectorizers import PersistenceBoW

__all__ = ["plot_class_words"]


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
    part, codebook = check_codebook(vectorizer, part, counts=True)
    diagrams = check_diagrams(X, parts=vectorizer.parts_, min_samples=1)[part].finite()
    labels = check_labels(y, len(diagrams))
    classes, members = np.unique(labels, return_inverse=True)
    titles = _check_names(label_names, classes)
    counts = encode_counts(diagrams, codebook)
    means = np.stack([counts[members == k].mean(axis=0) for k in range(len(classes))])
    largest = float(means.max(initial=0.0))

    panels = _new_axes(len(classes)) if axes is None else _check_axes(axes, classes)
    limits, n_words = room_for(codebook.words), codebook.n_words
    for ax, title, mean in zip(panels, titles, means, strict=True):
        # Only areas carry information, colour does not.
        draw_circles(ax, codebook.words, mean, largest, [BLUE] * n_words)
        ax.set(title=title, xlabel="birth", ylabel="persistence", **limits)
    if axes is None:
        _label_outer(panels)
    if largest > 0.0:
        add_key(_upper_right(panels), largest, n_words, "points per\ndiagram")
    return panels


def _upper_right(panels: NDArray[Any]) -> Any:
    return max(panels, key=lambda ax: (ax.get_position().x1, ax.get_position().y1))


def _new_axes(n_axes: int) -> NDArray[Any]:
    n_columns = _n_columns(n_axes)
    n_rows = math.ceil(n_axes / n_columns)
    panels = new_axes(2.8 * n_columns + 0.9, 2.6 * n_rows, n_columns, n_rows)
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
