import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pbow import Diagrams
from pbow.vectorizers.riemannian import TRAINING_ROWS, RiemannianHeatMap


def roots_by_definition(X, space):
    """Square roots of Gaussian densities on the grid, as the paper defines them."""
    n_dims = len(space.limits)
    axes = [np.linspace(*limits, space.resolution) for limits in space.limits]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, n_dims)
    rows = []
    for points in X:
        apart = (points[:, None, :n_dims] - grid) / space.bandwidth
        heat = np.exp(-0.5 * (apart**2).sum(axis=-1)).sum(axis=0)
        rows.append(np.sqrt(heat / heat.sum()))
    return np.array(rows)


def tangents_by_definition(rows, mean):
    cosines = np.minimum(rows @ mean, 1.0)[:, None]
    angles = np.arccos(cosines)
    return angles / np.sin(angles) * (rows - cosines * mean)


@pytest.mark.parametrize("bandwidth", [None, 0.2])
@pytest.mark.parametrize("resolution", [5, 12])
def test_features_are_tangent_vectors_in_principal_directions(
    ragged, bandwidth, resolution
):
    X = ragged[1:]
    fitted = RiemannianHeatMap(7, resolution=resolution, bandwidth=bandwidth).fit(X)
    space = fitted.spaces_["H1"]
    roots = roots_by_definition(X, space)
    assert_allclose(space.mean, roots.mean(0) / np.linalg.norm(roots.mean(0)))
    vectors = tangents_by_definition(roots, space.mean)
    assert_allclose(space.origin, vectors.mean(axis=0), atol=1e-12)
    features = fitted.transform(X)
    expected = (vectors - vectors.mean(axis=0)) @ space.components.T
    assert_allclose(features, expected, atol=1e-10)
    # No seven directions have a larger variance.
    variances = np.linalg.svd(vectors - space.origin, compute_uv=False) ** 2
    assert_allclose((features**2).sum(axis=0), variances[:7], rtol=1e-8, atol=1e-12)
    assert_allclose(features.mean(axis=0), 0.0, atol=1e-12)


def test_the_mean_is_on_the_sphere_and_directions_are_orthonormal(ragged):
    space = RiemannianHeatMap(20).fit(ragged).spaces_["H1"]
    assert_allclose(np.linalg.norm(space.mean), 1.0)
    assert_allclose(space.components @ space.components.T, np.eye(20), atol=1e-12)
    assert_allclose(space.components @ space.mean, 0.0, atol=1e-10)
    largest = np.abs(space.components).argmax(axis=1)
    assert (space.components[np.arange(20), largest] > 0).all()


def test_the_grid_lies_between_quantiles_of_training_points(ragged):
    space = RiemannianHeatMap(quantiles=(0.1, 0.8)).fit(ragged).spaces_["H1"]
    expected = np.quantile(ragged.points, (0.1, 0.8), axis=0, method="hazen").T
    assert_array_equal(space.limits, expected)
    assert_allclose(space.bandwidth, 0.1 * np.diff(expected)[:, 0])
    assert space.resolution == 20


def test_a_bandwidth_is_a_standard_deviation_in_the_unit_of_the_points(ragged):
    space = RiemannianHeatMap(bandwidth=0.25).fit(ragged).spaces_["H1"]
    assert_array_equal(space.bandwidth, [0.25, 0.25])
    papers = RiemannianHeatMap.paper(r=10, sigma=0.0625)
    assert papers.bandwidth == 0.25
    assert papers.resolution == 11
    assert papers.quantiles == (0.05, 0.95)
    assert RiemannianHeatMap.paper(quantiles=(0, 1)).quantiles == (0, 1)


def test_the_unit_of_the_diagrams_does_not_matter_by_default(ragged):
    features = RiemannianHeatMap(9).fit_transform(ragged)
    scaled = Diagrams(ragged.points * 1024.0 + 512.0, ragged.offsets)
    again = RiemannianHeatMap(9).fit_transform(scaled)
    assert_allclose(again, features, atol=1e-9)


def test_an_axis_without_width_but_for_rounding_has_the_unit_of_the_other(ragged, rng):
    births = np.full(len(ragged.points), 0.1)
    deaths = 0.1 + rng.exponential(size=len(births))
    exact = Diagrams(np.column_stack((births, deaths)), ragged.offsets)
    rounded = births + rng.integers(0, 3, size=len(births)) * 2.0**-56
    noisy = Diagrams(np.column_stack((rounded, deaths)), ragged.offsets)
    space = RiemannianHeatMap(5).fit(exact).spaces_[""]
    assert space.bandwidth[0] == space.bandwidth[1] > 0.1
    assert_allclose(
        RiemannianHeatMap(5).fit_transform(noisy),
        RiemannianHeatMap(5).fit_transform(exact),
        atol=1e-9,
    )


def test_identical_points_have_features_of_zero():
    X = [[[2.0, 3.0]], [[2.0, 3.0]] * 4, [[2.0, 3.0]] * 2]
    fitted = RiemannianHeatMap().fit(X)
    assert fitted.transform(X).shape == (3, 3)
    assert not fitted.transform(X).any()
    assert_array_equal(fitted.spaces_[""].bandwidth, 0.1)


def test_empty_diagrams_are_left_out_in_fit(ragged):
    alone = RiemannianHeatMap(5).fit(ragged[1:])
    holes = Diagrams.concatenate([ragged, ragged[:1], ragged[:1]])
    both = RiemannianHeatMap(5).fit(holes)
    assert_array_equal(both.transform(ragged), alone.transform(ragged))
    assert not both.transform(ragged)[0].any()


