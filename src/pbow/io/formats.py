"""The formats of diagrams in files: one entry per format, which is all that names it.

To add a format, write its module (a reader and a writer) and add its entry here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from pbow.io.akriti import read_akriti
from pbow.io.arrow import read_arrow, read_parquet, write_arrow, write_parquet
from pbow.io.container import SIGNATURE
from pbow.io.csv import read_csv, write_csv
from pbow.io.dipha import MAGIC, read_dipha, write_dipha
from pbow.io.homcloud import SIGNATURE as HOMCLOUD
from pbow.io.homcloud import read_homcloud
from pbow.io.native import dump_native, read_native
from pbow.io.npy import read_npy_diagram, write_npy_diagram
from pbow.io.npz_diagrams import read_npz, write_npz
from pbow.io.text import (
    read_hera,
    read_pers,
    read_perseus,
    write_hera,
    write_pers,
    write_perseus,
)

__all__ = ["EXTENSIONS", "FORMATS", "Format"]


@dataclass(frozen=True)
class Format:
    """How files of a format are read, written and recognized.

    Parameters
    ----------
    read : callable
        Takes a Path. For a collection it returns Diagrams; for a sample a dict of
        arrays by dimension, with the key None where the file does not say it, or a list
        of such if a file may hold several; for a diagram an array of shape
        (n_points, 2). What is wrong with the file is a FileFormatError.
    write : callable or None
        Takes Diagrams, of one sample for a sample, or an array of shape (n_points, 2)
        for a diagram; and a binary file that is open for writing. None for files that
        are only read.
    holds : {"collection", "sample", "diagram"}
        What is in one file.
    extensions : tuple of str
        In lower case; the first is used for the files of a folder.
    signature : bytes
        What files begin with.
    signature_at : int
        Where the signature is, in bytes from the start.
    says_part : bool
        Whether files of a collection say which parts they have; if not, `read` takes
        the name that the caller gives.
    has_locations : bool
        Whether locations of points in the raw data are written, too.
    """

    read: Callable[..., Any]
    write: Callable[..., None] | None
    holds: Literal["collection", "sample", "diagram"] = "collection"
    extensions: tuple[str, ...] = ()
    signature: bytes = b""
    signature_at: int = 0
    says_part: bool = True
    has_locations: bool = False

    def begins(self, start: bytes) -> bool:
        """Whether a file that begins with these bytes has the signature."""
        signed = start[self.signature_at :].startswith(self.signature)
        return signed and bool(self.signature)


FORMATS = {
    "pbow": Format(
        read_native,
        dump_native,
        extensions=(".pbow",),
        signature=SIGNATURE,
        signature_at=8,
        has_locations=True,
    ),
    "csv": Format(read_csv, write_csv, extensions=(".csv",)),
    "parquet": Format(
        read_parquet, write_parquet, extensions=(".parquet",), signature=b"PAR1"
    ),
    "arrow": Format(
        read_arrow, write_arrow, extensions=(".arrow", ".feather"), signature=b"ARROW1"
    ),
    "npz": Format(read_npz, write_npz, extensions=(".npz",), says_part=False),
    "npy": Format(
        read_npy_diagram, write_npy_diagram, holds="sample", extensions=(".npy",)
    ),
    "pers": Format(read_pers, write_pers, holds="sample", extensions=(".pers",)),
    "hera": Format(read_hera, write_hera, holds="sample"),
    "dipha": Format(
        read_dipha,
        write_dipha,
        holds="sample",
        # A .complex file is what DIPHA reads; its reader says so.
        extensions=(".dipha", ".diagram", ".complex"),
        signature=MAGIC.to_bytes(8, "little"),
    ),
    "homcloud": Format(
        read_homcloud,
        None,
        holds="sample",
        extensions=(".pdgm",),
        signature=HOMCLOUD,
    ),
    "akriti": Format(read_akriti, None, holds="sample", extensions=(".akd",)),
    "perseus": Format(read_perseus, write_perseus, holds="diagram"),
}

EXTENSIONS = {
    extension: name for name, known in FORMATS.items() for extension in known.extensions
}
