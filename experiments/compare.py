"""Accuracies of descriptors on data sets under several classifiers, on the same splits.

A descriptor is anything that scikit-learn can clone, with ``fit(X)`` and
``transform(X)`` from diagrams to rows; or a kernel of pbow, of which the distances are
taken once for all splits. Everything else is learnt from the training set of a split.
"""

import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from tqdm import tqdm

from pbow import evaluation
from pbow._utils.files import atomic_write
from pbow.datasets import load_dataset
from pbow.errors import FewerWordsWarning

SEARCH = evaluation.Search(c_values=(0.1, 1.0, 10.0, 100.0), folds=3, rows=1500)
KEYS = ["data set", "descriptor", "classifier", "split"]


class Part(NamedTuple):
    """How much of a data set is compared on: samples per label (all), and splits."""

    per_label: int | None
    repetitions: int


def compare(
    parts: Mapping[str, Part],
    descriptors: Mapping[str, Any],
    classifiers: list[str],
    path: Path,
    n_jobs: int,
) -> None:
    """Measure what the file does not have yet, and add it there."""
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
    for new in tqdm(results, total=len(missing), unit="cells"):
        rows = pd.concat([rows, pd.DataFrame(new)]) if len(rows) else pd.DataFrame(new)
        with atomic_write(path) as file:
            rows.sort_values(KEYS).to_csv(file, index=False, lineterminator="\n")


def measure(
    name: str, part: Part, title: str, descriptor: Any, classifiers: list[str]
) -> list[dict[str, Any]]:
    """Return one row per split and classifier."""
    dataset = load_dataset(name)
    if part.per_label is not None:
        dataset = dataset.subsample(part.per_label)
    X, y, groups = dataset.diagrams, dataset.labels, dataset.groups
    splits = dataset.splits(repetitions=part.repetitions)
    distances = None
    if hasattr(descriptor, "distances"):
        start = time.perf_counter()
        distances = clone(descriptor).fit(X).distances(X)
        seconds = (time.perf_counter() - start) / len(splits)
        classifiers = [c for c in classifiers if c in {"distance", "neighbors"}]
    rows = []
    for number, (train, test) in enumerate(splits):
        if distances is not None:
            H, H_test = distances[np.ix_(train, train)], distances[np.ix_(test, train)]
        else:
            fresh = clone(descriptor)
            seeds = [key for key in fresh.get_params() if key.endswith("random_state")]
            fresh.set_params(**dict.fromkeys(seeds, number))
            with warnings.catch_warnings(action="ignore", category=FewerWordsWarning):
                seen = evaluation.represent(fresh, X, train, test)
            H, H_test, seconds = seen.train, seen.test, sum(seen.seconds.values())
        for classifier in classifiers:
            accuracy, C = classify(
                classifier,
                (H, H_test),
                (y[train], y[test]),
                None if groups is None else groups[train],
                are_distances=distances is not None,
            )
            values = (name, title, classifier, number)
            rows.append(
                dict(zip(KEYS, values, strict=True))
                | {"accuracy": round(100 * accuracy, 3), "C": C}
                | {"seconds": round(seconds, 3)}
                | {"n_train": len(train), "n_test": len(test)}
            )
    return rows


def classify(
    classifier: str,
    features: tuple[np.ndarray, np.ndarray],
    labels: tuple[np.ndarray, np.ndarray],
    groups: np.ndarray | None,
    *,
    are_distances: bool,
) -> tuple[float, float]:
    """Return the accuracy on the test set, and C; both sets are (train, test)."""
    (H, H_test), (y, y_test) = features, labels
    if classifier == "forest":
        forest = RandomForestClassifier(200, random_state=0).fit(H, y)
        return forest.score(H_test, y_test), np.nan
    if classifier == "neighbors":
        metric = "precomputed" if are_distances else "minkowski"
        neighbors = KNeighborsClassifier(5, metric=metric).fit(H, y)
        return neighbors.score(H_test, y_test), np.nan
    if classifier == "linear":
        # A mean squared norm of 1, so that the best C is in the grid for all.
        scaler = StandardScaler(with_std=False).fit(H)
        H, H_test = scaler.transform(H), scaler.transform(H_test)
    holds = "distances" if are_distances else "vectors"
    seen = evaluation.Representation(train=H, test=H_test, holds=holds, seconds={})
    found = evaluation.classify(
        *evaluation.compare(seen, classifier),
        *(y, y_test, SEARCH),
        n_labels=max(*y, *y_test) + 1,
        groups=groups,
    )
    return found.accuracy, found.C


def corrected_error(differences: pd.Series, n_train: float, n_test: float) -> float:
    """Return the standard error of a mean over overlapping splits (Nadeau, Bengio)."""
    n = len(differences)
    return float(np.sqrt((1.0 / n + n_test / n_train) * differences.var(ddof=1)))
