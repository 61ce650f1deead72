"""Descriptors by short name, or as a class of the user's own."""

import pytest

from pbow import kernels, vectorizers
from pbow.cli.descriptors import Descriptor

# A file beside the diagrams, as a user would write it.
OWN = """
from pbow.vectorizers import PersistenceStatistics

class Shorter(PersistenceStatistics):
    short_name = "shorter"

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
    words = run(command, "--help").stdout.replace(",", " ").replace(";", " ").split()
    assert set(classes) <= set(words)


@pytest.fixture
def own(folder, request):
    """Write a module of a name of its own: Python keeps what it has imported."""
    name = f"own_{abs(hash(request.node.name))}"
    (folder / f"{name}.py").write_text(OWN)
    return name


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("pbows", "expected one of pbow, spbow, image, landscape, "),
        ("nowhere:Class", "cannot import 'nowhere': No module named 'nowhere'."),
        (".a:Class", "cannot import '.a': "),
        (":Class", "cannot import '': "),
        ("{own}:Nothing", "expected a subclass of DiagramEstimator; "),
        ("{own}:Plain", "expected a subclass of DiagramEstimator; "),
    ],
)
def test_what_is_no_descriptor_ends_with_code_2(run, own, given, message):
    value = given.format(own=own)
    result = run("fit", "diagrams.pbow", "--descriptor", value, "-o", "m.pbow")
    assert result.exit_code == 2
    last = result.stderr.splitlines()[-1]
    assert last.startswith("Error: Invalid value for '--descriptor': ")
    assert message.split()[0] in last
