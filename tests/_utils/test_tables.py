import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from pbow._utils.tables import line_of_row, read_table

line_ends = st.sampled_from([b"\n", b"\r\n", b"\r", b"\n\n", b"\n \t\n", b" # x\n"])
blanks = st.sampled_from([b" ", b"  \t"])


@given(st.data(), st.lists(st.tuples(*[st.integers(-(2**63), 2**63 - 1)] * 2)))
def test_whole_numbers_are_read_however_they_are_spaced(data, pairs):
    text = b"".join(
        b"%d" % a + data.draw(blanks) + b"%d" % b + data.draw(line_ends)
        for a, b in pairs
    )
    expected = np.array(pairs, np.int64).reshape(-1, 2)
    assert_array_equal(read_table(text, (2,), np.int64), expected)


@given(st.lists(st.floats(allow_nan=False), min_size=1))
def test_floats_come_back_to_the_bit(values):
    table = read_table("\n".join(map(repr, values)).encode(), (1,))
    assert table[:, 0].tobytes() == np.array(values).tobytes()


def test_a_mark_in_front_and_comments_in_any_encoding_are_read():
    assert read_table(b"\xef\xbb\xbf1 2\r3 4 # \xff", (2, 3)).tolist() == [
        [1, 2],
        [3, 4],
    ]


@pytest.mark.parametrize("text", [b"", b"# nothing\n\n", b"\xa0\n", b"\x85", b"\x1c"])
def test_a_text_without_numbers_has_no_rows(text):
    assert read_table(text, (2, 3)).shape == (0, 2)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b"1 2\n3\n4 5\n", "line 2 is '3'"),
        (b"1 2 3\n4\n", "line 1 is '1 2 3'"),
        (b"1,2\n", "line 1 is '1,2'"),
        (b"1 2\n\n3 x\n", "line 3 is '3 x'"),
        (b"1 2.0\n", "line 1 is '1 2.0'"),
        (b"1 1_0\n", "line 1 is '1 1_0'"),
        (b"1 nan\n", "line 1 is '1 nan'"),
        (b"1 2 # two\n1 9999999999999999999\n", "line 2 is '1 9999999999999999999'"),
        (b"1 2\n\xff\xfe \xb2\n", "line 2 is '�� �'"),
        (b"1 2\n\x1b 3\n", "line 2 is '\\x1b 3'"),
    ],
)
def test_the_first_line_that_is_otherwise_is_named(text, line):
    with pytest.raises(ValueError, match="expected 2 whole numbers") as error:
        read_table(text, (2,), np.int64)
    assert f"{line}; expected" in str(error.value)


@pytest.mark.parametrize(
    ("n_columns", "expected"), [((1,), "1 number"), ((3, 5, 4), "3, 4 or 5 numbers")]
)
def test_how_many_numbers_were_expected_is_said(n_columns, expected):
    with pytest.raises(ValueError, match=f"line 1 is '1 2'; expected {expected}."):
        read_table(b"1 2\n", n_columns)


def test_a_row_knows_its_line():
    data = b"# a\r\n\r\n0 1\r\n# b\n2 nan # c\n"
    assert line_of_row(data, 0) == (3, "0 1")
    assert line_of_row(data, 1) == (5, "2 nan # c")
    with pytest.raises(IndexError):
        line_of_row(data, 2)
