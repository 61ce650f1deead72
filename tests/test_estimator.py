"""Contract of every estimator: vectorizers, kernels and transformers of diagrams."""

import inspect
import pickle
import threading
import warnings
from itertools import cycle

import numpy as np
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from packaging.version import Version
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import (
    estimator_checks_generator,
    parametrize_with_checks,
)
from tests.estimators import ESTIMATORS, TRANSFORMERS, VECTORIZERS, one_per_class
from tests.rows import rows_double

import pbow
from pbow import Diagrams, kernels, preprocessing, vectorizers
from pbow._utils.constraints import OneOf
from pbow.diagrams import check_diagrams
from pbow.errors import ParameterError
from pbow.estimator import DiagramEstimator
from pbow.vectorizers import PersistenceImage, PersistenceStatistics

CLASSES = one_per_class(ESTIMATORS)
each_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
each_class = pytest.mark.parametrize("estimator", CLASSES, ids=str)
each_learner = pytest.mark.parametrize(
    "estimator", [e for e in CLASSES if hasattr(e, "essential")], ids=str
)
each_parameter = pytest.mark.parametrize(
    ("estimator", "parameter"),
    [(e, p) for e in CLASSES for p in e.get_params()],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
# Other values than those of the list: each is set after fit.
OTHERS = {
    "ground_metric": 1,
    "temperature": 0.5,
    "n_words": 2,
    "covariance": "full",
    "scale": "density",
    "dtype": "float32",
    "weighting": "ramp",
    "quantiles": (0.2, 0.8),
    "sample_size": 50,
    "whiten": False,
    "point_weight": "ramp",
    "normalize": "lipschitz",
    "essential": "separate",
    "n_init": 3,
    "n_jobs": 2,
    "random_state": 7,
    "resolution": 5,
    "bandwidth": 0.7,
    "bandwidth_unit": "pixel",
    "weight": "linear",
    "box": "zero",
    "n_levels": 3,
    "n_components": 2,
    "order": 3,
    "output": "distance",
    "n_directions": 3,
    "min_persistence": 0.5,
    "k": 1,
    "by": "persistence",
    "quantile": 0.25,
    "parts": "H0",
}
# Values that no class takes for a collection with the parts H0 and H1.
BAD = {
    "ground_metric": [0, 3, True, "2", None, np.nan],
    "n_words": [0, 2.0, True, {"H0": 3}, {"H0": 3, "H1": -3}, (), (3, 2), "all"],
    "covariance": ["round"],
    "temperature": [0, -1.0, np.nan, np.inf, 1e9, "hot", None],
    "scale": ["log"],
    "dtype": ["float16"],
    "weighting": ["linear", None],
    "quantiles": [(0.9, 0.1), 0.5, (0.1, np.nan)],
    "sample_size": [0, 1.5],
    "whiten": ["yes", 1],
    "point_weight": ["linear"],
    "normalize": ["l2", ["sqrt"]],
    "essential": ["keep", np.inf, np.array([1.0, 2.0]), 10**400],
    "n_init": [0, 10**6],
    "n_jobs": [0, "two"],
    "resolution": [0, 2.5, "10", None, True, (3, 2.5), (3, 2, 1)],
    "bandwidth": [0.0, np.inf, np.nan, "one"],
    "bandwidth_unit": ["metre"],
    "weight": ["square"],
    "box": ["large", (0, 1), ((1, 0), (0, 1)), ((0, np.nan), (0, 1))],
    "n_levels": [0, 2.5, None],
    "n_components": [0, 0.9],
    "order": [0.5, -np.inf, "2", None],
    "output": ["gram"],
    "n_directions": [0, 2.5],
    "min_persistence": [-1, np.nan, "1", {"H0": 1}, {"H0": 1, "H1": "a"}],
    "k": [0, 2.0, {"H1": 1}, {"H0": 1, "H1": 1, "H0_inf": 1}],
    "by": ["birth"],
    "quantile": [2, None],
    "parts": ["H2", [], ["H1", "H1"], 3, [["H1"]]],
}


def same(one, other):
    if isinstance(one, Diagrams):
        return one == other
    return np.array_equal(one, other)


@pytest.fixture(name="X")
def diagrams(ragged):
    with_essential = [
        np.concatenate((d, [[i % 3, np.inf]])) for i, d in enumerate(ragged)
    ]
    return Diagrams.from_parts({"H0": with_essential, "H1": ragged[::-1]})


def test_the_list_has_every_public_class():
    public = {
        getattr(module, name)
        for module in (vectorizers, kernels, preprocessing)
        for name in module.__all__
    }
    assert {type(estimator) for estimator in ESTIMATORS} == public


def test_short_names_tell_classes_apart():
    names = [estimator.short_name for estimator in CLASSES]
    assert all(names)
    assert len(set(names)) == len(names)


@each_class
def test_every_parameter_is_declared(estimator):
    declared = set(type(estimator).constraints) | {"random_state", "parts"}
    parameters = set(estimator.get_params())
    assert parameters <= declared
    assert set(type(estimator).constraints) <= parameters


@each_class
def test_what_is_learnt_is_declared_and_documented(estimator, X):
    fitted = clone(estimator).fit(X).fitted_
    learnt = set(vars(fitted)) - set(fitted.get_params())
    assert learnt == set(estimator.learnt_types())
    # Indented before Python 3.13, and no more since.
    text = inspect.getdoc(type(estimator))
    assert [name for name in learnt if f"\n{name} :" not in text] == []


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        # Rows of scikit-learn's checks have two points.
        rows_double(e).set_params(**{k: 2 for k in e.get_params() if k == "n_words"})
        for e in CLASSES
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@each_estimator
def test_only_cloning_is_checked_without_the_double(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert len(list(estimator_checks_generator(estimator))) == 1


@each_estimator
@pytest.mark.parametrize(
    "container",
    [Diagrams.from_list, list, tuple, lambda x: {"H1": list(x)}, iter],
    ids=["Diagrams", "list", "tuple", "dict", "iterator"],
)
def test_any_container_gives_the_same_result(estimator, ragged, container):
    # A list has no name; fitted to one, an estimator takes what has, and vice versa.
    X = check_diagrams(container(list(ragged)))
    expected = clone(estimator).fit_transform(X)
    fitted = clone(estimator).fit(container(list(ragged)))
    assert same(fitted.transform(container(list(ragged))), expected)
    assert same(fitted.transform(ragged), expected)
    assert same(clone(estimator).fit_transform(container(list(ragged))), expected)
    named = clone(estimator).fit(ragged)
    expected = named.transform(ragged)
    assert same(named.transform(container(list(ragged))), expected)


@each_estimator
def test_chunks_of_the_data_give_the_same_rows(estimator, X):
    fitted = clone(estimator).fit(X)
    whole = fitted.transform(X)
    chunks = [fitted.transform(X[i : i + 7]) for i in range(0, 30, 7)]
    join = Diagrams.concatenate if isinstance(whole, Diagrams) else np.concatenate
    assert same(join(chunks), whole)
    assert same(fitted.transform(X[::-1]), whole[::-1])


@each_estimator
def test_the_points_that_came_in_are_not_changed(estimator, X):
    before = pickle.dumps(X)
    clone(estimator).fit_transform(X)
    assert pickle.dumps(X) == before


@each_estimator
def test_pickling_and_saving_keep_the_model(estimator, X, tmp_path):
    fitted = clone(estimator).fit(X)
    pbow.save(fitted, tmp_path / "model")
    for copy in (pickle.loads(pickle.dumps(fitted)), pbow.load(tmp_path / "model")):
        assert copy.get_params() == fitted.get_params()
        assert same(copy.transform(X), fitted.transform(X))


@each_class
def test_whoever_has_looked_at_a_model_can_save_it(estimator, X, tmp_path):
    fitted = clone(estimator).fit(X)
    assert dir(fitted)
    assert fitted._repr_html_()
    pbow.save(fitted, tmp_path / "model")
    assert same(pbow.load(tmp_path / "model").transform(X), fitted.transform(X))


@each_estimator
def test_parts_are_matched_by_name(estimator, X, ragged):
    both, one = clone(estimator).fit(X), clone(estimator).fit(ragged)
    assert same(both.transform(X[["H1", "H0"]]), both.transform(X))
    with pytest.raises(ValueError, match="Expected parts H0, H1, got H1: H0 is missi"):
        both.transform(ragged)
    with pytest.raises(ValueError, match="got H0, H1: H0 is unexpected"):
        one.transform(X)
    with pytest.raises(ValueError, match="H1 is missing and H0 is unexpected"):
        one.transform(X["H0"])


@each_parameter
def test_parameters_that_are_set_after_fit_wait_for_the_next_fit(
    estimator, X, parameter
):
    fitted = clone(estimator).fit(X)
    expected, names = fitted.transform(X), fitted.get_feature_names_out()
    fitted.set_params(**{parameter: OTHERS[parameter]})
    assert same(fitted.transform(X), expected)
    assert_array_equal(fitted.get_feature_names_out(), names)


@each_parameter
def test_bad_parameters_are_refused_in_fit(estimator, X, parameter):
    # What a random state may be, scikit-learn says.
    for value in BAD[parameter] if parameter != "random_state" else ():
        model = clone(estimator).set_params(**{parameter: value})
        with pytest.raises(ParameterError) as caught:
            model.fit(X)
        assert caught.value.parameter == parameter
        start = f"The {parameter!r} parameter of {type(estimator).__name__} must be "
        assert str(caught.value).startswith(start + caught.value.expected)
        with pytest.raises(NotFittedError):
            model.transform(X)


@each_class
def test_a_fit_that_fails_leaves_what_was_there(estimator, X):
    fitted = clone(estimator).fit(X)
    expected = fitted.transform(X)
    with pytest.raises(ValueError, match="minimum of 1"):
        fitted.fit([])
    assert same(fitted.transform(X), expected)


@each_class
def test_a_refit_in_another_thread_never_mixes_two_models(estimator, ragged):
    collections = [ragged, Diagrams.from_list([d * 3.0 for d in ragged][:20])]
    results = [clone(estimator).fit(X).transform(ragged[:5]) for X in collections]
    shared = clone(estimator).fit(collections[0])
    stop = threading.Event()

    def refit():
        k = 0
        while not stop.is_set():
            k += 1
            shared.fit(collections[k % 2])

    thread = threading.Thread(target=refit)
    thread.start()
    try:
        for _ in range(40):
            result = shared.transform(ragged[:5])
            assert any(same(result, expected) for expected in results)
    finally:
        stop.set()
        thread.join()


@each_class
def test_an_unfitted_estimator_says_so(estimator):
    with pytest.raises(NotFittedError):
        clone(estimator).transform([[]])
    with pytest.raises(NotFittedError):
        clone(estimator).get_feature_names_out()
    for name in ("n_features_out_", "stability_constant_"):
        if hasattr(type(estimator), name):
            with pytest.raises(NotFittedError):
                getattr(clone(estimator), name)


def test_columns_have_the_names_of_the_model_that_made_them(ragged):
    image = PersistenceImage(3).set_output(transform="pandas").fit(ragged)
    stop = threading.Event()

    def refit():
        for k in cycle((3, 4)):
            image.set_params(resolution=k).fit(ragged[:3])
            if stop.is_set():
                return

    thread = threading.Thread(target=refit)
    thread.start()
    try:
        for _ in range(200):
            frame = image.transform(ragged[:2])
            assert frame.columns[-1] in {"h1_pixel_2_2", "h1_pixel_3_3"}
    finally:
        stop.set()
        thread.join()


def test_output_that_is_set_after_fit_counts_at_once(ragged):
    fitted = PersistenceImage(2).fit(ragged)
    assert list(fitted.set_output(transform="pandas").transform(ragged).columns) == [
        "h1_pixel_0_0",
        "h1_pixel_0_1",
        "h1_pixel_1_0",
        "h1_pixel_1_1",
    ]


def test_parameters_that_are_set_while_it_fits_wait_for_the_next_fit(ragged):
    class Meddling(PersistenceStatistics):
        def _learn(self, X):
            meddling.set_params(essential="separate")
            return super()._learn(X)

    meddling = Meddling()
    meddling.stray_ = 1
    fitted = meddling.fit(ragged).fitted_
    assert fitted.essential == "drop"
    assert not hasattr(fitted, "stray_")


@pytest.mark.parametrize("vectorizer", one_per_class(VECTORIZERS), ids=str)
def test_a_bar_counts_diagrams_and_changes_nothing(vectorizer, ragged, capsys):
    fitted = clone(vectorizer).fit(ragged)
    assert_array_equal(
        fitted.transform(ragged, progress=True), fitted.transform(ragged)
    )
    assert "diagrams" in capsys.readouterr().err


@each_class
@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([], "Found 0 diagrams while a minimum of 1 is required"),
        (np.zeros((3, 2)), "Wrap a single diagram"),
        ([[[0, np.nan]]], "Diagram 0 has a point that is NaN"),
        ([[], [[1, 0]]], "Diagram 1 has a point that dies before"),
        ([["a"]], "Diagram 0 is not an array of numbers"),
    ],
    ids=str,
)
def test_bad_training_data_are_named(estimator, X, message):
    with pytest.raises(ValueError, match=message):
        clone(estimator).fit(X)


