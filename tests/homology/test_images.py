import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal
from scipy import ndimage
from tests.homology.references import (
    assert_same_points,
    assert_values_at_locations,
    in_order,
    ranked,
)

from pbow.homology import _memory, cubical

gudhi = pytest.importorskip("gudhi")

# Small whole numbers: many pixels have the same value.
flat_images, deep_images = (
    hnp.arrays(
        np.float64,
        hnp.array_shapes(min_dims=n, max_dims=n, max_side=side),
        elements=st.integers(-2, 3).map(float),
    )
    for n, side in ((2, 7), (3, 4))
)


def cubical_by_definition(image, dim, periodic=False):
    """All faces of all pixels, then the textbook reduction."""
    if periodic:
        complex_ = gudhi.PeriodicCubicalComplex(
            top_dimensional_cells=image, periodic_dimensions=[True] * image.ndim
        )
    else:
        complex_ = gudhi.CubicalComplex(top_dimensional_cells=image)
    complex_.compute_persistence(homology_coeff_field=3)
    return in_order(complex_.persistence_intervals_in_dimension(dim).reshape(-1, 2))


@given(st.one_of(flat_images, deep_images))
def test_diagrams_match_the_definition(image):
    X = cubical([image], dims=(0, 1, 2))
    for dim in (0, 1, 2):
        expected = cubical_by_definition(image, dim)
        assert_array_equal(in_order(X[f"H{dim}"][0]), expected)


# Against cripser, in which pixels are the top cells of T-constructions


@pytest.fixture(scope="module")
def cripser():
    reason = "needs cripser to compare with"
    return pytest.importorskip("tcripser", reason=reason).computePH


def diagrams_of_cripser(compute, image, dims):
    rows = compute(np.ascontiguousarray(image, dtype=np.float64), maxdim=max(dims))
    births, deaths = rows[:, 1], rows[:, 2].copy()
    deaths[deaths > 1e300] = np.inf  # it writes the largest double
    found = []
    for dim in dims:
        keep = (rows[:, 0] == dim) & (births < deaths)
        found.append(in_order(np.column_stack((births[keep], deaths[keep]))))
    return found


@pytest.mark.parametrize(
    "file", ["heightmaps_gelsight_19cls_100px", "depth_pothole_patches64"]
)
def test_depth_maps_have_the_diagrams_of_cripser(cripser, data_home, file):
    with np.load(data_home / f"{file}.npz") as data:
        images = data["images"][::97].astype(np.float64)
    X = cubical(images, n_jobs=2)
    for sample, image in zip(X, images, strict=True):
        zero, one = diagrams_of_cripser(cripser, image, (0, 1))
        assert_array_equal(in_order(sample["H0"]), zero)
        assert_array_equal(in_order(sample["H1"]), one)


# What is stored


def test_pixels_that_touch_at_a_corner_are_connected():
    X = cubical([[[0, 9], [9, 0]]])
    assert X["H0"][0].tolist() == [[0.0, np.inf]]


def test_a_shell_encloses_a_void():
    shell = np.zeros((3, 3, 3))
    shell[1, 1, 1] = 4.0
    X = cubical([shell], dims=(1, 2))[0]
    assert X["H1"].tolist() == []
    assert X["H2"].tolist() == [[0.0, 4.0]]


def test_superlevel_diagrams_are_those_of_the_negated_image(rng):
    images = rng.integers(0, 9, size=(3, 10, 12))
    X = cubical(images, superlevel=True)
    assert cubical(-images.astype(float)) == X
    assert cubical([[[9, 1, 4]]], superlevel=True)["H0"][0].tolist() == [
        [-4.0, -1.0],
        [-9.0, np.inf],
    ]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int8, np.float32, bool])
def test_values_of_any_type_are_negated_as_numbers(dtype):
    image = np.array([[0, 1, 0, 1, 1]], dtype=dtype)
    X = cubical([image], 0, superlevel=True)
    assert X[0].tolist() == [[-1.0, 0.0], [-1.0, np.inf]]
    assert not np.signbit(X[0][0, 1])


