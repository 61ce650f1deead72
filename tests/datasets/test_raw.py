from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from tests.datasets.layouts import graph_arrays, write

from pbow.datasets import raw, read_raw
from pbow.errors import FileFormatError, ParameterError

CLOUD = np.array([[0.0, 1.5, -2.0], [3.0, 4.0, 5.25]])


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def read(name, content, kind):
    """Write a file, and return the samples in it."""
    if name.endswith(".npy"):
        np.save(name, content)
    else:
        Path(name).write_text(content)
    return read_raw(name, kind).samples


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "0,1.5,-2\n3,4,5.25\n"),
        ("a.csv", "x, y, z\n0, 1.5, -2\n\n3, 4, 5.25\n"),
        ("a.txt", "# two points\n0 1.5 -2\n3\t4  5.25 # the last\n"),
        ("a.XYZ", "x y z\r\n0 1.5 -2\r\n3 4 5.25"),
    ],
)
def test_a_cloud_is_one_point_per_line(name, text):
    assert_array_equal(read(name, text, "clouds"), [CLOUD])


def test_an_array_is_one_cloud_or_several():
    np.save("one.npy", CLOUD)
    np.save("two.npy", [CLOUD, CLOUD + 1])
    data = read_raw(["two.npy", Path("one.npy")], "clouds")
    assert_array_equal(data.samples, [CLOUD, CLOUD + 1, CLOUD])
    assert data.names == ["two.npy:0", "two.npy:1", "one.npy"]


@pytest.mark.parametrize("shape", [(3, 4, 5), (3, 2, 4, 5)], ids=["plane", "space"])
def test_an_array_is_a_stack_of_images(shape):
    stack = np.arange(np.prod(shape)).reshape(shape)
    assert_array_equal(read("a.npy", stack, "images"), stack)


PLY = "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\n"
PLY += "property float z\nelement face 0\n"
PLY += "property list uchar int vertex_indices\nend_header\n"


@pytest.mark.parametrize(
    ("kind", "name", "content", "message"),
    [
        ("clouds", "a.csv", "", "a.csv: it has no numbers"),
        ("clouds", "a.csv", "x,y\n", "a.csv: it has no numbers"),
        ("clouds", "a.csv", "x,y\n1,2\n\n3\n", "line 4 is '3'; expected 2 numbers."),
        ("clouds", "a.csv", "# a\n1,2\n3,four\n", "a.csv: line 3 is '3 four'; expect"),
        ("clouds", "a.csv", "1,2\n3,1_0\n", "a.csv: line 2 is '3 1_0'; expected 2 num"),
        ("clouds", "a.csv", "x,y\n1,2\n3,nan\n4,nan", "line 3 has nan; expected numbe"),
        ("clouds", "a.csv", "1,5;2,5\n", "a.csv: it seems to be separated by semicolo"),
        ("clouds", "a.csv", ",x,y\n0,0.5,0.2\n1,0.3,0.1\n", "first column has no n"),
        ("clouds", "a.csv", '# by R\n"","x","y"\n1,0.5,0.2\n', "them, by index=False."),
        ("clouds", "a.npy", np.zeros(5), "of shape (5,); expected (points, coordinate"),
        ("images", "a.npy", np.zeros(5), "of shape (5,); expected (h, w) or (images, "),
        ("graphs", "a.csv", ",a,b\n0,7,3\n", "a column has no name"),
        ("graphs", "a.txt", "", "has no edges"),
        ("graphs", "a.txt", "1 2\n\nanna bob\n", "integers on line 3, got 'anna bob'"),
        ("graphs", "a.csv", "v0,v1\nv1,v2\n", "'v1,v2'. Number the vertices; or read"),
        ("graphs", "a.csv", "0.5,1\n", "two integers on line 1, got '0.5,1'"),
        ("graphs", "a.txt", "1 " + "9" * 400, "two integers on line 1, got '1 9"),
        ("graphs", "a.txt", "1 -2\n", "expected two integers on line 1, got '1 -2'"),
        ("meshes", "a.off", "OFF\n0 0 0\n", "a.off: it has no vertices;"),
        ("meshes", "a.ply", PLY, "a.ply: it has no vertices;"),
        ("meshes", "a.pbow", "", "a.pbow: expected one of the extensions .npz, .off"),
    ],
)
def test_a_file_of_something_else_is_refused(kind, name, content, message):
    with pytest.raises(FileFormatError) as caught:
        read(name, content, kind)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "7 3\n3 12\n",
        "a,b\n7,3\n3,12\n",
        "source,target\n7,3\n3,12\n",
        "# weighted\n7, 3, 0.5\n3, 12, 2\n",
        "source,target\n7.0,3.0\n3.0,12.0\n",
        ",source,target\n0,7,3\n1,3,12\n",
        "id,weight,Source,Target\n0,0.5,7,3\n1,2,3,12\n",
        "edge_id,target_id,source_id\n0,3,7\n1,12,3\n",
        "label\tfrom\tto\na\t7\t3\nb\t3\t12\n",
    ],
)
def test_a_graph_is_one_edge_per_line(text):
    [(edges, n_vertices)] = read("a.txt", text, "graphs")
    assert n_vertices == 3
    assert {tuple(sorted(edge)) for edge in edges.tolist()} == {(0, 1), (0, 2)}


