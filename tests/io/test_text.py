import gudhi
import numpy as np
import pytest

from pbow import Diagrams
from pbow.io import FileFormatError, read_diagrams, write_diagrams
from pbow.io.text import may_be_edges


@pytest.fixture
def read(tmp_path):
    def read(content, format_name, **options):
        # The name is one that Perseus would give.
        path = tmp_path / "a_1.txt"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_diagrams(path, format_name, **options)

    return read


# The example of gudhi's own documentation. gudhi 3.13.0 itself fails to write.
GUDHI = """\
# Persistence diagram example
2 2.7 3.7
2 9.6 14.
# Some comments
3 34.2 34.974
4 3. inf
"""


def test_the_example_of_gudhi_is_read(read):
    X = read(GUDHI, "pers")
    assert (
        Diagrams.from_parts(
            {
                "H2": [[[2.7, 3.7], [9.6, 14.0]]],
                "H3": [[[34.2, 34.974]]],
                "H4": [[[3, np.inf]]],
            }
        )
        == X
    )


def test_the_field_is_left_out_if_it_is_one(read):
    X = read("11 0 0.5 inf\n11  1\t0.25 0.5 # with a comment\n\n", "pers")
    assert Diagrams.from_parts({"H0": [[[0.5, np.inf]]], "H1": [[[0.25, 0.5]]]}) == X
    with pytest.raises(FileFormatError, match=r"several fields of coefficients \(2, 3"):
        read("2 0 0 1\n3 0 0 1\n", "pers")


def test_without_dimensions_the_part_has_the_name_that_is_given(read):
    assert read("0 1\n", "pers").parts == ("",)
    assert read("0 1\n", "pers", name="H0").parts == ("H0",)
    assert read("", "pers", name="H0") == Diagrams.from_list([[]], name="H0")


def test_gudhi_reads_what_is_written(tmp_path):
    X = Diagrams.from_parts(
        {"H0": [[[0.1, np.inf], [-1 / 3, 0.2]]], "H1": [[[1e-30, 1e30]]]}
    )
    write_diagrams(X, tmp_path / "a.pers")
    found = gudhi.read_persistence_intervals_grouped_by_dimension(
        persistence_file=str(tmp_path / "a.pers")
    )
    assert found == {0: [(0.1, np.inf), (-1 / 3, 0.2)], 1: [(1e-30, 1e30)]}


# After the README of Hera's wasserstein_dist.
HERA = """\
# this is how your input can look like
0.25 0.5 # two real numbers per line

# empty lines or comments are ignored
  1\t2.5e0\r
3 Infinity
"""


def test_the_example_of_hera_is_read(read):
    X = read(HERA, "hera")
    assert Diagrams.from_list([[[0.25, 0.5], [1, 2.5], [3, np.inf]]]) == X


def test_a_file_of_hera_is_lines_of_birth_and_death(tmp_path):
    write_diagrams([[[0.1, np.inf], [1e-7, 1.0]]], tmp_path / "a.txt", "hera")
    assert (tmp_path / "a.txt").read_bytes() == b"0.1 inf\n1e-07 1.0\n"


def test_comments_may_be_in_any_encoding(read):
    assert read("0 1 # für alle".encode("latin-1"), "hera").sizes.tolist() == [1]
    assert read("# für\n0 1".encode(), "hera").sizes.tolist() == [1]


def test_perseus_counts_in_whole_steps(tmp_path):
    X = Diagrams.from_parts(
        {"H0": [[[1, 3], [0, np.inf]]], "H1": [[[0.5, 1e300**0.3]]]}
    )
    write_diagrams(X, tmp_path / "a", "perseus")
    assert (tmp_path / "a" / "0_0.txt").read_text() == "1 3\n0 -1\n"
    assert (tmp_path / "a" / "0_1.txt").read_text().startswith("0.5 ")


def test_perseus_has_no_room_for_births_below_zero(read, tmp_path):
    with pytest.raises(ValueError, match=r"one of -2\. Add a constant"):
        write_diagrams({"H1": [[[-2, -1], [0, 1]]]}, tmp_path / "a", "perseus")
    with pytest.raises(FileFormatError, match="a birth below 0, -2"):
        read("0 1\n-2 -1\n", "perseus")


@pytest.mark.parametrize("format_name", ["pers", "hera", "perseus"])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("0 1\n0 1 2\n", "line 2 is '0 1 2'; expected 2 numbers"),
        ("0\n1\n", "line 1 is '0'; expected 2"),
        ("0 1 2 3 4\n", "line 1 is '0 1 2 3 4'; expected 2"),
        ("0 1\n0 one\n", "line 2 is '0 one'"),
        ("0 1_0\n", "line 1 is '0 1_0'"),
        ("0 0x1p3\n", "line 1 is '0 0x1p3'"),
        ("0;1\n", "line 1 is '0;1'"),
        ("1 0\n", "dies before it is born"),
        ("0 1\n# a\n0 nan\n", "line 3 is '0 nan'; expected numbers, and no NaN"),
        ("inf inf\n", "infinite birth"),
        ("0 1e200\n", r"beyond 1e\+100"),
        (b"0 1\0\n", "line 1 is"),
        ("0 1\n".encode("utf-16"), "line 1 is"),
        ("0 " * 100_000, "line 1 is '0 0 0 0"),
    ],
)
def test_what_is_not_lines_of_numbers_is_refused(read, format_name, content, message):
    with pytest.raises(FileFormatError, match=message):
        read(content, format_name)


def test_dimensions_must_be_whole_numbers(read):
    for dimension in ("-1", "0.5", "1000", "inf", "nan"):
        with pytest.raises(FileFormatError, match="Point 0 has dimension"):
            read(f"{dimension} 0 1\n0 0 1\n", "pers")


def test_a_comment_with_the_names_of_the_columns_is_not_their_header(read):
    X = read("# birth death\nbirth death\n0.1 0.5\n", "hera")
    assert X.points.tolist() == [[0.1, 0.5]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"0 1\n1 2\n", True),
        (b"0 1\n1 2\n2 3.", True),
        (b"0 1\n1 2.5\n2 3", False),
        (b"0.5 1", False),
        (b"0 1", True),
    ],
)
def test_all_lines_but_a_last_one_that_is_cut_off_say_if_they_are_edges(text, expected):
    assert may_be_edges(text) == expected
