import io
import sys

import pytest

from pbow.cli import show


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("stream", [Terminal(), io.StringIO()], ids=type)
def test_only_a_terminal_sees_what_is_going_on_until_it_is_done(monkeypatch, stream):
    monkeypatch.setattr(sys, "stderr", stream)
    with show.waiting("Learning"):
        during = stream.getvalue()
    shown = "Learning ..." if stream.isatty() else ""
    assert during == shown
    # Drawn over: the line is blank, and the next message begins where it began.
    assert stream.getvalue() == shown + ("\r            \r" if shown else "")
