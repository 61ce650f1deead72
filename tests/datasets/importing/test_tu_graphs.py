import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow.datasets import load_dataset
from pbow.datasets.imports import import_dataset
from pbow.io import FileFormatError

# A triangle with a vertex apart, an edge, and a vertex by itself.
TRIO = {
    "TRIO_A.txt": "1, 2\n2, 1\n2, 3\n3, 2\n3, 1\n1, 3\n6, 5\n5, 6\n",
    "TRIO_graph_indicator.txt": "1\n1\n1\n1\n2\n2\n3\n",
    "TRIO_graph_labels.txt": "1\n-1\n1\n",
    "TRIO_node_labels.txt": "not read",
}


def check_trio(arrays):
    assert_array_equal(arrays["edges"], [[0, 1], [0, 2], [1, 2], [0, 1]])
    assert_array_equal(arrays["offsets"], [0, 3, 4, 4])
    assert_array_equal(arrays["num_nodes"], [4, 2, 1])
    assert_array_equal(arrays["labels"], [1, 0, 1])
    assert_array_equal(arrays["label_names"], ["-1", "1"])


@pytest.mark.parametrize("top", ["", "TRIO/", "some/where/"])
def test_a_set_is_imported_wherever_its_files_are(imported, top):
    files = {top + name: text for name, text in TRIO.items()}
    check_trio(imported("trio", files, "graphs_TRIO"))


def test_line_ends_of_windows_blanks_and_loops_make_no_difference(imported):
    files = {name: text.replace("\n", " \r\n\r\n") for name, text in TRIO.items()}
    files["TRIO_A.txt"] += "4, 4\r\n1,2\r\n"
    check_trio(imported("TRIO", files))


def test_vertices_of_a_graph_need_not_follow_one_another(imported):
    files = TRIO | {
        "TRIO_A.txt": "1, 5\n5, 6\n6, 1\n2, 3\n",
        "TRIO_graph_indicator.txt": "1\n2\n2\n3\n1\n1\n1\n",
    }
    check_trio(imported("trio", files))


def test_dashes_of_a_name_become_underscores_and_either_finds_it(imported):
    files = {name.replace("TRIO", "MY-TRIO"): text for name, text in TRIO.items()}
    for name in ("my_trio", "MY-TRIO"):
        imported(name, files, "graphs_MY_TRIO")


def test_what_was_imported_is_loaded(tmp_path, write_folder):
    path = import_dataset("trio", write_folder(TRIO))
    assert path == tmp_path / "cache" / "imported" / "graphs_TRIO.npz"
    data = load_dataset("trio")
    assert data.labels.tolist() == [1, 0, 1]
    assert '"dataset": "trio"' in data.provenance.import_record


def test_a_real_set_written_in_the_format_comes_back(data_home, imported, load):
    expected = load(data_home / "graphs_MUTAG.npz")
    first = np.concatenate(([0], np.cumsum(expected["num_nodes"])))
    owners = np.repeat(np.arange(len(expected["labels"])), np.diff(expected["offsets"]))
    ends = expected["edges"] + first[owners][:, None] + 1
    both = np.concatenate((ends, ends[:, ::-1]))
    lines = {
        "A": [f"{a}, {b}" for a, b in both],
        "graph_indicator": np.repeat(
            np.arange(1, len(first)), expected["num_nodes"]
        ).tolist(),
        "graph_labels": expected["label_names"][expected["labels"]].tolist(),
    }
    files = {
        f"MUTAG/MUTAG_{kind}.txt": "".join(f"{line}\n" for line in some)
        for kind, some in lines.items()
    }
    arrays = imported("mutag", files)
    del arrays["provenance"]
    assert arrays.keys() == expected.keys()
    for key, array in expected.items():
        assert_array_equal(arrays[key], array)
        assert arrays[key].dtype.kind == array.dtype.kind


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"TRIO_A.txt": "1, 8\n"}, r"TRIO_A.txt: edge 1, 8 .*from 1 to 7"),
        ({"TRIO_A.txt": "0, 1\n"}, r"edge 0, 1 .*from 1 to 7"),
        ({"TRIO_A.txt": "1, 5\n"}, "edge 1, 5 joins vertices of different graphs"),
        ({"TRIO_A.txt": "1, 2\n1; 2\n"}, "line 2 is '1; 2'"),
        ({"TRIO_A.txt": b"\xff\xfe"}, r"TRIO_A\.txt: line 1 is '��'"),
        (
            {"TRIO_graph_indicator.txt": "1\n4\n"},
            r"indicator.txt: vertex 2 is of graph 4, and there are labels of 3",
        ),
        ({"TRIO_graph_indicator.txt": "0\n"}, "vertex 1 is of graph 0"),
        ({"TRIO_graph_indicator.txt": "1\n3\n"}, "graph 2 has no vertex"),
        ({"TRIO_graph_labels.txt": "a\n"}, "labels.txt: line 1 is 'a'; expected 1 wh"),
        ({"TRIO_graph_labels.txt": " \n"}, "labels.txt: it is empty"),
        ({"TRIO_graph_labels.txt": "1\n2\n"}, "graph 3, and there are labels of 2"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_written(refused, changes, message):
    refused("trio", TRIO | changes, message)


@pytest.mark.parametrize("kind", ["graph_indicator", "graph_labels"])
def test_a_missing_file_is_named_with_the_place_to_get_it(refused, kind):
    missing = f"TRIO_{kind}.txt"
    files = {name: text for name, text in TRIO.items() if name != missing}
    refused("trio", files, rf"no file {missing}. Get it from")


def test_another_set_or_none_is_not_taken_for_the_one(refused):
    refused("mutag", TRIO, r"one file MUTAG_A.txt .*found TRIO_A.tx")


def test_names_of_other_sets_are_printable(write_zip):
    release = write_zip({"a\x1b[2J_A.txt": ""})
    with pytest.raises(FileFormatError, match="found a") as error:
        import_dataset("trio", release)
    assert str(error.value).isprintable()


def test_the_same_set_twice_is_not_chosen_from(refused):
    files = {f"{top}/{name}": text for name, text in TRIO.items() for top in "ab"}
    refused("trio", files, r"found 2, as b/TRIO_A.txt")


def test_a_set_of_known_size_must_have_it(refused):
    files = {name.replace("TRIO", "MUTAG"): text for name, text in TRIO.items()}
    message = "has 3 graphs, 7 vertices and 4 edges, and MUTAG has 188 graphs, 3371"
    refused("mutag", files, message)
