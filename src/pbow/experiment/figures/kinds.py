"""Which descriptors of an experiment the figures of the paper are about."""

from __future__ import annotations

from collections.abc import Iterable

from pbow.experiment.declaration import DescriptorEntry, Experiment

__all__ = ["IMAGES", "KINDS", "STABLE", "WORDS", "explain_kinds", "kind_of", "row_of"]

# As the paper calls them, and the class that makes them.
IMAGES, WORDS, STABLE = "PI", "PBoW", "sPBoW"
KINDS = {
    "PersistenceImage": IMAGES,
    "PersistenceBoW": WORDS,
    "StablePersistenceBoW": STABLE,
}


def kind_of(entry: DescriptorEntry) -> str | None:
    """Return what the paper calls a descriptor, by the class that makes it."""
    _, _, path = entry.make.rpartition(":")
    return KINDS.get(path.partition(".")[0])


def row_of(experiment: Experiment, kind: str) -> DescriptorEntry | None:
    """Return the descriptor of a kind that figures show; None where there is none.

    Of several it is the one that is called as in the paper, or else the first.
    """
    entries = [entry for entry in experiment.descriptors if kind_of(entry) == kind]
    # min keeps the first of equals.
    return min(entries, key=lambda entry: entry.name != kind, default=None)


def explain_kinds(entries: Iterable[DescriptorEntry]) -> str:
    """Return a sentence for a caption where rows have names of their own, else ""."""
    titles = {kind_of(entry): entry.title for entry in entries if not _is_clear(entry)}
    listed = ", ".join(f"{kind} is the row {title!r}" for kind, title in titles.items())
    return f" {listed}." if listed else ""


def _is_clear(entry: DescriptorEntry) -> bool:
    return kind_of(entry) in (entry.name, entry.title)
