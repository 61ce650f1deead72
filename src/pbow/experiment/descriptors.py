"""Descriptors by name, and what the classifier sees of them: similarities."""

from __future__ import annotations

import importlib
import inspect
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import squareform
from sklearn.preprocessing import StandardScaler

import pbow
from pbow import kernels, vectorizers
from pbow._utils.text import did_you_mean
from pbow.diagrams import Diagrams
from pbow.experiment.declaration import (
    DeclarationError,
    DescriptorEntry,
    Params,
)
from pbow.features import DistanceScaler, distance_kernel
from pbow.kernels.base import PairwiseKernel

__all__ = [
    "CLASSIFIERS",
    "Similarities",
    "find_maker",
    "from_distances",
    "is_kernel",
    "make_descriptor",
    "represent",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# How support vector machines compare vectors: see `_compare`.
CLASSIFIERS = ("linear", "distance", "rbf")


@dataclass(frozen=True)
class Similarities:
    """What a support vector machine is given: similarities to training samples.

    Attributes
    ----------
    train : ndarray of shape (n_train, n_train)
        Between training samples.
    test : ndarray of shape (n_test, n_train)
        Of test samples to training samples.
    n_features : int
        Of the vectors; 0 where there are none.
    seconds : dict
        ``fit``, ``encode`` and ``gram``.
    """

    train: Floats
    test: Floats
    n_features: int
    seconds: dict[str, float]


@cache
def find_maker(name: str) -> Any:
    """Return what makes a descriptor: a class, or a class method.

    Parameters
    ----------
    name : str
        ``"Class"`` or ``"Class.method"`` of pbow, or ``"package.module:Class"``.
    """
    module_name, _, path = name.rpartition(":")
    if module_name:
        try:
            found: Any = importlib.import_module(module_name)
        except (ModuleNotFoundError, TypeError) as error:  # a leading dot: TypeError
            msg = f"{name!r} cannot be imported: {error}. Is its package installed?"
            raise DeclarationError(msg) from error
        places = [found]
    else:
        places = [pbow, vectorizers, kernels]
    first, *rest = path.split(".")
    for place in places:
        found = getattr(place, first, None)
        for attribute in rest:
            found = getattr(found, attribute, None)
        if callable(found):
            return found
    msg = (
        f"Expected a descriptor, as 'PersistenceBoW', 'PersistenceImage.paper' or "
        f"'package.module:Class'; there is no {name!r}"
        f"{did_you_mean(name, _names_like(module_name, first, places))}."
    )
    raise DeclarationError(msg)


def _names_like(module_name: str, first: str, places: list[Any]) -> Iterator[str]:
    """Give names that could have been meant, written as they would be declared."""
    before = f"{module_name}:" if module_name else ""
    for place in places:
        for name in getattr(place, "__all__", dir(place)):
            if inspect.isclass(found := getattr(place, name, None)):
                yield f"{before}{name}"
                if name == first or hasattr(found, "paper"):
                    methods = inspect.getmembers(found, inspect.ismethod)
                    yield from (f"{before}{name}.{method}" for method, _ in methods)


def make_descriptor(name: str, params: Params, *, seed: int) -> Any:
    """Return a descriptor that is not fitted yet, seeded if it draws anything.

    Parameters
    ----------
    name : str
        As in :func:`find_maker`.
    params : dict
        Of the descriptor.
    seed : int
        Its ``random_state``, if it has one.
    """
    maker = find_maker(name)
    try:
        made = maker(**params)
    except (TypeError, ValueError) as error:
        refused = _unknown(maker, params) or f"{params}: {error}"
        msg = f"{name} does not take {refused}"
        raise DeclarationError(msg) from error
    if not all(hasattr(made, name) for name in ("get_params", "fit", "transform")):
        msg = f"Expected {name} to make an estimator with fit and transform; got {made}"
        raise DeclarationError(msg)
    if "random_state" in made.get_params():
        made.set_params(random_state=seed)
    return made


def _unknown(maker: Any, params: Params) -> str:
    """Name the parameters that a maker does not have; "" where that cannot be said."""
    known = _parameters_of(maker)
    unknown = [f"{name!r}{did_you_mean(name, known)}" for name in params.keys() - known]
    if not known or not unknown:
        return ""
    return f"{', '.join(sorted(unknown))}: it takes {', '.join(known)}"


def _parameters_of(maker: Any) -> list[str]:
    """Return the names that a maker takes; those of `**params` are its class's."""
    try:
        taken: Mapping[str, inspect.Parameter] = inspect.signature(maker).parameters
        owner = getattr(maker, "__self__", None)
        if inspect.isclass(owner):
            taken = {**taken, **inspect.signature(owner).parameters}
    except (TypeError, ValueError):  # some that are written in C have no signature
        return []
    return [name for name, p in taken.items() if p.kind != p.VAR_KEYWORD]


@cache
def is_kernel(name: str) -> bool:
    """Say whether a descriptor compares pairs of diagrams."""
    maker = find_maker(name)
    owner = maker if inspect.isclass(maker) else getattr(maker, "__self__", None)
    return inspect.isclass(owner) and issubclass(owner, PairwiseKernel)


def represent(
    entry: DescriptorEntry,
    params: Params,
    X: Diagrams,
    train: Ints,
    test: Ints,
    *,
    seed: int,
    classifier: str = "linear",
) -> Similarities:
    """Fit a descriptor to the training part and return similarities.

    Parameters
    ----------
    entry : DescriptorEntry
        Which one, and what is done with it.
    params : dict
        Its parameters.
    X : Diagrams
        All samples.
    train, test : ndarray of int
        Rows that descriptor and classifier learn from, and that they are tested on.
    seed : int
        Of what the descriptor draws.
    classifier : str, default="linear"
        One of `CLASSIFIERS`: how vectors are compared. Kernels keep their similarity.
    """
    descriptor = make_descriptor(entry.make, params, seed=seed)
    # A kernel compares with what it was fitted to, which the machine learns from.
    with_test = entry.on_all_rows and not is_kernel(entry.make)
    clock = _Clock()
    descriptor.fit(X[np.union1d(train, test) if with_test else train])
    clock.lap("fit")
    to_train, to_test = descriptor.transform(X[train]), descriptor.transform(X[test])
    clock.lap("encode")
    if is_kernel(entry.make):
        return _scaled(entry, Similarities(to_train, to_test, 0, clock.seconds))
    H_train, H_test = np.asarray(to_train, float), np.asarray(to_test, float)
    if entry.standardize:
        scaler = StandardScaler().fit(H_train)
        H_train, H_test = scaler.transform(H_train), scaler.transform(H_test)
    K_train, K_test = _compare(H_train, H_test, classifier)
    clock.lap("gram")
    n_features = H_train.shape[1]
    return _scaled(entry, Similarities(K_train, K_test, n_features, clock.seconds))


def _compare(H_train: Floats, H_test: Floats, classifier: str) -> tuple[Floats, Floats]:
    """Return the similarities of training and test vectors to training vectors."""
    if classifier == "linear":
        return H_train @ H_train.T, H_test @ H_train.T
    # In units of distances between training vectors, values of C mean the same for all
    # descriptors.
    scaler = DistanceScaler().fit(H_train)
    H_train, H_test = scaler.transform(H_train), scaler.transform(H_test)
    K_train, K_test = (
        distance_kernel(H_train, H_train),
        distance_kernel(H_test, H_train),
    )
    if classifier == "rbf":
        # The median heuristic. Where most training vectors are equal, their root mean
        # square distance, which is 1.
        median = float(np.median(squareform(-K_train, checks=False))) or 1.0
        for K in (K_train, K_test):
            np.square(K, out=K)
            np.multiply(K, -0.5 / median**2, out=K)
            np.exp(K, out=K)
    return K_train, K_test


def _scaled(entry: DescriptorEntry, similarities: Similarities) -> Similarities:
    scale = float(np.mean(np.diag(similarities.train))) if entry.rescale else 1.0
    if scale in (0.0, 1.0):  # all vectors are zero; or nothing to do
        return similarities
    return replace(
        similarities, train=similarities.train / scale, test=similarities.test / scale
    )


def from_distances(D: Floats, train: Ints, test: Ints) -> Similarities:
    """Return the authors' similarities: the largest distance in training, minus each.

    Parameters
    ----------
    D : ndarray of shape (n_samples, n_samples)
        Distances between all diagrams.
    train, test : ndarray of int
        Rows of both parts.
    """
    among = np.asarray(D[np.ix_(train, train)])
    largest = float(among.max(initial=0.0))
    return Similarities(largest - among, largest - D[np.ix_(test, train)], 0, {})


class _Clock:
    """Splits the time of a run by what was done."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.seconds[name] = now - self._last
        self._last = now
