"""Contract of every kernel. Add new ones to KERNELS and nowhere else."""

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import (
    estimator_checks_generator,
    parametrize_with_checks,
)
from tests.rows import rows_double

import pbow
from pbow import Diagrams, kernels
from pbow.kernels import (
    LandscapeKernel,
    MultiScaleKernel,
    SlicedWassersteinKernel,
    WassersteinKernel,
)

KERNELS = [
    WassersteinKernel(),
    WassersteinKernel(order=1, bandwidth=0.5),
    WassersteinKernel(order=np.inf),
    MultiScaleKernel(),
    MultiScaleKernel(bandwidth=0.3),
    SlicedWassersteinKernel(n_directions=5),
    SlicedWassersteinKernel(n_directions=5, bandwidth=2.0),
    LandscapeKernel(),
]
each_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=str)
FIRST_OF_CLASS = list({type(k): k for k in reversed(KERNELS)}.values())
each_class = pytest.mark.parametrize("kernel", FIRST_OF_CLASS, ids=str)


def test_every_kernel_is_here():
    assert {type(k).__name__ for k in KERNELS} == set(kernels.__all__)


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([rows_double(kernel) for kernel in FIRST_OF_CLASS])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@each_kernel
def test_only_cloning_is_checked_without_the_double(kernel):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert len(list(estimator_checks_generator(kernel))) == 1


@each_kernel
@pytest.mark.parametrize(
    "container",
    [Diagrams.from_list, list, tuple, lambda x: {"H1": list(x)}, iter],
    ids=["Diagrams", "list", "tuple", "dict", "iterator"],
)
def test_any_container_gives_the_same_matrix(kernel, ragged, container):
    expected = clone(kernel).fit_transform(ragged)
    fitted = clone(kernel).fit(container(list(ragged)))
    assert_array_equal(fitted.transform(container(list(ragged))), expected)
    assert_array_equal(clone(kernel).fit_transform(container(list(ragged))), expected)


@each_kernel
def test_the_gram_matrix_is_symmetric_to_the_bit(kernel, ragged):
    gram = clone(kernel).fit_transform(ragged)
    assert gram.shape == (30, 30)
    assert_array_equal(gram, gram.T)


@each_kernel
def test_half_the_work_gives_the_same_numbers(kernel, ragged):
    fitted = clone(kernel).fit(ragged)
    gram = fitted.transform(ragged)
    # All but the last row is another collection, for which nothing is halved.
    assert_array_equal(fitted.transform(ragged[:-1]), gram[:-1])
    distances = fitted.distances(ragged)
    both = fitted.distances(ragged, ragged[::-1])[:, ::-1]
    if isinstance(kernel, MultiScaleKernel):
        # Near-equal numbers are subtracted, of which half the digits stay.
        assert_allclose(both, distances, rtol=1e-12, atol=2e-7 * distances.max())
    else:
        assert_array_equal(both, distances)


@each_kernel
def test_distances_are_symmetric_and_0_on_the_diagonal(kernel, ragged):
    distances = clone(kernel).fit(ragged).distances(ragged)
    assert_array_equal(distances, distances.T)
    assert_array_equal(np.diagonal(distances), np.zeros(30))
    assert (distances[~np.eye(30, dtype=bool)] > 0.0).all()


@each_kernel
def test_distances_obey_the_triangle_inequality(kernel, ragged):
    d = clone(kernel).fit(ragged).distances(ragged)
    longest = (d[:, :, None] + d[None]).min(axis=1)
    assert (d <= longest + 1e-9 * d.max()).all()


@each_kernel
def test_points_have_no_order(kernel, ragged, rng):
    fitted = clone(kernel).fit(ragged)
    shuffled = [rng.permutation(d) for d in ragged]
    gram = fitted.transform(ragged)
    assert_allclose(fitted.transform(shuffled), gram, rtol=1e-9, atol=1e-12)


@each_kernel
def test_points_on_the_diagonal_do_not_count(kernel, ragged):
    fitted = clone(kernel).fit(ragged)
    more = [np.concatenate((d, [[0.5, 0.5]] * 3)) for d in ragged]
    gram = fitted.transform(ragged)
    assert_allclose(fitted.transform(more), gram, rtol=1e-9, atol=1e-12)


