import numpy as np
import pytest

from pbow import Diagrams, PersistenceBoW, demo

pytest.importorskip("gudhi")
pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def tiny():
    return demo.make_diagrams(8, 30, seed=0)


def test_a_score_has_one_accuracy_per_split(tiny):
    X, y = tiny
    bow = PersistenceBoW(n_words=6, random_state=0)
    score = demo.score_descriptor(bow, X, y, seed=0)
    assert len(score.accuracies) == 5
    assert all(0.0 <= accuracy <= 1.0 for accuracy in score.accuracies)
    assert score.n_features == 6
    assert score.seconds > 0.0
    assert score.mean == pytest.approx(np.mean(score.accuracies))
    assert score.std == pytest.approx(np.std(score.accuracies, ddof=1))
    assert not hasattr(bow, "codebooks_")


def test_classes_that_differ_are_separated():
    y = np.repeat([0, 1], 10)
    X = Diagrams.from_list([[[k, k + 1]] * 3 for k in y])
    score = demo.score_descriptor(PersistenceBoW(2, random_state=0), X, y, seed=0)
    assert score.accuracies == [1.0] * 5


def test_the_extension_is_the_format(tiny, tmp_path):
    demo.draw_words(*tiny, tmp_path / "words.svg", seed=0)
    assert "<svg" in (tmp_path / "words.svg").read_text()
