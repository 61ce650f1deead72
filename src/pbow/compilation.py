"""Compile all loops at once, where they would be compiled at their first use."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from pbow import encoding, kernels, vectorizers
from pbow._utils.constraints import OneOf
from pbow._utils.progress import progress_bar
from pbow.compute import kmeans
from pbow.compute.random import draw_bits
from pbow.diagrams import Diagrams
from pbow.distances import wasserstein_distance
from pbow.homology import (
    cubical,
    graph_extended,
    graph_sublevel,
    mesh_geodesic,
    rips,
    sparse_rips,
)

__all__ = ["warm_up"]

# The rarest loops are those of options that are set together; no loop knows three.
TOGETHER = 2


def warm_up(*, progress: bool = False) -> Path:
    """Compile all loops of pbow into the cache on disk.

    Loops are compiled at their first use, which takes seconds, and are loaded from the
    cache from then on. Call this once after an installation: in an image of a
    container, or before many processes start that would each compile on their own.

    Parameters
    ----------
    progress : bool, default=False
        Whether to draw a progress bar on stderr.

    Returns
    -------
    folder : Path
        Where the cache is. Set the variable NUMBA_CACHE_DIR to have it elsewhere.

    Examples
    --------
    >>> import pbow
    >>> folder = pbow.warm_up()
    >>> any(folder.glob("kmeans*.nbi"))
    True
    """
    # Or first calls would still be done without the loops.
    for allowance in (encoding.IN_NUMPY, kmeans.IN_NUMPY):
        allowance.left = 0.0
    steps = list(_steps())
    with progress_bar(show=progress, total=len(steps), unit="steps") as advance:
        for step in steps:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                step()
            advance(1)
    # All loops are in files of one folder, and so are their caches.
    loop: Any = draw_bits
    return Path(loop.stats.cache_path)


def _steps() -> Iterator[Callable[[], Any]]:
    """Yield calls that together need every loop."""
    rng = np.random.default_rng(0)
    X = Diagrams.from_list([*_points(rng, (4, 20)), [[0.0, np.inf]], []], name="H1")
    # More points and words, so that the loops for larger inputs are compiled, too.
    medium, large = (
        Diagrams.from_list(list(_points(rng, (4, size))), name="H1")
        for size in (5_000, 100_000)
    )
    for module in (vectorizers, kernels):
        for name in module.__all__:
            for estimator in _variants(getattr(module, name)):
                yield partial(_use, estimator, X)
    for name in ("PersistenceBoW", "PersistenceVLAD", "StablePersistenceBoW"):
        cls = getattr(vectorizers, name)
        for weight in (None, "ramp"):
            # Words are compared one by one; by a grid; by one of more than 256 words.
            for n_words, some in ((50, medium), (100, large), (300, large)):
                model = cls(n_words, sample_size=500, point_weight=weight)
                yield partial(model.fit_transform, some)
    for order in (2, math.inf):
        for pair in _pairs(rng):
            yield partial(wasserstein_distance, *pair, order, return_matching=True)
    graph, triangle = ([[0, 1]], 2), [[0, 0], [1, 0], [0, 1]]
    yield partial(graph_sublevel, [graph], dims=(0, 1))
    yield partial(graph_extended, [graph])
    yield partial(mesh_geodesic, triangle, [[0, 1, 2]], [0])
    yield partial(_use_gudhi, triangle)


def _points(rng: np.random.Generator, shape: tuple[int, int]) -> Any:
    births = rng.uniform(size=shape)
    return np.stack([births, births + rng.exponential(size=shape)], axis=-1)


def _variants(cls: Any) -> Iterator[Any]:
    """Yield estimators with all choices of two parameters, and with few words."""
    options = [
        (name, value)
        for name, constraint in cls.constraints.items()
        if isinstance(constraint, OneOf)
        for value in constraint.options
    ]
    for chosen in combinations(options, min(TOGETHER, len(options))):
        estimator = cls(**dict(chosen), essential="separate")
        known = estimator.get_params()
        yield estimator.set_params(
            **{k: 3 for k in ("n_words", "n_directions", "n_components") if k in known}
        )


def _use(estimator: Any, X: Diagrams) -> None:
    estimator.fit(X).transform(X)
    estimator.transform(X[:2])
    if hasattr(estimator, "distances"):
        estimator.distances(X)


def _pairs(rng: np.random.Generator) -> Iterator[tuple[Any, Any]]:
    """Yield two diagrams for each way to compare them."""
    near, far = _points(rng, (2, 50))
    near[:, 1] = near[:, 0] + 0.01
    yield near, near + rng.uniform(size=near.shape) * [0.001, 0.002]  # few candidates
    yield far, near  # many
    yield far, far + 1e-9 * rng.uniform(size=far.shape)  # a total next to nothing
    yield [[0.0, 1.0], [0.0, 2.0]], [[0.0, 3.0]]  # on a line
    yield np.repeat(far[:3], 20, axis=0), np.repeat(near[:3], 20, axis=0)  # repeated


def _use_gudhi(cloud: Any) -> None:
    # Without gudhi nobody needs its loops.
    with suppress(ImportError):
        sparse_rips([cloud])
        for dims in (0, 1):
            rips([cloud], dims, return_locations=True)
        # These end in bits that are set, far from each other: see distinct_keys.
        image = [[-0.1, 0.3]]
        cubical([image, [image]], return_locations=True)
