"""``pbow evaluate``: how well descriptors separate classes."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pbow.cli import options
from pbow.cli.descriptors import Descriptor, make_descriptors
from pbow.cli.inputs import read_diagrams
from pbow.cli.shell import Command
from pbow.cli.show import aligned, print_json, print_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pbow.diagrams import Diagrams

    Ints = NDArray[np.int64]
    Result = dict[str, Any]

__all__ = ["evaluate"]

# Values of C that the paper searches, by folds of the training set.
COSTS = (0.1, 1.0, 10.0, 100.0, 1000.0)
INNER_FOLDS = 5
# A machine that needs more is no better for it.
MOST_ITERATIONS = 100_000
# Their columns are in units of their own.
STANDARDIZED = {"statistics"}


@click.command(cls=Command)
@options.diagrams
@options.labels(required=True)
@options.names
@click.option(
    "--descriptor",
    "descriptors",
    type=Descriptor("vectorizers", "kernels"),
    metavar="NAME",
    multiple=True,
    default=("pbow", "spbow"),
    show_default=True,
    help="What to compare: pbow, spbow, image, landscape, riemannian, statistics; the "
    "kernels swk, multiscale, landscape-kernel, wasserstein; or a class of your own as "
    "module:Class. May be repeated.",
)
@options.words
@options.settings("A parameter of the descriptors that have it; may be repeated.")
@click.option(
    "--folds",
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
    folds: int,
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
    import numpy as np  # noqa: PLC0415

    from pbow.experiment.classification import make_folds  # noqa: PLC0415
    from pbow.io import read_labels  # noqa: PLC0415

    made = make_descriptors(descriptors, settings, random_state=random_state, **common)
    X = read_diagrams(diagrams)
    classes, y = np.unique(read_labels(labels, len(X), names), return_inverse=True)
    _check_classes(labels, classes, y, folds)
    parts = make_folds(y, None, folds, seed=random_state, repetition=0)
    results = [
        _cross_validate(name, descriptor, X, y, parts, seed=random_state)
        for name, descriptor in made.items()
    ]
    if as_json:
        print_json(results)
        return
    print_text(
        f"{len(X)} diagrams of {len(classes)} classes; linear SVM, mean and standard "
        f"deviation of {folds} folds.\n"
    )
    rows = [("descriptor", "accuracy, %", "features", "seconds")]
    for result in results:
        accuracy = f"{100 * result['accuracy']:.1f} ± {100 * result['std']:.1f}"
        features = str(result["features"] or "kernel")
        seconds = f"{result['seconds']:.1f}"
        rows.append((result["descriptor"], accuracy, features, seconds))
    print_text(aligned(rows, left=(0,)))


def _check_classes(path: Path, classes: NDArray[Any], y: Ints, folds: int) -> None:
    import numpy as np  # noqa: PLC0415

    if len(classes) < 2:
        msg = f"Expected at least two classes to separate; {path} has one."
        raise ValueError(msg)
    sizes = np.bincount(y)
    if sizes.min() < folds:
        msg = (
            f"Expected at least {folds} diagrams of each class, one per fold; there "
            f"are {sizes.min()} of {str(classes[sizes.argmin()])!r}. Pass fewer "
            "--folds, or leave this class out."
        )
        raise ValueError(msg)


def _cross_validate(
    name: str, descriptor: Any, X: Diagrams, y: Ints, folds: list[Ints], *, seed: int
) -> Result:
    """Predict each fold from the others."""
    import numpy as np  # noqa: PLC0415

    from pbow._utils.progress import progress_bar  # noqa: PLC0415
    from pbow.experiment import DescriptorEntry  # noqa: PLC0415
    from pbow.experiment.classification import classify, make_folds  # noqa: PLC0415
    from pbow.experiment.descriptors import represent  # noqa: PLC0415

    cls, params = type(descriptor), descriptor.get_params()
    entry = DescriptorEntry(
        name=name,
        title=name,
        make=f"{cls.__module__}:{cls.__qualname__}",
        standardize=name in STANDARDIZED,
    )
    start = time.perf_counter()
    accuracies, n_features = [], 0
    show = sys.stderr.isatty()
    with progress_bar(show=show, total=len(folds), unit="folds") as advance:
        for test in folds:
            train = np.setdiff1d(np.arange(len(y)), test)
            similarities = represent(entry, params, X, train, test, seed=seed)
            verdict = classify(
                similarities,
                y[train],
                y[test],
                make_folds(y[train], None, INNER_FOLDS, seed=seed, repetition=0),
                costs=COSTS,
                max_iterations=MOST_ITERATIONS,
                n_classes=int(y.max()) + 1,
            )
            accuracies.append(verdict.accuracy)
            n_features = similarities.n_features
            advance(1)
    return {
        "descriptor": name,
        "parameters": params,
        "accuracy": float(np.mean(accuracies)),
        "std": float(np.std(accuracies, ddof=1)),
        "folds": accuracies,
        "features": n_features,
        "seconds": time.perf_counter() - start,
    }
