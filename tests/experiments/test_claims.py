"""What the claims say of made-up runs, and of the paper's own table."""

from dataclasses import replace
from pathlib import Path

import pytest
from experiments.claims import (
    accuracies_by_size,
    check_claims,
    gains_of_weighting,
    papers_optima,
    plain_words_ahead,
    results_of,
    stable_words_level,
    times_against_words,
    to_markdown,
    vectors_against_kernels,
    words_are_level_with_the_best,
)

from pbow.experiment import RunsTable, read_experiment

FOLDER = Path(__file__).parents[2] / "experiments"
TEXT = """
name = "exp_a"
classifier.finalists = 2
[datasets.synthetic]
title = "Synthetic"
load = "synthetic-authors-7"
[datasets.geomat]
title = "GeoMat stand-in"
load = "geomat-standin"
[datasets.petrosurf3d]
title = "PetroSurf3D stand-in"
load = "petrosurf3d-standin"
repetitions = 4
[datasets.synthetic-6]
title = "Synthetic, six classes"
load = "synthetic-authors"
variant_of = "synthetic"
[descriptors.MK]
make = "MultiScaleKernel"
params = { output = "distance" }
on.synthetic.paper = { accuracy = 92.0, std = 2.0, seconds = 80.0 }
on.geomat.paper = { accuracy = 9.0, std = 3.0, seconds = 9000.0 }
on.petrosurf3d.paper = { accuracy = 80.2, std = 3.6, seconds = 500.0, runs = 4 }
[descriptors.PI]
make = "PersistenceImage.paper"
on.synthetic.paper = { accuracy = 98.0, std = 1.0, seconds = 9.6, best = true }
on.geomat.paper = { accuracy = 11.0, std = 2.0, seconds = 300.0 }
on.petrosurf3d.paper = { accuracy = 80.0, std = 3.7, seconds = 20.0, runs = 4 }
[descriptors.PBoW]
make = "PersistenceBoW.paper"
grid = { n_words = [10, 20, 200], weighting = ["ramp", "uniform"] }
[descriptors.PBoW.on]
synthetic.optimum = { n_words = 200, weighting = "ramp" }
synthetic.paper = { accuracy = 98.0, std = 2.2, seconds = 0.8, best = true }
geomat.optimum = { n_words = 20, weighting = "uniform" }
geomat.paper = { accuracy = 26.7, std = 2.5, seconds = 0.3, best = true }
petrosurf3d.paper = { accuracy = 79.9, std = 4.6, seconds = 2.0, runs = 4 }
[descriptors.sPBoW]
make = "StablePersistenceBoW.paper"
grid = { n_words = [10, 20, 200], weighting = ["ramp", "uniform"] }
on.synthetic.paper = { accuracy = 96.9, std = 1.6, seconds = 4.0 }
on.geomat.paper = { accuracy = 22.2, std = 2.6, seconds = 2.2 }
on.petrosurf3d.paper = { accuracy = 78.8, std = 3.7, seconds = 8.0, runs = 4 }
"""
ACCURACIES = {"MK": 0.7, "PI": 0.8, "PBoW": 0.6, "sPBoW": 0.5}


def score(task, classifier):
    if classifier == "linear":
        return 0.9, 0.99
    value = ACCURACIES[task.cell.descriptor.name]
    if "n_words" in task.params:
        value += 0.0002 * task.params["n_words"]
        weight = 0.03 if task.cell.dataset.name == "synthetic" else -0.02
        value += weight * (task.params["weighting"] == "ramp")
    return 0.5, value + 0.001 * task.repetition


@pytest.fixture
def declared(tmp_path):
    (tmp_path / "exp_a.toml").write_text(TEXT)
    return read_experiment(tmp_path / "exp_a.toml")


@pytest.fixture
def runs(declared, make_up):
    made = make_up(declared, score)
    for record in made.records.values():
        is_kernel = record["descriptor"] == "MK"
        record["seconds"] = {"fit": 0.0, "encode": 30.0 if is_kernel else 2.0}
    return made


@pytest.fixture
def results(declared, runs):
    return results_of(declared, runs)


def test_the_best_vectors_are_compared_with_the_best_kernel(results):
    assert vectors_against_kernels(results.paper) == (
        "2 of 3. Best vectorized method and best kernel: Synthetic PI 98.0 and MK "
        "92.0; GeoMat PBoW 26.7 and MK 9.0; PetroSurf3D PI 80.0 and MK 80.2."
    )
    here = vectors_against_kernels(results.here)
    assert here.startswith("1 of 1, stand-ins 2 of 2. ")
    assert "GeoMat stand-in PI 80.2 and MK 70.2;" in here


def test_four_splits_do_not_count_where_a_test_decides(results):
    none = "PetroSurf3D does not count: 4 splits cannot show a difference."
    paper = words_are_level_with_the_best(results.paper)
    assert paper.startswith(f"2 of 2 (Wilcoxon test, p > 0.1). {none}")
    # All five splits have PI ahead: p = 0.0625.
    here = words_are_level_with_the_best(results.here)
    assert here.startswith("0 of 1, stand-ins 0 of 1 (Wilcoxon test, p > 0.1). Petro")
    assert "; GeoMat stand-in PBoW 64.2, best PI 80.2;" in here


