"""``pbow plot``: figures of diagrams, codebooks and labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from pbow.cli import options
from pbow.cli.descriptors import model_classes
from pbow.cli.inputs import (
    check_output,
    load_model,
    read_diagrams,
    read_labels,
    writing,
)
from pbow.cli.shell import Group

__all__ = ["plot"]

_output = options.output("File for the figure, as in figure.png or figure.svg.")
_single_part = click.option(
    "--part",
    metavar="NAME",
    help="Part to draw, as in H1. Required if the model has words for several.",
)
_part = click.option(
    "--part", metavar="NAME", show_default="all", help="Part to draw, as in H1."
)
_resolution = click.option(
    "--resolution",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of words of the resolution to draw, if the model has several; by "
    "default the finest.",
)
_sample = click.option(
    "--sample",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="I",
    help="Index of the sample, counted from 0.",
)


@click.group(cls=Group)
def plot() -> None:
    r"""Draw diagrams, codebooks and labels, as .png, .svg or .pdf.

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
    help="Axes of the plane.",
)
def diagram(diagrams: Path, output: Path, sample: int, coordinates: str) -> None:
    r"""Draw one sample of DIAGRAMS as points in the plane.

    \b
    pbow plot diagram diagrams.pbow --sample 3 -o diagram.png
    """
    from pbow.plotting import plot_diagram  # noqa: PLC0415

    with _figure(output, diagrams) as draw:
        draw(plot_diagram(_one(diagrams, sample), coordinates=coordinates))


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

    with _figure(output, diagrams) as draw:
        draw(plot_barcode(_one(diagrams, sample)))


@plot.command()
@options.model
@click.argument("diagrams", type=options.path, required=False)
@_output
@_single_part
@_resolution
@model_classes
def codebook(
    model: Path,
    diagrams: Path | None,
    output: Path,
    model_classes: tuple[type, ...],
    **choice: Any,
) -> None:
    r"""Draw the words of a MODEL, above the points of DIAGRAMS if these are given.

    \b
    pbow plot codebook model.pbow diagrams.pbow --part H1 -o words.png
    pbow plot codebook model.pbow --part H1 --resolution 30 -o words.png
    """
    from pbow.plotting import plot_codebook  # noqa: PLC0415

    with _figure(output, model, diagrams) as draw:
        fitted = load_model(model, model_classes)
        X = None if diagrams is None else read_diagrams(diagrams)
        draw(plot_codebook(fitted, X, **choice))


def _labeled(command: Callable[..., None]) -> Callable[..., None]:
    """Add the arguments and options of figures of labels."""
    given = (options.model, options.diagrams, options.labels, options.names, _output)
    for add in reversed((*given, _part, _resolution, model_classes)):
        command = add(command)
    return command


@plot.command("classes")
@_labeled
def class_words(**given: Any) -> None:
    r"""Draw how many points the diagrams of each label have near each word.

    \b
    pbow plot classes model.pbow diagrams.pbow --labels labels.txt -o classes.png
    """
    from pbow.plotting import plot_class_words  # noqa: PLC0415

    _draw_labeled(plot_class_words, **given)


@plot.command()
@_labeled
@click.option(
    "--between",
    "between",
    nargs=2,
    required=True,
    metavar="LABEL LABEL",
    help="The two labels: orange and blue.",
)
def difference(between: tuple[str, str], **given: Any) -> None:
    r"""Draw near which words the diagrams of two labels differ.

    \b
    pbow plot difference model.pbow diagrams.pbow --labels labels.txt --part H1 \
        --between circle torus -o difference.png
    """
    from pbow.plotting import plot_class_difference  # noqa: PLC0415

    def draw(fitted: Any, X: Any, y: Any, **choice: Any) -> Any:
        # Labels as they stand in the command, whether they are numbers or not.
        return plot_class_difference(fitted, X, y.astype(str), between, **choice)

    _draw_labeled(draw, **given)


def _draw_labeled(
    function: Callable[..., Any],
    *,
    model: Path,
    diagrams: Path,
    labels: Path | None,
    names: Path | None,
    output: Path,
    model_classes: tuple[type, ...],
    **choice: Any,
) -> None:
    with _figure(output, model, diagrams, labels, names) as draw:
        fitted = load_model(model, model_classes)
        X = read_diagrams(diagrams)
        y = read_labels(labels, len(X), names, diagrams=diagrams)
        draw(function(fitted, X, y, **choice).flat[0])


def _one(path: Path, sample: int) -> Any:
    X = read_diagrams(path)
    if sample >= len(X):
        msg = f"There is no sample {sample} in {path}: it has {len(X)}, from 0 on."
        raise ValueError(msg)
    return X[sample : sample + 1]


@contextmanager
def _figure(output: Path, *inputs: Path | None) -> Iterator[Callable[[Any], object]]:
    """Give a function for what is drawn; save its figure by an atomic write."""
    from pbow.demo import check_figure_format  # noqa: PLC0415

    check_output(output, keep=inputs)
    format = check_figure_format(output)
    import matplotlib.pyplot as plt  # noqa: PLC0415

    axes: list[Any] = []
    try:
        with plt.ioff():
            yield axes.append
        with writing(output) as file:
            axes[0].figure.savefig(file, format=format, dpi=150, bbox_inches="tight")
    except TypeError as error:  # of a model that has no words
        raise ValueError(str(error)) from error
    finally:
        plt.close("all")
    click.echo(output, err=True)
