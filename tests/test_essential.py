"""From raw data with essential classes to features, by each of the three strategies.

A cloud has one essential component; a graph one per component, and all of its loops.
"""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow import Diagrams, PersistenceBoW, StablePersistenceBoW
from pbow.homology import graph_extended, graph_sublevel, rips

each_class = pytest.mark.parametrize("cls", [PersistenceBoW, StablePersistenceBoW])
each_strategy = pytest.mark.parametrize("essential", ["drop", 1e3, "separate"])


@pytest.fixture
def graphs(rng):
    """Graphs of several components, many of them with loops, and one without edges."""
    made = [(np.empty((0, 2), int), 3)]
    for _ in range(12):
        n = int(rng.integers(10, 40))
        made.append((rng.integers(0, n, size=(n, 2)), n))
    return made


@pytest.fixture
def of_graphs(graphs):
    return graph_sublevel(graphs, dims=(0, 1))


@pytest.fixture
def of_clouds(rng):
    pytest.importorskip("gudhi", reason="needs the extra homology")
    clouds = [rng.normal(size=(int(n), 2)) for n in rng.integers(5, 30, size=10)]
    return rips(clouds, dims=(0, 1))


def n_essential(X: Diagrams, part: str) -> np.ndarray:
    return X[part].essential().sizes


def test_a_cloud_has_one_essential_component_and_graphs_have_many(
    of_clouds, of_graphs, graphs
):
    assert_array_equal(n_essential(of_clouds, "H0"), 1)
    assert not n_essential(of_clouds, "H1").any()
    # Vertices less edges are components less loops: Euler's formula.
    euler = []
    for edges, n in graphs:
        proper = np.sort(edges[edges[:, 0] != edges[:, 1]], axis=1)
        euler.append(n - len(np.unique(proper, axis=0)))
    components, loops = n_essential(of_graphs, "H0"), n_essential(of_graphs, "H1")
    assert_array_equal(components - loops, euler)
    assert components.max() > 1
    assert loops.max() > 1


@each_class
@each_strategy
def test_features_of_clouds_and_graphs_are_finite(cls, essential, of_clouds, of_graphs):
    for X in (of_clouds, of_graphs["H0"]):
        model = cls(3, essential=essential, normalize=None, random_state=0)
        H = model.fit_transform(X)
        assert np.isfinite(H).all()
        # Dropped, nothing is left of three vertices without an edge.
        assert H.any(axis=1).sum() >= len(X) - (essential == "drop")
        assert H.shape == (len(X), len(model.get_feature_names_out()))


@each_class
def test_words_of_their_own_see_every_essential_point(cls, of_graphs):
    model = cls(3, essential="separate", normalize=None, random_state=0)
    # Loops are essential.
    with pytest.warns(UserWarning, match="H1 has no .* add features, as H1_inf"):
        H = model.fit_transform(of_graphs)
    names = model.get_feature_names_out()
    for part in ("H0", "H1"):
        columns = [name.startswith(f"{part.lower()}_inf") for name in names]
        assert any(columns)
        if cls is PersistenceBoW:
            counted = H[:, columns].sum(axis=1)
            assert_array_equal(counted, n_essential(of_graphs, part))


@each_class
def test_extended_persistence_leaves_nothing_essential(cls, graphs):
    X = graph_extended(graphs)
    assert not X.has_essential
    with_points = X[[part for part in X.parts if len(X[part].points)]]
    H = cls(2, random_state=0).fit_transform(with_points)
    assert np.isfinite(H).all()
