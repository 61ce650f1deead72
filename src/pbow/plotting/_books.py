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
    vectorizer: Any,
    part: str | None,
    kind: type | tuple[type, ...] = (KMeansCodebook, GaussianCodebook),
) -> tuple[str, Any]:
    """Return the part to draw, and its codebook in the plane, of one of the kinds."""
    check_is_fitted(vectorizer)
    codebooks = getattr(vectorizer, "codebooks_", None)
    if not isinstance(codebooks, Mapping) or not all(
        isinstance(codebook, kind) for codebook in codebooks.values()
    ):
        expected = "PersistenceBoW, by whose words points are counted"
        if kind is not KMeansCodebook:
            expected = "PersistenceBoW or StablePersistenceBoW"
        msg = f"Expected a fitted {expected}; got {type(vectorizer).__name__}."
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
