import pickle
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.mixture import GaussianMixture

from pbow.codebook import (
    GaussianCodebook,
    KMeansCodebook,
    _chunks,
    learn_gaussian,
    learn_kmeans,
)
from pbow.compute.tiles import TILE, tile

KMEANS = {"whiten": False, "n_init": 1, "seed": 0}
MIXTURE = {"covariance": "diag", **KMEANS}


@pytest.fixture
def sample(rng):
    centres = rng.uniform(size=(6, 2)) * [1.0, 20.0]
    blobs = [rng.normal(c, [0.03, 0.6], size=(200, 2)) for c in centres]
    return np.concatenate(blobs)


def words_of(codebook):
    return codebook.words if hasattr(codebook, "words") else codebook.means


each_learner = pytest.mark.parametrize(
    "learn",
    [
        lambda sample, n, **kw: learn_kmeans(sample, n, **KMEANS | kw),
        lambda sample, n, **kw: learn_gaussian(sample, n, **MIXTURE | kw),
        lambda sample, n, **kw: learn_gaussian(
            sample, n, **MIXTURE | {"covariance": "full"} | kw
        ),
        lambda sample, n, **kw: learn_gaussian(
            sample, n, **MIXTURE | {"covariance": "tied"} | kw
        ),
    ],
    ids=["k-means", "diagonal mixture", "full mixture", "tied words"],
)


@each_learner
@pytest.mark.parametrize("whiten", [True, False])
def test_words_are_sorted_by_persistence_and_frozen(sample, learn, whiten):
    codebook = learn(sample, 9, whiten=whiten)
    words = words_of(codebook)
    assert (np.diff(words[:, 1]) >= 0).all()
    assert codebook.n_words == 9
    with pytest.raises(ValueError, match="read-only"):
        words[0, 0] = 1.0
    with pytest.raises(AttributeError):
        codebook.scale = np.ones(2)


@each_learner
def test_the_same_seed_gives_the_same_bits(sample, learn):
    first, again, other = (words_of(learn(sample, 9, seed=s)) for s in (1, 1, 2))
    assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@each_learner
def test_whitening_makes_units_irrelevant(sample, learn):
    plain = learn(sample, 6, whiten=True, n_init=5)
    stretched = learn(sample * [64.0, 0.25], 6, whiten=True, n_init=5)
    assert_allclose(words_of(stretched), words_of(plain) * [64.0, 0.25], rtol=1e-9)
    assert_allclose(plain.scale, sample.std(axis=0))


@each_learner
def test_an_axis_without_spread_is_not_whitened(learn):
    sample = np.column_stack((np.full(50, 0.1), np.arange(50.0)))
    codebook = learn(sample, 5, whiten=True)
    assert codebook.scale[0] == 1.0
    assert_allclose(words_of(codebook)[:, 0], 0.1)


@each_learner
def test_of_fewer_distinct_points_than_words_each_is_a_word(learn):
    sample = np.repeat([[0.0, 1.0], [0.5, 2.0], [0.5, 3.0]], 10, axis=0)
    for n_words in (3, 4, 10**400):
        assert_allclose(words_of(learn(sample, n_words)), sample[::10], rtol=1e-12)


@each_learner
def test_resolutions_learnt_side_by_side_are_each_alone_to_the_last_bit(sample, learn):
    together = learn(sample, (1, 2, 5, 9))
    assert together.sizes == (1, 2, 5, 9)
    for book in together.resolutions:
        alone = learn(sample, book.n_words)
        for name in vars(alone):
            assert_array_equal(getattr(book, name), getattr(alone, name))


@pytest.mark.parametrize("covariance", ["diag", "full"])
def test_threads_learn_the_same_mixtures(rng, covariance):
    sample = rng.exponential(size=(5000, 2))  # enough for three threads
    options = MIXTURE | {"covariance": covariance}
    one, three = (
        learn_gaussian(sample, (10, 40, 100), **options, n_jobs=n) for n in (1, 3)
    )
    for name in ("weights", "means", "covariances"):
        assert_array_equal(getattr(one, name), getattr(three, name))


@pytest.mark.parametrize("n_points", [1, 2, 129, 20_000])
def test_whitening_divides_by_the_standard_deviations(rng, n_points):
    for n_dims in (1, 2):
        sample = rng.normal(3.0, 2.0, size=(n_points, n_dims))
        spread = sample.std(axis=0) if n_points > 1 else np.ones(n_dims)
        scale = learn_kmeans(sample, 1, **KMEANS | {"whiten": True}).scale
        assert_allclose(scale, spread, rtol=1e-12)


