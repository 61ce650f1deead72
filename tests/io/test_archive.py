"""The archive: its layout, what a write leaves behind, and hostile files."""

import errno
import json
import os
import random
import re
import stat
import struct
import subprocess
import sys
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow.io.archive import (
    DIAGRAMS,
    MODEL,
    FileFormatError,
    read_archive,
    read_header,
    replacing,
    write_archive,
)

ARRAYS = {
    "points": np.array([[0.0, -0.0], [1.5, np.inf], [np.pi, 4.0]]),
    "offsets": np.array([0, 2, 3]),
    "small": np.arange(5, dtype=np.float32),
    "few": np.array([-7], dtype=np.int32),
    "none": np.empty((0, 2)),
    "one": np.array(2.5),
}


@pytest.fixture
def archive(tmp_path):
    path = tmp_path / "some.pbow"
    write_archive(path, DIAGRAMS, {"note": "ä \ud800"}, ARRAYS)
    return path


def forge(path, members, *, header=None, method=zipfile.ZIP_STORED):
    """Write a zip that may have anything in it."""
    text = {"format": DIAGRAMS, "version": 1} if header is None else header
    with zipfile.ZipFile(path, "w", method) as forged:
        forged.writestr("header.json", json.dumps(text))
        for name, data in members:
            forged.writestr(name, data)
    return path


def npy(text, data=b"", *, magic=b"\x93NUMPY\x01\x00"):
    return magic + struct.pack("<H", len(text)) + text.encode("latin-1") + data


def described(dtype="<f8", shape="(1,)", order="False"):
    return f"{{'descr': '{dtype}', 'fortran_order': {order}, 'shape': {shape}, }}\n"


def assert_refused(path, what, **options):
    with pytest.raises(FileFormatError, match=what) as caught:
        read_archive(path, DIAGRAMS, **options)
    assert str(path) in str(caught.value)


def assert_same(arrays, expected):
    assert list(arrays) == list(expected)
    for name, array in expected.items():
        assert arrays[name].dtype == array.dtype
        assert arrays[name].shape == array.shape
        assert arrays[name].tobytes() == array.tobytes()


# Layout


@pytest.mark.parametrize("mmap", [False, True])
def test_what_is_written_comes_back_to_the_bit(archive, mmap):
    header, arrays = read_archive(archive, DIAGRAMS, mmap=mmap)
    assert header["note"] == "ä \ud800"
    assert_same(arrays, ARRAYS)
    assert read_header(archive, DIAGRAMS) == header


def test_numpy_alone_reads_the_arrays(archive):
    with np.load(archive, allow_pickle=False) as loaded:
        assert_same({name: loaded[name] for name in ARRAYS}, ARRAYS)


def test_members_are_stored_after_the_header_and_their_arrays_are_aligned(archive):
    content = archive.read_bytes()
    with zipfile.ZipFile(archive) as members:
        assert members.testzip() is None
        infos = members.infolist()
    assert [info.filename for info in infos] == [
        "header.json",
        *(f"{name}.npy" for name in ARRAYS),
    ]
    assert {info.compress_type for info in infos} == {zipfile.ZIP_STORED}
    for info in infos:
        name, extra = struct.unpack_from("<2H", content, info.header_offset + 26)
        assert (info.header_offset + 30 + name + extra) % 64 == 0
    for array in ARRAYS.values():
        if array.size:
            assert content.index(array.tobytes()) % 64 == 0


def test_the_same_content_is_the_same_bytes(archive, tmp_path):
    other = tmp_path / "other"
    write_archive(other, DIAGRAMS, {"note": "ä \ud800"}, ARRAYS)
    assert other.read_bytes() == archive.read_bytes()


def test_other_byte_orders_and_strides_are_written_in_one_form(tmp_path):
    grid = np.arange(12.0).reshape(3, 4)
    one, other = tmp_path / "one", tmp_path / "other"
    write_archive(one, MODEL, {}, {"a": grid.T.copy(), "b": grid[::2, 1:]})
    write_archive(other, MODEL, {}, {"a": grid.T.astype(">f8"), "b": grid[::2, 1:]})
    assert one.read_bytes() == other.read_bytes()
    assert_array_equal(read_archive(other, MODEL)[1]["a"], grid.T)


def test_mapped_arrays_are_read_only_and_on_the_disk(archive):
    mapped = read_archive(archive, DIAGRAMS, mmap=True)[1]["points"]
    assert isinstance(mapped, np.memmap)
    with pytest.raises(ValueError, match="read-only"):
        mapped[0] = 1.0


def test_a_mapped_file_can_be_replaced(archive):
    mapped = read_archive(archive, DIAGRAMS, mmap=True)[1]["points"]
    write_archive(archive, DIAGRAMS, {}, {"points": np.zeros((3, 2))})
    assert_array_equal(mapped, ARRAYS["points"])


