"""``pbow convert``: diagrams from one format to another."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from pbow.cli import options
from pbow.cli.inputs import check_format, check_json, read_diagrams, write_diagrams
from pbow.cli.shell import Command
from pbow.cli.show import report

__all__ = ["convert"]


def _formats() -> Iterable[str]:
    from pbow.io.formats import FORMATS  # noqa: PLC0415

    return FORMATS


def _written() -> Iterable[str]:
    from pbow.io.formats import FORMATS  # noqa: PLC0415

    return [name for name, known in FORMATS.items() if known.write is not None]


@click.command(cls=Command)
@click.argument("sources", metavar="IN...", nargs=-1, required=True, type=options.path)
@click.option(
    "-o",
    "--output",
    "target",
    type=options.path,
    metavar="OUT",
    show_default="the last argument",
    help="File or folder for the diagrams; - prints CSV.",
)
@click.option(
    "--from",
    "format",
    type=options.LazyChoice(_formats),
    default=None,
    show_default="inferred from the first bytes, the extension or the first line",
    help="Format of IN. Required for Perseus, and for text files that are not two "
    "columns, birth and death.",
)
@click.option(
    "--to",
    type=options.LazyChoice(_written),
    default=None,
    show_default="inferred from the extension",
    help="Format of OUT. Those of other programs have one file per sample, so OUT is a "
    "folder.",
)
@click.option(
    "--parts",
    metavar="LIST",
    show_default="all",
    help="Parts to keep, as in H0,H1.",
)
@click.option(
    "--name",
    default="",
    show_default="none",
    help="Name of the part where IN does not say the dimension, as in H1.",
)
@options.as_json
def convert(
    sources: Sequence[Path],
    target: Path | None,
    format: str | None,
    to: str | None,
    parts: str | None,
    name: str,
    *,
    as_json: bool,
) -> None:
    r"""Convert diagrams to another format.

    IN is a file or a folder, or several, whose samples are concatenated.

    \b
    pbow convert diagrams.csv -o diagrams.pbow
    pbow convert gudhi-output/ -o diagrams.parquet
    pbow convert hera-output/ --from hera --name H0 -o diagrams.csv
    pbow convert diagrams.pbow --to hera --parts H1 -o hera-input
    pbow convert diagrams.pbow -o - | head
    """
    start = time.perf_counter()
    if target is None:
        *sources, target = sources
        if not sources:
            msg = f"Missing option '-o': the file to convert {target} to."
            raise click.UsageError(msg)
    check_json(target, as_json=as_json)
    # Inputs are not protected: a file may be converted in its place.
    check_format(target, to)
    X = read_diagrams(*sources, format=format, name=name)
    if parts is not None:
        try:
            X = X[parts.split(",")]
        except KeyError as error:
            raise ValueError(error.args[0]) from error
    write_diagrams(X, target, to)
    report(target, X, start, as_json=as_json, samples=len(X), parts=X.parts)
