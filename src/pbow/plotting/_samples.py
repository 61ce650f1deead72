"""One sample, in any accepted form, as points by part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow.diagrams import Diagrams

__all__ = ["points_by_part"]


def points_by_part(sample: Any) -> dict[str, NDArray[np.float64]]:
    """Return births and deaths by the names of parts; those of all samples together."""
    if not isinstance(sample, Diagrams):
        one = sample if isinstance(sample, Mapping) else _check_diagram(sample)
        sample = Diagrams.from_list([one])
    return {name: sample[name].points for name in sample.parts}


def _check_diagram(sample: Any) -> NDArray[np.float64]:
    try:
        points = np.asarray(sample, dtype=np.float64)
    except (TypeError, ValueError):  # lists of different lengths, or no numbers
        points = None
    if points is not None and points.size == 0:
        return np.empty((0, 2))
    if points is None or points.ndim != 2 or points.shape[1] != 2:
        msg = (
            "Expected one sample: births and deaths of shape (n_points, 2), a dict of "
            f"such by part, or Diagrams; got {sample!r:.100}. Of a list of diagrams "
            "take one, as X[0]."
        )
        raise ValueError(msg)
    return points
