"""Diagrams of raw data in many files, on any executor."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import joblib

import pbow.homology
from pbow._utils.checks import check_option, is_integer
from pbow._utils.files import AnyPath, atomic_write
from pbow.blocks import BlockError
from pbow.datasets.raw import find_raw_files, read_raw
from pbow.diagrams import Diagrams
from pbow.distributed._jobs import Summary, check_executor, run_tasks
from pbow.errors import FileFormatError, ItemError, ParameterError
from pbow.io.arrow import import_arrow, write_parquet
from pbow.io.output_folder import OutputFolder, Skipped, write_json

__all__ = ["homology"]

# What each function of pbow.homology is for.
HOMOLOGY: Mapping[str, str] = {
    "rips": "clouds",
    "alpha": "clouds",
    "sparse_rips": "clouds",
    "dtm_rips": "clouds",
    "cubical": "images",
    "graph_sublevel": "graphs",
    "graph_extended": "graphs",
}


def homology(
    kind: str,
    inputs: AnyPath | Iterable[AnyPath],
    out: AnyPath,
    *,
    executor: Executor | None = None,
    resume: bool = False,
    on_error: str = "raise",
    files_per_block: int = 100,
    progress: bool = False,
    **params: Any,
) -> Summary:
    r"""Compute diagrams of raw data in many files, and write them to Parquet files.

    Parameters
    ----------
    kind : str
        The function of :mod:`pbow.homology`: ``"rips"``, ``"alpha"``,
        ``"sparse_rips"`` or ``"dtm_rips"`` for point clouds, ``"cubical"`` for images,
        ``"graph_sublevel"`` or ``"graph_extended"`` for graphs.
    inputs : str, path-like, or iterable of these
        Files and folders of raw data, as :func:`pbow.datasets.read_raw` reads them.
    out : str or path-like
        A folder that is new or empty, for one Parquet file per block of input files:
        one row per sample, one column per part, and its name in a column ``sample``.
        :func:`pbow.io.scan_diagrams`, :func:`fit` and :func:`transform` take it.
    executor, resume, on_error, progress
        As in :func:`transform`. With ``on_error="skip"``, a block computes its samples
        one by one, in one thread.
    files_per_block : int, default=100
        Number of input files that one task reads.
    **params
        Parameters of the function.

    Returns
    -------
    summary : Summary
        What was written; features are columns of diagrams here.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from pbow import distributed
    >>> from pbow.io import read_diagrams
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "path.txt").write_text("1 2\n2 3\n")
    ...     out = Path(folder, "diagrams")
    ...     _ = distributed.homology("graph_sublevel", Path(folder, "path.txt"), out)
    ...     read_diagrams(out)
    Diagrams(n_samples=1, H0: 2 points (1 essential))
    """
    check_option("kind", kind, HOMOLOGY)
    check_option("on_error", on_error, ("raise", "skip"))
    check_executor(executor)
    out = Path(out).resolve()  # workers may be in other folders
    if not is_integer(files_per_block, 1):
        raise ParameterError("files_per_block", "an int >= 1", files_per_block)
    data = HOMOLOGY[kind]
    listed = [inputs] if isinstance(inputs, (str, os.PathLike)) else inputs
    files = find_raw_files([Path(path).absolute() for path in listed], data)
    blocks = [
        _RawFiles(data, tuple(map(os.fspath, files[i : i + files_per_block])))
        for i in range(0, len(files), files_per_block)
    ]
    compute = partial(getattr(pbow.homology, kind), **params)
    nothing = compute([])  # checks the parameters, and has the parts
    # In any order, and with any number of threads.
    decisive = {name: params[name] for name in sorted(params) if name != "n_jobs"}
    job = {
        "homology": f"{kind} {decisive!r}",
        "input": [[block.name, block.fingerprint()] for block in blocks],
    }
    folder = OutputFolder(out, job, len(blocks), resume=resume)

    def tasks() -> Iterator[tuple[Any, ...]]:
        for i in folder.missing():
            skipped_file = folder.skipped_file_of(i) if on_error == "skip" else None
            yield blocks[i], compute, folder.file_of(i), skipped_file

    run_tasks(
        executor, _compute_block, tasks(), len(files), progress=progress, unit="files"
    )
    skipped = folder.finish()
    read_metadata = import_arrow("pyarrow.parquet").read_metadata
    n_samples = sum(
        read_metadata(folder.file_of(i)).num_rows for i in range(len(blocks))
    )
    return Summary(n_samples, len(nothing.parts), skipped)


class _RawFiles(NamedTuple):
    """Files of raw data that one task reads."""

    data: str
    files: tuple[str, ...]

    @property
    def name(self) -> str:
        if len(self.files) == 1:
            return self.files[0]
        return f"{self.files[0]} to {Path(self.files[-1]).name}"

    def fingerprint(self) -> str:
        states = [(file, Path(file).stat()) for file in self.files]
        digest: str = joblib.hash([(f, s.st_size, s.st_mtime_ns) for f, s in states])
        return digest


def _compute_block(
    block: _RawFiles,
    compute: Callable[[list[Any]], Diagrams],
    target: Path,
    skipped_file: Path | None,
) -> int:
    """Write the diagrams of some files, and what was skipped, if that may be."""
    skipped: list[Skipped] = []
    samples, names, origins = [], [], []
    for file in block.files:
        try:
            found = read_raw(file, block.data)
        except FileFormatError as error:
            if skipped_file is None:
                raise
            skipped.append(Skipped(file, 0, 1, error.problem))
            continue
        samples += found.samples
        names += found.names
        origins += [(file, row) for row in range(len(found.names))]
    try:
        # One by one, if some may be skipped, so that each is computed once.
        if skipped_file is None:
            X = compute(samples)
        else:
            X, names = _good_ones(compute, samples, names, origins, skipped)
    except ItemError as error:
        # With its number, counted from 0, if its file holds several.
        where = os.fspath(Path(origins[error.item][0]).with_name(names[error.item]))
        raise BlockError(where, None, error.problem) from error
    with atomic_write(target) as stream:
        write_parquet(X, stream, names)
        if skipped_file is not None:
            # Also an empty list: one of a killed process may be there.
            write_json(skipped_file, skipped)
    return len(block.files)


def _good_ones(
    compute: Callable[[list[Any]], Diagrams],
    samples: list[Any],
    names: list[str],
    origins: list[tuple[str, int]],
    skipped: list[Skipped],
) -> tuple[Diagrams, list[str]]:
    """Compute the diagrams of samples, and add those that are bad to a list."""
    found, kept = [compute([])], []
    for sample, name, origin in zip(samples, names, origins, strict=True):
        try:
            found.append(compute([sample]))
            kept.append(name)
        except ItemError as error:
            skipped.append(Skipped(*origin, 1, error.problem))
    return Diagrams.concatenate(found), kept
