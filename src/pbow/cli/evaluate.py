"""``pbow evaluate``: how well descriptors separate labels."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from pbow.cli import options
from pbow.cli.descriptors import Descriptor, DescriptorOption, make_descriptors
from pbow.cli.inputs import read_diagrams, read_labels
from pbow.cli.shell import Command
from pbow.cli.show import aligned, print_json, print_text

__all__ = ["evaluate"]

# Those of pbow.evaluation, which `pbow --help` does not wait for, and their names in
# the caption.
CLASSIFIERS = {
    "linear": "linear SVM",
    "distance": "SVM on distances between feature vectors",
    "rbf": "SVM with an RBF kernel",
}


@click.command(cls=Command)
@options.diagrams
@options.labels
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
@click.option(
    "--classifier",
    type=click.Choice(tuple(CLASSIFIERS)),
    default=None,
    show_default="linear",
    help="How the support vector machine compares feature vectors. Kernels keep their "
    "own similarity.",
)
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
    labels: Path | None,
    names: Path | None,
    descriptors: tuple[type, ...],
    classifier: str | None,
    settings: dict[str, Any],
    n_folds: int,
    random_state: int,
    *,
    as_json: bool,
    **common: Any,
) -> None:
    r"""Compare how well descriptors separate labels.

    Prints a table of accuracies by cross-validation. The classifier is a support vector
    machine: linear, on distances between feature vectors (often better on short
    vectors), or with an RBF kernel whose width is the median of these distances; for
    kernels it is one with that kernel. The descriptor and the regularization parameter
    C are learnt from the training set of each fold alone.

    \b
    pbow evaluate diagrams.pbow --labels labels.txt
    pbow evaluate diagrams.pbow --labels labels.txt --words 20 --descriptor pbow \
        --descriptor statistics --descriptor swk
    pbow evaluate diagrams.pbow --labels labels.txt --classifier distance
    pbow evaluate diagrams.pbow --labels labels.csv --names names.txt
    """
    from pbow.evaluation import Search  # noqa: PLC0415
    from pbow.evaluation import evaluate as evaluate_descriptor  # noqa: PLC0415

    made = make_descriptors(descriptors, settings, random_state=random_state, **common)
    _check_classifier(classifier, made)
    X = read_diagrams(diagrams)
    y = read_labels(labels, len(X), names, diagrams=diagrams)
    search = Search()
    protocol = {
        "stratified_folds": n_folds,
        "seed": random_state,
        "c_values": search.c_values,
        "inner_folds": search.folds,
    }
    results = []
    rows = [("descriptor", "accuracy, %", "features", "seconds")]
    for name, descriptor in made.items():
        found = evaluate_descriptor(
            descriptor,
            X,
            y,
            n_folds,
            classifier=classifier or "linear",
            seed=random_state,
            progress=sys.stderr.isatty(),
        )
        results.append(
            {
                "descriptor": name,
                "parameters": descriptor.get_params(),
                "classifier": found.classifier,
                "protocol": protocol,
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
    used = _caption({record["classifier"] for record in results})
    print_text(
        f"{len(X)} diagrams with {len(set(y.tolist()))} labels; {used}, mean and "
        f"standard deviation of {n_folds} stratified folds. Descriptor and C "
        f"({search.c_values[0]:g} to {search.c_values[-1]:g}, by {search.folds}-fold "
        "cross-validation) are learnt from each training set alone.\n"
    )
    print_text(aligned(rows, left=(0,)))


def _caption(used: set[str]) -> str:
    """Name the classifiers that were used."""
    if used == {"kernel"}:
        return "SVM with the descriptor's kernel"
    also = " (for kernels, SVM with that kernel)" if "kernel" in used else ""
    return " or ".join(CLASSIFIERS[name] for name in CLASSIFIERS if name in used) + also


def _check_classifier(classifier: str | None, made: Mapping[str, Any]) -> None:
    """Say which descriptors a classifier does not apply to; raise if to none."""
    from pbow.kernels.base import PairwiseKernel  # noqa: PLC0415

    kernels = [name for name, one in made.items() if isinstance(one, PairwiseKernel)]
    if classifier is None or not kernels:
        return
    listed = " and ".join(kernels)
    if len(kernels) == len(made):
        msg = (
            f"--classifier is for descriptors that give feature vectors; {listed} "
            "compares diagrams by its own similarity. Leave --classifier out."
        )
        raise click.UsageError(msg)
    click.echo(f"{listed}: own similarity, --classifier does not apply", err=True)
