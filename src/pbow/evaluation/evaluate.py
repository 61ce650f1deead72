"""How well a classifier does with a descriptor, by cross-validation."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import StratifiedKFold

from pbow._utils.checks import check_option, is_integer
from pbow._utils.progress import progress_bar
from pbow.diagrams import Diagrams
from pbow.errors import FewerWordsWarning, ParameterError
from pbow.evaluation.classification import Classification, Search, classify
from pbow.evaluation.representation import (
    CLASSIFIERS,
    classifiers_for,
    compare,
    represent,
)

__all__ = ["Evaluation", "evaluate"]

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
    X: Diagrams,
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
    X : Diagrams
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
        Seeds the folds, and the descriptor if it draws anything.
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
    names, labels = np.unique(y, return_inverse=True)
    splits = _splits(cv, names, labels, seed)
    if "random_state" in descriptor.get_params():
        descriptor = type(descriptor)(
            **descriptor.get_params() | {"random_state": seed}
        )
    (used,) = classifiers_for(descriptor, (classifier,))
    accuracies, seconds, n_features = [], [], 0
    with (
        warnings.catch_warnings(),
        progress_bar(show=progress, total=len(splits), unit="splits") as advance,
    ):
        for train, test in splits:
            found, n_features, took = _evaluate_split(
                descriptor, X, labels, (train, test), used, seed
            )
            accuracies.append(found.accuracy)
            seconds.append(took)
            warnings.simplefilter("ignore", FewerWordsWarning)  # the first split warned
            advance(1)
    return Evaluation(
        accuracies,
        n_features,
        time.perf_counter() - start,
        used,
        float(np.mean(seconds)),
    )


def _evaluate_split(
    descriptor: Any, X: Diagrams, labels: Ints, split: Split, classifier: str, seed: int
) -> tuple[Classification, int, float]:
    train, test = split
    standardize = getattr(type(descriptor), "standardize", False)
    representation = represent(descriptor, X, train, test, standardize=standardize)
    K, K_test = compare(representation, classifier, rescale=classifier != "linear")
    found = classify(
        K,
        K_test,
        labels[train],
        labels[test],
        Search(),
        n_labels=int(labels.max()) + 1,
        seed=seed,
    )
    return found, representation.n_features, sum(representation.seconds.values())


def _splits(
    cv: int | Sequence[Split], names: NDArray[Any], labels: Ints, seed: int
) -> list[Split]:
    if len(names) < 2:
        msg = f"Expected at least two labels to separate; got {len(names)}."
        raise ValueError(msg)
    if not isinstance(cv, int):
        return list(cv)
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
