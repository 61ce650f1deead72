"""One line on stderr when loops are compiled, which makes a first call slow."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Any

from numba.core import event

__all__ = ["CompilationNotice", "give_notice"]

TEXT = (
    "pbow: compiling, which takes some seconds, once per installation. "
    "`pbow warm-up` compiles everything.\n"
)


def give_notice() -> None:
    """Let Numba call :class:`CompilationNotice` from now on."""
    register: Any = event.register
    register("numba:compile", CompilationNotice())


class CompilationNotice(event.Listener):
    """Says once per process that a loop of pbow is being compiled.

    Only on a terminal, or if the variable PBOW_VERBOSE is set. Numba calls this when it
    compiles, not when its cache has the loop, and one compilation at a time.
    """

    def __init__(self) -> None:
        self._is_given = False

    def on_start(self, compilation: Any) -> None:
        """Write the line."""
        # Others compile, too, and what they compile may have no module.
        module = compilation.data["dispatcher"].py_func.__module__ or ""
        if self._is_given or not module.startswith("pbow."):
            return
        self._is_given = True
        # There may be no stderr, or none any more; that is no reason to fail.
        with suppress(AttributeError, OSError, ValueError):
            if os.environ.get("PBOW_VERBOSE") or sys.stderr.isatty():
                sys.stderr.write(TEXT)
                sys.stderr.flush()

    def on_end(self, compilation: Any) -> None:
        """Do nothing."""
