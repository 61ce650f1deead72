import io
import os
import zipfile

import pytest

from pbow._utils.unpacking import check_unpacked, check_zip, damage_as_value_error


def packed(method=zipfile.ZIP_DEFLATED, **members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file


def test_claims_are_compared_with_the_size_of_the_file():
    check_unpacked(60_000_000, 1)
    check_unpacked(2_000_000_000, 10_000_000)
    with pytest.raises(ValueError, match=r"it claims to unfold into 2 GB.* of 1 kB"):
        check_unpacked(2_000_000_000, 1000)


def test_a_plain_zip_is_accepted():
    file = packed(a="1" * 1000, b="")
    check_zip(zipfile.ZipFile(file), file.tell())


def test_a_member_that_is_packed_in_an_unusual_way_is_refused():
    file = packed(zipfile.ZIP_LZMA, a="1")
    with pytest.raises(ValueError, match="'a' is encrypted, or packed in an unusual"):
        check_zip(zipfile.ZipFile(file), 100)


def test_a_member_that_claims_too_much_is_refused():
    archive = zipfile.ZipFile(packed(a="1"))
    archive.infolist()[0].file_size = 10**12
    with pytest.raises(ValueError, match="'a' claims to unfold into 1 TB"):
        check_zip(archive, 100)


def test_a_member_that_takes_more_than_there_is_is_refused():
    archive = zipfile.ZipFile(packed(a="1"))
    archive.infolist()[0].compress_size = 2**32 - 1
    with pytest.raises(ValueError, match="'a' claims to take more bytes than there ar"):
        check_zip(archive, 100)


def test_two_members_of_one_name_are_refused():
    file = packed(one="1", two="2")
    file = io.BytesIO(file.getvalue().replace(b"two", b"one"))
    with pytest.raises(ValueError, match="two members 'one'"):
        check_zip(zipfile.ZipFile(file), 100)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (zipfile.BadZipFile("no\nend"), r"it is damaged \(no end\)"),
        (EOFError(), r"it is damaged \(EOFError\)"),
        (OSError("bad magic"), r"it is damaged \(bad magic\)"),
        (OSError(22, os.strerror(22)), "it is damaged"),
        (MemoryError("10 TB"), r"or too large for the memory \(10 TB\)"),
        (ValueError("as it is"), "^as it is$"),
    ],
)
def test_damage_becomes_a_value_error(error, message):
    with pytest.raises(ValueError, match=message), damage_as_value_error():
        raise error


@pytest.mark.parametrize("error", [OSError(5, os.strerror(5)), KeyboardInterrupt()])
def test_errors_of_the_disk_and_interrupts_stay_as_they_are(error):
    with pytest.raises(type(error)), damage_as_value_error():
        raise error
