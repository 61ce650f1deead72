from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from tests.datasets.layouts import graph_arrays, write

from pbow.cli import raw

CLOUD = np.array([[0.0, 1.5, -2.0], [3.0, 4.0, 5.25]])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "0,1.5,-2\n3,4,5.25\n"),
        ("a.csv", "x, y, z\n0, 1.5, -2\n\n3, 4, 5.25\n"),
        ("a.txt", "# two points\n0 1.5 -2\n3\t4  5.25 # the last\n"),
        ("a.XYZ", "x y z\r\n0 1.5 -2\r\n3 4 5.25"),
    ],
)
def test_a_cloud_is_a_point_a_line(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    [cloud] = raw.read_clouds(tmp_path / name)
    assert_array_equal(cloud, CLOUD)


def test_an_array_is_one_cloud_or_several(tmp_path):
    np.save(tmp_path / "one.npy", CLOUD)
    np.save(tmp_path / "two.npy", [CLOUD, CLOUD + 1])
    files = [tmp_path / "two.npy", tmp_path / "one.npy"]
    clouds, origins = raw.read_all(raw.read_clouds, files)
    assert_array_equal(clouds, [CLOUD, CLOUD + 1, CLOUD])
    assert origins == [files[0], files[0], files[1]]
    assert raw.sample_names(origins) == ["two.npy:0", "two.npy:1", "one.npy"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a.csv has no numbers"),
        ("x,y\n", "a.csv has no numbers"),
        ("x,y\n1,2\n\n3\n", r"a.csv: columns change from 2 on line 2 to 1 on line 4\."),
        ("# a\n1,2\n3,four\n", r"a.csv: line 3 has 'four', which is no number\."),
        ("1,2\n3,1_0\n", "a.csv: it has what is no number"),
        ("x,y\n1,2\n3,nan\n4,nan", "a.csv: line 3 has nan; expected numbers alone"),
        ("1,5;2,5\n", "a.csv: it seems to be separated by semicolons"),
        ("x;y\n1;2\n", "a.csv: it seems to be separated by semicolons"),
    ],
    ids=["empty", "names", "one less", "word", "_", "nan", "commas", "semicolons"],
)
def test_a_text_that_is_no_cloud_is_refused(tmp_path, monkeypatch, text, message):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text(text)
    with pytest.raises(ValueError, match=message):
        raw.read_clouds(Path("a.csv"))


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (raw.read_clouds, ",x,y\n0,0.5,0.2\n1,0.3,0.1\n"),
        (raw.read_clouds, '# by R\n"","x","y"\n1,0.5,0.2\n'),
        (raw.read_graphs, ",source,target\n0,7,3\n"),
    ],
)
def test_the_numbers_of_rows_are_no_data(tmp_path, read, text):
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(
        ValueError, match=r"column of .*a\.csv has no name.*index=False"
    ):
        read(tmp_path / "a.csv")


def test_an_array_of_another_shape_is_refused(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros(5))
    with pytest.raises(ValueError, match=r"of shape \(5,\); expected \(points, coord"):
        raw.read_clouds(tmp_path / "a.npy")
    with pytest.raises(ValueError, match=r"of shape \(5,\); expected \(h, w\) or"):
        raw.read_images(tmp_path / "a.npy")


@pytest.mark.parametrize("shape", [(3, 4, 5), (3, 2, 4, 5)], ids=["plane", "space"])
def test_an_array_is_a_stack_of_images(tmp_path, shape):
    stack = np.arange(np.prod(shape)).reshape(shape)
    np.save(tmp_path / "a.npy", stack)
    assert_array_equal(raw.read_images(tmp_path / "a.npy"), stack)


@pytest.mark.parametrize("mode", ["1", "L", "I;16", "F", "RGB", "RGBA", "P", "LA"])
def test_a_picture_is_grey_by_the_mean_of_its_colours(tmp_path, mode):
    Image = pytest.importorskip("PIL.Image")
    levels = np.array([[0, 255, 0], [255, 0, 255]], dtype=np.uint8)
    picture = Image.fromarray(levels)
    if mode == "I;16":
        picture = Image.fromarray(levels.astype(np.uint16) * 257)
    else:
        picture = picture.convert(mode)
    path = tmp_path / ("a.tif" if mode == "F" else "a.png")
    picture.save(path)
    [grey] = raw.read_images(path)
    assert_array_equal(grey / grey.max(), levels / 255)


def test_colours_count_alike(tmp_path):
    Image = pytest.importorskip("PIL.Image")
    Image.new("RGB", (2, 2), (30, 60, 0)).save(tmp_path / "a.png")
    assert_array_equal(raw.read_images(tmp_path / "a.png")[0], np.full((2, 2), 30.0))


def test_a_damaged_picture_is_named(tmp_path):
    pytest.importorskip("PIL.Image")
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n no more")
    with pytest.raises(ValueError, match=r"a\.png: it is damaged, or no picture"):
        raw.read_images(tmp_path / "a.png")


