from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from tests.datasets.layouts import graph_arrays, write

from pbow.datasets import raw, read_raw
from pbow.errors import FileFormatError, ParameterError

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
def test_a_cloud_is_one_point_per_line(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    [cloud] = read_raw(tmp_path / name, "clouds").samples
    assert_array_equal(cloud, CLOUD)


def test_an_array_is_one_cloud_or_several(tmp_path):
    np.save(tmp_path / "one.npy", CLOUD)
    np.save(tmp_path / "two.npy", [CLOUD, CLOUD + 1])
    files = [tmp_path / "two.npy", tmp_path / "one.npy"]
    data = read_raw(files, "clouds")
    assert_array_equal(data.samples, [CLOUD, CLOUD + 1, CLOUD])
    assert data.names == ["two.npy:0", "two.npy:1", "one.npy"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a.csv has no numbers"),
        ("x,y\n", "a.csv has no numbers"),
        (
            "x,y\n1,2\n\n3\n",
            r"a.csv: line 4 is '3'; expected 2 numbers\.",
        ),
        ("# a\n1,2\n3,four\n", r"a.csv: line 3 is '3 four'; expected 2 numbers\."),
        ("1,2\n3,1_0\n", "a.csv: line 2 is '3 1_0'; expected 2 numbers"),
        ("x,y\n1,2\n3,nan\n4,nan", "a.csv: line 3 has nan; expected numbers alone"),
        ("1,5;2,5\n", "a.csv: it seems to be separated by semicolons"),
        ("x;y\n1;2\n", "a.csv: it seems to be separated by semicolons"),
    ],
    ids=["empty", "names", "one less", "word", "_", "nan", "commas", "semicolons"],
)
def test_a_text_that_is_no_cloud_is_refused(tmp_path, monkeypatch, text, message):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text(text)
    with pytest.raises(FileFormatError, match=message):
        read_raw(Path("a.csv"), "clouds")


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("clouds", ",x,y\n0,0.5,0.2\n1,0.3,0.1\n"),
        ("clouds", '# by R\n"","x","y"\n1,0.5,0.2\n'),
        ("graphs", ",source,target\n0,7,3\n"),
    ],
)
def test_the_numbers_of_rows_are_no_data(tmp_path, kind, text):
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(
        ValueError, match=r"column of .*a\.csv has no name.*index=False"
    ):
        read_raw(tmp_path / "a.csv", kind)


def test_an_array_of_another_shape_is_refused(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros(5))
    with pytest.raises(FileFormatError, match=r"shape \(5,\); expected \(points"):
        read_raw(tmp_path / "a.npy", "clouds")
    with pytest.raises(FileFormatError, match=r"of shape \(5,\); expected \(h, w\) or"):
        read_raw(tmp_path / "a.npy", "images")


@pytest.mark.parametrize("shape", [(3, 4, 5), (3, 2, 4, 5)], ids=["plane", "space"])
def test_an_array_is_a_stack_of_images(tmp_path, shape):
    stack = np.arange(np.prod(shape)).reshape(shape)
    np.save(tmp_path / "a.npy", stack)
    assert_array_equal(read_raw(tmp_path / "a.npy", "images").samples, stack)


@pytest.mark.parametrize("mode", ["1", "L", "I;16", "F", "RGB", "RGBA", "P", "LA"])
def test_an_image_file_is_gray_by_the_mean_of_its_colors(tmp_path, mode):
    Image = pytest.importorskip("PIL.Image")
    levels = np.array([[0, 255, 0], [255, 0, 255]], dtype=np.uint8)
    picture = Image.fromarray(levels)
    if mode == "I;16":
        picture = Image.fromarray(levels.astype(np.uint16) * 257)
    else:
        picture = picture.convert(mode)
    path = tmp_path / ("a.tif" if mode == "F" else "a.png")
    picture.save(path)
    [gray] = read_raw(path, "images").samples
    assert_array_equal(gray / gray.max(), levels / 255)


def test_colors_count_alike(tmp_path):
    Image = pytest.importorskip("PIL.Image")
    Image.new("RGB", (2, 2), (30, 60, 0)).save(tmp_path / "a.png")
    assert_array_equal(
        read_raw(tmp_path / "a.png", "images").samples[0], np.full((2, 2), 30.0)
    )


def test_a_damaged_image_is_named(tmp_path):
    pytest.importorskip("PIL.Image")
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n no more")
    with pytest.raises(FileFormatError, match=r"a\.png: it is damaged, or not"):
        read_raw(tmp_path / "a.png", "images")


