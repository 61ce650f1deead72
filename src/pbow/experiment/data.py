"""The data sets of an experiment: by name, from files, or generated."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow._utils.files import AnyPath
from pbow.datasets import SHAPE_NAMES, Dataset, Provenance, load_dataset, make_shapes
from pbow.datasets.sources import search_folders
from pbow.experiment.declaration import DatasetEntry, DeclarationError
from pbow.experiment.surfaces import diagrams_like_surfaces
from pbow.io import read_diagrams

__all__ = ["fingerprint", "open_dataset"]

Ints = NDArray[np.int64]

DEFAULT_PROTOCOL = "80/20"


def open_dataset(
    entry: DatasetEntry,
    *,
    seed: int,
    data_home: AnyPath | None = None,
    n_jobs: int | None = None,
) -> Dataset:
    """Return a data set of an experiment, with the sub-sample drawn.

    Parameters
    ----------
    entry : DatasetEntry
        What the experiment says.
    seed : int
        Seeds what is drawn.
    data_home : str or path-like, optional
        Folder of the source files, as in :func:`pbow.datasets.load_dataset`.
    n_jobs : int or None, default=None
        Threads.
    """
    [kind, *_] = entry.source
    value = entry.source[kind]
    if kind == "load":
        dataset = load_dataset(value, data_home, seed=seed, n_jobs=n_jobs)
    elif kind == "diagrams":
        dataset = _from_files(entry, data_home)
    else:
        dataset = _generated(entry.name, kind, value, n_jobs)
    if entry.per_class is None:
        return dataset
    return dataset.subsample(entry.per_class, seed=seed)


def fingerprint(dataset: Dataset) -> str:
    """Return a digest of all diagrams, labels and groups."""
    digest = hashlib.sha256(" ".join(dataset.diagrams.parts).encode())
    parts = [dataset.diagrams[name] for name in dataset.diagrams.parts]
    arrays = [array for part in parts for array in (part.points, part.offsets)]
    arrays += [dataset.labels, *([] if dataset.groups is None else [dataset.groups])]
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _from_files(entry: DatasetEntry, data_home: AnyPath | None) -> Dataset:
    path = _find(entry.source["diagrams"], data_home)
    labels = _find(entry.source["labels"], data_home)
    values, names = _read_labels(labels)
    X = read_diagrams(path)
    if len(X) != len(values):
        msg = (
            f"{path} has {len(X)} diagrams, and {labels} has {len(values)} labels; "
            "expected as many."
        )
        raise ValueError(msg)
    return Dataset(
        name=entry.name,
        diagrams=X,
        labels=values,
        label_names=names,
        protocol=DEFAULT_PROTOCOL,
        provenance=Provenance(origin=f"The file {path.name}.", path=path),
    )


def _find(name: str, data_home: AnyPath | None) -> Path:
    folders = [Path(), *search_folders(data_home)]
    for folder in folders:
        if (folder / name).exists():
            return folder / name
    looked = ", ".join(str(folder.resolve()) for folder in folders)
    msg = f"There is no {name}: looked in {looked}. Say where it is by --data-home."
    raise FileNotFoundError(msg)


def _read_labels(path: Path) -> tuple[Ints, tuple[str, ...]]:
    """Return classes counted from 0, and their names in order."""
    if path.suffix == ".npy":
        given = [str(value) for value in np.load(path, allow_pickle=False)]
    else:
        lines = path.read_text(encoding="utf-8").splitlines()
        given = [line.strip() for line in lines if line.strip()]
    if not given:
        msg = f"Expected {path} to have a label for each diagram; it is empty."
        raise ValueError(msg)
    names, values = np.unique(given, return_inverse=True)
    return values.astype(np.int64), tuple(map(str, names))


def _generated(
    name: str, kind: str, arguments: dict[str, Any], n_jobs: int | None
) -> Dataset:
    names: tuple[str, ...]
    try:
        if kind == "shapes":
            from pbow.homology import rips  # noqa: PLC0415  gudhi is an extra

            clouds, labels = make_shapes(**{"random_state": 0} | arguments)
            X, names = rips(clouds, dims=(1,), n_jobs=n_jobs), SHAPE_NAMES
        else:
            X, labels = diagrams_like_surfaces(**arguments)
            names = ("smooth", "rough")
    except TypeError as error:
        msg = f"Data set {name}: {kind} does not take {arguments}: {error}"
        raise DeclarationError(msg) from error
    return Dataset(
        name=name,
        diagrams=X,
        labels=labels,
        label_names=names,
        protocol=DEFAULT_PROTOCOL,
        provenance=Provenance(origin=f"Generated: {kind}, {arguments}."),
    )
