"""Codebooks are tested by their words, borders and ellipses."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from tests.plotting.doubles import Double, of_words, view

from pbow import PersistenceBoW, StablePersistenceBoW
from pbow.codebook import GaussianCodebook
from pbow.plotting import plot_codebook

plt = pytest.importorskip("matplotlib.pyplot")


def borders(ax):
    return np.array(ax.collections[-2].get_segments())


def words_of(ax):
    return ax.collections[-1].get_offsets()


def test_words_are_dots_at_their_places(ragged):
    bow = PersistenceBoW(n_words=7, random_state=0).fit(ragged)
    ax = plot_codebook(bow)
    assert_array_equal(words_of(ax), bow.codebooks_["H1"].words)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("birth", "persistence")


def test_one_resolution_is_drawn(ragged):
    bow = PersistenceBoW(n_words=(2, 7), random_state=0).fit(ragged)
    coarse, fine = bow.codebooks_["H1"].resolutions
    assert_array_equal(words_of(plot_codebook(bow)), fine.words)
    ax = plot_codebook(bow, resolution=2)
    assert_array_equal(words_of(ax), coarse.words)
    assert len(borders(ax)) == 1


@pytest.mark.parametrize("covariance", ["diag", "tied"])
def test_ellipses_are_those_of_one_resolution_as_wide_as_they_are_used(
    ragged, covariance
):
    narrow, wide = (
        StablePersistenceBoW(
            (2, 6), covariance=covariance, temperature=t, random_state=0
        ).fit(ragged)
        for t in (1.0, 3.0)
    )
    for resolution in (2, 6):
        axes = [plot_codebook(bow, resolution=resolution) for bow in (narrow, wide)]
        sizes = [[(e.width, e.height) for e in ax.patches] for ax in axes]
        assert len(sizes[0]) == resolution
        assert_allclose(sizes[1], 3.0 * np.array(sizes[0]))


def test_a_border_is_halfway_between_two_words_and_ends_at_the_view():
    ax = plot_codebook(of_words([[1, 1], [3, 1]]))
    (border,) = borders(ax)
    assert_allclose(border[:, 0], [2, 2])
    assert_allclose(sorted(border[:, 1]), ax.get_ylim())


@pytest.mark.parametrize("scale", [(1.0, 1.0), (3.0, 0.2), (1e-6, 1e-7)], ids=str)
@pytest.mark.parametrize("n_words", [2, 3, 5, 40])
def test_points_of_a_border_have_two_nearest_words(rng, n_words, scale):
    words = rng.uniform(0, 1, size=(n_words, 2)) * scale
    ax = plot_codebook(of_words(words, scale))
    segments = borders(ax)
    assert len(segments) >= n_words - 1
    middles = segments.mean(axis=1)
    distances = np.linalg.norm((middles[:, None] - words) / scale, axis=2)
    nearest, second = np.sort(distances, axis=1)[:, :2].T
    assert_allclose(nearest, second, rtol=1e-6)
    low, high = view(ax)
    room = 1e-9 * (high - low)
    assert ((segments >= low - room) & (segments <= high + room)).all()


@pytest.mark.parametrize("scale", [(1.0, 1.0), (3.0, 0.2)], ids=str)
def test_a_border_is_between_points_of_two_cells_and_of_no_other(rng, scale):
    words = rng.uniform(0, 1, size=(6, 2))
    ax = plot_codebook(of_words(words, scale))
    low, high = view(ax)
    ends = rng.uniform(low, high, size=(300, 2, 2))
    nearest = np.linalg.norm((ends[:, :, None] - words) / scale, axis=3).argmin(axis=2)
    crossed = [any(_cross(pair, border) for border in borders(ax)) for pair in ends]
    assert_array_equal(crossed, nearest[:, 0] != nearest[:, 1])


def _cross(one, other):
    def side(line, point):
        along, to = line[1] - line[0], point - line[0]
        return along[0] * to[1] - along[1] * to[0]

    return (
        side(one, other[0]) * side(one, other[1]) < 0
        and side(other, one[0]) * side(other, one[1]) < 0
    )


@pytest.mark.parametrize("n_words", [1, 5])
def test_words_on_a_line_have_borders_between_them(n_words):
    segments = borders(plot_codebook(of_words([[0, k] for k in range(n_words)])))
    assert len(segments) == n_words - 1


def test_an_axis_that_counts_for_nothing_has_borders_across_the_other():
    ax = plot_codebook(of_words([[0, 1], [5, 2], [0, 3]], scale=(1.0, 1e-30)))
    assert_allclose(np.sort(borders(ax)[..., 1], axis=None), [1.5, 1.5, 2.5, 2.5])


def test_components_are_ellipses_of_one_standard_deviation():
    turned = np.array([[2.0, 1.0], [1.0, 2.0]])
    book = GaussianCodebook(
        np.array([0.5, 0.5]),
        np.array([[0.0, 1.0], [4.0, 2.0]]),
        np.array([np.diag([4.0, 9.0]), turned]),
        np.ones(2),
    )
    ax = plot_codebook(Double(book).fit())
    assert_array_equal(words_of(ax), book.means)
    for ellipse, mean, covariance in zip(
        ax.patches, book.means, book.covariances, strict=True
    ):
        # The drawn outline itself: Mahalanobis distance 1 all around.
        outline = ellipse.get_patch_transform().transform(
            [(np.cos(t), np.sin(t)) for t in np.linspace(0, 6, 13)]
        )
        apart = outline - mean
        squared = np.sum(apart @ np.linalg.inv(covariance) * apart, axis=1)
        assert_allclose(squared, 1.0)


def test_diagrams_are_drawn_below_and_the_sample_above_them(ragged):
    bow = PersistenceBoW(n_words=3, random_state=0).fit(ragged)
    ax = plot_codebook(bow, ragged, sample=[[0.5, 0.1], [-3, 0.2]])
    births, deaths = ragged.points.T
    expected = np.column_stack((births, deaths - births))
    assert_allclose(ax.collections[0].get_offsets(), expected)
    assert_allclose(ax.collections[1].get_offsets(), [[0.5, 0.1], [-3, 0.2]])
    low, high = view(ax)
    assert (low < [-3, 0]).all()
    assert (expected < high).all()
    below, above, _, words = ax.collections
    assert below.get_facecolor()[0][:3].tolist() != above.get_facecolor()[0].tolist()
    assert max(below.zorder, above.zorder) < words.zorder


def test_of_many_points_some_are_drawn(rng):
    births = rng.uniform(size=12_000)
    X = [np.column_stack((births, births + 1))]
    ax = plot_codebook(PersistenceBoW(n_words=2, random_state=0).fit(X), X)
    drawn = ax.collections[0].get_offsets()
    assert len(drawn) == 5000
    assert np.isin(drawn[:, 0], births).all()


def test_essential_points_are_no_dots():
    ax = plot_codebook(of_words([[0, 1], [2, 3]]), [[], [[0, np.inf]]])
    assert len(ax.collections[0].get_offsets()) == 0
    assert_allclose(words_of(ax), [[0, 1], [2, 3]])
