"""The classifier against the slow sentence that defines it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import SVC

from pbow.experiment import classification
from pbow.experiment.classification import classify, make_folds, screening_rows
from pbow.experiment.descriptors import Similarities

COSTS = (0.1, 1.0, 10.0)


def similarities(H_train, H_test):
    return Similarities(H_train @ H_train.T, H_test @ H_train.T, H_train.shape[1], {})


@pytest.fixture
def clouds(rng):
    """Three classes that overlap: 60 vectors to learn from, 30 to test."""
    y = np.arange(90) % 3
    H = rng.normal(size=(90, 4)) + np.eye(3, 4)[y] * 1.5
    return H[:60], y[:60], H[60:], y[60:]


def judged(clouds, folds, **settings):
    H_train, y_train, H_test, y_test = clouds
    settings = {"costs": COSTS, "max_iterations": 100_000, "n_classes": 3} | settings
    return classify(similarities(H_train, H_test), y_train, y_test, folds, **settings)


def by_hand(clouds, folds, costs):
    """Vectors, a linear machine, and loops."""
    H_train, y_train, H_test, _ = clouds
    by_cost = []
    for cost in costs:
        right = 0
        for fold in folds:
            rest = [row for row in range(len(y_train)) if row not in set(fold)]
            machine = SVC(kernel="linear", C=cost).fit(H_train[rest], y_train[rest])
            right += int(np.sum(machine.predict(H_train[fold]) == y_train[fold]))
        by_cost.append(right / sum(len(fold) for fold in folds))
    best = by_cost.index(max(by_cost))
    machine = SVC(kernel="linear", C=costs[best]).fit(H_train, y_train)
    return by_cost, costs[best], machine.predict(H_test)


@pytest.mark.parametrize("n_used", [5, 1], ids=["all folds", "one division"])
def test_it_is_a_linear_machine_whose_cost_the_folds_choose(clouds, n_used):
    folds = make_folds(clouds[1], None, 5, seed=0, repetition=0)[:n_used]
    verdict = judged(clouds, folds)
    by_cost, cost, predicted = by_hand(clouds, folds, COSTS)
    y_test = clouds[3]
    assert verdict.by_cost == by_cost
    assert len(set(by_cost)) > 1
    assert verdict.cost == cost
    assert verdict.validation == max(by_cost)
    assert verdict.accuracy == np.mean(predicted == y_test)
    confusion = np.zeros((3, 3), int)
    np.add.at(confusion, (y_test, predicted), 1)
    assert verdict.confusion == confusion.tolist()
    assert verdict.n_fits == 3 * n_used + 1
    assert verdict.n_capped == 0


def test_the_first_of_equal_costs_is_taken(rng):
    y = np.arange(40) % 2
    H = 10.0 * np.eye(2)[y] + 0.01 * rng.normal(size=(40, 2))
    folds = make_folds(y, None, 4, seed=0, repetition=0)
    verdict = judged((H, y, H, y), folds, n_classes=2)
    assert verdict.by_cost == [1.0, 1.0, 1.0]
    assert verdict.cost == 0.1


def test_without_folds_the_first_cost_is_taken_untried(clouds):
    verdict = judged(clouds, [])
    assert (verdict.by_cost, verdict.validation) == ([], None)
    assert (verdict.cost, verdict.n_fits) == (0.1, 1)


def test_what_meets_the_cap_of_iterations_is_counted(clouds):
    folds = make_folds(clouds[1], None, 5, seed=0, repetition=0)
    verdict = judged(clouds, folds, costs=[1.0], max_iterations=1)
    assert (verdict.n_fits, verdict.n_capped) == (6, 6)


@pytest.mark.parametrize(
    ("capped", "right", "tried"),
    [
        ([0, 0, 0, 0], [3, 2, 1, 0], 4),  # falls, but the solver ends
        ([1, 1, 1, 1], [1, 2, 3, 4], 4),  # the solver does not end, but it grows
        ([0, 1, 1, 1], [3, 3, 2, 4], 3),
        ([0, 1, 0, 0], [3, 2, 4, 4], 2),
        ([1, 1, 0, 1], [4, 4, 3, 3], 4),  # the last one ends the list anyway
    ],
)
def test_larger_costs_are_left_out_where_the_solver_is_capped_and_worse(
    monkeypatch, capped, right, tried
):
    costs = [1.0, 2.0, 3.0, 4.0]

    class Scripted(classification._Solver):
        def predict(self, K, y, K_new, cost):
            self.n_fits += 1
            n = costs.index(cost)
            self.n_capped += capped[n]
            return np.arange(4) < right[n]

    monkeypatch.setattr(classification, "_Solver", Scripted)
    y = np.ones(8, int)
    shown = Similarities(np.zeros((8, 8)), np.zeros((4, 8)), 0, {})
    verdict = classify(
        shown,
        y,
        y[:4],
        [np.arange(4)],
        costs=costs,
        max_iterations=5,
        n_classes=2,
    )
    assert verdict.by_cost == [n / 4 for n in right[:tried]]
    assert verdict.cost == costs[int(np.argmax(right[:tried]))]
    assert verdict.n_fits == tried + 1


def test_one_class_alone_is_what_is_predicted(clouds):
    H_train, _, H_test, y_test = clouds
    y_train = np.full(60, 2)
    folds = make_folds(y_train, None, 5, seed=0, repetition=0)
    verdict = judged((H_train, y_train, H_test, y_test), folds)
    assert verdict.by_cost == [1.0, 1.0, 1.0]
    assert verdict.accuracy == np.mean(y_test == 2)
    assert np.sum(verdict.confusion, axis=0).tolist() == [0, 0, 30]


def test_a_class_that_a_fold_takes_away_is_no_obstacle(clouds):
    H_train, _, H_test, y_test = clouds
    y_train = np.r_[0, np.ones(59, int)]
    folds = make_folds(y_train, None, 5, seed=0, repetition=0)
    verdict = judged((H_train, y_train, H_test, y_test), folds)
    assert len(verdict.by_cost) == 3


labels = st.lists(st.integers(0, 3), min_size=2, max_size=40).map(np.array)
seeds = st.integers(0, 99)


@given(labels, st.integers(2, 6), seeds, seeds)
def test_folds_are_a_partition_with_every_class_spread(y, n_folds, seed, repetition):
    folds = make_folds(y, None, n_folds, seed=seed, repetition=repetition)
    assert sorted(np.concatenate(folds)) == list(range(len(y)))
    assert len(folds) == min(n_folds, len(y))
    sizes = [len(fold) for fold in folds]
    assert max(sizes) - min(sizes) <= 1
    for label in np.unique(y):
        counts = [np.sum(y[fold] == label) for fold in folds]
        assert max(counts) - min(counts) <= 1
    again = make_folds(y, None, n_folds, seed=seed, repetition=repetition)
    assert all(map(np.array_equal, folds, again))


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 6)), min_size=2, max_size=40
    ).map(np.array),
    st.integers(2, 6),
    seeds,
)
def test_folds_keep_groups_together_and_spread_their_classes(pairs, n_folds, seed):
    y, groups = pairs.T
    folds = make_folds(y, groups, n_folds, seed=seed, repetition=0)
    names = np.unique(groups)
    if len(names) == 1:
        assert folds == []
        return
    assert sorted(np.concatenate(folds)) == list(range(len(y)))
    assert len(folds) == min(n_folds, len(names))
    inside = [set(groups[fold]) for fold in folds]
    assert sum(map(len, inside)) == len(names)
    kinds = {name: np.bincount(y[groups == name]).argmax() for name in names}
    for kind in set(kinds.values()):
        counts = [sum(kinds[name] == kind for name in fold) for fold in inside]
        assert max(counts) - min(counts) <= 1


def test_seeds_and_repetitions_have_other_folds_and_rows():
    y = np.arange(200) % 2
    first, *others = (
        make_folds(y, None, 5, seed=seed, repetition=repetition)[0]
        for seed, repetition in [(0, 0), (1, 0), (0, 1)]
    )
    assert all(set(first) != set(other) for other in others)
    first, *others = (
        screening_rows(y, 50, seed=seed, repetition=repetition)
        for seed, repetition in [(0, 0), (1, 0), (0, 1)]
    )
    assert all(set(first) != set(other) for other in others)


@given(labels, st.integers(1, 50), seeds, seeds)
def test_rows_of_the_screening_have_each_class_share(y, n_rows, seed, repetition):
    rows = screening_rows(y, n_rows, seed=seed, repetition=repetition)
    assert rows.tolist() == sorted(set(rows.tolist()))
    assert len(rows) == min(n_rows, len(y))
    if n_rows >= len(y):
        assert rows.tolist() == list(range(len(y)))
    for label in np.unique(y):
        share = np.sum(y == label) * len(rows) / len(y)
        assert abs(np.sum(y[rows] == label) - share) < 1.0
    again = screening_rows(y, n_rows, seed=seed, repetition=repetition)
    assert np.array_equal(rows, again)