def test_a_periodic_image_is_a_torus():
    flat = cubical(np.zeros((1, 4, 5)), dims=(0, 1, 2), periodic=True)[0]
    assert [len(points) for points in flat.values()] == [1, 2, 1]
    deep = cubical(np.zeros((1, 3, 4, 5)), dims=(0, 1, 2, 3), periodic=True)[0]
    assert [len(points) for points in deep.values()] == [1, 3, 3, 1]


def test_axes_are_periodic_one_by_one():
    stripes = [[[0.0, 5.0, 0.0]]]
    assert len(cubical(stripes, 0)[0]) == 2
    assert len(cubical(stripes, 0, periodic=[False, True])[0]) == 1
    assert len(cubical(stripes, 0, periodic=(True, False))[0]) == 2


@given(flat_images, st.integers(0, 6), st.integers(0, 6))
def test_a_periodic_image_has_no_edge(image, down, right):
    rolled = np.roll(image, (down, right), axis=(0, 1))
    X = cubical([image, rolled], dims=(0, 1, 2), periodic=True)
    for dim in (0, 1, 2):
        mine, moved = (in_order(diagram) for diagram in X[f"H{dim}"])
        assert_array_equal(mine, moved)
        assert_array_equal(mine, cubical_by_definition(image, dim, periodic=True))


@given(st.one_of(flat_images, deep_images), st.booleans(), st.booleans())
def test_infinite_pixels_never_enter(image, superlevel, periodic):
    dims = tuple(range(image.ndim))
    masked = image == 3.0
    sign = -1.0 if superlevel else 1.0
    X = cubical(
        [sign * np.where(masked, np.inf, image)],
        dims,
        superlevel=superlevel,
        periodic=periodic,
    )
    # The same with a value so high that nothing else comes near.
    high = cubical([np.where(masked, 1e6, image)], dims, periodic=periodic)
    for part in X.parts:
        points = high[part][0].copy()
        points = points[points[:, 0] < 1e6]
        points[points[:, 1] == 1e6, 1] = np.inf
        assert_array_equal(in_order(X[part][0]), in_order(points))


def test_an_image_of_nothing_has_empty_diagrams():
    nothing = [np.empty((0, 5)), [], np.full((3, 3), np.inf), np.empty((2, 0, 2))]
    X = cubical(nothing, dims=(0, 1, 2))
    assert [X[part].sizes.sum() for part in X.parts] == [0, 0, 0]


def test_one_pixel_is_one_component():
    assert cubical([[[7]]], 0)[0].tolist() == [[7.0, np.inf]]


# How it is called


def test_a_stack_in_space_and_a_list_are_the_same(rng):
    volumes = rng.normal(size=(2, 4, 5, 6))
    assert cubical(volumes) == cubical(list(volumes))


def test_images_may_differ_in_size_and_space(rng):
    shapes = [(3, 4), (9, 2), (2, 3, 4), (1, 1), (1, 6)]
    X = cubical([rng.normal(size=shape) for shape in shapes])
    assert len(X) == 5
    assert X["H0"].essential().sizes.tolist() == [1] * 5


def test_threads_do_not_change_the_diagrams_of_periodic_images(rng):
    images = [rng.normal(size=shape) for shape in [(30, 20), (0, 0), (5, 6, 7), (8, 8)]]
    expected = cubical(images, periodic=True)
    assert cubical(images, n_jobs=2, periodic=True) == expected


def test_superlevel_sets_leave_the_input_as_it_is(rng):
    images = rng.normal(size=(2, 5, 5))
    before = images.copy()
    cubical(images, superlevel=True)
    assert_array_equal(images, before)


