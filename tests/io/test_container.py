"""The container: its layout, what a write leaves behind, and hostile files."""

import json
import re
import struct
import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

from pbow.errors import FileFormatError
from pbow.io.container import (
    DIAGRAMS,
    MAX_HEADER_BYTES,
    MODEL,
    SIGNATURE,
    read_container,
    read_header,
    write_container,
)

ARRAYS = {
    "points": np.array([[0.0, -0.0], [1.5, np.inf], [np.pi, 4.0]]),
    "offsets": np.array([0, 2, 3]),
    "small": np.arange(5, dtype=np.float32),
    "few": np.array([-7], dtype=np.int32),
    "none": np.empty((0, 2)),
    "one": np.array(2.5),
}
HEADER = {"format": DIAGRAMS, "version": 1}


@pytest.fixture
def container(tmp_path):
    path = tmp_path / "some.pbow"
    write_container(path, DIAGRAMS, {"note": "ä \ud800"}, ARRAYS)
    return path


def forge(path, entries, data=b"", *, text=None):
    """Write a safetensors file that may claim anything."""
    metadata = {"pbow": json.dumps(HEADER) if text is None else text}
    description = json.dumps({"__metadata__": metadata, **entries}).encode()
    path.write_bytes(struct.pack("<Q", len(description)) + description + data)
    return path


def entry(dtype="F64", shape=(1,), start=0, stop=8):
    return {"dtype": dtype, "shape": shape, "data_offsets": [start, stop]}


def assert_refused(path, what, **options):
    with pytest.raises(FileFormatError, match=what) as caught:
        read_container(path, DIAGRAMS, **options)
    assert str(path) in str(caught.value)


def assert_same(arrays, expected):
    assert set(arrays) == set(expected)
    for name, array in expected.items():
        assert arrays[name].dtype == array.dtype
        assert arrays[name].shape == array.shape
        assert arrays[name].tobytes() == array.tobytes()


@pytest.mark.parametrize("mmap", [False, True])
def test_what_is_written_comes_back_to_the_bit(container, mmap):
    header, arrays = read_container(container, DIAGRAMS, mmap=mmap)
    assert header["note"] == "ä \ud800"
    assert_same(arrays, ARRAYS)
    assert read_header(container, DIAGRAMS) == header


def test_safetensors_alone_reads_the_file(container):
    assert_same(load_file(container), ARRAYS)
    with safe_open(container, "np") as file:
        assert json.loads(file.metadata()["pbow"])["format"] == DIAGRAMS


def test_what_safetensors_alone_writes_is_read(tmp_path):
    metadata = {"pbow": json.dumps(HEADER)}
    save_file(ARRAYS, tmp_path / "X", metadata=metadata)
    assert_same(read_container(tmp_path / "X", DIAGRAMS)[1], ARRAYS)


def test_the_first_bytes_tell_a_container(container, tmp_path):
    assert container.read_bytes()[8:].startswith(SIGNATURE)
    save_file(ARRAYS, tmp_path / "other", metadata={"format": "pt"})
    assert not (tmp_path / "other").read_bytes()[8:].startswith(SIGNATURE)


def test_the_same_content_is_the_same_bytes(container, tmp_path):
    other = tmp_path / "other"
    write_container(other, DIAGRAMS, {"note": "ä \ud800"}, ARRAYS)
    assert other.read_bytes() == container.read_bytes()


def test_other_byte_orders_and_strides_are_written_in_one_form(tmp_path):
    grid = np.arange(12.0).reshape(3, 4)
    one, other = tmp_path / "one", tmp_path / "other"
    write_container(one, MODEL, {}, {"a": grid.T.copy(), "b": grid[::2, 1:]})
    write_container(other, MODEL, {}, {"a": grid.T.astype(">f8"), "b": grid[::2, 1:]})
    assert one.read_bytes() == other.read_bytes()
    assert_array_equal(read_container(other, MODEL)[1]["a"], grid.T)


