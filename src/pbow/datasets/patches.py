"""Patches of a surface, with labels from a mask of its pixels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike, NDArray

from pbow._utils.checks import is_finite_number, is_integer
from pbow.datasets.drawing import FOR_PATCHES, check_seed, draw_order
from pbow.errors import ParameterError

__all__ = ["Patches", "cut_patches"]

Ints = NDArray[np.int64]


class Patches(NamedTuple):
    """Patches of one surface, row after row of it.

    images : (n, size, size), of the depth map's dtype.
    labels : (n,), 1 inside the mask and 0 outside.
    positions : (n, 2), row and column of each patch's first pixel.
    shares : (n,), how much of each patch is in the mask.

    See Also
    --------
    cut_patches : Makes them.

    Examples
    --------
    >>> import numpy as np
    >>> from pbow.datasets import cut_patches
    >>> patches = cut_patches(np.zeros((2, 4)), np.eye(2, 4, dtype=bool), size=2)
    >>> patches.positions.tolist(), patches.shares.tolist()
    ([[0, 0], [0, 2]], [0.5, 0.0])
    >>> images, labels, *_ = patches
    >>> labels
    array([1, 0])
    """

    images: NDArray[Any]
    labels: Ints
    positions: Ints
    shares: NDArray[np.float64]


def cut_patches(
    depth: ArrayLike,
    mask: ArrayLike,
    size: int,
    *,
    step: int | None = None,
    shares: tuple[float, float] = (0.0, 0.5),
    n_per_class: int | None = None,
    seed: int = 0,
) -> Patches:
    """Cut a depth map into square patches, labeled by a mask of its pixels.

    A window moves over the map from its first pixel on. A patch has the label 1 if
    enough of it lies in the mask, 0 if little or nothing does, and is left out in
    between, or if part of the surface was not measured (NaN). Both labels can be made
    equally frequent. Cut each surface by itself, and keep which one a patch is from:
    neighbors resemble each other, so train and test must not share a surface.

    Parameters
    ----------
    depth : array-like of shape (h, w)
        Depth or height of each pixel; NaN where there is none.
    mask : array-like of bool of shape (h, w)
        The pixels of label 1, as engraved ones.
    size : int
        Side of a patch in pixels.
    step : int, optional
        Pixels between neighboring patches. By default `size`: they do not overlap.
    shares : pair of float, default=(0.0, 0.5)
        A patch has label 0 up to the first share of its pixels in the mask, label 1
        from the second one on.
    n_per_class : int, optional
        Draw this many patches per label by `seed`, or, of both, as many as the rarer
        label has. By default all patches are kept, balanced or not. The paper has 300
        per label and surface.
    seed : int, default=0
        Seeds the draw, which is the same on every machine.

    Returns
    -------
    patches : Patches
        A named tuple of images, labels, positions and shares.

    Raises
    ------
    ValueError
        If the mask does not fit the map, or a parameter is out of range.

    See Also
    --------
    load_dataset : ``"petrosurf3d"`` is made of such patches.

    Notes
    -----
    The supplement does not give the side of a patch, nor from which share on it counts
    as engraved; so `size` has no default, and the default of `shares` is a choice.

    References
    ----------
    Zieliński et al. Persistence Bag-of-Words for Topological Data Analysis. IJCAI 2019.
    Supplement, "3D Surface Texture Dataset".

    Examples
    --------
    >>> import numpy as np
    >>> from pbow.datasets import cut_patches
    >>> depth = np.arange(24.0).reshape(4, 6)
    >>> mask = depth % 6 >= 4
    >>> patches = cut_patches(depth, mask, size=2)
    >>> patches.images.shape, patches.labels.tolist()
    ((6, 2, 2), [0, 0, 1, 0, 0, 1])
    >>> cut_patches(depth, mask, size=2, n_per_class=2).labels.tolist()
    [1, 0, 0, 1]
    """
    surface, inside = _check_surface(depth, mask)
    stride = size if step is None else step
    for name, value in (("size", size), ("step", stride)):
        if not is_integer(value, 1):
            raise ParameterError(name, "an int >= 1", value)
    low, high = _check_shares(shares)
    if n_per_class is not None and not is_integer(n_per_class, 1):
        raise ParameterError("n_per_class", "an int >= 1", n_per_class, optional=True)
    check_seed(seed)
    if min(surface.shape) < size:
        none = np.empty((0, size, size), surface.dtype)
        nowhere = np.empty((0, 2), np.int64)
        return Patches(none, np.empty(0, np.int64), nowhere, np.empty(0))
    covered = _window_sums(inside, size)[::stride, ::stride] / size**2
    missing = _window_sums(np.isnan(surface), size)[::stride, ::stride]
    usable = (missing == 0) & ((covered <= low) | (covered >= high))
    positions = np.argwhere(usable) * stride
    share = covered[usable]
    labels = (share >= high).astype(np.int64)
    if n_per_class is not None:
        kept = _balanced(labels, n_per_class, seed)
        positions, share, labels = positions[kept], share[kept], labels[kept]
    windows = sliding_window_view(surface, (size, size))
    images = windows[positions[:, 0], positions[:, 1]]
    return Patches(images, labels, positions, share)


def _check_surface(
    depth: ArrayLike, mask: ArrayLike
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    surface, inside = np.asarray(depth), np.asarray(mask)
    if surface.ndim != 2 or surface.dtype.kind not in "iuf":
        msg = (
            "Expected depth to be numbers of shape (h, w); got "
            f"{surface.dtype} of shape {surface.shape}."
        )
        raise ValueError(msg)
    if inside.shape != surface.shape or inside.dtype != np.bool_:
        msg = (
            f"Expected mask to be bool of shape {surface.shape}, as depth is; got "
            f"{inside.dtype} of shape {inside.shape}. An image becomes a mask by "
            "image > 0."
        )
        raise ValueError(msg)
    if np.isinf(surface).any():
        msg = "Expected finite depths, or NaN where there is none; got inf."
        raise ValueError(msg)
    return surface, inside


def _check_shares(shares: Any) -> tuple[float, float]:
    if (
        not isinstance(shares, (tuple, list))
        or len(shares) != 2
        or not all(is_finite_number(share) for share in shares)
        or not 0.0 <= shares[0] < shares[1] <= 1.0
    ):
        expected = "a pair of numbers 0 <= low < high <= 1"
        raise ParameterError("shares", expected, shares)
    return float(shares[0]), float(shares[1])


def _window_sums(flags: NDArray[np.bool_], size: int) -> Ints:
    """Return how many flags are set in the window that starts at each pixel.

    By a table of sums, so that the cost does not grow with the window.
    """
    sums = np.zeros((flags.shape[0] + 1, flags.shape[1] + 1), np.int64)
    sums[1:, 1:] = flags.cumsum(axis=0, dtype=np.int64).cumsum(axis=1)
    below = sums[size:] - sums[:-size]
    inside: Ints = below[:, size:] - below[:, :-size]
    return inside


def _balanced(labels: Ints, n_per_class: int, seed: int) -> Ints:
    """Return rows, in order, with equally many of both labels."""
    n = min(n_per_class, *np.bincount(labels, minlength=2).tolist())
    order = draw_order(len(labels), seed, FOR_PATCHES)
    drawn = [order[labels[order] == label][:n] for label in (0, 1)]
    return np.sort(np.concatenate(drawn))
