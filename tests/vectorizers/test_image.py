import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import dblquad
from scipy.stats import multivariate_normal, norm

from pbow import Diagrams
from pbow.sampling import persistence_ramp
from pbow.vectorizers import PersistenceImage
from pbow.vectorizers.image import ImageFrame
from pbow.weighting import Ramp


def image_by_scipy(diagram, frame, n_births, n_persistences):
    """Integrals of normal densities over pixels, as Adams et al. define the image."""
    births, lives = diagram[:, 0], diagram[:, 1] - diagram[:, 0]
    weights = np.ones(len(diagram)) if frame.ramp is None else frame.ramp(lives)

    def masses(x, ends, n):
        edges = np.linspace(*ends, n + 1)
        return np.diff(norm.cdf(edges, x[:, np.newaxis], frame.bandwidth), axis=1)

    across = masses(births, frame.births, n_births)
    along = masses(lives, frame.persistences, n_persistences)
    return (across.T @ (weights[:, np.newaxis] * along)).ravel()


@pytest.mark.parametrize("weight", ["ramp", "linear", None])
@pytest.mark.parametrize("resolution", [20, (7, 12)])
@pytest.mark.parametrize("bandwidth", [None, 0.02, 0.3])
def test_pixels_are_integrals_of_weighted_gaussians(
    ragged, weight, resolution, bandwidth
):
    image = PersistenceImage(resolution, weight=weight, bandwidth=bandwidth)
    H = image.fit_transform(ragged)
    frame = image.frames_["H1"]
    shape = (20, 20) if resolution == 20 else resolution
    expected = [image_by_scipy(diagram, frame, *shape) for diagram in ragged]
    assert_allclose(H, expected, rtol=0, atol=1e-13)


def test_a_pixel_is_the_double_integral_of_the_density():
    box = ((0.0, 1.0), (0.0, 2.0))
    image = PersistenceImage((2, 2), box=box, bandwidth=0.4)
    H = image.fit_transform([[[0.3, 0.8], [0.6, 2.0]]]).reshape(2, 2)
    densities = [multivariate_normal(x, 0.4**2) for x in ([0.3, 0.5], [0.6, 1.4])]

    def density(persistence, birth):
        return sum(d.pdf([birth, persistence]) for d in densities)

    integral, _ = dblquad(density, 0.5, 1.0, 0.0, 1.0)
    assert_allclose(H[1, 0], integral, rtol=1e-9)


def test_the_box_goes_over_all_training_points(ragged):
    frame = PersistenceImage().fit(ragged).frames_["H1"]
    births, deaths = ragged.points.T
    longest = (deaths - births).max()
    assert frame.births == (births.min(), births.max())
    assert frame.persistences == (0.0, longest)
    area = (births.max() - births.min()) * longest / 20**2
    assert_allclose(frame.bandwidth, np.sqrt(area))
    assert frame.ramp is None


def test_weights_are_learnt_on_the_training_part(ragged):
    longest = (ragged.points[:, 1] - ragged.points[:, 0]).max()
    linear = PersistenceImage(weight="linear").fit(ragged)
    assert linear.frames_["H1"].ramp == Ramp(0.0, longest)
    ramp = PersistenceImage(weight="ramp").fit(ragged)
    assert ramp.frames_["H1"].ramp == persistence_ramp([ragged], (0.05, 0.95))
    narrow = PersistenceImage(weight="ramp", quantiles=(0.4, 0.6)).fit(ragged)
    assert narrow.frames_["H1"].ramp == persistence_ramp([ragged], (0.4, 0.6))


@pytest.mark.filterwarnings("ignore::pbow.errors.OutOfRangeWarning")
def test_a_point_outside_the_box_adds_what_its_gaussian_has_inside():
    image = PersistenceImage((1, 1), box=((0, 1), (0, 1)), bandwidth=0.5)
    image.fit([[[0.5, 1.0]]])
    outside, far = image.transform([[[1.5, 2.0]], [[90.0, 91.0]]])
    across = norm.cdf(-1) - norm.cdf(-3)
    assert_allclose(outside, across * (norm.cdf(1) - norm.cdf(-1)), rtol=1e-12)
    assert far == 0.0


