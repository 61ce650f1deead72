"""``pbow explore``: one web page to look at a model and its diagrams."""

from __future__ import annotations

from pathlib import Path

import click

from pbow.cli import options
from pbow.cli.descriptors import model_classes
from pbow.cli.inputs import (
    check_output,
    load_model,
    read_diagrams,
    read_labels,
)
from pbow.cli.shell import Command

__all__ = ["explore"]


@click.command(cls=Command)
@options.model
@options.diagrams
@options.output("File for the page, usually .html.")
@options.labels
@options.names
@click.option("--title", default="pbow explorer", show_default=True, help="Its title.")
@model_classes
def explore(
    model: Path,
    diagrams: Path,
    output: Path,
    labels: Path | None,
    names: Path | None,
    title: str,
    model_classes: tuple[type, ...],
) -> None:
    r"""Write a web page that shows what a MODEL sees in DIAGRAMS.

    One file, for any browser, without a server: words in the plane, their share of each
    class, the difference of two classes, the points and the vector of each diagram.
    Drop a CSV file of your own diagrams onto the page to see their vectors.

    \b
    pbow explore model.pbow diagrams.pbow -o page.html
    pbow explore model.pbow diagrams.pbow --labels labels.txt -o page.html
    """
    # Here, so that `pbow --help` does not wait for it.
    from pbow._utils.text import file_size  # noqa: PLC0415
    from pbow.explorer import write_explorer  # noqa: PLC0415
    from pbow.explorer.content import check_vectorizer  # noqa: PLC0415
    from pbow.io import read_names  # noqa: PLC0415

    check_output(output, keep=[model, diagrams, labels, names])
    fitted = load_model(model, model_classes)
    try:
        check_vectorizer(fitted)
    except TypeError as error:
        msg = f"{model}: {error}"
        raise ValueError(msg) from error
    X = read_diagrams(diagrams)
    write_explorer(
        fitted,
        X,
        output,
        labels=read_labels(labels, len(X), names, diagrams=diagrams, required=False),
        sample_names=None if names is None else read_names(names, len(X)),
        title=title,
    )
    size = file_size(output.stat().st_size)
    click.echo(f"{output}: {len(X)} diagrams, {size}", err=True)
