import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow.datasets.importing import princeton
from pbow.datasets.imports import import_dataset
from pbow.io import FileFormatError

NAME = "shape-segmentation"

# Two triangles on an edge; the vertices 1 and 2 have a face of each.
OFF = "OFF\n4 2 5\n0 0 0\n1 0 0\n0.1 1 0\n1 1 0\n3 0 1 2\n3 1 3 2\n"
LABELS = "wing\n2 \nbody\n1 \n"


@pytest.fixture(autouse=True)
def two_meshes(monkeypatch):
    """Make the airplanes be the meshes 7 and 8."""
    monkeypatch.setattr(princeton, "N_MESHES", 2)


def labelled(changes=()):
    files = {
        "LabeledDB_new/Airplane/7.off": OFF,
        "LabeledDB_new/Airplane/7_labels.txt": LABELS,
        "LabeledDB_new/Airplane/8.off": OFF,
        "LabeledDB_new/Airplane/8_labels.txt": "engine\r\n1 2\r\n",
        "LabeledDB_new/Human/1.off": "not read",
    }
    files.update({f"LabeledDB_new/Airplane/{k}": v for k, v in dict(changes).items()})
    return {name: text for name, text in files.items() if text is not None}


@pytest.fixture
def arrays_of(imported, write_folder):
    return lambda *args: imported(*args, kinds=(write_folder,))


def test_meshes_with_named_parts_give_the_arrays(arrays_of):
    arrays = arrays_of(NAME, labelled(), "psb_airplane_meshes")
    names = ["Airplane/body", "Airplane/engine", "Airplane/wing"]
    assert_array_equal(arrays["label_names"], names)
    assert_array_equal(arrays["mesh_ids"], [7, 8])
    assert_array_equal(arrays["category_names"], ["Airplane"])
    assert_array_equal(arrays["vertex_offsets"], [0, 4, 8])
    assert_array_equal(arrays["face_offsets"], [0, 2, 4])
    assert_array_equal(arrays["faces"], [[0, 1, 2], [1, 3, 2]] * 2)
    assert_array_equal(arrays["face_labels"], [0, 2, 1, 1])
    assert_array_equal(arrays["vertex_labels"], [0, 0, 0, 2, 1, 1, 1, 1])
    assert_array_equal(arrays["vertices"][2], np.array([0.1, 1, 0], np.float32))


def test_segments_without_names_do_not_pass_for_parts(arrays_of):
    files = {f"data/off/{i}.off": OFF for i in (7, 8)} | {
        "data/seg/Benchmark/7/7_0.seg": "4\n0\n",
        "data/seg/Benchmark/7/7_1.seg": "not read",
        "data/seg/Benchmark/8/8_0.seg": "0\r\n0\r\n",
    }
    arrays = arrays_of(NAME, files, "psb_airplane_segments")
    assert_array_equal(arrays["face_labels"], [1, 0, 0, 0])
    expected = ["Airplane/segment 0", "Airplane/segment 4"]
    assert_array_equal(arrays["label_names"], expected)


def test_other_categories_have_names_of_their_own(arrays_of):
    files = {"1.off": OFF, "1_labels.txt": LABELS, "2.off": OFF, "2_labels.txt": LABELS}
    arrays_of("psb-human", files, "psb_human_meshes")


def test_all_categories_but_the_springs_have_the_numbers_of_the_benchmark():
    first = {name: 20 * i + 1 for i, name in enumerate(princeton.NUMBERED)}
    assert len(princeton.CATEGORIES) == 19
    assert "Spring" not in princeton.CATEGORIES
    assert (first["Bird"], first["Armadillo"], first["FourLeg"]) == (241, 281, 381)


def test_springs_are_not_offered(write_folder):
    with pytest.raises(ValueError, match="There is no converter for 'psb-spring'"):
        import_dataset("psb-spring", write_folder(labelled()))


