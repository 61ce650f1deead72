"""Errors that carry what they speak of, so that each front end can name it its way.

Errors are a ``ValueError``: a caller who does not care need not know them. The command
line writes an option where Python writes a parameter.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = [
    "DiagramError",
    "FewerWordsWarning",
    "FileFormatError",
    "ItemError",
    "ItemMemoryError",
    "OutOfRangeWarning",
    "ParameterError",
    "format_error",
    "shown",
]


class ParameterError(ValueError):
    """A parameter has a value that it cannot have.

    Parameters
    ----------
    parameter : str
        Its name.
    expected : str
        What it must be, as in "an int >= 1".
    value : object
        What came.
    owner : str, optional
        The class that has the parameter; without it, it is a function's argument.
    advice : str, optional
        What to do, a whole sentence.
    optional : bool, default=False
        Whether it may be None as well. In the shell, None is an option that is not
        given.

    Examples
    --------
    >>> from pbow.errors import ParameterError
    >>> str(ParameterError("n_words", "an int >= 1", 0, "PersistenceBoW"))
    "The 'n_words' parameter of PersistenceBoW must be an int >= 1. Got 0 instead."
    >>> str(ParameterError("dims", "one or more ints >= 0, as in (0, 1)", -1))
    'Expected dims to be one or more ints >= 0, as in (0, 1); got -1.'
    """

    def __init__(
        self,
        parameter: str,
        expected: str,
        value: Any,
        owner: str | None = None,
        advice: str = "",
        *,
        optional: bool = False,
    ) -> None:
        super().__init__(parameter, expected, value, owner, advice)
        self.parameter = parameter
        self.expected = expected
        self.value = value
        self.owner = owner
        self.advice = advice
        self.optional = optional

    def __str__(self) -> str:
        expected = f"{self.expected} or None" if self.optional else self.expected
        if self.owner is None:
            text = f"Expected {self.parameter} to be {expected}; got {self.shown}."
        else:
            text = (
                f"The {self.parameter!r} parameter of {self.owner} must be "
                f"{expected}. Got {self.shown} instead."
            )
        return f"{text} {self.advice}".rstrip()

    @property
    def shown(self) -> str:
        """The value as messages show it: long ones are cut."""
        return shown(self.value)


class ItemError(ValueError):
    """One item of a collection is not what it should be: a cloud, an image, a graph.

    Parameters
    ----------
    noun : str
        What the items are called, in the singular.
    item : int
        Its place in the collection, counted from 0.
    problem : str
        What is wrong with it and what to do, without its name. Places within the item
        are counted from 0.

    Examples
    --------
    >>> from pbow.errors import ItemError
    >>> str(ItemError("cloud", 3, "point 0 is [nan]; expected finite coordinates."))
    'Cloud 3: point 0 is [nan]; expected finite coordinates.'
    """

    def __init__(self, noun: str, item: int, problem: str) -> None:
        super().__init__(noun, item, problem)
        self.noun = noun
        self.item = item
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.noun.capitalize()} {self.item}: {self.problem}"


class DiagramError(ItemError):
    """One diagram of a collection is not what it should be.

    Parameters
    ----------
    item : int
        Its place in the collection, counted from 0.
    part : str
        The part that it is of; ``""`` if that has no name.
    problem : str
        What is wrong with it and what to do, the rest of a sentence about it.

    Examples
    --------
    >>> from pbow.errors import DiagramError
    >>> str(DiagramError(3, "H1", "has a point that is NaN. Remove it."))
    'Diagram 3 of part H1 has a point that is NaN. Remove it.'
    """

    def __init__(self, item: int, part: str, problem: str) -> None:
        super().__init__("diagram", item, problem)
        self.args = (item, part, problem)
        self.part = part

    def __str__(self) -> str:
        return f"Diagram {self.item}{of_part(self.part)} {self.problem}"


class ItemMemoryError(ItemError, MemoryError):
    """One item of a collection needs more memory than there is."""


class FewerWordsWarning(UserWarning):
    """There were fewer distinct points than words to learn, so words are fewer."""


class OutOfRangeWarning(UserWarning):
    """Most points to transform lie far outside the range of those seen in fit."""


class FileFormatError(ValueError):
    """A file is damaged, or not what it was expected to be.

    Parameters
    ----------
    path : str or path-like
        The file; the attribute is a str.
    problem : str
        What is wrong with it and what to do, without its name.

    Examples
    --------
    >>> from pbow.errors import FileFormatError
    >>> str(FileFormatError("labels.txt", "line 3 is empty; expected a label."))
    'Cannot read labels.txt: line 3 is empty; expected a label.'
    """

    def __init__(self, path: str | os.PathLike[str], problem: str) -> None:
        self.path = os.fspath(path)
        self.problem = problem
        super().__init__(self.path, problem)

    def __str__(self) -> str:
        return f"Cannot read {self.path}: {self.problem}"


def of_part(name: str) -> str:
    """Return the part as a sentence says it, and nothing if it has no name.

    Parameters
    ----------
    name : str
        Name of the part, or ``""``.

    Returns
    -------
    text : str

    Examples
    --------
    >>> from pbow.errors import of_part
    >>> f"Diagram 3{of_part('H1')} is empty", f"Diagram 3{of_part('')} is empty"
    ('Diagram 3 of part H1 is empty', 'Diagram 3 is empty')
    """
    return f" of part {name}" if name else ""


def shown(value: Any, longest: int = 200) -> str:
    """Return a value as messages show it.

    Parameters
    ----------
    value : object
        Anything, also numbers of more digits than Python writes.
    longest : int, default=200
        Number of characters at which its text is cut.

    Returns
    -------
    text : str

    Examples
    --------
    >>> from pbow.errors import shown
    >>> shown("H1"), shown(list(range(100)), 12), shown(10**5000)
    ("'H1'", '[0, 1, 2,...', 'a number of 16610 bits')
    """
    try:
        text = repr(value)
    except ValueError:  # an int of more digits than Python writes, or a list of it
        if isinstance(value, int):
            return f"a number of {value.bit_length()} bits"
        return f"a {type(value).__name__} of numbers too long to write"
    except RecursionError:
        return f"a {type(value).__name__} nested too deeply to write"
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


@contextmanager
def format_error(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn what the content of a file leads to into an error that names the file."""
    try:
        yield
    except FileFormatError:
        raise
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise FileFormatError(path, str(error)) from error
