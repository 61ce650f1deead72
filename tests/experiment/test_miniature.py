"""EXP-A in miniature: all eight approaches from the declaration to the page."""

import csv
import io

import pytest

from pbow.experiment import (
    make_table,
    read_experiment,
    run_experiment,
    summarize,
    write_report,
)

pytest.importorskip("gudhi")
pytest.importorskip("matplotlib")

TEXT = """
title = "EXP-A in miniature"
repetitions = 2
[classifier]
finalists = 1
folds = 2
costs = [1.0, 10.0]
[datasets.shapes]
title = "Shapes"
shapes = { n_per_class = 5, n_points = 40 }
protocol = "50/50"
[descriptors.2Wd]
make = "WassersteinKernel"
similarity = "max-distance"
[descriptors.MK]
make = "MultiScaleKernel"
similarity = "max-distance"
params = { bandwidth = 1.0 }
[descriptors.SWK]
make = "SlicedWassersteinKernel"
similarity = "max-distance"
params = { n_directions = 20 }
[descriptors.PL]
make = "LandscapeKernel"
similarity = "max-distance"
[descriptors.PI]
make = "PersistenceImage.paper"
params = { resolution = 10, sigma = 0.5 }
[descriptors.RM]
make = "RiemannianHeatMap.paper"
params = { n_components = 5, r = 10, sigma = 0.2 }
[descriptors.PBoW]
make = "PersistenceBoW.paper"
grid = { n_words = [4, 8] }
[descriptors.sPBoW]
make = "StablePersistenceBoW.paper"
grid = { n_words = [4, 8] }
[descriptors.Statistics]
make = "PersistenceStatistics"
ours = true
standardize = true
"""
ALL = ["2Wd", "MK", "SWK", "PL", "PI", "RM", "PBoW", "sPBoW", "Statistics"]


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    folder = tmp_path_factory.mktemp("miniature")
    (folder / "miniature.toml").write_text(TEXT)
    runs = run_experiment(folder / "miniature.toml", folder / "results")
    return read_experiment(folder / "miniature.toml"), runs


def test_every_approach_has_an_accuracy_better_than_chance(ran):
    experiment, runs = ran
    outcomes = summarize(experiment, runs)
    assert [name for _, name in outcomes] == ALL
    for (_, name), outcome in outcomes.items():
        assert outcome.is_complete, name
        assert len(outcome.accuracies) == 2
        assert outcome.seconds > 0.0
        assert max(outcome.accuracies) > 100 / 6, name


@pytest.mark.parametrize("format_", ["markdown", "latex", "csv"])
def test_the_table_has_all_of_them(ran, format_):
    experiment, runs = ran
    table = make_table(experiment, runs, format_)
    if format_ == "csv":
        rows = list(csv.DictReader(io.StringIO(table)))
        assert [row["descriptor"] for row in rows] == ALL
        assert {row["status"] for row in rows} == {"complete"}
    else:
        assert all(name in table for name in ALL)


def test_figures_and_the_page_are_made(ran, tmp_path):
    from pbow.experiment.figures import make_figures, save  # noqa: PLC0415  an extra

    experiment, runs = ran
    made = make_figures(experiment, runs)
    saved = [save(figure, tmp_path) for figure in made.figures]
    assert len(saved) >= 5
    for one in saved:
        assert one.png.read_bytes().startswith(b"\x89PNG")
        assert "<svg" in one.svg.read_text(encoding="utf-8")
    page = tmp_path / "report.html"
    write_report(experiment, runs, saved, page)
    text = page.read_text(encoding="utf-8")
    assert "EXP-A in miniature" in text
    assert all(name in text for name in ALL)
    assert text.count("data:image") >= len(saved)
