"""What all converters share: names, folders, errors, and being interrupted."""

import multiprocessing
import os
import sys

import numpy as np
import pytest

from pbow.datasets.importing import CONVERTERS, import_dataset

# All categories of the Princeton benchmark are one converter.
NAMES = [name for name in CONVERTERS if not name.startswith("psb-")]
PAIR = {
    "PAIR_A.txt": "1, 2\n",
    "PAIR_graph_indicator.txt": "1\n1\n2\n",
    "PAIR_graph_labels.txt": "0\n1\n",
}


@pytest.mark.parametrize("name", [*NAMES, "psb-human"])
def test_an_unfit_folder_says_what_was_expected_and_where_to_get_it(
    tmp_path, write_folder, name
):
    release = write_folder({"readme.txt": "hello", "x/data.bin": "1 2 3"})
    with pytest.raises(ValueError, match=r"release: expected .*[Gg]et (it|them) from"):
        import_dataset(name, release, to=tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", [*NAMES, "psb-human"])
@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04hello", b"\x00" * 999])
def test_an_unfit_file_is_an_error_of_one_line(tmp_path, name, content):
    path = tmp_path / "release.bin"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"Cannot read .*release\.bin") as error:
        import_dataset(name, path, to=tmp_path / "out")
    assert "\n" not in str(error.value)
    assert not (tmp_path / "out").exists()


def test_a_name_that_is_nothing_of_what_there_is_gets_a_list(write_folder):
    release = write_folder({"readme.txt": "hello"})
    with pytest.raises(
        ValueError, match=r"'geomap'. There are reddit-5k, .*has no file"
    ):
        import_dataset("geomap", release)


def test_names_have_any_case_and_dashes_or_underscores(write_folder):
    with pytest.raises(ValueError, match=r"REDDIT-MULTI-5K_A\.txt"):
        import_dataset("Reddit_5K", write_folder({"a": ""}))


@pytest.mark.parametrize("name", ["", None, 3])
def test_a_name_is_needed(tmp_path, name):
    with pytest.raises(ValueError, match="Expected the name of a data set; got"):
        import_dataset(name, tmp_path)


def test_a_release_that_is_not_there_is_said_before_a_folder_is_made(tmp_path):
    with pytest.raises(FileNotFoundError, match="There is no file or folder"):
        import_dataset("mutag", tmp_path / "none", to=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_file_is_no_folder_to_write_to(tmp_path, write_folder):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(NotADirectoryError, match="Expected a folder to write to"):
        import_dataset("pair", write_folder(PAIR), to=tmp_path / "out")
    assert (tmp_path / "out").read_text() == "mine"


def test_progress_is_reported_and_checked(tmp_path, write_folder):
    seen = []
    release = write_folder(PAIR)
    import_dataset("pair", release, to=tmp_path, progress=lambda *n: seen.append(n))
    assert seen == [(1, 3), (2, 3), (3, 3)]
    with pytest.raises(ValueError, match="Expected progress to be True, False"):
        import_dataset("pair", release, to=tmp_path, progress="yes")


def test_an_import_replaces_the_one_before(tmp_path, write_folder, load):
    first = import_dataset("pair", write_folder(PAIR), to=tmp_path)
    changed = PAIR | {"PAIR_graph_labels.txt": "5\n7\n"}
    second = import_dataset("pair", write_folder(changed, "other"), to=tmp_path)
    assert first == second
    assert load(second)["label_names"].tolist() == ["5", "7"]


def test_being_killed_at_any_moment_leaves_no_broken_file(tmp_path, write_folder, load):
    n = 20_000
    release = write_folder(
        {
            "LONG_A.txt": "".join(f"{i}, {i + 1}\n" for i in range(1, n, 2)),
            "LONG_graph_indicator.txt": "".join(f"{i // 2 + 1}\n" for i in range(n)),
            "LONG_graph_labels.txt": "".join(f"{i % 9}\n" for i in range(n // 2)),
        }
    )
    out = tmp_path / "out"
    # A server imports pbow once; each process is a copy of it.
    context = multiprocessing.get_context(
        "forkserver" if sys.platform != "win32" else "spawn"
    )
    context.set_forkserver_preload(["pbow.datasets.importing"])
    for wait in np.linspace(0.0, 0.4, 12):
        process = context.Process(
            target=import_dataset, args=("long", release), kwargs={"to": out}
        )
        process.start()
        process.join(wait)
        process.kill()
        process.join()
        for path in out.glob("*.npz"):
            assert len(load(path)["labels"]) == n // 2
        assert {path.suffix for path in out.glob("*")} <= {".npz", ".tmp"}
    assert import_dataset("long", release, to=out).exists()


def test_drafts_of_killed_imports_are_removed_from_the_own_folder_only(
    tmp_path, write_folder, monkeypatch
):
    monkeypatch.setenv("PBOW_CACHE", str(tmp_path / "cache"))
    release = write_folder(PAIR)
    for folder in (tmp_path / "cache" / "imported", tmp_path / "chosen"):
        folder.mkdir(parents=True)
        (folder / ".old.tmp").touch()
        os.utime(folder / ".old.tmp", (0, 0))
    import_dataset("pair", release)
    import_dataset("pair", release, to=tmp_path / "chosen")
    assert not (tmp_path / "cache" / "imported" / ".old.tmp").exists()
    assert (tmp_path / "chosen" / ".old.tmp").exists()
