"""Accuracies of descriptors on data sets under several classifiers, on the same splits.

A descriptor is anything that scikit-learn can clone, with ``fit_transform(X, y)`` and
``transform(X)`` from diagrams to rows; or a kernel of pbow, of which the distances are
taken once for all splits. Everything else is learnt from the training set of a split.
"""

import time
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from tqdm import tqdm

from pbow.datasets import Dataset, load_dataset
from pbow.errors import FewerWordsWarning
from pbow.features import distance_kernel

C_VALUES = (0.1, 1.0, 10.0, 100.0)
INNER_FOLDS = 3
# C is chosen on at most this many training rows.
MOST_ROWS = 1500
# Of the solver, for a pair of labels.
MOST_ITERATIONS = 100_000
KEYS = ["data set", "descriptor", "classifier", "split"]


class Part(NamedTuple):
    """How much of a data set is compared on: samples per label (all), and splits."""

    per_label: int | None
    repetitions: int


def compare(
    parts: Mapping[str, Part],
    descriptors: Mapping[str, Any],
    classifiers: Iterable[str],
    path: Path,
    n_jobs: int = 2,
) -> pd.DataFrame:
    """Measure what the file does not have yet, and return all rows of it."""
    classifiers = list(classifiers)
    rows = pd.read_csv(path) if path.exists() else pd.DataFrame(columns=KEYS)
    done = set(zip(*(rows[key] for key in KEYS[:3]), strict=True))
    missing = [
        (name, part, title, descriptor, wanted)
        for name, part in parts.items()
        for title, descriptor in descriptors.items()
        if (wanted := [c for c in classifiers if (name, title, c) not in done])
    ]
    results = Parallel(n_jobs, return_as="generator_unordered")(
        delayed(measure)(*task) for task in missing
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    for new in tqdm(results, total=len(missing), unit="cells"):
        rows = pd.concat([rows, pd.DataFrame(new)]) if len(rows) else pd.DataFrame(new)
        draft = path.with_suffix(".tmp")
        rows.sort_values(KEYS).to_csv(draft, index=False, lineterminator="\n")
        draft.replace(path)
    return rows


def measure(
    name: str, part: Part, title: str, descriptor: Any, classifiers: list[str]
) -> list[dict[str, Any]]:
    """Return one row per split and classifier."""
    dataset = load_dataset(name)
    if part.per_label is not None:
        dataset = dataset.subsample(part.per_label)
    splits = dataset.splits(repetitions=part.repetitions)
    distances = None
    if hasattr(descriptor, "distances"):
        start = time.perf_counter()
        distances = clone(descriptor).fit(dataset.diagrams).distances(dataset.diagrams)
        seconds = (time.perf_counter() - start) / len(splits)
        classifiers = [c for c in classifiers if c in {"distance", "neighbors"}]
    rows = []
    for number, (train, test) in enumerate(splits):
        if distances is not None:
            features = distances[np.ix_(train, train)], distances[np.ix_(test, train)]
        else:
            features, seconds = _features(descriptor, dataset, train, test, number)
        for classifier in classifiers:
            accuracy, C = classify(
                classifier,
                features,
                dataset,
                train,
                test,
                are_distances=distances is not None,
            )
            key = dict(zip(KEYS, (name, title, classifier, number), strict=True))
            rows.append(
                key
                | {
                    "accuracy": round(100 * accuracy, 3),
                    "C": C,
                    "seconds": round(seconds, 3),
                    "n_train": len(train),
                    "n_test": len(test),
                }
            )
    return rows


def _features(
    descriptor: Any, dataset: Dataset, train: Any, test: Any, seed: int
) -> tuple[tuple[np.ndarray, np.ndarray], float]:
    start = time.perf_counter()
    fresh = clone(descriptor)
    seeds = [key for key in fresh.get_params() if key.endswith("random_state")]
    fresh.set_params(**dict.fromkeys(seeds, seed))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewerWordsWarning)
        H = fresh.fit_transform(dataset.diagrams[train], dataset.labels[train])
    return (H, fresh.transform(dataset.diagrams[test])), time.perf_counter() - start


def classify(
    classifier: str,
    features: tuple[np.ndarray, np.ndarray],
    dataset: Dataset,
    train: np.ndarray,
    test: np.ndarray,
    *,
    are_distances: bool = False,
) -> tuple[float, float]:
    """Return the accuracy on the test set, and C."""
    H, H_test = features
    y, y_test = dataset.labels[train], dataset.labels[test]
    if classifier == "forest":
        forest = RandomForestClassifier(200, random_state=0).fit(H, y)
        return forest.score(H_test, y_test), np.nan
    if classifier == "neighbors":
        if are_distances:
            neighbors = KNeighborsClassifier(5, metric="precomputed")
        else:
            neighbors = KNeighborsClassifier(5)
        return neighbors.fit(H, y).score(H_test, y_test), np.nan
    if classifier == "linear":
        # A mean squared norm of 1, so that the best C is in the grid for all.
        scaler = StandardScaler(with_std=False).fit(H)
        H, H_test = scaler.transform(H), scaler.transform(H_test)
        size = np.mean(np.sum(H * H, axis=1)) or 1.0
        K, K_test = H @ H.T / size, H_test @ H.T / size
    else:
        if are_distances:
            K, K_test = -H, -H_test
        else:
            K, K_test = distance_kernel(H, H), distance_kernel(H_test, H)
        size = -np.mean(K) or 1.0
        K, K_test = K / size, K_test / size
    groups = None if dataset.groups is None else dataset.groups[train]
    C = choose_c(K, y, groups)
    return fit_svm(K, y, C).score(K_test, y_test), C


def choose_c(K: np.ndarray, y: np.ndarray, groups: np.ndarray | None) -> float:
    """Return the first C with the best accuracy over inner folds."""
    rows = np.arange(len(y))
    if len(y) > MOST_ROWS:
        # Evenly over the rows sorted by label: every label has its share.
        by_label = np.argsort(y, kind="stable")
        rows = np.sort(by_label[np.arange(MOST_ROWS) * len(y) // MOST_ROWS])
    y = y[rows]
    if groups is None:
        folds = list(
            StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=0).split(y, y)
        )
    else:
        splitter = StratifiedGroupKFold(INNER_FOLDS, shuffle=True, random_state=0)
        folds = list(splitter.split(y, y, groups[rows]))
    scores = []
    for C in C_VALUES:
        right = 0.0
        for fit, check in folds:
            machine = fit_svm(K[np.ix_(rows[fit], rows[fit])], y[fit], C)
            predicted = machine.predict(K[np.ix_(rows[check], rows[fit])])
            right += np.sum(predicted == y[check])
        scores.append(right)
        # Beyond its best value C only fits noise, at many times the work.
        if right < max(scores) - 0.01 * len(y):
            break
    return C_VALUES[int(np.argmax(scores))]


def fit_svm(K: np.ndarray, y: np.ndarray, C: float) -> SVC:
    """Fit a support vector machine to a kernel matrix."""
    machine = SVC(kernel="precomputed", C=C, max_iter=MOST_ITERATIONS, cache_size=500)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return machine.fit(K, y)


def corrected_error(differences: pd.Series, n_train: float, n_test: float) -> float:
    """Return the standard error of a mean over overlapping splits (Nadeau, Bengio)."""
    n = len(differences)
    return float(np.sqrt((1.0 / n + n_test / n_train) * differences.var(ddof=1)))
