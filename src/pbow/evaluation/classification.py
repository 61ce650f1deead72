"""Support vector machines on kernel matrices; C is chosen inside the training set."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.svm import SVC

__all__ = ["Classification", "Search", "classify", "spread_rows"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Split = tuple[Ints, Ints]

SOLVER_CACHE_MB = 500


@dataclass(frozen=True, kw_only=True)
class Search:
    """How the regularization parameter C is chosen inside a training set.

    Attributes
    ----------
    c_values : tuple of float
        Candidates in increasing order; of equally good ones the first wins, as in the
        authors' program.
    folds : int
        Number of inner folds. 0 takes the first candidate untried.
    folds_used : int or None
        How many of the folds are predicted; None for all of them.
    rows : int or None
        At most so many training samples choose C, with the labels in proportion; None
        for all of them. The final classifier always learns from the whole training set.
    max_iterations : int
        Limit of the solver for each pair of labels.
    """

    c_values: tuple[float, ...] = (0.1, 1.0, 10.0, 100.0, 1000.0)
    folds: int = 5
    folds_used: int | None = None
    rows: int | None = None
    max_iterations: int = 100_000


@dataclass(frozen=True, kw_only=True)
class Classification:
    """The result of :func:`classify`.

    Attributes
    ----------
    accuracy : float
        On the test set.
    validation : float or None
        Accuracy of the chosen C over the inner folds; None without folds.
    C : float
        The regularization parameter.
    confusion : ndarray of shape (n_labels, n_labels)
        Test samples by true label (rows) and predicted label.
    n_fits, n_capped : int
        How many support vector machines were fitted, and how many of them stopped at
        ``max_iterations``.
    seconds : float
        For all of that.
    """

    accuracy: float
    validation: float | None
    C: float
    confusion: Ints
    n_fits: int
    n_capped: int
    seconds: float


def classify(
    K: Floats,
    K_test: Floats,
    y: Ints,
    y_test: Ints,
    search: Search,
    *,
    n_labels: int,
    groups: Ints | None = None,
    seed: int = 0,
) -> Classification:
    """Choose C by inner folds, learn from the whole training set, and test.

    Parameters
    ----------
    K : ndarray of shape (n_train, n_train)
        Kernel matrix of the training samples, at least conditionally positive definite.
    K_test : ndarray of shape (n_test, n_train)
        Kernel between test and training samples.
    y, y_test : ndarray of int
        Labels, counted from 0.
    search : Search
        How C is chosen.
    n_labels : int
        Number of labels of the data set.
    groups : ndarray of int of shape (n_train,), optional
        Training samples of one group stay in the same inner fold.
    seed : int, default=0
        Seeds the folds.
    """
    start = time.perf_counter()
    solver = _Solver(search.max_iterations)
    scores = _scores_of_c(K, y, search, groups, solver, seed)
    best = int(np.argmax(scores)) if scores else 0
    C = search.c_values[best]
    predicted = solver.predict(K, y, K_test, C)
    return Classification(
        accuracy=float(np.mean(predicted == y_test)),
        validation=scores[best] if scores else None,
        C=C,
        confusion=confusion_matrix(y_test, predicted, labels=np.arange(n_labels)),
        n_fits=solver.n_fits,
        n_capped=solver.n_capped,
        seconds=time.perf_counter() - start,
    )


def spread_rows(y: Ints, n_rows: int | None, *, seed: int) -> Ints:
    """Return at most `n_rows` random positions, with the labels in proportion.

    Parameters
    ----------
    y : ndarray of int of shape (n_samples,)
        Labels.
    n_rows : int or None
        How many to take; None takes all.
    seed : int
        Seeds the draw.
    """
    if n_rows is None or len(y) <= n_rows:
        return np.arange(len(y))
    order = np.random.RandomState(seed).permutation(len(y))
    by_label = order[np.argsort(y[order], kind="stable")]
    return np.sort(by_label[np.arange(n_rows) * len(y) // n_rows])


def _scores_of_c(
    K: Floats,
    y: Ints,
    search: Search,
    groups: Ints | None,
    solver: _Solver,
    seed: int,
) -> list[float]:
    """Return the accuracy over the inner folds for each C that was tried.

    C grows. If the solver stops at its limit and the accuracy falls, larger values
    would fit more noise at many times the work: they are not tried.
    """
    rows = spread_rows(y, search.rows, seed=seed)
    inner_groups = None if groups is None else groups[rows]
    folds = list(_folds(y[rows], inner_groups, search.folds, seed))
    folds = folds[: search.folds_used]
    scores: list[float] = []
    for C in search.c_values if folds else ():
        capped_before, n_right = solver.n_capped, 0
        for train, test in ((rows[one], rows[other]) for one, other in folds):
            # Sliced anew for each C: the matrices of all folds would take four times K.
            predicted = solver.predict(
                K[np.ix_(train, train)], y[train], K[np.ix_(test, train)], C
            )
            n_right += int(np.sum(predicted == y[test]))
        scores.append(n_right / sum(len(test) for _, test in folds))
        if solver.n_capped > capped_before and scores[-1] < max(scores):
            break
    return scores


def _folds(y: Ints, groups: Ints | None, n_folds: int, seed: int) -> Iterator[Split]:
    """Give stratified folds; of fewer samples than folds, as many as there are."""
    n_units = len(y) if groups is None else len(np.unique(groups))
    most_frequent = int(np.bincount(y).max())
    n_folds = min(n_folds, n_units, most_frequent)
    if n_folds < 2:
        return
    if groups is None:
        splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    else:
        splitter = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        # A label with fewer samples than folds is missing from some of them.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        for train, test in splitter.split(y, y, groups):
            if len(train) and len(test):
                yield train, test


class _Solver:
    """Fits support vector machines and counts them."""

    def __init__(self, max_iterations: int) -> None:
        self._max_iterations = max_iterations
        self.n_fits = 0
        self.n_capped = 0

    def predict(self, K: Floats, y: Ints, K_test: Floats, C: float) -> Ints:
        self.n_fits += 1
        if np.all(y == y[0]):
            return np.full(len(K_test), y[0])
        svm = SVC(
            kernel="precomputed",
            C=C,
            max_iter=self._max_iterations,
            cache_size=SOLVER_CACHE_MB,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # it is counted
            svm.fit(K, y)
        self.n_capped += int(svm.fit_status_ != 0)
        predicted: Ints = svm.predict(K_test)
        return predicted
