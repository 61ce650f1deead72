"""The classifier against the slow sentences that define it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from pbow.evaluation import Search, classification, classify
from pbow.evaluation.classification import _folds, spread_rows
from pbow.features import distance_kernel

C_VALUES = (0.1, 1.0, 10.0)


@pytest.fixture
def clouds(rng):
    """Three labels that overlap: 60 vectors to learn from, 30 to test."""
    y = np.arange(90) % 3
    H = rng.normal(size=(90, 4)) + np.eye(3, 4)[y] * 1.5
    return H[:60], H[60:], y[:60], y[60:]


def classified(clouds, *, groups=None, seed=0, **settings):
    H, H_test, *labels = clouds
    search = Search(**{"c_values": C_VALUES} | settings)
    gram = H @ H.T, H_test @ H.T
    return classify(*gram, *labels, search, n_labels=3, groups=groups, seed=seed)


@pytest.mark.parametrize("rows", [None, 31])
@pytest.mark.parametrize("folds_used", [None, 1])
def test_it_is_a_linear_machine_whose_c_is_chosen_by_folds(clouds, rows, folds_used):
    H, H_test, y, y_test = clouds
    found = classified(clouds, seed=2, folds=5, folds_used=folds_used, rows=rows)
    some = spread_rows(y, rows, seed=2)
    folds = StratifiedKFold(5, shuffle=True, random_state=2).split(some, y[some])
    folds = list(folds)[:folds_used]
    scores = []
    for C in C_VALUES:
        right = []
        for train, test in ((some[one], some[other]) for one, other in folds):
            svm = SVC(kernel="linear", C=C).fit(H[train], y[train])
            right += list(svm.predict(H[test]) == y[test])
        scores.append(np.mean(right))
    C = C_VALUES[int(np.argmax(scores))]
    predicted = SVC(kernel="linear", C=C).fit(H, y).predict(H_test)
    confusion = np.zeros((3, 3), int)
    np.add.at(confusion, (y_test, predicted), 1)
    assert len(set(scores)) > 1
    assert (found.C, found.validation) == (C, max(scores))
    assert found.accuracy == np.mean(predicted == y_test)
    assert found.confusion.tolist() == confusion.tolist()
    assert (found.n_fits, found.n_capped) == (3 * len(folds) + 1, 0)
    assert found.seconds > 0.0


@pytest.mark.parametrize(("shift", "scale"), [(True, 1.0), (False, 8.0), (True, 0.25)])
def test_distances_may_be_shifted_and_scaled_if_c_is(clouds, shift, scale):
    H, H_test, y, y_test = clouds
    K, K_test = distance_kernel(H, H), distance_kernel(H_test, H)
    plain = classify(K, K_test, y, y_test, Search(c_values=C_VALUES), n_labels=3)
    largest = -K.min() if shift else 0.0
    search = Search(c_values=tuple(C / scale for C in C_VALUES))
    kernels = scale * (largest + K), scale * (largest + K_test)
    other = classify(*kernels, y, y_test, search, n_labels=3)
    assert 0.5 < plain.accuracy < 1.0
    assert other.confusion.tolist() == plain.confusion.tolist()
    assert (other.validation, other.C * scale) == (plain.validation, plain.C)


def test_the_first_of_equal_values_of_c_wins(rng):
    y = np.arange(40) % 2
    H = 10.0 * np.eye(2)[y] + 0.01 * rng.normal(size=(40, 2))
    found = classified((H, H, y, y))
    assert (found.validation, found.C, found.n_fits) == (1.0, 0.1, 16)


def test_without_folds_the_first_c_is_used_untried(clouds):
    found = classified(clouds, folds=0)
    assert (found.validation, found.C, found.n_fits) == (None, 0.1, 1)


def test_fits_that_stop_at_the_limit_of_iterations_are_counted(clouds):
    found = classified(clouds, c_values=(1.0,), max_iterations=1)
    assert (found.n_fits, found.n_capped) == (6, 6)


@pytest.mark.parametrize(
    ("capped", "right", "n_tried"),
    [
        ([0, 0, 0, 0], [3, 2, 1, 0], 4),  # falls, but the solver ends
        ([1, 1, 1, 1], [1, 2, 3, 4], 4),  # the solver does not end, but it grows
        ([1, 1, 1, 1], [2, 2, 2, 2], 4),  # nor does it fall
        ([0, 1, 1, 1], [3, 3, 2, 4], 3),
        ([0, 1, 0, 0], [3, 2, 4, 4], 2),
    ],
)
def test_larger_c_are_left_out_if_the_solver_is_capped_and_accuracy_falls(
    monkeypatch, capped, right, n_tried
):
    class Scripted(classification._Solver):
        def predict(self, K, y, K_test, C):
            self.n_fits += 1
            self.n_capped += capped[int(C)]
            return np.arange(len(K_test)) < right[int(C)]

    monkeypatch.setattr(classification, "_Solver", Scripted)
    y, search = np.ones(8, int), Search(c_values=(0, 1, 2, 3), folds=2, folds_used=1)
    found = classify(np.zeros((8, 8)), np.zeros((4, 8)), y, y[:4], search, n_labels=2)
    assert found.n_fits == n_tried + 1
    assert int(found.C) == right.index(max(right[:n_tried]))
    assert found.validation == max(right[:n_tried]) / 4


def test_a_training_set_of_one_label_predicts_it(clouds):
    H, H_test, _, y_test = clouds
    found = classified((H, H_test, np.full(60, 2), y_test))
    assert (found.validation, found.C) == (1.0, 0.1)
    assert found.accuracy == np.mean(y_test == 2)
    assert found.confusion.sum(axis=0).tolist() == [0, 0, 30]


@pytest.mark.parametrize("y", [[0] + [1] * 59, [0] + [1] * 58 + [2], [0, 1] * 30])
def test_labels_with_a_single_sample_or_none_are_no_obstacle(clouds, y):
    H, H_test, _, y_test = clouds
    found = classified((H, H_test, np.array(y), y_test))
    assert 0.0 < found.validation <= 1.0
    assert found.confusion.sum() == 30


def test_as_many_labels_as_samples_leave_nothing_to_fold(clouds):
    H, H_test, _, y_test = clouds
    found = classified((H[:3], H_test, np.arange(3), y_test))
    assert (found.validation, found.C, found.n_fits) == (None, 0.1, 1)


def test_vectors_that_are_all_equal_are_classified_all_the_same(clouds):
    _, _, y, y_test = clouds
    found = classified((np.ones((60, 4)), np.ones((30, 4)), y, y_test))
    assert np.count_nonzero(found.confusion.sum(axis=0)) == 1


labels = st.lists(st.integers(0, 3), min_size=1, max_size=40).map(np.array)
seeds = st.integers(0, 99)


def assert_partition(folds, n):
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(n))
    for train, test in folds:
        assert sorted([*train, *test]) == list(range(n))


@given(labels, st.integers(2, 6), seeds)
def test_folds_are_a_partition_with_every_label_spread(y, n_folds, seed):
    folds = list(_folds(y, None, n_folds, seed))
    n_expected = min(n_folds, np.bincount(y).max())
    assert len(folds) == (n_expected if n_expected > 1 else 0)
    if folds:
        assert_partition(folds, len(y))
    for label in np.unique(y) if folds else ():
        counts = [np.sum(y[test] == label) for _, test in folds]
        assert max(counts) - min(counts) <= 1


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 6)), min_size=1, max_size=40),
    st.integers(2, 6),
    seeds,
)
def test_folds_never_split_a_group(pairs, n_folds, seed):
    y, groups = np.array(pairs).T
    folds = list(_folds(y, groups, n_folds, seed))
    assert bool(folds) == (len(set(groups)) > 1 and np.bincount(y).max() > 1)
    if folds:
        assert_partition(folds, len(y))
    for train, test in folds:
        assert not {*groups[train]} & {*groups[test]}


def test_groups_reach_the_folds_that_choose_c(rng):
    # Twins in two folds would tell each other's label, which nothing else does.
    H, y = np.repeat(100 * np.eye(40), 2, axis=0), np.repeat(rng.permutation(40) % 2, 2)
    clouds = H, H[:2], y, y[:2]
    apart, together = (
        classified(clouds, groups=groups) for groups in (None, np.arange(80) // 2)
    )
    assert apart.validation > 0.8
    assert together.validation < 0.6


@given(labels, st.integers(1, 50), seeds)
def test_rows_have_the_labels_in_proportion(y, n_rows, seed):
    rows = spread_rows(y, n_rows, seed=seed)
    assert rows.tolist() == sorted({*rows.tolist()})
    assert len(rows) == min(n_rows, len(y))
    for label in np.unique(y):
        share = np.sum(y == label) * len(rows) / len(y)
        assert abs(np.sum(y[rows] == label) - share) < 1.0
    assert np.array_equal(rows, spread_rows(y, n_rows, seed=seed))


def test_rows_are_drawn_anew_for_each_seed():
    y = np.arange(200) % 2
    one, other = (set(spread_rows(y, 50, seed=seed)) for seed in (0, 1))
    assert one != other
    assert spread_rows(y, None, seed=0).tolist() == list(range(200))
