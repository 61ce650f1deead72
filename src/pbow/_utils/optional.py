"""Optional packages, imported where they are used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["import_optional"]


def import_optional(module: str, *, extra: str, purpose: str) -> Any:
    """Import a module of an optional package, or raise an error that names the extra.

    `purpose` says what needs it, as the subject of a sentence: ``"Reading Parquet"``.
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        msg = (
            f"{purpose} needs {package}, which the extra {extra} of pbow installs: "
            f'python -m pip install ".[{extra}]" in a checkout of it ({error}).'
        )
        raise ImportError(msg, name=package) from error
