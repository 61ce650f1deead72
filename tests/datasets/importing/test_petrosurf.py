from io import BytesIO

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from PIL import Image
from scipy.io import savemat

from pbow.datasets import cut_patches, load_dataset
from pbow.datasets.importing import petrosurf
from pbow.datasets.imports import import_dataset
from pbow.io import FileFormatError


def picture(array, kind="TIFF"):
    stream = BytesIO()
    Image.fromarray(array).save(stream, kind)
    return stream.getvalue()


def matlab(**arrays):
    stream = BytesIO()
    savemat(stream, arrays)
    return stream.getvalue()


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Two surfaces, patches of 4 x 4 every 2 pixels, three of each class."""
    for name, value in {
        "N_SURFACES": 2,
        "SIDE": 4,
        "STEP": 2,
        "N_PER_CLASS": 3,
    }.items():
        monkeypatch.setattr(petrosurf, name, value)


@pytest.fixture
def surfaces(rng):
    depths = [rng.uniform(1, 2, (20, 24)).astype(np.float32) for _ in range(2)]
    masks = [np.zeros((20, 24), np.uint8) for _ in range(2)]
    for mask in masks:
        mask[3:15, 5:20] = 255
    return depths, masks


def by_suffix(depths, masks):
    return {
        "scans/rock_2_depth.tif": picture(depths[0]),
        "scans/rock_2_gt.png": picture(masks[0], "PNG"),
        "scans/rock_2_ortho.png": b"not read",
        "scans/rock_10-depthmap.tiff": picture(depths[1]),
        "scans/rock_10-mask.png": picture(masks[1], "PNG"),
    }


def by_folder(depths, masks):
    return {
        "depth/rock_2.mat": matlab(depth=depths[0]),
        "depth/rock_10.tif": picture(depths[1]),
        "GroundTruth/rock_2.mat": matlab(mask=masks[0]),
        "GroundTruth/rock_10.png": picture(masks[1], "PNG"),
    }


@pytest.mark.parametrize("layout", [by_suffix, by_folder])
def test_patches_are_those_of_each_surface(
    tmp_path, write_folder, write_zip, load, surfaces, layout
):
    files = layout(*surfaces)
    for release in (write_folder(files), write_zip(files)):
        path = import_dataset("petrosurf3d", release, to=tmp_path)
        assert path.name == "petrosurf3d_patches.npz"
        arrays = load(path)
        assert_array_equal(arrays["surface_names"], ["rock_2", "rock_10"])
        assert_array_equal(arrays["groups"], np.repeat([0, 1], 6))
        assert_array_equal(arrays["label_names"], ["natural rock", "engraving"])
        for group, (depth, mask) in enumerate(zip(*surfaces, strict=True)):
            expected = cut_patches(depth, mask > 0, 4, step=2, n_per_class=3)
            rows = arrays["groups"] == group
            assert_array_equal(arrays["images"][rows], expected.images)
            assert_array_equal(arrays["labels"][rows], expected.labels)
            assert_array_equal(arrays["positions"][rows], expected.positions)


def test_what_was_imported_is_loaded(write_folder, surfaces):
    import_dataset("petrosurf3d", write_folder(by_suffix(*surfaces)))
    data = load_dataset("petrosurf3d")
    assert len(data.diagrams) == 12
    assert data.groups.tolist() == [0] * 6 + [1] * 6


def test_no_patch_reaches_where_nothing_was_measured(
    tmp_path, write_folder, load, surfaces
):
    depths, masks = surfaces
    depths[0][:, 12:] = np.nan
    files = by_suffix(depths, masks)
    stored = (depths[1] * 1000).astype(np.uint16)
    stored[:, :12] = 0
    files["scans/rock_10-depthmap.tiff"] = picture(stored)
    arrays = load(import_dataset("petrosurf3d", write_folder(files), to=tmp_path))
    columns = arrays["positions"][:, 1]
    assert not np.isnan(arrays["images"]).any()
    assert columns[arrays["groups"] == 0].max() <= 8
    assert columns[arrays["groups"] == 1].min() >= 12


def test_what_is_wrong_is_named(tmp_path, write_folder, surfaces):
    depths, masks = surfaces
    cases = [
        ({"scans/rock_2_gt.png": None}, "found 2 and 1; rock_2 has only one of both"),
        ({"more/rock_3_depth.tif": b""}, "found 3 and 2; rock_3 has only one"),
        ({"more/rock_2_depth.png": b""}, "are both of surface rock_2"),
        ({"scans/rock_2_gt.png": picture(masks[0][1:], "PNG")}, "rock_2_gt.png: Expec"),
        ({"scans/rock_2_gt.png": picture(masks[0] * 0, "PNG")}, "no patch of each"),
        (
            {"scans/rock_2_depth.tif": picture(depths[0] * np.float32(np.inf))},
            "depths beyond all numbers",
        ),
    ]
    for i, (changes, message) in enumerate(cases):
        files = by_suffix(depths, masks) | changes
        release = write_folder(
            {k: v for k, v in files.items() if v is not None}, f"{i}"
        )
        with pytest.raises(FileFormatError, match=message):
            import_dataset("petrosurf3d", release, to=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_place_to_get_it_is_named(write_folder):
    with pytest.raises(
        FileFormatError, match=r"of 2 surfaces; found 0 and 0.*petroglyph"
    ):
        import_dataset("petrosurf3d", write_folder({"readme": "hello"}))
