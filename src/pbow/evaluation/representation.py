"""What a classifier sees of a descriptor: vectors, distances or a kernel."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

from pbow.diagrams import Diagrams
from pbow.features import distance_kernel
from pbow.kernels.base import PairwiseKernel

__all__ = [
    "CLASSIFIERS",
    "Representation",
    "classifiers_for",
    "compare",
    "is_kernel",
    "represent",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# How a support vector machine compares feature vectors.
CLASSIFIERS = ("linear", "distance", "rbf")
# A kernel is also compared by its distances, but not by vectors that it does not have.
KERNEL = "kernel"


@dataclass(frozen=True, kw_only=True)
class Representation:
    """A descriptor's view of a training and a test set.

    Attributes
    ----------
    train : ndarray of shape (n_train, n_features) or (n_train, n_train)
        Feature vectors, or what a kernel gives for pairs of training samples.
    test : ndarray of shape (n_test, n_features) or (n_test, n_train)
        Likewise, for test samples.
    holds : {"vectors", "distances", "similarities"}
        What the matrices are.
    seconds : dict of str to float
        Time to ``fit`` and to ``encode``; of a kernel, comparing is encoding.
    """

    train: Floats
    test: Floats
    holds: str
    seconds: dict[str, float]

    @property
    def n_features(self) -> int:
        """Length of the feature vectors; 0 of a kernel."""
        return self.train.shape[1] if self.holds == "vectors" else 0


def is_kernel(descriptor: Any) -> bool:
    """Return whether a descriptor compares pairs of diagrams."""
    return isinstance(descriptor, PairwiseKernel)


def classifiers_for(descriptor: Any, asked: tuple[str, ...]) -> tuple[str, ...]:
    """Return the classifiers that apply to a descriptor.

    A kernel is a similarity already, ``"kernel"``; one with ``output="distance"`` has
    distances, for which there is the classifier of this name.
    """
    if not is_kernel(descriptor):
        return asked
    return ("distance",) if descriptor.output == "distance" else (KERNEL,)


def represent(
    descriptor: Any,
    X: Diagrams,
    train: Ints,
    test: Ints,
    *,
    standardize: bool = False,
    fit_on_all: bool = False,
) -> Representation:
    """Fit a copy of a descriptor to the training set, and apply it to both sets.

    Parameters
    ----------
    descriptor : estimator
        A vectorizer or a kernel; it is not changed.
    X : Diagrams
        All samples.
    train, test : ndarray of int
        Rows of both sets.
    standardize : bool, default=False
        Whether features are standardized by the training set.
    fit_on_all : bool, default=False
        Whether a vectorizer is fitted to training and test samples, as the authors'
        program does with some.
    """
    start = time.perf_counter()
    # A kernel compares with what it was fitted to, which the classifier learns from.
    with_test = fit_on_all and not is_kernel(descriptor)
    fitted = clone(descriptor).fit(X[np.union1d(train, test) if with_test else train])
    done_fit = time.perf_counter()
    H, H_test = (
        np.asarray(fitted.transform(X[rows]), np.float64) for rows in (train, test)
    )
    done = time.perf_counter()
    holds = "vectors"
    if is_kernel(descriptor):
        holds = "distances" if descriptor.output == "distance" else "similarities"
    elif standardize:
        scaler = StandardScaler().fit(H)
        H, H_test = scaler.transform(H), scaler.transform(H_test)
    return Representation(
        train=H,
        test=H_test,
        holds=holds,
        seconds={"fit": done_fit - start, "encode": done - done_fit},
    )


def compare(
    representation: Representation,
    classifier: str,
    *,
    rescale: bool = True,
    factor: float = 1.0,
) -> tuple[Floats, Floats]:
    r"""Return kernel matrices between training samples, and from test to training.

    * ``"linear"``: inner products of vectors;
    * ``"distance"``: negative distances :math:`-\|u - v\|`, for which a support vector
      machine gives the same as for the authors' :math:`\max D - D`;
    * ``"rbf"``: Gaussians of distances, as wide as the median distance;
    * ``"kernel"``: what a kernel gives.

    Parameters
    ----------
    representation : Representation
        Of both sets.
    classifier : str
        One of these.
    rescale : bool, default=True
        Whether the matrices are divided by the mean distance of the training set, or of
        similarities by their mean diagonal: a value of C then means the same for every
        descriptor.
    factor : float, default=1.0
        Multiplies the matrices.
    """
    if classifier not in _APPLIES[representation.holds]:
        msg = (
            f"Expected one of {', '.join(_APPLIES[representation.holds])} for "
            f"{representation.holds}; got {classifier}."
        )
        raise ValueError(msg)
    K, K_test = _COMPARISONS[classifier](representation)
    if rescale and classifier != "rbf":
        # The diagonal of negative distances is zero.
        scale = -np.mean(K) if classifier == "distance" else np.mean(np.diag(K))
        # Where all samples look the same, there is nothing to divide by.
        factor = factor / float(scale) if scale > 0 else factor
    if factor != 1.0:
        K, K_test = factor * K, factor * K_test
    return K, K_test


def _inner_products(representation: Representation) -> tuple[Floats, Floats]:
    H, H_test = representation.train, representation.test
    return H @ H.T, H_test @ H.T


def _negative_distances(representation: Representation) -> tuple[Floats, Floats]:
    H, H_test = representation.train, representation.test
    if representation.holds == "distances":
        return -H, -H_test
    return distance_kernel(H, H), distance_kernel(H_test, H)


def _gaussians(representation: Representation) -> tuple[Floats, Floats]:
    D, D_test = _negative_distances(representation)
    pairs = -D[np.triu_indices(len(D), 1)]
    # Where most training vectors are equal the median is zero.
    width = 0.0
    if len(pairs):
        width = float(np.median(pairs)) or float(np.mean(pairs))
    width = width or 1.0
    K, K_test = (np.exp(-0.5 * np.square(part / width)) for part in (D, D_test))
    return K, K_test


def _as_given(representation: Representation) -> tuple[Floats, Floats]:
    return representation.train, representation.test


_APPLIES = {
    "vectors": CLASSIFIERS,
    "distances": ("distance", "rbf"),
    "similarities": (KERNEL,),
}
_COMPARISONS: dict[str, Callable[[Representation], tuple[Floats, Floats]]] = {
    "linear": _inner_products,
    "distance": _negative_distances,
    "rbf": _gaussians,
    KERNEL: _as_given,
}
