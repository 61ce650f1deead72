"""Running an experiment: whatever the order, the processes, the interruptions."""

import json
from dataclasses import asdict

import numpy as np
import pytest
from tests.experiment.fake_runs import declared

from pbow.experiment import runner
from pbow.experiment.declaration import DeclarationError
from pbow.experiment.plan import matrix_key, plan, plan_cell
from pbow.experiment.runner import run_experiment
from pbow.experiment.runs import FINAL, MATRIX, OVER_BUDGET, SCREEN, Folder
from pbow.experiment.selection import summarize
from pbow.experiment.table import make_table
from pbow.experiment.worker import Worker
from pbow.kernels import WassersteinKernel

TEXT = """
repetitions = 2
[classifier]
finalists = 1
folds = 3
costs = [1.0, 10.0]
screen_rows = 12
[datasets.few]
surfaces = { n_diagrams = 20, n_points = 15 }
[datasets.more]
surfaces = { n_diagrams = 30, n_points = 15, random_state = 1 }
protocol = "50/50"
[descriptors.PBoW]
make = "PersistenceBoW"
grid = { n_words = [2, 4] }
[descriptors.2Wd]
make = "WassersteinKernel"
similarity = "max-distance"
[descriptors.Statistics]
make = "PersistenceStatistics"
standardize = true
only = ["few"]
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(TEXT)
    return path


def untimed(runs):
    """Return runs without what differs from time to time."""
    return {
        key: json.dumps(asdict(run) | {"seconds": None}, sort_keys=True)
        for key, run in runs.items()
    }


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    path = folder / "small.toml"
    path.write_text(TEXT)
    return run_experiment(path, folder / "results")


@pytest.fixture
def executed(monkeypatch):
    """What is executed from now on in this process."""
    keys = []
    execute = Worker.execute

    def noting(worker, task):
        keys.append(task.key)
        return execute(worker, task)

    monkeypatch.setattr(Worker, "execute", noting)
    return keys


def test_all_that_is_planned_is_done_and_nothing_else(tmp_path, undisturbed):
    experiment = declared(tmp_path, TEXT)
    tasks = plan(experiment, undisturbed)
    assert {task.key for task in tasks} == set(undisturbed)
    for task in tasks:
        run = undisturbed[task.key]
        assert (run.stage, run.params) == (task.stage, task.params)
        assert run.repetition == task.repetition
    assert all(o.is_complete for o in summarize(experiment, undisturbed).values())


def test_the_results_do_not_depend_on_the_number_of_processes(
    file, tmp_path, undisturbed
):
    reports = []
    runs = run_experiment(
        file,
        tmp_path / "two",
        n_jobs=2,
        report=lambda *numbers: reports.append(numbers),
    )
    assert untimed(runs) == untimed(undisturbed)
    assert reports[-1] == (len(runs), len(runs), 0.0)
    dones = [done for done, _, _ in reports]
    assert dones == sorted(dones)


def test_the_results_do_not_depend_on_the_order_of_work(
    file, tmp_path, undisturbed, executed
):
    out = tmp_path / "parts"
    for only in (["2Wd"], ["more/PBoW", "Statistics"], ["more"], [], ["few"]):
        runs = run_experiment(file, out, only=only)
    assert untimed(runs) == untimed(undisturbed)
    assert len(executed) == len(set(executed)) == len(runs)


def test_only_what_is_asked_for_is_run(file, tmp_path):
    runs = run_experiment(file, tmp_path / "r", only=["few/PBoW", "Statistics"])
    ran = {(run.dataset, run.descriptor) for run in runs.values()}
    assert ran == {("few", "PBoW"), ("few", "Statistics")}


def test_finished_runs_are_not_made_again_also_when_packed(file, tmp_path, executed):
    out = tmp_path / "r"
    only = ["few"]
    first = run_experiment(file, out, only=only)
    executed.clear()
    assert run_experiment(file, out, only=only) == first
    folder = Folder(out)
    [some] = [run.key for run in first.values() if run.descriptor == "2Wd"][:1]
    folder.forget(some)
    folder.pack()
    assert len(folder.load()) == len(first) - 1
    again = run_experiment(file, out, only=only)
    assert executed == [some]
    assert untimed(again) == untimed(first)
    folder.pack()
    executed.clear()
    assert run_experiment(file, out, only=only) == again
    assert executed == []


def test_an_interrupted_experiment_goes_on_where_it_was(
    file, tmp_path, undisturbed, executed, monkeypatch
):
    write, n_left = Folder.write, [5]

    def interrupted(folder, run):
        n_left[0] -= 1
        if n_left[0] < 0:
            raise KeyboardInterrupt
        write(folder, run)

    monkeypatch.setattr(Folder, "write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_experiment(file, tmp_path / "r")
    n_left[0] = 1000
    runs = run_experiment(file, tmp_path / "r")
    assert untimed(runs) == untimed(undisturbed)
    assert len(executed) == len(runs) + 1  # the one that was not written


def test_a_note_is_left_when_time_is_up_and_more_time_takes_it_away(
    file, tmp_path, undisturbed
):
    out = tmp_path / "r"
    runs = run_experiment(file, out, only=["few"], minutes_per_cell=1e-7)
    # A run that has begun is finished; then the cell is over its budget.
    notes = [run for run in runs.values() if run.stage == OVER_BUDGET]
    assert {run.descriptor for run in notes} == {"PBoW", "2Wd", "Statistics"}
    stages = [r.stage for r in runs.values() if r.descriptor == "PBoW"]
    assert sorted(stages) == [OVER_BUDGET, SCREEN]
    experiment = declared(tmp_path, TEXT)
    table = make_table(experiment, runs, "csv")
    assert "over budget: 1 of 4 runs" in table
    assert "over 1e-07 minutes after 1 of 4 runs" in table
    runs = run_experiment(file, out, minutes_per_cell=100.0)
    table = make_table(experiment, runs, "csv")
    assert "over" not in table
    done = {key: run for key, run in runs.items() if run.stage != OVER_BUDGET}
    assert untimed(done) == untimed(undisturbed)


def test_distances_that_were_begun_are_continued(
    tmp_path, monkeypatch, undisturbed, executed
):
    path = tmp_path / "long.toml"
    path.write_text(TEXT.replace("n_diagrams = 20", "n_diagrams = 100"))
    out = tmp_path / "r"
    kernel, compared = WassersteinKernel._distance_tile, []
    # What is compared to compile it, once in a process, is none of these.
    run_experiment(path, tmp_path / "before", only=["few/2Wd"])

    def counted(self, left, right, rows, columns):
        compared.append((rows.start, columns.start))
        return kernel(self, left, right, rows, columns)

    monkeypatch.setattr(WassersteinKernel, "_distance_tile", counted)
    runs = run_experiment(path, out, only=["few/2Wd"], minutes_per_cell=1e-7)
    n_first = len(compared)
    [note] = runs.values()
    assert note.stage == OVER_BUDGET
    assert "after 0 of 3 runs and " in note.note
    assert "% of the distances for another" in note.note
    assert note.seconds["spent"] > 0.0
    runs = run_experiment(path, out, only=["few/2Wd"], minutes_per_cell=100.0)
    assert len(compared) > n_first > 0
    assert len(set(compared)) == len(compared)
    [matrix] = [run for run in runs.values() if run.stage == MATRIX]
    # The time is that of both.
    assert matrix.seconds["encode"] > note.seconds["spent"]
    whole = run_experiment(path, tmp_path / "whole", only=["few/2Wd"])
    runs.pop(note.key)
    assert untimed(runs) == untimed(whole)
    matrices = [
        np.load(next((folder / "matrices").glob("*.npy")))
        for folder in (out, tmp_path / "whole")
    ]
    np.testing.assert_array_equal(*matrices)


@pytest.mark.parametrize(
    ("change", "arguments", "error", "message"),
    [
        ((), {"only": ["PBow"]}, ValueError, r"of small \(2Wd, PBoW, .*; got 'PBow'"),
        ((), {"only": ["more/Statistics"]}, ValueError, "got 'more/Statistics'"),
        ((), {"n_jobs": 0}, ValueError, "Expected n_jobs to be an int >= 1; got 0"),
        (
            ("n_words", "n_wrods"),
            {},
            DeclarationError,
            r"small.toml: in \[descriptors.PBoW\]: .* \(did you mean 'n_words'\?\)",
        ),
        (
            ('Statistics"', 'Stats"'),
            {},
            DeclarationError,
            r"small.toml: in \[descriptors.Statistics\]: .* no 'PersistenceStats'",
        ),
        (
            ("standardize = true", "similarity = 'max-distance'"),
            {},
            DeclarationError,
            r"\[descriptors.Statistics\]: PersistenceStatistics gives vectors, wh",
        ),
    ],
    ids=["only", "no such cell", "jobs", "parameter", "descriptor", "similarity"],
)
def test_what_is_wrong_is_found_before_any_work(
    file, tmp_path, executed, change, arguments, error, message
):
    if change:
        file.write_text(TEXT.replace(*change))
    with pytest.raises(error, match=message):
        run_experiment(file, tmp_path / "r", **arguments)
    assert executed == []
    assert not (tmp_path / "r").exists()


@pytest.mark.filterwarnings("ignore::pbow.errors.FewerWordsWarning")
def test_more_words_than_points_are_run_with_fewer(file, tmp_path):
    file.write_text(TEXT.replace("[2, 4]", "[2000, 4]"))
    runs = run_experiment(file, tmp_path / "r", only=["few/PBoW"])
    notes = {(run.params["n_words"], run.note) for run in runs.values()}
    assert notes == {(2000, ""), (4, "")}


def test_a_wrong_value_is_an_error_that_says_where(file, tmp_path):
    file.write_text(TEXT.replace("[2, 4]", "[-2, 4]"))
    message = r"few/PBoW with {\"n_words\": -2}: .*'n_words' .* Got -2"
    with pytest.raises(ValueError, match=message):
        run_experiment(file, tmp_path / "r", only=["few/PBoW"])
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_start_without_the_data_leaves_no_folder(tmp_path, n_jobs):
    path = tmp_path / "missing.toml"
    source = 'diagrams = "missing.pbow"\nlabels = "missing.txt"\n'
    path.write_text(
        f'[datasets.x]\n{source}[descriptors.y]\nmake = "PersistenceStatistics"\n'
    )
    with pytest.raises(FileNotFoundError, match=r"no missing\.pbow"):
        run_experiment(path, tmp_path / "r", n_jobs=n_jobs)
    assert not (tmp_path / "r").exists()
    # What was there before is not this program's to remove.
    (tmp_path / "r").mkdir()
    with pytest.raises(FileNotFoundError):
        run_experiment(path, tmp_path / "r", n_jobs=n_jobs)
    assert (tmp_path / "r").exists()


def test_damaged_distances_are_an_error(file, tmp_path):
    folder = Folder(tmp_path / "r")
    folder.make(TEXT)
    experiment = declared(tmp_path, TEXT)
    cell = experiment.cell("few", "2Wd")
    file_of = folder.matrices / f"{matrix_key(experiment, cell, {})}.npy"
    file_of.with_name(f"{file_of.name}.partial").write_bytes(b"half")
    with pytest.raises(ValueError, match=r"Cannot go on with .*Delete"):
        run_experiment(file, tmp_path / "r", only=["few/2Wd"])
    final = plan_cell(experiment, cell, {})[-1]
    with pytest.raises(ValueError, match=r"Cannot go on with .*Delete"):
        Worker(experiment, folder, None).execute(final)
    assert folder.load() == {}


def test_an_error_in_a_process_is_raised_here(file, tmp_path):
    folder = Folder(tmp_path / "r")
    folder.make(TEXT)
    folder.check_data("few", "0" * 64)
    with pytest.raises(ValueError, match="Data set few has changed since the results"):
        run_experiment(file, tmp_path / "r", n_jobs=2)
    assert folder.load() == {}


def test_changed_data_are_refused(file, tmp_path):
    run_experiment(file, tmp_path / "r", only=["few/Statistics"])
    file.write_text(TEXT.replace("n_diagrams = 20", "n_diagrams = 22"))
    with pytest.raises(ValueError, match="Data set few has changed since the results"):
        run_experiment(file, tmp_path / "r", only=["few/Statistics"])


def test_progress_is_told_run_by_run(file, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "SECONDS_BETWEEN_LOOKS", 0.0)
    told = []
    run_experiment(
        file,
        tmp_path / "r",
        only=["few/Statistics"],
        report=lambda *numbers: told.append(numbers),
    )
    assert [numbers[:2] for numbers in told] == [(1, 2), (2, 2)]
    assert told[0][2] > told[1][2] == 0.0


def test_what_another_process_works_on_is_waited_for_and_not_made_twice(
    file, tmp_path, undisturbed, executed, monkeypatch
):
    folder = Folder(tmp_path / "r")
    folder.make(TEXT)
    finals = [
        run
        for run in undisturbed.values()
        if (run.dataset, run.descriptor, run.stage) == ("few", "Statistics", FINAL)
    ]
    naps = []

    def nap(seconds):
        """The other process finishes while this one sleeps."""
        naps.append(seconds)
        folder.write(finals[0])
        held.__exit__(None, None, None)

    monkeypatch.setattr(runner.time, "sleep", nap)
    held = folder.claim(finals[0].key)
    assert held.__enter__()
    runs = run_experiment(file, tmp_path / "r", only=["few/Statistics"])
    assert len(naps) == 1
    assert executed == [finals[1].key]
    assert set(runs) == {run.key for run in finals}
