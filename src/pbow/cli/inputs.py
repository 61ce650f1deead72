"""What commands read and write: files, or ``-`` for the standard streams."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from pbow._utils.files import atomic_write, naming
from pbow.errors import FileFormatError, ParameterError

if TYPE_CHECKING:
    from pbow.diagrams import Diagrams
    from pbow.estimator import DiagramEstimator

__all__ = [
    "check_format",
    "check_json",
    "check_output",
    "is_model",
    "is_stream",
    "load_model",
    "read_diagrams",
    "read_labels",
    "standard_input",
    "write_diagrams",
    "writing",
]


def is_stream(path: Path) -> bool:
    """Whether a path is ``-``: the standard input, or output."""
    return str(path) == "-"


def read_diagrams(*paths: Path, **options: Any) -> Diagrams:
    """Read diagrams as :func:`pbow.io.read_diagrams` does; ``-`` is a pipe."""
    import pbow.io  # noqa: PLC0415

    if not any(map(is_stream, paths)):
        try:
            return pbow.io.read_diagrams(paths, **options)
        except ParameterError as error:
            if error.parameter != "format":
                raise
            # Only `pbow convert` has an option for it.
            given = paths[0] if len(paths) == 1 else paths[0].parent
            msg = (
                f"Expected a format, {error.expected}. Name it: `pbow convert {given} "
                "--from hera -o diagrams.pbow` reads lines of birth and death."
            )
            raise ValueError(msg) from error
    with standard_input(paths, lambda data: ".csv") as copy:
        return pbow.io.read_diagrams(copy, **options)


def read_labels(
    labels: Path | None,
    n_samples: int,
    names: Path | None,
    *,
    diagrams: Path,
    required: bool = True,
) -> Any:
    """Read labels as :func:`pbow.io.read_labels` does.

    Without a file of labels, those that a .npz file of diagrams has are taken. If there
    are none, that is an error, or None.
    """
    import pbow.io  # noqa: PLC0415
    from pbow.io.npz import opened  # noqa: PLC0415

    if labels is not None:
        return pbow.io.read_labels(labels, n_samples, names)
    if diagrams.suffix.lower() == ".npz" and diagrams.is_file():
        with opened(diagrams) as source:
            has_labels = "labels" in source
        if has_labels:
            click.echo(f"Labels of {diagrams}", err=True)
            return pbow.io.read_labels(diagrams, n_samples)
    if required:
        msg = (
            "Missing option '--labels': a file with one label per line, in the order "
            "of the diagrams, as pbow homology --labels-out writes it."
        )
        raise click.UsageError(msg)
    return None


def load_model(path: Path, classes: Sequence[type] = ()) -> DiagramEstimator:
    """Load a model as :func:`pbow.load` does; say where it comes from if it is none."""
    from pbow import load  # noqa: PLC0415

    try:
        return load(path, classes=classes)
    except FileFormatError as error:
        if path.is_dir() or is_model(path):
            raise
        msg = (
            f"{error.problem.rstrip('.')}. The first argument is a model, which pbow "
            "fit writes, and the second the diagrams."
        )
        raise FileFormatError(path, msg) from error


def is_model(path: Path) -> bool:
    """Whether a file is a model of pbow's, if perhaps a damaged one."""
    from pbow.io.container import MODEL, read_header  # noqa: PLC0415

    try:
        read_header(path, MODEL)
    except FileFormatError:
        return False
    return True


def write_diagrams(X: Diagrams, path: Path, format: str | None = None) -> None:
    """Write diagrams as :func:`pbow.io.write_diagrams` does; to ``-`` as CSV."""
    import pbow.io  # noqa: PLC0415
    from pbow.io.csv import write_csv  # noqa: PLC0415

    if is_stream(path):
        with writing(path) as stream:
            write_csv(X, stream)
    else:
        pbow.io.write_diagrams(X, path, format)


@contextmanager
def standard_input(
    given: Sequence[Path], extension: Callable[[bytes], str]
) -> Iterator[Path]:
    """Copy what comes by a pipe to a file, in which readers go back and forth.

    Its extension is that for the content. The user has named ``-`` and nothing else.
    """
    if len(given) > 1:
        msg = "The standard input, -, cannot be read together with other files."
        raise click.UsageError(msg)
    with naming("the standard input"):
        data = sys.stdin.buffer.read()
    with TemporaryDirectory() as folder:
        copy = Path(folder, f"input{extension(data)}")
        copy.write_bytes(data)
        try:
            yield copy
        except FileFormatError as error:
            raise FileFormatError("the standard input", error.problem) from error


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """Open a file that appears when it is complete, or the standard output."""
    if not is_stream(path):
        with atomic_write(path) as file:
            yield file
        return
    with naming("the standard output"):
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()


def check_json(path: Path, *, as_json: bool) -> None:
    """Raise if both a result and a report would be printed."""
    if as_json and is_stream(path):
        msg = "--json prints to the standard output, and so would -; name a file."
        raise click.UsageError(msg)


def check_format(
    path: Path, format: str | None = None, *, keep: Iterable[Path | None] = ()
) -> None:
    """Raise before the work if diagrams cannot be written to `path` after it."""
    from pbow.io.formats import EXTENSIONS, FORMATS  # noqa: PLC0415

    if is_stream(path):
        if format not in {None, "csv"}:
            msg = f"The standard output takes csv, not {format}. Name a file."
            raise click.UsageError(msg)
        return
    kind = format or EXTENSIONS.get(path.suffix.lower())
    if kind is None or FORMATS[kind].write is None:
        msg = (
            f"Cannot infer the format of {path}; known extensions are "
            f"{', '.join(e for e, name in EXTENSIONS.items() if FORMATS[name].write)}."
        )
        raise click.UsageError(msg)
    check_output(path, keep=keep, may_be_folder=True)


def check_output(
    path: Path, *, keep: Iterable[Path | None] = (), may_be_folder: bool = False
) -> None:
    """Raise before the work if nothing could be written to `path` after it.

    What to keep are inputs and other outputs; of a folder, each file in it.
    """
    if is_stream(path):
        msg = "This cannot be written to the standard output; name a file, not -."
        raise click.UsageError(msg)
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
