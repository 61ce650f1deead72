import json
import shutil
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from click.testing import CliRunner
from experiments.figures import curves, draw_figures, labels, times
from experiments.figures.__main__ import main
from experiments.figures.drawing import CannotDraw
from experiments.figures.results import Results

from pbow.experiment import Folder, choose, run_experiment, to_frame

# Files are named after it, panels and captions show it.
HOSTILE = r"geomat..\..\{0} $a_{ <b>"
NAMES = [
    *("pipeline", "rips_stages", "shapes", "accuracy_by_codebook_size"),
    *("class_histograms_shapes", "confusion_geomat-0-a_-b-"),
    *("class_differences_geomat-0-a_-b-", "accuracy_against_time"),
    "time_against_size",
]
DECLARED = f"""
repetitions = 2
classifier = {{ finalists = 2, names = ["distance"], c_values = [1.0, 10.0] }}
[datasets.shapes]
shapes = {{ n_per_class = 6, n_points = 40, random_state = 0 }}
protocol = "50/50"
[datasets.'{HOSTILE}']
surfaces = {{ n_diagrams = 30, n_points = 30 }}
[datasets.larger]
surfaces = {{ n_diagrams = 40, n_points = 30 }}
[descriptors.PI]
make = "PersistenceImage.paper"
grid = {{ resolution = [5, 10], sigma = [0.1, 1.0] }}
[descriptors.PBoW]
make = "PersistenceBoW.paper"
grid = {{ n_words = [8, 4], weighting = ["ramp", "uniform"], sample_size = [100, 200] }}
on.larger.optimum = {{ n_words = 4, sample_size = 100 }}
[descriptors.sPBoW]
make = "StablePersistenceBoW.paper"
only = ["larger"]
grid = {{ n_words = [3, 6] }}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return the results of a small experiment."""
    path = tmp_path_factory.mktemp("figures")
    (path / "small.toml").write_text(DECLARED)
    run_experiment(path / "small.toml", path / "results")
    return path / "results"


@pytest.fixture(scope="module")
def results(folder):
    return Results(folder)


@pytest.fixture(scope="module")
def frame(folder):
    return to_frame(Folder(folder).read()).assign(accuracy=lambda f: 100.0 * f.accuracy)


def axes_of(figure):
    return {ax.get_title(): ax for ax in figure.axes}


def test_all_figures_are_written_with_their_captions(folder, results, tmp_path):
    captions, left_out = draw_figures(folder)
    assert (list(captions), left_out) == (NAMES, {})
    files = {path.name: path.read_bytes() for path in (folder / "figures").iterdir()}
    kinds = {f"{name}.{kind}" for name in NAMES for kind in ("png", "svg")}
    assert files.keys() == kinds | {"captions.json"}
    assert json.loads(files["captions.json"]) == captions
    for name, texts in captions.items():
        svg = ElementTree.fromstring(files[f"{name}.svg"])
        assert texts["title"] in {element.text for element in svg.iter()}
    said = {name: texts["caption"] for name, texts in captions.items()}
    without = {"pipeline", "rips_stages", "shapes", "class_histograms_shapes"}
    assert {n for n in NAMES if "“distance”" not in said[n]} == without
    assert "8 words" in said["pipeline"]
    assert "all 36 diagrams" in said["class_histograms_shapes"]
    [machine] = set(results.runs.machine)
    assert f"Measured on {machine}, one" in said["time_against_size"]
    # The same results give the same bytes.
    again = shutil.copytree(folder, tmp_path / "again")
    shutil.rmtree(again / "figures")
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "black"}):
        draw_figures(again)
    for name, content in files.items():
        assert (again / "figures" / name).read_bytes() == content


def test_lines_go_through_the_mean_accuracies_of_the_screening(results, frame):
    figure, _ = curves.accuracy_by_codebook_size(results)
    panels = axes_of(figure)
    assert list(panels) == ["shapes", HOSTILE, "larger"]
    means = frame.groupby(["dataset", "stage", "params"]).accuracy.mean()
    params = '{{"n_words": {}, "sample_size": {}, "weighting": "ramp"}}'
    # The middle of the grid, and the optimum.
    for dataset, held in ((HOSTILE, 200), ("larger", 100)):
        [line] = (x for x in panels[dataset].lines if x.get_label() == "PBoW, weighted")
        expected = [means[dataset, "screen", params.format(n, held)] for n in (4, 8)]
        np.testing.assert_array_equal(line.get_xdata(), [4, 8])
        np.testing.assert_allclose(line.get_ydata(), expected)
    # It has too few combinations to be screened.
    [line] = (x for x in panels["larger"].lines if x.get_label() == "sPBoW")
    expected = [means["larger", "final", f'{{"n_words": {n}}}'] for n in (3, 6)]
    np.testing.assert_allclose(line.get_ydata(), expected)


