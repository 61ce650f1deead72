"""Figure of how two labels differ, word by word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pbow._utils.checks import check_label_names, check_labels, is_finite_number
from pbow.errors import ParameterError
from pbow.plotting._axes import (
    BLUE,
    GRAY,
    ORANGE,
    check_panels,
    new_axes,
    without_formulas,
)
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

__all__ = ["plot_class_difference"]

Floats = NDArray[np.float64]


def plot_class_difference(
    vectorizer: PersistenceBoW | StablePersistenceBoW,
    X: Any,
    y: ArrayLike,
    between: Sequence[Any],
    *,
    part: str | None = None,
    resolution: int | None = None,
    label_names: Sequence[str] | None = None,
    zoom: Sequence[Sequence[float]] | None = None,
    axes: Any = None,
) -> NDArray[Any]:
    """Draw near which words the diagrams of two labels differ.

    Three Axes with one circle per word, at the word's place in the birth-persistence
    plane: left and right the average number of points of each label that are nearest
    to the word; between them the difference, orange where the first label has more and
    blue where the second has. Areas are numbers of points. Both labels have the same
    scale; the difference has its own, for the words in view. Words of a mixture share
    each point by their posterior probabilities.

    Parameters
    ----------
    vectorizer : PersistenceBoW or StablePersistenceBoW
        Fitted. Only its words are used: counts are shown before any weighting and
        normalization, and without essential points.
    X : Diagrams or list of array-like of shape (n_points_i, 2)
        The diagrams to count, with the same parts as in fit.
    y : array-like of shape (n_samples,)
        Label of each diagram.
    between : (label, label)
        The two labels: left and orange, right and blue.
    part : str, optional
        Part to draw, for example ``"H1"``. By default all, one below another.
    resolution : int, optional
        Number of words of the resolution to draw, if the codebook has several. By
        default the finest.
    label_names : sequence of str, optional
        Names of all labels, in the order of the sorted labels of `y`. By default the
        labels themselves.
    zoom : ((float, float), (float, float)), optional
        Show only births and persistences between these numbers. By default all words.
    axes : array-like of Axes, optional
        Three Axes per part, from left to right. By default a new figure.

    Returns
    -------
    axes : ndarray of Axes of shape (3,) or (n_parts, 3)
        First label, difference, second label; the second shape if several parts are
        drawn. ``axes.flat[0].figure`` is the figure.

    Raises
    ------
    ImportError
        Without matplotlib, which is in the extra ``plot``.

    See Also
    --------
    plot_class_words : The average histograms of all labels.

    References
    ----------
    Zieliński, Lipiński, Juda, Zeppelzauer, Dłotko. Persistence Bag-of-Words for
    Topological Data Analysis. IJCAI 2019. Section "Qualitative Analysis".

    Examples
    --------
    >>> from pbow import PersistenceBoW
    >>> from pbow.plotting import plot_class_difference
    >>> X = [[[0, 1], [0, 2]], [[0, 1]], [[3, 9], [3, 8]], [[3, 8]]]
    >>> y = ["flat", "flat", "tall", "tall"]
    >>> bow = PersistenceBoW(n_words=2, random_state=0).fit(X)
    >>> axes = plot_class_difference(bow, X, y, ["flat", "tall"])
    >>> [ax.get_title() for ax in axes]
    ['flat', 'difference', 'tall']
    """
    codebooks = check_codebooks(vectorizer, part, resolution)
    diagrams = {name: check_samples(vectorizer, X, name) for name in codebooks}
    known = check_labels(y, len(next(iter(diagrams.values()))))
    present = np.unique(known).tolist()
    first, second = two = _check_two(between, present)
    names = dict(zip(present, check_label_names(label_names, present), strict=True))
    view = None if zoom is None else _check_zoom(zoom)
    n_parts = len(codebooks)
    if axes is None:
        panels = new_axes(9.6, 2.9 * n_parts, 3, n_parts)
    else:
        meaning = "first label, difference, second label of each part"
        panels = check_panels(axes, 3 * n_parts, meaning)
    panels = panels.reshape(n_parts, 3)
    compared = np.isin(known, two)
    for row, (name, codebook) in zip(panels, codebooks.items(), strict=True):
        counts = average_counts(diagrams[name][compared], codebook, known[compared])
        prefix = f"{name}: " if n_parts > 1 else ""
        titles = [
            prefix + title for title in (names[first], "difference", names[second])
        ]
        words = places_of(codebook)
        limits = view or room_for(words, counts[first] + counts[second])
        _draw_row(row, words, counts[first], counts[second], titles, limits)
        if view is None:
            for ax in row:
                draw_words_beyond(ax, words, limits, [GRAY] * len(words))
    if axes is None:
        for ax in panels[:, 1:].flat:
            ax.set_ylabel("")
        for ax in panels[:-1].flat:
            ax.set_xlabel("")
    return panels if n_parts > 1 else panels[0]


def _draw_row(
    panels: NDArray[Any],
    words: Floats,
    left: Floats,
    right: Floats,
    titles: Sequence[str],
    limits: Mapping[str, Any],
) -> None:
    """Draw the averages of one part, and between them their difference."""
    # A word out of view must not reach into it by a circle of another scale.
    low, high = np.array([limits["xlim"], limits["ylim"]]).T
    seen = ((words >= low) & (words <= high)).all(axis=1)
    words, left, right = words[seen], left[seen], right[seen]
    difference = left - right
    more = float(max(left.max(initial=0.0), right.max(initial=0.0)))
    apart = float(np.abs(difference).max(initial=0.0))
    signs = np.where(difference > 0.0, ORANGE, BLUE).tolist()
    looks = (
        (left, more, [ORANGE] * len(words)),
        (np.abs(difference), apart, signs),
        (right, more, [BLUE] * len(words)),
    )
    for ax, title, look in zip(panels, titles, looks, strict=True):
        draw_circles(ax, words, *look)
        ax.set(title=title, xlabel="birth", ylabel="persistence", **limits)
        without_formulas(ax)
    for ax, largest, what in (
        (panels[1], apart, "more points\nper diagram"),
        (panels[2], more, "points per\ndiagram"),
    ):
        if largest > 0.0:
            add_key(ax, largest, len(words), what)


def _check_two(between: Sequence[Any], present: list[Any]) -> tuple[Any, Any]:
    two = list(between) if np.iterable(between) and not isinstance(between, str) else []
    if len(two) != 2 or two[0] == two[1] or not all(label in present for label in two):
        expected = f"two different labels of {present!r:.200}"
        raise ParameterError("between", expected, between)
    return two[0], two[1]


def _check_zoom(zoom: Any) -> dict[str, Any]:
    try:
        (left, right), (low, high) = zoom
        valid = all(map(is_finite_number, (left, right, low, high)))
        valid = valid and left < right and low < high
    except (TypeError, ValueError):
        valid = False
    if not valid:
        expected = "((low, high), (low, high)), the births and persistences to show"
        raise ParameterError("zoom", expected, zoom)
    return {"xlim": (left, right), "ylim": (low, high)}
