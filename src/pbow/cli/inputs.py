"""What commands read and write: files, or ``-`` for the standard streams."""

from __future__ import annotations

import csv
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO

import click

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pbow.diagrams import Diagrams

__all__ = [
    "check_format",
    "check_json",
    "check_output",
    "has_names",
    "is_stream",
    "load_array",
    "load_model",
    "naming",
    "read_diagrams",
    "read_labels",
    "read_lines",
    "say_written",
    "standard_input",
    "write_diagrams",
    "writing",
]

# The first line of labels that go by name.
NAMES_AND_LABELS = ["file", "label"]
# Without zeros in front, and in the range of 64 bits: as a number it is the same.
WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}")


def is_stream(path: Path) -> bool:
    """Whether a path is ``-``: the standard input, or output."""
    return str(path) == "-"


def read_diagrams(
    given: Path | Sequence[Path], format: str | None = None, *, name: str = "H1"
) -> Diagrams:
    """Read diagrams as :func:`pbow.io.read_diagrams` does; ``-`` is a file by pipe."""
    import pbow.io  # noqa: PLC0415

    paths = [given] if isinstance(given, Path) else list(given)
    if not any(map(is_stream, paths)):
        return pbow.io.read_diagrams(paths, format, name=name)
    with standard_input(paths, lambda data: ".csv") as copy:
        return pbow.io.read_diagrams(copy, format, name=name)


def write_diagrams(X: Diagrams, path: Path, format: str | None = None) -> None:
    """Write diagrams whole or not at all; to the standard output as CSV."""
    import pbow.io  # noqa: PLC0415
    from pbow.io.csv import write_csv  # noqa: PLC0415

    if is_stream(path):
        with writing(path) as stream:
            write_csv(X, stream)
        return
    with naming(path):
        pbow.io.write_diagrams(X, path, format)
    say_written(path, X)


def load_model(path: Path) -> Any:
    """Load a fitted estimator."""
    from pbow.io.models import load  # noqa: PLC0415

    return load(path)


def say_written(path: Path, content: object) -> None:
    """Say on stderr what was written."""
    click.echo(f"{path}: {content}", err=True)


@contextmanager
def standard_input(
    given: Sequence[Path], ending: Callable[[bytes], str]
) -> Iterator[Path]:
    """Give a file with what comes by a pipe, in which readers go back and forth.

    Parameters
    ----------
    given : sequence of Path
        What the user named: ``-``, and nothing else.
    ending : callable
        Tells the ending of the file's name by its content.
    """
    if len(given) > 1:
        msg = "The standard input, -, cannot be read together with other files."
        raise ValueError(msg)
    with naming("the standard input"):
        data = sys.stdin.buffer.read()
    with TemporaryDirectory() as folder:
        copy = Path(folder, f"input{ending(data)}")
        copy.write_bytes(data)
        try:
            yield copy
        except (ImportError, ValueError) as error:
            msg = str(error).replace(str(copy), "the standard input")
            kind = ImportError if isinstance(error, ImportError) else ValueError
            raise kind(msg) from error


@contextmanager
def naming(path: Path | str) -> Iterator[None]:
    """Let errors of the system that know no file, as of a full disk, name this one."""
    try:
        yield
    except OSError as error:
        if error.strerror and error.filename is None:
            error.filename = "the standard output" if str(path) == "-" else str(path)
        raise


def check_json(path: Path, *, as_json: bool) -> None:
    """Raise if both a result and a report would be printed."""
    if as_json and is_stream(path):
        msg = "--json prints to the standard output, and so would -; name a file."
        raise click.UsageError(msg)


def check_format(
    path: Path, format: str | None, *, keep: Iterable[Path | None] = ()
) -> None:
    """Raise before the work if diagrams cannot be written to `path` after it."""
    from pbow.io.formats import EXTENSIONS  # noqa: PLC0415

    if is_stream(path):
        if format not in {None, "csv"}:
            msg = f"The standard output takes csv, not {format}. Name a file."
            raise ValueError(msg)
        return
    if format is None and path.suffix.lower() not in EXTENSIONS:
        msg = (
            f"The name of {path} does not tell its format; "
            f"{', '.join(EXTENSIONS)} would."
        )
        raise ValueError(msg)
    check_output(path, keep=keep, may_be_folder=True)


def check_output(
    path: Path, *, keep: Iterable[Path | None] = (), may_be_folder: bool = False
) -> None:
    """Raise before the work if nothing could be written to `path` after it.

    Parameters
    ----------
    path : Path
        What is going to be written.
    keep : iterable of Path or None
        Inputs, and other outputs, which must not be overwritten; of a folder, no file
        in it.
    may_be_folder : bool, default=False
        Whether a folder can be written to.
    """
    if is_stream(path):
        msg = "What is written here does not go through a pipe; name a file, not -."
        raise ValueError(msg)
    # Of what cannot be a name, as a link to itself, the system knows why.
    with suppress(FileNotFoundError, NotADirectoryError):
        path.stat()
    if path.is_dir():
        if may_be_folder:
            return
        msg = f"Cannot write {path}: it is a folder. Name a file in it."
        raise IsADirectoryError(msg)
    if path.exists() and not path.is_file():  # a pipe, a device
        return
    try:
        with TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        msg = f"Cannot write to the folder {path.parent}: {error.strerror}."
        raise OSError(msg) from error
    for other in keep:
        if other is not None and not is_stream(other) and _is_in(path, other):
            msg = (
                f"Cannot write {path}: it is an input, or another output, of the same "
                "command. Name another file."
            )
            raise click.UsageError(msg)


