import numpy as np
import pytest
from numba import njit

from pbow.compute.jit import contracted_helper, helper, inlined


@pytest.mark.parametrize("decorate", [helper, contracted_helper, inlined])
def test_loops_can_call_what_is_made_for_them(decorate):
    @decorate
    def twice(x):
        return 2.0 * x

    @njit
    def loop(values):
        for i in range(values.shape[0]):
            values[i] = twice(values[i])

    values = np.array([1.0, 3.0])
    loop(values)
    assert values.tolist() == [2.0, 6.0]


def test_products_and_sums_are_rounded_once_only_where_it_is_asked_for():
    @helper
    def rounded_twice(x, y, z):
        return x * y + z

    @njit
    def call(x, y, z):
        return rounded_twice(x, y, z)

    x = 1.0 + 2.0**-30
    assert call(x, x, -1.0) == x * x - 1.0
