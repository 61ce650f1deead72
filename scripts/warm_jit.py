"""Compile the usual loops into Numba's cache, so that test workers need not."""

import warnings
from itertools import combinations

import numpy as np

from pbow import Diagrams, kernels, vectorizers
from pbow._utils.constraints import OneOf
from pbow.homology import graph_extended, graph_sublevel, mesh_geodesic, sparse_rips

# The rarest loops are those of options that are set together; no loop knows three.
TOGETHER = 2


def variants(cls):
    """Give an estimator for all choices of two parameters."""
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


rng = np.random.default_rng(0)
births = rng.uniform(size=(4, 20))
points = np.stack([births, births + rng.exponential(size=births.shape)], axis=-1)
X = Diagrams.from_list([*points, [[0.0, np.inf]], []], name="H1")
# Many points and words, so that the loops for large inputs are compiled, too.
births = rng.uniform(size=(4, 100_000))
many = np.stack([births, births + rng.exponential(size=births.shape)], axis=-1)
large = Diagrams.from_list(list(many), name="H1")

for module in (vectorizers, kernels):
    for name in module.__all__:
        for estimator in variants(getattr(module, name)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                estimator.fit(X).transform(X)
                estimator.transform(X[:2])
        if module is kernels:
            estimator.distances(X)
kernels.WassersteinKernel(order=np.inf).fit(X).distances(X)
for cls in (vectorizers.PersistenceBoW, vectorizers.StablePersistenceBoW):
    cls(n_words=100, sample_size=500).fit(large).transform(large)

edge = [([[0, 1]], 2)]
graph_sublevel(edge, dims=(0, 1))
graph_extended(edge)
triangle = [[0, 0], [1, 0], [0, 1]]
mesh_geodesic(triangle, [[0, 1, 2]], [0])
sparse_rips([triangle])
