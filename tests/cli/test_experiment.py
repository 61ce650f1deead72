"""``pbow experiment``, as its users see it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from pbow.cli import main
from pbow.experiment import Folder, read_experiment

pytest.importorskip("pandas")

TEXT = """
title = "Small"
repetitions = 2
[classifier]
folds = 2
c_values = [1.0]
[datasets.surfaces]
surfaces = { n_diagrams = 20, n_points = 15 }
[descriptors.Statistics]
make = "PersistenceStatistics"
standardize = true
[descriptors.PBoW]
make = "PersistenceBoW"
grid = { n_words = [2, 3] }
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the command in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PBOW_DATA", raising=False)
    monkeypatch.setattr(sys, "path", [*sys.path])
    Path("small.toml").write_text(TEXT)

    def invoke(*arguments, code=0):
        words = ["experiment", *map(str, arguments)]
        result = CliRunner().invoke(main, words, prog_name="pbow")
        assert result.exit_code == code, result.output
        return result

    return invoke


@pytest.fixture
def results(run):
    """A folder where all is done."""
    run("run", "small.toml", "--out", "results")
    return Path("results")


def names_in(folder):
    return sorted(path.name for path in Path(folder).rglob("*"))


def assert_one_sentence(result, message):
    *_, last = result.stderr.splitlines()
    assert last.startswith("Error: ")
    assert message in last
    assert "Traceback" not in result.stderr


def test_run_estimates_first_and_says_what_is_complete(run):
    result = run("run", "small.toml", "--out", "results")
    assert result.stdout == "2 of 2 cells are complete: results\n"
    first, *_ = result.stderr.splitlines()
    assert first == "6 runs to do, by estimate in less than a core-minute; 0 done"
    again = run("run", "small.toml", "--out", "results")
    assert (again.stdout, again.stderr) == (result.stdout, "")


def test_a_part_can_be_asked_for(run):
    result = run("run", "small.toml", "--out", "r", "--only", "PBoW")
    assert result.stdout == "1 of 1 cells are complete: r\n"
    assert "0 of 2 runs" in run("table", "r").stdout


def test_a_data_set_that_is_missing_is_named_and_the_rest_is_run(run):
    missing = '[datasets.mine]\ndiagrams = "mine.pbow"\nlabels = "mine.txt"\n'
    Path("more.toml").write_text(TEXT.replace("[datasets.", missing + "[datasets.", 1))
    result = run("run", "more.toml", "--out", "r", code=1)
    assert result.stdout == "2 of 4 cells are complete: r\n"
    assert_one_sentence(result, "Not complete: mine.")
    assert "Warning: Data set mine is left out: There is no mine.pbow" in result.stderr


def test_a_descriptor_of_the_working_directory_is_found(run):
    Path("mymodule.py").write_text("from pbow import PersistenceBoW as Mine\n")
    Path("mine.toml").write_text(TEXT.replace('"PersistenceBoW"', '"mymodule:Mine"'))
    run("run", "mine.toml", "--out", "r")
    assert "complete" in run("table", "r", "--format", "csv").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.toml"], "missing.toml"),
        (["."], "Is a directory"),
        (["wrong.toml"], "wrong.toml: expected at least one table [datasets.<name>]"),
        (["small.toml", "--only", "Image"], "PBoW, Statistics, surfaces"),
        (["small.toml", "--out", "small.toml"], "small.toml"),
        (["small.toml", "--out", "small.toml/below"], "Not a directory"),
    ],
    ids=["missing", "a folder", "wrong", "unknown", "a file", "below a file"],
)
def test_a_users_error_is_one_sentence_and_leaves_nothing(run, arguments, message):
    Path("wrong.toml").write_text("title = 'x'")
    result = run("run", "--out", "results", *arguments, code=1)
    assert_one_sentence(result, message)
    assert names_in(".") == ["small.toml", "wrong.toml"]
    assert Path("small.toml").read_text() == TEXT


def test_the_folder_of_another_experiment_is_refused(run, results):
    Path("other.toml").write_text(TEXT)
    before = names_in(results)
    result = run("run", "other.toml", "--out", results, code=1)
    assert_one_sentence(result, "has the results of the experiment 'small', not of")
    assert names_in(results) == before


@pytest.mark.parametrize(
    "arguments",
    ["run small.toml", "run small.toml --out r --jobs 0", "table r --format word"],
)
def test_a_wrong_option_ends_with_code_2(run, arguments):
    result = run(*arguments.split(), code=2)
    assert "Usage: pbow experiment" in result.stderr
    assert names_in(".") == ["small.toml"]


@pytest.mark.parametrize("command", ["table", "report"])
def test_what_is_no_folder_of_results_is_said_so(run, command):
    for name in ("missing", "small.toml"):
        result = run(command, name, code=1)
        assert_one_sentence(result, f"Expected {name} to be a folder of results, with")
        assert "pbow experiment run FILE --out" in result.stderr
    assert names_in(".") == ["small.toml"]


@pytest.mark.parametrize(
    ("format_", "part"),
    [("markdown", "| PBoW "), ("latex", r"\begin{tabular}"), ("csv", "nested_mean")],
)
def test_the_table_is_printed_also_where_nothing_is_done(run, results, format_, part):
    done = run("table", results, "--format", format_)
    assert (part in done.stdout, done.stderr) == (True, "")
    Folder("empty").make(read_experiment("small.toml"))
    text = run("table", "empty", "--format", format_).stdout
    assert "0 of 2 runs" in text
    assert "0 of 4 runs" in text


def test_the_page_is_written_and_named(run, results):
    result = run("report", results, "--out", "page.html")
    assert result.stdout == "page.html\n"
    assert "<title>Small</title>" in Path("page.html").read_text(encoding="utf-8")


def test_ctrl_c_ends_all_processes_with_one_sentence(tmp_path):
    many = TEXT.replace("repetitions = 2", "repetitions = 5000")
    (tmp_path / "many.toml").write_text(many)
    command = [sys.executable, "-m", "pbow", "experiment", "run", "many.toml"]
    process = subprocess.Popen(
        [*command, "--out", "r", "--jobs", "2"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert "runs to do" in process.stderr.readline()
        while not list(tmp_path.glob("r/runs/*.json")):
            assert process.poll() is None
        os.killpg(process.pid, signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130, stderr
    assert stderr.splitlines()[-1].startswith("Interrupted. What is done is kept: ")
    assert stdout == ""
    assert len(Folder(tmp_path / "r").read()) > 0
