import numpy as np
import pytest
from numpy.testing import assert_array_equal
from tests.datasets.layouts import matlab, picture

from pbow.datasets import cut_patches, load_dataset
from pbow.datasets.importing import petrosurf


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Two surfaces, patches of 4 x 4 every 2 pixels, three of each class."""
    sizes = {"N_SURFACES": 2, "SIDE": 4, "STEP": 2, "N_PER_CLASS": 3}
    for name, value in sizes.items():
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
        "depth/rock_2.mat": matlab({"depth": depths[0]}),
        "depth/rock_10.tif": picture(depths[1]),
        "GroundTruth/rock_2.mat": matlab({"mask": masks[0]}),
        "GroundTruth/rock_10.png": picture(masks[1], "PNG"),
    }


@pytest.mark.parametrize("layout", [by_suffix, by_folder])
def test_patches_are_those_of_each_surface(tmp_path, imported, surfaces, layout):
    arrays = imported("petrosurf3d", layout(*surfaces), "petrosurf3d_patches")
    assert_array_equal(arrays["surface_names"], ["rock_2", "rock_10"])
    assert_array_equal(arrays["groups"], np.repeat([0, 1], 6))
    assert_array_equal(arrays["label_names"], ["natural rock", "engraving"])
    for group, (depth, mask) in enumerate(zip(*surfaces, strict=True)):
        expected = cut_patches(depth, mask > 0, 4, step=2, n_per_class=3)
        rows = arrays["groups"] == group
        assert_array_equal(arrays["images"][rows], expected.images)
        assert_array_equal(arrays["labels"][rows], expected.labels)
        assert_array_equal(arrays["positions"][rows], expected.positions)
    data = load_dataset("petrosurf3d", tmp_path / "out")
    assert len(data.diagrams) == 12
    assert data.groups.tolist() == [0] * 6 + [1] * 6


def test_no_patch_reaches_where_nothing_was_measured(imported, surfaces):
    depths, masks = surfaces
    depths[0][:, 12:] = np.nan
    stored = (depths[1] * 1000).astype(np.uint16)
    stored[:, :12] = 0
    arrays = imported("petrosurf3d", by_suffix((depths[0], stored), masks))
    columns = arrays["positions"][:, 1]
    assert not np.isnan(arrays["images"]).any()
    assert columns[arrays["groups"] == 0].max() <= 8
    assert columns[arrays["groups"] == 1].min() >= 12


def flat(value, kind, rows=20):
    return picture(np.full((rows, 24), value), kind)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"scans/rock_2_gt.png": None}, "found 2 and 1; rock_2 has only one of both"),
        ({"more/rock_3_depth.tif": b""}, "found 3 and 2; rock_3 has only one"),
        ({"more/rock_2_depth.png": b""}, "are both of surface rock_2"),
        (
            {"scans/rock_2_gt.png": flat(np.uint8(1), "PNG", rows=19)},
            "rock_2_gt.png: Expec",
        ),
        ({"scans/rock_2_gt.png": flat(np.uint8(0), "PNG")}, "no patch of each"),
        (
            {"scans/rock_2_depth.tif": flat(np.float32(np.inf), "TIFF")},
            "depths beyond all numbers",
        ),
    ],
)
def test_what_is_wrong_is_named(refused, surfaces, changes, message):
    files = by_suffix(*surfaces) | changes
    refused("petrosurf3d", {k: v for k, v in files.items() if v is not None}, message)


def test_the_place_to_get_it_is_named(refused):
    message = r"of 2 surfaces; found 0 and 0.*petroglyph"
    refused("petrosurf3d", {"readme": "hello"}, message)
