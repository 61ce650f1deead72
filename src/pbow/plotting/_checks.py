"""Checks that figures share: codebooks, points, labels and their names."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from pbow.codebook import GaussianCodebook, KMeansCodebook
from pbow.errors import ParameterError

__all__ = ["check_codebook", "check_label_names", "check_labels", "check_points"]


def check_codebook(
    vectorizer: Any, part: str | None, *, counts: bool = False
) -> tuple[str, Any]:
    """Return the part to draw, and its codebook in the plane.

    With `counts`, it must be a codebook of k-means, which points are counted by.
    """
    check_is_fitted(vectorizer)
    codebooks = getattr(vectorizer, "codebooks_", None)
    accepted = (KMeansCodebook,) if counts else (KMeansCodebook, GaussianCodebook)
    if not isinstance(codebooks, Mapping) or not all(
        isinstance(codebook, accepted) for codebook in codebooks.values()
    ):
        does = "counts points by their nearest word" if counts else "shows words"
        or_other = "" if counts else " or StablePersistenceBoW"
        soft = counts and isinstance(codebooks, Mapping)
        hint = " Draw its codebook, or write the explorer's page." if soft else ""
        msg = (
            f"The figure {does}, so it expects a fitted PersistenceBoW{or_other}; "
            f"got {type(vectorizer).__name__}.{hint}"
        )
        raise TypeError(msg)
    # Essential classes have words on a line: births only.
    plane = {name: book for name, book in codebooks.items() if book.scale.shape == (2,)}
    if part is None and len(plane) == 1:
        part = next(iter(plane))
    if part is None or part not in plane:
        names = ", ".join(map(repr, plane))
        expected = f"one of {names}, the parts that have words in the plane"
        raise ParameterError("part", expected, part)
    return part, plane[part]


def check_points(points: ArrayLike, name: str) -> NDArray[np.float64]:
    """Return births and persistences as an array; `name` is the parameter's."""
    checked = np.asarray(points, dtype=np.float64)
    if checked.ndim != 2 or checked.shape[1] != 2 or not np.isfinite(checked).all():
        expected = "finite births and persistences, shape (n_points, 2)"
        raise ParameterError(name, expected, points)
    return checked


def check_labels(y: ArrayLike, n_samples: int) -> NDArray[Any]:
    """Return the labels as an array, one per diagram."""
    labels = np.asarray(y)
    if labels.shape != (n_samples,):
        msg = (
            f"Expected one label per diagram, shape ({n_samples},); "
            f"got shape {labels.shape}."
        )
        raise ValueError(msg)
    return labels


def check_label_names(
    label_names: Sequence[str] | None, labels: Collection[Any]
) -> Sequence[str]:
    """Return the names of some labels; by default the labels themselves."""
    if label_names is None:
        return [str(label) for label in labels]
    if isinstance(label_names, str) or len(label_names) != len(labels):
        expected = f"a sequence of {len(labels)} names, one per label"
        raise ParameterError("label_names", expected, label_names)
    return label_names
