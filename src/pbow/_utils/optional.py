"""Optional packages, imported where they are used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["import_optional"]


def import_optional(module: str, *, extra: str, purpose: str) -> Any:
    """Import a module of an optional package, or raise an error that names the extra.

    Parameters
    ----------
    module : str
        As in ``import``.
    extra : str
        The extra of pbow that installs the package.
    purpose : str
        What needs it, as the subject of a sentence: ``"Reading Parquet files"``.

    Returns
    -------
    module : module

    Raises
    ------
    ImportError
        If the package is not installed, or too old.
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        msg = (
            f"{purpose} needs {package}, which the extra {extra} of pbow installs: "
            f'pip install "pbow[{extra}]" ({error}).'
        )
        raise ImportError(msg, name=package) from error
