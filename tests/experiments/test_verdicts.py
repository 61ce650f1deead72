import math

import numpy as np
import pytest
from experiments.verdicts import compare, interval, verdicts_of
from scipy import stats


@pytest.mark.parametrize(
    ("here", "paper", "verdict"),
    [
        ((80.0, 2.0, 5), (81.0, 2.0, 5), "agrees"),  # 1.0 is less than 1.5 points
        ((80.0, 2.0, 5), (82.4, 2.0, 5), "agrees"),  # within two standard errors, 2.53
        ((80.0, 2.0, 5), (82.6, 2.0, 5), "differs"),
        ((80.0, 0.1, 5), (81.4, 0.1, 5), "agrees"),  # certain, and small
        ((80.0, 0.1, 5), (81.6, 0.1, 5), "differs"),
        ((80.0, 3.4, 5), (80.0, 3.4, 5), "agrees"),  # 2.31 * 2.15 is less than 5
        ((80.0, 3.6, 5), (80.0, 3.6, 5), "undecided"),  # 2.31 * 2.28 is more than 5
        ((60.0, 6.0, 5), (80.0, 6.0, 5), "differs"),  # wide, but far
        ((80.0, 4.0, 5), (80.0, 4.0, 3), "undecided"),
        ((80.0, 0.0, 5), (80.0, 0.0, 5), "agrees"),
        ((80.0, 0.0, 5), (82.0, 0.0, 5), "differs"),
        ((80.0, 2.0, 5), (30.0, math.nan, 5), "undecided"),  # no error is known
        ((80.0, 2.0, 5), (30.0, math.inf, 5), "undecided"),
        ((80.0, 2.0, 5), (30.0, 1.0, 1), "undecided"),
    ],
)
def test_a_cell_agrees_differs_or_is_undecided(here, paper, verdict):
    assert compare(here, paper)[2] == verdict


def test_the_interval_is_that_of_welchs_test():
    here, paper = np.array([80.0, 83.0, 77.0, 81.0, 79.0]), np.array([82.0, 90.0, 74.0])
    difference, half_width, _ = compare(
        *((values.mean(), values.std(ddof=1), len(values)) for values in (here, paper))
    )
    found = stats.ttest_ind(here, paper, equal_var=False).confidence_interval(0.95)
    assert difference == -2.0
    assert found.low == pytest.approx(difference - half_width)
    assert found.high == pytest.approx(difference + half_width)
    assert interval(-1.0, 2.5) == "-1.0 [-3.5, +1.5]"
    assert interval(50.0, math.nan) == "+50.0"


def test_stand_ins_have_no_verdict_and_linear_stands_beside(declared, runs):
    found = verdicts_of(declared, runs, {"synthetic": {"MK": "because"}})
    own = ["EXP-A, Synthetic", "EXP-A, Synthetic, six classes"]
    assert found.data.unique().tolist() == own
    kernel, _, words, *_ = found.itertuples()
    numbers = ("67.2 ± 0.2", "98.0 ± 2.2", "99.0 ± 0.0")
    assert (words.here, words.paper, words.linear) == numbers
    assert (words.method, words.verdict, words.why) == ("PBoW", "differs", "")
    assert (kernel.method, kernel.why, kernel.linear) == ("MK", "because", "")
    # Errors are sqrt(0.025 / 5) and sqrt(4 / 5); 4.05 degrees of freedom.
    assert kernel.difference == "-21.8 [-24.3, -19.3]"
    # Nor have cells that are not complete.
    runs.pop(next(key for key, run in runs.items() if run["descriptor"] == "MK"))
    found = verdicts_of(declared, runs, {}).query("dataset == 'synthetic'")
    assert found.method.tolist() == ["PI", "PBoW", "sPBoW"]