def _is_in(path: Path, other: Path) -> bool:
    """Whether a path is another one, by whatever name, or an old file in it."""
    if other.is_dir():
        return path.exists() and path.resolve().parent == other.resolve()
    if path.exists() and other.exists():
        return path.samefile(other)
    return path.resolve() == other.resolve()


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """Open a file that appears when it is complete, or the standard output."""
    from pbow._utils.files import atomic_write  # noqa: PLC0415

    with naming(path):
        if is_stream(path):
            stream = sys.stdout.buffer
            yield stream
            stream.flush()
            return
        with atomic_write(path) as file:
            yield file


def read_labels(path: Path, n_samples: int, names: Path | None = None) -> NDArray[Any]:
    """Read the class of each diagram: whole numbers, or strings.

    Parameters
    ----------
    path : Path
        A text with one label a line, which may have spaces, or an array in a ``.npy``
        file; with `names`, a CSV file with the columns ``file`` and ``label``.
    n_samples : int
        Number of diagrams.
    names : Path, default=None
        A text with the name of each diagram, a line each, by which to find its label.
    """
    if names is not None:
        labels = _as_array(_labels_by_name(path, names, n_samples))
    elif path.suffix.lower() == ".npy":
        labels = load_array(path)
        if labels.ndim != 1 or labels.dtype.kind not in "iuU":
            msg = (
                f"Expected {path} to have one whole number or string a diagram; it "
                f"is {labels.dtype} of shape {labels.shape}."
            )
            raise ValueError(msg)
    else:
        lines = read_lines(path, "label")
        if _cells(lines[0]) == NAMES_AND_LABELS:
            msg = (
                f"{path} has labels by the names of files, which are taken with "
                "--names, the names that pbow homology --names-out has written."
            )
            raise ValueError(msg)
        labels = _as_array(lines)
    if len(labels) != n_samples:
        msg = (
            f"Expected a label for each of the {n_samples} diagrams; {path} has "
            f"{len(labels)}."
        )
        raise ValueError(msg)
    return labels


def has_names(path: Path) -> bool:
    """Whether labels go by the names of files: a line has two columns, and not one."""
    if path.suffix.lower() == ".npy":
        return False
    return len(_cells(read_lines(path, "label")[0])) > 1


def _labels_by_name(path: Path, names: Path, n_samples: int) -> list[str]:
    wanted = read_lines(names, "name")
    if len(wanted) != n_samples:
        msg = (
            f"Expected a name for each of the {n_samples} diagrams; {names} has "
            f"{len(wanted)}."
        )
        raise ValueError(msg)
    rows = [_cells(line) for line in read_lines(path, "label")]
    for number, row in enumerate(rows, start=1):
        if len(row) != 2 or "" in row:
            msg = (
                f"Expected {path} to have two columns, file and label, as --names is "
                f"given; line {number} is {','.join(row)!r}."
            )
            raise ValueError(msg)
    if rows[0] == NAMES_AND_LABELS:
        del rows[0]
    _check_once(names, wanted)
    _check_once(path, [name for name, _ in rows])
    labels = dict(rows)
    missing = [name for name in wanted if name not in labels]
    if missing:
        more = f" and {len(missing) - 1} more" if missing[1:] else ""
        msg = f"{path} has no label for {missing[0]}{more} of {names}."
        raise ValueError(msg)
    return [labels[name] for name in wanted]


def _check_once(path: Path, names: Sequence[str]) -> None:
    for name, times in Counter(names).items():
        if times > 1:
            msg = f"Expected every name once in {path}; {name} is there {times} times."
            raise ValueError(msg)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in next(csv.reader([line], skipinitialspace=True))]


def _as_array(labels: Sequence[str]) -> NDArray[Any]:
    import numpy as np  # noqa: PLC0415

    array = np.array(labels)
    # As numbers 2 comes before 10; only if nothing is lost, as zeros in front.
    if all(WHOLE_NUMBER.fullmatch(label) for label in labels):
        array = array.astype(np.int64)
    return array


def load_array(path: Path) -> NDArray[Any]:
    """Read the array of a ``.npy`` file; one that would run code is refused."""
    import numpy as np  # noqa: PLC0415

    with path.open("rb") as file:
        try:
            array: NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
        except (ValueError, EOFError) as error:
            msg = f"Cannot read {path}: it is no array of numbers that numpy has saved."
            raise ValueError(msg) from error
    return array


def read_lines(path: Path, noun: str) -> list[str]:
    """Read what stands on each line, without spaces around it."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        msg = f"Expected {path} to be a text with a {noun} a line; it is no text."
        raise ValueError(msg) from error
    lines = [line.strip() for line in text.rstrip().split("\n")]
    if "" in lines:
        what = f"line {lines.index('') + 1}" if len(lines) > 1 else "it"
        msg = f"Expected {path} to have a {noun} on each line; {what} is empty."
        raise ValueError(msg)
    return lines
