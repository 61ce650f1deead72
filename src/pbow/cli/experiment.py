"""``pbow experiment``: run a declared experiment; make its table, figures and page."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pbow.cli.inputs import check_output
from pbow.cli.shell import Group, Interrupted
from pbow.cli.show import aligned, print_text

if TYPE_CHECKING:
    from pbow.experiment import Experiment, Folder, Run

__all__ = ["experiment"]

SECONDS_BETWEEN_LINES = 30.0  # where nothing can be drawn over
FORMATS = ("markdown", "latex", "csv")

_results = click.argument("results", type=click.Path(path_type=Path))
_data_home = click.option(
    "--data-home",
    type=click.Path(path_type=Path),
    default=None,
    show_default="the variable PBOW_DATA",
    help="Folder of the data sets.",
)
_only = click.option(
    "--only",
    multiple=True,
    metavar="NAME",
    help="A data set, a descriptor, or a cell as synthetic/PBoW; may be repeated.",
)


@click.group(cls=Group)
def experiment() -> None:
    r"""Run declared experiments, and show their results.

    \b
    pbow experiment run experiments/quick.toml --out results
    pbow experiment table results
    pbow experiment report results
    """


@experiment.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    help="Folder for the results. What it holds already is not run again.",
)
@_data_home
@_only
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Processes.",
)
@click.option(
    "--budget",
    type=click.FloatRange(min=0, min_open=True),
    metavar="MINUTES",
    default=None,
    show_default="what FILE says",
    help="What a data set and descriptor may take together; the table says if more "
    "was needed.",
)
def run(
    file: Path,
    out: Path,
    data_home: Path | None,
    only: tuple[str, ...],
    jobs: int,
    budget: float | None,
) -> None:
    """Run what is missing of the experiment that FILE declares.

    It may be stopped at any moment and started again, and several processes may work on
    one folder at once: finished runs are kept, and none is made twice.
    """
    from pbow.experiment import read_experiment, run_experiment, summarize  # noqa: PLC0415

    declared = read_experiment(file)
    line = _Line(_described(declared))
    try:
        runs = run_experiment(
            file,
            out,
            data_home=data_home,
            only=only,
            n_jobs=jobs,
            minutes_per_cell=budget,
            report=line.show,
        )
    except KeyboardInterrupt as error:
        line.end()
        if not line.has_begun:
            raise
        msg = "Interrupted. What is done is kept: the same command goes on from there."
        raise Interrupted(msg) from error
    line.end()
    outcomes = summarize(declared, runs).values()
    n_complete = sum(outcome.is_complete for outcome in outcomes)
    are = "cell is" if len(outcomes) == 1 else "cells are"
    print_text(f"{n_complete} of {len(outcomes)} {are} complete: {out}")


@experiment.command()
@click.argument("file", type=click.Path(path_type=Path))
@_data_home
@_only
def estimate(file: Path, data_home: Path | None, only: tuple[str, ...]) -> None:
    """Estimate how long the experiment of FILE takes, by a few fits per data set.

    Prints, for each data set, the support vector machines of the whole grid and of the
    declared reduction, and the estimated hours of one core. Data sets that are not
    available are named, and the exit code is then 1.
    """
    from pbow.experiment import estimate_work, read_experiment  # noqa: PLC0415
    from pbow.experiment.caption import counted  # noqa: PLC0415

    asked = read_experiment(file).only(only)
    rows = [("data set", "fits of the whole grid", "hours", "fits at most", "hours")]
    missing = {}
    for entry in asked.datasets:
        cells = [cell.name for cell in asked.cells if cell.dataset == entry]
        try:
            [item] = estimate_work(asked.only(cells), data_home)
        except (FileNotFoundError, ImportError) as error:
            missing[entry.title] = str(error)
            continue
        rows.append(
            (
                entry.title,
                f"{item.work.whole_grid:,}",
                f"{item.whole_grid_seconds / 3600:.2f}",
                f"{item.work.screening + item.work.finals:,}",
                f"{item.reduced_seconds / 3600:.2f}",
            )
        )
        click.echo(f"{entry.title} is tried", err=True)
    _say_left_out(missing)
    if len(rows) > 1:
        print_text(aligned(rows, left=(0,)))
    if missing:
        n = counted(len(asked.datasets), "data set")
        msg = f"No estimate for {len(missing)} of {n}: {', '.join(missing)}."
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
    """Print the table of the folder RESULTS, ours beside the paper's."""
    from pbow.experiment import make_powered_table, make_table  # noqa: PLC0415
    from pbow.experiment.sheets import is_powered  # noqa: PLC0415

    declared, _, runs = _read(results)
    make = make_powered_table if is_powered(declared) else make_table
    text = make(declared, runs, format_)
    print_text(text.removesuffix("\n"))


