"""Persistence bag-of-words: feature vectors from persistence diagrams."""

from importlib.metadata import version as _version

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
