"""Folders that are filled one file at a time, left at any point, and resumed."""

import csv
import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from pbow.errors import FileFormatError
from pbow.io.output_folder import (
    MANIFEST,
    SKIPPED,
    OutputFolder,
    Skipped,
    write_json,
)

JOB = {"model": "bow 1", "input": [["a.parquet", "12"], ("b.parquet", "7")]}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results" / "features"


def opened(path, job=JOB, n_blocks=3, *, resume=False):
    return OutputFolder(path, job, n_blocks, resume=resume)


def names_in(path):
    return sorted(file.name for file in path.iterdir())


def content_of(path):
    return json.loads(path.read_bytes())


def test_a_new_folder_says_first_what_is_being_made(path):
    folder = opened(path)
    assert names_in(path) == [MANIFEST]
    assert content_of(path / MANIFEST) == {
        "model": "bow 1",
        "input": [["a.parquet", "12"], ["b.parquet", "7"]],
        "complete": False,
    }
    assert folder.missing() == [0, 1, 2]


def test_an_empty_folder_is_as_good_as_a_new_one(tmp_path):
    # A killed process may have left the draft of a manifest.
    (tmp_path / f".{MANIFEST}.x1.tmp").touch()
    assert opened(tmp_path).missing() == [0, 1, 2]


def test_a_block_is_done_when_its_file_is_there(path):
    folder = opened(path)
    folder.file_of(1).touch()
    (path / ".block-00002.parquet.x1.tmp").touch()  # the draft of a killed process
    assert folder.missing() == [0, 2]
    assert opened(path, resume=True).missing() == [0, 2]


@pytest.mark.parametrize(
    ("n_blocks", "block", "name"),
    [
        (3, 2, "block-00002.parquet"),
        (100_000, 99_999, "block-99999.parquet"),
        (100_001, 7, "block-000007.parquet"),
    ],
)
def test_files_are_in_the_order_of_their_names(path, n_blocks, block, name):
    assert opened(path, n_blocks=n_blocks).file_of(block).name == name


def test_results_are_not_taken_over_unless_asked_for(path):
    opened(path)
    with pytest.raises(FileExistsError, match="has results already"):
        opened(path)


@pytest.mark.parametrize("key", ["model", "input"])
def test_results_of_another_job_are_never_mixed_with_these(path, key):
    opened(path)
    with pytest.raises(ValueError, match=f"of another job: its {key} is different"):
        opened(path, {**JOB, key: "other"}, resume=True)
    assert opened(path, resume=True).missing() == [0, 1, 2]


@pytest.mark.parametrize("content", ["[]", "null", "{}"])
def test_a_manifest_of_something_else_is_another_job(path, content):
    opened(path)
    (path / MANIFEST).write_text(content)
    with pytest.raises(ValueError, match="its model is different"):
        opened(path, resume=True)


@pytest.mark.parametrize("resume", [False, True])
def test_of_jobs_that_start_in_one_folder_at_the_same_moment_one_wins(tmp_path, resume):
    n_jobs = 6
    for attempt in range(30):
        path, start = tmp_path / str(attempt), threading.Barrier(n_jobs)

        def begin(number, path=path, start=start):
            start.wait()
            try:
                opened(path, {**JOB, "model": number}, resume=resume)
            except (FileExistsError, ValueError) as error:
                return str(error)
            return number

        with ThreadPoolExecutor(n_jobs) as pool:
            results = list(pool.map(begin, range(n_jobs)))
        (winner,) = [result for result in results if isinstance(result, int)]
        assert content_of(path / MANIFEST)["model"] == winner
        assert names_in(path) == [MANIFEST]
        for result in results:
            assert result == winner or str(path) in result


def test_a_damaged_manifest_is_named(path):
    opened(path)
    (path / MANIFEST).write_text("{")
    with pytest.raises(FileFormatError, match=f"Cannot read .*{MANIFEST}: Expecting"):
        opened(path, resume=True)


@pytest.mark.parametrize("resume", [False, True])
def test_a_folder_with_other_files_is_left_alone(tmp_path, resume):
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(FileExistsError, match=r"other files\. Name a folder that is n"):
        opened(tmp_path, resume=resume)
    assert names_in(tmp_path) == ["thesis.tex"]


def test_so_is_a_file(tmp_path):
    (tmp_path / "features").write_text("old")
    with pytest.raises(
        FileExistsError, match=r"is a file\. Name a folder, or a file th"
    ):
        opened(tmp_path / "features")
    assert (tmp_path / "features").read_text() == "old"


def notes_in(path):
    return [name for name in names_in(path) if not name.startswith("block-")]


def with_all_blocks(folder):
    for block in range(folder.n_blocks):
        folder.file_of(block).touch()
    return folder


def test_a_job_is_not_finished_while_a_block_is_not_there(path):
    folder = with_all_blocks(opened(path))
    folder.file_of(1).unlink()
    with pytest.raises(FileNotFoundError, match=r"block-00001.*the same folder"):
        folder.finish()
    assert content_of(path / MANIFEST)["complete"] is False


def test_what_was_skipped_is_listed_once_all_blocks_are_done(path):
    folder = with_all_blocks(opened(path))
    first = Skipped("a, b.parquet", 7, 1, 'part "H1" has a null.')
    others = [Skipped("c.parquet", 0, 9, "it is damaged."), Skipped("ü", 3, 1, "x\ny")]
    # In the order of the blocks, whichever was first.
    write_json(folder.skipped_file_of(2), others)
    write_json(folder.skipped_file_of(0), [first])
    assert folder.finish(n_samples=30) == [first, *others]
    assert notes_in(path) == [MANIFEST, SKIPPED]
    manifest = content_of(path / MANIFEST)
    assert (manifest["complete"], manifest["n_samples"]) == (True, 30)
    with (path / SKIPPED).open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    assert head == ["file", "row", "n_rows", "reason"]
    assert rows == [[str(cell) for cell in one] for one in (first, *others)]


def test_a_finished_job_says_again_what_was_skipped(path):
    folder = with_all_blocks(opened(path))
    skipped = [Skipped("a.parquet", 7, 1, "part H1 has a null.")]
    write_json(folder.skipped_file_of(1), skipped)
    folder.finish()
    # A process that was killed just before its end has not removed this one.
    write_json(folder.skipped_file_of(1), skipped)
    again = opened(path, resume=True)
    assert again.finish() == skipped
    assert notes_in(path) == [MANIFEST, SKIPPED]
    assert content_of(path / MANIFEST)["complete"] is True


def test_without_skipped_samples_there_is_no_list(path):
    assert with_all_blocks(opened(path)).finish() == []
    assert notes_in(path) == [MANIFEST]
    assert opened(path, resume=True).finish() == []


def test_no_cell_of_the_list_is_a_formula(path):
    folder = with_all_blocks(opened(path))
    write_json(folder.skipped_file_of(0), [Skipped("=1+1", 0, 1, "@x")])
    folder.finish()
    assert (path / SKIPPED).read_text().splitlines()[1] == "'=1+1,0,1,'@x"
