import os
import subprocess
import sys

import numpy as np
import pytest
from numba import njit
from numpy.testing import assert_allclose

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


# What is written for the compiler alone has a counterpart in Python.
CODE = """
import numpy as np
from pbow import Diagrams, PersistenceBoW, StablePersistenceBoW
from pbow.vectorizers import PersistenceImage, PersistenceVLAD
X = Diagrams.from_list(np.load("points.npy"))
np.save("image", PersistenceImage().fit_transform(X))
for Words in (PersistenceBoW, PersistenceVLAD, StablePersistenceBoW):
    np.save(Words.__name__, Words(n_words=3, random_state=0).fit_transform(X))
"""


def test_results_without_the_compiler_are_the_same_but_for_rounding(rng, tmp_path):
    births = rng.uniform(size=(4, 12))
    points = np.stack((births, births + rng.exponential(size=(4, 12))), axis=2)
    np.save(tmp_path / "points.npy", points)
    found = {}
    for is_compiled in (True, False):
        subprocess.run(
            [sys.executable, "-W", "ignore::RuntimeWarning", "-c", CODE],
            env=os.environ | {"NUMBA_DISABLE_JIT": str(int(not is_compiled))},
            cwd=tmp_path,
            check=True,
        )
        found[is_compiled] = [
            np.load(path) for path in sorted(tmp_path.glob("[!p]*.npy"))
        ]
    assert len(found[True]) == 4
    for compiled, plain in zip(found[True], found[False], strict=True):
        assert compiled.any()
        assert_allclose(compiled, plain, rtol=1e-9, atol=1e-12)


# No file may become larger than nothing, as on a full disk.
FULL_DISK = """
import resource
import numpy as np
from pbow.compute.truncate import are_told_apart
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
words = np.arange(4, dtype=np.uint64)
# Compiled twice: the number of bits is of two types.
print(are_told_apart(words, np.uint64(1)), are_told_apart(words, 0))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_a_full_disk_of_the_cache_is_a_warning(tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FULL_DISK],
        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        check=True,
        text=True,
    )
    assert done.stdout == "False True\n"
    assert done.stderr.count("could not be cached") == 1
    assert f"in {tmp_path}" in done.stderr
    assert "NUMBA_CACHE_DIR to another folder" in done.stderr