def test_pbow_ahead_and_spbow_level_are_counted_apart(results):
    assert plain_words_ahead(results.paper) == (
        "3 of 3. PBoW minus sPBoW: Synthetic +1.1, GeoMat +4.5, PetroSurf3D +1.1."
    )
    # On GeoMat two standard errors are 3.2 points.
    level = stable_words_level(results.paper)
    assert level.startswith("2 of 3 (Synthetic, PetroSurf3D); ")
    assert plain_words_ahead(results.here).startswith("1 of 1, stand-ins 2 of 2. ")
    assert stable_words_level(results.here).startswith(
        "0 of 1, stand-ins 0 of 2 (none)"
    )


def test_times_are_ratios_to_pbow_kernels_apart(results):
    assert times_against_words(results.paper) == (
        "Time divided by that of PBoW: PI and RM 10 to 1,000, median 12, at least 10 "
        "in 3 of 3; kernels 100 to 30,000, median 250, at least 10 in 3 of 3."
    )
    assert times_against_words(results.here) == (
        "Time divided by that of PBoW: PI and RM 1.0 to 1.0, median 1.0, at least 10 "
        "in 0 of 1; kernels 15 to 15, median 15, at least 10 in 1 of 1; PI and RM on "
        "stand-ins 1.0 to 1.0, median 1.0, at least 10 in 0 of 2; kernels on stand-ins "
        "15 to 15, median 15, at least 10 in 2 of 2."
    )


def test_accuracies_by_size_and_weighting_are_of_the_screening(results):
    assert accuracies_by_size(results) == (
        "Accuracy (number of words) in the screening: PBoW on Synthetic 63.4 (10), "
        "63.6 (20), 67.2 (200); best 67.2 (200). sPBoW on Synthetic 53.4 (10), "
        "53.6 (20), 57.2 (200); best 57.2 (200)."
    )
    gains = gains_of_weighting(results)
    assert gains.startswith(
        "Better with weighting by more than 1 point: 2 of 2, stand-ins 0 of 4; worse: "
        "0 of 2, stand-ins 4 of 4. "
    )
    assert "PBoW on Synthetic +3.0, sPBoW on Synthetic +3.0, PBoW on GeoMat st" in gains
    optima = papers_optima(results, "n_words", {"geomat"})
    assert optima.endswith("optima of the supplement: PBoW on GeoMat 20.")


def test_runs_of_other_declarations_do_not_count(declared, runs, results):
    record = next(one for one in runs.records.values() if one["stage"] == "screen")
    scores = {"distance": record["scores"]["distance"] | {"accuracy": 1.0}}
    params = record["params"] | {"n_words": 50}
    foreign = record | {"key": "foreign", "params": params, "scores": scores}
    more = results_of(declared, RunsTable(runs.records | {"foreign": foreign}))
    assert accuracies_by_size(more) == accuracies_by_size(results)


def test_what_is_not_complete_is_named(declared, runs):
    key = next(k for k, r in runs.records.items() if r["descriptor"] == "PI")
    runs.records.pop(key)
    with pytest.raises(ValueError, match=r"exp_a is not complete: synthetic/PI\."):
        results_of(declared, runs)


def shortened(experiment):
    """The paper's cells, with as little of their grids as is screened."""
    cells = []
    for cell in experiment.cells:
        n = {"n_words": 2, "weighting": 2}
        grid = {name: values[: n.get(name, 1)] for name, values in cell.grid.items()}
        if cell.paper is not None:
            cells.append(replace(cell, grid=grid))
    return replace(experiment, cells=tuple(cells))


def test_the_papers_own_table_contradicts_what_it_says_of_kernels(make_up):
    declared = [shortened(read_experiment(FOLDER / f"exp_{x}.toml")) for x in "ab"]
    made = [make_up(one, lambda task, name: (0.5, 0.5)) for one in declared]
    words, vectors, ahead, times, sizes, weighting, level = check_claims(
        *map(results_of, declared, made)
    )
    assert words.paper.startswith("8 of 8 (")
    assert vectors.paper.startswith("5 of 6. ")
    assert "PetroSurf3D PI 80.0 and MK 80.2" in vectors.paper
    assert ahead.paper.startswith("9 of 10. ")
    assert "PI and RM 1.1 to 3,172, median 66, at least 10 in 18 of 20" in times.paper
    assert "PBoW on Synthetic 200, sPBoW on Synthetic 140" in sizes.paper
    assert weighting.here.startswith(
        "Better with weighting by more than 1 point: 0 of 8, stand-ins 0 of 4;"
    )
    assert level.paper.startswith("5 of 6 (Synthetic, Reddit-5k, ")
    assert level.here.startswith("4 of 4, stand-ins 2 of 2 (")
    lines = to_markdown([words, vectors]).splitlines()
    assert len(lines) == 4
    titles = [title.strip() for title in lines[0].split("|")]
    assert titles == ["", "The paper", "The paper's table", "Here", ""]
