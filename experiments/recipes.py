"""Diagrams of the data sets that pbow is measured on, each made by a stated recipe.

The real data lie in the folder named by the variable PBOW_DATA; none of it is part of
the repository. GeoMat and PetroSurf3D could not be had: two other data sets of the same
kind stand in for them, and are called stand-ins everywhere.
"""

import os
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from gudhi.sklearn import CubicalPersistence
from numba import njit

from pbow import Diagrams
from pbow.datasets import make_shapes
from pbow.homology import rips

__all__ = [
    "RECIPES",
    "Recipe",
    "geomat_standin",
    "petrosurf3d_standin",
    "reddit_5k",
    "shapes",
    "synthetic_authors",
]

# The paper has six classes; the authors' files have one more.
RANDOM_CLOUD_2D = 6
# Of persistence, in diagrams that are one unit wide.
SHORT_BAR = 0.01


class Recipe(NamedTuple):
    """Diagrams, the class of each, and the surface of each where there are surfaces."""

    X: Diagrams
    labels: np.ndarray
    groups: np.ndarray | None = None


def synthetic_authors() -> Recipe:
    """Return the diagrams of the paper's authors: six shapes, noise 0.1, SimBa, H1."""
    data = read("synthetic_pcodebooks_gauss_0_1_h1")
    kept = np.flatnonzero(data["labels"] != RANDOM_CLOUD_2D)
    X = Diagrams(data["points"], data["offsets"], name="H1")
    return Recipe(X[kept], data["labels"][kept])


# Rips takes longer than all that follows; a run asks twice.
@cache
def shapes() -> Recipe:
    """Return generated shapes: fifty a class, noise 0.1, exact Rips, H1."""
    clouds, labels = make_shapes(n_per_class=50, noise=0.1, random_state=0)
    return Recipe(rips(clouds, dims=(1,), n_jobs=-1), labels)


def geomat_standin(n_per_surface: int | None = None) -> Recipe:
    """Return GelSight height maps without their paraboloids: cubical, sublevel, H1.

    The first `n_per_surface` patches of each surface are taken; None takes all.
    """
    data = read("heightmaps_gelsight_19cls_100px")
    groups = data["groups"]
    rows = [np.flatnonzero(groups == group)[:n_per_surface] for group in set(groups)]
    kept = np.sort(np.concatenate(rows))
    heights = data["images"][kept] * np.float64(data["scale"])
    return Recipe(cubical_h1(flatten(heights)), data["labels"][kept], groups[kept])


def petrosurf3d_standin() -> Recipe:
    """Return stereo disparity patches of road surfaces: cubical, sublevel, H1."""
    data = read("depth_pothole_patches64")
    heights = data["images"].astype(np.float64)
    return Recipe(cubical_h1(heights), data["labels"], data["groups"])


def reddit_5k(n_per_class: int | None = None) -> Recipe:
    """Return discussion graphs by the recipe of Hofer et al.: degree, sublevel, H0.

    Finite bars only, see :func:`degree_h0`. `n_per_class` graphs of each class are
    drawn by a fixed seed; None takes all.
    """
    data = read("graphs_REDDIT_MULTI_5K")
    labels = data["labels"]
    rows = np.arange(len(labels))
    if n_per_class is not None:
        rng = np.random.default_rng(0)
        rows = np.sort(
            np.concatenate(
                [
                    rng.choice(np.flatnonzero(labels == k), n_per_class, replace=False)
                    for k in np.unique(labels)
                ]
            )
        )
    edges, offsets = data["edges"].astype(np.int64), data["offsets"]
    diagrams = [
        degree_h0(edges[offsets[row] : offsets[row + 1]], data["num_nodes"][row])
        for row in rows
    ]
    return Recipe(Diagrams.from_list(diagrams, name="H0"), labels[rows])


RECIPES = {
    "Synthetic (the authors' diagrams)": synthetic_authors,
    "Shapes (generated)": shapes,
    "GeoMat stand-in (60 a class)": lambda: geomat_standin(n_per_surface=3),
    "PetroSurf3D stand-in": petrosurf3d_standin,
    "Reddit-5k (200 a class)": lambda: reddit_5k(n_per_class=200),
}


def read(name: str) -> dict[str, np.ndarray]:
    """Read one file of the data folder."""
    folder = os.environ.get("PBOW_DATA")
    if not folder:
        msg = "The real data sets are needed: set PBOW_DATA to their folder."
        raise FileNotFoundError(msg)
    path = Path(folder) / f"{name}.npz"
    if not path.is_file():
        msg = f"Expected the data set {path.name} in PBOW_DATA={folder}; no such file."
        raise FileNotFoundError(msg)
    with np.load(path, allow_pickle=False) as arrays:
        return dict(arrays)


def flatten(heights: np.ndarray) -> np.ndarray:
    """Subtract from each map its paraboloid z = q(x, y) of least squares.

    A constant is among the terms of q, so what is left has mean zero.
    """
    n, height, width = heights.shape
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j].reshape(2, -1)
    terms = np.column_stack((np.ones_like(x), x, y, x * x, x * y, y * y))
    # All maps share the grid: one orthonormal basis projects them all.
    basis, _ = np.linalg.qr(terms)
    flat = heights.reshape(n, -1)
    return (flat - flat @ basis @ basis.T).reshape(heights.shape)


def cubical_h1(images: np.ndarray) -> Diagrams:
    """Return H1 of the sublevel sets of each image, pixels as top-dimensional cells."""
    engine = CubicalPersistence(homology_dimensions=1, n_jobs=1)
    return Diagrams.from_list(engine.fit_transform(list(images)), name="H1")


def degree_h0(edges: np.ndarray, n_nodes: int) -> np.ndarray:
    """Return finite bars of H0 of the sublevel sets of the degree, as Hofer et al. do.

    A vertex comes with its degree, an edge with the later of its ends. The smallest
    birth becomes 0, the largest finite death 1; short bars are left out.
    """
    degrees = np.bincount(edges.ravel(), minlength=n_nodes).astype(np.float64)
    times = degrees[edges].max(axis=1)
    order = np.argsort(times, kind="stable")
    bars = _merge(edges[order], times[order], degrees)
    if len(bars) == 0:
        return bars
    bars -= degrees.min()
    bars /= bars.max()
    return bars[bars[:, 1] - bars[:, 0] > SHORT_BAR]


@njit(cache=True)
def _merge(edges: np.ndarray, times: np.ndarray, values: np.ndarray) -> Any:
    """Return the bars that end when edges, in the order of time, join components.

    Where two components meet, the one that was born later dies (the elder rule).
    """
    parent = np.arange(len(values))
    bars = np.empty((len(values), 2))
    n_bars = 0
    for e in range(len(edges)):
        old, young = _root(parent, edges[e, 0]), _root(parent, edges[e, 1])
        if old == young:
            continue
        if values[young] < values[old]:
            old, young = young, old
        parent[young] = old
        if times[e] > values[young]:
            bars[n_bars, 0] = values[young]
            bars[n_bars, 1] = times[e]
            n_bars += 1
    return bars[:n_bars]


@njit(cache=True)
def _root(parent: np.ndarray, node: int) -> int:
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node
