from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pbow.compute.likelihood import LANES, sum_likelihoods, sum_posteriors
from pbow.weighting import Ramp

NO_RAMP = np.empty(0)
FRAME = np.array([0.0, 0.0, 1.0, 1.0])


def terms_by_definition(points, components):
    """0.5**(u * u + v * v) of every point (row) and component (column)."""
    mean_b, mean_p, l11, l21, l22, _ = components
    db = points[:, :1] - mean_b
    dp = points[:, 1:] - points[:, :1] - mean_p
    return 0.5 ** ((db * l11) ** 2 + (db * l21 + dp * l22) ** 2)


def padded(columns, last, dtype=np.float64):
    lanes = LANES * 8 // np.dtype(dtype).itemsize
    components = np.zeros((6, -(-columns.shape[1] // lanes) * lanes), dtype)
    components[5] = last
    components[:, : columns.shape[1]] = columns
    return components


@pytest.fixture(params=[1, 7, 8, 11, 19])
def columns(request, rng):
    n = request.param
    uniform = rng.uniform(0.1, 1.0, size=(6, n))
    uniform[2:5] *= 5.0
    return uniform


@pytest.mark.parametrize("ramp", [None, (0.1, 0.5, 1), (0.2, 0.2, 1), (0.1, 0.5, 2)])
def test_likelihoods_match_the_definition(ragged, columns, ramp):
    weight = np.ones_like if ramp is None else Ramp(*ramp)
    ramp = NO_RAMP if ramp is None else np.array(ramp, float)
    points, offsets = ragged.points, ragged.offsets
    weights = weight(points[:, 1] - points[:, 0])
    terms = weights[:, None] * terms_by_definition(points, columns)
    expected = [terms[i:j].sum(axis=0) for i, j in pairwise(offsets)]
    components = padded(columns, 0.0)
    out = np.full((len(ragged), components.shape[1]), np.nan)
    sum_likelihoods(points, offsets, FRAME, components, ramp, out)
    assert_allclose(out[:, : columns.shape[1]], expected, rtol=1e-12)


def test_posteriors_match_the_definition(ragged, columns):
    points, offsets = ragged.points, ragged.offsets
    terms = terms_by_definition(points, columns) * columns[5]
    terms /= terms.sum(axis=1, keepdims=True)
    expected = [terms[i:j].sum(axis=0) for i, j in pairwise(offsets)]
    columns[5] = np.log2(columns[5])
    components = padded(columns, -np.inf)
    out = np.full((len(ragged), components.shape[1]), np.nan)
    ends = np.array([components.shape[1]])
    sum_posteriors(points, offsets, FRAME, components, ends, NO_RAMP, out)
    assert_allclose(out[:, : columns.shape[1]], expected, rtol=1e-10, atol=1e-300)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_mixtures_side_by_side_are_each_alone_to_the_last_bit(ragged, rng, dtype):
    mixtures = []
    for n in (1, 10, 30, 100):
        columns = rng.uniform(0.1, 1.0, size=(6, n))
        columns[2:5] *= 300.0  # so that some points are far from all of them
        columns[5] = np.log2(columns[5])
        mixtures.append(padded(columns, -np.inf, dtype))
    ends = np.cumsum([mixture.shape[1] for mixture in mixtures])
    joined = np.hstack(mixtures)
    together = np.zeros((len(ragged), joined.shape[1]))
    given = ragged.points, ragged.offsets, FRAME
    sum_posteriors(*given, joined, ends, NO_RAMP, together)
    for mixture, alone in zip(
        mixtures, np.split(together, ends[:-1], axis=1), strict=True
    ):
        out = np.zeros(alone.shape)
        sum_posteriors(*given, mixture, np.array([out.shape[1]]), NO_RAMP, out)
        assert_array_equal(alone, out)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("far", [1.0, 50.0, 1e3, 1e30, 1e100])
def test_a_point_gives_one_in_all_however_far_it_is(columns, dtype, far):
    columns[5] = np.log2(columns[5])
    points, offsets = np.array([[-far, 0.0], [far, 1.5 * far]]), np.array([0, 1, 2])
    components = padded(columns, -np.inf, dtype)
    out = np.full((2, components.shape[1]), np.nan)
    ends = np.array([components.shape[1]])
    sum_posteriors(points, offsets, FRAME, components, ends, NO_RAMP, out)
    assert_allclose(out.sum(axis=1), 1.0, rtol=1e-6)


@pytest.mark.parametrize("far", [0.0, 1e3])
def test_a_frame_moves_and_stretches_each_axis(ragged, columns, far):
    # As if births and persistences had been taken to the frame before.
    frame = np.array([0.3, -0.2, 2.0, 0.5])
    birth, death = ragged.points.T + far
    births, lives = (birth - 0.3) * 2.0, (death - birth + 0.2) * 0.5
    framed = np.column_stack((births, births + lives))
    columns[5] = np.log2(columns[5])
    components = padded(columns, -np.inf)
    ends = np.array([components.shape[1]])
    found, expected = np.full((2, 2, len(ragged), components.shape[1]), np.nan)
    for points, place, out in (
        (np.column_stack((birth, death)), frame, found),
        (framed, FRAME, expected),
    ):
        given = points, ragged.offsets, place, components
        sum_likelihoods(*given, NO_RAMP, out[0])
        sum_posteriors(*given, ends, NO_RAMP, out[1])
    assert_allclose(found, expected, rtol=1e-6, atol=1e-12)
