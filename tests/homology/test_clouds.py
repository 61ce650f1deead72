"""Checks of point clouds and distance matrices."""

import numpy as np
import pytest

from pbow.errors import ItemError
from pbow.homology._clouds import check_clouds, check_matrices

WRAP = (
    r"Expected a collection of .*, got {} rows of numbers.* Wrap a single {} in a list"
)


@pytest.mark.parametrize(
    ("check", "items", "message"),
    [
        (check_clouds, np.zeros((3, 2)), WRAP.format(3, "cloud")),
        (check_clouds, [[0, 1], [2, 3]], WRAP.format(2, "cloud")),
        (check_clouds, "points.csv", "Expected a collection of point clouds, got str"),
        (check_clouds, 3, "Expected a collection of point clouds, got int"),
        (check_matrices, np.zeros((3, 3)), WRAP.format(3, "matrix")),
        (check_matrices, 7, "Expected a collection of distance matrices, got int"),
    ],
)
def test_what_is_no_collection_is_refused(check, items, message):
    with pytest.raises(ValueError, match=message):
        check(items)


@pytest.mark.parametrize(
    ("check", "item", "message"),
    [
        (check_clouds, np.zeros(3), r"it has shape \(3,\); expected \(n_points, n_c"),
        (check_clouds, np.zeros((2, 2, 2)), r"it has shape \(2, 2, 2\)"),
        (check_clouds, np.zeros((2, 0)), r"it has shape \(2, 0\)"),
        (check_clouds, [[0, 0], [1]], "expected an array of numbers"),
        (check_clouds, [["a", "b"]], "expected real numbers; got list of dtype <U1"),
        (check_clouds, np.zeros((2, 2), complex), "got ndarray of dtype complex128"),
        (check_clouds, [[10**400, 1.5]], "got list of dtype object"),
        (check_clouds, np.ma.masked_equal([[0, 1]], 1), "it is a masked array"),
        (check_clouds, [[0, 0], [1, np.nan]], r"point 1 is \[1.0, nan\]; expected fin"),
        (check_clouds, [[0, np.inf]], r"point 0 is \[0.0, inf\]; expected finite"),
        (
            check_clouds,
            [[0, 0], [0, 1e-200]],
            r"within 1e-200 .* at least 1e-140\. Mul",
        ),
        (check_clouds, [[0, 1e200]], r"at most 1e\+100\. Remove or rescale"),
        (check_matrices, np.zeros((2, 3)), r"it has shape \(2, 3\).*squareform"),
        (check_matrices, np.zeros(3), r"it has shape \(3,\)"),
        (check_matrices, [["0", "1"], ["1", "0"]], "expected real numbers"),
        (check_matrices, [[0, 1], [2, 0]], r"\(0, 1\) is 1; .* the diagonal, 2"),
        (check_matrices, [[0, 1], [np.inf, 0]], r"\(0, 1\) is 1; .* inf\."),
        (check_matrices, [[0, 1], [1, 3]], r"entry \(1, 1\) is 3; expected 0\."),
        (check_matrices, [[0, -1], [-1, 0]], r"is -1; expected from 0 to 1e\+100"),
        (check_matrices, [[0, np.nan], [1, 0]], r"is nan; expected from 0"),
        (check_matrices, [[0, -np.inf], [-np.inf, 0]], r"is -inf; expected from 0"),
        (check_matrices, [[0, 1e200], [1e200, 0]], r"is 1e\+200; expected from 0"),
    ],
)
def test_a_bad_item_is_named_and_the_error_carries_its_place(check, item, message):
    with pytest.raises(ItemError, match=message) as caught:
        check([np.zeros((2, 2)), item])
    noun = "cloud" if check is check_clouds else "matrix"
    assert (caught.value.noun, caught.value.item) == (noun, 1)


def test_clouds_that_look_like_distances_are_pointed_out(rng):
    cloud = rng.normal(size=(9, 2))
    distances = np.linalg.norm(cloud[:, None] - cloud, axis=2)
    with pytest.warns(UserWarning, match='set metric="precomputed"'):
        check_clouds([distances])


def test_what_is_checked_is_contiguous_float64(rng):
    for array in check_clouds([np.asfortranarray(rng.normal(size=(4, 3))), [[1, 2]]]):
        assert array.flags.c_contiguous
        assert array.dtype == np.float64


def test_a_matrix_that_is_symmetric_up_to_rounding_becomes_symmetric(rng):
    matrix = np.abs(rng.normal(size=(5, 5)))
    matrix = matrix + matrix.T
    np.fill_diagonal(matrix, 0.0)
    (checked,) = check_matrices([matrix * (1 + 1e-15 * rng.normal(size=(5, 5)))])
    np.testing.assert_array_equal(checked, checked.T)
