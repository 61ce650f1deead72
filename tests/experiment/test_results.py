"""The folder of results keeps every bit, and the choice sees what it may see."""

import json
import os
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbow.experiment import Folder, RunsTable, choose, progress
from pbow.experiment.results import NESTED, TEST_CHOSEN, DamagedRunWarning
from pbow.experiment.tasks import SCREEN

TEXT = """
repetitions = 2
[classifier]
names = ["linear"]
finalists = 1
[datasets.shapes]
shapes = {}
[descriptors.PBoW]
make = "PersistenceBoW"
grid = { n_words = [10, 20, 30] }
"""
ALL_FINAL = TEXT.replace("finalists = 1", "finalists = 3")
KEY = "a" * 24
RECORD = {
    "key": KEY,
    "stage": "final",
    "dataset": "shapes",
    "descriptor": "PBoW",
    "params": {"n_words": 20, "weighting": None, "quantiles": [0.1, 1 / 3]},
    "repetition": 0,
    "n_train": 24,
    "n_test": 6,
    "n_features": 20,
    "error": "",
    "code": "0123456789ab",
    "data": "12" * 32,
    "machine": 'A "quick" one, 2 cores',
    "versions": "python 3.11, numpy 2.0",
    "seconds": {"fit": 0.1234567890123456789, "encode": 1e-9},
    "scores": {
        name: {
            "accuracy": 1 / 3,
            "validation": validation,
            "C": 1000.0,
            "confusion": confusion,
            "n_fits": 26,
            "n_capped": 1,
            "seconds": 5e-324,
        }
        for name, validation, confusion in (
            ("distance", 0.1 + 0.2, [[3, 0], [1, 2]]),
            ("linear", None, None),
        )
    },
}


def folder_of(path, *records):
    folder = Folder(path)
    (path / "runs").mkdir(parents=True)
    for record in records:
        folder.run_file(record["key"]).write_text(json.dumps(record))
    return folder


@pytest.fixture
def folder(tmp_path):
    return folder_of(tmp_path / "results", RECORD)


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
numbers = st.floats(allow_nan=False, allow_infinity=False)
values = st.none() | st.booleans() | st.integers() | numbers | texts
scores = st.fixed_dictionaries(
    {
        "accuracy": numbers,
        "validation": st.none() | numbers,
        "C": numbers,
        "confusion": st.none() | st.just([[3, 0], [1, 2]]),
        "n_fits": st.integers(0, 2**50),
        "n_capped": st.integers(0, 9),
        "seconds": numbers,
    }
)
common = st.fixed_dictionaries(
    {
        "key": st.integers(0, 2**96 - 1).map(lambda n: f"{n:024x}"),
        "dataset": texts,
        "machine": texts,
        "params": st.dictionaries(texts, values, max_size=2),
    }
)
done = st.fixed_dictionaries(
    {
        "seconds": st.fixed_dictionaries({"fit": numbers, "encode": numbers}),
        "scores": st.dictionaries(texts, scores, min_size=1, max_size=2),
    }
)
failed = texts.map(lambda text: {"error": f"x{text}", "seconds": {}, "scores": {}})
records = st.builds(lambda *parts: RECORD | parts[0] | parts[1], common, done | failed)


def canonical(found):
    """Return texts in which 1, 1.0 and -0.0 differ, too."""
    return {key: json.dumps(one, sort_keys=True) for key, one in found.items()}


@given(st.lists(records, max_size=3, unique_by=lambda record: record["key"]))
def test_files_and_the_table_keep_every_bit(tmp_path_factory, made):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)  # none needs to outlast a power cut
        folder = folder_of(tmp_path_factory.mktemp("results") / "x", *made)
        expected = canonical({record["key"]: record for record in made})
        assert canonical(folder.read().records) == expected
        folder.gather()
        shutil.rmtree(folder.path / "runs")
        assert canonical(folder.read().records) == expected
        table = folder.table.read_bytes()
        folder.gather()
        assert folder.table.read_bytes() == table


