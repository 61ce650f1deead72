"""How diagrams are made of meshes: balls grow around some of their vertices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pbow._utils.progress import progress_bar
from pbow.datasets.drawing import FOR_MESHES, FOR_VERTICES, draw_order
from pbow.datasets.farthest import largest_distances
from pbow.datasets.recipes import Recipe, Samples, read_labels
from pbow.datasets.sources import Source
from pbow.diagrams import Diagrams
from pbow.homology import mesh_geodesic

__all__ = ["GeodesicBalls", "GeodesicBallsAtPoints"]

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class GeodesicBalls(Recipe):
    """Loops of balls that grow on meshes around vertices that are drawn.

    n_meshes : meshes to draw; None takes all.
    n_vertices : vertices to draw of each mesh.
    """

    n_meshes: int | None
    n_vertices: int

    def key(self, seed: int) -> dict[str, Any]:
        """Return what else than the source decides about the diagrams."""
        sizes = {"n_meshes": self.n_meshes, "n_vertices": self.n_vertices}
        return {**super().key(seed), **sizes, "seed": int(seed)}

    def samples(self, source: Source, seed: int) -> Samples:
        """Draw meshes, and vertices of each; groups are meshes."""
        labels, names = read_labels(source, "vertex_labels")
        ids = source.read("mesh_ids", "iu", 1)
        starts = _read_offsets(source, "vertex_offsets", len(ids), len(labels))
        drawn = self._draw(starts, seed)
        rows = [starts[mesh] + vertices for mesh, vertices in drawn.items()]
        return Samples(
            labels[np.concatenate(rows)],
            names,
            np.repeat(ids[list(drawn)], self.n_vertices).astype(np.int64),
            selection=(
                f"{self.n_vertices} vertices each of {len(drawn)} meshes, seed {seed}"
            ),
        )

    def make(
        self, source: Source, seed: int, *, n_jobs: int | None, progress: bool
    ) -> Diagrams:
        """Grow balls, mesh after mesh."""
        meshes = _Meshes.read_from(source)
        drawn = self._draw(meshes.vertex_starts, seed)
        return _grow(meshes, drawn, n_jobs=n_jobs, progress=progress)

    def _draw(self, starts: Ints, seed: int) -> dict[int, Ints]:
        """Return the drawn vertices of each drawn mesh, counted within it."""
        n = len(starts) - 1
        wanted = n if self.n_meshes is None else self.n_meshes
        if not 1 <= wanted <= n:
            msg = f"it has {n} meshes; expected at least {max(wanted, 1)}."
            raise ValueError(msg)
        drawn = {}
        for mesh in np.sort(draw_order(n, seed, FOR_MESHES)[:wanted]).tolist():
            n_vertices = int(starts[mesh + 1] - starts[mesh])
            if n_vertices < self.n_vertices:
                msg = (
                    f"its mesh {mesh} has {n_vertices} vertices; expected at least "
                    f"{self.n_vertices}."
                )
                raise ValueError(msg)
            order = draw_order(n_vertices, seed, FOR_VERTICES + mesh)
            drawn[mesh] = np.sort(order[: self.n_vertices])
        return drawn


@dataclass(frozen=True)
class GeodesicBallsAtPoints(Recipe):
    """Loops of balls that grow on meshes around the vertices of a list.

    meshes : stem of the file of the meshes, which the list refers to.
    extra_point : whether every diagram has one more point, its last: (0, the largest
        distance from the vertex).
    """

    meshes: str
    extra_point: bool

    def key(self, seed: int) -> dict[str, Any]:
        """Return what else than the sources decides about the diagrams."""
        return {**super().key(seed), "extra_point": self.extra_point}

    def samples(self, source: Source, seed: int) -> Samples:
        """Take all points; groups are meshes."""
        labels, names = read_labels(source)
        ids, _ = _read_points(source, len(labels))
        return Samples(labels, names, ids)

    def make(
        self, source: Source, seed: int, *, n_jobs: int | None, progress: bool
    ) -> Diagrams:
        """Grow balls, mesh after mesh; diagrams are in the order of the list."""
        ids, vertices = _read_points(source, len(source.read("labels", "iu", 1)))
        with source.other(self.meshes) as file:
            meshes = _Meshes.read_from(file)
        places = self._find(meshes, ids, vertices)
        order = np.argsort(places, kind="stable")
        listed = {
            int(mesh): vertices[order[places[order] == mesh]]
            for mesh in np.unique(places)
        }
        with source.other(self.meshes):
            X = _grow(meshes, listed, n_jobs=n_jobs, progress=progress)
            if self.extra_point:
                X = _with_largest_distances(X, meshes, listed, n_jobs)
        in_order: Diagrams = X[np.argsort(order, kind="stable")]
        return in_order

    def _find(self, meshes: _Meshes, ids: Ints, vertices: Ints) -> Ints:
        """Return the place of each point's mesh; check that it has such a vertex."""
        place_of = {int(number): place for place, number in enumerate(meshes.ids)}
        places = np.array([place_of.get(int(number), -1) for number in ids], np.int64)
        if (places < 0).any():
            point = int(np.argmin(places))
            msg = (
                f"its point {point} is of mesh {ids[point]}, which {self.meshes}.npz "
                "does not have."
            )
            raise ValueError(msg)
        sizes = np.diff(meshes.vertex_starts)[places]
        is_valid = (vertices >= 0) & (vertices < sizes)
        if not is_valid.all():
            point = int(np.argmin(is_valid))
            msg = (
                f"its point {point} is vertex {vertices[point]} of mesh {ids[point]}, "
                f"which has {sizes[point]} vertices in {self.meshes}.npz."
            )
            raise ValueError(msg)
        return places


