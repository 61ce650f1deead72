"""Diagrams as those of rough surfaces: as many as needed, with many points each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from pbow._utils.checks import is_integer
from pbow.diagrams import Diagrams

__all__ = ["diagrams_like_surfaces"]

# Noise makes many short bars, relief a few long ones.
MEAN_OF_NOISE = 0.05
MEAN_OF_RELIEF = 0.5
# Fraction of the bars that are relief, of smooth and of rough surfaces.
RELIEF = (0.037, 0.063)


def diagrams_like_surfaces(
    n_diagrams: int = 1000, n_points: int = 600, random_state: Any = 0
) -> tuple[Diagrams, NDArray[np.int64]]:
    """Draw diagrams like those of depth maps of rough surfaces, with two labels.

    They stand in for PetroSurf3D where time is measured and not accuracy: generated, of
    any number, and as dense near the diagonal. Births are Gaussian. The persistence of
    most points is exponential with mean 0.05; that of the others is ten times as large.
    These are 3.7 % of the points of smooth surfaces and 6.3 % of rough ones. Numbers of
    points are Poisson, so that single diagrams of both labels overlap.

    Parameters
    ----------
    n_diagrams : int, default=1000
        Number of diagrams; the labels alternate.
    n_points : int, default=600
        Mean number of points of a diagram.
    random_state : int, RandomState instance or None, default=0
        Seeds everything. With an int, the first diagrams are the same whatever
        `n_diagrams` is, and with any version of numpy.

    Returns
    -------
    X : Diagrams
        Of one part, ``"H1"``.
    labels : ndarray of shape (n_diagrams,)
        0 is smooth, 1 is rough.

    Raises
    ------
    ValueError
        Where a count is not a whole number of at least 1.

    Examples
    --------
    >>> from pbow.experiment.surfaces import diagrams_like_surfaces
    >>> X, labels = diagrams_like_surfaces(n_diagrams=4, n_points=50)
    >>> X
    Diagrams(n_samples=4, H1: 209 points)
    >>> labels
    array([0, 1, 0, 1])
    """
    for name, count in (("n_diagrams", n_diagrams), ("n_points", n_points)):
        if not is_integer(count, 1):
            msg = f"Expected {name} to be an int >= 1; got {count!r}."
            raise ValueError(msg)
    # Sizes have a generator of their own: the number of diagrams moves no point. The
    # stream of a RandomState is the same in all versions of numpy.
    of_sizes, of_points = check_random_state(random_state).randint(2**31 - 1, size=2)
    sizes = RandomState(of_sizes).poisson(n_points, size=n_diagrams)
    offsets = np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))
    labels = np.arange(n_diagrams, dtype=np.int64) % len(RELIEF)
    points = np.empty((offsets[-1], 2))
    rng = RandomState(of_points)
    # One by one: millions of points need no memory beside their own.
    for label, start, stop in zip(labels, offsets[:-1], offsets[1:], strict=True):
        births = rng.normal(size=stop - start)
        is_relief = rng.uniform(size=len(births)) < RELIEF[label]
        means = np.where(is_relief, MEAN_OF_RELIEF, MEAN_OF_NOISE)
        points[start:stop, 0] = births
        points[start:stop, 1] = births + means * rng.exponential(size=len(births))
    return Diagrams(points, offsets, name="H1"), labels
