"""The tour of ``pbow demo``: shapes, their diagrams, descriptors, and a picture.

Each step is a function that returns data, so that the command only prints.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedShuffleSplit
from sklearn.svm import SVC

from pbow._utils.progress import progress_bar
from pbow.datasets import SHAPE_NAMES, make_shapes
from pbow.diagrams import Diagrams
from pbow.homology import rips
from pbow.plotting import plot_class_words
from pbow.vectorizers import PersistenceBoW, StablePersistenceBoW

__all__ = [
    "Score",
    "check_picture",
    "demo_descriptors",
    "draw_words",
    "make_diagrams",
    "score_descriptor",
]

Ints = NDArray[np.int64]

N_SPLITS = 5
TEST_SIZE = 0.2
# What the paper searches, by 5-fold cross-validation inside the training part.
PENALTIES = (0.1, 1.0, 10.0, 100.0, 1000.0)
N_FOLDS = 5
# With fewer, a training part has not a sample of each class for every fold.
MIN_PER_CLASS = 8
# With fewer, there may be no loop at all.
MIN_POINTS = 20

# Words of the picture, as in the paper's.
N_WORDS = 20


@dataclass(frozen=True, slots=True)
class Score:
    """How a descriptor did.

    accuracies : share of right answers, one a split.
    seconds : to learn the codebook and encode all diagrams, mean over the splits.
    n_features : length of its vectors.
    """

    accuracies: tuple[float, ...]
    seconds: float
    n_features: int

    @property
    def mean(self) -> float:
        """Mean accuracy."""
        return float(np.mean(self.accuracies))

    @property
    def std(self) -> float:
        """Standard deviation of the accuracy over the splits, of a sample."""
        return float(np.std(self.accuracies, ddof=1))


def make_diagrams(
    per_class: int,
    n_points: int,
    *,
    seed: int,
    n_jobs: int | None = None,
    progress: bool = False,
) -> tuple[Diagrams, Ints]:
    """Draw the six shapes and return the H1 diagrams of Rips, and the labels.

    Examples
    --------
    >>> from pbow.demo import make_diagrams
    >>> X, y = make_diagrams(8, 20, seed=0)
    >>> len(X), y.tolist()[:9]
    (48, [0, 0, 0, 0, 0, 0, 0, 0, 1])
    """
    for name, value, minimum in (
        ("clouds per class", per_class, MIN_PER_CLASS),
        ("points per cloud", n_points, MIN_POINTS),
    ):
        if value < minimum:
            msg = f"The demo needs at least {minimum} {name}; got {value}."
            raise ValueError(msg)
    clouds, labels = make_shapes(per_class, n_points, random_state=seed)
    return rips(clouds, dims=1, n_jobs=n_jobs, progress=progress), labels


def demo_descriptors(*, seed: int, n_jobs: int | None = None) -> dict[str, Any]:
    """Return the descriptors that the demo compares, by name."""
    settings: dict[str, Any] = {"random_state": seed, "n_jobs": n_jobs}
    return {
        "PBoW": PersistenceBoW(**settings),
        "PBoW (paper)": PersistenceBoW.paper(**settings),
        "sPBoW": StablePersistenceBoW(**settings),
        "sPBoW (paper)": StablePersistenceBoW.paper(**settings),
    }


def score_descriptor(
    descriptor: Any,
    X: Diagrams,
    y: Ints,
    *,
    seed: int,
    progress: bool = False,
) -> Score:
    """Classify by a linear SVM on five stratified splits, 80 % for training.

    The descriptor and the penalty C see the training part only. All descriptors with
    the same seed see the same splits.

    Examples
    --------
    >>> from pbow import PersistenceBoW
    >>> from pbow.demo import make_diagrams, score_descriptor
    >>> X, y = make_diagrams(8, 20, seed=0)
    >>> score = score_descriptor(PersistenceBoW(5, random_state=0), X, y, seed=0)
    >>> len(score.accuracies), score.n_features
    (5, 5)
    """
    # Compiles the loops, or loads them from the cache, before the clock starts.
    clone(descriptor).fit(X).transform(X)
    splits = StratifiedShuffleSplit(N_SPLITS, test_size=TEST_SIZE, random_state=seed)
    accuracies, seconds, n_features = [], [], 0
    with progress_bar(show=progress, total=N_SPLITS, unit="splits") as advance:
        for train, test in splits.split(y, y):
            start = perf_counter()
            fitted = clone(descriptor).fit(X[train])
            train_features = fitted.transform(X[train])
            test_features = fitted.transform(X[test])
            seconds.append(perf_counter() - start)
            n_features = train_features.shape[1]
            search = GridSearchCV(SVC(kernel="linear"), {"C": PENALTIES}, cv=N_FOLDS)
            search.fit(train_features, y[train])
            accuracies.append(float(search.score(test_features, y[test])))
            advance(1)
    return Score(tuple(accuracies), float(np.mean(seconds)), n_features)


def check_picture(path: Path) -> None:
    """Raise if no picture can be written to `path`: before the work, not after it."""
    figure = _new_figure()
    known = figure.canvas.get_supported_filetypes()
    if path.suffix.lstrip(".").lower() not in known:
        msg = (
            f"Expected a picture's file name, as in words.png; got {str(path)!r}. "
            f"Known endings: {', '.join(sorted(known))}."
        )
        raise ValueError(msg)
    if path.is_dir():
        msg = f"Cannot write {path}: it is a folder. Name a file in it."
        raise IsADirectoryError(msg)
    beside = _beside(path)
    try:
        beside.touch(exist_ok=False)
        beside.unlink()
    except OSError as error:
        msg = f"Cannot write to the folder {path.parent}: {error.strerror}."
        raise OSError(msg) from error


def draw_words(X: Diagrams, y: Ints, path: Path, *, seed: int) -> None:
    """Write the picture of the classes' average histograms, whole or not at all."""
    vectorizer = PersistenceBoW(n_words=N_WORDS, random_state=seed).fit(X)
    figure = _new_figure()
    axes = figure.subplots(2, 3)
    plot_class_words(vectorizer, X, y, label_names=SHAPE_NAMES, axes=axes)
    for ax in axes.flat:
        ax.label_outer()
    beside = _beside(path)
    try:
        figure.savefig(beside, dpi=150, format=path.suffix.lstrip(".").lower())
        beside.replace(path)
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def _new_figure() -> Any:
    """Return a figure that no window and no pyplot knows of."""
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ImportError as error:
        msg = "The picture needs matplotlib, of the extra plot: pip install matplotlib."
        raise ImportError(msg) from error
    return Figure(figsize=(9.3, 5.2), layout="constrained")


def _beside(path: Path) -> Path:
    """Return a name in the same folder, so that renaming to `path` is one step."""
    return path.with_name(f".{path.name}.{os.getpid()}.part")
