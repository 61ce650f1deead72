"""Saved models: the same estimator afterwards, and nothing but an error otherwise."""

import json
import os
import random
import re
import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, clone
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

import pbow
from pbow import Diagrams, PersistenceBoW, StablePersistenceBoW
from pbow.errors import FileFormatError
from pbow.io import models
from pbow.io.container import MODEL, read_container, write_container
from pbow.io.native import write_native
from pbow.kernels import (
    LandscapeKernel,
    MultiScaleKernel,
    SlicedWassersteinKernel,
    WassersteinKernel,
)
from pbow.preprocessing import (
    MostPersistent,
    PersistenceThreshold,
    Rescale,
    SelectParts,
)
from pbow.vectorizers import (
    PersistenceImage,
    PersistenceLandscape,
    PersistenceStatistics,
    RiemannianHeatMap,
)

# At least one of every class that can be saved.
ESTIMATORS = [
    PersistenceBoW(3, random_state=0),
    PersistenceBoW(3, point_weight="ramp", essential="separate", random_state=0),
    PersistenceBoW({"H0": 2, "H1": 4}, essential=9.5, random_state=0),
    PersistenceBoW.paper(3, weighting="ramp", random_state=0),
    StablePersistenceBoW(3, random_state=0),
    StablePersistenceBoW(3, covariance="full", essential="separate", dtype="float32"),
    StablePersistenceBoW.paper(3, random_state=0),
    StablePersistenceBoW.certified(3, random_state=0),
    PersistenceImage(resolution=4, essential="separate"),
    PersistenceImage.paper(3),
    PersistenceLandscape(2, resolution=5, essential="separate"),
    RiemannianHeatMap(3, essential="separate"),
    PersistenceStatistics(essential="separate"),
    WassersteinKernel(essential="separate"),
    MultiScaleKernel(essential=9.5),
    SlicedWassersteinKernel(n_directions=4, bandwidth=2.0),
    LandscapeKernel(essential="separate"),
    PersistenceThreshold(0.1),
    MostPersistent({"H0": 2, "H1": 3}),
    Rescale("persistence", quantile=0.9),
    SelectParts(["H1", "H0"]),
]
each_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)


@pytest.fixture(name="X")
def diagrams(ragged):
    endless = [np.concatenate((d, [[i % 3, np.inf]])) for i, d in enumerate(ragged)]
    return Diagrams.from_parts({"H0": endless, "H1": ragged[::-1]})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.pbow"


def saved_and_loaded(estimator, path):
    pbow.save(estimator, path)
    return pbow.load(path)


def test_there_is_an_example_of_every_class():
    assert {type(estimator) for estimator in ESTIMATORS} == set(models.LEARNT)


@each_estimator
def test_a_loaded_model_is_the_saved_one_to_the_bit(estimator, X, path):
    fitted = clone(estimator).fit(X)
    loaded = saved_and_loaded(fitted, path)
    assert type(loaded) is type(fitted)
    assert loaded.get_params() == fitted.get_params()
    assert set(vars(loaded)) == set(vars(fitted))
    assert list(loaded.get_feature_names_out()) == list(fitted.get_feature_names_out())
    ours, theirs = loaded.transform(X), fitted.transform(X)
    if isinstance(theirs, Diagrams):
        assert ours == theirs
    else:
        assert ours.dtype == theirs.dtype
        assert_array_equal(ours, theirs)


@each_estimator
def test_a_loaded_model_can_be_cloned_fitted_and_saved_again(estimator, X, path):
    loaded = saved_and_loaded(clone(estimator).fit(X), path)
    before = path.read_bytes()
    pbow.save(loaded, path)
    assert path.read_bytes() == before
    assert clone(loaded).get_params() == loaded.get_params()
    assert loaded.fit(X).transform(X[:3]) is not None


