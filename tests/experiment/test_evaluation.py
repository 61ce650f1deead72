import numpy as np
import pytest

from pbow import Diagrams, PersistenceBoW
from pbow.errors import ParameterError
from pbow.experiment import cross_validate, evaluation
from pbow.kernels import SlicedWassersteinKernel
from pbow.vectorizers import PersistenceStatistics


@pytest.fixture
def noise(rng):
    births = rng.uniform(size=(60, 10))
    return np.stack((births, births + 1), axis=-1), rng.permutation(np.arange(60) % 2)


def test_random_labels_are_not_separated(noise):
    X, y = Diagrams.from_list(noise[0]), noise[1]
    bow = PersistenceBoW(random_state=0)
    found = [cross_validate(bow, X, y, seed=seed) for seed in (0, 0, 1)]
    # Two standard deviations: nothing of a test set is seen in training.
    assert all(abs(one.mean - 0.5) < 0.15 for one in found)
    folds = [one.accuracies for one in found]
    assert folds[0] == folds[1] != folds[2]
    assert len(folds[0]) == 5
    assert found[0].std == pytest.approx(np.std(folds[0], ddof=1)) != 0.0
    assert not hasattr(bow, "fitted_")


@pytest.mark.parametrize(
    ("descriptor", "n_features"),
    [(PersistenceStatistics(), None), (SlicedWassersteinKernel(), 0)],
)
def test_classes_that_differ_are_separated(noise, descriptor, n_features):
    y = np.repeat(["few", "many"], 30)
    X = Diagrams.from_list([x[: 3 if k < 30 else 9] for k, x in enumerate(noise[0])])
    found = cross_validate(descriptor, X, y, 3)
    assert found.accuracies == [1.0, 1.0, 1.0]
    assert (found.n_features == 0) == (n_features == 0)
    assert found.seconds > 0.0


@pytest.mark.parametrize("classifier", ["linear", "distance", "rbf"])
def test_vectors_are_compared_as_the_classifier_says(noise, classifier):
    y = np.repeat(["few", "many"], 30)
    X = Diagrams.from_list([x[: 3 if k < 30 else 9] for k, x in enumerate(noise[0])])
    found = cross_validate(PersistenceBoW(5), X, y, 3, classifier=classifier)
    assert found.accuracies == [1.0, 1.0, 1.0]
    assert found.classifier == classifier


def test_the_classifier_changes_accuracies_and_is_linear_by_default(noise):
    X, y, bow = Diagrams.from_list(noise[0]), noise[1], PersistenceBoW(5)
    linear, named, distance, rbf = (
        cross_validate(bow, X, y, **given)
        for given in (
            {},
            {"classifier": "linear"},
            {"classifier": "distance"},
            {"classifier": "rbf"},
        )
    )
    assert linear.accuracies == named.accuracies
    assert linear.classifier == "linear"
    assert linear.accuracies != distance.accuracies != rbf.accuracies
    assert all(abs(one.mean - 0.5) < 0.2 for one in (linear, distance, rbf))


def test_a_kernel_keeps_its_similarity(noise):
    X, y = Diagrams.from_list(noise[0]), noise[1]
    kernel = SlicedWassersteinKernel(n_directions=5)
    plain, other = (
        cross_validate(kernel, X, y, 3, classifier=name) for name in ("linear", "rbf")
    )
    assert plain.accuracies == other.accuracies
    assert plain.classifier == other.classifier == "kernel"


@pytest.mark.parametrize("classifier", ["svm", None, ["linear"]])
def test_the_classifier_must_be_known(noise, classifier):
    X, y = Diagrams.from_list(noise[0]), noise[1]
    with pytest.raises(ParameterError, match="'distance', 'linear', 'rbf'; got"):
        cross_validate(PersistenceBoW(2), X, y, classifier=classifier)


@pytest.mark.parametrize("cls", [PersistenceStatistics, PersistenceBoW])
def test_features_are_standardized_if_the_class_says_so(noise, cls, monkeypatch):
    seen = []

    def watched(entry, *args, **kwargs):
        seen.append(entry.standardize)
        return represent(entry, *args, **kwargs)

    represent = evaluation.represent
    monkeypatch.setattr(evaluation, "represent", watched)
    cross_validate(cls(), Diagrams.from_list(noise[0]), noise[1], 3)
    assert seen == [cls is PersistenceStatistics] * 3


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a"] * 60, "at least two classes to separate; got 1."),
        (["a"] * 58 + ["b b"] * 2, "there are 2 of 'b b'. Take fewer folds, or"),
    ],
)
def test_labels_must_be_of_use(noise, labels, message):
    with pytest.raises(ValueError, match="Expected at least") as caught:
        cross_validate(PersistenceBoW(2), Diagrams.from_list(noise[0]), labels, 3)
    assert message in str(caught.value)
