"""Persistence images: Gaussians about the points, integrated over pixels."""

from itertools import pairwise

import numpy as np
from scipy.special import ndtr
from scipy.stats import norm

from benchmarks.agreement import same_arrays
from benchmarks.chunks import cut, in_threads
from benchmarks.report import Table, race_table
from benchmarks.settings import Settings
from benchmarks.timing import Contender, plain_read, race
from benchmarks.workloads import describe, workload
from pbow import Diagrams
from pbow.vectorizers import PersistenceImage
from pbow.vectorizers.image import ImageFrame

__all__ = ["benchmark"]

CASES = [("W1", 20), ("W1", 50), ("W2", 20), ("W2", 50)]
CHUNK = 2000
# Numbers that GUDHI may hold at a time; it is timed on a share of the large workload.
GUDHI_POINTS = {20: 100_000, 50: 20_000}
TOLERANCE = 1e-12
SCIPY_DIAGRAMS = 1000


def benchmark(settings: Settings) -> list[Table]:
    """Race all ways to make images, on both workloads and at two resolutions."""
    return [_one_race(name, resolution, settings) for name, resolution in CASES]


def _one_race(name: str, resolution: int, settings: Settings) -> Table:
    X = workload(name, settings)
    ours = PersistenceImage(resolution, n_jobs=settings.threads).fit(X)
    expected = ours.transform(X)
    frame = ours.frames_["H1"]
    some = X[:SCIPY_DIAGRAMS]
    contenders = [
        Contender("pbow", lambda: ours.transform(X)),
        Contender(
            "scipy ndtr, one product per diagram",
            lambda: _separable(some, frame, resolution, settings.threads),
            lambda H: same_arrays(expected[: len(some)], H, TOLERANCE),
            share=len(some.points) / len(X.points),
            note=_scaled(some, X),
        ),
        _gudhi(X, frame, resolution),
        plain_read(X),
    ]
    title = f"Persistence images, {resolution} x {resolution} ({describe(name, X)})"
    timings = race(contenders, settings, resident=2 * expected.nbytes)
    note = f"Bandwidth: {frame.bandwidth:.3g}, the default: one pixel."
    return race_table(title, timings, len(X.points), note=note)


def _scaled(some: Diagrams, X: Diagrams) -> str:
    if len(some) == len(X):
        return ""
    return f"timed on {len(some):,} diagrams and scaled"


def _separable(
    X: Diagrams, frame: ImageFrame, resolution: int, n_threads: int
) -> np.ndarray:
    out = np.empty((len(X), resolution * resolution))
    edges = [
        np.linspace(*ends, resolution + 1)
        for ends in (frame.births, frame.persistences)
    ]

    def fill(first: int, last: int) -> None:
        offsets = X.offsets[first : last + 1]
        births, deaths = X.points[offsets[0] : offsets[-1]].T
        A, B = (
            np.diff(ndtr((e - x[:, np.newaxis]) / frame.bandwidth), axis=1)
            for e, x in zip(edges, (births, deaths - births), strict=True)
        )
        for d, (i, j) in enumerate(pairwise(offsets - offsets[0])):
            out[first + d] = (A[i:j].T @ B[i:j]).ravel()

    in_threads(fill, cut(X, CHUNK), n_threads)
    return out


def _gudhi(X: Diagrams, frame: ImageFrame, resolution: int) -> Contender:
    name = "GUDHI PersistenceImage, densities at the centers"
    try:
        from gudhi.representations import PersistenceImage  # noqa: PLC0415
    except ImportError:
        return Contender(name, None, note="gudhi is not installed")
    some = X[: max(1, int(np.searchsorted(X.offsets, GUDHI_POINTS[resolution])))]
    diagrams = list(some)
    centers = [
        np.convolve(np.linspace(*ends, resolution + 1), [0.5, 0.5], mode="valid")
        for ends in (frame.births, frame.persistences)
    ]
    theirs = PersistenceImage(
        bandwidth=frame.bandwidth,
        resolution=[resolution, resolution],
        im_range=[c[end] for c in centers for end in (0, -1)],
    ).fit(diagrams)
    note = "; ".join(text for text in ("one thread", _scaled(some, X)) if text)
    return Contender(
        name,
        lambda: theirs.transform(diagrams),
        lambda H: same_arrays(_densities(some, frame, centers), H, TOLERANCE),
        share=len(some.points) / len(X.points),
        note=note,
    )


def _densities(X: Diagrams, frame: ImageFrame, centers: list[np.ndarray]) -> np.ndarray:
    """Return what GUDHI computes: persistences first, births last."""
    rows = []
    for diagram in X:
        births, lives = diagram[:, :1], diagram[:, 1:] - diagram[:, :1]
        A, B = (
            norm.pdf(c, x, frame.bandwidth)
            for c, x in zip(centers, (births, lives), strict=True)
        )
        rows.append((B.T @ A).ravel())
    return np.array(rows)
