"""Features of blocks, written to files, on any executor."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from itertools import accumulate
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from pbow._utils.checks import check_option
from pbow._utils.files import AnyPath, atomic_write
from pbow._utils.matrix_file import Mark, Mask, fill_file, partial_file
from pbow.blocks import BlockError, DiagramBlocks, Rows, Skip, Source, located
from pbow.diagrams import Diagrams
from pbow.distributed._jobs import Summary, check_executor, run_tasks
from pbow.errors import DiagramError, ParameterError
from pbow.estimator import DiagramEstimator
from pbow.io.models import digest_of
from pbow.io.output_folder import OutputFolder, Skipped, write_json
from pbow.io.scanning import scan_diagrams
from pbow.io.vectors import ParquetVectors

__all__ = ["transform"]

# Runs a task on blocks of these numbers, with what else the task of each gets.
Run = Callable[..., None]

# Of the features that are in memory at a time.
FEATURE_BYTES = 1 << 24


def transform(
    model: Any,
    blocks: Any,
    out: AnyPath,
    *,
    executor: Executor | None = None,
    resume: bool = False,
    on_error: str = "raise",
    progress: bool = False,
) -> Summary:
    """Encode diagrams block after block, and write the features to files.

    Parameters
    ----------
    model : fitted vectorizer, or pipeline
        What has ``transform`` from Diagrams to a 2-D array.
    blocks : DiagramBlocks, or what :func:`pbow.io.scan_diagrams` takes
        The diagrams.
    out : str or path-like
        A folder that is new or empty, for one Parquet file per block: a column
        ``sample`` with the name of each sample, or else its file and row, and one
        column per feature. Or a ``.npy`` file, which has the features alone, with a
        description beside it in ``<out>.json``.
    executor : concurrent.futures.Executor, optional
        Runs the tasks. By default they run in this process. Workers write to `out`
        themselves, which must be the same folder for all.
    resume : bool, default=False
        Continue an interrupted call. Model and files must be the same.
    on_error : {"raise", "skip"}, default="raise"
        At a sample that cannot be read or encoded, stop, or leave it out and list it
        by file, row and reason in ``_skipped.csv`` in the folder. Rows of a ``.npy``
        file have no names, and none can be left out.
    progress : bool, default=False
        Whether to show a progress bar on stderr.

    Returns
    -------
    summary : Summary
        What was written and what was skipped.

    Raises
    ------
    ValueError
        If a diagram is bad; its file and row are named. What is finished is kept.
    FileExistsError
        If there is something else in `out`.
    concurrent.futures.BrokenExecutor
        If a process of a pool was killed: make a new one, and call again with
        ``resume=True``.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> import pbow
    >>> from pbow import distributed
    >>> blocks = [[[[0.0, 1.0], [0.0, 3.0]]], [[[1.0, 2.0]]]]
    >>> model = distributed.fit(pbow.PersistenceBoW(2, random_state=0), blocks)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     summary = distributed.transform(model, blocks, Path(folder, "H.npy"))
    ...     np.load(Path(folder, "H.npy"))
    array([[1., 1.],
           [1., 0.]])
    >>> summary.n_samples
    2
    """
    check_option("on_error", on_error, ("raise", "skip"))
    check_executor(executor)
    out = Path(out).resolve()  # workers may be in other folders
    is_npy = out.suffix.lower() == ".npy"
    if is_npy and on_error == "skip":
        expected = "'raise' for a .npy file, whose rows have no names"
        raise ParameterError("on_error", expected, on_error)
    blocks = scan_diagrams(blocks, on_error=on_error)
    columns = _feature_names(model, blocks.parts)  # of a fitted model alone
    about = [(s.name, s.fingerprint(), s.n_samples) for s in blocks.sources()]
    job: dict[str, Any] = {
        "model": f"{type(model).__name__} {joblib.hash(_decisive(model))}",
        "input": [(name, fingerprint) for name, fingerprint, _ in about],
        "columns": columns,
    }
    sizes = [n_samples for _, _, n_samples in about]

    def run(
        task: Callable[..., int],
        missing: list[int],
        arguments: Callable[[int], tuple[Any, ...]],
        after: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Run ``task(source, number, model, *arguments(number))`` for some blocks."""
        tasks = (
            (source, i, model, *arguments(i))
            for i, source in _some_of(blocks, missing, job["input"])
        )
        total = sum(sizes[i] for i in missing)
        run_tasks(
            executor,
            task,
            tasks,
            total,
            progress=progress,
            after=lambda given: after(given[1]),
        )

    if not is_npy:
        folder = OutputFolder(out, job, len(sizes), resume=resume)
        return _fill_folder(folder, sizes, columns, run, on_error)
    dtype = _encode(model, _nothing(blocks.parts)).dtype
    return _fill_npy(out, sizes, dtype, job, run, resume=resume)