def test_mapped_arrays_are_read_only_aligned_and_on_the_disk(container):
    arrays = read_container(container, DIAGRAMS, mmap=True)[1]
    mapped = [array for array in arrays.values() if array.size]
    assert all(isinstance(array, np.memmap) for array in mapped)
    assert all(array.flags.aligned for array in mapped)
    with pytest.raises(ValueError, match="read-only"):
        arrays["points"][0] = 1.0


def test_a_mapped_file_can_be_replaced(container):
    mapped = read_container(container, DIAGRAMS, mmap=True)[1]["points"]
    write_container(container, DIAGRAMS, {}, {"points": np.zeros((3, 2))})
    assert_array_equal(mapped, ARRAYS["points"])


@pytest.mark.parametrize("mmap", [False, True])
def test_arrays_at_odd_positions_are_read(tmp_path, mmap):
    data = np.float32(2.5).tobytes() + np.float64(1.5).tobytes()
    entries = {"a": entry("F32", (1,), 0, 4), "b": entry("F64", (1,), 4, 12)}
    path = forge(tmp_path / "file", entries, data)
    arrays = read_container(path, DIAGRAMS, mmap=mmap)[1]
    assert (arrays["a"], arrays["b"]) == ([2.5], [1.5])
    assert arrays["b"].flags.aligned


def test_arrays_are_written_without_a_copy(tmp_path):
    points = np.zeros((1_000_000, 2))
    tracemalloc.start()
    try:
        write_container(tmp_path / "file", DIAGRAMS, {}, {"points": points})
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "array",
    [np.array(["a"]), np.array([True]), np.array([1j]), np.zeros((1, 1, 1, 1, 1))],
)
def test_arrays_that_could_not_be_read_are_not_written(tmp_path, array):
    with pytest.raises(ValueError, match=re.escape(f"x is {array.dtype}")):
        write_container(tmp_path / "bad", DIAGRAMS, {}, {"x": array})
    assert list(tmp_path.iterdir()) == []


def test_a_header_that_could_not_be_read_is_not_written(tmp_path):
    with pytest.raises(ValueError, match="at most 4194304 bytes of header"):
        write_container(tmp_path / "bad", DIAGRAMS, {"note": "x" * (1 << 22)}, {})
    assert list(tmp_path.iterdir()) == []


def test_a_missing_file_and_a_folder_are_errors_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_container(tmp_path / "none", DIAGRAMS)
    with pytest.raises(IsADirectoryError):
        read_container(tmp_path, DIAGRAMS)


def test_a_file_of_another_kind_names_the_right_function(container, tmp_path):
    with pytest.raises(FileFormatError, match="holds diagrams; expected a model"):
        read_container(container, MODEL)
    write_container(tmp_path / "model", MODEL, {}, {})
    assert_refused(tmp_path / "model", "holds a model; expected diagrams")


@pytest.mark.parametrize(
    ("header", "what"),
    [
        ({"version": 2, "pbow": "9.1"}, r"newer pbow \('9\.1'\).* up to 1\. Update"),
        ({"version": 10**300}, "Update pbow"),
        ({"version": 0}, "its version is 0; expected an int from 1 to 1"),
        ({"version": True}, "its version is True"),
        ({"version": 1.0}, r"its version is 1\.0"),
        ({"version": None}, "its version is None"),
        ({"format": "npz"}, "its format is 'npz'; expected 'pbow-diagrams'"),
        ({"format": ["pbow-diagrams"]}, "its format is"),
        ({"format": None}, "its format is None"),
    ],
)
def test_an_unknown_format_or_version_is_named(tmp_path, header, what):
    text = json.dumps(HEADER | header)
    assert_refused(forge(tmp_path / "file", {}, text=text), what)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "Expecting value"),
        ("[1]", "its header is not an object"),
        ('{"a": NaN}', "its header has a number NaN"),
        ('{"a": -Infinity}', "its header has a number -Infinity"),
        ("[" * 200_000, "recursion"),
        ('{"version": ' + "9" * 5000 + "}", "4300"),
        (" " * (1 << 22) + "{}", "4194306 bytes is too long"),
    ],
    ids=lambda value: value[:20],
)
def test_a_header_that_is_not_ours_is_refused(tmp_path, text, what):
    path = forge(tmp_path / "file", {}, text=text)
    assert_refused(path, what)
    with pytest.raises(FileFormatError, match=what):
        read_header(path, DIAGRAMS)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"P",
        b"birth death\n0 1\n",
        bytes(100),
        b"\xff" * 100,
        struct.pack("<Q", 2),
        struct.pack("<Q", 2) + b"[]",
        struct.pack("<Q", 1 << 24) + b"{}",
        struct.pack("<Q", 2) + b"\xff\xfe",
    ],
)
def test_what_is_no_safetensors_file_is_refused(tmp_path, content):
    path = tmp_path / "file"
    path.write_bytes(content)
    assert_refused(path, "cut short, damaged, or not a file of pbow")