def test_a_loaded_model_can_put_out_frames(X, path):
    pytest.importorskip("pandas")
    loaded = saved_and_loaded(PersistenceBoW(2).fit(X), path)
    frame = loaded.set_output(transform="pandas").transform(X)
    assert list(frame.columns) == ["h0_word0", "h0_word1", "h1_word0", "h1_word1"]
    # How features are put out is not of the model.
    assert isinstance(saved_and_loaded(loaded, path).transform(X), np.ndarray)


def test_a_loaded_model_keeps_its_constant(X, path):
    fitted = StablePersistenceBoW.certified(3, random_state=0).fit(X)
    assert fitted.stability_constant_ > 0
    loaded = saved_and_loaded(fitted, path)
    assert loaded.stability_constant_ == fitted.stability_constant_


def test_an_infinite_constant_comes_back(X, path):
    fitted = StablePersistenceBoW(2).fit(X)
    fitted.stability_constant_ = np.inf
    assert saved_and_loaded(fitted, path).stability_constant_ == np.inf


def test_parts_with_any_name_come_back(ragged, path):
    X = Diagrams.from_parts({"../Ж \ud800": ragged, "a": ragged})
    fitted = PersistenceBoW({"../Ж \ud800": 2, "a": 3}).fit(X)
    assert saved_and_loaded(fitted, path).parts_ == X.parts


def test_what_was_done_in_fit_is_kept_when_parameters_change(X, path):
    fitted = PersistenceBoW({"H0": 2, "H1": 2, "H0_inf": 3}, essential="separate")
    expected = fitted.fit(X).transform(X)
    loaded = saved_and_loaded(fitted.set_params(essential="drop"), path)
    assert loaded.essential == "drop"
    assert_array_equal(loaded.transform(X), expected)


@pytest.mark.parametrize(
    "state", [np.random.RandomState(3), np.random.Generator(np.random.PCG64(3))]
)
def test_a_generator_of_random_numbers_is_saved_as_none(X, path, state):
    fitted = PersistenceBoW(2, random_state=0).fit(X).set_params(random_state=state)
    assert saved_and_loaded(fitted, path).random_state is None


def test_numbers_of_numpy_are_saved_as_numbers(X, path):
    fitted = PersistenceBoW(
        np.int64(2), quantiles=[np.float64(0.1), 1], whiten=np.True_, random_state=7
    ).fit(X)
    loaded = saved_and_loaded(fitted, path)
    assert loaded.get_params() == fitted.get_params()
    assert type(loaded.n_words) is int
    assert loaded.quantiles == [0.1, 1]


def test_a_parameter_that_json_cannot_hold_is_named(X, path):
    fitted = PersistenceBoW(2).fit(X).set_params(random_state=object())
    with pytest.raises(ValueError, match="Cannot save parameter 'random_state', a obj"):
        pbow.save(fitted, path)
    fitted.set_params(random_state=None, n_words=np.array([2]))
    with pytest.raises(ValueError, match="Cannot save parameter 'n_words', a ndarray"):
        pbow.save(fitted, path)
    assert not path.exists()


def test_a_model_that_could_not_be_loaded_is_not_saved(X, path):
    with pytest.raises(ValueError, match=r"'normalize' parameter .* Got 'l3'"):
        pbow.save(PersistenceBoW(2).fit(X).set_params(normalize="l3"), path)
    assert not path.exists()


def test_an_attribute_of_somebody_else_is_named(X, path):
    fitted = PersistenceBoW(2).fit(X)
    fitted.note = "mine"
    with pytest.raises(ValueError, match=r"nor fit set: note\. Delete them"):
        pbow.save(fitted, path)


@each_estimator
def test_an_unfitted_estimator_is_refused(estimator, path):
    with pytest.raises(NotFittedError, match=r"learnt nothing yet\. Call fit before"):
        pbow.save(clone(estimator), path)
    assert not path.exists()


def test_a_pipeline_is_refused_with_advice(X, path):
    pipeline = make_pipeline(PersistenceBoW(2), PCA(1)).fit(X)
    with pytest.raises(TypeError, match=r"got Pipeline\. .* pbow\.save\(pipeline\[0\]"):
        pbow.save(pipeline, path)
    assert saved_and_loaded(pipeline[0], path).n_words == 2