def _fill_folder(
    folder: OutputFolder, sizes: list[int], columns: list[str], run: Run, on_error: str
) -> Summary:
    def arguments(block: int) -> tuple[Any, ...]:
        skipped_file = folder.skipped_file_of(block) if on_error == "skip" else None
        return columns, folder.file_of(block), skipped_file

    run(_encode_block, folder.missing(), arguments)
    n_samples = sum(sizes)
    skipped = folder.finish(n_samples=n_samples)
    n_skipped = sum(one.n_rows for one in skipped)
    return Summary(n_samples - n_skipped, len(columns), skipped)


def _fill_npy(
    out: Path,
    sizes: list[int],
    dtype: Any,
    job: dict[str, Any],
    run: Run,
    *,
    resume: bool,
) -> Summary:
    starts = list(accumulate(sizes, initial=0))
    partial = partial_file(out)
    if not resume and (partial.exists() or out.exists()):
        msg = (
            f"{out} is there already, or has been begun. Resume that job, or name "
            "another file."
        )
        raise FileExistsError(errno.EEXIST, msg)

    def fill(matrix: NDArray[Any], done: Mask, mark: Mark) -> None:
        missing = np.flatnonzero(~done[:, 0]).tolist()
        run(
            _encode_into,
            missing,
            lambda i: (partial, starts[i], sizes[i]),
            lambda i: mark(i, 0),
        )

    shape = starts[-1], len(job["columns"])
    fill_file(out, shape, joblib.hash(job), (len(sizes), 1), fill, dtype=dtype)
    write_json(Path(f"{os.fspath(out)}.json"), job)
    return Summary(*shape, [])


def _encode_block(
    source: Source,
    _: int,
    model: Any,
    columns: list[str],
    target: Path,
    skipped_file: Path | None,
) -> int:
    """Write the features of one block, and what was skipped in it, if that may be."""
    skipped: list[Skipped] = []
    skip = None if skipped_file is None else lambda *w: skipped.append(Skipped(*w))
    with atomic_write(target) as file, ParquetVectors(file, columns) as writer:
        for piece in _pieces(source, len(columns), skip):
            rows, H = _encode_rows(model, source, piece, skip)
            writer.write(H, _names(source, rows))
        # First: a block is done when its file is there.
        if skipped_file is not None and skipped:
            write_json(skipped_file, skipped)
        elif skipped_file is not None:
            skipped_file.unlink(missing_ok=True)  # of a call that did not finish it
    return source.n_samples


def _encode_into(
    source: Source, _: int, model: Any, partial: Path, first: int, n_samples: int
) -> int:
    """Write the features of one block to its rows of a matrix in a file.

    Not through a memory map: on network disks, two machines that write to the same page
    would undo each other's rows.
    """
    matrix = open_memmap(partial, mode="r")
    row_bytes = matrix.shape[1] * matrix.itemsize
    start = matrix.offset + first * row_bytes
    dtype, n_features = matrix.dtype, matrix.shape[1]
    del matrix
    reached = 0
    file = os.open(partial, os.O_WRONLY | getattr(os, "O_BINARY", 0))
    try:
        for piece in _pieces(source, n_features, None):
            _rows, H = _encode_rows(model, source, piece, None)
            if reached + len(H) <= n_samples:
                data = np.ascontiguousarray(H, dtype).reshape(-1).view(np.uint8)
                _write_at(file, data.data, start + reached * row_bytes)
            reached += len(H)
        os.fsync(file)
    finally:
        os.close(file)
    if reached != n_samples:
        msg = f"it had {n_samples} samples when it was counted, and has {reached} now."
        raise BlockError(source.name, None, msg)
    return n_samples


