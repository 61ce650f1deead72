"""Images in, persistence diagrams out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

import numpy as np

from pbow.diagrams import LARGEST_COORDINATE, Diagrams
from pbow.homology._common import (
    Floats,
    Progress,
    check_collection,
    check_dims,
    check_field,
    check_numbers,
    empty_diagrams,
    import_from_gudhi,
    make_diagrams,
    part_names,
)
from pbow.homology._memory import check_memory

__all__ = ["cubical"]

# Peak of gudhi 3.13, measured. In the plane without periodic edges it has a loop of its
# own; else every face of every pixel is a cell of a complex.
BYTES_A_PIXEL = 30.0
BYTES_A_CELL = 65.0


def cubical(
    images: Iterable[Any],
    dims: int | Sequence[int] = (0, 1),
    *,
    superlevel: bool = False,
    periodic: bool | Sequence[bool] = False,
    field: int = 2,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> Diagrams:
    """Compute the persistence diagrams of grey images, in the plane or in space.

    The image is flooded: at value t all pixels up to t are there (the sublevel, or
    grayscale, filtration). A pixel is a closed square or cube, so that pixels that
    touch at a corner are connected. Births and deaths are values of pixels. Points that
    die when they are born are left out.

    Parameters
    ----------
    images : iterable of array-like of shape (h_i, w_i) or (d_i, h_i, w_i)
        One array an image, of any size; or one stack of shape (n, h, w) or (n, d, h,
        w). A pixel of value ``inf`` never enters: it masks what is not part of the
        image. The diagrams of an image without pixels are empty. Make colours grey
        before: an array of shape (h, w, 3) is an image in space of depth h.
    dims : int or sequence of int, default=(0, 1)
        Dimensions of homology: 0 for components, 1 for loops, 2 for voids (of images in
        space).
    superlevel : bool, default=False
        Flood from above: at value t all pixels from t up are there, and ``-inf`` masks.
        The diagrams are those of the negated image, as they are: a class that appears
        at value 9 and disappears at 4 is the point (-9, -4), and one that never
        disappears is (-9, inf).
    periodic : bool or sequence of bool, default=False
        Whether the last pixel is next to the first one, along all axes or along each.
    field : int, default=2
        A prime p: coefficients are in Z/p. It makes no difference in the plane, nor in
        space without periodic axes.
    n_jobs : int or None, default=None
        Number of threads. None is 1 outside a joblib context, -1 all processors. The
        result does not depend on it.
    progress : bool or callable, optional
        True draws a bar on stderr, where that is a terminal. A callable is called
        without arguments each time an image is done.

    Returns
    -------
    X : Diagrams
        One sample an image, with parts ``"H0"``, ``"H1"``, ... in the order of `dims`.
        The component of the lowest pixel never dies.

    Raises
    ------
    ValueError
        For images or parameters that are not as above.
    MemoryError
        When the images are estimated to need more memory than there is.
    ImportError
        Without gudhi, which is in the extra ``homology``.

    Notes
    -----
    Computed by ``gudhi.sklearn.CubicalPersistence``, which is fastest in the
    plane [1]_; periodic images by ``gudhi.PeriodicCubicalComplex``.

    References
    ----------
    .. [1] Hubert Wagner, Chao Chen, Erald Vuçini. Efficient computation of persistent
       homology for cubical data. Topological Methods in Data Analysis and
       Visualization II, 2012.

    Examples
    --------
    Two valleys, 0 and 1, join at 2; the ridge of 3 around the peak of 5 closes a loop.

    >>> from pbow.homology import cubical
    >>> image = [[0, 3, 3, 3], [2, 3, 5, 3], [1, 3, 3, 3]]
    >>> X = cubical([image])
    >>> X["H0"][0]
    array([[ 1.,  2.],
           [ 0., inf]])
    >>> X["H1"][0]
    array([[3., 5.]])
    """
    wanted = check_dims(dims)
    prime = check_field(field)
    _check_flag(superlevel, "superlevel")
    listed = check_collection(
        images,
        "images",
        "(h, w) or (d, h, w)",
        "one image of {n} rows. Wrap a single image in a list: [image].",
    )
    if (
        isinstance(images, np.ndarray)
        and images.ndim == 3
        and images.shape[2] in {3, 4}
        and min(images.shape[:2]) > 4
    ):
        _refuse_colour("The array", images.shape)
    checked = [
        _check_image(image, i, superlevel=bool(superlevel))
        for i, image in enumerate(listed)
    ]
    wraps = [_check_periodic(periodic, image.ndim) for image in checked]
    periodic_complex = import_from_gudhi("gudhi", "PeriodicCubicalComplex", "cubical")
    persistence = import_from_gudhi("gudhi.sklearn", "CubicalPersistence", "cubical")
    plain = persistence(wanted, homology_coeff_field=prime, n_jobs=1).fit([])
    check_memory(
        [_bytes(image, wrap) for image, wrap in zip(checked, wraps, strict=True)],
        noun="image",
        n_jobs=n_jobs,
        advice="Cut or coarsen it, or take fewer threads (n_jobs).",
    )

    def one(item: tuple[Floats, list[bool]]) -> list[Floats]:
        image, wrap = item
        if image.size == 0:
            return empty_diagrams(wanted)
        if any(wrap):
            complex_ = periodic_complex(
                top_dimensional_cells=image, periodic_dimensions=wrap
            )
            complex_.compute_persistence(homology_coeff_field=prime)
            diagrams = [complex_.persistence_intervals_in_dimension(d) for d in wanted]
        else:
            diagrams = plain.transform([image])[0]
        # What is born with the masked pixels is none of the image.
        return [diagram[np.isfinite(diagram[:, 0])] for diagram in diagrams]

    items = list(zip(checked, wraps, strict=True))
    return make_diagrams(
        one, items, part_names(wanted), n_jobs=n_jobs, progress=progress
    )


def _bytes(image: Floats, wrap: list[bool]) -> float:
    if image.ndim == 2 and not any(wrap):
        return BYTES_A_PIXEL * image.size
    return BYTES_A_CELL * float(np.prod([2.0 * n + 1.0 for n in image.shape]))


def _check_flag(value: Any, name: str) -> None:
    if not isinstance(value, (bool, np.bool_)):
        msg = f"Expected {name} to be True or False; got {value!r}."
        raise ValueError(msg)


def _check_periodic(periodic: Any, n_axes: int) -> list[bool]:
    if isinstance(periodic, (bool, np.bool_)):
        return [bool(periodic)] * n_axes
    axes = list(periodic) if isinstance(periodic, Iterable) else [periodic]
    if len(axes) != n_axes or not all(isinstance(a, (bool, np.bool_)) for a in axes):
        msg = (
            "Expected periodic to be True, False or one of these for each of the "
            f"{n_axes} axes of an image; got {periodic!r}."
        )
        raise ValueError(msg)
    return [bool(axis) for axis in axes]


def _check_image(image: Any, index: int, *, superlevel: bool) -> Floats:
    """Return the values by which pixels enter, in a contiguous array."""
    pixels = check_numbers(image, f"Image {index}")
    if pixels.ndim not in {2, 3} and pixels.size > 0:
        msg = f"Image {index} has shape {pixels.shape}; expected (h, w) or (d, h, w)."
        raise ValueError(msg)
    if pixels.ndim == 3 and pixels.shape[2] in {3, 4} and min(pixels.shape[:2]) > 4:
        _refuse_colour(f"Image {index}", pixels.shape)
    values = np.ascontiguousarray(pixels, dtype=np.float64)
    if superlevel:
        values = 0.0 - values  # never -0.0
    # A NaN fails the comparisons.
    valid = (np.abs(values) <= LARGEST_COORDINATE) | np.isposinf(values)
    if not valid.all():
        place = np.unravel_index(np.argmin(valid), valid.shape)
        pixel = tuple(int(axis) for axis in place)
        mask = "-inf" if superlevel else "inf"
        msg = (
            f"Pixel {pixel} of image {index} is {pixels[pixel]:g}; expected a number "
            f"of at most {LARGEST_COORDINATE:g} in size, or {mask} where there is no "
            "pixel."
        )
        raise ValueError(msg)
    return values


def _refuse_colour(what: str, shape: tuple[int, ...]) -> NoReturn:
    msg = (
        f"{what} of shape {shape} looks like a colour image; expected grey values. "
        "Take the mean of its channels, image[..., :3].mean(axis=2), or one of them, "
        "image[..., 0]. If it is an image in space, put its short axis first: "
        "numpy.moveaxis(image, 2, 0)."
    )
    raise ValueError(msg)
