"""Write digests of every feature matrix, Gram matrix and distance matrix.

    python scripts/digest.py before.json --arrays before.npz
    python scripts/digest.py --compare before.json after.json

Inputs are fixed, and only the public interface is used, so that two versions of pbow
can be compared to the last bit. Compare results of the same machine and of the same
versions of numpy and Numba: others may round differently. The exit code is 1 if
something differs, or if the number of threads changes a result.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import sys
from collections.abc import Iterator
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from pbow import Diagrams, PersistenceBoW, StablePersistenceBoW
from pbow.codebook import (
    GaussianCodebook,
    KMeansCodebook,
    learn_gaussian,
    learn_kmeans,
)
from pbow.encoding import encode_counts, encode_likelihoods
from pbow.kernels import (
    LandscapeKernel,
    MultiScaleKernel,
    SlicedWassersteinKernel,
    WassersteinKernel,
)
from pbow.preprocessing import (
    MostPersistent,
    PersistenceThreshold,
    Rescale,
    SelectParts,
)
from pbow.sampling import draw_sample, persistence_ramp
from pbow.stability import component_constants, lipschitz_constant
from pbow.vectorizers import (
    PersistenceImage,
    PersistenceLandscape,
    PersistenceStatistics,
    RiemannianHeatMap,
)
from pbow.weighting import Ramp

Result = tuple[str, Any]

THREADS = (2, 3)
NORMALIZATIONS = (None, "sqrt", "sqrt-l2", "lipschitz")
ESSENTIAL = ("drop", "separate", 20.0)


# -------------------------------------------------------------------------------------
# Inputs


def points(rng: np.random.Generator, n: int) -> np.ndarray:
    """Return n points, some of them on the diagonal and some of them twice."""
    births = rng.uniform(0.0, 5.0, n).round(2)
    lifetimes = rng.exponential(1.0, n)
    lifetimes[rng.uniform(size=n) < 0.05] = 0.0
    drawn = np.column_stack((births, births + lifetimes))
    repeated = rng.uniform(size=n) < 0.1
    drawn[repeated] = drawn[0] if n else 0.0
    return drawn


def collection(seed: int, sizes: list[int], *, essential: int = 0) -> list[np.ndarray]:
    """Return diagrams, each with up to so many essential points more."""
    rng = np.random.default_rng(seed)
    diagrams = []
    for size in sizes:
        finite = points(rng, size)
        births = rng.uniform(0.0, 2.0, rng.integers(0, essential + 1)).round(1)
        infinite = np.column_stack((births, np.full(len(births), np.inf)))
        diagrams.append(np.concatenate((finite, infinite)))
    return diagrams


def inputs() -> dict[str, tuple[Any, Any]]:
    """Return training and test diagrams by name."""
    sizes = [0, 1, 2, 3, 40, 0, *range(5, 29)]
    one = collection(1, sizes), collection(2, [7, 0, 1, 60, 12])
    finite, infinite = collection(3, sizes), collection(4, sizes[::-1], essential=3)
    more = collection(5, [0, 30, 9], essential=3)
    several = (
        Diagrams.from_parts({"H0": infinite, "H1": finite}),
        Diagrams.from_parts({"H0": more, "H1": collection(6, [11, 0, 4])}),
    )
    repeated = [one[0][5 + i % 3 * 9] for i in range(12)]
    moved = [d * 1e-3 + 1e4 for d in one[0]], [d * 1e-3 + 1e4 for d in one[1]]
    found: dict[str, tuple[Any, Any]] = {
        "one": one,
        "several": several,
        "essential": (infinite, more),
        "repeated": (repeated, one[1]),
        "moved": moved,
        "negative": ([d - 7.0 for d in one[0]], [d - 7.0 for d in one[1]]),
    }
    for scale in (1e-30, 1e30):
        found[f"times {scale:g}"] = tuple([d * scale for d in X] for X in one)
    return found


LARGE = Diagrams.from_list(collection(7, [150_000, 0, 40_000, 1, *[3_000] * 30]))
# Enough work for threads, also for the loops that need the least time per point.
MANY = Diagrams.from_list(collection(8, np.arange(2_000) % 50 * 2))


# -------------------------------------------------------------------------------------
# Results


def bow_results(found: dict[str, tuple[Any, Any]]) -> Iterator[Result]:
    """Yield features of the bag-of-words: first small ones, before loops compile."""
    for name in ("one", "several", "essential", "moved"):
        yield from features(f"small {name}", PersistenceBoW(7, random_state=3), found)
    for params in grid(
        normalize=NORMALIZATIONS,
        weighting=("uniform", "ramp"),
        point_weight=(None, "ramp"),
        whiten=(True, False),
    ):
        model = PersistenceBoW(9, sample_size=300, random_state=0, **params)
        yield from features("one", model, found)
    for essential, normalize in product(ESSENTIAL, ("sqrt", "sqrt-l2")):
        model = PersistenceBoW(
            5, essential=essential, normalize=normalize, random_state=1
        )
        yield from features("several", model, found)
        yield from features("essential", model, found)
    by_part = {"H0": 3, "H0_inf": 2, "H1": 6}
    model = PersistenceBoW(by_part, essential="separate", n_init=3, random_state=2)
    yield from features("several", model, found)
    for name in found:
        yield from features(name, PersistenceBoW.paper(4, random_state=0), found)
        ramp = PersistenceBoW(2, weighting="ramp", quantiles=(0.3, 0.6), random_state=0)
        yield from features(name, ramp, found)
    for n_words, point_weight in product((3, 40, 400), (None, "ramp")):
        model = PersistenceBoW(n_words, point_weight=point_weight, random_state=0)
        yield from large(model, LARGE)
        yield from large(model, MANY)


def stable_results(found: dict[str, tuple[Any, Any]]) -> Iterator[Result]:
    """Yield features of the stable bag-of-words, and its constants."""
    for params in grid(
        covariance=("diag", "full"),
        scale=("density", "peak", "posterior"),
        dtype=("float64", "float32"),
        normalize=NORMALIZATIONS,
        weighting=("uniform", "ramp"),
        point_weight=(None, "ramp"),
    ):
        model = StablePersistenceBoW(6, sample_size=300, random_state=0, **params)
        yield from features("one", model, found)
    for params in grid(
        essential=ESSENTIAL,
        covariance=("diag", "full"),
        scale=("density", "posterior"),
        whiten=(True, False),
    ):
        model = StablePersistenceBoW(4, n_init=2, random_state=1, **params)
        yield from features("several", model, found)
        yield from features("essential", model, found)
    for name in found:
        for model in (
            StablePersistenceBoW.paper(3, random_state=0),
            StablePersistenceBoW.certified(3, random_state=0),
            StablePersistenceBoW(3, covariance="full", random_state=0),
            StablePersistenceBoW(3, dtype="float32", random_state=0),
        ):
            yield from features(name, model, found)
    for params in grid(
        scale=("density", "peak"),
        covariance=("diag", "full"),
        normalize=(None, "lipschitz"),
        essential=ESSENTIAL,
    ):
        model = StablePersistenceBoW.certified(4, random_state=0, **params)
        fitted = model.fit(found["several"][0])
        yield f"stability {model!r}", fitted.stability_constant_
        for metric in ("birth-death", "birth-persistence"):
            constant = lipschitz_constant(fitted, metric=metric)
            yield f"stability in {metric} {model!r}", constant
    for params in grid(
        scale=("density", "peak", "posterior"), dtype=("float64", "float32")
    ):
        model = StablePersistenceBoW(30, random_state=0, **params)
        yield from large(model, LARGE)
        yield from large(model, MANY)


def other_results(found: dict[str, tuple[Any, Any]]) -> Iterator[Result]:
    """Yield features of the other vectorizers."""
    images = [
        PersistenceImage(6, **params)
        for params in grid(
            bandwidth=(None, 0.3),
            bandwidth_unit=("diagram", "pixel", "paper"),
            weight=(None, "ramp", "linear"),
            box=("data", "zero", ((0.0, 4.0), (0.0, 2.5))),
        )
    ]
    images += [PersistenceImage((3, 7), quantiles=(0.2, 0.7), weight="ramp")]
    for image in images:
        yield from features("one", image, found)
    models = [
        PersistenceImage(),
        PersistenceImage.paper(8),
        PersistenceImage(5, weight="linear", bandwidth=0.4, bandwidth_unit="pixel"),
        PersistenceLandscape(),
        PersistenceLandscape(2, 33),
        RiemannianHeatMap(8, resolution=9),
        RiemannianHeatMap(5, resolution=7, bandwidth=0.3, quantiles=(0.1, 0.8)),
        RiemannianHeatMap.paper(12, r=6),
        PersistenceStatistics(),
    ]
    for model, name in product(models, found):
        yield from features(name, model, found)
    for model, essential in product(models, ESSENTIAL):
        changed = clone(model).set_params(essential=essential)
        yield from features("several", changed, found)
        yield from features("essential", changed, found)
    for model in (
        PersistenceImage(10),
        PersistenceImage.paper(10),
        PersistenceLandscape(3, 50),
        RiemannianHeatMap(6, resolution=8),
        PersistenceStatistics(),
    ):
        yield from large(model, MANY)


def kernel_results(found: dict[str, tuple[Any, Any]]) -> Iterator[Result]:
    """Yield the kernels and the distances of every pair."""
    kernels = [
        *(
            WassersteinKernel(order, bandwidth=bandwidth)
            for order, bandwidth in product((1, 1.5, 2, 3, np.inf), (None, 0.5))
        ),
        *(
            SlicedWassersteinKernel(n_directions, bandwidth=bandwidth)
            for n_directions, bandwidth in product((1, 7, 50), (None, 2.0))
        ),
        MultiScaleKernel(),
        MultiScaleKernel(0.3),
        LandscapeKernel(),
    ]
    for kernel, (name, (train, test)) in product(kernels, found.items()):
        fitted = clone(kernel).fit(train)
        yield f"{name} train {kernel!r}", fitted.transform(train)
        yield f"{name} test {kernel!r}", fitted.transform(test)
        yield f"{name} distances of test {kernel!r}", fitted.distances(test)
        yield f"{name} distances {kernel!r}", fitted.distances(test, train)
    for kernel, essential, output, name in product(
        kernels, ESSENTIAL, ("kernel", "distance"), ("several", "essential")
    ):
        changed = clone(kernel).set_params(essential=essential, output=output)
        train, test = found[name]
        yield f"{name} train {changed!r}", changed.fit_transform(train)
        yield f"{name} test {changed!r}", changed.transform(test)
    wide = Diagrams.from_list(collection(9, [300, 0, 200, 150]))
    narrow = Diagrams.from_list(collection(10, [3, 25] * 60))
    for kernel, X in product(kernels, (wide, narrow)):
        matrix = clone(kernel).fit_transform(X)
        for n_jobs in THREADS:
            changed = clone(kernel).set_params(n_jobs=n_jobs)
            check_threads(matrix, changed.fit_transform(X), changed)
        yield f"{len(X)} diagrams {kernel!r}", matrix
        yield f"{len(X)} diagrams, distances {kernel!r}", kernel.fit(X).distances(X)


def preprocessing_results(found: dict[str, tuple[Any, Any]]) -> Iterator[Result]:
    """Yield the points of diagrams that were changed."""
    models = [
        PersistenceThreshold(),
        PersistenceThreshold(0.7),
        MostPersistent(),
        MostPersistent(5),
        MostPersistent(1),
        Rescale(),
        Rescale("persistence"),
        Rescale("death", quantile=0.6),
    ]
    for model, (name, (train, test)) in product(models, found.items()):
        yield from diagrams(f"{name} train {model!r}", model.fit_transform(train))
        yield from diagrams(f"{name} test {model!r}", model.transform(test))
    for parts in ("H0", ["H1"], ["H1", "H0"]):
        model = SelectParts(parts)
        changed = model.fit_transform(found["several"][0])
        yield from diagrams(f"several {model!r}", changed)
    by_part = MostPersistent({"H0": 2, "H1": 3}).fit_transform(found["several"][0])
    yield from diagrams("several by part", by_part)


def learning_results(found: dict[str, tuple[Any, Any]]) -> Iterator[Result]:
    """Yield samples, codebooks and what is encoded by given codebooks."""
    one = Diagrams.from_list(found["one"][0])
    for X, size in ((one, 100), (MANY, 5_000), (LARGE, 10_000), (MANY, None)):
        for quantiles in ((0.05, 0.95), (0.0, 1.0), (0.5, 0.5001)):
            ramp = persistence_ramp([X[:3], X[3:]], quantiles)
            name = f"{len(X)} diagrams, size {size}, quantiles {quantiles}"
            yield f"ramp {name}", np.array([ramp.low, ramp.high])
            yield f"sample {name}", draw_sample([X], size, ramp=ramp, seed=5)
        yield (
            f"uniform sample of {len(X)} diagrams, size {size}",
            draw_sample([X], size, ramp=None, seed=5),
        )
    sample = draw_sample([MANY], 3_000, ramp=None, seed=1)
    for n_words, whiten, n_init in product((1, 20, 150), (True, False), (1, 3)):
        options: dict[str, Any] = {"whiten": whiten, "n_init": n_init, "seed": 4}
        name = f"{n_words} words, {options}"
        words = learn_kmeans(sample, n_words, **options)
        yield f"k-means of {name}", np.vstack((words.words, words.scale))
        for covariance in ("diag", "full"):
            mixture = learn_gaussian(sample, n_words, covariance=covariance, **options)
            columns = (mixture.weights[:, None], mixture.means)
            flat = np.hstack((*columns, mixture.covariances.reshape(n_words, 4)))
            yield f"{covariance} mixture of {name}", flat
    # Beyond 65,534 words there is no grid.
    rng = np.random.default_rng(11)
    for n_words in (1, 2, 3_000, 70_000):
        codebook = KMeansCodebook(rng.uniform(0, 6, (n_words, 2)), np.array([1.0, 0.5]))
        X = LARGE if n_words <= 3_000 else one
        for normalize in NORMALIZATIONS:
            for ramp in (None, Ramp(0.1, 2.0), Ramp(0.5, 0.5)):
                encoded = encode_counts(X, codebook, normalize=normalize, ramp=ramp)
                yield f"counts of {n_words} words, {normalize}, {ramp}", encoded
    births = KMeansCodebook(np.array([[0.5], [1.5]]), np.ones(1))
    yield "counts of births", encode_counts(one, births)
    mixture = GaussianCodebook(
        np.array([0.2, 0.5, 0.3]),
        np.array([[0.0, 1.0], [2.0, 0.5], [4.0, 3.0]]),
        np.array([[[1.0, 0.3], [0.3, 0.5]], [[0.01, 0], [0, 2.0]], [[4, -1], [-1, 1]]]),
        np.ones(2),
    )
    for scale in ("density", "peak", "posterior"):
        yield f"likelihoods {scale}", encode_likelihoods(LARGE, mixture, scale=scale)
    for scale, metric in product(
        ("density", "peak"), ("birth-death", "birth-persistence")
    ):
        constants = component_constants(
            mixture, Ramp(0.1, 2.0), scale=scale, metric=metric
        )
        yield f"constants {scale} {metric}", constants


SECTIONS = (
    bow_results,  # first: its first calls come before loops are compiled
    stable_results,
    other_results,
    kernel_results,
    preprocessing_results,
    learning_results,
)


def features(
    name: str, model: Any, found: dict[str, tuple[Any, Any]]
) -> Iterator[Result]:
    """Yield the rows of training and test diagrams, and the names of the columns."""
    train, test = found[name.removeprefix("small ")]
    fitted = clone(model).fit(train)
    yield f"{name} train {model!r}", fitted.transform(train)
    yield f"{name} test {model!r}", fitted.transform(test)
    yield f"{name} columns {model!r}", fitted.get_feature_names_out().astype(str)


def large(model: Any, X: Diagrams) -> Iterator[Result]:
    """Yield the rows of many points, which must not depend on the threads."""
    fitted = clone(model).fit(X)
    rows = fitted.transform(X)
    for n_jobs in THREADS:
        parallel = clone(model).set_params(n_jobs=n_jobs)
        check_threads(rows, parallel.fit(X).transform(X), parallel)
    yield f"{len(X)} diagrams {model!r}", rows


def diagrams(name: str, X: Diagrams) -> Iterator[Result]:
    """Yield the points and offsets of each part."""
    for part in X.parts:
        yield f"{name}, points of {part}", X[part].points
        yield f"{name}, offsets of {part}", X[part].offsets


def grid(**choices: Any) -> Iterator[dict[str, Any]]:
    """Yield all combinations."""
    for values in product(*choices.values()):
        yield dict(zip(choices, values, strict=True))


def check_threads(one: np.ndarray, more: np.ndarray, model: Any) -> None:
    """Stop if two numbers of threads differ in a bit."""
    if digest(one) != digest(more):
        sys.exit(f"The number of threads changes the result of {model!r}.")


# -------------------------------------------------------------------------------------
# Digests


def digest(array: np.ndarray) -> dict[str, Any]:
    """Return what identifies an array."""
    content = np.ascontiguousarray(array).tobytes()
    return {
        "sha256": hashlib.sha256(content).hexdigest(),
        "dtype": str(array.dtype),
        "shape": list(array.shape),
    }


def write(path: Path, arrays_path: Path | None) -> None:
    """Compute everything, and write digests and arrays."""
    found = inputs()
    arrays: dict[str, np.ndarray] = {}
    for section in SECTIONS:
        title = section.__name__.removesuffix("_results")
        for name, result in section(found):
            array = np.asarray(np.nan if result is None else result)
            arrays[" ".join(f"{title}: {name}".split())] = array
        print(f"{title}: {len(arrays)} results so far", file=sys.stderr, flush=True)
    written = {
        "environment": {
            "machine": platform.machine(),
            **{name: version(name) for name in ("numpy", "numba", "scikit-learn")},
        },
        "results": {name: digest(array) for name, array in arrays.items()},
    }
    path.write_text(json.dumps(written, indent=1) + "\n")
    if arrays_path is not None:
        np.savez_compressed(arrays_path, **arrays)


def compare(one: Path, other: Path) -> int:
    """Print what differs between two files; return how much does."""
    before, after = (json.loads(path.read_text()) for path in (one, other))
    if before["environment"] != after["environment"]:
        print(f"Environments differ: {before['environment']}, {after['environment']}.")
    names = [
        *before["results"],
        *sorted(set(after["results"]) - set(before["results"])),
    ]
    different = [
        name
        for name in names
        if before["results"].get(name) != after["results"].get(name)
    ]
    numbers = [path.with_suffix(".npz") for path in (one, other)]
    loaded = [np.load(path) for path in numbers if path.exists()]
    largest = 0.0
    for name in different:
        if any(name not in written["results"] for written in (before, after)):
            print(f"only in {one if name in before['results'] else other}: {name}")
        elif len(loaded) < 2:
            print(f"different: {name}")
        else:
            text, relative = difference(loaded[0][name], loaded[1][name])
            largest = max(largest, relative)
            print(f"{text}: {name}")
    print(f"{len(names) - len(different)} results are equal, {len(different)} are not.")
    if different and len(loaded) == 2:
        print(f"The largest relative difference is {largest:.3g}.")
    return len(different)


def difference(one: np.ndarray, other: np.ndarray) -> tuple[str, float]:
    """Describe how two arrays differ, and return the largest relative difference."""
    if one.shape != other.shape:
        return f"shape {one.shape} became {other.shape}", np.inf
    if not all(array.dtype.kind in "biuf" for array in (one, other)):
        return "different", np.inf
    kind = "" if one.dtype == other.dtype else f"{one.dtype} became {other.dtype}, "
    one, other = one.astype(float), other.astype(float)
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    with np.errstate(invalid="ignore"):
        apart = np.where(same, 0.0, np.abs(one - other))
        size = np.maximum(np.abs(one), np.abs(other))
        each = np.divide(apart, size, out=np.zeros_like(apart), where=apart > 0.0)
    if not np.isfinite(each).all():
        return f"{kind}finite and infinite", np.inf
    most, of_largest = each.max(), apart.max() / max(size.max(), 1e-300)
    text = f"{kind}relative {most:.3g}, of the largest entry {of_largest:.3g}"
    return text, float(most)


def main() -> int:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", nargs="?", type=Path, help="JSON file to write")
    parser.add_argument("--arrays", type=Path, help="NPZ file for the arrays")
    parser.add_argument(
        "--compare",
        nargs=2,
        type=Path,
        metavar=("BEFORE", "AFTER"),
        help="JSON files to compare; NPZ files of the same name are used if both exist",
    )
    given = parser.parse_args()
    if given.compare:
        return 1 if compare(*given.compare) else 0
    if given.output is None:
        parser.error("name the JSON file to write, or two files to --compare")
    write(given.output, given.arrays)
    return 0


if __name__ == "__main__":
    sys.exit(main())
