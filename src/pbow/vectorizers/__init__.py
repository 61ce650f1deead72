"""scikit-learn transformers: diagrams in, feature matrix out."""

from pbow.vectorizers.bow import PersistenceBoW
from pbow.vectorizers.fisher import PersistenceFisherVector
from pbow.vectorizers.image import PersistenceImage
from pbow.vectorizers.landscape import PersistenceLandscape
from pbow.vectorizers.riemannian import RiemannianHeatMap
from pbow.vectorizers.soft_vlad import SoftPersistenceVLAD
from pbow.vectorizers.stable import StablePersistenceBoW
from pbow.vectorizers.statistics import PersistenceStatistics
from pbow.vectorizers.vlad import PersistenceVLAD

__all__ = [
    "PersistenceBoW",
    "PersistenceFisherVector",
    "PersistenceImage",
    "PersistenceLandscape",
    "PersistenceStatistics",
    "PersistenceVLAD",
    "RiemannianHeatMap",
    "SoftPersistenceVLAD",
    "StablePersistenceBoW",
]
