"""Accuracy of classifiers with descriptors: on vectors, distances or kernels."""

from pbow.evaluation.classification import Classification, Search, classify
from pbow.evaluation.evaluate import Evaluation, evaluate
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
    "classify",
    "compare",
    "evaluate",
    "represent",
]
