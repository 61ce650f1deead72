"""``pbow plot``: pictures of diagrams, codebooks and classes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from pbow.cli import options
from pbow.cli.inputs import (
    check_output,
    load_model,
    naming,
    read_diagrams,
    read_labels,
)

__all__ = ["plot"]

_output = options.output("File for the picture, as in picture.png or picture.svg.")
_model = click.argument("model", type=options.path)
_part = click.option(
    "--part",
    metavar="NAME",
    help="Part to draw, as in H1. Needed where the model has words for several.",
)
_sample = click.option(
    "--sample",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="I",
    help="Which sample, counted from 0.",
)


@click.group()
def plot() -> None:
    r"""Draw diagrams, codebooks and classes, as .png, .svg or .pdf.

    \b
    pbow plot diagram diagrams.pbow --sample 3 -o diagram.png
    pbow plot codebook model.pbow diagrams.pbow --part H1 -o words.png
    """


@plot.command()
@options.diagrams
@_output
@_sample
@click.option(
    "--coordinates",
    type=click.Choice(("birth-death", "birth-persistence")),
    default="birth-death",
    show_default=True,
    help="What the axes are.",
)
def diagram(diagrams: Path, output: Path, sample: int, coordinates: str) -> None:
    r"""Draw one sample of DIAGRAMS as points in the plane.

    \b
    pbow plot diagram diagrams.pbow --sample 3 -o diagram.png
    """
    from pbow.plotting import plot_diagram  # noqa: PLC0415

    _save(
        output,
        [diagrams],
        lambda: plot_diagram(_one(diagrams, sample), coordinates=coordinates),
    )


@plot.command()
@options.diagrams
@_output
@_sample
def barcode(diagrams: Path, output: Path, sample: int) -> None:
    r"""Draw one sample of DIAGRAMS as bars from birth to death.

    \b
    pbow plot barcode diagrams.pbow --sample 3 -o bars.png
    """
    from pbow.plotting import plot_barcode  # noqa: PLC0415

    _save(output, [diagrams], lambda: plot_barcode(_one(diagrams, sample)))


@plot.command()
@_model
@click.argument("diagrams", type=options.path, required=False)
@_output
@_part
def codebook(
    model: Path, diagrams: Path | None, output: Path, part: str | None
) -> None:
    r"""Draw the words of a MODEL, above the points of DIAGRAMS if these are given.

    \b
    pbow plot codebook model.pbow diagrams.pbow --part H1 -o words.png
    """
    from pbow.plotting import plot_codebook  # noqa: PLC0415

    def draw() -> Any:
        X = None if diagrams is None else read_diagrams(diagrams)
        return plot_codebook(load_model(model), X, part=part)

    _save(output, [model, diagrams], draw)


@plot.command()
@_model
@options.diagrams
@options.labels
@options.names_of_labels
@_output
@_part
def classes(
    model: Path,
    diagrams: Path,
    labels: Path,
    names: Path | None,
    output: Path,
    part: str | None,
) -> None:
    r"""Draw how many points diagrams of each class have near each word.

    \b
    pbow plot classes model.pbow diagrams.pbow --labels labels.txt -o classes.png
    """
    from pbow.plotting import plot_class_words  # noqa: PLC0415

    def draw() -> Any:
        X = read_diagrams(diagrams)
        y = read_labels(labels, len(X), names)
        return plot_class_words(load_model(model), X, y, part=part)[0]

    _save(output, [model, diagrams, labels, names], draw)


@plot.command()
@_model
@options.diagrams
@options.labels
@options.names_of_labels
@click.option(
    "--between",
    nargs=2,
    required=True,
    metavar="CLASS CLASS",
    help="The two classes: red and blue.",
)
@_output
@_part
def difference(
    model: Path,
    diagrams: Path,
    labels: Path,
    names: Path | None,
    between: tuple[str, str],
    output: Path,
    part: str | None,
) -> None:
    r"""Draw near which words the diagrams of two classes differ.

    \b
    pbow plot difference model.pbow diagrams.pbow --labels labels.txt \
        --between circle torus -o difference.png
    """
    from pbow.plotting import plot_class_difference  # noqa: PLC0415

    def draw() -> Any:
        X = read_diagrams(diagrams)
        # As they stand in the command, whether they are numbers or not.
        y = read_labels(labels, len(X), names).astype(str)
        return plot_class_difference(load_model(model), X, y, between, part=part)[0]

    _save(output, [model, diagrams, labels, names], draw)


def _one(path: Path, sample: int) -> Any:
    X = read_diagrams(path)
    if sample >= len(X):
        msg = f"There is no sample {sample} in {path}: it has {len(X)}, from 0 on."
        raise ValueError(msg)
    return X[sample : sample + 1]


def _save(output: Path, inputs: Iterable[Path | None], draw: Callable[[], Any]) -> None:
    """Draw something of some files and save its figure, whole or not at all."""
    from pbow._utils.files import atomic_write  # noqa: PLC0415
    from pbow.demo import check_picture  # noqa: PLC0415

    check_output(output, keep=inputs)
    check_picture(output)
    import matplotlib.pyplot as plt  # noqa: PLC0415

    try:
        with plt.ioff():
            figure = draw().figure
        with naming(output), atomic_write(output) as file:
            kind = output.suffix.lstrip(".").lower()
            figure.savefig(file, format=kind, dpi=150, bbox_inches="tight")
    except TypeError as error:  # of a model that has no words
        raise ValueError(str(error)) from error
    finally:
        plt.close("all")
    click.echo(output, err=True)
