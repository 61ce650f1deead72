"""Distances of two diagrams: by brute force, published values, their own matchings."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from tests.compute.oracles import (
    KINDS,
    cloud,
    long_bars,
    near_the_diagonal,
    repeated,
    whole_numbers,
)

from pbow import Diagrams
from pbow.distances import bottleneck_distance, wasserstein_distance
from pbow.kernels import WassersteinKernel

INF = math.inf
METRICS = [1, 2, INF]
ORDERS = [1, 2, 3.5, INF]

each_metric = pytest.mark.parametrize("metric", METRICS)
each_order = pytest.mark.parametrize("order", ORDERS)


def steps_of(X, Y, matching, metric):
    """The lengths of all lines of a matching."""
    X, Y = np.reshape(X, (-1, 2)), np.reshape(Y, (-1, 2))
    steps = []
    for i, j in matching:
        if i >= 0 and j >= 0:
            x, y = X[i], Y[j]
            step = x[0] - y[0] if np.isinf(x[1]) else np.linalg.norm(x - y, metric)
        else:
            birth, death = X[i] if i >= 0 else Y[j]
            step = np.linalg.norm([0.5 * (death - birth)] * 2, metric)
        steps.append(abs(step))
    return np.array(steps)


def all_matchings(n, m):
    for size in range(min(n, m) + 1):
        for rows in itertools.combinations(range(n), size):
            for columns in itertools.permutations(range(m), size):
                pairs = list(zip(rows, columns, strict=True))
                pairs += [(i, -1) for i in set(range(n)) - set(rows)]
                yield pairs + [(-1, j) for j in set(range(m)) - set(columns)]


@pytest.mark.parametrize("kind", [cloud, whole_numbers, repeated(whole_numbers)])
@each_order
@each_metric
def test_no_matching_of_all_costs_less(kind, order, metric, rng):
    for n, m in ((0, 2), (1, 1), (3, 2), (3, 4), (4, 4)):
        X, Y = kind(rng, n), kind(rng, m)
        expected = min(
            np.linalg.norm(np.append(steps_of(X, Y, pairs, metric), 0.0), order)
            for pairs in all_matchings(n, m)
        )
        found = wasserstein_distance(X, Y, order, ground_metric=metric)
        assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("kind", [*KINDS, *map(repeated, KINDS)])
@each_order
@each_metric
def test_the_matching_costs_the_distance(kind, order, metric, rng):
    for n, m in ((0, 5), (30, 40), (80, 60)):
        X, Y = kind(rng, n), kind(rng, m)
        distance, matching = wasserstein_distance(
            X, Y, order, ground_metric=metric, return_matching=True
        )
        steps = np.append(steps_of(X, Y, matching, metric), 0.0)
        assert_allclose(np.linalg.norm(steps, order), distance, rtol=1e-9)
        for points, column in ((X, 0), (Y, 1)):
            used = matching[matching[:, column] >= 0, column]
            assert_array_equal(np.sort(used), np.arange(len(points)))
        of_X, of_Y = matching[: len(X)], matching[len(X) :]
        assert_array_equal(of_X[:, 0], np.arange(len(X)))
        assert (of_Y[:, 0] == -1).all()
        assert (np.diff(of_Y[:, 1]) > 0).all()


def test_bottleneck_matchings_of_repeated_points_have_the_critical_step():
    X, Y = [[0.0, 2.0]] * 8, [[0.4, 1.0]] * 8 + [[9.0, 9.9]] * 8
    options = {"ground_metric": 2, "return_matching": True}
    distance, matching = bottleneck_distance(X, Y, **options)
    steps = steps_of(np.array(X), np.array(Y), matching, 2)
    assert_allclose(steps.max(), distance, rtol=1e-12)
    rng = np.random.default_rng(0)
    for _ in range(500):
        X, Y = (repeated(cloud)(rng, 40) for _ in range(2))
        distance, matching = bottleneck_distance(X, Y, **options)
        steps = steps_of(X, Y, matching, 2)
        assert_allclose(steps.max(), distance, rtol=1e-12)


@pytest.mark.parametrize("scale", [1e-100, 1e-170, 1e-200, 1e-320, 1e90])
@each_metric
def test_matchings_cost_the_distance_at_any_scale(metric, scale):
    X = scale * np.repeat([[0.0, 1.0], [3.0, 5.0]], 10, axis=0)
    Y = scale * np.repeat([[0.0, 1.1], [3.2, 5.0]], 10, axis=0)
    for order in (1, 2, np.inf):
        distance, matching = wasserstein_distance(
            X, Y, order, ground_metric=metric, return_matching=True
        )
        assert len(matching) == 20
        apart = X[matching[:, 0]] - Y[matching[:, 1]]
        assert max(math.hypot(*pair) for pair in apart) <= 0.3 * scale
        assert distance > 0.0


@pytest.mark.parametrize("kind", [cloud, near_the_diagonal, repeated(long_bars)])
def test_a_bottleneck_matching_has_the_least_sum(kind, rng):
    X, Y = kind(rng, 6), kind(rng, 5)
    distance, matching = bottleneck_distance(X, Y, return_matching=True)
    sums = [
        steps.sum()
        for pairs in all_matchings(6, 5)
        if (steps := steps_of(X, Y, pairs, INF)).max() <= distance
    ]
    assert_allclose(steps_of(X, Y, matching, INF).sum(), min(sums), rtol=1e-12)


# Diagrams and values of GUDHI's own tests.
A = [[2.7, 3.7], [9.6, 14.0], [34.2, 34.974]]
B = [[2.8, 4.45], [9.5, 14.1]]
C = [[0, 2], [4, 6]]
D = [[0, 3], [4, 8]]
E = [[0, 3], [4, INF]]
F = [[7, 8], [4, 6], [3, INF]]


@pytest.mark.parametrize(
    ("X", "Y", "order", "metric", "expected"),
    [
        ([], [], 1, 2, 0.0),
        ([], [], 2, INF, 0.0),
        (C, [], 1, INF, 2.0),
        (C, [], 1, 1, 4.0),
        (D, [], 2, 1, 5.0),
        (D, [], 2, INF, 2.5),
        (D, [], 2, 2, 3.5355339059327378),
        (A, B, 1, 2, 1.4453593023967701),
        (C, D, 1, 1, 3.0),
        (C, D, 1, INF, 3.0),
        (C, D, 2, INF, math.sqrt(5)),
        (C, D, 2, 1, math.sqrt(5)),
        (D, E, 1, INF, INF),
        (E, F, 1, INF, 4.0),
    ],
)
def test_wasserstein_distances_are_those_published_by_gudhi(
    X, Y, order, metric, expected
):
    found = wasserstein_distance(X, Y, order, ground_metric=metric)
    assert_allclose(found, expected, rtol=1e-15)


def test_bottleneck_distances_are_those_published_by_gudhi():
    X, Y = [*A, [3.0, INF]], [*B, [3.2, INF]]
    assert bottleneck_distance(X, Y) == 4.45 - 3.7
    assert wasserstein_distance(X, Y, INF) == 4.45 - 3.7


@pytest.mark.parametrize(
    ("X", "Y", "metric", "expected"),
    [
        ([], B, INF, [[-1, 0], [-1, 1]]),
        (B, [], INF, [[0, -1], [1, -1]]),
        (A, B, 2, [[0, 0], [1, 1], [2, -1]]),
    ],
)
def test_matchings_are_those_published_by_gudhi(X, Y, metric, expected):
    matching = wasserstein_distance(X, Y, ground_metric=metric, return_matching=True)[1]
    assert_array_equal(matching, expected)
    empty = wasserstein_distance([], [], ground_metric=metric, return_matching=True)[1]
    assert empty.shape == (0, 2)


@pytest.mark.parametrize("kind", [cloud, repeated(cloud), whole_numbers])
@pytest.mark.parametrize("order", [1, 2, 3])
@each_metric
def test_distances_are_those_of_hera(kind, order, metric, rng):
    hera = pytest.importorskip("gudhi.hera")
    X, Y = kind(rng, 30), kind(rng, 40)
    expected = hera.wasserstein_distance(
        X, Y, order=order, internal_p=metric, delta=1e-6
    )
    found = wasserstein_distance(X, Y, order, ground_metric=metric)
    assert_allclose(found, expected, rtol=2e-6)


@pytest.mark.parametrize("kind", [cloud, repeated(cloud), whole_numbers])
@pytest.mark.parametrize("order", [1, 2, 3])
@each_metric
def test_distances_are_those_of_the_network_simplex_of_pot(kind, order, metric, rng):
    pytest.importorskip("ot", reason="needs POT, in the extra test")
    gudhi = pytest.importorskip("gudhi.wasserstein")
    X, Y = kind(rng, 30), kind(rng, 40)
    expected = gudhi.wasserstein_distance(X, Y, order=order, internal_p=metric)
    found = wasserstein_distance(X, Y, order, ground_metric=metric)
    assert_allclose(found, expected, rtol=1e-9)


@each_order
@each_metric
def test_distances_are_those_of_the_kernel_to_the_bit(order, metric, rng):
    X = [cloud(rng, 20), repeated(cloud)(rng, 100), repeated(cloud)(rng, 90)]
    kernel = WassersteinKernel(order, ground_metric=metric, essential="match")
    expected = kernel.distances(X)
    found = [
        [wasserstein_distance(x, y, order, ground_metric=metric) for y in X] for x in X
    ]
    assert_array_equal(found, expected)


def test_essential_points_are_matched_by_their_births():
    X = [[5.0, INF], [0.0, 1.0], [1.0, INF]]
    Y = [[1.5, INF], [4.0, INF], [0.0, 3.0]]
    distance, matching = wasserstein_distance(X, Y, 1, return_matching=True)
    # The finite ones are 2 apart, and both left would cost the same.
    assert distance == 0.5 + 1.0 + 2.0
    assert_array_equal(matching, [[0, 1], [1, -1], [2, 0], [-1, 2]])
    assert bottleneck_distance(X, Y) == 1.5


def test_different_numbers_of_essential_points_have_no_matching():
    X, Y = [[0.0, INF]], [[0.0, 1.0]]
    assert wasserstein_distance(X, Y, return_matching=True) == (INF, None)
    assert bottleneck_distance(X, Y, return_matching=True) == (INF, None)


def test_essential_points_may_be_dropped():
    X, Y = [[0.0, INF], [0.0, 4.0]], [[0.0, 5.0]]
    distance, matching = wasserstein_distance(
        X, Y, essential="drop", return_matching=True
    )
    assert distance == 1.0
    assert_array_equal(matching, [[1, 0]])


def test_essential_points_may_be_given_a_death():
    X, Y = [[0.0, INF], [0.0, 4.0]], [[0.0, 5.0], [1.0, INF]]
    distance, matching = bottleneck_distance(X, Y, essential=20.0, return_matching=True)
    assert distance == 1.0
    assert_array_equal(matching, [[0, 1], [1, 0]])
    with pytest.raises(ValueError, match=r"after essential=0\.5"):
        wasserstein_distance(X, Y, essential=0.5)


@pytest.mark.parametrize("order", [1, 2, INF])
def test_points_on_the_diagonal_are_left(order):
    X, Y = [[1.0, 1.0], [0.0, 4.0], [2.0, 2.0]], [[0.0, 5.0], [1.0, 1.0]]
    distance, matching = wasserstein_distance(X, Y, order, return_matching=True)
    assert distance == 1.0
    assert_array_equal(matching, [[0, -1], [1, 0], [2, -1], [-1, 1]])


def test_diagrams_of_one_sample_are_taken_as_they_are():
    X = Diagrams.from_parts(
        {"H0": [[[0.0, 2.0]], [[0.0, 3.0]]], "H1": [[[1.0, 2.0]], []]}
    )
    assert wasserstein_distance(X["H0"][:1], X["H0"][1:]) == 1.0
    assert wasserstein_distance(X[0]["H0"], X[1]["H0"]) == 1.0
    message = 'Expected Y to be one diagram; got 1 sample .*as in Y\\["H0"\\]'
    with pytest.raises(ValueError, match=message):
        wasserstein_distance(X["H0"][:1], X[1:])
    with pytest.raises(ValueError, match="Expected X to be one diagram; got 2 samples"):
        bottleneck_distance(X["H0"], X["H0"])


@pytest.mark.parametrize(
    "bad", [[[[0.0, 1.0]]], [1.0, 2.0], [[0.0, 1.0, 2.0]], "ab", [[0.0], [1.0, 2.0]]]
)
def test_what_is_not_a_diagram_is_named(bad):
    message = (
        r"Expected Y to be one diagram, births and deaths of shape \(n_points, 2\)"
    )
    with pytest.raises(ValueError, match=message):
        wasserstein_distance([[0.0, 1.0]], bad)


@pytest.mark.parametrize("bad", [[[1.0, 0.0]], [[np.nan, 1.0]], [[-INF, 1.0]]])
def test_a_point_that_cannot_be_is_named(bad):
    message = "X is not a persistence diagram. Diagram 0"
    with pytest.raises(ValueError, match=message):
        bottleneck_distance(bad, [])


@pytest.mark.parametrize(
    ("parameter", "value", "expected"),
    [
        ("order", 0.5, "a number >= 1, or inf for the bottleneck distance; got 0.5"),
        ("order", -INF, "a number >= 1, or inf"),
        ("order", "2", "a number >= 1, or inf"),
        ("ground_metric", 3, "1, 2 or inf; got 3"),
        ("ground_metric", "inf", "1, 2 or inf; got 'inf'"),
        ("ground_metric", True, "1, 2 or inf; got True"),
        ("essential", "separate", "'match', 'drop' or a finite number; got 'separate'"),
        ("essential", INF, "'match', 'drop' or a finite number; got inf"),
        ("essential", None, "'match', 'drop' or a finite number; got None"),
    ],
)
def test_a_bad_parameter_is_named(parameter, value, expected):
    with pytest.raises(ValueError, match=f"Expected {parameter} to be {expected}"):
        wasserstein_distance([[0.0, 1.0]], [], **{parameter: value})


@st.composite
def diagrams(draw):
    coordinate = st.floats(-100.0, 100.0) | st.integers(-3, 3).map(float)
    n = draw(st.integers(0, 6))
    points = np.sort(draw(arrays(float, (n, 2), elements=coordinate)), axis=1)
    return np.repeat(points, draw(st.sampled_from([1, 1, 5])), axis=0)


orders, metrics = st.sampled_from(ORDERS), st.sampled_from(METRICS)


@given(diagrams(), diagrams(), diagrams(), orders, metrics)
def test_distances_are_a_metric(X, Y, Z, order, metric):
    XY, YX, YZ, XZ = (
        wasserstein_distance(*pair, order, ground_metric=metric)
        for pair in ((X, Y), (Y, X), (Y, Z), (X, Z))
    )
    assert XY == YX
    assert XZ <= (XY + YZ) * (1 + 1e-12)
    assert wasserstein_distance(X, X[::-1], order, ground_metric=metric) == 0.0


@given(diagrams(), diagrams(), orders, metrics, st.floats(-100.0, 100.0))
def test_points_on_the_diagonal_change_nothing(X, Y, order, metric, value):
    expected = wasserstein_distance(X, Y, order, ground_metric=metric)
    more = np.concatenate(([[value, value]], X, [[0.0, 0.0]]))
    assert wasserstein_distance(more, Y, order, ground_metric=metric) == expected
