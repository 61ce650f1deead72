import os
import sys
from pathlib import Path

import pytest

from pbow import demo

pytest.importorskip("gudhi")
pytest.importorskip("matplotlib")

TINY = ["demo", "--per-class", "8", "--points", "30", "--jobs", "1"]
PNG = b"\x89PNG\r\n\x1a\n"


def files_in(folder):
    return [path.name for path in folder.iterdir()]


def test_the_demo_prints_a_table_and_writes_a_figure(run):
    result = run(*TINY)
    assert result.exit_code == 0, result.output
    caption, table, figure = result.stdout.split("\n\n")
    assert caption.startswith("48 clouds of 30 points, six shapes; linear SVM")
    head, *rows = table.splitlines()
    assert head.split() == ["descriptor", "accuracy,", "%", "seconds", "features"]
    names = ["PBoW", "PBoW (paper)", "sPBoW", "sPBoW (paper)"]
    assert [row.split("  ")[0] for row in rows] == names
    assert {len(row) for row in rows} == {len(head)}
    assert figure == "figure: demo-words.png\n"
    assert Path("demo-words.png").read_bytes().startswith(PNG)
    assert files_in(Path()) == ["demo-words.png"]
    assert result.stderr == ""


def test_the_same_seed_gives_the_same_accuracies_and_figure(run):
    def accuracies(*arguments):
        _, table, _ = run(*TINY, *arguments).stdout.split("\n\n")
        return [row.split("±")[0] for row in table.splitlines()[1:]]

    first = accuracies("--output", "a.png", "--seed", "1")
    again = accuracies("--output", "b.png", "--seed", "1", "--jobs", "2")
    assert first == again
    assert Path("a.png").read_bytes() == Path("b.png").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--output", "missing/words.png"], "Cannot write to the folder missing: No s"),
        (["--output", "folder.png"], "Cannot write folder.png: it is a folder"),
        (["--output", "words.docx"], "Expected the file name of a figure, as in words"),
        (["--output", "words"], "Expected the file name of a figure, as in words.png"),
        (["--per-class", "7"], "Expected --per-class to be at least 8; got 7."),
        (["--points", "3"], "Expected --points to be at least 20; got 3."),
    ],
    ids=["no folder", "a folder", "ending", "no ending", "few clouds", "few points"],
)
def test_a_users_error_is_one_sentence_before_any_work(
    run, monkeypatch, arguments, message
):
    Path("folder.png").mkdir()
    monkeypatch.setattr(demo, "rips", None)
    result = run(*TINY, *arguments)
    assert (result.exit_code, result.stdout) == (1, "")
    [line] = result.stderr.splitlines()
    assert line.startswith(f"Error: {message}")


@pytest.mark.parametrize(
    "arguments", [["--jobs", "0"], ["--per-class", "many"], ["--seed", "-1"], ["--x"]]
)
def test_a_wrong_option_ends_with_code_2(run, arguments):
    result = run(*TINY, *arguments)
    assert result.exit_code == 2
    assert "Usage: pbow demo" in result.stderr


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere"
)
def test_a_folder_without_permission_is_named(run):
    Path("closed").mkdir(mode=0o500)
    result = run(*TINY, "--output", "closed/words.png")
    assert result.exit_code == 1
    assert "Cannot write to the folder closed: Permission denied." in result.stderr


@pytest.mark.parametrize(
    ("module", "extra"), [("gudhi.sklearn", "homology"), ("matplotlib.figure", "plot")]
)
def test_a_missing_extra_is_named(run, monkeypatch, module, extra):
    monkeypatch.setitem(sys.modules, module, None)
    result = run(*TINY)
    assert result.exit_code == 1
    assert f"the extra {extra}" in result.stderr
    assert files_in(Path()) == []
