"""The folder of results: nothing lost, nothing half written, nothing twice."""

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import asdict, fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbow.experiment.runs import (
    FINAL,
    MATRIX,
    OVER_BUDGET,
    STAGES,
    Folder,
    Run,
    key_of,
)
from pbow.io import FileFormatError

RUN = Run(
    key="a" * 24,
    stage=FINAL,
    dataset="shapes",
    descriptor="PBoW",
    params={"n_words": 20, "weighting": None, "quantiles": [0.1, 1 / 3]},
    repetition=0,
    accuracy=1 / 3,
    validation=0.1 + 0.2,
    cost=1000.0,
    by_cost=[1 / 7, 5e-324, 0.9999999999999999],
    confusion=[[3, 0], [1, 2]],
    n_train=24,
    n_test=6,
    n_features=20,
    seconds={"fit": 0.1234567890123456789, "encode": 1e-9},
    n_fits=26,
    n_capped=1,
    versions={"numpy": "2.0"},
    machine='A "quick" one, 2 cores',
    note="Grüße, 距離,\n\r\na line",
)
NOTE = Run(
    key="b" * 24, stage=OVER_BUDGET, dataset="shapes", descriptor="2Wd", params={}
)


@pytest.fixture(scope="module", autouse=True)
def no_waiting_for_the_disk():
    """Hundreds of examples write files; none of them needs to outlast a power cut."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture
def folder(tmp_path):
    made = Folder(tmp_path / "results")
    made.make("title = 'x'")
    return made


def everything_in(folder):
    found = [path for path in folder.path.rglob("*") if path.is_file()]
    return sorted(path.name for path in found if path.parent.name != "locks")


def test_what_is_written_is_read(folder):
    folder.write(RUN)
    folder.write(NOTE)
    assert folder.read(RUN.key) == RUN
    assert folder.load() == {RUN.key: RUN, NOTE.key: NOTE}
    assert folder.declaration.read_text() == "title = 'x'"


def test_the_file_of_a_run_has_the_accuracy_of_each_class(folder):
    folder.write(RUN)
    [file] = (folder.path / "runs").iterdir()
    assert json.loads(file.read_bytes())["per_class"] == [1.0, 2 / 3]
    assert NOTE.per_class is None
    assert RUN.representation_seconds == RUN.seconds["fit"] + RUN.seconds["encode"]


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
numbers = st.floats(allow_nan=False, allow_infinity=False)
counts = st.integers(0, 2**50)


def square(n):
    row = st.lists(counts, min_size=n, max_size=n)
    return st.lists(row, min_size=n, max_size=n)


values = st.none() | st.booleans() | st.integers() | numbers | texts
runs = st.builds(
    Run,
    key=st.integers(0, 2**96 - 1).map(lambda n: f"{n:024x}"),
    stage=st.sampled_from(STAGES),
    dataset=texts,
    descriptor=texts,
    params=st.dictionaries(texts, values | st.lists(values, max_size=3), max_size=3),
    repetition=st.none() | counts,
    accuracy=st.none() | numbers,
    validation=st.none() | numbers,
    cost=st.none() | numbers,
    by_cost=st.lists(numbers, max_size=3),
    confusion=st.none() | st.integers(1, 3).flatmap(square),
    n_train=counts,
    n_test=counts,
    n_features=counts,
    seconds=st.dictionaries(texts, numbers, max_size=3),
    n_fits=counts,
    n_capped=counts,
    versions=st.dictionaries(texts, texts, max_size=2),
    machine=texts,
    note=texts,
)


def canonical(run):
    """Return the text in which 1, 1.0 and -0.0 differ, too."""
    return json.dumps(asdict(run), sort_keys=True)


@given(st.lists(runs, max_size=3, unique_by=lambda run: run.key))
def test_files_and_the_packed_table_keep_every_bit(tmp_path_factory, made):
    folder = Folder(tmp_path_factory.mktemp("results"))
    folder.make("")
    for run in made:
        folder.write(run)
    expected = {run.key: canonical(run) for run in made}
    assert {key: canonical(run) for key, run in folder.load().items()} == expected
    assert folder.pack() == len(made)
    assert list((folder.path / "runs").iterdir()) == []
    assert {key: canonical(run) for key, run in folder.load().items()} == expected


def test_packing_removes_what_a_killed_process_left(folder):
    folder.write(RUN)
    (folder.path / "runs" / ".0123.tmp").write_bytes(b"half a r")
    assert folder.pack() == 1
    assert list((folder.path / "runs").iterdir()) == []


def test_packing_again_adds_what_is_new(folder):
    folder.write(RUN)
    folder.pack()
    folder.write(NOTE)
    assert folder.load() == {RUN.key: RUN, NOTE.key: NOTE}
    assert folder.pack() == 2
    first = folder.packed.read_bytes()
    assert folder.pack() == 2
    assert folder.packed.read_bytes() == first
    assert folder.load() == {RUN.key: RUN, NOTE.key: NOTE}


def test_a_file_is_newer_than_a_line_of_the_packed_table(folder):
    folder.write(NOTE)
    folder.pack()
    newer = replace(NOTE, note="over 3 minutes")
    folder.write(newer)
    assert folder.load() == {NOTE.key: newer}
    folder.pack()
    assert folder.load() == {NOTE.key: newer}


def test_what_is_known_is_not_read_again(folder):
    folder.write(RUN)
    known = folder.load()
    (folder.path / "runs" / f"{RUN.key}.json").write_bytes(b"damaged since")
    folder.write(NOTE)
    assert folder.load(known) == {RUN.key: RUN, NOTE.key: NOTE}
    assert known == {RUN.key: RUN}


def test_there_may_be_no_run(tmp_path):
    assert Folder(tmp_path / "nowhere").load() == {}
    empty = Folder(tmp_path)
    assert empty.pack() == 0
    assert empty.load() == {}


def damaged(content):
    good = content.decode()
    return {
        "empty": b"",
        "binary": b"\x93NUMPY\x00\xff",
        "cut": content[: len(content) // 2],
        "other stage": good.replace('"final"', '"finale"').encode(),
        "another kind": good.replace('"params": {', '"params": 3, "x": {').encode(),
        "text as accuracy": good.replace("0.3333333333333333,", '"high",', 1).encode(),
        "true as count": good.replace('"n_train": 24', '"n_train": true').encode(),
        "a list": b"[1, 2]",
        "a word": b'"word"',
        "nothing": b"{}",
        "too deep": b"[" * 100_000,
    }


def test_a_damaged_file_is_named_and_nothing_else_happens(folder):
    folder.write(RUN)
    [file] = (folder.path / "runs").iterdir()
    for what, content in damaged(file.read_bytes()).items():
        file.write_bytes(content)
        before = everything_in(folder)
        for use in (folder.load, folder.pack):
            with pytest.raises(FileFormatError) as caught:
                use()
            assert caught.value.path == str(file)
            assert caught.value.problem.startswith("it is not the result"), what
            assert "delete it to run anew" in str(caught.value)
        assert everything_in(folder) == before
        assert file.read_bytes() == content


def test_a_damaged_table_is_named_and_nothing_else_happens(folder):
    folder.write(RUN)
    folder.write(replace(NOTE, note='said "over"'))
    folder.pack()
    good = folder.packed.read_bytes()
    lines = good.splitlines(keepends=True)
    for what, content in {
        "empty": b"",
        "binary": good[:-9] + b"\xff\xfe\x00" + good[-9:],
        "other columns": good.replace(b"n_capped", b"capped"),
        "a column less": good.replace(b'"key","stage",', b'"stage",'),
        "other stage": good.replace(b'"final"', b'"finale"'),
        "no number": good.replace(b",0.3333333333333333,", b",many,"),
        "no JSON": good.replace(b"[[3,0],[1,2]]", b"[[3,0],[1,2"),
        "a field more": lines[0] + good[len(lines[0]) :].replace(b"\n", b",x\n"),
        "a field less": good.rpartition(b",")[0] + b"\n",
        "too deep": good.replace(b"[[3,0],[1,2]]", b"[" * 100_000),
    }.items():
        assert content != good, what
        folder.packed.write_bytes(content)
        with pytest.raises(FileFormatError) as caught:
            folder.load()
        assert caught.value.path == str(folder.packed)
        assert caught.value.problem.startswith("it is not a table"), what
        with pytest.raises(FileFormatError):
            folder.pack()
        assert folder.packed.read_bytes() == content


def test_a_table_that_was_cut_anywhere_but_between_lines_is_refused(folder):
    folder.write(replace(RUN, note="no end of line in it"))
    folder.write(NOTE)
    folder.pack()
    good = folder.packed.read_bytes()
    for stop in range(len(good)):
        folder.packed.write_bytes(good[:stop])
        if good[:stop].endswith(b"\n"):
            assert len(folder.load()) < 2
        else:
            with pytest.raises(FileFormatError):
                folder.load()


def test_a_failed_write_leaves_what_was_there(folder, monkeypatch):
    folder.write(RUN)
    folder.pack()
    folder.write(NOTE)
    before = everything_in(folder)
    packed = folder.packed.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    for use in (folder.pack, lambda: folder.write(replace(NOTE, note="new"))):
        with pytest.raises(OSError, match="No space left"):
            use()
        assert everything_in(folder) == before
        assert folder.packed.read_bytes() == packed
    assert folder.load() == {RUN.key: RUN, NOTE.key: NOTE}


def test_one_who_asks_gets_the_claim_and_no_other(folder):
    with folder.claim("k") as mine, folder.claim("k") as again:
        assert mine
        assert not again
        with folder.claim("other") as other:
            assert other
    with folder.claim("k") as mine:
        assert mine


def test_what_is_done_cannot_be_claimed_and_leaves_no_lock(folder):
    with folder.claim(RUN.key) as mine:
        assert mine
        folder.write(RUN)
    assert folder.is_done(RUN.key)
    assert list((folder.path / "locks").iterdir()) == []
    with folder.claim(RUN.key) as mine:
        assert not mine
    assert list((folder.path / "locks").iterdir()) == []
    folder.forget(RUN.key)
    folder.forget(RUN.key)
    assert not folder.is_done(RUN.key)


def test_an_error_gives_the_claim_back(folder):
    with pytest.raises(RuntimeError), folder.claim("k"):
        raise RuntimeError
    with folder.claim("k") as mine:
        assert mine


@contextmanager
def another_process(folder, code):
    """Run code that holds something until it is killed."""
    start = (
        "import sys, time\nfrom pbow.experiment.runs import Folder\n"
        f"folder = Folder({str(folder.path)!r})\n"
    )
    code = f"{start}{code}:\n    print('ready', flush=True)\n    time.sleep(600)"
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "ready\n"
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_the_claim_of_another_process_holds_until_that_is_killed(folder):
    with another_process(folder, "with folder.claim('k') as mine") as process:
        with folder.claim("k") as mine:
            assert not mine
        folder.write(RUN)
        before = everything_in(folder)
        # As by a program that says nothing else of its presence.
        with pytest.raises(BlockingIOError, match=r"A process is at work on .*results"):
            folder.pack()
        assert everything_in(folder) == before
        process.send_signal(signal.SIGKILL)
        process.wait()
        with folder.claim("k") as mine:
            assert mine
    assert folder.pack() == 1


def test_nothing_is_packed_while_a_process_is_between_two_runs(folder):
    folder.write(RUN)
    with folder.in_use(), folder.in_use():
        with pytest.raises(BlockingIOError, match="Wait for its end, or stop it"):
            folder.pack()
        assert not folder.packed.exists()
    assert folder.pack() == 1


def test_a_folder_that_has_something_is_not_removed(folder):
    folder.check_data("x", "digest")
    begun = folder.matrices / "begun.progress"
    begun.write_text("1 0.5")
    folder.remove_unused()
    begun.unlink()
    with folder.in_use():
        folder.remove_unused()
    folder.write(RUN)
    folder.remove_unused()
    folder.pack()
    folder.remove_unused()
    assert folder.load() == {RUN.key: RUN}
    folder.packed.unlink()
    folder.remove_unused()
    assert not folder.path.exists()


def test_removing_what_is_unused_keeps_what_others_have_put_there(folder):
    theirs = folder.path / "notes.txt"
    theirs.write_text("mine")
    folder.remove_unused()
    assert list(folder.path.iterdir()) == [theirs]


def test_changed_data_are_refused(folder):
    folder.check_data("shapes", "ab" * 32)
    folder.check_data("shapes", "ab" * 32)
    folder.check_data("others", "cd" * 32)
    with pytest.raises(
        ValueError, match=r"Data set shapes has changed .* another fold"
    ):
        folder.check_data("shapes", "cd" * 32)
    folder.check_data("shapes", "ab" * 32)


content = st.dictionaries(texts, values, max_size=4)


@given(content, content)
def test_keys_differ_where_content_does_and_know_no_order(one, other):
    assert key_of(one) == key_of(dict(reversed(one.items())))
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (key_of(one) == key_of(other)) == same


def test_a_key_is_the_same_on_every_machine_and_in_every_version():
    content = {"b": [1, 2.5, None, True], "a": "ß"}
    assert key_of(content) == "d751753586798b1e74fbf9a5"
    with pytest.raises(ValueError, match="JSON"):
        key_of({"x": float("nan")})


def test_every_field_of_a_run_is_checked_when_it_is_read(folder):
    folder.write(replace(RUN, stage=MATRIX))
    [file] = (folder.path / "runs").iterdir()
    good = json.loads(file.read_bytes())
    for item in fields(Run):
        file.write_text(json.dumps(good | {item.name: True}))
        with pytest.raises(FileFormatError, match=item.name):
            folder.load()
