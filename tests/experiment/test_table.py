import csv
import io
import json
import re

import pytest
from tests.experiment.fake_runs import declared, made_up, over_budget

from pbow.experiment.table import make_powered_table, make_table

TEXT = """
title = "A | _B_ & <i>100%</i>"
repetitions = 5
[classifier]
finalists = 2
[datasets.synthetic]
title = "Synthetic"
shapes = {}
state_of_the_art = { score = 97.3, source = "Adams et al. 2017" }
[datasets.geomat]
title = "GeoMat stand-in"
load = "geomat-standin"
state_of_the_art = { score = 22.3, std = 0.8 }
[descriptors.Ours]
ours = true
title = "Ours, by *default*"
make = "PersistenceBoW"
[descriptors.PBoW]
make = "PersistenceBoW"
grid = { n_words = [10, 20, 30] }
[descriptors.PBoW.on.synthetic]
paper = { score = 98.0, std = 2.2, seconds = 1250.9, best = true }
optimum = { n_words = 20 }
[descriptors.PBoW.on.geomat]
paper = { score = 22.45, std = 0.0, seconds = 0.3, fastest = true }
[descriptors.PL]
make = "LandscapeKernel"
only = ["synthetic"]
on.synthetic.paper = { score = 95.1 }
"""


def score(name, params, repetition):
    """Ours is worst by far; of PBoW 20 words are best, PL ties with 30 of them."""
    if "Ours" in name:
        return 0.50 + repetition / 100
    bonus = {20: 0.02, 30: 0.01}.get(params.get("n_words", 30), 0.0)
    return 0.90 + bonus + (repetition % 2) * 0.02


@pytest.fixture
def experiment(tmp_path):
    return declared(tmp_path, TEXT)


@pytest.fixture
def runs(experiment):
    return made_up(experiment, score)


def rows_of(markdown, title):
    """Return the cells of a table of the Markdown text, a list a line."""
    [_, after] = markdown.split(f"**{title}**\n\n")
    lines = after.split("\n\n")[0].splitlines()
    assert len({len(line) for line in lines}) == 1  # columns are aligned
    cells = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines
    ]
    return [row for row in cells if not set(row[0]) >= {"-"}]


def test_scores_stand_above_the_papers_and_ours_below_all(experiment, runs):
    assert rows_of(make_table(experiment, runs), "Scores") == [
        ["Method", "Number", "Synthetic", "GeoMat stand-in"],
        ["PBoW", "here", "**92.8 ± 1.1**", "**92.8 ± 1.1**"],
        ["", "test-chosen", "92.8 ± 1.1", "92.8 ± 1.1"],
        ["", "paper", "**98.0 ± 2.2**", "22.45 ± 0.0 †"],
        ["PL", "here", "91.8 ± 1.1", "-"],
        ["", "paper", "95.1", "-"],
        [r"Ours, by \*default\*", "here", "52.0 ± 1.6", "52.0 ± 1.6"],
        ["SoA", "cited", "97.3 Adams et al. 2017", "22.3 ± 0.8 †"],
    ]


def test_seconds_are_of_the_representation_and_the_fastest_is_bold(experiment, runs):
    fit = {"PL": 1234.5, "PBoW": 0.004, "Ours": 12.34}
    for run in runs.values():
        run.seconds.update(fit=fit[run.descriptor], encode=0.0)
    assert rows_of(make_table(experiment, runs), "Seconds") == [
        ["Method", "Number", "Synthetic", "GeoMat stand-in"],
        ["PBoW", "here", "**0.004**", "**0.004**"],
        ["", "paper", "1,250.9", "**0.3 †**"],
        ["PL", "here", "1,234", "-"],
        [r"Ours, by \*default\*", "here", "12.3", "12.3"],
    ]


def test_a_cell_that_is_not_complete_has_no_number(experiment):
    runs = made_up(experiment, score, without=["synthetic/PBoW", "geomat/PBoW"])
    cell = experiment.cell("geomat", "PBoW")
    runs |= over_budget(experiment, cell, "over 45 minutes, and 43%")
    text = make_table(experiment, runs)
    status = ["0 of 15 runs", "over budget: 0 of 15 runs"]
    assert rows_of(text, "Scores")[1:3] == [
        ["PBoW", "here", *status],
        ["", "test-chosen", "-", "-"],
    ]
    assert rows_of(text, "Seconds")[1] == ["PBoW", "here", *status]
    assert "PBoW on GeoMat stand-in (over 45 minutes, and 43%)" in text


def test_markdown_escapes_only_what_would_be_markup(experiment, runs):
    text = make_table(experiment, runs)
    assert text.startswith("# A \\| \\_B\\_ & \\<i>100%\\</i>\n")
    assert "at p < 0.1" in text


def test_latex_has_both_tables_and_escapes(experiment, runs):
    text = make_table(experiment, runs, "latex")
    for kind in ("table*", "tabular"):
        assert text.count(rf"\begin{{{kind}}}") == text.count(rf"\end{{{kind}}}") == 2
    assert r"\textbf{\boldmath 92.8 \ensuremath{\pm} 1.1}" in text
    assert r"A \ensuremath{|} \_B\_ \& \ensuremath{<}i\ensuremath{>}100\%" in text
    assert r"22.45 \ensuremath{\pm} 0.0 \ensuremath{^\dagger}" in text
    # Every row has as many entries as there are columns, and no sign is left over.
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {3}
    assert text.isascii()
    assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")
    # Paper's methods, ours, and what is cited; the seconds have nothing cited.
    assert text.count(r"\midrule") == 3 + 2


