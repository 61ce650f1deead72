"""Which data sets there are, where they are from, and how the paper used them.

A new data set is one more entry of CATALOG. If its layout is new, it has a recipe in
:mod:`pbow.datasets.recipes`; if it is published, a converter in
:mod:`pbow.datasets.importing`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pbow._utils.text import did_you_mean
from pbow.datasets.importing import (
    carriere,
    geomat,
    hofer,
    petrosurf,
    princeton,
    simba,
    tu_graphs,
)
from pbow.datasets.importing.output import Converted
from pbow.datasets.importing.release import Release
from pbow.datasets.mesh_recipes import GeodesicBalls, GeodesicBallsAtPoints
from pbow.datasets.recipes import (
    DegreesOfGraphs,
    DepthMaps,
    Recipe,
    RipsOfClouds,
    StoredDiagrams,
)
from pbow.datasets.shapes import SHAPE_NAMES, make_shapes
from pbow.datasets.sources import plain

__all__ = ["CATALOG", "Converter", "Entry", "entries_of", "find_entry", "how_to_get"]


class Converter(Protocol):
    """Converts a release to the arrays of one or more files."""

    def __call__(self, release: Release, *, progress: bool) -> list[Converted]:
        """Return arrays for files; the data set itself comes first."""


# Files of other data sets, which are known by their layout alone.
GRAPHS = re.compile(r"graphs[_-](.+)", re.IGNORECASE)
MESHES = re.compile(r"psb[_-](.+)[_-]meshes", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A data set that can be loaded by its name.

    name : what it is loaded by.
    origin : where the data are from, one sentence.
    recipe : makes its diagrams.
    how : how the diagrams are made, one sentence.
    protocol : how the paper splits it.
    stem : name of its file, without ``.npz``; None if it is generated.
    other_stems : names of the other files that it needs.
    generate : makes its arrays from a seed, if it is generated.
    exp_a_per_class : samples per label in the paper's EXP-A; None takes all.
    stand_in_for : the data set that it stands in for.
    release : where it is published.
    convert : converts the release, as in ``pbow datasets import``.
    """

    name: str
    origin: str
    recipe: Recipe
    how: str
    protocol: str
    stem: str | None = None
    other_stems: tuple[str, ...] = ()
    generate: Callable[[int], Mapping[str, NDArray[Any]]] | None = None
    exp_a_per_class: int | None = None
    stand_in_for: str | None = None
    release: str | None = None
    convert: Converter | None = None

    @property
    def stems(self) -> tuple[str, ...]:
        """Names of all files that it needs."""
        return () if self.stem is None else (self.stem, *self.other_stems)


def _generate_shapes(seed: int) -> dict[str, NDArray[Any]]:
    clouds, labels = make_shapes(50, 500, 0.1, random_state=seed)
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
LAST_POINT = (
    "The last point of each diagram is not of H1: (0, largest distance), the births of "
    "the essential classes of H0 and H2."
)
EXACT_POINTS = (
    "Points (vertices 0, 10, ..., 2990 of the meshes 61 to 79) and labels are those of "
    "the paper; diagrams are computed here, and were not compared with the authors'."
)


def _graph_set(name: str, tu_name: str, origin: str, **more: Any) -> Entry:
    """Return the entry of a graph set of the TU collection."""
    more.setdefault("recipe", DegreesOfGraphs())
    more.setdefault("stem", f"graphs_{tu_name.replace('-', '_')}")
    return Entry(
        name=name,
        origin=origin,
        how=BY_DEGREE,
        protocol="90/10",
        release=tu_graphs.HOME,
        convert=partial(tu_graphs.convert_tu_graphs, name=tu_name),
        **more,
    )


def _mesh_set(name: str, category: str, origin: str, **more: Any) -> Entry:
    """Return the entry of a category of the Princeton segmentation benchmark."""
    more.setdefault("recipe", GeodesicBalls(n_meshes=None, n_vertices=300))
    more.setdefault("stem", f"psb_{category.lower()}_meshes")
    return Entry(
        name=name,
        origin=origin,
        how=BALLS,
        protocol="50/50",
        release=princeton.HOME,
        convert=partial(princeton.convert_princeton, category=category),
        **more,
    )


def _synthetic_set(name: str, origin: str, without: str | None = None) -> Entry:
    """Return an entry of the authors' own diagrams of shapes."""
    return Entry(
        name=name,
        stem="synthetic_pcodebooks_gauss_0_1_h1",
        origin=origin,
        recipe=StoredDiagrams(part="H1", without=without),
        how="Vietoris-Rips filtration, approximated by SimBa, H1.",
        protocol="80/20",
        release=simba.HOME,
        convert=simba.convert_simba,
    )


def _points_of_the_paper(name: str, which: str, *, extra_point: bool) -> Entry:
    """Return an entry of the 5,700 points that the paper's diagrams belong to."""
    meshes = "psb_airplane_meshes"
    return Entry(
        name=name,
        stem="psb_airplane_points",
        other_stems=(meshes,),
        origin=(
            "The paper's 5,700 points of airplanes (meshes of Chen et al. 2009) with "
            f"their four labels; {which}."
        ),
        recipe=GeodesicBallsAtPoints(meshes=meshes, extra_point=extra_point),
        how=" ".join([BALLS, *([LAST_POINT] if extra_point else []), EXACT_POINTS]),
        protocol="50/50",
    )


