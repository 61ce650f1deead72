"""``pbow convert``: diagrams from one format to another."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbow.cli import options
from pbow.cli.inputs import check_format, check_json, read_diagrams, write_diagrams
from pbow.cli.show import print_json

if TYPE_CHECKING:
    from pbow.diagrams import Diagrams

__all__ = ["convert"]

# As in pbow.io.files, which is not imported for `pbow --help`; a test compares.
FORMATS = ("pbow", "csv", "parquet", "arrow", "pers", "hera", "dipha", "perseus")


@click.command()
@click.argument("sources", metavar="IN...", nargs=-1, required=True, type=options.path)
@click.argument("target", metavar="OUT", type=options.path)
@click.option(
    "--from",
    "from_",
    type=click.Choice(FORMATS),
    default=None,
    show_default="what the first bytes or the name say",
    help="Format of IN. Files of Hera and Perseus must be named.",
)
@click.option(
    "--to",
    type=click.Choice(FORMATS),
    default=None,
    show_default="what the name says",
    help="Format of OUT. Those of other programs have a file for each sample, so that "
    "OUT is a folder.",
)
@click.option(
    "--parts",
    metavar="LIST",
    show_default="all",
    help="Parts to keep, as in H0,H1.",
)
@click.option(
    "--name",
    default="H1",
    show_default=True,
    help="Name of the part where IN does not say the dimension.",
)
@options.as_json
def convert(
    sources: tuple[Path, ...],
    target: Path,
    from_: str | None,
    to: str | None,
    parts: str | None,
    name: str,
    *,
    as_json: bool,
) -> None:
    r"""Convert diagrams to another format.

    IN is a file or a folder, or several, whose samples follow one another.

    \b
    pbow convert diagrams.csv diagrams.pbow
    pbow convert gudhi-output/ diagrams.parquet
    pbow convert --from hera hera-output/ --name H0 diagrams.csv
    pbow convert --to hera --parts H1 diagrams.pbow hera-input
    pbow convert diagrams.pbow - | head
    """
    start = time.perf_counter()
    check_json(target, as_json=as_json)
    # No input is kept from being replaced: a file may be converted in its place.
    check_format(target, to)
    X = read_diagrams(sources, from_, name=name)
    if parts is not None:
        X = _selected(X, parts.split(","))
    write_diagrams(X, target, to)
    if as_json:
        print_json(
            {
                "output": target,
                "samples": len(X),
                "parts": X.parts,
                "seconds": time.perf_counter() - start,
            }
        )


def _selected(X: Diagrams, names: list[str]) -> Diagrams:
    try:
        selected: Diagrams = X[names]
    except KeyError as error:
        raise ValueError(error.args[0]) from error
    return selected
