"""The picture of what tells two classes apart, word by word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pbow._utils.checks import is_finite_number
from pbow.diagrams import check_diagrams
from pbow.encoding import encode_counts
from pbow.plotting._axes import BLUE, RED, new_axes
from pbow.plotting._books import check_codebook, check_labels
from pbow.plotting._circles import add_key, draw_circles, room_for

if TYPE_CHECKING:
    from pbow.vectorizers import PersistenceBoW

__all__ = ["plot_class_difference"]

Floats = NDArray[np.float64]


def plot_class_difference(
    vectorizer: PersistenceBoW,
    X: Any,
    y: ArrayLike,
    classes: Sequence[Any],
    *,
    part: str | None = None,
    label_names: Sequence[str] | None = None,
    zoom: Sequence[Sequence[float]] | None = None,
    axes: Any = None,
) -> NDArray[Any]:
    """Draw near which words the diagrams of two classes differ.

    Three Axes with a circle a word, at the word's place in the birth-persistence plane:
    left and right the average number of points of each class that are nearest to the
    word; between them the difference, red where the first class has more and blue where
    the second has. Areas are numbers of points. Both classes have the same scale, the
    difference its own, as the words in view need it.

    Parameters
    ----------
    vectorizer : PersistenceBoW
        Fitted. Only its words are used: counts are shown before any weighting and
        normalisation, and without points that never die.
    X : Diagrams or list of array-like of shape (n_points_i, 2)
        The diagrams to count, with the same parts as in fit.
    y : array-like of shape (n_samples,)
        Class of each diagram.
    classes : (label, label)
        The two classes: left and red, right and blue.
    part : str, optional
        Part to draw, for example ``"H1"``. Needed where there are several.
    label_names : (str, str), optional
        Titles of the two classes. By default the labels.
    zoom : ((float, float), (float, float)), optional
        Show only births and persistences between these numbers. By default all words.
    axes : array-like of Axes, optional
        Three Axes, from left to right. By default a new figure.

    Returns
    -------
    axes : ndarray of Axes of shape (3,)
        First class, difference, second class. ``axes[0].figure`` is the figure.

    Raises
    ------
    ImportError
        Without matplotlib, which is in the extra ``plot``.

    See Also
    --------
    plot_class_words : The average histograms of all classes.

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
    part, codebook = check_codebook(vectorizer, part, counts=True)
    diagrams = check_diagrams(X, parts=vectorizer.parts_, min_samples=1)[part].finite()
    labels = check_labels(y, len(diagrams))
    first, second = _check_classes(classes, labels)
    titles = _check_titles(label_names, (first, second))
    limits = room_for(codebook.words) if zoom is None else _check_zoom(zoom)
    panels = new_axes(9.6, 2.9, 3) if axes is None else _check_panels(axes)

    # A word out of view must not reach into it by a circle of another scale.
    seen = _in_view(codebook.words, limits)
    words = codebook.words[seen]
    left, right = (
        encode_counts(diagrams[labels == label], codebook)[:, seen].mean(axis=0)
        for label in (first, second)
    )
    difference = left - right
    more = float(max(left.max(initial=0.0), right.max(initial=0.0)))
    apart = float(np.abs(difference).max(initial=0.0))
    signs = np.where(difference > 0.0, RED, BLUE).tolist()
    for ax, title, values, largest, colours in (
        (panels[0], titles[0], left, more, [RED] * len(words)),
        (panels[1], "difference", np.abs(difference), apart, signs),
        (panels[2], titles[1], right, more, [BLUE] * len(words)),
    ):
        draw_circles(ax, words, values, largest, colours)
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


def _in_view(words: Floats, limits: dict[str, Any]) -> NDArray[np.bool_]:
    low, high = np.array([limits["xlim"], limits["ylim"]]).T
    inside: NDArray[np.bool_] = ((words >= low) & (words <= high)).all(axis=1)
    return inside


def _check_classes(classes: Sequence[Any], labels: NDArray[Any]) -> tuple[Any, Any]:
    two = list(classes) if np.iterable(classes) and not isinstance(classes, str) else []
    present = np.unique(labels).tolist()
    if len(two) != 2 or two[0] == two[1] or not all(label in present for label in two):
        msg = (
            f"Expected classes to be two different labels of y ({present!r:.200}); "
            f"got {classes!r}."
        )
        raise ValueError(msg)
    return two[0], two[1]


def _check_titles(
    label_names: Sequence[str] | None, classes: tuple[Any, Any]
) -> Sequence[str]:
    if label_names is None:
        return [str(label) for label in classes]
    if isinstance(label_names, str) or len(label_names) != 2:
        msg = (
            "Expected label_names to be two names, in the order of classes; "
            f"got {label_names!r}."
        )
        raise ValueError(msg)
    return label_names


def _check_zoom(zoom: Any) -> dict[str, Any]:
    try:
        (left, right), (low, high) = zoom
        valid = all(map(is_finite_number, (left, right, low, high)))
        valid = valid and left < right and low < high
    except (TypeError, ValueError):
        valid = False
    if not valid:
        msg = (
            "Expected zoom to be ((low, high), (low, high)), the births and the "
            f"persistences to show; got {zoom!r}."
        )
        raise ValueError(msg)
    return {"xlim": (left, right), "ylim": (low, high)}


def _check_panels(axes: Any) -> NDArray[Any]:
    panels = np.asarray(axes, dtype=object).ravel()
    if len(panels) != 3 or not all(hasattr(ax, "scatter") for ax in panels):
        msg = (
            "Expected axes to be 3 matplotlib Axes: first class, difference, second "
            f"class; got {axes!r}."
        )
        raise ValueError(msg)
    return panels
