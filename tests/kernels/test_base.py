"""Contract of every kernel, beside that of every estimator."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from tests.estimators import KERNELS, one_per_class

from pbow import Diagrams
from pbow.errors import ParameterError
from pbow.kernels import LandscapeKernel, MultiScaleKernel

each_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=str)
FIRST_OF_CLASS = one_per_class(KERNELS)
each_class = pytest.mark.parametrize("kernel", FIRST_OF_CLASS, ids=str)


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
    D = pipeline[0].transform(ragged, out=tmp_path / "D.npy")
    assert_array_equal(D, expected)


@each_class
def test_a_finished_file_is_read_and_no_other_is_overwritten(kernel, ragged, tmp_path):
    fitted, path = clone(kernel).fit(ragged), tmp_path / "matrix.npy"
    expected = fitted.distances(ragged, out=path).copy()
    before = path.stat()
    assert_array_equal(fitted.distances(ragged, out=path), expected)
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    for other in (
        lambda: fitted.transform(ragged, out=path),
        lambda: fitted.distances(ragged[:-1], out=path),
        lambda: fitted.distances(ragged, ragged, out=path),
    ):
        with pytest.raises(FileExistsError, match="exists and is not this matrix"):
            other()
    assert_array_equal(np.load(path), expected)


class Counting(LandscapeKernel):
    """A kernel of one's own, whose distances are what it learns."""

    count_: float

    def _learn_parts(self, parts):
        return {"count_": float(sum(len(part.points) for part in parts.values()))}

    def _distances_need_fit(self):
        return True

    def _distance_tile(self, left, right, rows, columns):
        return np.full_like(
            super()._distance_tile(left, right, rows, columns), self.count_
        )


def test_a_matrix_on_disk_depends_on_all_that_is_learnt(ragged, tmp_path):
    path = tmp_path / "matrix.npy"
    kernel = Counting().fit(ragged)
    assert kernel.distances(ragged[:2], out=path)[0, 1] == len(ragged.points)
    with pytest.raises(FileExistsError, match="exists and is not this matrix"):
        kernel.fit(ragged[:5]).distances(ragged[:2], out=path)


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
    with pytest.raises(ValueError, match="Name the parts in both"):
        both.distances(X, list(ragged))
    D = one.distances(ragged, ragged)
    assert_array_equal(one.distances(ragged, list(ragged)), D)
    assert_array_equal(one.distances(list(ragged), ragged), D)


@each_class
def test_essential_points_are_dropped_by_default(kernel, ragged):
    with_essential = [np.concatenate((d, [[0.0, np.inf]])) for d in ragged]
    fitted = clone(kernel).fit(with_essential)
    assert_array_equal(
        fitted.transform(with_essential), clone(kernel).fit_transform(ragged)
    )
    alone = clone(kernel).fit(ragged).distances(ragged)
    assert_array_equal(fitted.distances(with_essential), alone)


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
    assert fitted.compared_ == ("", "_inf")
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
@pytest.mark.parametrize("parameter", ["essential", "output", "n_jobs"])
def test_bad_parameters_are_refused(kernel, ragged, parameter):
    wrong = clone(kernel).set_params(**{parameter: "similarity"})
    for call in (wrong.fit, wrong.distances):
        with pytest.raises(ParameterError, match=f"The '{parameter}' parameter"):
            call(ragged)


@each_class
def test_a_progress_bar_is_drawn_or_not(kernel, ragged, capsys):
    fitted = clone(kernel).fit(ragged)
    assert_array_equal(
        fitted.transform(ragged, progress=True), fitted.transform(ragged)
    )
    assert "pairs" in capsys.readouterr().err
    with pytest.raises(ParameterError, match="Expected progress to be True or False"):
        fitted.transform(ragged, progress="yes")


@pytest.mark.parametrize(
    "kernel", [k for k in FIRST_OF_CLASS if hasattr(k, "bandwidth")], ids=str
)
@pytest.mark.parametrize("bandwidth", [0.0, -1.0, np.nan, np.inf, "wide", True])
def test_a_bandwidth_is_a_positive_number(kernel, ragged, bandwidth):
    with pytest.raises(
        ValueError, match=r"'bandwidth' .* must be a number >.* or None"
    ):
        clone(kernel).set_params(bandwidth=bandwidth).fit(ragged)


@each_class
def test_no_rows_and_empty_diagrams_are_defined(kernel, ragged):
    fitted = clone(kernel).fit(ragged)
    assert fitted.transform([]).shape == (0, 30)
    assert fitted.distances([], ragged).shape == (0, 30)
    assert_array_equal(fitted.distances([[], []]), np.zeros((2, 2)))