@pytest.mark.parametrize(
    ("images", "message"),
    [
        (np.zeros((4, 5)), r"got one image of 4 rows\. Wrap a single image in a list"),
        ([[1, 2], [3, 4]], r"got one image of 2 rows\. Wrap a single image in a list"),
        ("photo.png", "Expected a collection of images, got str"),
        (7, "Expected a collection of images, got int"),
        (
            [np.zeros((2, 2)), np.zeros(3)],
            r"Image 1: it has shape \(3,\); expected \(h, w",
        ),
        ([np.zeros((2, 2, 2, 2))], r"Image 0: it has shape \(2, 2, 2, 2\)"),
        ([[[0, 1], [np.nan, 2]]], r"Image 0: pixel \(1, 0\) is nan; expected a num"),
        (
            [[[0]], [[0, -np.inf]]],
            r"Image 1: pixel \(0, 1\) is -inf; .* or inf where",
        ),
        ([np.full((1, 2, 2), 1e200)], r"Image 0: pixel \(0, 0, 0\) is 1e\+200; expe"),
        (
            [np.zeros((6, 5, 3), np.uint8)],
            r"Image 0: Shape \(6, 5, 3\) looks like that of a color image; .*"
            r"image\[\.\.\., :3\]\.mean\(axis=2\)",
        ),
        (np.zeros((2, 6, 5, 4)), "Image 0: .* looks like that of a color image"),
        (np.zeros((6, 5, 4)), r"^Shape \(6, 5, 4\) looks like that of a color"),
        ([np.ma.masked_equal([[1, 2], [3, 4]], 4)], r"Image 0: it is a masked array"),
        (
            ["a.png"],
            r"Image 0: expected real numbers; got str .* Read files first",
        ),
    ],
)
def test_bad_images_are_named(images, message):
    with pytest.raises(ValueError, match=message):
        cubical(images)


def test_an_image_in_space_may_have_three_columns():
    assert len(cubical([np.zeros((4, 5, 3))])) == 1
    assert len(cubical([np.zeros((4, 5, 3), np.int32)])) == 1


def test_a_mask_of_the_wrong_sign_is_named():
    with pytest.raises(ValueError, match=r"pixel \(0, 1\) is inf; .* or -inf where"):
        cubical([[[0.0, np.inf]]], superlevel=True)


@pytest.mark.parametrize("options", [{}, {"periodic": True}], ids=["plain", "periodic"])
@pytest.mark.parametrize("shape", [(40, 40), (12, 12, 12)])
def test_what_does_not_fit_is_refused(monkeypatch, shape, options):
    monkeypatch.setattr(_memory, "available_memory", lambda: 4e4)
    with pytest.raises(
        MemoryError, match=r"Image 1: it needs about .* Cut or coarsen it"
    ):
        cubical([np.zeros((2, 2)), np.zeros(shape)], **options)


def pairs_by_gudhi(image, dim, periodic):
    """Pixels of birth and death in gudhi's own pairs; those of one value left out."""
    complex_ = gudhi.PeriodicCubicalComplex(
        top_dimensional_cells=ranked(image), periodic_dimensions=periodic
    )
    complex_.compute_persistence(homology_coeff_field=2)
    finite, essential = complex_.cofaces_of_persistence_pairs()
    pairs = [tuple(p) for p in finite[dim].tolist()] if dim < len(finite) else []
    born = essential[dim].tolist() if dim < len(essential) else []
    # gudhi counts along the first axis first.
    pixels = np.arange(image.size).reshape(image.shape).ravel(order="F")
    flat = image.ravel()
    pairs = [(pixels[a], pixels[b]) for a, b in pairs]
    pairs = [(a, b if flat[b] < np.inf else -1) for a, b in pairs if flat[a] < flat[b]]
    return sorted(pairs + [(pixels[a], -1) for a in born])


@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("superlevel", [False, True])
@given(image=flat_images | deep_images)
def test_locations_are_the_pixels_of_gudhis_pairs(image, superlevel, periodic):
    options = {"dims": (0, 1, 2), "superlevel": superlevel, "periodic": periodic}
    X = cubical([image], return_locations=True, **options)
    assert_same_points(X, cubical([image], **options))
    filtered = 0.0 - image if superlevel else image
    for dim, name in enumerate(X.parts):
        assert_values_at_locations(X[name], [filtered])
        expected = pairs_by_gudhi(filtered, dim, [periodic] * image.ndim)
        found = sorted(map(tuple, X[name].locations_of(0)[:, :, 0].tolist()))
        assert found == expected


