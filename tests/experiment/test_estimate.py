from dataclasses import replace

import pytest

from pbow.experiment.estimate import Sizes, estimate_hours
from pbow.experiment.tasks import FINAL, plan

TEXT = """
repetitions = 2
[classifier]
finalists = 2
screen_rows = 500
[datasets.one]
surfaces = {}
[descriptors.PBoW]
make = "PersistenceBoW"
grid = { n_words = [2, 3, 4] }
"""


def hours(tasks, n_samples=1000, records=None):
    sizes = {"one": Sizes(n_samples=n_samples, n_labels=2)}
    return estimate_hours(tasks, sizes, records or {})


@pytest.fixture
def experiment(read):
    return read(TEXT)


def finals_of(experiment, records):
    tasks = plan(experiment, experiment.cells[0], records)
    return [task for task in tasks if task.stage == FINAL]


def test_the_work_grows_with_tasks_samples_and_fits(experiment, make_up):
    screening = plan(experiment, experiment.cells[0], {})
    assert hours([]) == 0.0
    assert hours(screening) == pytest.approx(6 * hours(screening[:1]))
    # Not more samples than are drawn to screen, or than there are.
    assert hours(screening, 10_000) == hours(screening, 500) > hours(screening, 400)
    [*_, final] = finals_of(experiment, make_up(experiment, lambda *_: (0, 0)).records)
    assert hours([final], 20_000) > 100 * hours([final], 1000)
    dataset = replace(final.cell.dataset, per_label=500)
    fewer = replace(final, cell=replace(final.cell, dataset=dataset))
    assert hours([fewer], 20_000) == hours([final], 1000)
    for search in (
        replace(final.search, rows=100),
        replace(final.search, folds_used=1),
        replace(final.search, folds=0),
        replace(final.search, c_values=(1.0,)),
    ):
        assert hours([replace(final, search=search)]) < hours([final])


def test_runs_that_are_done_say_how_long_those_of_their_cell_take(experiment, make_up):
    records = make_up(experiment, lambda *_: (0.5, 0.5)).records
    finals = finals_of(experiment, records)
    screened = {key: one for key, one in records.items() if one["stage"] != FINAL}
    # 1.5 seconds for the representation, and 9 for each of two classifiers.
    assert hours(finals, records=records) == len(finals) * 19.5 / 3600
    assert hours(finals, records=screened) == hours(finals)
