"""k-means is compared with a slow reference that follows the same sentences."""

import numpy as np
import pytest
from numba import njit
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans

from pbow.compute import kmeans
from pbow.compute.allowance import Allowance
from pbow.compute.jit import interpreted
from pbow.compute.random import draw_unit, stream_of
from pbow.compute.sums import sum_of
from pbow.compute.tiles import tile


@njit
def unit(stream, i):
    return draw_unit(stream, np.uint64(i))


def seed_plusplus(points, stream, words, words_per_call=1000):
    """Return how many words there are, chosen by numpy and by the compiled loop."""
    n_trials = 2 + int(np.log(len(words)))
    results = []
    _, tiles = tile(points)
    for add_words in (kmeans._seed_in_numpy, kmeans._seed):
        n_found = kmeans.seed_plusplus(
            points, tiles, stream, n_trials, words, words_per_call, add_words
        )
        results.append((n_found, *words[:n_found].ravel()))
    assert results[0] == results[1]
    return n_found


def lloyd(points, words, max_iter, tolerance, labels, points_per_call=10_000):
    return kmeans.lloyd(points, words, max_iter, tolerance, labels, points_per_call)


def seed_by_definition(points, stream, n_words):
    chosen = [int(unit(stream, 0) * len(points))]
    n_trials = 2 + int(np.log(n_words))
    for k in range(1, n_words):
        squared = ((points[:, None] - points[chosen]) ** 2).sum(axis=2).min(axis=1)
        share = np.cumsum(squared) / squared.sum()
        draws = [unit(stream, 1 + (k - 1) * n_trials + c) for c in range(n_trials)]
        candidates = np.searchsorted(share, draws, side="right")
        to_candidates = ((points[:, None] - points[candidates]) ** 2).sum(axis=2)
        left = np.minimum(to_candidates, squared[:, None]).sum(axis=0)
        chosen.append(int(candidates[left.argmin()]))
    return points[chosen]


def lloyd_by_definition(points, words, n_rounds):
    for _ in range(n_rounds):
        labels = ((points[:, None] - words) ** 2).sum(axis=2).argmin(axis=1)
        words = np.array([points[labels == k].mean(axis=0) for k in range(len(words))])
    squared = ((points[:, None] - words) ** 2).sum(axis=2)
    return words, squared.argmin(axis=1), squared.min(axis=1).sum()


@pytest.fixture
def points(rng):
    centres = rng.uniform(size=(12, 2))
    return np.concatenate([rng.normal(c, 0.05, size=(150, 2)) for c in centres])


@pytest.mark.parametrize("n_words", [1, 2, 10, 40])
@pytest.mark.parametrize("seed", [0, 1])
def test_seeds_follow_the_definition(points, n_words, seed):
    words = np.empty((n_words, 2))
    assert seed_plusplus(points, stream_of(seed, 1), words) == n_words
    assert_array_equal(words, seed_by_definition(points, stream_of(seed, 1), n_words))


def test_every_point_may_be_the_first_word():
    points, word = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]), np.empty((1, 2))
    first = []
    for seed in range(40):
        assert seed_plusplus(points, stream_of(seed, 1), word) == 1
        first.append(word[0, 0])
    assert set(first) == {0.0, 1.0, 2.0}


def test_seeds_are_distinct_and_counted_when_they_run_out(rng):
    points = rng.permutation(np.repeat(rng.uniform(size=(7, 2)), 300, axis=0))
    words = np.empty((7, 2))
    assert seed_plusplus(points, stream_of(0, 1), words) == 7
    assert len(np.unique(words, axis=0)) == 7
    assert seed_plusplus(points, stream_of(0, 1), np.empty((9, 2))) == 7


@pytest.mark.parametrize("n_rounds", [1, 5])
def test_rounds_follow_the_definition(points, n_rounds):
    words = points[::180].copy()
    expected, labels_expected, inertia_expected = lloyd_by_definition(
        points, words, n_rounds
    )
    labels = np.zeros(len(points), np.int32)
    inertia, rounds = lloyd(points, words, n_rounds, 0.0, labels)
    assert rounds == n_rounds
    assert_allclose(words, expected, rtol=1e-12)
    assert_array_equal(labels, labels_expected)
    assert inertia == pytest.approx(inertia_expected)


def test_without_tolerance_words_end_at_the_means_of_their_points(points):
    words = points[::180].copy()
    labels = np.zeros(len(points), np.int32)
    _, rounds = lloyd(points, words, 10_000, -1.0, labels)
    assert rounds < 10_000
    again, labels_again, _ = lloyd_by_definition(points, words, 1)
    assert_allclose(words, again, rtol=1e-12)
    assert_array_equal(labels, labels_again)


def test_a_word_without_points_restarts_at_the_furthest_point(rng):
    points = np.concatenate((rng.normal(0, 0.01, size=(99, 2)), [[5.0, 5.0]]))
    words = np.array([[0.0, 0.0], [100.0, 100.0]])
    lloyd(points, words, 100, 0.0, np.zeros(100, np.int32))
    assert_allclose(words[1], [5.0, 5.0])
    several = np.full((4, 2), 100.0)
    several[0] = 0.0
    lloyd(points, several, 100, 0.0, np.zeros(100, np.int32))
    assert len(np.unique(several, axis=0)) == 4


