"""Descriptors by short name, or as a class of the user's own."""

import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow import kernels, vectorizers
from pbow.cli.descriptors import Descriptor

# A file beside the diagrams, as a user would write it.
OWN = """
from pbow.vectorizers import PersistenceBoW, PersistenceStatistics

class Shorter(PersistenceStatistics):
    short_name = "shorter"

class Words(PersistenceBoW): ...

class Demanding(PersistenceBoW):
    def __init__(self, *, secret):
        self.secret = secret

class Plain: ...

class Late(PersistenceStatistics):
    def fit(self, X, y=None):
        import neighbor
        return super().fit(X, y)
"""


@pytest.mark.parametrize(
    ("command", "modules"),
    [("fit", [vectorizers]), ("evaluate", [vectorizers, kernels])],
)
def test_help_names_every_class(run, command, modules):
    names = [module.__name__.partition(".")[2] for module in modules]
    classes = Descriptor(*names).classes()
    assert {cls.__name__ for cls in classes.values()} == {
        name for module in modules for name in module.__all__
    }
    text = "".join(run(command, "--help").stdout.split())  # lines break at hyphens
    assert ":" + ",".join(classes) + ",or" in text


@pytest.fixture
def own(folder, request):
    """Write a module of a name of its own: Python keeps what it has imported."""
    name = f"own_{abs(hash(request.node.name))}"
    (folder / f"{name}.py").write_text(OWN)
    (folder / "broken.py").write_text("x\n")
    (folder / "neighbor.py").write_text("")
    return name


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("nowhere:Class", "cannot import 'nowhere' (ModuleNotFoundError: "),
        (".a:Class", "cannot import '.a' ("),
        (":Class", "cannot import '' ("),
        ("broken:Class", "cannot import 'broken' (NameError: name 'x' is not def"),
        ("{own}:Nothing", "Nothing does not exist."),
        ("{own}:Plain", "expected a subclass of DiagramEstimator; "),
        ("{own}:Demanding", "argument: 'secret'."),
    ],
)
def test_what_is_no_descriptor_ends_with_code_2(run, own, given, message):
    value = given.format(own=own)
    result = run("fit diagrams.pbow -o m.pbow --descriptor", value, code=2)
    assert message in result.stderr.splitlines()[-1]


def test_a_class_of_ones_own_is_fitted_saved_loaded_and_used(run, own, X):
    own_class = ["--descriptor", f"{own}:Shorter"]
    result = run("fit diagrams.pbow -o m.pbow", *own_class)
    assert result.stderr.startswith("m.pbow: Shorter(), ")
    transform = "transform m.pbow diagrams.pbow -o v.npy"
    result = run(transform, code=1)
    assert f"'{own}:Shorter', which is not a class of this pbow." in result.stderr
    run(transform, *own_class)
    expected = vectorizers.PersistenceStatistics().fit_transform(X)
    assert_array_equal(np.load("v.npy"), expected)
    assert "a fitted Shorter" in run("info m.pbow", *own_class).stdout
    words = "diagrams.pbow --labels labels.txt --folds 3"
    result = run(f"evaluate {words}", *own_class)
    assert result.stdout.splitlines()[-1].startswith("shorter")


def test_classes_of_one_name_are_told_apart_by_their_modules(run, own, folder):
    (folder / f"{own}_2.py").write_text(OWN)
    result = run(
        "evaluate diagrams.pbow --labels labels.txt --folds 2",
        *("--descriptor", f"{own}:Shorter"),
        *("--descriptor", f"{own}_2:Shorter"),
        *("--descriptor", f"{own}:Shorter"),
    )
    names = [line.split()[0] for line in result.stdout.splitlines()[-2:]]
    assert names == ["shorter", f"{own}_2:Shorter"]


def test_a_class_of_ones_own_may_import_its_neighbor_later(run, own):
    before = list(sys.path)
    run("fit diagrams.pbow -o m.pbow --descriptor", f"{own}:Late")
    run("fit diagrams.pbow --descriptor", f"{own}:Late", code=2)  # without -o
    assert sys.path == before


@pytest.mark.parametrize(
    "command",
    [
        "plot codebook {files} --part H1 -o x.png",
        "plot classes {files} --labels labels.txt --part H1 -o x.png",
        "plot difference {files} --labels labels.txt --part H1 -o x.png "
        "--between many 'few points'",
        "explore {files} -o x.html",
    ],
)
def test_commands_that_draw_take_a_model_of_ones_own(run, own, command):
    own_class = ["--descriptor", f"{own}:Words"]
    run("fit diagrams.pbow --words 2 -o own.pbow", *own_class)
    run(command.format(files="own.pbow diagrams.pbow"), *own_class)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--words 3 --set n_words=4", "Pass --words or --set n_words, not both."),
        ("--set random_state=4", "Pass --seed, not --set random_state."),
        ("--set n_jobs=1", "Pass --jobs, not --set n_jobs."),
    ],
)
def test_a_parameter_is_set_once(run, folder, words, message):
    for command in ("fit diagrams.pbow -o m.pbow", "evaluate diagrams.pbow"):
        assert message in run(f"{command} {words}", code=2).stderr


@pytest.mark.parametrize("command", ["fit", "evaluate"])
def test_the_help_has_the_default_number_of_words(run, command):
    default = ",".join(map(str, vectorizers.PersistenceBoW().n_words))
    assert vectorizers.StablePersistenceBoW().n_words == (10, 30, 100)
    text = " ".join(run(command, "--help").stdout.split())
    assert f"[default: ({default} for pbow and spbow)]" in text
