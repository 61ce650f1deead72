"""What all converters share: names, folders, errors, and being interrupted."""

import sys

import pytest

from pbow.datasets.catalog import CATALOG
from pbow.datasets.importing import output
from pbow.datasets.imports import import_dataset

NAMES = [entry.name for entry in CATALOG if entry.convert is not None]
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
        ValueError, match=r"'geomap'. There are synthetic-authors, .*has no file"
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


def test_progress_is_shown_on_stderr(tmp_path, write_folder, capsys):
    release = write_folder(PAIR)
    import_dataset("pair", release, to=tmp_path)
    assert capsys.readouterr() == ("", "")
    import_dataset("pair", release, to=tmp_path, progress=True)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "/3 [" in shown.err


def test_an_import_replaces_the_one_before(tmp_path, write_folder, load):
    first = import_dataset("pair", write_folder(PAIR), to=tmp_path)
    changed = PAIR | {"PAIR_graph_labels.txt": "5\n7\n"}
    second = import_dataset("pair", write_folder(changed, "other"), to=tmp_path)
    assert first == second
    assert load(second)["label_names"].tolist() == ["5", "7"]


def test_a_folder_is_tried_before_the_work_starts(tmp_path, write_folder, monkeypatch):
    monkeypatch.setattr(output.os, "access", lambda path, mode: path != tmp_path)
    with pytest.raises(PermissionError, match=r"Permission denied: .*new.out"):
        import_dataset("pair", write_folder(PAIR), tmp_path / "new" / "out")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("folder", ["file", "file/out"])
def test_a_file_is_no_folder_to_write_to(tmp_path, write_folder, folder):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(NotADirectoryError, match=r"Expected a folder .*file is a file"):
        import_dataset("pair", write_folder(PAIR), to=tmp_path / folder)
    assert (tmp_path / "file").read_text() == "mine"


def test_a_tilde_is_the_folder_of_a_user(tmp_path, write_folder, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    path = import_dataset("pair", write_folder(PAIR), to="~/x")
    assert path == tmp_path / "x" / "graphs_PAIR.npz"
    assert path.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="takes any name for a user's")
def test_a_user_that_is_not_there_is_named(write_folder):
    with pytest.raises(ValueError, match="to=~no-such-user/x is in the home fold"):
        import_dataset("pair", write_folder(PAIR), to="~no-such-user/x")


def test_files_that_lead_out_of_a_zip_are_said_to_be_ignored(write_zip):
    release = write_zip({f"../{name}": text for name, text in PAIR.items()})
    with (
        pytest.warns(UserWarning, match=r"ignored \(3, as '../PAIR_A.txt'\)") as said,
        pytest.raises(ValueError, match="There is no converter for 'pair'"),
    ):
        import_dataset("pair", release)
    assert said[0].filename == __file__


@pytest.mark.parametrize("name", ["synthetic", "GeoMat_standin"])
def test_what_has_no_release_is_not_looked_for_in_one(write_folder, name):
    with pytest.raises(ValueError, match="There is no release of"):
        import_dataset(name, write_folder(PAIR))
