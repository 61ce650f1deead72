"""Features in files: those of transform in memory, whatever happens on the way."""

import csv
import json
import os
import pickle
import resource
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from pyarrow import parquet
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.distributed.examples import (
    MODELS,
    SIZES,
    contents,
    die_at_block,
    make_diagrams,
    read_features,
    spoil,
    write_files,
)

import pbow
from pbow import DiagramBlocks, Diagrams, PersistenceBoW, distributed
from pbow.blocks import BlockError
from pbow.distributed import Skipped, Summary
from pbow.errors import FileFormatError, ParameterError
from pbow.io import scan_diagrams
from pbow.preprocessing import MostPersistent
from pbow.vectorizers import PersistenceImage, RiemannianHeatMap

every_model = pytest.mark.parametrize("name", MODELS)
both_kinds = pytest.mark.parametrize("kind", ["features", "features.npy"])


@pytest.fixture
def out(tmp_path):
    return tmp_path / "features"


@pytest.fixture
def undisturbed(model, files, tmp_path):
    """Return what an undisturbed call writes: the files of the folder by name."""
    out = tmp_path / "undisturbed"
    distributed.transform(model, files, out)
    return contents(out)


@pytest.fixture(params=["here", "threads"])
def executor(request):
    if request.param == "here":
        yield None
    else:
        with ThreadPoolExecutor(2) as threads:
            yield threads


def assert_same(H, expected):
    assert H.dtype == expected.dtype
    assert_array_equal(H, expected)


# ---- what is written


@every_model
def test_a_folder_has_the_features_of_transform_in_memory(
    X, files, fitted, out, name, executor
):
    model = fitted[name]
    summary = distributed.transform(model, files, out, executor=executor)
    H, _ = read_features(out)
    assert_same(H, model.transform(X))
    assert summary == Summary(*H.shape, [])
    blocks = [f"block-{i:05}.parquet" for i in range(7)]
    assert sorted(contents(out)) == ["_manifest.json", *blocks]


@every_model
def test_an_npy_file_has_the_features_of_transform_in_memory(
    X, files, fitted, tmp_path, name, executor
):
    model, out = fitted[name], tmp_path / "H.npy"
    summary = distributed.transform(model, files, out, executor=executor)
    H = np.load(out)
    assert_same(H, model.transform(X))
    assert summary == Summary(*H.shape, [])
    left = {path.name for path in tmp_path.iterdir()} - {"files"}
    assert left == {"H.npy", "H.npy.json"}
    described = json.loads((tmp_path / "H.npy.json").read_text())
    assert described["columns"] == list(model.get_feature_names_out())


def test_processes_write_the_same_files(model, files, out, undisturbed, pool):
    executor = pool(2)
    distributed.transform(model, files, out, executor=executor)
    assert contents(out) == undisturbed
    for name, given in (("1.npy", None), ("2.npy", executor)):
        distributed.transform(model, files, out.with_name(name), executor=given)
    assert len({out.with_name(f"{i}.npy").read_bytes() for i in (1, 2)}) == 1


def test_the_cut_into_files_makes_no_difference(X, model, tmp_path):
    for sizes in ([len(X)], [1] * len(X), [0, 30, 0, 7]):
        files = write_files(X, tmp_path / f"files{len(sizes)}", sizes)
        out = tmp_path / f"{len(sizes)}"
        distributed.transform(model, files, out)
        assert_same(read_features(out)[0], model.transform(X))


def test_columns_have_the_names_of_the_features(fitted, files, out):
    parquet = pytest.importorskip("pyarrow.parquet")
    distributed.transform(fitted["sPBoW"], files, out)
    names = parquet.read_schema(out / "block-00003.parquet").names
    assert names == ["sample", *fitted["sPBoW"].get_feature_names_out()]


def test_samples_without_names_are_called_by_file_and_row(model, files, out):
    distributed.transform(model, files, out)
    expected = [f"{i}.parquet:{row}" for i in range(7) for row in range(SIZES[i])]
    assert read_features(out)[1] == expected