def test_safetensors_of_other_programs_are_refused(tmp_path):
    for metadata in (None, {"format": "pt"}):
        save_file({"a": np.zeros(3)}, tmp_path / "file", metadata=metadata)
        assert_refused(tmp_path / "file", "not of pbow: no metadata 'pbow'")


@pytest.mark.parametrize(
    ("entries", "what"),
    [
        ({"a": entry("BF16", (4,))}, "array 'a' is BF16 with 1 dimensions; expected"),
        ({"a": entry("U64", (1,))}, "array 'a' is U64"),
        ({"a": entry(shape=(1, 1, 1, 1, 1))}, "with 5 dimensions"),
        ({"a": entry("O", (1,))}, "damaged"),
        ({"a": entry(shape=(-1,))}, "damaged"),
        ({"a": entry(shape=(2,))}, "damaged"),
        ({"a": entry(shape=(10**17, 2), stop=16 * 10**17)}, "damaged"),
        ({"a": entry(shape=(2**40, 2**40))}, "damaged"),
        ({"a": entry(start=2, stop=10)}, "damaged"),
        ({"a": entry(), "b": entry()}, "damaged"),
        ({"a": entry(), "b": entry(start=8, stop=16)}, "damaged"),
        ({"a": entry(), "z": entry(shape=(0, 2**62, 4), start=8)}, "too big|[Mm]axim"),
        ({f"a{k}": entry(shape=(0,), stop=0) for k in range(70_000)}, "70000 arrays"),
    ],
    ids=lambda value: repr(value)[:70],
)
@pytest.mark.parametrize("mmap", [False, True])
def test_a_hostile_array_is_refused_without_taking_memory(
    tmp_path, entries, what, mmap
):
    data = bytes(8) if all(e["shape"] != (0,) for e in entries.values()) else b""
    path = forge(tmp_path / "file", entries, data)
    tracemalloc.start()
    try:
        assert_refused(path, what, mmap=mmap)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("mmap", [False, True])
def test_a_file_cut_short_anywhere_is_refused(container, mmap):
    content = container.read_bytes()
    for n_bytes in range(0, len(content), 7):
        container.write_bytes(content[:n_bytes])
        assert_refused(container, "damaged", mmap=mmap)


@pytest.mark.parametrize("place", [ARRAYS["points"].tobytes(), b"0.1"])
def test_a_changed_byte_of_array_or_header_is_found(container, place):
    content = bytearray(container.read_bytes())
    content[content.index(place)] ^= 1
    container.write_bytes(content)
    assert_refused(container, "its checksum is wrong: it is damaged")


def test_a_header_may_have_as_many_bytes_as_are_allowed_and_no_more(tmp_path):
    path = tmp_path / "some.pbow"
    write_container(path, DIAGRAMS, {"note": ""}, {})
    with safe_open(path, "np") as file:
        room = MAX_HEADER_BYTES - len(file.metadata()["pbow"])

    def write_longer_and_longer():
        # The checksum in a header may have more or fewer digits.
        for length in range(room - 10, room + 11):
            write_container(path, DIAGRAMS, {"note": "x" * length}, {})
            assert len(read_header(path, DIAGRAMS)["note"]) == length

    with pytest.raises(ValueError, match=f"at most {MAX_HEADER_BYTES} bytes of header"):
        write_longer_and_longer()
    assert len(read_header(path, DIAGRAMS)["note"]) > room - 10
