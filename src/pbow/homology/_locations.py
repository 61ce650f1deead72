"""Where points of diagrams are born and die: values that tell where they are from.

An engine returns values only. If no two values are equal, each tells its place. So the
values are replaced by *keys*: distinct floats in the same order, of equal values the
one of the lower index first. Births and deaths are then keys, and turn back into
places; and places into values. Points of one value, which only the keys tell apart, are
left out, so that the diagrams are those of the values themselves.

Graphs and images in the plane need no keys: their loops return the places themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np

from pbow._utils.progress import progress_bar
from pbow.compute.truncate import are_told_apart
from pbow.compute.union_find import merge_components
from pbow.diagrams import Diagrams
from pbow.errors import ParameterError
from pbow.homology._common import (
    Floats,
    Ints,
    count_threads,
    empty_diagrams,
    in_threads,
    make_diagrams,
)

__all__ = [
    "Keys",
    "Located",
    "LocatedBatch",
    "check_return_locations",
    "distinct_keys",
    "located_components",
    "located_pairs",
    "make_located",
    "ranks",
]

Item = TypeVar("Item")

# Numbers in a batch: they fit into the cache of a processor.
BATCH = 2**15
LARGEST_INT = np.int64(2**63 - 1)
INF_BITS = 0x7FF0_0000_0000_0000


class Located(NamedTuple):
    """A diagram, and beside each point where it is born and dies: (n_points, 2, k)."""

    points: Floats
    locations: Ints


class LocatedBatch(NamedTuple):
    """Located diagrams of several items, one after another, and the size of each."""

    points: Floats
    locations: Ints
    counts: Ints


class Keys(NamedTuple):
    """Distinct keys in the order of `values`, in each item; inf stays inf.

    All arrays are flat, and the values of item i are ``starts[i]:starts[i + 1]``.
    """

    values: Floats
    keys: Floats
    starts: Ints
    places_of: Callable[[Floats, Ints], Ints]

    def locate(self, diagrams: Sequence[Floats]) -> LocatedBatch:
        """Turn diagrams of keys into those of values, with one place for each end.

        Places count through the values of all items.
        """
        n_items = len(diagrams)
        diagram = diagrams[0] if n_items == 1 else np.concatenate(diagrams)
        items = np.repeat(np.arange(n_items), [len(one) for one in diagrams])
        births, deaths = diagram[:, 0], diagram[:, 1]
        places = np.empty(diagram.shape, np.int64)
        points = np.empty(diagram.shape)
        # What is born at inf is none of the item, and its place is of no matter.
        is_born, dies = np.isfinite(births), np.isfinite(deaths)
        for end, finite in enumerate((is_born, dies)):
            if finite.all():
                places[:, end] = self.places_of(diagram[:, end], items)
                points[:, end] = self.values[places[:, end]]
                continue
            found = self.places_of(diagram[finite, end], items[finite])
            places[:, end], points[:, end] = -1, np.inf
            places[finite, end], points[finite, end] = found, self.values[found]
        kept = points[:, 0] < points[:, 1]
        counts = np.bincount(items[kept], minlength=n_items)
        return LocatedBatch(points[kept], places[kept, :, np.newaxis], counts)


def make_located(
    several: Callable[[Sequence[Item]], Sequence[LocatedBatch]],
    items: Sequence[Item],
    sizes: Sequence[int],
    dims: Sequence[int],
    *,
    unit: str,
    n_jobs: int | None,
    progress: bool,
) -> Diagrams:
    """Put together what `several` makes of batches: one LocatedBatch per dimension.

    Small items come many at a time, since most of their time is that of calls. The
    result does not depend on it. `unit` is what the progress bar counts.
    """
    if not items:
        return make_diagrams(
            lambda _: empty_diagrams(dims),
            items,
            dims,
            unit=unit,
            n_jobs=n_jobs,
            progress=progress,
        )
    batches = _batches(items, sizes, count_threads(n_jobs, items))
    found = []
    with progress_bar(show=progress, total=len(items), unit=unit) as advance:
        made = in_threads(several, batches, n_jobs)
        for batch, located in zip(batches, made, strict=True):
            found.append(located)
            advance(len(batch))
    parts = {}
    for k, dim in enumerate(dims):
        points, locations, counts = zip(*(located[k] for located in found), strict=True)
        offsets = np.concatenate(([0], np.cumsum(np.concatenate(counts))))
        parts[f"H{dim}"] = Diagrams(
            np.concatenate(points), offsets, locations=np.concatenate(locations)
        )
    return Diagrams.from_parts(parts)


def _batches(
    items: Sequence[Item], sizes: Sequence[int], n_threads: int
) -> list[Sequence[Item]]:
    """Cut the items into runs of some size, several for each thread if there are."""
    largest = min(BATCH, sum(sizes) // (4 * n_threads)) if n_threads > 1 else BATCH
    batches, first, size = [], 0, 0
    for i, more in enumerate(sizes):
        if i > first and size + more > largest:
            batches.append(items[first:i])
            first, size = i, 0
        size += more
    batches.append(items[first:])
    return batches


def distinct_keys(arrays: Sequence[Floats], first: int = 0) -> Keys:
    """Return keys of the values of each array, which are C-contiguous.

    The key of the value i of an array contains i + `first`.
    """
    sizes = [array.size for array in arrays]
    starts = np.concatenate(([0], np.cumsum(sizes)))
    one = len(arrays) == 1
    flat = arrays[0].ravel() if one else np.concatenate([a.ravel() for a in arrays])
    if not flat.all():
        flat = flat + 0.0  # of two zeros none is lower
    index = np.arange(first, first + len(flat))
    if not one:
        index -= np.repeat(starts[:-1], sizes)
    bits = flat.view(np.int64)
    n_bits = max(max(sizes, default=0) + first - 1, 1).bit_length()
    mask = (1 << n_bits) - 1
    highest = flat.max(initial=-np.inf)
    # The index goes into the last bits: a sort would take longer than the diagram.
    # Whole numbers and single precision leave these free.
    if not np.bitwise_or.reduce(bits) & mask:
        packed = bits
    elif (shifted := _shifted(flat, n_bits)) is not None:
        shifted |= index
        keys = shifted.view(np.float64)
        if highest == np.inf:
            keys[np.isinf(flat)] = np.inf
        return Keys(
            flat,
            keys,
            starts,
            lambda found, items: (found.view(np.int64) & mask) - first + starts[items],
        )
    elif are_told_apart(flat.view(np.uint64), np.uint64(n_bits)):
        packed = bits & ~mask
    else:
        orders = []
        keys = np.empty(len(flat))
        for start, stop in pairwise(starts.tolist()):
            keys[start:stop], order = ranks(flat[start:stop])
            orders.append(order + start)
        keys += first
        by_rank = np.concatenate(orders)
        return Keys(
            flat,
            keys,
            starts,
            lambda found, items: by_rank[
                found.astype(np.int64) - first + starts[items]
            ],
        )
    if flat.min(initial=np.inf) < 0:
        # Floats below zero grow as their bits fall, so there the index is turned round.
        index ^= bits >> 63
        index &= mask
    index |= packed
    keys = index.view(np.float64)
    if highest == np.inf:
        keys[np.isinf(flat)] = np.inf  # these bits would be NaN
    return Keys(
        flat,
        keys,
        starts,
        lambda found, items: (
            _unpacked(found.view(np.int64), mask) - first + starts[items]
        ),
    )


def _shifted(flat: Floats, n_bits: int) -> Ints | None:
    """Return what leaves the last bits free if values are near each other, or None.

    It is how many floats there are from the lowest value up to each.
    """
    lowest, highest = flat.min(), flat.max()
    if highest == np.inf:
        highest = flat.max(where=np.isfinite(flat), initial=lowest)
    span = np.array([lowest, highest]).view(np.int64)
    span ^= (span >> 63) & LARGEST_INT
    if int(span[1]) - int(span[0]) >= INF_BITS >> n_bits:
        return None
    bits = flat.view(np.int64)
    if lowest < 0:
        bits = bits ^ ((bits >> 63) & LARGEST_INT)
    shifted: Ints = bits - span[0]
    shifted <<= n_bits
    return shifted


def _unpacked(packed: Ints, mask: int) -> Ints:
    places: Ints = (packed ^ (packed >> 63)) & mask
    return places


def ranks(values: Floats) -> tuple[Floats, Ints]:
    """Return the place of each value in their order, and the index at each place."""
    order = np.argsort(values)
    ordered = values[order]
    ties = ordered[1:] == ordered[:-1]
    if ties.any():
        # A stable sort of numbers takes three times as long as one more of indices.
        n_bits = len(values).bit_length()
        packed = np.zeros(len(values), np.int64)
        np.cumsum(~ties, out=packed[1:])
        packed <<= n_bits
        packed |= order
        packed.sort()
        order = packed & ((1 << n_bits) - 1)
    keys = np.empty(len(values))
    keys[order] = np.arange(len(values))
    keys[np.isinf(values)] = np.inf
    return keys, order


def check_return_locations(value: Any) -> bool:
    """Return whether locations are wanted."""
    if not isinstance(value, (bool, np.bool_)):
        raise ParameterError("return_locations", "True or False", value)
    return bool(value)


def located_components(
    ends: Ints, values: Floats, items: Ints, sizes: Ints
) -> LocatedBatch:
    """Return the points of H0, given the edges with which they die, by graph in order.

    All graphs, which have `sizes` points, are one here, so that one call does for all.
    A class is born at the point of the lowest index in its component.
    """
    n_points = int(sizes.sum())
    starts = np.concatenate(([0], np.cumsum(sizes)))
    born = merge_components(ends + starts[items, np.newaxis], n_points)
    n_dying = len(ends)
    graph = np.repeat(np.arange(len(sizes)), sizes)[born]
    points = np.zeros((n_points, 2))
    points[:n_dying, 1], points[n_dying:, 1] = values, np.inf
    locations = np.full((n_points, 2, 2), -1)
    locations[:, 0, 0] = born - starts[graph]
    locations[:n_dying, 1] = ends
    order = np.argsort(graph, kind="stable")
    order = order[points[order, 1] > 0]
    counts = np.bincount(graph[order], minlength=len(sizes))
    return LocatedBatch(points[order], locations[order], counts)


def located_pairs(
    pairs: Sequence[Sequence[tuple[Sequence[int], Sequence[int]]]],
    diagrams: Sequence[Sequence[Floats]],
    dims: Sequence[int],
) -> list[LocatedBatch]:
    """Return located diagrams of items, given diagrams and pairs of simplices of each.

    The points of a diagram are in the order of the pairs of its dimension. Locations
    are all vertices of the simplices, dim + 2 of them for a death.
    """
    births: dict[int, list[Sequence[int]]] = {dim: [] for dim in dims}
    deaths: dict[int, list[Sequence[int]]] = {dim: [] for dim in dims}
    none = {dim: [-1] * (dim + 2) for dim in dims}
    for birth, death in chain.from_iterable(pairs):
        dim = len(birth) - 1
        if dim in births:
            births[dim].append(birth)
            deaths[dim].append(death or none[dim])
    located = []
    for k, dim in enumerate(dims):
        locations = np.full((len(births[dim]), 2, dim + 2), -1)
        for end, simplices in enumerate((births[dim], deaths[dim])):
            vertices = np.fromiter(chain.from_iterable(simplices), np.int64)
            vertices = vertices.reshape(len(simplices), dim + 1 + end)
            vertices.sort()
            locations[:, end, : dim + 1 + end] = vertices
        counts = np.array([len(of_item[k]) for of_item in diagrams])
        points = np.concatenate([of_item[k] for of_item in diagrams])
        located.append(LocatedBatch(points, locations, counts))
    return located
