"""Reading a declaration: what it becomes, and where it is wrong."""

from dataclasses import replace

import pytest

from pbow.experiment import (
    Cell,
    Classifier,
    DatasetEntry,
    DeclarationError,
    DescriptorEntry,
    Reported,
    read_experiment,
)
from pbow.experiment.declaration import describe

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


def test_what_is_not_said_has_a_default(read):
    experiment = read(SMALL, "some")
    assert (experiment.name, experiment.title) == ("some", "some")
    assert (experiment.caption, experiment.text) == ("", SMALL)
    assert (experiment.seed, experiment.repetitions) == (0, 5)
    assert experiment.classifier == Classifier()
    cell = experiment.cells[1]
    assert cell == Cell(
        dataset=DatasetEntry(name="second", title="second", load="mutag"),
        descriptor=DescriptorEntry(name="PBoW", title="PBoW", make="PersistenceBoW"),
        grid={},
    )
    assert (cell.name, cell.combinations()) == ("second/PBoW", [{}])


def test_every_type_of_value_is_read(read):
    text = """
        name = "short"
        title = "Long"
        seed = 7
        repetitions = 3
        [classifier]
        names = ["rbf"]
        c_values = [10, 1.0]
        c_rows = 40
        [datasets.own]
        diagrams = "own.csv"
        labels = "own.txt"
        protocol = "50/50"
        repetitions = 2
        state_of_the_art = { accuracy = 97, source = "A book" }
        [descriptors.PI]
        title = "Images"
        make = "PersistenceImage.paper"
        ours = true
        factor = 2
        params = { weight = "none", sigma = 0.1 }
        grid = { resolution = [10, 20], weight = ["ramp", "none"] }
        also = [{ sigma = 1.0 }, { weight = "none" }]
        [descriptors.PI.on.own]
        grid.resolution = [30]
        optimum = { resolution = 30, weight = "none" }
        paper = { accuracy = 50.0, seconds = 3, runs = 4, best = true }
        """
    experiment = read(text)
    assert (experiment.name, experiment.title) == ("short", "Long")
    assert (experiment.seed, experiment.repetitions) == (7, 3)
    classifier = Classifier(names=("rbf",), c_values=(1.0, 10.0), c_rows=40)
    assert experiment.classifier == classifier
    dataset = DatasetEntry(
        name="own",
        title="own",
        diagrams="own.csv",
        labels="own.txt",
        protocol="50/50",
        repetitions=2,
        state_of_the_art=Reported(accuracy=97.0, source="A book"),
    )
    descriptor = DescriptorEntry(
        name="PI",
        title="Images",
        make="PersistenceImage.paper",
        ours=True,
        factor=2.0,
        params={"weight": None, "sigma": 0.1},
        grid={"resolution": [10, 20], "weight": ["ramp", None]},
        also=[{"sigma": 1.0}, {"weight": None}],
    )
    [cell] = experiment.cells
    assert cell == Cell(
        dataset=dataset,
        descriptor=descriptor,
        grid={"resolution": [30], "weight": ["ramp", None]},
        optimum={"resolution": 30, "weight": None},
        paper=Reported(accuracy=50.0, seconds=3.0, runs=4, best=True),
    )
    assert experiment.n_repetitions(dataset) == 2
    assert experiment.n_repetitions(replace(dataset, repetitions=None)) == 3
    assert cell.combinations() == [
        {"resolution": 30, "weight": "ramp", "sigma": 0.1},
        {"resolution": 30, "weight": None, "sigma": 0.1},
    ]


def test_a_grid_of_one_data_set_leaves_the_others_alone(read):
    own = "[descriptors.PBoW.on.second.grid]\nn_words = [5]"
    experiment = read(f"{SMALL}grid = {{ n_words = [1, 2], m = [3, 'none'] }}\n{own}")
    first, second = experiment.cells
    assert second.grid == {"n_words": [5], "m": [3, None]}
    assert [tuple(params.values()) for params in first.combinations()] == [
        *((1, 3), (1, None), (2, 3), (2, None))
    ]


def test_cells_go_data_set_by_data_set_in_the_order_of_the_file(read):
    experiment = read(
        DATA
        + """
        [descriptors]
        Z = { make = "PersistenceBoW", only = ["second", "first"] }
        A = { make = "PersistenceBoW", only = ["second"] }
        M = { make = "PersistenceBoW" }
        """
    )
    names = ["first/Z", "first/M", "second/Z", "second/A", "second/M"]
    assert [cell.name for cell in experiment.cells] == names
    assert [entry.name for entry in experiment.datasets] == ["first", "second"]
    assert {entry.name for entry in experiment.descriptors} == {"Z", "A", "M"}
    some = experiment.only(["A", "first/M"])
    assert [cell.name for cell in some.cells] == ["first/M", "second/A"]
    assert [cell.name for cell in experiment.only(["first"]).cells] == names[:2]
    assert experiment.only([]) == experiment
    with pytest.raises(ValueError, match=r"got 'seconds' \(did you mean 'second'\?\)"):
        experiment.only(["A", "seconds"])