def test_circles_are_the_best_of_each_length(results, frame):
    figure, _ = curves.accuracy_against_time(results)
    images, words, stable = axes_of(figure)["larger"].collections
    rows = frame.query("dataset == 'larger' & stage == 'screen' & descriptor == 'PI'")
    means = rows.groupby("params").accuracy.mean()
    best = means.groupby([json.loads(p)["resolution"] for p in means.index]).max()
    # In the order of the grid.
    np.testing.assert_allclose(images.get_offsets()[:, 1], best)
    areas = np.concatenate([c.get_sizes() for c in (images, words, stable)])
    lengths = np.array([25, 100, 8, 4, 3, 6])
    np.testing.assert_allclose(areas / areas[1], lengths / 100.0)


def test_confusion_matrices_are_those_of_the_chosen_runs(results, folder):
    chosen = choose(results.experiment, Folder(folder).read())
    chosen = chosen.query("dataset == @HOSTILE & selection == 'nested'")
    figure, facts, name = labels.confusion(results)
    assert name == HOSTILE
    for descriptor in ("PI", "PBoW"):
        rows = chosen[chosen.descriptor == descriptor]
        total = np.sum(rows.confusion.tolist(), axis=0)
        percent = 100.0 * total / total.sum(axis=1, keepdims=True)
        drawn = axes_of(figure)[descriptor].images[0].get_array()
        np.testing.assert_allclose(drawn, percent)
        assert facts[descriptor] == pytest.approx(rows.accuracy.mean())


def test_the_most_confused_labels_have_the_largest_rates_together():
    # By numbers it would be the first two, and by a single rate the last two.
    matrix = [[60, 30, 0, 10], [5, 95, 0, 0], [0, 0, 11, 9], [4, 0, 0, 6]]
    assert labels.most_confused(np.array(matrix)) == (0, 3)
    with pytest.raises(CannotDraw, match="there are none"):
        labels.most_confused(np.eye(3, dtype=int))


def test_bars_are_the_seconds_of_the_steps(results, frame):
    figure, _ = times.time_against_size(results)
    whole, construction = figure.axes
    assert [text.get_text() for text in whole.get_xticklabels()] == ["30", "40"]
    fit, encode, classify = whole.containers[3:]
    rows = frame.query("descriptor == 'sPBoW' & dataset == 'larger'")
    chosen = results.chosen[results.chosen.descriptor == "sPBoW"]
    rows = rows.merge(chosen[["params", "repetition"]])
    tops = [bars[1].get_height() for bars in (fit, encode, classify)]
    steps = ["fit_seconds", "encode_seconds", "classify_seconds"]
    np.testing.assert_allclose(tops, rows[steps].median())
    assert classify[1].get_y() == pytest.approx(tops[0] + tops[1])
    assert fit[0].get_height() == 0.0  # sPBoW is not run on the smaller set
    assert len(construction.containers) == 4


@pytest.mark.parametrize(
    ("dataset", "drawn", "reasons"),
    [
        (
            'load = "synthetic-authors"',
            "2 figures: rips_stages, shapes\n",
            {"pipeline": "synthetic", "confusion": "PI and PBoW"},
        ),
        (
            "surfaces = { n_diagrams = 10 }",
            "0 figures: \n",
            dict.fromkeys(("pipeline", "shapes", "rips_stages"), "of shapes"),
        ),
    ],
)
def test_what_cannot_be_drawn_is_told_and_is_no_error(
    dataset, drawn, reasons, tmp_path, monkeypatch
):
    monkeypatch.delenv("PBOW_DATA", raising=False)
    monkeypatch.setenv("PBOW_CACHE", str(tmp_path / "cache"))
    text = f"[datasets.own]\n{dataset}\n[descriptors.PBoW]\nmake = 'PersistenceBoW'\n"
    (tmp_path / "own.toml").write_text(text)
    done = CliRunner().invoke(main, [str(tmp_path)])
    assert (done.exit_code, done.stdout) == (0, drawn)
    told = dict(line.split(" is left out: ") for line in done.stderr.splitlines())
    assert len(told) == len(NAMES) - int(drawn[0])
    assert all(reason in told[name] for name, reason in reasons.items())


def test_other_data_than_those_of_the_runs_and_no_results_are_refused(folder, tmp_path):
    other = shutil.copytree(folder, tmp_path / "other")
    declared = DECLARED.replace("n_points = 40", "n_points = 41")
    (other / "small.toml").write_text(declared)
    with pytest.raises(CannotDraw, match="of shapes are not those of the runs"):
        Results(other).open("shapes")
    done = CliRunner().invoke(main, [str(tmp_path)])
    assert done.exit_code == 1
    assert "one TOML file" in done.stderr
