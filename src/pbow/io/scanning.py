"""Files that are read in blocks: Parquet, Arrow and pbow's own."""

from __future__ import annotations

import glob
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pbow._utils.checks import check_option
from pbow._utils.files import AnyPath
from pbow._utils.text import natural_key
from pbow._utils.unpacking import damage_as_value_error
from pbow.blocks import (
    DiagramBlocks,
    NamedDiagrams,
    Rows,
    Skip,
    Source,
    located,
    numbered,
)
from pbow.diagrams import Diagrams, check_diagrams
from pbow.errors import (
    DiagramError,
    FileFormatError,
    ParameterError,
    format_error,
    of_part,
)
from pbow.io.arrow import (
    NAMES,
    from_arrow,
    from_tables,
    import_arrow,
    mapped_file,
    parts_of,
)
from pbow.io.container import DIAGRAMS, read_container
from pbow.io.files import files_at, format_of
from pbow.io.native import from_arrays

__all__ = ["SCANNERS", "find_files", "scan_diagrams"]

BYTES_A_POINT = 16


# Of a piece, about this share is decoded at a time: repeated values take few bytes of a
# Parquet file, and how much they are in memory is known once they are there.
DECODED_AT_ONCE = 1 / 16
# Blocks of which a piece is read to estimate the size of all.
N_LOOKED_AT = 10


class Sizes(NamedTuple):
    """How much a block has, which is a task of its own, and a piece, read at once.

    Blocks are cut by their size in the file, and pieces by that in memory.
    """

    block_bytes: int = 1 << 26
    piece_bytes: int = 1 << 24
    piece_rows: int = 1 << 17


SIZES = Sizes()


def scan_diagrams(
    source: AnyPath | Iterable[AnyPath | Any] | Callable[[], Iterable[Any]],
    *,
    on_error: str = "raise",
) -> DiagramBlocks:
    """Look at diagrams in files without loading them, as blocks to be read in turn.

    Parameters
    ----------
    source : str, path-like, iterable of these, or blocks
        A Parquet, Arrow or ``.pbow`` file; a folder of such files, or a pattern as
        ``"data/*.parquet"``, which are taken in natural order (2 before 10); or several
        of these. Anything else that :class:`~pbow.DiagramBlocks` takes, also
        with record batches of pyarrow as blocks.
    on_error : {"raise", "skip"}, default="raise"
        What to do with a file that is damaged from the start: stop, or make it a block
        without samples, which :func:`pbow.distributed.transform` lists as skipped.

    Returns
    -------
    blocks : DiagramBlocks
        Row groups, batches, or ranges of rows. A text column ``sample`` of Parquet and
        Arrow files has the names of the samples. A file that changes while the blocks
        are in use is detected, and is an error.

    Raises
    ------
    FileFormatError
        If a file is damaged, or of another format.
    FileNotFoundError
        If there is no file.
    ValueError
        If files have different parts, or no samples.

    See Also
    --------
    read_diagrams : All diagrams in memory.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from pbow.io import scan_diagrams, write_diagrams
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_diagrams([[[0.0, 1.0]], []], Path(folder, "1.parquet"))
    ...     write_diagrams([[[0.5, 2.0]]], Path(folder, "2.parquet"))
    ...     blocks = scan_diagrams(folder)
    ...     blocks.n_samples, [len(X) for X in blocks]
    (3, [2, 1])
    """
    check_option("on_error", on_error, ("raise", "skip"))
    if isinstance(source, DiagramBlocks):
        return source
    given: Any = [source] if _is_path(source) else source
    if not _has_paths(given):
        return DiagramBlocks(_with_tables(given))
    files = [file for one in given for file in find_files(one)]
    return DiagramBlocks.of_sources(sources_of(files, skips=on_error == "skip"))


def _is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


def _can_be_walked_again(source: Any) -> bool:
    return isinstance(source, Iterable) and iter(source) is not source


def _has_paths(source: Any) -> bool:
    return (
        not callable(source)
        and not isinstance(source, Diagrams)
        and _can_be_walked_again(source)
        # The first one alone: others may be made as they are walked.
        and _is_path(next(iter(source), None))
        and all(map(_is_path, source))
    )


def _with_tables(source: Any) -> Any:
    """Return what is no path for DiagramBlocks, which says what it does not take."""
    if callable(source):
        return lambda: map(_from_any, source(), count())
    if isinstance(source, Diagrams) or not _can_be_walked_again(source):
        return source
    if isinstance(source, Sequence):
        return list(map(_from_any, source, count()))
    return lambda: map(_from_any, source, count())


