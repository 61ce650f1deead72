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
        ("graphs", "a.csv", ",source,target\n0,7,3\n", "first column has no name"),
        ("graphs", "a.txt", "", "has no edges"),
        ("graphs", "a.txt", "1 2\n\nanna bob\n", "integers on line 3, got 'anna bob'"),
        ("graphs", "a.txt", "1 " + "9" * 400, "two integers on line 1, got '1 9"),
        ("graphs", "a.txt", "1 -2\n", "expected two integers on line 1, got '1 -2'"),
        ("meshes", "a.off", "OFF\n0 0 0\n", "a.off: it has no vertices;"),
        ("meshes", "a.ply", PLY, "a.ply: it has no vertices;"),
        ("meshes", "a.pbow", "", "a.pbow: expected one of the extensions .off, .ply."),
    ],
)
def test_a_file_of_something_else_is_refused(kind, name, content, message):
    with pytest.raises(FileFormatError) as caught:
        read(name, content, kind)
    assert message in str(caught.value)


@pytest.mark.parametrize("mode", ["1", "L", "I;16", "F", "RGB", "RGBA", "P", "LA"])
def test_an_image_file_is_gray_by_the_mean_of_its_colors(mode):
    Image = pytest.importorskip("PIL.Image")
    levels = np.array([[0, 255, 0], [255, 0, 255]], dtype=np.uint8)
    picture = Image.fromarray(levels)
    if mode == "I;16":
        picture = Image.fromarray(levels.astype(np.uint16) * 257)
    else:
        picture = picture.convert(mode)
    name = "a.tif" if mode == "F" else "a.png"
    picture.save(name)
    [gray] = read_raw(name, "images").samples
    assert_array_equal(gray / gray.max(), levels / 255)


def test_colors_count_alike():
    Image = pytest.importorskip("PIL.Image")
    Image.new("RGB", (2, 2), (30, 60, 0)).save("a.png")
    assert_array_equal(read_raw("a.png", "images").samples, np.full((1, 2, 2), 30.0))


def test_a_damaged_image_is_named():
    pytest.importorskip("PIL.Image")
    with pytest.raises(FileFormatError, match=r"a\.png: it is damaged, or not"):
        read("a.png", "PNG, no more", "images")


@pytest.mark.parametrize(
    "text",
    ["7 3\n3 12\n", "source,target\n7,3\n3,12\n", "# weighted\n7, 3, 0.5\n3, 12, 2\n"],
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
        (["graphs_a.npz"], "graphs"),
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


def test_a_folder_without_such_files_is_refused_and_its_subfolders_are_named():
    Path("data").mkdir()
    message = "The folder data has no files .off, .ply."
    advice = " Pass its subfolders, as in data/eights data/rings."
    for expected in (message, message + advice):
        with pytest.raises(FileNotFoundError) as caught:
            read_raw("data", "meshes")
        assert str(caught.value) == expected
        for name in ("rings", "eights", ".git"):
            Path("data", name).mkdir(exist_ok=True)


def test_names_have_folders_where_they_would_be_ambiguous():
    for folder in ("rings", "eights"):
        Path(folder).mkdir()
        np.save(f"{folder}/1.npy", [CLOUD] * (1 + (folder == "rings")))
    names = ["rings/1.npy:0", "rings/1.npy:1", "eights/1.npy"]
    assert read_raw(["rings", "eights"], "clouds").names == names
