"""Diagrams from raw data: clouds, images, graphs and meshes, by several engines."""

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import ndimage
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from benchmarks.agreement import same_diagrams
from benchmarks.report import Table, race_table
from benchmarks.settings import Settings
from benchmarks.timing import Contender, Verdict, race
from benchmarks.workloads import SEED
from pbow import Diagrams
from pbow.datasets import make_shapes
from pbow.homology import (
    Graphs,
    alpha,
    cubical,
    graph_sublevel,
    mesh_geodesic,
    rips,
)

__all__ = ["benchmark"]

NOTE = (
    "All on one thread, but for the row that names more, from arrays as each takes "
    "them."
)


def benchmark(settings: Settings) -> list[Table]:
    """Race the front ends with other engines; every diagram must be the same."""
    return [
        _clouds(settings),
        _small_clouds(settings),
        _small_clouds_by_alpha(settings),
        _images(settings),
        _small_images(settings),
        _located_images(settings),
        _graphs(settings),
        _mesh(settings),
    ]


def _clouds(settings: Settings) -> Table:
    clouds = list(make_shapes(1, 500, random_state=SEED)[0])
    clouds = clouds[: max(1, len(clouds) // min(settings.shrink, 3))]

    def ours(**options: Any) -> Diagrams:
        return rips(clouds, dims=(0, 1), **options)

    def by_ripser() -> list[list[np.ndarray]]:
        return [ripser.ripser(cloud)["dgms"] for cloud in clouds]

    ripser, missing = _peer("ripser")
    title = f"Rips, H0 and H1 of {len(clouds)} clouds of 500 points in space"
    n_points = sum(map(len, clouds))
    # ripser stores distances in single precision.
    return _race(title, ours, "ripser", missing or by_ripser, n_points, 1e-5, settings)


def _small_clouds(settings: Settings) -> Table:
    """Most of the time of a small item is that of calls."""
    clouds = _noise(max(2, 100 // settings.shrink), (40, 3))

    def ours(**options: Any) -> Diagrams:
        return rips(clouds, dims=(0, 1), **options)

    def by_ripser() -> list[list[np.ndarray]]:
        return [ripser.ripser(cloud)["dgms"] for cloud in clouds]

    ripser, missing = _peer("ripser")
    title = f"Rips, H0 and H1 of {len(clouds)} clouds of 40 points in space"
    n_points = sum(map(len, clouds))
    return _race(title, ours, "ripser", missing or by_ripser, n_points, 1e-5, settings)


def _small_clouds_by_alpha(settings: Settings) -> Table:
    import gudhi  # noqa: PLC0415 - of the extra

    clouds = _noise(max(2, 50 // settings.shrink), (60, 2))

    def ours(**options: Any) -> Diagrams:
        return alpha(clouds, dims=(0, 1), **options)

    def one(cloud: np.ndarray) -> list[np.ndarray]:
        tree = gudhi.AlphaComplex(points=cloud).create_simplex_tree()
        tree.compute_persistence()
        squares = [tree.persistence_intervals_in_dimension(dim) for dim in (0, 1)]
        return [np.sqrt(diagram) for diagram in squares]

    def by_gudhi() -> list[list[np.ndarray]]:
        return [one(cloud) for cloud in clouds]

    n_points = sum(map(len, clouds))
    title = f"Alpha, H0 and H1 of {len(clouds)} clouds of 60 points in the plane"
    peer = "gudhi AlphaComplex a cloud"
    return _race(title, ours, peer, by_gudhi, n_points, 1e-12, settings)


def _small_images(settings: Settings) -> Table:
    import gudhi.sklearn  # noqa: PLC0415 - of the extra

    images = _noise(max(2, 50 // settings.shrink), (28, 28))
    persistence = gudhi.sklearn.CubicalPersistence([0, 1], n_jobs=1)

    def ours(**options: Any) -> Diagrams:
        return cubical(images, dims=(0, 1), **options)

    def by_gudhi() -> list[list[np.ndarray]]:
        found: list[list[np.ndarray]] = persistence.fit_transform(images)
        return found

    title = f"Cubical, H0 and H1 of {len(images)} images of 28 by 28 pixels"
    n_pixels = sum(image.size for image in images)
    peer = "gudhi CubicalPersistence, all at once"
    return _race(title, ours, peer, by_gudhi, n_pixels, 0.0, settings)


def _images(settings: Settings) -> Table:
    images = _height_maps(max(2, 200 // settings.shrink))

    def ours(**options: Any) -> Diagrams:
        return cubical(images, dims=(0, 1), **options)

    def by_cripser() -> list[list[np.ndarray]]:
        found = [tcripser.computePH(image, maxdim=1)[:, :3] for image in images]
        return [[rows[rows[:, 0] == dim, 1:] for dim in (0, 1)] for rows in found]

    # Its cripser.computePH has pixels as vertices: another filtration.
    tcripser, missing = _peer("tcripser")
    title = f"Cubical, H0 and H1 of {len(images)} images of {images[0].shape} pixels"
    n_pixels = sum(image.size for image in images)
    peer = missing or by_cripser
    return _race(title, ours, "cripser", peer, n_pixels, 1e-9, settings)


def _located_images(settings: Settings) -> Table:
    """Compare images in which many values, few or none are equal."""
    side = max(10, 200 // settings.shrink)
    rows, failures = [], []
    for values, image in _images_by_values(side).items():
        contenders = [
            Contender("without", partial(cubical, [image])),
            Contender(
                "with locations",
                partial(cubical, [image], return_locations=True),
                partial(_same_as, cubical([image])),
            ),
        ]
        without, located = race(contenders, settings)
        ratio = located.seconds / without.seconds
        result = located.verdict.text
        milliseconds = [1e3 * timing.seconds for timing in (without, located)]
        rows.append([values, *milliseconds, ratio, located.rounds, result])
        if not located.verdict.same:
            failures.append(f"Locations of {values}: {result}")
    return Table(
        f"Cubical with locations, H0 and H1 of an image of {side} by {side} pixels",
        ["values", "without, ms", "with, ms", "times without", "rounds", "result"],
        rows,
        "One image per call, on one thread.",
        failures=failures,
    )


def _graphs(settings: Settings) -> Table:
    import gudhi  # noqa: PLC0415 - of the extra

    graphs = _discussions(max(2, 2000 // settings.shrink))
    flat = Graphs.from_list(graphs)

    def ours(**options: Any) -> Diagrams:
        return graph_sublevel(flat, **options)

    def one(edges: np.ndarray, n_vertices: int) -> list[np.ndarray]:
        degrees = np.bincount(edges.ravel(), minlength=n_vertices).astype(float)
        tree = gudhi.SimplexTree()
        tree.insert_batch(np.arange(n_vertices).reshape(1, -1), degrees)
        tree.insert_batch(edges.T, degrees[edges].max(axis=1))
        tree.compute_persistence(persistence_dim_max=False)
        return [tree.persistence_intervals_in_dimension(0)]

    def by_gudhi() -> list[list[np.ndarray]]:
        return [one(*graph) for graph in graphs]

    n_vertices = sum(n for _, n in graphs)
    title = f"Graphs by degree, H0 of {len(graphs)} graphs, {n_vertices:,} vertices"
    peer = "gudhi SimplexTree, insert_batch"
    return _race(title, ours, peer, by_gudhi, n_vertices, 0.0, settings)


def _mesh(settings: Settings) -> Table:
    import gudhi  # noqa: PLC0415 - of the extra

    vertices, faces = _airplane()
    n_sources = max(2, 40 // settings.shrink)
    sources = np.linspace(0, len(vertices) - 1, n_sources).astype(int)

    def ours(**options: Any) -> Diagrams:
        return mesh_geodesic(vertices, faces, sources, **options)

    corners = np.sort(faces, axis=1)
    edges = np.unique(corners[:, [[0, 1], [0, 2], [1, 2]]].reshape(-1, 2), axis=0)
    lengths = np.linalg.norm(vertices[edges[:, 0]] - vertices[edges[:, 1]], axis=1)
    shape = (len(vertices), len(vertices))
    roads = coo_array((lengths, edges.T), shape=shape).tocsr()

    def one(source: int) -> list[np.ndarray]:
        far = dijkstra(roads, directed=False, indices=source)
        tree = gudhi.SimplexTree()
        for simplices in (np.arange(len(vertices))[:, np.newaxis], edges, corners):
            tree.insert_batch(simplices.T, far[simplices].max(axis=1))
        tree.compute_persistence(persistence_dim_max=False)
        return [tree.persistence_intervals_in_dimension(1)]

    def by_gudhi() -> list[list[np.ndarray]]:
        return [one(source) for source in sources]

    n_points = len(sources) * len(vertices)
    title = (
        f"Geodesic balls, H1 from {n_sources} sources on a mesh of {len(vertices):,} "
        "vertices"
    )
    peer = "gudhi SimplexTree a source"
    return _race(title, ours, peer, by_gudhi, n_points, 1e-12, settings)


def _race(
    title: str,
    ours: Callable[..., Diagrams],
    name: str,
    peer: Callable[[], list[list[np.ndarray]]] | str,
    n_points: int,
    tolerance: float,
    settings: Settings,
) -> Table:
    expected = ours()
    contenders = [
        Contender("pbow", ours),
        Contender(
            "pbow, return_locations",
            lambda: ours(return_locations=True),
            partial(_same_as, expected),
        ),
        Contender(
            f"pbow, {settings.threads} threads",
            lambda: ours(n_jobs=settings.threads),
            partial(_same_as, expected),
        ),
    ]
    if isinstance(peer, str):
        contenders.append(Contender(name, None, note=peer))
    else:

        def check(found: list[list[np.ndarray]]) -> Any:
            return same_diagrams(expected, found, tolerance)

        contenders.append(Contender(name, peer, check))
    return race_table(title, race(contenders, settings), n_points, note=NOTE)


def _same_as(expected: Diagrams, X: Diagrams) -> Verdict:
    return same_diagrams(expected, _by_sample(X), 0.0)


def _by_sample(X: Diagrams) -> list[Sequence[np.ndarray]]:
    return [[X[part][i] for part in X.parts] for i in range(len(X))]


def _peer(name: str) -> tuple[Any, str]:
    try:
        return __import__(name), ""
    except ImportError:
        return None, f"{name} is not installed"


def _stored(name: str) -> Any:
    folder = os.environ.get("PBOW_DATA")
    path = Path(folder or "") / name
    return np.load(path, allow_pickle=False) if folder and path.is_file() else None


def _noise(n: int, shape: tuple[int, int]) -> list[np.ndarray]:
    return list(np.random.default_rng(SEED).normal(size=(n, *shape)))


def _height_maps(n: int) -> list[np.ndarray]:
    """Return height maps of materials, or smoothed noise where there is no data."""
    data = _stored("heightmaps_gelsight_19cls_100px.npz")
    if data is None:
        rng = np.random.default_rng(SEED)
        return [
            ndimage.gaussian_filter(rng.normal(size=(100, 100)), 1) for _ in range(n)
        ]
    images = data["images"]
    return list(images[:: max(1, len(images) // n)][:n].astype(float))


def _images_by_values(side: int) -> dict[str, np.ndarray]:
    """Return smoothed noise, for which few or many values are equal, and others."""
    rng = np.random.default_rng(SEED)
    noise = rng.normal(size=(side, side))
    smooth = ndimage.gaussian_filter(noise, 1)
    whole = np.round(255 * (smooth - smooth.min()) / np.ptp(smooth))
    few = smooth.copy()
    few.ravel()[np.argsort(smooth, axis=None)[:3]] = smooth.min()
    return {
        "whole numbers to 255": whole,
        "single precision, multiples of 1/255": (whole / 255).astype(np.float32),
        "multiples of 1/255": whole / 255,
        "doubles, three equal": few,
        "doubles": smooth,
        "doubles, not smoothed": noise,
        "two values": (noise > 0).astype(float),
        "one value": np.zeros((side, side)),
    }


def _discussions(n: int) -> list[tuple[np.ndarray, int]]:
    """Return graphs of Reddit, or random trees with a few more edges."""
    data = _stored("graphs_REDDIT_MULTI_5K.npz")
    if data is not None:
        edges, offsets, sizes = data["edges"], data["offsets"], data["num_nodes"]
        n = min(n, len(sizes))
        return [
            (edges[offsets[i] : offsets[i + 1]].astype(np.int64), int(sizes[i]))
            for i in range(n)
        ]
    rng = np.random.default_rng(SEED)
    graphs = []
    for _ in range(n):
        children = np.arange(1, 500)
        tree = np.column_stack((rng.integers(0, children), children))
        more = np.sort(rng.integers(0, 500, size=(50, 2)), axis=1)
        both = np.unique(np.concatenate((tree, more[more[:, 0] < more[:, 1]])), axis=0)
        graphs.append((both, 500))
    return graphs


def _airplane() -> tuple[np.ndarray, np.ndarray]:
    """Return a mesh of an airplane, or a bumpy torus where there is no data."""
    data = _stored("psb_airplane_meshes.npz")
    if data is not None:
        vertices = data["vertices"][: data["vertex_offsets"][1]].astype(float)
        return vertices, data["faces"][: data["face_offsets"][1]].astype(np.int64)
    n, m = 100, 40
    u, v = np.meshgrid(*(2 * np.pi * np.arange(k) / k for k in (n, m)), indexing="ij")
    radius = 1 + (0.3 + 0.05 * np.sin(7 * u) * np.sin(5 * v)) * np.cos(v)
    x, y, z = radius * np.cos(u), radius * np.sin(u), 0.3 * np.sin(v)
    at = np.arange(n * m).reshape(n, m)
    right, up = np.roll(at, -1, axis=0), np.roll(at, -1, axis=1)
    both = np.roll(right, -1, axis=1)
    faces = np.concatenate((np.dstack((at, right, both)), np.dstack((at, both, up))))
    return np.dstack((x, y, z)).reshape(-1, 3), faces.reshape(-1, 3)