CATALOG = (
    Entry(
        name="synthetic",
        generate=_generate_shapes,
        origin="Six noisy shapes in space, generated as the paper describes them.",
        recipe=RipsOfClouds(),
        how="Exact Vietoris-Rips filtration of each point cloud, H1.",
        protocol="80/20",
    ),
    _synthetic_set(
        "synthetic-authors",
        "The diagrams of six noisy shapes that the paper's authors published.",
        without="Random Cloud 2D",
    ),
    _synthetic_set(
        "synthetic-authors-7",
        "The diagrams of seven noisy shapes that the paper's authors published; the "
        "paper's text has six.",
    ),
    Entry(
        name="geomat",
        stem="geomat_depth_patches",
        origin="GeoMat (DeGol et al. 2016): depth patches of 19 materials.",
        recipe=DepthMaps(flatten=True, resolution=400),
        how=f"The paraboloid that fits best is subtracted. {FLOODED}",
        protocol="groups",
        exp_a_per_class=30,
        release=geomat.HOME,
        convert=geomat.convert_geomat,
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
        "REDDIT-MULTI-5K",
        "Reddit-5k (Yanardag and Vishwanathan 2015): discussion graphs, 5 topics.",
        exp_a_per_class=100,
    ),
    _graph_set(
        "reddit-12k",
        "REDDIT-MULTI-12K",
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
        release=petrosurf.HOME,
        convert=petrosurf.convert_petrosurf,
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
    _mesh_set(
        "shape-segmentation",
        "Airplane",
        "Airplanes of the Princeton segmentation benchmark (Chen et al. 2009).",
        recipe=GeodesicBalls(n_meshes=19, n_vertices=300),
    ),
    _points_of_the_paper(
        "shape-segmentation-paper", "diagrams of H1", extra_point=False
    ),
    _points_of_the_paper(
        "shape-segmentation-paper-extra",
        "diagrams of H1 with an extra point",
        extra_point=True,
    ),
    _graph_set(
        "mutag",
        "MUTAG",
        "MUTAG (Debnath et al. 1991): 188 molecules, mutagenic or not.",
    ),
    _graph_set(
        "proteins",
        "PROTEINS",
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
        convert=partial(hofer.convert_hofer, which="reddit_5k"),
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
        convert=partial(hofer.convert_hofer, which="reddit_12k"),
    ),
    Entry(
        name="shape-segmentation-carriere",
        stem="carriere_segmentation_diagrams",
        origin="The diagrams of airplanes that Carrière et al. (2015) published.",
        recipe=StoredDiagrams(part="H1"),
        how="Computed by Carrière et al. by geodesic balls, H1.",
        protocol="50/50",
        release=carriere.HOME,
        convert=carriere.convert_carriere,
    ),
)


# Found by name, and listed only where their files are.
OTHER_MESHES = tuple(
    _mesh_set(
        f"psb-{category.lower()}",
        category,
        f"Meshes {category} of the Princeton segmentation benchmark.",
    )
    for category in princeton.CATEGORIES
)


def entries_of(files: Iterable[Path]) -> list[Entry]:
    """Return the catalog, and an entry for each other graph or mesh set among files.

    Those that the catalog has are not listed twice.
    """
    known = {plain(stem) for entry in CATALOG for stem in entry.stems}
    others = [_other(path.stem) for path in files if plain(path.stem) not in known]
    return [*CATALOG, *(entry for entry in others if entry is not None)]


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
    for entry in (*CATALOG, *others, *OTHER_MESHES):
        if entry is not None and entry.name == wanted:
            return entry
    known = [entry.name for entry in entries_of(files)]
    msg = (
        f"There is no data set {name!r}{did_you_mean(wanted, known)}. There are "
        f"{', '.join(known)}. A graph set of the TU collection can be imported under "
        "its own name: pbow datasets import NAME --from PATH."
    )
    raise ValueError(msg)


def how_to_get(entry: Entry) -> str:
    """Return where a data set is published, and how to import it."""
    if entry.stem is None:
        return "It is generated."
    if entry.release is None:
        text = (
            f"Set the variable PBOW_DATA to the folder that has {entry.stem}.npz; "
            "pbow does not distribute it."
        )
        for stem in entry.other_stems:
            owner = next(other for other in CATALOG if other.stem == stem)
            text += (
                f" It also needs {stem}.npz, the file of {owner.name}. "
                f"{how_to_get(owner)}"
            )
        return text
    command = f"pbow datasets import {entry.name} --from PATH"
    text = f"Get it from {entry.release}; then run: {command}."
    for other in CATALOG:
        if (other.stand_in_for or "").lower() == entry.name:
            text += f" {other.name} is a similar data set that stands in for it."
    return text


def _other(stem: str) -> Entry | None:
    """Return an entry for a file that is known by its layout alone."""
    if match := GRAPHS.fullmatch(stem):
        name = match[1]
        origin = f"Graphs {name}, in the form of the TU collection."
        return _graph_set(plain(name), name, origin, stem=stem)
    if match := MESHES.fullmatch(stem):
        name = match[1]
        origin = f"Meshes {name} of the Princeton segmentation benchmark."
        return _mesh_set(f"psb-{plain(name)}", name, origin, stem=stem)
    return None
