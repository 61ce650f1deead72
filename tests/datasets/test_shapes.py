import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import kstest

from pbow.datasets import SHAPE_NAMES, make_shapes


@pytest.fixture
def clean():
    """One cloud of 4,000 points of each shape, without noise, by name."""
    clouds, labels = make_shapes(1, 4000, noise=0.0, random_state=0)
    return {
        SHAPE_NAMES[label]: cloud - 0.5
        for cloud, label in zip(clouds, labels, strict=True)
    }


def test_there_are_six_classes_one_after_the_other_as_many_as_in_the_paper():
    clouds, labels = make_shapes(random_state=0)
    assert (clouds.shape, clouds.dtype) == ((300, 500, 3), np.float64)
    assert labels.dtype == np.int64
    assert_array_equal(labels, np.repeat(np.arange(6), 50))
    assert len(SHAPE_NAMES) == 6


def test_the_cube_is_filled_evenly(clean):
    for coordinate in clean["cube"].T:
        assert kstest(coordinate + 0.5, "uniform").pvalue > 0.001


def test_the_circle_has_diameter_one(clean):
    x, y, z = clean["circle"].T
    assert_allclose(np.hypot(x, y), 0.5)
    assert_allclose(z, 0.0)
    angles = np.arctan2(y, x) / (2 * np.pi) + 0.5
    assert kstest(angles, "uniform").pvalue > 0.001


def test_the_sphere_has_diameter_one_and_is_covered_evenly(clean):
    sphere = clean["sphere"]
    assert_allclose(np.linalg.norm(sphere, axis=1), 0.5)
    # Archimedes: the height of a uniform point on a sphere is uniform.
    for coordinate in sphere.T:
        assert kstest(coordinate + 0.5, "uniform").pvalue > 0.001


def test_the_torus_has_diameters_one_and_a_half_and_is_covered_evenly(clean):
    x, y, z = clean["torus"].T
    from_ring = np.hypot(x, y) - 0.5
    assert_allclose(np.hypot(from_ring, z), 0.25)
    # By Pappus the outer half has (1/2 + 1/(2 pi)) / (1/2 - 1/(2 pi)) times the area.
    expected = 0.5 + 1 / (2 * np.pi)
    assert_allclose((from_ring > 0).mean(), expected, atol=0.03)


@pytest.mark.parametrize(
    ("name", "n_centers"), [("clusters", 3), ("clusters of clusters", 9)]
)
def test_without_noise_a_cluster_is_its_center(clean, name, n_centers):
    centers, sizes = np.unique(clean[name], axis=0, return_counts=True)
    assert len(centers) == n_centers
    assert sizes.min() > 0.8 * 4000 / n_centers


def test_noise_moves_every_coordinate_of_every_point():
    clouds, labels = make_shapes(1, 4000, noise=0.2, random_state=0)
    ring = clouds[labels == SHAPE_NAMES.index("circle")][0]
    assert_allclose(ring[:, 2].std(), 0.2, rtol=0.05)
    blobs = clouds[labels == SHAPE_NAMES.index("clusters")][0]
    assert len(np.unique(blobs, axis=0)) == 4000


def test_the_same_seed_gives_the_same_clouds():
    first = make_shapes(2, 30, random_state=5)
    again = make_shapes(2, 30, random_state=np.random.RandomState(5))
    other = make_shapes(2, 30, random_state=6)
    assert_array_equal(first[0], again[0])
    assert not np.array_equal(first[0], other[0])


def test_the_first_clouds_of_a_class_do_not_depend_on_how_many_follow():
    few, _ = make_shapes(2, 30, random_state=5)
    many, _ = make_shapes(4, 30, random_state=5)
    for k in range(6):
        assert_array_equal(few[2 * k : 2 * k + 2], many[4 * k : 4 * k + 2])


def test_no_two_clouds_are_the_same():
    clouds, _ = make_shapes(4, 5, random_state=1)
    assert len(np.unique(clouds.reshape(24, -1), axis=0)) == 24


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_per_class": 0}, "Expected n_per_class to be an int >= 1; got 0"),
        ({"n_points": 2.5}, "Expected n_points to be an int >= 1; got 2.5"),
        ({"noise": -0.1}, "Expected noise to be a number >= 0; got -0.1"),
        ({"noise": np.nan}, "Expected noise to be a number >= 0; got nan"),
        ({"noise": "much"}, "Expected noise to be a number >= 0; got 'much'"),
        ({"random_state": "x"}, "cannot be used to seed"),
    ],
    ids=str,
)
def test_bad_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        make_shapes(**parameters)