@each_kernel
def test_the_number_of_threads_does_not_change_a_bit(kernel):
    rng = np.random.default_rng(1)
    sizes = rng.integers(0, 60, size=120)
    births = rng.uniform(size=sizes.sum())
    points = np.column_stack((births, births + rng.exponential(size=births.shape)))
    X = Diagrams(points, np.concatenate(([0], np.cumsum(sizes))))
    results = [clone(kernel).set_params(n_jobs=n).fit_transform(X) for n in (1, 2, 4)]
    assert_array_equal(results[1], results[0])
    assert_array_equal(results[2], results[0])


@each_kernel
@pytest.mark.parametrize("n_bytes", [1, 5_000, 20_000])
def test_strips_do_not_change_a_bit(kernel, ragged, monkeypatch, n_bytes):
    fitted = clone(kernel).fit(ragged)
    gram, distances = fitted.transform(ragged), fitted.distances(ragged[:20], ragged)
    monkeypatch.setattr("pbow.kernels._tiles.BYTES_PER_STRIP", n_bytes)
    assert_array_equal(fitted.transform(ragged), gram)
    assert_array_equal(fitted.distances(ragged[:20], ragged), distances)


@each_kernel
def test_chunks_of_the_data_give_the_same_rows(kernel, ragged):
    fitted = clone(kernel).fit(ragged[:20])
    whole = fitted.transform(ragged)
    chunks = [fitted.transform(ragged[i : i + 7]) for i in range(0, 30, 7)]
    assert_array_equal(np.concatenate(chunks), whole)


@each_kernel
def test_a_matrix_in_a_file_is_that_in_memory(kernel, ragged, tmp_path):
    fitted = clone(kernel).fit(ragged)
    gram, distances = fitted.transform(ragged), fitted.distances(ragged)
    K = fitted.transform(ragged, out=tmp_path / "gram.npy")
    D = fitted.distances(ragged, out=tmp_path / "distances.npy")
    assert isinstance(K, np.memmap)
    assert_array_equal(K, gram)
    assert_array_equal(D, distances)
    assert_array_equal(np.load(tmp_path / "gram.npy"), gram)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["distances.npy", "gram.npy"]


@each_kernel
def test_distances_can_be_what_is_put_out(kernel, ragged, tmp_path):
    nearest = KNeighborsClassifier(1, metric="precomputed")
    pipeline = make_pipeline(clone(kernel).set_params(output="distance"), nearest)
    y = np.arange(30) % 3
    assert_array_equal(pipeline.fit(ragged, y).predict(ragged), y)
    expected = clone(kernel).fit(ragged).distances(ragged)
    assert_array_equal(pipeline[0].transform(ragged), expected)
    D = pipeline[0].fit_transform(ragged, out=tmp_path / "D.npy")
    assert_array_equal(D, expected)


@each_class
def test_a_finished_file_is_read_and_no_other_is_overwritten(kernel, ragged, tmp_path):
    fitted, path = clone(kernel).fit(ragged), tmp_path / "matrix.npy"
    expected, calls = fitted.distances(ragged, out=path).copy(), []
    again = fitted.distances(ragged, out=path, progress=lambda *a: calls.append(a))
    assert_array_equal(again, expected)
    assert calls == []
    for other in (
        lambda: fitted.transform(ragged, out=path),
        lambda: fitted.distances(ragged[:-1], out=path),
        lambda: fitted.distances(ragged, ragged, out=path),
    ):
        with pytest.raises(FileExistsError, match="exists and is not this matrix"):
            other()
    assert_array_equal(np.load(path), expected)


