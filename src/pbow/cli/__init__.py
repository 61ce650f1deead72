"""The command line. Results go to stdout, messages and progress to stderr."""

from __future__ import annotations

import click

from pbow.cli.convert import convert
from pbow.cli.datasets import datasets
from pbow.cli.demo import demo
from pbow.cli.evaluate import evaluate
from pbow.cli.experiment import experiment
from pbow.cli.explore import explore
from pbow.cli.fit import fit
from pbow.cli.homology import homology
from pbow.cli.info import info
from pbow.cli.plot import plot
from pbow.cli.shell import Group
from pbow.cli.transform import transform
from pbow.cli.warm_up import warm_up

__all__ = ["main"]

COMMANDS = (
    *(demo, homology, convert, info, fit, transform, evaluate, plot, explore),
    *(datasets, experiment, warm_up),
)


@click.group(
    cls=Group,
    commands=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="pbow")
def main() -> None:
    r"""Turn persistence diagrams into feature vectors: persistence bag-of-words.

    \b
    pbow datasets shapes clouds.npy --labels labels.txt
    pbow homology clouds.npy --kind clouds -o diagrams.pbow
    pbow fit diagrams.pbow --words 20 -o model.pbow
    pbow transform model.pbow diagrams.pbow -o vectors.csv
    pbow evaluate diagrams.pbow --labels labels.txt --words 20

    Where a command reads or writes a file of diagrams or vectors, - is a pipe.
    """
