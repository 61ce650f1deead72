"""Running an experiment: whatever the order, the processes, the interruptions."""

import multiprocessing
import shutil

import joblib
import numpy as np
import pytest
from sklearn.base import BaseEstimator

from pbow.evaluation import evaluate_split
from pbow.evaluation.classification import spread_rows
from pbow.experiment import (
    DeclarationError,
    Folder,
    choose,
    diagrams_like_surfaces,
    progress,
    read_experiment,
    run,
    run_experiment,
    to_frame,
)
from pbow.experiment.data import open_dataset
from pbow.experiment.results import DamagedRunWarning
from pbow.experiment.run import MissingDataWarning
from pbow.experiment.tasks import FINAL, SCREEN, plan
from pbow.io import write_diagrams
from pbow.vectorizers import PersistenceBoW

TEXT = """
seed = 5
repetitions = 2
[classifier]
finalists = 1
folds = 3
c_values = [1.0, 10.0]
screen_rows = 12
[datasets.few]
surfaces = { n_diagrams = 20, n_points = 15 }
[datasets.more]
surfaces = { n_diagrams = 24, n_points = 15, random_state = 1 }
protocol = "50/50"
per_label = 10
[descriptors.PBoW]
make = "PersistenceBoW"
grid = { n_words = [2, 4] }
[descriptors.SWK]
make = "SlicedWassersteinKernel"
params = { output = "distance", n_directions = 5 }
[descriptors.Statistics]
make = "PersistenceStatistics"
standardize = true
only = ["few"]
"""
FILES = """
repetitions = 2
[datasets.own]
diagrams = "own.pbow"
labels = "own.txt"
[descriptors.PBoW]
make = "PersistenceBoW"
params = { n_words = 3 }
"""


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    (folder / "small.toml").write_text(TEXT)
    return run_experiment(folder / "small.toml", folder / "results")


@pytest.fixture
def file(declare):
    return declare(TEXT)


@pytest.fixture
def out(tmp_path):
    return tmp_path / "results"


@pytest.fixture
def made(monkeypatch):
    """The keys of the runs that this process makes from now on."""
    keys, measure = [], run._measure

    def noting(task, *others):
        keys.append(task.key)
        return measure(task, *others)

    monkeypatch.setattr(run, "_measure", noting)
    return keys


def assert_same(runs, others):
    """All but the times are the same."""
    frames = to_frame(runs), to_frame(others)
    timed = [name for name in frames[0] if "seconds" in name]
    one, other = (frame.drop(columns=timed) for frame in frames)
    assert one.equals(other)


def test_all_that_is_planned_is_made_and_nothing_else(file, undisturbed):
    experiment = read_experiment(file)
    tasks = [
        task
        for cell in experiment.cells
        for task in plan(experiment, cell, undisturbed)
    ]
    assert {task.key for task in tasks} == undisturbed.keys()
    assert {record["error"] for record in undisturbed.values()} == {""}
    assert progress(experiment, undisturbed)["complete"].all()
    assert len(choose(experiment, undisturbed)) == 2 * 2 * (2 * (2 + 1) + 2)


@pytest.mark.parametrize(("stage", "n_train"), [(SCREEN, 12), (FINAL, 16)])
def test_a_run_is_one_split_of_one_repetition(file, undisturbed, stage, n_train):
    experiment = read_experiment(file)
    tasks = plan(experiment, experiment.cells[0], undisturbed)
    task = [one for one in tasks if one.stage == stage][-1]
    record = undisturbed[task.key]
    dataset = open_dataset(experiment.datasets[0], seed=5)
    train, test = dataset.splits("80/20", seed=5, repetitions=2)[1]
    expected = evaluate_split(
        PersistenceBoW(**task.params, random_state=6),
        dataset.diagrams,
        dataset.labels,
        (train[spread_rows(dataset.labels[train], n_train, seed=6)], test),
        task.classifiers,
        search=task.search,
        rescale=False,
        seed=6,
    )
    assert (record["n_train"], record["n_test"]) == (n_train, 4)
    for name in ("stage", "params", "repetition"):
        assert record[name] == getattr(task, name)
    assert record["n_features"] == task.params["n_words"]
    assert set(record["seconds"]) == {"fit", "encode"}
    for name, scores in record["scores"].items():
        found = vars(expected.scores[name])
        confusion = found["confusion"].tolist() if stage == FINAL else None
        timed = {"seconds": scores["seconds"]}
        assert scores == found | {"confusion": confusion} | timed


