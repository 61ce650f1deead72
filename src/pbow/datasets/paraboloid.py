"""The global curvature of a depth map, and the map without it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pbow.diagrams import LARGEST_COORDINATE

__all__ = ["remove_paraboloid"]

Floats = NDArray[np.float64]

# Directions in which the grid is flatter than this, relatively, are no directions.
FLAT = 1e-10


def remove_paraboloid(depth: ArrayLike) -> Floats:
    """Subtract from each depth map the paraboloid that fits it best.

    Each pixel is a point (x, y, z) in space. A function z = q(x, y) of second degree
    (constant, x, y, x², xy, y²) is fitted by least squares over the map and subtracted,
    so that the fine structure stays and the curvature of the surface goes. What is left
    has mean 0.

    Parameters
    ----------
    depth : array-like of shape (h, w) or (n, h, w)
        One map or several of one size. A pixel that is NaN was not measured: it has no
        part in the fit.

    Returns
    -------
    residual : ndarray of float64 of the same shape
        NaN where `depth` is. Without it, a map of at most three rows and columns may be
        all zero, as it is a paraboloid itself.

    Raises
    ------
    ValueError
        For other shapes, and values that are no numbers, infinite or beyond 1e100.

    See Also
    --------
    load_dataset : ``"geomat"`` is made so.

    References
    ----------
    Zieliński et al. Persistence Bag-of-Words for Topological Data Analysis. IJCAI 2019.
    Supplement, "Geometry-Informed Material Recognition Dataset (GeoMat)".

    Examples
    --------
    A bowl with a bump of one pixel:

    >>> import numpy as np
    >>> from pbow.datasets import remove_paraboloid
    >>> y, x = np.mgrid[:20, :20]
    >>> bowl = 0.1 * x**2 - 0.2 * x * y + 3
    >>> bump = np.where((x == 7) & (y == 9), 1.0, 0.0)
    >>> left = remove_paraboloid(bowl + bump)
    >>> np.unravel_index(left.argmax(), left.shape) == (9, 7)
    True
    >>> bool(abs(left.mean()) < 1e-9)
    True
    """
    maps = _check_maps(depth)
    terms = _terms(*maps.shape[-2:])
    flat = maps.reshape(len(maps) if maps.ndim == 3 else 1, len(terms))
    residual = np.empty_like(flat)
    missing = np.isnan(flat)
    whole = ~missing.any(axis=1)
    # All whole maps share the grid: one basis projects them all.
    basis = _orthonormal(terms)
    residual[whole] = flat[whole] - (flat[whole] @ basis) @ basis.T
    for row in np.flatnonzero(~whole):
        there = ~missing[row]
        basis = _orthonormal(terms[there])
        values = flat[row, there]
        residual[row, there] = values - basis @ (basis.T @ values)
        residual[row, ~there] = np.nan
    return residual.reshape(maps.shape)


def _check_maps(depth: ArrayLike) -> Floats:
    maps = np.asarray(depth)
    if maps.ndim not in {2, 3} or maps.dtype.kind not in "iuf":
        msg = (
            "Expected depth maps to be numbers of shape (h, w) or (n, h, w); got "
            f"{maps.dtype} of shape {maps.shape}."
        )
        raise ValueError(msg)
    too_large = np.abs(maps) > LARGEST_COORDINATE  # not so where it is NaN
    if too_large.any():
        msg = (
            f"Expected depths of at most {LARGEST_COORDINATE:g}, or NaN where there is "
            f"none; got {maps[too_large][0]}."
        )
        raise ValueError(msg)
    return maps.astype(np.float64)


def _terms(height: int, width: int) -> Floats:
    """Return the six terms of second degree at each pixel; the map is two units wide.

    The paraboloid is the same in any units, and rounding is least in these.
    """
    y, x = np.mgrid[0:height, 0:width].reshape(2, -1).astype(np.float64)
    x = 2.0 * x / max(width - 1, 1) - 1.0
    y = 2.0 * y / max(height - 1, 1) - 1.0
    return np.column_stack((np.ones_like(x), x, y, x * x, x * y, y * y))


def _orthonormal(terms: Floats) -> Floats:
    """Return an orthonormal basis of what the columns span; few pixels span less."""
    if len(terms) == 0:
        return np.empty((0, 0))
    basis, sizes, _ = np.linalg.svd(terms, full_matrices=False)
    kept: Floats = basis[:, sizes > FLAT * sizes[0]]
    return kept
