import pytest

pytest.importorskip("plotly")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["diagrams.pbow", "diagrams.pbow"], "'pbow-diagrams' and not 'pbow-model'."),
        (["model.pbow", "diagrams.pbow", "--names", "two.txt"], "--names to be 12 nam"),
    ],
)
def test_errors_speak_of_files_and_options(run, folder, words, message):
    (folder / "two.txt").write_text("a\nb\n")
    result = run("explore", *words, "-o", "x.html")
    assert result.exit_code == 1
    [line] = result.stderr.splitlines()
    assert message in line
    assert "pbow." not in line.replace(".pbow", "")
