"""Marks stand at the rows and columns of pixels in C order."""

from pathlib import Path

import numpy as np
import pytest
from tests.plotting.test_located import BOW, IMAGE, X, marks

from pbow import PersistenceBoW
from pbow.errors import ParameterError
from pbow.plotting import plot_word_in_image

pytest.importorskip("matplotlib.pyplot")


def test_marks_are_at_the_columns_and_rows_of_the_pixels():
    ax = plot_word_in_image(BOW, IMAGE, X, "h1_n2_word1")
    births, deaths = marks(ax)
    assert births.get_offsets().tolist() == [[1, 1]]  # pixel 5 of rows of 4
    assert deaths.get_offsets().tolist() == [[3, 2]]  # pixel 11


def test_masked_pixels_are_empty():
    image = IMAGE.copy()
    image[1, 0] = np.inf
    shown = plot_word_in_image(BOW, image, X, 0).images[0].get_array()
    assert np.isnan(shown.filled(np.nan)[1, 0])


@pytest.mark.parametrize("factor", [1.0, -1.0, 255.0, 1e-9])
def test_the_image_of_the_diagrams_may_be_negated_or_rescaled(factor):
    image = (factor * IMAGE).astype(np.float32)
    assert plot_word_in_image(BOW, image, X, 0)
    # The essential point is born at 0, where there is no factor.
    bow = PersistenceBoW(n_words=1, essential="separate").fit(X)
    assert plot_word_in_image(bow, image, X, "h1_inf_word0")


@pytest.mark.parametrize(
    "image",
    [
        IMAGE.T,
        IMAGE[::-1],
        IMAGE + 1.0,
        np.zeros((3, 4)),
        np.where(IMAGE == 9.0, np.inf, IMAGE),
    ],
    ids=["transposed", "upside down", "other values", "nothing", "masked"],
)
def test_an_image_with_other_values_is_drawn_with_a_warning(image):
    with pytest.warns(UserWarning, match=r"not births and deaths .* be transposed"):
        ax = plot_word_in_image(BOW, image, X, 0)
    assert ax.get_title() == "h1_n1_word0: 3 points"


def test_superlevel_sets_have_negated_values():
    pytest.importorskip("gudhi")
    from pbow.homology import cubical  # noqa: PLC0415

    image = np.random.default_rng(0).integers(0, 9, (6, 6))
    for superlevel in (False, True):
        Y = cubical([image], 0, superlevel=superlevel, return_locations=True)
        bow = PersistenceBoW(n_words=1).fit(Y)
        assert plot_word_in_image(bow, image, Y, 0)
        with pytest.warns(UserWarning, match="may be transposed"):
            plot_word_in_image(bow, image.T, Y, 0)


@pytest.mark.parametrize("shape", [(12,), (2, 2, 3), (0, 4)])
def test_other_shapes_are_refused(shape):
    with pytest.raises(ValueError, match=r"Expected image to be a gray image of shape"):
        plot_word_in_image(BOW, np.zeros(shape), X, 0)


@pytest.mark.parametrize("file", ["image.png", Path("image.png")], ids=type)
def test_the_name_of_a_file_is_no_image(file):
    with pytest.raises(ParameterError, match=r"pbow\.io\.read_images\(path\)\[0\]; g"):
        plot_word_in_image(BOW, file, X, 0)
