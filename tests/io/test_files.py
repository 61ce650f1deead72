import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbow import Diagrams
from pbow.errors import FileFormatError, ParameterError
from pbow.io import read_diagrams, write_diagrams

# All samples in a file, and a file for each sample.
WHOLE = ["pbow", "csv", "parquet", "arrow"]
SINGLE = ["pers", "hera", "dipha", "perseus"]

coordinates = st.floats(-1e100, 1e100)
points = st.tuples(coordinates, coordinates | st.just(np.inf)).map(sorted)
steps = st.tuples(st.floats(0, 1e100), st.floats(0, 1e100) | st.just(np.inf)).map(
    sorted
)
names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8).filter(str.strip)


def collections(names, points, min_samples=0):
    """Random collections, with empty diagrams, parts and, if allowed, no samples."""

    def with_samples(n_samples):
        diagram = st.lists(points, max_size=4)
        part = st.lists(diagram, min_size=n_samples, max_size=n_samples)
        return st.dictionaries(names, part, min_size=1, max_size=3)

    def in_order(parts):
        folded = {name.lower(): name for name in sorted(parts)}
        return Diagrams.from_parts({name: parts[name] for name in folded.values()})

    return st.integers(min_samples, 4).flatmap(with_samples).map(in_order)


@pytest.mark.parametrize("format_name", WHOLE)
def test_a_collection_comes_back_as_it_was(format_name, tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / f"diagrams.{format_name}"

    @given(collections(names, points))
    def check(X):
        write_diagrams(X, path)
        Y = read_diagrams(path)
        assert Y == X
        for name in X.parts:
            # Equal is not enough: -0.0 == 0.0.
            assert Y[name].points.tobytes() == X[name].points.tobytes()

    check()


def with_points(X):
    """The parts that have points, by dimension: others leave no trace in a file."""
    filled = [name for name in X.parts if len(X[name].points)]
    if not filled:
        return Diagrams.from_list([[]] * len(X), name="H1")
    return X[sorted(filled, key=lambda name: int(name[1:]))]


dimensions = st.sampled_from(["H0", "H1", "H2", "H10"])
# Names of parts, points, and what comes back.
FOLDERS = {
    "pers": (dimensions, points, with_points),
    "dipha": (dimensions, points, with_points),
    "hera": (st.just("H1"), points, lambda X: X),
    "perseus": (st.sampled_from(["H0", "H1", "H2"]), steps, lambda X: X),
}


@pytest.mark.parametrize("format_name", FOLDERS)
def test_a_folder_of_samples_comes_back(format_name, tmp_path_factory):
    names, points, expected = FOLDERS[format_name]
    folders = tmp_path_factory.mktemp(format_name)

    @given(collections(names, points, 1))
    def check(X):
        folder = folders / str(len(list(folders.iterdir())))
        write_diagrams(X, folder, format_name)
        assert read_diagrams(folder, format_name, name="H1") == expected(X)

    check()


@pytest.mark.parametrize("format_name", WHOLE)
def test_several_files_follow_one_another(X, format_name, tmp_path):
    paths = [tmp_path / f"part-{i}.{format_name}" for i in (2, 10, 1)]
    for i, path in enumerate(paths):
        write_diagrams(X[i : i + 1], path)
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / ".hidden").touch()
    assert read_diagrams(paths) == X
    # In a folder, 2 comes before 10.
    assert read_diagrams(tmp_path) == X[[2, 0, 1]]


@pytest.mark.parametrize("format_name", ["pbow", "parquet", "arrow", "dipha"])
def test_the_first_bytes_decide_before_the_extension(X, format_name, tmp_path):
    one = X[:1]["H0"] if format_name == "dipha" else X
    write_diagrams(one, tmp_path / "diagrams.csv", format_name)
    assert read_diagrams(tmp_path / "diagrams.csv") == one


@pytest.mark.parametrize(
    ("name", "format_name"), [("A.CSV", "csv"), ("a.feather", "arrow")]
)
def test_extensions_are_known(X, name, format_name, tmp_path):
    write_diagrams(X, tmp_path / name)
    assert read_diagrams(tmp_path / name, format_name) == X


