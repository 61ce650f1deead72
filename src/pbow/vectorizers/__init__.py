"""scikit-learn transformers: diagrams in, feature matrix out."""

from pbow.vectorizers.bow import PersistenceBoW
from pbow.vectorizers.image import PersistenceImage
from pbow.vectorizers.landscape import PersistenceLandscape
from pbow.vectorizers.riemannian import RiemannianHeatMap
from pbow.vectorizers.stable import StablePersistenceBoW
from pbow.vectorizers.statistics import PersistenceStatistics

__all__ = [
    "PersistenceBoW",
    "PersistenceImage",
    "PersistenceLandscape",
    "PersistenceStatistics",
    "RiemannianHeatMap",
    "StablePersistenceBoW",
]
