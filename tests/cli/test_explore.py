import pytest

from pbow import explorer

pytest.importorskip("plotly")

MODEL = ["model.pbow", "diagrams.pbow"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["diagrams.pbow", "diagrams.pbow"], "holds diagrams; expected a model"),
        (
            [*MODEL, "--names", "two.txt"],
            "one name for each of the 12 samples; two",
        ),
        ([*MODEL, "--labels", "y.csv"], "Expected --names to be a file with the names"),
    ],
)
def test_errors_speak_of_files_and_options(run, folder, words, message):
    (folder / "two.txt").write_text("a\nb\n")
    (folder / "y.csv").write_text("file,label\na,b\n")
    result = run("explore", *words, "-o", "x.html")
    assert result.exit_code == 1
    [line] = result.stderr.splitlines()
    assert message in line


@pytest.mark.parametrize("by_name", [True, False])
def test_labels_may_go_by_the_names_on_the_page(run, folder, monkeypatch, by_name):
    seen = {}

    def watched(model, X, output, **kwargs):
        seen.update(kwargs)
        output.touch()

    monkeypatch.setattr(explorer, "write_explorer", watched)
    labels = (folder / "labels.txt").read_text().splitlines()
    names = [f"{i}.csv" for i in range(12)]
    (folder / "names.txt").write_text("\n".join(names))
    rows = [f"{name},{label}\n" for name, label in zip(names, labels, strict=True)]
    (folder / "y.csv").write_text("".join(reversed(rows)))
    given = ["--labels", "y.csv" if by_name else "labels.txt", "--names", "names.txt"]
    result = run("explore", "model.pbow", "diagrams.pbow", *given, "-o", "x.html")
    assert result.exit_code == 0, result.output
    assert (seen["labels"].tolist(), seen["sample_names"]) == (labels, names)
