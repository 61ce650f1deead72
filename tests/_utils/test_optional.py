import sys

import pytest

from pbow._utils.optional import import_optional


def test_a_module_that_is_installed_is_imported():
    assert import_optional("os.path", extra="plot", purpose="This").join("a") == "a"


def test_an_error_names_what_needs_the_package_and_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "gudhi.hera", None)
    message = r'^Matching needs gudhi, .*: python -m pip install "\.\[homology\]"'
    with pytest.raises(ImportError, match=message) as raised:
        import_optional("gudhi.hera", extra="homology", purpose="Matching")
    assert raised.value.name == "gudhi"
