import pytest
from tests.experiment.fake_runs import declared, made_up

from pbow.experiment.sheets import is_powered, paper_table, powered_table

TEXT = """
repetitions = 5
[datasets.synthetic]
shapes = {}
state_of_the_art = { score = 97.3 }
[descriptors.Ours]
ours = true
title = "Ours, by *default*"
make = "PersistenceBoW"
[descriptors.PBoW]
make = "PersistenceBoW"
grid = { n_words = [10, 20] }
[descriptors.PL]
make = "LandscapeKernel"
on.synthetic.paper = { score = 95.1 }
"""


@pytest.fixture
def experiment(tmp_path):
    return declared(tmp_path, TEXT)


@pytest.fixture
def runs(experiment):
    return made_up(experiment, lambda *_: 0.9)


def kinds(sheet):
    """Return the kinds of lines of each method."""
    blocks = [block for section in sheet.sections for block in section]
    return {block.title: [line.kind for line in block.lines] for block in blocks}


def test_a_line_is_there_only_where_it_has_something_to_say(experiment, runs):
    scores, seconds = paper_table(experiment, runs).sheets
    assert kinds(scores) == {
        "PBoW": ["here", "test-chosen"],
        "PL": ["here", "paper"],
        "Ours, by *default*": ["here"],
        "SoA": ["cited"],
    }
    # The paper's time of PL is not known.
    assert kinds(seconds)["PL"] == ["here"]


def test_without_what_is_cited_there_is_no_such_row(tmp_path):
    text = TEXT.replace("state_of_the_art = { score = 97.3 }", "")
    scores, _ = paper_table(declared(tmp_path, text), {}).sheets
    assert "SoA" not in kinds(scores)


def test_the_powered_table_has_all_of_the_other_and_p_values(experiment, runs):
    table = powered_table(experiment, runs)
    scores, seconds = table.sheets
    assert kinds(scores) == {
        "PBoW": ["here", "p", "test-chosen"],
        "PL": ["here", "p", "paper"],
        "Ours, by *default*": ["here", "p"],
        "SoA": ["cited"],
    }
    assert seconds == paper_table(experiment, runs).sheets[1]
    assert table.test == "corrected resampled t"


def test_an_experiment_is_powered_if_no_data_set_has_few_repetitions(tmp_path):
    assert not is_powered(declared(tmp_path, TEXT))
    many = TEXT.replace("repetitions = 5", "repetitions = 6")
    assert is_powered(declared(tmp_path, many))
    one_with_few = many.replace("shapes = {}", "shapes = {}\nrepetitions = 4")
    assert not is_powered(declared(tmp_path, one_with_few))


def test_sections_are_the_papers_ours_and_what_is_cited(experiment, runs):
    scores, seconds = paper_table(experiment, runs).sheets
    titles = [[block.title for block in section] for section in scores.sections]
    assert titles == [["PBoW", "PL"], ["Ours, by *default*"], ["SoA"]]
    assert len(seconds.sections) == 2