def test_training_by_blocks_gives_the_same_space(ragged):
    # Copies of the training diagrams change nothing, the smallest and largest birth
    # and persistence being what they are.
    one_block = ragged[1:]
    n_copies = TRAINING_ROWS // len(one_block) + 1
    blocks = Diagrams.concatenate([one_block] * n_copies)
    rows = [
        RiemannianHeatMap(4, resolution=3, quantiles=(0, 1)).fit(X).transform(ragged)
        for X in (one_block, blocks)
    ]
    assert_allclose(*rows, atol=1e-12)


def test_there_are_no_more_columns_than_training_diagrams_or_places(ragged):
    fitted = RiemannianHeatMap().fit(ragged[:6])
    assert fitted.transform(ragged).shape == (30, 5)
    fitted = RiemannianHeatMap(resolution=3).fit(ragged)
    assert fitted.transform(ragged).shape == (30, 9)
    names = fitted.get_feature_names_out().tolist()
    assert names == [f"h1_component{k}" for k in range(9)]


def test_directions_beyond_the_rank_are_zeros(ragged):
    twice = Diagrams.concatenate([ragged[1:3]] * 4)
    fitted = RiemannianHeatMap(6).fit(twice)
    features = fitted.transform(ragged)
    assert features.shape == (30, 6)
    assert features[:, 0].any()
    assert not features[:, 1:].any()
    same = RiemannianHeatMap(6).fit(Diagrams.concatenate([ragged[1:2]] * 4))
    assert not same.transform(ragged).any()


def test_births_alone_have_a_map_over_births(ragged, rng):
    births = rng.uniform(size=30)
    endless = [
        np.concatenate((d, [[b, np.inf]])) for d, b in zip(ragged, births, strict=True)
    ]
    fitted = RiemannianHeatMap(8, resolution=6, essential="separate").fit(endless)
    space = fitted.spaces_["_inf"]
    assert space.limits.shape == (1, 2)
    assert space.components.shape == (6, 6)
    points = [[[b, b]] for b in births]
    roots = roots_by_definition(np.array(points), space)
    expected = tangents_by_definition(roots, space.mean) - space.origin
    features = fitted.transform(endless)[:, 8:]
    assert_allclose(features, expected @ space.components.T, atol=1e-10)


coordinate = st.floats(-1e100, 1e100) | st.floats(-1, 1) | st.sampled_from([0.0, 0.5])
diagram = st.lists(st.tuples(coordinate, coordinate).map(sorted), max_size=12)
bandwidths = st.none() | st.sampled_from([1e-300, 1e-5, 0.1, 1e60, 1e300])


@pytest.mark.filterwarnings("ignore::pbow.errors.OutOfRangeWarning")
@given(st.lists(diagram, min_size=1, max_size=4), diagram, bandwidths, st.booleans())
def test_any_diagrams_have_finite_features(train, test, bandwidth, add_ordinary):
    if add_ordinary or not any(train):
        train = [*train, [[0.0, 1.0], [0.5, 0.75], [0.25, 0.5]]]
    fitted = RiemannianHeatMap(3, resolution=4, bandwidth=bandwidth).fit(train)
    features = fitted.transform([*train, test, []])
    assert np.isfinite(features).all()
    # No two points of the sphere are further apart, here with no negative entries.
    origin = fitted.spaces_[""].origin
    assert np.linalg.norm(features, axis=1).max() <= np.pi / 2 + np.linalg.norm(origin)


@pytest.fixture
def space(ragged):
    return RiemannianHeatMap(3, resolution=4).fit(ragged).spaces_["H1"]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("limits", [[0.0, 1.0]] * 3, r"limits of shape \(1 or 2, 2\); got \(3, 2\)"),
        ("limits", [[0.0, 1.0], [1.0, 0.0]], "limits that ascend"),
        ("limits", [[0.0, 1.0]], r"bandwidth of shape \(1,\); got \(2,\)"),
        ("bandwidth", [0.1, 0.0], "bandwidth to be at least"),
        ("bandwidth", [0.1, math.inf], "bandwidth to be .* finite numbers"),
        ("mean", np.ones(15), r"a grid of 2 dimensions; got shape \(15,\)"),
        ("mean", np.ones((4, 4)), r"mean of shape \(n,\); got \(4, 4\)"),
        ("mean", np.ones(0), r"a grid of 2 dimensions; got shape \(0,\)"),
        ("mean", {}, "mean to be .* finite numbers"),
        ("components", [[10**400]], "components to be .* finite numbers"),
        ("components", np.full((3, 16), 2.0), "components between"),
        ("origin", np.zeros(9), r"origin of shape \(16,\); got \(9,\)"),
        ("components", np.zeros((3, 9)), r"\(n, 16\); got \(3, 9\)"),
        ("components", np.zeros(16), r"\(n, 16\); got \(16,\)"),
    ],
    ids=str,
)
def test_a_space_that_makes_no_sense_is_refused(space, name, value, message):
    with pytest.raises(ValueError, match=message):
        replace(space, **{name: value})


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"sigma": -1.0}, "Expected sigma, a variance, to be a number > 0; got -1.0"),
        ({"sigma": "a"}, "Expected sigma, a variance, to be a number > 0; got 'a'"),
        ({"r": 0}, "Expected r to be an int >= 1; got 0"),
    ],
    ids=str,
)
def test_bad_parameters_of_the_paper_are_named(params, message):
    with pytest.raises(ValueError, match=message):
        RiemannianHeatMap.paper(**params)
