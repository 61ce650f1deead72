import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.model_selection import cross_val_predict, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils import _safe_indexing

from pbow import Diagrams, PersistenceBoW
from pbow.diagrams import CHECKED_AT_ONCE, check_diagrams


@pytest.fixture
def two_parts(ragged):
    return Diagrams.from_parts({"H0": ragged[::-1], "H1": ragged})


@pytest.mark.parametrize(
    "key",
    [
        slice(3, 9),
        slice(None, None, -2),
        slice(25, 99),
        slice(9, 3),
        [4, 4, 0],
        [-1, -30],
        [],
        np.array([5, 1]),
        np.array([], dtype=int),
        np.arange(30) % 2 == 0,
        [True] * 3 + [False] * 27,
        (np.array([5, 1]), ...),
        (slice(2, 4), ...),
    ],
    ids=str,
)
def test_a_subset_holds_the_same_diagrams(two_parts, key):
    rows = np.arange(30)[key]
    subset = two_parts[key]
    assert isinstance(subset, Diagrams)
    assert len(subset) == len(rows)
    for row, sample in zip(rows, subset, strict=True):
        for name in ("H0", "H1"):
            assert_array_equal(sample[name], two_parts[int(row)][name])


def test_one_sample_is_an_array_or_a_dict_of_arrays(ragged, two_parts):
    assert_array_equal(ragged[3], ragged.points[ragged.offsets[3] : ragged.offsets[4]])
    assert_array_equal(ragged[-1], ragged[29])
    assert_array_equal(ragged[np.int64(3)], ragged[3])
    assert list(two_parts[3]) == ["H0", "H1"]
    assert_array_equal(two_parts[3]["H1"], ragged[3])


@pytest.mark.parametrize(
    "key",
    [
        30,
        -31,
        [0, 30],
        np.ones(29, dtype=bool),
        1.5,
        slice(1.5),
        [[0], [0, 1]],
        [10**30],
    ],
    ids=str,
)
def test_an_index_out_of_range_is_refused(ragged, key):
    with pytest.raises(IndexError, match="Cannot index 30 samples"):
        ragged[key]


def test_a_two_dimensional_index_is_refused(ragged):
    with pytest.raises(IndexError, match=r"index of shape \(2, 2\)"):
        ragged[np.zeros((2, 2), dtype=int)]


def test_a_contiguous_range_and_a_sample_share_their_points(ragged):
    assert np.shares_memory(ragged[3:9].points, ragged.points)
    assert np.shares_memory(ragged[5], ragged.points)


def test_parts_are_selected_by_name(two_parts, ragged):
    assert two_parts["H1"] == ragged
    assert two_parts["H1", ...] == ragged
    assert two_parts[["H1", "H0"]].parts == ("H1", "H0")
    assert two_parts[("H1", "H0")].parts == ("H1", "H0")
    with pytest.raises(KeyError, match="no part 'H2'; there is H0, H1"):
        two_parts["H2"]
    with pytest.raises(ValueError, match="can be selected once; got H0, H0"):
        two_parts[["H0", "H0"]]
    with pytest.raises(ValueError, match=r"has parts H0, H1\. Select one first"):
        _ = two_parts.points


def test_scikit_learn_splits_a_collection_into_collections(two_parts):
    train, test = train_test_split(two_parts, test_size=6, random_state=0)
    assert isinstance(train, Diagrams)
    assert (len(train), len(test)) == (24, 6)
    assert isinstance(_safe_indexing(two_parts, [1, 2]), Diagrams)


def test_cross_validation_takes_a_collection_and_workers(two_parts):
    model = make_pipeline(PersistenceBoW(3, random_state=0), KNeighborsClassifier(1))
    y = np.arange(30) % 2
    alone = cross_val_predict(model, two_parts, y, cv=3)
    assert_array_equal(cross_val_predict(model, two_parts, y, cv=3, n_jobs=2), alone)


def test_flat_arrays_are_used_without_a_copy():
    points, offsets = np.array([[0.0, 1.0], [0.5, 2.0]]), np.array([0, 1, 1, 2])
    X = Diagrams(points, offsets, name="H0")
    assert np.shares_memory(X.points, points)
    assert points.flags.writeable
    # Loops trust offsets, so these are copied.
    offsets[1] = 10**9
    assert X.offsets[1] == 1
    assert_array_equal(X.sizes, [1, 0, 1])
    assert X.parts == ("H0",)


