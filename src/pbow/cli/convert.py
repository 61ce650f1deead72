"""``pbow convert``: diagrams from one format to another."""

from __future__ import annotations

from pathlib import Path

import click

from pbow.cli import options
from pbow.cli.inputs import check_format, read_diagrams, write_diagrams

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
    "--part",
    default="H1",
    show_default=True,
    metavar="NAME",
    help="Name of the diagrams where IN does not say their dimension.",
)
def convert(
    sources: tuple[Path, ...],
    target: Path,
    from_: str | None,
    to: str | None,
    part: str,
) -> None:
    r"""Convert diagrams to another format.

    IN is a file or a folder, or several, whose samples follow one another.

    \b
    pbow convert diagrams.csv diagrams.pbow
    pbow convert gudhi-output/ diagrams.parquet
    pbow convert --from hera hera-output/ --part H0 diagrams.csv
    pbow convert --to dipha diagrams.pbow dipha-input
    pbow convert diagrams.pbow - | head
    """
    check_format(target, to)
    write_diagrams(read_diagrams(sources, from_, name=part), target, to)
