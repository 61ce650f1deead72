from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from pbow import Diagrams
from pbow.datasets import Dataset, Provenance
from pbow.experiment.declaration import Cell, DatasetEntry, DescriptorEntry
from pbow.experiment.figures.confusions import confusion_of, confusion_pair
from pbow.experiment.figures.figure import CannotDraw, save
from pbow.experiment.runs import FINAL, Run
from pbow.experiment.selection import Outcome

pytest.importorskip("matplotlib")


def outcome(descriptor, *matrices, dataset="made"):
    cell = Cell(
        dataset=DatasetEntry(name=dataset, title="Made up", source={"load": "made"}),
        descriptor=DescriptorEntry(name=descriptor, title=descriptor, make=descriptor),
        grid={},
    )
    runs = tuple(
        Run(
            key=str(k),
            stage=FINAL,
            dataset=dataset,
            descriptor=descriptor,
            params={},
            repetition=k,
            confusion=matrix,
        )
        for k, matrix in enumerate(matrices)
    )
    return Outcome(
        cell=cell, nested=runs, authors=(), n_done=len(runs), n_planned=2, seconds=1.0
    )


def make(n_classes=2, stand_in_for=None):
    return Dataset(
        name="made",
        diagrams=Diagrams.from_list([[[0, 1]]] * n_classes),
        labels=np.arange(n_classes),
        label_names=tuple(f"class {k}" for k in range(n_classes)),
        protocol="80/20",
        provenance=Provenance(origin="Made up.", stand_in_for=stand_in_for),
    )


IMAGE = outcome("PI", [[3, 1], [2, 2]], [[4, 0], [1, 3]])
WORDS = outcome("PBoW", [[4, 0], [0, 4]], [[4, 0], [1, 3]])


def test_repetitions_are_added_up():
    assert_array_equal(confusion_of(IMAGE), [[7, 1], [3, 5]])


def test_matrices_are_side_by_side_under_the_names_of_descriptors():
    left, right = confusion_pair(IMAGE, WORDS, make()).draw().axes
    assert (left.get_title(), right.get_title()) == ("PI", "PBoW")
    assert_allclose(left.images[0].get_array(), [[87.5, 12.5], [37.5, 62.5]])
    assert_allclose(right.images[0].get_array(), [[100, 0], [12.5, 87.5]])
    names = [text.get_text() for text in left.get_yticklabels()]
    assert names == ["class 0", "class 1"]


def test_the_caption_gives_accuracies_and_repetitions():
    caption = confusion_pair(IMAGE, WORDS, make()).caption
    assert "of PI (left) and PBoW (right), test samples of 2 repetitions" in caption
    assert "PI 75.0 %, PBoW 93.8 %." in caption


def test_a_stand_in_is_named_so_in_title_and_caption():
    figure = confusion_pair(IMAGE, WORDS, make(stand_in_for="GeoMat"))
    assert "Made up (stand-in for GeoMat)" in figure.title
    assert "Made up (stand-in for GeoMat)" in figure.caption


def test_an_outcome_that_is_not_complete_cannot_be_drawn():
    message = "of made/PI needs all of its runs; 0 of 2 are done"
    with pytest.raises(CannotDraw, match=message):
        confusion_pair(outcome("PI"), WORDS, make())
    with pytest.raises(CannotDraw, match="of made/PBoW needs all"):
        confusion_pair(IMAGE, outcome("PBoW", [[1, 0], [0, 1]], None), make())


def test_outcomes_are_of_one_data_set_and_its_classes():
    other = outcome("PBoW", [[1, 0], [0, 1]], dataset="other")
    with pytest.raises(ValueError, match="got made/PI and other/PBoW"):
        confusion_pair(IMAGE, other, make())
    with pytest.raises(ValueError, match="made/PI has 2 classes; expected 3"):
        confusion_pair(IMAGE, WORDS, make(3))


def test_numbers_and_names_of_many_classes_do_not_overlap():
    matrix = np.eye(19, dtype=int)
    matrix[0] = 1
    alike = [outcome(name, matrix.tolist()) for name in ("PI", "PBoW")]
    drawn = confusion_pair(*alike, make(19)).draw()
    drawn.draw_without_rendering()
    for ax in drawn.axes:
        for texts in (ax.get_xticklabels(), ax.texts[:19]):
            boxes = [text.get_window_extent() for text in texts]
            assert all(a.x1 <= b.x0 for a, b in pairwise(boxes))


@pytest.mark.parametrize("n_classes", [2, 19])
@pytest.mark.parametrize("n_letters", [2, 18, 30])
def test_nothing_is_cut_off(n_classes, n_letters):
    names = tuple(f"{k}{'n' * n_letters}"[:n_letters] for k in range(n_classes))
    alike = [outcome(name, np.eye(n_classes, dtype=int).tolist()) for name in "ab"]
    dataset = replace(make(n_classes), label_names=names)
    drawn = confusion_pair(*alike, dataset).draw()
    drawn.draw_without_rendering()
    used, (width, height) = drawn.get_tightbbox(), drawn.get_size_inches()
    assert min(used.x0, used.y0) > 0
    assert used.x1 < width
    assert used.y1 < height


def test_the_figure_can_be_saved_under_the_name_of_the_data_set(tmp_path):
    saved = save(confusion_pair(IMAGE, WORDS, make()), tmp_path)
    assert saved.png.name == "confusion_made.png"