def lines_of(text):
    lines = csv.DictReader(io.StringIO(text))
    return {(line["dataset"], line["descriptor"]): line for line in lines}


def test_csv_has_every_number_of_a_cell(experiment, runs):
    line = lines_of(make_table(experiment, runs, "csv"))["synthetic", "PBoW"]
    assert line["status"] == "complete"
    assert float(line["accuracy_mean"]) == pytest.approx(92.8)
    assert float(line["test_chosen_mean"]) == pytest.approx(92.8)
    assert (line["paper_score"], line["paper_std"]) == ("98.0", "2.2")
    assert (line["seconds"], line["paper_seconds"]) == ("1.5", "1250.9")
    assert (line["best"], line["marked"], line["fastest"]) == ("True", "True", "False")
    assert json.loads(line["params"]) == [{"n_words": 20}] * 5
    assert json.loads(line["test_chosen_params"]) == {"n_words": 20}
    assert json.loads(line["costs"]) == [10.0] * 5
    assert json.loads(line["paper_optimum"]) == {"n_words": 20}
    assert json.loads(line["accuracies"]) == pytest.approx([92, 94, 92, 94, 92])
    # 15 screenings of 6 fits, 10 final runs of 26; each met the cap once.
    assert (line["n_fits"], line["n_capped"]) == ("350", "25")


def test_csv_has_the_parameters_of_both_ways_to_choose(experiment):
    def changing(name, params, repetition):
        del name
        return 0.9 if params.get("n_words") == (10 if repetition == 0 else 30) else 0.5

    text = make_table(experiment, made_up(experiment, changing), "csv")
    line = lines_of(text)["synthetic", "PBoW"]
    chosen = [params["n_words"] for params in json.loads(line["params"])]
    assert chosen == [10, 30, 30, 30, 30]
    assert json.loads(line["test_chosen_params"]) == {"n_words": 30}
    assert float(line["accuracy_mean"]) == pytest.approx(90)
    assert float(line["test_chosen_mean"]) == pytest.approx(82)


def test_csv_has_p_values_and_the_test_they_are_of(experiment, runs):
    lines = lines_of(make_table(experiment, runs, "csv"))
    other = lines["synthetic", "Ours"]
    assert (other["p_value"], other["test"]) == ("0.0625", "Wilcoxon signed-rank")
    assert (other["marked"], other["ours"]) == ("False", "True")


def test_csv_of_a_cell_that_is_not_complete_has_no_number(experiment):
    line = lines_of(make_table(experiment, {}, "csv"))["geomat", "PBoW"]
    assert line["status"] == "0 of 15 runs"
    assert line["stand_in_for"] == "GeoMat"
    unknown = ("accuracy_mean", "seconds", "p_value", "best", "params", "test")
    assert {line[name] for name in unknown} == {""}
    assert line["paper_score"] == "22.45"


def test_csv_keeps_what_the_paper_cites(experiment, runs):
    line = lines_of(make_table(experiment, runs, "csv"))["geomat", "SoA"]
    assert (line["status"], line["paper_score"], line["paper_std"]) == (
        "cited",
        "22.3",
        "0.8",
    )


def test_the_powered_table_has_p_values_against_the_best(tmp_path):
    experiment = declared(tmp_path, TEXT.replace("repetitions = 5", "repetitions = 8"))
    runs = made_up(experiment, score)
    text = make_powered_table(experiment, runs)
    assert rows_of(text, "Scores") == [
        ["Method", "Number", "Synthetic", "GeoMat stand-in"],
        ["PBoW", "here", "**93.0 ± 1.1**", "**93.0 ± 1.1**"],
        ["", "p", "best", "best"],
        ["", "test-chosen", "93.0 ± 1.1", "93.0 ± 1.1"],
        ["", "paper", "**98.0 ± 2.2**", "22.45 ± 0.0 †"],
        ["PL", "here", "92.0 ± 1.1", "-"],
        ["", "p", "< 0.001", "-"],
        ["", "paper", "95.1", "-"],
        [r"Ours, by \*default\*", "here", "53.5 ± 2.4", "53.5 ± 2.4"],
        ["", "p", "< 0.001", "< 0.001"],
        ["SoA", "cited", "97.3 Adams et al. 2017", "22.3 ± 0.8 †"],
    ]
    assert "Wilcoxon" not in text
    line = lines_of(make_powered_table(experiment, runs, "csv"))["synthetic", "PL"]
    assert (line["test"], line["p_value"]) == ("corrected resampled t", "0.0")


def test_a_p_value_that_is_not_tiny_has_three_decimals(tmp_path):
    experiment = declared(tmp_path, TEXT.replace("repetitions = 5", "repetitions = 8"))

    def near(name, params, repetition):
        return score(name, params, repetition) - 0.05 * (
            "PL" in name and repetition < 1
        )

    rows = rows_of(make_powered_table(experiment, made_up(experiment, near)), "Scores")
    assert re.fullmatch(r"0\.\d{3}", rows[6][2])
    assert rows[5][2].startswith("**")


def test_a_format_that_is_not_known_is_refused(experiment):
    with pytest.raises(ValueError, match="format to be one of 'csv', 'latex'"):
        make_table(experiment, {}, "html")
