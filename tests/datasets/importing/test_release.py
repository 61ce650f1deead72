import struct
import zipfile
from hashlib import sha256

import pytest

from pbow.datasets.importing import release
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


def test_hidden_files_are_passed_over(write_folder, write_zip):
    files = {".git/x": "1", "__MACOSX/._a": "2", "a": "3", "b/.c": "4"}
    for path in (write_folder(files), write_zip(files)):
        with open_release(path) as opened:
            assert opened.names == ["a"]


def test_names_in_a_zip_lead_nowhere(tmp_path, write_zip):
    path = write_zip({"../../evil.txt": "1", "/etc/evil": "2", "C:\\evil": "3"})
    before = sorted(tmp_path.parent.rglob("*"))
    with (
        pytest.warns(UserWarning, match=r"passed over \(1, as '../../evil.txt'\)"),
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


def test_a_file_longer_than_the_limit_is_not_read(write_folder, write_zip):
    for path in (write_folder({"a": "12345"}), write_zip({"a": "12345"})):
        with open_release(path) as opened:
            assert opened.read("a", at_most=5) == b"12345"
            with pytest.raises(FileFormatError, match=r"a: it has 5 bytes, more than"):
                opened.read("a", at_most=4)


def test_a_file_that_grew_is_not_read_beyond_the_limit(write_folder):
    path = write_folder({"a": "12"})
    with open_release(path) as opened:
        (path / "a").write_bytes(b"123456")
        with pytest.raises(FileFormatError, match="more than the 4"):
            opened.read("a", at_most=4)


def test_a_bomb_is_refused_before_it_is_unpacked(monkeypatch, write_zip):
    monkeypatch.setattr(release, "ALWAYS_ALLOWED", 1000)
    path = write_zip({"zeros": bytes(10**6)})
    with (
        pytest.raises(FileFormatError, match="'zeros' claims to unpack to 1000000"),
        open_release(path),
    ):
        pass


def test_a_zip_that_understates_its_sizes_is_damaged(write_zip):
    path = write_zip({"a": bytes(5000)})
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02") + 24
    assert struct.unpack_from("<L", data, at) == (5000,)
    struct.pack_into("<L", data, at, 10)
    path.write_bytes(data)
    with (
        open_release(path) as opened,
        pytest.raises(FileFormatError, match="zip is damaged"),
    ):
        opened.read("a")


def test_a_zip_that_places_a_file_before_itself_is_damaged(write_zip):
    path = write_zip({"a": "1" * 100, "b": "2" * 100})
    data = bytearray(path.read_bytes())
    # The directory seems to begin later than it does, so all seems to be moved.
    at = data.index(b"PK\x05\x06") + 16
    struct.pack_into("<L", data, at, struct.unpack_from("<L", data, at)[0] + 50)
    path.write_bytes(data)
    with (
        pytest.raises(FileFormatError, match="zip is damaged"),
        open_release(path) as opened,
    ):
        opened.read("a")


@pytest.mark.parametrize("cut", [10, 60])
def test_a_zip_cut_short_is_damaged(write_zip, cut):
    path = write_zip({"a": "1" * 100})
    path.write_bytes(path.read_bytes()[:cut])
    with (
        pytest.raises(FileFormatError, match=r"release\.zip: the zip is damaged"),
        open_release(path),
    ):
        pass


def test_two_files_of_one_name_and_odd_packings_are_refused(tmp_path):
    path = tmp_path / "odd.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("a", "1")
    with (
        pytest.raises(FileFormatError, match=r"unusual way. Unpack it"),
        open_release(path),
    ):
        pass
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a", "1")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a", "2")
    with pytest.raises(FileFormatError, match="two files 'a'"), open_release(path):
        pass


def test_an_encrypted_file_is_refused(write_zip):
    path = write_zip({"a": "1"})
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    with (
        pytest.raises(FileFormatError, match="'a' is encrypted or packed"),
        open_release(path),
    ):
        pass


def test_too_many_files_are_refused(monkeypatch, write_folder, write_zip):
    monkeypatch.setattr(release, "MOST_FILES", 2)
    for path in (write_folder(FILES), write_zip(FILES)):
        with (
            pytest.raises(FileFormatError, match="more than 2 files"),
            open_release(path),
        ):
            pass


def test_messages_have_no_signs_that_a_terminal_obeys(write_zip):
    path = write_zip({"a\x1b[2J\nb": "123"})
    with (
        open_release(path) as opened,
        pytest.raises(FileFormatError) as error,
    ):
        opened.read(opened.names[0], at_most=1)
    assert str(error.value).isprintable()
