"""The folder of results keeps every bit, and the choice sees what it may see."""

import json
import shutil

import pytest
from tests.experiment.conftest import make_record

from pbow.experiment import Folder, choose, progress, to_frame
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
RECORD = make_record({"linear": (None, 1 / 3), "distance": (0.1 + 0.2, 0.5)})
KEY = RECORD["key"]


def folder_of(path, *records):
    folder = Folder(path)
    (path / "runs").mkdir(parents=True)
    for record in records:
        folder.run_file(record["key"]).write_text(json.dumps(record))
    return folder


@pytest.fixture
def folder(tmp_path):
    return folder_of(tmp_path / "results", RECORD)


OTHERS = [
    make_record({"linear": (0.5, 1e-300)}, key="b" * 24, params={"weighting": None}),
    make_record({}, key="c" * 24, params={"é\n": [True, 1, 1.5, "x"]}, machine=""),
    make_record({"": (0.1, -0.0)}, key="d" * 24, dataset="\N{SNOWMAN}", params={}),
]
OTHERS[0]["scores"]["linear"] |= {"confusion": None, "n_fits": 2**50}


@pytest.mark.parametrize("records", [[RECORD, *OTHERS], [RECORD], [OTHERS[1]], []])
def test_files_and_the_table_keep_every_bit(tmp_path, records):
    folder = folder_of(tmp_path / "results", *records)
    # As texts, in which 1, 1.0 and -0.0 differ, too.
    expected = {one["key"]: json.dumps(one, sort_keys=True) for one in records}
    for lost in ("nothing", "runs"):
        shutil.rmtree(folder.path / lost, ignore_errors=True)
        found = folder.read()
        assert {k: json.dumps(r, sort_keys=True) for k, r in found.items()} == expected
        folder.gather()
        table = folder.table.read_bytes()
        folder.gather()
        assert folder.table.read_bytes() == table


def test_the_table_has_one_row_per_run_and_classifier(folder):
    frame = to_frame(folder.read())
    columns = ["classifier", "confusion", "params", "fit_seconds"]
    same = ("[[9, 1], [2, 8]]", '{"n_words": 20}', 1.0)
    assert frame[columns].to_numpy().tolist() == [
        [classifier, *same] for classifier in ("distance", "linear")
    ]
    assert to_frame({}).empty


def test_a_file_is_newer_than_the_table(folder):
    folder.gather()
    folder.run_file(KEY).write_text(json.dumps(RECORD | {"n_features": 7}))
    assert folder.read()[KEY]["n_features"] == 7
    assert Folder(folder.path / "nowhere").read() == {}