@pytest.mark.parametrize("scale", [1.0, 1 / 255, np.pi])
def test_locations_do_not_depend_on_how_many_bits_values_have(scale, rng):
    image = rng.integers(-9, 9, size=(20, 30))
    whole = cubical([image], return_locations=True)
    X = cubical([image * scale], return_locations=True)
    for name in X.parts:
        assert_values_at_locations(X[name], [image * scale])
        for one, other in zip(*(_pixels(Y[name]) for Y in (X, whole)), strict=True):
            assert one == other


@pytest.mark.parametrize("n_equal", [0, 2, 40_000])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_locations_in_large_images_are_the_pixels_of_gudhis_pairs(n_equal, sign, rng):
    image = ndimage.gaussian_filter(rng.normal(size=(200, 220)), 2)
    image[:, :20] = sign * 0.0
    minima = np.argsort(image.ravel())[:n_equal]
    image.ravel()[minima] = image.min()
    image[50:60, 50:60] = np.inf
    images = [image, np.empty((0, 0)), image[::-1]]
    X = cubical(images, return_locations=True)
    assert_same_points(X, cubical(images))
    for dim, name in enumerate(X.parts):
        assert_values_at_locations(X[name], images)
        for i in (0, 2):
            expected = pairs_by_gudhi(images[i], dim, [False, False])
            found = sorted(map(tuple, X[name].locations_of(i)[:, :, 0].tolist()))
            assert found == expected


def _pixels(part):
    return sorted(map(tuple, part.locations[:, :, 0].tolist()))


def test_masked_pixels_are_no_location(rng):
    image = rng.normal(size=(12, 12)).astype(np.float32).astype(float)
    image[3:6, 3:9] = np.inf
    for masked in (image, image * np.pi):
        X = cubical([masked], return_locations=True)
        assert_same_points(X, cubical([masked]))
        assert_values_at_locations(X["H1"], [masked])
        assert X["H1"].has_essential


def test_images_without_pixels_have_no_locations_and_several_images_their_own(rng):
    images = [rng.normal(size=(5, 6)), np.empty((0, 0)), rng.normal(size=(3, 3))]
    X = cubical(images, return_locations=True, n_jobs=2)
    assert_same_points(X, cubical(images))
    assert_values_at_locations(X["H0"], images)
    assert X["H0"].locations_of(1).shape == (0, 2, 1)
    assert cubical([], return_locations=True)["H0"].locations is None


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_locations_of_an_image_do_not_depend_on_the_others(n_jobs, rng):
    shapes = [(9, 9), (3, 4, 3), (4, 3, 3), (0, 0), (5, 6), (2, 3, 2), (7, 1)]
    images = [rng.integers(0, 5, size=shape) for shape in shapes]
    X = cubical(images, (1, 0, 2), return_locations=True, n_jobs=n_jobs)
    assert_same_points(X, cubical(images, (1, 0, 2)))
    for i, image in enumerate(images):
        alone = cubical([image], (1, 0, 2), return_locations=True)
        for name in X.parts:
            assert_array_equal(X[name][i], alone[name][0])
            assert_array_equal(X[name].locations_of(i), alone[name].locations_of(0))


def test_locations_need_more_memory(monkeypatch):
    image = np.zeros((30, 30))
    monkeypatch.setattr(_memory, "available_memory", lambda: 50.0 * image.size)
    cubical([image])
    with pytest.raises(MemoryError, match=r"Image 0: it needs about 49\.5 kB"):
        cubical([image], return_locations=True)


def test_return_locations_is_true_or_false():
    with pytest.raises(ValueError, match=r"return_locations.*True or False"):
        cubical([np.zeros((2, 2))], return_locations="yes")