@each_class
def test_an_interrupted_matrix_goes_on_from_what_is_on_disk(
    kernel, ragged, tmp_path, monkeypatch
):
    monkeypatch.setattr("pbow.kernels._tiles.LEAST_NANOSECONDS_PER_TILE", 1.0)
    fitted = clone(kernel).fit(ragged)
    expected = fitted.distances(ragged)
    seen = []

    def stop_at_the_middle(done, total):
        seen.append(done)
        if done > total / 2:
            raise KeyboardInterrupt

    path = tmp_path / "matrix.npy"
    with pytest.raises(KeyboardInterrupt):
        fitted.distances(ragged, out=path, progress=stop_at_the_middle)
    assert not path.exists()
    later = []
    D = fitted.distances(
        ragged, out=path, progress=lambda done, total: later.append((done, total))
    )
    assert_array_equal(D, expected)
    # The first report of the second run comes after what the first run had done.
    assert later[0][0] > seen[-1]
    assert later[-1][0] == later[-1][1]


@each_class
def test_another_matrix_does_not_go_on_in_the_same_file(kernel, ragged, tmp_path):
    def stop(done, total):
        raise KeyboardInterrupt

    fitted, path = clone(kernel).fit(ragged), tmp_path / "matrix.npy"
    with pytest.raises(KeyboardInterrupt):
        fitted.distances(ragged, out=path, progress=stop)
    for other in (
        lambda: fitted.distances(ragged[:-1], out=path),
        lambda: fitted.transform(ragged, out=path),
    ):
        with pytest.raises(ValueError, match=r"matrix\.npy\.partial"):
            other()
    assert fitted.distances(ragged, out=path).shape == (30, 30)


@each_kernel
def test_cloning_pickling_and_saving_keep_the_kernel(kernel, ragged, tmp_path):
    fitted = clone(kernel).fit(ragged)
    pbow.save(fitted, tmp_path / "model")
    for copy in (pickle.loads(pickle.dumps(fitted)), pbow.load(tmp_path / "model")):
        assert copy.get_params() == fitted.get_params()
        assert_array_equal(copy.transform(ragged), fitted.transform(ragged))


@each_class
def test_a_support_vector_machine_takes_it(kernel, rng):
    births = rng.uniform(size=(40, 6))
    far = (np.arange(40) % 2)[:, None] * 2.0
    deaths = births + rng.uniform(0.1, 0.5, size=(40, 6)) + far
    X = Diagrams(
        np.stack((births, deaths), axis=-1).reshape(-1, 2), np.arange(0, 241, 6)
    )
    pipeline = make_pipeline(clone(kernel), SVC(kernel="precomputed", C=100.0))
    assert cross_val_score(pipeline, X, np.arange(40) % 2, cv=4).mean() > 0.9
    search = GridSearchCV(pipeline, {"svc__C": [1.0, 10.0]}, cv=2)
    assert search.fit(X, np.arange(40) % 2).predict(X).shape == (40,)


@each_class
def test_set_output_names_every_column(kernel, ragged):
    pytest.importorskip("pandas")
    frame = clone(kernel).set_output(transform="pandas").fit_transform(ragged)
    assert list(frame.columns) == [f"sample{j}" for j in range(30)]


@each_kernel
def test_gram_matrices_of_parts_are_added(kernel, ragged):
    X = Diagrams.from_parts({"H0": ragged[::-1], "H1": ragged})
    fitted = clone(kernel).fit(X)
    alone = sum(clone(kernel).fit_transform(X[name]) for name in X.parts)
    assert_allclose(fitted.transform(X), alone, rtol=1e-14)
    assert_array_equal(fitted.transform(X[["H1", "H0"]]), fitted.transform(X))


@each_kernel
def test_distances_of_parts_are_joined_by_their_norm(kernel, ragged):
    X = Diagrams.from_parts({"H0": ragged[::-1], "H1": ragged})
    fitted = clone(kernel).fit(X)
    alone = np.stack(
        [clone(kernel).fit(X[name]).distances(X[name]) for name in X.parts]
    )
    order = {
        "WassersteinKernel": getattr(kernel, "order", None),
        "SlicedWassersteinKernel": 1.0,
    }.get(type(kernel).__name__, 2.0)
    joined = np.linalg.norm(alone, ord=order, axis=0)
    assert_allclose(fitted.distances(X), joined, rtol=1e-12)