def test_records_of_64_bits_are_read(tmp_path, monkeypatch):
    # As if every number were beyond the 2 GiB where zipfile turns to these records.
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 0)
    path = tmp_path / "wide"
    write_archive(path, DIAGRAMS, {}, ARRAYS)
    assert b"PK\x06\x06" in path.read_bytes()
    assert_same(read_archive(path, DIAGRAMS)[1], ARRAYS)


@pytest.mark.long
def test_more_than_four_gigabytes_come_back(tmp_path):
    # A sparse file: zeros that take no place.
    zeros = np.memmap(tmp_path / "zeros", np.float64, mode="w+", shape=(6 << 20, 100))
    path = tmp_path / "large"
    write_archive(path, DIAGRAMS, {}, {"a": zeros, "b": np.arange(9)})
    arrays = read_archive(path, DIAGRAMS, mmap=True)[1]
    assert arrays["a"].shape == zeros.shape
    assert not arrays["a"][-1].any()
    assert_array_equal(arrays["b"], np.arange(9))
    path.unlink()  # pytest would keep it for some runs


def test_a_zip_packed_by_another_program_is_read(archive, tmp_path):
    with zipfile.ZipFile(archive) as members:
        content = [(info.filename, members.read(info)) for info in members.infolist()]
    header = json.loads(content[0][1])
    packed = forge(tmp_path / "packed", content[1:], header=header)
    assert_same(read_archive(packed, DIAGRAMS)[1], ARRAYS)


def test_arrays_that_are_not_aligned_are_not_mapped(tmp_path):
    data = npy(described(), np.ones(1).tobytes())
    path = forge(tmp_path / "packed", [("a.npy", data), ("bb.npy", data)])
    assert_array_equal(read_archive(path, DIAGRAMS)[1]["bb"], [1.0])
    assert_refused(path, "is not aligned, .* Read it without mmap", mmap=True)


@pytest.mark.parametrize(
    "array",
    [np.array(["a"]), np.array([True]), np.array([1j]), np.zeros((1, 1, 1, 1, 1))],
)
def test_arrays_that_could_not_be_read_are_not_written(tmp_path, array):
    with pytest.raises(ValueError, match=re.escape(f"x is {array.dtype}")):
        write_archive(tmp_path / "bad", DIAGRAMS, {}, {"x": array})
    assert list(tmp_path.iterdir()) == []


def test_a_header_that_could_not_be_read_is_not_written(tmp_path):
    with pytest.raises(ValueError, match="at most 4194304 bytes of header"):
        write_archive(tmp_path / "bad", DIAGRAMS, {"note": "x" * (1 << 22)}, {})
    assert list(tmp_path.iterdir()) == []


# What a write leaves behind


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), KeyboardInterrupt()])
def test_an_error_leaves_the_old_file_and_nothing_else(archive, monkeypatch, error):
    def fail(_):
        raise error

    before = archive.read_bytes()
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(type(error)):
        write_archive(archive, DIAGRAMS, {}, {"a": np.zeros(1000)})
    assert archive.read_bytes() == before
    assert list(archive.parent.iterdir()) == [archive]


def test_a_killed_process_leaves_the_old_file(archive):
    before = archive.read_bytes()
    code = (
        "import os, sys, numpy, pbow.io.archive as a\n"
        "os.fsync = lambda _: os._exit(7)\n"
        "a.write_archive(sys.argv[1], a.DIAGRAMS, {}, {'a': numpy.zeros(9)})"
    )
    run = subprocess.run([sys.executable, "-c", code, str(archive)], check=False)
    assert run.returncode == 7
    assert archive.read_bytes() == before


@pytest.mark.skipif(os.name != "posix", reason="needs permissions of POSIX")
def test_permissions_follow_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        write_archive(tmp_path / "file", DIAGRAMS, {}, {})
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


@pytest.mark.skipif(os.name != "posix", reason="needs symbolic links")
def test_a_link_is_followed(archive):
    link = archive.with_name("link")
    link.symlink_to(archive.name)
    write_archive(link, MODEL, {}, {})
    assert link.is_symlink()
    assert read_archive(archive, MODEL)[1] == {}


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=re.escape("nowhere/file.pbow")):
        write_archive(tmp_path / "nowhere/file.pbow", DIAGRAMS, {}, {})
    with pytest.raises(IsADirectoryError, match=re.escape(str(tmp_path))):
        write_archive(tmp_path, DIAGRAMS, {}, {})


def test_a_missing_file_is_the_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_archive(tmp_path / "none", DIAGRAMS)


# Files that are not ours, newer, damaged or hostile


