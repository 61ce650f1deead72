"""What the page knows: the model, means per label, vectors, and points to draw."""

from __future__ import annotations

import zlib
from base64 import b64encode
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from pbow._utils.checks import check_label_names, check_labels
from pbow._utils.text import plural
from pbow.codebook import GaussianCodebook, KMeansCodebook
from pbow.compute.mixture import pack as pack_components
from pbow.compute.normalize import EPSILON
from pbow.diagrams import Diagrams, check_diagrams
from pbow.errors import ParameterError
from pbow.essential import ESSENTIAL_SUFFIX, finite_parts
from pbow.explorer.thinning import most_per_diagram, thin_out
from pbow.vectorizers import PersistenceBoW, StablePersistenceBoW

__all__ = [
    "Samples",
    "check_samples",
    "check_vectorizer",
    "describe",
    "describe_model",
    "describe_samples",
    "pack",
    "points_to_draw",
]

Floats = NDArray[np.float64]

# More would be slow to draw, and could not be told apart.
MOST_DRAWN = 2_000

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
    classes: list[str]  # names of the labels; empty without labels
    members: NDArray[np.int64]  # places in `classes`; all 0 without labels
    names: list[str] | None


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
    classes: list[str] = []
    if labels is not None:
        found, members = np.unique(check_labels(labels, n_samples), return_inverse=True)
        classes = [str(name) for name in check_label_names(label_names, found)]
    elif label_names is not None:
        raise ParameterError("label_names", "None without labels", label_names)
    if sample_names is not None and len(sample_names) != n_samples:
        expected = f"{n_samples} names, one per diagram"
        raise ParameterError("sample_names", expected, len(sample_names))
    names = None if sample_names is None else [str(name) for name in sample_names]
    return Samples(diagrams, classes, members, names)


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
        "notes": _notes(vectorizer),
        "classes": samples.classes,
        "means": _class_means(vectorizer, samples),
        "mean_vector": vectors.mean(axis=0, dtype=np.float64).tolist(),
    }


def describe_samples(samples: Samples, rows: NDArray[np.intp]) -> dict[str, Any]:
    """Return numbers, names and labels of those diagrams that the page holds."""
    numbers: list[int] = rows.tolist()
    return {
        "n": len(numbers),
        "numbers": numbers if len(numbers) < len(samples.diagrams) else None,
        "names": samples.names and [samples.names[i] for i in numbers],
        "classes": samples.members[rows].tolist() if samples.classes else None,
    }


def _summary(vectorizer: Any, samples: Samples, vectors: NDArray[Any]) -> str:
    n_samples, n_features = vectors.shape
    counts = [plural(n_samples, "diagram"), plural(n_features, "feature")]
    if samples.classes:
        counts.append(plural(len(samples.classes), "class"))
    return f"{' '.join(repr(vectorizer).split())}; {', '.join(counts)}"


def _class_means(vectorizer: Any, samples: Samples) -> list[dict[str, Any]]:
    """Return, per resolution, the mean row of all diagrams and of each label.

    Rows are sums over points, before normalization.
    """
    raw = copy(vectorizer.fitted_).set_params(normalize=None)
    sums = np.asarray(raw.transform(samples.diagrams), np.float64)
    widths = [size for book in vectorizer.codebooks_.values() for size in book.sizes]
    return [
        {
            "all": block.mean(axis=0).tolist(),
            "classes": [
                block[samples.members == k].mean(axis=0).tolist()
                for k in range(len(samples.classes))
            ],
        }
        for block in np.split(sums, np.cumsum(widths)[:-1], axis=1)
    ]


def _notes(vectorizer: Any) -> list[str]:
    notes = []
    if getattr(vectorizer, "dtype", "float64") == "float32":
        notes.append(
            "The model computes in float32. Vectors of your own diagrams are computed "
            "in float64 and rounded at the end, so they agree with Python's to about "
            "six digits."
        )
    without = [name for name in vectorizer.parts_ if name not in vectorizer.codebooks_]
    if without:
        notes.append(
            f"No words for {', '.join(without)}: there was no finite point to learn "
            "from."
        )
    return notes


def points_to_draw(
    vectorizer: Any, X: Diagrams, n_points: int
) -> tuple[Floats, list[dict[str, Any]], str]:
    """Return births and persistences to draw, where they are, and a note on them.

    At most `n_points` in all, part after part, diagram after diagram. All resolutions
    of a part see the same points.
    """
    parts = finite_parts(X, vectorizer.fitted_.essential)
    parts = {name: parts[name] for name in vectorizer.codebooks_}
    sizes = np.concatenate([part.sizes for part in parts.values()])
    cap = most_per_diagram(sizes, n_points, MOST_DRAWN)
    blocks: list[Floats] = []
    places = []
    start = 0
    for part in parts.values():
        thin = [thin_out(diagram, cap) for diagram in part]
        kept = [len(diagram) for diagram in thin]
        starts = list(accumulate(kept, initial=start))
        places.append({"start": starts, "kept": kept, "total": part.sizes.tolist()})
        start = starts[-1]
        blocks.extend(thin)
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
    return points, places, note


def pack(content: NDArray[Any] | str) -> str:
    """Return numbers, little-endian, or text deflated and in base64."""
    if isinstance(content, str):
        raw = content.encode()
    else:
        raw = content.astype(content.dtype.newbyteorder("<")).tobytes()
    return b64encode(zlib.compress(raw)).decode("ascii")
