"""Vertices stand where they are told to, or by the numbers of edges between them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.plotting.test_located import marks, sample

from pbow import PersistenceBoW
from pbow.plotting import plot_word_in_graph

pytest.importorskip("matplotlib.pyplot")

X = sample([[1, 2]], [[[0], [3]]])
BOW = PersistenceBoW(n_words=1).fit(X)


def places(ax):
    return np.asarray(ax.collections[1].get_offsets())


def test_vertices_are_where_they_are_told_to_be_and_marks_with_them():
    positions = np.array([[0, 0], [5, 1], [2, 2], [7, 3]])
    ax = plot_word_in_graph(BOW, ([[0, 1], [2, 3]], 4), X, 0, positions=positions)
    assert_allclose(places(ax), positions)
    births, deaths = marks(ax)
    assert births.get_offsets().tolist() == [[0, 0]]
    assert deaths.get_offsets().tolist() == [[7, 3]]
    assert len(ax.collections[0].get_segments()) == 2


def test_a_path_is_drawn_straight_with_edges_of_one_length():
    n = 9
    edges = np.column_stack((np.arange(n - 1), np.arange(1, n)))
    found = places(plot_word_in_graph(BOW, (edges, n), X, 0))
    steps = np.linalg.norm(np.diff(found, axis=0), axis=1)
    assert_allclose(steps, 1.0, rtol=0.1)
    assert_allclose(np.linalg.norm(found[-1] - found[0]), n - 1, rtol=0.1)


@pytest.mark.parametrize("n_edges", [0, 1])
def test_vertices_without_edges_are_apart(n_edges):
    graph = (np.array([[0, 1]])[:n_edges], 5)
    found = places(plot_word_in_graph(BOW, graph, X, 0))
    distances = np.linalg.norm(found[:, None] - found, axis=2)
    assert distances[~np.eye(5, dtype=bool)].min() > 0.2


def test_an_adjacency_matrix_is_a_graph_and_figures_repeat():
    matrix = 1 - np.eye(5, dtype=int)
    first, second = (places(plot_word_in_graph(BOW, matrix, X, 0)) for _ in range(2))
    assert first.shape == (5, 2)
    assert (first == second).all()


def test_bad_positions_and_large_graphs_are_named():
    graph = ([[0, 1]], 4)
    with pytest.raises(ValueError, match=r"positions to be .* of shape \(4, 2\)"):
        plot_word_in_graph(BOW, graph, X, 0, positions=[[0, 0]])
    with pytest.raises(ValueError, match="Expected positions for a graph of more than"):
        plot_word_in_graph(BOW, ([[0, 1]], 2001), X, 0)
    with pytest.raises(ValueError, match="Graph 0: it is"):
        plot_word_in_graph(BOW, [[0, 1], [1, 2]], X, 0)
