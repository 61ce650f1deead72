"""Which data sets there are, where they are from, and how the paper used them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow.datasets.importing import (
    carriere,
    geomat,
    hofer,
    petrosurf,
    princeton,
    simba,
    tu_graphs,
)
from pbow.datasets.recipes import (
    DegreesOfGraphs,
    DepthMaps,
    GeodesicBalls,
    Recipe,
    RipsOfClouds,
    StoredDiagrams,
)
from pbow.datasets.shapes import SHAPE_NAMES, make_shapes
from pbow.datasets.sources import plain

__all__ = ["CATALOGUE", "Entry", "entries_of", "find_entry"]

# Of the generated shapes.
N_PER_CLASS, N_POINTS, NOISE = 50, 500, 0.1

# Files of other data sets, which are known by their layout alone.
GRAPHS = re.compile(r"graphs[_-](.+)", re.IGNORECASE)
MESHES = re.compile(r"psb[_-](.+)[_-]meshes", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A data set that can be loaded by its name.

    name : what it is loaded by.
    origin : a sentence, where the data are from.
    recipe : makes its diagrams.
    how : a sentence, how these are made.
    protocol : how the paper splits it.
    stem : the file that it is in, without ``.npz``; None where it is generated.
    generate : makes its arrays from a seed, where it is generated.
    exp_a_per_class : samples of each class in the paper's EXP-A; None takes all.
    stand_in_for : the data set that it stands in for.
    stand_in : the entry that stands in for it.
    release : where it is public, in a form that can be imported.
    """

    name: str
    origin: str
    recipe: Recipe
    how: str
    protocol: str
    stem: str | None = None
    generate: Callable[[int], Mapping[str, NDArray[Any]]] | None = None
    exp_a_per_class: int | None = None
    stand_in_for: str | None = None
    stand_in: str | None = None
    release: str | None = None


def _generate_shapes(seed: int) -> dict[str, NDArray[Any]]:
    clouds, labels = make_shapes(N_PER_CLASS, N_POINTS, NOISE, random_state=seed)
    return {"clouds": clouds, "labels": labels, "label_names": np.array(SHAPE_NAMES)}


FLOODED = "Grayscale (cubical, sublevel) filtration of each depth map, H1."
BY_DEGREE = (
    "Vertices enter by their degree, edges with the later end (sublevel, H0). Each "
    "diagram is scaled to [0, 1]; persistence > 0.01 (Hofer et al. 2017)."
)
BALLS = (
    "Balls grow around each vertex: lengths of shortest paths along edges as "
    "filtration of the mesh (sublevel), H1."
)


def _graph_set(name: str, stem: str, origin: str, **more: Any) -> Entry:
    more.setdefault("recipe", DegreesOfGraphs())
    return Entry(
        name=name,
        stem=stem,
        origin=origin,
        how=BY_DEGREE,
        protocol="90/10",
        release=tu_graphs.HOME,
        **more,
    )