@each_learner
@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[], []], "All 2 diagrams are empty: there is nothing to learn from"),
        ([[[0, np.inf]]], "but for 1 essential points, which essential='drop'"),
    ],
    ids=str,
)
def test_there_must_be_a_point_to_learn_from(estimator, X, message):
    with pytest.raises(ValueError, match=message):
        clone(estimator).fit(X)


@each_learner
def test_a_number_of_threads_that_is_set_after_fit_is_checked(estimator, ragged):
    fitted = clone(estimator).fit(ragged).set_params(n_jobs=0)
    with pytest.raises(ParameterError, match="other than 0"):
        fitted.transform(ragged)


@each_learner
def test_a_part_without_points_adds_nothing_but_a_warning(estimator, ragged):
    X = Diagrams.from_parts({"H0": [[]] * 30, "H1": ragged})
    with pytest.warns(UserWarning, match="Part H0 has no finite point in 30 training"):
        fitted = clone(estimator).fit(X)
    assert_array_equal(fitted.transform(X), clone(estimator).fit_transform(ragged))


@each_learner
def test_essential_points_are_dropped_by_default(estimator, ragged):
    X = [np.concatenate((d, [[0.0, np.inf]])) for d in ragged]
    fitted = clone(estimator).fit(X)
    assert_array_equal(fitted.transform(X), clone(estimator).fit_transform(ragged))


