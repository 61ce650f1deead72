"""The page, put together: template, style, programs and data in one file."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha384
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pbow._utils.files import AnyPath, atomic_write
from pbow._utils.optional import import_optional
from pbow.errors import ParameterError
from pbow.explorer.content import (
    Drawn,
    Samples,
    check_samples,
    describe,
    describe_samples,
    pack,
    points_to_draw,
)
from pbow.explorer.raw import check_raw, pack_raw
from pbow.explorer.thinning import round_off, round_points, spread

__all__ = ["Limits", "make_page", "write_explorer"]

PROGRAMS = (
    *("encode", "csv", "elements", "plots", "raw", "download", "own"),
    *("unpack", "explorer"),
)
PLOTLYJS = ("inline", "directory", "cdn")
PLOTLY_FILE = "plotly.min.js"

BYTES_PER_POINT = 22  # two float64 in base64, if they do not deflate at all
BYTES_PER_ROUNDED = 11
# What JSON needs for a sample besides its name: number and label, and counts per part.
BYTES_PER_SAMPLE = 16
BYTES_PER_DIAGRAM = 20


@dataclass(frozen=True)
class Limits:
    """How much a page may hold."""

    n_bytes: int = 20_000_000
    n_exact: int = 6_000_000  # pages stay below by rounding and fewer points, or exceed
    spare: int = 100_000  # of these bytes, for tags and what else is not counted
    n_points: int = 150_000  # to draw; more are thinned out
    few_points: int = 20_000  # if a page has no room for these, it becomes larger
    for_points: int = 1_500_000  # bytes that vectors leave, so that diagrams are seen
    for_raw: int = 2_000_000  # bytes of images or clouds


def write_explorer(
    vectorizer: Any,
    X: Any,
    path: AnyPath,
    *,
    labels: ArrayLike | None = None,
    label_names: Sequence[str] | None = None,
    sample_names: Sequence[str] | None = None,
    title: str = "pbow explorer",
    raw: Sequence[Any] | None = None,
    raw_kind: str = "image",
    plotlyjs: str = "inline",
) -> None:
    """Write a web page in which a fitted bag-of-words can be explored.

    The page is one file of less than 20 MB that needs no server and no network. It
    opens on the word that separates the labels best, ranks all words by that, and shows
    them in the plane, one part and resolution at a time, with their counts in each
    label, how two labels differ, and the points and the vector of each diagram. Other
    diagrams, from a CSV file that is dropped onto the page, are drawn beside them, with
    the vectors that ``transform`` would compute and their nearest samples.

    Parameters
    ----------
    vectorizer : PersistenceBoW or StablePersistenceBoW
        Fitted.
    X : Diagrams or list of array-like of shape (n_points_i, 2)
        The diagrams to show, with the same parts as in fit. Many points are thinned out
        for drawing; vectors and means are computed from all. Vectors that take too much
        room are rounded to 2**-32; if this is not enough, the page holds an even choice
        of the diagrams, and says so.
    path : str or path-like
        The file to make or replace, usually ``*.html``.
    labels : array-like of shape (n_samples,), optional
        Label of each diagram.
    label_names : sequence of str, optional
        Names of the labels, in sorted order. By default the labels themselves.
    sample_names : sequence of str, optional
        Names of the diagrams. By default their numbers.
    title : str, default="pbow explorer"
        Title of the page.
    raw : sequence, optional
        Raw data of each diagram, or None for those without: images of shape (rows,
        columns), or point clouds of shape (n, 2) or (n, 3). The page shows the sample
        beside its diagram; with the locations of ``return_locations=True`` in homology,
        it marks where the points of a word are born and die. Images larger than 128
        pixels are averaged. Pixels of inf or -inf are masked, as in
        :func:`~pbow.homology.cubical`, and left blank. The page holds as many as fit in
        2 MB, and says how many.
    raw_kind : {"image", "cloud"}, default="image"
        What `raw` is.
    plotlyjs : {"inline", "directory", "cdn"}, default="inline"
        Where the page finds plotly.js: in itself; in a file ``plotly.min.js`` beside
        it, which is written and which several pages can use; or at plotly's server, so
        that a page without network access says only that it cannot start.

    Raises
    ------
    ImportError
        Without plotly, which is in the extra ``explorer``.
    TypeError
        If the vectorizer has no codebook.
    ValueError
        If parts differ from those in fit, there are more or fewer labels, names or raw
        data than diagrams, or a point is located at a pixel or vertex that the raw data
        of its sample do not have.
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
    raw = check_raw(raw, raw_kind, samples.diagrams)
    page = make_page(
        vectorizer,
        samples,
        title,
        Limits(),
        raw=raw,
        raw_kind=raw_kind,
        plotlyjs=plotlyjs,
    )
    if plotlyjs == "directory":
        with atomic_write(Path(path).with_name(PLOTLY_FILE)) as file:
            file.write(_plotly().encode())
    with atomic_write(path) as file:
        file.write(page.encode())


