"""``pbow transform``: diagrams to vectors."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import click

from pbow._utils.text import plural
from pbow.cli import options
from pbow.cli.descriptors import model_classes
from pbow.cli.inputs import (
    check_json,
    check_output,
    is_stream,
    load_model,
    read_diagrams,
    writing,
)
from pbow.cli.shell import Command
from pbow.cli.show import report
from pbow.cli.streaming import cluster, find_files, is_streamed

__all__ = ["transform"]


@click.command(cls=Command)
@options.model
@options.diagrams
@options.output(
    "File for the vectors, .npy, .csv or .parquet; - prints CSV. A folder, which has "
    "no extension, is for one Parquet file per block."
)
@click.option(
    "--names",
    type=options.path,
    default=None,
    metavar="FILE",
    help="Names of the samples, one per line, for a first column 'sample'.",
)
@model_classes
@options.jobs
@options.stream
@options.scheduler
@click.option(
    "--resume",
    is_flag=True,
    help="Continue an interrupted transform. Model and files must be the same.",
)
@click.option(
    "--on-error",
    type=click.Choice(["raise", "skip"]),
    default="raise",
    show_default=True,
    help="At a sample that cannot be read or encoded, stop, or leave it out and list "
    "it by file, row and reason in _skipped.csv in the folder.",
)
@options.as_json
def transform(
    model: Path,
    diagrams: Path,
    output: Path,
    names: Path | None,
    model_classes: tuple[type, ...],
    n_jobs: int,
    scheduler: str | None,
    *,
    stream: bool | None,
    resume: bool,
    on_error: str,
    as_json: bool,
) -> None:
    r"""Turn DIAGRAMS into vectors by a MODEL that `pbow fit` has saved.

    One row per sample. The columns have names, as h1_word0, except in .npy files.
    DIAGRAMS may be a folder, or a quoted pattern, as 'diagrams/*.parquet'.

    Diagrams that are too large for memory are read in blocks, and so are those for a
    folder. Finished blocks are kept if it is interrupted; continue with --resume.

    \b
    pbow transform model.pbow diagrams.pbow -o vectors.npy
    pbow transform model.pbow diagrams.pbow -o vectors.parquet --names names.txt
    cat diagrams.csv | pbow transform model.pbow - -o - | head
    pbow transform model.pbow diagrams.pbow -o vectors/
    pbow transform model.pbow diagrams.pbow -o vectors/ --resume
    """
    start = time.perf_counter()
    check_json(output, as_json=as_json)
    is_folder = _check_extension(output, names)
    files = find_files(diagrams)
    if not is_stream(output):
        check_output(output, keep=[model, *files, names], may_be_folder=is_folder)
    others = {
        "--scheduler": scheduler,
        "--resume": resume,
        "--on-error skip": on_error == "skip",
        "A folder for the vectors": is_folder,
    }
    if on_error == "skip" and not is_folder:
        msg = "--on-error skip needs a folder for the vectors, as in -o vectors/."
        raise click.UsageError(msg)
    in_blocks = is_streamed(files, others, asked=stream)
    if in_blocks:
        _check_blocks(output, names, is_folder=is_folder)
    fitted = load_model(model, model_classes)
    if not hasattr(fitted, "n_features_out_"):
        msg = f"{model} holds {fitted}, which makes diagrams and not vectors."
        raise ValueError(msg)
    if "n_jobs" in fitted.get_params():
        # Of a cluster, other tasks have the other processors.
        one_each = scheduler is not None and n_jobs == -1
        fitted.set_params(n_jobs=1 if one_each else n_jobs)
    if not in_blocks:
        facts = _at_once(fitted, files, output, names)
    else:
        how = {"resume": resume, "on_error": on_error}
        facts = _by_blocks(fitted, files, output, scheduler, **how)
    content = f"{facts['samples']} rows, {facts['features']} columns"
    report(output, content, start, as_json=as_json, **facts)


def _check_extension(output: Path, names: Path | None) -> bool:
    """Return whether the output is a folder; raise if it is nothing known."""
    from pbow.io.vectors import VECTOR_FORMATS  # noqa: PLC0415

    extension = ".csv" if is_stream(output) else output.suffix.lower()
    if not extension or (output.is_dir() and extension not in VECTOR_FORMATS):
        return True
    if extension not in VECTOR_FORMATS:
        known = ", ".join(VECTOR_FORMATS)
        msg = (
            f"Expected a {known} file for the vectors, or a folder, without an "
            f"extension; got {output}."
        )
        raise click.UsageError(msg)
    if names is not None and extension == ".npy":
        msg = "A .npy file holds numbers only; with --names take .csv or .parquet."
        raise click.UsageError(msg)
    return False


def _check_blocks(output: Path, names: Path | None, *, is_folder: bool) -> None:
    """Raise if vectors cannot be written there in blocks, or not with these names."""
    if not is_folder and output.suffix.lower() != ".npy":
        msg = (
            "Diagrams are read in blocks, and vectors written in blocks: take a folder "
            f"for them, as in -o vectors, or a .npy file; got {output}. --no-stream "
            "reads all at once."
        )
        raise click.UsageError(msg)
    if names is not None:
        msg = (
            "Diagrams are read in blocks, and --names is for all at once. Put the "
            "names into a text column 'sample' of the Parquet files of diagrams; it "
            "becomes the column 'sample' of the vectors."
        )
        raise click.UsageError(msg)


def _at_once(
    fitted: Any, files: list[Path], output: Path, names: Path | None
) -> dict[str, int]:
    from pbow.io import read_names  # noqa: PLC0415
    from pbow.io.vectors import VECTOR_FORMATS  # noqa: PLC0415

    X = read_diagrams(*files)
    samples = None if names is None else read_names(names, len(X))
    H = fitted.transform(X, progress=sys.stderr.isatty())
    columns = fitted.get_feature_names_out().tolist()
    extension = ".csv" if is_stream(output) else output.suffix.lower()
    with writing(output) as file:
        VECTOR_FORMATS[extension](file, H, columns, samples)
    return {"samples": H.shape[0], "features": H.shape[1]}


def _by_blocks(
    fitted: Any, files: list[Path], output: Path, scheduler: str | None, **how: Any
) -> dict[str, int]:
    from pbow import distributed  # noqa: PLC0415
    from pbow.io.output_folder import SKIPPED  # noqa: PLC0415

    with cluster(scheduler) as executor:
        made = distributed.transform(
            fitted,
            files,
            output.resolve(),
            executor=executor,
            progress=sys.stderr.isatty(),
            **how,
        )
    n_skipped = sum(one.n_rows for one in made.skipped)
    # How many samples such a file has is not known.
    n_files = sum(one.n_rows == 0 for one in made.skipped)
    if made.skipped:
        also = f" and {plural(n_files, 'unreadable file')}" if n_files else ""
        what = f"{plural(n_skipped, 'sample')}{also}"
        click.echo(f"Skipped {what}: see {output / SKIPPED}", err=True)
    return {
        "samples": made.n_samples,
        "features": made.n_features,
        "skipped": n_skipped,
        "skipped_files": n_files,
    }
