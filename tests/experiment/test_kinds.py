import pytest
from tests.experiment.fake_runs import declared

from pbow.experiment.figures.kinds import explain_kinds, kind_of, row_of

TEXT = """
[datasets.shapes]
shapes = {}
[descriptors.first]
make = "PersistenceBoW"
title = "My words"
[descriptors.PBoW]
make = "PersistenceBoW.paper"
[descriptors.stable]
make = "pbow.vectorizers:StablePersistenceBoW"
[descriptors.PI]
make = "PersistenceStatistics"
"""


@pytest.fixture
def experiment(tmp_path):
    return declared(tmp_path, TEXT)


def test_a_kind_is_what_makes_a_descriptor_and_not_its_name(experiment):
    kinds = [kind_of(entry) for entry in experiment.descriptors]
    assert kinds == ["PBoW", "PBoW", "sPBoW", None]


def test_of_several_the_one_that_is_called_as_in_the_paper_is_shown(experiment):
    assert row_of(experiment, "PBoW").name == "PBoW"
    assert row_of(experiment, "sPBoW").name == "stable"
    assert row_of(experiment, "PI") is None


def test_without_the_papers_name_the_first_is_shown(tmp_path):
    text = TEXT.replace("[descriptors.PBoW]", "[descriptors.second]")
    assert row_of(declared(tmp_path, text), "PBoW").name == "first"


def test_a_caption_explains_only_rows_that_have_other_names(experiment):
    first, words, stable, _ = experiment.descriptors
    assert explain_kinds([words]) == ""
    assert explain_kinds([first, stable]) == (
        " PBoW is the row 'My words', sPBoW is the row 'stable'."
    )
