"""Marks stand at the rows and columns of pixels in C order."""

import numpy as np
import pytest
from tests.plotting.test_located import BOW, X, marks

from pbow.plotting import plot_word_in_image

pytest.importorskip("matplotlib.pyplot")


def test_marks_are_at_the_columns_and_rows_of_the_pixels():
    ax = plot_word_in_image(BOW, np.zeros((3, 4)), X, "h1_n2_word1")
    births, deaths = marks(ax)
    assert births.get_offsets().tolist() == [[1, 1]]  # pixel 5 of rows of 4
    assert deaths.get_offsets().tolist() == [[3, 2]]  # pixel 11


def test_masked_pixels_are_empty():
    image = np.arange(12.0).reshape(3, 4)
    image[0, 0] = np.inf
    shown = plot_word_in_image(BOW, image, X, 0).images[0].get_array()
    assert np.isnan(shown.filled(np.nan)[0, 0])


@pytest.mark.parametrize("shape", [(12,), (2, 2, 3), (0, 4)])
def test_other_shapes_are_refused(shape):
    with pytest.raises(ValueError, match=r"Expected image to be a gray image of shape"):
        plot_word_in_image(BOW, np.zeros(shape), X, 0)
