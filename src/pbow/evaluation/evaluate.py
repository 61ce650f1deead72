"""How well a classifier does with a descriptor, by cross-validation."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from pbow._utils.checks import check_labels, check_option, is_integer
from pbow._utils.progress import progress_bar
from pbow.diagrams import Diagrams, check_diagrams
from pbow.errors import ParameterError
from pbow.evaluation.classification import Classification, Search, classify
from pbow.evaluation.representation import (
    CLASSIFIERS,
    classifiers_for,
    compare,
    represent,
)

__all__ = ["Evaluation", "SplitResult", "evaluate", "evaluate_split"]

Ints = NDArray[np.int64]
Split = tuple[Ints, Ints]


@dataclass(frozen=True)
class Evaluation:
    """How well a classifier does with a descriptor: the result of :func:`evaluate`.

    Attributes
    ----------
    accuracies : list of float
        Accuracy on the test set of each split.
    n_features : int
        Length of the feature vectors; 0 for a kernel.
    seconds : float
        Time for all splits.
    classifier : str
        ``"linear"``, ``"distance"`` or ``"rbf"``; ``"kernel"`` for a kernel, which has
        its own similarity.
    representation_seconds : float
        Mean time to fit the descriptor to a training set and to encode both sets.
    """

    accuracies: list[float]
    n_features: int
    seconds: float
    classifier: str
    representation_seconds: float

    @property
    def mean(self) -> float:
        """Mean accuracy."""
        return float(np.mean(self.accuracies))

    @property
    def std(self) -> float:
        """Sample standard deviation of the accuracy; 0 of a single split."""
        return float(np.std(self.accuracies, ddof=1)) if self.accuracies[1:] else 0.0


def evaluate(
    descriptor: Any,
    X: Any,
    y: ArrayLike,
    cv: int | Sequence[Split] = 5,
    *,
    classifier: str = "linear",
    seed: int = 0,
    progress: bool = False,
) -> Evaluation:
    """Estimate the accuracy of a support vector machine with a descriptor.

    The descriptor and the regularization parameter C (0.1 to 1000, by five inner folds)
    are learnt from the training set of each split alone, and so are the means and
    standard deviations by which features are standardized if the descriptor's class
    asks for it (``standardize``).

    Parameters
    ----------
    descriptor : estimator
        A vectorizer or a kernel; it is not changed.
    X : Diagrams or list of array-like of shape (n_points_i, 2)
        All diagrams.
    y : array-like of shape (n_samples,)
        Their labels.
    cv : int or list of (train, test), default=5
        Number of stratified folds; or rows of both sets for each split, as
        :meth:`pbow.datasets.Dataset.splits` returns them.
    classifier : {"linear", "distance", "rbf"}, default="linear"
        How feature vectors are compared: by inner products; by negative distances
        (:func:`~pbow.features.distance_kernel`), which is often better on short
        vectors; or by a Gaussian as wide as the median distance. A kernel keeps its own
        similarity, and the result says so.
    seed : int, default=0
        Seeds the folds, and a descriptor whose ``random_state`` is None.
    progress : bool, default=False
        Whether to show a progress bar on stderr.

    Returns
    -------
    evaluation : Evaluation

    Raises
    ------
    ValueError
        If there are fewer than two labels, too few diagrams of one of them, or no such
        classifier.

    Examples
    --------
    >>> from pbow import Diagrams, PersistenceBoW
    >>> from pbow.evaluation import evaluate
    >>> X = Diagrams.from_list([[[k % 2, 2.0]] * 3 for k in range(20)])
    >>> y = [k % 2 for k in range(20)]
    >>> evaluate(PersistenceBoW(n_words=2), X, y).accuracies
    [1.0, 1.0, 1.0, 1.0, 1.0]
    >>> evaluate(PersistenceBoW(n_words=2), X, y, classifier="distance").mean
    1.0
    """
    start = time.perf_counter()
    check_option("classifier", classifier, CLASSIFIERS)
    X = check_diagrams(X)
    names, labels = np.unique(check_labels(y, len(X)), return_inverse=True)
    splits = _splits(cv, names, labels, seed)
    if descriptor.get_params().get("random_state", seed) is None:
        descriptor = clone(descriptor).set_params(random_state=seed)
    (used,) = classifiers_for(descriptor, (classifier,))
    accuracies, seconds, n_features = [], [], 0
    with progress_bar(show=progress, total=len(splits), unit="splits") as advance:
        for split in splits:
            found = evaluate_split(
                descriptor,
                X,
                labels,
                split,
                (used,),
                search=Search(),
                standardize=getattr(type(descriptor), "standardize", False),
                rescale=used == "distance",  # C means the same for all descriptors
                seed=seed,
            )
            accuracies.append(found.scores[used].accuracy)
            seconds.append(sum(found.seconds.values()))
            n_features = found.n_features
            advance(1)
    return Evaluation(
        accuracies,
        n_features,
        time.perf_counter() - start,
        used,
        float(np.mean(seconds)),
    )


@dataclass(frozen=True, kw_only=True)
class SplitResult:
    """How classifiers do on one split: the result of :func:`evaluate_split`.

    Attributes
    ----------
    scores : dict of str to Classification
        By classifier.
    n_features : int
        Length of the feature vectors; 0 for a kernel.
    seconds : dict of str to float
        Time to ``fit`` the descriptor and to ``encode`` both sets.
    """

    scores: dict[str, Classification]
    n_features: int
    seconds: dict[str, float]


def evaluate_split(
    descriptor: Any,
    X: Diagrams,
    labels: Ints,
    split: Split,
    classifiers: tuple[str, ...],
    *,
    search: Search,
    groups: Ints | None = None,
    standardize: bool = False,
    fit_on_all: bool = False,
    rescale: bool = True,
    factor: float = 1.0,
    seed: int = 0,
) -> SplitResult:
    """Fit a descriptor to a training set, and test classifiers that share it.

    It is one step of :func:`evaluate` and of experiments.

    Parameters
    ----------
    descriptor : estimator
        A vectorizer or a kernel; it is not changed.
    X : Diagrams
        All diagrams.
    labels : ndarray of int of shape (n_samples,)
        Labels, counted from 0.
    split : (train, test)
        Rows of both sets.
    classifiers : tuple of str
        As in :func:`compare`; a kernel has one of its own, see `classifiers_for`.
    search : Search
        How C is chosen.
    groups : ndarray of int of shape (n_samples,), optional
        Samples of one group stay in the same inner fold.
    standardize, fit_on_all : bool, default=False
        As in :func:`represent`.
    rescale, factor : bool and float
        As in :func:`compare`.
    seed : int, default=0
        Seeds the inner folds.
    """
    train, test = split
    seen = represent(
        descriptor, X, train, test, standardize=standardize, fit_on_all=fit_on_all
    )
    scores = {}
    for name in classifiers:
        K, K_test = compare(seen, name, rescale=rescale, factor=factor)
        scores[name] = classify(
            K,
            K_test,
            labels[train],
            labels[test],
            search,
            n_labels=int(labels.max()) + 1,
            groups=None if groups is None else groups[train],
            seed=seed,
        )
    return SplitResult(scores=scores, n_features=seen.n_features, seconds=seen.seconds)


def _splits(
    cv: int | Sequence[Split], names: NDArray[Any], labels: Ints, seed: int
) -> list[Split]:
    if len(names) < 2:
        msg = f"Expected at least two labels to separate; got {len(names)}."
        raise ValueError(msg)
    if np.iterable(cv) and not isinstance(cv, str) and (splits := list(cv)):
        return splits
    if not is_integer(cv, 2):
        raise ParameterError("cv", "an int >= 2 or a list of (train, test)", cv)
    sizes = np.bincount(labels)
    if sizes.min() < cv:
        msg = (
            f"Expected at least {cv} diagrams of each label, one per fold; there are "
            f"{sizes.min()} of {str(names[sizes.argmin()])!r}. Take fewer folds, or "
            "leave this label out."
        )
        raise ValueError(msg)
    splitter = StratifiedKFold(cv, shuffle=True, random_state=seed)
    return list(splitter.split(labels, labels))