class _Meshes(NamedTuple):
    """Meshes one after another; faces count the vertices within their mesh."""

    ids: Ints
    vertices: NDArray[Any]
    vertex_starts: Ints
    faces: NDArray[Any]
    face_starts: Ints

    @classmethod
    def read_from(cls, source: Source) -> _Meshes:
        vertices = source.read("vertices", "f", 2)
        faces = source.read("faces", "iu", 2)
        ids = source.read("mesh_ids", "iu", 1).astype(np.int64)
        return cls(
            ids,
            vertices,
            _read_offsets(source, "vertex_offsets", len(ids), len(vertices)),
            faces,
            _read_offsets(source, "face_offsets", len(ids), len(faces)),
        )

    def mesh(self, place: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the vertices and faces of one mesh."""
        vertices = slice(*self.vertex_starts[place : place + 2])
        faces = slice(*self.face_starts[place : place + 2])
        return self.vertices[vertices], self.faces[faces]


def _grow(
    meshes: _Meshes,
    chosen: Mapping[int, Ints],
    *,
    n_jobs: int | None,
    progress: bool,
) -> Diagrams:
    """Return the diagrams of the chosen vertices of each mesh, mesh after mesh."""
    blocks = [Diagrams.from_list([], name="H1")]
    with progress_bar(show=progress, total=len(chosen), unit="meshes") as advance:
        for place, vertices in chosen.items():
            blocks.append(mesh_geodesic(*meshes.mesh(place), vertices, n_jobs=n_jobs))
            advance(1)
    return Diagrams.concatenate(blocks)


def _with_largest_distances(
    X: Diagrams, meshes: _Meshes, chosen: Mapping[int, Ints], n_jobs: int | None
) -> Diagrams:
    """Append the point (0, largest distance) to the diagram of each vertex."""
    found = [
        largest_distances(*meshes.mesh(place), vertices, n_jobs=n_jobs)
        for place, vertices in chosen.items()
    ]
    largest = np.concatenate([np.empty(0), *found])
    points = np.column_stack((np.zeros(len(X)), largest))
    return Diagrams(
        np.insert(X.points, X.offsets[1:], points, axis=0),
        X.offsets + np.arange(len(X) + 1),
        name="H1",
    )


def _read_points(source: Source, n_labels: int) -> tuple[Ints, Ints]:
    """Return the mesh and the vertex of each point."""
    ids = source.read("mesh_ids", "iu", 1)
    vertices = source.read("vertices", "iu", 1)
    for name, array in (("mesh_ids", ids), ("vertices", vertices)):
        if len(array) != n_labels:
            msg = f"it has {n_labels} labels and {len(array)} of {name}."
            raise ValueError(msg)
    return ids.astype(np.int64), vertices.astype(np.int64)


def _read_offsets(source: Source, name: str, n_items: int, total: int) -> Ints:
    """Return where each of some items starts, and where the last one ends."""
    offsets = source.read(name, "iu", 1)
    if (
        len(offsets) != n_items + 1
        or offsets[0] != 0
        or offsets[-1] != total
        or (offsets[1:] < offsets[:-1]).any()
    ):
        msg = f"its {name} are not {n_items + 1} numbers that grow from 0 to {total}."
        raise ValueError(msg)
    return offsets.astype(np.int64)
