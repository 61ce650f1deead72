"""Diagrams of raw data in many files: those of the function in memory."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal
from tests.distributed.examples import contents, read_features

from pbow import PersistenceBoW, distributed, homology
from pbow.blocks import BlockError
from pbow.datasets import read_raw
from pbow.distributed import Summary
from pbow.errors import FileFormatError, ParameterError
from pbow.io import read_diagrams, scan_diagrams

gudhi = pytest.importorskip("gudhi")


@pytest.fixture
def clouds(rng, tmp_path):
    """Return a folder of five files: a stack of three clouds, and four of one."""
    folder = tmp_path / "clouds"
    folder.mkdir()
    np.save(folder / "10.npy", rng.normal(size=(3, 9, 2)))
    np.save(folder / "2.npy", rng.normal(size=(7, 2)))
    for name in ("a", "b", "c"):
        np.savetxt(folder / f"{name}.csv", rng.normal(size=(8, 2)), delimiter=",")
    return folder


@pytest.fixture
def images(rng, tmp_path):
    folder = tmp_path / "images"
    folder.mkdir()
    np.save(folder / "flat.npy", rng.normal(size=(2, 6, 5)))
    np.save(folder / "one.npy", rng.normal(size=(4, 7)))
    return folder


@pytest.fixture
def graphs(tmp_path):
    folder = tmp_path / "graphs"
    folder.mkdir()
    edges = {"star": "1 2\n1 3\n1 4\n", "ring": "1 2\n2 3\n3 1\n", "path": "0,1\n1,2\n"}
    for name, text in edges.items():
        (folder / f"{name}.txt").write_text(text)
    return folder


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


def names_in(out):
    files = sorted(out.glob("*.parquet"))
    return [
        name for file in files for name in pq.read_table(file)["sample"].to_pylist()
    ]


@pytest.mark.parametrize(
    ("kind", "data", "params"),
    [
        ("alpha", "clouds", {}),
        ("rips", "clouds", {"dims": (0, 1, 2), "max_edge": 2.0}),
        ("sparse_rips", "clouds", {"dims": 1}),
        ("dtm_rips", "clouds", {"k": 3}),
        ("cubical", "images", {"superlevel": True}),
        ("graph_sublevel", "graphs", {"dims": (0, 1)}),
        ("graph_extended", "graphs", {}),
    ],
)
def test_files_have_the_diagrams_of_the_function_in_memory(
    request, out, kind, data, params
):
    folder = request.getfixturevalue(data)
    summary = distributed.homology(kind, folder, out, files_per_block=2, **params)
    raw = read_raw(folder, data)
    expected = getattr(homology, kind)(raw.samples, **params)
    assert read_diagrams(out) == expected
    assert names_in(out) == raw.names
    assert summary == Summary(len(expected), len(expected.parts), [])


def test_executors_and_blocks_make_no_difference(clouds, out, tmp_path, pool):
    distributed.homology("alpha", clouds, out, files_per_block=2)
    with ThreadPoolExecutor(2) as threads:
        for i, executor in enumerate((threads, pool())):
            other = tmp_path / f"other{i}"
            distributed.homology(
                "alpha", clouds, other, files_per_block=2, executor=executor
            )
            assert contents(other) == contents(out)
    whole = tmp_path / "whole"
    distributed.homology("alpha", sorted(clouds.iterdir()), whole)
    assert sorted(contents(whole)) == ["_manifest.json", "block-00000.parquet"]
    paths = sorted(clouds.iterdir())
    assert read_diagrams(whole) == homology.alpha(read_raw(paths, "clouds").samples)


def test_a_fit_and_features_follow_and_names_stay(clouds, out, tmp_path):
    distributed.homology("alpha", clouds, out, files_per_block=2)
    raw = read_raw(clouds, "clouds")
    X = homology.alpha(raw.samples)
    model = distributed.fit(PersistenceBoW(3, random_state=0), out)
    distributed.transform(model, out, tmp_path / "H")
    H, names = read_features(tmp_path / "H")
    assert_array_equal(H, PersistenceBoW(3, random_state=0).fit_transform(X))
    assert names == raw.names


def test_a_killed_job_goes_on_to_the_same_files(clouds, out, tmp_path, kill_in_turn):
    job = ("alpha", clouds)
    distributed.homology(*job, tmp_path / "undisturbed", files_per_block=1)
    steps = ((0, 0), (3, 2), (2, 4))
    kill_in_turn(steps, (distributed.homology, *job), out, files_per_block=1)
    distributed.homology(*job, out, files_per_block=1, resume=True)
    assert contents(out) == contents(tmp_path / "undisturbed")


def test_results_of_another_job_are_refused(clouds, out):
    distributed.homology("alpha", clouds, out, field=3, dims=0)
    with pytest.raises(FileExistsError, match="Resume that job"):
        distributed.homology("alpha", clouds, out, field=3, dims=0)
    # In another order, and with threads, it is the same.
    distributed.homology("alpha", clouds, out, dims=0, field=3, n_jobs=2, resume=True)
    for kind, params in (("rips", {"dims": 0, "field": 3}), ("alpha", {"dims": 1})):
        with pytest.raises(ValueError, match="its homology is different"):
            distributed.homology(kind, clouds, out, resume=True, **params)
    (clouds / "b.csv").rename(clouds / "bb.csv")
    with pytest.raises(ValueError, match="its input is different"):
        distributed.homology("alpha", clouds, out, field=3, dims=0, resume=True)


@pytest.mark.parametrize("has_executor", [False, True])
def test_a_bad_file_and_a_bad_sample_are_named(clouds, out, pool, has_executor):
    executor = pool() if has_executor else None
    stack = np.load(clouds / "10.npy")
    stack[1, 4, 0] = np.nan
    np.save(clouds / "10.npy", stack)
    expected = r"clouds.10\.npy:1: point 4 is \[nan"
    with pytest.raises(BlockError, match=expected):
        distributed.homology("alpha", clouds, out, executor=executor)
    assert sorted(contents(out)) == ["_manifest.json"]
    (clouds / "10.npy").unlink()
    (clouds / "b.csv").write_text("1,2\n3,x\n")
    with pytest.raises(FileFormatError, match=r"Cannot read .*clouds.b\.csv: "):
        distributed.homology("alpha", clouds, out.with_name("2"), executor=executor)


def test_a_bad_file_and_a_bad_sample_are_skipped_and_listed(
    clouds, out, tmp_path, kill_in_turn
):
    raw = read_raw(clouds, "clouds")
    stack = np.load(clouds / "10.npy")
    stack[[0, 2], 4, 0] = np.nan
    np.save(clouds / "10.npy", stack)
    (clouds / "b.csv").write_text("1,2\n3,x\n")
    options = {"on_error": "skip", "files_per_block": 2}
    summary = distributed.homology("alpha", clouds, out, **options)
    bad = {"10.npy:0", "10.npy:2", "b.csv"}
    kept = [i for i, name in enumerate(raw.names) if name not in bad]
    assert read_diagrams(out) == homology.alpha([raw.samples[i] for i in kept])
    assert names_in(out) == [raw.names[i] for i in kept]
    assert summary[:2] == (len(kept), 2)
    skipped = [one[:3] for one in summary.skipped]
    stack, text = (str(clouds / name) for name in ("10.npy", "b.csv"))
    expected = [(stack, 0, 1), (stack, 2, 1), (text, 0, 1)]
    assert skipped == expected
    lines = (out / "_skipped.csv").read_text().splitlines()
    assert [line.split(",")[:3] for line in lines[1:]] == [
        [file, str(row), str(n)] for file, row, n in expected
    ]
    again = tmp_path / "again"
    job = distributed.homology, "alpha", clouds
    kill_in_turn(((2, 0), (2, 1)), job, again, **options)
    resumed = distributed.homology("alpha", clouds, again, resume=True, **options)
    assert resumed == summary
    assert contents(again) == contents(out)


def test_with_bad_samples_the_others_are_computed_once(clouds, out, monkeypatch):
    stack = np.load(clouds / "10.npy")
    stack[[0, 2], 4, 0] = np.nan
    np.save(clouds / "10.npy", stack)
    seen = []

    def alpha(samples, **params):
        seen.extend(map(len, samples))
        return compute(samples, **params)

    compute = homology.alpha
    monkeypatch.setattr(homology, "alpha", alpha)
    distributed.homology("alpha", clouds, out, on_error="skip")
    assert sorted(seen) == [7, 8, 8, 8, 9, 9, 9]


def test_there_may_be_no_good_sample_at_all(tmp_path, out):
    (tmp_path / "a.csv").write_text("1,x\n")
    summary = distributed.homology("alpha", tmp_path / "a.csv", out, on_error="skip")
    assert summary[:2] == (0, 2)
    assert [one.file for one in summary.skipped] == [str(tmp_path / "a.csv")]
    with pytest.raises(ValueError, match="There are no samples"):
        scan_diagrams(out)


@pytest.mark.parametrize(
    ("error", "expected", "kind", "params"),
    [
        (ParameterError, "kind to be one of .*'rips', .*; got 'cech'", "cech", {}),
        (TypeError, "colour", "alpha", {"colour": 1}),
        (ParameterError, "dims", "alpha", {"dims": -1}),
        (TypeError, "'k'", "dtm_rips", {}),
        (ParameterError, "on_error", "alpha", {"on_error": "ignore"}),
        (ParameterError, "files_per_block", "alpha", {"files_per_block": 0}),
        (FileFormatError, r"a\.csv.*expected one of the ext", "cubical", {}),
    ],
)
def test_unknown_kinds_and_parameters_are_refused_before_any_work(
    clouds, out, error, expected, kind, params
):
    with pytest.raises(error, match=expected):
        distributed.homology(kind, [clouds / "a.csv"], out, **params)
    assert not out.exists()


def test_files_that_are_not_there_are_refused_before_any_work(tmp_path, out):
    for given in (tmp_path / "missing", tmp_path):
        with pytest.raises(FileNotFoundError):
            distributed.homology("alpha", given, out)
    assert not out.exists()


def test_a_bar_counts_the_files(clouds, out, capsys):
    distributed.homology("alpha", clouds, out, progress=True)
    assert "/5 " in capsys.readouterr().err
