import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from pbow import Diagrams, PersistenceBoW
from pbow.vectorizers import PersistenceVLAD


def residuals_by_definition(diagram, book):
    """Sum, per word, the differences of the points that are nearest to it."""
    points = np.column_stack((diagram[:, 0], diagram[:, 1] - diagram[:, 0]))
    apart = (points[:, None] - book.words) / book.scale
    nearest = (apart**2).sum(axis=2).argmin(axis=1)
    sums = np.zeros((book.n_words, 2))
    for point, word in enumerate(nearest):
        sums[word] += apart[point, word]
    return sums


def test_the_descriptor_follows_the_authors_program(ragged):
    fitted = PersistenceVLAD.paper(4, random_state=0).fit(ragged)
    book = fitted.codebooks_["H1"]
    assert_array_equal(book.scale, 1.0)
    for diagram, row in zip(ragged, fitted.transform(ragged), strict=True):
        sums = residuals_by_definition(diagram, book)
        roots = np.sign(sums) * np.sqrt(np.abs(sums))
        roots /= np.maximum(np.linalg.norm(roots, axis=1, keepdims=True), 1e-12)
        expected = roots.ravel() / max(np.linalg.norm(roots), 1e-12)
        assert_allclose(row, expected, rtol=1e-10, atol=1e-10)


def test_differences_are_taken_in_whitened_coordinates(ragged):
    stretched = Diagrams(ragged.points * 1000.0, ragged.offsets)
    fitted = PersistenceVLAD(4, normalize=None, random_state=0).fit(stretched)
    book = fitted.codebooks_[""]
    expected = [residuals_by_definition(d, book).ravel() for d in stretched]
    assert_allclose(fitted.transform(stretched), expected, rtol=1e-10, atol=1e-12)
    plain = PersistenceVLAD(4, normalize=None, random_state=0).fit_transform(ragged)
    assert_allclose(fitted.transform(stretched), plain, rtol=1e-9, atol=1e-12)


def test_words_are_those_of_the_bag_of_words(ragged):
    vlad = PersistenceVLAD(4, random_state=0).fit(ragged).codebooks_["H1"]
    bow = PersistenceBoW(4, random_state=0).fit(ragged).codebooks_["H1"]
    assert_array_equal(vlad.words, bow.words)


def test_residuals_of_converged_words_add_up_to_zero(ragged):
    vlad = PersistenceVLAD(1, normalize=None, sample_size=None, random_state=0)
    assert_allclose(vlad.fit_transform(ragged).sum(axis=0), 0.0, atol=1e-10)


def test_a_word_on_every_distinct_point_leaves_no_residuals():
    X = [[[0.0, 0.1], [0.3, 0.7]], [[0.3, 0.7], [0.3, 0.7]], [[1.0, 1.3]]]
    for normalize in (None, "sqrt", "sqrt-l2", "sqrt-intra-l2"):
        vlad = PersistenceVLAD(3, normalize=normalize, random_state=0)
        assert not vlad.fit_transform(X).any()
