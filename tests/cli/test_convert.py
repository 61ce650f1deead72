import json

import pytest

from pbow.io import read_diagrams, write_diagrams
from pbow.io.formats import FORMATS


@pytest.mark.parametrize("to", FORMATS)
def test_every_format_comes_back_as_it_was(run, folder, X, to):
    if to in {"parquet", "arrow"}:
        pytest.importorskip("pyarrow")
    part = X["H1"]  # Hera has one part only
    out = run("convert", "--parts", "H1", "--to", to, "diagrams.pbow", f"out-{to}")
    assert out.exit_code == 0, out.output
    assert out.stderr == f"out-{to}: {part}\n"
    back = run("convert", "--from", to, f"out-{to}", "back.csv")
    assert back.exit_code == 0, back.output
    assert read_diagrams("back.csv") == part


def test_names_tell_the_formats(run, folder, X):
    assert run("convert", "diagrams.pbow", "x.csv").exit_code == 0
    assert (folder / "x.csv").read_text().startswith("sample,part,birth,death\n")
    assert run("convert", "x.csv", "y.pbow").exit_code == 0
    assert read_diagrams("y.pbow") == X


def test_pipes_carry_diagrams_in_and_out(run, folder, X):
    printed = run("convert", "diagrams.pbow", "-")
    assert printed.stderr == ""
    back = run("convert", "-", "y.pbow", input=printed.stdout_bytes)
    assert back.exit_code == 0, back.output
    assert read_diagrams("y.pbow") == X
    # What is no CSV is known by its first bytes.
    raw = (folder / "diagrams.pbow").read_bytes()
    again = run("convert", "-", "z.csv", input=raw)
    assert again.exit_code == 0, again.output
    assert read_diagrams("z.csv") == X


def test_the_result_is_reported_as_json(run, folder):
    report = json.loads(run("convert", "diagrams.pbow", "x.csv", "--json").stdout)
    assert report.pop("seconds") > 0.0
    assert report == {"output": "x.csv", "samples": 12, "parts": ["H0", "H1"]}
    assert run("convert", "diagrams.pbow", "-", "--json").exit_code == 2


def test_several_files_follow_one_another(run, folder, X):
    write_diagrams(X[:2], "a.csv")
    write_diagrams(X[2:], "b.csv")
    assert run("convert", "a.csv", "b.csv", "all.pbow").exit_code == 0
    assert read_diagrams("all.pbow") == X


def test_a_part_is_named_where_the_format_does_not_say_it(run, tmp_path):
    (tmp_path / "a.txt").write_text("0 1\n")
    result = run("convert", "--from", "hera", "--name", "H0", "a.txt", "a.csv")
    assert result.exit_code == 0, result.output
    assert read_diagrams("a.csv").parts == ("H0",)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--parts", "H7", "diagrams.pbow", "x.csv"], 1, "There is no part 'H7';"),
        (["--to", "hera", "diagrams.pbow", "x"], 1, "there are H0, H1. Select one"),
        (["labels.txt", "x.csv"], 1, "Expected --from to be one of pbow, csv, parq"),
        (
            ["model.pbow", "x.csv"],
            1,
            "it holds a model; expected diagrams.",
        ),
        (["--to", "dipha", "diagrams.pbow", "-"], 2, "standard output takes csv, not"),
        (["-", "diagrams.pbow", "x.csv"], 2, "cannot be read together with other fil"),
        (["diagrams.pbow", "x.docx"], 2, "Cannot infer the format of x.docx; known e"),
    ],
)
def test_what_cannot_be_converted_is_one_sentence(run, folder, words, code, message):
    result = run("convert", *words)
    assert result.exit_code == code
    assert message in result.stderr.splitlines()[-1]


def test_a_pipe_that_carries_something_else_is_called_standard_input(run, tmp_path):
    result = run("convert", "-", "x.csv", input="a,b\n1,2\n")
    assert result.exit_code == 1
    [line] = result.stderr.splitlines()
    assert line.startswith("Error: Cannot read the standard input: its first line must")
