"""Persistence bag-of-words: feature vectors from persistence diagrams."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING
from typing import Any as _Any

if TYPE_CHECKING:
    from pbow.diagrams import Diagrams
    from pbow.io.models import load, save
    from pbow.vectorizers import PersistenceBoW, StablePersistenceBoW

    __version__: str

__all__ = [
    "Diagrams",
    "PersistenceBoW",
    "StablePersistenceBoW",
    "__version__",
    "load",
    "save",
]

# Where the names are. They are imported when they are first asked for, because a shell
# that completes a command waits for the import of this package at every key.
_HOMES = {
    "Diagrams": "pbow.diagrams",
    "PersistenceBoW": "pbow.vectorizers",
    "StablePersistenceBoW": "pbow.vectorizers",
    "load": "pbow.io.models",
    "save": "pbow.io.models",
}
_ROOMS = {
    "codebook",
    "datasets",
    "diagrams",
    "experiment",
    "homology",
    "io",
    "kernels",
    "plotting",
    "preprocessing",
    "vectorizers",
}


def __getattr__(name: str) -> _Any:
    """Import what is asked for the first time."""
    if name == "__version__":
        return _import_module("importlib.metadata").version("pbow")
    if name in _HOMES:
        found = getattr(_import_module(_HOMES[name]), name)
        globals()[name] = found
        return found
    if name in _ROOMS:
        return _import_module(f"pbow.{name}")
    msg = f"module 'pbow' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    """List what can be asked for, imported or not."""
    return sorted({*globals(), *_HOMES, *_ROOMS, "__version__"})
