"""Make the page "How it is tested" from the figures in docs/testing.

    python scripts/testing_page.py

The template is ``docs/testing/page.md.jinja``. It sees each file ``<name>.json`` as
``<name>``, and has a section for it; a file that is not there has no section.
"""

import json
import re
import textwrap
from pathlib import Path

from jinja2 import Environment, StrictUndefined

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = DOCS / "testing.md"


def make_page() -> str:
    """Return the text of the page."""
    figures = {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in (DOCS / "testing").glob("*.json")
    }
    environment = Environment(
        trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    environment.filters["number"] = lambda number: f"{number:,}"
    template = (DOCS / "testing" / "page.md.jinja").read_text(encoding="utf-8")
    text = environment.from_string(template).render(figures)
    blocks = re.split(r"\n{2,}", text.strip())
    return "\n\n".join(map(wrapped, blocks)) + "\n"


def wrapped(block: str) -> str:
    """Return a paragraph in full lines; lists, tables and code as they are."""
    if block.startswith(("#", "|", "-", "```")):
        return block
    return textwrap.fill(block, 100, break_long_words=False, break_on_hyphens=False)


if __name__ == "__main__":
    PAGE.write_text(make_page(), encoding="utf-8")
