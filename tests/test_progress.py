"""Progress: what is called, and what is written where."""

import io
import threading
from types import SimpleNamespace

import pytest

from pbow import progress as module
from pbow.progress import reporting


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until it is told the time."""
    now = [1000.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def stderr(monkeypatch, request):
    stream = getattr(request, "param", Terminal)()
    # Not sys.stderr itself, which pytest sets again between fixture and test.
    monkeypatch.setattr(module, "sys", SimpleNamespace(stderr=stream))
    return stream


def test_a_callable_is_told_what_is_done_and_what_there_is():
    calls = []
    with reporting(lambda *args: calls.append(args), 10, done=3) as advance:
        advance(2)
        advance(5)
    assert calls == [(5, 10), (10, 10)]


def test_nothing_is_written_without_being_asked(stderr):
    with reporting(False, 10) as advance:
        advance(10)
    assert not stderr.getvalue()


def test_on_a_terminal_one_line_is_drawn_over_and_taken_away(clock, stderr):
    with reporting(True, 4000) as advance:
        clock[0] += 10.0
        advance(1000)
        first = stderr.getvalue()
        assert first == "\r25.0 % of 4,000 pairs, 100 a second, 0:30 left"
        advance(1)  # too soon to draw again
        assert stderr.getvalue() == first
        clock[0] += 10.0
        advance(2999)
    last = "\r100.0 % of 4,000 pairs, 200 a second, 0:00 left"
    assert stderr.getvalue() == first + last + f"\r{'':{len(last) - 1}}\r"


def test_a_shorter_line_leaves_nothing_of_a_longer_one(clock, stderr):
    with reporting(True, 10**6) as advance:
        clock[0] += 1.0
        advance(1)
        clock[0] += 1e6
        advance(10**6 - 1)
        first, second = stderr.getvalue().split("\r")[1:]
        assert len(second.rstrip()) < len(first) == len(second)


def test_what_was_done_before_does_not_count_for_the_rate(clock, stderr):
    with reporting(True, 1000, done=500) as advance:
        clock[0] += 1.0
        advance(100)
    assert "60.0 % of 1,000 pairs, 100 a second, 0:04 left" in stderr.getvalue()


def test_hours_are_told(clock, stderr):
    with reporting(True, 10_000, noun="tiles") as advance:
        clock[0] += 1.0
        advance(1)
    assert "10,000 tiles, 1 a second, 2:46:39 left" in stderr.getvalue()


@pytest.mark.parametrize("stderr", [io.StringIO], indirect=True)
def test_in_a_file_there_is_a_line_soon_and_then_every_half_minute(clock, stderr):
    with reporting(True, 100) as advance:
        for _ in range(70):
            clock[0] += 1.0
            advance(1)
    assert stderr.getvalue() == (
        "3.0 % of 100 pairs, 1 a second, 1:37 left\n"
        "33.0 % of 100 pairs, 1 a second, 1:07 left\n"
        "63.0 % of 100 pairs, 1 a second, 0:37 left\n"
    )


def test_the_line_is_taken_away_after_an_error(clock, stderr):
    def fail():
        with reporting(True, 10) as advance:
            clock[0] += 1.0
            advance(1)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert stderr.getvalue().endswith(" \r")


def test_without_stderr_nothing_happens(monkeypatch):
    monkeypatch.setattr(module, "sys", SimpleNamespace(stderr=None))
    with reporting(True, 10) as advance:
        advance(10)


def test_threads_do_not_get_in_each_others_way():
    calls = []
    with reporting(lambda done, _: calls.append(done), 4000) as advance:
        threads = [
            threading.Thread(target=lambda: [advance(1) for _ in range(1000)])
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert calls == list(range(1, 4001))


@pytest.mark.parametrize("progress", [None, "yes", 1])
def test_what_is_no_progress_is_refused(progress):
    with (
        pytest.raises(ValueError, match="Expected progress to be True, False or a"),
        reporting(progress, 1),
    ):
        pass
