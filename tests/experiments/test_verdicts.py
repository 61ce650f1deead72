import pandas as pd
import pytest
from experiments.verdicts import compare, to_markdown, verdicts_of

from pbow.experiment import read_experiment

TEXT = """
name = "exp_a"
[datasets.synthetic]
title = "Synthetic"
load = "synthetic-authors-7"
[datasets.geomat]
title = "GeoMat stand-in"
load = "geomat-standin"
[descriptors.PBoW]
make = "PersistenceBoW"
on.synthetic.paper = { accuracy = 80.0, std = 1.0 }
on.geomat.paper = { accuracy = 80.0, std = 1.0 }
[descriptors.MK]
make = "MultiScaleKernel"
params = { output = "distance" }
on.synthetic.paper = { accuracy = 90.0, std = 1.0 }
"""


@pytest.mark.parametrize(
    ("here", "paper", "verdict"),
    [
        ((80.0, 2.0, 5), (81.0, 2.0, 5), "agrees"),  # 1.0 is less than 1.5 points
        ((80.0, 2.0, 5), (82.4, 2.0, 5), "agrees"),  # within two standard errors, 2.53
        ((80.0, 2.0, 5), (82.6, 2.0, 5), "differs"),
        ((80.0, 0.1, 5), (81.4, 0.1, 5), "agrees"),  # certain, and small
        ((80.0, 0.1, 5), (81.6, 0.1, 5), "differs"),
        ((80.0, 6.0, 5), (80.0, 6.0, 5), "undecided"),  # 1.96 * 3.79 is more than 5
        ((60.0, 6.0, 5), (80.0, 6.0, 5), "differs"),  # wide, but far
        ((80.0, 4.0, 5), (80.0, 4.0, 3), "undecided"),
    ],
)
def test_a_cell_agrees_differs_or_is_undecided(here, paper, verdict):
    assert compare(here, paper)[2] == verdict


def test_the_interval_is_of_the_difference_of_two_means():
    difference, half_width, _ = compare((80.0, 3.0, 9), (82.0, 4.0, 4))
    assert difference == -2.0
    assert half_width == pytest.approx(1.96 * (1.0 + 4.0) ** 0.5)


@pytest.fixture
def declared(tmp_path):
    (tmp_path / "exp_a.toml").write_text(TEXT)
    return read_experiment(tmp_path / "exp_a.toml")


def make_runs(make_up, declared):
    values = {"distance": 0.80, "linear": 0.70}
    return make_up(
        declared, lambda task, name: (0.5, values[name] + 0.01 * task.repetition)
    )


def test_stand_ins_have_no_verdict_and_linear_stands_beside(declared, make_up):
    notes = {"synthetic": {"MK": "because"}}
    found = verdicts_of(declared, make_runs(make_up, declared), notes)
    assert found.method.tolist() == ["PBoW", "MK"]
    words, kernel = found.itertuples()
    assert (words.here, words.paper, words.linear) == (
        "82.0 ± 1.6",
        "80.0 ± 1.0",
        "72.0 ± 1.6",
    )
    assert (words.verdict, words.why) == ("differs", "")
    assert (kernel.verdict, kernel.why, kernel.linear) == ("differs", "because", "")
    assert kernel.difference == "-8.0 [-9.6, -6.4]"


def test_cells_that_are_not_complete_have_no_verdict(declared, make_up):
    runs = make_runs(make_up, declared)
    words = [key for key, r in runs.records.items() if r["descriptor"] == "PBoW"]
    runs.records.pop(words[0])
    assert verdicts_of(declared, runs, {}).method.tolist() == ["MK"]


def test_the_table_counts_verdicts_per_data_set():
    row = dict.fromkeys(("method", "here", "paper", "difference", "linear"), "x")
    row |= {"nested": "x", "why": "", "data": "EXP-A, Synthetic"}
    rows = [row | {"verdict": v} for v in ("agrees", "agrees", "differs")]
    text = to_markdown(pd.DataFrame(rows))
    assert text.startswith("- EXP-A, Synthetic: 2 agrees, 1 differs (of 3)\n\n| Data")
