"""The six commands of the README, as they stand there, in an empty folder."""

import csv
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from pbow.datasets import SHAPE_NAMES
from pbow.io import read_diagrams

README = Path(__file__).parents[2] / "README.md"
if not README.is_file():
    pytest.skip("needs the README, which only a clone has", allow_module_level=True)


def commands():
    text = README.read_text(encoding="utf-8")
    section = text.partition("\n## From an empty folder\n")[2].partition("\n## ")[0]
    [block] = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    return block.splitlines()


def test_the_readme_leads_from_an_empty_folder_to_a_page(run, tmp_path):
    for module in ("gudhi", "plotly"):
        pytest.importorskip(module)
    printed = {}
    for line in commands():
        program, *words = shlex.split(line)
        assert program == "pbow"
        result = run(*words)
        assert result.exit_code == 0, result.output
        assert "Warning" not in result.stderr
        printed[words[0]] = result.stdout
    steps = ["datasets", "homology", "fit", "transform", "evaluate", "explore"]
    assert list(printed) == steps

    labels = (tmp_path / "labels.txt").read_text().splitlines()
    X = read_diagrams(tmp_path / "diagrams.pbow")
    assert np.load(tmp_path / "clouds.npy").shape == (len(X), 200, 3)
    assert set(labels) == set(SHAPE_NAMES)
    with (tmp_path / "vectors.csv").open(newline="") as file:
        head, *rows = csv.reader(file)
    assert head[-1] == "h1_word19"
    assert np.array(rows, dtype=float).shape == (len(labels), 40)
    accuracies = re.findall(r"^s?pbow +([0-9.]+) ±", printed["evaluate"], re.MULTILINE)
    # Six classes: 17 % by chance.
    assert [float(accuracy) > 80.0 for accuracy in accuracies] == [True, True]
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "clusters of clusters" in page
    written = {"clouds.npy", "labels.txt", "diagrams.pbow", "model.pbow"}
    written |= {"vectors.csv", "page.html"}
    assert {path.name for path in tmp_path.iterdir()} == written
