import os
from math import inf

import pytest

from pbow._utils import memory
from pbow._utils.memory import available_memory
from pbow.homology import _memory
from pbow.homology._memory import check_memory


@pytest.fixture
def system(monkeypatch, tmp_path):
    """An operating system without files: call it with those to write."""
    monkeypatch.setattr(memory, "PROC", tmp_path / "proc")
    monkeypatch.setattr(memory, "CGROUPS", tmp_path / "cgroup")

    def write(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    return write


MEMINFO = "MemTotal: 9000 kB\nMemFree: 10 kB\nMemAvailable:    8000 kB\n"


@pytest.mark.skipif(os.name != "posix", reason="other systems do not tell")
def test_some_memory_is_there():
    assert 0 < available_memory() < inf


def test_without_a_container_it_is_what_the_machine_has(system):
    system({"proc/meminfo": MEMINFO})
    assert available_memory() == 8000 * 1024


def test_the_limit_of_a_container_counts(system):
    system(
        {
            "proc/meminfo": MEMINFO,
            "proc/self/cgroup": "0::/\n",
            "cgroup/memory.max": "1000000\n",
            "cgroup/memory.current": "300000\n",
            "cgroup/memory.stat": "anon 200000\ninactive_file 50000\nfile 90000\n",
        }
    )
    # Copies of files give way.
    assert available_memory() == 1_000_000 - 300_000 + 50_000


def test_the_limits_of_groups_around_count_too(system):
    system(
        {
            "proc/meminfo": MEMINFO,
            "proc/self/cgroup": "0::/jobs/mine\n",
            "cgroup/jobs/mine/memory.max": "max\n",
            "cgroup/jobs/mine/memory.current": "100\n",
            "cgroup/jobs/memory.max": "5000\n",
            "cgroup/jobs/memory.current": "1000\n",
        }
    )
    assert available_memory() == 4000


def test_control_groups_of_the_first_version_are_known(system):
    system(
        {
            "proc/meminfo": MEMINFO,
            "proc/self/cgroup": "5:cpu,cpuacct:/x\n4:memory:/box/of/host\n0::/\n",
            # In the container, its own group is the root.
            "cgroup/memory/memory.limit_in_bytes": "7000\n",
            "cgroup/memory/memory.usage_in_bytes": "2000\n",
            "cgroup/memory/memory.stat": "total_inactive_file 500\n",
        }
    )
    assert available_memory() == 5500


def test_no_limit_leaves_what_the_machine_has(system):
    system(
        {
            "proc/meminfo": MEMINFO,
            "proc/self/cgroup": "4:memory:/\n",
            "cgroup/memory/memory.limit_in_bytes": f"{2**63 - 4096}\n",
            "cgroup/memory/memory.usage_in_bytes": "2000\n",
        }
    )
    assert available_memory() == 8000 * 1024


def test_more_used_than_allowed_is_nothing_left(system):
    system(
        {
            "proc/self/cgroup": "0::/\n",
            "cgroup/memory.max": "1000\n",
            "cgroup/memory.current": "3000\n",
        }
    )
    assert available_memory() == 0


def test_where_nothing_is_told_it_is_all_the_machine_has(system, monkeypatch):
    system({})
    pages = {"SC_PHYS_PAGES": 10, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(memory.os, "sysconf", pages.__getitem__, raising=False)
    assert available_memory() == 40_960


def test_where_nobody_knows_there_is_no_limit(system, monkeypatch):
    system({})
    monkeypatch.delattr(memory.os, "sysconf", raising=False)
    assert available_memory() == inf
    check_memory([1e30], noun="cloud", n_jobs=1, advice="")


@pytest.mark.parametrize(
    ("n_jobs", "message"),
    [
        (1, r"Cloud 1 needs about 3 kB of memory; 2 kB are available\. Take less\."),
        (2, r"Cloud 1 needs about 3 kB of memory, and 5 kB in 2 threads; 2 kB are"),
        (9, r"Cloud 1 needs about 3 kB of memory, and 6 kB in 3 threads; 2 kB are"),
    ],
)
def test_a_refusal_says_what_is_needed_and_what_there_is(monkeypatch, n_jobs, message):
    monkeypatch.setattr(_memory, "available_memory", lambda: 2000.0)
    with pytest.raises(MemoryError, match=message):
        check_memory([1e3, 3e3, 2e3], noun="cloud", n_jobs=n_jobs, advice="Take less.")


def test_what_fits_is_not_refused(monkeypatch):
    monkeypatch.setattr(_memory, "available_memory", lambda: 5000.0)
    check_memory([1e3, 3e3, 2e3], noun="cloud", n_jobs=2, advice="Take less.")
    check_memory([], noun="cloud", n_jobs=2, advice="Take less.")
