"""How diagrams are made of raw data: one class per layout of the source.

Those of meshes are in :mod:`pbow.datasets.mesh_recipes`.

A recipe says which samples of a source there are, and makes their diagrams. What it
makes is kept in the cache; so its parameters, and a version that grows with every
change of the result, are part of the cache's key.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pbow._utils.memory import available_memory
from pbow._utils.progress import progress_bar
from pbow.datasets.dataset import check_label_names, check_labels
from pbow.datasets.drawing import FOR_SAMPLES, draw_per_class
from pbow.datasets.graph_diagrams import normalize_graph_diagrams
from pbow.datasets.paraboloid import remove_paraboloid
from pbow.datasets.sources import Source
from pbow.diagrams import Diagrams
from pbow.homology import Graphs, cubical, graph_sublevel, rips

__all__ = [
    "DegreesOfGraphs",
    "DepthMaps",
    "Recipe",
    "RipsOfClouds",
    "Samples",
    "StoredDiagrams",
    "read_labels",
]

Ints = NDArray[np.int64]

# Depth maps are turned into numbers of 8 bytes this many at a time.
MAPS_PER_BLOCK = 256
LARGEST_SCALE = 1e50
# What a vertex takes at the peak, with its value, its point and copies of it.
BYTES_PER_VERTEX = 128.0


class Samples(NamedTuple):
    """What is known of the samples before any diagram is made.

    `rows` are those of the recipe's diagrams that are taken, or None for all; the other
    arrays are of what is taken.
    """

    labels: Ints
    label_names: tuple[str, ...]
    groups: Ints | None = None
    in_test: NDArray[np.bool_] | None = None
    rows: Ints | None = None
    selection: str = ""


class Recipe(ABC):
    """From a source to samples and diagrams."""

    version = 1
    # If diagrams are stored in the source, a copy in the cache saves nothing.
    is_computed = True
    uses_gudhi = False

    def samples(self, source: Source, seed: int) -> Samples:
        """Return which samples there are; reads labels, but no data."""
        labels, names = read_labels(source)
        return Samples(labels, names, *_read_extras(source, len(labels)))

    def key(self, seed: int) -> dict[str, Any]:
        """Return what else than the source decides about the diagrams."""
        key = {"recipe": type(self).__name__, "version": self.version}
        return {**key, "gudhi": _gudhi_version()} if self.uses_gudhi else key

    @abstractmethod
    def make(
        self, source: Source, seed: int, *, n_jobs: int | None, progress: bool
    ) -> Diagrams:
        """Make the diagrams."""


@dataclass(frozen=True)
class StoredDiagrams(Recipe):
    """Diagrams that others have computed.

    part : name of the part.
    without : name of a label whose samples are left out.
    n_per_class : samples to draw per label; None takes all.
    """

    part: str
    without: str | None = None
    n_per_class: int | None = None

    is_computed = False

    def samples(self, source: Source, seed: int) -> Samples:
        """Leave one label out, or draw from each."""
        samples = super().samples(source, seed)
        names = samples.label_names
        if self.without not in names:
            return _drawn(samples, self.n_per_class, seed)
        dropped = names.index(self.without)
        rows = np.flatnonzero(samples.labels != dropped)
        left = _taken(samples, rows, f"without the label {self.without!r}")
        return left._replace(
            labels=left.labels - (left.labels > dropped),
            label_names=names[:dropped] + names[dropped + 1 :],
        )

    def make(
        self, source: Source, seed: int, *, n_jobs: int | None, progress: bool
    ) -> Diagrams:
        """Read them."""
        points = source.read("points", "f", 2)
        X = Diagrams(points, source.read("offsets", "iu", 1), name=self.part)
        _check_count(source, len(X), "diagrams")
        return X


@dataclass(frozen=True)
class DegreesOfGraphs(Recipe):
    """Components of graphs as their vertices enter by degree.

    n_per_class : samples to draw per label; None takes all.
    """

    n_per_class: int | None = None

    version = 2  # 1 rounded before it compared persistence with its threshold

    def samples(self, source: Source, seed: int) -> Samples:
        """Draw from each label; diagrams are made of all, whatever the seed."""
        return _drawn(super().samples(source, seed), self.n_per_class, seed)

    def make(
        self, source: Source, seed: int, *, n_jobs: int | None, progress: bool
    ) -> Diagrams:
        """Filter all graphs in one loop, too fast to report about."""
        num_nodes = source.read("num_nodes", "iu", 1)
        _check_vertices(num_nodes)
        graphs = Graphs(
            source.read("edges", "iu", 2), source.read("offsets", "iu", 1), num_nodes
        )
        _check_count(source, len(graphs), "graphs")
        X = graph_sublevel(graphs, "degree", dims=0, n_jobs=n_jobs)
        return normalize_graph_diagrams(X)


@dataclass(frozen=True)
class DepthMaps(Recipe):
    """Loops of depth maps as they are flooded.

    flatten : whether to remove the global curvature first.
    resolution : take patches of photographs of this side alone, where the source says
        which these are.
    """

    flatten: bool
    resolution: int | None = None

    uses_gudhi = True

    def key(self, seed: int) -> dict[str, Any]:
        """Return what else than the source decides about the diagrams."""
        return {**super().key(seed), "flatten": self.flatten}

    def samples(self, source: Source, seed: int) -> Samples:
        """Take patches of one resolution; diagrams are made of all."""
        samples = super().samples(source, seed)
        if self.resolution is None or "scales" not in source:
            return samples
        scales = source.read("scales", "iu", 1)
        if len(scales) != len(samples.labels):
            msg = f"it has {len(samples.labels)} labels and {len(scales)} of scales."
            raise ValueError(msg)
        side = self.resolution
        rows = np.flatnonzero(scales == side)
        if len(rows) == 0:
            found = ", ".join(map(str, np.unique(scales).tolist())) or "none"
            msg = f"it has no patches of scale {side}; its scales are {found:.200}."
            raise ValueError(msg)
        return _taken(samples, rows, f"patches of resolution {side} x {side}")

    def make(
        self, source: Source, seed: int, *, n_jobs: int | None, progress: bool
    ) -> Diagrams:
        """Flood some maps at a time."""
        maps = source.read("images", "iuf", 3)
        _check_count(source, len(maps), "images")
        scale = float(source.read("scale", "f", 0)) if "scale" in source else 1.0
        if not 0.0 < scale <= LARGEST_SCALE:
            msg = f"its scale is {scale}; expected a positive factor."
            raise ValueError(msg)
        blocks = [Diagrams.from_list([], name="H1")]
        with progress_bar(show=progress, total=len(maps), unit="depth maps") as advance:
            for start in range(0, len(maps), MAPS_PER_BLOCK):
                heights = (
                    maps[start : start + MAPS_PER_BLOCK].astype(np.float64) * scale
                )
                if self.flatten:
                    heights = remove_paraboloid(heights)
                heights[np.isnan(heights)] = np.inf  # what is missing never enters
                blocks.append(cubical(heights, dims=1, n_jobs=n_jobs))
                advance(len(heights))
        return Diagrams.concatenate(blocks)


@dataclass(frozen=True)
class RipsOfClouds(Recipe):
    """Loops among the points of generated clouds."""

    uses_gudhi = True

    def samples(self, source: Source, seed: int) -> Samples:
        """Say which seed the clouds are from."""
        drawn = f"generated, seed {seed}"
        return super().samples(source, seed)._replace(selection=drawn)

    def make(
        self, source: Source, seed: int, *, n_jobs: int | None, progress: bool
    ) -> Diagrams:
        """Filter cloud after cloud."""
        clouds = source.read("clouds", "f", 3)
        return rips(clouds, dims=1, n_jobs=n_jobs, progress=progress)


def _gudhi_version() -> str | None:
    try:
        return version("gudhi")
    except PackageNotFoundError:  # to be said when it is needed
        return None


def _check_vertices(num_nodes: NDArray[Any]) -> None:
    """Raise where vertices, of which a few bytes claim any number, would not fit."""
    n = float(num_nodes.sum(dtype=np.float64))
    needed, available = BYTES_PER_VERTEX * n, available_memory()
    if needed > available:
        msg = (
            f"its num_nodes add up to {n:.4g} vertices, which need about "
            f"{needed / 1e9:.3g} GB of memory; {available / 1e9:.3g} GB are available."
        )
        raise ValueError(msg)


def read_labels(source: Source, name: str = "labels") -> tuple[Ints, tuple[str, ...]]:
    """Return labels and their names, which fit each other."""
    labels = source.read(name, "iu", 1)
    names = check_label_names(source.read("label_names", "U", 1).tolist())
    check_labels(labels, names)
    return labels.astype(np.int64), names


def _check_count(source: Source, n: int, nouns: str) -> None:
    n_labels = len(source.read("labels", "iu", 1))
    if n != n_labels:
        msg = f"it has {n} {nouns} and {n_labels} labels."
        raise ValueError(msg)


def _read_extras(
    source: Source, n_samples: int
) -> tuple[Ints | None, NDArray[np.bool_] | None]:
    """Return groups and the original split, if there are any."""
    groups = source.read("groups", "iu", 1) if "groups" in source else None
    in_test = source.read("in_test", "b", 1) if "in_test" in source else None
    for name, array in (("groups", groups), ("in_test", in_test)):
        if array is not None and len(array) != n_samples:
            msg = f"it has {n_samples} labels and {len(array)} of {name}."
            raise ValueError(msg)
    return None if groups is None else groups.astype(np.int64), in_test


def _drawn(samples: Samples, n_per_class: int | None, seed: int) -> Samples:
    """Draw some samples of each label; None takes all."""
    if n_per_class is None:
        return samples
    rows = draw_per_class(
        samples.labels,
        len(samples.label_names),
        n_per_class,
        seed=seed,
        purpose=FOR_SAMPLES,
    )
    return _taken(samples, rows, f"{n_per_class} samples per label, seed {seed}")


def _taken(samples: Samples, rows: Ints, selection: str) -> Samples:
    groups, in_test = samples.groups, samples.in_test
    return samples._replace(
        labels=samples.labels[rows],
        groups=None if groups is None else groups[rows],
        in_test=None if in_test is None else in_test[rows],
        rows=rows,
        selection=selection,
    )
