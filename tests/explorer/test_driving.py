import shutil
import sys

import pytest
from tests.explorer.driving import find_browser


@pytest.fixture
def environment(tmp_path, monkeypatch):
    """Return the folder of an environment on a machine that has no browser."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(shutil, "which", lambda program: None)
    return tmp_path


@pytest.mark.parametrize("stamp", [None, ""], ids=["never tried", "tried in vain"])
def test_without_a_browser_the_reason_is_told(environment, stamp):
    if stamp is not None:
        (environment / ".has-browser").write_text(stamp)
    with pytest.raises(pytest.skip.Exception, match=r"install-chromium\.sh"):
        find_browser()


def test_a_browser_that_was_installed_must_be_found(environment):
    (environment / ".has-browser").write_text("/usr/bin/chromium\n")
    with pytest.raises(pytest.fail.Exception, match=r"has /usr/bin/chromium"):
        find_browser()


@pytest.mark.parametrize("missing", ["chromium", "chromedriver"])
def test_one_without_the_other_will_not_do(environment, monkeypatch, missing):
    monkeypatch.setattr(
        shutil, "which", lambda program: None if program == missing else program
    )
    with pytest.raises(pytest.skip.Exception):
        find_browser()
