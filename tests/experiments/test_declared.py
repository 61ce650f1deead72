"""What the repository's own experiments declare: grids, and the paper's numbers."""

import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from experiments.authors import RiemannianHeatMap, StablePersistenceBoW

from pbow.datasets.catalog import CATALOG
from pbow.evaluation.representation import is_kernel
from pbow.experiment import read_experiment
from pbow.experiment.descriptors import make_descriptor

FOLDER = Path(__file__).parents[2] / "experiments"
EXPERIMENTS = {path.stem: read_experiment(path) for path in FOLDER.glob("*.toml")}

KERNELS = ["2Wd", "MK", "SWK", "PL"]
VECTORIZED = ["PI", "RM", "PBoW", "sPBoW"]
SUB_SAMPLES = {"geomat": 30, "reddit-5k": 100, "reddit-12k": 50, "petrosurf3d": 390}
LARGE = list(SUB_SAMPLES)
OF_THE_PAPER = ["synthetic", *LARGE, "shape-segmentation"]
VARIANT_OF = {
    "shape-segmentation-extra": "shape-segmentation",
    "synthetic-6": "synthetic",
}


def cells_of(experiment):
    return {cell.name: cell for cell in EXPERIMENTS[experiment].cells}


def reported(experiment):
    return {
        name: cell.paper
        for name, cell in cells_of(experiment).items()
        if cell.paper and not cell.dataset.variant_of
    }


def test_the_page_of_the_folder_lists_every_file():
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    for path in (*FOLDER.glob("*.toml"), *FOLDER.glob("*.py")):
        assert f"| `{path.name}` |" in page
    assert "install pbow" not in page  # pbow is not published


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_declaration_has_a_caption_possible_optima_and_names_its_stand_ins(name):
    experiment = EXPERIMENTS[name]
    assert experiment.name == name
    assert experiment.caption.strip()
    for cell in experiment.cells:
        if cell.optimum is not None:
            assert cell.descriptor.params | cell.optimum in cell.combinations()
    known = {entry.name: entry for entry in CATALOG}
    for dataset in experiment.datasets:
        if dataset.load is not None:
            is_stand_in = known[dataset.load].stand_in_for is not None
            assert ("stand-in" in dataset.title) == is_stand_in


def test_data_sets_are_those_of_the_paper_and_sub_sampled_as_there():
    exp_a, exp_b = (
        {d.name: d for d in EXPERIMENTS[name].datasets} for name in ("exp_a", "exp_b")
    )
    assert [*exp_a] == [*OF_THE_PAPER, *VARIANT_OF]
    assert {d.name: d.per_label for d in exp_a.values() if d.per_label} == SUB_SAMPLES
    assert [*exp_b] == LARGE
    assert {d.per_label for d in exp_b.values()} == {None}
    assert {n: d.variant_of for n, d in exp_a.items() if d.variant_of} == VARIANT_OF
    assert exp_a["synthetic"].load == "synthetic-authors-7"
    assert exp_a["shape-segmentation"].load == "shape-segmentation-paper"
    for name, datasets in (("exp_a", exp_a), ("exp_b", exp_b)):
        others = {n: d.repetitions for n, d in datasets.items() if d.repetitions}
        assert (EXPERIMENTS[name].repetitions, others) == (5, {"petrosurf3d": 4})


def test_kernels_are_compared_by_distances_and_landscapes_twice_as_far():
    for name in ("exp_a", "powered", "quick"):
        for entry in EXPERIMENTS[name].descriptors:
            made = make_descriptor(entry.make, entry.params, seed=0)
            if is_kernel(made):
                assert made.output == "distance"
            assert entry.factor == (2.0 if entry.name.startswith("PL") else 1.0)
            assert entry.rescale is entry.ours


def test_every_cell_of_the_papers_table_is_reported():
    rows = {"exp_a": (OF_THE_PAPER, KERNELS + VECTORIZED), "exp_b": (LARGE, VECTORIZED)}
    for name, table in rows.items():
        assert set(reported(name)) == {"/".join(cell) for cell in product(*table)}


def test_the_papers_numbers_add_up():
    cells = {(e, key): c for e in ("exp_a", "exp_b") for key, c in reported(e).items()}
    seconds = {place: cell.seconds for place, cell in cells.items()}
    assert math.fsum(seconds.values()) == pytest.approx(236_648.1, abs=0.01)
    without = [s for (_, key), s in seconds.items() if not key.endswith("/2Wd")]
    assert math.fsum(without) == pytest.approx(140_472.2, abs=0.01)
    expected = {"exp_a": (2798.2, 158.9, 22), "exp_b": (746.15, 38.3, 9)}
    for name, sums in expected.items():
        own = [(cell.accuracy, cell.std, cell.best) for cell in reported(name).values()]
        assert np.sum(own, axis=0) == pytest.approx(sums)


def test_the_paper_has_four_folds_on_petro_and_three_runs_of_mk_on_the_reddits():
    for name in ("exp_a", "exp_b"):
        runs = {key: cell.runs for key, cell in reported(name).items()}
        other = {key: 4 for key in runs if key.startswith("petrosurf3d")}
        if name == "exp_a":
            other |= {"reddit-5k/MK": 3, "reddit-12k/MK": 3}
        assert runs == dict.fromkeys(runs, 5) | other


