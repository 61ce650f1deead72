"""What all commands print alike: columns, bars, sizes."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from pbow.cli.inputs import naming

__all__ = [
    "aligned",
    "file_size",
    "print_json",
    "print_text",
    "progress_bar",
    "waiting",
]


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


def progress_bar(label: str, length: int) -> Any:
    """Return a bar on a terminal; elsewhere nothing is drawn."""
    return click.progressbar(
        length=length, label=label, file=sys.stderr, hidden=not sys.stderr.isatty()
    )


@contextmanager
def waiting(label: str) -> Iterator[None]:
    """Show on a terminal what is going on, where no steps can be counted."""
    if not sys.stderr.isatty():
        yield
        return
    click.echo(f"{label} ...", nl=False, err=True)
    try:
        yield
    finally:
        click.echo(f"\r{'':{len(label) + 4}}\r", nl=False, err=True)


def print_text(text: object) -> None:
    """Print a result."""
    with naming("-"):
        click.echo(text)


def print_json(value: Any) -> None:
    """Print a value for programs; what JSON does not know is a string."""
    print_text(json.dumps(value, indent=1, default=str, ensure_ascii=False))


def file_size(n_bytes: int | None) -> str:
    """Return a size for people; nothing where it is not known."""
    if n_bytes is None:
        return ""
    return f"{n_bytes / 1e6:.1f} MB" if n_bytes >= 1e5 else f"{n_bytes / 1e3:.1f} kB"
