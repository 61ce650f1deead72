"""The page, put together: template, style, programs and data in one file."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pbow.explorer.content import (
    Samples,
    check_samples,
    describe,
    points_to_draw,
    to_base64,
)
from pbow.io.archive import AnyPath, replacing

__all__ = ["write_explorer"]

PROGRAMS = ("encode", "csv", "elements", "pictures", "download", "own", "explorer")

LARGEST_PAGE = 20_000_000  # bytes

# Points to draw, where there is room; they are said to be thinned out.
MOST_POINTS = 200_000
BYTES_A_POINT = 22  # two float64 in base64
# What JSON needs for a sample besides its names: its class, and two counts a part.
BYTES_A_SAMPLE = 8
BYTES_A_DIAGRAM = 20
SPARE = 100_000


def write_explorer(
    vectorizer: Any,
    X: Any,
    path: AnyPath,
    *,
    labels: ArrayLike | None = None,
    label_names: Sequence[str] | None = None,
    sample_names: Sequence[str] | None = None,
    title: str = "pbow explorer",
) -> None:
    """Write a web page in which a fitted bag-of-words can be explored.

    The page is one file of less than 20 MB that needs no server and no network. It
    shows the words in the plane, what share each has of each class, how two classes
    differ, and the points and the vector of each diagram. It computes the vectors of
    other diagrams, from a CSV file that is dropped onto it, as ``transform`` would.

    Parameters
    ----------
    vectorizer : PersistenceBoW or StablePersistenceBoW
        Fitted.
    X : Diagrams or list of array-like of shape (n_points_i, 2)
        The diagrams to show, with the parts that were there in fit. Many points are
        thinned out for drawing; vectors and means are computed from all.
    path : str or path-like
        The file to make or replace, usually ``*.html``.
    labels : array-like of shape (n_samples,), optional
        Class of each diagram.
    label_names : sequence of str, optional
        Names of the classes, in the order of the sorted labels. By default the labels.
    sample_names : sequence of str, optional
        Names of the diagrams. By default their numbers.
    title : str, default="pbow explorer"
        Title of the page.

    Raises
    ------
    ImportError
        Without plotly, which is in the extra ``explorer``.
    TypeError
        If the vectorizer has no codebook.
    ValueError
        If parts differ from those in fit, or there are more or fewer labels or names
        than diagrams.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from pbow import PersistenceBoW
    >>> from pbow.explorer import write_explorer
    >>> X = [[[0, 1], [0, 2]], [[0, 1]], [[3, 9], [3, 8]], [[3, 8]]]
    >>> bow = PersistenceBoW(n_words=2, random_state=0).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = Path(folder, "page.html")
    ...     write_explorer(bow, X, page, labels=["flat", "flat", "tall", "tall"])
    ...     page.read_text(encoding="utf-8")[:15]
    '<!DOCTYPE html>'
    """
    samples = check_samples(vectorizer, X, labels, label_names, sample_names)
    static = {
        "title": escape(title),
        "generator": "pbow",
        "style": _asset("style.css"),
        "plotly": _plotly(),
        **{name: _asset(f"{name}.js") for name in PROGRAMS},
    }
    # An array, also from a vectorizer that was told to make data frames.
    vectors = np.asarray(vectorizer.transform(samples.diagrams))
    room = LARGEST_PAGE - SPARE - sum(len(text.encode()) for text in static.values())
    pieces = _data(vectorizer, samples, vectors, room)
    template = _asset("page.html")
    page = re.sub(r"\{\{(\w+)\}\}", lambda m: (static | pieces)[m[1]], template)
    with replacing(path) as file:
        file.write(page.encode())


def _data(
    vectorizer: Any, samples: Samples, vectors: NDArray[Any], room: int
) -> dict[str, str]:
    """Return the data of the page, in at most `room` bytes."""
    content = describe(vectorizer, samples, vectors, n_kept=0)
    room -= len(_to_json(content))
    costs = _sample_costs(samples, vectors)
    n_kept = int(np.searchsorted(np.cumsum(costs), room, side="right"))
    if n_kept == 0:
        msg = (
            f"A page under 20 MB has no room for a model of {vectors.shape[1]:,} words "
            f"and {len(samples.classes):,} classes. Fit one with fewer words."
        )
        raise ValueError(msg)
    room -= int(costs[:n_kept].sum())
    n_points = min(MOST_POINTS, room // BYTES_A_POINT)
    kept = samples.diagrams[:n_kept]
    points, places, note = points_to_draw(vectorizer, kept, n_points)
    content = describe(vectorizer, samples, vectors, n_kept)
    content["samples"]["points"] = places
    content["notes"].append(note)
    return {
        "content": _to_json(content),
        "vectors": to_base64(vectors[:n_kept]),
        "points": to_base64(points),
    }


def _sample_costs(samples: Samples, vectors: NDArray[Any]) -> NDArray[np.int64]:
    """Return the bytes that each sample takes, points apart; rather more than less."""
    n_samples, n_features = vectors.shape
    n_diagrams = 2 * len(samples.diagrams.parts)
    row = n_features * vectors.itemsize * 4 // 3 + 4
    row += BYTES_A_SAMPLE + BYTES_A_DIAGRAM * n_diagrams
    costs = np.full(n_samples, row, np.int64)
    if samples.names is not None:
        costs += [len(_to_json(name)) + 2 for name in samples.names]
    return costs


def _to_json(value: Any) -> str:
    """Return JSON that no HTML can be in: `<` is escaped, and so is all but ASCII."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def _asset(name: str) -> str:
    return files("pbow.explorer").joinpath(name).read_text(encoding="utf-8")


def _plotly() -> str:
    try:
        from plotly.offline import get_plotlyjs  # noqa: PLC0415
    except ImportError as error:
        msg = "pbow.explorer needs plotly, of the extra explorer: pip install plotly."
        raise ImportError(msg) from error
    script: str = get_plotlyjs()
    return script