def make_page(
    vectorizer: Any,
    samples: Samples,
    title: str,
    limits: Limits,
    *,
    raw: Sequence[NDArray[Any] | None] | None = None,
    raw_kind: str = "image",
    plotlyjs: str = "inline",
) -> str:
    """Return the text of a page."""
    source, script = _plotly_script(plotlyjs)
    static = {
        "title": escape(title),
        "generator": "pbow",
        "source": source,
        "style": _asset("style.css"),
        "plotly": script,
        **{f"{name}_js": _asset(f"{name}.js") for name in PROGRAMS},
    }
    # An array, also from a vectorizer that was told to make data frames.
    vectors = np.asarray(vectorizer.transform(samples.diagrams))
    room = limits.n_bytes - limits.spare
    room -= sum(len(text.encode()) for text in static.values())
    pieces = _data(vectorizer, samples, vectors, room, limits, raw, raw_kind)
    template = _asset("page.html")
    return re.sub(r"\{\{(\w+)\}\}", lambda m: (static | pieces)[m[1]], template)


def _data(
    vectorizer: Any,
    samples: Samples,
    vectors: NDArray[Any],
    room: int,
    limits: Limits,
    raw: Sequence[NDArray[Any] | None] | None,
    raw_kind: str,
) -> dict[str, str]:
    """Return the data of the page, in at most `room` bytes."""
    content = describe(vectorizer, samples, vectors)
    room -= len(_to_json(content))
    small = room - max(limits.n_bytes - limits.n_exact, 0)
    if raw is not None:
        room -= 2 * limits.for_raw  # also for their locations
    n_points = sum(len(samples.diagrams[part].points) for part in vectorizer.parts_)
    n_points = min(n_points, limits.n_points)
    rows = np.arange(len(vectors))
    packed = pack(vectors)
    notes: list[str] = []
    size = len(packed) + int(_sample_costs(samples).sum())
    is_exact = size + n_points * BYTES_PER_POINT <= small
    if not is_exact:
        for_points = min(n_points * BYTES_PER_ROUNDED, limits.for_points)
        rows, packed, notes = _vectors_that_fit(samples, vectors, room - for_points)
        size = len(packed) + int(_sample_costs(samples)[rows].sum())
        fitting = (small - size) // BYTES_PER_ROUNDED
        if fitting < limits.few_points:
            fitting = (room - size) // BYTES_PER_ROUNDED
        n_points = min(n_points, fitting)
    content["raw"] = None
    raw_numbers: NDArray[Any] = np.empty(0, np.uint8)
    locate = np.zeros(len(rows), bool)
    if raw is not None:
        chosen = [raw[i] for i in rows.tolist()]
        described = pack_raw(chosen, raw_kind, samples.members[rows], limits.for_raw)
        raw_numbers = described.numbers
        locate[list(described.items)] = True
        notes += described.notes
    drawn = points_to_draw(vectorizer, samples.diagrams[rows], n_points, locate)
    if raw is not None:
        content["raw"] = {
            "kind": raw_kind,
            "items": described.items,
            "without": described.without,
            "width": drawn.locations.shape[2],
            "located": drawn.located,
        }
    points = drawn.points if is_exact else _rounded(drawn, content["axes"])
    locations = drawn.locations if locate.any() else np.empty(0, np.int32)
    content["samples"] = describe_samples(samples, rows) | {"points": drawn.places}
    content["notes"] += [*notes, drawn.note]
    return {
        "content": _to_json(content),
        "vectors": packed,
        "points": pack(points),
        "locations": pack(locations),
        "raw": pack(raw_numbers),
    }


