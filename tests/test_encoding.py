import numpy as np
import pytest

from pbow import Diagrams
from pbow.codebook import GaussianCodebook, KMeansCodebook, learn_gaussian
from pbow.encoding import encode_counts, encode_likelihoods

HARD = KMeansCodebook(np.array([[0.0, 1.0]]), np.ones(2))
SOFT = GaussianCodebook(
    np.ones(1), np.array([[0.0, 1.0]]), np.eye(2)[np.newaxis], np.ones(2)
)
X = Diagrams.from_list([[[0.0, 1.0]], []])


@pytest.mark.parametrize(
    ("encode", "message"),
    [
        (lambda: encode_counts(X, HARD, normalize="l2"), "normalize .* got 'l2'"),
        (lambda: encode_likelihoods(X, SOFT, normalize="l2"), "normalize .* got 'l2'"),
        (lambda: encode_likelihoods(X, SOFT, scale="log"), "scale .* got 'log'"),
        (lambda: encode_likelihoods(X, SOFT, dtype="int8"), "dtype .* got 'int8'"),
        (
            lambda: learn_gaussian(
                np.eye(2), 1, covariance="tied", whiten=False, n_init=1, seed=0
            ),
            "covariance .* got 'tied'",
        ),
    ],
)
def test_an_unknown_option_is_refused(encode, message):
    with pytest.raises(ValueError, match=message):
        encode()


@pytest.mark.parametrize("encode", [encode_counts, encode_likelihoods])
def test_points_that_never_die_are_refused(encode):
    endless = Diagrams.from_list([[[0.0, np.inf]]])
    book = HARD if encode is encode_counts else SOFT
    with pytest.raises(ValueError, match=r"without points that never die.*X\.finite"):
        encode(endless, book)
