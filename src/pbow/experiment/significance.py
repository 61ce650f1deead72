"""Tests of paired accuracies: what a difference over repetitions can show."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from pbow._utils.checks import is_finite_number

__all__ = ["corrected_t_test", "wilcoxon"]

Floats = NDArray[np.float64]

# Accuracies are ratios of counts: the same difference must be the same number, whatever
# the last bits of its two ends are, or ranks would be split where there is a tie.
DECIMALS = 9


def wilcoxon(first: ArrayLike, second: ArrayLike) -> float:
    """Return the p-value of the two-sided Wilcoxon signed-rank test.

    The fraction of all 2^n assignments of signs to the ranks whose sum of positive
    ranks is at least as far from its mean. Pairs without a difference are dropped, as
    Wilcoxon did; equal differences share the mean of their ranks, and the distribution
    is that of the ranks so shared, so that it is exact with ties as well. For more than
    13 differences with ties, or more than 50, it is the normal approximation.

    Parameters
    ----------
    first, second : array-like of shape (n,)
        Accuracies of two methods, paired by split; differences are rounded to 9
        decimals.

    Returns
    -------
    p_value : float
        1 where no pair differs.

    Examples
    --------
    >>> from pbow.experiment.significance import wilcoxon
    >>> wilcoxon([95, 96, 97, 98, 99], [90, 92, 94, 96, 98])
    0.0625
    """
    differences = _differences(first, second)
    differences = differences[differences != 0.0]
    return float(stats.wilcoxon(differences).pvalue) if len(differences) > 1 else 1.0


def corrected_t_test(
    first: ArrayLike, second: ArrayLike, *, n_train: float, n_test: float
) -> float:
    """Return the p-value of the corrected resampled t-test, two-sided.

    Repetitions on one data set share samples, and a plain t-test takes them for
    independent. Here the variance of the mean difference has the factor
    1/n + n_test/n_train instead of 1/n.

    Parameters
    ----------
    first, second : array-like of shape (n,)
        Accuracies of two methods, paired by split, n >= 2; differences are rounded to
        9 decimals.
    n_train, n_test : float
        Samples in the training and the test set of a split; means where they vary.

    Returns
    -------
    p_value : float
        Where all differences are the same: 1 if they are zero, else 0.

    References
    ----------
    Nadeau and Bengio. Inference for the Generalization Error. Machine Learning 52,
    2003. Section 4.

    Examples
    --------
    >>> from pbow.experiment.significance import corrected_t_test
    >>> p = corrected_t_test([95, 96, 97, 98], [94, 93, 95, 96], n_train=80, n_test=20)
    >>> round(p, 4)
    0.0405
    """
    for name, value in (("n_train", n_train), ("n_test", n_test)):
        if not is_finite_number(value) or value <= 0:
            msg = f"Expected {name} to be a number of samples > 0; got {value!r}."
            raise ValueError(msg)
    differences = _differences(first, second)
    n = len(differences)
    if n < 2:
        msg = f"Expected at least 2 pairs, to have a variance; got {n}."
        raise ValueError(msg)
    if np.ptp(differences) == 0.0:
        return 1.0 if differences[0] == 0.0 else 0.0
    variance = float(differences.var(ddof=1)) * (1.0 / n + n_test / n_train)
    t = abs(float(differences.mean())) / math.sqrt(variance)
    return float(2.0 * stats.t.sf(t, n - 1))


def _differences(first: ArrayLike, second: ArrayLike) -> Floats:
    one, other = np.asarray(first, np.float64), np.asarray(second, np.float64)
    valid = one.ndim == 1 and one.shape == other.shape and len(one) > 0
    if not valid or not np.isfinite(one - other).all():
        msg = (
            "Expected two lists of finite accuracies of the same length, paired by "
            f"split; got {first!r:.80} and {second!r:.80}."
        )
        raise ValueError(msg)
    differences: Floats = np.round(one - other, DECIMALS)
    return differences