# What stands above all tables, and what is said of it.
WRONG_ABOVE = {
    "seeds = 3": "expected only name, title, caption, seed, repetitions, classifier; "
    "got seeds (did you mean 'seed'?).",
    "repetitions = 2.5": "a whole number >= 1 in [repetitions]; got 2.5.",
    "seed = -1": "a whole number >= 0 in [seed]; got -1.",
    "classifier = 3": "a table in [classifier]; got 3.",
    "classifier.c_values = []": "a list of values in [classifier.c_values]; got [].",
    "classifier.c_values = [0, 1]": "numbers > 0 in [classifier.c_values]; got [0.0, 1",
    "classifier.c_values = [inf]": "a number in [classifier.c_values]; got inf.",
    "classifier.names = ['tree']": "distance, rbf in [classifier.names]; got tree.",
    "classifier.folds = 1": "a whole number >= 2 in [classifier.folds]; got 1.",
    # It becomes the name of a file in the folder of results.
    "name = '../x'": "names that are not empty and have no '/' in [name]; got '../x'.",
}
WRONG_DATASET = {
    "load = 'mutag'\nshapes = {}": "expected exactly one of load, diagrams, shapes, "
    "surfaces in [datasets.one]; got ['load', 'shapes'].",
    "diagrams = 'x.csv'": "and labels in [datasets.one]; got ['diagrams'].",
    "load = 'mutag'\nlabels = 'x.txt'": "both diagrams and labels in [datasets.one]",
    "load = 'mutag'\nprotocol = '70/30'": "original in [datasets.one]; got '70/30'.",
    "load = 'mutag'\nvariant_of = 'x'": "variant_of to be one of one in [datasets.one]",
}
WRONG_DESCRIPTOR = {
    "ours = 1": "true or false in [descriptors.PBoW.ours]; got 1.",
    "also = [{ n_words = 3 }, 5]": "a table in [descriptors.PBoW.also]; got 5.",
    "grid.n_words = 3": "a list of values in [descriptors.PBoW.grid]; got 3.",
    "on.third = {}": "some of first, second in [descriptors.PBoW]; got ['third'].",
    "on = 3": "in [descriptors.PBoW]; got 3.",
    "on.first.papers = 3": "expected only grid, optimum, paper in "
    "[descriptors.PBoW.on.first]; got papers (did you mean 'paper'?).",
    "on.first.paper.std = 1": "for accuracy in [descriptors.PBoW.on.first.paper]",
    "only = ['third']": "some of first, second in [descriptors.PBoW]; got ['third",
    "only = 'first'": "a list of values in [descriptors.PBoW.only]; got 'first'.",
    "params.n_words = 2020-01-01": "lists or tables in [descriptors.PBoW.params]; got "
    "datetime.date(2020, 1, 1).",
    "params.n_words = nan": "finite numbers, true, false, lists or tables in [descr",
    "only = []": "a list of values in [descriptors.PBoW.only]; got [].",
}
ONE = f"[datasets.one]\n%s\n{DESCRIPTOR}"
WRONG = {
    **{f"{text}\n{SMALL}": message for text, message in WRONG_ABOVE.items()},
    **{ONE % text: message for text, message in WRONG_DATASET.items()},
    **{SMALL + text: message for text, message in WRONG_DESCRIPTOR.items()},
    DESCRIPTOR: "expected at least one table [datasets.<name>]; got none.",
    f"[datasets]\nfirst = 3\n{DESCRIPTOR}": "a table in [datasets.first]; got 3.",
    f"[datasets.'a/b']\nload = 'x'\n{DESCRIPTOR}": "in [datasets]; got 'a/b'.",
    f"{DATA}title = 'first'\n{DESCRIPTOR}": "that differ from each other in [datasets]",
    f"{DATA}[descriptors]\nx = 3": "a table in [descriptors.x]; got 3.",
    f"{DATA}[descriptors.x]": "a value for make in [descriptors.x]; got none.",
    f"{DATA}[descriptors.'']\nmake = 'x'": "no '/' in [descriptors]; got ''.",
}


@pytest.mark.parametrize(
    ("text", "message"), WRONG.items(), ids=[one[-50:] for one in WRONG.values()]
)
def test_an_error_names_the_file_the_place_and_what_is_there(declare, text, message):
    path = declare(text)
    with pytest.raises(DeclarationError) as caught:
        read_experiment(path)
    said = str(caught.value)
    assert said.startswith(f"{path}: expected ")
    assert message in said
    assert len(said) < 1000


@pytest.mark.parametrize(
    "content",
    [b"a = = 3", b"\xff\xfe\x00", b"seed = " + b"9" * 5000, b"a = " + b"[" * 3000],
    ids=["syntax", "no text", "digits", "depth"],
)
def test_what_is_not_toml_is_named(tmp_path, content):
    path = tmp_path / "other.toml"
    path.write_bytes(content)
    with pytest.raises(DeclarationError, match=r"Expected .*other\.toml to be TOML: "):
        read_experiment(path)


def test_a_description_does_not_depend_on_the_order_of_parameters():
    one, other = {"a": None, "b": [1, 2.5]}, {"b": [1, 2.5], "a": None}
    assert describe(one) == describe(other) == '{"a": null, "b": [1, 2.5]}'


def test_a_variant_has_what_was_reported_for_the_original(read):
    text = f"{DATA}variant_of = 'first'\n{DESCRIPTOR}on.first.paper.accuracy = 81"
    original, variant = read(text).cells
    assert original.paper == variant.paper == Reported(accuracy=81.0)
