"""A sample of what scripts/fuzz_files.py tries: any other error would be a defect."""

import importlib.util
from pathlib import Path

import pytest

from pbow.errors import FileFormatError

SCRIPT = Path(__file__).parents[2] / "scripts" / "fuzz_files.py"


@pytest.fixture
def fuzz_files():
    pytest.importorskip("resource", reason="needs limits of Unix")
    spec = importlib.util.spec_from_file_location("fuzz_files", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_damaged_and_forged_files_are_read_or_refused(fuzz_files, tmp_path):
    outcomes, failures = fuzz_files.fuzz(1100, 1, tmp_path)
    assert failures == []
    for name in (
        "pbow",
        "csv",
        "pers",
        "hera",
        "perseus",
        "dipha",
        "akriti",
        "npy",
        "npz",
        "labels",
        "model",
    ):
        assert outcomes[name, "refused"] > outcomes[name, "read"] > 0


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (KeyError("x"), "KeyError: 'x'"),
        (FileFormatError("y", "z."), "nameless: Cannot read y: z."),
    ],
    ids=["KeyError", "another file"],
)
def test_any_other_error_is_a_failure(fuzz_files, tmp_path, error, outcome):
    def read(_path):
        raise error

    assert fuzz_files.attempt(read, tmp_path / "x") == outcome


def test_a_file_that_takes_too_long_is_a_failure(fuzz_files, tmp_path):
    def read(_path):
        while True:
            pass

    assert "took more than 0.05" in fuzz_files.attempt(read, tmp_path / "x", 0.05)
