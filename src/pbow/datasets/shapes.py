"""Six noisy shapes in space, the synthetic data of the paper."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from pbow._utils.checks import is_finite_number, is_integer
from pbow.errors import ParameterError

__all__ = ["SHAPE_NAMES", "make_shapes"]

Floats = NDArray[np.float64]

# Shapes lie about the middle of the unit cube.
CENTER = 0.5
RADIUS = 0.5
TUBE_RADIUS = 0.25
# Less, and noise of 0.1 hides that a cluster has clusters.
MINOR_SPREAD = 0.1


def make_shapes(
    n_per_class: int = 50,
    n_points: int = 500,
    noise: float = 0.1,
    random_state: Any = None,
) -> tuple[Floats, NDArray[np.int64]]:
    """Draw noisy point clouds of six shapes: the paper's synthetic data set.

    The labels, in the order of :data:`SHAPE_NAMES`: the solid unit cube; a circle of
    diameter one; a sphere of diameter one; three clusters, their centers uniform in the
    unit cube; three clusters of three clusters each, the minor centers Gaussian about
    the major ones with standard deviation 0.1; a torus with major diameter one and
    minor diameter one half. Points are uniform on the curve, surface or solid, and
    equally likely to be in each cluster; then every point moves by Gaussian noise.

    Parameters
    ----------
    n_per_class : int, default=50
        Number of clouds of each shape.
    n_points : int, default=500
        Number of points of each cloud.
    noise : float, default=0.1
        Standard deviation of the noise in each of the three coordinates. It is what
        spreads the points of a cluster about its center, too.
    random_state : int, RandomState instance or None, default=None
        Seeds everything. With an int, the first clouds of each label are the same
        for any `n_per_class`.

    Returns
    -------
    clouds : ndarray of shape (6 * n_per_class, n_points, 3)
        Label after label.
    labels : ndarray of shape (6 * n_per_class,)
        Label of each cloud: its index in :data:`SHAPE_NAMES`.

    See Also
    --------
    pbow.homology.rips : Persistence diagrams of the clouds.

    Notes
    -----
    This is the text of the paper. The diagrams that its authors and Adams et al. have
    published differ from it: there the cube and the clusters have no noise, points lie
    0.05 and in minor clusters 0.02 about their centers, and noise stays in the plane of
    the circle.

    References
    ----------
    Zieliński, Lipiński, Juda, Zeppelzauer, Dłotko. Persistence Bag-of-Words for
    Topological Data Analysis. IJCAI 2019. Supplement, "Synthetic Dataset".

    Adams et al. Persistence Images: A Stable Vector Representation of Persistent
    Homology. JMLR 18, 2017. Section 6.1.

    Examples
    --------
    >>> from pbow.datasets import SHAPE_NAMES, make_shapes
    >>> clouds, labels = make_shapes(n_per_class=2, n_points=100, random_state=0)
    >>> clouds.shape
    (12, 100, 3)
    >>> [SHAPE_NAMES[label] for label in labels[:4]]
    ['cube', 'cube', 'circle', 'circle']
    """
    for name, count in (("n_per_class", n_per_class), ("n_points", n_points)):
        if not is_integer(count, 1):
            raise ParameterError(name, "an int >= 1", count)
    if not is_finite_number(noise) or noise < 0:
        raise ParameterError("noise", "a number >= 0", noise)
    seeds = check_random_state(random_state).randint(2**31 - 1, size=len(SHAPES))
    clouds = np.empty((len(SHAPES), n_per_class, n_points, 3))
    # Each shape has its own generator: the number of clouds before it does not matter.
    for block, draw, seed in zip(clouds, SHAPES.values(), seeds, strict=True):
        rng = RandomState(seed)
        for cloud in block:
            cloud[:] = draw(rng, n_points) + noise * rng.standard_normal((n_points, 3))
    labels = np.repeat(np.arange(len(SHAPES), dtype=np.int64), n_per_class)
    return clouds.reshape(-1, n_points, 3), labels


def _cube(rng: RandomState, n: int) -> Floats:
    return rng.uniform(size=(n, 3))


def _circle(rng: RandomState, n: int) -> Floats:
    angles = rng.uniform(0.0, 2.0 * np.pi, size=n)
    flat = np.column_stack((np.cos(angles), np.sin(angles), np.zeros(n)))
    return CENTER + RADIUS * flat


def _sphere(rng: RandomState, n: int) -> Floats:
    directions = rng.standard_normal((n, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return CENTER + RADIUS * directions


def _clusters(rng: RandomState, n: int) -> Floats:
    centers = rng.uniform(size=(3, 3))
    return centers[rng.randint(3, size=n)]


def _clusters_of_clusters(rng: RandomState, n: int) -> Floats:
    centers = np.repeat(rng.uniform(size=(3, 3)), 3, axis=0)
    centers += MINOR_SPREAD * rng.standard_normal((9, 3))
    return centers[rng.randint(9, size=n)]


def _torus(rng: RandomState, n: int) -> Floats:
    around = rng.uniform(0.0, 2.0 * np.pi, size=n)
    tube = _tube_angles(rng, n)
    from_axis = RADIUS + TUBE_RADIUS * np.cos(tube)
    return CENTER + np.column_stack(
        (
            from_axis * np.cos(around),
            from_axis * np.sin(around),
            TUBE_RADIUS * np.sin(tube),
        )
    )


def _tube_angles(rng: RandomState, n: int) -> Floats:
    """Draw angles about the tube by rejection: there is more area on its outside."""
    angles = np.empty(0)
    while len(angles) < n:
        proposed = rng.uniform(0.0, 2.0 * np.pi, size=2 * n)
        from_axis = RADIUS + TUBE_RADIUS * np.cos(proposed)
        accepted = rng.uniform(0.0, RADIUS + TUBE_RADIUS, size=2 * n) < from_axis
        angles = np.concatenate((angles, proposed[accepted]))
    return angles[:n]


SHAPES = {
    "cube": _cube,
    "circle": _circle,
    "sphere": _sphere,
    "clusters": _clusters,
    "clusters of clusters": _clusters_of_clusters,
    "torus": _torus,
}

SHAPE_NAMES: tuple[str, ...] = tuple(SHAPES)
"""Names of the six labels of :func:`make_shapes`."""
