"""What the page knows: the model, means per label, vectors, and points to draw."""

from __future__ import annotations

import warnings
import zlib
from base64 import b64encode
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.feature_selection import f_classif
from sklearn.utils.validation import check_is_fitted

from pbow._utils.checks import check_label_names, check_labels, check_length
from pbow._utils.text import plural
from pbow.codebook import GaussianCodebook, KMeansCodebook
from pbow.compute.mixture import pack as pack_components
from pbow.compute.normalize import EPSILON
from pbow.diagrams import Diagrams, check_diagrams
from pbow.errors import ParameterError
from pbow.essential import ESSENTIAL_SUFFIX, finite_parts
from pbow.explorer.thinning import most_per_diagram, rows_to_keep
from pbow.vectorizers import PersistenceBoW, StablePersistenceBoW

__all__ = [
    "Drawn",
    "Samples",
    "check_samples",
    "check_vectorizer",
    "describe",
    "describe_model",
    "describe_samples",
    "pack",
    "points_to_draw",
    "rank_words",
    "robust_axes",
]

Floats = NDArray[np.float64]

# More would be slow to draw, and could not be told apart.
MOST_DRAWN = 2_000
SEEN_BY_PACK = 100_000  # numbers by which the order of bytes is chosen

UNITS = {
    "counts": "number of points per diagram",
    "posterior": "number of points per diagram",
    "peak": "sum of likelihoods (1 at a mean) per diagram",
    "density": "sum of likelihoods per diagram",
}


@dataclass(frozen=True)
class Samples:
    """Diagrams with what is known of each."""

    diagrams: Diagrams
    labels: list[str]  # names of the labels; empty without labels
    members: NDArray[np.int64]  # places in `labels`; all 0 without labels
    names: list[str] | None


@dataclass(frozen=True)
class Drawn:
    """Points to draw, part after part, diagram after diagram."""

    points: Floats  # birth and persistence
    places: list[dict[str, Any]]  # per part: where each diagram starts, and its sizes
    locations: NDArray[np.int32]  # vertices of birth and death, -1 where there is none
    located: list[bool]  # per part: whether it has locations
    note: str


def check_vectorizer(vectorizer: Any) -> None:
    """Raise unless it is a fitted bag-of-words."""
    if not isinstance(vectorizer, (PersistenceBoW, StablePersistenceBoW)):
        msg = (
            "The explorer shows codebooks: expected a PersistenceBoW or a "
            f"StablePersistenceBoW, got {type(vectorizer).__name__}."
        )
        raise TypeError(msg)
    check_is_fitted(vectorizer)


def check_samples(
    vectorizer: Any,
    X: Any,
    labels: ArrayLike | None,
    label_names: Sequence[str] | None,
    sample_names: Sequence[str] | None,
) -> Samples:
    """Return diagrams, labels and names, or say what is wrong with them."""
    check_vectorizer(vectorizer)
    diagrams = check_diagrams(X, parts=vectorizer.parts_, min_samples=1)
    n_samples = len(diagrams)
    members = np.zeros(n_samples, np.int64)
    found_names: list[str] = []
    if labels is not None:
        found, members = np.unique(check_labels(labels, n_samples), return_inverse=True)
        found_names = [str(name) for name in check_label_names(label_names, found)]
    elif label_names is not None:
        raise ParameterError("label_names", "None without labels", label_names)
    if sample_names is not None:
        expected = f"a sequence of {n_samples} names, one per diagram"
        check_length("sample_names", sample_names, n_samples, expected)
    names = None if sample_names is None else [str(name) for name in sample_names]
    return Samples(diagrams, found_names, members, names)


def describe_model(vectorizer: Any) -> dict[str, Any]:
    """Return what encode.js needs to compute the same vectors."""
    vectorizer = vectorizer.fitted_
    is_soft = isinstance(vectorizer, StablePersistenceBoW)
    return {
        "parts": vectorizer.parts_,
        "essential": vectorizer.essential,
        "encoding": vectorizer.scale if is_soft else "counts",
        "normalize": vectorizer.normalize,
        "epsilon": EPSILON,
        "dtype": vectorizer.dtype if is_soft else "float64",
        "columns": vectorizer.get_feature_names_out().tolist(),
        "codebooks": [
            {"points": place, **_describe_codebook(name, resolution, vectorizer)}
            for place, (name, codebook) in enumerate(vectorizer.codebooks_.items())
            for resolution in codebook.resolutions
        ],
    }


