"""``pbow fit``: learn a descriptor, and save it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from pbow.cli import options
from pbow.cli.descriptors import VECTORIZERS, make_descriptors
from pbow.cli.inputs import (
    check_json,
    check_output,
    naming,
    read_diagrams,
    say_written,
)
from pbow.cli.show import print_json, waiting
from pbow.cli.sizes import count_features

__all__ = ["fit"]


@click.command()
@options.diagrams
@options.output("File for the model, as in model.pbow.")
@click.option(
    "--descriptor",
    type=click.Choice(tuple(VECTORIZERS)),
    default="pbow",
    show_default=True,
    help="What to learn.",
)
@options.words
@options.settings("A parameter of the descriptor's class; may be repeated.")
@options.seed
@options.jobs
@options.as_json
def fit(
    diagrams: Path,
    output: Path,
    descriptor: str,
    words: int | None,
    settings: dict[str, Any],
    seed: int,
    n_jobs: int,
    *,
    as_json: bool,
) -> None:
    r"""Learn a descriptor from DIAGRAMS and save it to a file.

    DIAGRAMS is a file or folder of any format that `pbow convert` knows, or - for a
    pipe.

    \b
    pbow fit diagrams.pbow --words 20 -o model.pbow
    pbow fit diagrams.pbow --descriptor spbow --set weighting=ramp -o model.pbow
    pbow fit diagrams.pbow --set 'n_words={"H0": 5, "H1": 20}' -o model.pbow
    pbow fit diagrams.pbow --descriptor image --set resolution=30 -o model.pbow
    """
    from pbow.io.models import save  # noqa: PLC0415

    start = time.perf_counter()
    check_json(output, as_json=as_json)
    check_output(output, keep=[diagrams])
    made = make_descriptors(
        [descriptor], settings, words=words, seed=seed, n_jobs=n_jobs
    )[descriptor]
    X = read_diagrams(diagrams)
    with waiting(f"Learning from {len(X)} diagrams"):
        made.fit(X)
    n_features = count_features(made)
    # The number of threads is of this machine and not of the model.
    with naming(output):
        save(made.set_params(n_jobs=None), output)
    say_written(output, f"{made}, {n_features} features")
    if as_json:
        print_json(
            {
                "output": output,
                "samples": len(X),
                "parts": made.parts_,
                "features": n_features,
                "seconds": time.perf_counter() - start,
            }
        )
