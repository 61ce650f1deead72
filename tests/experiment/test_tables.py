import numpy as np
import pandas as pd
import pytest
from scipy import stats

from pbow.experiment.tables import facts, make_tables, readable_tables, summarize

TEXT = """
title = "Two methods & <one> more"
caption = "What a reader must know."
repetitions = 5
[datasets.one]
title = "One_1"
surfaces = { n_diagrams = 20 }
state_of_the_art = { accuracy = 90.0, source = "Somebody" }
[datasets.two]
load = "geomat-standin"
title = "GeoMat stand-in"
[descriptors.PBoW]
make = "PersistenceBoW"
on.one.paper = { accuracy = 81.0, std = 1.5, seconds = 1234.5 }
[descriptors.MK]
make = "MultiScaleKernel"
params = { output = "distance" }
[descriptors.Statistics]
make = "PersistenceStatistics"
ours = true
"""
# By descriptor and classifier.
MEANS = {
    ("PBoW", "distance"): 0.80,
    ("PBoW", "linear"): 0.60,
    ("MK", "distance"): 0.79,
    ("Statistics", "distance"): 0.70,
    ("Statistics", "linear"): 0.70,
}
PLACE = ["dataset", "descriptor", "classifier"]


def score(task, classifier):
    """Return validation and accuracy."""
    # MK is ahead in one split of five, so that it differs from PBoW by chance alone.
    shift = 0.01 * task.repetition * (1 if task.cell.descriptor.name == "MK" else -1)
    return 0.5, MEANS[task.cell.descriptor.name, classifier] + shift


@pytest.fixture
def declared(read):
    return read(TEXT)


@pytest.fixture
def runs(declared, make_up):
    return make_up(declared, score)


def test_the_summary_has_means_deviations_and_the_papers_numbers(declared, runs):
    summary = summarize(declared, runs).set_index(PLACE)
    row = summary.loc["one", "PBoW", "distance"]
    values = 100.0 * (0.80 - 0.01 * np.arange(5))
    assert row.nested_mean == pytest.approx(values.mean())
    assert row.nested_std == pytest.approx(values.std(ddof=1))
    assert row.test_chosen_mean == pytest.approx(values.mean())
    assert row.seconds == pytest.approx(1.5)
    assert (row.paper_accuracy, row.paper_std, row.paper_runs) == (81.0, 1.5, 5)
    assert pd.isna(summary.loc["two", "PBoW", "linear"].paper_accuracy)
    assert summary.loc["two", "PBoW", "linear"].stand_in_for == "GeoMat"
    assert set(summary.status) == {"complete"}


def test_five_splits_are_compared_by_the_signed_rank_test(declared, runs):
    one = summarize(declared, runs).set_index(PLACE).loc["one"]
    assert one.loc[("MK", "distance"), "p_value"] == 1.0  # the best, 81
    assert one.loc[("PBoW", "linear"), "p_value"] == 0.0625
    # PBoW is behind in 4 of 5 splits, p = 0.125.
    marked = [("PBoW", "distance"), ("MK", "distance")]
    assert one[one.marked].index.tolist() == marked


def test_more_splits_are_compared_by_the_corrected_t_test(read, make_up):
    declared = read(TEXT.replace("repetitions = 5", "repetitions = 20"))
    noise = np.random.default_rng(0).normal(0.0, 0.02, size=20)

    def noisy(task, classifier):
        mean = MEANS[task.cell.descriptor.name, classifier]
        return 0.5, mean + (classifier == "linear") * noise[task.repetition]

    p = summarize(declared, make_up(declared, noisy)).set_index(PLACE).p_value
    differences = 20.0 - 100.0 * noise
    variance = differences.var(ddof=1) * (1 / 20 + 20 / 80)
    expected = 2.0 * stats.t.sf(differences.mean() / np.sqrt(variance), 19)
    assert p["one", "PBoW", "linear"] == pytest.approx(expected)


def test_the_tables_have_ours_beside_the_papers(declared, runs):
    nested, tested, seconds = readable_tables(declared, runs)
    assert list(nested.entries.columns) == ["One_1", "GeoMat stand-in"]
    assert nested.entries.loc[("PBoW", "distance"), "One_1"] == "78.0 ± 1.6"
    assert nested.bold.loc[("MK", "distance"), "One_1"]
    assert not nested.bold.loc[("PBoW", "linear"), "One_1"]
    assert tested.entries["One_1"].to_dict() == {
        ("PBoW", "distance"): "78.0 ± 1.6",
        ("PBoW", "linear"): "58.0 ± 1.6",
        ("PBoW", "paper"): "81.0 ± 1.5",
        ("MK", "distance"): "81.0 ± 1.6",
        ("State of the art", "cited"): "90.0 (Somebody)",
    }
    assert tested.entries.loc[("PBoW", "paper"), "GeoMat stand-in"] == ""
    assert seconds.entries["One_1"].to_dict() == {
        ("PBoW", "here"): "1.5",
        ("PBoW", "paper"): "1,234.5",
        ("MK", "here"): "1.5",
        ("Statistics", "here"): "1.5",
    }


def test_markdown_latex_and_csv(declared, runs):
    text = make_tables(declared, runs)
    assert text.startswith("# Two methods & <one> more\n\n**Accuracy (%), nested")
    assert "**81.0 ± 1.6**" in text
    assert text.endswith(f"\n\nWhat a reader must know.\n\n{facts(runs)}\n")
    text = make_tables(declared, runs, "latex")
    assert r"One\_1" in text
    assert r"\bfseries 81.0 $\pm$ 1.6" in text
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 3
    header, *rows = make_tables(declared, runs, "csv").splitlines()
    assert len(rows) == 10
    assert {"nested_mean", "p_value", "paper_seconds"} <= {*header.split(",")}
    with pytest.raises(ValueError, match="markdown"):
        make_tables(declared, runs, "docx")


def test_columns_of_too_few_splits_say_why_all_is_bold(read, make_up):
    declared = read(TEXT.replace('title = "One_1"', 'title = "One_1"\nrepetitions = 4'))
    runs = make_up(declared, score)
    assert readable_tables(declared, runs)[0].bold["One_1"].all()
    said = "no difference can be significant: every entry is bold (One_1)."
    assert said in make_tables(declared, runs)
    assert said not in make_tables(read(TEXT), runs)


def test_a_cell_without_a_result_says_how_far_it_is_or_why_it_failed(declared, runs):
    left = dict(list(runs.items())[2:])
    for record in left.values():
        if record["descriptor"] == "Statistics":
            record |= {"scores": {}, "error": "no such thing"}
    entries = readable_tables(declared, left)[0].entries["One_1"]
    assert entries["PBoW", "distance"] == "3 of 5 runs"
    assert entries["Statistics", "distance"] == "failed: no such thing"
    nothing = readable_tables(declared, {})
    assert set(nothing[0].entries["One_1"]) == {"0 of 5 runs"}
    assert set(nothing[2].entries["GeoMat stand-in"]) == {""}


def test_the_facts_count_fits_and_name_the_code(runs):
    text = facts(runs)
    assert text.startswith(f"30 runs in 8 core-minutes with {26 * 10 * 5:,} support")
    assert "3.8% stopped" in text
    assert "Code: 0123456789ab." in text
