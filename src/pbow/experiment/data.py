"""The data sets of an experiment: by name, from files, or generated."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pbow._utils.files import AnyPath
from pbow.datasets import SHAPE_NAMES, Dataset, Provenance, load_dataset, make_shapes
from pbow.datasets.sources import search_folders
from pbow.datasets.splits import FOLDS, N_FOLDS, OF_GROUPS, ORIGINAL
from pbow.experiment.declaration import DatasetEntry, DeclarationError
from pbow.experiment.surfaces import diagrams_like_surfaces
from pbow.io import read_diagrams, read_labels

__all__ = ["Draw", "draw", "fingerprint", "inner_groups", "locate", "open_dataset"]

Ints = NDArray[np.int64]

DEFAULT_PROTOCOL = "80/20"


class Draw(NamedTuple):
    """The samples of one repetition, and rows of its training and test set."""

    dataset: Dataset
    train: Ints
    test: Ints


def open_dataset(
    entry: DatasetEntry, *, seed: int, data_home: AnyPath | None = None
) -> Dataset:
    """Return a whole data set of an experiment."""
    if entry.load is not None:
        return load_dataset(entry.load, data_home, seed=seed)
    if entry.diagrams is not None:
        return _from_files(entry, data_home)
    return _generated(entry)


def locate(entry: DatasetEntry, data_home: AnyPath | None = None) -> DatasetEntry:
    """Return an entry with whole paths: other processes may work in other folders."""
    if entry.diagrams is None:
        return entry
    diagrams, labels = (
        str(_find(str(name), data_home).resolve())
        for name in (entry.diagrams, entry.labels)
    )
    return replace(entry, diagrams=diagrams, labels=labels)


def draw(
    dataset: Dataset, entry: DatasetEntry, repetition: int, *, seed: int, n_wanted: int
) -> Draw:
    """Return the sub-sample and the split of one of `n_wanted` repetitions.

    With ``per_label``, samples are drawn anew in each repetition, or for each set of
    folds, as in the authors' program.
    """
    protocol = entry.protocol or dataset.protocol
    # Folds are folds of one sample.
    number = repetition // N_FOLDS if protocol == FOLDS else repetition
    if entry.per_label is not None:
        dataset = dataset.subsample(entry.per_label, seed=seed + number)
    n_draws = 1 if protocol == ORIGINAL else n_wanted
    if protocol == FOLDS:
        n_draws = -(-n_wanted // N_FOLDS)
    splits = dataset.splits(protocol, seed=seed, repetitions=n_draws)
    if len(splits) < n_wanted:
        msg = (
            f"Data set {entry.name} has {len(splits)} splits by the protocol "
            f"{protocol!r}; {n_wanted} repetitions were asked for. Set `repetitions = "
            f"{len(splits)}` in its table."
        )
        raise ValueError(msg)
    return Draw(dataset, *splits[repetition])


def inner_groups(dataset: Dataset, entry: DatasetEntry) -> Ints | None:
    """Return the groups that inner folds keep together: as the outer splits do."""
    keeps_groups = (entry.protocol or dataset.protocol) in (*OF_GROUPS, FOLDS)
    return dataset.groups if keeps_groups else None


def fingerprint(dataset: Dataset) -> str:
    """Return a digest of all diagrams, labels, groups and the original split."""
    digest = hashlib.sha256(" ".join(dataset.diagrams.parts).encode())
    parts = [dataset.diagrams[name] for name in dataset.diagrams.parts]
    arrays = [array for part in parts for array in (part.points, part.offsets)]
    arrays += [dataset.labels, *([] if dataset.groups is None else [dataset.groups])]
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data)
    if dataset.in_test is not None:
        digest.update(b"in_test")
        digest.update(dataset.in_test.data)
    return digest.hexdigest()


def _from_files(entry: DatasetEntry, data_home: AnyPath | None) -> Dataset:
    path = _find(str(entry.diagrams), data_home)
    X = read_diagrams(path)
    given = read_labels(_find(str(entry.labels), data_home), len(X))
    names, labels = np.unique(given, return_inverse=True)
    return Dataset(
        name=entry.name,
        diagrams=X,
        labels=labels,
        label_names=tuple(map(str, names)),
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


def _generated(entry: DatasetEntry) -> Dataset:
    names: tuple[str, ...]
    arguments = entry.shapes if entry.surfaces is None else entry.surfaces
    try:
        if entry.surfaces is not None:
            X, labels = diagrams_like_surfaces(**entry.surfaces)
            names = ("smooth", "rough")
        else:
            from pbow.homology import rips  # noqa: PLC0415  gudhi is an extra

            clouds, labels = make_shapes(**{"random_state": 0} | (entry.shapes or {}))
            X, names = rips(clouds, dims=(1,)), SHAPE_NAMES
    except TypeError as error:
        msg = f"Data set {entry.name} cannot be generated from {arguments}: {error}"
        raise DeclarationError(msg) from error
    return Dataset(
        name=entry.name,
        diagrams=X,
        labels=labels,
        label_names=names,
        protocol=DEFAULT_PROTOCOL,
        provenance=Provenance(origin=f"Generated from {arguments}."),
    )
