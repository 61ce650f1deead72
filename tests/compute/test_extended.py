from itertools import combinations, pairwise

import numpy as np
import pytest

from pbow.homology import graph_extended


def rank_of(rows):
    """Rank of a list of sets over Z/2, each a row of ones."""
    pivots = {}
    for row in rows:
        left = set(row)
        while left and max(left) in pivots:
            left ^= pivots[max(left)]
        if left:
            pivots[max(left)] = left
    return len(pivots)


def cycles_within(edges, kept):
    """All cycles of a graph that use only some edges, by brute force."""
    cycles = []
    for n in range(3, len(kept) + 1):
        for chosen in combinations(kept, n):
            ends = [end for e in chosen for end in edges[e]]
            if all(ends.count(end) % 2 == 0 for end in ends):
                cycles.append(set(chosen))
    return cycles


def loops_by_definition(edges, values):
    """Count classes of cycles below b and above a by ranks, then take differences.

    The number of pairs with max <= b and min >= a is the dimension of the cycles that
    are in both the sublevel set of b and the superlevel set of a.
    """
    levels = sorted(set(values))

    def n_pairs(a, b):
        kept = [
            e
            for e, (u, v) in enumerate(edges)
            if a <= min(values[u], values[v]) and max(values[u], values[v]) <= b
        ]
        return rank_of(cycles_within(edges, kept))

    above = dict(pairwise(levels))
    below = {b: a for a, b in above.items()}
    points = []
    for a, b in combinations(levels, 2):
        count = n_pairs(a, b) - n_pairs(above[a], b)
        count -= n_pairs(a, below[b]) - (
            n_pairs(above[a], below[b]) if above[a] <= below[b] else 0
        )
        points += [[a, b]] * count
    return sorted(points)


@pytest.mark.parametrize("seed", range(8))
def test_loops_match_the_definition(seed):
    rng = np.random.default_rng(seed)
    edges = list(combinations(range(6), 2))
    edges = [edges[e] for e in sorted(rng.choice(len(edges), 10, replace=False))]
    values = rng.integers(0, 4 if seed % 2 else 100, size=6).astype(float).tolist()
    X = graph_extended([(edges, 6)], [values])
    assert sorted(X["Ext1"][0].tolist()) == loops_by_definition(edges, values)


def test_every_edge_beyond_a_forest_is_in_a_pair(rng):
    edges = np.array(list(combinations(range(30), 2)))
    edges = edges[rng.uniform(size=len(edges)) < 0.3]
    X = graph_extended([(edges, 30)], [rng.permutation(30)])
    n_components = len(X["Ext0"][0])
    assert len(X["Ext1"][0]) == len(edges) - 30 + n_components


def test_the_order_of_edges_does_not_matter(rng):
    edges = rng.integers(0, 40, size=(120, 2))
    values = rng.integers(0, 6, size=40)
    mixed = rng.permutation(edges[:, ::-1])
    X = graph_extended([(edges, 40), (mixed, 40)], [values, values])
    for part in X.parts:
        assert sorted(X[part][0].tolist()) == sorted(X[part][1].tolist())
