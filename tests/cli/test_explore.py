import re

import numpy as np
import pytest


def test_the_page_has_title_names_and_labels(run, folder):
    files = "model.pbow diagrams.pbow --names names.txt --labels labels.txt"
    result = run(f"explore {files} --title 'My scans' -o x.html")
    assert result.stdout == ""
    assert re.fullmatch(r"x\.html: 12 diagrams, [0-9.]+ MB\n", result.stderr)
    page = (folder / "x.html").read_text(encoding="utf-8")
    assert "<title>My scans</title>" in page
    assert '"labels":["few points","many"]' in page
    assert '"names":["c0.csv",' in page


def test_a_model_of_several_resolutions_is_shown(run, folder):
    run("explore several.pbow diagrams.pbow -o x.html")
    page = (folder / "x.html").read_text(encoding="utf-8")
    for name in ("H0", "H1, 2 words", "H1, 5 words"):
        assert f'"name":"{name}"' in page


def test_labels_may_be_an_array(run, folder):
    np.save(folder / "labels.npy", np.arange(12) % 3)
    run("explore model.pbow diagrams.pbow -o x.html --labels labels.npy")
    page = (folder / "x.html").read_text(encoding="utf-8")
    assert '"labels":["0","1","2"]' in page


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": "none.pbow"}, "none.pbow"),
        ({"model": "h1.csv"}, "h1.csv"),
        ({"model": "statistics.pbow"}, "statistics.pbow: The explorer shows codebooks"),
        ({"diagrams": "none.csv"}, "none.csv"),
        ({"diagrams": "h1.csv"}, "Expected parts H0, H1, got H1"),
        ({"labels": "two.txt"}, "two.txt: expected one label for each of the 12"),
        ({"names": "two.txt"}, "two.txt: expected one name for each of the 12"),
        ({"output": "missing/page.html"}, "Cannot write to the folder missing"),
        ({"output": "."}, "it is a folder"),
        ({"output": "-"}, "cannot be written to the standard output; name a file"),
    ],
    ids=str,
)
def test_a_mistake_is_one_sentence_and_no_page(run, folder, change, message):
    before = sorted(folder.iterdir())
    given = {"model": "model.pbow", "diagrams": "diagrams.pbow", "output": "x.html"}
    given |= change
    inputs = given.pop("model"), given.pop("diagrams")
    options = [word for name, value in given.items() for word in (f"--{name}", value)]
    code = 2 if change == {"output": "-"} else 1
    result = run("explore", *inputs, *options, code=code)
    assert message in " ".join(result.stderr.split())
    assert result.stderr.splitlines()[-1].startswith("Error: ")
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("found", [True, False])
def test_the_page_is_opened_on_request(run, folder, monkeypatch, found):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or found)
    result = run("explore model.pbow diagrams.pbow -o x.html --open")
    assert opened == [(folder / "x.html").resolve().as_uri()]
    assert ("No browser found; open x.html yourself." in result.stderr) != found
    run("explore model.pbow diagrams.pbow -o x.html")
    assert len(opened) == 1


def test_plotly_may_be_written_beside_the_page(run, folder):
    run("explore model.pbow diagrams.pbow -o x.html --plotlyjs directory")
    assert (folder / "plotly.min.js").stat().st_size > 1_000_000
    assert (folder / "x.html").stat().st_size < 200_000


def test_help_has_an_example(run):
    result = run("explore --help")
    assert "pbow explore model.pbow diagrams.pbow -o page.html\n" in result.stdout
