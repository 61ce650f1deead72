"""Models of all kinds, and diagrams that find their differences."""

import numpy as np

from pbow import Diagrams, PersistenceBoW, StablePersistenceBoW


def diagrams(n_samples, seed=0):
    """Return two parts with essential points."""
    rng = np.random.default_rng(seed)
    parts = {"H0": [], "H1": []}
    for i in range(n_samples):
        for part in parts.values():
            births = rng.uniform(0.0, 1.0, rng.integers(1, 30)) + 0.4 * (i % 2)
            points = np.c_[births, births + rng.exponential(0.3, len(births))]
            essential = np.c_[rng.uniform(0.0, 1.0, 3), np.full(3, np.inf)]
            part.append(np.concatenate((points, essential)))
    return Diagrams.from_parts(parts)


def odd_diagrams():
    """Return diagrams, among them an empty one and points far from all words."""
    usual = diagrams(12, seed=1)
    far = [[5.0, 400.0], [0.25, 0.25], [0.0, 1e99], [-3e90, 2.0]]
    odd = {"H0": [[], [[0.0, np.inf]], far], "H1": [[], [], far]}
    return Diagrams.concatenate([usual, Diagrams.from_parts(odd)])


HARD = {
    "plain": {"whiten": False, "normalize": None},
    "whitened": {"normalize": "sqrt"},
    "ramp": {"point_weight": "ramp", "normalize": "sqrt-l2"},
    "lipschitz": {"normalize": "lipschitz"},
    "separate": {"essential": "separate", "normalize": "sqrt-l2"},
    "closed": {"essential": 3.0},
    "words by part": {"n_words": {"H0": 3, "H1": 11}},
    "squared ramp": {"point_weight": "squared-ramp", "normalize": None},
    "smooth": {"normalize": "smooth-sqrt"},
    "resolutions": {"n_words": (2, 5, 11), "normalize": "sqrt-l2"},
    "resolutions separate": {"n_words": (1, 4), "essential": "separate"},
    "resolutions by part": {"n_words": {"H0": 3, "H1": (2, 9)}},
}
SOFT = {
    "posterior": {},
    "posterior ramp": {"point_weight": "ramp", "normalize": "sqrt-l2"},
    "posterior full": {"covariance": "full", "normalize": "lipschitz"},
    "peak": {"scale": "peak", "normalize": None, "point_weight": "ramp"},
    "peak full": {"scale": "peak", "covariance": "full", "whiten": False},
    "density": {"scale": "density", "normalize": None},
    "density full": {"scale": "density", "covariance": "full", "normalize": "sqrt-l2"},
    "density closed": {"scale": "density", "essential": 2.5, "normalize": "sqrt"},
    "separate": {"essential": "separate"},
    "separate density": {
        "essential": "separate",
        "scale": "density",
        "normalize": "lipschitz",
        "covariance": "full",
        "point_weight": "ramp",
    },
    "resolutions": {"n_words": (3, 9), "temperature": 2.0},
    "resolutions separate": {
        "n_words": (1, 3, 9),
        "essential": "separate",
        "normalize": "lipschitz",
    },
    "resolutions density": {"n_words": (2, 9), "scale": "density"},
    "temperature peak": {"temperature": 0.5, "scale": "peak", "normalize": None},
    "temperature density": {"temperature": 3.0, "scale": "density"},
    "tied": {"covariance": "tied"},
    "tied resolutions": {
        "covariance": "tied",
        "n_words": (3, 9, 20),
        "temperature": 1.5,
        "point_weight": "squared-ramp",
        "quantiles": (None, 0.5),
        "normalize": "smooth-sqrt",
    },
}


def make_models():
    """Return unfitted models by name."""
    words = {"n_words": 9, "random_state": 0}
    hard = {f"hard, {k}": PersistenceBoW(**words | p) for k, p in HARD.items()}
    soft = {f"soft, {k}": StablePersistenceBoW(**words | p) for k, p in SOFT.items()}
    return hard | soft
