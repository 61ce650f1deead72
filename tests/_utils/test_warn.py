"""Warnings point at the line of whoever called pbow."""

import inspect
import warnings
from contextlib import contextmanager

import pytest

from pbow import Diagrams, PersistenceBoW
from pbow._utils import warn
from pbow._utils.warn import warn_user
from pbow.blocks import DiagramBlocks
from pbow.errors import FewerWordsWarning


@contextmanager
def noted():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught


def next_line():
    """The line after that of the caller, and its file."""
    frame = inspect.currentframe().f_back
    return frame.f_lineno + 1, frame.f_code.co_filename


def place_of(caught):
    (warning,) = caught
    return warning.lineno, warning.filename


def test_a_warning_points_at_its_caller():
    with noted() as caught:
        expected = next_line()
        warn_user("careful", FewerWordsWarning)
    assert place_of(caught) == expected
    assert caught[0].category is FewerWordsWarning
    assert str(caught[0].message) == "careful"


@pytest.mark.parametrize("kind", [Diagrams.from_list, lambda X: DiagramBlocks([X])])
def test_it_does_so_from_however_deep(kind):
    X, bow = kind([[[0, 1]]]), PersistenceBoW(2, random_state=0)
    with noted() as caught:
        expected = next_line()
        bow.fit(X)
    assert place_of(caught) == expected
    assert caught[0].category is FewerWordsWarning


def test_frames_inside_pbow_are_passed_over():
    code = compile("warn('careful')", f"{warn.PACKAGE}module.py", "exec")
    with noted() as caught:
        expected = next_line()
        exec(code, {"warn": warn_user})
    assert place_of(caught) == expected


def test_a_package_whose_name_begins_alike_is_another_one():
    other = f"{warn.PACKAGE[:-1]}tools/module.py"
    code = compile("warn('careful')", other, "exec")
    with noted() as caught:
        exec(code, {"warn": warn_user})
    assert place_of(caught) == (1, other)
