import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from pbow.datasets.splits import PROTOCOLS, make_splits

OVER_SAMPLES = {"80/20": 0.2, "90/10": 0.1, "50/50": 0.5}
OVER_GROUPS = {"groups": 0.33, "50/50 groups": 0.5}


def splits(
    labels, groups=None, in_test=None, protocol="80/20", seed=0, repetitions=None
):
    return make_splits(
        np.asarray(labels),
        None if groups is None else np.asarray(groups),
        in_test,
        protocol,
        seed=seed,
        repetitions=repetitions,
    )


def test_splits_are_these_on_every_machine():
    labels = np.tile([0, 1], 10)
    groups = np.repeat(np.arange(5), 4)
    found = {
        protocol: splits(labels, groups, protocol=protocol, seed=3)[0][1].tolist()
        for protocol in PROTOCOLS[:-1]
    }
    assert found == {
        "80/20": [4, 5, 16, 19],
        "90/10": [4, 5],
        "50/50": [1, 4, 5, 8, 10, 11, 15, 16, 18, 19],
        "groups": [4, 5, 6, 7, 16, 17, 18, 19],
        "50/50 groups": [4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19],
        "4 folds": [12, 13, 14, 15, 16, 17, 18, 19],
    }


@pytest.mark.parametrize("protocol", PROTOCOLS[:-1])
def test_a_split_has_every_row_once(protocol):
    labels = np.tile([0, 1, 2], 20)
    groups = np.arange(60) // 6
    found = splits(labels, groups, protocol=protocol)
    assert len(found) == (4 if protocol == "4 folds" else 5)
    for train, test in found:
        assert train.dtype == test.dtype == np.int64
        assert_array_equal(np.sort(np.concatenate((train, test))), np.arange(60))
        assert_array_equal(train, np.sort(train))
        assert_array_equal(test, np.sort(test))


@pytest.mark.parametrize(("protocol", "share"), OVER_SAMPLES.items())
def test_each_class_has_its_share(protocol, share):
    labels = np.repeat([0, 1, 2], [50, 30, 7])
    for _, test in splits(labels, protocol=protocol):
        counts = np.bincount(labels[test])
        assert (abs(counts - share * np.array([50, 30, 7])) <= 0.5).all()


@given(st.lists(st.integers(2, 30), min_size=1, max_size=5), st.integers(0, 2**32 - 1))
def test_no_class_is_missing_on_either_side(sizes, seed):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    for protocol in OVER_SAMPLES:
        for train, test in splits(labels, protocol=protocol, seed=seed):
            assert set(labels[train]) == set(labels[test]) == set(labels)


@pytest.mark.parametrize(("protocol", "share"), OVER_GROUPS.items())
def test_a_group_is_never_on_both_sides(protocol, share):
    labels = np.repeat([0, 1, 2], 40)
    groups = 7 * (np.arange(120) // 4)
    for train, test in splits(labels, groups, protocol=protocol):
        assert not set(groups[train]) & set(groups[test])
        counts = np.bincount(labels[test])
        assert (abs(counts - share * 40) <= 4).all()


def test_groups_of_several_classes_stay_together():
    labels = np.tile([0, 1], 30)
    groups = np.arange(60) // 6
    for train, test in splits(labels, groups, protocol="groups"):
        assert not set(groups[train]) & set(groups[test])
        assert len(test) == 18


def test_folds_cover_all_groups_and_are_balanced():
    rng = np.random.default_rng(0)
    sizes = rng.integers(4, 20, 26)
    groups = np.repeat(np.arange(26), 2 * sizes)
    labels = np.concatenate([np.repeat([0, 1], n) for n in sizes])
    found = splits(labels, groups, protocol="4 folds")
    tests = np.concatenate([test for _, test in found])
    assert_array_equal(np.sort(tests), np.arange(len(labels)))
    for train, test in found:
        assert not set(groups[train]) & set(groups[test])
        counts = np.bincount(labels[test])
        assert (abs(counts - len(labels) / 8) < 4).all()


def test_folds_balance_classes_and_not_only_sizes():
    groups = np.repeat(np.arange(16), 5)
    labels = np.repeat(np.arange(16) % 2, 5)
    for _, test in splits(labels, groups, protocol="4 folds"):
        assert_array_equal(np.bincount(labels[test]), [10, 10])


def test_folds_are_of_one_size_where_every_group_has_a_class_of_its_own():
    groups = np.repeat(np.arange(8), 3)
    for _, test in splits(groups, groups, protocol="4 folds"):
        assert len(test) == 6


def test_the_seed_decides():
    labels = np.repeat([0, 1], 20)
    groups = np.arange(40) // 2
    for protocol in PROTOCOLS[:-1]:
        first, again, other = (
            splits(labels, groups, protocol=protocol, seed=seed) for seed in (1, 1, 2)
        )
        assert_array_equal(first[0][1], again[0][1])
        assert not np.array_equal(first[0][1], other[0][1])


def test_repetitions_differ_and_the_first_ones_stay():
    labels = np.repeat([0, 1], 20)
    few = splits(labels, repetitions=2)
    many = splits(labels, repetitions=6)
    assert (len(few), len(many)) == (2, 6)
    assert len({tuple(test) for _, test in many}) == 6
    for (_, a), (_, b) in zip(few, many[:2], strict=True):
        assert_array_equal(a, b)


def test_folds_can_be_repeated():
    groups = np.arange(40) // 2
    found = splits(np.zeros(40, int), groups, protocol="4 folds", repetitions=3)
    assert len(found) == 12


def test_the_original_division_is_kept():
    in_test = np.array([True, False, False, True])
    [(train, test)] = splits([0, 0, 1, 1], None, in_test, protocol="original")
    assert train.tolist() == [1, 2]
    assert test.tolist() == [0, 3]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"protocol": "70/30"},
            "one of .*'4 folds'.*; got '70/30'",
        ),
        (
            {"protocol": "groups"},
            "keeps groups together, and this data set has no",
        ),
        ({"protocol": "4 folds"}, "Take one over samples: 80/20, 90/10, 50/50"),
        ({"protocol": "original"}, "no train.test split of its own"),
        (
            {"protocol": "original", "in_test": np.ones(6, bool), "repetitions": 2},
            "one original split; got repetitions=2",
        ),
        (
            {"protocol": "4 folds", "groups": [0, 0, 1, 1, 2, 2]},
            "at least 4 groups.*got 3",
        ),
        ({"protocol": "groups", "groups": [0, 0, 0, 1, 1, 2]}, "label 0 has 1. Take a"),
        ({"labels": [0, 0, 0, 0, 0, 1]}, "at least 2 samples.*label 1 has 1"),
        ({"seed": -1}, "Expected seed"),
        ({"repetitions": 0}, "Expected repetitions to be an int >= 1 or None; got 0"),
    ],
    ids=str,
)
def test_what_cannot_be_split_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        splits(**{"labels": [0, 0, 0, 1, 1, 1], **arguments})
