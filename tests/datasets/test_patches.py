import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow.datasets import cut_patches


@pytest.fixture
def surface(rng):
    depth = rng.normal(size=(40, 50)).astype(np.float32)
    y, x = np.mgrid[:40, :50]
    return depth, np.hypot(y - 20, x - 20) < 14


@pytest.mark.parametrize("step", [None, 3, 11])
def test_patches_and_labels_are_those_of_the_window_at_each_position(surface, step):
    depth, mask = surface
    size, low, high = 8, 0.1, 0.6
    expected = []
    for row in range(0, 40 - size + 1, step or size):
        for column in range(0, 50 - size + 1, step or size):
            window = slice(row, row + size), slice(column, column + size)
            share = mask[window].mean()
            if share <= low or share >= high:
                expected.append((depth[window], share >= high, (row, column), share))
    patches = cut_patches(depth, mask, size, step=step, shares=(low, high))
    images, labels, positions, shares = zip(*expected, strict=True)
    assert_array_equal(patches.images, images)
    assert_array_equal(patches.labels, labels)
    assert_array_equal(patches.positions, positions)
    assert_array_equal(patches.shares, shares)
    assert patches.images.dtype == np.float32
    assert 0 < patches.labels.sum() < len(labels)


def test_patches_with_pixels_that_were_not_measured_are_left_out(surface):
    depth, mask = surface
    depth[5, 7] = np.nan
    patches = cut_patches(depth, mask, 4, shares=(0.4, 0.5))
    assert len(patches.images) == 10 * 12 - 1
    assert [4, 4] not in patches.positions.tolist()
    assert not np.isnan(patches.images).any()


def test_a_balanced_draw_has_as_many_of_both_classes(surface):
    depth, mask = surface
    every = cut_patches(depth, mask, 4)
    counts = np.bincount(every.labels)
    assert counts[0] > counts[1]
    some = cut_patches(depth, mask, 4, n_per_class=10, seed=1)
    assert_array_equal(np.bincount(some.labels), [10, 10])
    most = cut_patches(depth, mask, 4, n_per_class=10_000)
    assert_array_equal(np.bincount(most.labels), [counts[1]] * 2)
    # Rows of all, in their order.
    places = {tuple(place): row for row, place in enumerate(every.positions.tolist())}
    rows = [places[tuple(place)] for place in some.positions.tolist()]
    assert rows == sorted(rows)
    assert_array_equal(some.images, every.images[rows])
    assert_array_equal(some.labels, every.labels[rows])
    assert_array_equal(some.shares, every.shares[rows])


def test_the_seed_decides_what_is_drawn(surface):
    first, again, other = (
        cut_patches(*surface, 4, n_per_class=8, seed=seed).positions.tolist()
        for seed in (0, 0, 1)
    )
    assert first == again
    assert first != other


def test_where_a_class_is_missing_a_balanced_draw_is_empty(surface):
    depth, mask = surface
    patches = cut_patches(depth, np.zeros_like(mask), 4, n_per_class=8)
    assert patches.images.shape == (0, 4, 4)


@pytest.mark.parametrize("shape", [(3, 50), (50, 3), (0, 0)])
def test_of_a_surface_smaller_than_a_patch_nothing_is_cut(shape):
    depth = np.zeros(shape, np.float32)
    patches = cut_patches(depth, np.zeros(shape, bool), 4)
    assert patches.images.shape == (0, 4, 4)
    assert patches.images.dtype == np.float32
    assert patches.positions.shape == (0, 2)
    assert patches.labels.shape == patches.shares.shape == (0,)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"depth": np.zeros(5)}, r"depth to be numbers of shape \(h, w\)"),
        ({"depth": np.full((6, 6), "a")}, "depth to be numbers"),
        ({"depth": np.full((6, 6), np.inf)}, "finite depths, or NaN"),
        ({"mask": np.zeros((5, 6), bool)}, r"mask to be bool of shape \(6, 6\)"),
        ({"mask": np.zeros((6, 6))}, "An image becomes a mask by image > 0"),
        ({"size": 0}, "Expected size to be an int >= 1; got 0"),
        ({"step": 1.5}, "Expected step to be an int >= 1; got 1.5"),
        ({"shares": (0.5, 0.5)}, "0 <= low < high <= 1; got"),
        ({"shares": 0.5}, "Expected shares to be a pair"),
        ({"n_per_class": 0}, "Expected n_per_class to be an int >= 1 or None; got 0"),
        ({"seed": -1}, "Expected seed"),
    ],
    ids=str,
)
def test_bad_input_is_refused(arguments, message):
    good = {"depth": np.zeros((6, 6)), "mask": np.zeros((6, 6), bool), "size": 2}
    with pytest.raises(ValueError, match=message):
        cut_patches(**{**good, **arguments})
