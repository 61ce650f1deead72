from dataclasses import replace

import pytest

from pbow.experiment.estimate import Sizes, estimate_hours
from pbow.experiment.tasks import plan

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
def made(read, make_up):
    """The tasks that screen, the final ones, and the records of all."""
    experiment = read(TEXT)
    records = make_up(experiment, lambda *_: (0.5, 0.5)).records
    tasks = plan(experiment, experiment.cells[0], records)
    return tasks[:6], tasks[6:], records


def test_the_work_grows_with_tasks_samples_and_fits(made):
    screening, [final, *_], _ = made
    assert hours([]) == 0.0
    assert hours(screening) == pytest.approx(6 * hours(screening[:1]))
    # Not more samples than are drawn to screen, or than there are.
    assert hours(screening, 10_000) == hours(screening, 500) > hours(screening, 400)
    assert hours([final], 20_000) > 100 * hours([final], 1000)
    dataset = replace(final.cell.dataset, per_label=500)
    fewer = replace(final, cell=replace(final.cell, dataset=dataset))
    assert hours([fewer], 20_000) == hours([final], 1000)
    for change in ({"rows": 100}, {"folds_used": 1}, {"folds": 0}, {"c_values": (1,)}):
        search = replace(final.search, **change)
        assert hours([replace(final, search=search)]) < hours([final])


def test_runs_that_are_done_say_how_long_those_of_their_cell_take(made):
    screening, finals, records = made
    screened = {task.key: records[task.key] for task in screening}
    # 1.5 seconds for the representation, and 9 for each of two classifiers.
    assert hours(finals, records=records) == len(finals) * 19.5 / 3600
    assert hours(finals, records=screened) == hours(finals)