def test_names_are_labels_and_kept_as_they_are_also_the_same_twice(
    X, model, tmp_path, out
):
    names = ["a", "b", "a", "ü, x", "", "a"]
    files = write_files(X[:6], tmp_path / "named", [4, 2], names)
    distributed.transform(model, files, out)
    H, found = read_features(out)
    assert found == names
    assert_same(H, model.transform(X[:6]))


def test_files_may_be_given_twice(X, model, files, out):
    distributed.transform(model, [files / "0.parquet"] * 2, out)
    H, names = read_features(out)
    assert_same(H, model.transform(X[[0, 1, 0, 1]]))
    assert names == ["0.parquet:0", "0.parquet:1"] * 2


@both_kinds
def test_a_pipeline_is_a_model(X, files, tmp_path, kind):
    def fitted():
        bow = PersistenceBoW(4, random_state=0)
        return make_pipeline(MostPersistent(10), bow, StandardScaler()).fit(X)

    out, pipeline = tmp_path / kind, fitted()
    expected = pipeline.transform(X)
    distributed.transform(pipeline, files, out)
    H = np.load(out) if out.is_file() else read_features(out)[0]
    assert_same(H, expected)
    # Fitted again, as a script does that is started again, it is the same model.
    distributed.transform(fitted(), files, out, resume=True)
    pipeline[-1].scale_ *= 2
    expected = r"another job: its model|not this matrix"
    with pytest.raises((ValueError, FileExistsError), match=expected):
        distributed.transform(pipeline, files, out, resume=True)


def test_a_vectorizer_that_was_fitted_in_memory_is_a_model(X, files, out):
    model = RiemannianHeatMap(n_components=2).fit(X["H1"].finite())
    blocks = scan_diagrams(files).map(only_finite_loops)
    distributed.transform(model, blocks, out)
    assert_same(read_features(out)[0], model.transform(X["H1"].finite()))


def only_finite_loops(X):
    return X["H1"].finite()


def test_blocks_in_memory_are_called_by_their_number(X, model, out):
    distributed.transform(model, [X[:2], X[2:2], X[2:3]], out)
    H, names = read_features(out)
    assert_same(H, model.transform(X[:3]))
    assert names == ["block 0:0", "block 0:1", "block 2:0"]


def test_a_bar_counts_the_samples(model, files, out, capsys):
    distributed.transform(model, files, out, progress=True)
    assert "/37 " in capsys.readouterr().err


# ---- what is there already


@both_kinds
def test_without_resume_what_is_there_is_refused(model, files, tmp_path, kind):
    out = tmp_path / kind
    for is_there in (False, True):
        if is_there:
            with pytest.raises(FileExistsError, match="Resume that job"):
                distributed.transform(model, files, out)
        else:
            distributed.transform(model, files, out)


def test_a_folder_of_other_files_and_a_file_are_refused(model, files, tmp_path):
    note = tmp_path / "note.txt"
    note.write_text("mine")
    for resume in (False, True):
        with pytest.raises(FileExistsError, match="has other files"):
            distributed.transform(model, files, tmp_path, resume=resume)
        with pytest.raises(FileExistsError, match="is a file"):
            distributed.transform(model, files, note, resume=resume)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["files", "note.txt"]


@both_kinds
def test_results_of_another_model_are_refused(X, model, files, tmp_path, kind):
    out = tmp_path / kind
    distributed.transform(model, files, out)
    other = clone(model).set_params(random_state=7).fit(X)
    expected = r"another job: its model|not this matrix"
    with pytest.raises((ValueError, FileExistsError), match=expected):
        distributed.transform(other, files, out, resume=True)
    # The same one is not, however it came here, and with any number of threads.
    pbow.save(model, tmp_path / "model.pbow")
    for same in (
        pickle.loads(pickle.dumps(model)),
        pbow.load(tmp_path / "model.pbow"),
        clone(model).set_params(n_jobs=2).fit(X),
    ):
        assert distributed.transform(same, files, out, resume=True).n_samples == 37


