from dataclasses import replace

import pytest

from pbow.experiment.estimate import core_time, estimate_seconds
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


def seconds(tasks, n_samples=1000, records=None):
    return estimate_seconds(tasks, {"one": n_samples}, records or {})


@pytest.fixture
def made(read, make_up):
    """The tasks that screen, the final ones, and the records of all."""
    experiment = read(TEXT)
    records = make_up(experiment, lambda *_: (0.5, 0.5))
    tasks = plan(experiment, experiment.cells[0], records)
    return tasks[:6], tasks[6:], records


def test_the_work_grows_with_tasks_samples_and_fits(made):
    screening, [final, *_], _ = made
    assert seconds(screening) == pytest.approx(6 * seconds(screening[:1]))
    # Not more samples than are drawn to screen, or than there are.
    at_400, at_500, at_600 = (seconds(screening, n) for n in (400, 500, 600))
    assert at_400 < at_500 == at_600
    assert seconds([final], 20_000) > 100 * seconds([final], 1000)
    for change in ({"rows": 100}, {"folds_used": 1}, {"folds": 0}, {"c_values": (1,)}):
        search = replace(final.search, **change)
        assert seconds([replace(final, search=search)]) < seconds([final])


def test_runs_that_are_done_say_how_long_those_of_their_cell_take(made):
    screening, finals, records = made
    screened = {task.key: records[task.key] for task in screening}
    # 1.5 seconds for the representation, and 9 for each of two classifiers.
    assert seconds(finals, records=records) == len(finals) * 19.5
    assert seconds(finals, records=screened) == seconds(finals)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (59.0, "less than a core-minute"),
        (61.0, "1 core-minute"),
        (3560.0, "59 core-minutes"),
        (5.4e6, "1,500.0 core-hours"),
    ],
)
def test_times_are_told_in_words(seconds, text):
    assert core_time(seconds) == text
