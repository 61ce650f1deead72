"""Import a data set from the release that its authors publish."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import NoReturn

from pbow._utils.files import AnyPath
from pbow.datasets.cache import expanded, imported_folder
from pbow.datasets.catalog import CATALOG, OTHER_MESHES
from pbow.datasets.importing.output import check_writable, write_npz
from pbow.datasets.importing.release import Release, open_release
from pbow.datasets.importing.tu_graphs import convert_tu_graphs, has_tu_graphs
from pbow.datasets.sources import plain

__all__ = ["import_dataset"]


def import_dataset(
    name: str, source: AnyPath, to: AnyPath | None = None, *, progress: bool = False
) -> Path:
    r"""Convert a data set from the layout that it is published in.

    The files are read where they lie, in a folder or a zip, and checked; counts and
    checksums are compared where they are known. The result is one ``.npz`` file, which
    :func:`load_dataset` finds. It appears when it is complete.

    Parameters
    ----------
    name : str
        ``"reddit-5k"``, ``"reddit-12k"``, ``"mutag"``, ``"proteins"``, or the name of
        any other set of the TU collection of graphs, as ``"IMDB-BINARY"``;
        ``"reddit-5k-hofer"``, ``"reddit-12k-hofer"``: diagrams by Hofer et al.;
        ``"geomat"``; ``"petrosurf3d"``; ``"synthetic-authors"``; ``"shape-
        segmentation"``, or ``"psb-human"`` and so on for other meshes of the Princeton
        benchmark; ``"shape-segmentation-carriere"``: diagrams by Carrière.
    source : str or path-like
        The release: a folder, a zip, or for HDF5 the file itself.
    to : str or path-like, optional
        The folder to write to, made if needed. By default ``imported`` in pbow's cache
        folder, where :func:`load_dataset` looks.
    progress : bool, default=False
        Whether to show a progress bar on stderr.

    Returns
    -------
    path : Path
        The file. ``"synthetic-authors"`` has another one next to it, for dimension 0.

    Raises
    ------
    FileFormatError
        A ValueError, with the file and line, and what to do, where the source is not
        as expected.
    OSError
        If the source is not there, or the file cannot be written. Whether the folder
        can be written to is tried first.
    ImportError
        Without h5py or Pillow for files that need them; both are in the extra
        ``datasets``.

    See Also
    --------
    load_dataset : Diagrams, labels and splits of what was imported.

    Notes
    -----
    The guide "Importing" has the layout that is expected of each release.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> from pbow.datasets import import_dataset
    >>> files = {"A": "1, 2\n2, 1\n3, 4\n", "graph_indicator": "1\n1\n1\n1\n2\n",
    ...          "graph_labels": "7\n3\n"}
    >>> with TemporaryDirectory() as folder:
    ...     for kind, text in files.items():
    ...         _ = Path(folder, f"TWO_{kind}.txt").write_text(text)
    ...     path = import_dataset("two", folder, to=folder)
    ...     with np.load(path) as arrays:
    ...         print(path.name, arrays["num_nodes"], arrays["label_names"])
    graphs_TWO.npz [4 1] ['3' '7']
    """
    if not isinstance(name, str) or not name:
        msg = f"Expected the name of a data set; got {name!r}."
        raise ValueError(msg)
    folder = imported_folder() if to is None else expanded(to, "to")
    known = {entry.name: entry for entry in (*CATALOG, *OTHER_MESHES)}
    entry = known.get(plain(name))
    convert = partial(convert_tu_graphs, name=name) if entry is None else entry.convert
    if convert is None:
        msg = (
            f"There is no release of {name} to import: load_dataset({name!r}) makes "
            "it, or says which file it needs."
        )
        raise ValueError(msg)
    with open_release(source) as release:
        if entry is None and not has_tu_graphs(release):
            _refuse_name(name, release)
        check_writable(folder)
        results = convert(release, progress=progress)
        # The one that is asked for comes last: where it is, all are.
        for result in reversed(results):
            path = write_npz(folder, result, name, release)
    return path


def _refuse_name(name: str, release: Release) -> NoReturn:
    names = [entry.name for entry in CATALOG if entry.convert is not None]
    msg = (
        f"There is no converter for {name!r}. There are {', '.join(names)}, and "
        "psb-human and so on for other meshes. Any other name is that of a graph set "
        f"of the TU collection, and {release} has no file NAME_A.txt of one."
    )
    raise ValueError(msg)
