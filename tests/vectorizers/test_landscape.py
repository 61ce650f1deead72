import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pbow import Diagrams
from pbow.vectorizers import PersistenceLandscape
from pbow.vectorizers.landscape import LandscapeGrid


def test_a_level_is_the_k_th_largest_tent(ragged):
    landscape = PersistenceLandscape(n_levels=3, resolution=17).fit(ragged)
    start, stop = ragged.points[:, 0].min(), ragged.points[:, 1].max()
    assert landscape.grids_ == {"H1": LandscapeGrid(start, stop)}
    times = start + (stop - start) * np.arange(1, 18) / 18
    for diagram, row in zip(ragged, landscape.transform(ragged), strict=True):
        births, deaths = diagram[:, :1], diagram[:, 1:]
        tents = np.maximum(0.0, np.minimum(times - births, deaths - times))
        tents = np.sort(np.vstack((tents, np.zeros((3, 17)))), axis=0)[::-1]
        assert_allclose(row.reshape(3, 17), tents[:3], atol=1e-14)


def test_columns_are_named_after_level_and_time(ragged):
    names = PersistenceLandscape(2, 3).fit(ragged).get_feature_names_out()
    assert names.tolist() == [f"h1_level{k}_{t}" for k in (1, 2) for t in (0, 1, 2)]


@pytest.mark.parametrize("epsilon", [0.001, 0.05])
def test_no_value_changes_by_more_than_the_bottleneck_distance(ragged, rng, epsilon):
    landscape = PersistenceLandscape(n_levels=8, resolution=200).fit(ragged)
    moved = []
    for diagram in ragged:
        near = diagram + rng.uniform(-epsilon, epsilon, size=diagram.shape)
        born = rng.uniform(size=(20, 1))
        new = np.hstack((born, born + rng.uniform(0, 2 * epsilon, size=(20, 1))))
        moved.append(np.vstack((near[near[:, 0] <= near[:, 1]], new)))
    change = np.abs(landscape.transform(moved) - landscape.transform(ragged)).max()
    assert 0.5 * epsilon < change <= epsilon * (1 + 1e-12)


def test_tents_of_essential_classes_do_not_come_down():
    X = Diagrams.from_list(
        [[[0.0, np.inf], [0.0, 4.0]], [[1.0, np.inf], [0.0, np.inf]]], name="H0"
    )
    landscape = PersistenceLandscape(2, 3, essential="separate").fit(X)
    assert landscape.grids_["H0_inf"] == LandscapeGrid(0.0, 4.0)
    assert_array_equal(
        landscape.transform(X)[:, 6:], [[1, 2, 3, 0, 0, 0], [1, 2, 3, 0, 1, 2]]
    )


def test_the_grid_of_essential_classes_ends_at_the_last_birth_without_others():
    X = Diagrams.from_list([[[0.0, np.inf]], [[8.0, np.inf]]], name="H0")
    with pytest.warns(UserWarning, match="Part H0 has no finite point"):
        landscape = PersistenceLandscape(1, 3, essential="separate").fit(X)
    assert landscape.grids_ == {"H0_inf": LandscapeGrid(0.0, 8.0)}
    # A birth after the end of the grid is not seen.
    later = [[[0.0, np.inf]], [[4.0, np.inf]], [[9.0, np.inf]]]
    assert_array_equal(landscape.transform(later), [[2, 4, 6], [0, 0, 2], [0, 0, 0]])


@pytest.mark.parametrize(
    "births", [[2.0], [0.0, 5e-324], [-1e100, 1e100], [1e16, 1e16 + 2]], ids=str
)
@pytest.mark.parametrize("persistence", [0.0, 5e-324, 1.0, 1e100])
def test_a_grid_may_be_as_short_or_as_long_as_it_likes(births, persistence):
    X = [[[b, min(b + persistence, 1e100)]] for b in births]
    H = PersistenceLandscape(2, 4).fit_transform(X)
    assert np.isfinite(H).all()
    assert (H >= 0.0).all()
    assert H.max() <= 0.51 * persistence + 1.0


@given(
    st.lists(
        st.lists(
            st.tuples(st.floats(-1e100, 1e100), st.floats(-1e100, 1e100)).map(sorted),
            max_size=6,
        ),
        min_size=1,
        max_size=3,
    ),
    st.integers(1, 5),
)
def test_values_lie_between_zero_and_half_the_longest_life(diagrams, resolution):
    train = [[[0.0, 1.0]], *diagrams]
    landscape = PersistenceLandscape(3, resolution).fit(train)
    for diagram, row in zip(train, landscape.transform(train), strict=True):
        longest = max((death - birth for birth, death in diagram), default=0.0)
        assert ((row >= 0.0) & (row <= 0.5 * longest * (1 + 1e-12))).all()
