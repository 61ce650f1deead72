import io
import json
import sys
import warnings

import click
import pytest

from pbow.cli import show
from pbow.cli.shell import Command


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


def test_a_warning_waits_until_the_line_is_free(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)

    @click.command(cls=Command)
    def learn():
        with show.waiting("Learning"):
            warnings.warn("Fewer words.", UserWarning, stacklevel=2)
            assert stream.getvalue() == "Learning ..."

    learn(standalone_mode=False, args=[])
    line_drawn_over = "Learning ...\r            \r"
    assert stream.getvalue() == f"{line_drawn_over}Warning: Fewer words.\n"


def test_an_error_is_told_after_the_warnings_before_it(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)

    @click.command(cls=Command)
    def fail():
        with show.waiting("Learning"):
            warnings.warn("Fewer words.", UserWarning, stacklevel=2)
            raise ValueError("No words.")

    with pytest.raises(click.ClickException, match="No words"):
        fail(standalone_mode=False, args=[])
    assert stream.getvalue().endswith("\rWarning: Fewer words.\n")


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
