"""Compile the usual loops into Numba's cache, so that test workers need not."""

from itertools import product

import numpy as np

from pbow import Diagrams, PersistenceBoW, StablePersistenceBoW
from pbow.homology import graph_extended, graph_sublevel, mesh_geodesic, sparse_rips
from pbow.kernels import (
    LandscapeKernel,
    MultiScaleKernel,
    SlicedWassersteinKernel,
    WassersteinKernel,
)
from pbow.vectorizers import (
    PersistenceImage,
    PersistenceLandscape,
    PersistenceStatistics,
    RiemannianHeatMap,
)

# Many points and words, so that the loops for large inputs are compiled too.
rng = np.random.default_rng(0)
births = rng.uniform(size=(4, 100_000))
deaths = births + rng.exponential(size=births.shape)
X = Diagrams.from_list(list(np.stack([births, deaths], axis=-1)), name="H1")

hard = [
    PersistenceBoW(n_words=100, weighting=weighting, sample_size=500, random_state=0)
    for weighting in ("uniform", "ramp")
]
soft = [
    StablePersistenceBoW(
        n_words=4,
        covariance=covariance,
        scale=scale,
        dtype=dtype,
        sample_size=500,
        random_state=0,
    )
    for covariance, scale, dtype in product(
        ("diag", "full"), ("density", "peak", "posterior"), ("float64", "float32")
    )
]
for vectorizer in (*hard, *soft):
    vectorizer.fit(X).transform(X)
    vectorizer.transform(X[:1])

for approach in (
    PersistenceImage(essential="separate"),
    PersistenceLandscape(),
    RiemannianHeatMap(),
    PersistenceStatistics(essential="separate"),
    WassersteinKernel(),
    WassersteinKernel(order=np.inf),
    MultiScaleKernel(),
    SlicedWassersteinKernel(n_directions=2),
    LandscapeKernel(),
):
    few = [X[i][:20] for i in range(4)]
    approach.fit([*few, [[0.0, np.inf]]]).transform(few)
    if isinstance(approach, LandscapeKernel):
        approach.distances(few)

edge = [([[0, 1]], 2)]
graph_sublevel(edge, dims=(0, 1))
graph_extended(edge)
triangle = [[0, 0], [1, 0], [0, 1]]
mesh_geodesic(triangle, [[0, 1, 2]], [0])
sparse_rips([triangle])
