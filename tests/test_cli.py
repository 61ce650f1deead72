import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from pbow import Diagrams, PersistenceBoW, __version__, demo
from pbow.cli import main

pytest.importorskip("gudhi")
pytest.importorskip("matplotlib")

TINY = ["demo", "--per-class", "8", "--points", "30", "--jobs", "1"]
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the command in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(main, arguments, prog_name="pbow")


@pytest.fixture(scope="module")
def tiny():
    return demo.make_diagrams(8, 30, seed=0)


def files_in(folder):
    return [path.name for path in folder.iterdir()]


def test_the_version_is_printed(run):
    result = run("--version")
    assert result.stdout == f"pbow, version {__version__}\n"


def test_help_names_every_option(run):
    result = run("demo", "--help")
    assert result.exit_code == 0
    for option in ("--per-class", "--points", "--output", "--seed", "--jobs"):
        assert option in result.stdout


def test_the_demo_prints_a_table_and_writes_a_picture(run):
    result = run(*TINY)
    assert result.exit_code == 0, result.output
    caption, table, picture = result.stdout.split("\n\n")
    assert caption.startswith("48 clouds of 30 points, six shapes; linear SVM")
    head, *rows = table.splitlines()
    assert head.split() == ["descriptor", "accuracy,", "%", "seconds", "features"]
    names = ["PBoW", "PBoW (paper)", "sPBoW", "sPBoW (paper)"]
    assert [row.split("  ")[0] for row in rows] == names
    assert {len(row) for row in rows} == {len(head)}
    assert picture == "picture: demo-words.png\n"
    assert Path("demo-words.png").read_bytes().startswith(PNG)
    assert files_in(Path()) == ["demo-words.png"]
    assert result.stderr == ""


def test_the_same_seed_gives_the_same_accuracies_and_picture(run):
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
        (["--output", "words.docx"], "Expected a picture's file name, as in words.png"),
        (["--output", "words"], "Expected a picture's file name, as in words.png"),
        (["--per-class", "7"], "needs at least 8 clouds per class; got 7"),
        (["--points", "3"], "needs at least 20 points per cloud; got 3"),
    ],
    ids=["no folder", "a folder", "ending", "no ending", "few clouds", "few points"],
)
def test_a_users_error_is_one_sentence_before_any_work(
    run, monkeypatch, arguments, message
):
    Path("folder.png").mkdir()
    monkeypatch.setattr(demo, "rips", None)
    result = run(*TINY, *arguments)
    assert result.exit_code == 1
    assert message in result.stderr
    assert result.stderr.splitlines()[-1].startswith("Error: ")
    assert result.stdout == ""


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


def test_ctrl_c_is_one_sentence(run, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "make_diagrams", interrupted)
    result = run(*TINY)
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-1] == "Error: Interrupted."
    assert files_in(Path()) == []


def test_help_does_not_wait_for_the_libraries():
    code = (
        "import sys, json\nfrom pbow.cli import main\n"
        "main(['demo', '--help'], standalone_mode=False)\n"
        "print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    )
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    assert not {"numpy", "gudhi", "matplotlib"} & set(json.loads(run.stderr))


def test_a_score_has_one_accuracy_a_split(tiny):
    X, y = tiny
    bow = PersistenceBoW(n_words=6, random_state=0)
    score = demo.score_descriptor(bow, X, y, seed=0)
    assert len(score.accuracies) == 5
    assert all(0.0 <= accuracy <= 1.0 for accuracy in score.accuracies)
    assert score.n_features == 6
    assert score.seconds > 0.0
    assert score.mean == pytest.approx(np.mean(score.accuracies))
    assert score.std == pytest.approx(np.std(score.accuracies, ddof=1))
    assert not hasattr(bow, "codebooks_")


def test_classes_that_differ_are_told_apart():
    y = np.repeat([0, 1], 10)
    X = Diagrams.from_list([[[k, k + 1]] * 3 for k in y])
    score = demo.score_descriptor(PersistenceBoW(2, random_state=0), X, y, seed=0)
    assert score.accuracies == (1.0,) * 5


def test_a_failed_picture_leaves_the_old_one_and_no_rest(tiny, tmp_path, monkeypatch):
    path = tmp_path / "words.png"
    path.write_bytes(b"old")

    def half(self, file, **_):
        Path(file).write_bytes(PNG)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", half)
    with pytest.raises(OSError, match="No space left"):
        demo.draw_words(*tiny, path, seed=0)
    assert path.read_bytes() == b"old"
    assert files_in(tmp_path) == ["words.png"]


def test_the_picture_has_the_permissions_of_a_new_file(tiny, tmp_path):
    usual = tmp_path / "usual"
    usual.touch()
    path = tmp_path / "words.svg"
    demo.draw_words(*tiny, path, seed=0)
    assert "<svg" in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(usual.stat().st_mode)


def test_the_package_is_the_command():
    command = [sys.executable, "-m", "pbow", "--version"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout.startswith("pbow, version ")
