"""What tests of figures share: a vectorizer with given words, and what was drawn."""

import numpy as np
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator

from pbow.codebook import KMeansCodebook


class Double(BaseEstimator):
    """A fitted vectorizer as far as figures look."""

    def __init__(self, codebook=None):
        self.codebook = codebook

    def fit(self, X=None, y=None):
        self.parts_ = ("H1",)
        self.codebooks_ = {"H1": self.codebook}
        return self


def of_words(words, scale=(1.0, 1.0)):
    return Double(KMeansCodebook(np.array(words, float), np.array(scale))).fit()


def circles(ax):
    """Return the collection of circles: the last one drawn."""
    return ax.collections[-1]


def assert_key_has_the_scale_of(ax, largest, key=None):
    """Check that circles of the legend have the scale of those drawn."""
    full, key = circles(ax).get_sizes().max(), key or ax.get_legend()
    for handle, text in zip(key.legend_handles, key.get_texts(), strict=True):
        expected = full * float(text.get_text()) / largest
        assert_allclose(handle.get_markersize() ** 2, expected)


def view(ax):
    """Return the lower and the upper limits of both axes."""
    return np.array([ax.get_xlim(), ax.get_ylim()]).T


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def titles(axes):
    return [ax.get_title() for ax in axes]
