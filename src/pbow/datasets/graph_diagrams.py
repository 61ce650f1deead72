"""Diagrams of graphs of different sizes, brought to one scale."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow._utils.checks import is_finite_number
from pbow.diagrams import LARGEST_COORDINATE, Diagrams, check_diagrams
from pbow.errors import ParameterError

__all__ = ["normalize_graph_diagrams"]

Floats = NDArray[np.float64]

# What is smaller is no scale: births of essential points may lie far above it.
SMALLEST_SCALE = 1e-100


def normalize_graph_diagrams(X: Any, *, min_persistence: float = 0.01) -> Diagrams:
    """Move and scale each sample to births from 0 and finite deaths up to 1.

    For each sample the smallest birth is subtracted, and all is divided by the largest
    finite death less the smallest birth: a vertex's degree says how it compares within
    its own graph. Then points of little persistence are left out. Essential points
    are moved and scaled alike and stay, so that the vectorizer's `essential` decides
    what becomes of them.

    Parameters
    ----------
    X : Diagrams or list of array-like of shape (n_points_i, 2)
        Diagrams, as of :func:`pbow.homology.graph_sublevel`. Parts of one sample share
        its scale.
    min_persistence : float, default=0.01
        Finite points live longer than this share of the sample's scale.

    Returns
    -------
    X : Diagrams
        The same samples and parts. A sample without a finite death is only moved.

    Raises
    ------
    ValueError
        For a bad `min_persistence`, and if the scale of a sample is so small that an
        essential point would be born beyond 1e100.

    See Also
    --------
    pbow.preprocessing.Rescale : One scale for all samples, learnt in training.
    load_dataset : ``"reddit-5k"`` and other graphs are made so.

    References
    ----------
    Hofer, Kwitt, Niethammer, Uhl. Deep Learning with Topological Signatures. NeurIPS
    2017. Section 5, and the program of its authors.

    Examples
    --------
    >>> import numpy as np
    >>> from pbow.datasets import normalize_graph_diagrams
    >>> X = normalize_graph_diagrams([[[1, 3], [2, 11], [5, 5.05], [1, np.inf]]])
    >>> X[0]
    array([[0. , 0.2],
           [0.1, 1. ],
           [0. , inf]])
    """
    X = check_diagrams(X)
    if not is_finite_number(min_persistence) or min_persistence < 0:
        raise ParameterError("min_persistence", "a number >= 0", min_persistence)
    lowest = np.full(len(X), np.inf)
    highest = np.full(len(X), -np.inf)
    for part in X.parts:
        owner = _owners(X[part])
        births, deaths = X[part].points.T
        np.minimum.at(lowest, owner, births)
        finite = np.isfinite(deaths)
        np.maximum.at(highest, owner[finite], deaths[finite])
    with np.errstate(invalid="ignore"):  # a sample without points: inf - inf
        scale = highest - lowest
    scale[~(np.isfinite(scale) & (scale > SMALLEST_SCALE))] = 1.0
    return Diagrams.from_parts(
        {part: _moved(X[part], lowest, scale, min_persistence) for part in X.parts}
    )


def _owners(X: Diagrams) -> NDArray[np.int64]:
    """Return the sample of each point."""
    return np.repeat(np.arange(len(X)), X.sizes)


def _moved(
    X: Diagrams, lowest: Floats, scale: Floats, min_persistence: float
) -> Diagrams:
    owner = _owners(X)
    births, deaths = X.points.T
    with np.errstate(over="ignore"):  # nothing lives longer than an infinite threshold
        shortest = min_persistence * scale[owner]
    # Before the division, which rounds: points of whole numbers that live equally long
    # are treated alike.
    keep = np.isinf(deaths) | (deaths - births > shortest)
    owner = owner[keep]
    points = (X.points[keep] - lowest[owner, None]) / scale[owner, None]
    too_far = points[:, 0] > LARGEST_COORDINATE
    if too_far.any():
        row = int(np.argmax(too_far))
        sample = owner[row]
        msg = (
            f"Sample {sample} has an essential point that would be born at "
            f"{points[row, 0]:g}: its births start at {lowest[sample]:g}, and it is "
            f"divided by {scale[sample]:g}. Expected at most {LARGEST_COORDINATE:g}; "
            "leave such points out."
        )
        raise ValueError(msg)
    kept_before = np.concatenate(([0], np.cumsum(keep)))
    return Diagrams(points, kept_before[X.offsets])
