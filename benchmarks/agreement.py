"""Whether two contenders computed the same thing."""

from collections.abc import Sequence

import numpy as np

from benchmarks.timing import Verdict
from pbow import Diagrams
from pbow.diagrams import LARGEST_COORDINATE

__all__ = ["as_low", "same_arrays", "same_counts", "same_diagrams", "same_mean"]

# Rows compared at a time: the differences of a million rows are as large as the rows.
BLOCK = 50_000


def same_counts(
    ours: np.ndarray, theirs: np.ndarray, sizes: np.ndarray, ties: float
) -> Verdict:
    """Compare rows that are square roots of counts, of L2 norm 1.

    Squares times the number of points are the counts again. Points in another bin may
    be at most the share `ties` of all: a point halfway between two words is nearest to
    either, by how a program rounds.
    """
    moved = 0.0
    for first in range(0, len(ours), BLOCK):
        block = slice(first, first + BLOCK)
        apart = np.abs(ours[block] ** 2 - theirs[block] ** 2).sum(axis=1)
        moved += 0.5 * float(np.rint(apart * sizes[block]).sum())
    n_moved, n_points = int(np.ceil(moved)), int(sizes.sum())
    if n_moved == 0:
        return Verdict(same=True, text="same counts")
    same = n_moved <= max(2, ties * n_points)
    return Verdict(same, f"same but for {n_moved:,} of {n_points:,} points")


def same_arrays(ours: np.ndarray, theirs: np.ndarray, tolerance: float) -> Verdict:
    """Compare arrays up to a tolerance relative to the largest number."""
    worst = max(
        float(np.abs(ours[first : first + BLOCK] - theirs[first : first + BLOCK]).max())
        for first in range(0, len(ours), BLOCK)
    )
    relative = worst / float(np.abs(ours).max())
    return Verdict(relative <= tolerance, f"within {relative:.0e}")


def same_mean(
    ours: np.ndarray, theirs: np.ndarray, mean: float, spread: float
) -> Verdict:
    """Hold the means of two samples to the exact mean that both were drawn from."""
    errors = [(x.mean() - mean) / (spread / np.sqrt(len(x))) for x in (ours, theirs)]
    text = "mean {1:+.1f}, of pbow {0:+.1f} standard errors from exact".format(*errors)
    return Verdict(max(map(abs, errors)) <= 4.0, text)


def as_low(
    ours: np.ndarray, theirs: np.ndarray, tolerance: float, what: str
) -> Verdict:
    """Hold the median of pbow's numbers, which should be low, to that of a peer's.

    Up to the standard error of their ratio, which few numbers leave large.
    """
    ratio = float(np.median(ours) / np.median(theirs))
    # 1.25: how much wider a median of normal numbers varies than their mean.
    errors = [1.25 * x.std() / x.mean() / np.sqrt(len(x)) for x in (ours, theirs)]
    error = float(np.hypot(*errors))
    text = f"{what} of pbow over this: {ratio:.3f} ± {error:.3f}"
    return Verdict(ratio <= 1.0 + tolerance + error, text)


def same_diagrams(
    ours: Diagrams, theirs: Sequence[Sequence[np.ndarray]], tolerance: float
) -> Verdict:
    """Compare births and deaths, by sample and part, whatever the order of points.

    Those that hardly live are left out: some engines do not report them.
    """
    worst = 0.0
    for i, sample in enumerate(theirs):
        for part, points in zip(ours.parts, sample, strict=True):
            pair = [_in_order(p, tolerance) for p in (points, ours[part][i])]
            if pair[0].shape != pair[1].shape:
                text = f"{len(pair[0])} points of {part} {i}, pbow {len(pair[1])}"
                return Verdict(same=False, text=text)
            lasting = np.isfinite(pair).all(axis=0)
            if not np.array_equal(*(p == np.inf for p in pair)):
                return Verdict(same=False, text=f"other essential points in {part} {i}")
            apart = np.abs(pair[0][lasting] - pair[1][lasting])
            worst = max(worst, float(apart.max(initial=0.0)))
    return Verdict(worst <= tolerance, f"within {worst:.0e}" if worst else "same")


def _in_order(points: np.ndarray, tolerance: float) -> np.ndarray:
    points = np.array(points, dtype=float).reshape(-1, 2)
    points[points > LARGEST_COORDINATE] = np.inf  # cripser's is the largest double
    lives = points[:, 1] - points[:, 0] > 10.0 * tolerance
    return np.sort(points[lives], axis=0)
