"""``pbow transform``: diagrams to vectors."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from pbow.cli import options
from pbow.cli.descriptors import model_classes
from pbow.cli.inputs import (
    check_json,
    check_output,
    is_stream,
    read_diagrams,
    writing,
)
from pbow.cli.shell import Command
from pbow.cli.show import report

__all__ = ["transform"]


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
@model_classes
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
    pbow transform model.pbow diagrams.pbow -o vectors.parquet --names names.txt
    cat diagrams.csv | pbow transform model.pbow - -o - | head
    """
    from pbow import load  # noqa: PLC0415
    from pbow.io import read_names  # noqa: PLC0415
    from pbow.io.vectors import VECTOR_FORMATS  # noqa: PLC0415

    start = time.perf_counter()
    check_json(output, as_json=as_json)
    extension = ".csv" if is_stream(output) else output.suffix.lower()
    if extension not in VECTOR_FORMATS:
        known = ", ".join(VECTOR_FORMATS)
        msg = f"Expected a {known} file for the vectors; got {output}."
        raise click.UsageError(msg)
    if names is not None and extension == ".npy":
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
    H = fitted.transform(X, progress=sys.stderr.isatty())
    columns = fitted.get_feature_names_out().tolist()
    with writing(output) as file:
        VECTOR_FORMATS[extension](file, H, columns, samples)
    n_rows, n_columns = H.shape
    facts = {"samples": n_rows, "features": n_columns}
    content = f"{n_rows} rows, {n_columns} columns"
    report(output, content, start, as_json=as_json, **facts)
