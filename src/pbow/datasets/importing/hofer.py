"""The diagrams of Reddit graphs by Hofer et al.: HDF5 files of their NIPS 2017 code."""

from __future__ import annotations

import numpy as np

from pbow._utils.progress import progress_bar
from pbow.datasets.importing.diagrams import pack_diagrams
from pbow.datasets.importing.hdf5 import (
    open_hdf5,
    read_array,
    read_group,
    read_points,
)
from pbow.datasets.importing.output import Converted
from pbow.datasets.importing.release import Release, refuse

__all__ = ["HOME", "convert_hofer"]

HOME = (
    "the page of the code, github.com/c-hofer/nips2017 (files of diagrams, 'provider')"
)
FINITE = "DegreeVertexFiltration_dim_0"
ESSENTIAL = "DegreeVertexFiltration_dim_0_essential"
# Graphs and classes.
KNOWN_COUNTS = {"reddit_5k": (4_999, 5), "reddit_12k": (11_929, 11)}


def convert_hofer(release: Release, which: str, *, progress: bool) -> list[Converted]:
    """Convert ``reddit_5K.h5`` or ``reddit_12K.h5``, which may be all of the release.

    ``data_views/<view>/<label>/<graph>`` is a diagram, and ``str_2_int_label_map`` has
    the number of each label. Of the views, connected components by degree are taken,
    finite and essential ones; the latter have a death of 1 there, and an infinite death
    here. The code has shifted and scaled each diagram to [0, 1] and left out
    persistence up to 0.01. Graphs come in the order of their numbers.

    Written from that code; not tried on the files themselves.
    """
    if release.path.is_file() and release.names == [release.path.name]:
        name = release.path.name
    else:
        name = release.only(f"{which.replace('k', 'K')}.h5", HOME)
    where = release.where(name)
    with open_hdf5(release.read(name), where) as file:
        numbers = read_group(file, "str_2_int_label_map")
        views = read_group(file, "data_views")
        finite, essential = (read_group(views, view) for view in (FINITE, ESSENTIAL))
        classes = sorted(finite, key=lambda label: _class_number(numbers, label))
        groups = [(read_group(finite, c), read_group(essential, c)) for c in classes]
        samples = sorted(
            (_graph_number(graph, where), label)
            for label, (group, _) in enumerate(groups)
            for graph in group
        )
        known = KNOWN_COUNTS[which]
        if (len(samples), len(classes)) != known:
            refuse(
                where,
                f"it has {len(samples)} diagrams of {len(classes)} classes; expected "
                f"{known[0]} of {known[1]}. Get it again from {HOME}.",
            )
        diagrams = []
        with progress_bar(
            show=progress, total=len(samples), unit="diagrams"
        ) as advance:
            for graph, label in samples:
                finite_points, essential_points = (
                    read_points(group, str(graph)) for group in groups[label]
                )
                essential_points[:, 1] = np.inf
                diagrams.append(np.concatenate((finite_points, essential_points)))
                advance(1)
    labels = [label for _, label in samples]
    arrays = pack_diagrams(diagrams, labels, classes, part="H0", where=where)
    done = (
        f"Views {FINITE} and {ESSENTIAL}, the latter with a death of infinity instead "
        "of 1; in the order of the graphs' numbers."
    )
    return [Converted(f"hofer_{which}_diagrams", arrays, done)]


def _class_number(numbers: object, label: str) -> int:
    value = read_array(numbers, label)
    if value.size != 1 or value.dtype.kind not in "iu":
        msg = f"str_2_int_label_map/{label} is not a whole number."
        raise ValueError(msg)
    return int(value.reshape(-1)[0])


def _graph_number(text: str, where: str) -> int:
    if not (text.isascii() and text.isdigit() and str(int(text[:18])) == text):
        refuse(where, f"expected diagrams to be named 0, 1, ...; found {text[:40]!r}.")
    return int(text)
