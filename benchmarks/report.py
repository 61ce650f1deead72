"""Tables, and a report of them in JSON and Markdown."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.timing import PLAIN_READ, Timing

__all__ = ["Table", "pairs_table", "race_table", "render", "write_report"]


@dataclass
class Table:
    """What one benchmark found.

    Attributes
    ----------
    title : str
        What was measured, on what.
    columns : list of str
        Names of the columns.
    rows : list of list
        Strings, numbers, or None where there is nothing to say.
    note : str
        What a reader must know.
    headline : list
        The row of the summary: task, ns a point, times the plain read, fastest peer
        with the same result, its time over that of pbow.
    failures : list of str
        Results that differ, and claims that do not hold.
    """

    title: str
    columns: list[str]
    rows: list[list[Any]]
    note: str = ""
    headline: list[Any] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


def race_table(
    title: str,
    timings: Sequence[Timing],
    n_points: int,
    *,
    n_times: int = 1,
    note: str = "",
) -> Table:
    """Make the table of a race; the first contender is pbow."""
    ours = timings[0].seconds
    read = {t.name: t.seconds for t in timings}.get(PLAIN_READ)
    rows = []
    for t in timings:
        result = t.verdict.text if t.verdict else ""
        remark = "; ".join(text for text in (result, t.note) if text)
        if t.seconds is None:
            rows.append([t.name, None, None, None, None, None, remark])
            continue
        rows.append(
            [
                t.name,
                1e3 * t.seconds / n_times,
                1e9 * t.seconds / n_times / n_points,
                t.seconds / ours,
                t.seconds / read if read else None,
                t.rounds,
                remark,
            ]
        )
    peers = [
        t
        for t in timings[1:]
        if t.verdict and t.verdict.same and not t.name.startswith("pbow")
    ]
    nearest = min(peers, key=lambda t: t.seconds, default=None)
    return Table(
        title,
        ["", "ms", "ns a point", "times pbow", "times plain read", "rounds", "result"],
        rows,
        note,
        headline=[
            title,
            1e9 * ours / n_times / n_points,
            ours / read if read else None,
            nearest.name if nearest else None,
            nearest.seconds / ours if nearest else None,
        ],
        failures=_failures(title, timings),
    )


def pairs_table(title: str, timings: Sequence[Timing], n_pairs: int) -> Table:
    """Make the table of a race to compare all pairs; the first contender is pbow."""
    rows = []
    for t in timings:
        result = t.verdict.text if t.verdict else ""
        remark = "; ".join(text for text in (result, t.note) if text)
        times = [None, None, None]
        if t.seconds is not None:
            microseconds = 1e6 * t.seconds / n_pairs
            times = [microseconds, t.seconds / timings[0].seconds, t.rounds]
        rows.append([t.name, *times, remark])
    return Table(
        title,
        ["", "µs a pair", "times pbow", "rounds", "result"],
        rows,
        failures=_failures(title, timings),
    )


def _failures(title: str, timings: Sequence[Timing]) -> list[str]:
    return [
        f"{title}: {t.name}: {t.verdict.text}"
        for t in timings
        if t.verdict and not t.verdict.same
    ]


def write_report(folder: Path, machine: dict[str, str], tables: list[Table]) -> Path:
    """Write latest.json and latest.md into a folder; return the path of the latter."""
    folder.mkdir(parents=True, exist_ok=True)
    content = {"machine": machine, "tables": [asdict(table) for table in tables]}
    text = json.dumps(content, indent=1, ensure_ascii=False)
    (folder / "latest.json").write_text(text + "\n", encoding="utf-8")
    path = folder / "latest.md"
    path.write_text(render(machine, tables), encoding="utf-8")
    return path


def render(machine: dict[str, str], tables: list[Table]) -> str:
    """Return the report as Markdown, from the second level of headings on."""
    parts = ["## Machine", _grid(["", ""], [[k, v] for k, v in machine.items()])]
    headlines = [table.headline for table in tables if table.headline]
    if headlines:
        columns = ["task", "pbow, ns a point", "times plain read"]
        columns += ["fastest peer with the same result", "its time over pbow's"]
        parts += ["## Summary", _grid(columns, headlines)]
    failures = [text for table in tables for text in table.failures]
    if failures:
        parts += ["## What does not hold", "\n".join(f"- {text}" for text in failures)]
    for table in tables:
        parts += [f"## {table.title}", table.note, _grid(table.columns, table.rows)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _grid(columns: list[str], rows: list[list[Any]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        # Three digits; no run repeats more.
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:#.3g}"
    return str(value).replace("|", "/")
