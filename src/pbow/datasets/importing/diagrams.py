"""Diagrams with labels as arrays, checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow.diagrams import Diagrams
from pbow.errors import format_error

__all__ = ["pack_diagrams"]


def pack_diagrams(
    diagrams: Sequence[NDArray[np.float64]],
    labels: Sequence[int],
    label_names: Sequence[str],
    *,
    part: str,
    where: str,
) -> dict[str, NDArray[Any]]:
    """Return the arrays points, offsets, labels and label_names.

    `part` and `where`, the file, are for messages.
    """
    with format_error(where):
        X = Diagrams.from_list(diagrams, name=part)
    return {
        "points": X.points,
        "offsets": X.offsets,
        "labels": np.array(labels, np.int32),
        "label_names": np.array(label_names, np.str_),
    }
