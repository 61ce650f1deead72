"""The command line. Results go to stdout, messages and progress to stderr."""

from __future__ import annotations

from typing import Any

import click

from pbow.cli.datasets import datasets
from pbow.cli.demo import demo
from pbow.cli.experiment import experiment

__all__ = ["main"]


class _Commands(click.Group):
    """Commands whose users see one sentence where something is wrong, no traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # Nobody reads on, as in `pbow demo | head -1`; click then ends quietly.
            raise
        except (ImportError, OSError, ValueError) as error:
            raise click.ClickException(str(error)) from error
        except KeyboardInterrupt as error:
            msg = "Interrupted."
            raise click.ClickException(msg) from error


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pbow")
def main() -> None:
    """Turn persistence diagrams into feature vectors: persistence bag-of-words."""


for command in (demo, datasets, experiment):
    main.add_command(command)
