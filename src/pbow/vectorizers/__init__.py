"""scikit-learn transformers: diagrams in, feature matrix out."""

from pbow.vectorizers.bow import PersistenceBoW
from pbow.vectorizers.stable import StablePersistenceBoW

__all__ = ["PersistenceBoW", "StablePersistenceBoW"]
