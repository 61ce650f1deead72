"""What several threads compute at once, in this process; others import this module."""

import hashlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from sklearn.base import clone

from pbow import Diagrams, PersistenceBoW, StablePersistenceBoW
from pbow.kernels import SlicedWassersteinKernel
from pbow.vectorizers import PersistenceImage

__all__ = ["MODELS", "fit_and_transform", "in_threads"]

MODELS = {
    "PBoW": PersistenceBoW((5, 10), sample_size=2000, random_state=0),
    "sPBoW": StablePersistenceBoW(5, sample_size=2000, random_state=0),
    "image": PersistenceImage(8),
    "kernel": SlicedWassersteinKernel(10),
}
N_THREADS = 3


def make_diagrams():
    """Return diagrams that are enough work for two threads of a loop."""
    rng = np.random.default_rng(20261118)
    births = rng.uniform(size=(30, 400))
    points = np.stack([births, births + rng.exponential(0.3, births.shape)], axis=2)
    return Diagrams.from_list(list(points))


def fit_and_transform(model, n_jobs=2):
    """Return a digest of what a model gives for the diagrams it was fitted to."""
    X = make_diagrams()
    features = clone(model).set_params(n_jobs=n_jobs).fit(X[:20]).transform(X)
    return hashlib.sha256(features.tobytes()).hexdigest()


def in_threads(names):
    """Return the digests of each model, called from several threads at once."""
    models = [MODELS[name] for name in names]
    with ThreadPoolExecutor(N_THREADS * len(models)) as pool:
        digests = list(pool.map(fit_and_transform, models * N_THREADS))
    return [{*digests[i :: len(models)]} for i in range(len(models))]
