import numpy as np
import pytest

plt = pytest.importorskip("matplotlib.pyplot")

LABELED = "model.pbow diagrams.pbow --part H1 --labels labels.txt"
FIGURES = {
    "diagram": "diagrams.pbow --sample 11 --coordinates birth-persistence",
    "barcode": "diagrams.pbow",
    "codebook": "model.pbow diagrams.pbow --part H1",
    "classes": LABELED,
    "difference": f"{LABELED} --between 'few points' many",
}


@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize(("name", "begins"), [("x.png", b"\x89PNG"), ("x.svg", b"<?x")])
def test_every_figure_is_written_to_a_file(run, folder, figure, name, begins):
    before = {path.name for path in folder.iterdir()}
    result = run(f"plot {figure} {FIGURES[figure]} -o {name}")
    assert (folder / name).read_bytes().startswith(begins)
    assert {path.name for path in folder.iterdir()} == before | {name}
    assert (result.stdout, result.stderr) == ("", f"{name}\n")


@pytest.fixture
def drawn(run, folder, monkeypatch):
    """Draw a figure, and return it."""
    figures = []
    monkeypatch.setattr(
        "matplotlib.figure.Figure.savefig", lambda self, file, **_: figures.append(self)
    )

    def draw(command):
        run(f"plot {command} -o x.png")
        return figures[-1]

    return draw


def test_the_sample_that_is_drawn_is_the_one_that_was_asked_for(drawn, X):
    [ax] = drawn(f"diagram {FIGURES['diagram']}").axes
    assert ax.get_ylabel() == "persistence"
    sizes = {len(collection.get_offsets()) for collection in ax.collections}
    assert len(X["H1"][11]) == 20
    assert 20 in sizes


def test_titles_are_the_labels_which_may_be_numbers(drawn, folder):
    np.save(folder / "y.npy", [7] * 6 + [12] * 6)
    numbers = "model.pbow diagrams.pbow --part H1 --labels y.npy --between 12 7"
    for command, titles in {
        f"classes {LABELED}": ["few points", "many"],
        f"difference {FIGURES['difference']}": ["few points", "many"],
        f"difference {numbers}": ["12", "7"],
    }.items():
        found = [ax.get_title() for ax in drawn(command).axes]
        assert [found[0], found[-1]] == titles


@pytest.mark.parametrize(
    ("figure", "given"),
    [
        ("codebook", "several.pbow --part H1"),
        ("classes", LABELED.replace("model", "several")),
        ("difference", FIGURES["difference"].replace("model", "several")),
    ],
)
def test_one_resolution_is_drawn_the_finest_unless_another_is_named(
    drawn, figure, given
):
    for option, n_words in {"": 5, "--resolution 2": 2, "--resolution 5": 5}.items():
        ax = drawn(f"{figure} {given} {option}").axes[0]
        assert len(ax.collections[-1].get_offsets()) == n_words


def test_a_mixture_is_drawn_without_diagrams(run, folder):
    run("plot codebook soft.pbow --part H0 -o x.png")


def test_no_figure_is_left_open(run, folder):
    run(f"plot classes {LABELED} -o x.png")
    run(f"plot classes {LABELED} --part H9 -o x.png", code=1)
    assert plt.get_fignums() == []


@pytest.mark.parametrize("model", ["model.pbow", "soft.pbow"])
@pytest.mark.parametrize(
    ("figure", "n_axes"),
    [("classes", 4), ("difference --between 'few points' many", 6)],
)
def test_all_parts_are_drawn_unless_one_is_named(drawn, model, figure, n_axes):
    command = f"{figure} {model} diagrams.pbow --labels labels.txt"
    titles = [ax.get_title() for ax in drawn(command).axes]
    assert len(titles) == n_axes
    assert (titles[0], titles[-1]) == ("H0: few points", "H1: many")
    assert len(drawn(f"{command} --part H0").axes) == n_axes // 2


def test_labels_that_there_are_not_are_blamed_on_the_option(run, folder):
    command = FIGURES["difference"].replace("many", "none")
    result = run(f"plot difference {command} -o x.png", code=1)
    assert "Expected --between to be two different labels of" in result.stderr