def test_a_very_narrow_gaussian_is_a_point_and_a_very_wide_one_is_flat(ragged):
    point = PersistenceImage(5, bandwidth=1e-200).fit(ragged)
    H = point.transform(ragged)
    b, p = ragged.points[:, 0], ragged.points[:, 1] - ragged.points[:, 0]
    frame = point.frames_["H1"]
    expected = [
        np.histogram2d(b[i:j], p[i:j], 5, (frame.births, frame.persistences))[0].ravel()
        for i, j in pairwise(ragged.offsets)
    ]
    # Points on the border of the box are half outside it.
    inside = ~np.isin(b, frame.births) & ~np.isin(p, frame.persistences)
    whole = [inside[i:j].all() for i, j in pairwise(ragged.offsets)]
    assert 20 <= sum(whole) < len(whole)
    assert_array_equal(H[whole], np.array(expected)[whole])
    flat = PersistenceImage(5, bandwidth=1e6).fit_transform(ragged)
    assert_allclose(flat, flat[:, :1] * np.ones(25), rtol=1e-9)


@pytest.mark.parametrize(
    ("unit", "expected"),
    [("diagram", 0.09), ("pixel", 0.09 * 0.6), ("paper", np.sqrt(0.09 * 0.25))],
)
def test_a_bandwidth_has_a_unit(unit, expected):
    image = PersistenceImage((10, 4), bandwidth=0.09, bandwidth_unit=unit)
    image.fit([[[0.0, 1.0], [14.4, 14.9]]])  # pixels of 1.44 by 0.25
    assert_allclose(image.frames_[""].bandwidth, expected)


def test_the_papers_box_starts_at_zero_or_at_the_least_negative_birth():
    paper = PersistenceImage.paper(10, sigma=0.5, weight=None)
    frame = paper.fit([[[2.0, 3.0], [5.0, 5.5]]]).frames_[""]
    assert (frame.births, frame.persistences, frame.ramp) == ((0, 5), (0, 1), None)
    assert_allclose(frame.bandwidth, np.sqrt(0.05))
    assert paper.fit([[[-2.0, 3.0], [5.0, 5.5]]]).frames_[""].births == (-2, 5)
    assert paper.fit([[[-2.0, 3.0], [-1.0, 0.0]]]).frames_[""].births == (-2, -1)


def test_the_papers_image_of_shifted_births_is_the_same(ragged):
    # The program moves negative births to 0 before anything else.
    moved = Diagrams(ragged.points - 5.0, ragged.offsets)
    H = PersistenceImage.paper(10).fit_transform(moved)
    from_zero = Diagrams(moved.points - moved.points[:, 0].min(), moved.offsets)
    expected = PersistenceImage.paper(10).fit_transform(from_zero)
    assert_allclose(H, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("diagram", "births", "persistences"),
    [
        ([[0.0, 2.0], [0.0, 1.0]], (-1.0, 1.0), (0.0, 2.0)),
        ([[1.0, 1.0], [4.0, 4.0]], (1.0, 4.0), (0.0, 3.0)),
        ([[7.0, 7.0]], (6.5, 7.5), (0.0, 1.0)),
        ([[1.0, 1.0], [1.0 + 2e-16, 1.0 + 2e-16]], (0.5, 1.5), (0.0, 1.0)),
        ([[1e100, 1e100]], (1e100 - 5e87, 1e100 + 5e87), (0.0, 1e88)),
    ],
    ids=["births", "persistences", "both", "rounding", "huge"],
)
@pytest.mark.parametrize("weight", ["ramp", "linear", None])
def test_the_box_has_a_size_where_training_points_have_none(
    diagram, births, persistences, weight
):
    image = PersistenceImage(4, weight=weight).fit([diagram])
    frame = image.frames_[""]
    assert_allclose(frame.births, births, rtol=1e-15)
    assert frame.persistences == persistences
    assert np.isfinite(image.transform([diagram])).all()


