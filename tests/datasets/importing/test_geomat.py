import numpy as np
import pytest
from numpy.testing import assert_array_equal
from tests.datasets.layouts import matlab

from pbow.datasets import load_dataset
from pbow.datasets.importing import geomat
from pbow.datasets.importing.geomat import MATERIALS

NAME = "{}/{}/{}_400x400_{}.mat"


def patch(label, seed=0, **changes):
    rng = np.random.default_rng(seed)
    arrays = {
        "Depth": rng.uniform(-9, -8, (4, 4)),
        "Class": np.uint8(label + 1),
        "Image": np.zeros((4, 4, 3), np.uint8),
        "Extrinsics": np.full((3, 4), float(seed % 2)),
    }
    arrays.update(changes)
    return matlab({k: v for k, v in arrays.items() if v is not None})


@pytest.fixture
def release(monkeypatch):
    """Two patches of 4 x 4 of each material, one of them for testing."""
    monkeypatch.setattr(geomat, "N_PATCHES", 2)
    monkeypatch.setattr(geomat, "SIDE", 4)
    return {
        NAME.format(material, part, material, number): patch(label, seed=number)
        for label, material in enumerate(MATERIALS)
        for number, part in enumerate(("train", "test"), 1)
    }


def depth_of(number):
    return np.random.default_rng(number).uniform(-9, -8, (4, 4)).astype(np.float32)


def test_patches_come_by_material_with_split_scale_and_photograph(
    tmp_path, imported, release
):
    arrays = imported("geomat", release, "geomat_depth_patches")
    assert_array_equal(arrays["images"], [depth_of(2), depth_of(1)] * 19)
    assert_array_equal(arrays["labels"], np.repeat(range(19), 2))
    assert_array_equal(arrays["label_names"], MATERIALS)
    assert_array_equal(arrays["in_test"], [True, False] * 19)
    assert_array_equal(arrays["scales"], [400] * 38)
    # The two patches of a material are of different poses.
    assert len(np.unique(arrays["groups"])) == 38
    assert arrays["images"].dtype == np.float32
    data = load_dataset("geomat", tmp_path / "out")
    assert data.label_names == MATERIALS
    assert data.in_test.tolist() == [True, False] * 19
    assert len(data.diagrams) == 38


def test_patches_of_one_pose_are_a_group_within_a_material(imported, release):
    files = {n: patch(MATERIALS.index(n.split("/")[0]), seed=0) for n in release}
    assert_array_equal(imported("geomat", files)["groups"], np.repeat(range(19), 2))


def test_where_a_pose_is_missing_there_are_no_groups(tmp_path, imported, release):
    release[NAME.format("Wood", "test", "Wood", 2)] = patch(18, Extrinsics=None)
    arrays = imported("geomat", release)
    assert "groups" not in arrays
    assert "pose" not in str(arrays["provenance"])
    with pytest.raises(ValueError, match="groups"):
        load_dataset("geomat", tmp_path / "out").splits("groups")


def test_what_names_do_not_say_is_left_out(imported, release):
    files = {
        f"{name.split('/')[0]}/{i}.mat": content
        for i, (name, content) in enumerate(release.items())
    }
    assert imported("geomat", files).keys().isdisjoint({"in_test", "scales"})


def test_pixels_without_a_depth_stay_so(imported, release):
    depth = np.ones((4, 4))
    depth[1, 2] = np.nan
    release[NAME.format("Asphalt", "test", "Asphalt", 2)] = patch(0, Depth=depth)
    images = imported("geomat", release)["images"]
    assert_array_equal(images[0], depth.astype(np.float32))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"Depth": np.ones((3, 4))}, r"Depth has the shape \(3, 4\); expected 4 x 4"),
        ({"Depth": None}, "Depth has the shape"),
        ({"Depth": np.full((4, 4), np.inf)}, "infinite somewhere"),
        ({"Depth": np.full((4, 4), 1e300)}, "infinite somewhere"),
        ({"Depth": np.full((4, 4), np.nan)}, "NaN everywhere"),
        ({"Depth": "deep"}, "Depth is not an array of real"),
        ({"Class": 7}, "Class is .7., and it lies in the folder 'Brick', .* class 2"),
        ({"Class": np.ones(3)}, "Class is .1.0, 1.0, 1.0."),
    ],
)
def test_what_is_wrong_is_named(refused, release, changes, message):
    release[NAME.format("Brick", "train", "Brick", 1)] = patch(1, **changes)
    refused("geomat", release, f"Brick_400x400_1.mat: .*{message}")


def test_a_material_that_is_not_complete_is_named(refused, release):
    del release[NAME.format("Wood", "train", "Wood", 1)]
    refused("geomat", release, r"folder 'Wood'.*found 1. Get them from")
