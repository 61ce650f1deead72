"""Errors carry what they speak of, survive pickling, and read well in Python."""

import pickle
from pathlib import Path

import pytest

from pbow.errors import (
    FileFormatError,
    ItemError,
    ItemMemoryError,
    ParameterError,
    format_error,
)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            ParameterError("k", "an int >= 1", 0),
            "Expected k to be an int >= 1; got 0.",
        ),
        (
            ParameterError("k", "an int >= 1", 0, "Kernel", "Pass 1."),
            "The 'k' parameter of Kernel must be an int >= 1. Got 0 instead. Pass 1.",
        ),
        (
            ParameterError("k", "an int >= 1", 0, optional=True),
            "Expected k to be an int >= 1 or None; got 0.",
        ),
        (
            FileFormatError(Path("x.csv"), "it is empty."),
            "Cannot read x.csv: it is empty.",
        ),
        (ItemError("cloud", 3, "no points."), "Cloud 3: no points."),
        (ItemMemoryError("image", 0, "needs 3 TB."), "Image 0: needs 3 TB."),
    ],
)
def test_an_error_reads_the_same_after_pickling(error: ValueError, text: str) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error) == text
    assert vars(copy) == vars(error)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (10**10000, "got a number of 33220 bits."),
        ([10**10000], "got a list of numbers too long to write."),
        ("x" * 10**6, f"got '{'x' * 196}...."),
    ],
    ids=["int", "list", "text"],
)
def test_a_value_that_is_too_long_is_described_or_cut(value, shown: str) -> None:
    assert str(ParameterError("k", "short", value)).endswith(shown)


def test_an_item_that_needs_too_much_memory_is_a_memory_error_too() -> None:
    with pytest.raises(MemoryError, match="Image 0: needs 3 TB"):
        raise ItemMemoryError("image", 0, "needs 3 TB.")


def test_what_a_content_leads_to_carries_the_file() -> None:
    with (
        pytest.raises(FileFormatError) as caught,
        format_error(Path("outer.zip")),
        format_error("inner.csv"),
    ):
        float("x")
    assert caught.value.path == "inner.csv"
    assert caught.value.problem.startswith("could not convert")
