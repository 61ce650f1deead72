"""Fitting to blocks: the bits of a fit in memory, on any executor; what stops it."""

import os
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path

import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.distributed.examples import MODELS, saved, spoil, write_files

from pbow import PersistenceBoW, distributed
from pbow.blocks import BlockError
from pbow.errors import FileFormatError
from pbow.io import scan_diagrams
from pbow.vectorizers import RiemannianHeatMap

every_model = pytest.mark.parametrize("name", MODELS)
ROW_7 = r"1\.parquet, row 7: part H1 "


@pytest.fixture(params=["here", "threads"])
def executor(request):
    if request.param == "here":
        yield None
    else:
        with ThreadPoolExecutor(2) as threads:
            yield threads


@every_model
def test_a_fit_to_files_is_a_fit_in_memory(files, fitted, name, executor):
    model = clone(MODELS[name])
    assert distributed.fit(model, files, executor=executor) is model
    assert saved(model) == saved(fitted[name])


def test_processes_learn_the_same(files, fitted, pool):
    executor = pool(2)
    for name in MODELS:
        model = distributed.fit(clone(MODELS[name]), files, executor=executor)
        assert saved(model) == saved(fitted[name])


def test_the_cut_into_files_makes_no_difference(X, fitted, tmp_path, executor):
    for sizes in ([len(X)], [1] * len(X), [0, 30, 0, 7]):
        files = write_files(X, tmp_path / str(len(sizes)), sizes)
        model = distributed.fit(clone(MODELS["ramp"]), files, executor=executor)
        assert saved(model) == saved(fitted["ramp"])


def test_blocks_may_be_diagrams_in_memory(X, fitted):
    blocks = [X[:5], X[5:5], X[5:]]
    for given in (blocks, lambda: iter(blocks)):
        model = distributed.fit(clone(MODELS["sPBoW"]), given)
        assert saved(model) == saved(fitted["sPBoW"])


def test_a_killed_process_is_reported_with_its_block_and_a_new_pool_fits(
    files, fitted, watch, pool
):
    watched = watch(deadly=4)
    blocks = scan_diagrams(files).map(watched)
    with pytest.raises(BrokenProcessPool) as caught:
        distributed.fit(clone(MODELS["ramp"]), blocks, executor=pool())
    assert str(files / "4.parquet") in str(caught.value)
    assert "make a new executor, and call again." in str(caught.value)
    model = distributed.fit(clone(MODELS["ramp"]), blocks, executor=pool())
    assert saved(model) == saved(fitted["ramp"])
    assert watched.visits(4) == 1 + 3  # three passes


def test_what_does_not_learn_from_points_is_refused_with_advice(files):
    pipeline = make_pipeline(PersistenceBoW(2), StandardScaler())
    for other in (RiemannianHeatMap(), pipeline):
        with pytest.raises(ValueError, match="fit anything else to a sample") as caught:
            distributed.fit(other, files)
        assert type(other).__name__ in str(caught.value)


@pytest.mark.parametrize("has_executor", [False, True])
@pytest.mark.parametrize("name", ["PBoW", "ramp"])
def test_a_bad_diagram_is_named_by_its_file_and_row(files, pool, name, has_executor):
    spoil(files / "1.parquet", 7, "H1", [(0.0, 1.0), (1.0, 0.5)])
    executor = pool() if has_executor else None
    with pytest.raises(BlockError, match=rf"{ROW_7}.*birth=1, death=0\.5") as caught:
        distributed.fit(clone(MODELS[name]), files, executor=executor)
    assert caught.value.row == 7


@pytest.mark.parametrize("has_executor", [False, True])
def test_an_essential_point_later_than_the_number_is_named_by_its_row(
    files, pool, has_executor
):
    spoil(files / "1.parquet", 7, "H1", [(9.0, float("inf"))])
    executor = pool() if has_executor else None
    with pytest.raises(BlockError, match=rf"{ROW_7}.*born at 9, after essential=8"):
        distributed.fit(PersistenceBoW(2, essential=8.0), files, executor=executor)
    distributed.fit(PersistenceBoW(2, essential=9.0), files, executor=executor)


def test_a_truncated_file_is_named(files):
    path = files / "3.parquet"
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(FileFormatError, match=r"3\.parquet"):
        distributed.fit(clone(MODELS["PBoW"]), files)


def test_a_file_without_a_part_is_named_with_the_parts_that_it_has(X, files):
    write_files(X["H1"], files / "more", [3])
    (files / "more" / "0.parquet").rename(files / "9.parquet")
    (files / "more").rmdir()
    expected = r"9\.parquet: it has parts H1, and .*0\.parquet has H0, H1"
    with pytest.raises(FileFormatError, match=expected):
        distributed.fit(clone(MODELS["PBoW"]), files)


@dataclass(frozen=True)
class Touching:
    """Changes a file when a block of so many samples is read."""

    path: Path
    size: int

    def __call__(self, X):
        if len(X) == self.size:
            os.utime(self.path, (0, 0))
        return X


def test_a_file_that_changes_between_passes_is_named(files, executor):
    # The first file is done with in the first pass when the last one is read.
    blocks = scan_diagrams(files).map(Touching(files / "0.parquet", 6))
    with pytest.raises(FileFormatError, match=r"0\.parquet: it has changed since"):
        distributed.fit(clone(MODELS["ramp"]), blocks, executor=executor)


def test_a_block_with_other_points_in_a_later_pass_is_named(X):
    passes = []

    def blocks():
        yield X[:2]
        passes.append(X)
        yield X[2:11] if len(passes) < 2 else X[3:12]

    expected = r"block 1: it had \d+ points of part H0 in the first pass, and has \d+"
    with pytest.raises(BlockError, match=expected):
        distributed.fit(clone(MODELS["ramp"]), blocks)


def test_diagrams_without_any_point_are_nothing_to_learn_from(X, tmp_path):
    files = write_files(X[:0], tmp_path / "none", [0, 0])
    with pytest.raises(ValueError, match="There are no samples in"):
        distributed.fit(clone(MODELS["PBoW"]), files)
    with pytest.raises(ValueError, match="All 2 diagrams are empty"):
        distributed.fit(clone(MODELS["PBoW"]), [[[]], [[]]])
