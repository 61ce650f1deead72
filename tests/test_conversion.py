"""What may stand for diagrams, and what is said of everything else."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from pbow import Diagrams, PersistenceBoW
from pbow.diagrams import check_diagrams
from pbow.errors import shown


@pytest.mark.parametrize(
    "container",
    [
        list,
        tuple,
        iter,
        lambda x: [d.tolist() for d in x],
        lambda x: np.array([*x, None], dtype=object)[:-1],
        lambda x: pytest.importorskip("pandas").Series(list(x)),
    ],
    ids=["list", "tuple", "iterator", "nested lists", "object array", "Series"],
)
def test_any_container_of_arrays_will_do(ragged, container):
    assert Diagrams.from_list(container(ragged), name="H1") == ragged
    assert check_diagrams(container(ragged)).parts == ("",)
    assert check_diagrams(container(ragged), parts=["H1"]) == ragged


def test_a_plain_array_of_equally_large_diagrams_will_do(rng):
    points = np.sort(rng.uniform(size=(4, 5, 2)), axis=2)
    assert_array_equal(check_diagrams(points)[2], points[2])


def test_columns_of_a_table_are_parts(ragged):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"H0": list(ragged[::-1]), "H1": list(ragged)})
    X = Diagrams.from_parts({"H0": ragged[::-1], "H1": ragged})
    assert check_diagrams(table) == X
    assert Diagrams.from_parts(table) == X
    assert check_diagrams(table[["H1", "H0"]], parts=("H0", "H1")) == X
    # As cross-validation does, with another index.
    assert check_diagrams(table.iloc[[4, 2]]) == X[[4, 2]]
    bow = PersistenceBoW(3, random_state=0)
    assert_array_equal(bow.fit_transform(table), bow.fit_transform(X))


@pytest.mark.parametrize(
    ("convert", "columns", "message"),
    [
        (check_diagrams, {"birth": [0.0], "death": [1.0]}, "one diagram per cell; got"),
        (check_diagrams, {0: [[]]}, "name of a part must be .* got 0"),
        (
            check_diagrams,
            {"H1": [[], None]},
            r"'H1', row 'b' is None.* diagram is \[\]",
        ),
        (check_diagrams, {"H1": [[], np.nan]}, r"'H1', row 'b' is nan.* diagram is \["),
        (
            check_diagrams,
            {"H0": [[], []], "label": [3, 5]},
            r"Column 'label' does not hold diagrams; leave it out: df\[\['H0'\]\]",
        ),
        (check_diagrams, {"y": ["a", "b"], "H0": [[], []]}, "Column 'y' does not hold"),
        (
            check_diagrams,
            {"sample": [0], "dim": [1], "birth": [0.0], "death": [1.0]},
            r"row per point\..*df\.groupby\('sample'\)",
        ),
        (check_diagrams, {"H1": [[], [[2, 1]]]}, "Diagram 1 of part H1 .* dies before"),
        (
            Diagrams.from_list,
            {"H1": [[]]},
            r"got a DataFrame\. Pass one of its columns",
        ),
    ],
)
def test_a_table_that_is_no_collection_is_named(convert, columns, message):
    n_rows = len(next(iter(columns.values())))
    table = pytest.importorskip("pandas").DataFrame(columns, index=[*"ab"][:n_rows])
    with pytest.raises(ValueError, match=message):
        convert(table)


def test_columns_of_a_table_have_different_names():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame([[[], []]], columns=["H1", "H1"])
    with pytest.raises(ValueError, match="different names of columns; got H1, H1"):
        check_diagrams(table)


def test_a_table_may_be_indexed_by_anything_and_so_are_its_features(ragged):
    pd = pytest.importorskip("pandas")
    names = [f"image{k:02d}" for k in range(30)][::-1]
    table = pd.DataFrame({"H0": list(ragged), "H1": list(ragged[::-1])}, index=names)
    bow = PersistenceBoW(2, random_state=0).set_output(transform="pandas")
    features = bow.fit_transform(table)
    assert list(features.index) == names
    assert list(features.columns) == ["h0_word0", "h0_word1", "h1_word0", "h1_word1"]
    X = Diagrams.from_parts({"H0": ragged, "H1": ragged[::-1]})
    assert_array_equal(features, bow.transform(X))
    # A subset of rows, as cross-validation takes it, in any order of the columns.
    assert_array_equal(
        bow.transform(table[["H1", "H0"]].iloc[[4, 2]]), features.iloc[[4, 2]]
    )


def test_numbers_in_object_arrays_are_numbers():
    boxed = np.array([[0, 1], [0, np.inf]], dtype=object)
    assert_array_equal(Diagrams.from_list([boxed])[0], [[0, 1], [0, np.inf]])


def test_an_empty_array_of_any_type_is_an_empty_diagram():
    empty = [np.empty((0, 2), kind) for kind in ("c16", "U3", "M8[s]", "?")]
    assert Diagrams.from_list(empty) == Diagrams.from_list([[], [], [], []])


@pytest.mark.skipif(
    np.finfo(np.longdouble).maxexp == 1024, reason="long doubles are doubles here"
)
def test_numbers_beyond_float64_are_not_taken_for_infinity():
    large = np.array([[0, "1e4000"]], np.longdouble)
    with pytest.raises(ValueError, match="Diagram 0 has a number beyond the range of"):
        check_diagrams([large])
    assert check_diagrams([np.array([[0, np.inf]], np.longdouble)]).has_essential


def test_samples_of_several_parts_make_a_collection(ragged):
    X = Diagrams.from_parts({"H0": ragged[::-1], "H1": ragged})
    assert Diagrams.from_list(list(X)) == X
    with pytest.raises(ValueError, match="Sample 1 has H0; sample 0 has H0, H1"):
        Diagrams.from_list([{"H0": [], "H1": []}, {"H0": []}])


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.zeros((3, 2)), r"got one array of shape \(3, 2\)\. Wrap a single diagram"),
        ([[0.0, 1.0], [0.5, 2.0]], r"list of points, the first one \(0\.0, 1\.0\)\. W"),
        (np.zeros((3, 5, 3)), r"padded array \(3, 5, 3\)\. Read those of gio"),
        (
            [[], [[0, 1, 2]]],
            r"Diagram 1 has shape \(1, 3\); expected \(n_poi",
        ),
        ([[["a", "b"]]], "Diagram 0 is not an array of numbers"),
        (
            [[["0", "1"]]],
            r"is not an array of numbers, but .* \(dtype <U1\)",
        ),
        ([np.array([[0, 1j]])], "not an array of numbers, but .*complex128"),
        (
            [[[0.0, None]]],
            r"not an array of numbers, .* Write inf for the death",
        ),
        ([[np.zeros((3, 2)), np.zeros((4, 2))]], "is a list of 2 arrays, as programs"),
        ([[np.zeros((0, 2)), [[0, 1], [0, 1], [0, 2]]]], "is a list of 2 arrays"),
        ([[(0, (0.0, 1.0)), (1, (0.2, 0.4))]], r"pbow\.io\.from_gudhi\(results\)"),
        ([(0, (0.0, 1.0)), (1, (0.2, 0.4))], r"pbow\.io\.from_gudhi\(\[result\]\)"),
        ([{0: [[0, 1]], 1: []}], r"pbow\.io\.from_gudhi\(results\)"),
        ({"dgms": [[]], "num_edges": 3}, r"pbow\.io\.from_ripser\(\[result\]\)"),
        ([{"dgms": [[]]}, {"dgms": [[]]}], r"pbow\.io\.from_ripser\(results\)"),
        ([[np.zeros((3, 2)), np.zeros((4, 2))]], r"pbow\.io\.from_ripser"),
        (np.zeros((5, 3)), r"pbow\.io\.from_giotto\(X\[None\]\)"),
        ([np.zeros((5, 3))], r"rips\(X\); those of .* pbow\.io\.from_giotto\(X\)"),
        (np.zeros((2, 5)), r"births and deaths, pass \[X\.T\]"),
        ([np.zeros((2, 5))], r"births and deaths, pass \[x\.T for x in X\]"),
        (np.zeros((5, 16)), "feature vectors are for classifiers"),
        (np.zeros((3, 8, 8)), "compute the diagrams first, by pbow.homology"),
        (
            [np.zeros((1, 2)), {"H1": []}],
            "Diagram 1 is a dict, but sample 0",
        ),
        ([np.ma.array([[0, 1]], mask=True)], "Diagram 0 is a masked array"),
        ([[[0, 1], [0]]], "Diagram 0 is not an array of numbers"),
        (["abc"], "Diagram 0 is not an array of numbers"),
        ("diagrams.csv", "Expected a collection of diagrams, got str 'diagrams.csv'"),
        ("diagrams.csv", r"pbow\.io\.read_diagrams reads files"),
        (7, "Expected a collection of diagrams, got int 7"),
        (None, "Expected a collection of diagrams, got NoneType"),
        ([[[0, 10**400]]], "Diagram 0 is not an array of numbers"),
        ([[[0, 10**5000]]], "Diagram 0 is .* list of numbers too long"),
        ([[0, 10**5000]], r"list of points, the first one a tuple of .*\. Wrap a"),
        (10**5000, "Expected a collection of diagrams, got int a number of 16610 bits"),
        ([Diagrams.from_list([[]])], r"is a collection itself\. Join them"),
        ([1.0, 2.0], r"Diagram 0 has shape \(\)"),
        (np.array(1.0), "Expected a collection of diagrams, got ndarray"),
    ],
    ids=shown,
)
def test_what_is_no_collection_of_diagrams_is_named(X, message):
    with pytest.raises(ValueError, match=message):
        check_diagrams(X)


def test_results_of_programs_name_the_function_that_reads_them():
    ripser = pytest.importorskip("ripser").ripser
    nx = pytest.importorskip("networkx")
    result = ripser(np.eye(5)[:, :3])
    with pytest.raises(ValueError, match=r"from_ripser\(\[result\]\)"):
        check_diagrams(result)
    with pytest.raises(ValueError, match=r"from_ripser\(results\)"):
        check_diagrams([result, result])
    with pytest.raises(ValueError, match=r"graph_sublevel\(graphs\)"):
        check_diagrams([nx.path_graph(3)])