def test_a_name_that_does_not_tell_the_format_is_refused(X, tmp_path):
    (tmp_path / "a.txt").write_text("1 0 1\n")
    with pytest.raises(ValueError, match=r"format to be one of pbow, .* inferred"):
        read_diagrams(tmp_path / "a.txt")
    with pytest.raises(ValueError, match=r"a\.txt cannot be inferred"):
        write_diagrams(X, tmp_path / "a.txt")
    with pytest.raises(ValueError, match=r"format to be one of .*'pers'.* got 'perse'"):
        read_diagrams(tmp_path / "a.txt", "perse")
    with pytest.raises(ValueError, match="format to be one of"):
        write_diagrams(X, tmp_path / "a.txt", "perse")


def test_files_of_several_formats_are_refused(X, tmp_path):
    write_diagrams(X, tmp_path / "a.csv")
    write_diagrams(X, tmp_path / "b.pbow")
    with pytest.raises(ValueError, match=r"one format; .*a\.csv is csv, .*b\.pbow is"):
        read_diagrams(tmp_path)
    assert read_diagrams(tmp_path, "csv") == X


def test_nothing_to_read_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="at least one file"):
        read_diagrams([])
    with pytest.raises(FileNotFoundError, match="no files"):
        read_diagrams(tmp_path)
    with pytest.raises(FileNotFoundError, match="no files of the format pers"):
        read_diagrams(tmp_path, "pers")
    with pytest.raises(FileNotFoundError, match=r"no file .*_0\.txt"):
        read_diagrams(tmp_path, "perseus")
    with pytest.raises(FileNotFoundError, match=r"no file .*out_0\.txt"):
        read_diagrams(tmp_path / "out", "perseus")


@pytest.mark.parametrize("format_name", [*WHOLE, *SINGLE])
def test_a_missing_file_is_an_os_error(format_name, tmp_path):
    with pytest.raises(FileNotFoundError):
        read_diagrams(tmp_path / "missing", format_name)


@pytest.mark.parametrize("format_name", ["csv", "dipha", "pers", "perseus"])
def test_locations_are_lost_with_a_warning(format_name, tmp_path):
    located = Diagrams([[0, 1]], [0, 1], name="H1", locations=[[[4], [5]]])
    X = Diagrams.from_parts({"H0": [[[0, 2]]], "H1": located})
    with pytest.warns(
        UserWarning, match=f"{format_name} have .* of part H1 are .*pbow"
    ):
        write_diagrams(X, tmp_path / "X", format_name)
    assert read_diagrams(tmp_path / "X", format_name) == X
    write_diagrams(X, tmp_path / "X.pbow")
    assert read_diagrams(tmp_path / "X.pbow")["H1"].locations is not None


@pytest.mark.parametrize("format_name", ["pers", "hera", "dipha"])
def test_one_sample_may_be_one_file(X, format_name, tmp_path):
    one = X[:1]["H0"]
    write_diagrams(one, tmp_path / "one.xyz", format_name)
    assert read_diagrams(tmp_path / "one.xyz", format_name, name="H0") == one
    with pytest.raises(ValueError, match=r"holds one sample, and there are 3.* folder"):
        write_diagrams(X["H0"], tmp_path / "three.xyz", format_name)


@pytest.mark.parametrize("format_name", [*WHOLE, *SINGLE])
def test_real_diagrams_come_back_as_they_were(data_home, format_name, tmp_path):
    parts = {}
    for name in ("H0", "H1"):
        stored = f"synthetic_pcodebooks_gauss_0_1_{name.lower()}.npz"
        with np.load(data_home / stored) as arrays:
            parts[name] = Diagrams(arrays["points"], arrays["offsets"])
    X = Diagrams.from_parts(parts)
    if format_name == "hera":
        X = X["H1"]
    write_diagrams(X, tmp_path / "real", format_name)
    assert read_diagrams(tmp_path / "real", format_name, name="H1") == X


@pytest.mark.parametrize(
    ("name", "text", "parts"),
    [
        ("a.txt", "0.5 1\n0.25 inf\n", ("",)),
        ("a.dat", "# by hand\n0.5\t1\n0.25\tinf\n", ("",)),
        ("a.csv", "0.5,1\n0.25,inf\n", ("",)),
        ("a.csv", "birth,death\n0.5,1\n0.25,inf\n", ("",)),
        ("a.csv", '"Birth","Death"\r\n0.5,1\r\n0.25,inf\r\n', ("",)),
        ("a.csv", "dim,birth,death\n0,0.5,1\n2,0.25,inf\n", ("H0", "H2")),
    ],
)
def test_a_folder_of_tables_of_birth_and_death_needs_no_name(
    tmp_path, name, text, parts
):
    for k in (10, 2):
        (tmp_path / f"{k}{name}").write_text(text)
    X = read_diagrams(tmp_path)
    assert (len(X), X.parts) == (2, parts)
    found = np.concatenate([X[part][0] for part in parts])
    assert found.tolist() == [[0.5, 1.0], [0.25, np.inf]]


