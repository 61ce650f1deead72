"""The range of training points, and the warning of points far outside of it."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from tests.estimators import VECTORIZERS, one_per_class

import pbow
from pbow import DiagramBlocks, Diagrams, PersistenceBoW
from pbow.errors import OutOfRangeWarning
from pbow.learning import Extent, PartSummary
from pbow.vectorizers import PersistenceStatistics
from pbow.vectorizers.seen import SeenRange

# The longer side is 2: births from -1 to 4 and persistences up to 4 are not far.
SEEN = SeenRange(1.0, 2.0, 2.0)


def scaled(X, factor):
    return Diagrams(X.points * factor, X.offsets, name=X.parts[0])


def is_far(points, seen=SEEN):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        seen.warn_of_far(np.array(points, dtype=float).reshape(-1, 2), "H1")
    return len(caught) == 1


@pytest.mark.parametrize(
    ("point", "far"),
    [
        ([1.5, 2.0], False),
        ([-1.0, 0.0], False),
        ([-1.1, 0.0], True),
        ([4.0, 8.0], False),
        ([4.1, 4.2], True),
        ([4.0, 8.1], True),
        ([1.5, np.inf], False),  # it is not of the finite points
        ([90.0, np.inf], False),
    ],
)
def test_far_is_farther_than_the_longer_side(point, far):
    assert is_far([point]) is far


def test_more_than_half_of_the_finite_points_must_be_far():
    near, far, essential = [1.0, 2.0], [9.0, 10.0], [0.0, np.inf]
    assert not is_far([])
    assert not is_far([near, far, essential, essential])
    assert is_far([near, far, far, essential, essential, essential])


def test_of_many_points_some_are_looked_at():
    points = np.tile([9.0, 10.0], (1_000_000, 1))
    assert is_far(points)
    points[:600_000] = [1.0, 2.0]
    assert not is_far(points)


def test_the_range_is_that_of_the_extent_or_of_the_sample():
    sample = np.array([[0.0, 1.0], [3.0, 0.5]])
    of = SeenRange.of_summary
    assert of(PartSummary(False, 2, sample=sample)) == SeenRange(0.0, 3.0, 1.0)
    extent = Extent(-1.0, 5.0, 2.0, 6.0)
    assert of(PartSummary(False, 9, extent, sample=sample)) == SeenRange(-1.0, 5.0, 2.0)
    assert of(PartSummary(True, 2, extent, sample=sample)) is None
    assert of(PartSummary(False, 2)) is None
    # Two of many points say nothing about the others.
    assert of(PartSummary(False, 1000, sample=sample)) is None
    # Nor is there a range where all are at one place on the diagonal.
    assert of(PartSummary(False, 1, sample=np.array([[3.0, 0.0]]))) is None


@pytest.mark.parametrize(
    "numbers", [(0, 0, 0), (1, 0, 1), (0, 1, -1), (0, np.nan, 1), (0, np.inf, 1)]
)
def test_a_range_from_a_file_is_checked(numbers):
    with pytest.raises(ValueError, match="Expected the range"):
        SeenRange(*numbers)


@pytest.mark.parametrize("estimator", one_per_class(VECTORIZERS), ids=repr)
def test_other_units_are_warned_of(estimator, ragged):
    fitted = clone(estimator).fit(ragged)
    if isinstance(estimator, PersistenceStatistics):  # it learns nothing from points
        assert fitted.ranges_ == {"H1": None}
        return
    expected = (
        r"^Most points of part H1 lie far outside the range seen in fit: they have "
        r"births from 2\.427 to 998\.8 and persistences up to 2393, and fit had births "
        r"from 0\.002427 to 0\.9988 and persistences up to 2\.393\. Have units changed"
    )
    with pytest.warns(OutOfRangeWarning, match=expected) as caught:
        fitted.transform(scaled(ragged, 1000.0))
    assert caught[0].filename == __file__
    fitted.transform(scaled(ragged, 1.5))
    fitted.transform(ragged[:1])


def test_each_part_has_its_own_range(ragged):
    X = Diagrams.from_parts({"H0": scaled(ragged, 100.0), "H1": ragged})
    swapped = Diagrams.from_parts({"H0": X["H1"], "H1": X["H0"]})
    bow = PersistenceBoW(2, essential="separate", random_state=0).fit(X)
    with pytest.warns(OutOfRangeWarning, match="of part H1") as caught:
        bow.transform(swapped)
    assert len(caught) == 1


def test_a_model_warns_once_per_process_and_another_again(ragged):
    one, other = (
        PersistenceBoW(2, random_state=0).fit(X) for X in (ragged, ragged[9:])
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for factor in (100.0, 1000.0):
            one.transform(scaled(ragged, factor))
        other.transform(scaled(ragged, 100.0))
    assert len(caught) == 2


def test_features_are_the_same_with_and_without_the_warning(ragged):
    bow = PersistenceBoW(2, random_state=0).fit(ragged)
    far = scaled(ragged, 100.0)
    with pytest.warns(OutOfRangeWarning):
        H = bow.transform(far)
    assert_array_equal(H, bow._encode(far, progress=False))


def test_the_range_does_not_depend_on_blocks_and_batches(ragged):
    bow = PersistenceBoW(2, random_state=0)
    expected = clone(bow).fit(ragged).ranges_
    blocks = DiagramBlocks([ragged[:7], ragged[7:]])
    assert clone(bow).fit(blocks).ranges_ == expected
    in_batches = clone(bow).partial_fit(ragged[:7]).partial_fit(ragged[7:])
    assert in_batches.ranges_ == expected


def test_the_range_is_saved(ragged, tmp_path):
    bow = PersistenceBoW(2, essential="separate", random_state=0).fit(ragged)
    pbow.save(bow, tmp_path / "model.pbow")
    assert (
        pbow.load(tmp_path / "model.pbow").ranges_
        == bow.ranges_
        == {"H1": range_of(ragged)}
    )


def range_of(ragged):
    births, deaths = ragged.points.T
    return SeenRange(births.min(), births.max(), (deaths - births).max())


def test_training_points_are_never_far_however_few_of_them_are_long(rng):
    # Points are drawn by their weight: those that are drawn lie in one place.
    births = rng.uniform(size=400)
    short = np.column_stack((births, births + 1e-9))
    X = [np.concatenate((short, [[0.5, 0.51]] * 2)) for _ in range(3)]
    model = PersistenceBoW(1, weighting="ramp", quantiles=(0.99, 0.999), random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", OutOfRangeWarning)
        model.fit_transform(X)