@each_learner
def test_resolutions_end_where_every_distinct_point_is_a_word(learn):
    sample = np.repeat([[0.0, 1.0], [0.5, 2.0], [0.5, 3.0]], 10, axis=0)
    assert learn(sample, (2, 5, 9)).sizes == (2, 3)
    assert learn(sample, (2, 3, 9)).sizes == (2, 3)


@each_learner
def test_resolutions_are_joined_and_split_without_loss(sample, learn):
    each = [learn(sample, n) for n in (2, 5, 9)]
    joined = type(each[0]).join(each)
    assert joined.sizes == (2, 5, 9)
    assert joined.n_words == 16
    for book, expected in zip(joined.resolutions, each, strict=True):
        assert book.sizes == expected.sizes
        for name in vars(expected):
            assert_array_equal(getattr(book, name), getattr(expected, name))
    assert each[0].resolutions == (each[0],)
    again = pickle.loads(pickle.dumps(joined))
    assert again.sizes == joined.sizes
    assert_array_equal(words_of(again), words_of(joined))


@pytest.mark.parametrize(
    "sizes", [(2,), (1, 1, 1), (2, 1), (0, 3), (-1, 4), (1.0, 2.0)]
)
def test_sizes_grow_and_count_the_words(sizes):
    with pytest.raises(ValueError, match="Expected increasing sizes of 3 words in all"):
        KMeansCodebook(np.ones((3, 2)), np.ones(2), sizes)


def test_a_temperature_widens_words_and_leaves_their_places_and_weights(sample):
    mixture = learn_gaussian(sample, 5, **MIXTURE)
    wide = mixture.widened(3.0)
    assert_array_equal(wide.covariances, 9.0 * mixture.covariances)
    assert_array_equal(wide.means, mixture.means)
    assert_array_equal(wide.weights, mixture.weights)
    assert_array_equal(mixture.widened(1.0).covariances, mixture.covariances)


@pytest.mark.parametrize("whiten", [True, False])
def test_tied_words_are_the_clusters_with_the_covariance_about_them(sample, whiten):
    options = KMEANS | {"whiten": whiten}
    words = learn_kmeans(sample, 6, **options).words
    tied = learn_gaussian(sample, 6, covariance="tied", **options)
    assert_array_equal(tied.means, words)
    scale = tied.scale
    apart = (sample[:, np.newaxis] - words) / scale
    nearest = np.square(apart).sum(axis=2).argmin(axis=1)
    apart = sample - words[nearest]
    assert_allclose(tied.weights, np.bincount(nearest) / len(sample))
    expected = apart.T @ apart / len(sample)
    assert (tied.covariances == tied.covariances[0]).all()
    assert_allclose(tied.covariances[0], expected, atol=1e-6)


@each_learner
@pytest.mark.parametrize("place", [[0.3, 0.7], [0.0, 0.0], [-1e99, 1e99], [1e-300, 0]])
def test_identical_points_have_one_word_where_they_are(learn, place):
    codebook = learn(np.tile(place, (20, 1)), 1)
    assert_allclose(words_of(codebook), [place])


@each_learner
def test_births_alone_make_a_codebook_on_the_line(rng, learn):
    births = np.concatenate((rng.normal(0, 0.1, 50), rng.normal(5, 0.1, 50)))[:, None]
    codebook = learn(births, 2, n_init=3)
    words = words_of(codebook)
    assert words.shape == (2, 1)
    assert_allclose(words[:, 0], [births[:50].mean(), births[50:].mean()], rtol=1e-6)


def test_more_starts_are_never_worse(sample):
    def inertia(codebook):
        apart = sample[:, None] - codebook.words
        return (apart**2).sum(axis=2).min(axis=1).sum()

    one, ten = (learn_kmeans(sample, 30, **KMEANS | {"n_init": n}) for n in (1, 10))
    assert inertia(ten) <= inertia(one)


