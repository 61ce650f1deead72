"""Refusals of items that need more memory than there is."""

import pytest

from pbow.errors import ItemMemoryError
from pbow.homology import _memory
from pbow.homology._memory import check_memory


@pytest.mark.parametrize(
    ("n_jobs", "message"),
    [
        (1, r"Cloud 1: it needs about 3 kB of memory; 2 kB are available\. Take less"),
        (2, r"Cloud 1: it needs about 3 kB of memory, and 5 kB in 2 threads; 2 kB are"),
        (9, r"Cloud 1: it needs about 3 kB of memory, and 6 kB in 3 threads; 2 kB are"),
    ],
)
def test_a_refusal_says_what_is_needed_and_what_there_is(monkeypatch, n_jobs, message):
    monkeypatch.setattr(_memory, "available_memory", lambda: 2000.0)
    with pytest.raises(ItemMemoryError, match=message):
        check_memory([1e3, 3e3, 2e3], noun="cloud", n_jobs=n_jobs, advice="Take less.")


def test_what_fits_is_not_refused(monkeypatch):
    monkeypatch.setattr(_memory, "available_memory", lambda: 5000.0)
    check_memory([1e3, 3e3, 2e3], noun="cloud", n_jobs=2, advice="Take less.")
    check_memory([], noun="cloud", n_jobs=2, advice="Take less.")
