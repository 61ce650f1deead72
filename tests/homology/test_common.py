"""The contract of all functions from data to diagrams."""

import sys
import threading
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow.errors import ItemError, ItemMemoryError, ParameterError
from pbow.homology import _memory, alpha, cubical, dtm_rips, rips, sparse_rips
from pbow.homology._common import check_items, make_diagrams

pytest.importorskip("gudhi")


def dtm(clouds, *args, k=1, **options):
    return dtm_rips(clouds, *args, k=k, **options)


OF_CLOUDS = {"rips": rips, "sparse_rips": sparse_rips, "alpha": alpha, "dtm_rips": dtm}
ALL = {**OF_CLOUDS, "cubical": cubical}


@pytest.fixture(params=OF_CLOUDS.values(), ids=OF_CLOUDS)
def of_clouds(request):
    """Every function from point clouds to diagrams."""
    return request.param


@pytest.fixture(params=ALL.values(), ids=ALL)
def homology(request):
    """Every function that takes a collection of arrays."""
    return request.param


@pytest.fixture
def arrays(rng):
    """Clouds and images alike."""
    return [rng.uniform(size=(n, 3)) for n in (3, 40, 0, 25, 60)]


def test_a_cloud_without_points_has_empty_diagrams(of_clouds):
    X = of_clouds([[], np.empty((0, 3)), [[1.0, 2.0]]])
    assert X["H0"].sizes.tolist() == [0, 0, 1]
    assert X["H0"][2].tolist() == [[0.0, np.inf]]
    assert X["H1"].sizes.tolist() == [0, 0, 0]


def test_no_items_give_no_samples(homology):
    X = homology([])
    assert len(X) == 0
    assert X.parts == ("H0", "H1")


def test_a_point_that_is_there_twice_counts_once(of_clouds):
    X = of_clouds([np.zeros((4, 2))])
    assert X["H0"][0].tolist() == [[0.0, np.inf]]
    assert X["H1"].sizes.tolist() == [0]


def test_points_on_a_line_have_no_loops(of_clouds):
    X = of_clouds([np.c_[np.arange(6.0) ** 2, np.zeros(6)], np.arange(5.0)[:, None]])
    assert X["H0"].sizes.tolist() == [6, 5]
    assert X["H1"].sizes.tolist() == [0, 0]


def test_parts_come_in_the_order_that_was_asked_for(homology, rng):
    cloud = rng.uniform(size=(10, 2))
    X = homology([cloud], dims=[1, 0])
    assert X.parts == ("H1", "H0")
    assert X[["H0", "H1"]] == homology([cloud], dims=(0, 1)) == homology([cloud])
    assert X["H1"] == homology([cloud], dims=np.int64(1))


def test_any_container_gives_the_same_diagrams(homology, rng):
    clouds = rng.uniform(size=(3, 12, 2))
    expected = homology(clouds)
    assert homology(list(clouds)) == expected
    assert homology(cloud for cloud in clouds) == expected
    assert homology(clouds.tolist()) == expected
    assert homology(np.asfortranarray(clouds)) == expected


@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_threads_do_not_change_the_diagrams(homology, arrays, n_jobs):
    assert homology(arrays, n_jobs=n_jobs) == homology(arrays)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_progress_bar_counts_the_items(homology, arrays, n_jobs, capsys):
    homology(arrays, n_jobs=n_jobs, progress=True)
    assert "0/5" in capsys.readouterr().err
    homology(arrays, n_jobs=n_jobs)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_does_not_wait_for_all_items(n_jobs):
    n_left, begun = threading.active_count(), []

    def one(item):
        begun.append(item)
        if item == 3:
            raise KeyboardInterrupt
        return [np.empty((0, 2))]

    with pytest.raises(KeyboardInterrupt):
        make_diagrams(
            one, range(10**5), [1], unit="items", n_jobs=n_jobs, progress=False
        )
    assert len(begun) < 10**5
    assert threading.active_count() == n_left


def test_the_input_stays_as_it_is(homology, rng):
    clouds = rng.uniform(size=(2, 10, 2))
    before = clouds.copy()
    homology(clouds)
    assert_array_equal(clouds, before)


