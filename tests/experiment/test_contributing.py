"""The entries that CONTRIBUTING shows do what it says of them."""

import re
import tomllib
from pathlib import Path

import pytest

from pbow import Diagrams
from pbow.experiment import make_table, read_experiment, run_experiment
from pbow.io import write_diagrams

CONTRIBUTING = Path(__file__).parents[2] / "CONTRIBUTING.md"
TOML = re.compile(r"^```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)

experiment, descriptor, dataset = TOML.findall(CONTRIBUTING.read_text(encoding="utf-8"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with the two files that the new data set names."""
    [entry] = tomllib.loads(dataset)["datasets"].values()
    long_and_short = [[[0.0, 1.0 + k / 100], [0.1, 0.2 + k % 2]] for k in range(10)]
    write_diagrams(Diagrams.from_list(long_and_short), tmp_path / entry["diagrams"])
    (tmp_path / entry["labels"]).write_text("granite\nslate\n" * 5)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(folder, text):
    """Run an experiment; return its runs by key, and its table's rows of scores."""
    path = folder / "experiment.toml"
    path.write_text(text, encoding="utf-8")
    runs = run_experiment(path, folder / "results")
    scores = make_table(read_experiment(path), runs).split("**Seconds**")[0]
    rows = [line.strip("|").split("|") for line in scores.splitlines() if "|" in line]
    return runs, [[entry.strip() for entry in row] for row in rows]


def test_a_descriptor_is_one_entry_and_a_row(folder):
    before, _ = run(folder, experiment)
    after, rows = run(folder, experiment + descriptor)
    assert [row[0] for row in rows if row[1] == "here"] == ["PBoW", "Statistics"]
    assert before.items() <= after.items()
    assert {after[key].descriptor for key in after.keys() - before.keys()} == {
        "Statistics"
    }


def test_a_data_set_is_one_entry_and_a_column(folder):
    before, _ = run(folder, experiment)
    after, [header, _, *rows] = run(folder, experiment + dataset)
    assert header == ["Method", "Number", "smooth-or-rough", "Rocks"]
    assert before.items() <= after.items()
    assert {after[key].dataset for key in after.keys() - before.keys()} == {"rocks"}
    assert all("±" in score for score in rows[0][2:])


def test_both_entries_together_fill_the_whole_table(folder):
    _, [_, _, *rows] = run(folder, experiment + descriptor + dataset)
    here = [row for row in rows if row[1] == "here"]
    assert [row[0] for row in here] == ["PBoW", "Statistics"]
    assert all(
        re.fullmatch(r"(\*\*)?[\d.]+ ± [\d.]+(\*\*)?", s) for r in here for s in r[2:]
    )