CATALOGUE = (
    Entry(
        name="synthetic",
        generate=_generate_shapes,
        origin="Six noisy shapes in space, generated as the paper describes them.",
        recipe=RipsOfClouds(),
        how="Exact Vietoris-Rips filtration of each point cloud, H1.",
        protocol="80/20",
    ),
    Entry(
        name="synthetic-authors",
        stem="synthetic_pcodebooks_gauss_0_1_h1",
        origin="The diagrams of six noisy shapes that the paper's authors published.",
        recipe=StoredDiagrams(part="H1", without="Random Cloud 2D"),
        how="Vietoris-Rips filtration, approximated by SimBa, H1.",
        protocol="80/20",
        release=simba.HOME,
    ),
    Entry(
        name="geomat",
        stem="geomat_depth_patches",
        origin="GeoMat (DeGol et al. 2016): depth patches of 19 materials.",
        recipe=DepthMaps(flatten=True, resolution=400),
        how=f"The paraboloid that fits best is subtracted. {FLOODED}",
        protocol="groups",
        exp_a_per_class=30,
        stand_in="geomat-standin",
        release=geomat.HOME,
    ),
    Entry(
        name="geomat-standin",
        stem="heightmaps_gelsight_19cls_100px",
        origin="GelSight height maps of 19 materials, 120 patches of each.",
        recipe=DepthMaps(flatten=True),
        how=f"The paraboloid that fits best is subtracted. {FLOODED}",
        protocol="groups",
        exp_a_per_class=30,
        stand_in_for="GeoMat",
    ),
    _graph_set(
        "reddit-5k",
        "graphs_REDDIT_MULTI_5K",
        "Reddit-5k (Yanardag and Vishwanathan 2015): discussion graphs, 5 topics.",
        exp_a_per_class=100,
    ),
    _graph_set(
        "reddit-12k",
        "graphs_REDDIT_MULTI_12K",
        "Reddit-12k (Yanardag and Vishwanathan 2015): discussion graphs, 11 topics.",
        recipe=DegreesOfGraphs(n_per_class=513),
        exp_a_per_class=50,
    ),
    Entry(
        name="petrosurf3d",
        stem="petrosurf3d_patches",
        origin="PetroSurf3D (Poier et al. 2016): depth patches of 26 rock surfaces.",
        recipe=DepthMaps(flatten=False),
        how=FLOODED,
        protocol="4 folds",
        exp_a_per_class=390,
        stand_in="petrosurf3d-standin",
        release=petrosurf.HOME,
    ),
    Entry(
        name="petrosurf3d-standin",
        stem="depth_pothole_patches64",
        origin="Stereo disparity patches of 37 road surfaces, of potholes and others.",
        recipe=DepthMaps(flatten=False),
        how=FLOODED,
        protocol="4 folds",
        exp_a_per_class=390,
        stand_in_for="PetroSurf3D",
    ),
    Entry(
        name="shape-segmentation",
        stem="psb_airplane_meshes",
        origin="Airplanes of the Princeton segmentation benchmark (Chen et al. 2009).",
        recipe=GeodesicBalls(n_meshes=19, n_vertices=300),
        how=BALLS,
        protocol="50/50",
        release=princeton.HOME,
    ),
    _graph_set(
        "mutag",
        "graphs_MUTAG",
        "MUTAG (Debnath et al. 1991): 188 molecules, mutagenic or not.",
    ),
    _graph_set(
        "proteins",
        "graphs_PROTEINS",
        "PROTEINS (Borgwardt et al. 2005): 1,113 proteins, enzymes or not.",
    ),
    Entry(
        name="reddit-5k-hofer",
        stem="hofer_reddit_5k_diagrams",
        origin="The diagrams of Reddit-5k that Hofer et al. (2017) published.",
        recipe=StoredDiagrams(part="H0"),
        how="Computed by Hofer et al. from vertex degrees, H0.",
        protocol="90/10",
        exp_a_per_class=100,
        release=hofer.HOME,
    ),
    Entry(
        name="reddit-12k-hofer",
        stem="hofer_reddit_12k_diagrams",
        origin="The diagrams of Reddit-12k that Hofer et al. (2017) published.",
        recipe=StoredDiagrams(part="H0", n_per_class=513),
        how="Computed by Hofer et al. from vertex degrees, H0.",
        protocol="90/10",
        exp_a_per_class=50,
        release=hofer.HOME,
    ),
    Entry(
        name="shape-segmentation-carriere",
        stem="carriere_segmentation_diagrams",
        origin="The diagrams of airplanes that Carrière et al. (2015) published.",
        recipe=StoredDiagrams(part="H1"),
        how="Computed by Carrière et al. by geodesic balls, H1.",
        protocol="50/50",
        release=carriere.HOME,
    ),
)


def entries_of(files: Iterable[Path]) -> list[Entry]:
    """Return the catalogue, and an entry for each other graph or mesh set among files.

    Those that the catalogue has are not listed twice.
    """
    known = {plain(entry.stem) for entry in CATALOGUE if entry.stem is not None}
    others = [_other(path.stem) for path in files if plain(path.stem) not in known]
    return [*CATALOGUE, *(entry for entry in others if entry is not None)]


def find_entry(name: Any, files: Collection[Path]) -> Entry:
    """Return the entry of a name, ignoring case, and - or _; or say what there is.

    Every graph set can also be loaded, whole, by the name in its file's:
    ``graphs_<NAME>.npz``, and every mesh set by that in ``psb_<NAME>_meshes.npz``.
    """
    if not isinstance(name, str):
        msg = f"Expected the name of a data set, as 'reddit-5k'; got {name!r}."
        raise ValueError(msg)
    wanted = plain(name)
    others = [_other(path.stem) for path in files]
    for entry in (*CATALOGUE, *others):
        if entry is not None and entry.name == wanted:
            return entry
    if wanted in {f"psb-{category.lower()}" for category in princeton.CATEGORIES}:
        msg = (
            f"The meshes of {wanted} are not here. Get them from {princeton.HOME}; "
            f"then run: pbow datasets import {wanted} --from PATH."
        )
        raise FileNotFoundError(msg)
    known = [entry.name for entry in entries_of(files)]
    near = get_close_matches(wanted, known, 1)
    meant = f" Did you mean {near[0]!r}?" if near else ""
    msg = (
        f"There is no data set {name!r}.{meant} There are {', '.join(known)}. A graph "
        "set of the TU collection can be imported under its own name: pbow datasets "
        "import NAME --from PATH."
    )
    raise ValueError(msg)


def _other(stem: str) -> Entry | None:
    """Return an entry for a file that is known by its layout alone."""
    if match := GRAPHS.fullmatch(stem):
        return _graph_set(
            plain(match[1]),
            stem,
            f"Graphs {match[1]}, in the form of the TU collection.",
        )
    if match := MESHES.fullmatch(stem):
        return Entry(
            name=f"psb-{plain(match[1])}",
            stem=stem,
            origin=f"Meshes {match[1]} of the Princeton segmentation benchmark.",
            recipe=GeodesicBalls(n_meshes=None, n_vertices=300),
            how=BALLS,
            protocol="50/50",
            release=princeton.HOME,
        )
    return None
