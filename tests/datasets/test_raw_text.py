import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow.datasets.raw_text import read_edges, read_points
from pbow.errors import FileFormatError


def test_a_first_line_without_numbers_has_the_names_of_columns(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text('"x","y"\n1,2\n')
    assert_array_equal(read_points(file, None), [[1, 2]])
    assert_array_equal(read_points(file, ["y"]), [[2]])


def test_a_line_with_a_name_and_numbers_is_a_point_and_not_dropped(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("ada,1,2\nbob,3,4\n")
    with pytest.raises(FileFormatError, match="line 1 is 'ada 1 2'"):
        read_points(file, None)


def test_a_line_with_too_few_columns_is_named(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("1,2,3\n4,5\n")
    with pytest.raises(FileFormatError, match="line 2 has 2 columns, and not 3"):
        read_points(file, [1, 2])


def test_what_networkx_writes_is_a_list_of_edges(tmp_path):
    nx = pytest.importorskip("networkx")
    graph = nx.cycle_graph(4)
    nx.set_edge_attributes(graph, 2.5, "weight")
    nx.write_edgelist(graph, tmp_path / "a.txt")
    edges, n_vertices = read_edges(tmp_path / "a.txt")
    assert n_vertices == 4
    assert {frozenset(e) for e in edges.tolist()} == set(map(frozenset, graph.edges))
    assert np.issubdtype(edges.dtype, np.integer)


def test_a_column_that_is_no_coordinate_is_named(tmp_path):
    path = tmp_path / "all.csv"
    path.write_text("x,y,Sample\n0,1,0\n2,3,1\n")
    message = r"column 'Sample' does not look like a coordinate.* --columns x,y \("
    with pytest.raises(FileFormatError, match=message):
        read_points(path, None)
    assert read_points(path, ["x", "y"]).tolist() == [[0.0, 1.0], [2.0, 3.0]]
