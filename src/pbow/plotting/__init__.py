"""One picture a function: Axes in, Axes out. Needs the extra ``plot`` (matplotlib)."""

from pbow.plotting.words import plot_class_words

__all__ = ["plot_class_words"]
