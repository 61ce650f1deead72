"""Figure of the points of a word in the image that they were computed from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pbow._utils.warn import warn_user
from pbow.errors import ParameterError
from pbow.explain import WordPoints
from pbow.plotting._axes import check_axes
from pbow.plotting._located import draw_marks, end_figure, find_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pbow.vectorizers import PersistenceBoW, StablePersistenceBoW

__all__ = ["plot_word_in_image"]

# Diagrams may have been computed or stored in single precision.
CLOSE = 1e-5


def plot_word_in_image(
    vectorizer: PersistenceBoW | StablePersistenceBoW,
    image: ArrayLike,
    X: Any,
    word: int | str,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw an image, and mark the pixels of the points that fall to a word.

    An orange circle is the pixel where a point is born, a blue cross the pixel where it
    dies. In sublevel sets, a component (H0) is born at a local minimum and dies where
    it meets a darker one; a loop (H1) is born where a ring closes and dies at a local
    maximum inside it. For sPBoW, points with a smaller membership are paler.

    Parameters
    ----------
    vectorizer : PersistenceBoW or StablePersistenceBoW
        Fitted.
    image : array-like of shape (h, w)
        The image. There is a warning if its values at the marked pixels are not births
        and deaths, up to a factor: it may be transposed.
    X : Diagrams
        The diagrams of this image, as ``X[3:4]``, with locations:
        ``cubical(images, return_locations=True)``.
    word : int or str
        Column of the features, or its name, as ``"h1_n30_word4"``.
    ax : matplotlib.axes.Axes, optional
        Where to draw. By default in a new figure.

    Returns
    -------
    ax : matplotlib.axes.Axes
        ``ax.figure`` is the figure.

    Raises
    ------
    ValueError
        If the diagrams have no locations, or are not those of the image.
    ImportError
        Without matplotlib, which is in the extra ``plot``.

    See Also
    --------
    pbow.explain.locate_word : The pixels, without a figure.

    Examples
    --------
    >>> from pbow import Diagrams, PersistenceBoW
    >>> from pbow.plotting import plot_word_in_image
    >>> image = [[9, 9, 9, 9], [9, 2, 7, 0], [9, 9, 9, 9]]
    >>> X = Diagrams([[2, 7]], [0, 1], name="H0", locations=[[[5], [6]]])
    >>> bow = PersistenceBoW(n_words=1).fit(X)
    >>> ax = plot_word_in_image(bow, image, X, "h0_word0")
    >>> ax.get_title()
    'h0_word0: 1 point'
    """
    try:
        pixels = np.asarray(image, dtype=np.float64)
    except (TypeError, ValueError):  # as of the name of a file
        pixels = np.empty(0)
    if pixels.ndim != 2 or pixels.size == 0:
        expected = "a gray image of shape (h, w), as pbow.io.read_images(path)[0]"
        raise ParameterError("image", expected, image)
    found = find_points(vectorizer, X, word, pixels.size, "pixel", single=True)
    _warn_of_other_values(pixels, found)
    ax = check_axes(ax, 4.8)
    # Masked pixels are infinite.
    ax.imshow(np.where(np.isfinite(pixels), pixels, np.nan), cmap="gray")
    for event, marked in (("birth", found.births), ("death", found.deaths)):
        places = _places(marked[:, 0], pixels.shape)
        draw_marks(ax, places, found.memberships, event)
    ax.set(xticks=[], yticks=[])
    end_figure(ax, vectorizer, word, found)
    return ax


def _warn_of_other_values(image: NDArray[np.float64], found: WordPoints) -> None:
    """Warn unless the marked pixels have the values of births and deaths.

    A factor, the same for all, is that of a superlevel filtration or of rescaled
    diagrams. Another image may be meant, such as the one before a filter: no error.
    """
    places = np.concatenate((found.births[:, 0], found.deaths[:, 0]))
    coordinates = found.points.T.ravel()[places >= 0]
    values = image.ravel()[places[places >= 0]]
    if not coordinates.any() and not values.any():
        return
    largest = np.abs(coordinates).argmax()
    if np.isfinite(values).all() and coordinates[largest] != 0.0 != values[largest]:
        expected = values[largest] / coordinates[largest] * coordinates
        if np.allclose(values, expected, rtol=0.0, atol=CLOSE * np.abs(values).max()):
            return
    msg = (
        "The values of the image at the marked pixels are not births and deaths of the "
        "points, not even up to a factor. The image may be transposed, or of another "
        "sample: pass the one that the diagrams were computed from. If you show "
        "another image on purpose, ignore this."
    )
    warn_user(msg)


def _places(pixels: NDArray[np.int64], shape: tuple[int, int]) -> NDArray[np.float64]:
    """Return columns and rows; NaN where there is no pixel."""
    rows, columns = np.divmod(pixels, shape[1])
    return np.where(pixels[:, np.newaxis] < 0, np.nan, np.column_stack((columns, rows)))
