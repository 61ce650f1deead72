"""What all commands share: help, completion, warnings, errors."""

import os
import subprocess
import sys
import warnings

import click
import pytest
from click.shell_completion import BashComplete
from click.testing import CliRunner

from pbow import __version__
from pbow.cli import main
from pbow.cli.shell import Command, sentence
from pbow.errors import ItemError, ParameterError


def every_command(group=main, words=()):
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from every_command(command, (*words, name))
        yield (*words, name)


def test_the_version_is_printed(run):
    assert run("--version").stdout == f"pbow, version {__version__}\n"


@pytest.mark.parametrize("words", list(every_command()), ids=" ".join)
def test_help_needs_no_library_and_keeps_the_lines_of_examples(run, monkeypatch, words):
    for module in ("pbow.datasets", "pbow.experiment", "pbow.plotting", "gudhi"):
        monkeypatch.setitem(sys.modules, module, None)
    result = run(" ".join(words), "--help")
    assert "\\b" not in result.stdout
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("words", "incomplete", "expected"),
    [
        ([], "tr", ["transform"]),
        (["plot"], "co", ["codebook"]),
        (["fit"], "--des", ["--descriptor"]),
        (["fit", "--descriptor"], "st", ["statistics"]),
        (["homology", "--kind"], "m", ["meshes"]),
        (["convert", "--to"], "pe", ["pers", "perseus"]),
        (["info"], "dia", ["file"]),
    ],
)
def test_the_shell_completes_commands_options_and_choices(words, incomplete, expected):
    shell = BashComplete(main, {}, "pbow", "_PBOW_COMPLETE")
    found = shell.get_completions(words, incomplete)
    # A file is left to the shell.
    names = [item.type if item.type == "file" else item.value for item in found]
    assert names == expected


def invoke(function):
    return CliRunner().invoke(click.command("odd", cls=Command)(function), [])


def test_a_warning_is_one_line_on_stderr():
    def warn():
        warnings.warn("Part H1 is empty.", UserWarning, stacklevel=2)
        click.echo("result")

    result = invoke(warn)
    assert result.stdout == "result\n"
    assert result.stderr == "Warning: Part H1 is empty.\n"


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ValueError("Two\n  lines"), "Two lines."),
        (FileNotFoundError(2, "No such file", "x.csv"), "x.csv: No such file."),
        (MemoryError(), "There is not enough memory."),
        (MemoryError("Cloud 3 needs 9 GB."), "Cloud 3 needs 9 GB."),
        (ImportError("It needs gudhi."), "It needs gudhi."),
        (ItemError("cloud", 3, "it is empty."), "Cloud 3: it is empty."),
        (
            ParameterError("n_words", "an int >= 1", 0, "PersistenceBoW"),
            "Expected --words to be an int >= 1; got 0.",
        ),
        (
            ParameterError("part", "'H0' or 'H1'", None, advice="Name one."),
            "Pass part: 'H0' or 'H1'. Name one.",
        ),
        (
            ParameterError("n_init", "an int >= 1", 0, "Bow", optional=True),
            "Expected --set n_init=... to be an int >= 1; got 0.",
        ),
    ],
)
def test_an_error_is_one_sentence_with_the_options_of_the_command(error, message):
    @click.option("-w", "--words", "n_words")
    @click.option("--set", "settings")
    @click.argument("part", required=False)
    def fail(**_):
        raise error

    result = invoke(fail)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"Error: {message}\n"


def test_without_settings_a_parameter_keeps_its_name():
    error = ParameterError("n_init", "an int", 1.5)
    assert sentence(error, main) == "Expected n_init to be an int; got 1.5."


def test_a_mistake_of_ours_is_not_hidden():
    def fail():
        msg = "no_such_name"
        raise AttributeError(msg)

    assert isinstance(invoke(fail).exception, AttributeError)


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of Unix")
def test_a_reader_that_goes_away_ends_it_quietly(folder):
    reading, writing = os.pipe()
    os.close(reading)
    result = subprocess.run(
        [sys.executable, "-m", "pbow", "convert", "diagrams.pbow", "-"],
        cwd=folder,
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert (result.returncode, result.stderr) == (0, b"")


def test_help_and_completion_do_not_wait_for_the_libraries():
    code = (
        "import sys\nfrom pbow.cli import main\n"
        "for words in (['--help'], ['transform', '--help'], ['datasets', '--help']):\n"
        "    main(words, standalone_mode=False)\n"
        "heavy = {'numpy', 'sklearn', 'numba', 'gudhi', 'matplotlib', 'tqdm'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True)
    assert run.returncode == 0, run.stderr.decode()
