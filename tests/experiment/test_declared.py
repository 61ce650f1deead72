"""What the repository's own experiments declare: names, grids, the paper's numbers."""

import math
from pathlib import Path

import pytest

from pbow import StablePersistenceBoW
from pbow.datasets.catalog import CATALOG
from pbow.experiment.declaration import read_experiment
from pbow.experiment.descriptors import is_kernel, make_descriptor

FOLDER = Path(__file__).parents[2] / "experiments"
EXPERIMENTS = {path.stem: read_experiment(path) for path in FOLDER.glob("*.toml")}

KERNELS = ["2Wd", "MK", "SWK", "PL"]
VECTORIZED = ["PI", "RM", "PBoW", "sPBoW"]
SUB_SAMPLES = {"geomat": 30, "reddit-5k": 100, "reddit-12k": 50, "petrosurf3d": 390}
LARGE = list(SUB_SAMPLES)
OF_THE_PAPER = ["synthetic", *LARGE, "shape-segmentation"]

each_experiment = pytest.mark.parametrize(
    "experiment", EXPERIMENTS.values(), ids=EXPERIMENTS
)


def cell(experiment, dataset, descriptor):
    return EXPERIMENTS[experiment].cell(dataset, descriptor)


def rows(experiment, *, ours):
    return [e.name for e in EXPERIMENTS[experiment].descriptors if e.ours is ours]


def reported(experiment):
    return {c.name: c.reported for c in EXPERIMENTS[experiment].cells if c.reported}


def test_these_are_the_experiments():
    studies = {"powered", "scaling", "time_vs_size", "optima"}
    assert set(EXPERIMENTS) == {"exp_a", "exp_b", "quick"} | studies


def test_the_page_of_the_folder_lists_every_file_and_installs_from_a_checkout():
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    for path in (*FOLDER.glob("*.toml"), *FOLDER.glob("*.py")):
        assert f"| `{path.name}` |" in page
    # pbow is not published.
    assert "install pbow" not in page
    assert "pbow[" not in page


@each_experiment
def test_every_optimum_is_one_of_the_combinations(experiment):
    for here in experiment.cells:
        if here.optimum is not None:
            assert set(here.optimum) == set(here.grid), here.name
            chosen = here.descriptor.params | here.optimum
            assert chosen in here.combinations(), here.name


@each_experiment
def test_no_grid_has_a_value_twice(experiment):
    for here in experiment.cells:
        for name, values in here.grid.items():
            assert len(set(values)) == len(values), (here.name, name)


@each_experiment
def test_every_descriptor_takes_its_parameters(experiment):
    for here in experiment.cells:
        combinations = here.combinations()
        for params in (combinations[0], combinations[-1]):
            made = make_descriptor(here.descriptor.make, params, seed=7)
            assert made.get_params().get("random_state", 7) == 7
            # Not only taken, but of a kind that fit takes, too.
            made.check_parameters(("H1",))


@each_experiment
def test_what_is_loaded_is_known_and_a_stand_in_is_called_one(experiment):
    known = {entry.name: entry for entry in CATALOG}
    for dataset in experiment.datasets:
        if "load" in dataset.source:
            entry = known[dataset.source["load"]]
            is_stand_in = entry.stand_in_for is not None
            assert ("stand-in" in dataset.title) == is_stand_in


@pytest.mark.parametrize("name", ["exp_a", "powered"])
def test_the_data_sets_of_exp_a_are_sub_sampled_as_in_the_paper(name):
    datasets = {d.name: d for d in EXPERIMENTS[name].datasets}
    # With 2,850 test samples five divisions of the meshes say enough.
    left_out = {"shape-segmentation"} if name == "powered" else set()
    expected = [d for d in OF_THE_PAPER if d not in left_out]
    assert list(datasets) == [*expected, "shapes"]
    drawn = {d.name: d.per_class for d in datasets.values() if d.per_class}
    assert drawn == SUB_SAMPLES


