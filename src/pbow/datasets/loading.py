"""Load a data set by its name."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from pbow._utils.files import AnyPath
from pbow._utils.threads import count_threads
from pbow.datasets.cache import cached
from pbow.datasets.catalog import Entry, find_entry, how_to_get
from pbow.datasets.dataset import Dataset, Provenance
from pbow.datasets.drawing import check_seed
from pbow.datasets.sources import (
    Generated,
    Source,
    find_files,
    opened_with,
    plain,
    search_folders,
)
from pbow.diagrams import Diagrams

__all__ = ["load_dataset", "open_source"]


def load_dataset(
    name: str,
    data_home: AnyPath | None = None,
    *,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
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
        * ``"synthetic-authors"``: the diagrams of the paper's authors, six shapes;
        * ``"synthetic-authors-7"``: the same with the seventh, as in their program;
        * ``"geomat"``, ``"geomat-standin"``: depth patches of 19 materials;
        * ``"reddit-5k"``, ``"reddit-12k"``: discussion graphs, of the latter 513 per
          label, as in the paper;
        * ``"petrosurf3d"``, ``"petrosurf3d-standin"``: depth patches, two labels;
        * ``"shape-segmentation"``: 300 vertices of each of 19 airplanes, drawn;
        * ``"shape-segmentation-paper"``: the paper's own vertices and labels;
          ``"shape-segmentation-paper-extra"``: with the extra point (0, largest
          distance) in every diagram;
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
    progress : bool, default=False
        Whether to show a progress bar on stderr.

    Returns
    -------
    dataset : Dataset
        With `diagrams`, `labels`, `label_names`, `groups`, `provenance`, and the
        methods `splits` and `subsample`.

    Raises
    ------
    FileNotFoundError
        If the data are not available; the message says where to get them.
    FileFormatError
        If a file is damaged, or not in the expected layout.
    ValueError
        For an unknown name; the message lists the known ones.
    ImportError
        Without gudhi (extra ``homology``), which computes the diagrams of point clouds
        and depth maps.

    See Also
    --------
    list_datasets : What is here and what is not.
    make_shapes : The point clouds of ``"synthetic"``.

    Notes
    -----
    A stand-in is a similar data set, used because the paper's own was not available:
    its `repr` and its provenance say so. Results on it do not compare to the paper's.

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
    count_threads(n_jobs)  # refuses what is no number of threads
    folders = search_folders(data_home)
    found = find_files(folders)
    entry = find_entry(name, found.values())
    with open_source(entry, found, folders, seed) as source:
        sha256, other_digests = source.sha256(), source.other_digests()
        samples = entry.recipe.samples(source, seed)

        def make() -> Diagrams:
            return entry.recipe.make(source, seed, n_jobs=n_jobs, progress=progress)

        if entry.recipe.is_computed:
            key = {"source": sha256, **entry.recipe.key(seed)}
            if other_digests:
                key["other_sources"] = other_digests
            X = cached(entry.stem or entry.name, key, make)
        else:
            X = make()
        X = X if samples.rows is None else X[samples.rows]
        record = source.read("provenance", "U", 0) if "provenance" in source else None
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
                path=None if entry.stem is None else found[plain(entry.stem)],
                sha256=sha256,
                other_files=tuple(
                    (found[plain(stem)], digest)
                    for stem, digest in other_digests.items()
                ),
                import_record=None if record is None else str(record),
            ),
        )


def open_source(
    entry: Entry, found: Mapping[str, Path], folders: list[Path], seed: int
) -> AbstractContextManager[Source]:
    """Open what a data set is made of, or say what is missing; files by plain stem."""
    if entry.generate is not None:
        return nullcontext(Generated(entry.generate(seed)))
    for stem in entry.stems:
        if plain(stem) not in found:
            raise FileNotFoundError(_missing(entry, stem, folders))
    path, *others = [found[plain(stem)] for stem in entry.stems]
    return opened_with(path, dict(zip(entry.other_stems, others, strict=True)))


def _missing(entry: Entry, stem: str, folders: list[Path]) -> str:
    """Say which file was looked for and where, and how to get it."""
    if len(folders) > 1:
        where = f"is neither in {folders[0]} nor in {folders[1]}"
    else:
        where = f"is not in {folders[0]}, and PBOW_DATA names no other folder"
    return (
        f"The data set {entry.name} is not here: {stem}.npz {where}. "
        f"{how_to_get(entry)}"
    )
