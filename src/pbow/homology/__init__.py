"""Raw data in, persistence diagrams out. Needs the extra ``homology`` (gudhi)."""

from pbow.homology.images import cubical
from pbow.homology.points import alpha, dtm_rips, rips, sparse_rips

__all__ = ["alpha", "cubical", "dtm_rips", "rips", "sparse_rips"]