def test_exp_b_has_whole_data_sets():
    datasets = EXPERIMENTS["exp_b"].datasets
    assert [d.name for d in datasets] == LARGE
    assert {d.per_class for d in datasets} == {None}


@pytest.mark.parametrize("name", ["exp_a", "exp_b"])
def test_there_are_five_divisions_and_four_folds(name):
    experiment = EXPERIMENTS[name]
    assert experiment.repetitions == 5
    others = {d.name: d.repetitions for d in experiment.datasets if d.repetitions}
    assert others == {"petrosurf3d": 4}


def test_data_sets_are_divided_as_in_the_paper():
    protocols = {entry.name: entry.protocol for entry in CATALOG}
    assert {
        d.name: d.protocol or protocols[d.source["load"]]
        for d in EXPERIMENTS["exp_a"].datasets
    } == {
        "synthetic": "80/20",
        "geomat": "groups",
        "reddit-5k": "90/10",
        "reddit-12k": "90/10",
        "petrosurf3d": "4 folds",
        "shape-segmentation": "50/50",
        "shapes": "80/20",
    }


@pytest.mark.parametrize(
    ("name", "of_the_paper"),
    [
        ("exp_a", KERNELS + VECTORIZED),
        ("exp_b", VECTORIZED),
        ("powered", KERNELS + VECTORIZED),
        ("quick", KERNELS + VECTORIZED),
    ],
)
def test_our_own_rows_stand_below_those_of_the_paper(name, of_the_paper):
    ours = ["PBoW-default", "sPBoW-default", "sPBoW-full", "Statistics", "PI-default"]
    ours += ["Atol"] if name == "exp_b" else ["SWK-default", "Atol"]
    everything = [entry.name for entry in EXPERIMENTS[name].descriptors]
    assert everything == of_the_paper + ours
    assert rows(name, ours=True) == ours


def test_the_kernel_methods_of_the_paper_use_distances_as_the_authors_do():
    for name in ("exp_a", "powered", "quick"):
        for entry in EXPERIMENTS[name].descriptors:
            if is_kernel(entry.make):
                expected = "kernel" if entry.ours else "max-distance"
                assert entry.similarity == expected


def test_every_cell_of_the_papers_table_is_reported():
    assert set(reported("exp_a")) == {
        f"{dataset}/{row}" for dataset in OF_THE_PAPER for row in KERNELS + VECTORIZED
    }
    assert set(reported("exp_b")) == {
        f"{dataset}/{row}" for dataset in LARGE for row in VECTORIZED
    }


def test_the_papers_times_add_up():
    times = {
        (name, key): value.seconds
        for name in ("exp_a", "exp_b")
        for key, value in reported(name).items()
    }
    assert math.fsum(times.values()) == pytest.approx(236_648.1, abs=0.01)
    without = [s for (_, key), s in times.items() if not key.endswith("/2Wd")]
    assert math.fsum(without) == pytest.approx(140_472.2, abs=0.01)


def test_the_papers_scores_add_up():
    sums = {
        name: (
            math.fsum(value.score for value in reported(name).values()),
            math.fsum(value.std for value in reported(name).values()),
        )
        for name in ("exp_a", "exp_b")
    }
    assert sums["exp_a"] == pytest.approx((2798.2, 158.9))
    assert sums["exp_b"] == pytest.approx((746.15, 38.3))


