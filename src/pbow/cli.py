"""The command line. Results go to stdout, messages and progress to stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from pbow.demo import Score

__all__ = ["main"]


class _Commands(click.Group):
    """Commands whose users see one sentence where something is wrong, no traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # Nobody reads on, as in `pbow demo | head -1`; click then ends quietly.
            raise
        except (ImportError, OSError, ValueError) as error:
            raise click.ClickException(str(error)) from error
        except KeyboardInterrupt as error:
            msg = "Interrupted."
            raise click.ClickException(msg) from error


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pbow")
def main() -> None:
    """Turn persistence diagrams into feature vectors: persistence bag-of-words."""


@main.command()
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
    with _progress("Computing diagrams", 6 * per_class) as bar:
        X, y = steps.make_diagrams(
            per_class, points, seed=seed, n_jobs=n_jobs, progress=lambda: bar.update(1)
        )
    scores = {}
    for name, descriptor in steps.demo_descriptors(seed=seed, n_jobs=n_jobs).items():
        with _progress(f"Classifying with {name}", steps.N_SPLITS) as bar:
            scores[name] = steps.score_descriptor(
                descriptor, X, y, seed=seed, progress=lambda: bar.update(1)
            )
    steps.draw_words(X, y, output, seed=seed)
    click.echo(
        f"{len(X)} clouds of {points} points, six shapes; linear SVM, mean and "
        f"standard deviation of {steps.N_SPLITS} splits;\n"
        "seconds to learn the codebook and encode all diagrams.\n"
    )
    click.echo(_table(scores))
    click.echo(f"\npicture: {output}")


@main.group()
def datasets() -> None:
    """Say which data sets are here; import public releases."""


@datasets.command("list")
@click.option(
    "--data-home",
    type=click.Path(path_type=Path),
    default=None,
    show_default="the variable PBOW_DATA",
    help="Folder of the source files.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, an object a set.")
def list_(data_home: Path | None, *, as_json: bool) -> None:
    """List data sets: what is here, what is not, and how it can be had."""
    from pbow.datasets import list_datasets  # noqa: PLC0415

    listings = list_datasets(data_home)
    if as_json:
        records = [asdict(listing) for listing in listings]
        click.echo(json.dumps(records, indent=1, default=str, ensure_ascii=False))
        return
    rows = [("data set", "samples", "classes", "size", "what it is")]
    for listing in listings:
        kind = f"Stand-in for {listing.stand_in_for}: " if listing.stand_in_for else ""
        rows.append(
            (
                listing.name,
                str(listing.n_samples) if listing.is_here else "not here",
                str(listing.n_classes) if listing.is_here else "",
                _size(listing.n_bytes),
                kind + listing.origin,
            )
        )
    click.echo(_aligned(rows, left=(0, 4)))
    for listing in listings:
        if not listing.is_here:
            why = listing.problem or listing.how_to_get
            click.echo(f"\n{listing.name}: {why}")


@datasets.command("import")
@click.argument("name")
@click.option(
    "--from",
    "source",
    type=click.Path(path_type=Path),
    required=True,
    help="The release: a folder, a zip or a file.",
)
@click.option(
    "--to",
    type=click.Path(path_type=Path),
    default=None,
    show_default="the cache",
    help="Folder for what is made of it.",
)
def import_(name: str, source: Path, to: Path | None) -> None:
    """Convert the public release of the data set NAME, so that it can be loaded.

    Prints the file that was written.
    """
    from pbow.datasets.importing import import_dataset  # noqa: PLC0415

    click.echo(import_dataset(name, source, to, progress=True))


def _size(n_bytes: int | None) -> str:
    if n_bytes is None:
        return ""
    return f"{n_bytes / 1e6:.1f} MB" if n_bytes >= 1e5 else f"{n_bytes / 1e3:.1f} kB"


def _progress(label: str, length: int) -> Any:
    """Return a bar on a terminal; elsewhere it prints its label once, on a line."""
    return click.progressbar(length=length, label=label, file=sys.stderr)


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
    return _aligned(rows, left=(0,))


def _aligned(rows: Sequence[Sequence[str]], *, left: Collection[int]) -> str:
    """Return lines with cells in columns: some flush left, all others flush right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if k in left else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
