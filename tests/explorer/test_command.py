"""``pbow explore``: a page, or one sentence."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from tests.explorer.models import diagrams

import pbow
from pbow.cli import main
from pbow.io import write_diagrams
from pbow.vectorizers import PersistenceImage

X = diagrams(12)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the command in a folder with a model, diagrams and labels."""
    monkeypatch.chdir(tmp_path)
    pbow.save(pbow.PersistenceBoW(4, random_state=0).fit(X), "model.pbow")
    write_diagrams(X, "diagrams.csv")
    Path("labels.txt").write_text("a b\nc\n" * 6)
    Path("names.txt").write_text("".join(f"sample {i}\n" for i in range(12)))

    def explore(*arguments):
        return CliRunner().invoke(main, ["explore", *arguments], prog_name="pbow")

    return explore


def test_a_page_is_written(run):
    result = run(
        *("model.pbow", "diagrams.csv", "-o", "page.html", "--title", "My words"),
        *("--labels", "labels.txt", "--names", "names.txt"),
    )
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("page.html: 12 diagrams, ")
    page = Path("page.html").read_text(encoding="utf-8")
    assert "<title>My words</title>" in page
    assert '"classes":["a b","c"]' in page
    assert '"names":["sample 0",' in page


def test_labels_may_be_an_array(run):
    np.save("labels.npy", np.arange(12) % 3)
    arguments = ["model.pbow", "diagrams.csv", "-o", "page.html"]
    result = run(*arguments, "--labels", "labels.npy")
    assert result.exit_code == 0, result.output
    page = Path("page.html").read_text(encoding="utf-8")
    assert '"classes":["0","1","2"]' in page


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": "none.pbow"}, "none.pbow"),
        ({"model": "diagrams.csv"}, "diagrams.csv"),
        ({"model": "image.pbow"}, "image.pbow: The explorer shows codebooks"),
        ({"diagrams": "none.csv"}, "none.csv"),
        ({"diagrams": "labels.txt"}, "labels.txt"),
        ({"diagrams": "one_part.csv"}, "Expected parts H0, H1, got H0"),
        (
            {"labels": "short.txt"},
            "short.txt: expected one label for each of the 12 samples",
        ),
        ({"labels": "none.txt"}, "none.txt"),
        (
            {"names": "short.txt"},
            "short.txt: expected one name for each of the 12 samples",
        ),
        ({"output": "missing/page.html"}, "Cannot write to the folder missing"),
        ({"output": "."}, "it is a folder"),
        ({"output": "-"}, "cannot be written to the standard output; name a file"),
    ],
    ids=str,
)
def test_a_mistake_is_one_sentence_and_no_page(run, change, message):
    pbow.save(PersistenceImage().fit(X), "image.pbow")
    write_diagrams(X["H0"], "one_part.csv")
    Path("short.txt").write_text("a\nb\n")
    before = sorted(Path().iterdir())
    given = {"model": "model.pbow", "diagrams": "diagrams.csv", "output": "page.html"}
    given |= change
    arguments = [given.pop("model"), given.pop("diagrams")]
    for name, value in given.items():
        arguments += [f"--{name}", value]
    result = run(*arguments)
    assert result.exit_code in {1, 2}
    assert message in " ".join(result.stderr.split())
    assert result.stderr.splitlines()[-1].startswith("Error: ")
    assert sorted(Path().iterdir()) == before


def test_help_has_an_example(run):
    result = run("--help")
    assert "pbow explore model.pbow diagrams.pbow -o page.html\n" in result.stdout
