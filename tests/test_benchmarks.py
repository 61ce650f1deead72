"""The benchmarks run, on very little, and every contender gives pbow's result.

Nothing here asks how long anything takes.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent
if not (ROOT / "benchmarks").is_dir():
    pytest.skip("needs benchmarks/, which only a clone has", allow_module_level=True)
sys.path.insert(0, str(ROOT))

from benchmarks import (  # noqa: E402
    bow,
    elsewhere,
    family,
    gram,
    images,
    landscapes,
    learning,
    resolutions,
    sampling,
    scaling,
    stable,
    statistics,
    wasserstein,
)
from benchmarks.__main__ import BENCHMARKS, main  # noqa: E402
from benchmarks.agreement import same_counts  # noqa: E402
from benchmarks.report import Table, race_table, render, write_report  # noqa: E402
from benchmarks.settings import Settings  # noqa: E402
from benchmarks.timing import Contender, Verdict, plain_read, race  # noqa: E402
from benchmarks.workloads import workload  # noqa: E402


@pytest.fixture
def tiny(tmp_path):
    return Settings(shrink=2000, seconds=0.0, seeds=2, repeats=1, output=tmp_path)


@pytest.fixture
def without_faiss(monkeypatch):
    # None makes the import fail as if the package were not there.
    monkeypatch.setitem(sys.modules, "faiss", None)


def test_workloads_are_the_same_in_every_run(tiny):
    for name in ("W1", "W2", "W3"):
        X = workload(name, tiny)
        workload.cache_clear()
        assert workload(name, tiny) == X
        assert np.isfinite(X.points).all()


def test_all_ways_to_count_words_agree(tiny, without_faiss, monkeypatch):
    monkeypatch.setattr(bow, "CASES", [("W1", 10), ("W3", 10)])
    for table in bow.benchmark(tiny):
        assert table.failures == []
        peers = {row[0]: row[-1] for row in table.rows}
        assert peers["scipy cKDTree, once"] == "same counts"
        assert "not installed" in peers["faiss IndexFlatL2, float32"]


@pytest.mark.parametrize(
    "benchmark",
    [
        *(m.benchmark for m in (gram, images, landscapes, statistics, wasserstein)),
        *(sampling.benchmark_sample, sampling.benchmark_pipeline),
        learning.benchmark_mixture,
    ],
    ids=lambda benchmark: f"{benchmark.__module__}.{benchmark.__name__}",
)
def test_the_compared_approaches_agree_with_their_peers(tiny, benchmark):
    for table in benchmark(tiny):
        assert table.failures == []
        assert len(table.rows) > 1


# Of the wrappers that faiss was generated with.
@pytest.mark.filterwarnings("ignore:builtin type:DeprecationWarning")
def test_faiss_agrees_but_for_ties(tiny, monkeypatch):
    pytest.importorskip("faiss", reason="needs faiss-cpu: make bench installs it")
    monkeypatch.setattr(bow, "CASES", [("W1", 10)])
    (table,) = bow.benchmark(tiny)
    assert table.failures == []
    peers = {row[0]: row[-1] for row in table.rows}
    assert peers["faiss IndexFlatL2, float32"].startswith("same")


@pytest.mark.parametrize("covariance", ["diag", "full"])
def test_all_ways_to_add_up_likelihoods_agree(tiny, covariance, monkeypatch):
    monkeypatch.setattr(stable, "CASES", [("W1", covariance)])
    monkeypatch.setattr(stable, "N_WORDS", 10)
    (table,) = stable.benchmark(tiny)
    assert table.failures == []


def test_mixtures_of_several_resolutions_agree(tiny, monkeypatch):
    monkeypatch.setattr(resolutions, "WORKLOADS", ["W1"])
    monkeypatch.setattr(resolutions, "SIZES", (2, 5))
    tables = resolutions.benchmark(tiny)
    assert [table.failures for table in tables] == [[]] * 4
    assert [len(table.rows) for table in tables] == [4, 4, 4, 2]


def test_all_ways_to_sum_residuals_and_gradients_agree(tiny, monkeypatch):
    monkeypatch.setattr(family, "WORKLOADS", ["W1"])
    monkeypatch.setattr(family, "N_WORDS", 10)
    for table in family.benchmark(tiny):
        assert table.failures == []
        assert len(table.rows) > 3


def test_contenders_take_turns(tiny):
    turns = []
    names = ["a", "b", "c"]
    timings = race([Contender(n, lambda n=n: turns.append(n)) for n in names], tiny)
    assert [t.rounds for t in timings] == [4, 4, 4]
    assert turns == names * 5  # the first round warms up


def test_a_contender_that_cannot_be_had_says_why(tiny):
    contenders = [Contender("a", list), Contender("b", None, note="not for today")]
    table = race_table("A race", race(contenders, tiny), 1)
    assert table.rows[1] == ["b", None, None, None, None, None, "not for today"]


def test_a_share_of_the_data_is_scaled_up(tiny, monkeypatch):
    monkeypatch.setattr("benchmarks.timing._seconds", lambda contender, resident: 2.0)
    whole, tenth = race([Contender("a", list), Contender("b", list, share=0.1)], tiny)
    assert (whole.seconds, tenth.seconds) == (2.0, 20.0)


def test_the_plain_read_reads_all(ragged):
    expected = ragged.points.view(np.int64).sum()
    assert plain_read(ragged).run() == expected


def test_moved_points_are_counted():
    ours = np.sqrt([[0.5, 0.5], [1.0, 0.0]])
    theirs = np.sqrt([[0.5, 0.5], [0.9, 0.1]])
    verdict = same_counts(ours, theirs, np.array([10, 30]), 0.0)
    assert verdict == (False, "same but for 3 of 40 points")


def test_the_report_names_what_differs(tmp_path):
    timings = race(
        [
            Contender("pbow", list),
            Contender("peer", list, lambda result: Verdict(same=False, text="other")),
        ],
        Settings(seconds=0.0),
    )
    tables = [race_table("A race", timings, 10), Table("Other", ["a"], [[0.12345]])]
    text = write_report(tmp_path, {"cores": "2"}, tables).read_text(encoding="utf-8")
    assert "- A race: peer: other" in text
    assert "| 0.123 |" in text
    stored = json.loads((tmp_path / "latest.json").read_text(encoding="utf-8"))
    assert stored["tables"][1]["rows"] == [[0.12345]]


def test_a_run_writes_its_report_and_fails_where_results_differ(tmp_path, monkeypatch):
    table = Table("A race", ["a"], [[1]], failures=["A race: peer: other"])
    monkeypatch.setitem(BENCHMARKS, "bow", lambda settings: [table])
    assert main(["--quick", "--only", "bow", "--output", str(tmp_path)]) == 1
    assert "## A race" in (tmp_path / "latest.md").read_text(encoding="utf-8")


def test_the_exponent_of_a_power_is_found():
    sizes = [10.0, 100.0, 1000.0]
    assert scaling.exponent(sizes, [3.0 * n**1.5 for n in sizes]) == pytest.approx(1.5)


def test_a_reason_holds_no_path():
    error = OSError("ERROR: no file at /some/where/here or https://some.host/index")
    assert elsewhere._reason(error) == "ERROR: no file at … or …"


def test_a_report_without_races_has_no_summary():
    assert "Summary" not in render({}, [Table("Other", ["a"], [[None]])])
