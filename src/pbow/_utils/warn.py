"""Warnings that point at the line of the user, however deep they come from."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

__all__ = ["warn_user"]

PACKAGE = f"{Path(__file__).parents[1]}{os.sep}"


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn as if the nearest caller outside of pbow had done so."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
