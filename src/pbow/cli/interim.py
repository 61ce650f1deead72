"""What the estimators will say themselves."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator as DiagramEstimator

import pbow

__all__ = ["DiagramEstimator", "count_features", "load"]


def load(path: Any, classes: tuple[type, ...] = ()) -> Any:
    """Load a model."""
    return pbow.load(path)


def count_features(model: Any) -> int | None:
    """Return the number of columns."""
    if "preproc" in type(model).__module__:
        return None
    return len(model.get_feature_names_out())