def _describe_codebook(
    name: str, codebook: KMeansCodebook | GaussianCodebook, vectorizer: Any
) -> dict[str, Any]:
    """Describe one resolution of the codebook of a part."""
    ramp = vectorizer.ramps_[name]
    described: dict[str, Any] = {
        "name": name or "(unnamed)",
        "part": name,
        "is_essential": name not in vectorizer.parts_,
        "ramp": None if ramp is None else [ramp.low, ramp.high, ramp.power],
        "covariances": None,
    }
    if described["is_essential"]:
        described["part"] = name.removesuffix(ESSENTIAL_SUFFIX)
    if len(vectorizer.codebooks_[name].sizes) > 1:
        described["name"] += f", {plural(codebook.n_words, 'word')}"
    if isinstance(codebook, KMeansCodebook):
        rates = (1.0 / codebook.scale).tolist()
        described["rates"] = [*rates, 1.0][:2]
        words = codebook.words
    else:
        components = pack_components(
            codebook.weights, codebook.means, codebook.covariances
        )
        described["components"] = components[:, : codebook.n_words].tolist()
        described["covariances"] = codebook.covariances.tolist()
        words = codebook.means
    described["words"] = [[*word, 0.0][:2] for word in words.tolist()]
    return described


def describe(
    vectorizer: Any, samples: Samples, vectors: NDArray[Any]
) -> dict[str, Any]:
    """Return the model and the means of all diagrams, as JSON can hold them."""
    model = describe_model(vectorizer)
    has_ramp = any(book["ramp"] is not None for book in model["codebooks"])
    return {
        "model": model,
        "summary": _summary(vectorizer, samples, vectors),
        "unit": ("weighted " if has_ramp else "") + UNITS[model["encoding"]],
        "notes": _notes(vectorizer, samples.diagrams),
        "labels": samples.labels,
        "means": _label_means(vectorizer, samples),
        "mean_vector": vectors.mean(axis=0, dtype=np.float64).tolist(),
        "label_vectors": [
            vectors[samples.members == k].mean(axis=0, dtype=np.float64).tolist()
            for k in range(len(samples.labels))
        ],
        "ranking": rank_words(samples, vectors),
        "axes": [
            robust_axes(part, is_line=name not in vectorizer.parts_)
            for name, part in _seen_parts(vectorizer, samples.diagrams).items()
        ],
    }


def describe_samples(samples: Samples, rows: NDArray[np.intp]) -> dict[str, Any]:
    """Return numbers, names and labels of those diagrams that the page holds."""
    numbers: list[int] = rows.tolist()
    return {
        "n": len(numbers),
        "numbers": numbers if len(numbers) < len(samples.diagrams) else None,
        "names": samples.names and [samples.names[i] for i in numbers],
        "labels": samples.members[rows].tolist() if samples.labels else None,
    }


def _summary(vectorizer: Any, samples: Samples, vectors: NDArray[Any]) -> str:
    n_samples, n_features = vectors.shape
    counts = [plural(n_samples, "diagram"), plural(n_features, "feature")]
    if samples.labels:
        counts.append(plural(len(samples.labels), "label"))
    return f"{' '.join(repr(vectorizer).split())}; {', '.join(counts)}"


def _label_means(vectorizer: Any, samples: Samples) -> list[dict[str, Any]]:
    """Return, per resolution, the mean row of all diagrams and of each label.

    Rows are sums over points, before normalization.
    """
    raw = copy(vectorizer.fitted_).set_params(normalize=None)
    sums = np.asarray(raw.transform(samples.diagrams), np.float64)
    widths = [size for book in vectorizer.codebooks_.values() for size in book.sizes]
    return [
        {
            "all": block.mean(axis=0).tolist(),
            "labels": [
                block[samples.members == k].mean(axis=0).tolist()
                for k in range(len(samples.labels))
            ],
        }
        for block in np.split(sums, np.cumsum(widths)[:-1], axis=1)
    ]


