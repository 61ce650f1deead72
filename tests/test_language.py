"""One name per concept, and the field's own words: phrases that were replaced are gone.

Ordinary words keep their ordinary meaning; what is searched for here are phrases and
names that have no other use.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("src", "scripts", "examples", "docs", "experiments", "benchmarks")
SUFFIXES = {".py", ".pyi", ".js", ".html", ".jinja", ".css", ".sh"}
SUFFIXES |= {".md", ".rst", ".toml"}
# What a build of the documentation or an experiment writes, and Git ignores.
BUILT = re.compile(r"^docs/(_build|gallery|sg_)|^experiments/results/.*\.html$")

TEXTS = [
    path
    for folder in FOLDERS
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in SUFFIXES and not BUILT.match(path.relative_to(ROOT).as_posix())
]
TEXTS += [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]

# Phrases that have a better name in the field; the patterns below must find them all.
PHRASES = (
    "points that never die",
    "bars that never end",
    "percent right",
    "vector of one length",
    "a line each",
    "a row a sample",
    "told by the files",
    "could not be had",
    "cannot be told from",
    "other data than its name says",
    "what is the same from run to run",
)

# Regular expressions, and what to write instead.
REPLACED = {
    r"never (dies?|ends?)\b": "essential",
    r"\bundying\b|\bendless\b": "essential",
    r"\b(can|could)( not|not)? be had\b": "(not) available",
    r"cannot be told from": "match within two standard errors; equals",
    r"\bpercent right\b|\bper cent\b": "accuracy (%)",
    r"vectors? of one length": "fixed-length feature vectors",
    r"\ba line each\b|\ban? \w+ each\b(?=[,.;])": "one ... per ...",
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


def replaced_phrases(text):
    # A phrase may go over the end of a line.
    text = re.sub(r"\s+(#|//|\*)? *", " ", text)
    return {
        match[0]: instead
        for pattern, instead in REPLACED.items()
        for match in re.finditer(pattern, text, re.IGNORECASE)
    }


@pytest.mark.parametrize(
    "path", TEXTS, ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_replaced_phrases_are_gone(path):
    assert replaced_phrases(path.read_text(encoding="utf-8")) == {}


@pytest.mark.parametrize("phrase", PHRASES)
def test_every_phrase_is_found_wherever_a_line_ends(phrase):
    broken = phrase.replace(" ", "\n    # ")
    assert replaced_phrases(f"It has {phrase} here.")
    assert replaced_phrases(f"# It has {broken} here.")


@pytest.mark.parametrize("folder", FOLDERS)
def test_texts_of_every_folder_are_searched(folder):
    assert any(path.is_relative_to(ROOT / folder) for path in TEXTS)
