"""Accuracy of classifiers with descriptors: on vectors, distances or kernels."""

from pbow.evaluation.classification import Classification, Search, classify
from pbow.evaluation.evaluate import (
    Evaluation,
    SplitResult,
    evaluate,
    evaluate_split,
)
from pbow.evaluation.representation import (
    CLASSIFIERS,
    Representation,
    compare,
    represent,
)

__all__ = [
    "CLASSIFIERS",
    "Classification",
    "Evaluation",
    "Representation",
    "Search",
    "SplitResult",
    "classify",
    "compare",
    "evaluate",
    "evaluate_split",
    "represent",
]