def _notes(vectorizer: Any, X: Diagrams) -> list[str]:
    notes = []
    essential = vectorizer.fitted_.essential
    n_essential = sum(
        int(np.isinf(X[name].points[:, 1]).sum()) for name in vectorizer.parts_
    )
    if n_essential and essential == "drop":
        notes.append(
            "This model leaves essential points out (essential='drop'): "
            f"{plural(n_essential, 'point')} neither drawn nor counted."
        )
    elif n_essential and essential != "separate":
        notes.append(
            f"In this model, essential points have the death {essential:g}: "
            f"{plural(n_essential, 'point')}."
        )
    if getattr(vectorizer, "dtype", "float64") == "float32":
        notes.append(
            "The model computes in float32. Vectors of your own diagrams are computed "
            "in float64 and rounded at the end, so they agree with Python's to about "
            "six digits."
        )
    without = [
        name
        for name, part in finite_parts(X, essential).items()
        if name not in vectorizer.codebooks_
        and (name in vectorizer.parts_ or len(part.points))
    ]
    if without:
        notes.append(
            f"No words for {', '.join(without)}: the model was fitted to diagrams "
            "without such points."
        )
    return notes


def rank_words(samples: Samples, vectors: NDArray[Any]) -> dict[str, Any]:
    """Return how well each feature separates the labels: its F statistic.

    Without labels, or where F is not defined, the variance instead.
    """
    vectors = np.asarray(vectors, np.float64)
    n_labels = len(samples.labels)
    if 1 < n_labels < len(vectors):
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")  # of words that no diagram has
            scores, _ = f_classif(vectors, samples.members)
        # A constant word separates nothing; JSON has no infinity.
        scores = np.nan_to_num(scores, nan=0.0, posinf=np.finfo(float).max)
        name, note = (
            "F",
            (
                "By how well they separate the labels: F statistic of the feature "
                "(analysis of variance over the labels)."
            ),
        )
    else:
        scores = vectors.var(axis=0)
        reason = "there are no labels" if n_labels == 0 else "labels cannot be compared"
        name, note = "variance", f"By the variance of the feature, because {reason}."
    return {"name": name, "note": note, "scores": scores.tolist()}


def robust_axes(part: Diagrams, *, is_line: bool) -> list[float]:
    """Return left, right, bottom, top of the plane: without few points far away.

    Far away is more than a quarter of the width beyond a range that holds all but 0.5 %
    of the points on each side, and the extremes of all but 5 % of the diagrams: a
    persistent point of each tenth diagram is no outlier.
    """
    births = part.points[:, 0]
    left, right = _robust_range(births, part.offsets)
    if is_line:
        return [left, right, -1.0, 1.0]
    _, top = _robust_range(part.points[:, 1] - births, part.offsets)
    return [left, right, 0.0, top if top > 0.0 else 1.0]


def _robust_range(values: Floats, offsets: NDArray[np.int64]) -> tuple[float, float]:
    if len(values) == 0:
        return 0.0, 1.0
    starts = offsets[:-1][np.diff(offsets) > 0]
    lows, highs = (f.reduceat(values, starts) for f in (np.minimum, np.maximum))
    low = min(np.quantile(values, 0.005), np.quantile(lows, 0.05, method="higher"))
    high = max(np.quantile(values, 0.995), np.quantile(highs, 0.95, method="lower"))
    reach = 0.25 * (high - low)
    near = values[(values >= low - reach) & (values <= high + reach)]
    low, high = float(near.min()), float(near.max())
    if low < high:
        return low, high
    pad = 0.5 * abs(low) or 0.5
    return low - pad, low + pad


def _seen_parts(vectorizer: Any, X: Diagrams) -> dict[str, Diagrams]:
    """Return, per codebook, the points that it sees."""
    parts = finite_parts(X, vectorizer.fitted_.essential)
    return {name: parts[name] for name in vectorizer.codebooks_}