@pytest.mark.parametrize("covariance", ["diag", "full"])
def test_the_mixture_is_as_likely_as_that_of_scikit_learn(sample, covariance):
    # Whitened, so that no variance is near the floor, which scikit-learn does not have.
    sample = sample / sample.std(axis=0)
    book = learn_gaussian(
        sample, 6, **MIXTURE | {"covariance": covariance, "n_init": 5}
    )
    theirs = GaussianMixture(6, covariance_type=covariance, n_init=5, random_state=0)
    expected = theirs.fit(sample).score(sample)
    ours = GaussianMixture(6, covariance_type="full")
    ours.weights_, ours.means_, ours.covariances_ = (
        book.weights,
        book.means,
        book.covariances,
    )
    ours.precisions_cholesky_ = np.linalg.cholesky(np.linalg.inv(book.covariances))
    assert ours.score(sample) > expected - 0.02
    assert book.weights.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("covariance", ["diag", "full"])
@pytest.mark.parametrize("whiten", [True, False])
def test_no_component_is_singular(rng, covariance, whiten):
    # Points on lines, and many more of them repeated: maximum likelihood is singular.
    line = np.column_stack((np.repeat(0.5, 300), rng.uniform(size=300)))
    slope = np.column_stack((np.linspace(0, 1, 300), np.linspace(0, 1, 300)))
    dots = np.repeat(rng.uniform(size=(10, 2)), 60, axis=0)
    sample = np.concatenate((line, slope, dots))
    book = learn_gaussian(
        sample, 25, **MIXTURE | {"covariance": covariance, "whiten": whiten}
    )
    scaled = book.covariances / (book.scale * book.scale[:, None])
    floor = 1e-4 * (sample / book.scale).var(axis=0).max()
    assert (np.linalg.eigvalsh(scaled) > 0.99 * floor).all()
    assert (book.weights > 0).all()
    if covariance == "diag":
        assert (book.covariances[:, 0, 1] == 0).all()


@each_learner
@pytest.mark.parametrize(
    ("sample", "options", "message"),
    [
        (np.empty((0, 2)), {}, r"at least one point.*shape \(0, 2\)"),
        (np.zeros((5, 3)), {}, r"shape \(5, 3\)"),
        (np.zeros(5), {}, r"shape \(5,\)"),
        (np.array([[0.0, np.nan]]), {}, "array of finite numbers"),
        ([[10**400, 0.0]], {}, "sample to be an array of finite numbers"),
        ([[1e200, 0.0]], {}, r"sample between .* got 1e\+200"),
        (np.zeros((5, 2)), {"n_init": 0}, "n_init to be an int >= 1; got 0"),
    ],
)
def test_a_sample_that_nothing_can_be_learnt_from_is_named(
    learn, sample, options, message
):
    with pytest.raises(ValueError, match=message):
        learn(sample, 1, **options)
    for n_words in (0, (), (2, 2), (3, 2), (1, 2.5), "auto"):
        with pytest.raises(ValueError, match="Expected n_words to be an int >= 1, or"):
            learn(np.zeros((5, 2)), n_words)


HARD = {"words": [[0.0, 1.0], [0.0, 2.0]], "scale": [1.0, 1.0]}
SOFT = {
    "weights": [0.5, 0.5],
    "means": [[0.0, 1.0], [0.0, 2.0]],
    "covariances": [np.eye(2), np.eye(2)],
    "scale": [1.0, 1.0],
}
BIRTHS = [
    KMeansCodebook([[0.5], [1.5]], [2.0]),
    GaussianCodebook([0.5, 0.5], [[0.5], [1.5]], np.ones((2, 1, 1)), [2.0]),
]
HOSTILE = [None, "1.0", {}, [[]], 10**400, [[0.0, np.inf]], np.ones((2, 2, 2, 2)), True]


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: f"{value!r:.20}")
@pytest.mark.parametrize(
    ("cls", "name"),
    [(KMeansCodebook, n) for n in HARD] + [(GaussianCodebook, n) for n in SOFT],
)
def test_whatever_comes_is_a_codebook_or_a_value_error(cls, name, value):
    with pytest.raises(ValueError, match="Expected"):
        cls(**(HARD if cls is KMeansCodebook else SOFT) | {name: value})