def test_a_collection_cannot_be_changed(ragged):
    with pytest.raises(ValueError, match="read-only"):
        ragged.points[0, 0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        ragged[3][0, 0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        ragged[[1, 2]].offsets[0] = 1
    for X in (ragged, ragged[3:5], ragged[[1, 2]], ragged.finite()):
        with pytest.raises(ValueError, match="WRITEABLE"):
            X.points.flags.writeable = True
    with pytest.raises(AttributeError):
        ragged.points = np.zeros((1, 2))
    with pytest.raises(TypeError, match="does not support item assignment"):
        ragged[0] = np.zeros((1, 2))


def test_equality_is_one_bool_over_names_and_points(ragged, two_parts):
    assert ragged == Diagrams.from_list(list(ragged), name="H1")
    assert ragged != Diagrams.from_list(list(ragged))
    assert ragged != Diagrams.from_list(list(ragged), name="H0")
    assert ragged != ragged[:-1]
    assert ragged != two_parts
    assert ragged != "H1"
    moved = ragged.points.copy()
    moved[-1, 1] += 1e-9
    assert ragged != Diagrams(moved, ragged.offsets, name="H1")


def test_concatenation_puts_samples_after_one_another(two_parts):
    whole = Diagrams.concatenate([two_parts[:7], two_parts[7:7], two_parts[7:]])
    assert whole == two_parts
    swapped = two_parts[["H1", "H0"]]
    assert Diagrams.concatenate([two_parts[:7], swapped[7:]]) == two_parts
    assert Diagrams.concatenate([two_parts]) is two_parts


def test_concatenation_says_what_does_not_fit(two_parts, ragged):
    with pytest.raises(ValueError, match="at least one collection"):
        Diagrams.concatenate([])
    with pytest.raises(
        ValueError, match="Collection 1 has parts H1, the first one has"
    ):
        Diagrams.concatenate([two_parts, ragged])
    with pytest.raises(TypeError, match="Collection 1 is list"):
        Diagrams.concatenate([ragged, [1]])


def test_pickling_keeps_everything_and_stays_read_only(two_parts):
    copy = pickle.loads(pickle.dumps(two_parts))
    assert copy == two_parts
    assert not copy["H1"].points.flags.writeable


def test_finite_and_essential_share_out_the_points():
    X = Diagrams.from_list([[[0, np.inf], [0, 1]], [], [[2, np.inf]]])
    assert repr(X) == "Diagrams(n_samples=3, 3 points (2 essential))"
    assert [d.tolist() for d in X.finite()] == [[[0, 1]], [], []]
    assert [d.tolist() for d in X.essential()] == [[[0, np.inf]], [], [[2, np.inf]]]
    assert X.finite().finite() == X.finite()
    assert len(X.finite().essential().points) == 0
    assert X.has_essential
    assert X[[0, 1]].has_essential
    assert not X[1:2].has_essential
    assert not X.finite().has_essential
    assert X.essential().essential() == X.essential()
    assert Diagrams.concatenate([X.finite(), X]).has_essential


def test_repr_tells_each_part(two_parts):
    assert repr(two_parts).startswith("Diagrams(n_samples=30, H0: ")
    html = Diagrams.from_parts({"<b>": [[[0, 1], [0, np.inf]], []]})._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
    assert "<caption>Diagrams: 2 samples</caption>" in html
    assert "<td>2</td><td>1</td><td>1</td>" in html


def test_the_table_has_the_ranges_of_births_and_of_finite_deaths():
    X = Diagrams.from_list([[[0.5, 3], [2, np.inf]], [[-1, 7]]], name="H1")
    assert "<td>-1 to 2</td><td>3 to 7</td>" in X._repr_html_()
    assert "<td>2 to 2</td><td>none</td>" in X.essential()._repr_html_()


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[], [[1.0, 0.5]]], r"Diagram 1 .* dies before .*=1, death=0\.5\)"),
        ([[], [[0, 1], [0, np.nan]]], r"Diagram 1 .* NaN .*death=nan"),
        ([[[np.nan, 1]]], "Diagram 0 has a point that is NaN"),
        ([[[-np.inf, 1]]], "Diagram 0 .* infinite birth .birth=-inf"),
        ([[[np.inf, np.inf]]], "infinite birth"),
        ([[[0, -np.inf]]], "dies before it is born"),
        ([[[0, 1.797e308]]], r"beyond 1e\+100 .*write inf"),
        ({}, "at least one part"),
        ([], "Found 0 diagrams while a minimum of 1 is required"),
    ],
    ids=str,
)
def test_bad_input_is_named(X, message):
    with pytest.raises(ValueError, match=message):
        check_diagrams(X, min_samples=1)