@pytest.mark.parametrize(
    ("experiment", "name", "score", "std", "seconds", "best", "fastest"),
    [
        ("exp_a", "synthetic/2Wd", 98.0, 1.3, 133.4, True, False),
        ("exp_a", "synthetic/RM", 92.3, 2.6, 0.9, False, True),
        ("exp_a", "geomat/MK", 9.1, 3.1, 10883.0, False, False),
        ("exp_a", "reddit-5k/PI", 48.4, 5.7, 1250.9, True, False),
        ("exp_a", "reddit-12k/sPBoW", 31.6, 2.8, 1.3, False, True),
        ("exp_a", "petrosurf3d/SWK", 78.0, 6.3, 3913.0, True, False),
        ("exp_a", "shape-segmentation/PL", 92.6, 0.8, 2668.3, False, False),
        ("exp_a", "shape-segmentation/PBoW", 90.8, 0.7, 5.4, False, True),
        ("exp_b", "geomat/PI", 22.45, 0.0, 7243.1, False, False),
        ("exp_b", "reddit-5k/PBoW", 49.9, 3.3, 1.5, True, True),
        ("exp_b", "petrosurf3d/sPBoW", 79.9, 5.2, 161.8, True, False),
    ],
)
def test_cells_are_those_of_the_papers_table(
    experiment, name, score, std, seconds, best, fastest
):
    value = reported(experiment)[name]
    assert (value.score, value.std, value.seconds) == (score, std, seconds)
    assert (value.best, value.fastest) == (best, fastest)


def test_what_the_paper_prints_bold():
    assert sum(value.best for value in reported("exp_a").values()) == 22
    assert sum(value.best for value in reported("exp_b").values()) == 9
    fastest = {key for key, value in reported("exp_a").items() if value.fastest}
    assert fastest == {
        *(f"{dataset}/PBoW" for dataset in OF_THE_PAPER),
        "synthetic/RM",
        "reddit-12k/sPBoW",
    }
    fastest = {key for key, value in reported("exp_b").items() if value.fastest}
    assert fastest == {f"{dataset}/PBoW" for dataset in LARGE}


def test_the_state_of_the_art_is_what_the_paper_cites():
    cited = {
        dataset.name: (value.score, value.std, value.source)
        for dataset in EXPERIMENTS["exp_a"].datasets
        if (value := dataset.state_of_the_art)
    }
    assert cited == {
        "synthetic": (97.3, None, "Adams et al. 2017"),
        "geomat": (22.3, 0.8, "DeGol et al. 2016"),
        "reddit-5k": (49.1, None, "Hofer et al. 2017"),
        "reddit-12k": (38.5, None, "Hofer et al. 2017"),
    }
    for dataset in EXPERIMENTS["exp_b"].datasets:
        value = dataset.state_of_the_art
        assert cited.get(dataset.name) == (
            value and (value.score, value.std, value.source)
        )


@pytest.mark.parametrize(
    ("experiment", "descriptor", "sizes"),
    [
        ("exp_a", "2Wd", [1, 1, 1, 1, 1, 1, 1]),
        ("exp_a", "MK", [3, 3, 3, 3, 3, 3, 3]),
        ("exp_a", "SWK", [5, 5, 5, 5, 5, 5, 5]),
        ("exp_a", "PL", [1, 1, 1, 1, 1, 1, 1]),
        ("exp_a", "PI", [80, 36, 72, 72, 60, 80, 80]),
        ("exp_a", "RM", [27, 36, 36, 36, 36, 36, 27]),
        ("exp_a", "PBoW", [120, 72, 78, 54, 78, 60, 120]),
        ("exp_a", "sPBoW", [120, 72, 78, 54, 78, 60, 120]),
        ("exp_b", "PI", [48, 36, 36, 36]),
        ("exp_b", "RM", [36, 36, 36, 36]),
        ("exp_b", "PBoW", [66, 78, 48, 48]),
        ("exp_b", "sPBoW", [66, 78, 48, 48]),
    ],
)
def test_grids_are_as_large_as_in_the_supplement(experiment, descriptor, sizes):
    assert [
        len(here.combinations())
        for here in EXPERIMENTS[experiment].cells
        if here.descriptor.name == descriptor
    ] == sizes


