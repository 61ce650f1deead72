"""Every loop against its defining sentence, for awkward inputs of all scales."""

import warnings

import numpy as np
import pytest
from tests.compute.awkward import KINDS, SCALES, Case
from tests.compute.awkward_checks import CHECKS


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_loops_follow_their_sentences_for_awkward_inputs(check):
    for k, kind in enumerate(KINDS):
        # Half of the scales each; scripts/attack_loops.py takes all, many times.
        for s, scale in list(enumerate(SCALES))[k % 2 :: 2]:
            case = Case(kind, scale, np.random.default_rng((k, s)))
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                error = check(case)
            assert error <= CHECKS[check], (kind, scale)
