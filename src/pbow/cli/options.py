"""Arguments and options that commands share, so that they are called alike.

An option has the name of the parameter of the library that it sets: errors of the
library find it by that name.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import click

from pbow.errors import shown

__all__ = [
    "LazyChoice",
    "Words",
    "as_json",
    "diagrams",
    "jobs",
    "labels",
    "model",
    "names",
    "output",
    "path",
    "scheduler",
    "seed",
    "settings",
    "stream",
    "words",
]

Command = TypeVar("Command", bound=Callable[..., Any] | click.Command)

CONSTANTS = {"true": True, "false": False, "none": None, "null": None}


class LazyChoice(click.Choice[str]):
    """One of some names, found when needed: `pbow --help` does not wait for them."""

    def __init__(self, find: Callable[[], Iterable[str]]) -> None:
        self._find = find
        self.case_sensitive = True

    @property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """The names."""
        return tuple(self._find())


class Words(click.ParamType):  # type: ignore[type-arg]
    """Sizes of codebooks: a number, one per resolution, or "auto"."""

    name = "words"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Return an int, a tuple of several, or "auto"."""
        if value == "auto":
            return value
        try:
            sizes = tuple(map(int, value.split(",")))
        except ValueError:
            sizes = ()
        if not sizes or not all(i < j for i, j in pairwise((0, *sizes))):
            msg = (
                "expected a number, increasing numbers separated by commas, as in "
                f"10,30,100, or auto; got {shown(value)}."
            )
            self.fail(msg, param, ctx)
        return sizes if len(sizes) > 1 else sizes[0]


path = click.Path(path_type=Path)

diagrams = click.argument("diagrams", type=path)
model = click.argument("model", type=path)
names = click.option(
    "--names",
    type=path,
    metavar="FILE",
    help="Names of the diagrams, one per line, as pbow homology --names-out writes "
    "them.",
)
seed = click.option(
    "--seed",
    "random_state",
    type=click.IntRange(0, 2**32 - 1),
    default=0,
    show_default=True,
    help="The same seed gives the same result.",
)
jobs = click.option(
    "--jobs",
    "n_jobs",
    type=click.IntRange(min=1),
    default=None,
    callback=lambda context, option, value: -1 if value is None else value,
    show_default="all processors",
    help="Threads to use.",
)
words = click.option(
    "--words",
    "n_words",
    type=Words(),
    metavar="N[,N...]",
    default=None,
    show_default="10,30,100 for pbow and spbow",
    help="Size of the codebook: a number of words, one per resolution, as in "
    "10,30,100, or auto.",
)
stream = click.option(
    "--stream/--no-stream",
    default=None,
    show_default="--stream if the files are larger than a quarter of the memory",
    help="Read Parquet, Arrow and .pbow files in blocks, or all at once.",
)
scheduler = click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Let a Dask cluster work on the blocks, as in tcp://host:8786. Its workers "
    "need the same files.",
)
labels = click.option(
    "--labels",
    type=path,
    metavar="FILE",
    show_default="those in DIAGRAMS, if that is a .npz file with labels",
    help="Labels of the diagrams: one label per line, or an array in a .npy file, or "
    "the array labels of a .npz file; with --names also a CSV file with the columns "
    "file and label.",
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def output(help: str) -> Callable[[Command], Command]:
    """Return the option for the file that a command writes."""
    return click.option("-o", "--output", type=path, required=True, help=help)


def settings(help: str) -> Callable[[Command], Command]:
    """Return the option for parameters by name, which become a dict."""
    return click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="NAME=VALUE",
        callback=_parse_settings,
        help=help,
    )


def _parse_settings(
    context: click.Context, option: click.Parameter, given: Sequence[str]
) -> dict[str, Any]:
    values = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            msg = f"expected NAME=VALUE, as in weighting=ramp; got {text!r}."
            raise click.BadParameter(msg)
        values[name] = _parse_value(value.strip())
    return values


def _parse_value(text: str) -> Any:
    if text.lower() in CONSTANTS:
        return CONSTANTS[text.lower()]
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):  # a word, which needs no quotes
        return text
