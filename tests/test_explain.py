"""Effects are compared with their definition, memberships with encodings."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from pbow import Diagrams, PersistenceBoW, StablePersistenceBoW
from pbow.datasets import SHAPE_NAMES, make_shapes
from pbow.explain import explain_words, find_word, locate_word, word_memberships
from pbow.features import distance_kernel
from pbow.vectorizers import PersistenceStatistics, PersistenceVLAD

N_FOLDS = 3


def diagrams_of(n_labels, n_samples=30):
    """Return diagrams of which label k has more points at birth 3 k."""
    rng = np.random.default_rng(0)
    y = np.arange(n_samples) % n_labels
    X = []
    for label in y:
        births = np.concatenate((np.arange(n_labels), np.full(4, label)))
        births = 3.0 * births + rng.normal(0.0, 0.2, len(births))
        X.append(np.column_stack((births, births + rng.uniform(0.5, 2.0, len(births)))))
    return Diagrams.from_list(X, name="H1"), y


def fitted(X, n_words=4, make=PersistenceBoW, **options):
    return make(n_words=n_words, random_state=0, **options).fit(X)


def slow_effects(decision_of, H, y):
    """Repeat the sentence that defines effects, sample by sample."""
    effects = []
    for train, test in StratifiedKFold(N_FOLDS).split(H, y):
        decide = decision_of(H[train], y[train])
        rows = []
        for label in np.unique(y):
            own = [i for i in test if y[i] == label]
            row = []
            for word in range(H.shape[1]):
                decreases = []
                for i in own:
                    replaced = H[i].copy()
                    replaced[word] = H[train][:, word].mean()
                    decreases.append(decide(H[i], label) - decide(replaced, label))
                row.append(np.mean(decreases))
            rows.append(row)
        effects.append(rows)
    return np.array(effects)


def pairwise_svm(kernel):
    """Return decision values of a label: the mean of two-label machines."""

    def decision_of(H, y):
        labels = np.unique(y).tolist()

        def decide(row, label):
            values = []
            for other in labels:
                if other != label:
                    both = np.isin(y, [label, other])
                    machine = SVC(kernel=kernel).fit(H[both], y[both] == label)
                    values.append(machine.decision_function([row])[0])
            return np.mean(values)

        return decide

    return decision_of


@pytest.mark.parametrize("n_labels", [2, 3])
@pytest.mark.parametrize("kernel", ["linear", distance_kernel], ids=["linear", "dist"])
def test_effects_are_the_decrease_of_decisions_without_the_word(n_labels, kernel):
    X, y = diagrams_of(n_labels, 18)
    bow = fitted(X, 3)
    explanation = explain_words(bow, SVC(kernel=kernel), X, y, cv=N_FOLDS)
    expected = slow_effects(pairwise_svm(kernel), bow.transform(X), y)
    assert_allclose(explanation.effects, expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("make", [PersistenceBoW, StablePersistenceBoW])
@pytest.mark.parametrize("n_labels", [2, 4])
def test_effects_of_a_linear_classifier_are_coefficients_times_differences(
    make, n_labels
):
    X, y = diagrams_of(n_labels, 40)
    bow = fitted(X, (2, 5), make)
    H = bow.transform(X)
    model = OneVsRestClassifier(LogisticRegression())
    explanation = explain_words(bow, model, X, y, cv=N_FOLDS)
    for k, (train, test) in enumerate(StratifiedKFold(N_FOLDS).split(H, y)):
        machines = model.fit(H[train], y[train]).estimators_
        coefficients = np.array([machine.coef_[0] for machine in machines])
        if n_labels == 2:
            coefficients = np.array([-coefficients[0], coefficients[0]])
        means = [H[test][y[test] == label].mean(axis=0) for label in range(n_labels)]
        expected = coefficients * (np.array(means) - H[train].mean(axis=0))
        assert_allclose(explanation.effects[k], expected, atol=1e-12)


@pytest.mark.parametrize(
    "classifier",
    [
        make_pipeline(StandardScaler(), SVC(kernel="linear", break_ties=True)),
        GridSearchCV(SVC(kernel=distance_kernel), {"C": [1.0, 10.0]}, cv=2),
        RandomForestClassifier(10, random_state=0),
        LinearSVC(),
    ],
    ids=["pipeline", "search", "probabilities", "one vs rest"],
)
def test_every_classifier_finds_the_word_that_its_label_has_more_of(classifier):
    X, y = diagrams_of(3, 60)
    bow = fitted(X, 3, whiten=False)
    explanation = explain_words(bow, classifier, X, y, cv=N_FOLDS)
    assert explanation.accuracies.shape == (N_FOLDS,)
    assert explanation.accuracies.min() > 0.8
    for label in range(3):
        [name] = explanation.top(label, 1, more_points=True)
        birth = explanation.births[explanation.names.tolist().index(name)]
        assert abs(birth - 3.0 * label) < 0.5
    # The classifier that was given is as it was.
    assert not hasattr(classifier, "classes_")


def test_words_come_with_their_part_resolution_and_place():
    X, y = diagrams_of(2)
    both = Diagrams.from_parts({"H0": X["H1"][::-1], "H1": X["H1"]})
    bow = fitted(both, {"H0": 2, "H1": (1, 3)})
    explanation = explain_words(bow, LinearSVC(), both, y, cv=N_FOLDS)
    assert explanation.names.tolist() == bow.get_feature_names_out().tolist()
    assert explanation.parts.tolist() == ["H0"] * 2 + ["H1"] * 4
    assert explanation.resolutions.tolist() == [2, 2, 1, 3, 3, 3]
    words = np.concatenate([bow.codebooks_[part].words for part in both.parts])
    assert_array_equal(explanation.births, words[:, 0])
    assert_array_equal(explanation.persistences, words[:, 1])
    assert_array_equal(explanation.mean, explanation.effects.mean(axis=0))
    assert_array_equal(explanation.std, explanation.effects.std(axis=0, ddof=1))


@pytest.mark.parametrize("make", [PersistenceBoW, StablePersistenceBoW])
@pytest.mark.parametrize("essential", ["drop", "separate", 9.0])
def test_differences_are_points_per_diagram(make, essential):
    X, y = diagrams_of(2)
    X = Diagrams.from_list(
        [np.vstack((d, [[k % 3, np.inf]] * (1 + k % 2))) for k, d in enumerate(X)],
        name="H1",
    )
    n_words = {"H1": (1, 3)} | ({"H1_inf": 2} if essential == "separate" else {})
    bow = fitted(X, n_words, make, essential=essential, point_weight="ramp")
    explanation = explain_words(bow, LinearSVC(), X, y, cv=N_FOLDS)
    for column, name in enumerate(explanation.names):
        counts = [word_memberships(bow, X[i : i + 1], name).sum() for i in range(30)]
        for label in (0, 1):
            expected = np.mean(np.array(counts)[y == label]) - np.mean(counts)
            found = explanation.differences[label, column]
            assert_allclose(found, expected, atol=1e-6)


def test_a_larger_feature_is_not_more_points():
    # Normalized, the feature of the diagram with fewer points is the larger one.
    few, many = [[0, 1], [0, 1]], [[0, 1], [0, 1], [0, 1], *[[0, 9]] * 5]
    X, y = [few, many] * 6, ["few", "many"] * 6
    bow = fitted(X, 2, normalize="sqrt-l2")
    H = bow.transform(X)
    assert H[0, 0] > H[1, 0]
    explanation = explain_words(bow, LinearSVC(), X, y, cv=N_FOLDS)
    assert explanation.differences.tolist() == [[-0.5, -2.5], [0.5, 2.5]]
    assert explanation.top("few", more_points=True) == []


def test_the_table_has_the_strongest_words_of_each_label_first():
    pytest.importorskip("pandas")
    X, y = diagrams_of(2)
    explanation = explain_words(fitted(X), LinearSVC(), X, np.array(["b", "a"])[y])
    frame = explanation.to_frame()
    assert frame["label"].tolist() == ["a"] * 4 + ["b"] * 4
    assert frame["word"][0] == explanation.top("a", 1)[0]
    assert frame["effect"][:4].is_monotonic_decreasing
    row = frame[(frame["label"] == "b") & (frame["word"] == "h1_word2")].iloc[0]
    assert row["effect"] == explanation.mean[1, 2]
    assert row["std"] == explanation.std[1, 2]
    assert row["difference"] == explanation.differences[1, 2]


def test_words_without_effect_are_in_no_list():
    X, y = diagrams_of(2)
    explanation = explain_words(fitted(X), LinearSVC(), X, y)
    names = explanation.top(0, 100)
    effects = explanation.mean[0, [explanation.names.tolist().index(n) for n in names]]
    assert (effects > 0.0).all()
    assert len(names) == (explanation.mean[0] > 0.0).sum()


def test_fifty_labels_are_explained():
    X, y = diagrams_of(50, 300)
    explanation = explain_words(fitted(X, 3), SVC(kernel="linear"), X, y, cv=2)
    assert explanation.effects.shape == (2, 50, 3)
    assert np.isfinite(explanation.effects).all()


def test_a_splitter_is_used_as_it_is():
    X, y = diagrams_of(2)
    cv = RepeatedStratifiedKFold(n_splits=2, n_repeats=3, random_state=0)
    assert len(explain_words(fitted(X), LinearSVC(), X, y, cv=cv).effects) == 6


def test_a_part_without_points_has_no_words():
    X, y = diagrams_of(2)
    both = Diagrams.from_parts({"H1": X, "H2": [[]] * len(X)})
    with pytest.warns(UserWarning, match="Part H2 has no finite point"):
        bow = fitted(both)
    explanation = explain_words(bow, LinearSVC(), both, y)
    assert set(explanation.parts) == {"H1"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"y": None}, r"Expected one label per diagram, shape \(30,\)"),
        ({"y": np.zeros(30)}, "two or more different labels; all 30 samples have"),
        (
            {"y": [0] * 28 + [1] * 2},
            "Expected 5 or more samples of each .* label 1 has 2",
        ),
        ({"cv": 1}, "Expected cv to be an int >= 2 or a splitter"),
        ({"cv": None}, "Expected cv to be"),
        ({"cv": KFold(30)}, "Fold 0 has no held-out sample of label 1"),
        ({"classifier": "SVC"}, "Expected classifier to be a classifier of"),
        ({"classifier": SVC}, "Expected classifier to be a classifier of"),
        (
            {"classifier": LinearRegression()},
            "to be a classifier of .* got LinearRegression",
        ),
        (
            {"classifier": VotingClassifier([("svm", LinearSVC())], voting="hard")},
            "with decision_function or predict_proba.* got VotingClassifier",
        ),
        ({"y": [np.nan] + [0, 1] * 14 + [0]}, "none missing or NaN; got"),
        ({"y": [1, "a"] * 15}, r"all numbers or all strings, .* got \[1, 'a', 1"),
        ({"X": []}, "Found 0 diagrams"),
    ],
    ids=str,
)
def test_what_cannot_be_explained_is_said(changes, message):
    X, y = diagrams_of(2)
    arguments = {"classifier": LinearSVC(), "X": X, "y": y, **changes}
    with pytest.raises(ValueError, match=message):
        explain_words(fitted(X), **arguments)


def test_one_sample_cannot_be_explained():
    X, y = diagrams_of(2)
    with pytest.raises(ValueError, match="two or more different labels; all 1 samples"):
        explain_words(fitted(X), LinearSVC(), X[:1], y[:1])


def test_a_label_or_word_that_is_not_there_is_said():
    X, y = diagrams_of(2)
    bow = fitted(X)
    explanation = explain_words(bow, LinearSVC(), X, y)
    with pytest.raises(
        ValueError, match=r"Expected label to be one of \[0, 1\]; got 7"
    ):
        explanation.top(7)
    with pytest.raises(ValueError, match="Expected n_words to be an int >= 1; got 0"):
        explanation.top(0, 0)
    for word in (4, -1, "word9", None, 1.5):
        with pytest.raises(ValueError, match=r"from 0 to 3, .* 'h1_word3'; got"):
            word_memberships(bow, X, word)


@pytest.mark.parametrize("make", [PersistenceStatistics, PersistenceVLAD])
def test_features_that_are_not_words_are_refused(make):
    X, y = diagrams_of(2)
    with pytest.raises(
        TypeError, match=f"Only features that are words .*{make.__name__}"
    ):
        explain_words(make().fit(X), LinearSVC(), X, y)


@pytest.mark.parametrize("make", [PersistenceBoW, StablePersistenceBoW])
@pytest.mark.parametrize("essential", ["drop", "separate", 9.0])
def test_memberships_sum_to_the_features_without_normalization(make, essential, ragged):
    ends = [np.vstack((d, [[0.5, np.inf], [0.7, np.inf]])) for d in ragged]
    X = Diagrams.from_parts({"H0": ends[::-1], "H1": ends})
    n_words = {"H0": (2, 4), "H1": 3}
    if essential == "separate":
        n_words |= {"H0_inf": 1, "H1_inf": 2}
    bow = make(n_words, normalize=None, essential=essential, random_state=0).fit(X)
    # What was set after fit changes nothing.
    bow.set_params(essential="drop")
    H = bow.transform(X)
    for column, name in enumerate(bow.get_feature_names_out()):
        memberships = word_memberships(bow, X, name)
        assert_array_equal(memberships, word_memberships(bow, X, column))
        part = X[find_word(bow, name).diagrams]
        sums = [
            memberships[i:j].sum()
            for i, j in zip(part.offsets[:-1], part.offsets[1:], strict=True)
        ]
        assert_allclose(sums, H[:, column], atol=1e-9)


def located(points, locations, name="H1"):
    return Diagrams(points, [0, len(points)], name=name, locations=locations)


@pytest.mark.parametrize("make", [PersistenceBoW, StablePersistenceBoW])
def test_points_of_a_word_come_with_their_locations_the_most_persistent_first(make):
    points = [[0, 1], [0, 9], [0, 1.2], [0, 9.5], [0, np.inf]]
    where = np.arange(20).reshape(5, 2, 2)
    where[4, 1] = -1
    X = located(points, where)
    X = Diagrams.concatenate([X, X[:0], X])
    bow = fitted(X, 2, make)
    found = locate_word(bow, X, "h1_word1")
    assert found.samples.tolist() == [0, 1, 0, 1]
    assert found.points.tolist() == [[0, 9.5], [0, 9.5], [0, 9], [0, 9]]
    assert_allclose(found.memberships, 1.0, atol=0.2)
    assert found.births.tolist() == [[12, 13], [12, 13], [4, 5], [4, 5]]
    assert found.deaths.tolist() == [[14, 15], [14, 15], [6, 7], [6, 7]]


def test_each_point_falls_to_one_word_of_a_resolution():
    X, _ = diagrams_of(3)
    n_points = len(X.points)
    X = Diagrams(
        X.points, X.offsets, name="H1", locations=np.zeros((n_points, 2, 1), int)
    )
    bow = fitted(X, (4, 9), StablePersistenceBoW)
    sizes = [len(locate_word(bow, X, k).samples) for k in range(13)]
    assert sum(sizes[:4]) == sum(sizes[4:]) == n_points


def test_a_sample_without_points_has_none_of_a_word():
    X = located([[0, 1], [0, 9]], np.zeros((2, 2, 1), int))
    bow = fitted(X, 2)
    nothing = located(np.empty((0, 2)), np.empty((0, 2, 1), int))
    assert [len(field) for field in locate_word(bow, nothing, 0)] == [0] * 5


def test_diagrams_without_locations_say_how_to_get_them():
    X, _ = diagrams_of(2)
    with pytest.raises(
        ValueError, match=r"part H1 have no locations.*return_locations"
    ):
        locate_word(fitted(X), X, 0)


def test_the_long_lived_loop_speaks_for_circles_and_is_found_around_them():
    pytest.importorskip("gudhi")
    from pbow.homology import rips  # noqa: PLC0415

    clouds, y = make_shapes(n_per_class=8, n_points=120, noise=0.05, random_state=0)
    y = np.array(SHAPE_NAMES)[y]
    X = rips(clouds, dims=1, return_locations=True)
    for make in (PersistenceBoW, StablePersistenceBoW):
        bow = fitted(X, 12, make, point_weight="ramp")
        machine = SVC(kernel=distance_kernel, C=10.0)
        explanation = explain_words(bow, machine, X, y, cv=4)
        [word] = explanation.top("circle", 1, more_points=True)
        column = explanation.names.tolist().index(word)
        assert column == explanation.persistences.argmax()
        row = explanation.row_of("circle")
        assert explanation.mean[row, column] > 2.0 * explanation.std[row, column]
        for sample in np.flatnonzero(y == "circle"):
            found = locate_word(bow, X[sample : sample + 1], word)
            assert len(found.points) == 1
            # It dies when the side of an equilateral triangle in the circle enters, and
            # is born with an edge between neighbors.
            for vertices, shortest, longest in (
                (found.births[0], 0.0, 0.45),
                (found.deaths[0], 0.6, 1.1),
            ):
                ends = clouds[sample][vertices]
                radii = np.linalg.norm(ends[:, :2] - 0.5, axis=1)
                assert_allclose(radii, 0.5, atol=0.2)
                assert shortest < np.linalg.norm(ends[1] - ends[0]) < longest
