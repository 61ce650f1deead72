"""The figures of an experiment. They need the extra ``plot`` (matplotlib)."""

from pbow.experiment.figures.figure import Figure, Saved, save

__all__ = ["Figure", "Saved", "save"]
