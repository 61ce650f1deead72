"""Which words are drawn, and of which classes: the checks that pictures share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from pbow.codebook import GaussianCodebook, KMeansCodebook

__all__ = ["check_codebook", "check_labels"]


def check_codebook(
    vectorizer: Any, part: str | None, *, counts: bool = False
) -> tuple[str, Any]:
    """Return the part to draw, and its codebook in the plane.

    Where points are counted, only a codebook of k-means will do.
    """
    check_is_fitted(vectorizer)
    codebooks = getattr(vectorizer, "codebooks_", None)
    kinds = (KMeansCodebook,) if counts else (KMeansCodebook, GaussianCodebook)
    if not isinstance(codebooks, Mapping) or not all(
        isinstance(codebook, kinds) for codebook in codebooks.values()
    ):
        does = "counts points by their nearest word" if counts else "shows words"
        or_other = "" if counts else " or StablePersistenceBoW"
        msg = (
            f"The picture {does}, so it expects a fitted PersistenceBoW{or_other}; "
            f"got {type(vectorizer).__name__}."
        )
        raise TypeError(msg)
    # Essential classes have words on a line, births only.
    plane = {name: book for name, book in codebooks.items() if book.scale.shape == (2,)}
    if part is None and len(plane) == 1:
        part = next(iter(plane))
    if part is None or part not in plane:
        msg = (
            f"Expected part to be one of {', '.join(map(repr, plane))}, the parts that "
            f"the vectorizer has words for in the plane; got {part!r}."
        )
        raise ValueError(msg)
    return part, plane[part]


def check_labels(y: ArrayLike, n_samples: int) -> NDArray[Any]:
    """Return the labels as an array, one for each diagram."""
    labels = np.asarray(y)
    if labels.shape != (n_samples,):
        msg = (
            f"Expected one label a diagram, shape ({n_samples},); "
            f"got shape {labels.shape}."
        )
        raise ValueError(msg)
    return labels