def test_a_vertex_alone_has_a_line_of_its_own():
    [(edges, n_vertices)] = read("a.txt", "1 2\n5\n", "graphs")
    assert (edges.tolist(), n_vertices) == ([[0, 1]], 3)


def test_the_graphs_of_a_data_set_are_read_if_there_are_any(tmp_path):
    arrays = graph_arrays()
    write(tmp_path, "graphs_TINY", arrays)
    graphs = read_raw("graphs_TINY.npz", "graphs").samples
    assert_array_equal([n for _, n in graphs], arrays["num_nodes"])
    empty = {name: array[:0] for name, array in arrays.items()}
    write(tmp_path, "graphs_NONE", empty | {"offsets": arrays["offsets"][:1]})
    with pytest.raises(FileFormatError, match=r"graphs_NONE\.npz: it has no graphs"):
        read_raw("graphs_NONE.npz", "graphs")


def test_files_of_a_folder_come_in_natural_order(tmp_path):
    for name in ("c10.csv", "c2.csv", "c1.txt", ".hidden.csv", "notes.md"):
        (tmp_path / name).touch()
    found = raw.find_raw_files([tmp_path], "clouds")
    assert [file.name for file in found] == ["c1.txt", "c2.csv", "c10.csv"]


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (["a.off", "b.PLY"], "meshes"),
        (["a.png", "b.npy"], "images"),
        (["a.xyz", "b.csv"], "clouds"),
        (["a.npy"], ".npy files may be clouds or images; got None."),
        (["a.txt", "b.csv"], ".csv, .txt files may be clouds or graphs; got None."),
        (["a.off", "b.npy"], "no kind of data has files .npy, .off; got None."),
    ],
)
def test_the_kind_is_inferred_when_unambiguous(tmp_path, names, kind):
    for name in names:
        (tmp_path / name).touch()
    if kind in raw.READERS:
        assert raw.infer_kind([tmp_path]) == kind
        return
    with pytest.raises(ParameterError) as caught:
        read_raw(tmp_path)
    assert caught.value.parameter == "kind"
    assert str(caught.value).endswith(f", as {kind}")


def test_a_file_that_does_not_exist_is_not_blamed_for_its_extension():
    with pytest.raises(FileNotFoundError):
        read_raw("nowhere.pbow", "meshes")


def test_a_folder_without_such_files_is_refused():
    Path("data/rings").mkdir(parents=True)
    Path("data/rings/a.csv").touch()
    expected = "The folder data has no files .npz, .off, .ply, nor have its subfolders."
    with pytest.raises(FileNotFoundError) as caught:
        read_raw("data", "meshes")
    assert str(caught.value) == expected