@pytest.mark.parametrize(
    ("experiment", "name", "numbers"),
    [
        ("exp_a", "synthetic/RM", (92.3, 2.6, 0.9, False, True)),
        ("exp_a", "geomat/MK", (9.1, 3.1, 10883.0, False, False)),
        ("exp_a", "reddit-12k/sPBoW", (31.6, 2.8, 1.3, False, True)),
        ("exp_a", "petrosurf3d/SWK", (78.0, 6.3, 3913.0, True, False)),
        ("exp_a", "shape-segmentation/PBoW", (90.8, 0.7, 5.4, False, True)),
        ("exp_b", "reddit-5k/PBoW", (49.9, 3.3, 1.5, True, True)),
        ("exp_b", "petrosurf3d/sPBoW", (79.9, 5.2, 161.8, True, False)),
    ],
)
def test_cells_are_those_of_the_papers_table(experiment, name, numbers):
    cell = reported(experiment)[name]
    numbers_here = (cell.accuracy, cell.std, cell.seconds, cell.best, cell.fastest)
    assert numbers_here == numbers


@pytest.mark.parametrize(
    ("experiment", "descriptor", "sizes"),
    [
        ("exp_a", "2Wd", [1] * 6),
        ("exp_a", "MK", [3] * 6),
        ("exp_a", "SWK", [5] * 6),
        ("exp_a", "PI", [80, 36, 72, 72, 60, 80]),
        ("exp_a", "RM", [27, 36, 36, 36, 36, 27]),
        ("exp_a", "PBoW", [120, 72, 78, 54, 78, 60]),
        ("exp_a", "sPBoW", [120, 72, 78, 54, 78, 60]),
        ("exp_b", "PI", [48, 36, 36, 36]),
        ("exp_b", "RM", [36, 36, 36, 36]),
        ("exp_b", "PBoW", [66, 78, 48, 48]),
        ("exp_b", "sPBoW", [66, 78, 48, 48]),
    ],
)
def test_grids_are_as_large_as_in_the_supplement(experiment, descriptor, sizes):
    assert [
        len(cell.combinations())
        for cell in EXPERIMENTS[experiment].cells
        if cell.descriptor.name == descriptor and not cell.dataset.variant_of
    ] == sizes


def test_a_bandwidth_is_the_root_of_half_the_authors_time():
    bandwidths = cells_of("exp_a")["synthetic/MK"].grid["bandwidth"]
    assert bandwidths == pytest.approx([math.sqrt(t / 2) for t in (0.5, 1, 2)])


def test_counting_ramps_and_cells_are_tried_beside_the_grid():
    ramps = [{"point_weight": "ramp", "weighting": w} for w in ("ramp", "uniform")]
    for name in ("exp_a", "exp_b"):
        also = {entry.name: entry.also for entry in EXPERIMENTS[name].descriptors}
        assert also["PBoW"] == ramps
        assert also["sPBoW"] == [*ramps, {"codebook": "cells"}]


def test_an_earlier_grid_of_heat_maps_lies_over_persistences():
    points = np.array([[5.0, 6.0], [5.0, 7.0], [5.0, 9.0]])
    heat = RiemannianHeatMap.paper(quantiles=(0.25, 0.75)).fit([points, points[:1]])
    expected = np.quantile([1.0, 2.0, 4.0, 1.0], (0.25, 0.75), method="hazen")
    assert heat.spaces_[""].limits.tolist() == [expected.tolist()] * 2


def test_twenty_splits_are_at_the_optima_of_exp_a():
    there = cells_of("exp_a")
    for name, cell in cells_of("powered").items():
        optimum = there[name].descriptor.params | (there[name].optimum or {})
        [params] = cell.combinations()
        here, in_exp_a = (
            make_descriptor(one.descriptor.make, chosen, seed=0).get_params()
            for one, chosen in ((cell, params), (there[name], optimum))
        )
        in_exp_a.pop("codebook", None)
        assert here == in_exp_a, name
    assert EXPERIMENTS["powered"].repetitions == 20  # five times four folds


def test_one_gaussian_per_cell_has_the_mean_and_variance_of_its_points():
    X = [[[0.0, 1.0], [0.0, 3.0], [9.0, 9.5], [9.0, 9.9]], [[9.0, 10.0]]]
    cells = StablePersistenceBoW.paper(2, codebook="cells", random_state=0)
    book = cells.set_params(weighting="uniform").fit(X).codebooks_[""]
    order = book.means[:, 0].argsort()
    assert book.means[order] == pytest.approx(np.array([[0.0, 2.0], [9.0, 0.8]]))
    assert book.weights[order] == pytest.approx([0.4, 0.6])
    variances = book.covariances[order].diagonal(axis1=1, axis2=2)
    expected = [[1e-6, 1.0], [1e-6, (0.3**2 + 0.1**2 + 0.2**2) / 3]]
    assert variances == pytest.approx(np.array(expected))
    assert cells.fit_transform(X).shape == (2, 2)