@pytest.mark.parametrize(
    ("cls", "arrays", "message"),
    [
        (KMeansCodebook, {"words": np.empty((0, 2))}, r"got \(0, 2\)"),
        (KMeansCodebook, {"words": [0.0, 1.0]}, r"got \(2,\)"),
        (KMeansCodebook, {"scale": [1]}, r"scale of shape \(2,\); got \(1,\)"),
        (KMeansCodebook, {"scale": [1, 0]}, "scale between 1e-110 and 4e\\+100; got 0"),
        (KMeansCodebook, {"scale": [1, 1e200]}, "scale between .* got 1e\\+200"),
        (KMeansCodebook, {"words": [[0.0, 1e200]]}, "words between .* got 1e\\+200"),
        (GaussianCodebook, {"weights": [1.0, 0.0]}, "weights between .* got 0"),
        (GaussianCodebook, {"weights": [1.0, 1.5]}, "weights between .* got 1.5"),
        (GaussianCodebook, {"covariances": [np.eye(2)]}, r"got \(1, 2, 2\)"),
        (
            GaussianCodebook,
            {"covariances": [np.eye(2), 1e-230 * np.eye(2)]},
            "variances between .* got 1e-230",
        ),
        (
            GaussianCodebook,
            {"covariances": [np.eye(2), [[1, 1], [1, 1]]]},
            "covariance of word 1 is not symmetric and positive definite",
        ),
        (
            GaussianCodebook,
            {"covariances": [[[1, 0.1], [0.2, 1]], np.eye(2)]},
            "covariance of word 0 is not symmetric and positive definite",
        ),
    ],
    ids=str,
)
def test_numbers_that_no_diagrams_lead_to_are_refused(cls, arrays, message):
    with pytest.raises(ValueError, match=message):
        cls(**(HARD if cls is KMeansCodebook else SOFT) | arrays)


def test_words_of_essential_classes_are_births_only():
    assert [book.births_only for book in BIRTHS] == [True, True]
    assert not KMeansCodebook(**HARD).births_only
    assert not GaussianCodebook(**SOFT).births_only


def test_the_grid_is_made_once_and_not_pickled():
    book = KMeansCodebook(**HARD)
    assert not book.has_grid
    assert book.grid is book.grid
    assert book.has_grid
    assert not pickle.loads(pickle.dumps(book)).has_grid


@pytest.mark.parametrize(
    ("book", "heads", "rows"),
    [
        (
            KMeansCodebook([[0.125, 1.0], [2.0, 1 / 3]], [1.0, 1.0]),
            ["word", "birth", "persistence"],
            [["0", "0.125", "1"], ["1", "2", "0.3333"]],
        ),
        (
            GaussianCodebook([1.0], [[2.0, 3.0]], [np.diag([1.0, 16.0])], [1.0, 1.0]),
            [
                *("word", "weight", "birth", "deviation of birth"),
                *("persistence", "deviation of persistence"),
            ],
            [["0", "1", "2", "1", "3", "4"]],
        ),
        (KMeansCodebook([[1.5]], [1.0]), ["word", "birth"], [["0", "1.5"]]),
        (
            GaussianCodebook([1.0], [[1.5]], [[[4.0]]], [1.0]),
            ["word", "weight", "birth", "deviation of birth"],
            [["0", "1", "1.5", "2"]],
        ),
    ],
    ids=["hard", "soft", "hard births", "soft births"],
)
def test_a_notebook_shows_a_row_per_word(book, heads, rows):
    html = book._repr_html_()
    found = [re.findall(r"<t[hd]\b[^>]*>(.*?)</t", row) for row in html.split("</tr>")]
    assert found[:-1] == [heads, *rows]
    assert f"{type(book).__name__}: {len(rows)} word{'s' * (len(rows) > 1)}<" in html


def test_of_many_words_a_notebook_shows_the_first_and_the_last():
    book = KMeansCodebook(np.arange(100.0).reshape(50, 2), [1.0, 1.0])
    shown = re.findall(r"<tr><t[hd].*?>(.*?)</t", book._repr_html_())
    expected = ["word", *map(str, range(10)), "30 more", *map(str, range(40, 50))]
    assert shown == expected


@each_learner
def test_threads_do_not_change_the_words(rng, learn):
    sample = rng.gamma(1.0, size=(9_000, 2))
    one, *others = (learn(sample, (5, 240), n_jobs=n_jobs) for n_jobs in (1, 2, 3))
    assert all(pickle.dumps(other) == pickle.dumps(one) for other in others)


def test_chunks_of_points_cover_them_once(rng):
    for n_points, n_words, n_chunks in ((1, 1, 1), (10_000, 100, 1), (12_345, 999, 12)):
        _, tiles = tile(rng.normal(size=(n_points, 2)))
        chunks = list(_chunks(tiles, n_points, n_words))
        assert len(chunks) == n_chunks
        assert sum(densities.shape[1] for _, densities in chunks) == n_points
        for some, densities in chunks:
            assert len(some.boxes) == -(-densities.shape[1] // TILE)
        assert_array_equal(np.concatenate([some.x for some, _ in chunks]), tiles.x)
