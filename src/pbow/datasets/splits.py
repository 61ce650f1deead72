"""Train and test splits by the protocols of the paper, the same on every machine."""

from __future__ import annotations

from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from pbow._utils.checks import check_option, is_integer
from pbow.datasets.drawing import FOR_SPLITS, check_seed, draw_order
from pbow.errors import ParameterError

__all__ = ["PROTOCOLS", "Split", "make_splits"]

Ints = NDArray[np.int64]
Split = tuple[Ints, Ints]

N_FOLDS = 4
N_REPETITIONS = 5  # of the paper

# Percentage of the samples per label, or of the groups, that are for testing.
OF_SAMPLES = {"80/20": 20, "90/10": 10, "50/50": 50}
OF_GROUPS = {"groups": 33, "50/50 groups": 50}
FOLDS, ORIGINAL = "4 folds", "original"

PROTOCOLS = (*OF_SAMPLES, *OF_GROUPS, FOLDS, ORIGINAL)


def make_splits(
    labels: Ints,
    groups: Ints | None,
    in_test: NDArray[np.bool_] | None,
    protocol: str,
    *,
    seed: int,
    repetitions: int | None,
) -> list[Split]:
    """Return rows for training and rows for testing, one pair per split.

    For :meth:`Dataset.splits`, which has the protocols. Without `repetitions` it draws
    5 times, and folds once.
    """
    check_option("protocol", protocol, PROTOCOLS)
    check_seed(seed)
    if repetitions is not None and not is_integer(repetitions, 1):
        raise ParameterError("repetitions", "an int >= 1", repetitions, optional=True)
    if protocol == ORIGINAL:
        return _original(in_test, repetitions)
    n_drawn = repetitions or (1 if protocol == FOLDS else N_REPETITIONS)
    splits: list[Split] = []
    for purpose in range(FOR_SPLITS, FOR_SPLITS + n_drawn):
        if protocol in OF_SAMPLES:
            tests = [_share_of_labels(labels, OF_SAMPLES[protocol], seed, purpose)]
        elif groups is None:
            _refuse_groups(protocol)
        elif protocol in OF_GROUPS:
            share = OF_GROUPS[protocol]
            tests = [_share_of_groups(labels, groups, share, seed, purpose)]
        else:
            tests = _folds_of_groups(labels, groups, seed, purpose)
        splits += [(np.flatnonzero(~test), np.flatnonzero(test)) for test in tests]
    return splits


def _original(
    in_test: NDArray[np.bool_] | None, repetitions: int | None
) -> list[Split]:
    if in_test is None:
        msg = (
            "This data set has no train/test split of its own. Take another protocol: "
            f"{', '.join(OF_SAMPLES)}, or one over groups, if it has some."
        )
        raise ValueError(msg)
    if repetitions not in {None, 1}:
        msg = f"There is one original split; got repetitions={repetitions}."
        raise ValueError(msg)
    return [(np.flatnonzero(~in_test), np.flatnonzero(in_test))]


def _share_of_labels(
    labels: Ints, percent: int, seed: int, purpose: int
) -> NDArray[np.bool_]:
    """Mark a share of each label's samples, at least one and not all."""
    order = draw_order(len(labels), seed, purpose)
    test = np.zeros(len(labels), np.bool_)
    for label in np.unique(labels):
        rows = order[labels[order] == label]
        if len(rows) < 2:
            msg = (
                f"Expected at least 2 samples per label to split; label {label} has "
                f"{len(rows)}."
            )
            raise ValueError(msg)
        test[rows[: _share(len(rows), percent)]] = True
    return test


def _share_of_groups(
    labels: Ints, groups: Ints, percent: int, seed: int, purpose: int
) -> NDArray[np.bool_]:
    """Mark whole groups: a share of those in which the same label is most frequent."""
    names, inverse, counts = _count_labels(labels, groups)
    most_frequent = counts.argmax(axis=1)
    order = draw_order(len(names), seed, purpose)
    chosen = np.zeros(len(names), np.bool_)
    for label in np.unique(most_frequent):
        of_label = order[most_frequent[order] == label]
        if len(of_label) < 2:
            msg = (
                "Expected at least 2 groups per label to split by groups; label "
                f"{label} has {len(of_label)}. Take a protocol over samples: "
                f"{', '.join(OF_SAMPLES)}."
            )
            raise ValueError(msg)
        chosen[of_label[: _share(len(of_label), percent)]] = True
    return chosen[inverse]


def _folds_of_groups(
    labels: Ints, groups: Ints, seed: int, purpose: int
) -> list[NDArray[np.bool_]]:
    """Mark each fold: whole groups, with about as many samples of each label.

    Large groups come first, equal ones in random order; each goes to the fold that has
    the fewest samples of its labels.
    """
    names, inverse, counts = _count_labels(labels, groups)
    if len(names) < N_FOLDS:
        msg = (
            f"Expected at least {N_FOLDS} groups for {N_FOLDS} folds; got {len(names)}."
        )
        raise ValueError(msg)
    order = draw_order(len(names), seed, purpose)
    by_size = order[np.argsort(-counts[order].sum(axis=1), kind="stable")]
    loads = np.zeros((N_FOLDS, counts.shape[1]), np.int64)
    fold_of = np.empty(len(names), np.int64)
    for group in by_size:
        # How much it adds to the squares of the counts, up to what is the same for all
        # folds; integers, so that no machine rounds otherwise.
        cost = loads @ counts[group]
        fold = int(np.lexsort((loads.sum(axis=1), cost))[0])
        fold_of[group] = fold
        loads[fold] += counts[group]
    return [(fold_of == fold)[inverse] for fold in range(N_FOLDS)]


def _count_labels(labels: Ints, groups: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the groups, the group of each sample, and the label counts per group."""
    names, inverse = np.unique(groups, return_inverse=True)
    n_classes = int(labels.max(initial=0)) + 1
    cells = np.bincount(inverse * n_classes + labels, minlength=len(names) * n_classes)
    return names, inverse, cells.reshape(len(names), n_classes).astype(np.int64)


def _share(n: int, percent: int) -> int:
    """Round a share of n, of which half is the largest, up to 1 at least."""
    return max((n * percent + 50) // 100, 1)


def _refuse_groups(protocol: str) -> NoReturn:
    msg = (
        f"The protocol {protocol!r} keeps groups together, and this data set has no "
        f"groups. Take one over samples: {', '.join(OF_SAMPLES)}."
    )
    raise ValueError(msg)
