from types import SimpleNamespace
from typing import Any, NamedTuple

import cripser
import gudhi
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from ripser import ripser

from pbow import Diagrams
from pbow.homology import rips
from pbow.io import (
    from_cripser,
    from_dionysus,
    from_giotto,
    from_gudhi,
    from_ripser,
    from_torch_topological,
    to_giotto,
    to_list,
)

inf = float("inf")


def in_order(points):
    return sorted(map(tuple, points))


def rips_by_gudhi(cloud, dim):
    return in_order(rips([cloud], dims=dim)[0])


def test_ripser_finds_what_gudhi_finds(rng):
    clouds = [rng.uniform(size=(n, 2)).astype(np.float32) for n in (3, 25)]
    results = [ripser(cloud, maxdim=1) for cloud in clouds]
    X = from_ripser(results)
    assert X.parts == ("H0", "H1")
    assert from_ripser([result["dgms"] for result in results]) == X
    for i, cloud in enumerate(clouds):
        for dim in (0, 1):
            found = in_order(X[i][f"H{dim}"])
            assert np.allclose(found, rips_by_gudhi(cloud, dim), rtol=1e-5)


def test_a_dimension_that_was_computed_is_a_part_even_if_empty():
    empty = np.empty((0, 2))
    assert from_ripser([[empty, empty]]).parts == ("H0", "H1")
    X = from_ripser([[empty], [empty, [[0.5, 1.0]]]])
    assert X["H1"].sizes.tolist() == [0, 1]
    assert from_ripser([[empty]], dims=(1,)).parts == ("H1",)


# An array as giotto-tda 0.6 lays it out (it needs a numpy older than ours): triples of
# birth, death and dimension, by dimension, where shorter diagrams are filled up with
# points on the diagonal.
GIOTTO = np.array(
    [
        [[0.0, 0.5, 0.0], [0.0, 0.75, 0.0], [0.25, 0.5, 1.0], [0.0, 0.0, 2.0]],
        [[0.0, 0.25, 0.0], [0.0, 0.0, 0.0], [0.25, 0.25, 1.0], [0.0, 0.0, 2.0]],
    ]
)


def test_padding_of_giotto_is_left_out():
    X = from_giotto(GIOTTO)
    assert (
        Diagrams.from_parts(
            {
                "H0": [[[0.0, 0.5], [0.0, 0.75]], [[0.0, 0.25]]],
                "H1": [[[0.25, 0.5]], []],
                "H2": [[], []],
            }
        )
        == X
    )
    assert from_giotto(GIOTTO, dims=1) == X["H1"]
    assert_array_equal(to_giotto(X), GIOTTO)


points = st.tuples(st.floats(-1e100, 1e100), st.floats(1e-9, 1e9) | st.just(inf))
above_diagonal = points.map(lambda p: (p[0], p[0] + p[1])).filter(lambda p: p[0] < p[1])


@given(st.data(), st.integers(1, 4))
def test_giotto_keeps_all_but_points_on_the_diagonal(data, n_samples):
    diagrams = st.lists(st.lists(above_diagonal, max_size=4), min_size=n_samples)
    parts = {dim: data.draw(diagrams)[:n_samples] for dim in ("H0", "H2")}
    X = Diagrams.from_parts(parts)
    array = to_giotto(X)
    assert array.shape[::2] == (n_samples, 3)
    assert from_giotto(array) == X


def test_giotto_without_samples():
    X = Diagrams.from_parts({"H0": [], "H1": []})
    assert to_giotto(X).shape == (0, 2, 3)
    assert from_giotto(to_giotto(X), dims=(0, 1)) == X


def test_diagrams_of_dionysus_are_read_by_their_place():
    points = [SimpleNamespace(birth=0.0, death=death) for death in (1.0, inf)]
    X = from_dionysus([[points, []], [[], points[:1]]])
    expected = {"H0": [[[0, 1], [0, inf]], []], "H1": [[], [[0, 1]]]}
    assert Diagrams.from_parts(expected) == X
    with pytest.raises(ValueError, match="Wrap one result in a list"):
        from_dionysus([points])


def test_superlevel_diagrams_of_dionysus_are_refused_with_advice():
    point = SimpleNamespace(birth=3.0, death=1.0)
    with pytest.raises(ValueError, match="For superlevel filtrations negate both"):
        from_dionysus([[[point]]])


class PersistenceInformation(NamedTuple):
    """As in torch-topological: a tuple over which one cannot iterate."""

    pairing: Any
    diagram: Any
    dimension: Any = None

    __iter__ = None


class Tensor:
    """What torch's tensors do here: no way to numpy but through detach and cpu."""

    def __init__(self, values):
        self.values = np.array(values, dtype=np.float32)
        self.ndim = self.values.ndim

    def detach(self):
        return SimpleNamespace(cpu=lambda: SimpleNamespace(numpy=lambda: self.values))


def test_persistence_information_is_read_by_its_dimension():
    loops = PersistenceInformation(None, Tensor([[0.5, 0.75]]), 1)
    components = PersistenceInformation(None, Tensor(np.empty((0, 2))), 0)
    X = from_torch_topological([[components, loops], [components]])
    assert Diagrams.from_parts({"H0": [[], []], "H1": [[[0.5, 0.75]], []]}) == X


def test_the_padding_of_a_batch_is_left_out():
    nan = float("nan")
    batch = Tensor(
        [
            [[nan, nan, nan], [0.0, 0.5, 0.0], [0.25, 0.5, 1.0]],
            [[0.0, 0.5, 0.0], [0.0, 0.0, 0.0], [0.0, 0.25, 0.0]],
        ]
    )
    X = from_torch_topological(batch)
    assert X["H0"].sizes.tolist() == [1, 3]
    assert X["H1"].sizes.tolist() == [1, 0]


