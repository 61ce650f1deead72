"""Saved models: the same estimator afterwards, and nothing but an error otherwise."""

import json
import os
import random
import re
import sys
import tracemalloc
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

import pbow
from pbow import Diagrams, PersistenceBoW, StablePersistenceBoW
from pbow._utils.constraints import Number
from pbow.errors import FileFormatError, ParameterError
from pbow.io.container import MODEL, read_container, write_container
from pbow.io.models import digest_of, public_estimators
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
    PersistenceFisherVector,
    PersistenceImage,
    PersistenceLandscape,
    PersistenceStatistics,
    PersistenceVLAD,
    RiemannianHeatMap,
    SoftPersistenceVLAD,
)
from pbow.vectorizers.base import Vectorizer
from pbow.weighting import Ramp

# Variants whose state differs: essential classes, values by part, ramps.
ESTIMATORS = [
    PersistenceBoW(3, random_state=0),
    PersistenceBoW(3, point_weight="ramp", essential="separate", random_state=0),
    PersistenceBoW({"H0": 2, "H1": 4}, essential=9.5, random_state=0),
    PersistenceBoW.paper(3, weighting="ramp", random_state=0),
    StablePersistenceBoW(3, random_state=0),
    StablePersistenceBoW(3, covariance="full", essential="separate", dtype="float32"),
    StablePersistenceBoW.paper(3, random_state=0),
    StablePersistenceBoW.certified((2, 3), random_state=0),
    StablePersistenceBoW("auto", essential="separate", random_state=0),
    PersistenceBoW({"H0": "auto", "H1": (1, 4)}, random_state=0),
    PersistenceVLAD((2, 3), essential="separate", random_state=0),
    SoftPersistenceVLAD(3, temperature=1.5, random_state=0),
    PersistenceFisherVector(3, point_weight="ramp", random_state=0),
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
    with_essential = [
        np.concatenate((d, [[i % 3, np.inf]])) for i, d in enumerate(ragged)
    ]
    return Diagrams.from_parts({"H0": with_essential, "H1": ragged[::-1]})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.pbow"


def saved_and_loaded(estimator, path):
    pbow.save(estimator, path)
    return pbow.load(path)


def test_every_estimator_of_pbow_is_tried_here():
    assert {type(estimator) for estimator in ESTIMATORS} == {*public_estimators()}


def test_estimators_are_listed_by_subpackage():
    names = [cls.__name__ for cls in public_estimators(pbow.kernels)]
    assert names == pbow.kernels.__all__


@each_estimator
def test_a_loaded_model_is_the_saved_one_to_the_bit(estimator, X, path):
    fitted = clone(estimator).fit(X)
    loaded = saved_and_loaded(fitted, path)
    assert type(loaded) is type(fitted)
    assert loaded.get_params() == fitted.get_params()
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


def test_no_file_can_claim_a_constant(X, path):
    pbow.save(StablePersistenceBoW.certified(3, random_state=0).fit(X), path)
    header, arrays = read_container(path, MODEL)
    assert "constant" not in json.dumps(header)
    header["learnt"]["stability_constant_"] = 1e-9
    write_container(path, MODEL, header, arrays)
    with pytest.raises(FileFormatError, match="other parameters or attributes than"):
        pbow.load(path)


def test_a_file_without_the_range_of_points_can_still_be_loaded(X, path):
    fitted = PersistenceBoW(3, random_state=0).fit(X)
    pbow.save(fitted, path)
    header, arrays = read_container(path, MODEL)
    del header["learnt"]["ranges_"]
    write_container(path, MODEL, header, arrays)
    loaded = pbow.load(path)
    assert loaded.ranges_ is None
    far = Diagrams.from_parts({n: [d * 1e6 for d in X[n]] for n in X.parts})
    assert loaded.transform(far).shape == (len(X), 6)  # without a warning
    assert_array_equal(loaded.transform(X), fitted.transform(X))
    del header["learnt"]["codebooks_"]
    write_container(path, MODEL, header, {})
    with pytest.raises(FileFormatError, match="its codebooks_ is None, which is not"):
        pbow.load(path)


def test_a_model_of_a_list_comes_back(ragged, path):
    fitted = PersistenceBoW(3, essential="separate").fit(list(ragged))
    loaded = saved_and_loaded(fitted, path)
    assert loaded.parts_ == ("",)
    assert loaded.get_feature_names_out().tolist() == ["word0", "word1", "word2"]
    assert_array_equal(loaded.transform(ragged), fitted.transform(list(ragged)))


def test_a_model_that_keeps_its_training_diagrams_leaves_locations_out(path):
    where = np.arange(6).reshape(3, 2, 1)
    X = Diagrams([[0, 1], [0, 2], [0, 3]], [0, 2, 3], locations=where)
    kernel = SlicedWassersteinKernel().fit(X)
    pbow.save(kernel, path)
    found = pbow.load(path).X_fit_
    assert found == X
    assert found.locations is None


def test_parts_with_any_name_come_back(ragged, path):
    X = Diagrams.from_parts({"../Ж \0": ragged, "a": ragged})
    fitted = PersistenceBoW({"../Ж \0": 2, "a": 3}).fit(X)
    assert saved_and_loaded(fitted, path).parts_ == X.parts


def test_parameters_are_saved_as_they_were_in_fit(X, path):
    fitted = PersistenceBoW({"H0": 2, "H1": 2, "H0_inf": 3}, essential="separate")
    expected = fitted.fit(X).transform(X)
    loaded = saved_and_loaded(fitted.set_params(essential="drop"), path)
    assert loaded.essential == "separate"
    assert_array_equal(loaded.transform(X), expected)


def test_a_generator_of_random_numbers_is_saved_as_none(X, path):
    state = np.random.RandomState(3)
    fitted = PersistenceBoW(2, random_state=state).fit(X)
    assert saved_and_loaded(fitted, path).random_state is None


def test_numbers_of_numpy_are_saved_as_numbers(X, path):
    fitted = PersistenceBoW(
        np.int64(2), quantiles=[np.float64(0.1), 1], whiten=np.True_, random_state=7
    ).fit(X)
    loaded = saved_and_loaded(fitted, path)
    assert loaded.get_params() == fitted.get_params()
    assert type(loaded.n_words) is int
    assert loaded.quantiles == [0.1, 1]


class Odd(PersistenceStatistics):
    """A descriptor with a parameter that may be anything."""

    def __init__(self, thing=None, *, essential="drop", n_jobs=None):
        super().__init__(essential=essential, n_jobs=n_jobs)
        self.thing = thing


@pytest.mark.parametrize("thing", [print, np.array([2]), {1: 2}], ids=str)
def test_a_parameter_that_json_cannot_hold_is_named(X, path, thing):
    with pytest.raises(ValueError, match=r"Cannot save parameter 'thing', a "):
        pbow.save(Odd(thing).fit(X), path)
    assert not path.exists()


def test_an_attribute_of_somebody_else_is_named(X, path):
    fitted = PersistenceBoW(2).fit(X)
    fitted.note = "mine"
    with pytest.raises(ValueError, match=r"nor fit set: note\. Delete them"):
        pbow.save(fitted, path)


@each_estimator
def test_an_unfitted_estimator_is_refused(estimator, path):
    with pytest.raises(NotFittedError, match=r"not fitted yet\. Call fit before"):
        pbow.save(clone(estimator), path)
    assert not path.exists()


def test_a_pipeline_is_refused_with_advice(X, path):
    pipeline = make_pipeline(PersistenceBoW(2), PCA(1)).fit(X)
    with pytest.raises(TypeError, match=r"got Pipeline\. .* pbow\.save\(pipeline\[0\]"):
        pbow.save(pipeline, path)
    assert saved_and_loaded(pipeline[0], path).n_words == 2


@pytest.mark.parametrize("other", [PCA(), PersistenceBoW, None])
def test_what_is_not_an_estimator_of_diagrams_is_refused(path, other):
    with pytest.raises(TypeError, match=f"got {type(other).__name__}"):
        pbow.save(other, path)


def test_for_diagrams_the_function_that_writes_them_is_named(X, path):
    with pytest.raises(TypeError, match=r"got Diagrams\. Use pbow\.io\.write_diagr"):
        pbow.save(Diagrams.from_list([[[0.0, 1.0]]]), path)
    assert not path.exists()


def test_digests_tell_models_apart_but_not_the_number_of_threads(X):
    first, same, other = (
        digest_of(PersistenceBoW(2, random_state=seed, n_jobs=n_jobs).fit(X))
        for seed, n_jobs in ((0, 1), (0, 2), (1, 1))
    )
    assert first == same
    assert first != other


def test_diagrams_are_not_loaded_as_a_model(path):
    write_native([[]], path)
    with pytest.raises(FileFormatError, match="holds diagrams; expected a model"):
        pbow.load(path)


def test_a_missing_file_is_the_error_of_the_system(path):
    with pytest.raises(FileNotFoundError):
        pbow.load(path)


@dataclass(frozen=True)
class Box:
    """What is learnt of a part: a record that validates itself."""

    corner: NDArray[np.float64]
    n_points: int
    ramp: Ramp | None

    def __post_init__(self):
        if self.corner.shape != (2,):
            msg = f"Expected a corner of shape (2,); got {self.corner.shape}."
            raise ValueError(msg)


class BoxCount(Vectorizer):
    """Count the points below the largest training point: a descriptor of its own."""

    short_name = "boxes"
    by_part = "boxes_"
    constraints: ClassVar = {"factor": Number(above=0.0), **Vectorizer.constraints}

    boxes_: dict[str, Box]

    def __init__(self, factor=1.0, *, essential="drop", n_jobs=None):
        self.factor = factor
        self.essential = essential
        self.n_jobs = n_jobs

    def _learn_parts(self, parts, births_only):
        return {
            "boxes_": {
                name: Box(part.points.max(axis=0), len(part.points), Ramp(0.0, 1.0))
                for name, part in parts.items()
            }
        }

    def _encode_part(self, name, part):
        corner = self.factor * self.boxes_[name].corner
        return np.array([[np.sum((d < corner).all(axis=1))] for d in part])

    def _column_names(self, name):
        return ["below"]


def test_a_class_of_another_package_is_saved_and_loaded_if_it_is_passed(X, path):
    fitted = BoxCount(0.5, essential="separate").fit(X)
    pbow.save(fitted, path)
    loaded = pbow.load(path, classes=[BoxCount])
    assert type(loaded) is BoxCount
    assert loaded.boxes_["H1"].n_points == fitted.boxes_["H1"].n_points
    assert_array_equal(loaded.transform(X), fitted.transform(X))
    with pytest.raises(FileFormatError, match=r"BoxCount.*\(classes=\[\.\.\.\]"):
        pbow.load(path)


def test_a_class_is_found_by_its_name_wherever_its_module_is_now(X, path):
    pbow.save(BoxCount().fit(X), path)
    change(path, ["class"], "__main__:BoxCount")
    assert type(pbow.load(path, classes=[BoxCount])) is BoxCount


def test_what_is_passed_as_classes_is_checked(X, path):
    pbow.save(BoxCount().fit(X), path)
    for classes in ([PCA], ["BoxCount"]):
        with pytest.raises(ParameterError, match="Expected classes to be estimators"):
            pbow.load(path, classes=classes)


class Needy(PersistenceStatistics):
    """A descriptor that must be given something, and learns a number, too."""

    n_points_: float

    def __init__(self, needed, *, essential="drop", n_jobs=None):
        super().__init__(essential=essential, n_jobs=n_jobs)
        self.needed = needed

    def _learn_from(self, parts, request):
        n = float(sum(part.n_points for part in parts.values()))
        return super()._learn_from(parts, request) | {"n_points_": n}


def test_a_parameter_may_be_required_and_a_number_be_learnt(X, path):
    pbow.save(Needy(3).fit(X), path)
    loaded = pbow.load(path, classes=[Needy])
    assert (loaded.needed, loaded.n_points_) == (
        3,
        float(len(X["H0"].finite().points) + len(X["H1"].points)),
    )


def test_a_file_never_decides_what_is_imported(X, path):
    pbow.save(BoxCount().fit(X), path)
    change(path, ["class"], "antigravity:Other")
    with pytest.raises(FileFormatError, match="antigravity:Other"):
        pbow.load(path, classes=[BoxCount])
    assert "antigravity" not in sys.modules


def test_records_of_other_packages_validate_themselves(X, path):
    pbow.save(BoxCount().fit(X), path)
    header, arrays = read_container(path, MODEL)
    arrays["boxes_/H1/corner"] = np.zeros(3)
    write_container(path, MODEL, header, arrays)
    with pytest.raises(FileFormatError, match=r"Expected a corner of shape \(2,\)"):
        pbow.load(path, classes=[BoxCount])


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
        (["class"], "PersistenceVLAD2", "holds a 'PersistenceVLAD2', which is not"),
        (["class"], None, "holds a None"),
        (["class"], ["PersistenceBoW"], "holds a "),
        (["class"], "StablePersistenceBoW", "Expected|which is not what fit learns"),
        (["class"], "Rescale", "other parameters or attributes than a Rescale"),
        (["parameters"], None, "other parameters or attributes"),
        (["parameters", "new"], 1, "other parameters or attributes"),
        (["parameters", "normalize"], "l3", "'normalize' parameter"),
        (["parameters", "n_words"], -1, "'n_words' parameter"),
        (["parameters", "n_words"], 10**9, "at most sample_size|small enough"),
        (["parameters", "n_init"], 10**9, "'n_init' parameter"),
        (["parameters", "n_words"], {"dict": {}}, "'n_words' parameter"),
        (["parameters", "n_words"], {"dict": []}, "a parameter that is not of pbow"),
        (["parameters", "n_words"], [1], "a parameter that is not of pbow"),
        (["parameters", "n_words"], {"float": "1e3"}, "a parameter that is not of"),
        (["parameters", "n_jobs"], {"float": "nan"}, "'n_jobs' parameter"),
        (["parameters", "essential"], "drop", "which fit had not"),
        (["learnt"], [], "other parameters or attributes"),
        (["learnt", "transform"], "x", "other parameters or attributes"),
        (["learnt", "__class__"], "x", "other parameters or attributes"),
        (["learnt", "parts_"], "H0", "its parts_ is 'H0', which is not what fit"),
        (["learnt", "parts_"], [], "at least one part"),
        (["learnt", "parts_"], ["H0", 1], "its parts_/1 is 1"),
        (["learnt", "parts_"], ["H0", "h0"], "differ by case only"),
        (["learnt", "parts_"], ["H1"], "which fit had not"),
        (["learnt", "ramps_"], None, "its ramps_ is None"),
        (["learnt", "ramps_"], {"H0": None}, "has other parts"),
        (["learnt", "ramps_", "H0"], 3.0, "its ramps_/H0 is 3.0"),
        (["learnt", "ramps_", "H0", "low"], 1e9, "low <= high"),
        (["learnt", "ramps_", "H0", "low"], -1.0, "Expected"),
        (["learnt", "ramps_", "H0", "low"], "a", "its ramps_/H0/low is 'a'"),
        (["learnt", "ramps_", "H0", "new"], 1.0, "its ramps_/H0 is"),
        (["learnt", "codebooks_"], {}, "an array too many"),
        (["learnt", "codebooks_", "H0"], None, "its codebooks_/H0 is None"),
        (["learnt", "codebooks_", "H0", "scale"], "codebooks_/H1/scale", "scale is"),
        (["learnt", "codebooks_"], {"os.system": {"command": "true"}}, "os.system"),
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
        (np.array([[np.nan, 1.0]]), "words to be an array of finite"),
        (np.zeros((0, 2)), "Expected words of shape"),
        (np.zeros(3), "Expected words of shape"),
        (np.zeros((3, 1)), "Expected scale of shape"),
    ],
    ids=str,
)
def test_forged_words_are_refused(X, path, array, what):
    pbow.save(PersistenceBoW(3).fit(X), path)
    header, arrays = read_container(path, MODEL)
    arrays["codebooks_/H1/words"] = array
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
    header, arrays = read_container(path, MODEL)
    for name in ("words", "scale"):
        arrays[f"codebooks_/H0/{name}"] = arrays[f"codebooks_/H0_inf/{name}"]
    write_container(path, MODEL, header, arrays)
    with pytest.raises(FileFormatError, match="of part 'H0' is not what fit learns"):
        pbow.load(path)


