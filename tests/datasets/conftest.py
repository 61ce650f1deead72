"""A data folder with small files, releases to import, and a cache for each test."""

import json
import zipfile

import numpy as np
import pytest
from numpy.testing import assert_equal
from tests.datasets.layouts import (
    diagram_arrays,
    graph_arrays,
    image_arrays,
    mesh_arrays,
    point_arrays,
    write,
)

from pbow.datasets import import_dataset
from pbow.errors import FileFormatError


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """The folder of the cache; no data folder is set, whatever the user has set."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("PBOW_CACHE", str(folder))
    monkeypatch.delenv("PBOW_DATA", raising=False)
    return folder


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    """A data folder with a small file for every data set that is not generated."""
    folder = tmp_path_factory.mktemp("data")
    authors = diagram_arrays(n_classes=7)
    authors["label_names"] = np.array([*"abcdef", "Random Cloud 2D"])
    geomat = image_arrays(n_per_class=30, dtype=np.float32)
    geomat["images"][3, 5, 5] = np.nan
    geomat["in_test"] = np.arange(60) % 3 == 0
    geomat["provenance"] = np.array(json.dumps({"done": "made up"}))
    gelsight = {**image_arrays(), "scale": np.float64(0.5)}
    for stem, arrays in {
        "synthetic_pcodebooks_gauss_0_1_h1": authors,
        "geomat_depth_patches": geomat,
        "heightmaps_gelsight_19cls_100px": gelsight,
        "graphs_REDDIT_MULTI_5K": graph_arrays(n_classes=5),
        "graphs_REDDIT_MULTI_12K": graph_arrays(515, 2),
        "petrosurf3d_patches": image_arrays(n_per_class=12, dtype=np.float32),
        "depth_pothole_patches64": image_arrays(n_per_class=12, dtype=np.uint16),
        "psb_airplane_meshes": mesh_arrays(),
        "psb_airplane_points": point_arrays(),
        "graphs_MUTAG": graph_arrays(),
        "graphs_PROTEINS": graph_arrays(seed=1),
        "graphs_IMDB-BINARY": graph_arrays(seed=2),
        "hofer_reddit_5k_diagrams": diagram_arrays(seed=3),
        "hofer_reddit_12k_diagrams": diagram_arrays(515, 2, seed=4),
        "carriere_segmentation_diagrams": diagram_arrays(seed=5),
    }.items():
        write(folder, stem, arrays)
    return folder


@pytest.fixture
def write_folder(tmp_path):
    """Write files, by name, into a new folder; return it."""

    def write(files, folder="release"):
        root = tmp_path / folder
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(
                content if isinstance(content, bytes) else content.encode()
            )
        return root

    return write


@pytest.fixture
def write_zip(tmp_path):
    """Write files, by name, into a new zip; return it."""

    def write(files, name="release.zip"):
        path = tmp_path / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, content in files.items():
                archive.writestr(member, content)
        return path

    return write


@pytest.fixture
def load():
    """Load all arrays of a file, without what could run code."""

    def load(path):
        with np.load(path, allow_pickle=False) as arrays:
            return dict(arrays)

    return load


@pytest.fixture
def imported(tmp_path, write_folder, write_zip, load):
    """Import files from a folder and from a zip; return the arrays, which are equal."""

    def imported(name, files, stem=None, kinds=(write_folder, write_zip)):
        found = []
        for packed in kinds:
            path = import_dataset(name, packed(files), to=tmp_path / "out")
            assert stem is None or path.stem == stem
            found.append(load(path))
        for other in found[1:]:
            assert_equal(
                {**other, "provenance": None}, {**found[0], "provenance": None}
            )
        return found[0]

    return imported


@pytest.fixture
def refused(tmp_path, write_folder):
    """Check that a folder of these files is refused, and that nothing is written."""

    def refused(name, files, message):
        with pytest.raises(FileFormatError, match=message):
            import_dataset(name, write_folder(files), to=tmp_path / "out")
        assert not (tmp_path / "out").exists()

    return refused
