import numpy as np
import pytest

from pbow.compute.spanning_tree import spanning_tree


def by_kruskal(distances, limit):
    """Return the edges of the minimum tree, and their lengths, by the textbook."""
    n = len(distances)
    edges = [(distances[j, i], j, i) for j in range(n) for i in range(j)]
    component = list(range(n))
    found = []
    for length, j, i in sorted(edges):
        if length <= limit and component[i] != component[j]:
            old, new = component[j], component[i]
            component = [new if c == old else c for c in component]
            found.append((i, j, length))
    return sorted(found)


@pytest.mark.parametrize("n", [0, 1, 2, 9, 20])
@pytest.mark.parametrize("n_values", [1, 3, 1000])
@pytest.mark.parametrize("limit", [0.4, 9.0])
def test_edges_are_those_of_kruskal_also_of_equal_lengths(n, n_values, limit, rng):
    distances = np.tril(rng.integers(0, n_values, size=(n, n)) / n_values, k=-1)
    distances[rng.random((n, n)) < 0.3] = np.inf
    distances = np.tril(distances, k=-1)
    distances = distances + distances.T
    distances[np.isnan(distances)] = np.inf
    np.fill_diagonal(distances, 0.0)
    ends, lengths = spanning_tree(distances, limit)
    found = sorted((*pair, x) for pair, x in zip(ends.tolist(), lengths, strict=True))
    assert found == by_kruskal(distances, limit)


def test_of_edges_with_one_larger_end_the_one_with_the_smaller_end_comes_first(rng):
    for _ in range(30):
        distances = np.triu(rng.integers(1, 3, size=(7, 7)).astype(float), k=1)
        distances += distances.T
        ends, lengths = spanning_tree(distances, 9.0)
        found = zip(ends.tolist(), lengths, strict=True)
        expected = by_kruskal(distances, 9.0)
        assert sorted((*pair, x) for pair, x in found) == expected
