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
from pbow.experiment.estimate import Estimate, Work, count_work, estimate_work
from pbow.experiment.evaluation import Evaluation, cross_validate
from pbow.experiment.report import write_report
from pbow.experiment.runner import run_experiment
from pbow.experiment.runs import Folder, Run
from pbow.experiment.selection import Outcome, summarize
from pbow.experiment.surfaces import diagrams_like_surfaces
from pbow.experiment.table import make_powered_table, make_table

__all__ = [
    "Cell",
    "Classifier",
    "DatasetEntry",
    "DeclarationError",
    "DescriptorEntry",
    "Estimate",
    "Evaluation",
    "Experiment",
    "Folder",
    "Outcome",
    "Reported",
    "Run",
    "Work",
    "count_work",
    "cross_validate",
    "diagrams_like_surfaces",
    "estimate_work",
    "make_powered_table",
    "make_table",
    "open_dataset",
    "read_experiment",
    "run_experiment",
    "summarize",
    "write_report",
]
