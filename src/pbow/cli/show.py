"""What all commands print alike: tables, JSON, and what was written."""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from pbow._utils.files import naming

__all__ = ["aligned", "print_json", "print_text", "report", "waiting"]


def aligned(rows: Sequence[Sequence[str]], *, left: Collection[int]) -> str:
    """Return lines with cells in columns: some flush left, all others flush right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if k in left else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


@contextmanager
def waiting(label: str) -> Iterator[None]:
    """Show on a terminal what is going on, where no steps can be counted."""
    if not sys.stderr.isatty():
        yield
        return
    click.echo(f"{label} ...", nl=False, err=True)
    try:
        # Until the line is free again.
        with warnings.catch_warnings(record=True) as caught:
            yield
    finally:
        click.echo(f"\r{'':{len(label) + 4}}\r", nl=False, err=True)
        for one in caught:
            warnings.showwarning(one.message, one.category, one.filename, one.lineno)


def print_text(text: object) -> None:
    """Print a result."""
    with naming("the standard output"):
        click.echo(text)


def print_json(value: Any) -> None:
    """Print a value for programs; what JSON does not know is a string."""
    print_text(json.dumps(value, indent=1, default=str, ensure_ascii=False))


def report(
    output: Path, content: object, start: float, *, as_json: bool, **facts: Any
) -> None:
    """Say on stderr what was written; with ``--json``, print facts for programs.

    Nothing is said of ``-``, whose content is on stdout. The work began at `start`, by
    ``time.perf_counter``.
    """
    if str(output) != "-":
        click.echo(f"{output}: {content}", err=True)
    if as_json:
        seconds = time.perf_counter() - start
        print_json({"output": output, **facts, "seconds": seconds})
