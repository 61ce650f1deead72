import base64
import json
import zlib

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from tests.explorer.models import diagrams, make_models

from pbow import Diagrams, PersistenceBoW, StablePersistenceBoW
from pbow.explorer.content import (
    check_samples,
    describe,
    describe_model,
    describe_samples,
    pack,
    points_to_draw,
    rank_words,
    robust_axes,
)
from pbow.vectorizers import PersistenceImage

LABELS = np.arange(30) % 2
X = [[[0, 1]]]


@pytest.fixture
def fitted(ragged):
    return PersistenceBoW(5, random_state=0).fit(ragged)


def described(model, X, **given):
    whole = {"labels": None, "label_names": None, "sample_names": None} | given
    samples = check_samples(model, X, **whole)
    return describe(model, samples, model.transform(X)) | {
        "samples": describe_samples(samples, np.arange(len(X)))
    }


@pytest.mark.parametrize("name", make_models())
def test_json_holds_every_model_to_the_last_digit(name):
    model = make_models()[name].fit(diagrams(20))
    description = describe_model(model)
    copy = json.loads(json.dumps(description, allow_nan=False))
    assert copy["parts"] == ["H0", "H1"]
    books = [
        (place, part, resolution)
        for place, (part, codebook) in enumerate(model.codebooks_.items())
        for resolution in codebook.resolutions
    ]
    for book, (place, part, codebook) in zip(copy["codebooks"], books, strict=True):
        assert book["name"].partition(", ")[0] == part
        assert book["points"] == place
        assert book["is_essential"] == (part != book["part"])
        words = getattr(codebook, "words", None)
        words = codebook.means if words is None else words
        assert (np.array(book["words"])[:, : words.shape[1]] == words).all()


def test_a_resolution_is_named_by_its_number_of_words():
    model = PersistenceBoW({"H0": 4, "H1": (1, 3, 10)}, random_state=0)
    names = [b["name"] for b in describe_model(model.fit(diagrams(20)))["codebooks"]]
    assert names == ["H0", "H1, 1 word", "H1, 3 words", "H1, 10 words"]


def test_means_are_of_each_resolution(ragged):
    model = PersistenceBoW((2, 5), normalize=None, random_state=0).fit(ragged)
    means = described(model, ragged, labels=LABELS)["means"]
    counts = model.transform(ragged)
    for block, columns in zip(means, (slice(0, 2), slice(2, 7)), strict=True):
        assert np.allclose(block["all"], counts[:, columns].mean(axis=0))
        odd = counts[LABELS == 1, columns].mean(axis=0)
        assert np.allclose(block["labels"][1], odd)


def test_means_are_sums_before_normalization(fitted, ragged):
    content = described(fitted, ragged, labels=LABELS, label_names=["zero", "one"])
    assert content["labels"] == ["zero", "one"]
    assert content["samples"]["labels"] == LABELS.tolist()
    (means,) = content["means"]
    counts = fitted.transform(ragged) ** 2  # normalize="sqrt"
    assert np.allclose(means["all"], counts.mean(axis=0))
    assert np.allclose(means["labels"][1], counts[LABELS == 1].mean(axis=0))
    assert fitted.normalize == "sqrt"


def test_the_summary_counts(fitted, ragged):
    summary = described(fitted, ragged, labels=LABELS)["summary"]
    name = "PersistenceBoW(n_words=5, random_state=0)"
    assert summary == f"{name}; 30 diagrams, 5 features, 2 labels"
    one = described(fitted, ragged[:1], labels=["only"])["summary"]
    assert one == f"{name}; 1 diagram, 5 features, 1 label"


def test_single_precision_is_told(ragged):
    model = StablePersistenceBoW(5, dtype="float32", random_state=0).fit(ragged)
    (note,) = described(model, ragged)["notes"]
    assert "float32" in note
    assert described(model.set_params(dtype="float64"), ragged)["notes"] == []


def test_a_part_without_words_is_told():
    X = {"H0": [[], []], "H1": [[[0, 1], [0, 2]], [[0, 3]]]}
    with pytest.warns(UserWarning, match="Part H0 has no finite point"):
        model = PersistenceBoW(2, random_state=0).fit(X)
    (note,) = described(model, X)["notes"]
    assert note.startswith("No words for H0: ")


@pytest.mark.parametrize(
    ("essential", "start"),
    [
        (
            "drop",
            "This model leaves essential points out (essential='drop'): 60 points ",
        ),
        (9.0, "In this model, essential points have the death 9: 60 points"),
        ("separate", None),
    ],
)
def test_what_becomes_of_essential_points_is_told(essential, start):
    X = diagrams(10)
    model = PersistenceBoW(3, essential=essential, random_state=0).fit(X)
    notes = described(model, X)["notes"]
    assert [note[: len(start or "")] for note in notes] == ([start] if start else [])
    finite = Diagrams.from_parts({name: X[name].finite() for name in X.parts})
    assert described(model, finite)["notes"] == []


def test_essential_points_that_a_model_has_no_words_for_are_told():
    X = diagrams(10)
    finite = Diagrams.from_parts({name: X[name].finite() for name in X.parts})
    model = PersistenceBoW(3, essential="separate", random_state=0).fit(finite)
    (note,) = described(model, X)["notes"]
    assert note.startswith("No words for H0_inf, H1_inf: ")
    assert described(model, finite)["notes"] == []


