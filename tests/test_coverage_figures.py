"""Figures of the coverage: one for all lines and branches, and one per package."""

import importlib
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[1] / "scripts"


@pytest.fixture(scope="module")
def coverage_figures():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(SCRIPTS)
        yield importlib.import_module("coverage_figures")


def summary(lines, lines_run, branches, branches_run):
    return {
        "summary": {
            "num_statements": lines,
            "covered_lines": lines_run,
            "num_branches": branches,
            "covered_branches": branches_run,
            "percent_covered": 0.0,
        }
    }


def test_lines_and_branches_count_alike_in_each_package_and_in_all(coverage_figures):
    measured = {
        "src/pbow/io/native.py": summary(6, 5, 2, 1),
        "src/pbow/io/text.py": summary(2, 2, 0, 0),
        "src/pbow/diagrams.py": summary(10, 10, 5, 5),
        "src/pbow/_utils/__init__.py": summary(0, 0, 0, 0),
    }
    found = coverage_figures.figures({"files": measured})
    assert found["packages"] == {"io": 80.0, "diagrams": 100.0, "_utils": 100.0}
    assert (found["lines"], found["lines_run"]) == (18, 17)
    assert (found["branches"], found["branches_run"]) == (7, 6)
    assert found["percent"] == 92.0
