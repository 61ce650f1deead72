"""Diagrams from the Python objects of other programs, and back.

Nothing is guessed: each function knows one program, and takes a list of its results,
one per sample. The programs themselves are not needed. gudhi has a file of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow.diagrams import Diagrams, check_diagrams
from pbow.io.dimensions import Dims, dimensions_of, from_dimensions
from pbow.io.results import (
    as_dimension,
    as_floats,
    check_results,
    from_column,
    from_list_by_dimension,
)

__all__ = [
    "from_cripser",
    "from_dionysus",
    "from_giotto",
    "from_ripser",
    "from_torch_topological",
    "to_giotto",
    "to_list",
]

Floats = NDArray[np.float64]

# The largest double, with which cripser writes infinity, and what text has left of it.
CRIPSER_INFINITY = 1.797e308


def from_ripser(results: Iterable[Any], *, dims: Dims = None) -> Diagrams:
    """Convert results of ripser, or of giotto-ph's ``ripser_parallel`` to diagrams.

    Parameters
    ----------
    results : iterable of dict or of list of array-like
        What ``ripser`` returns for each sample, or its ``"dgms"`` alone: one array for
        each dimension from 0.
    dims : int or iterable of int, optional
        Take these dimensions, in this order. By default, all that any sample has.

    Returns
    -------
    X : Diagrams
        Parts ``"H0"``, ``"H1"``, …

    Raises
    ------
    ValueError
        If the results are not of this form; one that is not in a list, too.

    Examples
    --------
    >>> from pbow.io import from_ripser
    >>> from_ripser([{"dgms": [[[0.0, 1.0], [0.0, float("inf")]], []]}])
    Diagrams(n_samples=1, H0: 2 points (1 essential), H1: 0 points)
    """
    samples = check_results(results, "ripser(cloud)", "from_ripser")
    lists = []
    for i, sample in enumerate(samples):
        if isinstance(sample, Mapping) and "dgms" not in sample:
            msg = f"Result {i} is a dict without 'dgms', which ripser's have."
            raise ValueError(msg)
        diagrams = sample["dgms"] if isinstance(sample, Mapping) else sample
        lists.append(from_list_by_dimension(diagrams, i, "ripser(cloud)"))
    return from_dimensions(lists, dims)


def from_giotto(results: Any, *, dims: Dims = None) -> Diagrams:
    """Convert an array of giotto-tda to diagrams.

    Points with birth equal to death are left out: giotto-tda fills up shorter diagrams
    with these, which cannot be distinguished from data.

    Parameters
    ----------
    results : array-like of shape (n_samples, n_points, 3)
        Birth, death and dimension.
    dims : int or iterable of int, optional
        Take these dimensions, in this order. By default, all that the array has.

    Returns
    -------
    X : Diagrams
        Parts ``"H0"``, ``"H1"``, …

    Raises
    ------
    ValueError
        If the array has another shape; that of one sample, too.

    See Also
    --------
    to_giotto : The inverse.

    Examples
    --------
    >>> import numpy as np
    >>> from pbow.io import from_giotto
    >>> padded = np.array([[[0.0, 1.0, 0], [0.5, 0.8, 1]], [[0.0, 2.0, 0], [0, 0, 1]]])
    >>> from_giotto(padded)
    Diagrams(n_samples=2, H0: 2 points, H1: 1 point)
    """
    samples = []
    for i, rows in enumerate(_check_triples(results, "The array of giotto-tda")):
        diagrams = from_column(rows[:, 2], rows[:, :2], i)
        # Dimensions were found before, as padding names those without points.
        samples.append({d: p[p[:, 0] != p[:, 1]] for d, p in diagrams.items()})
    return from_dimensions(samples, dims)


def from_dionysus(results: Iterable[Any], *, dims: Dims = None) -> Diagrams:
    """Convert results of Dionysus 2 to diagrams.

    Parameters
    ----------
    results : iterable of list of dionysus.Diagram
        What ``init_diagrams`` returns for each sample: one diagram for each dimension
        from 0, whose points have ``birth`` and ``death``.
    dims : int or iterable of int, optional
        Take these dimensions, in this order. By default, all that any sample has.

    Returns
    -------
    X : Diagrams
        Parts ``"H0"``, ``"H1"``, …

    Raises
    ------
    ValueError
        If the results are not of this form; one that is not in a list, too.

    Examples
    --------
    >>> from types import SimpleNamespace as Point
    >>> from pbow.io import from_dionysus
    >>> components = [Point(birth=0.0, death=1.0), Point(birth=0.0, death=float("inf"))]
    >>> from_dionysus([[components, []]])
    Diagrams(n_samples=1, H0: 2 points (1 essential), H1: 0 points)
    """
    samples = check_results(results, "init_diagrams(...)")
    lists = []
    for i, sample in enumerate(samples):
        try:
            lists.append(
                {
                    dim: as_floats(
                        [(p.birth, p.death) for p in diagram], f"Result {i}"
                    ).reshape(-1, 2)
                    for dim, diagram in enumerate(sample)
                }
            )
        except (AttributeError, TypeError) as error:
            msg = (
                f"Result {i} is not a list of Dionysus' diagrams, one for each "
                f"dimension: {error}. Wrap one result in a list: [init_diagrams(...)]."
            )
            raise ValueError(msg) from error
    return from_dimensions(lists, dims)


def from_torch_topological(results: Any, *, dims: Dims = None) -> Diagrams:
    """Convert results of torch-topological to diagrams.

    Parameters
    ----------
    results : iterable of list of PersistenceInformation, or tensor
        One list per sample, of objects with ``diagram`` and ``dimension``; or the
        tensor of shape (n_samples, n_points, 3) that ``make_tensor`` makes of these,
        with birth, death and dimension. Its padding, rows of NaN, is left out.
    dims : int or iterable of int, optional
        Take these dimensions, in this order. By default, all that any sample has.

    Returns
    -------
    X : Diagrams
        Parts ``"H0"``, ``"H1"``, …

    Raises
    ------
    ValueError
        If the results are not of this form; one that is not in a list, too. Of images
        with several channels take one first, or the channels as samples.

    Examples
    --------
    >>> from types import SimpleNamespace as Information
    >>> from pbow.io import from_torch_topological
    >>> loops = Information(diagram=[[0.5, 0.75]], dimension=1)
    >>> from_torch_topological([[loops], []])
    Diagrams(n_samples=2, H1: 1 point)
    """
    if hasattr(results, "ndim"):
        tensor = _check_triples(results, "The tensor")
        filled = [rows[~np.isnan(rows).all(axis=1)] for rows in tensor]
        columns = [from_column(r[:, 2], r[:, :2], i) for i, r in enumerate(filled)]
        return from_dimensions(columns, dims)
    samples = check_results(results, "complex(x)")
    lists: list[dict[int, Floats]] = []
    for i, sample in enumerate(samples):
        # The objects are tuples themselves.
        if hasattr(sample, "diagram") or not isinstance(sample, (list, tuple)):
            msg = (
                f"Result {i} is {type(sample).__name__}; expected a list of "
                "PersistenceInformation. Wrap that of one sample in a list."
            )
            raise ValueError(msg)
        diagrams: dict[int, Floats] = {}
        for one in sample:
            if not hasattr(one, "diagram"):
                msg = (
                    f"Result {i} has {type(one).__name__} among its diagrams; expected "
                    "PersistenceInformation. Take one of several channels."
                )
                raise ValueError(msg)
            dim = as_dimension(one.dimension, i)
            if dim in diagrams:
                msg = f"Result {i} has several diagrams of dimension {dim}."
                raise ValueError(msg)
            diagrams[dim] = as_floats(one.diagram, f"A diagram of result {i}")
        lists.append(diagrams)
    return from_dimensions(lists, dims)


def from_cripser(results: Iterable[Any], *, dims: Dims = None) -> Diagrams:
    """Convert arrays of cripser (Cubical Ripser) to diagrams.

    Parameters
    ----------
    results : iterable of array-like of shape (n_points_i, n_columns)
        What ``computePH`` or ``compute_ph`` returns for each sample: dimension, birth,
        death and, of no interest here, places. Deaths of 1.797e308 mean infinity.
    dims : int or iterable of int, optional
        Take these dimensions, in this order. By default, all that any sample has.

    Returns
    -------
    X : Diagrams
        Parts ``"H0"``, ``"H1"``, …

    Raises
    ------
    ValueError
        If the results are not of this form; one that is not in a list, too.

    Examples
    --------
    >>> from pbow.io import from_cripser
    >>> from_cripser([[[0, 0.0, 1.7976931348623157e308], [1, 0.25, 0.5]]])
    Diagrams(n_samples=1, H0: 1 point (1 essential), H1: 1 point)
    """
    samples = check_results(results, "cripser.compute_ph(image)")
    lists = []
    for i, sample in enumerate(samples):
        rows = as_floats(sample, f"Result {i}")
        if rows.size == 0:
            rows = np.empty((0, 3))
        if rows.ndim != 2 or rows.shape[1] < 3:
            msg = (
                f"Result {i} has shape {rows.shape}; expected an array of cripser with "
                "columns dimension, birth, death, ... Wrap one result in a list."
            )
            raise ValueError(msg)
        deaths = np.where(rows[:, 2] >= CRIPSER_INFINITY, np.inf, rows[:, 2])
        lists.append(from_column(rows[:, 0], np.column_stack((rows[:, 1], deaths)), i))
    return from_dimensions(lists, dims)


def to_giotto(X: Any) -> Floats:
    """Return diagrams as an array of giotto-tda.

    Shorter diagrams are filled up with points that die at their birth, the smallest of
    their part. Points of `X` that do so cannot be distinguished from these.

    Parameters
    ----------
    X : Diagrams or list of array-like of shape (n_points_i, 2)
        Parts are named ``"H0"``, ``"H1"``, …

    Returns
    -------
    array : ndarray of shape (n_samples, n_points, 3)
        Birth, death and dimension, by dimension. Essential points have death ``inf``,
        which some transformers of giotto-tda do not take: see
        :meth:`pbow.Diagrams.finite`.

    Raises
    ------
    ValueError
        If parts have other names.

    See Also
    --------
    from_giotto : The inverse.

    Examples
    --------
    >>> from pbow.io import to_giotto
    >>> to_giotto({"H1": [[[0.25, 0.5], [0.5, 1.0]], []]}).tolist()
    [[[0.25, 0.5, 1.0], [0.5, 1.0, 1.0]], [[0.25, 0.25, 1.0], [0.25, 0.25, 1.0]]]
    """
    X = check_diagrams(X)
    dims = dimensions_of(X, "giotto-tda")
    blocks = []
    for name in sorted(dims, key=dims.__getitem__):
        points, sizes = X[name].points, X[name].sizes
        # A part without any point has a row of padding, too, which names it.
        width = max(1, int(sizes.max(initial=0)))
        block = np.full((len(X), width, 3), points[:, 0].min(initial=np.inf))
        if len(points) == 0:
            block[:] = 0.0
        block[:, :, 2] = dims[name]
        block[np.arange(width) < sizes[:, None], :2] = points
        blocks.append(block)
    return np.concatenate(blocks, axis=1)


def to_list(X: Any) -> list[Any]:
    """Return diagrams as plain arrays that may be changed.

    Parameters
    ----------
    X : Diagrams
        Any collection.

    Returns
    -------
    samples : list of ndarray of shape (n_points_i, 2), or of dict of such
        Birth and death; a dict by part where there are several.

    Examples
    --------
    >>> from pbow import Diagrams
    >>> from pbow.io import to_list
    >>> to_list(Diagrams.from_list([[[0.25, 0.5]]]))
    [array([[0.25, 0.5 ]])]
    """
    return [
        {name: points.copy() for name, points in sample.items()}
        if isinstance(sample, dict)
        else sample.copy()
        for sample in check_diagrams(X)
    ]


def _check_triples(values: Any, what: str) -> Floats:
    """Return an array of birth, death and dimension by sample."""
    array = as_floats(values, what)
    if array.ndim != 3 or array.shape[2] != 3:
        msg = (
            f"{what} must have the shape (n_samples, n_points, 3); got {array.shape}. "
            "Wrap one sample: array[None]; of several channels take one."
        )
        raise ValueError(msg)
    return array
