"""Reading a declaration: what it becomes, and where it is wrong."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbow.experiment.declaration import (
    Classifier,
    DeclarationError,
    Reported,
    describe,
    read_experiment,
)

DATA = """
[datasets.first]
shapes = { n_per_class = 5 }
[datasets.second]
load = "mutag"
"""
DESCRIPTOR = """
[descriptors.PBoW]
make = "PersistenceBoW"
"""
SMALL = DATA + DESCRIPTOR


@pytest.fixture
def read(tmp_path):
    def read_text(text):
        path = tmp_path / "some.toml"
        path.write_text(text, encoding="utf-8")
        return read_experiment(path)

    return read_text


def test_what_is_not_said_has_a_default(read):
    experiment = read(SMALL)
    assert (experiment.name, experiment.title, experiment.text) == (
        "some",
        "some",
        SMALL,
    )
    assert (experiment.seed, experiment.repetitions) == (0, 5)
    assert experiment.minutes_per_cell is None
    assert experiment.classifier == Classifier()
    cell = experiment.cells[1]
    assert cell.name == "second/PBoW"
    assert (cell.grid, cell.optimum, cell.reported) == ({}, None, None)
    assert cell.combinations() == [{}]
    entry = cell.descriptor
    assert (entry.title, entry.similarity, entry.params) == ("PBoW", "kernel", {})
    flags = (entry.ours, entry.standardize, entry.on_all_rows)
    assert flags == (False, False, False)
    dataset = cell.dataset
    assert (dataset.title, dataset.source) == ("second", {"load": "mutag"})
    assert dataset.per_class is dataset.protocol is dataset.repetitions is None


def test_everything_that_can_be_said_is_read(read):
    experiment = read(
        """
        name = "short"
        title = "Long"
        seed = 7
        repetitions = 3
        minutes_per_cell = 1.5
        [classifier]
        costs = [10, 1.0]
        folds = 3
        max_iterations = 100
        screen_rows = 50
        screen_iterations = 10
        finalists = 2
        [datasets.own]
        title = "Our own"
        diagrams = "own.csv"
        labels = "own.txt"
        per_class = 4
        protocol = "50/50"
        repetitions = 2
        state_of_the_art = { score = 97, std = 0.5, source = "A book" }
        [descriptors.PI]
        title = "Images"
        make = "PersistenceImage.paper"
        ours = true
        standardize = true
        on_all_rows = true
        similarity = "max-distance"
        params = { weight = "none", sigma = 0.1 }
        grid = { resolution = [10, 20], weight = ["ramp", "none"] }
        [descriptors.PI.on.own]
        grid.resolution = [30]
        optimum = { resolution = 30, weight = "none" }
        paper = { score = 50.0, seconds = 3, best = true, fastest = true }
        """
    )
    assert (experiment.name, experiment.title) == ("short", "Long")
    assert (experiment.seed, experiment.repetitions) == (7, 3)
    assert experiment.minutes_per_cell == 1.5
    assert experiment.classifier == Classifier(
        costs=(1.0, 10.0),
        folds=3,
        max_iterations=100,
        screen_rows=50,
        screen_iterations=10,
        finalists=2,
    )
    cell = experiment.cell("own", "PI")
    assert cell.dataset.source == {"diagrams": "own.csv", "labels": "own.txt"}
    assert (cell.dataset.title, cell.dataset.per_class) == ("Our own", 4)
    assert (cell.dataset.protocol, cell.dataset.repetitions) == ("50/50", 2)
    assert cell.dataset.state_of_the_art == Reported(
        score=97.0, std=0.5, source="A book"
    )
    entry = cell.descriptor
    assert (entry.title, entry.make) == ("Images", "PersistenceImage.paper")
    assert entry.ours
    assert entry.standardize
    assert entry.on_all_rows
    assert entry.similarity == "max-distance"
    assert entry.params == {"weight": None, "sigma": 0.1}
    assert cell.grid == {"resolution": (30,), "weight": ("ramp", None)}
    assert cell.optimum == {"resolution": 30, "weight": None}
    assert cell.reported == Reported(score=50.0, seconds=3.0, best=True, fastest=True)
    assert cell.combinations() == [
        {"resolution": 30, "weight": "ramp", "sigma": 0.1},
        {"resolution": 30, "weight": None, "sigma": 0.1},
    ]


def test_a_grid_of_one_data_set_leaves_the_others_alone(read):
    experiment = read(
        SMALL
        + """
        grid = { n_words = [10, 20], weighting = ["ramp"] }
        [descriptors.PBoW.on.second.grid]
        n_words = [5]
        """
    )
    first, second = experiment.cells
    assert first.grid == {"n_words": (10, 20), "weighting": ("ramp",)}
    assert second.grid == {"n_words": (5,), "weighting": ("ramp",)}


def test_the_last_name_of_a_grid_changes_fastest(read):
    cell = read(SMALL + "grid = { b = [1, 2], a = [3, 4] }").cells[0]
    assert [(c["b"], c["a"]) for c in cell.combinations()] == [
        (1, 3),
        (1, 4),
        (2, 3),
        (2, 4),
    ]


def test_cells_go_data_set_by_data_set_in_the_order_of_the_file(read):
    experiment = read(
        DATA
        + """
        [descriptors.Z]
        make = "PersistenceBoW"
        only = ["second", "first"]
        [descriptors.A]
        make = "PersistenceBoW"
        only = ["second"]
        [descriptors.M]
        make = "PersistenceBoW"
        """
    )
    assert [cell.name for cell in experiment.cells] == [
        "first/Z",
        "first/M",
        "second/Z",
        "second/A",
        "second/M",
    ]
    assert [entry.name for entry in experiment.datasets] == ["first", "second"]
    assert {entry.name for entry in experiment.descriptors} == {"Z", "A", "M"}
    assert experiment.cell("first", "A") is None
    assert experiment.cell("second", "A") is experiment.cells[3]


WRONG = {
    "no data sets": (
        DESCRIPTOR,
        "expected at least one table [datasets.<name>]; got none.",
    ),
    "no descriptors": (
        DATA,
        "expected at least one table [descriptors.<name>]; got none.",
    ),
    "unknown key": (
        "seeds = 3\n" + SMALL,
        "expected only classifier, datasets, descriptors, minutes_per_cell, name, "
        "repetitions, seed, title; got seeds (did you mean 'seed'?).",
    ),
    "unknown key of a data set": (
        "[datasets.one]\nload = 'mutag'\nperclass = 3\n" + DESCRIPTOR,
        "load, per_class, protocol, repetitions, state_of_the_art, title in "
        "[datasets.one]; got perclass (did you mean 'per_class'?).",
    ),
    "unknown key of a descriptor": (
        SMALL + "standardise = true",
        "title in [descriptors.PBoW]; got standardise (did you mean 'standardize'?).",
    ),
    "unknown key of the classifier": (
        "[classifier]\ncost = [1]\n" + SMALL,
        "in [classifier]; got cost (did you mean 'costs'?).",
    ),
    "unknown key of a cell": (
        SMALL + "[descriptors.PBoW.on.first]\npapers = 3",
        "expected only grid, optimum, paper in [descriptors.PBoW.on.first]; got papers",
    ),
    "unknown key of what was reported": (
        SMALL + "[descriptors.PBoW.on.first]\npaper = { score = 1, mean = 2 }",
        "in [descriptors.PBoW.on.first.paper]; got mean.",
    ),
    "nothing reported": (
        SMALL + "[descriptors.PBoW.on.first]\npaper = { std = 1 }",
        "expected a value for score in [descriptors.PBoW.on.first.paper]; got none.",
    ),
    "no maker": (
        DATA + "[descriptors.PBoW]\ntitle = 'x'",
        "expected a value for make in [descriptors.PBoW]; got none.",
    ),
    "no text": (
        DATA + "[descriptors.PBoW]\nmake = 3",
        "expected make to be text in [descriptors.PBoW]; got 3.",
    ),
    "no flag": (
        SMALL + "ours = 1",
        "expected ours to be true or false in [descriptors.PBoW]; got 1.",
    ),
    "no whole number": (
        "repetitions = 2.5\n" + SMALL,
        "expected repetitions to be a whole number >= 1; got 2.5.",
    ),
    "too small": (
        "repetitions = 0\n" + SMALL,
        "expected repetitions to be a whole number >= 1; got 0.",
    ),
    "a negative seed": (
        "seed = -1\n" + SMALL,
        "expected seed to be a whole number >= 0; got -1.",
    ),
    "true is no number": (
        "seed = true\n" + SMALL,
        "expected seed to be a whole number >= 0; got True.",
    ),
    "one fold": (
        "[classifier]\nfolds = 1\n" + SMALL,
        "expected folds to be a whole number >= 2 in [classifier]; got 1.",
    ),
    "no budget": (
        "minutes_per_cell = 0\n" + SMALL,
        "expected minutes_per_cell to be > 0; got 0.0.",
    ),
    "a budget of text": (
        "minutes_per_cell = 'long'\n" + SMALL,
        "expected minutes_per_cell to be a number; got 'long'.",
    ),
    "an endless budget": (
        "minutes_per_cell = inf\n" + SMALL,
        "expected minutes_per_cell to be a number; got inf.",
    ),
    "no costs": (
        "[classifier]\ncosts = []\n" + SMALL,
        "expected costs to be a list of numbers > 0 in [classifier]; got [].",
    ),
    "a cost of 0": (
        "[classifier]\ncosts = [0, 1]\n" + SMALL,
        "expected costs to be a list of numbers > 0 in [classifier]; got [0, 1].",
    ),
    "no table": (
        "classifier = 3\n" + SMALL,
        "expected classifier to be a table; got 3.",
    ),
    "no table of a data set": (
        "[datasets]\nfirst = 3\n" + DESCRIPTOR,
        "expected first to be a table in [datasets]; got 3.",
    ),
    "two sources": (
        "[datasets.one]\nload = 'mutag'\nshapes = {}\n" + DESCRIPTOR,
        "expected exactly one of load, diagrams, shapes, surfaces in [datasets.one]; "
        "got ['load', 'shapes'].",
    ),
    "no source": (
        "[datasets.one]\ntitle = 'x'\n" + DESCRIPTOR,
        "expected exactly one of load, diagrams, shapes, surfaces in [datasets.one]; "
        "got none.",
    ),
    "files without labels": (
        "[datasets.one]\ndiagrams = 'x.csv'\n" + DESCRIPTOR,
        "expected a value for labels in [datasets.one]; got none.",
    ),
    "labels of what has its own": (
        "[datasets.one]\nload = 'mutag'\nlabels = 'x.txt'\n" + DESCRIPTOR,
        "in [datasets.one]; got labels.",
    ),
    "protocol": (
        "[datasets.one]\nload = 'mutag'\nprotocol = '70/30'\n" + DESCRIPTOR,
        "expected protocol to be one of 80/20, 90/10, 50/50, groups, 50/50 groups, "
        "4 folds, original in [datasets.one]; got '70/30'.",
    ),
    "similarity": (
        SMALL + "similarity = 'cosine'",
        "in [descriptors.PBoW]; got 'cosine'.",
    ),
    "on an unknown data set": (
        SMALL + "[descriptors.PBoW.on.third]\ngrid = {}",
        "expected 'on' to have some of first, second in [descriptors.PBoW]; "
        "got 'third'.",
    ),
    "on a data set that is left out": (
        SMALL + "only = ['first']\n[descriptors.PBoW.on.second]\ngrid = {}",
        "expected 'on' to have some of first in [descriptors.PBoW]; got 'second'.",
    ),
    "only an unknown data set": (
        SMALL + "only = ['third']",
        "expected only to be a list of some of first, second in [descriptors.PBoW]; "
        "got ['third'].",
    ),
    "only a text": (SMALL + "only = 'first'", "in [descriptors.PBoW]; got 'first'."),
    "only nothing": (SMALL + "only = []", "in [descriptors.PBoW]; got []."),
    "only a number": (SMALL + "only = [1]", "in [descriptors.PBoW]; got [1]."),
    "empty grid": (
        SMALL + "grid = { n_words = [] }",
        "expected n_words to be a list of values in [descriptors.PBoW.grid]; got [].",
    ),
    "no list in a grid": (
        SMALL + "grid = { n_words = 3 }",
        "expected n_words to be a list of values in [descriptors.PBoW.grid]; got 3.",
    ),
    "empty grid of a cell": (
        SMALL + "[descriptors.PBoW.on.first.grid]\nn_words = []",
        "in [descriptors.PBoW.on.first.grid]; got [].",
    ),
    "a value twice": (
        SMALL + "grid = { n_words = [3, 5, 3] }",
        "expected n_words to have every value once in [descriptors.PBoW.grid]; "
        "got [3, 5, 3].",
    ),
    "a date": (
        SMALL + "params = { when = 2020-01-01 }",
        "expected when to be made of text, finite numbers, true, false or lists and "
        "tables in [descriptors.PBoW.params]; got datetime.date(2020, 1, 1).",
    ),
    "not a number": (
        SMALL + "grid = { sigma = [1.0, nan] }",
        "in [descriptors.PBoW.grid]; got [1.0, nan].",
    ),
    "infinite": (
        "[datasets.one]\nshapes = { noise = inf }\n" + DESCRIPTOR,
        "in [datasets.one.shapes]; got inf.",
    ),
    "the name of a cell": (
        "[datasets.'a/b']\nload = 'mutag'\n" + DESCRIPTOR,
        "expected names that are not empty and have no '/' in [datasets]; got 'a/b'.",
    ),
    "no name": (
        DATA + "[descriptors.'']\nmake = 'PersistenceBoW'\n",
        "expected names that are not empty and have no '/' in [descriptors]; got ''.",
    ),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG)
def test_an_error_names_the_file_the_place_and_both_sides(
    read, tmp_path, text, message
):
    with pytest.raises(DeclarationError) as caught:
        read(text)
    said = str(caught.value)
    assert said.startswith(f"{tmp_path / 'some.toml'}: expected ")
    assert message in said


@pytest.mark.parametrize(
    "content",
    [b"a = = 3", b"\xff\xfe\x00", b"a = " + b"[" * 5000],
    ids=["syntax", "no text", "a thousand brackets"],
)
def test_what_is_not_toml_is_named(tmp_path, content):
    path = tmp_path / "other.toml"
    path.write_bytes(content)
    with pytest.raises(DeclarationError, match=r"Expected .*other\.toml to be TOML: "):
        read_experiment(path)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"missing\.toml"):
        read_experiment(tmp_path / "missing.toml")
    with pytest.raises(IsADirectoryError):
        read_experiment(tmp_path)


json_values = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False)
tables = st.dictionaries(st.text(max_size=3), json_values | st.text(), max_size=4)


@given(tables)
def test_the_description_of_parameters_does_not_depend_on_their_order(params):
    backwards = dict(reversed(params.items()))
    assert describe(backwards) == describe(params)
    assert json.loads(describe(params)) == params


names = st.text("abcxyz-_", min_size=1, max_size=6)
lists = st.lists(
    st.integers(0, 99) | st.sampled_from(["ramp", "none"]),
    min_size=1,
    max_size=4,
    unique_by=json.dumps,
)


@given(st.dictionaries(names, lists, max_size=3))
def test_combinations_are_all_of_the_grid_each_once(tmp_path_factory, grid):
    path = tmp_path_factory.getbasetemp() / "grid.toml"
    lines = [f"{name} = {json.dumps(values)}" for name, values in grid.items()]
    table = "\n".join(["[descriptors.PBoW.grid]", *lines])
    path.write_text(f"{SMALL}\n{table}", encoding="utf-8")
    made = read_experiment(path).cells[0].combinations()
    n_expected = 1
    for values in grid.values():
        n_expected *= len(values)
    assert len(made) == len(set(map(describe, made))) == n_expected
    assert all(list(params) == list(grid) for params in made)
    for name, values in grid.items():
        seen = {params[name] for params in made}
        assert seen == {None if value == "none" else value for value in values}
