"""``pbow experiment``, as its users see it."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from pbow.cli import main
from pbow.experiment import runner
from pbow.experiment.runs import Folder

TEXT = """
title = "Small"
repetitions = 2
[classifier]
folds = 2
costs = [1.0]
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
    Path("small.toml").write_text(TEXT)
    return lambda *arguments: CliRunner().invoke(
        main, ["experiment", *map(str, arguments)], prog_name="pbow"
    )


@pytest.fixture
def results(run):
    """A folder where all is done."""
    result = run("run", "small.toml", "--out", "results")
    assert result.exit_code == 0, result.output
    return Path("results")


@pytest.fixture
def empty(run):
    """A folder where nothing is done."""
    Folder("empty").make(TEXT)
    return Path("empty")


def names_in(folder):
    return sorted(path.name for path in Path(folder).rglob("*"))


def assert_one_sentence(result, message):
    assert result.exit_code == 1
    assert result.stdout == ""
    *_, last = result.stderr.splitlines()
    assert last.startswith("Error: ")
    assert message in last
    assert "Traceback" not in result.stderr


def test_run_says_how_much_there_is_to_do_and_what_is_complete(run):
    result = run("run", "small.toml", "--out", "results")
    assert result.exit_code == 0, result.output
    assert result.stdout == "2 of 2 cells are complete: results\n"
    first, second, *_ = result.stderr.splitlines()
    assert first == (
        "Small: 2 cells, 3 combinations of parameters. With all values of C and folds "
        "these are at most 18 support vector machines."
    )
    assert second.startswith("1 of 6 runs, 0:0")
    assert second.endswith(" left by estimate")
    again = run("run", "small.toml", "--out", "results")
    assert again.stdout == result.stdout


def test_where_it_screens_the_run_says_how_much_on_how_many_samples(run):
    head, _, rest = TEXT.partition("[descriptors.Statistics]")
    words = rest[rest.index("[descriptors.PBoW]") :]
    Path("many.toml").write_text(head + words.replace("[2, 3]", "[2, 3, 4, 5]"))
    result = run("run", "many.toml", "--out", "r")
    assert result.stdout == "1 of 1 cell is complete: r\n"
    # Screening and finalists together are more than the whole grid.
    assert result.stderr.splitlines()[0] == (
        "Small: 1 cell, 4 combinations of parameters. The whole grid with all values "
        "of C and folds would be 24 support vector machines. Here it is at most 16 for "
        "screening, on 1,000 samples or fewer, and 24 for finalists."
    )


def test_a_part_can_be_asked_for(run):
    result = run("run", "small.toml", "--out", "r", "--only", "PBoW")
    assert result.stdout == "1 of 2 cells are complete: r\n"


def test_a_budget_can_be_given(run):
    result = run("run", "small.toml", "--out", "r", "--budget", "1e-7")
    assert result.stdout == "0 of 2 cells are complete: r\n"
    assert "over budget" in run("table", "r").stdout


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
    result = run("run", "--out", "results", *arguments)
    assert_one_sentence(result, message)
    assert names_in(".") == ["small.toml", "wrong.toml"]
    assert Path("small.toml").read_text() == TEXT