class Descendant(PersistenceBoW):
    pass


@pytest.mark.parametrize("other", [PCA(), Descendant(), PersistenceBoW, None])
def test_what_is_not_of_pbow_is_refused(path, other):
    with pytest.raises(TypeError, match=f"got {type(other).__name__}"):
        pbow.save(other, path)


def test_diagrams_are_not_loaded_as_a_model(path):
    write_native([[]], path)
    with pytest.raises(FileFormatError, match=r"Use pbow\.io\.read_diagrams"):
        pbow.load(path)


def test_a_missing_file_is_the_error_of_the_system(path):
    with pytest.raises(FileNotFoundError):
        pbow.load(path)


class Kernel(BaseEstimator):
    """Any estimator that keeps its training diagrams."""

    def __init__(self, width=1.0):
        self.width = width

    def fit(self, X):
        self.parts_, self.X_, self.matrix_ = X.parts, X, np.eye(2, dtype=np.float32)
        return self

    def _check_params(self, parts):
        pass


def test_a_new_estimator_takes_one_line(X, path, monkeypatch):
    checks = dict.fromkeys(("parts_", "X_", "matrix_"), lambda value, learnt: True)
    monkeypatch.setitem(models.LEARNT, Kernel, checks)
    loaded = saved_and_loaded(Kernel(np.inf).fit(X), path)
    assert loaded.X_ == X
    assert loaded.width == np.inf
    assert loaded.matrix_.dtype == np.float32
    assert_array_equal(loaded.matrix_, np.eye(2))


# Hostile files


def change(path, keys, value):
    """Change one value in the header, deep inside if there are several keys."""
    header, arrays = read_container(path, MODEL)
    place = header
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    write_container(path, MODEL, header, arrays)


