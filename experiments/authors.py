"""What the authors' program has and the library has not.

The program learns the Gaussians of stable persistence bag-of-words in two ways: by
expectation maximization, as the paper says; and by k-means with one Gaussian per cell.
An earlier version of it laid the grid of Riemannian heat maps over persistences.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from scipy.spatial import cKDTree

import pbow
from pbow._utils.constraints import Constraint, OneOf
from pbow.codebook import GaussianCodebook, learn_kmeans

__all__ = ["RiemannianHeatMap", "StablePersistenceBoW"]

# A floor for the variances of all cells, an absolute number. The program has it for
# cells of one point, and for empty ones, which it keeps with a prior of 1e-20: features
# that are practically zero. Here words without points are dropped.
SMALLEST_VARIANCE = 1e-6


class RiemannianHeatMap(pbow.vectorizers.RiemannianHeatMap):
    """Riemannian heat maps on the grid of an earlier version of the program.

    Both axes, births and deaths, run between the same quantiles of persistence, so that
    the grid ends where most of the points begin.
    """

    def _find_limits(self, points: np.ndarray) -> np.ndarray:
        persistence = points[:, 1] - points[:, 0]
        limits = np.quantile(persistence, self.quantiles, method="hazen")
        return np.array([limits, limits])


class StablePersistenceBoW(pbow.StablePersistenceBoW):
    """Stable persistence bag-of-words with the program's choice of codebooks.

    Parameters
    ----------
    n_words : int or tuple of int, default=(10, 30, 100)
        Number of words; several are codebooks side by side.
    codebook : {"mixture", "cells"}, default="mixture"
        Expectation maximization; or k-means, then one diagonal Gaussian per cell, with
        the fraction of its points as weight.
    **params
        Those of :class:`pbow.StablePersistenceBoW`.
    """

    constraints: ClassVar[Mapping[str, Constraint]] = {
        "codebook": OneOf("mixture", "cells"),
        **pbow.StablePersistenceBoW.constraints,
    }

    def __init__(
        self, n_words: Any = (10, 30, 100), *, codebook: str = "mixture", **params: Any
    ) -> None:
        super().__init__(n_words, **params)
        self.codebook = codebook

    @classmethod
    def _get_param_names(cls) -> list[str]:
        """Name what `params` may have, which scikit-learn does not see, too."""
        return sorted([*pbow.StablePersistenceBoW._get_param_names(), "codebook"])

    def _learn_words(
        self, sample: np.ndarray, n_words: Any, seed: int
    ) -> GaussianCodebook:
        if self.codebook == "mixture":
            return super()._learn_words(sample, n_words, seed)
        clusters = learn_kmeans(
            sample, n_words, whiten=bool(self.whiten), n_init=self.n_init, seed=seed
        )
        codebooks = [_cells(sample, codebook) for codebook in clusters.resolutions]
        return GaussianCodebook.join(codebooks)


def _cells(sample: np.ndarray, clusters: Any) -> GaussianCodebook:
    """Return one diagonal Gaussian per k-means cell."""
    words, scale = clusters.words, clusters.scale
    _, cell = cKDTree(words / scale).query(sample / scale)
    n = np.bincount(cell, minlength=len(words))
    used = np.flatnonzero(n)
    means = np.empty((len(used), sample.shape[1]))
    variances = np.empty_like(means)
    for k, word in enumerate(used):
        points = sample[cell == word]
        means[k], variances[k] = points.mean(axis=0), points.var(axis=0)
    variances = np.maximum(variances, SMALLEST_VARIANCE)
    return GaussianCodebook(
        weights=n[used] / len(sample),
        means=means,
        covariances=variances[:, :, np.newaxis] * np.eye(sample.shape[1]),
        scale=scale,
    )
