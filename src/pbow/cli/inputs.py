"""What commands read and write: files, or ``-`` for the standard streams."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO

import click

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pbow.diagrams import Diagrams

__all__ = [
    "check_format",
    "check_output",
    "is_stream",
    "load_array",
    "load_model",
    "read_diagrams",
    "read_labels",
    "read_lines",
    "say_written",
    "write_diagrams",
    "writing",
]

# What messages advise to write in Python, and what to write here.
IN_THE_SHELL = {
    r"Pass format=": "Name it by pbow convert --from",
    r"as in X\['(.+)'\]": r"as in --parts \1",
    r" Use pbow\.(load|io\.read_diagrams)\.": "",
}
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
    try:
        if not any(map(is_stream, paths)):
            return pbow.io.read_diagrams(paths, format, name=name)
        if len(paths) > 1:
            msg = "The standard input, -, cannot be read together with other files."
            raise ValueError(msg)
        # Readers go back and forth in a file, which a pipe does not allow.
        with TemporaryDirectory() as folder:
            copy = Path(folder, "standard input.csv")
            copy.write_bytes(sys.stdin.buffer.read())
            try:
                return pbow.io.read_diagrams(copy, format, name=name)
            except ValueError as error:
                msg = str(error).replace(str(copy), "the standard input")
                raise ValueError(msg) from error
    except ValueError as error:
        raise ValueError(_for_the_shell(error)) from error


def write_diagrams(X: Diagrams, path: Path, format: str | None = None) -> None:
    """Write diagrams whole or not at all; to the standard output as CSV."""
    import pbow.io  # noqa: PLC0415
    from pbow.io.csv import write_csv  # noqa: PLC0415

    if is_stream(path):
        with writing(path) as stream:
            write_csv(X, stream)
        return
    try:
        pbow.io.write_diagrams(X, path, format)
    except ValueError as error:
        raise ValueError(_for_the_shell(error)) from error
    say_written(path, X)


def load_model(path: Path) -> Any:
    """Load a fitted estimator."""
    from pbow.io.models import load  # noqa: PLC0415

    try:
        return load(path)
    except ValueError as error:
        raise ValueError(_for_the_shell(error)) from error


def say_written(path: Path, content: object) -> None:
    """Say on stderr what was written."""
    click.echo(f"{path}: {content}", err=True)


def check_format(path: Path, format: str | None) -> None:
    """Raise before the work if diagrams cannot be written to `path` after it."""
    from pbow.io.files import EXTENSIONS  # noqa: PLC0415

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
    check_output(path, may_be_folder=True)


def check_output(path: Path, *, may_be_folder: bool = False) -> None:
    """Raise before the work if nothing could be written to `path` after it."""
    if is_stream(path):
        msg = "What is written here does not go through a pipe; name a file, not -."
        raise ValueError(msg)
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


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """Open a file that appears when it is complete, or the standard output."""
    from pbow.io.archive import replacing  # noqa: PLC0415

    if is_stream(path):
        stream = sys.stdout.buffer
        yield stream
        stream.flush()
        return
    with replacing(path) as file:
        yield file


def read_labels(path: Path, n_samples: int) -> NDArray[Any]:
    """Read the class of each diagram: whole numbers, or strings.

    Parameters
    ----------
    path : Path
        A text with one label a line, which may have spaces, or an array in a ``.npy``
        file.
    n_samples : int
        Number of diagrams.
    """
    import numpy as np  # noqa: PLC0415

    if path.suffix.lower() == ".npy":
        labels = load_array(path)
        if labels.ndim != 1 or labels.dtype.kind not in "iuU":
            msg = (
                f"Expected {path} to have one whole number or string a diagram; it "
                f"is {labels.dtype} of shape {labels.shape}."
            )
            raise ValueError(msg)
    else:
        lines = read_lines(path, "label")
        labels = np.array(lines)
        # As numbers 2 comes before 10; only if nothing is lost, as zeros in front.
        if all(WHOLE_NUMBER.fullmatch(line) for line in lines):
            labels = labels.astype(np.int64)
    if len(labels) != n_samples:
        msg = (
            f"Expected a label for each of the {n_samples} diagrams; {path} has "
            f"{len(labels)}."
        )
        raise ValueError(msg)
    return labels


def _for_the_shell(error: ValueError) -> str:
    text = str(error)
    for python, shell in IN_THE_SHELL.items():
        text = re.sub(python, shell, text)
    return text


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
