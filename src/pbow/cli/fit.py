"""``pbow fit``: learn a descriptor from diagrams."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from pbow.cli import options
from pbow.cli.descriptors import Descriptor, DescriptorOption, make_descriptors
from pbow.cli.inputs import check_output, read_diagrams
from pbow.cli.shell import Command
from pbow.cli.show import report, waiting
from pbow.cli.streaming import cluster, find_files, is_streamed

__all__ = ["fit"]


@click.command(cls=Command)
@options.diagrams
@options.output("File for the model, as in model.pbow.")
@click.option(
    "--descriptor",
    cls=DescriptorOption,
    type=Descriptor("vectorizers"),
    metavar="NAME",
    default="pbow",
    show_default=True,
    help="What to learn: {names}, or a class of your own as module:Class.",
)
@options.words
@options.settings("A parameter of the descriptor's class; may be repeated.")
@options.seed
@options.jobs
@options.stream
@options.scheduler
@options.as_json
def fit(
    diagrams: Path,
    output: Path,
    descriptor: type,
    settings: dict[str, Any],
    scheduler: str | None,
    *,
    stream: bool | None,
    as_json: bool,
    **common: Any,
) -> None:
    r"""Learn a descriptor from DIAGRAMS and save it to a file.

    DIAGRAMS is a file or folder of any format that `pbow convert` knows, a quoted
    pattern of files, as 'diagrams/*.parquet', or - for a pipe. Parquet, Arrow and .pbow
    files that are too large for memory are read in blocks; the model is the same.

    \b
    pbow fit diagrams.pbow --words 20 -o model.pbow
    pbow fit diagrams.pbow --words 10,30,100 -o model.pbow
    pbow fit diagrams.pbow --descriptor spbow --set weighting=ramp -o model.pbow
    pbow fit diagrams.pbow --set 'n_words={"H0": 5, "H1": 20}' -o model.pbow
    pbow fit diagrams.pbow --descriptor image --set resolution=30 -o model.pbow
    pbow fit diagrams.pbow --stream -o model.pbow
    """
    from pbow import save  # noqa: PLC0415

    start = time.perf_counter()
    files = find_files(diagrams)
    check_output(output, keep=files)
    [made] = make_descriptors([descriptor], settings, **common).values()
    if is_streamed(files, {"--scheduler": scheduler}, asked=stream):
        n_samples = _fit_to_blocks(made, files, scheduler)
    else:
        X = read_diagrams(*files)
        n_samples = len(X)
        with waiting(f"Learning from {n_samples} diagrams"):
            made.fit(X)
    # The number of threads is of this machine and not of the model.
    if "n_jobs" in made.get_params():
        made.set_params(n_jobs=None)
    save(made, output)
    n = made.n_features_out_
    facts = {"samples": n_samples, "parts": made.parts_, "features": n}
    report(output, f"{made}, {n} features", start, as_json=as_json, **facts)


def _fit_to_blocks(made: Any, files: list[Path], scheduler: str | None) -> int:
    """Fit, and return the number of samples."""
    from pbow import distributed  # noqa: PLC0415
    from pbow.io import scan_diagrams  # noqa: PLC0415

    blocks = scan_diagrams(files)
    n_samples = blocks.n_samples
    with (
        cluster(scheduler) as executor,
        waiting(f"Learning from {n_samples} diagrams"),
    ):
        distributed.fit(made, blocks, executor=executor)
    return n_samples