def _from_any(block: Any, number: int) -> Any:
    if not hasattr(block, "schema"):
        return block
    with numbered(number):
        X = from_arrow(block)
    if not (names := _names_in(block.schema)):
        return X
    column = block.column(names[0]).cast("string")
    # A table's column is in chunks, and a batch's is not.
    whole = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    return NamedDiagrams(X, whole)


def estimated_bytes(files: list[Path]) -> float:
    """Estimate how much memory all points of files take, from a few pieces of them."""
    sources = sources_of(files)
    step = -(-len(sources) // N_LOOKED_AT)
    pieces = [next(iter(source.read(_ignore))).diagrams for source in sources[::step]]
    n_points = sum(len(X[name].points) for X in pieces for name in X.parts)
    n_samples = sum(source.n_samples for source in sources)
    return BYTES_A_POINT * n_points * n_samples / max(1, sum(map(len, pieces)))


def _ignore(*_: Any) -> None:
    """Skip a sample: who reads them all is going to find it."""


def find_files(given: AnyPath) -> list[Path]:
    """Return the files that a path or a pattern stands for."""
    path = Path(given)
    if path.exists() or not glob.has_magic(os.fspath(given)):
        try:
            return files_at(path, None)
        except FileNotFoundError as error:
            if not path.is_dir() or not any(path.glob("*/**/*.parquet")):
                raise
            msg = (
                f"The folder {path} has Parquet files in its subfolders only. Pass a "
                f"pattern, '{path}/**/*.parquet'."
            )
            raise FileNotFoundError(msg) from error
    found = map(Path, glob.iglob(os.fspath(given), recursive=True))  # noqa: PTH207
    files = sorted(
        (p for p in found if p.is_file() and not p.name.startswith((".", "_"))),
        key=lambda path: natural_key(os.fspath(path)),
    )
    if not files:
        msg = f"No file matches {os.fspath(given)}."
        raise FileNotFoundError(msg)
    return files


def _known_everywhere(files: list[Path]) -> list[Path]:
    """Return files by names that hold in every folder: of workers, of a later call.

    A link keeps its own name, by which its samples are called.
    """
    folders = {folder: folder.resolve() for folder in {file.parent for file in files}}
    return [folders[file.parent] / file.name for file in files]


def sources_of(
    files: list[Path], *, skips: bool = False, sizes: Sizes = SIZES
) -> list[Source]:
    """Return the blocks of files; with `skips`, also of those that are damaged."""
    sources: list[Any] = []
    first: tuple[Path, tuple[str, ...]] | None = None
    for file in _known_everywhere(files):
        kind = _kind_of(file)
        try:
            parts, blocks = SCANNERS[kind](file, sizes)
        except FileFormatError as error:
            if not skips:
                raise
            sources.append(_Unreadable(os.fspath(file), _state_of(file), error.problem))
            continue
        if first is None:
            first = file, parts
        elif set(parts) != set(first[1]):
            msg = (
                f"it has parts {', '.join(parts)}, and {first[0]} has "
                f"{', '.join(first[1])}. Files must have the same parts."
            )
            if not skips:
                raise FileFormatError(file, msg)
            sources.append(_Unreadable(os.fspath(file), _state_of(file), msg))
            continue
        sources += blocks
    if first is None and sources:
        raise FileFormatError(sources[0].file, sources[0].problem)
    if first is None or not sources:
        others = " and the others" if len(files) > 1 else ""
        msg = f"There are no samples in {files[0]}{others}."
        raise ValueError(msg)
    # All in the order of the first file.
    same = [replace(source, parts=first[1]) for source in sources]
    if len({file.name for file in files}) == len({*map(os.fspath, files)}):
        return same
    return [
        source
        if isinstance(source, _Unreadable)
        else replace(source, label="/".join(Path(source.file).parts[-2:]))
        for source in same
    ]


def _kind_of(file: Path) -> str:
    try:
        kind = format_of(file)
    except ParameterError as error:
        msg = "expected a Parquet, Arrow or .pbow file."
        raise FileFormatError(file, msg) from error
    if kind not in SCANNERS:
        msg = (
            f"a file of the format {kind} cannot be read in blocks. Convert it to "
            "Parquet by `pbow convert`, or read it whole."
        )
        raise FileFormatError(file, msg)
    return kind


class ChangedFileError(FileFormatError):
    """A file is not what it was; no part of it can be trusted."""


@dataclass(frozen=True)
class _FileBlock(ABC):
    """Rows of a file, from `first` on.

    `state` is the size of the file and its time of change when it was first looked at.
    """

    file: str
    state: tuple[int, int]
    parts: tuple[str, ...]
    first: int
    n_samples: int
    is_whole: bool
    # What samples without a name are called by.
    label: str = field(default="", kw_only=True)

    @property
    def name(self) -> str:
        if self.is_whole:
            return self.file
        last = self.first + self.n_samples - 1
        return f"{self.file}, rows {self.first} to {last}"

    def fingerprint(self) -> str:
        size, changed = self.state
        name = Path(self.file).name
        return f"{name}: {self.n_samples} rows from {self.first}; {size}, {changed}"

    def read(self, skip: Skip | None = None) -> Iterator[Rows]:
        reached = self.first
        try:
            self._check_state()
            for piece in self._pieces():
                rows = self._convert(piece, reached, skip)
                reached += _n_rows(piece)
                yield rows
            self._check_state()
        except (FileFormatError, FileNotFoundError) as error:
            if skip is None or isinstance(error, ChangedFileError):
                raise
            problem = getattr(error, "problem", "the file is not there any more.")
            skip(self.file, reached, self.first + self.n_samples - reached, problem)
        if reached == self.first:  # at least one piece, though without samples
            nothing = Diagrams.from_parts({name: [] for name in self.parts})
            yield Rows(nothing, np.arange(0))

    @abstractmethod
    def _pieces(self) -> Iterator[Any]:
        """Read the rows, a few at a time: whatever :meth:`_diagrams_of` takes."""

    @abstractmethod
    def _diagrams_of(self, piece: Any) -> Diagrams:
        """Make diagrams of a piece."""

    def _names_of(self, piece: Any) -> Any:
        """Return the names of the samples of a piece, if they have any."""
        return None

    def _convert(self, piece: Any, first: int, skip: Skip | None) -> Rows:
        numbers = np.arange(first, first + _n_rows(piece))
        try:
            X = self._diagrams_of(piece)
        except DiagramError as error:
            if skip is None:
                raise located(error, self.file, numbers) from error
            found = list(self._good_rows(piece, 0, first, skip))
            kept = [i for rows, _ in found for i in rows]
            X = Diagrams.concatenate(
                [diagrams for _, diagrams in found]
                or [self._diagrams_of(_slice(piece, 0, 0))]
            )
            names = self._names_of(piece)
            names = None if names is None else names.take(numbers[kept] - first)
            return Rows(check_diagrams(X, parts=self.parts), numbers[kept], names)
        return Rows(check_diagrams(X, parts=self.parts), numbers, self._names_of(piece))

    def _good_rows(
        self, piece: Any, start: int, first: int, skip: Skip
    ) -> Iterator[tuple[range, Diagrams]]:
        """Give the rows that can be read; halves of halves lead to those that cannot.

        `start` is the place of the piece in that whose first row is `first`.
        """
        n = _n_rows(piece)
        try:
            yield range(start, start + n), self._diagrams_of(piece)
        except DiagramError as error:
            if n == 1:
                where = f"part {error.part} " if error.part else ""
                skip(self.file, first + start, 1, f"{where}{error.problem}")
                return
            half = n // 2
            yield from self._good_rows(_slice(piece, 0, half), start, first, skip)
            rest = _slice(piece, half, n)
            yield from self._good_rows(rest, start + half, first, skip)

    def _check_state(self) -> None:
        if _state_of(Path(self.file)) != self.state:
            msg = "it has changed since it was first read. Begin again."
            raise ChangedFileError(self.file, msg)


@dataclass(frozen=True)
class _Unreadable:
    """A file of which not even the number of samples is known."""

    file: str
    state: tuple[int, int]
    problem: str
    parts: tuple[str, ...] = ()
    n_samples: int = 0

    @property
    def name(self) -> str:
        return self.file

    def fingerprint(self) -> str:
        return f"{Path(self.file).name}: {self.state}"

    def read(self, skip: Skip | None = None) -> Iterator[Rows]:
        if skip is None:
            raise FileFormatError(self.file, self.problem)
        skip(self.file, 0, 0, self.problem)
        yield Rows(Diagrams.from_parts({name: [] for name in self.parts}), np.arange(0))


@dataclass(frozen=True)
class _ParquetBlock(_FileBlock):
    """Some row groups of a Parquet file."""

    groups: tuple[int, ...]
    rows_at_once: int
    sizes: Sizes

    def _pieces(self) -> Iterator[Any]:
        """Read a few rows at a time, and join them up to the size of a piece."""
        join = import_arrow("pyarrow").Table.from_batches
        some: list[Any] = []
        n_bytes = n_rows = 0
        try:
            for batch in self._batches():
                n_bytes, n_rows = n_bytes + batch.nbytes, n_rows + batch.num_rows
                _, most_bytes, most_rows = self.sizes
                if some and (n_bytes > most_bytes or n_rows > most_rows):
                    yield join(some)
                    some, n_bytes, n_rows = [], batch.nbytes, batch.num_rows
                some.append(batch)
        except FileFormatError:
            if some:  # the rows before those that are damaged
                yield join(some)
            raise
        if some:
            yield join(some)

    def _batches(self) -> Iterator[Any]:
        """Read a few rows at a time, and validate them: sizes depend on offsets."""
        parquet = import_arrow("pyarrow.parquet")
        with mapped_file(Path(self.file)) as file:
            source = parquet.ParquetFile(file, page_checksum_verification=True)
            for batch in source.iter_batches(
                self.rows_at_once,
                row_groups=list(self.groups),
                columns=[*self.parts, *_names_in(source.schema_arrow)],
                use_threads=False,
            ):
                batch.validate(full=True)
                yield batch

    def _diagrams_of(self, piece: Any) -> Diagrams:
        with _format_error(self.file):
            return from_tables(list(self.parts), [piece], self.state[0])

    def _names_of(self, piece: Any) -> Any:
        names = _names_in(piece.schema)
        return piece.column(names[0]).cast("string").combine_chunks() if names else None


@dataclass(frozen=True)
class _ArrowBlock(_ParquetBlock):
    """A batch of an Arrow file."""

    def _batches(self) -> Iterator[Any]:
        with (
            mapped_file(Path(self.file)) as file,
            import_arrow("pyarrow.ipc").open_file(file) as source,
        ):
            for number in self.groups:
                batch = source.get_batch(number)
                batch.validate(full=True)
                for start in range(0, batch.num_rows, self.rows_at_once):
                    yield batch.slice(start, self.rows_at_once)


@dataclass(frozen=True)
class _NativeBlock(_FileBlock):
    """Some rows of a file of pbow's own."""

    piece_bytes: int

    def _pieces(self) -> Iterator[Any]:
        header, arrays = read_container(self.file, DIAGRAMS, mmap=True)
        with format_error(self.file):
            offsets = [arrays[f"offsets{k}"] for k in range(len(header["parts"]))]
            end = self.first + self.n_samples
            reached = np.sum([o[self.first : end + 1] for o in offsets], axis=0)
            for start, stop in pairwise(_cuts(reached, self.piece_bytes)):
                rows = slice(self.first + start, self.first + stop + 1)
                piece = {}
                for k, own in enumerate(offsets):
                    some = own[rows]
                    piece[f"points{k}"] = np.array(
                        arrays[f"points{k}"][some[0] : some[-1]]
                    )
                    piece[f"offsets{k}"] = some - some[0]
                yield header, piece

    def _diagrams_of(self, piece: Any) -> Diagrams:
        with _format_error(self.file):
            return from_arrays(*piece)


def _scan_parquet(path: Path, sizes: Sizes) -> tuple[tuple[str, ...], list[Source]]:
    parquet = import_arrow("pyarrow.parquet")
    state = _state_of(path)
    with mapped_file(path) as file:
        source = parquet.ParquetFile(file)
        parts = tuple(parts_of(source.schema_arrow))
        groups = [source.metadata.row_group(i) for i in range(source.num_row_groups)]
        n_rows = [group.num_rows for group in groups]
        n_bytes = [max(group.total_byte_size, 1) for group in groups]
    about = path, state, parts
    return parts, list(_grouped(_ParquetBlock, *about, n_rows, n_bytes, sizes))


def _scan_arrow(path: Path, sizes: Sizes) -> tuple[tuple[str, ...], list[Source]]:
    state = _state_of(path)
    n_rows = []
    with (
        mapped_file(path) as file,
        import_arrow("pyarrow.ipc").open_file(file) as source,
    ):
        parts = tuple(parts_of(source.schema))
        for number in range(source.num_record_batches):
            n_rows.append(source.get_batch(number).num_rows)
    # Its points are not looked at here: rows are taken to be alike.
    n_bytes = [max(1, state[0] * n // max(1, sum(n_rows))) for n in n_rows]
    about = path, state, parts
    return parts, list(_grouped(_ArrowBlock, *about, n_rows, n_bytes, sizes))


def _grouped(
    kind: type[_ParquetBlock],
    path: Path,
    state: tuple[int, int],
    parts: tuple[str, ...],
    n_rows: list[int],
    n_bytes: list[int],
    sizes: Sizes,
) -> Iterator[Source]:
    """Make blocks of row groups, small ones of several."""
    cuts = _cuts(np.cumsum([0, *n_bytes]) // BYTES_A_POINT, sizes.block_bytes)
    first = 0
    for start, stop in pairwise(cuts):
        rows = sum(n_rows[start:stop])
        if rows:
            at_once = DECODED_AT_ONCE * sizes.piece_bytes * rows
            at_once = min(max(at_once / sum(n_bytes[start:stop]), 1), sizes.piece_rows)
            whole = len(cuts) == 2
            groups = tuple(range(start, stop))
            about = os.fspath(path), state, parts, first, rows, whole
            yield kind(*about, groups, int(at_once), sizes)
        first += rows


def _scan_native(path: Path, sizes: Sizes) -> tuple[tuple[str, ...], list[Source]]:
    state = _state_of(path)
    header, arrays = read_container(path, DIAGRAMS, mmap=True)
    with format_error(path):
        # Of no sample: the header and the names of the arrays are checked.
        nothing = {
            name: array[:1] * 0 if name.startswith("offsets") else array[:0]
            for name, array in arrays.items()
        }
        parts = from_arrays(header, nothing).parts
        offsets = [arrays[f"offsets{k}"] for k in range(len(parts))]
        if len({len(o) for o in offsets}) > 1:
            msg = "its parts have different numbers of samples."
            raise ValueError(msg)
        for k, own in enumerate(offsets):
            n_points = len(arrays[f"points{k}"])
            if own[0] != 0 or own[-1] != n_points or (own[1:] < own[:-1]).any():
                msg = (
                    f"offsets{of_part(parts[k])} do not grow from 0 to {n_points}, the "
                    "number of points."
                )
                raise ValueError(msg)
        cuts = _cuts(np.sum(offsets, axis=0), sizes.block_bytes)
    about, whole = (os.fspath(path), state, parts), len(cuts) == 2
    blocks = [
        _NativeBlock(*about, start, stop - start, whole, sizes.piece_bytes)
        for start, stop in pairwise(cuts)
    ]
    return parts, [block for block in blocks if block.n_samples]


SCANNERS: dict[str, Callable[[Path, Sizes], tuple[tuple[str, ...], list[Source]]]] = {
    "parquet": _scan_parquet,
    "arrow": _scan_arrow,
    "pbow": _scan_native,
}


@contextmanager
def _format_error(file: str) -> Iterator[None]:
    """Let errors name the file, but for those about a diagram, which has a row."""
    try:
        with damage_as_value_error():
            yield
    except DiagramError:
        raise
    except ValueError as error:
        raise FileFormatError(file, str(error)) from error


def _cuts(reached: NDArray[np.int64], n_bytes: int) -> list[int]:
    """Cut rows where so many bytes are full, given the points before each row."""
    wanted = np.arange(reached[0], reached[-1], n_bytes // BYTES_A_POINT)[1:]
    inner = np.searchsorted(reached, wanted).tolist()
    last = len(reached) - 1
    return [0, *sorted({*inner} - {0, last}), last]


def _state_of(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_size, found.st_mtime_ns


def _names_in(schema: Any) -> list[str]:
    types = import_arrow("pyarrow.types")
    at = schema.get_field_index(NAMES)
    if at < 0:
        return []
    kind = schema.field(at).type
    kind = kind.value_type if types.is_dictionary(kind) else kind
    # Views came with pyarrow 16.
    is_view = getattr(types, "is_string_view", lambda _: False)
    is_text = types.is_string(kind) or types.is_large_string(kind) or is_view(kind)
    return [NAMES] if is_text or types.is_integer(kind) else []


def _n_rows(piece: Any) -> int:
    if isinstance(piece, tuple):
        return len(piece[1]["offsets0"]) - 1
    n: int = piece.num_rows
    return n


def _slice(piece: Any, start: int, stop: int) -> Any:
    if not isinstance(piece, tuple):
        return piece.slice(start, stop - start)
    header, arrays = piece
    some = {}
    for k in range(len(arrays) // 2):
        offsets = arrays[f"offsets{k}"][start : stop + 1]
        some[f"points{k}"] = arrays[f"points{k}"][offsets[0] : offsets[-1]]
        some[f"offsets{k}"] = offsets - offsets[0]
    return header, some
