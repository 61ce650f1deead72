"""Doubles of estimators whose samples are rows of a 2-D array.

scikit-learn's own checks feed 2-D arrays and stop at ``two_d_array=False``; with the
double, all of them run on our fit and transform.
"""

from functools import cache

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from pbow import Diagrams

__all__ = ["rows_double"]


class RowsMixin:
    """Column j of a row is the point (j, j + |x_j|)."""

    def fit(self, X, y=None):
        return super().fit(
            rows_to_diagrams(validate_data(self, X, dtype=np.float64)), y
        )

    def fit_transform(self, X, y=None):
        return self.fit(X, y).transform(X)

    def transform(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        out = super().transform(rows_to_diagrams(X))
        if isinstance(out, Diagrams):  # the sum of persistences: 2-D, too
            return np.array([[np.sum(d[:, 1] - d[:, 0])] for d in out]).reshape(-1, 1)
        return out

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags


class BatchesMixin:
    """The same for batches."""

    def partial_fit(self, X, y=None):
        X = validate_data(self, X, reset="batches_" not in vars(self), dtype=np.float64)
        return super().partial_fit(rows_to_diagrams(X), y)


def rows_to_diagrams(X):
    births = np.broadcast_to(np.arange(X.shape[1], dtype=float), X.shape)
    points = np.stack([births, births + np.abs(X)], axis=-1).reshape(-1, 2)
    return Diagrams(points, np.arange(0, X.size + 1, X.shape[1]))


def rows_double(estimator):
    """Return the estimator with rows as samples."""
    return _double(type(estimator))(**estimator.get_params(deep=False))


@cache
def _double(cls):
    bases = (RowsMixin, cls)
    if hasattr(cls, "partial_fit"):
        bases = (BatchesMixin, *bases)
    double = type(f"{cls.__name__}Rows", bases, {"__module__": __name__})
    globals()[double.__name__] = double  # where pickle looks for it
    return double
