"""Checks that figures share: codebooks, diagrams of a collection, one sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from pbow._utils.checks import is_integer
from pbow.codebook import GaussianCodebook, KMeansCodebook
from pbow.diagrams import UNNAMED, Diagrams, check_diagrams
from pbow.errors import ParameterError

__all__ = [
    "check_codebook",
    "check_codebooks",
    "check_points",
    "check_sample",
    "check_samples",
]


def check_codebooks(
    vectorizer: Any, part: str | None, resolution: int | None = None
) -> dict[str, Any]:
    """Return the codebooks in the plane to draw, by part; of one resolution each.

    `part` None is all of them. `resolution` is a number of words; None is the finest.
    """
    check_is_fitted(vectorizer)
    codebooks = getattr(vectorizer, "codebooks_", None)
    if not isinstance(codebooks, Mapping) or not all(
        isinstance(codebook, (KMeansCodebook, GaussianCodebook))
        for codebook in codebooks.values()
    ):
        msg = (
            "The figure shows words, so it expects a fitted PersistenceBoW or "
            f"StablePersistenceBoW; got {type(vectorizer).__name__}."
        )
        raise TypeError(msg)
    # Essential classes have words on a line: births only.
    plane = {name: book for name, book in codebooks.items() if book.scale.shape == (2,)}
    if part is not None or not plane:
        if part not in plane:
            raise _no_part(part, plane)
        plane = {part: plane[part]}
    return {
        name: _check_resolution(book, name, resolution) for name, book in plane.items()
    }


def check_codebook(
    vectorizer: Any, part: str | None, resolution: int | None = None
) -> tuple[str, Any]:
    """Return the part to draw, if it is one, and its codebook."""
    found = check_codebooks(vectorizer, part, resolution)
    if len(found) > 1:
        raise _no_part(part, found)
    return next(iter(found.items()))


def _no_part(part: str | None, plane: Mapping[str, Any]) -> ParameterError:
    names = ", ".join(map(repr, plane))
    expected = f"one of {names}, the parts that have words in the plane"
    if list(plane) == [UNNAMED]:
        expected = "left out, as the only part with words in the plane has no name"
    return ParameterError("part", expected, part)


def _check_resolution(codebook: Any, part: str, resolution: int | None) -> Any:
    by_size = {book.n_words: book for book in codebook.resolutions}
    if resolution is None:
        return by_size[max(by_size)]
    if not is_integer(resolution, 1) or resolution not in by_size:
        numbers = ", ".join(map(str, sorted(by_size)))
        has = f"part {part} has" if part else "there are"
        expected = f"one of {numbers}, the numbers of words that {has}"
        if len(by_size) == 1:
            expected = f"{numbers}, the number of words that {has}"
        raise ParameterError("resolution", expected, resolution)
    return by_size[resolution]


def check_points(points: ArrayLike, name: str) -> NDArray[np.float64]:
    """Return births and persistences as an array; `name` is the parameter's."""
    checked = np.asarray(points, dtype=np.float64)
    if checked.ndim != 2 or checked.shape[1] != 2 or not np.isfinite(checked).all():
        expected = "finite births and persistences, shape (n_points, 2)"
        raise ParameterError(name, expected, points)
    return checked


def check_samples(vectorizer: Any, X: Any, part: str) -> Diagrams:
    """Return the finite points of one part of the diagrams to draw."""
    diagrams = check_diagrams(X, parts=vectorizer.parts_, min_samples=1)
    finite: Diagrams = diagrams[part].finite()
    return finite


def check_sample(sample: Any) -> dict[str, NDArray[np.float64]]:
    """Return births and deaths by the names of parts; those of all samples together."""
    if not isinstance(sample, (Diagrams, Mapping)):
        try:
            points = np.asarray(sample, dtype=np.float64)
        except (TypeError, ValueError):  # lists of different lengths, or no numbers
            points = np.empty(1)
        if points.size and (points.ndim != 2 or points.shape[1] != 2):
            msg = (
                "Expected one sample: births and deaths of shape (n_points, 2), a dict "
                f"of such by part, or Diagrams; got {sample!r:.100}. Of a list of "
                "diagrams take one, as X[0]."
            )
            raise ValueError(msg)
        sample = points.reshape(-1, 2)
    if not isinstance(sample, Diagrams):
        sample = Diagrams.from_list([sample])
    return {name: sample[name].points for name in sample.parts}
