"""In a notebook estimators show their parameters, and codebooks their words."""

import re

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from pbow import PersistenceBoW, StablePersistenceBoW
from pbow.codebook import GaussianCodebook, KMeansCodebook
from pbow.kernels import WassersteinKernel


def rows_of(html):
    """Cells of a table, row by row, without the markup."""
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]


@pytest.mark.parametrize(
    "estimator",
    [
        PersistenceBoW(n_words=17),
        StablePersistenceBoW(n_words=17),
        WassersteinKernel(order=17),
        PersistenceBoW(n_words=17, random_state=0).fit([[[0, k] for k in range(30)]]),
        make_pipeline(PersistenceBoW(n_words=17), SVC()),
    ],
    ids=["hard", "soft", "kernel", "fitted", "pipeline"],
)
def test_estimators_show_their_parameters(estimator):
    html = estimator._repr_html_()
    names = [type(step).__name__ for _, step in getattr(estimator, "steps", [])]
    assert all(name in html for name in names or [type(estimator).__name__])
    assert "17" in html


def test_a_codebook_is_a_table_of_its_words():
    words = np.array([[0.125, 1.0], [2.0, 1 / 3]])
    html = KMeansCodebook(words, np.ones(2))._repr_html_()
    assert rows_of(html) == [
        ["word", "birth", "persistence"],
        ["0", "0.125", "1"],
        ["1", "2", "0.3333"],
    ]
    assert "KMeansCodebook: 2 words" in html


def test_components_have_weights_and_deviations():
    book = GaussianCodebook(
        np.array([0.25, 0.75]),
        np.array([[0.0, 1.0], [2.0, 3.0]]),
        np.array([np.diag([4.0, 9.0]), np.diag([1.0, 16.0])]),
        np.ones(2),
    )
    assert rows_of(book._repr_html_()) == [
        [
            "word",
            "weight",
            "birth",
            "deviation of birth",
            "persistence",
            "deviation of persistence",
        ],
        ["0", "0.25", "0", "2", "1", "3"],
        ["1", "0.75", "2", "1", "3", "4"],
    ]


@pytest.mark.parametrize(
    "book",
    [
        KMeansCodebook(np.array([[1.5]]), np.ones(1)),
        GaussianCodebook(np.ones(1), np.array([[1.5]]), np.ones((1, 1, 1)), np.ones(1)),
    ],
    ids=["hard", "soft"],
)
def test_words_on_the_line_of_births_have_no_persistence(book):
    html = book._repr_html_()
    assert ": 1 word<" in html
    heads, row = rows_of(html)
    assert "persistence" not in heads
    assert row[heads.index("birth")] == "1.5"
    assert len(row) == len(heads)


def test_of_many_words_the_first_and_the_last_are_shown_and_the_others_counted():
    words = np.column_stack((np.zeros(50), np.arange(50)))
    _, *rows = rows_of(KMeansCodebook(words, np.ones(2))._repr_html_())
    shown = [row[0] for row in rows]
    assert shown == [*map(str, range(10)), "30 more", *map(str, range(40, 50))]