@pytest.mark.parametrize(
    "text",
    ["7 3\n3 12\n", "source,target\n7,3\n3,12\n", "# weighted\n7, 3, 0.5\n3, 12, 2\n"],
)
def test_a_graph_is_an_edge_a_line(tmp_path, text):
    (tmp_path / "a.txt").write_text(text)
    edges, n_vertices = raw.read_graphs(tmp_path / "a.txt")[0]
    assert n_vertices == 3
    assert {frozenset(edge) for edge in edges.tolist()} == {
        frozenset((0, 1)),
        frozenset((0, 2)),
    }


def test_a_vertex_alone_has_a_line_of_its_own(tmp_path):
    (tmp_path / "a.txt").write_text("1 2\n5\n")
    edges, n_vertices = raw.read_graphs(tmp_path / "a.txt")[0]
    assert (edges.tolist(), n_vertices) == ([[0, 1]], 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no edges"),
        ("1 2\n\nanna bob\n", "two whole numbers on line 3, got 'anna bob'"),
        ("1 -2\n", "expected two whole numbers on line 1, got '1 -2'"),
    ],
)
def test_a_text_that_is_no_graph_is_refused(tmp_path, text, message):
    (tmp_path / "a.txt").write_text(text)
    with pytest.raises(ValueError, match=message):
        raw.read_graphs(tmp_path / "a.txt")


def test_the_graphs_of_a_data_set_are_read(tmp_path):
    write(tmp_path, "graphs_TINY", graph_arrays())
    arrays = graph_arrays()
    graphs = raw.read_graphs(tmp_path / "graphs_TINY.npz")
    assert_array_equal([n for _, n in graphs], arrays["num_nodes"])


def test_data_without_a_graph_are_refused(tmp_path):
    arrays = graph_arrays()
    empty = {name: array[:0] for name, array in arrays.items()}
    write(tmp_path, "graphs_NONE", empty | {"offsets": arrays["offsets"][:1]})
    with pytest.raises(ValueError, match=r"graphs_NONE\.npz has no graphs; expected"):
        raw.read_graphs(tmp_path / "graphs_NONE.npz")


PLY = "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\n"
PLY += "property float z\nelement face 0\n"
PLY += "property list uchar int vertex_indices\nend_header\n"


@pytest.mark.parametrize(("name", "text"), [("a.off", "OFF\n0 0 0\n"), ("a.ply", PLY)])
def test_a_mesh_without_vertices_is_refused(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=rf"{name} has no vertices; expected a mesh"):
        raw.read_meshes(tmp_path / name)


def test_files_of_a_folder_come_in_natural_order(tmp_path):
    for name in ("c10.csv", "c2.csv", "c1.txt", ".hidden.csv", "notes.md"):
        (tmp_path / name).touch()
    found = raw.find_files([tmp_path], raw.KINDS["clouds"])
    assert [file.name for file in found] == ["c1.txt", "c2.csv", "c10.csv"]


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (["a.off", "b.PLY"], "meshes"),
        (["a.png", "b.npy"], "images"),
        (["a.xyz", "b.csv"], "clouds"),
        (["graphs_a.npz"], "graphs"),
    ],
)
def test_the_kind_is_told_by_names_that_fit_one_alone(tmp_path, names, kind):
    for name in names:
        (tmp_path / name).touch()
    assert raw.guess_kind([tmp_path]) == kind


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a.npy"], "Files .npy may be clouds or images. Say by --kind"),
        (["a.txt", "b.csv"], "Files .csv, .txt may be clouds or graphs. Say by --kind"),
        (["a.off", "b.npy"], "Files .npy, .off are not of one kind. Say by --kind"),
    ],
)
def test_where_several_kinds_fit_it_is_asked_for(tmp_path, names, message):
    for name in names:
        (tmp_path / name).touch()
    with pytest.raises(ValueError, match=message.replace(".", r"\.")):
        raw.guess_kind([tmp_path])


def test_a_file_that_is_not_there_is_not_blamed_for_its_ending(tmp_path):
    with pytest.raises(FileNotFoundError):
        raw.find_files([tmp_path / "nowhere.pbow"], raw.KINDS["meshes"])


def test_a_folder_without_such_files_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"has no files \.off, \.ply"):
        raw.find_files([tmp_path], raw.KINDS["meshes"])


def test_folders_of_a_folder_are_to_be_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("rings", "eights", ".git"):
        Path("data", name).mkdir(parents=True)
    with pytest.raises(FileNotFoundError) as caught:
        raw.find_files([Path("data")], raw.KINDS["meshes"])
    assert str(caught.value) == (
        "The folder data has no files .off, .ply, but folders; name those to read, as "
        "in data/eights data/rings."
    )


def test_names_have_folders_where_they_are_not_told_apart_without():
    files = [Path("rings/1.csv"), Path("eights/1.csv"), Path("rings/1.csv")]
    names = ["rings/1.csv:0", "eights/1.csv", "rings/1.csv:1"]
    assert raw.sample_names(files) == names


@pytest.mark.parametrize("name", ["a\nb.csv", " a.csv", "a\udcff.csv"])
def test_a_name_that_is_no_line_is_refused(name):
    with pytest.raises(ValueError, match="cannot stand on a line of a text"):
        raw.sample_names([Path(name)])
