"""One rule for essential points, for every vectorizer and kernel."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from pbow._utils.checks import is_finite_number
from pbow._utils.constraints import Constraint
from pbow._utils.warn import warn_user
from pbow.diagrams import LARGEST_COORDINATE, Diagrams
from pbow.errors import DiagramError

__all__ = [
    "ESSENTIAL",
    "ESSENTIAL_SUFFIX",
    "births_of",
    "check_births",
    "check_points",
    "check_suffix",
    "count_dropped",
    "finite_parts",
    "parts_with_points",
]

ESSENTIAL_SUFFIX = "_inf"

# The constraint of the parameter `essential`.
ESSENTIAL = Constraint(
    lambda value: (
        value in ("drop", "separate")
        if isinstance(value, str)
        else is_finite_number(value) and abs(float(value)) <= LARGEST_COORDINATE
    ),
    "'drop', 'separate' or a finite number",
)


def check_suffix(essential: str | float | None, parts: tuple[str, ...]) -> None:
    """Raise if ``essential="separate"`` would make a part that is there already."""
    taken = {name.lower() for name in parts}
    for name in parts:
        if essential == "separate" and f"{name}{ESSENTIAL_SUFFIX}".lower() in taken:
            msg = (
                f"essential='separate' makes a part {name}{ESSENTIAL_SUFFIX}, and "
                "there is one already. Rename it."
            )
            raise ValueError(msg)


def finite_parts(
    X: Diagrams, essential: str | float, ends: Mapping[str, float] | None = None
) -> dict[str, Diagrams]:
    """Return each part with finite points only, by what `essential` says.

    A float is the death of essential points. With "separate", each part is followed by
    its ``<part>_inf``, whose points die at `ends` of the part, or at their birth if
    that is later; without `ends` all are births and nothing else, (b, b).
    """
    parts = {}
    for name in X.parts:
        part = X[name]
        if essential == "drop":
            parts[name] = part.finite()
        elif essential == "separate":
            parts[name] = part.finite()
            end = -np.inf if ends is None else ends[name]
            parts[name + ESSENTIAL_SUFFIX] = births_of(part.essential(), name, end)
        else:
            parts[name] = _with_death(part, float(essential), name)
    return parts


def parts_with_points(
    parts: Mapping[str, Diagrams], X: Diagrams, essential: str | float
) -> dict[str, Diagrams]:
    """Return the finite parts of training diagrams X that have a point.

    Raises where there is none at all, and warns of each part of X that has none.
    """
    n_points = {name: len(part.points) for name, part in parts.items()}
    check_points(n_points, count_dropped(X, essential), len(X))
    return {name: part for name, part in parts.items() if len(part.points)}


def check_points(
    n_points: Mapping[str, int], n_dropped: Mapping[str, int], n_samples: int
) -> None:
    """Raise if training diagrams have no point, and warn of parts that have none.

    `n_points` counts those of finite parts, `n_dropped` the essential points of each
    part that were left out.
    """
    if not any(n_points.values()):
        msg = (
            f"All {n_samples} diagrams are empty{_dropped(sum(n_dropped.values()))}: "
            "there is nothing to learn from."
        )
        raise ValueError(msg)
    for name, n in n_dropped.items():
        if not n_points[name]:
            births = name + ESSENTIAL_SUFFIX
            found = "it adds no features"
            if n_points.get(births):
                found = f"only its essential points add features, as {births}"
            msg = (
                f"Part {name or '(unnamed)'} has no finite point in {n_samples} "
                f"training diagrams{_dropped(n)}; {found}."
            )
            warn_user(msg, topic=f"part {name} has no finite point")


def count_dropped(X: Diagrams, essential: str | float) -> dict[str, int]:
    """Count the essential points of each part that `essential` leaves out."""
    return {
        name: len(X[name].essential().points)
        if essential == "drop" and X[name].has_essential
        else 0
        for name in X.parts
    }


def check_births(part: Diagrams, death: float, name: str) -> None:
    """Raise if an essential point is born after `death`."""
    births, deaths = part.points.T
    late = np.flatnonzero(np.isposinf(deaths) & (births > death))
    if late.size:
        diagram = int(np.searchsorted(part.offsets, late[0], side="right")) - 1
        msg = (
            f"has an essential point born at {births[late[0]]:g}, after "
            f"essential={death:g}. Pass a number above every birth."
        )
        raise DiagramError(diagram, name, msg)


def births_of(part: Diagrams, name: str, end: float = -np.inf) -> Diagrams:
    """Give essential points the death `end`, or their birth if that is later."""
    births = part.points[:, 0]
    points: ArrayLike = np.column_stack((births, np.maximum(births, end)))
    return Diagrams(points, part.offsets, name=name + ESSENTIAL_SUFFIX)


def _with_death(part: Diagrams, death: float, name: str) -> Diagrams:
    """Give essential points the death `death`."""
    if not part.has_essential:
        return part
    check_births(part, death, name)
    births, deaths = part.points.T
    points = np.column_stack((births, np.where(np.isposinf(deaths), death, deaths)))
    return Diagrams(points, part.offsets, name=name)


def _dropped(n_points: int) -> str:
    """Say how many points were dropped, if any."""
    if not n_points:
        return ""
    return (
        f" but for {n_points} essential points, which essential='drop' leaves out "
        "(essential='separate' keeps them)"
    )