@each_kernel
def test_a_missing_and_an_extra_part_are_errors(kernel, ragged):
    X = Diagrams.from_parts({"H0": ragged, "H1": ragged})
    both, one = clone(kernel).fit(X), clone(kernel).fit(ragged)
    with pytest.raises(ValueError, match="got H1: H0 is missing"):
        both.transform(ragged)
    with pytest.raises(ValueError, match="got H0, H1: H0 is unexpected"):
        one.transform(X)
    with pytest.raises(ValueError, match="X has parts H0, H1, and Y H1"):
        both.distances(X, ragged)


@each_class
def test_a_part_without_points_adds_nothing_but_a_warning(kernel, ragged):
    X = Diagrams.from_parts({"H0": [[]] * 30, "H1": ragged})
    with pytest.warns(UserWarning, match="Part H0 has no finite point in 30 training"):
        fitted = clone(kernel).fit(X)
    assert_array_equal(fitted.transform(X), clone(kernel).fit_transform(ragged))


@each_class
def test_essential_points_are_dropped_by_default(kernel, ragged):
    endless = [np.concatenate((d, [[0.0, np.inf]])) for d in ragged]
    fitted = clone(kernel).fit(endless)
    assert_array_equal(fitted.transform(endless), clone(kernel).fit_transform(ragged))
    alone = clone(kernel).fit(ragged).distances(ragged)
    assert_array_equal(fitted.distances(endless), alone)


@each_class
def test_essential_points_can_die_at_a_number(kernel, ragged):
    endless = [np.concatenate((d, [[0.0, np.inf]])) for d in ragged]
    closed = [np.concatenate((d, [[0.0, 7.0]])) for d in ragged]
    fitted = clone(kernel).set_params(essential=7.0).fit(endless)
    assert_array_equal(fitted.transform(endless), clone(kernel).fit_transform(closed))
    with pytest.raises(ValueError, match=r"Diagram 1 of part H1 .* born at 7\.5"):
        fitted.transform([[], [[7.5, np.inf]]])


@each_class
def test_essential_points_can_be_a_part_that_ends_with_the_training_data(
    kernel, ragged
):
    births = np.arange(30) % 4
    X = [
        np.concatenate((d, [[b, np.inf]])) for d, b in zip(ragged, births, strict=True)
    ]
    last = max(d[:, 1].max() for d in list(ragged)[1:])
    last = max(last, 3.0)
    parts = Diagrams.from_parts({"H1": ragged, "H1_inf": [[[b, last]] for b in births]})
    fitted = clone(kernel).set_params(essential="separate").fit(X)
    assert fitted.compared_ == ("H1", "H1_inf")
    assert_array_equal(fitted.transform(X), clone(kernel).fit_transform(parts))
    expected = clone(kernel).fit(parts).distances(parts)
    assert_array_equal(fitted.distances(X), expected)
    # Who is born later than all training data have died counts like nobody.
    late, none = [[[last + 1.0, np.inf]]], [[]]
    assert_array_equal(fitted.transform(late), fitted.transform(none))


@each_class
def test_distances_ask_for_fit_only_where_something_is_learnt(kernel, ragged):
    separate = clone(kernel).set_params(essential="separate")
    with pytest.raises(NotFittedError):
        separate.distances(ragged)
    if not isinstance(kernel, MultiScaleKernel):
        alone = clone(kernel).fit(ragged).distances(ragged)
        assert_array_equal(clone(kernel).distances(ragged), alone)


@each_class
@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([], "Found 0 diagrams while a minimum of 1 is required"),
        ([[], []], "All 2 diagrams are empty: there is nothing to learn from"),
        ([[[0, np.inf]]], "but for 1 points that never die, which essential='drop'"),
        (np.zeros((3, 2)), "Wrap a single diagram"),
        ([[[0, np.nan]]], "Diagram 0 of part H1 has a point that is NaN"),
        ([[], [[1, 0]]], "Diagram 1 of part H1 has a point that dies before"),
    ],
    ids=str,
)
def test_bad_training_data_are_named(kernel, X, message):
    with pytest.raises(ValueError, match=message):
        clone(kernel).fit(X)


