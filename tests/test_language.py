"""One name per concept, and the field's own words: phrases that were replaced are gone.

Ordinary words keep their ordinary meaning; what is searched for here are phrases and
names that have no other use.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TEXTS = [
    path
    for folder in ("src", "scripts", "examples")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in {".py", ".pyi", ".js", ".html", ".jinja", ".css", ".sh"}
]
TEXTS += [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]

# Regular expressions, and what to write instead.
REPLACED = {
    r"never (dies?|ends?)\b": "essential",
    r"\bundying\b|\bendless\b": "essential",
    r"\b(can|could)( not|not)? be had\b": "(not) available",
    r"cannot be told from": "match within two standard errors; equals",
    r"\bpercent right\b|\bper cent\b": "accuracy (%)",
    r"vectors? of one length": "fixed-length feature vectors",
    r"\ban? \w+ each\b(?=[,.;])": "one ... per ...",
    r"\b(an? \w+|one( (?!with|of|for|in|as|is|by|or|and|than)\w+)?) an? "
    r"(line|sample|diagram|row|column|class|word|label|part|graph|cloud|image|mesh|file|split"
    r"|pixel|surface|vertex|size)\b": "per",
    r"told by the files": "inferred from the file extension",
    r"other data than its name": "stand-in: a similar data set",
    r"the same from run to run": "reproducibility",
    r"\b(house|storeys?|streets?)\b": "layer",
    r"_ROOMS|\bor_fewer\b|\bblaming\b": "_SUBPACKAGES, allow_fewer, format_error",
    r"\bdivisions? (into|of the data)|original division": "split",
    # American spelling, as in scikit-learn.
    r"colour|\bgrey|centre|neighbour|labelled|behaviour|favour": "American spelling",
    r"(normal|initial|optim|minim|maxim|recogn|summar|general|special|real)is(e|ed|es"
    r"|ing|ation|er)\b": "American spelling: -ize",
}


@pytest.mark.parametrize(
    "path", TEXTS, ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_replaced_phrases_are_gone(path):
    # A phrase may go over the end of a line.
    text = re.sub(r"\s+(#|//|\*)? *", " ", path.read_text(encoding="utf-8"))
    found = {
        match[0]: instead
        for pattern, instead in REPLACED.items()
        for match in re.finditer(pattern, text, re.IGNORECASE)
    }
    assert found == {}


def test_phrases_are_found_over_the_end_of_a_line(tmp_path):
    path = tmp_path / "text.py"
    path.write_text("# points that never\n    # die\n")
    with pytest.raises(AssertionError, match="never die"):
        test_replaced_phrases_are_gone(path)
