import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal

from pbow.compute.plane import IS_SADDLE, LATER_RUNS, locate_in_plane

few_values = st.sampled_from([-1.5, -5e-324, 0.0, 5e-324, 1 / 3, 2.0, np.inf])
any_values = st.floats(-1e100, 1e100).map(lambda x: x + 0.0)  # no -0.0
images = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=2, max_dims=2, max_side=7),
    elements=few_values | any_values,
)


def locate(image):
    """H0 and H1 as lists of birth, death, pixel of birth and pixel of death."""
    framed = np.pad(image, 1, constant_values=np.nan)
    scratch = np.empty((3, framed.size), np.int64)
    found = locate_in_plane(framed.ravel(), framed.shape[1], scratch)
    return [
        [(*p, *at) for p, at in zip(points.tolist(), pixels.tolist(), strict=True)]
        for points, pixels in (found[:2], found[2:])
    ]


def components_by_definition(entering, neighbors):
    """Pixels with which components are born, and those with which they die, in order.

    Each is the list of its pixels as they entered, of which the first tells its age.
    """
    age = {p: i for i, p in enumerate(entering)}
    component, pairs = {}, []
    for p in entering:
        component[p] = [p]
        touched = {component[q][0]: component[q] for q in neighbors(p) & set(component)}
        elder, *dying = sorted([*touched.values(), [p]], key=lambda c: age[c[0]])
        for younger in dying:
            pairs.append((younger[0], p))
            elder += younger
            component.update(dict.fromkeys(younger, elder))
    return pairs


def pairs_by_definition(image):
    """As `locate`, by components of pixels that entered, and of those that did not."""
    height, width = image.shape
    flat = image.ravel()
    by_value = sorted(range(image.size), key=lambda p: (flat[p], p))
    outside = -1

    def around(p, reach):
        if p == outside:
            return set()
        row, column = divmod(p, width)
        found = set()
        for i in (row - 1, row, row + 1):
            for j in (column - 1, column, column + 1):
                if 0 < abs(i - row) + abs(j - column) <= reach:
                    is_inside = 0 <= i < height and 0 <= j < width
                    found.add(i * width + j if is_inside else outside)
        return found

    components = components_by_definition(by_value, lambda p: around(p, 2) - {outside})
    in_reverse = [outside, *reversed(by_value)]
    holes = components_by_definition(in_reverse, lambda p: around(p, 1))
    return [
        sorted(
            (flat[a], flat[b], a, b if flat[b] < np.inf else -1)
            for a, b in pairs
            if flat[a] < flat[b]
        )
        for pairs in (components, [(b, a) for a, b in holes])
    ]


@given(image=images)
def test_points_and_pixels_match_the_definition(image):
    components, loops = locate(image)
    expected_components, expected_loops = pairs_by_definition(image)
    first = int(np.argmin(image))
    if image.ravel()[first] < np.inf:
        expected_components.append((image.ravel()[first], np.inf, first, -1))
    assert sorted(components) == sorted(expected_components)
    assert sorted(loops) == expected_loops


@pytest.mark.parametrize("scale", [1.0, 1 / 3])
def test_components_come_by_death_and_loops_by_birth_in_reverse(scale, rng):
    image = rng.integers(-30, 30, size=(40, 50)) * scale
    components, loops = locate(image)
    deaths = [(death, pixel) for _, death, _, pixel in components]
    births = [(birth, pixel) for birth, _, pixel, _ in loops]
    assert deaths[-1] == (np.inf, -1)
    assert deaths == sorted(deaths)
    assert births == sorted(births, reverse=True)
    assert len(births) > 99


def test_pixels_that_touch_at_corners_close_a_loop():
    image = np.array([[5.0, 1, 5], [1, 4, 1], [5, 1, 5]])
    components, loops = locate(image)
    assert components == [(1.0, np.inf, 1, -1)]
    assert loops == [(1.0, 4.0, 7, 4)]


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (5, 1), (4, 4)])
def test_of_equal_pixels_the_first_is_born_and_none_dies(shape):
    assert locate(np.full(shape, 3.0)) == [[(3.0, np.inf, 0, -1)], []]
    assert_array_equal(locate(np.full(shape, np.inf)), [[], []])


def test_saddles_are_pixels_with_two_runs_of_later_neighbors_or_more():
    n_runs = [int(runs).bit_count() for runs in LATER_RUNS]
    assert_array_equal(IS_SADDLE, np.array(n_runs) > 1)
    # Where values rise along all rows, there is none.
    (component,), holes = locate(np.arange(12.0).reshape(3, 4))
    assert component[:2] == (0.0, np.inf)
    assert holes == []