def test_shorter_calls_give_the_same_bits(points):
    stream, results = stream_of(0, 1), []
    for words_per_call, points_per_call in ((1000, 10_000), (1, 1), (7, 300)):
        words, labels = np.empty((20, 2)), np.zeros(len(points), np.int32)
        seed_plusplus(points, stream, words, words_per_call)
        inertia, _ = lloyd(points, words, 100, 0.0, labels, points_per_call)
        results.append([*words.ravel(), *labels, inertia])
    assert results[0] == results[1] == results[2]


def test_clusters_are_as_tight_as_those_of_scikit_learn(points):
    ours = []
    for seed in range(5):
        words = np.empty((12, 2))
        seed_plusplus(points, stream_of(seed, 1), words)
        ours.append(lloyd(points, words, 100, 1e-4, np.zeros(len(points), np.int32))[0])
    theirs = KMeans(12, n_init=5, random_state=0).fit(points).inertia_
    assert min(ours) < 1.05 * theirs


@pytest.mark.parametrize("digits", [1, 2, 12])
@pytest.mark.parametrize("n_words", [2, 30, 200])
@pytest.mark.parametrize("scale", [1e-155, 1e-100, 1.0, 1e90])
def test_after_every_round_labels_are_those_of_the_nearest_words(
    rng, digits, n_words, scale
):
    # Coordinates of few digits have many ties; the first word wins.
    points = rng.exponential(size=(1700, 2)).round(digits) * scale
    words, labels = points[:n_words].copy(), np.zeros(len(points), np.int32)
    for _ in range(6):
        inertia, _ = lloyd(points, words, 1, 0.0, labels)
        squared = (points[:, None, 0] - words[:, 0]) ** 2
        squared += (points[:, None, 1] - words[:, 1]) ** 2
        assert_array_equal(labels, squared.argmin(axis=1))
        assert_allclose(inertia, squared.min(axis=1).sum(), rtol=1e-9)


@pytest.mark.parametrize("words_per_call", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("n_distinct", [1, 2, 4])
def test_seeding_ends_at_the_last_distinct_point_wherever_a_call_ends(
    n_distinct, words_per_call
):
    points = np.zeros((40, 2))
    points[:, 1] = np.arange(40) % n_distinct
    words = np.empty((5, 2))
    assert seed_plusplus(points, stream_of(0, 1), words, words_per_call) == n_distinct
    assert {*words[:n_distinct, 1]} == {*range(n_distinct)}


@pytest.mark.parametrize("scale", [1e-200, 1e-158, 1.0, 1e100])
@pytest.mark.parametrize("n", [1, 7, 8, 255, 256, 257, 1000])
def test_numpy_chooses_the_same_words_at_all_scales_and_lengths(rng, n, scale):
    points = rng.exponential(size=(n, 2)).round(2) * scale
    assert seed_plusplus(points, stream_of(n, 1), np.empty((min(n, 30), 2))) > 0


def test_numpy_chooses_words_until_its_allowance_is_spent(monkeypatch):
    monkeypatch.setattr(kmeans, "is_compiled", lambda _: False)
    allowance = Allowance(100)
    chosen = [kmeans.choose_seeding(60, allowance) for _ in range(2)]
    assert chosen == [kmeans._seed_in_numpy, kmeans._seed]


def test_a_compiled_loop_chooses_words_whatever_numpy_might_do(monkeypatch):
    monkeypatch.setattr(kmeans, "is_compiled", lambda _: True)
    assert kmeans.choose_seeding(1, Allowance(np.inf)) is kmeans._seed


def test_candidates_that_leave_equal_sums_are_told_apart_as_by_definition(rng):
    # On a square grid many candidates are images of each other.
    x, y = np.meshgrid(np.arange(40.0), np.arange(40.0))
    points = rng.permutation(np.column_stack((x.ravel(), y.ravel())))
    for seed in range(4):
        words = np.empty((25, 2))
        assert seed_plusplus(points, stream_of(seed, 1), words) == 25
        assert_array_equal(words, seed_by_definition(points, stream_of(seed, 1), 25))


def test_sums_of_blocks_have_the_bits_of_the_loop(rng):
    for n in (1, 7, 8, 9, kmeans.BLOCK - 1, kmeans.BLOCK + 13, 2 * kmeans.BLOCK):
        values = rng.exponential(size=n) * 10.0 ** rng.integers(-9, 9, size=n)
        found = kmeans._sums_of_blocks(values)
        starts = range(0, n, kmeans.BLOCK)
        expected = [sum_of(values[i : i + kmeans.BLOCK]) for i in starts]
        assert_array_equal(found, expected)


def test_a_draw_that_rounding_leads_to_the_end_of_a_block_stays_in_it():
    squared = np.zeros(3 * kmeans.BLOCK)
    squared[[5, 9, kmeans.BLOCK + 2]] = 1.0
    block_sums = np.array([2.0 + 1e-9, 1.0, 0.0])
    walk_to = interpreted(kmeans._walk_to)
    assert walk_to(2.0 + 5e-10, squared, block_sums) == 9
    assert walk_to(3.0 + 1e-9, squared, block_sums) == 5
