"""Compressed content from anywhere: one limit on what it unfolds into, one error.

Deflate reaches 1:1000 and other codecs far more, so that a small file may claim all of
the memory. What a file claims is compared here with its size, before it is unpacked.
"""

from __future__ import annotations

import errno
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from pbow._utils.text import file_size

__all__ = ["check_unpacked", "check_zip", "damage_as_value_error", "most_unpacked"]

# Real data seldom reach 1:20. Small files may be of zeros alone.
MOST_UNPACKED = 200  # bytes per byte of the file
ALWAYS_ALLOWED = 1 << 26
PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def most_unpacked(stored: int) -> int:
    """Return into how many bytes a file of `stored` bytes may unfold."""
    return MOST_UNPACKED * stored + ALWAYS_ALLOWED


def check_unpacked(claimed: int, stored: int, what: str = "it") -> None:
    """Raise a ValueError if `stored` bytes claim to unfold into far too many.

    Parameters
    ----------
    claimed : int
        Bytes that the content says it has when it is unpacked.
    stored : int
        Bytes of the file.
    what : str
        What claims so, for the message.
    """
    if claimed > most_unpacked(stored):
        msg = (
            f"{what} claims to unfold into {file_size(claimed)}, more than expected of "
            f"a file of {file_size(stored)}. If you trust it, unpack it, or write it "
            "again without compression."
        )
        raise ValueError(msg)


def check_zip(archive: zipfile.ZipFile, stored: int) -> None:
    """Raise a ValueError for a zip whose members should not be read.

    Members are refused that have the same name, are encrypted, are packed otherwise
    than by deflate, claim more bytes than the file has, or claim to unfold into more
    than :func:`check_unpacked` allows.

    Parameters
    ----------
    archive : ZipFile
        Open for reading.
    stored : int
        Bytes of the file.
    """
    seen = set()
    for member in archive.infolist():
        name = ascii(member.filename)[:80]
        if member.filename in seen:
            msg = f"it has two members {name}."
            raise ValueError(msg)
        seen.add(member.filename)
        if member.compress_type not in PACKINGS or member.flag_bits & 1:
            msg = (
                f"its member {name} is encrypted, or packed in an unusual way. Unpack "
                "it, and pass what comes out."
            )
            raise ValueError(msg)
        if member.compress_size > stored:  # zipfile would allocate it to read into
            msg = f"its member {name} claims to take more bytes than there are."
            raise ValueError(msg)
        check_unpacked(member.file_size, stored, f"its member {name}")


@contextmanager
def damage_as_value_error() -> Iterator[None]:
    """Turn whatever a damaged file leads to into a ValueError.

    Libraries raise a different error for each way in which a file can be damaged.
    Errors of the disk stay as they are.
    """
    try:
        yield
    except ValueError:
        raise
    except OSError as error:
        # EINVAL: the file names a position in itself that no file has.
        if error.errno not in (None, errno.EINVAL):
            raise
        _refuse_damage(error)
    except Exception as error:
        _refuse_damage(error)


def _refuse_damage(error: Exception) -> NoReturn:
    text = " ".join(str(error).split()) or type(error).__name__
    short = ", or too large for the memory" if isinstance(error, MemoryError) else ""
    msg = f"it is damaged{short} ({text})."
    raise ValueError(msg) from error
