"""The tour of ``pbow demo``: shapes, their diagrams, descriptors, and a figure.

Each step is a function that returns data, so that the command only prints.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedShuffleSplit

from pbow._utils.files import atomic_write
from pbow._utils.optional import import_optional
from pbow.datasets import SHAPE_NAMES, make_shapes
from pbow.diagrams import Diagrams
from pbow.errors import ParameterError
from pbow.evaluation import Evaluation, evaluate
from pbow.homology import rips
from pbow.plotting import plot_class_words
from pbow.vectorizers import PersistenceBoW, StablePersistenceBoW

__all__ = [
    "check_figure_format",
    "demo_descriptors",
    "draw_words",
    "make_diagrams",
    "score_descriptor",
]

Ints = NDArray[np.int64]

N_SPLITS = 5
# With fewer, a training set has not a sample of each class for every fold.
MIN_PER_CLASS = 8
# With fewer, there may be no loop at all.
MIN_POINTS = 20


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
    if per_class < MIN_PER_CLASS:
        raise ParameterError("per_class", f"at least {MIN_PER_CLASS}", per_class)
    if n_points < MIN_POINTS:
        raise ParameterError("n_points", f"at least {MIN_POINTS}", n_points)
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
) -> Evaluation:
    """Classify by a linear SVM on five stratified splits, 80 % for training.

    The descriptor and the regularization parameter C see the training set only. All
    descriptors with the same seed see the same splits.

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
    splits = StratifiedShuffleSplit(N_SPLITS, test_size=0.2, random_state=seed)
    cv = list(splits.split(y, y))
    return evaluate(descriptor, X, y, cv, seed=seed, progress=progress)


def check_figure_format(path: Path) -> str:
    """Return the format of a figure's file, or raise if matplotlib has none for it."""
    known = _new_figure().canvas.get_supported_filetypes()
    extension = path.suffix.lstrip(".").lower()
    if extension not in known:
        msg = (
            f"Expected the file name of a figure, as in words.png; got {path}. "
            f"Known extensions: {', '.join(sorted(known))}."
        )
        raise ValueError(msg)
    return extension


def draw_words(X: Diagrams, y: Ints, path: Path, *, seed: int) -> None:
    """Draw the average histogram of each class; the file is written atomically."""
    # As many words as in the paper's figure.
    vectorizer = PersistenceBoW(n_words=20, random_state=seed).fit(X)
    figure = _new_figure()
    axes = figure.subplots(2, 3)
    plot_class_words(vectorizer, X, y, label_names=SHAPE_NAMES, axes=axes)
    for ax in axes.flat:
        ax.label_outer()
    with atomic_write(path) as file:
        figure.savefig(file, dpi=150, format=check_figure_format(path))


def _new_figure() -> Any:
    """Return a figure that no window and no pyplot knows of."""
    module = import_optional("matplotlib.figure", extra="plot", purpose="The figure")
    return module.Figure(figsize=(9.3, 5.2), layout="constrained")
