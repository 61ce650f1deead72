"""Our own file of diagrams: exact round trips, mapping, and damaged files."""

import mmap

import numpy as np
import pytest

import pbow
from pbow import Diagrams, PersistenceBoW
from pbow.errors import FileFormatError
from pbow.io.container import DIAGRAMS, write_container
from pbow.io.native import from_arrays, read_metadata, read_native, write_native

HUGE = 2**63 - 1


def assert_same_bits(X, Y):
    assert X.parts == Y.parts
    for name in X.parts:
        assert X[name].points.tobytes() == Y[name].points.tobytes()
        assert X[name].offsets.tobytes() == Y[name].offsets.tobytes()
        assert X[name].points.shape == Y[name].points.shape


def forge(path, arrays, parts=("H1",), **header):
    write_container(path, DIAGRAMS, {"parts": list(parts), **header}, arrays)
    return path


@pytest.mark.parametrize(
    "X",
    [
        Diagrams.from_list([]),
        Diagrams.from_list([[], [], []], name="ﬁ/../Ж \0"),
        Diagrams.from_parts({"H0": [[[-0.0, np.inf]], []], "H1": [[], []]}),
        Diagrams.from_list([[[0, 1]], [[0, 2], [1, 2]], [[3, 4]]])[1:],
        Diagrams.from_list([[[0, 1]], [[0, 2], [1, 2]], [[3, 4]]])[[2, 0]],
    ],
    ids=["no samples", "no points", "an empty part", "a range", "a subset"],
)
@pytest.mark.parametrize("mapped", [False, True])
def test_corner_cases_come_back_to_the_bit(tmp_path, X, mapped):
    write_native(X, tmp_path / "X")
    assert_same_bits(read_native(tmp_path / "X", mmap=mapped), X)


def test_a_list_of_arrays_can_be_written(tmp_path):
    write_native([[[0.0, 1.0]], []], tmp_path / "X")
    assert read_native(tmp_path / "X") == Diagrams.from_list([[[0.0, 1.0]], []])


def test_what_cannot_be_diagrams_is_refused_before_a_file_is_made(tmp_path):
    with pytest.raises(ValueError, match="dies before it is born"):
        write_native([[[1.0, 0.0]]], tmp_path / "X")
    assert list(tmp_path.iterdir()) == []


def test_mapped_points_stay_on_the_disk(tmp_path):
    n = 200_000
    write_native(Diagrams(np.ones((n, 2)), [0, n]), tmp_path / "X")
    X = read_native(tmp_path / "X", mmap=True)
    owner = X.points
    while isinstance(owner, np.ndarray):
        owner = owner.base
    assert isinstance(owner, mmap.mmap)
    assert X.points.flags.aligned
    assert not X.points.flags.writeable
    with pytest.raises(ValueError, match="WRITEABLE"):
        X.points.flags.writeable = True


def test_features_of_mapped_diagrams_are_the_same(tmp_path, ragged):
    write_native(ragged, tmp_path / "X")
    X = read_native(tmp_path / "X", mmap=True)
    fitted = PersistenceBoW(3, random_state=0).fit(X)
    assert (fitted.transform(X) == fitted.transform(ragged)).all()


def test_metadata_come_back(tmp_path):
    metadata = {"labels": [1, 2.5, None, "ä"], "nested": {"a": {"b": True}}}
    write_native([[]], tmp_path / "X", metadata=metadata)
    assert read_metadata(tmp_path / "X") == metadata
    write_native([[]], tmp_path / "X")
    assert read_metadata(tmp_path / "X") == {}


def cyclic():
    loop = []
    loop.append(loop)
    return loop


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"a": (1, 2)}, "lists instead of tuples"),
        ({1: "a"}, "strings as keys"),
        ({"a": np.zeros(2)}, "JSON can hold, a dict: Object of type ndarray"),
        ({"a": float("nan")}, "JSON can hold"),
        ({"a": cyclic()}, "JSON can hold"),
        ([1, 2], "JSON can hold, a dict"),
        ({"a": "x" * 5_000_000}, "at most 4194304 bytes of header"),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_metadata_that_would_not_come_back_are_refused(tmp_path, metadata, message):
    with pytest.raises(ValueError, match=message):
        write_native([[]], tmp_path / "X", metadata=metadata)
    assert list(tmp_path.iterdir()) == []


def test_metadata_that_are_none_are_refused(tmp_path):
    path = forge(tmp_path / "X", {}, metadata=[1])
    with pytest.raises(FileFormatError, match="its metadata are list; expected"):
        read_metadata(path)


def test_a_model_is_not_read_as_diagrams(tmp_path, ragged):
    pbow.save(PersistenceBoW(2).fit(ragged), tmp_path / "model")
    for read in (read_native, read_metadata):
        with pytest.raises(
            FileFormatError, match=r"model: it holds a model; expected diag"
        ):
            read(tmp_path / "model")


OK = np.array([[0.0, 1.0], [0.5, np.inf]])
STARTS = np.array([0, 2])