@each_learner
def test_essential_points_can_have_a_number_as_death(estimator, ragged):
    X = [np.concatenate((d, [[0.0, np.inf]])) for d in ragged]
    finite = [np.concatenate((d, [[0.0, 7.0]])) for d in ragged]
    fitted = clone(estimator).set_params(essential=7.0).fit(X)
    assert_array_equal(fitted.transform(X), clone(estimator).fit_transform(finite))
    with pytest.raises(
        ValueError,
        match=r"Diagram 1 .* born at 7\.5, after essential=7\. Pass",
    ):
        fitted.transform([[], [[7.5, np.inf]]])


@each_learner
def test_a_part_may_have_the_suffix_of_an_essential_one(estimator, ragged):
    X = Diagrams.from_parts({"H0_inf": ragged})
    fitted = clone(estimator).set_params(essential="separate").fit(X)
    assert_array_equal(fitted.transform(X), clone(estimator).fit_transform(ragged))


@each_learner
def test_a_part_named_like_an_essential_one_is_refused(estimator, ragged):
    X = Diagrams.from_parts({"H0": ragged, "h0_INF": ragged})
    assert clone(estimator).fit(X).transform(X).shape[0] == 30
    with pytest.raises(ValueError, match="makes a part H0_inf, and there is one"):
        clone(estimator).set_params(essential="separate").fit(X)


