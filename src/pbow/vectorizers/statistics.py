"""Persistence statistics."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pbow._utils.threads import fill_rows
from pbow.compute.statistics import summarize, summarize_births
from pbow.diagrams import Diagrams
from pbow.learning import PartSummary, Request
from pbow.vectorizers.points import PointVectorizer

__all__ = ["PersistenceStatistics"]

QUANTITIES = ("birth", "death", "midpoint", "lifetime")
# In the order of the compiled loop.
STATISTICS = ("mean", "std", "median", "iqr", "range", "q10", "q25", "q75", "q90")
ALL_COLUMNS = (
    *(f"{quantity}_{statistic}" for quantity in QUANTITIES for statistic in STATISTICS),
    "count",
    "entropy",
)
BIRTH_COLUMNS = (*(f"birth_{statistic}" for statistic in STATISTICS), "count")

# Measured: four sorts.
NANOSECONDS_A_POINT = 100.0


class PersistenceStatistics(PointVectorizer):
    """Persistence statistics: means and quantiles of births, deaths and lifetimes.

    Of the births b, deaths d, midpoints (b + d) / 2 and lifetimes d - b of a diagram:
    mean, standard deviation, median, interquartile range, range, and the quantiles
    0.1, 0.25, 0.75 and 0.9; then the number of points, and the entropy of the
    lifetimes. These 38 numbers know nothing of how births and deaths go together but
    for midpoints and lifetimes. A survey of thirteen descriptors found them hard to
    beat, and they have no parameters.

    Features have very different scales: put a ``StandardScaler`` of scikit-learn
    between them and a classifier.

    Parameters
    ----------
    essential : {"drop", "separate"} or float, default="drop"
        What to do with essential points: leave them out; give them ten columns of their
        own, statistics of their births and their number, in a part ``<part>_inf``; or
        take this number as their death.
    n_jobs : int or None, default=None
        Number of threads: None is one, -1 as many as there are processors. The result
        does not depend on it.

    Attributes
    ----------
    columns_ : dict of str to tuple of str
        Names of the statistics of each part. Nothing else is learnt.
    parts_ : tuple of str
        The parts seen in fit.
    ranges_ : dict of str to SeenRange or None
        Births and persistences of the training points of each part, as far as known.

    See Also
    --------
    RiemannianHeatMap : Where the points of a diagram lie, as a density.

    Notes
    -----
    The standard deviation is that of the points themselves: the sum of squares is
    divided by their number. Quantiles are linear between neighbors, as those of
    ``numpy.quantile``. With l the lifetimes and L their sum, the entropy is
    ``-sum(l / L * log(l / L))``, in natural logarithms; points of no lifetime add
    nothing. Of a single point all deviations, ranges and the entropy are 0. An empty
    diagram is a row of zeros, which only the count tells from a point (0, 0).

    References
    ----------
    Ali, Asaad, Jimenez, Nanda, Paluzo-Hidalgo, Soriano-Trigueros. A Survey of
    Vectorization Methods in Topological Data Analysis. IEEE Transactions on Pattern
    Analysis and Machine Intelligence 45(12), 2023. Section 3.

    Examples
    --------
    >>> from pbow.vectorizers import PersistenceStatistics
    >>> statistics = PersistenceStatistics()
    >>> H = statistics.fit_transform([[[0.0, 1.0], [0.0, 3.0]], []])
    >>> H.shape
    (2, 38)
    >>> columns = statistics.get_feature_names_out().tolist()
    >>> H[:, columns.index("lifetime_mean")]
    array([2., 0.])
    >>> columns[-3:]
    ['lifetime_q90', 'count', 'entropy']
    """

    short_name: ClassVar[str] = "statistics"
    standardize: ClassVar[bool] = True
    by_part: ClassVar[str] = "columns_"

    columns_: dict[str, tuple[str, ...]]

    def __init__(
        self, *, essential: str | float = "drop", n_jobs: int | None = None
    ) -> None:
        self.essential = essential
        self.n_jobs = n_jobs

    def _learn_from(
        self, parts: dict[str, PartSummary], request: Request
    ) -> dict[str, Any]:
        columns = {
            name: BIRTH_COLUMNS if part.births_only else ALL_COLUMNS
            for name, part in parts.items()
        }
        return {"columns_": columns}

    def _encode_part(self, name: str, part: Diagrams) -> NDArray[np.float64]:
        columns = self.columns_[name]
        loop: Any = summarize if columns == ALL_COLUMNS else summarize_births
        out = np.empty((len(part), len(columns)))
        fill_rows(
            *(loop, part.points, part.offsets),
            out=out,
            nanoseconds_per_point=NANOSECONDS_A_POINT,
            n_jobs=self.n_jobs,
        )
        return out

    def _column_names(self, name: str) -> list[str]:
        return list(self.columns_[name])

    def _n_numbers(self) -> int:
        return len(ALL_COLUMNS)

    def _check_learnt(self) -> None:
        super()._check_learnt()
        for name, columns in self.columns_.items():
            if columns != (ALL_COLUMNS if name in self.parts_ else BIRTH_COLUMNS):
                msg = (
                    f"columns_ of part {name!r} are not those of {type(self).__name__}."
                )
                raise ValueError(msg)
