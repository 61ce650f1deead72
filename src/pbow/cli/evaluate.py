"""``pbow evaluate``: how well descriptors separate classes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from pbow.cli import options
from pbow.cli.descriptors import Descriptor, DescriptorOption, make_descriptors
from pbow.cli.inputs import read_diagrams
from pbow.cli.shell import Command
from pbow.cli.show import aligned, print_json, print_text

__all__ = ["evaluate"]


@click.command(cls=Command)
@options.diagrams
@options.labels(required=True)
@options.names
@click.option(
    "--descriptor",
    "descriptors",
    cls=DescriptorOption,
    type=Descriptor("vectorizers", "kernels"),
    metavar="NAME",
    multiple=True,
    default=("pbow", "spbow"),
    show_default=True,
    help="What to compare, vectorizers or kernels: {names}, or a class of your own as "
    "module:Class. May be repeated.",
)
@options.words
@options.settings("A parameter of the descriptors that have it; may be repeated.")
@click.option(
    "--folds",
    "n_folds",
    type=click.IntRange(min=2),
    default=5,
    show_default=True,
    help="Number of folds of the cross-validation.",
)
@options.seed
@options.jobs
@options.as_json
def evaluate(
    diagrams: Path,
    labels: Path,
    names: Path | None,
    descriptors: tuple[type, ...],
    settings: dict[str, Any],
    n_folds: int,
    random_state: int,
    *,
    as_json: bool,
    **common: Any,
) -> None:
    r"""Compare how well descriptors separate classes.

    Prints a table of accuracies by cross-validation. The classifier is a linear support
    vector machine, for kernels one with that kernel. The descriptor and the
    regularization parameter C are learnt from the training set of each fold alone.

    \b
    pbow evaluate diagrams.pbow --labels labels.txt
    pbow evaluate diagrams.pbow --labels labels.txt --words 20 --descriptor pbow \
        --descriptor statistics --descriptor swk
    pbow evaluate diagrams.pbow --labels labels.csv --names names.txt
    """
    from pbow.experiment import cross_validate  # noqa: PLC0415
    from pbow.io import read_labels  # noqa: PLC0415

    made = make_descriptors(descriptors, settings, random_state=random_state, **common)
    X = read_diagrams(diagrams)
    y = read_labels(labels, len(X), names)
    results = []
    rows = [("descriptor", "accuracy, %", "features", "seconds")]
    for name, descriptor in made.items():
        found = cross_validate(
            descriptor,
            X,
            y,
            n_folds,
            seed=random_state,
            progress=sys.stderr.isatty(),
        )
        results.append(
            {
                "descriptor": name,
                "parameters": descriptor.get_params(),
                "accuracy": found.mean,
                "std": found.std,
                "folds": found.accuracies,
                "features": found.n_features,
                "seconds": found.seconds,
            }
        )
        accuracy = f"{100 * found.mean:.1f} ± {100 * found.std:.1f}"
        features = str(found.n_features or "kernel")
        rows.append((name, accuracy, features, f"{found.seconds:.1f}"))
    if as_json:
        print_json(results)
        return
    print_text(
        f"{len(X)} diagrams of {len(set(y.tolist()))} classes; linear SVM, mean and "
        f"standard deviation of {n_folds} folds.\n"
    )
    print_text(aligned(rows, left=(0,)))
