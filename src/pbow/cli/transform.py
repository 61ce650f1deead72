"""``pbow transform``: diagrams to vectors."""

from __future__ import annotations

import csv
import io
import sys
import time
from collections.abc import Callable, Sequence
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from pbow.cli import options
from pbow.cli.inputs import (
    check_json,
    check_output,
    is_stream,
    read_diagrams,
    writing,
)
from pbow.cli.shell import Command
from pbow.cli.show import report, waiting

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["transform"]

# Rows that are Python objects at a time.
N_ROWS = 1 << 10


@click.command(cls=Command)
@options.model
@options.diagrams
@options.output("File for the vectors, .npy, .csv or .parquet; - prints CSV.")
@click.option(
    "--names",
    type=options.path,
    default=None,
    metavar="FILE",
    help="Names of the samples, one per line, for a first column 'sample'.",
)
@options.model_classes
@options.jobs
@options.as_json
def transform(
    model: Path,
    diagrams: Path,
    output: Path,
    names: Path | None,
    model_classes: tuple[type, ...],
    n_jobs: int,
    *,
    as_json: bool,
) -> None:
    r"""Turn DIAGRAMS into vectors by a MODEL that `pbow fit` has saved.

    One row per sample. The columns have names, as h1_word0, except in .npy files.

    \b
    pbow transform model.pbow diagrams.pbow -o vectors.npy
    pbow transform model.pbow diagrams.pbow -o vectors.parquet --names files.txt
    cat diagrams.csv | pbow transform model.pbow - -o - | head
    """
    from pbow import load  # noqa: PLC0415
    from pbow.io import read_names  # noqa: PLC0415

    start = time.perf_counter()
    check_json(output, as_json=as_json)
    write = _find_writer(output)
    if names is not None and write is _write_npy:
        msg = "A .npy file holds numbers only; with --names take .csv or .parquet."
        raise click.UsageError(msg)
    if not is_stream(output):
        check_output(output, keep=[model, diagrams, names])
    fitted = load(model, classes=model_classes)
    if not hasattr(fitted, "n_features_out_"):
        msg = f"{model} holds {fitted}, which makes diagrams and not vectors."
        raise ValueError(msg)
    X = read_diagrams(diagrams)
    samples = None if names is None else read_names(names, len(X))
    if "n_jobs" in fitted.get_params():
        fitted.set_params(n_jobs=n_jobs)
    if "progress" in signature(fitted.transform).parameters:  # a kernel
        H = fitted.transform(X, progress=sys.stderr.isatty())
    else:
        with waiting(f"Transforming {len(X)} diagrams"):
            H = fitted.transform(X)
    with writing(output) as file:
        write(file, H, fitted.get_feature_names_out().tolist(), samples)
    n_rows, n_columns = H.shape
    facts = {"samples": n_rows, "features": n_columns}
    content = f"{n_rows} rows, {n_columns} columns"
    report(output, content, start, as_json=as_json, **facts)


Writer = Callable[[BinaryIO, "NDArray[Any]", list[str], Sequence[str] | None], None]


def _find_writer(path: Path) -> Writer:
    if is_stream(path):
        return _write_csv
    if path.suffix.lower() not in WRITERS:
        msg = f"Expected a {', '.join(WRITERS)} file for the vectors; got {path}."
        raise click.UsageError(msg)
    return WRITERS[path.suffix.lower()]


def _write_npy(
    file: BinaryIO, H: NDArray[Any], columns: list[str], samples: Sequence[str] | None
) -> None:
    import numpy as np  # noqa: PLC0415

    np.save(file, H)


def _write_csv(
    file: BinaryIO, H: NDArray[Any], columns: list[str], samples: Sequence[str] | None
) -> None:
    text = io.TextIOWrapper(file, "utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns if samples is None else ["sample", *columns])
    for first in range(0, len(H), N_ROWS):
        rows = H[first : first + N_ROWS].tolist()
        if samples is not None:
            named = zip(samples[first : first + N_ROWS], rows, strict=True)
            rows = [[name, *row] for name, row in named]
        writer.writerows(rows)
    text.detach()  # the file is the caller's


def _write_parquet(
    file: BinaryIO, H: NDArray[Any], columns: list[str], samples: Sequence[str] | None
) -> None:
    from pbow._utils.optional import import_optional  # noqa: PLC0415

    purpose = "Writing Parquet files"
    pyarrow = import_optional("pyarrow", extra="arrow", purpose=purpose)
    parquet = import_optional("pyarrow.parquet", extra="arrow", purpose=purpose)
    table = {} if samples is None else {"sample": pyarrow.array(samples)}
    table |= {name: pyarrow.array(H[:, k]) for k, name in enumerate(columns)}
    parquet.write_table(pyarrow.table(table), file)


WRITERS: dict[str, Writer] = {
    ".npy": _write_npy,
    ".csv": _write_csv,
    ".parquet": _write_parquet,
}
