import pytest
from tests.experiment.fake_runs import declared, made_up, over_budget

from pbow.experiment.caption import caption, powered_caption
from pbow.experiment.table import make_table

TEXT = """
repetitions = 5
[classifier]
costs = [1.0, 10.0]
folds = 4
max_iterations = 60000
screen_rows = 1200
finalists = 2
[datasets.synthetic]
title = "Synthetic"
load = "synthetic-authors"
[datasets.petro]
title = "PetroSurf3D"
load = "petrosurf3d-standin"
per_class = 390
repetitions = 4
[descriptors.2Wd]
make = "WassersteinKernel"
similarity = "max-distance"
on.synthetic.paper = { score = 98.0, std = 1.3, seconds = 133.4 }
on.petro.paper = { score = 79.9, std = 6.6, seconds = 63822.5 }
[descriptors.PBoW]
make = "PersistenceBoW"
grid = { n_words = [10, 20, 30] }
on.synthetic.paper = { score = 98.0, std = 2.2, seconds = 0.8 }
on.petro.paper = { score = 79.9, std = 4.6, seconds = 1.8 }
[descriptors.Ours]
ours = true
make = "PersistenceBoW"
params = { n_words = 100 }
"""


@pytest.fixture
def experiment(tmp_path):
    return declared(tmp_path, TEXT)


@pytest.fixture
def complete(experiment):
    return caption(experiment, made_up(experiment, lambda *_: 0.9))


def test_the_caption_names_both_ways_to_choose_and_the_standard_deviation(complete):
    assert "sample standard deviation" in complete
    assert "inside the training part of each repetition (nested)" in complete
    assert "It is optimistic" in complete


def test_the_caption_says_what_few_repetitions_can_show(complete):
    assert "on 5 pairs it cannot go below 0.0625" in complete
    assert (
        "on 4 pairs it cannot go below 0.125, so that at 0.1 no difference in the "
        "column can ever be significant (PetroSurf3D (stand-in): all are bold)"
    ) in complete
    assert "no correction for multiple tests" in complete


def test_more_repetitions_can_show_more(tmp_path):
    experiment = declared(tmp_path, TEXT.replace("repetitions = 4", "repetitions = 6"))
    text = caption(experiment, {})
    assert "on 6 pairs it cannot go below 0.03125;" not in text
    assert "on 6 pairs it cannot go below 0.03125. " in text
    assert "can ever be significant" not in text


def test_the_caption_gives_protocols_and_sizes(complete):
    assert "Synthetic: 5 divisions (80/20), 80 + 20;" in complete
    assert "4 divisions (4 folds of whole groups), 80 + 20, 390 a class." in complete


def test_the_caption_names_stand_ins_and_what_they_stand_in_for(complete):
    assert "PetroSurf3D (stand-in) (for PetroSurf3D)" in complete
    assert "Not quite" not in complete


def test_data_that_differ_are_named_and_marked(tmp_path):
    text = TEXT.replace('"synthetic-authors"', '"synthetic-authors"\ndiffers = "new"')
    experiment = declared(tmp_path, text)
    runs = made_up(experiment, lambda *_: 0.9)
    assert "Not quite the paper's: Synthetic (new). † marks" in caption(
        experiment, runs
    )
    assert "98.0 ± 2.2 †" in make_table(experiment, runs)


def test_the_best_may_be_a_row_of_ours(complete, tmp_path):
    assert "those that are not the paper's included" in complete
    theirs = declared(tmp_path, TEXT.partition("[descriptors.Ours]")[0])
    text = caption(theirs, made_up(theirs, lambda *_: 0.9))
    assert "those that are not the paper's included" not in text


def test_the_caption_counts_fits_and_those_of_the_whole_grid(complete):
    assert "at most 1,200 training samples, on one inner division" in complete
    assert "the 2 best of the screening" in complete
    assert "4-fold cross-validation over all C" in complete
    assert "C from 1, 10;" in complete
    # 27 screenings of 6 fits, and of 26 fits each 9 runs of 2Wd, 9 of ours, and two
    # combinations of PBoW in each of 9 repetitions. Every run met the cap once.
    assert "after 60,000 iterations" in complete
    assert "63 of 1,098 fits met a cap" in complete
    # 9 repetitions of 1 + 3 + 1 combinations, 2 costs on 4 folds and the last fit.
    assert "would have been 405 fits" in complete


