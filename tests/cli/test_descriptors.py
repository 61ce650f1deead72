"""Descriptors by short name, or as a class of the user's own."""

import shlex

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
    return name


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("pbows", "expected one of pbow, image, "),
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
    result = run("fit", "diagrams.pbow", "--descriptor", value, "-o", "m.pbow")
    assert result.exit_code == 2
    assert message in result.stderr.splitlines()[-1]


def test_a_class_of_ones_own_is_fitted_saved_loaded_and_used(run, own, folder, X):
    own_class = ["--descriptor", f"{own}:Shorter"]
    result = run("fit", "diagrams.pbow", *own_class, "-o", "m.pbow")
    assert result.exit_code == 0, result.output
    assert result.stderr.startswith("m.pbow: Shorter(), ")
    model = ["m.pbow", "diagrams.pbow"]
    result = run("transform", *model, "-o", "v.npy")
    assert result.exit_code == 1
    assert f"'{own}:Shorter', which is not a class of this pbow." in result.stderr
    result = run("transform", *model, *own_class, "-o", "v.npy")
    assert result.exit_code == 0, result.output
    expected = vectorizers.PersistenceStatistics().fit_transform(X)
    assert_array_equal(np.load("v.npy"), expected)
    result = run("info", "m.pbow", *own_class)
    assert "a fitted Shorter" in result.stdout
    words = ["diagrams.pbow", "--labels", "labels.txt", "--folds", "3"]
    result = run("evaluate", *words, *own_class)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-1].startswith("shorter")


@pytest.mark.parametrize(
    "command",
    [
        "plot codebook own.pbow diagrams.pbow",
        "plot classes own.pbow diagrams.pbow --labels labels.txt",
        "plot difference own.pbow diagrams.pbow --labels labels.txt "
        "--between many 'few points'",
        "explore own.pbow diagrams.pbow",
    ],
)
def test_commands_that_draw_take_a_model_of_ones_own(run, own, X, command):
    pytest.importorskip("matplotlib")
    pytest.importorskip("plotly")
    own_class = ["--descriptor", f"{own}:Words"]
    fit = ["fit", "diagrams.pbow", "--words", "2", "-o", "own.pbow"]
    assert run(*fit, *own_class).exit_code == 0
    is_plot = command.startswith("plot")
    words = [*shlex.split(command), *own_class]
    words += ["--part", "H1", "-o", "x.png"] if is_plot else ["-o", "x.html"]
    result = run(*words)
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("value", ["pbow", "nowhere:Class"])
def test_what_is_no_class_is_not_taken_for_that_of_a_model(run, folder, value):
    result = run("info", "model.pbow", "--descriptor", value)
    assert result.exit_code == 2
    assert "Invalid value for '--descriptor'" in result.stderr