def test_all_that_is_said_of_a_descriptor_reaches_its_runs(declare, out, monkeypatch):
    settings = []

    def watched(*args, **given):
        settings.append(given)
        return evaluate_split(*args, **given | {"groups": None})

    monkeypatch.setattr(run, "evaluate_split", watched)
    monkeypatch.setattr(run, "inner_groups", lambda *_: "groups")
    said = "standardize = true\nrescale = true\nfactor = 2\nfit_on_all = true\n"
    make = '[descriptors.All]\nmake = "PersistenceStatistics"\n'
    run_experiment(declare(TEXT + make + said), out, only=["few/All"])
    expected = dict.fromkeys(("standardize", "rescale", "fit_on_all"), True)
    expected |= {"factor": 2.0, "groups": "groups"}
    assert len(settings) == 2
    assert all(given | expected == given for given in settings)


def test_two_processes_give_the_same_as_one(file, out, undisturbed):
    assert_same(run_experiment(file, out, n_jobs=2), undisturbed)


def test_a_cluster_gives_the_same(file, out, undisturbed):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.Client(processes=False, dashboard_address=":0", n_workers=1),
        joblib.parallel_config(backend="dask"),
    ):
        assert_same(run_experiment(file, out, n_jobs=2), undisturbed)


def test_parts_may_be_run_in_any_order_and_nothing_is_made_twice(
    file, out, undisturbed, made
):
    for only in (["SWK"], ["more/PBoW", "Statistics"], ["more"], [], ["few"]):
        runs = run_experiment(file, out, only=only)
        if only == ["SWK"]:
            assert {one["descriptor"] for one in runs.values()} == {"SWK"}
    assert_same(runs, undisturbed)
    assert len(made) == len({*made}) == len(runs)


