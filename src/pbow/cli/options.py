"""Arguments and options that commands share, so that they are called alike."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

__all__ = [
    "as_json",
    "diagrams",
    "jobs",
    "labels",
    "names_of_labels",
    "output",
    "path",
    "seed",
    "settings",
    "words",
]

Command = TypeVar("Command", bound=Callable[..., Any] | click.Command)

WORDS_OF_JSON = {"true": True, "false": False, "none": None, "null": None}

path = click.Path(path_type=Path)

diagrams = click.argument("diagrams", type=path)
labels = click.option(
    "--labels",
    type=path,
    required=True,
    metavar="FILE",
    help="Class of each diagram: one a line, or an array in a .npy file.",
)
names_of_labels = click.option(
    "--names",
    type=path,
    metavar="FILE",
    help="Names of the diagrams, one a line, as pbow homology --names-out writes them; "
    "--labels then is a CSV file with the columns file and label.",
)
seed = click.option(
    "--seed",
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
    type=click.IntRange(min=1),
    default=None,
    help="Size of the codebook, of pbow and spbow.",
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
        callback=_parse,
        help=help,
    )


def _parse(
    context: click.Context, option: click.Parameter, given: Sequence[str]
) -> dict[str, Any]:
    values = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            msg = f"expected NAME=VALUE, as in weighting=ramp; got {text!r}."
            raise click.BadParameter(msg)
        values[name] = _value(value.strip())
    return values


def _value(text: str) -> Any:
    if text.lower() in WORDS_OF_JSON:
        return WORDS_OF_JSON[text.lower()]
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):  # a word, which needs no quotes
        return text