def test_the_real_airplanes_written_as_text_come_back(
    data_home, arrays_of, load, monkeypatch
):
    expected = load(data_home / "psb_airplane_meshes.npz")
    # The first two of the twenty, which have these numbers.
    monkeypatch.setattr(princeton, "NUMBERED", (*range(30), "Airplane"))
    assert expected["mesh_ids"][:2].tolist() == [61, 62]
    files = {}
    for i, number in enumerate((61, 62)):
        vertices = expected["vertices"][slice(*expected["vertex_offsets"][i : i + 2])]
        where = slice(*expected["face_offsets"][i : i + 2])
        faces, parts = expected["faces"][where], expected["face_labels"][where]
        lines = ["OFF", f"{len(vertices)} {len(faces)} 0"]
        lines += [" ".join(map(str, vertex)) for vertex in vertices]
        lines += [f"3 {a} {b} {c}" for a, b, c in faces]
        files[f"Airplane/{number}.off"] = "\n".join(lines)
        files[f"Airplane/{number}_labels.txt"] = "".join(
            f"{expected['label_names'][part].removeprefix('Airplane/')}\n"
            f"{' '.join(map(str, np.flatnonzero(parts == part) + 1))} \n"
            for part in np.unique(parts)[::-1]
        )
    arrays = arrays_of(NAME, files)
    used = np.unique(expected["face_labels"][: arrays["face_offsets"][-1]])
    assert_array_equal(arrays["label_names"], expected["label_names"][used])
    for key in ("vertices", "faces"):
        assert_array_equal(arrays[key], expected[key][: len(arrays[key])])
    for key in ("face_labels", "vertex_labels"):
        assert_array_equal(used[arrays[key]], expected[key][: len(arrays[key])])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"8.off": None},
            r"expected one file 8\.off; found 0\. Get it from the Prince",
        ),
        ({"8_labels.txt": None}, r"expected one file 8_labels\.txt; found 0"),
        ({"more/8.off": OFF}, r"expected one file 8\.off; found 2"),
        ({"7.off": "OFF\n1 2\n"}, r"7\.off: it should have 1 vertices"),
        ({"7.off": OFF.replace("0.1", "nan")}, r"7\.off: vertex 2 is \[nan"),
        ({"7.off": "ply"}, r"7\.off: it begins neither"),
        (
            {"7.off": OFF.replace("0.1", "-1e39")},
            r"7\.off: vertex 2 is at \[-1e\+39, 1.0, 0.0\]; expected coordinates below",
        ),
        ({"7_labels.txt": "wing\n3\n"}, "line 2 has the face '3'; .* from 1 to 2"),
        ({"7_labels.txt": "wing\n0 1\n"}, "line 2 has the face '0'"),
        ({"7_labels.txt": "wing\n-1\n"}, "line 2 has the face '-1'"),
        ({"7_labels.txt": f"wing\n{'9' * 30}\n"}, "line 2 has the face '999"),
        ({"7_labels.txt": "wing\n1 2\nbody\n2\n"}, "line 4 has a face that has a part"),
        ({"7_labels.txt": "wing\n1 1\nbody\n2\n"}, "line 2 has a face that has a part"),
        ({"7_labels.txt": "wing\n1\n"}, "face 2 of 2, counted from 1, has no part"),
        ({"7_labels.txt": "wing\n"}, "has 1 lines; expected pairs"),
        ({"7_labels.txt": "1 2\nwing\n"}, "line 1 is '1 2'; expected the name"),
        ({"7_labels.txt": b"\xff\n1 2\n"}, "line 1 is '�'; expected the name"),
    ],
)
def test_what_is_wrong_is_named(refused, changes, message):
    refused(NAME, labelled(changes), message)


@pytest.mark.parametrize(
    ("segments", "message"),
    [
        ("0\n", "the segments of 1 faces, and the mesh has 2 triangles"),
        ("0\n-1\n", "there is a segment -1"),
        ("0\n1000\n", "there is a segment 1000"),
    ],
)
def test_wrong_segments_are_named(refused, segments, message):
    files = {"7.off": OFF, "8.off": OFF, "7_0.seg": segments, "8_0.seg": segments}
    refused(NAME, files, message)


def test_a_zip_is_to_be_unpacked(write_zip):
    with pytest.raises(FileFormatError, match="expected a folder of meshes"):
        import_dataset(NAME, write_zip(labelled()))
