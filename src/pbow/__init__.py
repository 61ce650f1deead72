"""Persistence bag-of-words: feature vectors from persistence diagrams."""

from importlib import import_module as _import_module
from importlib.metadata import version as _version
from types import ModuleType as _ModuleType

from pbow.diagrams import Diagrams
from pbow.io.models import load, save
from pbow.vectorizers import PersistenceBoW, StablePersistenceBoW

__all__ = [
    "Diagrams",
    "PersistenceBoW",
    "StablePersistenceBoW",
    "__version__",
    "load",
    "save",
]

__version__ = _version("pbow")

_ROOMS = {"datasets", "experiment", "homology", "plotting", "preprocessing"}


def __getattr__(name: str) -> _ModuleType:
    """Import a room when it is first asked for, so that ``import pbow`` stays light."""
    if name in _ROOMS:
        return _import_module(f"pbow.{name}")
    msg = f"module 'pbow' has no attribute {name!r}"
    raise AttributeError(msg)
