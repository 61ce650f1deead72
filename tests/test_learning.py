"""Summaries of points: the same bits for any cut, by no more passes than promised."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pbow import DiagramBlocks, Diagrams
from pbow.blocks import BlockError, Rows
from pbow.learning import Extent, OnePass, Request, summarize
from pbow.sampling import draw_sample, persistence_ramp

RAMP = {"quantiles": (0.05, 0.95)}
SAMPLE = {"has_sample": True, "seed": 4}
REQUESTS = {
    "nothing": {},
    "extent": {"has_extent": True},
    "uniform": {**SAMPLE, "size": 100},
    "all points": {**SAMPLE, "size": None},
    "more than all": {**SAMPLE, "size": 10**6},
    "point weight": {**SAMPLE, **RAMP, "size": 100},
    "by weight": {**SAMPLE, **RAMP, "size": 100, "by_weight": True},
    "all by weight": {**SAMPLE, **RAMP, "size": None, "by_weight": True},
    "image": {**RAMP, "has_extent": True},
}
each_request = pytest.mark.parametrize("asked", REQUESTS.values(), ids=REQUESTS)


class Counting:
    """A source that counts how often it is read, in pieces of a few samples."""

    def __init__(self, diagrams, number=0, rows_at_once=1000):
        self.versions = {0: diagrams}
        self.n_read = 0
        self.rows_at_once = rows_at_once
        self.name = f"{number}.parquet, rows 100 to {99 + len(diagrams)}"
        self.file = f"{number}.parquet"
        self.parts = diagrams.parts
        self.n_samples = len(diagrams)

    def fingerprint(self):
        return "1"

    def read(self, skip=None):
        last = max(pass_ for pass_ in self.versions if pass_ <= self.n_read)
        X = self.versions[last]
        self.n_read += 1
        step = self.rows_at_once
        for i in range(0, max(1, len(X)), step):
            some = X[i : i + step]
            yield Rows(some, np.arange(100 + i, 100 + i + len(some)))


@contextmanager
def on_executor(blocks, n_threads):
    with ThreadPoolExecutor(max(1, n_threads)) as pool:
        yield blocks.on(pool if n_threads else None)


@pytest.fixture(name="X", scope="module")
def two_parts():
    """Two parts, with empty diagrams, ties and essential points."""
    rng = np.random.default_rng(3)
    parts = {}
    for name in ("H0", "H1"):
        diagrams = []
        for n in [0, *rng.integers(0, 40, size=29)]:
            births = rng.integers(0, 9, size=n) / 4
            points = np.column_stack((births, births + rng.exponential(size=n)))
            points[: n // 2, 1] = points[: n // 2, 0] + rng.integers(0, 3, size=n // 2)
            points[n // 8 : n // 4, 1] = np.inf
            diagrams.append(points)
        parts[name] = diagrams
    return Diagrams.from_parts(parts)


def cut(X, rows):
    return [X[i:j] for i, j in pairwise([0, *sorted(rows), len(X)])]


def counting(X, rows=(10, 20), **options):
    return [Counting(block, i, **options) for i, block in enumerate(cut(X, rows))]


def check_same(found, expected):
    """Compare summaries to the last bit."""
    assert list(found) == list(expected)
    for name, one in found.items():
        other = expected[name]
        assert (one.births_only, one.n_points) == (other.births_only, other.n_points)
        assert (one.extent, one.ramp) == (other.extent, other.ramp)
        assert (one.sample is None) == (other.sample is None)
        if one.sample is not None:
            assert one.sample.tobytes() == other.sample.tobytes()


CUTS = {
    "one block": (),
    "thirds": (10, 20),
    "empty blocks": (0, 0, 7, 7, 30),
    "a block per sample": range(1, 30),
}


@each_request
@pytest.mark.parametrize("essential", ["drop", "separate", 99.0])
@pytest.mark.parametrize("n_threads", [0, 2])
def test_blocks_give_what_all_diagrams_in_memory_do(X, asked, essential, n_threads):
    request = Request(essential=essential, **asked)
    expected = summarize(X, request)
    for rows in CUTS.values():
        with on_executor(DiagramBlocks(cut(X, rows)), n_threads) as blocks:
            check_same(summarize(blocks, request), expected)


@settings(max_examples=40)
@given(st.lists(st.integers(0, 30), max_size=8), st.integers(1, 7), st.booleans())
def test_neither_cuts_nor_pieces_nor_executors_change_a_bit(X, rows, step, distributed):
    for asked in (REQUESTS["uniform"], REQUESTS["by weight"]):
        request = Request(essential="separate", **asked)
        sources = counting(X, rows, rows_at_once=step)
        blocks = DiagramBlocks.of_sources(sources)
        with on_executor(blocks, int(distributed)) as blocks:
            check_same(summarize(blocks, request), summarize(X, request))


def test_a_summary_is_what_each_part_says_of_itself(X):
    request = Request(essential="drop", has_extent=True, **REQUESTS["by weight"])
    for name, found in summarize(X, request).items():
        part = X[name].finite()
        births, deaths = part.points.T
        longest = float((deaths - births).max())
        assert found.n_points == len(births)
        assert found.extent == (births.min(), births.max(), longest, deaths.max())
        assert found.ramp == persistence_ramp([part], (0.05, 0.95))
        sample = draw_sample([part], 100, ramp=found.ramp, seed=4)
        assert_array_equal(found.sample, sample)
        assert not found.births_only


def test_births_of_essential_classes_are_a_part_that_is_drawn_uniformly(X):
    request = Request(essential="separate", **REQUESTS["by weight"])
    found = summarize(X, request)
    assert list(found) == ["H0", "H0_inf", "H1", "H1_inf"]
    births = np.repeat(X["H1"].essential().points[:, :1], 2, axis=1)
    expected = draw_sample([Diagrams(births, [0, len(births)])], 100, ramp=None, seed=4)
    assert found["H1_inf"].births_only
    assert found["H1_inf"].ramp is None
    assert_array_equal(found["H1_inf"].sample, expected)


@pytest.mark.parametrize(
    ("kind", "n_threads", "n_passes"),
    [
        ("nothing", 0, 1),
        ("nothing", 2, 1),
        ("extent", 0, 1),
        ("extent", 2, 1),
        ("uniform", 0, 1),
        ("uniform", 2, 2),
        ("all points", 0, 1),
        ("point weight", 0, 2),
        ("point weight", 2, 2),
        ("image", 0, 2),
        ("by weight", 0, 3),
        ("by weight", 2, 3),
    ],
)
def test_blocks_are_read_no_more_often_than_needed(X, kind, n_threads, n_passes):
    sources = counting(X)
    with on_executor(DiagramBlocks.of_sources(sources), n_threads) as blocks:
        summarize(blocks, Request(essential="separate", **REQUESTS[kind]))
    assert [source.n_read for source in sources] == [n_passes] * 3


def test_one_block_at_a_time_is_in_memory(X):
    alive, most = Counter(), []

    class Short(Counting):
        def read(self, skip=None):
            alive[self.name] += 1
            most.append(sum(alive.values()))
            yield from super().read(skip)
            alive[self.name] -= 1

    sources = [Short(block, i) for i, block in enumerate(cut(X, (10, 20)))]
    blocks = DiagramBlocks.of_sources(sources)
    for kind in ("uniform", "by weight"):
        summarize(blocks, Request(essential="drop", **REQUESTS[kind]))
    assert most == [1] * 12


def test_an_executor_works_on_several_blocks_at_once(X):
    met = threading.Barrier(3, timeout=60)

    class Meeting(Counting):
        def read(self, skip=None):
            met.wait()  # for the other two
            yield from super().read(skip)

    sources = [Meeting(block, i) for i, block in enumerate(cut(X, (10, 20)))]
    request = Request(essential="drop", **REQUESTS["by weight"])
    with on_executor(DiagramBlocks.of_sources(sources), 3) as blocks:
        check_same(summarize(blocks, request), summarize(X, request))


@pytest.mark.parametrize("n_threads", [0, 2])
@pytest.mark.parametrize(("kind", "n_passes"), [("point weight", 2), ("by weight", 3)])
def test_a_block_that_changes_between_passes_is_named(X, kind, n_passes, n_threads):
    X = X["H1"].finite()
    block = X[10:20]
    moved, n = block.points.copy(), len(block.points)
    moved[-1, 1] = np.nextafter(moved[-1, 1], 99.0)
    changes = {
        f"{n - block.sizes[-1]}": block[:-1],
        f"{n + X.sizes[20]}": X[10:21],
        f"{n} others": Diagrams(moved, block.offsets, name="H1"),
        f"{n} others ": Diagrams(np.zeros((n, 2)), block.offsets, name="H1"),
    }
    for now, changed in changes.items():
        for number in range(1, n_passes):
            sources = counting(X)
            sources[1].versions[number] = changed
            blocks = DiagramBlocks.of_sources(sources)
            with (
                on_executor(blocks, n_threads) as blocks,
                pytest.raises(BlockError) as caught,
            ):
                summarize(blocks, Request(essential="drop", **REQUESTS[kind]))
            assert str(caught.value).startswith(
                f"1.parquet, rows 100 to 109: it had {n} points of part H1 in the "
                f"first pass, and has {now.strip()} now. Fit again"
            )


@pytest.mark.parametrize("n_then", [2, 4])
def test_another_number_of_blocks_is_an_error_as_well(X, n_then):
    walks = []

    def make():
        walks.append(None)
        return iter(cut(X, (5, 10, 15))[: 3 if len(walks) < 2 else n_then])

    request = Request(essential="drop", **REQUESTS["by weight"])
    with pytest.raises(ValueError, match="more or fewer blocks than in the first pass"):
        summarize(DiagramBlocks(make), request)


@each_request
@pytest.mark.parametrize("n_threads", [0, 2])
def test_an_essential_point_that_dies_before_its_birth_is_named(X, asked, n_threads):
    request = Request(essential=1.5, **asked)
    births, deaths = X["H1"].points.T
    late = np.flatnonzero((births > 1.5) & np.isinf(deaths))
    row = int(np.searchsorted(X["H1"].offsets, late[0], side="right")) - 1
    sources = counting(X[["H1"]], rows_at_once=4)
    number, item = divmod(row, 10)
    blocks = DiagramBlocks.of_sources(sources)
    with (
        on_executor(blocks, n_threads) as blocks,
        pytest.raises(
            BlockError,
            match=rf"^{number}\.parquet, row {100 + item}: part H1 has an essential",
        ),
    ):
        summarize(blocks, request)


@pytest.mark.parametrize("n_threads", [0, 2])
@each_request
def test_diagrams_without_points_are_nothing_to_learn_from(asked, n_threads):
    X = Diagrams.from_parts({"H0": [[[0, np.inf]], []], "H1": [[], []]})
    message = "All 2 diagrams are empty but for 1 essential points.*nothing to learn"
    for data in (X, DiagramBlocks([X[:1], X[1:]])):
        with pytest.raises(ValueError, match=message):
            summarize(data, Request(essential="drop", **asked))
    with (
        on_executor(DiagramBlocks([X[:1], X[1:]]), n_threads) as blocks,
        pytest.raises(ValueError, match=message),
    ):
        summarize(blocks, Request(essential="drop", **asked))


@pytest.mark.parametrize("n_threads", [0, 2])
def test_a_part_without_points_is_warned_of_once(ragged, n_threads):
    X = Diagrams.from_parts({"H0": [[[0, np.inf]]] * 30, "H1": ragged})
    with (
        on_executor(DiagramBlocks(cut(X, (10, 20))), n_threads) as blocks,
        pytest.warns(
            UserWarning, match="Part H0 has no finite point in 30 .* 30 ess"
        ) as caught,
    ):
        found = summarize(blocks, Request(essential="drop", **REQUESTS["by weight"]))
    assert len(caught) == 1
    assert list(found) == ["H1"]


def test_a_part_may_have_points_in_a_single_block(ragged):
    nothing = Diagrams.from_list([[]] * 10, name="H1")
    blocks = [nothing, ragged[:10], nothing]
    request = Request(essential="separate", has_extent=True, **REQUESTS["by weight"])
    check_same(
        summarize(DiagramBlocks(blocks), request),
        summarize(Diagrams.concatenate(blocks), request),
    )


def test_batches_are_summarized_after_each_of_them(X):
    request = Request(essential="separate", has_extent=True, **REQUESTS["uniform"])
    batches = OnePass(request)
    for i in range(0, 30, 5):
        batches.add(X[i : i + 5])
        check_same(batches.summaries(), summarize(X[: i + 5], request))


def test_without_a_batch_there_is_no_summary():
    with pytest.raises(ValueError, match="no diagrams to learn from"):
        OnePass(Request(essential="drop")).summaries()


def test_extents_of_blocks_are_joined():
    some, others = np.array([[1.0, 4.0], [2.0, 2.5]]), np.array([[-1.0, 0.0]])
    assert Extent.of(some) == (1.0, 2.0, 3.0, 4.0)
    assert Extent.of(some) + Extent.of(others) == (-1.0, 2.0, 3.0, 4.0)
    assert Extent.of(some) + Extent.of(others[:0]) == Extent.of(some)
    assert Extent.of(others[:0]) + Extent.of(others) == Extent.of(others)


@pytest.mark.parametrize(("kind", "expected"), [("uniform", True), ("image", False)])
def test_quantiles_take_more_than_one_pass(kind, expected):
    assert Request(essential="drop", **REQUESTS[kind]).takes_one_pass is expected


# ---- many persistences that are nearly equal


def nearly_equal(spread, n_samples=30, seed=5):
    """Diagrams whose persistences are between 1 and 1 + spread, some repeated."""
    rng = np.random.default_rng(seed)
    persistences = 1.0 + spread * rng.uniform(size=(n_samples, 40))
    persistences[:, :3] = 1.0 + spread * rng.integers(0, 3, size=(n_samples, 3)) / 2
    # Births that are added to them and taken away again without rounding.
    births = np.zeros_like(persistences)
    points = np.stack((births, births + persistences), axis=-1)
    return Diagrams.from_list(points, name="H1")


@pytest.mark.parametrize("spread", [2.0, 1e-2, 1e-6, 1e-9, 1e-15])
@pytest.mark.parametrize("kind", ["point weight", "by weight", "all by weight"])
def test_where_few_may_be_collected_limits_are_exact_by_three_passes(spread, kind):
    X = nearly_equal(spread)
    persistences = np.sort(X.points[:, 1])
    n = len(persistences)
    request = Request(essential="drop", **REQUESTS[kind])
    expected = summarize(X, request, most_values=5)
    low, high = np.quantile(persistences, (0.05, 0.95), method="hazen")
    ramp = expected["H1"].ramp
    assert_allclose((ramp.low, ramp.high), (low, high), rtol=1e-15, atol=0.0)
    assert ramp == persistence_ramp([X], (0.05, 0.95))
    assert expected["H1"].n_points == n
    for rows in CUTS.values():
        sources = counting(X, rows, rows_at_once=2)
        for n_threads in (0, 2):
            with on_executor(DiagramBlocks.of_sources(sources), n_threads) as blocks:
                check_same(summarize(blocks, request, most_values=5), expected)
        assert {source.n_read for source in sources} == {6}  # three passes, two times


@pytest.mark.parametrize("spread", [2.0, 1e-2])
def test_where_few_may_be_collected_the_draw_is_the_same(spread):
    X = nearly_equal(spread)
    request = Request(essential="drop", **REQUESTS["by weight"])
    check_same(summarize(X, request, most_values=5), summarize(X, request))


def test_numbers_that_are_often_repeated_are_few():
    X = Diagrams(np.tile([[0.0, 1.0], [0.0, 1.01]], (500, 1)), [0, 400, 1000])
    sources = counting(X, (1,))
    request = Request(essential="drop", **REQUESTS["point weight"])
    summarize(DiagramBlocks.of_sources(sources), request, most_values=2)
    assert [source.n_read for source in sources] == [2, 2]
