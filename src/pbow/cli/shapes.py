"""``pbow datasets shapes``: point clouds to try the other commands on."""

from __future__ import annotations

from pathlib import Path

import click

from pbow.cli import options
from pbow.cli.inputs import check_output, writing

__all__ = ["shapes"]


@click.command()
@click.argument("clouds", type=options.path)
@click.option(
    "--labels",
    type=options.path,
    required=True,
    metavar="FILE",
    help="File for the name of each cloud's shape, one a line.",
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
def shapes(clouds: Path, labels: Path, per_class: int, points: int, seed: int) -> None:
    r"""Draw noisy point clouds of six shapes into the file CLOUDS.

    They are a cube, a circle, a sphere, clusters, clusters of clusters and a torus: the
    paper's synthetic data. CLOUDS is an array of shape (clouds, points, 3), as
    numpy.load reads it.

    \b
    pbow datasets shapes clouds.npy --labels labels.txt
    """
    import numpy as np  # noqa: PLC0415

    from pbow.datasets import SHAPE_NAMES, make_shapes  # noqa: PLC0415

    if clouds.suffix.lower() != ".npy":
        msg = f"Expected CLOUDS to be a .npy file; got {clouds}."
        raise click.UsageError(msg)
    check_output(clouds, keep=[labels])
    check_output(labels)
    drawn, classes = make_shapes(per_class, points, random_state=seed)
    names = "".join(f"{SHAPE_NAMES[k]}\n" for k in classes)
    with writing(clouds) as array, writing(labels) as lines:
        np.save(array, drawn)
        lines.write(names.encode())
    click.echo(f"{clouds}: {len(drawn)} clouds of {points} points", err=True)
