"""Vectorizers that learn from points: at once, in blocks, in batches."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, is_dataclass
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_array_equal, assert_equal
from sklearn.base import clone
from tests.estimators import VECTORIZERS

import pbow
from pbow import DiagramBlocks, Diagrams, PersistenceBoW, StablePersistenceBoW
from pbow.blocks import BlockError
from pbow.errors import FewerWordsWarning, ParameterError
from pbow.vectorizers import (
    PersistenceFisherVector,
    PersistenceImage,
    PersistenceLandscape,
    PersistenceStatistics,
)
from pbow.vectorizers.points import PointVectorizer

LEARNERS = [
    *(v for v in VECTORIZERS if isinstance(v, PointVectorizer)),
    PersistenceBoW(3, weighting="ramp", sample_size=50, random_state=1),
    PersistenceBoW(3, weighting="ramp", quantiles=(None, 0.9), random_state=1),
    PersistenceBoW((2, 4), sample_size=60, random_state=1),
    PersistenceBoW("auto", sample_size=80, random_state=1),
    PersistenceBoW({"H0": 2, "H1": 4}, sample_size=None, random_state=1),
    PersistenceBoW(
        3,
        weighting="ramp",
        point_weight="squared-ramp",
        sample_size=10**9,
        random_state=1,
    ),
    PersistenceImage(3, weight="linear"),
]
IN_ONE_PASS = [v for v in LEARNERS if v._request().takes_one_pass]
each_learner = pytest.mark.parametrize("learner", LEARNERS, ids=str)
each_in_one_pass = pytest.mark.parametrize("learner", IN_ONE_PASS, ids=str)


@pytest.fixture(name="X", scope="module")
def two_parts():
    """Two parts with essential points; some diagrams are empty."""
    rng = np.random.default_rng(5)

    def diagram(n):
        births = rng.uniform(size=n)
        points = np.column_stack((births, births + rng.exponential(0.3, size=n)))
        points[: n // 4, 1] = np.inf
        return points

    sizes = rng.integers(0, 30, size=(2, 24))
    sizes[:, 0] = 0
    H0, H1 = ([diagram(n) for n in some] for some in sizes)
    return Diagrams.from_parts({"H0": H0, "H1": H1})


def cut(X, rows):
    return [X[i:j] for i, j in pairwise([0, *rows, len(X)])]


def plain(value):
    """What was learnt as numbers, arrays, tuples and dicts."""
    if is_dataclass(value):
        return asdict(value)
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return value


def check_same(fitted, expected, X):
    """Compare what was learnt, and the features, to the last bit."""
    assert fitted.parts_ == expected.parts_
    for name in type(expected).learnt_types():
        assert_equal(plain(getattr(fitted, name)), plain(getattr(expected, name)))
    assert fitted.transform(X).tobytes() == expected.transform(X).tobytes()


@each_learner
@pytest.mark.parametrize("essential", ["drop", "separate", 99.0])
def test_blocks_teach_what_all_diagrams_in_memory_do(learner, essential, X):
    learner = clone(learner).set_params(essential=essential)
    expected = clone(learner).fit(X)
    with ThreadPoolExecutor(2) as pool:
        for rows in ([], [8, 16], [0, 0, 1, 23, 24]):
            blocks = DiagramBlocks(cut(X, rows))
            check_same(clone(learner).fit(blocks), expected, X)
            check_same(clone(learner).fit(blocks.on(pool)), expected, X)


@each_in_one_pass
@pytest.mark.parametrize("essential", ["drop", "separate", 99.0])
def test_batches_teach_what_all_of_them_at_once_do(learner, essential, X):
    learner = clone(learner).set_params(essential=essential)
    in_batches = clone(learner)
    for i, j in pairwise([0, 10, 11, 24]):
        assert in_batches.partial_fit(X[i:j]) is in_batches
        check_same(in_batches, clone(learner).fit(X[:j]), X)


def test_functions_that_are_mapped_are_learnt_from(X):
    only = pbow.preprocessing.SelectParts("H1").fit(X).transform
    blocks = DiagramBlocks(cut(X, [8, 16])).map(only)
    bow = PersistenceBoW(3, weighting="ramp", random_state=0)
    check_same(clone(bow).fit(blocks), clone(bow).fit(X["H1"]), X["H1"])


def test_the_seed_of_a_generator_is_drawn_once(X):
    def bow():
        return PersistenceBoW(3, random_state=np.random.RandomState(7))

    check_same(bow().fit(DiagramBlocks(cut(X, [8]))), bow().fit(X), X)


def test_a_bad_diagram_is_named_and_nothing_is_learnt(X):
    bow = PersistenceBoW(3, random_state=0).fit(X)
    before = bow.transform(X)
    blocks = DiagramBlocks([X[:8], {"H0": [[], []], "H1": [[], [[2.0, 1.0]]]}])
    with pytest.raises(
        BlockError, match=r"^block 1, row 1: part H1 has a point that d"
    ):
        bow.fit(blocks)
    assert_array_equal(bow.transform(X), before)


def test_parameters_are_checked_before_blocks_are_read(X):
    walked = []

    def make():
        walked.append(None)
        return iter([X])

    with pytest.raises(ParameterError, match="n_words"):
        PersistenceBoW({"H7": 3}).fit(DiagramBlocks(make))
    assert len(walked) == 1  # for the parts


@pytest.mark.parametrize(
    "learner",
    [
        PersistenceBoW(2, weighting="ramp"),
        PersistenceBoW(2, point_weight="ramp"),
        PersistenceFisherVector(2, point_weight="squared-ramp"),
        PersistenceImage(weight="ramp"),
    ],
    ids=str,
)
def test_quantiles_cannot_be_learnt_in_batches(learner, X):
    with pytest.raises(ValueError, match=r"sees each batch once.*pbow\.Diagra"):
        learner.partial_fit(X)
    assert not hasattr(learner, "parts_")


@pytest.mark.parametrize(
    ("learner", "change"),
    [
        (PersistenceBoW(2, random_state=0), {"sample_size": 5}),
        (PersistenceBoW(2, random_state=0), {"essential": "separate"}),
        (PersistenceBoW(2, random_state=0), {"random_state": 1}),
        (PersistenceBoW(2), {"random_state": 1}),
        (PersistenceLandscape(), {"essential": 99.0}),
        (PersistenceStatistics(), {"essential": "separate"}),
    ],
    ids=str,
)
def test_parameters_that_decide_what_is_kept_may_not_change(learner, change, X):
    learner = clone(learner).partial_fit(X[:12])
    before = learner.transform(X)
    original = learner.get_params()
    learner.set_params(**change)
    with pytest.raises(
        ValueError, match="Parameters have changed since the first batch"
    ):
        learner.partial_fit(X[12:])
    assert_array_equal(learner.transform(X), before)
    # As if nothing had been.
    learner.set_params(**original).partial_fit(X[12:])
    if original.get("random_state", 0) is not None:
        check_same(learner, clone(learner).fit(X), X)


def test_parameters_that_do_not_may_change(X):
    bow = PersistenceBoW(2, random_state=0).partial_fit(X[:12])
    bow.set_params(n_words=4, normalize=None, n_jobs=2).partial_fit(X[12:])
    expected = PersistenceBoW(4, normalize=None, n_jobs=2, random_state=0).fit(X)
    check_same(bow, expected, X)


def test_no_random_state_is_one_seed_for_all_batches(X):
    bow = PersistenceBoW(3, sample_size=40)
    for i in range(0, 24, 6):
        bow.partial_fit(X[i : i + 6])
    seed = bow.batches_.request.seed
    check_same(bow, PersistenceBoW(3, sample_size=40, random_state=seed).fit(X), X)


@pytest.mark.parametrize("how", ["fit", "load"])
def test_after_another_fit_batches_begin_anew(how, X, tmp_path):
    bow = PersistenceBoW(3, random_state=0).fit(X)
    if how == "load":
        pbow.save(bow, tmp_path / "model.pbow")
        bow = pbow.load(tmp_path / "model.pbow")
    with pytest.warns(UserWarning, match="PersistenceBoW was fitted by fit, .* anew"):
        bow.partial_fit(X[:12])
    check_same(bow, clone(bow).fit(X[:12]), X)
    check_same(bow.partial_fit(X[12:]), clone(bow).fit(X), X)


def test_fit_forgets_batches(X):
    bow = PersistenceBoW(3, random_state=0).partial_fit(X[:12]).fit(X[12:])
    check_same(bow, clone(bow).fit(X[12:]), X)
    with pytest.warns(UserWarning, match="begins anew"):
        bow.partial_fit(X[:12])
    check_same(bow, clone(bow).fit(X[:12]), X)


def test_batches_have_the_same_parts(X):
    bow = PersistenceBoW(3, random_state=0).partial_fit(X[:12])
    with pytest.raises(
        ValueError, match=r"Expected parts H0, H1, got H1: H0 is missing"
    ):
        bow.partial_fit(X["H1"][12:])
    with pytest.raises(ValueError, match="a minimum of 1 is required"):
        bow.partial_fit(X[:0])
    bow.partial_fit(X[["H1", "H0"]][12:])
    check_same(bow, clone(bow).fit(X), X)


def test_a_batch_that_was_refused_is_not_kept(X):
    bow = PersistenceBoW(3, essential=0.5, random_state=0)
    bow.partial_fit(X.finite()[:12])
    with pytest.raises(ValueError, match="has an essential point born at"):
        bow.partial_fit(X[12:])
    bow.partial_fit(X.finite()[12:])
    check_same(bow, clone(bow).fit(X.finite()), X.finite())


def test_nor_is_one_from_which_nothing_could_be_learnt(X):
    bow = PersistenceBoW(3, random_state=0).partial_fit(X[:8])
    bow.set_params(n_words=1000)
    with pytest.raises(FewerWordsWarning):  # an error in these tests
        bow.partial_fit(X[8:16])
    bow.set_params(n_words=3).partial_fit(X[16:])
    check_same(bow, clone(bow).fit(Diagrams.concatenate([X[:8], X[16:]])), X)


def test_blocks_are_no_batch(X):
    with pytest.raises(
        ValueError, match="DiagramBlocks, which is not to be read whole"
    ):
        PersistenceBoW(3).partial_fit(DiagramBlocks([X]))


def test_what_was_kept_of_batches_is_pickled_but_not_cloned(X):
    stable = StablePersistenceBoW(3, random_state=0).partial_fit(X[:12])
    copy = pickle.loads(pickle.dumps(stable)).partial_fit(X[12:])
    check_same(copy, clone(stable).fit(X), X)
    # The original is as it was, and a clone knows nothing.
    check_same(stable, clone(stable).fit(X[:12]), X)
    check_same(clone(stable).partial_fit(X[12:]), clone(stable).fit(X[12:]), X)


def test_batches_keep_a_sample_and_not_the_diagrams(rng):
    bow = PersistenceBoW(3, sample_size=100, random_state=0)
    sizes = []
    for _ in range(5):
        births = rng.uniform(size=(50, 40))
        bow.partial_fit(np.stack((births, births + 1.0 + births), axis=-1))
        sizes.append(len(pickle.dumps(bow)))
    assert max(sizes) < min(sizes) + 200
    assert max(sizes) < 10_000 < 50 * 40 * 16