def test_a_folder_without_files_stands_for_its_subfolders_which_are_labels():
    for name in ("b10/1.csv", "b10/2.csv", "b2/1.csv", ".git/1.csv", "b2/deep/1.csv"):
        Path("data", name).parent.mkdir(parents=True, exist_ok=True)
        np.savetxt(Path("data", name), CLOUD, delimiter=",")
    data = read_raw("data", "clouds")
    assert data.names == ["b2/1.csv", "b10/1.csv", "b10/2.csv"]
    assert read_raw(Path("data").absolute(), "clouds").names == data.names
    assert data.labels == ["b2", "b10", "b10"]
    np.savetxt("data/0.csv", CLOUD, delimiter=",")
    assert read_raw("data", "clouds").names == ["0.csv"]
    assert read_raw("data/b10/*.csv", "clouds").labels == ["b10", "b10"]


IMAGES = np.arange(24.0).reshape(2, 3, 4)
MESHES = {"vertices": np.eye(3), "faces": [[0, 1, 2]]}
STORED = {
    "images": {"images": IMAGES},
    "graphs": graph_arrays(),
    "clouds": {"points": np.arange(15).reshape(5, 3), "offsets": [0, 2, 5]},
    "meshes": {**MESHES, "vertex_offsets": [0, 3], "face_offsets": [0, 1]},
}


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("kind", STORED)
def test_arrays_say_what_is_in_a_file(kind, save):
    save("a.npz", **STORED[kind])
    data = read_raw("a.npz")
    assert raw.infer_kind([Path("a.npz")]) == kind
    expected = {"images": 2, "graphs": len(STORED["graphs"]["num_nodes"]), "clouds": 2}
    assert len(data.samples) == expected.get(kind, 1)


def test_clouds_are_cut_at_their_offsets():
    np.savez("a.npz", **STORED["clouds"])
    points = STORED["clouds"]["points"]
    first, second = read_raw("a.npz", "clouds").samples
    assert_array_equal(first, points[:2])
    assert_array_equal(second, points[2:])


@pytest.mark.parametrize("names", [["disk", "ring"], None])
def test_labels_of_a_file_are_those_of_its_samples(names):
    arrays = {"images": IMAGES, "labels": np.array([1, 0])}
    np.savez("a.npz", **arrays, **({"label_names": names} if names else {}))
    expected = ["ring", "disk"] if names else ["1", "0"]
    assert read_raw("a.npz").labels == expected


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"labels": [0]}, "it has 1 labels for 2 images."),
        ({"labels": [0, 2], "label_names": ["a", "b"]}, "label 1 is 2; expected 0 to"),
        ({"images": IMAGES[0, 0]}, "it is an array of shape (4,); expected (h, w)"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(arrays, message):
    np.savez("a.npz", **({"images": IMAGES} | arrays))
    with pytest.raises(FileFormatError) as caught:
        read_raw("a.npz", "images")
    assert message in str(caught.value)


def test_offsets_that_do_not_fit_are_refused():
    np.savez("a.npz", points=CLOUD, offsets=[0, 5])
    with pytest.raises(FileFormatError, match="do not rise from 0 to 2"):
        read_raw("a.npz", "clouds")


def test_points_in_the_plane_may_be_diagrams():
    np.savez("a.npz", points=CLOUD[:, :2], offsets=[0, 2])
    with pytest.raises(ParameterError, match="clouds in the plane, or diagrams"):
        read_raw("a.npz")
    assert len(read_raw("a.npz", "clouds").samples) == 1


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("7,0,1.5,-2\n9,3,4,5.25\n", [1, 2, 3]),
        ("id,x,y,z\n7,0,1.5,-2\n9,3,4,5.25\n", ["x", "y", "z"]),
        (",x,y,z\n0,0,1.5,-2\n1,3,4,5.25\n", ["x", 2, "z"]),
        ("x y name z\n0 1.5 ada -2\n3 4 bob 5.25\n", ["x", "y", "z"]),
        ("ada,0,1.5,-2\nbob,3,4,5.25\n", [1, 2, 3]),
    ],
)
def test_columns_that_are_coordinates_can_be_chosen(text, columns):
    Path("a.csv").write_text(text)
    assert_array_equal(read_raw("a.csv", "clouds", columns=columns).samples, [CLOUD])


