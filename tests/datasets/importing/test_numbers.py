import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from pbow.datasets.importing.numbers import read_integers, read_whole_numbers
from pbow.io import FileFormatError

line_ends = st.sampled_from([b"\n", b"\r\n", b"\n\n", b"\n \t\n"])
blanks = st.sampled_from([b"", b" ", b"  \t"])


@given(st.data(), st.lists(st.integers(0, 10**18 - 1), max_size=20))
def test_one_number_a_line_is_read_however_lines_end(data, numbers):
    text = b"".join(
        data.draw(blanks) + b"%d" % n + data.draw(blanks) + data.draw(line_ends)
        for n in numbers
    )
    assert_array_equal(read_whole_numbers(text, "x", 1)[:, 0], numbers)


@given(
    st.data(),
    st.lists(st.tuples(st.integers(0, 10**9), st.integers(0, 9)), max_size=20),
)
def test_two_numbers_a_line_are_read_however_they_are_spaced(data, pairs):
    text = b"".join(
        data.draw(blanks).join([b"", b"%d" % a, b",", b"%d" % b, data.draw(line_ends)])
        for a, b in pairs
    )
    expected = np.array(pairs, np.int64).reshape(-1, 2)
    assert_array_equal(read_whole_numbers(text, "x", 2), expected)


def test_a_mark_in_front_and_old_line_ends_are_read():
    assert read_whole_numbers(b"\xef\xbb\xbf1, 2\r3,4", "x", 2).tolist() == [
        [1, 2],
        [3, 4],
    ]
    assert read_integers(b"\xef\xbb\xbf-1\r\n\r\n+2\n", "x") == [-1, 2]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b"1,2\n3,\n4\n", "line 2 is '3,'"),
        (b"1,2,3\n4\n", "line 1 is '1,2,3'"),
        (b"1 2,3\n", "line 1 is '1 2,3'"),
        (b"1,2\n\n,4\n5,6\n7\n", "line 3 is ',4'"),
        (b",1\n2,3\n4\n", "line 1 is ',1'"),
        (b"4\n1,2\n3,", "line 1 is '4'"),
        (b"1,2\n3", "line 2 is '3'"),
        (b"1,-2\n", "line 1 is '1,-2'"),
        (b"1,2.0\n", "line 1 is '1,2.0'"),
        (b"1,1_0\n", "line 1 is '1,1_0'"),
        (b"1,nan\n", "line 1 is '1,nan'"),
        (b"1,9999999999999999999\n", "line 1 is '1,9999999999999999999'"),
        (b"1,2\n\xff\xfe,\xb2\n", "line 2 is '��,�'"),
    ],
)
def test_the_first_line_that_is_otherwise_is_named(text, line):
    with pytest.raises(FileFormatError, match="two whole numbers with") as error:
        read_whole_numbers(text, "the file", 2)
    assert f"Cannot read the file: {line}; expected" in str(error.value)


@pytest.mark.parametrize("text", [b"1\n2 3\n", b"1\n2,3\n", b"1\n-2\n", b"1\nx\n"])
def test_a_line_with_more_than_a_number_is_named(text):
    with pytest.raises(FileFormatError, match=r"line 2 is .*; expected one whole"):
        read_whole_numbers(text, "x", 1)


@pytest.mark.parametrize("word", ["1.0", "1, 2", "9" * 19, "1_0", "٣"])
def test_integers_are_whole_and_fit(word):
    with pytest.raises(FileFormatError, match=r"line 2 is .*; expected a whole number"):
        read_integers(f"1\n{word}\n".encode(), "x")
