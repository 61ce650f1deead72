"""One list of estimators, which drives the contracts. Add new ones here alone."""

import numpy as np

from pbow.kernels import (
    LandscapeKernel,
    MultiScaleKernel,
    SlicedWassersteinKernel,
    WassersteinKernel,
)
from pbow.preprocessing import (
    MostPersistent,
    PersistenceThreshold,
    Rescale,
    SelectParts,
)
from pbow.vectorizers import (
    PersistenceBoW,
    PersistenceFisherVector,
    PersistenceImage,
    PersistenceLandscape,
    PersistenceStatistics,
    PersistenceVLAD,
    RiemannianHeatMap,
    SoftPersistenceVLAD,
    StablePersistenceBoW,
)

__all__ = ["ESTIMATORS", "KERNELS", "TRANSFORMERS", "VECTORIZERS", "one_per_class"]

VECTORIZERS = [
    PersistenceBoW(n_words=3, random_state=0),
    PersistenceBoW.paper(n_words=3, weighting="ramp", random_state=0),
    PersistenceBoW(n_words=3, point_weight="ramp", normalize=None, random_state=0),
    StablePersistenceBoW(n_words=3, random_state=0),
    StablePersistenceBoW.paper(n_words=3, random_state=0),
    StablePersistenceBoW.certified(n_words=3, random_state=0),
    StablePersistenceBoW(
        n_words=3,
        covariance="full",
        scale="peak",
        normalize="lipschitz",
        dtype="float32",
        random_state=0,
    ),
    # Fewer words than the contract has births: residuals to words on all points are 0.
    PersistenceVLAD(n_words=2, random_state=0),
    PersistenceVLAD.paper(n_words=(1, 2), random_state=0),
    SoftPersistenceVLAD(n_words=2, random_state=0),
    SoftPersistenceVLAD(
        n_words=2, covariance="full", temperature=2.0, normalize=None, random_state=0
    ),
    PersistenceFisherVector(n_words=3, random_state=0),
    PersistenceFisherVector.paper(
        n_words=3, point_weight="ramp", temperature=2.0, random_state=0
    ),
    PersistenceImage(resolution=3),
    PersistenceImage.paper(),
    PersistenceLandscape(n_levels=2, resolution=40),
    RiemannianHeatMap(n_components=3),
    RiemannianHeatMap(n_components=40, resolution=4, bandwidth=0.2),
    PersistenceStatistics(),
]
KERNELS = [
    WassersteinKernel(),
    WassersteinKernel(order=1, bandwidth=0.5),
    WassersteinKernel(order=np.inf),
    MultiScaleKernel(),
    MultiScaleKernel(bandwidth=0.3),
    SlicedWassersteinKernel(n_directions=5),
    SlicedWassersteinKernel(n_directions=5, bandwidth=2.0),
    LandscapeKernel(),
]
TRANSFORMERS = [
    PersistenceThreshold(0.3),
    MostPersistent(2),
    Rescale(),
    Rescale("persistence", quantile=0.5),
    SelectParts("H1"),
]
ESTIMATORS = [*VECTORIZERS, *KERNELS, *TRANSFORMERS]


def one_per_class(estimators):
    """Return the first estimator of each class."""
    return list({type(e): e for e in reversed(estimators)}.values())[::-1]
