"""``pbow explore``: one web page to look at a model and its diagrams."""

from __future__ import annotations

import webbrowser
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
@click.option(
    "--plotlyjs",
    type=click.Choice(["inline", "directory", "cdn"]),
    default="inline",
    show_default=True,
    help="Where the page finds plotly.js: in itself, in a file plotly.min.js beside "
    "it, or at plotly's server.",
)
@click.option("--open", "open_it", is_flag=True, help="Open the page in a browser.")
@model_classes
def explore(
    model: Path,
    diagrams: Path,
    output: Path,
    labels: Path | None,
    names: Path | None,
    title: str,
    plotlyjs: str,
    model_classes: tuple[type, ...],
    *,
    open_it: bool,
) -> None:
    r"""Write a web page that shows what a MODEL sees in DIAGRAMS.

    One file, for any browser, without a server: words in the plane, ranked by how well
    they separate the labels, their counts per label, two labels side by side, the
    points and the vector of each diagram. Drop a CSV file of your own diagrams onto the
    page to see them among the others.

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
        plotlyjs=plotlyjs,
    )
    size = file_size(output.stat().st_size)
    click.echo(f"{output}: {len(X)} diagrams, {size}", err=True)
    if open_it and not webbrowser.open(output.resolve().as_uri()):
        click.echo(f"No browser found; open {output} yourself.", err=True)