@both_kinds
def test_results_of_input_that_has_changed_are_refused(X, model, files, tmp_path, kind):
    out = tmp_path / kind
    distributed.transform(model, files, out)
    spoil(files / "3.parquet", 0, "H1", [(0.0, 0.5)])
    expected = r"another job: its input|not this matrix"
    with pytest.raises((ValueError, FileExistsError), match=expected):
        distributed.transform(model, files, out, resume=True)


def test_begun_results_of_another_model_are_refused_by_an_npy_file_as_well(
    X, model, files, tmp_path
):
    out = tmp_path / "H.npy"
    spoil(files / "3.parquet", 0, "H1", [(0.0, -0.5)])
    with pytest.raises(BlockError, match=r"3\.parquet, row 0"):
        distributed.transform(model, files, out)
    with pytest.raises(FileExistsError, match="or has been begun"):
        distributed.transform(model, files, out)
    other = clone(model).set_params(random_state=7).fit(X)
    with pytest.raises(ValueError, match="is part of another matrix"):
        distributed.transform(other, files, out, resume=True)


# ---- stopped and resumed


def test_a_folder_that_was_killed_again_and_again_is_the_same_in_the_end(
    model, files, out, undisturbed, kill_in_turn
):
    # In the manifest, the first block, the fourth, the sixth, and in the manifest.
    steps = ((0, 0), (1, 0), (3, 3), (2, 5), (2, 7))
    kill_in_turn(steps, (distributed.transform, model, files), out)
    assert distributed.transform(model, files, out, resume=True).n_samples == 37
    assert contents(out) == undisturbed


def test_an_npy_file_that_was_killed_again_and_again_is_the_same_in_the_end(
    model, files, tmp_path, kill
):
    out, log = tmp_path / "H.npy", tmp_path / "log"
    distributed.transform(model, files, tmp_path / "undisturbed.npy")
    for n_blocks in (0, 2, 3):
        kill(
            die_at_block,
            *(n_blocks, log, distributed.transform),
            *(model, files, out),
            resume=True,
        )
        assert not out.exists()
    done = log.read_text().splitlines()
    assert len(done) == len({*done}) == 5  # none was made twice
    distributed.transform(model, files, out, resume=True)
    for end in ("", ".json"):
        expected = (tmp_path / f"undisturbed.npy{end}").read_bytes()
        assert (tmp_path / f"H.npy{end}").read_bytes() == expected
    assert not list(tmp_path.glob("*.partial")) + list(tmp_path.glob("*.tiles"))


@both_kinds
def test_a_killed_process_of_a_pool_is_reported_and_what_was_done_is_kept(
    model, files, tmp_path, kind, watch, pool
):
    watched, out = watch(deadly=4), tmp_path / kind
    blocks = scan_diagrams(files).map(watched)
    with pytest.raises(BrokenProcessPool) as caught:
        distributed.transform(model, blocks, out, executor=pool())
    assert f"before it had finished {files / '4.parquet'}. " in str(caught.value)
    assert "make a new executor, and call again" in str(caught.value)
    distributed.transform(model, blocks, out, executor=pool(), resume=True)
    distributed.transform(model, blocks, tmp_path / f"again-{kind}")
    if out.is_file():
        assert out.read_bytes() == (tmp_path / f"again-{kind}").read_bytes()
    else:
        assert contents(out) == contents(tmp_path / f"again-{kind}")
    # Once in each of two outputs, and the deadly one once more.
    assert [watched.visits(n) for n in SIZES] == [2, 2, 2, 2, 3, 2, 2]


