"""Images in, persistence diagrams out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import groupby, pairwise
from typing import Any

import numpy as np

from pbow._utils.checks import check_dims
from pbow.compute.plane import locate_in_plane
from pbow.diagrams import LARGEST_COORDINATE, Diagrams
from pbow.errors import ParameterError
from pbow.homology._common import (
    Floats,
    as_numbers,
    check_collection,
    check_field,
    check_items,
    empty_diagrams,
    import_gudhi,
    make_diagrams,
)
from pbow.homology._locations import (
    LocatedBatch,
    check_return_locations,
    distinct_keys,
    make_located,
)
from pbow.homology._memory import check_memory

__all__ = ["cubical"]

# Peak of gudhi 3.13, measured. In the plane without periodic edges it has a loop of its
# own; else every face of every pixel is a cell of a complex.
BYTES_PER_PIXEL = 30.0
BYTES_PER_CELL = 65.0
# With locations, measured: in the plane all; else what comes on top, for keys.
BYTES_PER_LOCATED_PIXEL = 55.0
BYTES_PER_KEY = 60.0


def cubical(
    images: Iterable[Any],
    dims: int | Sequence[int] = (0, 1),
    *,
    superlevel: bool = False,
    periodic: bool | Sequence[bool] = False,
    field: int = 2,
    return_locations: bool = False,
    n_jobs: int | None = None,
    progress: bool = False,
) -> Diagrams:
    """Compute the persistence diagrams of gray images, in the plane or in space.

    The image is flooded: at value t all pixels up to t are there (the sublevel, or
    grayscale, filtration). A pixel is a closed square or cube, so that pixels that
    touch at a corner are connected. Births and deaths are values of pixels. Points that
    die when they are born are left out.

    Parameters
    ----------
    images : iterable of array-like of shape (h_i, w_i) or (d_i, h_i, w_i)
        One array per image, of any size; or one stack of shape (n, h, w) or (n, d, h,
        w). A pixel of value ``inf`` never enters: it masks what is not part of the
        image. The diagrams of an image without pixels are empty. Convert colors to
        gray first: an array of shape (h, w, 3) is an image in space of depth h.
    dims : int or sequence of int, default=(0, 1)
        Dimensions of homology: 0 for components, 1 for loops, 2 for voids (of images in
        space).
    superlevel : bool, default=False
        Flood from above: at value t all pixels from t up are there, and ``-inf`` masks.
        The diagrams are those of the negated image, as they are: a class that appears
        at value 9 and disappears at 4 is the point (-9, -4), and an essential one is
        (-9, inf).
    periodic : bool or sequence of bool, default=False
        Whether the last pixel is next to the first one, along all axes or along each.
    field : int, default=2
        A prime p: coefficients are in Z/p. It makes no difference in the plane, nor in
        space without periodic axes.
    return_locations : bool, default=False
        Whether to keep the pixel at which each class is born and dies:
        ``X["H1"].locations`` of shape (n_points, 2, 1) has flat indices, which
        ``numpy.unravel_index(i, image.shape)`` turns into rows and columns, and -1 for
        the death of an essential point. Of pixels with equal values the one of the
        lower index enters first. The points are the same in another order, so that a
        model with a fixed `random_state` draws another sample of them.
    n_jobs : int or None, default=None
        Number of threads. None is 1 outside a joblib context, -1 all processors. The
        result does not depend on it.
    progress : bool, default=False
        Whether to draw a progress bar on stderr.

    Returns
    -------
    X : Diagrams
        One sample per image, with parts ``"H0"``, ``"H1"``, ... in the order of `dims`.
        The component of the lowest pixel is essential.

    Raises
    ------
    ValueError
        For images or parameters that are not as above.
    MemoryError
        If the images are estimated to need more memory than there is.
    ImportError
        Without gudhi, which the extra ``homology`` installs.

    Notes
    -----
    Computed by ``gudhi.sklearn.CubicalPersistence``, which is fast in the plane [1]_;
    periodic images by ``gudhi.PeriodicCubicalComplex``. With locations, images in the
    plane are computed by a union-find over pixels.

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

    The loop is filled by the pixel in row 1 and column 2.

    >>> X = cubical([image], return_locations=True)
    >>> X["H1"].locations_of(0)[0, 1]
    array([6])
    """
    wanted = check_dims(dims)
    prime = check_field(field)
    located = check_return_locations(return_locations)
    if not _is_flag(superlevel):
        raise ParameterError("superlevel", "True or False", superlevel)
    listed = check_collection(
        images,
        "images",
        "(h, w) or (d, h, w)",
        "one image of {n} rows. Wrap a single image in a list: [image].",
    )
    if isinstance(images, np.ndarray):
        _refuse_color(images.shape)
    check = partial(_check_image, superlevel=bool(superlevel))
    checked = check_items(listed, "image", check)
    wraps = [_check_periodic(periodic, image.ndim) for image in checked]
    periodic_complex = import_gudhi("PeriodicCubicalComplex", "cubical")
    persistence = import_gudhi("sklearn.CubicalPersistence", "cubical")
    plain = persistence(wanted, homology_coeff_field=prime, n_jobs=1).fit([])
    check_memory(
        [
            _bytes(image, wrap, located=located)
            for image, wrap in zip(checked, wraps, strict=True)
        ],
        noun="image",
        n_jobs=n_jobs,
        advice="Cut or coarsen it, or take fewer threads (n_jobs).",
    )

    def compute(image: Floats, wrap: list[bool]) -> list[Floats]:
        if image.size == 0:
            return empty_diagrams(wanted)
        if any(wrap):
            complex_ = periodic_complex(
                top_dimensional_cells=image, periodic_dimensions=wrap
            )
            complex_.compute_persistence(homology_coeff_field=prime)
            return [complex_.persistence_intervals_in_dimension(d) for d in wanted]
        diagrams: list[Floats] = plain.transform([image])[0]
        return diagrams

    def one(item: tuple[Floats, list[bool]]) -> list[Floats]:
        image, wrap = item
        diagrams = compute(image, wrap)
        # What is born with the masked pixels is none of the image.
        return [diagram[np.isfinite(diagram[:, 0])] for diagram in diagrams]

    def by_keys(batch: list[tuple[Floats, list[bool]]]) -> list[LocatedBatch]:
        keys = distinct_keys([image for image, _ in batch])
        bounds = pairwise(keys.starts.tolist())
        keyed = [
            (keys.keys[start:stop].reshape(image.shape), wrap)
            for (image, wrap), (start, stop) in zip(batch, bounds, strict=True)
        ]
        if all(image.size > 0 and not any(wrap) for image, wrap in keyed):
            # One call for all: a call takes as long as a small image.
            diagrams = plain.transform([image for image, _ in keyed])
        else:
            diagrams = [compute(*item) for item in keyed]
        batches = []
        for of_dim in zip(*diagrams, strict=True):
            found = keys.locate([diagram.reshape(-1, 2) for diagram in of_dim])
            items = np.repeat(np.arange(len(batch)), found.counts)
            first = keys.starts[items, np.newaxis, np.newaxis]
            found.locations[...] -= np.where(found.locations < 0, 0, first)
            batches.append(found)
        return batches

    def several(batch: Sequence[tuple[Floats, list[bool]]]) -> list[LocatedBatch]:
        found = []
        for is_flat, run in groupby(batch, lambda item: _is_flat(*item)):
            if is_flat:
                found += [_located_in_plane(image, wanted) for image, _ in run]
            else:
                found.append(by_keys(list(run)))
        return [
            LocatedBatch(*map(np.concatenate, zip(*of_dim, strict=True)))
            for of_dim in zip(*found, strict=True)
        ]

    items = list(zip(checked, wraps, strict=True))
    if located:
        return make_located(
            several,
            items,
            [image.size for image in checked],
            wanted,
            unit="images",
            n_jobs=n_jobs,
            progress=progress,
        )
    return make_diagrams(
        one, items, wanted, unit="images", n_jobs=n_jobs, progress=progress
    )


def _is_flat(image: Floats, wrap: list[bool]) -> bool:
    return image.ndim == 2 and image.size > 0 and not any(wrap)


def _located_in_plane(image: Floats, dims: Sequence[int]) -> list[LocatedBatch]:
    height, width = image.shape
    framed = np.full((height + 2, width + 2), np.nan)
    np.add(image, 0.0, out=framed[1:-1, 1:-1])  # no -0.0
    found = locate_in_plane(
        framed.ravel(), width + 2, np.empty((3, framed.size), np.int64)
    )
    # Those of H0, H1, and of higher dimensions, where the plane has none.
    all_points = found[0], found[2], np.empty((0, 2))
    all_pixels = found[1], found[3], np.empty((0, 2), np.int64)
    located = []
    for dim in dims:
        points, pixels = all_points[min(dim, 2)], all_pixels[min(dim, 2)]
        count = np.array([len(points)])
        located.append(LocatedBatch(points, pixels[:, :, np.newaxis], count))
    return located


def _bytes(image: Floats, wrap: list[bool], *, located: bool) -> float:
    if _is_flat(image, wrap):
        return (BYTES_PER_LOCATED_PIXEL if located else BYTES_PER_PIXEL) * image.size
    cells = float(np.prod([2.0 * n + 1.0 for n in image.shape]))
    return BYTES_PER_CELL * cells + (BYTES_PER_KEY * image.size if located else 0.0)


def _is_flag(value: Any) -> bool:
    return isinstance(value, (bool, np.bool_))


def _check_periodic(periodic: Any, n_axes: int) -> list[bool]:
    if _is_flag(periodic):
        return [bool(periodic)] * n_axes
    axes = list(periodic) if isinstance(periodic, Iterable) else [periodic]
    if len(axes) != n_axes or not all(map(_is_flag, axes)):
        expected = f"True, False or one of these for each of {n_axes} axes of an image"
        raise ParameterError("periodic", expected, periodic)
    return [bool(axis) for axis in axes]


def _check_image(image: Any, *, superlevel: bool) -> Floats:
    """Return the values by which pixels enter, in a contiguous array."""
    pixels = as_numbers(image)
    if pixels.ndim not in {2, 3} and pixels.size > 0:
        msg = f"it has shape {pixels.shape}; expected (h, w) or (d, h, w)."
        raise ValueError(msg)
    _refuse_color(pixels.shape)
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
            f"pixel {pixel} is {pixels[pixel]:g}; expected a number of at most "
            f"{LARGEST_COORDINATE:g} in size, or {mask} where there is no pixel."
        )
        raise ValueError(msg)
    return values


def _refuse_color(shape: tuple[int, ...]) -> None:
    if len(shape) == 3 and shape[2] in {3, 4} and min(shape[:2]) > 4:
        msg = (
            f"Shape {shape} looks like that of a color image; expected gray values. "
            "Take the mean of its channels, image[..., :3].mean(axis=2), or one of "
            "them, image[..., 0]. If it is an image in space, put its short axis "
            "first: numpy.moveaxis(image, 2, 0)."
        )
        raise ValueError(msg)
