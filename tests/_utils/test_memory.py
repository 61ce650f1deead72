import os
from math import inf

import pytest

from pbow._utils import memory
from pbow._utils.memory import available_memory


@pytest.fixture
def available(tmp_path):
    """Return what is available on a system that has these files only."""

    def write_and_read(files):
        for name, text in files.items():
            path = tmp_path / name.replace("cgroup/", "sys/fs/cgroup/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return available_memory(tmp_path)

    return write_and_read


MEMINFO = "MemTotal: 9000 kB\nMemFree: 10 kB\nMemAvailable:    8000 kB\n"


@pytest.mark.skipif(os.name != "posix", reason="other systems do not tell")
def test_some_memory_is_there():
    assert 0 < available_memory() < inf


MACHINE = {"proc/meminfo": MEMINFO}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        pytest.param(MACHINE, 8000 * 1024, id="no container"),
        pytest.param(
            MACHINE
            | {
                "proc/self/cgroup": "0::/\n",
                "cgroup/memory.max": "1000000\n",
                "cgroup/memory.current": "300000\n",
                "cgroup/memory.stat": "anon 200000\ninactive_file 50000\nfile 90000\n",
            },
            1_000_000 - 300_000 + 50_000,
            id="copies of files give way",
        ),
        pytest.param(
            MACHINE
            | {
                "proc/self/cgroup": "0::/jobs/mine\n",
                "cgroup/jobs/mine/memory.max": "max\n",
                "cgroup/jobs/mine/memory.current": "100\n",
                "cgroup/jobs/memory.max": "5000\n",
                "cgroup/jobs/memory.current": "1000\n",
            },
            4000,
            id="limit of a group around",
        ),
        pytest.param(
            MACHINE
            | {
                "proc/self/cgroup": "5:cpu,cpuacct:/x\n4:memory:/box/of/host\n0::/\n",
                # In the container, its own group is the root.
                "cgroup/memory/memory.limit_in_bytes": "7000\n",
                "cgroup/memory/memory.usage_in_bytes": "2000\n",
                "cgroup/memory/memory.stat": "total_inactive_file 500\n",
            },
            5500,
            id="first version of control groups",
        ),
        pytest.param(
            MACHINE
            | {
                "proc/self/cgroup": "4:memory:/\n",
                "cgroup/memory/memory.limit_in_bytes": f"{2**63 - 4096}\n",
                "cgroup/memory/memory.usage_in_bytes": "2000\n",
            },
            8000 * 1024,
            id="no limit",
        ),
        pytest.param(
            {
                "proc/self/cgroup": "0::/\n",
                "cgroup/memory.max": "1000\n",
                "cgroup/memory.current": "3000\n",
            },
            0,
            id="more used than allowed",
        ),
    ],
)
def test_the_lowest_limit_counts(available, files, expected):
    assert available(files) == expected


def test_where_nothing_is_told_it_is_all_the_machine_has(available, monkeypatch):
    pages = {"SC_PHYS_PAGES": 10, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(memory.os, "sysconf", pages.__getitem__, raising=False)
    assert available({}) == 40_960


def test_where_nobody_knows_there_is_no_limit(available, monkeypatch):
    monkeypatch.delattr(memory.os, "sysconf", raising=False)
    assert available({}) == inf
