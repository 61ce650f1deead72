"""``pbow demo``: shapes to diagrams to words to a score."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pbow.cli import options
from pbow.cli.inputs import check_output
from pbow.cli.shell import Command
from pbow.cli.show import aligned, print_text

__all__ = ["demo"]


@click.command(cls=Command)
@click.option(
    "--per-class",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="Point clouds of each of the six shapes.",
)
@click.option(
    "--points",
    "n_points",
    type=click.IntRange(min=1),
    default=500,
    show_default=True,
    help="Points of each cloud.",
)
@click.option(
    "--output",
    type=options.path,
    default="demo-words.png",
    show_default=True,
    help="File for the figure of the words.",
)
@options.seed
@options.jobs
def demo(
    per_class: int, n_points: int, output: Path, random_state: int, n_jobs: int
) -> None:
    """Classify six noisy shapes by the loops in them.

    Draws point clouds of a cube, a circle, a sphere, clusters, clusters of clusters and
    a torus, computes their Rips diagrams (H1), and compares PBoW and sPBoW, with the
    defaults and with the paper's settings, under a linear SVM. Prints a table, and
    writes a figure of the average histogram of each shape.
    """
    # Here, so that `pbow --help` does not wait for it.
    from pbow import demo as steps  # noqa: PLC0415

    show = sys.stderr.isatty()
    check_output(output)
    steps.check_figure_format(output)
    X, y = steps.make_diagrams(
        per_class, n_points, seed=random_state, n_jobs=n_jobs, progress=show
    )
    rows = [("descriptor", "accuracy, %", "seconds", "features")]
    descriptors = steps.demo_descriptors(seed=random_state, n_jobs=n_jobs)
    for name, descriptor in descriptors.items():
        score = steps.score_descriptor(
            descriptor, X, y, seed=random_state, progress=show
        )
        accuracy = f"{100 * score.mean:.1f} ± {100 * score.std:.1f}"
        seconds = f"{score.representation_seconds:.3f}"
        rows.append((name, accuracy, seconds, str(score.n_features)))
    steps.draw_words(X, y, output, seed=random_state)
    print_text(
        f"{len(X)} clouds of {n_points} points, six shapes; linear SVM, mean and "
        f"standard deviation of {steps.N_SPLITS} splits;\n"
        "seconds to learn the codebook and encode all diagrams.\n"
    )
    print_text(aligned(rows, left=(0,)))
    print_text(f"\nfigure: {output}")
