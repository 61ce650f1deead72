import re
import shutil

import numpy as np
import pytest

import pbow
from pbow.experiment.environment import _library_digest, code_digest, machine, versions

MODULE = '''
"""Doubles numbers."""

def double(x):
    """Twice x."""
    return 2 * x  # for halves, see elsewhere
'''
OTHER = MODULE.replace("2 *", "3 *")


@pytest.fixture
def digest_with(tmp_path, monkeypatch):
    """Return the digest of a package that has some more content in a file."""
    (tmp_path / "pbow").mkdir()
    monkeypatch.setattr(pbow, "__file__", str(tmp_path / "pbow" / "__init__.py"))

    def digest(content, name="compute/doubling.py"):
        shutil.rmtree(tmp_path / "pbow")
        path = tmp_path / "pbow" / name
        path.parent.mkdir(parents=True)
        path.write_text(content, encoding="utf-8")
        _library_digest.cache_clear()
        return code_digest()

    yield digest
    _library_digest.cache_clear()


def test_the_code_is_what_is_executed_but_for_tools(digest_with):
    usual = digest_with(MODULE)
    assert re.fullmatch("[0-9a-f]{12}", usual)
    for old in ("for halves", "Twice", '    """Twice x."""\n'):
        assert digest_with(MODULE.replace(old, "")) == usual
    assert digest_with(OTHER) != usual
    nothing = digest_with(MODULE, "cli/doubling.py")
    for name in ("plotting/x", "explorer/x", "demo", "experiment/tables"):
        assert digest_with(MODULE, f"{name}.py") == nothing
    for name in ("twice", "surfaces", "external", "data", "run"):
        assert digest_with(MODULE, f"experiment/{name}.py") not in (usual, nothing)


def test_packages_and_machine_are_named():
    assert f"pbow {pbow.__version__}, numpy {np.__version__}" in versions()
    assert versions().startswith("python 3.")
    assert re.fullmatch(r".+, \d+ cores", machine())


def test_a_class_from_outside_counts_with_its_module(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    digests = []
    for text in (MODULE, MODULE.replace("halves", "x"), OTHER):
        (tmp_path / "doubling_outside.py").write_text(text, encoding="utf-8")
        digests.append(code_digest("doubling_outside"))
    assert digests[0] == digests[1] != digests[2]
    assert code_digest("pbow.vectorizers.bow") == code_digest() not in digests
