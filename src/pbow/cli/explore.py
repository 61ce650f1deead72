"""``pbow explore``: one web page to look at a model and its diagrams."""

from __future__ import annotations

from pathlib import Path

import click

from pbow.cli import options
from pbow.cli.inputs import (
    check_output,
    has_names,
    is_stream,
    load_model,
    naming,
    read_diagrams,
    read_labels,
    read_lines,
    say_written,
)
from pbow.cli.show import file_size

__all__ = ["explore"]


@click.command()
@click.argument("model", type=options.path)
@options.diagrams
@options.output("File for the page, usually .html.")
@click.option(
    "--labels",
    type=options.path,
    default=None,
    metavar="FILE",
    help="Class of each diagram: one a line, or an array in a .npy file; with --names, "
    "a CSV file with the columns file and label, too.",
)
@click.option(
    "--names",
    type=options.path,
    default=None,
    metavar="FILE",
    help="Names of the diagrams, one a line.",
)
@click.option("--title", default="pbow explorer", show_default=True, help="Its title.")
def explore(
    model: Path,
    diagrams: Path,
    output: Path,
    labels: Path | None,
    names: Path | None,
    title: str,
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
    from pbow.explorer import write_explorer  # noqa: PLC0415
    from pbow.explorer.content import check_vectorizer  # noqa: PLC0415

    if is_stream(output):
        msg = "A page is for a browser; name a file, as in -o page.html."
        raise click.UsageError(msg)
    check_output(output, keep=[model, diagrams, labels, names])
    fitted = load_model(model)
    try:
        check_vectorizer(fitted)
    except TypeError as error:
        msg = f"{model}: {error}"
        raise click.ClickException(msg) from error
    X = read_diagrams(diagrams)
    classes = None
    if labels is not None:
        # Of labels in the order of diagrams, names are there to be shown alone.
        by_name = names if has_names(labels) else None
        classes = read_labels(labels, len(X), by_name)
    sample_names = None if names is None else read_lines(names, "name")
    with naming(output):
        write_explorer(
            fitted, X, output, labels=classes, sample_names=sample_names, title=title
        )
    say_written(output, f"{len(X)} diagrams, {file_size(output.stat().st_size)}")
