"""Support vector machines on similarities; their cost is chosen in training parts."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import confusion_matrix
from sklearn.svm import SVC

from pbow.datasets.drawing import draw_order
from pbow.experiment.descriptors import Similarities

__all__ = ["Verdict", "classify", "make_folds", "screening_rows"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Streams of random numbers of their own, a million apart from those of the data sets.
FOR_FOLDS = 5_000_000
FOR_SCREENING = 6_000_000

# Of a screening, one part in three is predicted by the classifier of the other two.
SCREENING_PARTS = 3

SOLVER_CACHE_MB = 500


@dataclass(frozen=True)
class Verdict:
    """How well the classifier did; fields as in :class:`pbow.experiment.Run`."""

    accuracy: float
    validation: float | None
    cost: float
    by_cost: list[float]
    confusion: list[list[int]]
    n_fits: int
    n_capped: int
    seconds: float


def screening_rows(labels: Ints, n_rows: int, *, seed: int, repetition: int) -> Ints:
    """Return at most `n_rows` positions, of each class its share, the same for all.

    Parameters
    ----------
    labels : ndarray of shape (n_train,)
        Of the training part.
    n_rows : int
        How many to take.
    seed, repetition : int
        Seed the draw.
    """
    order = draw_order(len(labels), seed, FOR_SCREENING + repetition)
    if len(order) <= n_rows:
        return np.sort(order)
    # Spread evenly over the samples sorted by class, so every class has its share.
    by_class = order[np.argsort(labels[order], kind="stable")]
    picked = np.arange(n_rows) * len(by_class) // n_rows
    return np.sort(by_class[picked])


def make_folds(
    labels: Ints, groups: Ints | None, n_folds: int, *, seed: int, repetition: int
) -> list[Ints]:
    """Return the positions of each fold, with the classes spread evenly over them.

    Parameters
    ----------
    labels : ndarray of shape (n,)
        Classes.
    groups : ndarray of shape (n,) or None
        Samples of a group stay together. It counts for its most frequent class.
    n_folds : int
        How many; fewer where there are fewer samples, or groups. None where there is
        but one of them: the others would be nothing to learn from.
    seed, repetition : int
        Seed the draw.
    """
    if groups is None:
        units, kinds = np.arange(len(labels)), labels
    else:
        _, units = np.unique(groups, return_inverse=True)
        counts = np.zeros((units.max(initial=-1) + 1, labels.max(initial=0) + 1), int)
        np.add.at(counts, (units, labels), 1)
        kinds = counts.argmax(axis=1)
    order = draw_order(len(kinds), seed, FOR_FOLDS + repetition)
    by_class = order[np.argsort(kinds[order], kind="stable")]
    # Dealt out like cards, going on from class to class: sizes differ by one at most.
    fold_of = np.empty(len(kinds), int)
    fold_of[by_class] = np.arange(len(kinds)) % n_folds
    folds = [np.flatnonzero(fold_of[units] == fold) for fold in range(n_folds)]
    folds = [fold for fold in folds if len(fold)]
    return folds if len(folds) > 1 else []


def classify(
    similarities: Similarities,
    y_train: Ints,
    y_test: Ints,
    folds: Sequence[Ints],
    *,
    costs: Sequence[float],
    max_iterations: int,
    n_classes: int,
) -> Verdict:
    """Choose the cost by the folds, learn from the whole training part, and test.

    All values of the cost and all folds share the one matrix.

    Parameters
    ----------
    similarities : Similarities
        Between training samples, and of test samples to them.
    y_train, y_test : ndarray of int
        Classes.
    folds : sequence of ndarray of int
        Positions in the training part that are predicted from the others. None of them:
        the first cost is taken, untried.
    costs : sequence of float
        Values of C, from small to large.
    max_iterations : int
        At which the solver of a pair of classes stops.
    n_classes : int
        Number of classes of the data set.
    """
    start = time.perf_counter()
    solver = _Solver(max_iterations)
    by_cost = _by_cost(similarities.train, y_train, costs, folds, solver)
    # The first of equals, as in the authors' program.
    best = int(np.argmax(by_cost)) if by_cost else 0
    cost = costs[best]
    predicted = solver.predict(similarities.train, y_train, similarities.test, cost)
    return Verdict(
        accuracy=float(np.mean(predicted == y_test)),
        validation=by_cost[best] if by_cost else None,
        cost=cost,
        by_cost=by_cost,
        confusion=confusion_matrix(
            y_test, predicted, labels=np.arange(n_classes)
        ).tolist(),
        n_fits=solver.n_fits,
        n_capped=solver.n_capped,
        seconds=time.perf_counter() - start,
    )


def _by_cost(
    K: Floats, y: Ints, costs: Sequence[float], folds: Sequence[Ints], solver: _Solver
) -> list[float]:
    """Return the accuracy over the folds, for each cost that was tried.

    Costs go upwards. Where the solver meets its cap and the accuracy falls, it would
    fall further with larger ones, at many times the work: they are left out.
    """
    if not folds:
        return []
    rests = [np.setdiff1d(np.arange(len(y)), fold) for fold in folds]
    n_predicted = sum(map(len, folds))
    accuracies: list[float] = []
    for cost in costs:
        n_capped = solver.n_capped
        right = 0
        for fold, rest in zip(folds, rests, strict=True):
            # Cut out anew for each cost: all folds at once would be four times K.
            among, to = K[np.ix_(rest, rest)], K[np.ix_(fold, rest)]
            predicted = solver.predict(among, y[rest], to, cost)
            right += int(np.sum(predicted == y[fold]))
        accuracies.append(right / n_predicted)
        if solver.n_capped > n_capped and accuracies[-1] < max(accuracies):
            break
    return accuracies


class _Solver:
    """Fits and counts."""

    def __init__(self, max_iterations: int) -> None:
        self._max_iterations = max_iterations
        self.n_fits = 0
        self.n_capped = 0

    def predict(self, K: Floats, y: Ints, K_new: Floats, cost: float) -> Ints:
        self.n_fits += 1
        if np.all(y == y[0]):  # nothing to tell apart
            return np.full(len(K_new), y[0])
        machine = SVC(
            kernel="precomputed",
            C=cost,
            max_iter=self._max_iterations,
            cache_size=SOLVER_CACHE_MB,
        )
        with warnings.catch_warnings():
            # It is counted, and said below the table.
            warnings.simplefilter("ignore", ConvergenceWarning)
            machine.fit(K, y)
        self.n_capped += int(machine.fit_status_ != 0)
        predicted: Ints = machine.predict(K_new)
        return predicted
