"""What is tried: an input, what is done with it, and which errors are right."""

from __future__ import annotations

import dis
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any

import pbow

__all__ = ["Target", "Trial", "is_own_error"]

SOURCE = str(Path(pbow.__file__).parent)
RAISE = dis.opmap["RAISE_VARARGS"]


@dataclass(frozen=True)
class Trial:
    """One input.

    Attributes
    ----------
    run : callable
        Does with it what a user would; an AssertionError is a result that is wrong.
    accepts : callable
        Whether an error of `run` is the right one.
    content : bytes or callable
        The file, or what returns the text of the call; it is kept after a failure.
    """

    run: Callable[[], object]
    accepts: Callable[[Exception], bool]
    content: bytes | Callable[[], str]


@dataclass(frozen=True)
class Target:
    """What is fuzzed.

    Attributes
    ----------
    name : str
    share : int
        How many inputs it gets, against the shares of the others.
    make : callable
        Returns the Trial of a random generator; files are written to the folder that is
        the second argument.
    library : str
        The package that reads such files, if that is none of pbow's own work: a crash
        is then reported as the library's.
    """

    name: str
    share: int
    make: Callable[[Random, Path], Trial] = field(repr=False)
    library: str = ""


def is_own_error(error: Exception, *kinds: type[Exception]) -> bool:
    """Whether pbow has raised an error, of one of some kinds, in its own words."""
    return isinstance(error, kinds) and _is_raised_here(error.__traceback__)


def _is_raised_here(traceback: TracebackType | None) -> bool:
    """Whether a raise statement of pbow has raised it, not something that it calls."""
    if traceback is None:
        return False
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    code: Any = traceback.tb_frame.f_code
    return (
        code.co_filename.startswith(SOURCE)
        and code.co_code[traceback.tb_lasti] == RAISE
    )