@each_learner
def test_the_number_of_columns_is_known_without_their_names(estimator, X):
    fitted = clone(estimator).set_params(essential="separate").fit(X)
    assert fitted.n_features_out_ == fitted.transform(X).shape[1]
    assert fitted.n_features_out_ == len(fitted.get_feature_names_out())


@pytest.mark.parametrize("vectorizer", one_per_class(VECTORIZERS), ids=str)
def test_the_parameters_tell_how_many_numbers_there_may_be(vectorizer, ragged):
    fitted = clone(vectorizer).fit(ragged)
    assert 0 < fitted.n_features_out_ <= vectorizer._n_numbers()


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("PersistenceBoW", {"n_words": 10**8, "sample_size": None}),
        ("StablePersistenceBoW", {"n_words": {"H1": 10**8}, "sample_size": None}),
        ("PersistenceImage", {"resolution": 10**4}),
        ("PersistenceLandscape", {"n_levels": 10**4, "resolution": 10**4}),
        ("RiemannianHeatMap", {"resolution": 10**4}),
    ],
)
def test_more_numbers_than_a_machine_holds_are_refused(name, size, ragged):
    with pytest.raises(ParameterError, match=r"It asks for 100,000,000\.") as caught:
        getattr(vectorizers, name)(**size).fit(ragged)
    assert caught.value.parameter in size