@pytest.mark.parametrize(
    ("points", "offsets", "message"),
    [
        (np.zeros((2, 3)), [0, 2], r"shape \(2, 3\)"),
        (
            np.zeros((2, 2)),
            [0, 1],
            r"0 to the number of points, 2; they go from 0 to 1",
        ),
        (np.zeros((2, 2)), [1, 2], "they go from 1 to 2"),
        (np.zeros((2, 2)), [0, 2, 1, 2], "decrease on the way"),
        (np.zeros((2, 2)), [0.0, 2.0], "float64"),
        (np.zeros((2, 2)), [], "expected integers"),
        ([["a", "b"]], [0, 1], r"Part \(unnamed\) is not an array of numbers"),
    ],
)
def test_bad_flat_input_is_named(points, offsets, message):
    with pytest.raises(ValueError, match=message):
        Diagrams(points, offsets)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"H0": [[]], "H1": [[], []]}, "H0 has 1, H1 has 2"),
        ({"H0": [[]], "h0": [[]]}, "'H0' and 'h0' differ by case only"),
        ({" ": [[]]}, "non-empty string"),
        ({"": [[]], "H1": [[]]}, r"several parts needs a name; got \(unnamed\), H1"),
        ({1: [[]]}, "non-empty string such as 'H1'; got 1"),
        ({10**5000: [[]]}, "such as 'H1'; got a number of 16610 bits"),
        ({"H\ud800": [[]]}, r"UTF-8 can encode; got 'H\\ud800'.* Rename the part"),
        ({"\ud800": [[[2, 1]]]}, "UTF-8 can encode"),  # before it is in any message
        ([[]], "Expected a dict"),
        ({"H1": [[], [[2, 1]]]}, "Diagram 1 of part H1"),
    ],
)
def test_bad_parts_are_named(parts, message):
    with pytest.raises(ValueError, match=message):
        Diagrams.from_parts(parts)


def test_wanted_parts_are_found_whatever_their_order(two_parts, ragged):
    swapped = check_diagrams(two_parts, parts=("H1", "H0"))
    assert swapped.parts == ("H1", "H0")
    assert check_diagrams(list(ragged), parts=("Ext1",)).parts == ("Ext1",)
    assert check_diagrams({"H0": list(ragged)}).parts == ("H0",)
    with pytest.raises(ValueError, match=r"H2 is missing and H0, H1 are unexpected"):
        check_diagrams(two_parts, parts=("H2",))
    with pytest.raises(ValueError, match="got H1: H0 is missing"):
        check_diagrams(ragged, parts=("H0", "H1"))


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12), st.data())
def test_any_rows_of_any_collection(sizes, data):
    X = Diagrams.from_list([np.full((k, 2), float(i)) for i, k in enumerate(sizes)])
    index = st.integers(-len(sizes), len(sizes) - 1)
    rows = data.draw(st.lists(index, max_size=8))
    for row, diagram in zip(rows, X[rows], strict=True):
        assert_array_equal(diagram, X[row])


@pytest.mark.parametrize("odd", [[[0], [0, 1]], [[[]], 1]])
def test_offsets_and_locations_that_are_no_array_are_named(odd):
    with pytest.raises(ValueError, match="Offsets are not an array of integers, but"):
        Diagrams([[0.0, 1.0]], odd)
    with pytest.raises(ValueError, match="Locations are not an array of integers, but"):
        Diagrams([[0.0, 1.0]], [0, 1], locations=odd)


def test_offsets_that_overflow_when_subtracted_are_refused():
    with pytest.raises(ValueError, match="decrease on the way"):
        Diagrams(np.zeros((2, 2)), [0, 2**63 - 1, -2, 2])


def test_a_bad_point_is_found_in_any_block_of_points():
    n = CHECKED_AT_ONCE + 10
    points = np.tile([0.0, 1.0], (n, 1))
    points[-3] = [2.0, 1.0]
    with pytest.raises(ValueError, match=r"Diagram 1 .* dies before"):
        Diagrams(points, [0, 5, n])
    points[-3] = [2.0, np.inf]
    assert Diagrams(points, [0, 5, n]).has_essential


