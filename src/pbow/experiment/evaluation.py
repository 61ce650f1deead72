"""How well a descriptor separates classes, by cross-validation."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pbow._utils.checks import check_option
from pbow._utils.progress import progress_bar
from pbow.diagrams import Diagrams
from pbow.errors import FewerWordsWarning
from pbow.experiment.classification import classify, make_folds
from pbow.experiment.declaration import DescriptorEntry
from pbow.experiment.descriptors import CLASSIFIERS, is_kernel, represent

__all__ = ["Evaluation", "cross_validate"]

Ints = NDArray[np.int64]

# Values of C that the paper searches, by folds of the training set.
COSTS = (0.1, 1.0, 10.0, 100.0, 1000.0)
INNER_FOLDS = 5
# A machine that needs more is no better for it.
MOST_ITERATIONS = 100_000


@dataclass(frozen=True)
class Evaluation:
    """How well a descriptor separates classes: the result of :func:`cross_validate`.

    Attributes
    ----------
    accuracies : list of float
        Accuracy on each fold.
    n_features : int
        Length of the vectors; 0 for a kernel.
    seconds : float
        Time for all folds.
    classifier : str
        ``"linear"``, ``"distance"`` or ``"rbf"``; ``"kernel"`` for a kernel, which has
        its own similarity.
    """

    accuracies: list[float]
    n_features: int
    seconds: float
    classifier: str = "linear"

    @property
    def mean(self) -> float:
        """Mean accuracy."""
        return float(np.mean(self.accuracies))

    @property
    def std(self) -> float:
        """Standard deviation of the accuracy over the folds, of a sample."""
        return float(np.std(self.accuracies, ddof=1))


def cross_validate(
    descriptor: Any,
    X: Diagrams,
    y: ArrayLike,
    n_folds: int = 5,
    *,
    classifier: str = "linear",
    seed: int = 0,
    progress: bool = False,
) -> Evaluation:
    """Estimate the accuracy of a support vector machine with a descriptor.

    The machine compares feature vectors by the `classifier`, or has the descriptor's
    kernel. The descriptor and the regularization parameter C are learnt from the
    training set of each fold alone, and so are the means and standard deviations by
    which features are standardized if the descriptor's class asks for it
    (``standardize``).

    Parameters
    ----------
    descriptor : estimator
        A vectorizer or a kernel; it is not changed. Its class can be imported.
    X : Diagrams
        All diagrams.
    y : array-like of shape (n_samples,)
        Their labels.
    n_folds : int, default=5
        Number of folds. Every class has at least as many diagrams.
    classifier : {"linear", "distance", "rbf"}, default="linear"
        How vectors are compared. ``"distance"``: by
        :func:`~pbow.features.distance_kernel`, after
        :class:`~pbow.features.DistanceScaler`, so that a value of C means the same for
        all descriptors. ``"rbf"``: by a Gaussian of the distance, whose standard
        deviation is the median of the distances between training vectors. A kernel
        keeps its own similarity, and the result says so.
    seed : int, default=0
        The same seed gives the same folds and the same descriptors.
    progress : bool, default=False
        Whether to draw a bar on stderr.

    Returns
    -------
    evaluation : Evaluation

    Raises
    ------
    ValueError
        If there are fewer than two classes, or too few diagrams of one, or no such
        classifier.

    Examples
    --------
    >>> from pbow import Diagrams, PersistenceBoW
    >>> from pbow.experiment import cross_validate
    >>> X = Diagrams.from_list([[[k % 2, 2.0]] * 3 for k in range(20)])
    >>> y = [k % 2 for k in range(20)]
    >>> cross_validate(PersistenceBoW(n_words=2), X, y).accuracies
    [1.0, 1.0, 1.0, 1.0, 1.0]
    >>> cross_validate(PersistenceBoW(n_words=2), X, y, classifier="distance").mean
    1.0
    """
    start = time.perf_counter()
    check_option("classifier", classifier, CLASSIFIERS)
    classes, labels = np.unique(y, return_inverse=True)
    _check_classes(classes, labels, n_folds)
    cls = type(descriptor)
    entry = DescriptorEntry(
        name=cls.__name__,
        title=cls.__name__,
        make=f"{cls.__module__}:{cls.__qualname__}",
        standardize=getattr(cls, "standardize", False),
    )
    folds = make_folds(labels, None, n_folds, seed=seed, repetition=0)
    accuracies, n_features = [], 0
    with (
        warnings.catch_warnings(),
        progress_bar(show=progress, total=n_folds, unit="folds") as advance,
    ):
        for number, test in enumerate(folds):
            if number == 1:  # the first fold has said it
                warnings.simplefilter("ignore", FewerWordsWarning)
            train = np.setdiff1d(np.arange(len(labels)), test)
            params = descriptor.get_params()
            similarities = represent(
                entry, params, X, train, test, seed=seed, classifier=classifier
            )
            verdict = classify(
                similarities,
                labels[train],
                labels[test],
                make_folds(labels[train], None, INNER_FOLDS, seed=seed, repetition=0),
                costs=COSTS,
                max_iterations=MOST_ITERATIONS,
                n_classes=len(classes),
            )
            accuracies.append(verdict.accuracy)
            n_features = similarities.n_features
            advance(1)
    seconds = time.perf_counter() - start
    used = "kernel" if is_kernel(entry.make) else classifier
    return Evaluation(accuracies, n_features, seconds, used)


def _check_classes(classes: NDArray[Any], labels: Ints, n_folds: int) -> None:
    if len(classes) < 2:
        msg = f"Expected at least two classes to separate; got {len(classes)}."
        raise ValueError(msg)
    sizes = np.bincount(labels)
    if sizes.min() < n_folds:
        msg = (
            f"Expected at least {n_folds} diagrams of each class, one per fold; there "
            f"are {sizes.min()} of {str(classes[sizes.argmin()])!r}. Take fewer folds, "
            "or leave this class out."
        )
        raise ValueError(msg)