@each_class
@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"essential": "keep"}, "'essential' .* 'drop', 'separate' or a finite number"),
        ({"output": "similarity"}, "'output' .* one of 'distance', 'kernel'"),
        ({"n_jobs": 0}, "'n_jobs' .* other than 0"),
        ({"n_jobs": "two"}, "'n_jobs' .* an int or None"),
    ],
    ids=str,
)
def test_bad_parameters_are_refused(kernel, ragged, params, message):
    wrong = clone(kernel).set_params(**params)
    with pytest.raises(ValueError, match=message):
        wrong.fit(ragged)
    with pytest.raises(ValueError, match=message):
        wrong.distances(ragged)


@pytest.mark.parametrize(
    "kernel", [k for k in FIRST_OF_CLASS if hasattr(k, "bandwidth")], ids=str
)
@pytest.mark.parametrize("bandwidth", [0.0, -1.0, np.nan, np.inf, "wide", True])
def test_a_bandwidth_is_a_positive_number(kernel, ragged, bandwidth):
    with pytest.raises(ValueError, match=r"'bandwidth' .* must be a number > 0 or N"):
        clone(kernel).set_params(bandwidth=bandwidth).fit(ragged)


@each_class
def test_progress_is_a_switch_or_a_function(kernel, ragged):
    fitted = clone(kernel).fit(ragged)
    with pytest.raises(ValueError, match="progress"):
        fitted.transform(ragged, progress="yes")
    calls = []
    fitted.transform(ragged, progress=lambda *args: calls.append(args))
    assert calls[-1][0] == calls[-1][1]


@each_class
def test_parameters_that_were_changed_after_fit_are_checked(kernel, ragged):
    fitted = clone(kernel).fit(ragged).set_params(n_jobs=0)
    with pytest.raises(ValueError, match=r"'n_jobs' .* other than 0"):
        fitted.transform(ragged)


@each_class
def test_a_fit_that_fails_leaves_what_was_there(kernel, ragged):
    fitted = clone(kernel).fit(ragged)
    expected = fitted.transform(ragged)
    with pytest.raises(ValueError, match="nothing to learn from"):
        fitted.fit([[], []])
    assert_array_equal(fitted.transform(ragged), expected)


@each_class
def test_what_is_done_with_essential_points_is_decided_in_fit(kernel, ragged):
    X = [np.concatenate((d, [[0.0, np.inf]])) for d in ragged]
    fitted = clone(kernel).set_params(essential="separate").fit(X)
    expected = fitted.transform(X)
    assert_array_equal(fitted.set_params(essential="drop").transform(X), expected)


@each_class
def test_an_unfitted_kernel_says_so(kernel):
    with pytest.raises(NotFittedError):
        clone(kernel).transform([[]])
    with pytest.raises(NotFittedError):
        clone(kernel).get_feature_names_out()


@each_class
def test_no_rows_and_empty_diagrams_are_defined(kernel, ragged):
    fitted = clone(kernel).fit(ragged)
    assert fitted.transform([]).shape == (0, 30)
    assert fitted.distances([], ragged).shape == (0, 30)
    assert_array_equal(fitted.distances([[], []]), np.zeros((2, 2)))


coordinate = st.floats(-1e100, 1e100) | st.floats(-1, 1) | st.sampled_from([0.0, 0.5])
diagram = st.lists(
    st.tuples(coordinate, coordinate | st.just(np.inf))
    .map(sorted)
    .filter(lambda point: np.isfinite(point[0])),
    max_size=8,
)


@each_kernel
@given(
    train=st.lists(diagram, min_size=1, max_size=4),
    test=diagram,
    essential=st.sampled_from(["drop", "separate", 1e100]),
)
def test_no_valid_input_gives_nan_or_inf(kernel, train, test, essential):
    train = [*train, [[0.0, 1.0], [0.5, 0.75], [0.25, 0.5]]]
    fitted = clone(kernel).set_params(essential=essential).fit(train)
    X = [*train, test, []]
    assert np.isfinite(fitted.transform(X)).all()
    assert np.isfinite(fitted.distances(X)).all()