@pytest.mark.parametrize(
    "arguments",
    [
        ["run"],
        ["run", "small.toml"],
        ["run", "small.toml", "--out", "r", "--jobs", "0"],
        ["run", "small.toml", "--out", "r", "--budget", "0"],
        ["table"],
        ["table", "r", "--format", "word"],
        ["estimate"],
        ["figures", "--x"],
    ],
)
def test_a_wrong_option_ends_with_code_2(run, arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    assert "Usage: pbow experiment" in result.stderr
    assert names_in(".") == ["small.toml"]


@pytest.mark.parametrize("command", ["table", "figures", "report", "pack"])
def test_what_is_no_folder_of_results_is_said_so(run, command):
    Path("other").mkdir()
    for name in ("other", "missing", "small.toml"):
        result = run(command, name)
        assert_one_sentence(result, f"Expected {name} to be a folder of results; it ha")
        assert "pbow experiment run FILE --out" in result.stderr
    assert names_in(".") == ["other", "small.toml"]


@pytest.mark.parametrize("command", ["table", "figures", "report", "pack"])
def test_a_damaged_run_is_named(run, empty, command):
    damaged = empty / "runs" / f"{'a' * 24}.json"
    damaged.write_text("{")
    before = names_in(empty)
    assert_one_sentence(
        run(command, empty), f"{damaged}: it is not the result of a run"
    )
    assert names_in(empty) == before


def test_the_estimate_is_a_table(run):
    result = run("estimate", "small.toml")
    assert result.exit_code == 0, result.output
    head, row = result.stdout.splitlines()
    assert head.split()[:2] == ["data", "set"]
    assert row.split()[0] == "surfaces"
    assert row.split()[1] == row.split()[3] == "18"
    assert result.stderr == "surfaces is tried\n"


def test_a_data_set_that_is_not_there_does_not_stop_the_estimate(run):
    missing = '[datasets.mine]\ndiagrams = "mine.pbow"\nlabels = "mine.txt"\n'
    Path("more.toml").write_text(TEXT.replace("[datasets.", missing + "[datasets.", 1))
    result = run("estimate", "more.toml")
    assert result.exit_code == 1
    assert [line.split()[0] for line in result.stdout.splitlines()] == [
        "data",
        "surfaces",
    ]
    tried, left_out, last = result.stderr.splitlines()
    assert tried == "surfaces is tried"
    assert left_out.startswith("Left out: mine. There is no mine.pbow: looked in ")
    assert last == "Error: No estimate for 1 of 2 data sets: mine."
    assert run("estimate", "more.toml", "--only", "surfaces").exit_code == 0
    none = run("estimate", "more.toml", "--only", "mine")
    assert (none.exit_code, none.stdout) == (1, "")


def test_a_part_of_the_estimate_can_be_asked_for(run):
    result = run("estimate", "small.toml", "--only", "PBoW")
    _, row = result.stdout.splitlines()
    assert row.split()[1] == "12"
    unknown = run("estimate", "small.toml", "--only", "PBow")
    assert_one_sentence(unknown, "got 'PBow' (did you mean 'PBoW'?).")


def test_the_table_is_printed_in_three_formats(run, results):
    markdown = run("table", results)
    assert markdown.exit_code == 0, markdown.output
    assert "| Statistics" in markdown.stdout
    latex = run("table", results, "--format", "latex")
    assert r"\begin{tabular}" in latex.stdout
    rows = run("table", results, "--format", "csv").stdout
    cells = list(csv.DictReader(io.StringIO(rows)))
    assert [cell["descriptor"] for cell in cells] == ["Statistics", "PBoW"]
    assert {cell["status"] for cell in cells} == {"complete"}
    assert markdown.stderr == latex.stderr == ""


@pytest.mark.parametrize("format_", ["markdown", "latex", "csv"])
def test_where_nothing_is_done_the_table_says_so(run, empty, format_):
    result = run("table", empty, "--format", format_)
    assert result.exit_code == 0, result.output
    assert "0 of 2 runs" in result.stdout
    assert "0 of 4 runs" in result.stdout


def test_packed_results_give_the_same_table(run, results):
    before = run("table", results).stdout
    result = run("pack", results)
    assert result.exit_code == 0, result.output
    assert result.stdout == f"6 runs: {results / 'runs.csv'}\n"
    assert list((results / "runs").iterdir()) == []
    assert run("table", results).stdout == before
    again = run("run", "small.toml", "--out", results)
    assert again.stdout == "2 of 2 cells are complete: results\n"
    assert list((results / "runs").iterdir()) == []


def test_what_is_being_worked_on_is_not_packed(run, results):
    before = names_in(results)
    with Folder(results).in_use():
        result = run("pack", results)
    assert_one_sentence(result, "A process is at work on results")
    assert names_in(results) == before


def test_figures_and_the_page_are_written_and_named(run, results):
    pytest.importorskip("matplotlib")
    pytest.importorskip("gudhi")
    result = run("figures", results)
    assert result.exit_code == 0, result.output
    files = [Path(line) for line in result.stdout.splitlines()]
    assert files
    assert sorted(files) == sorted((results / "figures").iterdir())
    assert {file.suffix for file in files} == {".png", ".svg"}
    result = run("report", results, "--out", "page.html")
    assert result.exit_code == 0, result.output
    assert result.stdout == "page.html\n"
    assert "<title>" in Path("page.html").read_text(encoding="utf-8")
    # Nothing else is left of the pictures, nor of the draft of the page.
    assert sorted(path.name for path in Path().iterdir()) == [
        "page.html",
        "results",
        "small.toml",
    ]


def test_what_has_no_figures_says_why_of_each(run):
    pytest.importorskip("matplotlib")
    text = TEXT.partition("[descriptors.PBoW]")[0]
    source = "surfaces = { n_diagrams = 20, n_points = 15 }"
    Folder("other").make(text.replace(source, 'load = "mutag"'))
    result = run("figures", "other")
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert len(lines) == 9
    assert all(line.startswith("Left out: ") for line in lines)
    assert lines[0] == (
        "Left out: the pipeline. It is of a data set of shapes, which this experiment "
        "does not have."
    )


@pytest.mark.parametrize("command", ["figures", "report"])
def test_an_out_that_cannot_be_written_is_one_sentence(run, empty, command):
    pytest.importorskip("matplotlib")
    pytest.importorskip("gudhi")
    before = names_in(".")
    result = run(command, empty, "--out", "small.toml/below")
    assert_one_sentence(result, "small.toml")
    assert names_in(".") == before


def test_ctrl_c_is_one_sentence_and_what_is_done_is_kept(run, monkeypatch):
    write = Folder.write

    def interrupted(folder, made):
        if list(folder.path.glob("runs/*.json")):
            raise KeyboardInterrupt
        write(folder, made)

    monkeypatch.setattr(Folder, "write", interrupted)
    first = run("run", "small.toml", "--out", "r")
    goes_on = "Interrupted. What is done is kept: the same command goes on from th"
    assert (first.exit_code, first.stdout) == (130, "")
    assert first.stderr.splitlines()[-1].startswith(goes_on)
    monkeypatch.setattr(Folder, "write", write)
    assert len(Folder("r").load()) == 1
    assert run("run", "small.toml", "--out", "r").exit_code == 0
    assert len(Folder("r").load()) == 6


def test_ctrl_c_on_a_terminal_ends_all_processes_with_one_sentence(tmp_path):
    many = TEXT.replace("repetitions = 2", "repetitions = 5000")
    (tmp_path / "many.toml").write_text(many)
    command = [sys.executable, "-m", "pbow", "experiment", "run", "many.toml"]
    # What a shell has put into the background ignores the signal, and so would this.
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        process = subprocess.Popen(
            [*command, "--out", "r", "--jobs", "2"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
    finally:
        signal.signal(signal.SIGINT, before)
    try:
        assert process.stderr.readline().startswith("Small: 2 cells")
        while not list(tmp_path.glob("r/runs/*.json")):
            assert process.poll() is None
        os.killpg(process.pid, signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    *progress, last = stderr.splitlines()
    assert last.startswith("Interrupted. What is done is kept: ")
    assert all(" runs" in line for line in progress)
    assert stdout == ""


def test_progress_with_the_time_left_is_shown_now_and_then(run, monkeypatch):
    monkeypatch.setattr(runner, "SECONDS_BETWEEN_LOOKS", 0.0)
    # By its name, pbow.cli.experiment, one gets the command of that name.
    module = sys.modules["pbow.cli.experiment"]
    monkeypatch.setattr(module, "SECONDS_BETWEEN_LINES", 0.0)
    result = run("run", "small.toml", "--out", "r")
    lines = result.stderr.splitlines()[1:]
    assert [line.split(" runs")[0] for line in lines] == [
        f"{n} of 6" for n in range(1, 7)
    ]
    assert lines[-1] == "6 of 6 runs, 0:00:00 left by estimate"


def test_neither_the_package_nor_help_waits_for_experiments():
    code = (
        "import sys, json, pbow\nloaded = [sorted(sys.modules)]\n"
        "from pbow.cli import main\n"
        "main(['--help'], standalone_mode=False)\n"
        "main(['experiment', 'run', '--help'], standalone_mode=False)\n"
        "loaded.append(sorted(sys.modules))\n"
        "print(json.dumps(loaded), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    package, command = map(set, json.loads(done.stderr))
    assert not {"pbow.experiment", "click", "gudhi", "matplotlib"} & package
    assert not {"pbow.experiment", "numpy", "gudhi", "matplotlib"} & command
