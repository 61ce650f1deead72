import threading
import time
from itertools import pairwise

import numpy as np
import pytest

from pbow._utils.threads import WORTH_A_THREAD, for_each_block


def blocks_of(sizes, n_jobs, nanoseconds_per_point=WORTH_A_THREAD):
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    seen, lock = [], threading.Lock()

    def run(first, last):
        with lock:
            seen.append((first, last))

    for_each_block(
        run, offsets, nanoseconds_per_point=nanoseconds_per_point, n_jobs=n_jobs
    )
    return sorted(seen)


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 4, -1])
@pytest.mark.parametrize(
    "sizes", [[], [5], [0] * 50, [1] * 100, [1000] + [0] * 20, [0, 0, 7, 100, 3]]
)
def test_blocks_cover_every_diagram_once(sizes, n_jobs):
    blocks = blocks_of(sizes, n_jobs)
    assert blocks[0][0] == 0
    assert blocks[-1][1] == len(sizes)
    assert all(a[1] == b[0] for a, b in pairwise(blocks))


def test_small_work_stays_on_one_thread():
    assert len(blocks_of([10] * 100, 4, nanoseconds_per_point=10.0)) == 1
    assert len(blocks_of([10] * 100, 4)) > 4


def test_blocks_are_balanced_by_points():
    blocks = blocks_of([1000, *[1] * 1000], 2)
    assert (0, 1) in blocks


def test_an_error_in_a_thread_reaches_the_caller():
    def run(first, last):
        raise MemoryError

    with pytest.raises(MemoryError):
        for_each_block(
            run, np.arange(100), nanoseconds_per_point=WORTH_A_THREAD, n_jobs=2
        )


@pytest.mark.parametrize("in_caller", [True, False])
def test_after_an_error_the_other_threads_stop(in_caller):
    caller, seen = threading.get_ident(), []

    def run(first, last):
        if (threading.get_ident() == caller) == in_caller:
            raise KeyboardInterrupt
        seen.append(first)
        time.sleep(0.05)

    with pytest.raises(KeyboardInterrupt):
        for_each_block(
            run, np.arange(1000), nanoseconds_per_point=WORTH_A_THREAD, n_jobs=8
        )
    # Of 32 blocks, no thread got as far as a third.
    assert len(seen) <= 14
