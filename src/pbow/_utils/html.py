"""Tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

__all__ = ["html_table"]


def html_table(
    caption: str, heads: Sequence[str], rows: Iterable[Sequence[Any]]
) -> str:
    """Return an HTML table; the first entry of each row is its heading.

    Texts are escaped. A row of one entry spans all columns.
    """
    body = []
    for heading, *entries in rows:
        cells = "".join(f"<td>{escape(str(entry))}</td>" for entry in entries)
        row = f"<th>{escape(str(heading))}</th>{cells}"
        if not entries:
            row = f"<td colspan={len(heads)}>{escape(str(heading))}</td>"
        body.append(f"<tr>{row}</tr>")
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    return (
        f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(body)}</tbody></table>"
    )