def points_to_draw(
    vectorizer: Any,
    X: Diagrams,
    n_points: int,
    locate: NDArray[np.bool_] | None = None,
) -> Drawn:
    """Return births and persistences to draw, where they are, and a note on them.

    At most `n_points` in all. All resolutions of a part see the same points. Locations
    are kept of the diagrams marked in `locate`.
    """
    parts = _seen_parts(vectorizer, X)
    sizes = np.concatenate([part.sizes for part in parts.values()])
    cap = most_per_diagram(sizes, n_points, MOST_DRAWN)
    if locate is None:
        locate = np.zeros(len(X), bool)
    blocks: list[Floats] = []
    vertices: list[NDArray[np.int64]] = []
    places = []
    located = []
    start = 0
    for name, part in parts.items():
        rows = [rows_to_keep(diagram, cap) for diagram in part]
        kept = [len(chosen) for chosen in rows]
        starts = list(accumulate(kept, initial=start))
        places.append({"start": starts, "kept": kept, "total": part.sizes.tolist()})
        start = starts[-1]
        blocks.extend(part[i][chosen] for i, chosen in enumerate(rows))
        of_part = _locations_of(vectorizer, X, name) if locate.any() else None
        located.append(of_part is not None)
        if of_part is None:
            of_part = np.full((len(part.points), 2, 1), -1)
        all_rows = [part.offsets[i] + chosen for i, chosen in enumerate(rows)]
        chosen = of_part[np.concatenate(all_rows)].copy()
        chosen[~np.repeat(locate, kept)] = -1
        vertices.append(chosen)
    points = np.concatenate(blocks)
    points = np.column_stack((points[:, 0], points[:, 1] - points[:, 0]))
    n_all = int(sizes.sum())
    note = f"Points in this page: all {n_all:,}"
    if len(points) < n_all:
        note = (
            f"For drawing, points are thinned out: {len(points):,} of {n_all:,} are in "
            f"this page, at most {cap:,} per diagram and part"
        )
    note += ". Vectors and means are computed from all points."
    return Drawn(points, places, _stack(vertices), located, note)


def _locations_of(vectorizer: Any, X: Diagrams, name: str) -> NDArray[np.int64] | None:
    """Return the locations of the points that a codebook sees, or None."""
    is_essential = name not in vectorizer.parts_
    part = X[name.removesuffix(ESSENTIAL_SUFFIX) if is_essential else name]
    locations: NDArray[np.int64] | None = part.locations
    if locations is None:
        return None
    if not isinstance(vectorizer.fitted_.essential, str):
        return locations  # essential points are drawn among the others
    seen: NDArray[np.int64] = locations[np.isinf(part.points[:, 1]) == is_essential]
    return seen


def _stack(blocks: list[NDArray[np.int64]]) -> NDArray[np.int32]:
    """Return blocks of shape (n, 2, k) below each other, padded to the largest k."""
    width = max(block.shape[2] for block in blocks)
    padded = [
        np.pad(b, ((0, 0), (0, 0), (0, width - b.shape[2])), constant_values=-1)
        for b in blocks
    ]
    return np.concatenate(padded).astype(np.int32)


def pack(content: NDArray[Any] | str) -> str:
    """Return text, or numbers as little-endian bytes, deflated and in base64.

    Before numbers there is a byte. If it is 1, the first bytes of all of them come
    first, then the second ones, and so on: these may be more alike than numbers are.
    """
    if isinstance(content, str):
        raw = content.encode()
    else:
        ordered = content.astype(content.dtype.newbyteorder("<")).reshape(-1, 1)
        numbers = ordered.view(np.uint8)
        some = numbers[:SEEN_BY_PACK]
        whole, apart = (len(zlib.compress(part.tobytes())) for part in (some, some.T))
        raw = (
            b"\x01" + numbers.T.tobytes()
            if apart < whole
            else b"\0" + numbers.tobytes()
        )
    return b64encode(zlib.compress(raw)).decode("ascii")
