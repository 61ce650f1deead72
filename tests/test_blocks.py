"""Diagrams in blocks: what makes them, how they are walked, who cannot take them."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest
from sklearn.base import clone
from tests.estimators import ESTIMATORS, TRANSFORMERS, VECTORIZERS, one_per_class

from pbow import DiagramBlocks, Diagrams, PersistenceBoW
from pbow.blocks import BlockError, Rows
from pbow.diagrams import check_diagrams
from pbow.errors import DiagramError
from pbow.kernels import WassersteinKernel
from pbow.preprocessing import MostPersistent, SelectParts
from pbow.vectorizers import RiemannianHeatMap
from pbow.vectorizers.points import PointVectorizer


class Named:
    """A source whose samples have names, read one at a time."""

    def __init__(self, diagrams, names, name="file.parquet, rows 10 to 39"):
        self.diagrams = diagrams
        self.names = names
        self.name = name
        self.file = "file.parquet"
        self.parts = diagrams.parts
        self.n_samples = len(diagrams)

    def fingerprint(self):
        return "1"

    def read(self, skip=None):
        for i in range(self.n_samples):
            yield Rows(self.diagrams[i : i + 1], np.array([10 + i]), [self.names[i]])


class Lazy:
    """An iterable that makes its blocks as it is walked."""

    def __init__(self, blocks):
        self.blocks = blocks
        self.n_made = 0

    def __iter__(self):
        for block in self.blocks:
            self.n_made += 1
            yield block


@pytest.fixture
def thirds(ragged):
    return [ragged[i:j] for i, j in pairwise([0, 10, 20, 30])]


def describe(source, *others):
    """A task: what it was given."""
    return source.name, source.n_samples, *others


MAKERS = {
    "a list": list,
    "a tuple": tuple,
    "a function": lambda blocks: lambda: iter(blocks),
    "an iterable": Lazy,
    "lists of arrays": lambda blocks: [list(block) for block in blocks],
    "dicts of parts": lambda blocks: [{"H1": list(block)} for block in blocks],
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_blocks_are_walked_in_their_order_again_and_again(ragged, thirds, make):
    blocks = DiagramBlocks(make(thirds))
    assert blocks.parts in {("H1",), ("",)}  # a list has no name
    assert (blocks.n_blocks, blocks.n_samples) == (3, 30)
    for _ in range(3):
        whole = Diagrams.concatenate(blocks)
        assert check_diagrams(whole, parts=["H1"]) == ragged
    assert [source.name for source in blocks.sources()] == [
        "block 0",
        "block 1",
        "block 2",
    ]
    name = blocks.parts[0] or "(unnamed)"
    in_a_list = f"DiagramBlocks(n_blocks=3, parts={name})"
    assert repr(blocks) in {in_a_list, "DiagramBlocks(...)"}


def test_diagrams_are_one_block(ragged):
    blocks = DiagramBlocks(ragged)
    assert blocks.n_blocks == 1
    assert next(iter(blocks)) == ragged


def test_one_block_at_a_time_is_made(thirds):
    lazy = Lazy(thirds)
    walk = iter(DiagramBlocks(lazy))
    for n in (1, 2):
        next(walk)
        assert lazy.n_made == n


@pytest.mark.parametrize(
    "blocks",
    [iter([]), (X for X in []), 7, None, zip([], strict=True)],
    ids=lambda blocks: type(blocks).__name__,
)
def test_what_can_be_walked_once_or_not_at_all_is_refused(blocks):
    with pytest.raises(
        ValueError, match=f"can be read several times.*got {type(blocks).__name__}"
    ):
        DiagramBlocks(blocks)


@pytest.mark.parametrize("blocks", [[], lambda: iter([])])
def test_no_blocks_are_an_error(blocks):
    blocks = DiagramBlocks(blocks)
    for ask in (list, lambda b: b.parts, lambda b: b.n_samples):
        with pytest.raises(ValueError, match="There are no blocks"):
            ask(blocks)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([[], [[1.0, 0.0]]], r"^block 1, row 1: part H1 has a point that dies before"),
        ([[[np.nan, 0.0]]], r"^block 1, row 0: part H1 has a point that is NaN"),
        ({"H0": [[]]}, r"^block 1: Expected parts H1, got H0"),
        ("a.parquet", r"^block 1: Expected a collection of diagrams, got str 'a\.pa"),
        (np.zeros((3, 2)), r"^block 1: Expected .* Wrap a single diagram"),
    ],
)
def test_a_block_that_is_no_collection_is_named(ragged, bad, message):
    blocks = DiagramBlocks([ragged, bad, ragged])
    walk = iter(blocks)
    assert next(walk) == ragged
    with pytest.raises(BlockError, match=message):
        next(walk)


def test_parts_may_come_in_any_order(ragged):
    X = Diagrams.from_parts({"H0": ragged[::-1], "H1": ragged})
    blocks = DiagramBlocks([X[:10], X[["H1", "H0"]][10:]])
    assert Diagrams.concatenate(blocks) == X
    assert all(block.parts == ("H0", "H1") for block in blocks)


def test_plain_lists_take_the_only_part_of_the_others(ragged):
    X = Diagrams.from_parts({"H7": ragged})
    assert Diagrams.concatenate(DiagramBlocks([X[:10], list(ragged[10:])])) == X


def test_the_row_of_an_error_is_that_of_its_file():
    error = BlockError("a.parquet", 7, "part H1 has a point that is NaN.")
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == "a.parquet, row 7: part H1 has a point that is NaN."
    assert isinstance(copy, ValueError)
    assert (copy.where, copy.row, copy.problem) == (error.where, 7, error.problem)


@pytest.mark.parametrize("make", [list, Lazy])
def test_a_fingerprint_changes_with_any_point_or_offset(ragged, make):
    def fingerprints(X):
        return [source.fingerprint() for source in DiagramBlocks(make([X])).sources()]

    moved = ragged.points.copy()
    moved[-1, 1] = np.nextafter(moved[-1, 1], 9.0)
    offsets = ragged.offsets.copy()
    offsets[-2] -= 1
    same = Diagrams(ragged.points.copy(), ragged.offsets)
    assert fingerprints(same) == fingerprints(ragged)
    assert fingerprints(Diagrams(moved, ragged.offsets)) != fingerprints(ragged)
    assert fingerprints(Diagrams(ragged.points, offsets)) != fingerprints(ragged)


def test_a_function_is_applied_when_blocks_are_read(ragged):
    names = [f"sample {i}" for i in range(30)]
    longest = MostPersistent(2).fit(ragged).transform
    blocks = DiagramBlocks.of_sources([Named(ragged, names)]).map(longest)
    (source,) = blocks.sources()
    assert (source.name, source.file) == (
        "file.parquet, rows 10 to 39",
        "file.parquet",
    )
    assert (blocks.n_samples, blocks.n_blocks, blocks.parts) == (30, 1, ("H1",))
    rows = list(source.read())
    assert [name for one in rows for name in one.names] == names
    assert [n for one in rows for n in one.numbers] == list(range(10, 40))
    assert Diagrams.concatenate(blocks) == longest(ragged)
    assert source.fingerprint() != "1"


def test_functions_are_applied_one_after_another(ragged):
    X = Diagrams.from_parts({"H0": ragged[::-1], "H1": ragged})
    mapped = DiagramBlocks([X[:10], X[10:]]).map(SelectParts("H0").fit(X).transform)
    assert mapped.parts == ("H0",)
    again = mapped.map(lambda X: X["H0"].finite()).map(MostPersistent(1).fit_transform)
    assert Diagrams.concatenate(again)["H0"].sizes.max() == 1


def test_a_function_that_loses_samples_is_an_error(thirds):
    def without_empty(X):
        return X[X.sizes > 0]

    walk = iter(DiagramBlocks(thirds[::-1]).map(without_empty))
    next(walk)
    next(walk)
    with pytest.raises(
        BlockError, match=r"^block 2: of 10 samples .* has made 9\. Map"
    ):
        next(walk)


def test_tasks_run_here_or_on_an_executor_in_the_order_of_the_blocks(thirds):
    blocks = DiagramBlocks(thirds)
    assert not blocks.is_distributed
    expected = [("block 0", 10, "a"), ("block 1", 10, "b"), ("block 2", 10, "c")]
    assert list(blocks.run(describe, "abc")) == expected
    with ThreadPoolExecutor(2) as pool:
        for here in (blocks.on(pool), blocks.on(pool).map(Diagrams.finite)):
            assert here.is_distributed
            assert list(here.run(describe, "abc")) == expected
            assert not here.on(None).is_distributed
    # The blocks themselves are as they were.
    assert list(blocks.run(describe)) == [given[:2] for given in expected]


@pytest.mark.parametrize("arguments", ["ab", "abcd"])
@pytest.mark.parametrize("n_threads", [0, 2])
def test_more_or_fewer_blocks_than_before_are_an_error(thirds, arguments, n_threads):
    with ThreadPoolExecutor(max(1, n_threads)) as pool:
        blocks = DiagramBlocks(thirds).on(pool if n_threads else None)
        with pytest.raises(ValueError, match="more or fewer blocks than in the first"):
            list(blocks.run(describe, arguments))


NEEDS_MEMORY = [
    estimator
    for estimator in one_per_class(ESTIMATORS)
    if not isinstance(estimator, PointVectorizer)
]


def test_most_vectorizers_need_no_memory():
    kinds = {type(estimator) for estimator in NEEDS_MEMORY}
    assert {type(v) for v in VECTORIZERS} & kinds == {RiemannianHeatMap}
    assert {WassersteinKernel, *map(type, TRANSFORMERS)} <= kinds


ADVICE = (
    r"got DiagramBlocks, which is not to be read whole.*"
    r"pbow\.distributed\.transform\(model, blocks, out\)"
)


@pytest.mark.parametrize("estimator", NEEDS_MEMORY, ids=str)
def test_what_needs_all_diagrams_refuses_blocks(estimator, thirds):
    with pytest.raises(ValueError, match=ADVICE):
        clone(estimator).fit(DiagramBlocks(thirds))


@pytest.mark.parametrize("estimator", one_per_class(ESTIMATORS), ids=str)
def test_no_transform_takes_blocks(estimator, ragged, thirds):
    fitted = clone(estimator).fit(ragged)
    for method in (fitted.transform, fitted.fit_transform):
        with pytest.raises(ValueError, match=ADVICE):
            method(DiagramBlocks(thirds))
    # What it learnt before is still there.
    fitted.transform(ragged[:2])


def test_a_function_that_returns_the_same_iterator_twice_is_refused(ragged):
    once = iter([ragged[:9], ragged[9:]])
    blocks = DiagramBlocks(lambda: once)
    assert blocks.parts == ("H1",)
    with pytest.raises(ValueError, match="the same iterator twice"):
        PersistenceBoW(2, random_state=0).fit(blocks)


def test_an_error_of_a_mapped_function_names_the_block_and_the_row(ragged):
    def spoil(X):
        raise DiagramError(2, "H1", "is not what it should be.")

    blocks = DiagramBlocks([ragged]).map(spoil)
    with pytest.raises(BlockError, match="block 0, row 2: part H1 is not what"):
        list(blocks)