@pytest.mark.parametrize("estimator", TRANSFORMERS, ids=str)
def test_transformers_put_out_diagrams_whatever_a_pipeline_asks_for(estimator, X):
    fitted = clone(estimator).set_output(transform="pandas").fit(X)
    assert isinstance(fitted.transform(X), Diagrams)


scales = st.sampled_from(
    [0.0, -0.0, 5e-324, -5e-324, 3.6e-162, 1.0, 1e100]
) | st.builds(
    lambda sign, exponent: sign * 10.0**exponent,
    st.sampled_from([-1.0, 1.0]),
    st.floats(-323.0, 100.0),
)


@st.composite
def collections(draw):
    """Two lists of diagrams whose coordinates are of one scale, or of a few."""
    units = st.sampled_from(draw(st.lists(scales, min_size=1, max_size=3)))
    factors = st.floats(-1.0, 1.0) | st.sampled_from([0.0, 0.5, 1.0])
    coordinates = units | st.builds(float.__mul__, factors, units)
    point = st.tuples(coordinates, coordinates).map(sorted)
    point |= coordinates.map(lambda birth: [birth, np.inf])
    diagrams = st.lists(st.lists(point, max_size=6), min_size=1, max_size=4)
    return draw(diagrams), draw(diagrams)


def choices(estimator):
    """Draw a value of each parameter that is a choice."""
    options = {
        name: st.sampled_from(constraint.options)
        for name, constraint in estimator.constraints.items()
        if isinstance(constraint, OneOf)
    }
    options["essential"] = st.sampled_from(["drop", "separate", 1e100])
    if "whiten" in estimator.get_params():
        options |= {"whiten": st.booleans(), "n_words": st.integers(1, 3)}
    # Kernels of heat refuse what their squares cannot hold.
    if "bandwidth" in estimator.get_params() and estimator.short_name != "multiscale":
        options["bandwidth"] = st.sampled_from([None, 5e-324, 7.5e-166, 1.0, 1.7e308])
    return st.fixed_dictionaries(options)


@pytest.mark.filterwarnings("ignore::pbow.errors.FewerWordsWarning")
@pytest.mark.filterwarnings("ignore::pbow.errors.OutOfRangeWarning")
@each_learner
@given(both=collections(), data=st.data())
def test_no_valid_input_of_any_scale_gives_nan_or_inf(estimator, both, data):
    train, test = [*both[0], [[0.0, 0.0]]], both[1]
    model = clone(estimator).set_params(**data.draw(choices(estimator)))
    try:
        fitted = model.fit(train)
    except ValueError as error:
        # Too few, or so near in the scale of the others that squares are the same.
        assert "told apart" in str(error)  # noqa: PT017
        assert "_inf" not in str(error)  # noqa: PT017
        return
    X = [*train, *test, []]
    assert np.isfinite(fitted.transform(X)).all()
    if hasattr(fitted, "distances"):
        assert np.isfinite(fitted.distances(X)).all()


class Mine(DiagramEstimator):
    """An estimator with a learnt attribute of a type that no file can hold."""

    thing_: object

    def _learn(self, X):
        return {"thing_": object()}


def test_only_declared_attributes_are_found_after_fit(ragged):
    fitted = Mine().fit(ragged)
    assert fitted.thing_ is fitted.fitted_.thing_
    with pytest.raises(AttributeError, match="'Mine' object has no attribute 'other_'"):
        fitted.other_  # noqa: B018
    with pytest.raises(AttributeError, match="'Mine' object has no attribute 'thing_'"):
        Mine().thing_  # noqa: B018


@each_class
def test_a_notebook_shows_class_and_parameters(estimator, ragged):
    params, defaults = estimator.get_params(), type(estimator)().get_params()
    # Before 1.7, scikit-learn shows only those that differ from their defaults.
    if Version(sklearn.__version__) < Version("1.7"):
        params = [name for name in params if params[name] != defaults[name]]
    for shown in (clone(estimator), clone(estimator).fit(ragged)):
        html = shown._repr_html_()
        assert type(estimator).__name__ in html
        assert all(name in html for name in params)
