import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from pbow import Diagrams, PersistenceBoW
from pbow.codebook import KMeansCodebook
from pbow.encoding import encode_counts


def test_the_descriptor_follows_the_papers_definition(ragged):
    fitted = PersistenceBoW.paper(n_words=4, random_state=0).fit(ragged)
    words = fitted.codebooks_["H1"].words
    for diagram, row in zip(ragged, fitted.transform(ragged), strict=True):
        points = np.column_stack((diagram[:, 0], diagram[:, 1] - diagram[:, 0]))
        distances = np.linalg.norm(points[:, None] - words, axis=2)
        counts = np.bincount(distances.argmin(axis=1), minlength=4)
        expected = np.sqrt(counts) / max(np.sqrt(counts.sum()), 1e-12)
        assert_allclose(row, expected, rtol=1e-14)


def test_nearest_means_nearest_in_whitened_coordinates(ragged):
    stretched = Diagrams(ragged.points * 1000.0, ragged.offsets)
    fitted = PersistenceBoW(4, normalize=None, random_state=0).fit(stretched)
    book = fitted.codebooks_[""]
    points = np.column_stack(
        (stretched.points[:, 0], stretched.points[:, 1] - stretched.points[:, 0])
    )
    assert_allclose(book.scale, points.std(axis=0))
    apart = (points[:, None] - book.words) / book.scale
    labels = (apart**2).sum(axis=2).argmin(axis=1)
    counts = np.bincount(labels, minlength=4)
    assert_array_equal(fitted.transform(stretched).sum(axis=0), counts)
    plain = PersistenceBoW(4, normalize=None, random_state=0).fit_transform(ragged)
    assert_array_equal(fitted.transform(stretched), plain)


def test_the_papers_example_of_instability():
    # Two words, and a point that crosses their bisector by 2 epsilon (Section 3.1).
    book = KMeansCodebook(np.array([[0.0, 0.0], [1.0, 0.0]]), np.ones(2))
    for epsilon in (1e-1, 1e-6, 1e-15):
        right, left = 0.5 + epsilon, 0.5 - epsilon
        X = Diagrams.from_list([[[right, right]], [[left, left]]])
        assert_array_equal(encode_counts(X, book), [[0.0, 1.0], [1.0, 0.0]])


def test_a_point_counts_as_its_ramp(ragged):
    fitted = PersistenceBoW(3, point_weight="ramp", normalize=None, random_state=0)
    features = fitted.fit_transform(ragged)
    persistence = ragged.points[:, 1] - ragged.points[:, 0]
    low, high = np.quantile(persistence, (0.05, 0.95), method="hazen")
    ramp = fitted.ramps_["H1"]
    assert_allclose([ramp.low, ramp.high], [low, high], rtol=1e-12)
    weights = np.clip((persistence - low) / (high - low), 0, 1)
    totals = np.add.reduceat(np.append(weights, 0.0), ragged.offsets[:-1])
    totals[ragged.sizes == 0] = 0.0
    assert_allclose(features.sum(axis=1), totals, rtol=1e-12)


def test_weighted_sampling_puts_words_higher(ragged):
    plain, ramp = (
        PersistenceBoW(8, weighting=w, random_state=0).fit(ragged).codebooks_["H1"]
        for w in ("uniform", "ramp")
    )
    assert ramp.words[:, 1].mean() > 1.2 * plain.words[:, 1].mean()