def _write_at(file: int, data: memoryview, place: int) -> None:
    os.lseek(file, place, os.SEEK_SET)
    while data:
        data = data[os.write(file, data) :]


def _pieces(source: Source, n_features: int, skip: Skip | None) -> Iterator[Rows]:
    """Read a block in pieces whose features are not large either."""
    n = max(1, FEATURE_BYTES // (8 * max(1, n_features)))
    for rows in source.read(skip):
        if len(rows.numbers) <= n:
            yield rows
            continue
        for first in range(0, len(rows.numbers), n):
            some = slice(first, first + n)
            names = None if rows.names is None else rows.names[some]
            yield Rows(rows.diagrams[some], rows.numbers[some], names)


def _encode_rows(
    model: Any, source: Source, rows: Rows, skip: Skip | None
) -> tuple[Rows, NDArray[Any]]:
    while True:
        try:
            return rows, _encode(model, rows.diagrams)
        except DiagramError as error:
            wrong = located(error, source.file, rows.numbers)
            if skip is None:
                raise wrong from error
            skip(source.file, int(rows.numbers[error.item]), 1, wrong.problem)
            kept = np.delete(np.arange(len(rows.numbers)), error.item)
            names = None if rows.names is None else rows.names.take(kept)
            rows = Rows(rows.diagrams[kept], rows.numbers[kept], names)


def _encode(model: Any, X: Diagrams) -> NDArray[Any]:
    if len(X) == 0:  # most steps of pipelines take one sample at least
        empty = Diagrams.from_parts({name: [[]] for name in X.parts})
        return _encode(model, empty)[:0]
    H = np.asarray(model.transform(X))
    if H.ndim != 2 or len(H) != len(X):
        msg = (
            f"Expected the model to make a 2-D array with {len(X)} rows; got one of "
            f"shape {H.shape}."
        )
        raise ValueError(msg)
    return H


def _names(source: Source, rows: Rows) -> Any:
    """Return the names of samples; those without are called by file and row."""
    if rows.names is not None:
        return rows.names
    stem = getattr(source, "label", "") or Path(source.file).name
    return np.char.add(f"{stem}:", rows.numbers.astype(str))


def _feature_names(model: Any, parts: tuple[str, ...]) -> list[str]:
    """Return the names of a model's features."""
    n_features = _encode(model, _nothing(parts)).shape[1]
    try:
        names = [str(name) for name in model.get_feature_names_out()]
    except (AttributeError, ValueError):  # a step of a pipeline has none
        names = []
    if len(names) != n_features:
        return [f"feature{k}" for k in range(n_features)]
    return names


def _nothing(parts: tuple[str, ...]) -> Diagrams:
    return Diagrams.from_parts({name: [] for name in parts})


def _some_of(
    blocks: DiagramBlocks, wanted: Iterable[int], known: Sequence[tuple[str, str]]
) -> Iterator[tuple[int, Source]]:
    """Give some blocks with their numbers; others that are in memory are let go.

    All must be the blocks that are known, by name and fingerprint.
    """
    numbers = {*wanted}
    changed = "it has changed since the blocks were counted. Begin again."
    n_blocks = 0
    for i, source in enumerate(blocks.sources()):
        n_blocks += 1
        if i >= len(known) or (source.name, source.fingerprint()) != known[i]:
            raise BlockError(source.name, None, changed)
        if i in numbers:
            yield i, source
    if n_blocks < len(known):
        raise BlockError(known[n_blocks][0], None, changed)


def _decisive(model: Any) -> Any:
    """Return what the features of a model depend on."""
    if isinstance(model, Pipeline):
        return [_decisive(step) for _, step in model.steps]
    return digest_of(model) if isinstance(model, DiagramEstimator) else model
