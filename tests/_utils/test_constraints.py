from types import SimpleNamespace

import numpy as np
import pytest

from pbow._utils.constraints import (
    Boolean,
    Constraint,
    Integer,
    Jobs,
    Number,
    OneOf,
    PerPart,
    Quantiles,
    check_parameter,
)
from pbow.errors import ParameterError

# A constraint, what it says, what it accepts and what it does not.
CASES = [
    (Integer(1), "an int >= 1", [1, np.int64(7)], [0, 1.0, True, None, "1"]),
    (Integer(0, 9), "an int >= 0 and <= 9", [0, 9], [-1, 10]),
    (Integer(1, optional=True), "an int >= 1", [None, 1], [0]),
    (Number(), "a finite number", [-1, 0.5, np.float32(2)], [np.inf, np.nan, "1"]),
    (
        Number(0, 1e300),
        "a number >= 0 and <= 1e+300",
        [np.float16(2)],
        [np.float16(-1)],
    ),
    (Number(0, 1), "a number >= 0 and <= 1", [0, 1], [-0.1, 1.1, True]),
    (Number(above=0, optional=True), "a number > 0", [None, 5e-324], [0]),
    (OneOf("b", "a", None), "one of 'a', 'b', None", ["a", None], ["c", 1, ["a"]]),
    (Constraint(callable, "a function"), "a function", [len], [3]),
    (
        PerPart(Integer(1)),
        "an int >= 1, or a dict of such by part",
        [3, {"H0": 1, "H1": 2}],
        [0, {"H0": 0}, [1, 2]],
    ),
    (Boolean, "True or False", [True, np.False_], [0, None, "yes"]),
    (Jobs, "an int other than 0, or None", [None, -1, 2], [0, 1.5, True]),
    (
        Quantiles,
        "a pair of numbers 0 <= low < high <= 1",
        [(0, 1), [0.1, 0.9]],
        [(0.5, 0.5), (0, 1.1), (np.nan, 1), (0,), "01", None],
    ),
]


@pytest.mark.parametrize(
    ("constraint", "expected", "good", "bad"), CASES, ids=[case[1] for case in CASES]
)
def test_a_constraint_accepts_what_it_says(constraint, expected, good, bad):
    assert constraint.expected == expected
    assert [value for value in good if not constraint.accepts(value)] == []
    assert [value for value in bad if constraint.accepts(value)] == []


def test_an_error_carries_the_parameter_and_its_owner():
    estimator = SimpleNamespace(n_words=0)
    with pytest.raises(ParameterError, match="'n_words' parameter of SimpleNamespace"):
        check_parameter(estimator, "n_words", Integer(1))
    check_parameter(estimator, "n_words", Integer(0))


@pytest.mark.parametrize(
    "constraint", [Integer(1, optional=True), Number(1.0, optional=True)]
)
@pytest.mark.parametrize("wrap", [lambda each: each, PerPart])
def test_none_is_told_apart_from_what_else_is_expected(constraint, wrap):
    with pytest.raises(
        ParameterError, match=r"(number|int) .* or None\. Got 0"
    ) as caught:
        check_parameter(SimpleNamespace(k=0), "k", wrap(constraint))
    assert caught.value.optional
    assert "None" not in caught.value.expected