def test_an_error_of_one_item_carries_its_noun_and_place(homology):
    with pytest.raises(ItemError, match="expected") as caught:
        homology([np.zeros((2, 2)), [[0.0, np.nan], [1.0, 2.0]]])
    noun = "image" if homology is cubical else "cloud"
    assert (caught.value.noun, caught.value.item) == (noun, 1)


def test_what_does_not_fit_into_memory_is_refused(homology, monkeypatch, rng):
    monkeypatch.setattr(_memory, "available_memory", lambda: 1e4)
    with pytest.raises(ItemMemoryError, match="1: it needs about") as caught:
        homology([rng.uniform(size=(5, 2)), rng.uniform(size=(200, 2))])
    assert caught.value.item == 1
    assert isinstance(caught.value, MemoryError)


def test_memory_that_one_item_lacks_stays_an_error_of_memory():
    def check(item):
        raise ItemMemoryError("component", 7, "it needs 3 TB.")

    with pytest.raises(ItemMemoryError, match="Component 7: it needs 3 TB") as caught:
        check_items([None], "graph", check)
    assert (caught.value.noun, caught.value.item) == ("graph", 0)


WHOLE = [(), (-1,), -1, (0.5,), "1", (True,), [[0], [1]], None, (1, 1), 10**400]
PRIMES = [0, 1, 4, -3, 9, 2.0, True, "2", None, 46_339, 10**5000]
AXES = [None, 1, "yes", [True], [True, 1], (True, True, True)]


@pytest.mark.parametrize(
    ("functions", "parameter", "expected", "values"),
    [
        (ALL, "dims", "one or more different ints >= 0", [*WHOLE, [10**5000]]),
        (ALL, "field", "a prime up to 46337", PRIMES),
        (ALL, "progress", "True or False", ["bar", None]),
        (
            ["rips", "sparse_rips", "dtm_rips"],
            "max_edge",
            "a number > 0 or None",
            [0, -1.0, np.nan, "1", True, [1.0], 10**400],
        ),
        (["rips"], "metric", "one of 'euclidean', 'precomputed'", ["manhattan"]),
        (
            ["sparse_rips"],
            "epsilon",
            "a number between 0 and 1",
            [0, 1, -0.5, 1.5, np.nan, "0.5", True, None],
        ),
        (["alpha"], "precision", "one of 'exact', 'fast', 'safe'", ["double"]),
        (["dtm_rips"], "k", "an int >= 1", [0, 2.0]),
        (["dtm_rips"], "q", "a number >= 1", [0.5, np.inf]),
        (["cubical"], "superlevel", "True or False", [None, 1, "yes"]),
        (["cubical"], "periodic", "True, False or one of these for each of 2", AXES),
    ],
)
def test_a_bad_parameter_is_named(functions, parameter, expected, values):
    for name, value in product(functions, values):
        items = np.eye(3)[None] if parameter == "periodic" else []
        message = f"Expected {parameter} to be {expected}"
        with pytest.raises(ParameterError, match=message) as caught:
            ALL[name](items, **{parameter: value})
        assert (caught.value.parameter, caught.value.value) == (parameter, value)


def test_the_largest_field_does_not_overflow(of_clouds, rng):
    cloud = rng.uniform(size=(20, 3))
    X = of_clouds([cloud], (0, 1, 2), field=46_337)
    assert of_clouds([cloud], (0, 1, 2), field=2) == X


@pytest.mark.parametrize("module", ["gudhi", "gudhi.sklearn"])
def test_without_gudhi_the_extra_is_named(monkeypatch, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=r'pip install "\.\[homology\]"'):
        (rips if module == "gudhi.sklearn" else alpha)([])


def test_an_old_gudhi_is_named(monkeypatch):
    monkeypatch.delattr("gudhi.sklearn.RipsPersistence")
    message = r"rips needs gudhi 3\.12 or later; this version has no gudhi\.sklearn"
    with pytest.raises(ImportError, match=message):
        rips([])
