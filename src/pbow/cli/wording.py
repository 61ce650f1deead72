"""Messages that are written for Python, as the shell would put them."""

from __future__ import annotations

import re

__all__ = ["for_the_shell"]

# What messages say of arguments, and what to write here, by command; None is every one.
IN_THE_SHELL: dict[str | None, dict[str, str]] = {
    None: {
        r"Pass format=": "Name it by pbow convert --from",
        r"as in X\['(.+)'\]": r"as in --parts \1",
        r" Use pbow\.(load|io\.read_diagrams)\.": "",
        r"Select those that were there in fit: X\[.+\]\.": (
            "Select those that were there in fit, by pbow convert --parts."
        ),
        r"\bby pbow\.homology\.rips\b": "by pbow homology",
        r"\bnumpy\.inf\b": "inf",
        r"'utf-8' codec can't decode .*": "it is no text, and of no known format.",
        r"\bdata_home=": "--data-home ",
    },
    "homology": {
        r"ints >= 0, as in \(0, 1\)": "whole numbers from 0 on, as in 0,1",
        r"\b(Expected|in) dims\b(.*) got \[(.*)\]": r"\1 --dims\2 got \3",
        r"Expected max_edge to be a number > 0 or None": (
            "Expected --max-edge to be a number > 0"
        ),
        r"\(max_edge\)": "(--max-edge)",
        r"\(n_jobs\)": "(--jobs)",
        r"^Point (\d+) of": r"Point \1, counted from 0, of",
        r'pass metric="precomputed" to rips': "pass --set metric=precomputed",
    },
    "plot": {
        r"Expected part to be (.+), the parts that the vectorizer": (
            r"Expected --part to be \1, the parts that the model"
        ),
        r"in the plane; got None": "in the plane; none is given",
        r"Expected classes to be two different labels of y": (
            "Expected --between to be two different labels"
        ),
        r"(expects a fitted PersistenceBoW; got StablePersistenceBoW)\.": (
            r"\1. pbow plot codebook draws its words, and pbow explore its classes."
        ),
    },
    "explore": {r"Expected sample_names to be": "Expected --names to be"},
}


def for_the_shell(text: str, command: str | None) -> str:
    """Return a message of a command on one line, with options for Python's names."""
    line = " ".join(text.split())
    patterns = IN_THE_SHELL[None] | IN_THE_SHELL.get(command, {})
    for python, shell in patterns.items():
        line = re.sub(python, shell, line)
    return line
