"""Figure of the words of each label: counts in the birth-persistence plane."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pbow._utils.checks import check_label_names, check_labels
from pbow.encoding import encode_counts
from pbow.plotting._axes import BLUE, check_panels, new_axes
from pbow.plotting._checks import check_codebook, check_samples
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
    resolution: int | None = None,
    label_names: Sequence[str] | None = None,
    axes: Any = None,
) -> NDArray[Any]:
    """Draw how many points the diagrams of each label have near each word.

    One Axes per label, one circle per word, at the word's place in the
    birth-persistence plane. Its area is the number of points whose nearest word it is,
    averaged over the diagrams of the label: the paper's average codebook histogram.
    Words, limits and the scale of areas are the same in all Axes, so labels differ by
    their circles only; a word without points is a small dot.

    Parameters
    ----------
    vectorizer : PersistenceBoW
        Fitted. Only its words are used: counts are shown before any weighting and
        normalization, and without essential points.
    X : Diagrams or list of array-like of shape (n_points_i, 2)
        The diagrams to count, with the same parts as in fit.
    y : array-like of shape (n_samples,)
        Label of each diagram.
    part : str, optional
        Part to draw, for example ``"H1"``. Needed if there are several.
    resolution : int, optional
        Number of words of the resolution to draw, if the codebook has several. By
        default the finest.
    label_names : sequence of str, optional
        Titles of the Axes, in the order of the sorted labels. By default the labels.
    axes : array-like of Axes, optional
        One Axes per label, in the order of the sorted labels. By default a new figure.

    Returns
    -------
    axes : ndarray of Axes of shape (n_classes,)
        In the order of the sorted labels. ``axes[0].figure`` is the figure.

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
    part, codebook = check_codebook(vectorizer, part, resolution, counts=True)
    diagrams = check_samples(vectorizer, X, part)
    labels = check_labels(y, len(diagrams))
    classes, members = np.unique(labels, return_inverse=True)
    titles = check_label_names(label_names, classes)
    counts = encode_counts(diagrams, codebook)
    means = np.stack([counts[members == k].mean(axis=0) for k in range(len(classes))])
    largest = float(means.max(initial=0.0))

    if axes is None:
        panels = _new_axes(len(classes))
    else:
        panels = check_panels(axes, len(classes), "one per label of y")
        for ax in panels:
            ax.set(xlabel="birth", ylabel="persistence")
    limits, n_words = room_for(codebook.words), codebook.n_words
    for ax, title, mean in zip(panels, titles, means, strict=True):
        # Only areas carry information, color does not.
        draw_circles(ax, codebook.words, mean, largest, [BLUE] * n_words)
        ax.set(title=title, **limits)
    if largest > 0.0:
        corner = max(panels, key=lambda ax: tuple(ax.get_position().max))
        add_key(corner, largest, n_words, "points per\ndiagram")
    return panels


def _new_axes(n_axes: int) -> NDArray[Any]:
    """Return new Axes whose names are at the left and at the bottom of all."""
    n_columns = n_axes if n_axes <= 3 else math.ceil(math.sqrt(n_axes))
    n_rows = math.ceil(n_axes / n_columns)
    grid = new_axes(2.8 * n_columns + 0.9, 2.6 * n_rows, n_columns, n_rows)
    for ax in grid[n_axes:]:
        ax.remove()
    panels = grid[:n_axes]
    for ax in panels[::n_columns]:
        ax.set_ylabel("persistence")
    for ax in panels[-n_columns:]:
        ax.set_xlabel("birth")
    return panels