@pytest.mark.parametrize("name", ["exp_a", "exp_b"])
def test_the_supplement_marks_an_optimum_of_every_grid(name):
    for here in EXPERIMENTS[name].cells:
        of_the_paper = not here.descriptor.ours and here.dataset.name != "shapes"
        assert (here.optimum is not None) == (of_the_paper and bool(here.grid))


def test_a_bandwidth_is_the_root_of_twice_the_authors_sigma():
    bandwidths = cell("exp_a", "synthetic", "MK").grid["bandwidth"]
    assert bandwidths == pytest.approx([math.sqrt(2 * s) for s in (0.5, 1, 2)])


@pytest.mark.parametrize(
    ("experiment", "dataset", "descriptor", "optimum"),
    [
        ("exp_a", "reddit-12k", "MK", {"bandwidth": 2.0}),
        ("exp_a", "petrosurf3d", "SWK", {"n_directions": 50}),
        ("exp_a", "geomat", "PI", {"resolution": 100, "sigma": 0.5, "weight": None}),
        ("exp_a", "petrosurf3d", "RM", {"n_components": 75, "r": 60, "sigma": 0.1}),
        (
            "exp_a",
            "synthetic",
            "PBoW",
            {"n_words": 200, "weighting": "ramp", "sample_size": 10_000},
        ),
        (
            "exp_b",
            "reddit-5k",
            "sPBoW",
            {"n_words": 30, "weighting": "uniform", "sample_size": 10_000},
        ),
    ],
)
def test_optima_are_those_of_the_supplement(experiment, dataset, descriptor, optimum):
    assert cell(experiment, dataset, descriptor).optimum == optimum


def test_the_better_powered_comparison_has_the_optima_of_exp_a_alone():
    powered = EXPERIMENTS["powered"]
    assert powered.repetitions == 20
    for here in powered.cells:
        dataset = here.dataset.name
        # The paper has no optimum of generated shapes.
        there = cell(
            "exp_a",
            "synthetic" if dataset == "shapes" else dataset,
            here.descriptor.name,
        )
        assert here.combinations() == [there.descriptor.params | (there.optimum or {})]
        assert here.descriptor.make == there.descriptor.make
        assert here.descriptor.standardize == there.descriptor.standardize


def test_the_better_powered_comparison_divides_into_whole_folds():
    repetitions = {d.name: d.repetitions for d in EXPERIMENTS["powered"].datasets}
    assert set(repetitions.values()) == {None}
    assert EXPERIMENTS["powered"].repetitions == 20  # five times four folds


def test_sPBoW_goes_from_the_paper_to_whitened_posteriors():  # noqa: N802
    rows = {cell.descriptor.name: cell for cell in EXPERIMENTS["scaling"].cells}
    first, *_ = rows["published"].combinations()
    last, *_ = rows["default"].combinations()
    published = make_descriptor(rows["published"].descriptor.make, first, seed=0)
    default = make_descriptor(rows["default"].descriptor.make, last, seed=0)
    assert (
        published.get_params()
        == StablePersistenceBoW.paper(n_words=50, random_state=0).get_params()
    )
    assert (
        default.get_params()
        == StablePersistenceBoW(50, temperature=1.0, random_state=0).get_params()
    )


def test_sizes_grow_by_a_thousand():
    experiment = EXPERIMENTS["time_vs_size"]
    sizes = [d.source["surfaces"]["n_diagrams"] for d in experiment.datasets]
    assert sizes == list(range(1000, 10_001, 1000))
    assert [d.title for d in experiment.datasets] == [str(n) for n in sizes]
    assert {d.protocol for d in experiment.datasets} == {"50/50"}
    assert experiment.repetitions == 1
    assert experiment.classifier.costs == (1.0,)


def test_the_quick_experiment_screens_some_grids_and_not_others():
    experiment = EXPERIMENTS["quick"]
    sizes = {len(here.combinations()) for here in experiment.cells}
    assert min(sizes) <= experiment.classifier.finalists < max(sizes)
    assert len(experiment.datasets) == 2
