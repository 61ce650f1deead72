import io
import json
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


PARTS = {"parts": ["H0", "H1"]}


@pytest.mark.parametrize(
    ("command", "facts"),
    [
        ("homology clouds.npy --kind clouds -o x.csv", {"samples": 2} | PARTS),
        ("convert diagrams.pbow x.csv", {"samples": 12} | PARTS),
        (
            "fit diagrams.pbow --words 3 -o x.csv",
            {"samples": 12, "features": 6} | PARTS,
        ),
        (
            "transform model.pbow diagrams.pbow -o x.csv",
            {"samples": 12, "features": 6},
        ),
    ],
)
def test_what_was_written_is_reported_as_json(run, folder, command, facts):
    report = json.loads(run(command, "--json").stdout)
    assert report.pop("seconds") > 0.0
    assert report == {"output": "x.csv"} | facts
