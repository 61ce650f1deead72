"""Declared experiments: read, run, tabulate, report."""

from pbow.experiment.declaration import (
    Cell,
    Classifier,
    DatasetEntry,
    DeclarationError,
    DescriptorEntry,
    Experiment,
    Reported,
    read_experiment,
)
from pbow.experiment.results import Folder, choose, planned, progress, to_frame
from pbow.experiment.run import run_experiment
from pbow.experiment.surfaces import diagrams_like_surfaces

__all__ = [
    "Cell",
    "Classifier",
    "DatasetEntry",
    "DeclarationError",
    "DescriptorEntry",
    "Experiment",
    "Folder",
    "Reported",
    "choose",
    "diagrams_like_surfaces",
    "planned",
    "progress",
    "read_experiment",
    "run_experiment",
    "to_frame",
]