def test_a_file_of_another_kind_names_the_right_function(archive, tmp_path):
    with pytest.raises(FileFormatError, match=r"Use pbow\.io\.read_diagrams"):
        read_archive(archive, MODEL)
    write_archive(tmp_path / "model", MODEL, {}, {})
    assert_refused(tmp_path / "model", r"'pbow-model' and not .* Use pbow\.load")


@pytest.mark.parametrize(
    ("header", "what"),
    [
        ({"version": 2, "pbow": "9.1"}, r"reads up to 1.*newer pbow \('9\.1'\); updat"),
        ({"version": 10**300}, "update pbow"),
        ({"version": 0}, "its version is 0; expected an int from 1 to 1"),
        ({"version": True}, "its version is True"),
        ({"version": 1.0}, r"its version is 1\.0"),
        ({"version": "1"}, "its version is '1'"),
        ({"version": None}, "its version is None"),
        ({"format": "npz"}, "its format is 'npz'; expected 'pbow-diagrams'"),
        ({"format": ["pbow-diagrams"]}, "its format is"),
        ({"format": None}, "its format is None"),
    ],
)
def test_an_unknown_format_or_version_is_named(tmp_path, header, what):
    text = {"format": DIAGRAMS, "version": 1, **header}
    assert_refused(forge(tmp_path / "file", [], header=text), what)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (b"", "Expecting value"),
        (b"[1]", "its header is not an object"),
        (b'{"a": NaN}', "its header has a number NaN"),
        (b'{"a": -Infinity}', "its header has a number -Infinity"),
        (b"\xff\xfe{\x00}\x00", "utf-8"),
        (b"[" * 200_000, "recursion"),
        (b'{"version": ' + b"9" * 5000 + b"}", "4300"),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_a_header_that_is_not_ours_is_refused(tmp_path, text, what):
    path = tmp_path / "file"
    with zipfile.ZipFile(path, "w") as forged:
        forged.writestr("header.json", text)
    assert_refused(path, what)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "it is empty"),
        (b"P", "it is not a file of pbow"),
        (b"birth death\n0 1\n", "it is not a file of pbow"),
        (b"PK\x03\x04", "its end is missing"),
        (b"PK\x03\x04" + bytes(100), "its end is missing"),
        (b"PK\x05\x06" + bytes(18), "it is not a file of pbow"),
    ],
)
def test_what_is_no_archive_is_refused(tmp_path, content, what):
    path = tmp_path / "file"
    path.write_bytes(content)
    assert_refused(path, what)


def test_a_zip_without_our_header_is_refused(tmp_path):
    np.savez(tmp_path / "file.npz", a=np.zeros(3))
    assert_refused(tmp_path / "file.npz", "it has no member header.json")


@pytest.mark.parametrize(
    "name",
    ["../a.npy", "/a.npy", "a/b.npy", "a.txt", "ä.npy", ".npy", "a.npy/", "a\nb.npy"],
)
def test_a_member_with_a_strange_name_is_refused(tmp_path, name):
    assert_refused(forge(tmp_path / "file", [(name, b"")]), "is none of pbow's")


def test_a_compressed_member_is_refused(tmp_path):
    bomb = forge(
        tmp_path / "file", [("a.npy", bytes(1 << 24))], method=zipfile.ZIP_DEFLATED
    )
    assert bomb.stat().st_size < 50_000
    assert_refused(bomb, "member header.json is compressed or encrypted")


def test_a_member_that_is_there_twice_is_refused(tmp_path):
    path = forge(tmp_path / "file", [("a.npy", b"1"), ("b.npy", b"2")])
    path.write_bytes(path.read_bytes().replace(b"b.npy", b"a.npy"))
    assert_refused(path, "it has two members a.npy")


def test_members_that_share_their_bytes_are_refused(tmp_path):
    # Twenty names for one array: in memory it would be twenty times the file.
    path = forge(tmp_path / "file", [("a0.npy", bytes(10_000))])
    content = path.read_bytes()
    entry = content.rindex(b"PK\x01\x02")
    end = content.rindex(b"PK\x05\x06")
    first = content.index(b"PK\x01\x02")
    copies = content[entry:end] * 20
    record = struct.pack(
        "<4s4H2LH", b"PK\x05\x06", 0, 0, 21, 21, entry - first + len(copies), first, 0
    )
    path.write_bytes(content[:entry] + copies + record)
    assert_refused(path, "two members a0.npy")
    names = b"".join(
        content[entry:end].replace(b"a0.npy", b"a%c.npy" % (65 + k)) for k in range(20)
    )
    path.write_bytes(content[:entry] + names + record)
    assert_refused(path, "another name in front of its data")


