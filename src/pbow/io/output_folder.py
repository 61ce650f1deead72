"""A folder of Parquet files that are made one by one, and resumed after any stop.

``_manifest.json`` says what is being made: of which input, by what. It is written
first. Every block has a file of its own, written atomically, so that a block is done if
its file is there. What was skipped in a block stands in a file beside it until all
blocks are done, and then with all others in ``_skipped.csv``.
"""

from __future__ import annotations

import csv
import errno
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from io import TextIOWrapper
from itertools import zip_longest
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from pbow._utils.files import AnyPath, atomic_write
from pbow.errors import format_error
from pbow.io.csv import text_cell

__all__ = ["MANIFEST", "SKIPPED", "OutputFolder", "Skipped", "write_json"]

MANIFEST = "_manifest.json"
SKIPPED = "_skipped.csv"


class Skipped(NamedTuple):
    """A sample that was left out, or several that follow each other.

    Attributes
    ----------
    file : str
        Where it is.
    row : int
        Its row in the file, counted from 0.
    n_rows : int
        Number of rows, from that one on.
    reason : str
        What was wrong.
    """

    file: str
    row: int
    n_rows: int
    reason: str


class OutputFolder:
    """The folder, for one job.

    Parameters
    ----------
    path : str or path-like
        A folder that is new or empty, or has the begun results of the same job.
    job : dict
        What is made, of what and how; anything that JSON can hold. Results of another
        job are never mixed with these.
    n_blocks : int
        How many files there are going to be.
    resume : bool
        Whether to go on with what is there.

    Raises
    ------
    FileExistsError
        If there is something else in the folder, or results and no `resume`.
    ValueError
        If the results are of another job.
    """

    def __init__(
        self, path: AnyPath, job: Mapping[str, Any], n_blocks: int, *, resume: bool
    ) -> None:
        self.path = Path(path)
        self.n_blocks = n_blocks
        self.manifest = self.path / MANIFEST
        if self.path.exists() and not self.path.is_dir():
            msg = f"{path} is a file. Name a folder, or a file that ends in .npy."
            raise FileExistsError(errno.EEXIST, msg)
        self.path.mkdir(parents=True, exist_ok=True)
        if self.manifest.exists():
            self._check_same(job, resume=resume)
        elif any(not p.name.startswith(f".{MANIFEST}") for p in self.path.iterdir()):
            msg = f"{path} has other files. Name a folder that is new or empty."
            raise FileExistsError(errno.EEXIST, msg)
        else:
            try:
                write_json(self.manifest, {**job, "complete": False}, new=True)
            except FileExistsError:  # another process was first
                self._check_same(job, resume=resume)

    def file_of(self, block: int) -> Path:
        """Return the file of a block."""
        n_digits = max(5, len(str(self.n_blocks - 1)))
        return self.path / f"block-{block:0{n_digits}}.parquet"

    def skipped_file_of(self, block: int) -> Path:
        """Return the file of what was skipped in a block."""
        return self.path / f"_skipped-{block}.json"

    def missing(self) -> list[int]:
        """Return the blocks that are not done."""
        done = {path.name for path in self.path.iterdir()}
        return [i for i in range(self.n_blocks) if self.file_of(i).name not in done]

    def finish(self, **facts: Any) -> list[Skipped]:
        """List what was skipped, and say in the manifest that all blocks are done.

        Parameters
        ----------
        **facts
            What else the manifest is to say.

        Returns
        -------
        skipped : list of Skipped
        """
        missing = self.missing()
        if missing:
            msg = (
                f"{self.file_of(missing[0])} is not there, though its block is done. "
                "All workers must write to the same folder."
            )
            raise FileNotFoundError(errno.ENOENT, msg)
        lists = [self.skipped_file_of(i) for i in range(self.n_blocks)]
        lists = [path for path in lists if path.exists()]
        rows = []
        # Another process of the same job may finish at the same time: it removes the
        # lists after the manifest has them, which is therefore read last.
        with suppress(FileNotFoundError):
            rows = [row for path in lists for row in _read_json(path)]
        manifest = _read_json(self.manifest)
        if not manifest.get("complete"):
            manifest = {**manifest, **facts, "skipped": rows, "complete": True}
        with format_error(self.manifest):
            skipped = [Skipped(*row) for row in manifest["skipped"]]
        if skipped:
            with atomic_write(self.path / SKIPPED) as file:
                _write_skipped(file, skipped)
        write_json(self.manifest, manifest)
        for path in lists:  # also those that a killed process has not removed
            path.unlink(missing_ok=True)
        return skipped

    def _check_same(self, job: Mapping[str, Any], *, resume: bool) -> None:
        if not resume:
            msg = (
                f"{self.path} has results already. Resume that job, or name another "
                "folder."
            )
            raise FileExistsError(errno.EEXIST, msg)
        found = _read_json(self.manifest)
        if not isinstance(found, dict):
            found = {}
        for key, value in job.items():
            if found.get(key) != json.loads(json.dumps(value)):
                msg = (
                    f"{self.path} has results of another job: its {key} is different"
                    f"{_first_difference(found.get(key), value)}. See {MANIFEST}. Name "
                    "another folder, or remove this one."
                )
                raise ValueError(msg)


def _first_difference(found: Any, wanted: Any) -> str:
    """Name the first input that differs, where inputs are listed."""
    if not isinstance(found, list) or not isinstance(wanted, list):
        return ""
    for there, here in zip_longest(found, wanted):
        if there is None or here is None or [*there] != [*here]:
            return f", first at {(here or there)[0]}"
    return ""


def write_json(path: Path, content: Any, *, new: bool = False) -> None:
    """Write JSON atomically; with `new`, only if no other process has."""
    with atomic_write(path, new=new) as file:
        file.write(json.dumps(content, indent=1).encode())


def _read_json(path: Path) -> Any:
    with format_error(path):
        return json.loads(path.read_bytes())


def _write_skipped(file: BinaryIO, skipped: Sequence[Skipped]) -> None:
    text = TextIOWrapper(file, "utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(Skipped._fields)
    for one in skipped:
        writer.writerow([text_cell(one.file), *one[1:3], text_cell(one.reason)])
    text.detach()
