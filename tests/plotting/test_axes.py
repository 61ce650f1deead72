"""Without matplotlib pbow.plotting is imported, and every picture names the extra."""

import sys

import pytest

from pbow import PersistenceBoW
from pbow.plotting import (
    plot_barcode,
    plot_class_difference,
    plot_codebook,
    plot_confusion,
    plot_diagram,
)
from pbow.plotting._axes import COLOURS

X = [[[0, 1], [2, 5]], [[0, 2]]]


@pytest.fixture(scope="module")
def bow():
    return PersistenceBoW(n_words=2, random_state=0).fit(X)


@pytest.mark.parametrize(
    "draw",
    [
        lambda bow: plot_diagram(X[0]),
        lambda bow: plot_barcode(X[0]),
        lambda bow: plot_codebook(bow, X),
        lambda bow: plot_class_difference(bow, X, [0, 1], (0, 1)),
        lambda bow: plot_confusion([[1]]),
    ],
    ids=["diagram", "barcode", "codebook", "difference", "confusion"],
)
def test_without_matplotlib_the_extra_is_named(monkeypatch, bow, draw):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="of the extra plot"):
        draw(bow)


def test_colours_differ():
    assert len(set(COLOURS)) == len(COLOURS)
