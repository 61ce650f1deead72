"""``pbow demo``: shapes to diagrams to words to a score."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbow.cli.inputs import naming
from pbow.cli.show import aligned, print_text

if TYPE_CHECKING:
    from pbow.demo import Score

__all__ = ["demo"]


@click.command()
@click.option(
    "--per-class",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="Point clouds of each of the six shapes.",
)
@click.option(
    "--points",
    type=click.IntRange(min=1),
    default=500,
    show_default=True,
    help="Points of each cloud.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    default="demo-words.png",
    show_default=True,
    help="File for the picture of the words.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**32 - 1),
    default=0,
    show_default=True,
    help="The same seed gives the same accuracies and the same picture.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=None,
    show_default="all processors",
    help="Threads to use.",
)
def demo(
    per_class: int, points: int, output: Path, seed: int, jobs: int | None
) -> None:
    """Classify six noisy shapes by the loops in them.

    Draws point clouds of a cube, a circle, a sphere, clusters, clusters of clusters and
    a torus, computes their Rips diagrams (H1), and compares PBoW and sPBoW, with the
    defaults and with the paper's settings, under a linear SVM. Prints a table, and
    writes a picture of the average histogram of each shape.
    """
    # Here, so that `pbow --help` does not wait for it.
    from pbow import demo as steps  # noqa: PLC0415

    n_jobs = -1 if jobs is None else jobs
    steps.check_picture(output)
    show = sys.stderr.isatty()
    X, y = steps.make_diagrams(
        per_class, points, seed=seed, n_jobs=n_jobs, progress=show
    )
    scores = {
        name: steps.score_descriptor(descriptor, X, y, seed=seed, progress=show)
        for name, descriptor in steps.demo_descriptors(seed=seed, n_jobs=n_jobs).items()
    }
    with naming(output):
        steps.draw_words(X, y, output, seed=seed)
    print_text(
        f"{len(X)} clouds of {points} points, six shapes; linear SVM, mean and "
        f"standard deviation of {steps.N_SPLITS} splits;\n"
        "seconds to learn the codebook and encode all diagrams.\n"
    )
    print_text(_table(scores))
    print_text(f"\npicture: {output}")


def _table(scores: dict[str, Score]) -> str:
    rows = [("descriptor", "accuracy, %", "seconds", "features")]
    for name, score in scores.items():
        mean, std = 100 * score.mean, 100 * score.std
        rows.append(
            (
                name,
                f"{mean:.1f} ± {std:.1f}",
                f"{score.seconds:.3f}",
                str(score.n_features),
            )
        )
    return aligned(rows, left=(0,))
