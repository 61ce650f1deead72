import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow.weighting import Ramp


def test_the_ramp_is_the_papers_weight_function():
    ramp = Ramp(1.0, 3.0)
    assert_array_equal(
        ramp(np.array([0.0, 0.999, 1.0, 1.5, 2.0, 3.0, 9.0])),
        [0, 0, 0, 0.25, 0.5, 1, 1],
    )


def test_a_squared_ramp_is_the_square():
    ramp = Ramp(1.0, 3.0, power=2)
    assert_array_equal(ramp(np.array([0.0, 1.0, 2.0, 3.0, 9.0])), [0, 0, 0.25, 1, 1])
    assert repr(ramp) == "Ramp(low=1.0, high=3.0, power=2)"
    assert_array_equal(Ramp(1.0, 1.0, 2)(np.array([0.5, 1.0, 2.0])), [0, 1, 1])


@pytest.mark.parametrize("power", [0, 3, 1.0, True, "2", None])
def test_the_power_is_1_or_2(power):
    with pytest.raises(ValueError, match="Expected power to be 1 or 2; got"):
        Ramp(0.0, 1.0, power)


def test_equal_limits_are_a_step():
    assert_array_equal(Ramp(1.0, 1.0)(np.array([0.5, 1.0, 2.0])), [0, 1, 1])


NO_LIMITS = [(2.0, 1.0), (np.nan, 1.0), (-0.1, 1.0), (0.0, np.inf), (0, 10**400)]
NO_LIMITS += [("0", "1"), (None, None), ([0.0], {}), (False, True)]


@pytest.mark.parametrize("limits", NO_LIMITS, ids=lambda limits: f"{limits!r:.20}")
def test_limits_are_numbers_that_ascend_from_0(limits):
    with pytest.raises(ValueError, match="Expected finite numbers 0 <= low <= high"):
        Ramp(*limits)


def test_limits_are_kept_as_floats():
    assert repr(Ramp(np.int64(0), 1)) == "Ramp(low=0.0, high=1.0)"