@experiment.command()
@_results
@_data_home
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=None,
    show_default="RESULTS/figures",
    help="Folder for the figures.",
)
def figures(results: Path, data_home: Path | None, out: Path | None) -> None:
    """Draw the figures of the folder RESULTS, as PNG and SVG.

    Prints the files. Of every figure of the paper that cannot be drawn from these
    results, it says why.
    """
    from pbow.experiment.figures import make_figures, save  # noqa: PLC0415

    declared, _, runs = _read(results)
    made = make_figures(declared, runs, data_home=data_home)
    folder = results / "figures" if out is None else out
    folder.mkdir(parents=True, exist_ok=True)
    for figure in made.figures:
        saved = save(figure, folder)
        print_text(f"{saved.png}\n{saved.svg}")
    _say_left_out(made.left_out)


@experiment.command()
@_results
@_data_home
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=None,
    show_default="RESULTS/report.html",
    help="The page.",
)
def report(results: Path, data_home: Path | None, out: Path | None) -> None:
    """Write table, choices and figures of the folder RESULTS into one HTML page.

    The page needs no network. Prints its name.
    """
    from tempfile import TemporaryDirectory  # noqa: PLC0415

    from pbow.experiment import write_report  # noqa: PLC0415
    from pbow.experiment.figures import make_figures, save  # noqa: PLC0415

    declared, folder, runs = _read(results)
    path = results / "report.html" if out is None else out
    check_output(path, keep=[folder.declaration, folder.packed])
    made = make_figures(declared, runs, data_home=data_home)
    with TemporaryDirectory() as drawn:
        saved = [save(figure, drawn) for figure in made.figures]
        write_report(declared, runs, saved, path)
    print_text(path)
    _say_left_out(made.left_out)


@experiment.command()
@_results
def pack(results: Path) -> None:
    """Move the runs of the folder RESULTS into one table, runs.csv.

    Nothing else changes: the runs are read from there just as well.
    """
    _, folder, _ = _read(results)
    print_text(f"{folder.pack():,} runs: {folder.packed}")


def _read(results: Path) -> tuple[Experiment, Folder, dict[str, Run]]:
    from pbow.experiment import Folder, read_experiment  # noqa: PLC0415

    folder = Folder(results)
    if not folder.declaration.is_file():
        msg = (
            f"Expected {results} to be a folder of results; it has no "
            f"{folder.declaration.name}. `pbow experiment run FILE --out {results}` "
            "makes one."
        )
        raise click.ClickException(msg)
    return read_experiment(folder.declaration), folder, folder.load()


def _described(declared: Experiment) -> str:
    from pbow.experiment import count_work  # noqa: PLC0415
    from pbow.experiment.caption import counted  # noqa: PLC0415

    work = count_work(declared)
    text = (
        f"{declared.title}: {counted(len(declared.cells), 'cell')}, "
        f"{counted(work.n_combinations, 'combination')} of parameters. "
    )
    whole = counted(work.whole_grid, "support vector machine")
    if work.screening == 0:
        return f"{text}With all values of C and folds these are at most {whole}."
    # Together they may be more than the whole grid has, which would be larger ones.
    return (
        f"{text}The whole grid with all values of C and folds would be {whole}. Here "
        f"it is at most {work.screening:,} for screening, on "
        f"{declared.classifier.screen_rows:,} samples or fewer, and {work.finals:,} "
        "for finalists."
    )


def _say_left_out(left_out: dict[str, str]) -> None:
    for what, why in left_out.items():
        click.echo(f"Left out: {what}. {why}", err=True)


class _Line:
    """What the work is and how far: drawn over on a terminal, else now and then."""

    def __init__(self, work: str) -> None:
        # Shown when the work has begun: what is wrong before is one sentence alone.
        self._work = work
        self._is_terminal = sys.stderr.isatty()
        self._next = 0.0

    @property
    def has_begun(self) -> bool:
        return not self._work

    def show(self, done: int, total: int, seconds_left: float | None) -> None:
        if self._work:
            click.echo(self._work, err=True)
            self._work = ""
        text = f"{done:,} of {total:,} runs"
        if seconds_left is not None:
            minutes, seconds = divmod(round(seconds_left), 60)
            text += f", {minutes // 60}:{minutes % 60:02}:{seconds:02} left by estimate"
        if self._is_terminal:
            click.echo(f"\r{text:<60}", nl=False, err=True)
        elif time.monotonic() >= self._next:
            self._next = time.monotonic() + SECONDS_BETWEEN_LINES
            click.echo(text, err=True)

    def end(self) -> None:
        if self._is_terminal:
            click.echo(f"\r{'':<60}\r", nl=False, err=True)