def test_columns_of_arrays_can_be_chosen_by_number():
    numbered = np.c_[[5, 9], CLOUD]
    np.save("a.npy", numbered)
    np.savez("b.npz", clouds=[numbered])
    data = read_raw(["a.npy", "b.npz"], "clouds", columns=[1, 2, 3])
    assert_array_equal(data.samples, [CLOUD, CLOUD])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["xx"], "has no column 'xx' (did you mean 'x'?); it has id, x, y."),
        ([3], "it has no column 3; it has 3, which are counted from 0."),
    ],
)
def test_columns_that_are_not_there_are_named(columns, message):
    Path("a.csv").write_text("id,x,y\n7,0,1.5\n")
    with pytest.raises(FileFormatError) as caught:
        read_raw("a.csv", "clouds", columns=columns)
    assert message in str(caught.value)


def test_columns_that_are_the_ends_of_edges_can_be_chosen():
    Path("a.csv").write_text("graph,a,b,source\n0,7,3,0\n0,3,12,0\n")
    for columns in (["a", "b"], [1, 2]):
        [(edges, n)] = read_raw("a.csv", "graphs", columns=columns).samples
        assert (n, len(np.unique(edges))) == (3, 3)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("id,a,b", "its column 'id' is not the end of an edge"),
        ("a,index,b", "its column 'index' is not the end of an edge"),
        ("graph_id,source,target", "one graph, so save graphs of a table one by one"),
        ("u,v,Sample", r"Choose the two that are, as in --columns u,v \(in Pyt"),
    ],
)
def test_columns_that_are_no_ends_of_edges_are_named(header, message):
    Path("a.csv").write_text(f"{header}\n0,7,3\n")
    with pytest.raises(FileFormatError, match=message):
        read_raw("a.csv", "graphs")


def test_edges_have_two_columns():
    Path("a.txt").write_text("0 1\n")
    with pytest.raises(ParameterError, match="columns to be two, the ends of the ed"):
        read_raw("a.txt", "graphs", columns=[0])


def test_edges_of_an_archive_have_no_columns_to_choose():
    np.savez("a.npz", **graph_arrays())
    with pytest.raises(FileFormatError, match=r"a\.npz: the columns of its edges"):
        read_raw("a.npz", "graphs", columns=[1, 0])


def test_images_have_no_columns():
    with pytest.raises(ParameterError, match="images have no columns"):
        read_raw("a.png", "images", columns=[0])


def test_an_unknown_kind_is_refused_by_the_known_ones():
    with pytest.raises(ParameterError, match="one of 'clouds', 'graphs', 'images', 'm"):
        read_raw("a.csv", "cloud")


def test_a_column_that_counts_the_points_is_warned_of():
    cloud = np.c_[np.arange(1, 5), np.ones((4, 2))]
    np.savetxt("a.csv", cloud, delimiter=",")
    with pytest.warns(UserWarning, match=r"a\.csv counts the points.*columns 1,2 \("):
        assert_array_equal(read_raw("a.csv", "clouds").samples, [cloud])
    assert read_raw("a.csv", "clouds", columns=[1, 2]).samples[0].shape == (4, 2)


def test_names_have_folders_where_they_would_be_ambiguous():
    for folder in ("rings", "eights"):
        Path(folder).mkdir()
        np.save(f"{folder}/1.npy", [CLOUD] * (1 + (folder == "rings")))
    names = ["rings/1.npy:0", "rings/1.npy:1", "eights/1.npy"]
    assert read_raw(["rings", "eights"], "clouds").names == names


@pytest.mark.parametrize("columns", [[], [True, 0], [1, 1], [-1], [0.5], "xy", 1])
def test_columns_are_different_names_or_numbers(columns):
    np.save("a.npy", np.zeros((4, 3)))
    with pytest.raises(ParameterError, match="columns to be a list of different names"):
        read_raw("a.npy", "clouds", columns=columns)


def test_an_archive_without_the_array_of_its_kind_says_what_it_has():
    np.savez("a.npz", X=np.zeros((2, 3, 3)), y=[0, 1])
    with pytest.raises(FileFormatError, match="it has no array images; it has X, y"):
        read_raw("a.npz", "images")
    with pytest.raises(FileFormatError, match="arrays X, y; expected images, points"):
        read_raw("a.npz")


def test_the_repr_is_one_short_line():
    np.save("a.npy", np.zeros((4, 100, 3)))
    found = repr(read_raw("a.npy", "clouds"))
    assert found == "RawData(n_samples=4, n_labels=1)"