def test_without_screening_the_caption_does_not_speak_of_it(tmp_path):
    experiment = declared(tmp_path, TEXT.replace("[10, 20, 30]", "[10, 20]"))
    text = caption(experiment, made_up(experiment, lambda *_: 0.9))
    assert "screened" not in text
    assert "4-fold cross-validation over all C" in text


def test_times_are_summed_over_the_cells_that_both_have(complete):
    # Ours: 1.5 s a run, and of 2Wd 1.5 s for the distances as well.
    assert "Sum over the 4 cells that both have (2 of them on other data, †" in complete
    assert "9.0 s here, 63,958.5 s in the paper;" in complete
    assert "without 2-Wasserstein distances 3.0 s here, 2.6 s in the paper." in complete
    assert "Not in the sums" not in complete
    assert "Not complete" not in complete


def test_what_is_missing_is_named_and_is_in_no_sum(experiment):
    cell = experiment.cell("petro", "2Wd")
    runs = made_up(experiment, lambda *_: 0.9, without=["petro/2Wd", "petro/Ours"])
    runs |= over_budget(experiment, cell, "over 45 minutes, 43% of the distances")
    text = caption(experiment, runs)
    assert "6.0 s here, 136.0 s in the paper;" in text
    assert "Not in the sums: 2Wd on PetroSurf3D (stand-in)." in text
    assert (
        "Not complete, and compared with nothing: 2Wd on PetroSurf3D (stand-in) (over "
        "45 minutes, 43% of the distances), Ours on PetroSurf3D (stand-in) (0 of 4 "
        "runs)."
    ) in text


def test_without_any_run_the_caption_has_no_sums(experiment):
    assert "Sum over" not in caption(experiment, {})


def test_fitting_to_all_rows_is_an_exception_that_is_named(tmp_path, complete):
    text = TEXT.replace("ours = true", "ours = true\non_all_rows = true")
    experiment = declared(tmp_path, text)
    assert (
        "alone (not of Ours: fitted to training and test samples together)"
        in caption(experiment, {})
    )
    assert "from the training part alone. " in complete


def test_the_powered_caption_explains_its_test(experiment):
    text = powered_caption(experiment, made_up(experiment, lambda *_: 0.9))
    assert "corrected resampled t-test (Nadeau and Bengio 2003)" in text
    assert "1/n + n_test/n_train" in text
    assert "no correction" in text
    assert "Wilcoxon" not in text
    assert "Test-chosen: " in text
    assert "Seconds: " in text


@pytest.mark.parametrize("make", [caption, powered_caption])
def test_lines_that_the_table_does_not_have_are_not_explained(tmp_path, make):
    text = TEXT.replace("grid = { n_words = [10, 20, 30] }", "")
    lines = [line for line in text.splitlines() if ".paper = " not in line]
    experiment = declared(tmp_path, "\n".join(lines))
    made = make(experiment, made_up(experiment, lambda *_: 0.9))
    assert "est-chosen" not in made
    assert "Paper: " not in made
    assert "PetroSurf3D (stand-in) (for PetroSurf3D)." in made
    assert "†" not in made


@pytest.mark.parametrize("make", [caption, powered_caption])
def test_rows_that_are_scaled_for_the_classifier_are_named(tmp_path, make):
    flags = "ours = true\nrescale = true\nstandardize = true"
    text = TEXT.replace("ours = true", flags)
    text = text.replace('"max-distance"', '"max-distance"\nrescale = true')
    text = text.replace(
        '"PersistenceBoW"\ngrid', '"PersistenceBoW"\nrescale = true\ngrid'
    )
    made = make(declared(tmp_path, text), {})
    assert "Standardized (features" in made
    assert "deviations in the training part): Ours. " in made
    # What is made of distances is not rescaled, whatever is declared.
    assert "a value of C means the same for all): PBoW; Ours. Rows" in made


def test_where_all_rows_are_rescaled_the_caption_names_none(tmp_path):
    text = TEXT.replace("ours = true", "ours = true\nrescale = true")
    text = (
        text[: text.index("[descriptors.2Wd]")] + text[text.index("[descriptors.O") :]
    )
    made = caption(declared(tmp_path, text), {})
    assert "means the same for all): all rows." in made
    assert "not named" not in made


def test_where_nothing_is_scaled_the_caption_does_not_speak_of_it(complete):
    assert "Rescaled" not in complete
    assert "Standardized" not in complete
    assert "classified as they come" not in complete
