"""Figures: Axes in, Axes out. Needs the extra ``plot`` (matplotlib)."""

from pbow.plotting.accuracy import plot_accuracy_by_size
from pbow.plotting.barcode import plot_barcode
from pbow.plotting.codebook import plot_codebook
from pbow.plotting.confusion import plot_confusion
from pbow.plotting.diagram import plot_diagram
from pbow.plotting.difference import plot_class_difference
from pbow.plotting.display import CodebookDisplay
from pbow.plotting.explanation import plot_explanation
from pbow.plotting.matching import plot_matching
from pbow.plotting.word_in_cloud import plot_word_in_cloud
from pbow.plotting.word_in_graph import plot_word_in_graph
from pbow.plotting.word_in_image import plot_word_in_image
from pbow.plotting.words import plot_class_words

__all__ = [
    "CodebookDisplay",
    "plot_accuracy_by_size",
    "plot_barcode",
    "plot_class_difference",
    "plot_class_words",
    "plot_codebook",
    "plot_confusion",
    "plot_diagram",
    "plot_explanation",
    "plot_matching",
    "plot_word_in_cloud",
    "plot_word_in_graph",
    "plot_word_in_image",
]
