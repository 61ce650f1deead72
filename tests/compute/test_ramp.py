import numpy as np
from numpy.testing import assert_array_equal

from pbow.compute.ramp import ramp_weight
from pbow.weighting import Ramp


def test_the_compiled_ramp_is_that_of_numpy(rng):
    persistence = np.concatenate((rng.uniform(0, 2, size=500), [0.0, 0.3, 1.1]))
    for ramp in (Ramp(0.3, 1.1), Ramp(0.0, 1.0), Ramp(0.3, 0.3), Ramp(0.0, 5e-324)):
        compiled = [ramp_weight(p, ramp.low, ramp.high) for p in persistence]
        assert_array_equal(compiled, ramp(persistence))