@contextmanager
def largest_file(n_bytes):
    """Let writing beyond so many bytes fail, as on a full disk."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_a_full_disk_names_the_file_and_keeps_what_was_done(model, tmp_path, out):
    files = write_files(make_diagrams(606), tmp_path / "large", [2, 2, 600, 2])
    distributed.transform(model, files, tmp_path / "undisturbed")
    expected = contents(tmp_path / "undisturbed")
    n_bytes = len(expected["block-00002.parquet"]) // 2
    assert len(expected["block-00003.parquet"]) < n_bytes
    with largest_file(n_bytes), pytest.raises(OSError, match="too large") as caught:
        distributed.transform(model, files, out)
    assert caught.value.filename == str(out / "block-00002.parquet")
    done = ["_manifest.json", "block-00000.parquet", "block-00001.parquet"]
    assert sorted(contents(out)) == done
    distributed.transform(model, files, out, resume=True)
    assert contents(out) == expected


def test_a_full_disk_leaves_nothing_of_an_npy_file(model, files, tmp_path):
    out = tmp_path / "H.npy"
    with largest_file(500), pytest.raises(OSError, match="too large") as caught:
        distributed.transform(model, files, out)
    assert caught.value.filename == str(out)
    assert [path.name for path in tmp_path.iterdir()] == ["files"]
    distributed.transform(model, files, out)


@both_kinds
def test_an_executor_that_is_shut_down_is_reported_and_work_goes_on_with_another(
    X, model, files, tmp_path, kind
):
    out, executor = tmp_path / kind, ThreadPoolExecutor(1)
    executor.shutdown()
    with pytest.raises(RuntimeError, match=r"is shut down\. Pass an executor that"):
        distributed.transform(model, files, out, executor=executor)
    with ThreadPoolExecutor(1) as other:
        distributed.transform(model, files, out, executor=other, resume=True)
    H = np.load(out) if out.is_file() else read_features(out)[0]
    assert_same(H, model.transform(X))


# ---- samples that cannot be used


@pytest.fixture
def damaged(files):
    """Return the files with two bad samples, a truncated file and a damaged one."""
    spoil(files / "1.parquet", 7, "H1", [(0.0, float("nan"))])
    spoil(files / "4.parquet", 0, "H0", [(3.0, 1.0)])
    truncated, flipped = files / "2.parquet", files / "5.parquet"
    truncated.write_bytes(truncated.read_bytes()[:-9])
    data = bytearray(flipped.read_bytes())
    data[len(data) // 4] ^= 255  # within the numbers, which have checksums
    flipped.write_bytes(data)
    return files


def read_csv(path):
    with path.open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    assert head == ["file", "row", "n_rows", "reason"]
    return [Skipped(row[0], int(row[1]), int(row[2]), row[3]) for row in rows]


def test_samples_that_cannot_be_used_are_skipped_and_listed(
    X, model, damaged, out, executor
):
    summary = distributed.transform(
        model, damaged, out, on_error="skip", executor=executor
    )
    starts = np.cumsum((0, *SIZES))
    skipped = {("1", 7), ("4", 0), *(("2", row) for row in range(3))}
    skipped |= {("5", row) for row in range(8)}
    kept = [
        (f"{i}.parquet:{row}", starts[i] + row)
        for i, n in enumerate(SIZES)
        for row in range(n)
        if (str(i), row) not in skipped
    ]
    H, names = read_features(out)
    assert names == [name for name, _ in kept]
    assert_same(H, model.transform(X[[row for _, row in kept]]))
    assert summary[:2] == H.shape
    # How many samples a truncated file had is not known.
    assert [one[:3] for one in summary.skipped] == [
        (str(damaged / "1.parquet"), 7, 1),
        (str(damaged / "2.parquet"), 0, 0),
        (str(damaged / "4.parquet"), 0, 1),
        (str(damaged / "5.parquet"), 0, 8),
    ]
    reasons = [one.reason for one in summary.skipped]
    assert "part H1" in reasons[0]
    assert "nan" in reasons[0].lower()
    assert "part H0 has a point that dies before it is born" in reasons[2]
    assert read_csv(out / "_skipped.csv") == summary.skipped
    assert not list(out.glob("_skipped-*"))
    # It is finished, and what was skipped is known.
    again = distributed.transform(model, damaged, out, resume=True, on_error="skip")
    assert again == summary


def test_what_was_skipped_is_listed_also_after_kills(
    model, damaged, out, tmp_path, kill_in_turn
):
    undisturbed = tmp_path / "undisturbed"
    summary = distributed.transform(model, damaged, undisturbed, on_error="skip")
    # In the first block, between the list of the second and its file, in the list of
    # the sixth, in that of all blocks, and in the manifest.
    steps = ((1, 0), (2, 1), (7, 5), (3, 7), (1, 7))
    job = distributed.transform, model, damaged
    kill_in_turn(steps, job, out, on_error="skip")
    lists = {path: path.read_bytes() for path in out.glob("_skipped-*.json")}
    assert len(lists) == 4
    for _ in range(2):
        again = distributed.transform(model, damaged, out, on_error="skip", resume=True)
        assert again == summary
        assert contents(out) == contents(undisturbed)
        # As if it had been killed before it removed them.
        for path, content in lists.items():
            path.write_bytes(content)


@pytest.mark.parametrize("file", ["1", "2", "4", "5"])
def test_without_skipping_each_of_them_is_an_error_that_names_its_file(
    model, damaged, out, file
):
    located = {"1": r"1\.parquet, row 7: part H1", "4": r"4\.parquet, row 0: part H0"}
    expected = located.get(file, rf"Cannot read .*{file}\.parquet: ")
    with pytest.raises((BlockError, FileFormatError), match=expected):
        distributed.transform(model, damaged / f"{file}.parquet", out)
    assert not list(out.glob(".*.tmp"))


@both_kinds
def test_a_bad_diagram_stops_the_work_and_what_is_done_is_kept(
    model, files, tmp_path, kind, pool
):
    out = tmp_path / kind
    spoil(files / "1.parquet", 7, "H1", [(1.0, 0.5)])
    expected = r"1\.parquet, row 7: part H1 .*birth=1, death=0\.5"
    for resume, executor in ((False, None), (True, pool())):
        with pytest.raises(BlockError, match=expected):
            distributed.transform(model, files, out, executor=executor, resume=resume)
        if executor is not None:
            executor.shutdown()  # what had begun goes on to its end
        if out.is_dir():
            assert (out / "block-00000.parquet").exists()
            assert not (out / "block-00001.parquet").exists()
            assert not list(out.glob(".*.tmp"))


def test_an_essential_point_later_than_the_number_is_located_or_skipped(
    X, files, out, tmp_path
):
    model = PersistenceBoW(2, essential=8.0, random_state=0).fit(X)
    infinity = float("inf")
    spoil(files / "1.parquet", 7, "H0", [(0.0, 1.0), (9.0, infinity)])
    spoil(files / "1.parquet", 8, "H1", [(8.5, infinity)])
    expected = r"1\.parquet, row 7: part H0 has an essential point born at 9, after"
    with pytest.raises(BlockError, match=expected):
        distributed.transform(model, files, tmp_path / "raised")
    summary = distributed.transform(model, files, out, on_error="skip")
    assert [one[1:3] for one in summary.skipped] == [(7, 1), (8, 1)]
    kept = np.delete(np.arange(37), [9, 10])
    assert_same(read_features(out)[0], model.transform(X[kept]))


def test_names_of_samples_that_are_kept_stay_theirs(X, model, tmp_path, out):
    files = write_files(X[:4], tmp_path / "named", [4], list("abcd"))
    spoil(files / "0.parquet", 1, "H0", [(3.0, 1.0)])
    distributed.transform(model, files, out, on_error="skip")
    assert read_features(out)[1] == ["a", "c", "d"]


def test_a_file_may_have_no_good_sample_also_for_a_pipeline(X, files, out):
    spoil(files / "0.parquet", 0, "H1", [(3.0, 1.0)])
    spoil(files / "0.parquet", 1, "H1", [(3.0, 1.0)])
    pipeline = make_pipeline(PersistenceBoW(2, random_state=0), StandardScaler())
    pipeline.fit(X)
    summary = distributed.transform(pipeline, files, out, on_error="skip")
    assert summary.n_samples == 35
    assert_same(read_features(out)[0], pipeline.transform(X)[2:])


@pytest.mark.parametrize("how", ["changed", "removed"])
def test_a_file_that_changes_after_it_was_looked_at_is_named_or_skipped(
    model, files, tmp_path, out, how
):
    blocks = scan_diagrams(files)
    path = files / "6.parquet"
    if how == "changed":
        spoil(path, 0, "H1", [(0.0, 1.0)])
        error, expected = FileFormatError, r"6\.parquet: it has changed since"
    else:
        path.unlink()
        error, expected = FileNotFoundError, r"6\.parquet"
    with pytest.raises(error, match=expected):
        distributed.transform(model, blocks, tmp_path / "raised")
    if how == "changed":  # nothing of it can be trusted
        with pytest.raises(error, match=expected):
            distributed.transform(model, blocks, out, on_error="skip")
        return
    summary = distributed.transform(model, blocks, out, on_error="skip")
    assert [one[:3] for one in summary.skipped] == [(str(path), 0, 6)]
    assert len(read_features(out)[0]) == summary.n_samples == 31


def test_files_without_a_part_are_refused_before_any_work(X, model, tmp_path, out):
    loops = write_files(X["H1"], tmp_path / "loops", [3])
    with pytest.raises(ValueError, match="H0"):
        distributed.transform(model, loops, out)
    both = write_files(X[:3], tmp_path / "both", [3])
    with pytest.raises(FileFormatError, match=r"loops.*it has parts H1, and .*both"):
        distributed.transform(model, [both, loops], out)
    assert not out.exists()


# ---- what is refused


def test_skipping_is_refused_for_an_npy_file_and_other_words_are(
    model, files, tmp_path
):
    out = tmp_path / "H.npy"
    with pytest.raises(ParameterError, match=r"'raise' for a \.npy file"):
        distributed.transform(model, files, out, on_error="skip")
    for out in (tmp_path / "H.npy", tmp_path / "H"):
        with pytest.raises(ParameterError, match="on_error"):
            distributed.transform(model, files, out, on_error="ignore")
    assert [path.name for path in tmp_path.iterdir()] == ["files"]


def test_a_model_that_makes_no_rows_is_refused_before_any_work(X, files, out):
    with pytest.raises(ValueError, match=r"2-D array with 1 rows; got one of shape"):
        distributed.transform(MostPersistent(2).fit(X), files, out)
    assert not out.exists()


def test_a_model_that_is_not_fitted_is_refused_before_any_work(files, out):
    with pytest.raises(ValueError, match="not fitted"):
        distributed.transform(PersistenceBoW(2), files, out)
    assert not out.exists()


# ---- what workers see


def test_workers_in_another_folder_write_to_the_same_one(
    model, files, X, tmp_path, monkeypatch
):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(tmp_path)
    for out in ("features", "H.npy"):
        with ProcessPoolExecutor(
            1, initializer=os.chdir, initargs=(elsewhere,)
        ) as pool:
            distributed.transform(model, files, out, executor=pool)
    assert list(elsewhere.iterdir()) == []
    np.testing.assert_array_equal(np.load("H.npy"), model.transform(X))
    np.testing.assert_array_equal(
        read_features(Path("features"))[0], model.transform(X)
    )


@pytest.mark.parametrize("name", ["features", "H.npy"])
def test_blocks_that_change_between_two_walks_are_an_error(model, X, tmp_path, name):
    walks = iter([[X[:5], X[5:9]], [X[:5]]])
    blocks = DiagramBlocks(lambda: next(walks))
    blocks._parts = X.parts
    with pytest.raises(BlockError, match="block 1: it has changed since"):
        distributed.transform(model, blocks, tmp_path / name)
    assert not (tmp_path / "H.npy").exists()


def test_features_of_many_small_diagrams_are_written_in_pieces(tmp_path):
    X = Diagrams(np.tile([[0.0, 1.0]], (9000, 1)), np.arange(9001))
    image = PersistenceImage(resolution=20).fit(X)  # 400 features: 5,242 rows
    distributed.transform(image, [X], tmp_path / "features")
    [file] = (tmp_path / "features").glob("*.parquet")
    metadata = parquet.ParquetFile(file).metadata
    assert [metadata.row_group(i).num_rows for i in range(2)] == [5242, 3758]
    np.testing.assert_array_equal(
        read_features(tmp_path / "features")[0], image.transform(X)
    )