def test_an_array_that_nothing_uses_is_refused(X, path):
    pbow.save(PersistenceBoW(3).fit(X), path)
    header, arrays = read_container(path, MODEL)
    write_container(path, MODEL, header, {**arrays, "more": np.zeros(1)})
    with pytest.raises(FileFormatError, match="an array too many: 'more'"):
        pbow.load(path)


NAN = {"float": "nan"}


@pytest.mark.parametrize(
    ("estimator", "keys", "value"),
    [
        (Rescale(), ["scales_"], {"H0": 1.0, "H1": 0.0}),
        (Rescale(), ["scales_"], {"H0": 1.0, "H1": -2.0}),
        (Rescale(), ["scales_"], {"H0": 1.0, "H1": NAN}),
        (Rescale(), ["scales_"], {"H0": 1.0}),
        (Rescale(), ["scales_"], 2.0),
        (SelectParts("H1"), ["selected_"], ["H2"]),
        (SelectParts("H1"), ["selected_"], "H1"),
        (PersistenceImage(), ["frames_"], {}),
        (PersistenceImage(), ["frames_"], {"H0": None}),
        (PersistenceImage(), ["frames_", "H1", "bandwidth"], 0.0),
        (PersistenceImage(), ["frames_", "H1", "bandwidth"], "wide"),
        (PersistenceImage(), ["frames_", "H1", "births"], [1.0, 1.0]),
        (PersistenceBoW(7), ["codebooks_", "H1", "sizes"], [2, 5]),
        (PersistenceBoW((1, 6)), ["codebooks_", "H1", "sizes"], [6, 1]),
        (PersistenceBoW((1, 6)), ["codebooks_", "H1", "sizes"], [1, 2, 4]),
        (PersistenceBoW((1, 6)), ["codebooks_", "H1", "sizes"], [1] * 7),
        (PersistenceBoW(3, point_weight="ramp"), ["ramps_", "H1", "power"], 3),
        (PersistenceImage(), ["frames_", "H1", "births"], [1.0]),
        (PersistenceImage(), ["frames_", "H1", "persistences"], None),
        (PersistenceImage(), ["frames_", "H1", "ramp"], 1.0),
        (PersistenceLandscape(), ["grids_"], {"H2": None}),
        (PersistenceLandscape(), ["grids_"], {"H0": 1.0}),
        (PersistenceLandscape(), ["grids_", "H1", "start"], 1e101),
        (PersistenceLandscape(), ["grids_", "H1", "stop"], NAN),
        (PersistenceStatistics(), ["columns_"], {"H0": ["mean"]}),
        (LandscapeKernel(), ["X_fit_"], None),
        (LandscapeKernel(), ["X_fit_"], 3.0),
        (LandscapeKernel(), ["X_fit_", "parts"], [1, 2]),
        (LandscapeKernel(), ["deaths_"], {"H0": 1.0}),
        (LandscapeKernel(), ["compared_"], ["H0", "H0"]),
        (LandscapeKernel(), ["compared_"], ["H0_inf"]),
        (LandscapeKernel(), ["compared_"], []),
        (LandscapeKernel(essential="separate"), ["deaths_"], {"H0": 1.0}),
        (LandscapeKernel(essential="separate"), ["deaths_", "H0"], NAN),
        (MultiScaleKernel(), ["bandwidths_"], {"H0": 1.0}),
        (MultiScaleKernel(), ["bandwidths_"], {"H0": 1.0, "H1": 0.0}),
        (WassersteinKernel(), ["bandwidths_"], 1.0),
    ],
    ids=str,
)
def test_forged_attributes_are_refused(X, path, estimator, keys, value):
    pbow.save(clone(estimator).fit(X), path)
    change(path, ["learnt", *keys], value)
    with pytest.raises(FileFormatError, match="Cannot read"):
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
