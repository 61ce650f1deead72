from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pbow.compute.grid import build_grid
from pbow.compute.normalize import NORMALIZATIONS
from pbow.compute.vlad import INTRA, vlad_brute, vlad_grid, vlad_in_numpy
from pbow.weighting import Ramp

CODES = [NORMALIZATIONS[None], NORMALIZATIONS["sqrt"], NORMALIZATIONS["sqrt-l2"], INTRA]
INVERSE = np.array([0.7, 2.5])


def residuals_by_definition(points, offsets, words, weight):
    """Per diagram and word, the weighted sum of point minus word, over the nearest."""
    scaled = np.column_stack((points[:, 0], points[:, 1] - points[:, 0])) * INVERSE
    nearest = np.linalg.norm(scaled[:, None] - words, axis=2).argmin(axis=1)
    weights = weight(points[:, 1] - points[:, 0])
    out = np.zeros((len(offsets) - 1, len(words), 2))
    for d, (i, j) in enumerate(pairwise(offsets)):
        for t in range(i, j):
            out[d, nearest[t]] += weights[t] * (scaled[t] - words[nearest[t]])
    return out.reshape(len(out), -1)


@pytest.mark.parametrize("ramp", [None, Ramp(0.1, 0.5), Ramp(0.0, 0.5, 2)])
@pytest.mark.parametrize("n_words", [1, 2, 7, 40])
def test_residuals_match_the_definition(ragged, rng, n_words, ramp):
    words = rng.uniform(0, 1, size=(n_words, 2)) * INVERSE
    limits = np.empty(0)
    if ramp is not None:
        limits = np.array([ramp.low, ramp.high, ramp.power])
    points, offsets = ragged.points, ragged.offsets
    expected = residuals_by_definition(points, offsets, words, ramp or np.ones_like)
    out = np.zeros_like(expected)
    vlad_brute(points, offsets, words, INVERSE, limits, 0, out)
    assert_allclose(out, expected, rtol=1e-10, atol=1e-13)
    in_numpy = vlad_in_numpy(points, offsets, words, INVERSE, ramp, 0)
    assert_allclose(in_numpy, expected, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("n_words", [1, 3, 30])
def test_every_loop_gives_the_same_bits(rng, n_words, code):
    births = rng.normal(size=20_000)
    points = np.column_stack((births, births + rng.exponential(size=20_000)))
    # Diagrams of all sizes, empty ones, and one longer than a chunk of labels.
    offsets = np.sort(rng.integers(0, 20_000, size=400))
    offsets[[0, -1]] = 0, 20_000
    offsets[100:150] = offsets[100]
    offsets[-2] = 12_000
    offsets.sort()
    words = rng.normal(size=(n_words, 2)) * INVERSE
    limits = np.array([0.1, 1.0, 1.0])
    outs = np.zeros((2, len(offsets) - 1, 2 * n_words))
    vlad_brute(points, offsets, words, INVERSE, limits, code, outs[0])
    vlad_grid(points, offsets, words, INVERSE, build_grid(words), limits, code, outs[1])
    in_numpy = vlad_in_numpy(points, offsets, words, INVERSE, Ramp(0.1, 1.0), code)
    assert_array_equal(outs[1], outs[0])
    assert_array_equal(in_numpy, outs[0])


def test_intra_normalization_gives_every_filled_word_the_same_norm(ragged, rng):
    words = rng.uniform(0, 1, size=(6, 2)) * INVERSE
    points, offsets, none = ragged.points, ragged.offsets, np.empty(0)
    raw, intra = np.zeros((2, len(ragged), 12))
    vlad_brute(points, offsets, words, INVERSE, none, 0, raw)
    vlad_brute(points, offsets, words, INVERSE, none, INTRA, intra)
    roots = (np.sign(raw) * np.sqrt(np.abs(raw))).reshape(-1, 6, 2)
    roots /= np.maximum(np.linalg.norm(roots, axis=2, keepdims=True), 1e-12)
    roots = roots.reshape(-1, 12)
    expected = roots / np.maximum(np.linalg.norm(roots, axis=1, keepdims=True), 1e-12)
    assert_allclose(intra, expected, rtol=1e-13, atol=1e-15)
    assert not intra[0].any()


@pytest.mark.parametrize("code", CODES)
def test_a_word_that_lies_on_its_points_but_for_rounding_has_no_residual(code):
    points = np.array([[0.3, 0.4], [0.3, 0.4], [5.0, 6.0]])
    scaled = np.column_stack((points[:, 0], points[:, 1] - points[:, 0])) * INVERSE
    words = scaled[1:] * (1.0 + 3e-16)
    offsets = np.array([0, 3])
    out = np.zeros((1, 4))
    vlad_brute(points, offsets, words, INVERSE, np.empty(0), code, out)
    assert not out.any()
    assert not vlad_in_numpy(points, offsets, words, INVERSE, None, code).any()
