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
    "kernel": SlicedWassersteinKernel(20),
}
N_THREADS = 3


def make_diagrams():
    """Return diagrams that are enough work for two threads of a loop."""
    rng = np.random.default_rng(20261118)
    births = rng.uniform(size=(60, 400))
    points = np.stack([births, births + rng.exponential(0.3, births.shape)], axis=2)
    return Diagrams.from_list(list(points))


def fit_and_transform(model):
    """Return a digest of what a model learns and gives, with two threads of its own."""
    X = make_diagrams()
    features = clone(model).set_params(n_jobs=2).fit(X[:40]).transform(X)
    return hashlib.sha256(features.tobytes()).hexdigest()


def in_threads(models):
    """Return the digests of all models, each called from several threads at once."""
    tasks = [model for model in models for _ in range(N_THREADS)]
    with ThreadPoolExecutor(len(tasks)) as pool:
        digests = list(pool.map(fit_and_transform, tasks))
    return [
        sorted({*digests[i::1][:N_THREADS]}) for i in range(0, len(tasks), N_THREADS)
    ]
