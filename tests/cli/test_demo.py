import sys
from pathlib import Path

import pytest

TINY = "demo --per-class 8 --points 30 "


def test_the_demo_prints_a_table_and_writes_a_figure(run, tmp_path):
    result = run(TINY)
    caption, table, figure = result.stdout.split("\n\n")
    assert caption.startswith("48 clouds of 30 points, six shapes; linear SVM")
    head, *rows = table.splitlines()
    assert head.split() == ["descriptor", "accuracy,", "%", "seconds", "features"]
    names = ["PBoW", "PBoW (paper)", "sPBoW", "sPBoW (paper)"]
    assert [row.split("  ")[0] for row in rows] == names
    assert {len(row) for row in rows} == {len(head)}
    assert figure == "figure: demo-words.png\n"
    [path] = tmp_path.iterdir()
    assert path.name == "demo-words.png"
    assert path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert result.stderr == ""


def test_the_same_seed_gives_the_same_accuracies_and_figure(run):
    tables, figures = [], []
    for jobs in (1, 2):
        result = run(f"{TINY} --output {jobs}.png --seed 1 --jobs {jobs}")
        rows = result.stdout.split("\n\n")[1].splitlines()[1:]
        tables.append([row.split("±")[0] for row in rows])
        figures.append(Path(f"{jobs}.png").read_bytes())
    assert tables[0] == tables[1]
    assert figures[0] == figures[1]


@pytest.mark.parametrize(
    ("module", "extra"), [("gudhi.sklearn", "homology"), ("matplotlib.figure", "plot")]
)
def test_a_missing_extra_is_named(run, tmp_path, monkeypatch, module, extra):
    monkeypatch.setitem(sys.modules, module, None)
    assert f"the extra {extra}" in run(TINY, code=1).stderr
    assert list(tmp_path.iterdir()) == []
