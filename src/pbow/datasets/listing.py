"""List the data sets: which ones are here, and how to get the others."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pbow._utils.files import AnyPath
from pbow.datasets.catalog import Entry, entries_of, how_to_get
from pbow.datasets.loading import open_source
from pbow.datasets.recipes import Samples
from pbow.datasets.sources import find_files, plain, search_folders
from pbow.errors import FileFormatError

__all__ = ["Listing", "list_datasets"]


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
        Numbers of samples and of labels; None if it is not here.
    path : Path or None
        The source file; None if there is none. If it needs several, the first one.
    n_bytes : int or None
        Size of the source files that are here; None if none is.
    stand_in_for : str or None
        The data set that this one stands in for.
    origin : str
        Where the data are from.
    recipe : str
        How the diagrams are made.
    how_to_get : str
        Where it is published, and how to import it.
    problem : str or None
        Why it cannot be loaded, if its source file is there.

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
        files = [found[plain(s)] for s in entry.stems if plain(s) in found]
        n_bytes = sum(file.stat().st_size for file in files) if files else None
        with open_source(entry, found, folders, 0) as source:
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
        how_to_get=how_to_get(entry),
        problem=problem,
    )