@pytest.mark.parametrize(
    ("points", "offsets", "what"),
    [
        ([[0, np.nan]], [0, 1], "has a point that is NaN"),
        (OK, [0, 1], "must grow from 0 to the number of points, 2"),
        (OK, [0, -1, 2], "lie outside of 0 to 2"),
        (OK, [0, 3, 2], "lie outside of 0 to 2"),
        (OK, [0, 2, 1, 2], "decrease on the way"),
        # Differences that wrap around are all positive.
        (OK, [0, HUGE, -2, 2], "lie outside of 0 to 2"),
        (OK, [], "expected integers of shape"),
        (OK, [[0, 2]], "expected integers of shape"),
        (np.zeros(4), [0, 2], "expected .n_points, 2."),
        (np.array(1.0), [0, 0], "expected .n_points, 2."),
        (
            OK.astype(np.float32),
            [0, 2],
            "float32 and int64; expected arrays of float64",
        ),
        (OK, np.array([0.0, 2.0]), "expected arrays of float64 and int64"),
    ],
    ids=str,
)
@pytest.mark.parametrize("mapped", [False, True])
def test_points_and_offsets_are_checked(tmp_path, points, offsets, what, mapped):
    starts = offsets if len(offsets) else np.empty(0, np.int64)
    arrays = {"points0": np.asarray(points), "offsets0": np.asarray(starts)}
    path = forge(tmp_path / "X", arrays)
    with pytest.raises(FileFormatError, match=what) as caught:
        read_native(path, mmap=mapped)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("parts", "arrays", "what"),
    [
        ([], {}, "at least one part"),
        (["H1"], {}, "not those of 1 different parts"),
        (["H1"], {"points0": OK}, "not those of 1 different"),
        (["H1", "H1"], None, "not those of 2 different"),
        (["H1", "h1"], None, "differ by case only"),
        (["H1", " "], None, "non-empty string"),
        (["H1", "\ud800"], None, "UTF-8 can encode"),
        (["H1", 2], None, "has no list of parts"),
        (["H1"] * 100_000, None, "not those of 100000 different"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_parts_and_arrays_must_match(tmp_path, parts, arrays, what):
    if arrays is None:
        arrays = {"points0": OK, "offsets0": STARTS, "points1": OK, "offsets1": STARTS}
    with pytest.raises(FileFormatError, match=what):
        read_native(forge(tmp_path / "X", arrays, parts))


def test_a_header_without_parts_and_an_array_too_many_are_refused(tmp_path):
    arrays = {"points0": OK, "offsets0": STARTS}
    write_container(tmp_path / "X", DIAGRAMS, {}, arrays)
    with pytest.raises(FileFormatError, match="has no list of parts"):
        read_native(tmp_path / "X")
    with pytest.raises(FileFormatError, match="not those of 1 different"):
        read_native(forge(tmp_path / "X", {**arrays, "more": OK}))


@pytest.mark.parametrize("value", [1.5, "x", None, [0, 1]])
def test_what_is_no_array_is_refused(value):
    arrays = {"points0": np.zeros((1, 2)), "offsets0": np.array([0, 1])}
    for name in arrays:
        with pytest.raises(
            ValueError, match=f"{type(value).__name__}.*expected arrays"
        ):
            from_arrays({"parts": ["H1"]}, arrays | {name: value})


def test_parts_of_different_length_are_refused(tmp_path):
    arrays = {
        "points0": OK,
        "offsets0": STARTS,
        "points1": OK,
        "offsets1": np.array([0, 1, 2]),
    }
    with pytest.raises(FileFormatError, match="H0 has 1, H1 has 2"):
        read_native(forge(tmp_path / "X", arrays, ["H0", "H1"]))


WHERE = np.array([[[4, 5], [5, -1]]])


@pytest.mark.parametrize("mapped", [False, True])
def test_locations_come_back(tmp_path, mapped):
    located = Diagrams([[0, 1], [2, 3]], [0, 2], locations=np.repeat(WHERE, 2, axis=0))
    X = Diagrams.from_parts({"H0": [[[0, 1]]], "H1": located})
    write_native(X, tmp_path / "X")
    Y = read_native(tmp_path / "X", mmap=mapped)
    assert_same_bits(Y, X)
    assert Y["H0"].locations is None
    assert Y["H1"].locations.tolist() == located.locations.tolist()
    assert not Y["H1"].locations.flags.writeable


@pytest.mark.parametrize(
    ("locations", "what"),
    [
        (WHERE.astype(float), "locations of part H1 are float64"),
        (WHERE[:0], "Locations of part H1"),
        (WHERE[0], "Locations of part H1"),
        (WHERE - 7, r"Diagram 0 of part H1 .* with the location \[\[-3, -2\]"),
        (WHERE[:, :, ::-1], r"Diagram 0 of part H1 .* followed by -1 where there"),
        (
            np.array([[[-1, -1], [5, -1]]]),
            r"Diagram 0 of part H1 .* A birth has at least one",
        ),
    ],
    ids=str,
)
@pytest.mark.parametrize("mapped", [False, True])
def test_locations_are_checked(tmp_path, locations, what, mapped):
    arrays = {"points0": np.zeros((1, 2)), "offsets0": np.array([0, 1])}
    path = forge(tmp_path / "X", {**arrays, "locations0": locations})
    with pytest.raises(FileFormatError, match=what):
        read_native(path, mmap=mapped)


def test_locations_of_a_part_that_is_not_there_are_refused(tmp_path):
    arrays = {"points0": np.zeros((1, 2)), "offsets0": np.array([0, 1])}
    path = forge(tmp_path / "X", {**arrays, "locations1": WHERE})
    with pytest.raises(FileFormatError, match="not those of 1 different"):
        read_native(path)


def test_locations_that_are_no_array_are_refused():
    arrays = {"points0": np.zeros((1, 2)), "offsets0": np.array([0, 1])}
    with pytest.raises(ValueError, match="locations of part H1 are str"):
        from_arrays({"parts": ["H1"]}, {**arrays, "locations0": "x"})
