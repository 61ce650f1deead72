"""Figure of how two labels differ, word by word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pbow._utils.checks import check_label_names, check_labels, is_finite_number
from pbow.encoding import encode_counts
from pbow.errors import ParameterError
from pbow.plotting._axes import BLUE, RED, check_panels, new_axes
from pbow.plotting._checks import check_codebook, check_samples
from pbow.plotting._circles import add_key, draw_circles, room_for

if TYPE_CHECKING:
    from pbow.vectorizers import PersistenceBoW

__all__ = ["plot_class_difference"]


def plot_class_difference(
    vectorizer: PersistenceBoW,
    X: Any,
    y: ArrayLike,
    classes: Sequence[Any],
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
    to the word; between them the difference, red where the first label has more and
    blue where the second has. Areas are numbers of points. Both labels have the same
    scale; the difference has its own, for the words in view.

    Parameters
    ----------
    vectorizer : PersistenceBoW
        Fitted. Only its words are used: counts are shown before any weighting and
        normalization, and without essential points.
    X : Diagrams or list of array-like of shape (n_points_i, 2)
        The diagrams to count, with the same parts as in fit.
    y : array-like of shape (n_samples,)
        Label of each diagram.
    classes : (label, label)
        The two labels: left and red, right and blue.
    part : str, optional
        Part to draw, for example ``"H1"``. Needed if there are several.
    resolution : int, optional
        Number of words of the resolution to draw, if the codebook has several. By
        default the finest.
    label_names : (str, str), optional
        Titles of the two. By default the labels.
    zoom : ((float, float), (float, float)), optional
        Show only births and persistences between these numbers. By default all words.
    axes : array-like of Axes, optional
        Three Axes, from left to right. By default a new figure.

    Returns
    -------
    axes : ndarray of Axes of shape (3,)
        First label, difference, second label. ``axes[0].figure`` is the figure.

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
    part, codebook = check_codebook(vectorizer, part, resolution, counts=True)
    diagrams = check_samples(vectorizer, X, part)
    labels = check_labels(y, len(diagrams))
    first, second = _check_classes(classes, labels)
    titles = check_label_names(label_names, (first, second))
    limits = room_for(codebook.words) if zoom is None else _check_zoom(zoom)
    if axes is None:
        panels = new_axes(9.6, 2.9, 3)
    else:
        panels = check_panels(axes, 3, "first label, difference, second label")

    # A word out of view must not reach into it by a circle of another scale.
    low, high = np.array([limits["xlim"], limits["ylim"]]).T
    seen = ((codebook.words >= low) & (codebook.words <= high)).all(axis=1)
    words = codebook.words[seen]
    left, right = (
        encode_counts(diagrams[labels == label], codebook)[:, seen].mean(axis=0)
        for label in (first, second)
    )
    difference = left - right
    more = float(max(left.max(initial=0.0), right.max(initial=0.0)))
    apart = float(np.abs(difference).max(initial=0.0))
    signs = np.where(difference > 0.0, RED, BLUE).tolist()
    for ax, title, values, largest, colors in (
        (panels[0], titles[0], left, more, [RED] * len(words)),
        (panels[1], "difference", np.abs(difference), apart, signs),
        (panels[2], titles[1], right, more, [BLUE] * len(words)),
    ):
        draw_circles(ax, words, values, largest, colors)
        ax.set(title=title, xlabel="birth", ylabel="persistence", **limits)
    for ax, largest, what in (
        (panels[1], apart, "more points\nper diagram"),
        (panels[2], more, "points per\ndiagram"),
    ):
        if largest > 0.0:
            add_key(ax, largest, len(words), what)
    if axes is None:
        for ax in panels[1:]:
            ax.set_ylabel("")
    return panels


def _check_classes(classes: Sequence[Any], labels: NDArray[Any]) -> tuple[Any, Any]:
    two = list(classes) if np.iterable(classes) and not isinstance(classes, str) else []
    present = np.unique(labels).tolist()
    if len(two) != 2 or two[0] == two[1] or not all(label in present for label in two):
        expected = f"two different labels of {present!r:.200}"
        raise ParameterError("classes", expected, classes)
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