@pytest.mark.parametrize(
    ("box", "high"), [("data", 3.0), (((0, 1), (-2, -1)), math.ulp(0.0))]
)
def test_a_linear_weight_is_zero_at_the_diagonal_also_if_all_points_are_there(
    box, high
):
    image = PersistenceImage(4, weight="linear", box=box)
    image.fit([[[1.0, 1.0], [4.0, 4.0]]])
    assert image.frames_[""].ramp == Ramp(0.0, high)
    assert not image.transform([[[2.0, 2.0]]]).any()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("births", (1.0, 0.0)),
        ("births", None),
        ("persistences", (0.0, "1")),
        ("bandwidth", 0.0),
        ("bandwidth", "1"),
        ("ramp", (0.0, 1.0)),
        ("ramp", "linear"),
    ],
)
def test_a_frame_that_makes_no_sense_is_refused(name, value):
    frame = ImageFrame((0.0, 1.0), (0.0, 1.0), 0.1, Ramp(0.0, 1.0))
    with pytest.raises(ValueError, match="Expected"):
        replace(frame, **{name: value})


def test_essential_points_have_a_line_of_their_own():
    X = Diagrams.from_list([[[0.0, np.inf], [0.0, 1.0]], [[2.0, np.inf]], []])
    image = PersistenceImage((4, 3), bandwidth=0.1, essential="separate")
    H = image.fit_transform(X)
    names = [f"pixel_{i}_{j}" for i in range(4) for j in range(3)]
    names += [f"inf_pixel_{i}" for i in range(4)]
    assert list(image.get_feature_names_out()) == names
    frame = image.frames_["_inf"]
    assert (frame.births, frame.persistences, frame.ramp) == ((0.0, 2.0), None, None)
    across = np.diff(norm(0.0, 0.1).cdf([0.0, 0.5, 1.0, 1.5, 2.0]))
    assert_allclose(H[:2, 12:], [across, across[::-1]], rtol=0, atol=1e-15)
    assert not H[2].any()


def test_columns_are_births_first():
    image = PersistenceImage((2, 3), box=((0, 2), (0, 3)), bandwidth=1e-9)
    H = image.fit_transform([[[1.5, 2.0], [0.5, 0.6], [0.5, 0.7]]])
    names = image.get_feature_names_out()
    assert H[0, list(names).index("pixel_1_0")] == 1.0


coordinates = st.floats(-1e100, 1e100) | st.floats(-2, 2) | st.just(0.0)
diagrams = st.lists(st.tuples(coordinates, coordinates).map(sorted), max_size=6)


@pytest.mark.filterwarnings("ignore::pbow.errors.OutOfRangeWarning")
@settings(max_examples=150)
@given(
    X=st.lists(diagrams, min_size=1, max_size=4).filter(any),
    Y=st.lists(diagrams, max_size=3),
    bandwidth=st.none() | st.floats(1e-300, 1e300),
    unit=st.sampled_from(["diagram", "pixel", "paper"]),
    weight=st.sampled_from(["ramp", "linear", None]),
    box=st.sampled_from(["data", "zero"]),
)
def test_no_diagram_gives_nan_or_more_mass_than_it_has(
    X, Y, bandwidth, unit, weight, box
):
    image = PersistenceImage(
        (5, 3), bandwidth=bandwidth, bandwidth_unit=unit, weight=weight, box=box
    ).fit(X)
    for Z in (X, Y):
        H = image.transform(Z)
        sizes = np.array([len(diagram) for diagram in Z])
        assert (H >= 0).all()
        assert (H.sum(axis=1) <= sizes * (1 + 1e-12)).all()


@pytest.mark.parametrize("unit", ["diagram", "pixel", "paper"])
@pytest.mark.parametrize("bandwidth", [5e-324, 7.5e-166, 1.7e308])
@pytest.mark.parametrize("size", [2.7e-244, 1.0, 1e100])
def test_an_image_has_any_bandwidth(bandwidth, unit, size):
    image = PersistenceImage(3, bandwidth=bandwidth, bandwidth_unit=unit)
    H = image.fit_transform([[[0.0, size], [0.5 * size, size]]])
    assert (H >= 0.0).all()
    assert H.sum() <= 2.0
    if bandwidth < 1e-100 and size >= 1.0 and unit != "paper":
        # Of a point on a corner of the box a quarter is inside, on a side a half.
        assert H.sum() == 0.75
