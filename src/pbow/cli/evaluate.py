"""``pbow evaluate``: how well descriptors tell classes apart."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from pbow.cli import options
from pbow.cli.descriptors import KERNELS, VECTORIZERS, make_descriptors
from pbow.cli.inputs import read_diagrams, read_labels
from pbow.cli.show import aligned, print_json, print_text, progress_bar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pbow.diagrams import Diagrams
    from pbow.experiment import DescriptorEntry

    Ints = NDArray[np.int64]

__all__ = ["evaluate"]

# What the paper searches, by folds inside the training part.
COSTS = (0.1, 1.0, 10.0, 100.0, 1000.0)
INNER_FOLDS = 5
# A machine that needs more is no better for it.
MOST_ITERATIONS = 100_000
# Their columns are in units of their own.
STANDARDIZED = {"statistics"}


@click.command()
@options.diagrams
@options.labels
@options.names_of_labels
@click.option(
    "--descriptor",
    "descriptors",
    type=click.Choice((*VECTORIZERS, *KERNELS)),
    multiple=True,
    default=("pbow", "spbow"),
    show_default=True,
    help="What to compare; may be repeated.",
)
@options.words
@options.settings("A parameter of the descriptors that have it; may be repeated.")
@click.option(
    "--folds",
    type=click.IntRange(min=2),
    default=5,
    show_default=True,
    help="Parts of the data, of which each is predicted from the others.",
)
@options.seed
@options.jobs
@options.as_json
def evaluate(
    diagrams: Path,
    labels: Path,
    names: Path | None,
    descriptors: tuple[str, ...],
    words: int | None,
    settings: dict[str, Any],
    folds: int,
    seed: int,
    n_jobs: int,
    *,
    as_json: bool,
) -> None:
    r"""Compare how well descriptors tell classes apart.

    Prints a table of accuracies by cross-validation. The classifier is a linear support
    vector machine, for kernels one with that kernel; descriptor and cost C are learnt
    in the training part of each fold alone.

    \b
    pbow evaluate diagrams.pbow --labels labels.txt
    pbow evaluate diagrams.pbow --labels labels.txt --words 20 --descriptor pbow \
        --descriptor statistics --descriptor swk
    pbow evaluate diagrams.pbow --labels labels.csv --names names.txt
    """
    import numpy as np  # noqa: PLC0415

    from pbow.experiment import DescriptorEntry  # noqa: PLC0415
    from pbow.experiment.classification import make_folds  # noqa: PLC0415

    made = make_descriptors(
        descriptors, settings, words=words, seed=seed, n_jobs=n_jobs
    )
    X = read_diagrams(diagrams)
    classes, y = np.unique(read_labels(labels, len(X), names), return_inverse=True)
    _check_classes(labels, classes, y, folds)
    parts = make_folds(y, None, folds, seed=seed, repetition=0)
    results = []
    for name, descriptor in made.items():
        start = time.perf_counter()
        entry = DescriptorEntry(
            name=name,
            title=name,
            make=type(descriptor).__name__,
            standardize=name in STANDARDIZED,
        )
        scores = []
        with progress_bar(f"Classifying with {name}", folds) as bar:
            for test in parts:
                params = descriptor.get_params()
                scores.append(_score(entry, params, X, y, test, seed=seed))
                bar.update(1)
        tested = [score.accuracy for score in scores]
        results.append(
            {
                "descriptor": name,
                "parameters": descriptor.get_params(),
                "accuracy": float(np.mean(tested)),
                "std": float(np.std(tested, ddof=1)),
                "folds": tested,
                "features": scores[-1].n_features,
                "seconds": time.perf_counter() - start,
            }
        )
    if as_json:
        print_json(results)
        return
    print_text(
        f"{len(X)} diagrams of {len(classes)} classes; linear SVM, mean and standard "
        f"deviation of {folds} folds.\n"
    )
    print_text(_table(results))


def _check_classes(path: Path, classes: NDArray[Any], y: Ints, folds: int) -> None:
    import numpy as np  # noqa: PLC0415

    if len(classes) < 2:
        msg = f"Expected at least two classes to tell apart; {path} has one."
        raise ValueError(msg)
    sizes = np.bincount(y)
    if sizes.min() < folds:
        msg = (
            f"Expected at least {folds} diagrams of each class, one a fold; there "
            f"are {sizes.min()} of {str(classes[sizes.argmin()])!r}. Ask for fewer "
            "--folds, or leave this class out."
        )
        raise ValueError(msg)


class _Score(NamedTuple):
    accuracy: float
    n_features: int


def _score(
    entry: DescriptorEntry,
    params: dict[str, Any],
    X: Diagrams,
    y: Ints,
    test: Ints,
    *,
    seed: int,
) -> _Score:
    """Learn from all but some rows, and predict these."""
    import numpy as np  # noqa: PLC0415

    from pbow.experiment.classification import classify, make_folds  # noqa: PLC0415
    from pbow.experiment.descriptors import represent  # noqa: PLC0415

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
    return _Score(verdict.accuracy, similarities.n_features)


def _table(results: list[dict[str, Any]]) -> str:
    rows = [("descriptor", "accuracy, %", "features", "seconds")]
    for result in results:
        mean, std = 100 * result["accuracy"], 100 * result["std"]
        rows.append(
            (
                result["descriptor"],
                f"{mean:.1f} ± {std:.1f}",
                str(result["features"] or "kernel"),
                f"{result['seconds']:.1f}",
            )
        )
    return aligned(rows, left=(0,))