@pytest.mark.parametrize(
    "text",
    ["7 3\n3 12\n", "source,target\n7,3\n3,12\n", "# weighted\n7, 3, 0.5\n3, 12, 2\n"],
)
def test_a_graph_is_one_edge_per_line(tmp_path, text):
    (tmp_path / "a.txt").write_text(text)
    edges, n_vertices = read_raw(tmp_path / "a.txt", "graphs").samples[0]
    assert n_vertices == 3
    assert {frozenset(edge) for edge in edges.tolist()} == {
        frozenset((0, 1)),
        frozenset((0, 2)),
    }


def test_a_vertex_alone_has_a_line_of_its_own(tmp_path):
    (tmp_path / "a.txt").write_text("1 2\n5\n")
    edges, n_vertices = read_raw(tmp_path / "a.txt", "graphs").samples[0]
    assert (edges.tolist(), n_vertices) == ([[0, 1]], 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no edges"),
        ("1 2\n\nanna bob\n", "two integers on line 3, got 'anna bob'"),
        ("1 " + "9" * 400, "expected two integers on line 1, got '1 9"),
        ("1 -2\n", "expected two integers on line 1, got '1 -2'"),
    ],
)
def test_a_text_that_is_no_graph_is_refused(tmp_path, text, message):
    (tmp_path / "a.txt").write_text(text)
    with pytest.raises(FileFormatError, match=message):
        read_raw(tmp_path / "a.txt", "graphs")


def test_the_graphs_of_a_data_set_are_read(tmp_path):
    write(tmp_path, "graphs_TINY", graph_arrays())
    arrays = graph_arrays()
    graphs = read_raw(tmp_path / "graphs_TINY.npz", "graphs").samples
    assert_array_equal([n for _, n in graphs], arrays["num_nodes"])


def test_data_without_a_graph_are_refused(tmp_path):
    arrays = graph_arrays()
    empty = {name: array[:0] for name, array in arrays.items()}
    write(tmp_path, "graphs_NONE", empty | {"offsets": arrays["offsets"][:1]})
    with pytest.raises(FileFormatError, match=r"graphs_NONE\.npz has no graphs"):
        read_raw(tmp_path / "graphs_NONE.npz", "graphs")


PLY = "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\n"
PLY += "property float z\nelement face 0\n"
PLY += "property list uchar int vertex_indices\nend_header\n"


@pytest.mark.parametrize(("name", "text"), [("a.off", "OFF\n0 0 0\n"), ("a.ply", PLY)])
def test_a_mesh_without_vertices_is_refused(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(FileFormatError, match=rf"{name} has no vertices;"):
        read_raw(tmp_path / name, "meshes")


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
    ],
)
def test_the_kind_is_inferred_when_unambiguous(tmp_path, names, kind):
    for name in names:
        (tmp_path / name).touch()
    assert raw.infer_kind([tmp_path]) == kind


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a.npy"], "as .npy files may be clouds or images; got None."),
        (["a.txt", "b.csv"], "as .csv, .txt files may be clouds or graphs; got None."),
        (["a.off", "b.npy"], "as no kind of data has files .npy, .off; got None."),
    ],
)
def test_an_ambiguous_kind_is_a_missing_parameter(tmp_path, names, message):
    for name in names:
        (tmp_path / name).touch()
    with pytest.raises(ParameterError) as caught:
        read_raw(tmp_path)
    assert caught.value.parameter == "kind"
    assert str(caught.value).endswith(message)


def test_a_file_that_does_not_exist_is_not_blamed_for_its_extension(tmp_path):
    with pytest.raises(FileNotFoundError):
        raw.find_raw_files([tmp_path / "nowhere.pbow"], "meshes")
    (tmp_path / "a.pbow").touch()
    with pytest.raises(FileFormatError, match=r"Expected files \.off, \.ply;"):
        raw.find_raw_files([tmp_path / "a.pbow"], "meshes")


def test_a_folder_without_such_files_is_refused_and_its_subfolders_are_named(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    message = "The folder data has no files .off, .ply."
    with pytest.raises(FileNotFoundError) as caught:
        raw.find_raw_files([Path("data")], "meshes")
    assert str(caught.value) == message
    for name in ("rings", "eights", ".git"):
        Path("data", name).mkdir()
    with pytest.raises(FileNotFoundError) as caught:
        raw.find_raw_files([Path("data")], "meshes")
    advice = "Pass its subfolders, as in data/eights data/rings."
    assert str(caught.value) == f"{message} {advice}"


def test_names_have_folders_where_they_would_be_ambiguous(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("rings", "eights"):
        Path(folder).mkdir()
        np.save(f"{folder}/1.npy", [CLOUD] * (1 + (folder == "rings")))
    names = ["rings/1.npy:0", "rings/1.npy:1", "eights/1.npy"]
    assert read_raw(["rings", "eights"], "clouds").names == names
