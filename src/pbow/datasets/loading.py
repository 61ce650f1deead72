"""Load a data set by its name; say which ones are here."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from pbow._utils.checks import is_integer
from pbow._utils.files import AnyPath
from pbow.datasets.cache import cached
from pbow.datasets.catalogue import Entry, entries_of, find_entry
from pbow.datasets.dataset import Dataset, Provenance
from pbow.datasets.drawing import check_seed
from pbow.datasets.recipes import Samples
from pbow.datasets.sources import (
    Generated,
    Source,
    find_files,
    opened,
    plain,
    search_folders,
)
from pbow.diagrams import Diagrams
from pbow.errors import FileFormatError
from pbow.progress import Progress, check_progress

__all__ = ["Listing", "list_datasets", "load_dataset"]


def load_dataset(
    name: str,
    data_home: AnyPath | None = None,
    *,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress = False,
) -> Dataset:
    """Load a data set: its diagrams, labels, and the paper's way to split them.

    Diagrams are computed from raw data by the paper's recipe the first time, and read
    from the cache afterwards. The cache is the folder that the variable PBOW_CACHE
    names, else one in the user's cache folder; the data folder is never written to.

    Parameters
    ----------
    name : str
        One of these, in any case:

        * ``"synthetic"``: six shapes, generated; needs no data folder, but gudhi;
        * ``"synthetic-authors"``: the diagrams of the paper's authors;
        * ``"geomat"``, ``"geomat-standin"``: depth patches of 19 materials;
        * ``"reddit-5k"``, ``"reddit-12k"``: discussion graphs, of the latter 513 of
          each class, as in the paper;
        * ``"petrosurf3d"``, ``"petrosurf3d-standin"``: depth patches, two classes;
        * ``"shape-segmentation"``: 300 vertices of each of 19 airplanes;
        * ``"mutag"``, ``"proteins"``: small graph sets;
        * ``"reddit-5k-hofer"``, ``"reddit-12k-hofer"``,
          ``"shape-segmentation-carriere"``: diagrams that others have published;
        * the name of any graph set that was imported: the whole of the file
          ``graphs_<NAME>.npz``; so ``"reddit-multi-12k"`` is all of Reddit-12k. And
          ``"psb-human"`` and so on for other meshes, ``psb_<NAME>_meshes.npz``, 300
          vertices of each.
    data_home : str or path-like, optional
        Folder of the source files. By default the one that the variable PBOW_DATA
        names. Data sets that were imported are found after it, in the cache.
    seed : int, default=0
        Seeds what is drawn: shapes, vertices, graphs of Reddit-12k. The draw is the
        same on every machine.
    n_jobs : int or None, default=None
        Number of threads. None is 1 outside a joblib context, -1 all processors. The
        result does not depend on it.
    progress : bool or callable, default=False
        True shows on stderr how many diagrams are done. A callable is called with what
        is done and what there is.

    Returns
    -------
    dataset : Dataset
        With `diagrams`, `labels`, `label_names`, `groups`, `provenance`, and the
        methods `splits` and `subsample`.

    Raises
    ------
    FileNotFoundError
        Where the data are not here; the message says where they can be had.
    FileFormatError
        Where a file is damaged, or not in the layout that it should have.
    ValueError
        For a name that is unknown; the message lists those that are known.
    ImportError
        Without gudhi (extra ``homology``), where point clouds or depth maps are to be
        made diagrams of.

    See Also
    --------
    list_datasets : What is here and what is not.
    make_shapes : The point clouds of ``"synthetic"``.

    Notes
    -----
    A stand-in is other data of the same kind, for want of the paper's own: its
    `repr` and its provenance say so. Results on it do not compare to the paper's.

    References
    ----------
    Zieliński et al. Persistence Bag-of-Words for Topological Data Analysis. IJCAI 2019.
    Supplement, Section 4.

    Examples
    --------
    A data folder with one small file:

    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from pbow.datasets import load_dataset
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(
    ...         Path(folder) / "synthetic_pcodebooks_gauss_0_1_h1.npz",
    ...         points=[[0.1, 0.4], [0.2, 0.5], [0.0, 0.9]],
    ...         offsets=[0, 1, 3],
    ...         labels=[0, 1],
    ...         label_names=["Sphere", "Circle"],
    ...     )
    ...     dataset = load_dataset("synthetic-authors", folder)
    >>> dataset
    Dataset('synthetic-authors', 2 classes, Diagrams(n_samples=2, H1: 3 points))
    >>> dataset.labels, dataset.protocol
    (array([0, 1]), '80/20')
    """
    check_seed(seed)
    check_progress(progress)
    if n_jobs is not None and (not is_integer(n_jobs, -(2**31)) or n_jobs == 0):
        msg = f"Expected n_jobs to be an int other than 0, or None; got {n_jobs!r}."
        raise ValueError(msg)
    folders = search_folders(data_home)
    found = find_files(folders)
    entry = find_entry(name, found.values())
    path = None if entry.stem is None else found.get(plain(entry.stem))
    with _source(entry, path, folders, seed) as source:
        sha256 = source.sha256()
        samples = entry.recipe.samples(source, seed)

        def make() -> Diagrams:
            return entry.recipe.make(source, seed, n_jobs=n_jobs, progress=progress)

        X = (
            cached(
                entry.stem or entry.name,
                {"source": sha256, **entry.recipe.key(seed)},
                make,
            )
            if entry.recipe.is_computed
            else make()
        )
        X = X if samples.rows is None else X[samples.rows]
        return Dataset(
            name=entry.name,
            diagrams=X,
            labels=samples.labels,
            label_names=samples.label_names,
            groups=samples.groups,
            in_test=samples.in_test,
            protocol=entry.protocol if samples.in_test is None else "original",
            exp_a_per_class=entry.exp_a_per_class,
            provenance=Provenance(
                origin=entry.origin,
                stand_in_for=entry.stand_in_for,
                recipe=entry.how,
                selection=samples.selection,
                path=path,
                sha256=sha256,
                import_record=_import_record(source),
            ),
        )


@dataclass(frozen=True, kw_only=True)
class Listing:
    """What is known of a data set without loading it.

    Attributes
    ----------
    name : str
        Name in :func:`load_dataset`.
    is_here : bool
        Whether it can be loaded.
    n_samples, n_classes : int or None
        None where it is not here.
    path : Path or None
        The source file; None where there is none.
    n_bytes : int or None
        Its size.
    stand_in_for : str or None
        The data set that this one stands in for.
    origin : str
        Where the data are from.
    recipe : str
        How the diagrams are made.
    how_to_get : str
        Where it is public, and how to import it.
    problem : str or None
        What is wrong with the source file, where it is there and cannot be read.

    See Also
    --------
    list_datasets : Returns one for each data set.

    Examples
    --------
    >>> from pbow.datasets import list_datasets
    >>> listings = {listing.name: listing for listing in list_datasets()}
    >>> shapes = listings["synthetic"]
    >>> shapes.is_here, shapes.n_classes, shapes.how_to_get
    (True, 6, 'It is generated.')
    >>> listings["geomat-standin"].stand_in_for
    'GeoMat'
    """

    name: str
    is_here: bool
    n_samples: int | None
    n_classes: int | None
    path: Path | None
    n_bytes: int | None
    stand_in_for: str | None
    origin: str
    recipe: str
    how_to_get: str
    problem: str | None


def list_datasets(data_home: AnyPath | None = None) -> list[Listing]:
    """Return what is known of each data set, whether it is here or not.

    Reads labels only, and computes nothing.

    Parameters
    ----------
    data_home : str or path-like, optional
        As in :func:`load_dataset`.

    Returns
    -------
    listings : list of Listing

    See Also
    --------
    load_dataset : Load one of them.

    Examples
    --------
    >>> from pbow.datasets import list_datasets
    >>> next(entry for entry in list_datasets() if entry.name == "synthetic").n_samples
    300
    """
    folders = search_folders(data_home)
    found = find_files(folders)
    return [_listing(entry, folders, found) for entry in entries_of(found.values())]


def _listing(entry: Entry, folders: list[Path], found: dict[str, Path]) -> Listing:
    path = None if entry.stem is None else found.get(plain(entry.stem))
    samples: Samples | None = None
    problem = n_bytes = None
    try:
        n_bytes = None if path is None else path.stat().st_size
        with _source(entry, path, folders, 0) as source:
            samples = entry.recipe.samples(source, 0)
    except (OSError, FileFormatError) as error:
        problem = None if path is None else str(error)
    return Listing(
        name=entry.name,
        is_here=samples is not None,
        n_samples=None if samples is None else len(samples.labels),
        n_classes=None if samples is None else len(samples.label_names),
        path=path,
        n_bytes=n_bytes,
        stand_in_for=entry.stand_in_for,
        origin=entry.origin,
        recipe=entry.how,
        how_to_get=_how_to_get(entry),
        problem=problem,
    )


def _source(
    entry: Entry, path: Path | None, folders: list[Path], seed: int
) -> AbstractContextManager[Source]:
    """Open what a data set is made of, or say that it is missing."""
    if entry.generate is not None:
        return nullcontext(Generated(entry.generate(seed)))
    if path is None:
        raise FileNotFoundError(_missing(entry, folders))
    return opened(path)


def _import_record(source: Source) -> str | None:
    if "provenance" not in source:
        return None
    return str(source.read("provenance", "U", 0))


def _missing(entry: Entry, folders: list[Path]) -> str:
    """Say which file was looked for and where, and how it can be had."""
    if len(folders) > 1:
        where = f"is neither in {folders[0]} nor in {folders[1]}"
    else:
        where = f"is not in {folders[0]}, and PBOW_DATA names no other folder"
    return (
        f"The data set {entry.name} is not here: {entry.stem}.npz {where}. "
        f"{_how_to_get(entry)}"
    )


def _how_to_get(entry: Entry) -> str:
    if entry.stem is None:
        return "It is generated."
    if entry.release is None:
        return (
            f"Set PBOW_DATA, or data_home, to the folder that has {entry.stem}.npz; "
            "pbow does not distribute it."
        )
    command = f"pbow datasets import {entry.name} --from PATH"
    text = f"Get it from {entry.release}; then run: {command}."
    if entry.stand_in is not None:
        text += f" {entry.stand_in} is other data of the same kind, if you have them."
    return text
