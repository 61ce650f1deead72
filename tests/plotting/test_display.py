"""The Display is tested by what it keeps, and by the words and colors it draws."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from tests.plotting.doubles import Double, legend, view

from pbow import PersistenceBoW, StablePersistenceBoW
from pbow.codebook import KMeansCodebook
from pbow.plotting import CodebookDisplay
from pbow.plotting._axes import COLORS

plt = pytest.importorskip("matplotlib.pyplot")
to_rgb = plt.matplotlib.colors.to_rgb

BOOK = KMeansCodebook(np.array([[0.0, 1.0], [1.0, 1.0], [0.0, 3.0]]), np.ones(2))
VECTORIZERS = [
    PersistenceBoW(n_words=5, random_state=0),
    StablePersistenceBoW(n_words=5, random_state=0),
]


def labels_for(X):
    return np.array(["even", "odd", "third"])[np.arange(len(X)) % 3]


def words_of(ax):
    """Words by their label."""
    return {
        dots.get_label(): dots.get_offsets()
        for dots in ax.collections
        if not dots.get_label().startswith("_")
    }


@pytest.mark.parametrize("vectorizer", VECTORIZERS, ids=lambda v: type(v).__name__)
def test_words_have_the_label_that_they_have_the_largest_share_in(ragged, vectorizer):
    y = labels_for(ragged)
    bow = vectorizer.fit(ragged)
    display = CodebookDisplay.from_estimator(bow, ragged, y)
    # The sentence that defines it, by the public transform.
    rows = type(bow)(**{**bow.get_params(), "normalize": None}).fit_transform(ragged)
    sums = np.array([rows[y == name].sum(axis=0) for name in display.labels])
    shares = sums / sums.sum(axis=1, keepdims=True)
    assert_allclose(display.shares, shares)
    assert_array_equal(display.word_labels, shares.argmax(axis=0))
    book = bow.codebooks_["H1"]
    words = book.words if isinstance(book, KMeansCodebook) else book.means
    drawn = words_of(display.ax_)
    assert list(drawn) == ["even", "odd", "third"]
    for k, name in enumerate(drawn):
        assert_array_equal(drawn[name], words[shares.argmax(axis=0) == k])


@pytest.mark.parametrize("vectorizer", VECTORIZERS, ids=lambda v: type(v).__name__)
@pytest.mark.parametrize(("resolution", "n_words"), [(None, 5), (2, 2)])
def test_shares_are_of_the_words_of_one_resolution(
    ragged, vectorizer, resolution, n_words
):
    y = labels_for(ragged)
    several, alone = (
        clone(vectorizer).set_params(n_words=n).fit(ragged) for n in ((2, 5), n_words)
    )
    display = CodebookDisplay.from_estimator(several, ragged, y, resolution=resolution)
    expected = CodebookDisplay.from_estimator(alone, ragged, y)
    assert_array_equal(display.shares, expected.shares)
    for name, words in words_of(expected.ax_).items():
        assert_array_equal(words_of(display.ax_)[name], words)


def test_a_mixture_without_a_scale_shares_points_by_posteriors(ragged):
    bow = StablePersistenceBoW(n_words=5, scale="posterior", random_state=0).fit(ragged)
    other = Double(bow.codebooks_["H1"]).fit()
    shares = [
        CodebookDisplay.from_estimator(one, ragged, labels_for(ragged)).shares
        for one in (bow, other)
    ]
    assert_array_equal(*shares)


def test_a_codebook_of_several_resolutions_is_no_single_figure():
    coarse = KMeansCodebook(BOOK.words[:2], BOOK.scale)
    both = KMeansCodebook.join([coarse, BOOK])
    with pytest.raises(ValueError, match=r"resolutions\[-1\]; got .* of 2, 3 words"):
        CodebookDisplay(both, [[0, 1]])


def test_labels_with_many_points_do_not_win_by_their_number():
    # Half of what "few" has is near the first word, and a quarter of "many".
    X = [[[0, 1], [0, 3]], [[0, 1]] * 10 + [[0, 3]] * 30]
    bow = PersistenceBoW(n_words=2, random_state=0).fit(X)
    display = CodebookDisplay.from_estimator(bow, X, ["few", "many"])
    assert_allclose(display.shares, [[0.5, 0.5], [0.25, 0.75]])
    assert display.labels[display.word_labels].tolist() == ["few", "many"]


def test_points_are_the_consolidated_diagram(ragged):
    bow = PersistenceBoW(n_words=3, random_state=0).fit(ragged)
    display = CodebookDisplay.from_estimator(bow, ragged)
    births, deaths = ragged.points.T
    assert_allclose(display.points, np.column_stack((births, deaths - births)))
    assert_array_equal(display.ax_.collections[0].get_offsets(), display.points)
    low, high = view(display.ax_)
    assert ((display.points > low) & (display.points < high)).all()


@pytest.mark.parametrize("vectorizer", VECTORIZERS, ids=lambda v: type(v).__name__)
def test_without_labels_words_are_alike_and_there_is_no_legend(ragged, vectorizer):
    display = CodebookDisplay.from_estimator(vectorizer.fit(ragged), ragged)
    assert display.labels is None
    assert display.shares is None
    assert display.word_labels is None
    assert display.ax_.get_legend() is None
    assert [len(words) for words in words_of(display.ax_).values()] == [5]


def test_ellipses_have_the_colors_of_their_words(ragged):
    bow = VECTORIZERS[1].fit(ragged)
    display = CodebookDisplay.from_estimator(bow, ragged, labels_for(ragged))
    assert len(set(display.word_labels)) > 1
    for ellipse, mean, k in zip(
        display.ax_.patches, display.codebook.means, display.word_labels, strict=True
    ):
        assert_allclose(ellipse.center, mean)
        assert_allclose(ellipse.get_edgecolor()[:3], to_rgb(COLORS[k]))
        assert_allclose(ellipse.get_facecolor()[:3], to_rgb(COLORS[k]))


def test_of_equal_shares_the_first_label_has_the_word_and_of_none_it_is_gray():
    shares = [[1.0, 0.5, 0.0], [1.0, 1.0, 0.0]]
    display = CodebookDisplay(BOOK, [[0, 1]], labels=["a", "b"], shares=shares).plot()
    assert display.word_labels.tolist() == [0, 1, -1]
    assert_array_equal(words_of(display.ax_)["none"], [[0, 3]])
    colors = {
        dots.get_label(): tuple(dots.get_facecolor()[0, :3])
        for dots in display.ax_.collections[-3:]
    }
    assert len(set(colors.values())) == 3
    red, green, blue = colors["none"]
    assert red == green == blue


def test_more_labels_than_colors_are_told_apart():
    n = 20
    words = np.column_stack((np.arange(n), np.ones(n)))
    book = KMeansCodebook(words.astype(float), np.ones(2))
    display = CodebookDisplay(book, words, labels=range(n), shares=np.eye(n)).plot()
    looks = {
        (tuple(dots.get_facecolor()[0]), dots.get_paths()[0].vertices.tobytes())
        for dots in display.ax_.collections[-n:]
    }
    assert len(looks) == n


def test_plot_can_be_called_again_in_axes_of_ones_own(ragged):
    bow = PersistenceBoW(n_words=3, random_state=0).fit(ragged)
    figure, (left, right) = plt.subplots(1, 2)
    display = CodebookDisplay.from_estimator(bow, ragged, labels_for(ragged), ax=left)
    assert display.ax_ is left
    assert display.plot(right) is display
    assert display.ax_ is right
    assert display.figure_ is figure
    assert plt.get_fignums() == [figure.number]
    for name, words in words_of(left).items():
        assert_array_equal(words_of(right)[name], words)


def test_essential_points_are_left_out():
    X = [[[0, 1], [0, np.inf]], [[2, np.inf]]]
    bow = PersistenceBoW(n_words=1, random_state=0).fit(X)
    display = CodebookDisplay.from_estimator(bow, X, ["a", "b"])
    assert_allclose(display.points, [[0, 1]])
    assert_array_equal(display.shares, [[1], [0]])
    # A label without points has its name in the legend nevertheless.
    assert legend(display.ax_) == ["a", "b"]
    nothing = CodebookDisplay.from_estimator(bow, X[1:], ["b"])
    assert nothing.points.shape == (0, 2)
    assert nothing.word_labels.tolist() == [-1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"points": [1, 2]}, "Expected points to be finite births and persistences"),
        ({"points": [[0, np.inf]]}, "Expected points to be finite"),
        ({"labels": ["a"]}, r"\(n_labels, n_words\) = \(1, 3\)"),
        ({"shares": np.ones((1, 3))}, "got labels None"),
        ({"labels": ["a"], "shares": [[1, 2]]}, r"= \(1, 3\)"),
        ({"labels": ["a"], "shares": [[1, 2, -3]]}, "none below 0"),
        ({"labels": "a", "shares": [[1, 2, 3]]}, "Expected labels"),
    ],
)
def test_what_a_display_is_made_of_is_checked(arguments, message):
    with pytest.raises(ValueError, match=message):
        CodebookDisplay(BOOK, **{"points": [[0, 1]], **arguments})


def test_labels_may_have_names(ragged):
    bow = PersistenceBoW(n_words=3, random_state=0).fit(ragged)
    y = np.where(np.arange(30) % 2, 3, 7)
    names = ["three", "seven"]
    display = CodebookDisplay.from_estimator(bow, ragged, y, label_names=names)
    assert display.labels.tolist() == [3, 7]
    assert legend(display.ax_)[:2] == display.label_names == names
    for options, message in (
        ({"y": y, "label_names": ["one"]}, "a sequence of 2 names, one per label"),
        ({"label_names": names}, "Expected label_names to be None without labels"),
    ):
        with pytest.raises(ValueError, match=message):
            CodebookDisplay.from_estimator(bow, ragged, **options)