def test_an_interrupted_experiment_goes_on_from_its_table(
    file, out, undisturbed, made, monkeypatch
):
    measure, lines = run._measure, []

    def interrupted(task, *others):
        if len(made) == 5:
            raise KeyboardInterrupt
        return measure(task, *others)

    monkeypatch.setattr(run, "_measure", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_experiment(file, out)
    monkeypatch.setattr(run, "_measure", measure)
    shutil.rmtree(out / "runs")  # what was done is gathered
    runs = run_experiment(file, out, report=lines.append)
    assert_same(runs, undisturbed)
    assert len(made) == len({*made}) == len(runs)
    assert lines[0].endswith("5 done")


def work(file, out, log):
    """Run an experiment, and log what this process makes."""
    measure = run._measure

    def noting(task, *others):
        with log.open("a") as lines:
            print(task.key, file=lines)
        return measure(task, *others)

    run._measure = noting
    runs = run_experiment(file, out)
    assert progress(read_experiment(file), runs)["complete"].all()  # also of the others


@pytest.fixture
def start(file, out, tmp_path):
    """Start some processes, which log to one file."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        pytest.skip("Unix alone has forks")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])

    def begin(n):
        arguments = (file, out, tmp_path / "made.txt")
        started = [context.Process(target=work, args=arguments) for _ in range(n)]
        for process in started:
            process.start()
        return started

    return begin


def test_a_killed_experiment_goes_on_to_the_same_table(file, out, undisturbed, start):
    # tests/faults.py kills it while it writes.
    for n_processes, n_files in ((1, 1), (2, 4), (1, 7)):
        started = start(n_processes)
        while len(list(out.glob("runs/*.json"))) < n_files:
            assert all(process.is_alive() for process in started)
        for process in started:
            process.kill()
            process.join()
    assert 7 <= len(Folder(out).read()) < len(undisturbed)
    assert_same(run_experiment(file, out), undisturbed)
    assert list(out.rglob("*.tmp")) == []


def test_processes_on_one_folder_make_no_run_twice(out, undisturbed, start, tmp_path):
    for process in (started := start(2)):
        process.join()
    assert {process.exitcode for process in started} == {0}
    assert sorted((tmp_path / "made.txt").read_text().split()) == sorted(undisturbed)
    assert_same(Folder(out).read(), undisturbed)


@pytest.mark.parametrize("gathered", [False, True])
def test_a_damaged_run_is_named_and_made_again(file, out, made, gathered):
    runs = run_experiment(file, out, only=["Statistics"])
    if not gathered:
        Folder(out).table.unlink()
    key = made[0]
    made.clear()
    Folder(out).run_file(key).write_text("{")
    with pytest.warns(DamagedRunWarning, match=rf"{key}.json is damaged"):
        again = run_experiment(file, out, only=["Statistics"])
    assert made == [key]
    assert Folder(out).has(key)
    assert_same(again, runs)


def test_without_any_data_nothing_is_made(declare, out):
    with (
        pytest.warns(MissingDataWarning, match=r"own is left out: .*own\.pbow"),
        pytest.raises(FileNotFoundError, match=r"no own\.pbow"),
    ):
        run_experiment(declare(FILES), out)
    assert not out.exists()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_working_folder_may_change_while_a_process_lives_and_the_data_may_not(
    declare, tmp_path, monkeypatch, n_jobs
):
    file, digests = declare(FILES), []
    for name, seed in (("one", 1), ("two", 2), ("one", 3)):
        (tmp_path / name).mkdir(exist_ok=True)
        monkeypatch.chdir(tmp_path / name)
        X, labels = diagrams_like_surfaces(20, 15, random_state=seed)
        write_diagrams(X, "own.pbow")
        np.savetxt("own.txt", labels, fmt="%d")
        if seed < 3:
            runs = run_experiment(file, "here", n_jobs=n_jobs)
            assert len(list((Folder("here").path / "runs").glob("*.json"))) == 2
            digests += {record["data"] for record in runs.values()}
    assert len({*digests}) == len(digests) == 2
    with pytest.raises(ValueError, match="The data of own are not those of the runs"):
        run_experiment(file, "here")


def test_data_that_change_after_the_start_are_refused(declare, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, labels = diagrams_like_surfaces(20, 15, random_state=1)
    write_diagrams(X, "own.pbow")
    np.savetxt("own.txt", labels, fmt="%d")
    with pytest.raises(ValueError, match="The data of own have changed since the st"):
        run_experiment(
            declare(FILES), "out", report=lambda _: write_diagrams(X[::-1], "own.pbow")
        )


ALSO = "[2, 4] }\nalso = [{ wieghting = 'ramp' }]"
# What is replaced, and by what; the second data set is opened after the first is done.
WRONG = [
    ("[2, 4] }", ALSO, DeclarationError, r"small.toml: in \[descriptors.PBoW\]: .*'wi"),
    ('"PersistenceS', '"S', DeclarationError, r"in \[descriptors.Stati"),
    ("per_label = 10", "per_label = 13", ValueError, "at least 13 samples"),
    ("50/50", "groups", ValueError, "this data set has no groups"),
    ("50/50", "original", ValueError, "no train/test split of its own"),
]


@pytest.mark.parametrize(("old", "new", "error", "message"), WRONG)
def test_what_is_wrong_is_found_before_any_work(declare, out, old, new, error, message):
    with pytest.raises(error, match=message):
        run_experiment(declare(TEXT.replace(old, new)), out)
    with pytest.raises(ValueError, match="n_jobs to be an int >= 1; got 0"):
        run_experiment(declare(TEXT), out, n_jobs=0)
    assert not out.exists()


class Failing(BaseEstimator):
    """A descriptor that fails in some way."""

    def __init__(self, how="says nothing"):
        self.how = how

    def fit(self, X):
        if self.how == "says nothing":
            raise ValueError
        return self

    def transform(self, X):
        return np.full((len(X), 2), np.nan if self.how == "gives NaN" else 1.0)


def test_a_run_that_fails_is_recorded_and_not_made_again(declare, out, made):
    grid = 'grid.how = ["says nothing", "gives NaN", "works"]'
    text = TEXT.replace("finalists = 1", "finalists = 3")
    file = declare(f'{text}[descriptors.F]\nmake = "{__name__}:Failing"\n{grid}\n')
    runs = run_experiment(file, out, only=["few/F"])
    errors = {one["params"]["how"]: one["error"] for one in runs.values()}
    assert "NaN" in errors["gives NaN"]
    assert (bool(errors["says nothing"]), errors["works"]) == (True, "")
    experiment = read_experiment(file).only(["few/F"])
    assert {*choose(experiment, runs)["params"]} == {'{"how": "works"}'}
    made.clear()
    assert run_experiment(file, out, only=["few/F"]) == runs
    assert made == []
