"""Graphs in the format of the TU collection: text files of edges, owners and labels."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow._utils.progress import progress_bar
from pbow.datasets.importing.output import Converted
from pbow.datasets.importing.release import Release, refuse
from pbow.datasets.sources import plain

__all__ = ["HOME", "convert_tu_graphs", "has_tu_graphs"]

Ints = NDArray[np.int64]

HOME = "the TU collection of graph data sets, chrsmrrs.github.io/datasets"
# Graphs, vertices and edges.
KNOWN_COUNTS = {
    "REDDIT-MULTI-5K": (4_999, 2_542_071, 2_973_778),
    "REDDIT-MULTI-12K": (11_929, 4_669_116, 5_450_243),
    "MUTAG": (188, 3_371, 3_721),
    "PROTEINS": (1_113, 43_471, 81_044),
}
EDGES, OWNERS, LABELS = "_A.txt", "_graph_indicator.txt", "_graph_labels.txt"


def convert_tu_graphs(
    release: Release, name: str, *, progress: bool
) -> list[Converted]:
    """Convert a graph set of the TU collection, in a folder or a zip.

    ``NAME_A.txt`` has one edge per line, ``i, j``, mostly in both directions;
    ``NAME_graph_indicator.txt`` the graph of each vertex and ``NAME_graph_labels.txt``
    the label of each graph. Vertices and graphs are counted from 1. Other files are
    ignored.
    """
    start = _find(release, name)
    files = [start + ending for ending in (EDGES, OWNERS, LABELS)]
    missing = [file for file in files if file not in release.names]
    if missing:
        refuse(str(release), f"it has no file {missing[0]}. Get it from {HOME}.")
    with progress_bar(show=progress, total=len(files), unit="files") as advance:
        graph_labels = release.read_numbers(files[2], 1)[:, 0]
        if len(graph_labels) == 0:
            refuse(release.where(files[2]), "it is empty; expected one label per line.")
        advance(1)
        owners = release.read_numbers(files[1], 1)
        advance(1)
        ends = release.read_numbers(files[0], 2, separator=b",")
        num_nodes, first, ids = _number_vertices(
            owners[:, 0], len(graph_labels), release.where(files[1])
        )
        edges, offsets = _simple_edges(ends, first, ids, release.where(files[0]))
        advance(1)
    tu_name = PurePosixPath(start).name
    _check_counts(release, tu_name, num_nodes, len(edges))
    found, labels = np.unique(graph_labels, return_inverse=True)
    arrays: dict[str, NDArray[Any]] = {
        "edges": edges,
        "offsets": offsets,
        "num_nodes": num_nodes.astype(np.int32),
        "labels": labels.astype(np.int32),
        "label_names": np.array([str(label) for label in found]),
    }
    done = (
        "Vertices counted from 0 in each graph; each edge once, without loops, sorted."
    )
    return [Converted(f"graphs_{tu_name.replace('-', '_')}", arrays, done)]


def has_tu_graphs(release: Release) -> bool:
    """Whether there is any graph set of the collection."""
    return any(name.endswith(EDGES) for name in release.names)


def _find(release: Release, name: str) -> str:
    """Return the start of the names of the set's files."""
    starts = [
        file.removesuffix(EDGES) for file in release.names if file.endswith(EDGES)
    ]
    fitting = [s for s in starts if plain(PurePosixPath(s).name) == plain(name)]
    if len(fitting) == 1:
        return fitting[0]
    expected = f"expected one file {name}{EDGES} with {name}{OWNERS} and {name}{LABELS}"
    if fitting:
        refuse(
            str(release), f"{expected}; found {len(fitting)}, as {fitting[1]}{EDGES}."
        )
    found = ", ".join(start + EDGES for start in starts[:3]) or "no file of edges"
    return refuse(str(release), f"{expected}; found {found}. Get it from {HOME}.")


def _number_vertices(
    owners: Ints, n_graphs: int, where: str
) -> tuple[Ints, Ints, Ints]:
    """Give vertices new ids, graph after graph.

    Return the number of vertices of each graph, the first id in each (and one more),
    and the new ids.
    """
    outside = (owners < 1) | (owners > n_graphs)
    if outside.any():
        i = int(np.argmax(outside))
        refuse(
            where,
            f"vertex {i + 1} is of graph {owners[i]}, and there are labels of "
            f"{n_graphs} graphs, counted from 1.",
        )
    num_nodes = np.bincount(owners - 1, minlength=n_graphs)
    if not num_nodes.all():
        i = int(np.argmin(num_nodes)) + 1
        refuse(where, f"graph {i} has no vertex, and there is a label for it.")
    first = np.concatenate(([0], np.cumsum(num_nodes)))
    ids = np.empty(len(owners), np.int64)
    ids[np.argsort(owners, kind="stable")] = np.arange(len(owners))
    return num_nodes, first, ids


def _simple_edges(
    ends: Ints, first: Ints, ids: Ints, where: str
) -> tuple[NDArray[np.int32], Ints]:
    """Return each edge once, with ids local to its graph, and offsets."""
    n = len(ids)
    outside = ((ends < 1) | (ends > n)).any(axis=1)
    if outside.any():
        a, b = ends[int(np.argmax(outside))]
        refuse(
            where, f"edge {a}, {b} is there, and vertices are counted from 1 to {n}."
        )
    new = ids[ends - 1]
    low, high = new.min(axis=1), new.max(axis=1)
    graphs = np.searchsorted(first, low, side="right") - 1
    across = high >= first[graphs + 1]
    if across.any():
        a, b = ends[int(np.argmax(across))]
        refuse(where, f"edge {a}, {b} joins vertices of different graphs.")
    # Sorted by hand: numpy's own way to find what is unique takes several times longer.
    keys = np.sort((low * n + high)[low != high])
    keys = keys[np.diff(keys, prepend=-1) > 0]
    low, high = keys // max(n, 1), keys % max(n, 1)
    offsets = np.searchsorted(low, first)
    graphs = np.repeat(np.arange(len(first) - 1), np.diff(offsets))
    local = np.column_stack((low - first[graphs], high - first[graphs]))
    return local.astype(np.int32), offsets.astype(np.int64)


def _check_counts(release: Release, name: str, num_nodes: Ints, n_edges: int) -> None:
    known = KNOWN_COUNTS.get(name.upper().replace("_", "-"))
    found = (len(num_nodes), int(num_nodes.sum()), n_edges)
    if known is not None and found != known:
        listed = "{} graphs, {} vertices and {} edges"
        refuse(
            str(release),
            f"it has {listed.format(*found)}, and {name} has {listed.format(*known)}. "
            f"It is incomplete, or another set; get it again from {HOME}.",
        )
