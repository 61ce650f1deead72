"""Data sets of the paper, with labels and splits, and the steps that make them."""

from pbow.datasets.dataset import Dataset, Provenance
from pbow.datasets.graph_diagrams import normalize_graph_diagrams
from pbow.datasets.imports import import_dataset
from pbow.datasets.listing import Listing, list_datasets
from pbow.datasets.loading import load_dataset
from pbow.datasets.paraboloid import remove_paraboloid
from pbow.datasets.patches import Patches, cut_patches
from pbow.datasets.raw import RawData, read_raw
from pbow.datasets.shapes import SHAPE_NAMES, make_shapes

__all__ = [
    "SHAPE_NAMES",
    "Dataset",
    "Listing",
    "Patches",
    "Provenance",
    "RawData",
    "cut_patches",
    "import_dataset",
    "list_datasets",
    "load_dataset",
    "make_shapes",
    "normalize_graph_diagrams",
    "read_raw",
    "remove_paraboloid",
]
