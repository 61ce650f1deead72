"""Raw data in, persistence diagrams out. Needs the extra ``homology`` (gudhi)."""

from pbow.homology.points import rips

__all__ = ["rips"]
