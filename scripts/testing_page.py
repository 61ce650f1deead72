"""Make the page "How it is tested" from the figures in docs/testing.

    python scripts/testing_page.py

The template is ``docs/testing/page.md.jinja``. It sees each file ``<name>.json`` as
``<name>``, and has a section for it; a file that is not there has no section.
"""

import json
import re
from pathlib import Path

from jinja2 import Environment

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = DOCS / "testing.md"


def make_page() -> str:
    """Return the text of the page."""
    figures = {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in (DOCS / "testing").glob("*.json")
    }
    environment = Environment(trim_blocks=True, lstrip_blocks=True, autoescape=False)
    environment.filters["number"] = lambda number: f"{number:,}"
    template = (DOCS / "testing" / "page.md.jinja").read_text(encoding="utf-8")
    text = environment.from_string(template).render(figures)
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(make_page(), encoding="utf-8")