@pytest.mark.parametrize(
    ("member", "what"),
    [
        (b"", "is not an array"),
        (b"\x93NUMPY", "is not an array"),
        (npy(described(), bytes(8), magic=b"\x93NUMPY\x02\x00"), "is not an array"),
        (npy(described("|O"), bytes(8)), "is not an array of <f8, <f4, <i8, <i4 in"),
        (npy(described(">f8"), bytes(8)), "is not an array"),
        (npy(described("<U2"), bytes(8)), "is not an array"),
        (npy(described(order="True"), bytes(8)), "is not an array"),
        (npy(described(shape="(-1,)"), bytes(8)), "is not an array"),
        (npy(described(shape="(1, 1, 1, 1, 1)"), bytes(8)), "is not an array"),
        (npy(described(shape=f"({10**18},)"), bytes(8)), "is not an array"),
        (npy("{" * 9000, bytes(8)), "is not an array"),
        (npy(described(shape=f"({10**17}, 2)")), "should have 16000000000000000"),
        (npy(described(shape="(2,)"), bytes(8)), "should have 16 bytes for its shape"),
        (npy(described(shape="(2,)"), bytes(24)), "should have 16 bytes .* has 24"),
        (npy(described(shape=f"(0, {10**17}, {10**17})")), "too big|[Mm]aximum|exceed"),
    ],
    ids=lambda value: repr(value)[:70],
)
@pytest.mark.parametrize("mmap", [False, True])
def test_a_hostile_array_is_refused_without_taking_memory(tmp_path, member, what, mmap):
    path = forge(tmp_path / "file", [("a.npy", member)])
    tracemalloc.start()
    try:
        assert_refused(path, what, mmap=mmap)
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_huge_numbers_in_the_directory_take_no_memory(archive):
    content = archive.read_bytes()
    places = [
        m.start() + at
        for m in re.finditer(b"PK\x01\x02", content)
        for at in (20, 24, 28, 30, 32, 42)
    ]
    places += [content.rindex(b"PK\x05\x06") + at for at in (10, 12, 16, 20)]
    tracemalloc.start()
    try:
        for place in places:
            for value in (b"\xff\xff", b"\xff\xff\xff\x7f", b"\xff\xff\xff\xff"):
                archive.write_bytes(
                    content[:place] + value + content[place + len(value) :]
                )
                with pytest.raises(FileFormatError):
                    read_archive(archive, DIAGRAMS)
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("mmap", [False, True])
def test_a_file_cut_short_anywhere_is_refused(archive, mmap):
    content = archive.read_bytes()
    ends = {0, *range(0, len(content), 9), *range(len(content) - 80, len(content))}
    for n_bytes in sorted(ends):
        archive.write_bytes(content[:n_bytes])
        assert_refused(archive, "Cannot read", mmap=mmap)


def test_a_flipped_bit_is_an_error_or_changes_nothing(archive):
    content = archive.read_bytes()
    expected, chance = read_archive(archive, DIAGRAMS), random.Random(0)
    n_refused = 0
    for _ in range(800):
        bit = chance.randrange(8 * len(content))
        flipped = bytearray(content)
        flipped[bit // 8] ^= 1 << bit % 8
        archive.write_bytes(flipped)
        try:
            header, arrays = read_archive(archive, DIAGRAMS)
        except FileFormatError:
            n_refused += 1
            continue
        # Dates, padding and the like hold nothing.
        assert header == expected[0]
        assert_same(arrays, expected[1])
    assert n_refused > 200


def test_garbage_between_the_marks_of_a_zip_is_refused(archive):
    chance = random.Random(1)
    content = archive.read_bytes()
    for _ in range(400):
        start = chance.randrange(len(content))
        length = chance.randrange(1, 60)
        garbage = chance.randbytes(chance.randrange(1, 60))
        archive.write_bytes(content[:start] + garbage + content[start + length :])
        try:
            arrays = read_archive(archive, DIAGRAMS)[1]
        except FileFormatError:
            continue
        assert_same(arrays, ARRAYS)


def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path):
    path = tmp_path / "secret"
    path.touch(mode=0o600)
    with replacing(path) as file:
        file.write(b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_bytes() == b"new"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_written_to_and_stays_one(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = subprocess.Popen(["cat", str(path)], stdout=subprocess.PIPE)
    with replacing(path) as file:
        file.write(b"data")
    assert reader.communicate(timeout=60)[0] == b"data"
    assert path.is_fifo()


def test_a_file_that_another_process_removes_meanwhile_is_written_anew(
    tmp_path, monkeypatch
):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with replacing(path) as file:
        file.write(b"new")
        path.unlink()
        # As if it went away right after somebody had looked.
        monkeypatch.setattr(Path, "exists", lambda *_, **__: True)
    assert path.read_bytes() == b"new"
