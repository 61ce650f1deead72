"""Figure of the words of each label: counts in the birth-persistence plane."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pbow._utils.checks import check_label_names, check_labels
from pbow.plotting._axes import BLUE, check_panels, new_axes, without_formulas
from pbow.plotting._checks import check_codebooks, check_samples
from pbow.plotting._circles import (
    add_key,
    average_counts,
    draw_circles,
    draw_words_beyond,
    places_of,
    room_for,
)

if TYPE_CHECKING:
    from pbow.vectorizers import PersistenceBoW, StablePersistenceBoW

__all__ = ["plot_class_words"]


def plot_class_words(
    vectorizer: PersistenceBoW | StablePersistenceBoW,
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
    Words of a mixture share each point by their posterior probabilities. Words, limits
    and the scale of areas are the same in all Axes of a part, so labels differ by their
    circles only; a word without points is a small dot.

    Parameters
    ----------
    vectorizer : PersistenceBoW or StablePersistenceBoW
        Fitted. Only its words are used: counts are shown before any weighting and
        normalization, and without essential points.
    X : Diagrams or list of array-like of shape (n_points_i, 2)
        The diagrams to count, with the same parts as in fit.
    y : array-like of shape (n_samples,)
        Label of each diagram.
    part : str, optional
        Part to draw, for example ``"H1"``. By default all, one below another.
    resolution : int, optional
        Number of words of the resolution to draw, if the codebook has several. By
        default the finest.
    label_names : sequence of str, optional
        Names of the labels, in the order of the sorted labels of `y`. By default the
        labels themselves.
    axes : array-like of Axes, optional
        One Axes per label, in the order of the sorted labels; for several parts, those
        of the first part first. By default a new figure.

    Returns
    -------
    axes : ndarray of Axes of shape (n_labels,) or (n_parts, n_labels)
        In the order of the sorted labels; the second shape if several parts are drawn.
        ``axes.flat[0].figure`` is the figure.

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
    codebooks = check_codebooks(vectorizer, part, resolution)
    diagrams = {name: check_samples(vectorizer, X, name) for name in codebooks}
    labels = check_labels(y, len(next(iter(diagrams.values()))))
    names = check_label_names(label_names, np.unique(labels))
    shape = (len(codebooks), len(names))
    if axes is None:
        panels = _new_axes(*shape)
    else:
        panels = check_panels(axes, math.prod(shape), "one per label of y and part")
        for ax in panels:
            ax.set(xlabel="birth", ylabel="persistence")
    panels = panels.reshape(shape)
    for row, (name, codebook) in zip(panels, codebooks.items(), strict=True):
        words = places_of(codebook)
        counts = average_counts(diagrams[name], codebook, labels)
        largest = max(float(values.max(initial=0.0)) for values in counts.values())
        limits = room_for(words, np.sum(list(counts.values()), axis=0))
        for ax, title, values in zip(row, names, counts.values(), strict=True):
            # Only areas carry information, color does not.
            draw_circles(ax, words, values, largest, [BLUE] * len(words))
            draw_words_beyond(ax, words, limits, [BLUE] * len(words))
            several = len(codebooks) > 1
            ax.set(title=f"{name}: {title}" if several else title, **limits)
            without_formulas(ax)
        if largest > 0.0:
            corner = max(row, key=lambda ax: tuple(ax.get_position().max))
            add_key(corner, largest, len(words), "points per\ndiagram")
    return panels if len(codebooks) > 1 else panels[0]


def _new_axes(n_parts: int, n_labels: int) -> NDArray[Any]:
    """Return new Axes whose names are at the left and at the bottom of all."""
    n_columns = n_labels if n_labels <= 3 else math.ceil(math.sqrt(n_labels))
    n_rows = math.ceil(n_labels / n_columns)
    width, height = 2.8 * n_columns + 0.9, 2.6 * n_rows * n_parts
    grid = new_axes(width, height, n_columns, n_rows * n_parts).reshape(n_parts, -1)
    for ax in grid[:, n_labels:].flat:
        ax.remove()
    panels = grid[:, :n_labels]
    for ax in panels[:, ::n_columns].flat:
        ax.set_ylabel("persistence")
    for ax in panels[-1, -n_columns:]:
        ax.set_xlabel("birth")
    return panels.ravel()
