import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from pbow import Diagrams, PersistenceBoW
from pbow.errors import FewerWordsWarning, ParameterError
from pbow.evaluation import Search, evaluate, evaluate_split
from pbow.kernels import SlicedWassersteinKernel
from pbow.vectorizers import PersistenceStatistics


@pytest.fixture
def points(rng):
    births = rng.uniform(size=(60, 10))
    return np.stack((births, births + 1), axis=-1)


@pytest.fixture(name="X")
def diagrams(points):
    return Diagrams.from_list(points)


@pytest.fixture
def y(rng):
    """Labels that say nothing about the diagrams."""
    return rng.permutation(np.arange(60) % 2)


def test_random_labels_are_not_separated(X, y):
    bow = PersistenceBoW(random_state=0)
    found = [evaluate(bow, X, y, seed=seed) for seed in (0, 0, 1)]
    # Two standard deviations: nothing of a test set is seen in training.
    assert all(abs(one.mean - 0.5) < 0.15 for one in found)
    one, same, other = (one.accuracies for one in found)
    assert one == same != other
    assert len(one) == 5
    assert found[0].std == pytest.approx(np.std(one, ddof=1)) != 0.0


def test_the_descriptor_is_not_changed(X, y):
    bow = PersistenceBoW(4, random_state=7)
    before = bow.get_params()
    evaluate(bow, X, y, 2, seed=1)
    assert bow.get_params() == before
    assert not hasattr(bow, "fitted_")


@pytest.mark.parametrize(
    ("descriptor", "asked", "used"),
    [
        *((PersistenceBoW(5), name, name) for name in ("linear", "distance", "rbf")),
        (PersistenceStatistics(), "linear", "linear"),
        (SlicedWassersteinKernel(), "rbf", "kernel"),
        (SlicedWassersteinKernel(output="distance"), "linear", "distance"),
    ],
)
def test_labels_that_differ_are_separated(points, descriptor, asked, used):
    few_or_many = np.repeat(["few", "many"], 30)
    X = Diagrams.from_list([x[: 3 if k < 30 else 9] for k, x in enumerate(points)])
    found = evaluate(descriptor, X, few_or_many, 3, classifier=asked)
    assert found.accuracies == [1.0, 1.0, 1.0]
    assert found.classifier == used
    assert (found.n_features == 0) == isinstance(descriptor, SlicedWassersteinKernel)
    assert found.seconds > found.representation_seconds > 0.0


def test_splits_may_be_given(X, y):
    splits = [(np.arange(40), np.arange(40, 60)), (np.arange(20, 60), np.arange(20))]
    found = evaluate(PersistenceBoW(5), X, y, splits)
    alone = [evaluate(PersistenceBoW(5), X, y, [split]) for split in splits]
    assert found.accuracies == [one.accuracies[0] for one in alone]
    assert alone[0].std == 0.0


def test_features_are_standardized_if_the_class_says_so(X, y):
    class Plain(PersistenceStatistics):
        standardize = False

    one, other = (
        evaluate(cls(), X, y, 3).accuracies for cls in (PersistenceStatistics, Plain)
    )
    assert one != other


def test_fewer_words_are_told_once(X, y):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        evaluate(PersistenceBoW(1000), X, y, 3)
    assert [warning.category for warning in caught] == [FewerWordsWarning]


class Around(BaseEstimator):
    """A descriptor that has another one, and a seed of its own."""

    def __init__(self, inner=None, random_state=None):
        self.inner = inner
        self.random_state = random_state

    def fit(self, X):
        self.inner_ = PersistenceBoW(self.inner.n_words, random_state=self.random_state)
        self.inner_.fit(X)
        return self

    def transform(self, X):
        return self.inner_.transform(X)


def test_a_descriptor_that_has_another_one_is_seeded_as_well(X, y):
    found = evaluate(Around(PersistenceBoW(5)), X, y, seed=3)
    assert found.accuracies == evaluate(PersistenceBoW(5), X, y, seed=3).accuracies


@pytest.mark.parametrize("classifier", ["svm", "kernel", None, ["linear"]])
def test_the_classifier_must_be_known(X, y, classifier):
    with pytest.raises(ParameterError, match="'distance', 'linear', 'rbf'; got"):
        evaluate(PersistenceBoW(2), X, y, classifier=classifier)


@pytest.mark.parametrize("cv", [1, 0, True, 2.5, "5", []])
def test_the_number_of_folds_must_be_one(X, y, cv):
    with pytest.raises(ParameterError, match="cv"):
        evaluate(PersistenceBoW(2), X, y, cv)


def test_the_number_of_folds_may_be_numpys(X, y):
    assert len(evaluate(PersistenceBoW(2), X, y, np.int64(2)).accuracies) == 2


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a"] * 60, "at least two labels to separate; got 1."),
        (["a"] * 58 + ["b b"] * 2, "there are 2 of 'b b'. Take fewer folds, or"),
        ([0, 1] * 20, r"one label per diagram, shape (60,); got shape (40,)"),
        ([0, 1] * 40, r"one label per diagram, shape (60,); got shape (80,)"),
    ],
)
def test_labels_must_be_of_use(X, labels, message):
    with pytest.raises(ValueError, match="Expected") as caught:
        evaluate(PersistenceBoW(2), X, labels, 3)
    assert message in str(caught.value)


def test_groups_of_the_training_set_stay_together(X, y):
    split = np.arange(10, 60), np.arange(10)
    groups = np.r_[np.arange(10), np.full(50, 99)]  # one group: nothing to fold
    search, bow = Search(), PersistenceBoW(5, random_state=0)
    found = evaluate_split(bow, X, y, split, ("rbf",), search=search, groups=groups)
    assert found.scores["rbf"].validation is None
