import shlex

import numpy as np
import pytest

from pbow import StablePersistenceBoW, plotting, save
from pbow.vectorizers import PersistenceStatistics

plt = pytest.importorskip("matplotlib.pyplot")

PNG = b"\x89PNG\r\n\x1a\n"
MODEL = ["model.pbow", "diagrams.pbow", "--part", "H1"]
LABELED = [*MODEL, "--labels", "labels.txt"]
PICTURES = {
    "diagram": [
        "diagrams.pbow",
        "--sample",
        "11",
        "--coordinates",
        "birth-persistence",
    ],
    "barcode": ["diagrams.pbow"],
    "codebook": MODEL,
    "classes": LABELED,
    "difference": [*LABELED, "--between", "few points", "many"],
}


@pytest.mark.parametrize("picture", PICTURES)
@pytest.mark.parametrize("ending", ["png", "svg"])
def test_every_picture_is_written_to_a_file(run, folder, picture, ending):
    before = {path.name for path in folder.iterdir()}
    result = run("plot", picture, *PICTURES[picture], "-o", f"x.{ending}")
    assert result.exit_code == 0, result.output
    data = (folder / f"x.{ending}").read_bytes()
    assert data.startswith(PNG) if ending == "png" else b"<svg" in data
    assert {path.name for path in folder.iterdir()} == before | {f"x.{ending}"}
    assert (result.stdout, result.stderr) == ("", f"x.{ending}\n")


@pytest.fixture
def drawn(monkeypatch):
    """Keep the figures that would be saved."""
    figures = []
    monkeypatch.setattr(
        "matplotlib.figure.Figure.savefig",
        lambda self, file, **_: figures.append(self),
    )
    return figures


def test_the_sample_that_is_drawn_is_the_one_that_was_asked_for(run, folder, X, drawn):
    run("plot", "diagram", *PICTURES["diagram"], "-o", "x.png")
    [ax] = drawn[0].axes
    assert ax.get_ylabel() == "persistence"
    sizes = {len(collection.get_offsets()) for collection in ax.collections}
    assert len(X["H1"][11]) == 20
    assert 20 in sizes


def test_titles_are_the_labels(run, folder, drawn):
    run("plot", "classes", *PICTURES["classes"], "-o", "x.png")
    run("plot", "difference", *PICTURES["difference"], "-o", "x.png")
    assert [ax.get_title() for ax in drawn[0].axes] == ["few points", "many"]
    titles = [ax.get_title() for ax in drawn[1].axes]
    assert (titles[0], titles[-1]) == ("few points", "many")


def test_classes_may_be_numbers(run, folder, drawn):
    np.save("y.npy", [7] * 6 + [12] * 6)
    words = [*MODEL, "--labels", "y.npy", "--between", "12", "7"]
    result = run("plot", "difference", *words, "-o", "x.png")
    assert result.exit_code == 0, result.output
    titles = [ax.get_title() for ax in drawn[0].axes]
    assert (titles[0], titles[-1]) == ("12", "7")


def test_a_mixture_is_drawn_without_diagrams(run, folder, X):
    save(StablePersistenceBoW(2, random_state=0).fit(X), "soft.pbow")
    result = run("plot", "codebook", "soft.pbow", "--part", "H0", "-o", "x.png")
    assert result.exit_code == 0, result.output


def test_no_figure_is_left_open(run, folder):
    run("plot", "classes", *PICTURES["classes"], "-o", "x.png")
    run("plot", "classes", *PICTURES["classes"], "--part", "H9", "-o", "x.png")
    assert plt.get_fignums() == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["diagram", "diagrams.pbow", "--sample", "12"], "There is no sample 12 in"),
        (["codebook", "statistics.pbow"], "a fitted PersistenceBoW or Stable"),
        (
            ["classes", *LABELED[:2], *LABELED[4:]],
            "Expected --part to be one of 'H0', 'H1', the parts that have words in the "
            "plane; it is not given.",
        ),
        (
            ["difference", *LABELED, "--between", "many", "none"],
            "Expected --between to be two different labels of ['few points', 'many']; "
            "got ('many', 'none').",
        ),
        (
            ["classes", "soft.pbow", *LABELED[1:]],
            "The figure counts points by their nearest word, so it expects a fitted "
            "PersistenceBoW; got StablePersistenceBoW. Draw its codebook, or write the "
            "explorer's page.",
        ),
    ],
)
def test_what_cannot_be_drawn_is_one_sentence(run, folder, X, words, message):
    save(PersistenceStatistics().fit(X), "statistics.pbow")
    save(StablePersistenceBoW(2, random_state=0).fit(X), "soft.pbow")
    result = run("plot", *words, "-o", "x.png")
    assert result.exit_code == 1
    [line] = result.stderr.splitlines()
    assert message in line
    assert not (folder / "x.png").exists()


@pytest.mark.parametrize(
    ("command", "drawing"),
    [
        ("classes --part H1", "plot_class_words"),
        ("difference --part H1 --between many 'few points'", "plot_class_difference"),
    ],
)
def test_labels_go_by_name(run, folder, monkeypatch, command, drawing):
    seen = []
    draw = getattr(plotting, drawing)

    def watched(model, X, y, *args, **kwargs):
        seen.append(y.tolist())
        return draw(model, X, y, *args, **kwargs)

    monkeypatch.setattr(plotting, drawing, watched)
    labels = (folder / "labels.txt").read_text().splitlines()
    (folder / "names.txt").write_text("".join(f"{i}.csv\n" for i in range(12)))
    rows = [f"{i}.csv,{label}\n" for i, label in enumerate(labels)]
    (folder / "y.csv").write_text("".join(reversed(rows)))
    name, *words = shlex.split(command)
    files = ["model.pbow", "diagrams.pbow", "--labels", "y.csv", "-o", "x.png"]
    result = run("plot", name, *files, *words, "--names", "names.txt")
    assert result.exit_code == 0, result.output
    assert seen == [labels]
