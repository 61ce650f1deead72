"""Declared experiments: read, run, tabulate, draw, report."""

from pbow.experiment.data import open_dataset
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
from pbow.experiment.estimate import Work, count_work
from pbow.experiment.runner import run_experiment
from pbow.experiment.runs import Folder, Run
from pbow.experiment.selection import Outcome, summarize
from pbow.experiment.surfaces import diagrams_like_surfaces

__all__ = [
    "Cell",
    "Classifier",
    "DatasetEntry",
    "DeclarationError",
    "DescriptorEntry",
    "Experiment",
    "Folder",
    "Outcome",
    "Reported",
    "Run",
    "Work",
    "count_work",
    "diagrams_like_surfaces",
    "open_dataset",
    "read_experiment",
    "run_experiment",
    "summarize",
]
