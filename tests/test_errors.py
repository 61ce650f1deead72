"""Errors carry what they speak of, survive pickling, and read well in Python."""

import pickle
from pathlib import Path

import pytest

from pbow import Diagrams
from pbow.blocks import BlockError
from pbow.errors import (
    DiagramError,
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
        (DiagramError(3, "H1", "is odd."), "Diagram 3 of part H1 is odd."),
        (BlockError("a.pbow", 7, "part H1 is odd."), "a.pbow, row 7: part H1 is odd."),
        (BlockError("block 2", None, "no diagrams."), "block 2: no diagrams."),
    ],
)
def test_an_error_reads_the_same_after_pickling(error: ValueError, text: str) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error) == text
    assert vars(copy) == vars(error)


def nested(depth: int) -> list[object]:
    value: list[object] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (10**10000, "got a number of 33220 bits."),
        ([10**10000], "got a list of numbers too long to write."),
        (nested(10_000), "got a list nested too deeply to write."),
        ("x" * 10**6, f"got '{'x' * 196}...."),
    ],
    ids=["int", "list", "nested", "text"],
)
def test_a_value_that_is_too_long_is_described_or_cut(value, shown: str) -> None:
    assert str(ParameterError("k", "short", value)).endswith(shown)


def test_an_error_about_a_diagram_is_one_about_an_item() -> None:
    error = DiagramError(3, "H1", "is odd.")
    assert isinstance(error, ItemError)
    assert isinstance(error, ValueError)
    assert (error.noun, error.item, error.part) == ("diagram", 3, "H1")
    assert error.problem == "is odd."


def test_a_diagram_that_is_refused_carries_its_place() -> None:
    X = {"H0": [[], [[0, 1]], []], "H1": [[], [], [[0, 1], [2, 1]]]}
    with pytest.raises(
        DiagramError, match="Diagram 2 of part H1 has a point that"
    ) as e:
        Diagrams.from_parts(X)
    assert (e.value.item, e.value.part) == (2, "H1")
    assert e.value.problem.startswith("has a point that dies before it is born")


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