@pytest.mark.parametrize(
    ("keys", "value", "what"),
    [
        (["version"], 2, "made by a newer pbow"),
        (["class"], "PersistenceVLAD2", "its class is 'PersistenceVLAD2', which this"),
        (["class"], None, "its class is None"),
        (["class"], ["PersistenceBoW"], "its class is"),
        (["class"], "StablePersistenceBoW", "more or less than a StablePersistenceBoW"),
        (["parameters"], None, "expected an object with named values; got None"),
        (["parameters", "new"], 1, "more or less than a PersistenceBoW has: new"),
        (["parameters", "normalize"], "l3", "'normalize' parameter"),
        (["parameters", "n_words"], -1, "'n_words' parameter"),
        (["parameters", "n_words"], {"dict": {}}, "'n_words' parameter"),
        (["parameters", "n_words"], {"dict": []}, "expected an object with named"),
        (["parameters", "n_words"], [1], "none of pbow's"),
        (["parameters", "n_words"], {"float": "1e3"}, "none of pbow's"),
        (["parameters", "n_words"], {"array": "array0"}, "none of pbow's"),
        (["parameters", "n_jobs"], {"float": "nan"}, "'n_jobs' parameter"),
        (["learnt"], [], "expected an object with named values"),
        (["learnt", "transform"], "x", "more or less than a PersistenceBoW has"),
        (["learnt", "__class__"], "x", "more or less than a PersistenceBoW has"),
        (["learnt", "parts_"], "H0", "its parts_ is not what fit"),
        (["learnt", "parts_"], {"tuple": []}, "at least one part"),
        (["learnt", "parts_"], {"tuple": ["H0", 1]}, "its parts_ is not"),
        (["learnt", "parts_"], {"tuple": ["H0", "h0"]}, "differ by case only"),
        (["learnt", "parts_"], {"tuple": ["H1"]}, "its codebooks_ is not"),
        (["learnt", "_essential"], "drop", "its codebooks_ is not"),
        (["learnt", "ramps_"], None, "its ramps_ is not"),
        (["learnt", "ramps_"], {"dict": {"H0": None}}, "its ramps_ is not"),
        (["learnt", "ramps_", "dict", "H0"], 3.0, "its ramps_ is not"),
        (["learnt", "ramps_", "dict", "H0", "Ramp", "low"], 1e9, "low <= high"),
        (["learnt", "ramps_", "dict", "H0", "Ramp", "low"], -1.0, "0 <= low <= high"),
        (["learnt", "ramps_", "dict", "H0", "Ramp", "low"], "a", "finite numbers"),
        (["learnt", "ramps_", "dict", "H0", "Ramp", "new"], 1.0, "unexpected keyword"),
        (["learnt", "codebooks_"], {"dict": {}}, "more or less than"),
        (["learnt", "codebooks_", "dict", "H0"], None, "more or less than"),
        (
            ["learnt", "codebooks_", "dict", "H0", "KMeansCodebook", "scale"],
            {"array": "array99"},
            "none of pbow's",
        ),
        (
            ["learnt", "codebooks_", "dict", "H0", "KMeansCodebook", "scale"],
            {"array": "array0"},
            "none of pbow's",
        ),
        (["learnt", "codebooks_"], {"os.system": {"command": "true"}}, "none of pbow"),
    ],
    ids=str,
)
def test_a_forged_header_is_refused(X, path, keys, value, what):
    model = PersistenceBoW(3, essential="separate", point_weight="ramp").fit(X)
    pbow.save(model, path)
    change(path, keys, value)
    with pytest.raises(FileFormatError, match=what) as caught:
        pbow.load(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("array", "what"),
    [
        (np.array([[np.nan, 1.0]]), "array of finite numbers"),
        (np.zeros((0, 2)), "Expected words of shape"),
        (np.zeros(3), "Expected words of shape"),
        (np.zeros((3, 1)), r"scale of shape \(1,\)"),
    ],
    ids=str,
)
def test_forged_words_are_refused(X, path, array, what):
    pbow.save(PersistenceBoW(3).fit(X), path)
    header, arrays = read_container(path, MODEL)
    words = header["learnt"]["codebooks_"]["dict"]["H1"]["KMeansCodebook"]["words"]
    arrays[words["array"]] = array
    write_container(path, MODEL, header, arrays)
    with pytest.raises(FileFormatError, match=what):
        pbow.load(path)


@pytest.mark.parametrize("number", [1e210, 1.7e308, 1e-230, 5e-324])
@pytest.mark.parametrize("cls", [PersistenceBoW, StablePersistenceBoW])
def test_numbers_that_no_data_lead_to_are_refused(X, path, cls, number):
    pbow.save(cls(3).fit(X), path)
    header, arrays = read_container(path, MODEL)
    for name, array in arrays.items():
        forged = {**arrays, name: np.where(array == 0, 0, number)}
        write_container(path, MODEL, header, forged)
        try:
            loaded = pbow.load(path)
        except FileFormatError:
            continue
        # Small words and weights are possible.
        assert number < 1
        assert np.isfinite(loaded.transform(X)).all()


def test_words_of_the_largest_and_smallest_data_come_back(path):
    for size in (1e100, 1e-98):
        X = [[[0.0, size], [0.0, size / 2], [0.0, size / 4], [size / 2, size]]]
        for model in (PersistenceBoW(2), StablePersistenceBoW(2)):
            for whiten in (True, False):
                fitted = clone(model).set_params(whiten=whiten).fit(X)
                loaded = saved_and_loaded(fitted, path)
                assert_array_equal(loaded.transform(X), fitted.transform(X))


def test_a_codebook_of_births_for_finite_points_is_refused(X, path):
    pbow.save(PersistenceBoW(3, essential="separate").fit(X), path)
    header, _ = read_container(path, MODEL)
    books = header["learnt"]["codebooks_"]["dict"]
    change(path, ["learnt", "codebooks_", "dict"], {**books, "H0": books["H0_inf"]})
    with pytest.raises(FileFormatError, match=r"none of pbow's|its codebooks_"):
        pbow.load(path)


