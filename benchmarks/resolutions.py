"""Words at several resolutions: one pass against one codebook of as many words."""

from collections.abc import Callable
from itertools import accumulate, pairwise

import numpy as np
from scipy.spatial import cKDTree

from benchmarks.agreement import same_arrays
from benchmarks.chunks import born_and_persistent, cut, in_threads, sum_by_diagram
from benchmarks.report import Table, race_table
from benchmarks.settings import Settings
from benchmarks.stable import mixture_of
from benchmarks.timing import Contender, plain_read, race
from benchmarks.workloads import describe, workload
from pbow import PersistenceBoW, StablePersistenceBoW
from pbow.codebook import learn_gaussian
from pbow.sampling import draw_sample

__all__ = ["benchmark"]

SIZES = (10, 30, 100)
WORKLOADS = ("W1", "W2")
CHUNK = 8000
SAMPLE_SIZE = 10_000
TOLERANCE = 1e-9


def benchmark(settings: Settings) -> list[Table]:
    """Race the encoding of three resolutions, of one, and learning them."""
    encodings = [
        _encoding_race(name, n_words, settings)
        for name in WORKLOADS
        for n_words in (SIZES, sum(SIZES))
    ]
    counts = [_counting_race(name, settings) for name in WORKLOADS]
    return [*encodings, *counts, _learning_race(settings)]


def _encoding_race(
    name: str, n_words: int | tuple[int, ...], settings: Settings
) -> Table:
    X = workload(name, settings)
    sizes = n_words if isinstance(n_words, tuple) else (n_words,)
    other = sum(SIZES) if len(sizes) > 1 else SIZES
    options = {"n_jobs": settings.threads, "random_state": 0}
    ours = StablePersistenceBoW(n_words, **options).fit(X)
    as_many = StablePersistenceBoW(other, **options).fit(X)
    points, ranges = born_and_persistent(X), cut(X, CHUNK)
    mixtures = [mixture_of(book, "diag") for book in ours.codebooks_["H1"].resolutions]

    def by_mixtures() -> np.ndarray:
        out = np.zeros((len(X), sum(m.n_components for m in mixtures)))
        ends = accumulate((m.n_components for m in mixtures), initial=0)
        for mixture, (start, stop) in zip(mixtures, pairwise(ends), strict=True):
            columns = np.zeros((len(X), stop - start))
            add = _adder(mixture.predict_proba, points, X.offsets, columns)
            in_threads(add, ranges, settings.threads)
            out[:, start:stop] = np.sqrt(columns)
        return out

    expected = ours.transform(X)
    described = " + ".join(map(str, sizes))
    contenders = [
        Contender(f"pbow, {described} words", lambda: ours.transform(X)),
        Contender(
            f"pbow, {' + '.join(map(str, other)) if len(sizes) == 1 else other} words",
            lambda: as_many.transform(X),
            note="another codebook, of as many words",
        ),
        Contender(
            "scikit-learn GaussianMixture",
            by_mixtures,
            lambda H: same_arrays(expected, H, TOLERANCE),
            note=f"chunks of {CHUNK:,}",
        ),
        plain_read(X),
    ]
    title = f"sPBoW posteriors, N = {described} ({describe(name, X)})"
    timings = race(contenders, settings, resident=3 * expected.nbytes)
    return race_table(title, timings, len(X.points))


def _counting_race(name: str, settings: Settings) -> Table:
    X = workload(name, settings)
    options = {"normalize": None, "n_jobs": settings.threads, "random_state": 0}
    ours = PersistenceBoW(SIZES, **options).fit(X)
    as_many = PersistenceBoW(sum(SIZES), **options).fit(X)
    codebook = ours.codebooks_["H1"]
    points = born_and_persistent(X) / codebook.scale
    trees = [cKDTree(book.words / codebook.scale) for book in codebook.resolutions]
    rows = np.repeat(np.arange(len(X)), X.sizes)

    def by_trees() -> np.ndarray:
        counts = []
        for tree in trees:
            _, nearest = tree.query(points, workers=settings.threads)
            bins = rows * tree.n + nearest
            counts.append(np.bincount(bins, minlength=len(X) * tree.n))
        return np.hstack([c.reshape(len(X), -1) for c in counts])

    expected = ours.transform(X)
    contenders = [
        Contender("pbow, 10 + 30 + 100 words", lambda: ours.transform(X)),
        Contender(
            "pbow, 140 words",
            lambda: as_many.transform(X),
            note="another codebook, of as many words",
        ),
        Contender(
            "scipy cKDTree, once per resolution",
            by_trees,
            lambda H: same_arrays(expected, H, TOLERANCE),
        ),
        plain_read(X),
    ]
    title = f"PBoW counts, N = 10 + 30 + 100 ({describe(name, X)})"
    timings = race(contenders, settings, resident=3 * expected.nbytes)
    return race_table(title, timings, len(X.points))


def _adder(
    predict: Callable, points: np.ndarray, offsets: np.ndarray, out: np.ndarray
) -> Callable[[int, int], None]:
    def add(first: int, last: int) -> None:
        some = offsets[first : last + 1]
        if some[-1] > some[0]:
            sum_by_diagram(predict(points[some[0] : some[-1]]), some, out[first:last])

    return add


def _learning_race(settings: Settings) -> Table:
    X = workload("W2", settings)
    sample = draw_sample([X], SAMPLE_SIZE, ramp=None, seed=0)

    options = {"covariance": "diag", "whiten": True, "n_init": 1, "seed": 0}
    contenders = [
        Contender(
            "pbow, 10 + 30 + 100 words",
            lambda: learn_gaussian(sample, SIZES, **options),
        ),
        Contender(
            "pbow, 100 words",
            lambda: learn_gaussian(sample, SIZES[-1], **options),
            note="the largest",
        ),
    ]
    title = f"Mixtures of three resolutions on S = {len(sample):,} points"
    return race_table(title, race(contenders, settings), len(sample))
