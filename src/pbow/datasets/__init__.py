"""Data sets of the paper, with labels and splits, and what they are made by."""

from pbow.datasets.dataset import Dataset, Provenance
from pbow.datasets.graph_diagrams import normalize_graph_diagrams
from pbow.datasets.importing import import_dataset
from pbow.datasets.loading import Listing, list_datasets, load_dataset
from pbow.datasets.paraboloid import remove_paraboloid
from pbow.datasets.patches import Patches, cut_patches
from pbow.datasets.shapes import SHAPE_NAMES, make_shapes

__all__ = [
    "SHAPE_NAMES",
    "Dataset",
    "Listing",
    "Patches",
    "Provenance",
    "cut_patches",
    "import_dataset",
    "list_datasets",
    "load_dataset",
    "make_shapes",
    "normalize_graph_diagrams",
    "remove_paraboloid",
]