def test_cripser_finds_what_gudhi_finds(rng):
    image = rng.uniform(size=(12, 15))
    result = cripser.computePH(image, maxdim=1)
    X = from_cripser([result])
    cubical = gudhi.CubicalComplex(vertices=image)
    cubical.compute_persistence(homology_coeff_field=2)
    for dim in (0, 1):
        expected = in_order(cubical.persistence_intervals_in_dimension(dim))
        assert np.allclose(in_order(X[0][f"H{dim}"]), expected)
    assert X["H0"].essential().sizes.tolist() == [1]
    with pytest.raises(ValueError, match="Wrap one result in a list"):
        from_cripser(result)


def test_infinity_of_cripser_may_have_lost_digits():
    for infinity in (1.7976931348623157e308, 1.797693e308, inf):
        assert from_cripser([[[0, 0.5, infinity]]])[0].tolist() == [[0.5, inf]]


def test_an_empty_result_of_cripser_is_an_empty_diagram():
    X = from_cripser([np.empty((0, 9)), [[1, 0.25, 0.5, 0, 0, 0, 0, 0, 0]]])
    assert Diagrams.from_list([[], [[0.25, 0.5]]], name="H1") == X


def test_lists_may_be_changed_without_harm():
    X = Diagrams.from_parts({"H0": [[[0, 1]], []], "H1": [[], [[1, 2]]]})
    samples = to_list(X)
    assert Diagrams.from_list(samples) == X
    samples[0]["H0"][0, 0] = 7.0
    assert X[0]["H0"].tolist() == [[0.0, 1.0]]
    assert to_list(X["H0"])[1].shape == (0, 2)
    assert Diagrams.from_list(to_list(X["H0"]), name="H0") == X["H0"]


HUGE = 10**400  # beyond every float


@pytest.mark.parametrize(
    ("convert", "result"),
    [
        (from_ripser, [[[0, HUGE]]]),
        (from_giotto, [[0, HUGE, 0]]),
        (from_giotto, [[0, 1, HUGE]]),
        (from_dionysus, [[SimpleNamespace(birth=0, death=HUGE)]]),
        (from_torch_topological, [SimpleNamespace(diagram=[[0, HUGE]], dimension=0)]),
        (from_torch_topological, [SimpleNamespace(diagram=[[0, 1]], dimension=HUGE)]),
        (from_cripser, [[0, 0, HUGE]]),
        (from_cripser, [[HUGE, 0, 1]]),
        (from_gudhi, [(0, (0, HUGE))]),
        (from_gudhi, [(HUGE, (0, 1))]),
        (from_gudhi, {HUGE: [[0, 1]]}),
    ],
)
def test_integers_beyond_every_float_are_our_error(convert, result):
    with pytest.raises(ValueError, match=r"too large|not an array of num|of 1329 bits"):
        convert([result])


information = PersistenceInformation
REFUSED = {
    from_ripser: [
        ({"dgms": [[[0.0, 1.0]]]}, r"got dict\. Wrap one result in a list: \[ripser"),
        ([np.array([[0.0, 1.0]]), np.empty((0, 2))], "Result 0 is ndarray.* Wrap one"),
        ([[[0.0, 1.0]], [[0.0, 2.0]]], "Result 0 is list.* Wrap one result"),
        ([{"diagrams": []}], "Result 0 is a dict without 'dgms'"),
        ([["text"]], "Result 0"),
        ([[[[0.0, 1.0], [2.0]]]], "Diagram 0 of part H0"),
    ],
    from_giotto: [
        (GIOTTO[0], r"got \(4, 3\)\. Wrap one sample: array\[None\]"),
        (GIOTTO[:, :, :2], r"\(n_samples, n_points, 3\); got \(2, 4, 2\)"),
        ([[[0.0, 1.0, 0.5]]], r"Result 0: Point 0 has dimension 0\.5"),
        ([[[np.nan, np.nan, np.nan]]], "Point 0 has dimension nan"),
        ([[[1.0, 0.5, 1]]], "dies before it is born"),
        ("array", "not an array of numbers"),
    ],
    from_torch_topological: [
        ([information(None, [[0, 1]], 0)], "Wrap that of one sample"),
        ([[[information(None, [[0, 1]], 0)]]], "one of several channels"),
        ([[information(None, [[0, 1]])]], "has dimension None; expected an int from 0"),
        ([[information(None, [[0, 1]], 1)] * 2], "several diagrams of dimension 1"),
        ([[information(None, "text", 1)]], "A diagram of result 0 is not"),
        (Tensor([[0.0, 1.0, 0.0]]), r"got \(1, 3\)\. Wrap one sample"),
        (Tensor([[[0.0, float("nan"), 0.0]]]), "NaN"),
        (7, "got int"),
    ],
}


def test_results_of_another_program_name_its_function():
    gudhi = [(1, (0.5, 1.0)), (0, (0.0, float("inf")))]
    message = r"results for from_ripser, got results of gudhi.*from_gudhi\(results\)"
    for results in ([gudhi], [{0: [[0, 1]]}]):
        with pytest.raises(ValueError, match=message):
            from_ripser(results)
    message = r"results for from_gudhi, got results of ripser.*from_ripser\(results\)"
    with pytest.raises(ValueError, match=message):
        from_gudhi([{"dgms": [[[0, 1]]]}])
    with pytest.raises(ValueError, match=r"from_ripser\(\[result\]\)"):
        from_gudhi({"dgms": [[[0, 1]]]})


@pytest.mark.parametrize("convert", REFUSED)
def test_what_is_not_a_list_of_results_is_refused(convert):
    for results, message in REFUSED[convert]:
        with pytest.raises(ValueError, match=message):
            convert(results)
