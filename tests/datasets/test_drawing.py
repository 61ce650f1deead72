import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow.datasets.drawing import check_seed, draw_order, draw_per_class


def test_an_order_has_every_number_once():
    assert_array_equal(np.sort(draw_order(1000, 3, 7)), np.arange(1000))
    assert draw_order(0, 3, 7).shape == (0,)


def test_an_order_is_this_one_on_every_machine():
    assert draw_order(10, 0, 0).tolist() == [1, 0, 3, 8, 6, 9, 7, 5, 4, 2]
    assert draw_order(10, np.int32(0), 0).tolist() == [1, 0, 3, 8, 6, 9, 7, 5, 4, 2]


def test_seeds_and_purposes_give_other_orders():
    orders = {
        tuple(draw_order(20, seed, purpose)) for seed in (0, 1) for purpose in (0, 1)
    }
    assert len(orders) == 4


def test_every_number_is_first_equally_often():
    first = [draw_order(5, seed, 0)[0] for seed in range(2000)]
    counts = np.bincount(first, minlength=5)
    assert (abs(counts - 400) < 5 * np.sqrt(400 * 0.8)).all()


def test_as_many_are_drawn_of_each_class_in_order_of_the_rows():
    labels = np.array([0, 1, 1, 0, 2, 2, 1, 0, 0, 2])
    rows = draw_per_class(labels, 3, 2, seed=0, purpose=0)
    assert_array_equal(np.bincount(labels[rows]), [2, 2, 2])
    assert_array_equal(rows, np.sort(rows))


def test_a_class_that_is_too_small_is_named():
    with pytest.raises(ValueError, match="at least 3 samples per label; label 1 has 2"):
        draw_per_class(np.array([0, 0, 0, 1, 1]), 2, 3, seed=0, purpose=0)


@pytest.mark.parametrize(("present", "missing"), [((0, 1), 2), ((0, 2), 1), ((), 0)])
def test_a_class_without_samples_is_named_whichever_it_is(present, missing):
    labels = np.repeat(np.array(present, np.int64), 2)
    with pytest.raises(ValueError, match=f"label {missing} has 0"):
        draw_per_class(labels, 3, 2, seed=0, purpose=0)


def test_of_no_classes_none_are_drawn():
    labels = np.empty(0, np.int64)
    assert draw_per_class(labels, 0, 3, seed=0, purpose=0).shape == (0,)


@pytest.mark.parametrize("seed", [-1, 2**32, 1.0, None, True, "0"])
def test_a_bad_seed_is_refused(seed):
    with pytest.raises(ValueError, match="Expected seed to be an int from 0 to"):
        check_seed(seed)


@pytest.mark.parametrize("seed", [0, 2**32 - 1, np.int64(5)])
def test_a_good_seed_is_not(seed):
    check_seed(seed)