DAMAGED = {
    "empty": b"",
    "binary": b"\x93NUMPY\x00\xff",
    "cut": json.dumps(RECORD).encode()[:200],
    "a list": b"[1, 2]",
    "nothing": b"{}",
    "another run": json.dumps(RECORD | {"key": "b" * 24}).encode(),
    "no scores": json.dumps(RECORD | {"scores": 3}).encode(),
    "half of the scores": json.dumps(RECORD | {"scores": {"rbf": {"C": 1}}}).encode(),
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_file_is_named_and_its_run_is_not_there(folder, content):
    path = folder.run_file(KEY)
    path.write_bytes(content)
    with pytest.warns(DamagedRunWarning, match=rf"{KEY}\.json is damaged") as caught:
        assert folder.read() == {}
    assert len(caught) == 1
    assert not folder.has(KEY)
    assert path.read_bytes() == content


def test_a_damaged_table_is_named_and_stays_as_it_is(folder):
    folder.gather()
    good = folder.table.read_bytes()
    frame = to_frame(folder.read())
    tables = [
        frame.drop(columns="confusion"),
        frame.assign(params="{"),
        frame.assign(accuracy="many"),
        frame.assign(n_train=None),
    ]
    contents = [b"", b"PAR1", b"key,stage\n", good[:100], good[:-1], good[1:]]
    for content in (*contents, *(table.to_parquet() for table in tables)):
        folder.table.write_bytes(content)
        for use in (folder.read, folder.gather):
            with pytest.raises(ValueError, match=r"(?s)is damaged .* Restore it") as e:
                use()
            assert str(folder.table) in str(e.value)
        assert folder.table.read_bytes() == content


def by_words(scores):
    """Return what gives validation and accuracy by words and repetition."""
    return lambda task, _: scores[task.params["n_words"]][task.repetition]


def chosen(experiment, runs):
    """Return the numbers of words by the way of choosing."""
    table = choose(experiment, runs)
    return [
        [
            json.loads(params)["n_words"]
            for params in table[table.selection == by].params
        ]
        for by in (NESTED, TEST_CHOSEN)
    ]


USUAL = {10: [(0.9, 0.5)] * 2, 20: [(0.7, 0.6)] * 2, 30: [(0.6, 0.8)] * 2}
# Each repetition chooses for itself, of equals the first; the test sets by the mean.
VARIED = {10: [(0.9, 0.9), (0.1, 0.1)], 20: [(0.2, 0.2), (0.3, 0.7)]}
VARIED[30] = [(0.9, 0.6), (0.3, 0.6)]
# What has failed is never chosen.
FAILED = {10: [None, (0.9, 0.5)], 20: USUAL[20], 30: [(0.6, 0.8), None]}


@pytest.mark.parametrize(
    ("scores", "nested", "tested"),
    [
        (USUAL, [10, 10], [30, 30]),
        (VARIED, [10, 20], [30, 30]),
        (FAILED, [20, 10], [20, 20]),
        (dict.fromkeys(USUAL, ((0.9, 0.5), None)), [], []),
    ],
)
def test_nested_is_the_best_validation_and_test_chosen_the_best_mean_accuracy(
    read, make_up, scores, nested, tested
):
    experiment = read(ALL_FINAL)
    runs = make_up(experiment, by_words(scores))
    assert chosen(experiment, runs) == [nested, tested]
    [row] = progress(experiment, runs).to_dict("records")
    assert (row["done"], row["planned"], row["complete"]) == (6, 6, True)
    n_failed = sum(each.count(None) for each in scores.values())
    assert row["failed"] == n_failed
    assert row["errors"] == ("too few samples" if n_failed else "")


def test_finalists_of_the_test_sets_cannot_win_inside(read, make_up):
    # On the whole training set, 30 words would win inside as well.
    late = USUAL | {30: [(0.99, 0.8)] * 2}
    experiment = read(TEXT)
    runs = make_up(
        experiment,
        lambda task, _: by_words(USUAL if task.stage == SCREEN else late)(task, _),
    )
    assert chosen(experiment, runs) == [[10, 10], [30, 30]]


def test_a_cell_that_is_not_complete_is_left_out(read, make_up):
    experiment = read(TEXT)
    made = list(make_up(experiment, by_words(USUAL)).items())
    for n, planned in ((9, 10), (6, 10), (5, 6)):  # 6 are screened, and 4 are final
        runs = dict(made[:n])
        assert choose(experiment, runs).empty
        [row] = progress(experiment, runs).to_dict("records")
        found = row["done"], row["planned"], row["complete"]
        assert found == (n, planned, False)


def test_cells_that_share_their_runs_keep_their_names(read, make_up):
    # The same data under two names, and a default that is spelled out.
    experiment = read(
        ALL_FINAL.replace("[descriptors", "[datasets.again]\nshapes = {}\n[descriptors")
        + '[descriptors.plain]\nmake = "PersistenceBoW"\ngrid.n_words = [10]\n'
        + '[descriptors.same]\nmake = "PersistenceBoW"\n'
        + 'grid = { n_words = [10], weighting = ["uniform"] }\n'
    )
    runs = make_up(experiment, by_words(USUAL))
    assert len(runs) == 6
    table = choose(experiment, runs).query("selection == @NESTED")
    measured = table[["accuracy", "seconds", "classify_seconds"]]
    assert measured.drop_duplicates().to_numpy().tolist() == [[50.0, 1.5, 9.0]]
    assert (table["dataset"] + "/" + table["descriptor"]).value_counts().to_dict() == {
        f"{dataset}/{name}": 2
        for dataset in ("shapes", "again")
        for name in ("PBoW", "plain", "same")
    }