@pytest.fixture
def unnamed():
    return Diagrams.from_list([[[0, 1]], []])


def test_the_part_of_a_list_has_no_name(unnamed):
    assert unnamed.parts == ("",)
    assert repr(unnamed) == "Diagrams(n_samples=2, 1 point)"
    assert unnamed[""] == unnamed
    assert unnamed == Diagrams.from_parts({"": [[[0, 1]], []]})
    assert unnamed == Diagrams([[0, 1]], [0, 1, 1])
    assert pickle.loads(pickle.dumps(unnamed)) == unnamed
    assert "<th>(unnamed)</th>" in unnamed._repr_html_()


def test_one_part_without_a_name_is_taken_for_another_single_one(unnamed):
    named = Diagrams.from_list([[[0, 1]], []], name="H1")
    assert check_diagrams(unnamed, parts=("H1",)) == named
    assert check_diagrams(named, parts=("",)) == unnamed
    assert check_diagrams(unnamed, parts=("",)) is unnamed
    with pytest.raises(ValueError, match="Expected parts H0, got H1: H0 is missing"):
        check_diagrams(named, parts=("H0",))


def test_what_to_do_about_other_parts_than_those_of_fit_is_said(two_parts):
    with pytest.raises(ValueError, match=r"H2 is missing.* Pass the parts that"):
        check_diagrams(two_parts, parts=("H0", "H1", "H2"))
    with pytest.raises(ValueError, match=r"H1 is unexpected.* Select the parts"):
        check_diagrams(two_parts, parts=("H0",))


def test_of_two_parts_each_has_a_name(unnamed, two_parts):
    for X, parts in ((unnamed, ("H0", "H1")), (two_parts, ("",))):
        with pytest.raises(ValueError, match=r"\(unnamed\).* Name the parts in both"):
            check_diagrams(X, parts=parts)
    with pytest.raises(
        ValueError, match=r"has parts \(unnamed\), the first one has H1"
    ):
        Diagrams.concatenate([check_diagrams(unnamed, parts=("H1",)), unnamed])


def test_a_part_of_what_has_no_names_is_an_error_that_says_how_to_name_it(unnamed):
    with pytest.raises(KeyError, match=r"Diagrams\.from_list\(X, name='H1'\)"):
        unnamed["H1"]


@pytest.mark.parametrize("name", [" ", 1, "H\ud800"])
def test_a_wanted_part_needs_a_good_name_too(unnamed, name):
    with pytest.raises(ValueError, match="name of a part must be"):
        check_diagrams(unnamed, parts=[name])


def located(sizes, name=None, width=1):
    """Points whose locations tell which they are: birth 10 i, death 10 i + 1."""
    n = sum(sizes)
    births = np.arange(n, dtype=float)
    deaths = np.where(births % 3 == 2, np.inf, births + 1)
    locations = np.full((n, 2, width), -1)
    locations[:, 0, 0] = 10 * births
    locations[:, 1, 0] = np.where(np.isinf(deaths), -1, 10 * births + 1)
    points = np.column_stack((births, deaths))
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    return Diagrams(points, offsets, name=name, locations=locations)


def assert_located(X):
    """Every point is still beside its own location."""
    assert X.locations.dtype == np.int64
    assert_array_equal(X.locations[:, 0, 0], 10 * X.points[:, 0])
    finite = np.isfinite(X.points[:, 1])
    assert_array_equal(X.locations[finite, 1, 0], 10 * X.points[finite, 0] + 1)
    assert (X.locations[~finite, 1] == -1).all()


@pytest.mark.parametrize(
    "change",
    [
        lambda X: X,
        lambda X: X[1:4],
        lambda X: X[4:1],
        lambda X: X[::-2],
        lambda X: X[[4, 0, 0]],
        lambda X: X[np.arange(5) != 1],
        lambda X: X[["H1", "H0"]],
        lambda X: X.finite(),
        lambda X: X.essential(),
        lambda X: X.finite().finite(),
        lambda X: X.finite().essential(),
        lambda X: Diagrams.from_parts({"H0": X["H1"], "H1": X["H0"]}),
        lambda X: Diagrams.concatenate([X[3:], X, X[:0]]),
        Diagrams.from_list,
        lambda X: Diagrams.from_list(X["H1"]),
        lambda X: pickle.loads(pickle.dumps(X)),
        copy.copy,
        copy.deepcopy,
        lambda X: check_diagrams(X, parts=["H1", "H0"]),
    ],
)
def test_points_keep_their_locations(change):
    parts = {"H0": located([2, 0, 3, 1, 4]), "H1": located([0, 7, 0, 0, 2], width=3)}
    X = change(Diagrams.from_parts(parts))
    for name in X.parts:
        assert_located(X[name])
        assert not X[name].locations.flags.writeable


