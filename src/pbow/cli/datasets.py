"""``pbow datasets``: which data sets are available, and how to get the others."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

import click

from pbow.cli import options
from pbow.cli.inputs import check_output, writing
from pbow.cli.shell import Group
from pbow.cli.show import aligned, print_json, print_text

__all__ = ["datasets"]


@click.group(cls=Group)
def datasets() -> None:
    """List available data sets; import public releases; draw shapes."""


@datasets.command("list")
@click.option(
    "--data-home",
    type=options.path,
    default=None,
    show_default="the variable PBOW_DATA",
    help="Folder of the source files.",
)
@options.as_json
def list_(data_home: Path | None, *, as_json: bool) -> None:
    """List data sets: which are available, and how to get the others."""
    from pbow._utils.text import file_size  # noqa: PLC0415
    from pbow.datasets import list_datasets  # noqa: PLC0415

    listings = list_datasets(data_home)
    if as_json:
        print_json([asdict(listing) for listing in listings])
        return
    rows = [("data set", "samples", "classes", "size", "description")]
    for listing in listings:
        prefix = (
            f"Stand-in for {listing.stand_in_for}: " if listing.stand_in_for else ""
        )
        rows.append(
            (
                listing.name,
                str(listing.n_samples) if listing.is_here else "not available",
                str(listing.n_classes) if listing.is_here else "",
                "" if listing.n_bytes is None else file_size(listing.n_bytes),
                prefix + listing.origin,
            )
        )
    print_text(aligned(rows, left=(0, 4)))
    for listing in listings:
        if not listing.is_here:
            print_text(f"\n{listing.name}: {listing.problem or listing.how_to_get}")


@datasets.command("import")
@click.argument("name")
@click.option(
    "--from",
    "source",
    type=options.path,
    required=True,
    help="The release: a folder, a zip or a file.",
)
@click.option(
    "--to",
    type=options.path,
    default=None,
    show_default="the cache",
    help="Folder for the converted files.",
)
def import_(name: str, source: Path, to: Path | None) -> None:
    """Convert the public release of the data set NAME, so that it can be loaded.

    Prints the file that was written.
    """
    from pbow.datasets import import_dataset  # noqa: PLC0415

    print_text(import_dataset(name, source, to, progress=sys.stderr.isatty()))


@datasets.command()
@click.argument("clouds", type=options.path)
@click.option(
    "--labels",
    type=options.path,
    required=True,
    metavar="FILE",
    help="File for the name of each cloud's shape, one per line.",
)
@click.option(
    "--per-class",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Clouds of each shape.",
)
@click.option(
    "--points",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    help="Points of each cloud.",
)
@options.seed
def shapes(
    clouds: Path, labels: Path, per_class: int, points: int, random_state: int
) -> None:
    r"""Draw noisy point clouds of six shapes into the file CLOUDS.

    They are a cube, a circle, a sphere, clusters, clusters of clusters and a torus: the
    paper's synthetic data. CLOUDS is an array of shape (clouds, points, 3), as
    numpy.load reads it.

    \b
    pbow datasets shapes clouds.npy --labels labels.txt
    """
    from pbow.datasets import SHAPE_NAMES, make_shapes  # noqa: PLC0415
    from pbow.io.npy import save_array  # noqa: PLC0415

    if clouds.suffix.lower() != ".npy":
        msg = f"Expected CLOUDS to be a .npy file; got {clouds}."
        raise click.UsageError(msg)
    check_output(clouds, keep=[labels])
    check_output(labels)
    drawn, classes = make_shapes(per_class, points, random_state=random_state)
    with writing(clouds) as array, writing(labels) as lines:
        save_array(array, drawn)
        lines.write("".join(f"{SHAPE_NAMES[k]}\n" for k in classes).encode())
    click.echo(f"{clouds}: {len(drawn)} clouds of {points} points", err=True)
