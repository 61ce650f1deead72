"""``pbow datasets``: what is here, and how to get the rest."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

import click

from pbow.cli.show import aligned, file_size, print_json, print_text

__all__ = ["datasets"]


@click.group()
def datasets() -> None:
    """Say which data sets are here; import public releases."""


@datasets.command("list")
@click.option(
    "--data-home",
    type=click.Path(path_type=Path),
    default=None,
    show_default="the variable PBOW_DATA",
    help="Folder of the source files.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, an object a set.")
def list_(data_home: Path | None, *, as_json: bool) -> None:
    """List data sets: what is here, what is not, and how it can be had."""
    from pbow.datasets import list_datasets  # noqa: PLC0415

    listings = list_datasets(data_home)
    if as_json:
        records = [asdict(listing) for listing in listings]
        print_json(records)
        return
    rows = [("data set", "samples", "classes", "size", "what it is")]
    for listing in listings:
        kind = f"Stand-in for {listing.stand_in_for}: " if listing.stand_in_for else ""
        rows.append(
            (
                listing.name,
                str(listing.n_samples) if listing.is_here else "not here",
                str(listing.n_classes) if listing.is_here else "",
                file_size(listing.n_bytes),
                kind + listing.origin,
            )
        )
    print_text(aligned(rows, left=(0, 4)))
    for listing in listings:
        if not listing.is_here:
            why = listing.problem or listing.how_to_get
            print_text(f"\n{listing.name}: {why}")


@datasets.command("import")
@click.argument("name")
@click.option(
    "--from",
    "source",
    type=click.Path(path_type=Path),
    required=True,
    help="The release: a folder, a zip or a file.",
)
@click.option(
    "--to",
    type=click.Path(path_type=Path),
    default=None,
    show_default="the cache",
    help="Folder for what is made of it.",
)
def import_(name: str, source: Path, to: Path | None) -> None:
    """Convert the public release of the data set NAME, so that it can be loaded.

    Prints the file that was written.
    """
    from pbow.datasets.imports import import_dataset  # noqa: PLC0415

    # Where nobody looks, no lines about progress.
    print_text(import_dataset(name, source, to, progress=sys.stderr.isatty()))
