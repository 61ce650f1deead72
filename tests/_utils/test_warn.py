"""Warnings point at the line of whoever called pbow, and come once per process."""

import inspect
import warnings
from contextlib import contextmanager

import joblib
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from pbow import Diagrams, PersistenceBoW
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


@pytest.mark.parametrize("library", ["pbow.module", "sklearn.pipeline", "joblib"])
def test_frames_of_libraries_are_passed_over(library):
    code = compile("warn('careful')", "module.py", "exec")
    with noted() as caught:
        expected = next_line()
        exec(code, {"warn": warn_user, "__name__": library})
    assert place_of(caught) == expected


def test_a_package_whose_name_begins_alike_is_another_one():
    code = compile("warn('careful')", "module.py", "exec")
    with noted() as caught:
        exec(code, {"warn": warn_user, "__name__": "pbowtools.module"})
    assert place_of(caught) == (1, "module.py")


def test_within_a_pipeline_it_points_at_the_line_of_the_user():
    pipeline = make_pipeline(PersistenceBoW(2, random_state=0), LinearSVC())
    X, y = [[[0, 1]]] * 4, [0, 1, 0, 1]
    with noted() as caught:
        expected = next_line()
        pipeline.fit(X, y)
    assert place_of(caught) == expected


@pytest.mark.parametrize("action", ["default", "module", "once"])
def test_the_same_words_come_once_per_process(action):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter(action)
        warn_user("careful")
        warn_user("careful")
    # Python's own registries are forgotten here.
    with warnings.catch_warnings(record=True) as later:
        warnings.simplefilter(action)
        warn_user("careful")
        warn_user("careful", FewerWordsWarning)
        warn_user("very careful")
    assert [str(one.message) for one in caught] == ["careful"]
    assert [str(one.message) for one in later] == ["careful", "very careful"]
    assert later[0].category is FewerWordsWarning


def test_a_topic_comes_once_whatever_is_said_of_it():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for n in range(3):
            warn_user(f"{n} are missing", topic="missing")
    assert [str(one.message) for one in caught] == ["0 are missing"]


def test_what_was_ignored_is_not_taken_as_said():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warn_user("careful")
        warnings.simplefilter("default")
        warn_user("careful")
    assert len(caught) == 1


def test_a_filter_makes_each_of_them_an_error():
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.filterwarnings("error", "care", UserWarning, __name__)
        for _ in range(2):
            with pytest.raises(UserWarning, match="careful"):
                warn_user("careful")
    with noted() as caught:
        warn_user("careful")
        warn_user("careful")
    assert len(caught) == 2


def test_the_first_filter_that_matches_decides():
    line, file = next_line()[0] + 8, __name__
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        warnings.filterwarnings("error", "other words")
        warnings.simplefilter("error", DeprecationWarning)
        warnings.filterwarnings("error", module="another")
        warnings.filterwarnings("error", module=file, lineno=1)
        warnings.filterwarnings("always", module=file, lineno=line)
        for _ in range(2):
            warn_user("careful")
        warn_user("careful")
        warn_user("careful")
    assert [one.lineno - line for one in caught] == [0, 0, 1]


def test_a_cross_validation_warns_once():
    X = [[[k, k + 1.0]] * 3 for k in range(20)]
    y = [k % 2 for k in range(20)]
    bow = make_pipeline(PersistenceBoW((2, 1000), random_state=0), LinearSVC())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        cross_val_score(bow, X, y, cv=5)
        cross_val_score(bow, X, y, cv=4)
    assert [one.category for one in caught] == [FewerWordsWarning]
    assert caught[0].filename == __file__


def test_a_worker_process_warns_once():
    with joblib.parallel_config("loky", n_jobs=2):
        counts = joblib.Parallel()(joblib.delayed(count_warnings)() for _ in range(8))
    assert sum(counts) <= 2


def count_warnings():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        warn_user("careful, here")
    return len(caught)
