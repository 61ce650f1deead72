"""Every script of the gallery runs from its first line to its last, in reduced size."""

import re
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
SCRIPTS = sorted(EXAMPLES.glob("plot_*.py"))

# Scripts name their sizes so; what is larger than this becomes it.
LARGEST = {"n_per_class": 6, "n_points": 60}
SIZE = re.compile(rf"\b({'|'.join(LARGEST)})( ?= ?)(\d+)\b")


def reduced(source):
    return SIZE.sub(
        lambda size: f"{size[1]}{size[2]}{min(int(size[3]), LARGEST[size[1]])}", source
    )


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_the_script_runs_and_draws(script, tmp_path, monkeypatch):
    pytest.importorskip("gudhi")
    pyplot = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.chdir(tmp_path)
    shown = []
    monkeypatch.setattr(pyplot, "show", lambda: shown.extend(pyplot.get_fignums()))
    code = compile(reduced(script.read_text(encoding="utf-8")), str(script), "exec")
    try:
        exec(code, {"__name__": "__main__"})
        drawn = [pyplot.figure(number).get_axes() for number in shown]
    finally:
        pyplot.close("all")
    assert drawn
    assert all(drawn)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_the_script_begins_with_a_title_and_text_below_it(script):
    first, title, line, *_ = script.read_text(encoding="utf-8").splitlines()
    assert first == '"""'
    assert line == "=" * len(title)


NUMBER = re.compile(r"-?\d+\.?\d*(?!\w)")


@pytest.mark.long
@pytest.mark.parametrize("name", ["airplane", "materials"])
@pytest.mark.usefixtures("data_home")
def test_quoted_output_is_that_of_the_measured_data(
    name, tmp_path, capsys, monkeypatch
):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.chdir(tmp_path)
    source = (EXAMPLES / f"plot_{name}.py").read_text(encoding="utf-8")
    block = source.partition(".. code-block:: text\n#\n")[2].partition("\n#\n")[0]
    quoted = block.replace("#    ", "").splitlines()
    try:
        exec(compile(source, name, "exec"), {"__name__": "__main__"})
    finally:
        pyplot.close("all")
    printed = capsys.readouterr().out.splitlines()[-len(quoted) :]
    assert len(quoted) > 5
    for found, expected in zip(printed, quoted, strict=True):
        assert NUMBER.sub("#", found).split() == NUMBER.sub("#", expected).split()
        both = [[*map(float, NUMBER.findall(line))] for line in (found, expected)]
        assert both[0] == pytest.approx(both[1], rel=0.02, abs=0.05)


def test_only_what_is_large_is_reduced():
    source = "make_shapes(n_per_class=20, n_points=50); n_points = 300; n_words=99"
    assert reduced(source) == (
        "make_shapes(n_per_class=6, n_points=50); n_points = 60; n_words=99"
    )


def test_the_gallery_has_ten_scripts_or_more():
    assert len(SCRIPTS) >= 10
