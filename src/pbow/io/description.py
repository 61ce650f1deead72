"""What is in a collection of diagrams, and what may be wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow._utils.text import plural
from pbow.diagrams import Diagrams, check_diagrams

__all__ = ["Description", "PartDescription", "describe"]

# A death so many times the usual one may stand for infinity.
HUGE = 1e6

Span = tuple[float, float]


@dataclass(frozen=True)
class PartDescription:
    """Numbers of one part.

    Attributes
    ----------
    points : int
        Number of points.
    essential : int
        Number of points with infinite death.
    empty : int
        Number of diagrams without points.
    on_diagonal : int
        Number of points with persistence 0.
    sizes : tuple of int
        The smallest and the largest number of points in a diagram.
    births, deaths, persistences : tuple of float or None
        The smallest and the largest finite value; None without any.
    median_death : float
        Median of the absolute values of finite deaths; 0 without any.
    located : bool
        Whether the locations of the points are known.
    """

    points: int
    essential: int
    empty: int
    on_diagonal: int
    sizes: tuple[int, int]
    births: Span | None
    deaths: Span | None
    persistences: Span | None
    median_death: float
    located: bool


@dataclass(frozen=True)
class Description:
    """Result of :func:`describe`.

    Attributes
    ----------
    samples : int
        Number of samples.
    parts : dict of str to PartDescription
        Numbers of each part.
    warnings : list of str
        What users may not expect of diagrams, one sentence each.
    """

    samples: int
    parts: dict[str, PartDescription]
    warnings: list[str]


def describe(X: Any) -> Description:
    """Count the points of diagrams, and warn of what may be wrong with them.

    Parameters
    ----------
    X : Diagrams or list of array-like of shape (n_points_i, 2)
        The diagrams.

    Returns
    -------
    description : Description

    Examples
    --------
    >>> from pbow.io import describe
    >>> found = describe({"H1": [[[0.0, 1.0], [0.5, 0.5]], []]})
    >>> found.parts["H1"].points, found.parts["H1"].births
    (2, (0.0, 0.5))
    >>> for warning in found.warnings:
    ...     print(warning)
    H1 has no point in 1 of 2 diagrams.
    H1 has 1 point on the diagonal, with persistence 0.
    """
    X = check_diagrams(X)
    parts = {name: _describe_part(X[name]) for name in X.parts}
    warnings = [] if len(X) else ["there is no sample."]
    for name, part in parts.items():
        warnings += _doubts(name, part, len(X))
    return Description(len(X), parts, warnings)


def _describe_part(part: Diagrams) -> PartDescription:
    births, deaths = part.points.T
    finite = np.isfinite(deaths)
    persistences = deaths[finite] - births[finite]
    sizes = _span(part.sizes) or (0, 0)
    return PartDescription(
        points=len(part.points),
        essential=int((~finite).sum()),
        empty=int((part.sizes == 0).sum()),
        on_diagonal=int((persistences == 0.0).sum()),
        sizes=(int(sizes[0]), int(sizes[1])),
        births=_span(births),
        deaths=_span(deaths[finite]),
        persistences=_span(persistences),
        median_death=float(np.median(np.abs(deaths[finite]))) if finite.any() else 0.0,
        located=part.locations is not None,
    )


def _span(values: NDArray[Any]) -> Span | None:
    return (float(values.min()), float(values.max())) if len(values) else None


def _doubts(name: str, part: PartDescription, n_samples: int) -> list[str]:
    doubts = []
    name = name or "the collection"
    if part.empty:
        which = f"{part.empty:,} of {plural(n_samples, 'diagram')}"
        doubts.append(f"{name} has no point in {which}.")
    if part.points and part.points == part.essential:
        doubts.append(
            f"all points of {name} are essential; descriptors leave such points out "
            "unless their parameter essential says otherwise."
        )
    if part.on_diagonal:
        n = plural(part.on_diagonal, "point")
        doubts.append(f"{name} has {n} on the diagonal, with persistence 0.")
    largest = max(map(abs, part.deaths or [0.0]))
    if part.median_death > 0.0 and largest > HUGE * part.median_death:
        doubts.append(
            f"{name} has a death of size {largest:g}, and half of them are below "
            f"{part.median_death:.4g}. If it stands for infinity, write inf."
        )
    return doubts