def test_tables_named_as_those_of_perseus_may_be_either(tmp_path):
    for k in (0, 1):
        (tmp_path / f"a_{k}.txt").write_text("0.5 1\n")
    with pytest.raises(ParameterError, match=r"hera, if .*a_0\.txt .* or perseus, if"):
        read_diagrams(tmp_path)
    assert len(read_diagrams(tmp_path, "hera")) == 2
    assert len(read_diagrams(tmp_path, "perseus")) == 1


@pytest.mark.parametrize("text", ["0 1\n1 2\n2 5\n", "0,1\n", "10 11\n" * 1000])
def test_whole_numbers_may_be_edges_of_a_graph(tmp_path, text):
    (tmp_path / "a.txt").write_text(text)
    with pytest.raises(ParameterError, match=r"hera, if the lines of .*a\.txt are"):
        read_diagrams(tmp_path / "a.txt")
    assert len(read_diagrams(tmp_path / "a.txt", "hera")) == 1
    (tmp_path / "b.txt").write_text(f"birth death\n{text.replace(',', ' ')}")
    assert len(read_diagrams(tmp_path / "b.txt")) == 1


def test_raw_data_are_not_diagrams(tmp_path):
    np.save(tmp_path / "clouds.npy", np.zeros((2, 3, 3)))
    (tmp_path / "a.png").touch()
    for name in ("clouds.npy", "a.png"):
        with pytest.raises(FileFormatError, match="compute the diagrams first"):
            read_diagrams(tmp_path / name)
    (tmp_path / "all" / "rings").mkdir(parents=True)
    with pytest.raises(FileNotFoundError, match="Subfolders are not searched: name"):
        read_diagrams(tmp_path / "all")


@pytest.mark.parametrize("name", ["a.pbow", "a.csv", "a.parquet", "a.arrow"])
@pytest.mark.parametrize("diagrams", [[[[0.0, 1.5]], [], [[1.0, np.inf]]], []])
def test_diagrams_of_a_list_come_back_without_a_name(name, diagrams, tmp_path):
    X = Diagrams.from_list(diagrams)
    write_diagrams(X, tmp_path / name)
    assert read_diagrams(tmp_path / name) == X


def test_a_format_that_needs_a_dimension_says_how_to_name_it(tmp_path):
    message = r"DIPHA needs the homology dimension, .*from_list\(X, name='H1'\), or"
    with pytest.raises(ValueError, match=message):
        write_diagrams([[[0.0, 1.5]]], tmp_path / "a", "dipha")


@pytest.mark.parametrize("name", ["a.pbow", "a.csv", "a.parquet", "a.npz", "a.txt"])
def test_a_part_without_a_name_takes_the_name_that_is_given(name, tmp_path):
    format_name = "hera" if name == "a.txt" else None
    write_diagrams([[[0.0, 1.5]]], tmp_path / name, format_name)
    X = read_diagrams(tmp_path / name, format_name, name="H2")
    assert Diagrams.from_list([[[0.0, 1.5]]], name="H2") == X


def test_patterns_are_read_and_an_empty_file_is_an_empty_diagram(tmp_path):
    for k, text in ((10, "0.5 1\n"), (2, ""), (3, "0.25 1\n0.5 0.75\n")):
        (tmp_path / f"{k}.txt").write_text(text)
    (tmp_path / "notes.md").touch()
    assert read_diagrams(tmp_path / "*.txt").sizes.tolist() == [0, 2, 1]
    with pytest.raises(FileNotFoundError, match=r"No file matches the pattern .*\.dat"):
        read_diagrams(tmp_path / "*.dat")


@pytest.mark.parametrize("name", ["0_H0.txt", "a-h1.csv", "b.H2.dat"])
def test_a_name_may_be_that_of_one_dimension_of_a_sample(tmp_path, name):
    (tmp_path / name).write_text("0.5 1\n")
    with pytest.raises(ParameterError, match=r"hera, if .* one dimension of a sam"):
        read_diagrams(tmp_path / name)
