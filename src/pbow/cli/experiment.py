"""``pbow experiment``: run a declared experiment, and show its results."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbow.cli.inputs import check_output
from pbow.cli.shell import Group, Interrupted
from pbow.cli.show import print_text

if TYPE_CHECKING:
    from pbow.experiment import Experiment
    from pbow.experiment.tasks import Runs

__all__ = ["experiment"]

FORMATS = ("markdown", "latex", "csv")

_PATH = click.Path(path_type=Path)
_results = click.argument("results", type=_PATH)


@click.group(cls=Group)
def experiment() -> None:
    r"""Run declared experiments, and show their results.

    \b
    pbow experiment run experiments/quick.toml --out results
    pbow experiment table results
    pbow experiment report results
    """
    # Descriptors may be classes of modules in the working directory.
    sys.path.insert(0, str(Path.cwd()))


@experiment.command()
@click.argument("file", type=_PATH)
@click.option(
    "--out",
    type=_PATH,
    required=True,
    help="Folder for the results. What it holds already is not run again.",
)
@click.option(
    "--data-home",
    type=_PATH,
    show_default="the variable PBOW_DATA",
    help="Folder of the data sets.",
)
@click.option(
    "--only",
    multiple=True,
    metavar="NAME",
    help="A data set, a descriptor, or a cell as synthetic/PBoW; may be repeated.",
)
@click.option(
    "--jobs",
    "n_jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Number of processes.",
)
def run(
    file: Path, out: Path, data_home: Path | None, only: tuple[str, ...], n_jobs: int
) -> None:
    """Run what is missing of the experiment that FILE declares.

    An estimate of the time is printed first. Stop it at any moment and start it again,
    or start several on one folder: finished runs are kept, and none is made twice. A
    data set that is not available is named, and the exit code is then 1; the rest is
    run.
    """
    from pbow.experiment import progress, read_experiment, run_experiment  # noqa: PLC0415

    declared = read_experiment(file).only(only)
    try:
        runs = run_experiment(
            file,
            out,
            data_home=data_home,
            only=only,
            n_jobs=n_jobs,
            progress=sys.stderr.isatty(),
            report=lambda line: click.echo(line, err=True),
        )
    except KeyboardInterrupt as error:
        msg = "Interrupted. What is done is kept: the same command goes on from there."
        raise Interrupted(msg) from error
    cells = progress(declared, runs)
    n_complete = int(cells.complete.sum())
    print_text(f"{n_complete} of {len(cells)} cells are complete: {out}")
    if n_complete < len(cells):
        left_out = ", ".join(cells[~cells.complete].dataset.unique())
        msg = f"Not complete: {left_out}."
        raise click.ClickException(msg)


@experiment.command()
@_results
@click.option(
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    default="markdown",
    show_default=True,
)
def table(results: Path, format_: str) -> None:
    """Print the tables of the folder RESULTS, ours beside the paper's."""
    from pbow.experiment.tables import make_tables  # noqa: PLC0415

    text = make_tables(*_read(results), format_)
    print_text(text.removesuffix("\n"))


@experiment.command()
@_results
@click.option("--out", type=_PATH, show_default="RESULTS/report.html", help="The page.")
def report(results: Path, out: Path | None) -> None:
    """Write tables, figures and chosen parameters of RESULTS into one HTML page.

    Figures are those in RESULTS/figures, if there are any. The page needs no network.
    Prints its name.
    """
    from pbow.experiment.report import write_report  # noqa: PLC0415

    declared, runs = _read(results)
    path = results / "report.html" if out is None else out
    keep = [results / f"{declared.name}.toml", results / "runs.parquet"]
    check_output(path, keep=keep)
    write_report(declared, runs, path, figures=results / "figures")
    print_text(path)


def _read(results: Path) -> tuple[Experiment, Runs]:
    from pbow.experiment import Folder  # noqa: PLC0415

    folder = Folder(results)
    return folder.read_declaration(), folder.read()
