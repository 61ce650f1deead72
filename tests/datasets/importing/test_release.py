import struct
from hashlib import sha256

import pytest

from pbow.datasets.importing.release import open_release
from pbow.io import FileFormatError

FILES = {"a/10.txt": "ten", "a/2.txt": "two", "b.txt": "b"}


def test_a_folder_and_a_zip_have_the_same_files_in_natural_order(
    write_folder, write_zip
):
    for path in (write_folder(FILES), write_zip(FILES)):
        with open_release(path) as opened:
            assert opened.names == ["a/2.txt", "a/10.txt", "b.txt"]
            assert opened.read("a/10.txt") == b"ten"
            assert opened.sums == {"a/10.txt": sha256(b"ten").hexdigest()}


def test_a_file_by_itself_is_a_release_of_one_file(write_folder):
    path = write_folder(FILES) / "b.txt"
    with open_release(path) as opened:
        assert opened.names == ["b.txt"]
        assert opened.read("b.txt") == b"b"
        assert opened.where("b.txt") == str(path)


def test_hidden_files_are_ignored(write_folder, write_zip):
    files = {".git/x": "1", "__MACOSX/._a": "2", "a": "3", "b/.c": "4"}
    for path in (write_folder(files), write_zip(files)):
        with open_release(path) as opened:
            assert opened.names == ["a"]


def test_names_in_a_zip_lead_nowhere(tmp_path, write_zip):
    path = write_zip({"../../evil.txt": "1", "/etc/evil": "2", "C:\\evil": "3"})
    before = sorted(tmp_path.parent.rglob("*"))
    with (
        pytest.warns(UserWarning, match=r"ignored \(1, as '../../evil.txt'\)"),
        open_release(path) as opened,
    ):
        contents = {opened.read(name) for name in opened.names}
    assert contents == {b"2", b"3"}
    assert sorted(tmp_path.parent.rglob("*")) == before


def test_what_is_not_there_is_said(tmp_path):
    with (
        pytest.raises(FileNotFoundError, match=r"no file or folder .*nothing"),
        open_release(tmp_path / "nothing"),
    ):
        pass


def patched(data, signature, at, change):
    """The zip, in which a number `at` bytes after a signature is changed."""
    place = data.index(signature) + at
    (number,) = struct.unpack_from("<L", data, place)
    return data[:place] + struct.pack("<L", change(number)) + data[place + 4 :]


DAMAGE = {
    "a bomb": lambda data: patched(data, b"PK\x01\x02", 24, lambda _: 10**9),
    "understated": lambda data: patched(data, b"PK\x01\x02", 24, lambda n: n // 500),
    # The directory seems to begin later than it does, so all seems to be moved.
    "before itself": lambda data: patched(data, b"PK\x05\x06", 16, lambda n: n + 50),
    "cut early": lambda data: data[:10],
    "cut late": lambda data: data[:60],
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_zip_is_refused(write_zip, damage):
    path = write_zip({"a": bytes(5000), "b": "2" * 100})
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    message = "'a' claims to unfold into 1 GB" if damage == "a bomb" else "it is damage"
    with (
        pytest.raises(FileFormatError, match=rf"release\.zip.*{message}"),
        open_release(path) as opened,
    ):
        opened.read("a")


def test_numbers_of_a_text_file_are_read_or_its_line_is_named(write_folder):
    path = write_folder({"a.txt": "1,2\n3, 4\n", "b.txt": "1\n2.5\n"})
    with open_release(path) as opened:
        pairs = opened.read_numbers("a.txt", 2, separator=b",")
        assert pairs.tolist() == [[1, 2], [3, 4]]
        assert opened.read_numbers("b.txt", 1, whole=False).tolist() == [[1], [2.5]]
        with pytest.raises(FileFormatError, match=r"b\.txt: line 2 is '2.5'; expected"):
            opened.read_numbers("b.txt", 1)


def test_the_only_file_of_a_name_is_found_or_said_where_to_get(write_folder):
    with open_release(write_folder(FILES | {"a/B.txt": ""})) as opened:
        assert opened.only("10.TXT", "home") == "a/10.txt"
        with pytest.raises(
            FileFormatError, match=r"one file b.txt; found 2. Get it fr"
        ):
            opened.only("b.txt", "home")


def test_messages_have_no_signs_that_a_terminal_obeys(write_zip):
    path = write_zip({"a\x1b[2J\nb": "x"})
    with (
        open_release(path) as opened,
        pytest.raises(FileFormatError) as error,
    ):
        opened.read_numbers(opened.names[0], 1)
    assert str(error.value).isprintable()
