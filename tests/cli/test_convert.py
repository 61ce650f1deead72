import pytest

from pbow.io import read_diagrams, write_diagrams
from pbow.io.formats import FORMATS


@pytest.mark.parametrize("to", [name for name, one in FORMATS.items() if one.write])
def test_every_format_comes_back_as_it_was(run, folder, X, to):
    if to in {"parquet", "arrow"}:
        pytest.importorskip("pyarrow")
    part = X["H1"]  # Hera has one part only
    out = run(f"convert --parts H1 --to {to} diagrams.pbow out-{to}")
    assert out.stderr == f"out-{to}: {part}\n"
    run(f"convert --from {to} --name H1 out-{to} back.csv")
    assert read_diagrams("back.csv") == part


def test_names_tell_the_formats(run, folder, X):
    run("convert diagrams.pbow x.csv")
    assert (folder / "x.csv").read_text().startswith("sample,part,birth,death\n")
    run("convert x.csv y.pbow")
    assert read_diagrams("y.pbow") == X


def test_pipes_carry_diagrams_in_and_out(run, folder, X):
    printed = run("convert diagrams.pbow -")
    assert printed.stderr == ""
    # What is no CSV is known by its first bytes.
    for piped in (printed.stdout_bytes, (folder / "diagrams.pbow").read_bytes()):
        run("convert - y.csv", input=piped)
        assert read_diagrams("y.csv") == X


def test_several_files_follow_one_another(run, folder, X):
    write_diagrams(X[:2], "a.csv")
    write_diagrams(X[2:], "b.csv")
    run("convert a.csv b.csv all.pbow")
    assert read_diagrams("all.pbow") == X


def test_a_part_is_named_where_the_format_does_not_say_it(run, tmp_path):
    (tmp_path / "a.txt").write_text("0 1\n")
    run("convert --from hera --name H0 a.txt a.csv")
    assert read_diagrams("a.csv").parts == ("H0",)


def test_the_output_may_be_an_option_or_the_last_argument(run, folder, X):
    write_diagrams(X[:2], "a.csv")
    write_diagrams(X[2:], "b.csv")
    run("convert a.csv b.csv -o all.pbow")
    assert read_diagrams("all.pbow") == X
    assert run("convert diagrams.pbow -o -").stdout.startswith("sample,part,birth")
    error = run("convert diagrams.pbow", code=2).stderr
    assert "Missing option '-o': the file to convert diagrams.pbow to." in error


def test_a_folder_of_two_columns_is_read_by_every_command(run, tmp_path):
    (tmp_path / "tables").mkdir()
    for k in range(6):
        (tmp_path / "tables" / f"{k}.txt").write_text(f"0.{k} 1\n0.{k + 1} 1.5\n")
    run("fit tables --words 2 -o model.pbow")
    run("transform model.pbow tables -o vectors.csv")
    assert "diagrams, 6 samples" in run("info tables").stdout


def test_what_is_not_known_says_what_to_type(run, tmp_path):
    (tmp_path / "tables").mkdir()
    for k in range(2):
        (tmp_path / "tables" / f"a_{k}.txt").write_text("0 1\n")
    error = run("fit tables -o model.pbow", code=1).stderr
    assert "hera, if tables/a_0.txt and the like are one sample each" in error
    typed = "convert tables --from hera -o diagrams.pbow"
    assert f"`pbow {typed}`" in error
    run(typed)
    assert len(read_diagrams("diagrams.pbow")) == 2