def test_points_to_draw_are_those_that_the_words_see():
    X = diagrams(10)
    model = PersistenceBoW(3, essential="separate", random_state=0).fit(X)
    drawn = points_to_draw(model, X, n_points=10_000)
    points, places, note = drawn.points, drawn.places, drawn.note
    assert [len(place["kept"]) for place in places] == [10] * 4
    third = places[1]["start"][3]
    endless = X["H0"].essential()[3]
    essential = points[third : third + places[1]["kept"][3]]
    assert essential.tolist() == [[birth, 0.0] for birth in endless[:, 0]]
    last = points[places[2]["start"][9] : places[2]["start"][10]]
    finite = X["H1"].finite()[9]
    assert (last == np.c_[finite[:, 0], finite[:, 1] - finite[:, 0]]).all()
    assert note.startswith(f"Points in this page: all {len(points)}. ")


def test_points_are_drawn_once_for_all_resolutions():
    X = diagrams(10)
    one, several = (
        points_to_draw(PersistenceBoW(n, random_state=0).fit(X), X, n_points=10_000)
        for n in (4, (2, 4, 8))
    )
    assert (one.points == several.points).all()
    assert (one.places, one.note) == (several.places, several.note)


def test_a_choice_of_samples_keeps_their_numbers(fitted, ragged):
    names = [f"sample {i}" for i in range(30)]
    samples = check_samples(fitted, ragged, LABELS, None, names)
    whole = describe_samples(samples, np.arange(30))
    assert (whole["n"], whole["numbers"], whole["names"]) == (30, None, names)
    some = describe_samples(samples, np.array([3, 8]))
    assert some == {
        "n": 2,
        "numbers": [3, 8],
        "names": ["sample 3", "sample 8"],
        "labels": [1, 0],
    }


def unpacked(text):
    return zlib.decompress(base64.b64decode(text))


def test_numbers_are_packed_little_endian_in_the_order_that_deflates_better():
    rng = np.random.default_rng(0)
    many = rng.uniform(1.0, 2.0, 1000)
    repeated = rng.choice(many[:20], 3000).astype(">f8")
    assert unpacked(pack(repeated)) == b"\0" + repeated.astype("<f8").tobytes()
    first, *planes = unpacked(pack(many))
    assert first == 1
    numbers = np.array(planes, np.uint8).reshape(8, 1000).T.copy().view("<f8")
    assert (numbers.ravel() == many).all()
    assert unpacked(pack(np.empty((0, 2, 1)))) == b"\0"
    assert unpacked(pack("text")) == b"text"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"labels": [1, 2]}, r"one label per diagram, shape \(30,\); got shape \(2,\)"),
        ({"label_names": ["a"]}, "label_names to be None without labels"),
        ({"labels": [1] * 30, "label_names": ["a", "b"]}, "sequence of 1 names"),
        ({"sample_names": ["a"]}, r"sample_names to be a sequence of 30 names.*got 1"),
        ({"sample_names": 5}, r"sample_names to be a sequence of 30 names.*got 5"),
        ({"sample_names": "abc" * 10}, r"sequence of 30 names.*got 'abcabc"),
    ],
)
def test_labels_and_names_are_counted(fitted, ragged, given, message):
    with pytest.raises(ValueError, match=message):
        described(fitted, ragged, **given)


@pytest.mark.parametrize(
    ("model", "X", "error", "message"),
    [
        (PersistenceBoW(1), {"H0": X, "H1": X}, ValueError, "got H0, H1"),
        (PersistenceImage(), X, TypeError, r"a PersistenceBoW .*got PersistenceImage"),
    ],
    ids=["parts", "no words"],
)
def test_a_model_of_something_else_is_refused(model, X, error, message):
    with pytest.raises(error, match=message):
        described(model.fit([[[0, 1]]]), X)
    with pytest.raises((NotFittedError, TypeError)):
        described(type(model)(), X)


def test_words_are_ranked_by_f_and_constant_ones_are_last(fitted, ragged):
    samples = check_samples(fitted, ragged, LABELS, None, None)
    rng = np.random.default_rng(0)
    noise = rng.normal(size=30)
    vectors = np.c_[np.zeros(30), LABELS, LABELS + noise, noise]
    ranking = rank_words(samples, vectors)
    assert ranking["name"] == "F"
    constant, perfect, weak, none = ranking["scores"]
    assert perfect == np.finfo(float).max > weak > none > constant == 0.0
    assert json.loads(json.dumps(ranking, allow_nan=False)) == ranking


def test_axes_leave_out_points_far_away_and_no_others():
    near = np.c_[np.zeros(400), np.linspace(0.1, 1.0, 400)]
    near[:, 0] += np.linspace(0.0, 0.5, 400)
    near[:, 1] += near[:, 0]
    whole = robust_axes(Diagrams.from_list([near]), is_line=False)
    far = Diagrams.from_list([near, [[90.0, 91.0], [0.1, 50.0], [-70.0, -69.5]]])
    assert np.allclose(robust_axes(far, is_line=False), whole)
    assert np.allclose(whole, [0.0, 0.5, 0.0, 1.0])


def test_axes_hold_what_many_diagrams_have_one_of():
    small = np.c_[np.zeros(400), np.linspace(0.0, 0.1, 400)]
    loop = [[0.0, 5.0]]
    X = Diagrams.from_list([small, small, small, np.r_[small, loop]] * 5)
    assert robust_axes(X, is_line=False)[3] == 5.0
    rare = Diagrams.from_list([small] * 29 + [np.r_[small, loop]])
    assert robust_axes(rare, is_line=False)[3] == pytest.approx(0.1)


@pytest.mark.parametrize("points", [[], [[2.0, 2.0]], [[0.0, 0.0]]])
def test_axes_have_a_width_also_for_one_point_or_none(points):
    left, right, bottom, top = robust_axes(Diagrams.from_list([points]), is_line=False)
    assert left < right
    assert bottom < top
