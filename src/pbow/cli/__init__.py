"""The command line. Results go to stdout, messages and progress to stderr."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

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
from pbow.cli.shapes import shapes
from pbow.cli.transform import transform
from pbow.cli.wording import for_the_shell

__all__ = ["main"]


class _Commands(click.Group):
    """Commands whose users see one sentence where something is wrong, no traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("default", UserWarning)
                warnings.showwarning = partial(_say_warning, ctx)
                return super().invoke(ctx)
        except BrokenPipeError:
            # Nobody reads on, as in `pbow demo | head -1`; click then ends quietly.
            raise
        except (ImportError, MemoryError, OSError, ValueError) as error:
            text = for_the_shell(_sentence(error), ctx.invoked_subcommand)
            raise click.ClickException(text) from error
        except KeyboardInterrupt as error:
            msg = "Interrupted."
            raise click.ClickException(msg) from error


def _sentence(error: Exception) -> str:
    text = str(error) or "There is not enough memory."
    if isinstance(error, OSError) and error.strerror:
        name = f"{error.filename}: " if error.filename else ""
        text = f"{name}{error.strerror}"
    return text if text.endswith((".", ")")) else f"{text}."


def _say_warning(
    ctx: click.Context, message: Warning | str, *_: Any, **__: Any
) -> None:
    """Print what a warning says; where in the code it came from helps no user."""
    text = for_the_shell(str(message), ctx.invoked_subcommand)
    click.echo(f"Warning: {text}", err=True)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pbow")
def main() -> None:
    r"""Turn persistence diagrams into feature vectors: persistence bag-of-words.

    \b
    pbow homology clouds/ --kind clouds -o diagrams.pbow
    pbow fit diagrams.pbow --words 20 -o model.pbow
    pbow transform model.pbow diagrams.pbow -o vectors.csv

    Where a command reads or writes a file of diagrams or vectors, - is a pipe.
    """


def _keep_lines(command: click.Command) -> None:
    """Let examples stand on lines of their own.

    click looks for the character that a raw docstring spells with two.
    """
    command.help = (command.help or "").replace("\\b\n", "\b\n")
    for inner in getattr(command, "commands", {}).values():
        _keep_lines(inner)


datasets.add_command(shapes)
for command in (
    demo,
    homology,
    convert,
    info,
    fit,
    transform,
    evaluate,
    plot,
    explore,
    datasets,
    experiment,
):
    main.add_command(command)
_keep_lines(main)
