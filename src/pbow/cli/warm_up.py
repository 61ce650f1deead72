"""``pbow warm-up``: compile everything now."""

from __future__ import annotations

import sys

import click

from pbow._utils.text import file_size
from pbow.cli.shell import Command
from pbow.cli.show import print_text

__all__ = ["warm_up"]


@click.command(cls=Command)
def warm_up() -> None:
    """Compile all loops now, which takes about a minute.

    Otherwise each is compiled at its first use, which takes some seconds. The result is
    kept in a cache, whose folder is printed; the variable NUMBA_CACHE_DIR sets another.
    """
    # Here, so that `pbow --help` does not wait for it.
    from pbow import compilation  # noqa: PLC0415

    folder = compilation.warm_up(progress=sys.stderr.isatty())
    size = sum(file.stat().st_size for file in folder.iterdir())
    print_text(f"The compiled loops are in {folder} ({file_size(size)}).")
