import os

import numpy as np
import pytest
from tests.datasets.layouts import graph_arrays, mesh_arrays, point_arrays, write

from pbow.datasets import list_datasets, load_dataset


def test_listing_tells_what_is_here_and_what_is_not(tmp_path):
    write(tmp_path, "graphs_MUTAG", graph_arrays())
    write(tmp_path, "graphs_PROTEINS", {**graph_arrays(), "labels": np.full(8, 2)})
    path = write(tmp_path, "graphs_IMDB-BINARY", graph_arrays())
    listings = {listing.name: listing for listing in list_datasets(tmp_path)}
    assert [*listings][-1] == "imdb-binary"
    mutag = listings["mutag"]
    assert (mutag.is_here, mutag.n_samples, mutag.n_classes) == (True, 8, 2)
    assert mutag.problem is None
    assert listings["imdb-binary"].path == path
    assert listings["imdb-binary"].n_bytes == path.stat().st_size
    proteins = listings["proteins"]
    assert (proteins.is_here, proteins.n_samples) == (False, None)
    assert "Label 0 is 2; expected 0 to 1" in proteins.problem
    geomat = listings["geomat"]
    assert (geomat.is_here, geomat.path, geomat.problem) == (False, None, None)
    assert "pbow datasets import geomat" in geomat.how_to_get
    assert listings["geomat-standin"].stand_in_for == "GeoMat"
    shapes = listings["synthetic"]
    assert (shapes.is_here, shapes.n_samples, shapes.path) == (True, 300, None)


def test_what_is_no_file_is_not_listed_and_does_no_harm(tmp_path):
    (tmp_path / "graphs_X.npz").symlink_to(tmp_path / "nothing")
    (tmp_path / "graphs_MUTAG.npz").symlink_to(tmp_path / "nothing")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "graphs_PROTEINS.npz")
    listings = {listing.name: listing for listing in list_datasets(tmp_path)}
    assert "x" not in listings
    for name in ("mutag", "proteins"):
        assert (listings[name].is_here, listings[name].path) == (False, None)
        with pytest.raises(FileNotFoundError, match=f"The data set {name} is not here"):
            load_dataset(name, tmp_path)


def test_a_data_set_of_two_files_is_here_where_both_are(tmp_path):
    points = write(tmp_path, "psb_airplane_points", point_arrays())

    def listings():
        found = {listing.name: listing for listing in list_datasets(tmp_path)}
        return [found[f"shape-segmentation-paper{end}"] for end in ("", "-extra")]

    for listing in listings():
        assert (listing.is_here, listing.path) == (False, points)
        assert "psb_airplane_meshes.npz is neither in" in listing.problem
        assert listing.n_bytes == points.stat().st_size
    meshes = write(tmp_path, "psb_airplane_meshes", mesh_arrays(3, 12))
    for listing in listings():
        assert (listing.is_here, listing.problem) == (True, None)
        assert (listing.n_samples, listing.n_classes) == (24, 4)
        assert listing.n_bytes == points.stat().st_size + meshes.stat().st_size
    points.unlink()
    for listing in listings():
        assert (listing.is_here, listing.path, listing.problem) == (False, None, None)
        assert "psb_airplane_points.npz; pbow does not" in listing.how_to_get