def test_the_table_has_one_row_per_run_and_classifier(folder):
    frame = folder.read().frame
    assert frame["classifier"].tolist() == ["distance", "linear"]
    assert frame["confusion"].tolist() == ["[[3, 0], [1, 2]]", ""]
    assert frame["params"][0] == json.dumps(RECORD["params"], sort_keys=True)
    assert frame["fit_seconds"].tolist() == [RECORD["seconds"]["fit"]] * 2
    assert len(RunsTable({}).frame) == 0


def test_a_file_is_newer_than_the_table(folder):
    folder.gather()
    folder.run_file(KEY).write_text(json.dumps(RECORD | {"n_features": 7}))
    assert folder.read().records[KEY]["n_features"] == 7
    assert Folder(folder.path / "nowhere").read().records == {}


def damaged(content):
    one = json.loads(content)
    return {
        "empty": b"",
        "binary": b"\x93NUMPY\x00\xff",
        "cut": content[: len(content) // 2],
        "a list": b"[1, 2]",
        "a word": b'"word"',
        "nothing": b"{}",
        "too deep": b"[" * 100_000,
        "another run": content.replace(KEY.encode(), b"b" * 24),
        "no scores": json.dumps(one | {"scores": 3}).encode(),
        "half of the scores": json.dumps(one | {"scores": {"rbf": {"C": 1}}}).encode(),
    }


@pytest.mark.parametrize("what", damaged(b"{}"))
def test_a_damaged_file_is_named_and_its_run_is_not_there(folder, what):
    path = folder.run_file(KEY)
    content = damaged(path.read_bytes())[what]
    path.write_bytes(content)
    with pytest.warns(DamagedRunWarning, match=rf"{KEY}\.json is damaged") as caught:
        assert folder.read().records == {}
    assert len(caught) == 1
    assert not folder.has(KEY)
    assert path.read_bytes() == content


def test_a_damaged_table_is_named_and_stays_as_it_is(folder):
    folder.gather()
    good = folder.table.read_bytes()
    frame = folder.read().frame
    tables = [
        frame.drop(columns="confusion"),
        frame.assign(params="{"),
        frame.assign(params="[" * 100_000),
        frame.assign(accuracy="many"),
        frame.assign(n_train=None),
    ]
    contents = [b"", b"PAR1", b"key,stage\n", good[:100], good[:-1], good[1:]]
    contents += [table.to_parquet() for table in tables]
    for content in contents:
        folder.table.write_bytes(content)
        for use in (folder.read, folder.gather):
            with pytest.raises(ValueError, match=r"(?s)is damaged .* Restore it") as e:
                use()
            assert str(folder.table) in str(e.value)
        assert folder.table.read_bytes() == content


def test_a_folder_is_of_one_experiment(read, tmp_path):
    one, other = read(TEXT, "one"), read(TEXT, "other")
    folder = Folder(tmp_path / "results")
    with pytest.raises(FileNotFoundError, match=r"with one TOML file; it has 0"):
        folder.read_declaration()
    folder.make(one)
    folder.check(one)
    assert folder.read_declaration() == one
    with pytest.raises(FileExistsError, match="experiment 'one', not of 'other'"):
        folder.check(other)
    folder.make(other)
    with pytest.raises(FileNotFoundError, match="it has 2"):
        folder.read_declaration()


def chosen(experiment, runs, column="params"):
    """Return what was chosen in each repetition, by the way of choosing."""
    table = choose(experiment, runs)
    return {
        selection: table[table["selection"] == selection][column].tolist()
        for selection in (NESTED, TEST_CHOSEN)
    }


def words(*numbers):
    return [f'{{"n_words": {n}}}' for n in numbers]


VALIDATION = {10: 0.9, 20: 0.7, 30: 0.6}
ACCURACY = {10: 0.5, 20: 0.6, 30: 0.8}


def by_words(task, _):
    n = task.params["n_words"]
    return VALIDATION[n], ACCURACY[n]


def test_nested_is_the_best_validation_and_test_chosen_the_best_test(read, make_up):
    experiment = read(ALL_FINAL)
    runs = make_up(experiment, by_words)
    best = {NESTED: words(10, 10), TEST_CHOSEN: words(30, 30)}
    assert chosen(experiment, runs) == best
    accuracies = {NESTED: [50.0, 50.0], TEST_CHOSEN: [80.0, 80.0]}
    assert chosen(experiment, runs, "accuracy") == accuracies
    table = choose(experiment, runs)
    assert table["repetition"].tolist() == [0, 1, 0, 1]
    assert {*table["seconds"]} == {1.5}
    assert {*table["classify_seconds"]} == {9.0}


def test_finalists_of_the_test_sets_cannot_win_inside(read, make_up):
    # On the whole training set, 30 words would win inside as well.
    def scores(task, classifier):
        validation, accuracy = by_words(task, classifier)
        late = task.stage != SCREEN and task.params["n_words"] == 30
        return 0.99 if late else validation, accuracy

    experiment = read(TEXT)
    best = {NESTED: words(10, 10), TEST_CHOSEN: words(30, 30)}
    assert chosen(experiment, make_up(experiment, scores)) == best


def test_each_repetition_chooses_for_itself_and_test_chosen_by_the_mean(read, make_up):
    scores = {10: [(0.9, 0.9), (0.1, 0.1)], 20: [(0.2, 0.2), (0.3, 0.7)]}
    scores[30] = [(0.9, 0.6), (0.3, 0.6)]
    experiment = read(ALL_FINAL)
    runs = make_up(
        experiment, lambda task, _: scores[task.params["n_words"]][task.repetition]
    )
    # Of equals, the first of the grid.
    best = {NESTED: words(10, 20), TEST_CHOSEN: words(30, 30)}
    assert chosen(experiment, runs) == best


def test_a_run_that_failed_is_never_chosen(read, make_up):
    experiment = read(ALL_FINAL)

    def failing(*where):
        def scores(task, classifier):
            place = task.params["n_words"], task.repetition
            return None if place in where else by_words(task, classifier)

        return make_up(experiment, scores)

    assert chosen(experiment, failing((10, 0), (30, 1))) == {
        NESTED: words(20, 10),
        TEST_CHOSEN: words(20, 20),
    }
    none = failing(*((n, repetition) for n in VALIDATION for repetition in (0, 1)))
    assert chosen(experiment, none) == {NESTED: [], TEST_CHOSEN: []}
    [row] = progress(experiment, none).to_dict("records")
    assert (row["done"], row["planned"], row["complete"]) == (6, 6, True)
    assert row["errors"] == "too few samples"


def test_a_cell_that_is_not_complete_is_left_out(read, make_up):
    experiment = read(TEXT)
    records = dict(make_up(experiment, by_words).records)
    records.popitem()
    assert choose(experiment, RunsTable(records)).empty
    [row] = progress(experiment, RunsTable(records)).to_dict("records")
    assert (row["done"], row["planned"], row["complete"]) == (9, 10, False)
    screened = {key: one for key, one in records.items() if one["stage"] == SCREEN}
    [row] = progress(experiment, RunsTable(screened)).to_dict("records")
    assert (row["done"], row["planned"], row["complete"]) == (6, 10, False)


def test_cells_that_share_their_runs_keep_their_names(read, make_up):
    # The same data under two names, and a default that is spelled out.
    experiment = read(
        ALL_FINAL.replace("[descriptors", "[datasets.again]\nshapes = {}\n[descriptors")
        + '[descriptors.plain]\nmake = "PersistenceBoW"\ngrid.n_words = [10]\n'
        + '[descriptors.same]\nmake = "PersistenceBoW"\n'
        + 'grid = { n_words = [10], weighting = ["uniform"] }\n'
    )
    runs = make_up(experiment, by_words)
    assert len(runs) == 6
    table = choose(experiment, runs)
    table = table[table["selection"] == NESTED]
    assert len(table) == 2 * 6
    assert {*zip(table["dataset"], table["descriptor"], strict=True)} == {
        (dataset, name)
        for dataset in ("shapes", "again")
        for name in ("PBoW", "plain", "same")
    }