def test_an_array_that_nothing_uses_is_refused(X, path):
    pbow.save(PersistenceBoW(3).fit(X), path)
    header, arrays = read_container(path, MODEL)
    write_container(path, MODEL, header, {**arrays, "more": np.zeros(1)})
    with pytest.raises(FileFormatError, match="than a PersistenceBoW has: more"):
        pbow.load(path)


@pytest.mark.parametrize(
    ("estimator", "attribute", "value"),
    [
        (Rescale(), "scales_", {"dict": {"H0": 1.0, "H1": 0.0}}),
        (Rescale(), "scales_", {"dict": {"H0": 1.0, "H1": -2.0}}),
        (Rescale(), "scales_", {"dict": {"H0": 1.0, "H1": {"float": "nan"}}}),
        (Rescale(), "scales_", {"dict": {"H0": 1.0}}),
        (Rescale(), "scales_", 2.0),
        (SelectParts("H1"), "selected_", {"tuple": ["H2"]}),
        (SelectParts("H1"), "selected_", "H1"),
        (PersistenceBoW(2), "_essential", "all"),
        (PersistenceBoW(2), "_essential", {"list": []}),
        (StablePersistenceBoW(2), "stability_constant_", -1.0),
        (StablePersistenceBoW(2), "stability_constant_", {"float": "nan"}),
        (StablePersistenceBoW(2), "stability_constant_", "low"),
        (PersistenceImage(), "frames_", {"dict": {}}),
        (PersistenceImage(), "frames_", {"dict": {"H0": None}}),
        (PersistenceLandscape(), "grids_", {"dict": {"H2": None}}),
        (PersistenceLandscape(), "grids_", {"dict": {"H0": 1.0}}),
        (PersistenceStatistics(), "columns_", {"dict": {"H0": {"tuple": ["mean"]}}}),
        (LandscapeKernel(), "X_fit_", None),
        (LandscapeKernel(), "ends_", {"dict": {"H0": 1.0}}),
        (LandscapeKernel(), "compared_", {"tuple": ["H0", "H0"]}),
        (LandscapeKernel(), "compared_", {"tuple": ["H0_inf"]}),
        (LandscapeKernel(), "compared_", {"tuple": []}),
        (LandscapeKernel(essential="separate"), "ends_", {"dict": {"H0": 1.0}}),
        (
            LandscapeKernel(essential="separate"),
            "ends_",
            {"dict": {"H0": {"float": "nan"}, "H1": 1.0}},
        ),
        (MultiScaleKernel(), "bandwidths_", {"dict": {"H0": 1.0}}),
        (MultiScaleKernel(), "bandwidths_", {"dict": {"H0": 1.0, "H1": 0.0}}),
        (WassersteinKernel(), "bandwidths_", 1.0),
    ],
    ids=str,
)
def test_forged_attributes_are_refused(X, path, estimator, attribute, value):
    pbow.save(clone(estimator).fit(X), path)
    change(path, ["learnt", attribute], value)
    # Or, where arrays were in its place: that they are now nobody's.
    with pytest.raises(FileFormatError, match=f"its {attribute} is not|more or less"):
        pbow.load(path)


@pytest.mark.parametrize(
    ("estimator", "attribute", "record", "field", "value"),
    [
        (PersistenceImage(), "frames_", "ImageFrame", "bandwidth", 0.0),
        (PersistenceImage(), "frames_", "ImageFrame", "bandwidth", "wide"),
        (PersistenceImage(), "frames_", "ImageFrame", "births", {"tuple": [1.0, 1.0]}),
        (PersistenceImage(), "frames_", "ImageFrame", "births", {"tuple": [1.0]}),
        (PersistenceImage(), "frames_", "ImageFrame", "persistences", None),
        (PersistenceImage(), "frames_", "ImageFrame", "ramp", 1.0),
        (PersistenceLandscape(), "grids_", "LandscapeGrid", "start", 1e101),
        (PersistenceLandscape(), "grids_", "LandscapeGrid", "stop", {"float": "nan"}),
        (PersistenceLandscape(), "grids_", "LandscapeGrid", "stop", 7),
    ],
    ids=str,
)
def test_forged_records_are_refused(
    X, path, estimator, attribute, record, field, value
):
    pbow.save(clone(estimator).fit(X), path)
    change(path, ["learnt", attribute, "dict", "H1", record, field], value)
    with pytest.raises(FileFormatError, match=f"its {attribute} is not"):
        pbow.load(path)


