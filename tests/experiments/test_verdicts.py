import math

import numpy as np
import pandas as pd
import pytest
from experiments.verdicts import (
    compare,
    interval,
    read_verdicts,
    spread,
    to_markdown,
    verdicts_of,
)
from scipy import stats

from pbow.experiment import Folder, read_experiment

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
        ((80.0, 3.4, 5), (80.0, 3.4, 5), "agrees"),  # 2.31 * 2.15 is less than 5
        ((80.0, 3.6, 5), (80.0, 3.6, 5), "undecided"),  # 2.31 * 2.28 is more than 5
        ((60.0, 6.0, 5), (80.0, 6.0, 5), "differs"),  # wide, but far
        ((80.0, 4.0, 5), (80.0, 4.0, 3), "undecided"),
        ((80.0, 0.0, 5), (80.0, 0.0, 5), "agrees"),
        ((80.0, 0.0, 5), (82.0, 0.0, 5), "differs"),
    ],
)
def test_a_cell_agrees_differs_or_is_undecided(here, paper, verdict):
    assert compare(here, paper)[2] == verdict


@pytest.mark.parametrize(
    "paper", [(30.0, math.nan, 5), (30.0, math.inf, 5), (30.0, 1.0, 1)]
)
def test_without_a_finite_error_a_cell_is_undecided(paper):
    difference, half_width, verdict = compare((80.0, 2.0, 5), paper)
    assert (difference, verdict) == (50.0, "undecided")
    assert math.isnan(half_width)


def test_the_interval_is_that_of_welchs_test():
    here, paper = np.array([80.0, 83.0, 77.0, 81.0, 79.0]), np.array([82.0, 90.0, 74.0])
    difference, half_width, _ = compare(
        *((values.mean(), values.std(ddof=1), len(values)) for values in (here, paper))
    )
    found = stats.ttest_ind(here, paper, equal_var=False).confidence_interval(0.95)
    assert difference == -2.0
    assert found.low == pytest.approx(difference - half_width)
    assert found.high == pytest.approx(difference + half_width)


def test_numbers_are_shown_with_what_is_known_of_them():
    assert spread(80.04, 1.26) == "80.0 ± 1.3"
    assert spread(80.04, math.nan) == "80.0"
    assert interval(-1.0, 2.5) == "-1.0 [-3.5, +1.5]"
    assert interval(-1.0, math.nan) == "-1.0"


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
    # Errors are sqrt(2.5 / 5) and sqrt(1 / 5); 6.7 degrees of freedom.
    assert kernel.difference == "-8.0 [-10.0, -6.0]"


def test_cells_that_are_not_complete_have_no_verdict(declared, make_up):
    runs = make_runs(make_up, declared)
    words = [key for key, r in runs.records.items() if r["descriptor"] == "PBoW"]
    runs.records.pop(words[0])
    assert verdicts_of(declared, runs, {}).method.tolist() == ["MK"]


@pytest.mark.parametrize(
    ("notes", "unknown"),
    [
        ({"synthetics": {"PBoW": "x"}}, "synthetics/PBoW"),
        ({"synthetic": {"PBow": "x", "MK": "x"}}, r"exp_a: synthetic/PBow\."),
        ({"geomat": {"PBoW": "x"}}, "geomat/PBoW"),  # a stand-in has no verdict
    ],
)
def test_notes_on_unknown_cells_are_refused_by_name(declared, make_up, notes, unknown):
    with pytest.raises(ValueError, match=unknown):
        verdicts_of(declared, make_runs(make_up, declared), notes)


def test_notes_on_unknown_experiments_are_refused_by_name(tmp_path):
    (tmp_path / "notes.toml").write_text("[exp_c.synthetic]\nPBoW = 'x'")
    with pytest.raises(ValueError, match=r"unknown experiments: exp_c\."):
        read_verdicts(tmp_path)


def test_without_results_it_says_how_to_make_them(tmp_path):
    with pytest.raises(FileNotFoundError, match="results of exp_a or exp_b; `make exp"):
        read_verdicts(tmp_path / "missing")


def test_verdicts_are_read_from_the_folders_of_results(declared, make_up, tmp_path):
    folder = Folder(tmp_path / "results" / "exp_a")
    folder.make(declared)
    make_runs(make_up, declared).frame.to_parquet(folder.table)
    (tmp_path / "results" / "notes.toml").write_text("exp_a.synthetic.MK = 'because'")
    found = read_verdicts(tmp_path / "results")
    assert found.why.tolist() == ["", "because"]


def test_the_table_counts_verdicts_per_data_set():
    row = dict.fromkeys(("method", "here", "paper", "difference", "linear"), "x")
    row |= {"nested": "x", "why": "", "data": "EXP-A, Synthetic"}
    rows = [row | {"verdict": v} for v in ("agrees", "agrees", "differs")]
    text = to_markdown(pd.DataFrame(rows))
    assert text.startswith("- EXP-A, Synthetic: 2 agrees, 1 differs (of 3)\n\n| Data")
