import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pbow.experiment.surfaces import diagrams_like_surfaces

# Drawn once, with numpy 2.
SIZES = [6, 5, 2]
POINTS = [
    [1.997593070750346, 2.0498516070245114],
    [0.3512833591171494, 0.3711173320589745],
]


def persistences(X):
    births, deaths = X.points.T
    return deaths - births


def test_most_points_are_near_the_diagonal_and_a_few_are_not():
    X, _ = diagrams_like_surfaces(n_diagrams=200, n_points=200)
    assert (len(X), X.parts) == (200, ("H1",))
    # Numbers of points are Poisson.
    assert_allclose([X.sizes.mean(), X.sizes.std()], [200, 200**0.5], rtol=0.1)
    p = persistences(X)
    assert (p >= 0).all()
    assert_allclose(p.mean(), 0.95 * 0.05 + 0.05 * 0.5, rtol=0.05)
    assert 0.9 < (p < 0.15).mean() < 0.95
    assert 0.01 < (p > 0.5).mean() < 0.03
    assert_allclose([X.points[:, 0].mean(), X.points[:, 0].std()], [0, 1], atol=0.02)


def test_the_labels_take_turns_and_the_second_has_more_relief():
    X, labels = diagrams_like_surfaces(n_diagrams=301, n_points=200)
    assert_array_equal(labels, np.arange(301) % 2)
    shares = [(persistences(X[labels == k]) > 0.3).mean() for k in (0, 1)]
    assert 1.3 < shares[1] / shares[0] < 2.0


def test_the_seed_decides_and_neither_the_number_of_diagrams_nor_numpys_version():
    few, many, other = (
        diagrams_like_surfaces(n_diagrams=n, n_points=4, random_state=seed)[0]
        for n, seed in ((3, 0), (25, 0), (3, 5))
    )
    assert many[:3] == few != other
    assert_array_equal(few.sizes, SIZES)
    assert_allclose(few.points[:2], POINTS, rtol=1e-12)


@pytest.mark.parametrize("count", [0, 2.5, True, "10"])
@pytest.mark.parametrize("name", ["n_diagrams", "n_points"])
def test_a_count_that_is_none_is_an_error(name, count):
    with pytest.raises(ValueError, match=f"Expected {name} to be an int >= 1; got"):
        diagrams_like_surfaces(**{name: count})
