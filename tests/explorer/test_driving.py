import shutil

import pytest
from tests.explorer.driving import find_browser


@pytest.mark.parametrize("missing", ["chromium", "chromedriver"])
def test_without_a_browser_its_tests_fail_and_say_what_to_do(monkeypatch, missing):
    monkeypatch.setattr(
        shutil, "which", lambda program: None if program == missing else program
    )
    message = rf"^{missing} not found; scripts/install-chromium\.sh"
    with pytest.raises(pytest.fail.Exception, match=message):
        find_browser()