@pytest.mark.parametrize("number", [1e210, 1.7e308, 1e-230, 5e-324])
def test_a_tangent_space_that_no_data_lead_to_is_refused(X, path, number):
    pbow.save(RiemannianHeatMap(2).fit(X), path)
    header, arrays = read_container(path, MODEL)
    for name, array in arrays.items():
        forged = {**arrays, name: np.where(array == 0, 0, number)}
        write_container(path, MODEL, header, forged)
        try:
            loaded = pbow.load(path)
        except FileFormatError:
            continue
        assert np.isfinite(loaded.transform(X)).all()


def test_a_parameter_that_is_not_in_the_file_has_its_default(X, path):
    pbow.save(PersistenceBoW(3, n_init=2).fit(X), path)
    header, arrays = read_container(path, MODEL)
    del header["parameters"]["n_init"]
    write_container(path, MODEL, header, arrays)
    assert pbow.load(path).n_init == 1


def test_damaged_files_give_our_error_or_the_same_model(X, path):
    fitted = StablePersistenceBoW.certified(2, random_state=0).fit(X)
    pbow.save(fitted, path)
    content, expected = path.read_bytes(), fitted.transform(X)
    chance = random.Random(0)
    tracemalloc.start()
    try:
        for _ in range(300):
            bit = chance.randrange(8 * len(content))
            damaged = bytearray(content)
            damaged[bit // 8] ^= 1 << bit % 8
            path.write_bytes(damaged[: chance.choice([None, None, bit // 8])])
            try:
                loaded = pbow.load(path)
            except FileFormatError:
                continue
            assert_array_equal(loaded.transform(X), expected)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "estimator",
    [
        PersistenceBoW(2, essential="separate", random_state=0),
        PersistenceImage(resolution=2, essential="separate"),
        PersistenceLandscape(2, 5, essential="separate"),
        RiemannianHeatMap(2, resolution=3, essential="separate"),
        PersistenceStatistics(essential="separate"),
        MultiScaleKernel(essential="separate"),
    ],
    ids=str,
)
def test_values_changed_at_random_give_our_error_or_a_model_that_works(
    X, path, estimator
):
    fitted = clone(estimator).fit(X)
    pbow.save(fitted, path)
    header, arrays = read_container(path, MODEL)
    text, chance = json.dumps(header), random.Random(1)
    tokens = re.findall(r'"[^"]*"|[\d.]+|null|true', text)
    for _ in range(300):
        old, new = chance.choice(tokens), chance.choice([*tokens, "[]", "{}", "-1e400"])
        try:
            forged = json.loads(text.replace(old, new, 1))
            write_container(path, MODEL, forged, arrays)
        except ValueError:  # no JSON any more
            continue
        try:
            loaded = pbow.load(path)
        except FileFormatError:
            continue
        assert np.isfinite(loaded.transform(X)).all()


def test_an_interrupted_save_leaves_the_old_model(X, path, monkeypatch):
    def stop(_):
        raise KeyboardInterrupt

    pbow.save(PersistenceBoW(2).fit(X), path)
    monkeypatch.setattr(os, "fsync", stop)
    with pytest.raises(KeyboardInterrupt):
        pbow.save(PersistenceBoW(3).fit(X), path)
    assert pbow.load(path).n_words == 2
    assert list(path.parent.iterdir()) == [path]
