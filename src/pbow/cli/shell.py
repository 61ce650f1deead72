"""Commands whose users see one sentence where something is wrong, no traceback.

Errors of the library carry the parameter that they speak of. Here, and only here, it
becomes the option that sets it.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from pbow.errors import ParameterError

__all__ = ["Command", "Group", "Interrupted"]

# Where to set what most commands have no option for.
OF_OTHER_COMMANDS = {"format": "pbow convert --from"}


class Interrupted(click.ClickException):
    """Ctrl-C, with the exit code that shells expect of it."""

    exit_code = 130

    def show(self, file: Any = None) -> None:
        """Print the message on stderr."""
        click.echo(self.message, err=True)


class Command(click.Command):
    """A command whose errors are one sentence."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # click keeps the lines of a paragraph that begins with the character that raw
        # docstrings spell with two.
        self.help = (self.help or "").replace("\\b\n", "\b\n")

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with plain_errors(self):
            return super().invoke(ctx)


class Group(Command, click.Group):
    """A group of such commands."""

    command_class = Command
    group_class = type


@contextmanager
def plain_errors(command: click.Command) -> Iterator[None]:
    """Turn errors into sentences about the options of a command, warnings into lines.

    What is none of the user's, as an AttributeError, stays a traceback.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = _show_warning
        try:
            yield
        except BrokenPipeError as error:
            # Nobody reads on, as in `pbow demo | head -1`. What Python has not written
            # yet goes nowhere when it ends.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise click.exceptions.Exit(0) from error
        except KeyboardInterrupt as error:
            msg = "Interrupted."
            raise Interrupted(msg) from error
        except (ImportError, MemoryError, OSError, ValueError) as error:
            raise click.ClickException(sentence(error, command)) from error


def sentence(error: Exception, command: click.Command) -> str:
    """Return what to tell the user of a command, on one line."""
    text = str(error) or "There is not enough memory."
    if isinstance(error, ParameterError):
        option = option_of(error.parameter, command)
        text = f"Expected {option} to be {error.expected}; got {error.shown}."
        if error.value is None:
            text = f"Pass {option}: {error.expected}."
        text = f"{text} {error.advice}"
    elif isinstance(error, OSError) and error.strerror:
        name = f"{error.filename}: " if error.filename else ""
        text = f"{name}{error.strerror}"
    line = " ".join(text.split())
    return line if line.endswith((".", ")")) else f"{line}."


def option_of(parameter: str, command: click.Command) -> str:
    """Return how a command calls a parameter: options have the library's names."""
    for option in command.params:
        if option.name == parameter:
            return option.opts[-1]
    if parameter in OF_OTHER_COMMANDS:
        return OF_OTHER_COMMANDS[parameter]
    if any(option.name == "settings" for option in command.params):
        return f"--set {parameter}=..."
    return parameter


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print what a warning says; where in the code it came from helps no user."""
    click.echo(f"Warning: {' '.join(str(message).split())}", err=True)
