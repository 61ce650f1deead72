"""The one container for persistence diagrams.

A part (say ``"H1"``) of a collection is stored like a CSR matrix: every point of every
diagram in one array, and the row at which each diagram starts. Reading one diagram is a
view, a contiguous range of diagrams too, any other subset copies its points once, and a
compiled loop walks the whole collection without touching Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pbow._conversion import (
    as_diagram,
    as_floats,
    as_samples,
    by_part,
    columns_of,
    describe,
    is_diagram,
    is_table,
    listed,
    refuse_results,
)
from pbow._utils.html import html_table
from pbow.errors import DiagramError, of_part, shown

__all__ = ["Diagrams", "check_diagrams"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Squares and products of squares of coordinates must stay finite; and the largest
# double, which some programs write for infinity, must not pass for a number.
LARGEST_COORDINATE = 1e100

CHECKED_AT_ONCE = 1 << 20  # points

# The name of a part that was given none.
UNNAMED = ""


class _Part(NamedTuple):
    """Points (birth, death) of all samples, and where each sample starts.

    If `may_have_essential` is False, no point is essential and nobody need look again.
    """

    points: Floats
    offsets: Ints
    may_have_essential: bool
    locations: Ints | None = None


class Diagrams:
    """An immutable, ordered collection of samples, each with its persistence diagrams.

    A collection has one or more named *parts*, for example ``"H0"`` and ``"H1"``; every
    sample has one diagram, possibly empty, in every part. Births are finite, deaths are
    not smaller than births, and a death of ``inf`` marks an essential class.

    Parameters
    ----------
    points : array-like of shape (n_points, 2)
        Birth and death of every point, diagram after diagram. A C-contiguous float64
        array is used as it is, without a copy; do not change it afterwards.
    offsets : array-like of int of shape (n_samples + 1,)
        Diagram ``i`` is ``points[offsets[i]:offsets[i + 1]]``. They are copied: loops
        trust them.
    name : str, optional
        Name of the only part, as in ``"H1"``. By default it has none: its name is
        ``""``. :meth:`from_parts` makes collections of several parts.
    locations : array-like of int of shape (n_points, 2, k), optional
        Where in the raw data each point is born, ``locations[:, 0]``, and dies,
        ``locations[:, 1]``: the vertices of a simplex, or a pixel, followed by -1 where
        there are fewer than k. A birth has at least one; all are -1 for the death of an
        essential point. A
        C-contiguous int64 array is used without a copy.

    Attributes
    ----------
    parts : tuple of str
        Names of the parts; ``("",)`` for a collection without names.
    points, offsets, sizes : ndarray
        Of a collection with one part; select one with ``X["H1"]`` otherwise.
    locations : ndarray or None
        Likewise; None if it is not known where points are born and die.

    See Also
    --------
    Diagrams.from_list : Build a collection from a list of arrays.
    Diagrams.from_parts : Build a collection of several parts.

    Notes
    -----
    ``X[3]`` is one sample: its array of shape (k, 2), or a dict of such arrays where
    there are several parts. ``X[2:5]``, ``X[[4, 0]]`` and ``X[mask]`` are collections,
    so that cross-validation works as on an array. ``X["H1"]`` and ``X[["H0", "H1"]]``
    select parts. ``X == Y`` is one bool; it compares parts and points, not locations.
    Arrays are read-only.

    Functions of :mod:`pbow.homology` set locations with ``return_locations=True``.
    Subsets, selected points and files of pbow's own keep them; estimators ignore them.

    A list of arrays does not say which homology dimension it is of, so its part has no
    name. Estimators take a part without a name for the only one they know, and the
    other way round.

    Examples
    --------
    >>> import numpy as np
    >>> from pbow import Diagrams
    >>> X = Diagrams.from_list([[[0.0, 1.0], [0.2, 0.9]], [], [[0.1, 0.4]]])
    >>> X
    Diagrams(n_samples=3, 3 points)
    >>> X[0]
    array([[0. , 1. ],
           [0.2, 0.9]])
    >>> Y = Diagrams.from_parts({"H0": [[[0, np.inf]], []], "H1": [[], [[1, 2]]]})
    >>> Y
    Diagrams(n_samples=2, H0: 1 point (1 essential), H1: 1 point)
    >>> Y["H1"][1]
    array([[1., 2.]])

    The first point is born at vertex 4 and dies at vertex 7; the other is essential.

    >>> Z = Diagrams([[0, 1], [2, np.inf]], [0, 2], locations=[[[4], [7]], [[5], [-1]]])
    >>> Z
    Diagrams(n_samples=1, 2 points (1 essential, located))
    >>> Z.locations_of(0)[:, 0, 0]
    array([4, 5])
    """

    __slots__ = ("_n_samples", "_parts")

    _parts: dict[str, _Part]
    _n_samples: int

    def __init__(
        self,
        points: ArrayLike,
        offsets: ArrayLike,
        *,
        name: str | None = None,
        locations: ArrayLike | None = None,
    ) -> None:
        name = _check_name(name)
        part = _check_part(points, offsets, name)
        if locations is not None:
            part = part._replace(locations=_check_locations(locations, part, name))
        self._parts = {name: part}
        self._n_samples = len(part.offsets) - 1

    @classmethod
    def from_list(cls, diagrams: Iterable[Any], *, name: str | None = None) -> Diagrams:
        """Build a collection from one diagram per sample.

        Parameters
        ----------
        diagrams : iterable of array-like of shape (n_points_i, 2)
            Birth and death of the points of each diagram; an empty one is ``[]``. A
            list, a tuple, an object array or a pandas Series will do. Samples that are
            dicts ``{part: array}`` give a collection of several parts. Diagrams are
            taken as they are, with their locations, but for the name.
        name : str, optional
            Name of the part, as in ``"H1"``. By default it has none.

        Returns
        -------
        X : Diagrams

        Examples
        --------
        >>> from pbow import Diagrams
        >>> Diagrams.from_list([[[0.0, 1.0]], []], name="H0")
        Diagrams(n_samples=2, H0: 1 point)
        """
        name = _check_name(name)
        if isinstance(diagrams, Diagrams):
            several = len(diagrams.parts) > 1
            parts = diagrams._parts if several else {name: diagrams._only_part()}
            return cls._trusted(parts)
        samples = as_samples(diagrams)
        if samples and isinstance(samples[0], Mapping):
            return cls.from_parts(by_part(samples))
        part = of_part(name)
        blocks = [
            d if is_diagram(d) else as_diagram(d, f"Diagram {i}{part}")
            for i, d in enumerate(samples)
        ]
        sizes = np.fromiter((len(b) for b in blocks), dtype=np.int64, count=len(blocks))
        points = np.concatenate(blocks) if blocks else np.empty((0, 2))
        points.flags.writeable = False
        return cls(points, _offsets(sizes), name=name)

    @classmethod
    def from_parts(cls, parts: Any) -> Diagrams:
        """Build a collection of several named parts, each with every sample.

        Parameters
        ----------
        parts : mapping of str to Diagrams or iterable of array-like, or DataFrame
            A list of diagrams, or a one-part collection, by name; or a pandas DataFrame
            with one column per part, one row per sample and one diagram per cell, whose
            index is ignored. All have the same number of samples; names differ by more
            than their case.

        Returns
        -------
        X : Diagrams

        Examples
        --------
        >>> from pbow import Diagrams
        >>> X = Diagrams.from_parts({"H0": [[[0, 1]], [[0, 2]]], "H1": [[], [[1, 3]]]})
        >>> X.parts
        ('H0', 'H1')
        """
        if is_table(parts):
            parts = columns_of(parts)
        refuse_results(parts)
        if not isinstance(parts, Mapping) or not parts:
            msg = (
                "Expected a dict with at least one part, for example "
                f"{{'H1': [...]}}; got {describe(parts)}."
            )
            raise ValueError(msg)
        named: dict[str, _Part] = {}
        for key, diagrams in parts.items():
            name = _check_name(key)
            one = (
                diagrams
                if isinstance(diagrams, Diagrams)
                else cls.from_list(diagrams, name=name)
            )
            named[name] = one._only_part()
        _check_names(named)
        counts = {name: len(part.offsets) - 1 for name, part in named.items()}
        if len(set(counts.values())) > 1:
            listed = ", ".join(f"{name} has {n}" for name, n in counts.items())
            msg = (
                f"Parts must have the same number of samples; {listed}. "
                "Write an empty diagram, [], for a sample without points."
            )
            raise ValueError(msg)
        return cls._trusted(named)

    @classmethod
    def concatenate(cls, collections: Iterable[Diagrams]) -> Diagrams:
        """Put the samples of several collections after one another.

        Parameters
        ----------
        collections : iterable of Diagrams
            At least one; all with the same parts, in any order.

        Returns
        -------
        X : Diagrams
            With the parts in the order of the first collection. A part has locations if
            it has them in all collections.

        Examples
        --------
        >>> from pbow import Diagrams
        >>> X = Diagrams.from_list([[[0, 1]], []])
        >>> len(Diagrams.concatenate([X, X[:1]]))
        3
        """
        blocks = list(collections)
        if not blocks:
            msg = "Expected at least one collection to concatenate, got none."
            raise ValueError(msg)
        for i, block in enumerate(blocks):
            if not isinstance(block, Diagrams):
                msg = f"Collection {i} is {describe(block)}; expected Diagrams."
                raise TypeError(msg)
            if set(block.parts) != set(blocks[0].parts):
                msg = (
                    f"Collection {i} has parts {listed(block.parts)}, the first one "
                    f"has {listed(blocks[0].parts)}. Select common parts first, as in "
                    "X[['H0', 'H1']]."
                )
                raise ValueError(msg)
        if len(blocks) == 1:
            return blocks[0]
        return cls._trusted(
            {
                name: _Part(
                    np.concatenate([block._parts[name].points for block in blocks]),
                    _offsets(np.concatenate([block[name].sizes for block in blocks])),
                    any(block._parts[name].may_have_essential for block in blocks),
                    _joined([block._parts[name].locations for block in blocks]),
                )
                for name in blocks[0].parts
            }
        )

    @classmethod
    def _trusted(cls, parts: dict[str, _Part]) -> Diagrams:
        """Wrap parts that are known to be valid, and nobody else's."""
        X = object.__new__(cls)
        X._parts = {
            name: _Part(
                _sealed(part.points),
                _sealed(part.offsets),
                part.may_have_essential,
                None if part.locations is None else _sealed(part.locations),
            )
            for name, part in parts.items()
        }
        X._n_samples = len(next(iter(parts.values())).offsets) - 1
        return X

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of the parts."""
        return tuple(self._parts)

    @property
    def points(self) -> Floats:
        """Birth and death of every point of the only part."""
        return self._only_part().points

    @property
    def offsets(self) -> Ints:
        """Where each diagram of the only part starts in `points`."""
        return self._only_part().offsets

    @property
    def sizes(self) -> Ints:
        """Number of points of each diagram of the only part."""
        sizes: Ints = np.diff(self.offsets)
        return sizes

    @property
    def locations(self) -> Ints | None:
        """Where every point of the only part is born and dies in the raw data."""
        return self._only_part().locations

    def locations_of(self, sample: int) -> Ints | None:
        """Return where the points of one sample are born and die in the raw data.

        Parameters
        ----------
        sample : int
            Its place in the collection, which has one part; -1 is the last.

        Returns
        -------
        locations : ndarray of int of shape (n_points, 2, k) or None
            Births, ``locations[:, 0]``, and deaths, ``locations[:, 1]``, of the points
            of ``X[sample]``: indices of the vertices or of the pixel, padded with -1.
            None if the part has no locations.

        Examples
        --------
        >>> import numpy as np
        >>> from pbow import Diagrams
        >>> where = [[[8], [4]], [[0], [-1]]]
        >>> X = Diagrams([[1, 2], [0, np.inf]], [0, 2], locations=where)
        >>> X.locations_of(0)[0].tolist()  # born at vertex 8, dead at vertex 4
        [[8], [4]]
        """
        part = self._only_part()
        try:
            row = range(len(self))[sample]
        except (IndexError, TypeError) as error:
            msg = f"Expected one of {len(self)} samples, got {shown(sample)}."
            raise IndexError(msg) from error
        if part.locations is None:
            return None
        return part.locations[part.offsets[row] : part.offsets[row + 1]]

    @property
    def shape(self) -> tuple[int]:
        """(n_samples,): scikit-learn indexes what has a shape, and lists the rest."""
        return (self._n_samples,)

    @property
    def has_essential(self) -> bool:
        """Whether any part has an essential point."""
        return any(
            part.may_have_essential and bool(np.isposinf(part.points[:, 1]).any())
            for part in self._parts.values()
        )

    def finite(self) -> Diagrams:
        """Return the same samples without their essential points."""
        return self._keep(essential=False)

    def essential(self) -> Diagrams:
        """Return the same samples with their essential points only."""
        return self._keep(essential=True)

    def _keep(self, *, essential: bool) -> Diagrams:
        kept = {}
        for name, part in self._parts.items():
            if not part.may_have_essential:
                no_offsets = np.zeros_like(part.offsets)
                nothing = part._replace(
                    points=part.points[:0],
                    offsets=no_offsets,
                    locations=_rows(part.locations, slice(0)),
                )
                kept[name] = nothing if essential else part
                continue
            keep = np.isposinf(part.points[:, 1]) == essential
            kept_before = np.concatenate(([0], np.cumsum(keep)), dtype=np.int64)
            kept[name] = _Part(
                part.points[keep],
                kept_before[part.offsets],
                essential,
                _rows(part.locations, keep),
            )
        return Diagrams._trusted(kept)

    def _only_part(self) -> _Part:
        if len(self._parts) > 1:
            msg = (
                f"This collection has parts {listed(self.parts)}. "
                f"Select one first, as in X[{self.parts[0]!r}]."
            )
            raise ValueError(msg)
        return next(iter(self._parts.values()))

    def __len__(self) -> int:
        return self._n_samples

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key: Any) -> Any:
        # scikit-learn subsets with X[rows, ...].
        if isinstance(key, tuple) and len(key) == 2 and key[1] is Ellipsis:
            key = key[0]
        if isinstance(key, str):
            return self._select([key])
        if isinstance(key, (list, tuple)) and key and isinstance(key[0], str):
            return self._select(key)
        try:
            if isinstance(key, slice) and (key.step is None or key.step == 1):
                return self._range(*key.indices(len(self))[:2])
            rows = np.arange(len(self))[key]
        except (IndexError, TypeError, ValueError, OverflowError) as error:
            msg = f"Cannot index {len(self)} samples with {shown(key)}: {error}."
            raise IndexError(msg) from error
        if rows.ndim > 1:
            msg = f"Expected one-dimensional rows, got an index of shape {rows.shape}."
            raise IndexError(msg)
        return self._sample(int(rows)) if rows.ndim == 0 else self._subset(rows)

    def _select(self, names: Sequence[str]) -> Diagrams:
        for name in names:
            if name not in self._parts:
                there = listed(self.parts)
                if self.parts == (UNNAMED,):
                    there = f"one without a name: Diagrams.from_list(X, name={name!r})"
                msg = f"There is no part {name!r}; there is {there}."
                raise KeyError(msg)
        if len(set(names)) < len(names):
            msg = f"Every part can be selected once; got {listed(names)}."
            raise ValueError(msg)
        return Diagrams._trusted({name: self._parts[name] for name in names})

    def _sample(self, row: int) -> Any:
        arrays = {
            name: part.points[part.offsets[row] : part.offsets[row + 1]]
            for name, part in self._parts.items()
        }
        return arrays if len(arrays) > 1 else next(iter(arrays.values()))

    def _range(self, start: int, stop: int) -> Diagrams:
        """Return samples start to stop: points are shared, only offsets are new."""
        stop = max(start, stop)
        ranges = {}
        for name, (points, offsets, may, locations) in self._parts.items():
            first, last = offsets[start], offsets[stop]
            ranges[name] = _Part(
                points[first:last],
                offsets[start : stop + 1] - first,
                may,
                _rows(locations, slice(first, last)),
            )
        return Diagrams._trusted(ranges)

    def _subset(self, rows: Ints) -> Diagrams:
        subset = {}
        for name, part in self._parts.items():
            sizes = np.diff(part.offsets)[rows]
            offsets = _offsets(sizes)
            # Every point of row r moves by the same number of places.
            shift = np.repeat(part.offsets[rows] - offsets[:-1], sizes)
            points = np.arange(offsets[-1]) + shift
            subset[name] = _Part(
                part.points[points],
                offsets,
                part.may_have_essential,
                _rows(part.locations, points),
            )
        return Diagrams._trusted(subset)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Diagrams):
            return NotImplemented
        return self.parts == other.parts and all(
            np.array_equal(mine, theirs)
            for name in self.parts
            for mine, theirs in zip(
                self._parts[name][:2], other._parts[name][:2], strict=True
            )
        )

    # Like an array: equality looks at every point, so a hash would have to as well.
    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return Diagrams._trusted, (self._parts,)

    def __repr__(self) -> str:
        counts = ", ".join(
            (f"{name}: " if name else "")
            + _count(row["points"], "point")
            + (f" ({', '.join(notes)})" if notes else "")
            for name, row in self._summary().items()
            for notes in [self._notes(name, row["essential"])]
        )
        return f"Diagrams(n_samples={len(self)}, {counts})"

    def _notes(self, name: str, n_essential: int) -> list[str]:
        notes = [f"{n_essential} essential"] if n_essential else []
        return notes if self._parts[name].locations is None else [*notes, "located"]

    def _repr_html_(self) -> str:
        heads = (
            "part",
            "points",
            "essential",
            "empty diagrams",
            "points per diagram",
            "births",
            "finite deaths",
        )
        rows = [
            (listed([name]), *row.values()) for name, row in self._summary().items()
        ]
        return html_table(f"Diagrams: {_count(len(self), 'sample')}", heads, rows)

    def _summary(self) -> dict[str, dict[str, Any]]:
        summary = {}
        for name, (points, offsets, *_) in self._parts.items():
            sizes = np.diff(offsets)
            deaths = points[:, 1]
            essential = np.isposinf(deaths)
            summary[name] = {
                "points": len(points),
                "essential": int(essential.sum()),
                "empty": int((sizes == 0).sum()),
                "sizes": _span(sizes),
                "births": _span(points[:, 0]),
                "deaths": _span(deaths[~essential]),
            }
        return summary


def check_diagrams(
    X: Any, *, parts: Sequence[str] | None = None, min_samples: int = 0
) -> Diagrams:
    """Return `X` as :class:`Diagrams`, or say what is wrong with it.

    Parameters
    ----------
    X : Diagrams or iterable of array-like of shape (n_points_i, 2)
        The collection to check. A dict of parts, or a pandas DataFrame with one column
        per part, will do, too.
    parts : sequence of str, optional
        The parts that are wanted, in this order. If one is wanted, a part without a
        name, as that of a list of arrays, is taken for it; and any single part is taken
        for one without a name.
    min_samples : int, default=0
        Refuse smaller collections.

    Returns
    -------
    X : Diagrams
        The same object when nothing had to change.

    Examples
    --------
    >>> from pbow.diagrams import check_diagrams
    >>> check_diagrams([[[0.0, 1.0]], []])
    Diagrams(n_samples=2, 1 point)
    >>> check_diagrams([[[0.0, 1.0]], []], parts=["H1"])
    Diagrams(n_samples=2, H1: 1 point)
    """
    if isinstance(X, Diagrams):
        diagrams = X
    elif isinstance(X, Mapping) or is_table(X):
        diagrams = Diagrams.from_parts(X)
    else:
        name = parts[0] if parts is not None and len(parts) == 1 else None
        diagrams = Diagrams.from_list(X, name=name)
    if len(diagrams) < min_samples:
        msg = (
            f"Found {_count(len(diagrams), 'diagram')} while a minimum of "
            f"{min_samples} is required. Pass a list with at least one diagram."
        )
        raise ValueError(msg)
    if parts is None or diagrams.parts == tuple(parts):
        return diagrams
    if len(parts) == len(diagrams.parts) == 1 and UNNAMED in {*parts, *diagrams.parts}:
        return Diagrams._trusted({_check_name(parts[0]): diagrams._only_part()})
    missing = [name for name in parts if name not in diagrams.parts]
    extra = [name for name in diagrams.parts if name not in parts]
    if missing or extra:
        wrong = [
            f"{listed(names)} {'is' if len(names) == 1 else 'are'} {what}"
            for names, what in ((missing, "missing"), (extra, "unexpected"))
            if names
        ]
        msg = (
            f"Expected parts {listed(parts)}, got {listed(diagrams.parts)}: "
            f"{' and '.join(wrong)}. "
        )
        if UNNAMED in {*missing, *extra}:
            msg += "Name the parts in both: Diagrams.from_parts({'H0': ..., ...})."
        elif missing:
            msg += "Pass the parts that were there in fit."
        else:
            msg += "Select the parts that were there in fit."
        raise ValueError(msg)
    return diagrams._select(parts)


def _check_part(points: ArrayLike, offsets: ArrayLike, name: str) -> _Part:
    flat = np.ascontiguousarray(as_floats(points, f"Part {listed([name])}"))
    starts = _as_array(offsets, f"Offsets{of_part(name)}")
    if flat.ndim != 2 or flat.shape[1] != 2:
        msg = (
            f"Points{of_part(name)} have shape {flat.shape}; "
            "expected (n_points, 2): birth, death."
        )
        raise ValueError(msg)
    if starts.ndim != 1 or len(starts) == 0 or starts.dtype.kind not in "iu":
        msg = (
            f"Offsets{of_part(name)} are {starts.dtype} of shape {starts.shape}; "
            "expected integers of shape (n_samples + 1,)."
        )
        raise ValueError(msg)
    starts = np.array(starts, dtype=np.int64)
    decrease = bool((starts[1:] < starts[:-1]).any())
    if starts[0] != 0 or starts[-1] != len(flat) or decrease:
        msg = (
            f"Offsets{of_part(name)} must grow from 0 to the number of points, "
            f"{len(flat)}; they go from {starts[0]} to {starts[-1]}"
            f"{' and decrease on the way' if decrease else ''}."
        )
        raise ValueError(msg)
    has_essential = _check_points(flat, starts, name)
    # A view: the array itself stays as its owner made it.
    flat = flat.view()
    flat.flags.writeable = False
    return _Part(flat, _sealed(starts), has_essential)


def _check_points(points: Floats, offsets: Ints, name: str) -> bool:
    """Raise unless every point is valid; return whether any is essential."""
    any_essential = False
    # A few at a time: the points may be a file larger than the memory.
    for start in range(0, len(points), CHECKED_AT_ONCE):
        births, deaths = points[start : start + CHECKED_AT_ONCE].T
        # A NaN fails every comparison, so it is caught by these too.
        valid = deaths >= births
        valid &= np.abs(births) <= LARGEST_COORDINATE
        essential = np.isposinf(deaths)
        valid &= (deaths <= LARGEST_COORDINATE) | essential
        if not valid.all():
            _refuse_point(points, start + int(np.argmin(valid)), offsets, name)
        any_essential = any_essential or bool(essential.any())
    return any_essential


def _refuse_point(points: Floats, row: int, offsets: Ints, name: str) -> NoReturn:
    birth, death = points[row].tolist()
    diagram = int(np.searchsorted(offsets, row, side="right")) - 1
    where = "has a point"
    what = f"(birth={birth:g}, death={death:g})"
    if np.isnan(points[row]).any():
        msg = f"{where} that is NaN {what}. Remove it, or its padding, first."
    elif np.isinf(birth):
        msg = (
            f"{where} with an infinite birth {what}. Only a death may be infinite; "
            "for superlevel filtrations negate both coordinates and swap them."
        )
    elif death < birth:
        msg = (
            f"{where} that dies before it is born {what}. For superlevel filtrations "
            "negate both coordinates. Swap columns that are (death, birth), and add up "
            "those that are (birth, persistence). Of point clouds, compute the "
            "diagrams first."
        )
    else:
        msg = (
            f"{where} beyond {LARGEST_COORDINATE:g} {what}. Where this stands for "
            "infinity, write inf; else rescale the diagrams."
        )
    raise DiagramError(diagram, name, msg)


def _check_locations(locations: ArrayLike, part: _Part, name: str) -> Ints:
    """Return locations of the points of a part, or say what is wrong with them."""
    found = _as_array(locations, f"Locations{of_part(name)}")
    n_points = len(part.points)
    if (
        found.ndim != 3
        or found.shape[:2] != (n_points, 2)
        or found.shape[2] == 0
        or found.dtype.kind not in "iu"
    ):
        msg = (
            f"Locations{of_part(name)} are {found.dtype} of shape {found.shape}; "
            f"expected integers of shape ({n_points}, 2, k): for each point the "
            "vertices of its birth and of its death, padded with -1."
        )
        raise ValueError(msg)
    for start in range(0, n_points, CHECKED_AT_ONCE):
        some = found[start : start + CHECKED_AT_ONCE]
        essential = np.isposinf(part.points[start : start + CHECKED_AT_ONCE, 1])
        is_index = some >= 0
        valid = is_index[:, 0, 0] & ~(is_index[:, 1, 0] & essential)
        # By columns: there are few, and numpy would take its time over short rows.
        for end, k in np.ndindex(some.shape[1:]):
            column = some[:, end, k]
            # Unsigned numbers above it would be negative in 64 bits.
            valid &= (column >= -1) & (column <= np.iinfo(np.int64).max)
            if k > 0:
                valid &= is_index[:, end, k - 1] | (column < 0)
        if not valid.all():
            row = start + int(np.argmin(valid))
            diagram = int(np.searchsorted(part.offsets, row, side="right")) - 1
            birth, death = part.points[row].tolist()
            msg = (
                f"has a point (birth={birth:g}, death={death:g}) with the location "
                f"{found[row].tolist()}; expected indices from 0 on, followed by -1 "
                "where there are fewer. A birth has at least one, the death of an "
                "essential point has none."
            )
            raise DiagramError(diagram, name, msg)
    sealed = np.ascontiguousarray(found, dtype=np.int64).view()
    sealed.flags.writeable = False
    return sealed


def _as_array(values: ArrayLike, what: str) -> NDArray[Any]:
    try:
        return np.asarray(values)
    except (TypeError, ValueError, OverflowError) as error:
        msg = f"{what} are not an array of integers, but {describe(values)}."
        raise ValueError(msg) from error


def _check_name(name: Any) -> str:
    """Raise unless a part can have this name, also on screens and in files."""
    if name is None or (isinstance(name, str) and name == UNNAMED):
        return UNNAMED
    expected = "The name of a part must be"
    if not isinstance(name, str) or not name.strip():
        msg = f"{expected} a non-empty string such as 'H1'; got {shown(name)}."
        raise ValueError(msg)
    try:
        name.encode()
    except UnicodeEncodeError as error:
        msg = (
            f"{expected} text that UTF-8 can encode; got {name!r}, which has half of a "
            "surrogate pair. Rename the part."
        )
        raise ValueError(msg) from error
    return name


def _check_names(names: Mapping[str, Any]) -> None:
    """Raise unless parts can have these names side by side."""
    seen: dict[str, str] = {}
    if UNNAMED in names and len(names) > 1:
        msg = f"Each of several parts needs a name; got {listed(names)}."
        raise ValueError(msg)
    for name in names:
        other = seen.setdefault(name.lower(), name)
        if other is not name:
            msg = (
                f"Parts {other!r} and {name!r} differ by case only; features are named "
                "in lower case, so rename one of them."
            )
            raise ValueError(msg)


def _sealed(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view that cannot be made writeable; the array's own flag could be."""
    array.flags.writeable = False
    return array.view()


def _rows(locations: Ints | None, rows: slice | NDArray[Any]) -> Ints | None:
    return None if locations is None else locations[rows]


def _joined(blocks: list[Ints | None]) -> Ints | None:
    """Put locations after one another, if all are there; narrow ones are padded."""
    known = [block for block in blocks if block is not None]
    if len(known) < len(blocks):
        return None
    width = max(block.shape[2] for block in known)
    joined: Ints = np.concatenate(
        [
            np.pad(
                block, ((0, 0), (0, 0), (0, width - block.shape[2])), constant_values=-1
            )
            for block in known
        ]
    )
    return joined


def _offsets(sizes: Ints) -> Ints:
    offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


def _span(values: NDArray[Any]) -> str:
    return f"{values.min():.4g} to {values.max():.4g}" if values.size else "none"