def test_from_list_takes_diagrams_but_for_the_name():
    X = located([2, 1], name="H1")
    assert Diagrams.from_list(X).parts == ("",)
    assert Diagrams.from_list(X, name="H2").parts == ("H2",)


def test_locations_of_one_sample_are_a_view_beside_its_points():
    X = located([2, 0, 3])
    for i in (0, 1, 2, -1):
        assert_array_equal(X.locations_of(i)[:, 0, 0], 10 * X[i][:, 0])
    assert np.shares_memory(X.locations_of(2), X.locations)
    assert not X.locations_of(2).flags.writeable
    for sample in (3, -4, "a", 0.5):
        with pytest.raises(IndexError, match="Expected one of 3 samples"):
            X.locations_of(sample)


def test_without_locations_there_are_none(ragged, two_parts):
    assert ragged.locations is None
    assert ragged.locations_of(0) is None
    assert "located" not in repr(ragged)
    with pytest.raises(ValueError, match="Select one first"):
        two_parts.locations  # noqa: B018
    with pytest.raises(ValueError, match="Select one first"):
        two_parts.locations_of(0)


def test_concatenation_pads_narrow_locations_and_drops_them_where_some_have_none():
    X, Y = located([2], width=1), located([3], width=2)
    both = Diagrams.concatenate([X, Y])
    assert both.locations.shape == (5, 2, 2)
    assert (both.locations[:2, :, 1] == -1).all()
    assert_located(both)
    assert Diagrams.concatenate([X, Diagrams(Y.points, Y.offsets)]).locations is None


def test_repr_says_which_parts_are_located_and_equality_does_not_ask():
    X = located([2, 1], name="H1")
    plain = Diagrams(X.points, X.offsets, name="H1")
    assert repr(X) == "Diagrams(n_samples=2, H1: 3 points (1 essential, located))"
    assert repr(X[:1]) == "Diagrams(n_samples=1, H1: 2 points (located))"
    assert plain == X


@pytest.mark.parametrize(
    ("locations", "message"),
    [
        ([[[0], [1]]], r"Locations of part H1 are int64 of shape \(1, 2, 1\)"),
        (np.zeros((2, 2), int), r"expected integers of shape \(2, 2, k\)"),
        (np.zeros((2, 2, 0), int), "shape"),
        (np.zeros((2, 3, 1), int), "shape"),
        (np.zeros((2, 2, 1)), "are float64"),
        ([[[0], [1]], [[0], [-2]]], r"Diagram 1 of part H1 .* \[\[0\], \[-2\]\]"),
        (np.full((2, 2, 1), 2**64 - 1, np.uint64), "Diagram 0 of part H1"),
        ("nowhere", "expected integers"),
        ([[[0], [1]], [[-1], [-1]]], r"Diagram 1 of part H1 .* A birth has at least"),
        ([[[0, 1], [2, 3]], [[0, 1], [-1, 2]]], r"Diagram 1 .* followed by -1 where"),
    ],
    ids=str,
)
def test_bad_locations_are_named(locations, message):
    with pytest.raises(ValueError, match=message):
        Diagrams([[0, 1], [0, 2]], [0, 1, 2], name="H1", locations=locations)


def test_an_essential_point_dies_nowhere():
    points, offsets = [[0, 1], [0, np.inf]], [0, 0, 2]
    X = Diagrams(points, offsets, locations=[[[4], [5]], [[6], [-1]]])
    assert X.locations[:, 1, 0].tolist() == [5, -1]
    with pytest.raises(ValueError, match=r"Diagram 1 .*death=inf.* \[\[6\], \[7\]\]"):
        Diagrams(points, offsets, locations=[[[4], [5]], [[6], [7]]])


def test_locations_are_used_without_a_copy_and_their_owner_may_still_write():
    where = np.zeros((1, 2, 1), np.int64)
    X = Diagrams([[0, 1]], [0, 1], locations=where)
    assert np.shares_memory(X.locations, where)
    assert where.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        X.locations[0] = 1