def _vectors_that_fit(
    samples: Samples, vectors: NDArray[Any], room: int
) -> tuple[NDArray[np.intp], str, list[str]]:
    """Return the rows of the samples that fit, their rounded vectors, and notes.

    All of them, or else an even choice.
    """
    costs = _sample_costs(samples)
    n_samples, n_features = vectors.shape
    rows = np.arange(n_samples)
    rounded = round_off(vectors)
    notes = [
        "Vectors are rounded, by 1.2e-10 at most, and points to a millionth of the "
        "plane, so that this page stays small; `pbow transform` writes all digits."
    ]
    while True:
        packed = pack(rounded[rows])
        size = len(packed) + int(costs[rows].sum())
        if size <= room:
            break
        n_kept = min(int(0.99 * len(rows) * room / size), len(rows) - 1)
        if n_kept <= 0:
            msg = (
                f"A page under 20 MB has no room for a model of {n_features:,} words "
                f"and {len(samples.labels):,} labels. Fit one with fewer words."
            )
            raise ValueError(msg)
        rows = spread(samples.members, n_kept)
    if len(rows) < n_samples:
        notes.append(
            f"This page holds {len(rows):,} of {n_samples:,} diagrams, spread evenly "
            f"over {'each label' if samples.labels else 'all'}, so that it stays "
            "under 20 MB; means are of all. `pbow transform` writes all vectors."
        )
    return rows, packed, notes


def _rounded(drawn: Drawn, axes: Sequence[Sequence[float]]) -> NDArray[np.float64]:
    """Return the points of each part, rounded to what its axes show."""
    ends = np.cumsum([sum(place["kept"]) for place in drawn.places])
    blocks = np.split(drawn.points, ends[:-1])
    return np.concatenate(
        [round_points(*both) for both in zip(blocks, axes, strict=True)]
    )


def _sample_costs(samples: Samples) -> NDArray[np.int64]:
    """Return the bytes of JSON that each sample takes; rather more than less."""
    # Essential points may have a codebook of their own.
    n_diagrams = 2 * len(samples.diagrams.parts)
    row = BYTES_PER_SAMPLE + BYTES_PER_DIAGRAM * n_diagrams
    costs = np.full(len(samples.diagrams), row, np.int64)
    if samples.names is not None:
        costs += [len(_to_json(name)) + 2 for name in samples.names]
    return costs


def _to_json(value: Any) -> str:
    """Return JSON that no HTML can be in: `<` is escaped, and so is all but ASCII."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def _asset(name: str) -> str:
    return files("pbow.explorer").joinpath(name).read_text(encoding="utf-8")


def _plotly_script(plotlyjs: str) -> tuple[str, str]:
    """Return what the security policy allows besides, and the element of plotly.js."""
    if plotlyjs not in PLOTLYJS:
        raise ParameterError("plotlyjs", "'inline', 'directory' or 'cdn'", plotlyjs)
    program = _plotly()
    if plotlyjs == "inline":
        return "", f'<script type="text/plain" id="plotly">{pack(program)}</script>'
    if plotlyjs == "directory":
        # A page that is opened as a file has no origin that 'self' could mean.
        return " 'self' file:", f'<script src="{PLOTLY_FILE}"></script>'
    version = import_optional(
        "plotly.offline", extra="explorer", purpose="pbow.explorer"
    ).get_plotlyjs_version()
    address = f"https://cdn.plot.ly/plotly-{version}.min.js"
    digest = b64encode(sha384(program.encode()).digest()).decode()
    return f" {address}", (
        f'<script src="{address}" integrity="sha384-{digest}" '
        'crossorigin="anonymous"></script>'
    )


def _plotly() -> str:
    offline = import_optional(
        "plotly.offline", extra="explorer", purpose="pbow.explorer"
    )
    return str(offline.get_plotlyjs())
