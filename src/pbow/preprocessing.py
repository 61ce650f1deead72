"""Transformers from diagrams to diagrams, to stand before a vectorizer in a pipeline.

They learn on the training diagrams, if anything, and treat every part by itself. Points
keep their locations in the raw data.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from pbow._utils.constraints import Constraint, Integer, Number, OneOf, PerPart
from pbow.diagrams import UNNAMED, Diagrams, check_diagrams
from pbow.errors import ParameterError
from pbow.estimator import DiagramEstimator, value_of_part

__all__ = ["MostPersistent", "PersistenceThreshold", "Rescale", "SelectParts"]

Floats = NDArray[np.float64]

# What is smaller is no scale: divided by it, coordinates could leave their range.
SMALLEST_SCALE = 1e-100


class DiagramTransformer(DiagramEstimator, auto_wrap_output_keys=None):
    """Diagrams in, diagrams with the same samples out.

    Subclasses say what becomes of a part (:meth:`_change`).
    """

    def transform(self, X: Any) -> Diagrams:
        """Change diagrams.

        Parameters
        ----------
        X : Diagrams or list of array-like of shape (n_points_i, 2)
            Diagrams with the parts that were there in fit, in any order; a plain list
            stands for the only part.

        Returns
        -------
        X : Diagrams
            The same samples.
        """
        X = check_diagrams(X, parts=self.parts_)
        return Diagrams.from_parts(
            {name: self._change(X[name], name) for name in self._parts_out()}
        )

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Name what comes out: the parts.

        Parameters
        ----------
        input_features : None
            Ignored; here for the scikit-learn API.

        Returns
        -------
        names : ndarray of str objects
        """
        return np.array(self._model()._parts_out(), dtype=object)

    def set_output(self, *, transform: str | None = None) -> Self:
        """Do nothing: diagrams stay diagrams, whatever a pipeline is to put out.

        Parameters
        ----------
        transform : str, optional
            Ignored; here for the scikit-learn API.

        Returns
        -------
        self : object
        """
        return self

    @abstractmethod
    def _change(self, part: Diagrams, name: str) -> Diagrams:
        """Return what becomes of a part."""

    def _learn(self, X: Diagrams) -> dict[str, Any]:
        return {}

    def _parts_out(self) -> tuple[str, ...]:
        return self.parts_


class PersistenceThreshold(DiagramTransformer):
    """Leave out points near the diagonal.

    Kept are points with a persistence above `min_persistence`, and essential points.
    Bags of words seldom need it, as a weight by persistence does the same smoothly; it
    saves time where most points are noise.

    Parameters
    ----------
    min_persistence : float or dict of str to float, default=0.0
        Points must exceed it; 0 leaves out those on the diagonal alone. A dict has one
        for each part.

    Attributes
    ----------
    parts_ : tuple of str
        The parts seen in fit.

    See Also
    --------
    MostPersistent : Keep a number of points.

    Examples
    --------
    >>> from pbow.preprocessing import PersistenceThreshold
    >>> X = [[[0.0, 0.1], [0.2, 0.9], [0.5, float("inf")]], [[0.0, 0.05]]]
    >>> Y = PersistenceThreshold(0.1).fit_transform(X)
    >>> Y
    Diagrams(n_samples=2, 2 points (1 essential))
    >>> Y[0]
    array([[0.2, 0.9],
           [0.5, inf]])
    """

    short_name: ClassVar[str] = "threshold"
    constraints: ClassVar[Mapping[str, Constraint]] = {
        "min_persistence": PerPart(Number(minimum=0.0))
    }

    def __init__(self, min_persistence: float | Mapping[str, float] = 0.0) -> None:
        self.min_persistence = min_persistence

    def _change(self, part: Diagrams, name: str) -> Diagrams:
        persistence = _persistence(part.points)
        return _keep(
            part, persistence > value_of_part(self.min_persistence, name), name
        )


class MostPersistent(DiagramTransformer):
    """Keep the most persistent points of each diagram.

    Essential points come first, then those of long persistence; of equals the first
    ones are kept. The order of points stays as it is.

    Parameters
    ----------
    k : int or dict of str to int, default=100
        Number of points that a diagram may have in each part. A dict has one for each
        part.

    Attributes
    ----------
    parts_ : tuple of str
        The parts seen in fit.

    See Also
    --------
    PersistenceThreshold : Keep points by their persistence.

    Examples
    --------
    >>> from pbow.preprocessing import MostPersistent
    >>> X = [[[0.0, 0.1], [0.2, 0.9], [0.0, 0.5]], [[0.0, 0.05]], []]
    >>> Y = MostPersistent(2).fit_transform(X)
    >>> Y.sizes
    array([2, 1, 0])
    >>> Y[0]
    array([[0.2, 0.9],
           [0. , 0.5]])
    """

    short_name: ClassVar[str] = "most-persistent"
    constraints: ClassVar[Mapping[str, Constraint]] = {"k": PerPart(Integer(1))}

    def __init__(self, k: int | Mapping[str, int] = 100) -> None:
        self.k = k

    def _change(self, part: Diagrams, name: str) -> Diagrams:
        k, sizes = value_of_part(self.k, name), part.sizes
        # Only points of larger diagrams need be sorted.
        rows = np.flatnonzero(np.repeat(sizes > k, sizes))
        # By diagram, then from long to short life, and stable. Complex numbers sort by
        # their real parts first, and in a ninth of the time that lexsort takes.
        key = np.empty(len(rows), np.complex128)
        key.real = np.repeat(np.arange(len(part)), sizes)[rows]
        key.imag = -_persistence(part.points[rows])
        order = np.argsort(key, kind="stable")
        large = sizes[sizes > k]
        rank = np.arange(len(rows)) - np.repeat(np.cumsum(large) - large, large)
        keep = np.ones(len(part.points), dtype=bool)
        keep[rows[order[rank >= k]]] = False
        return _keep(part, keep, name)


class Rescale(DiagramTransformer):
    """Divide the coordinates of each part by a number learnt in training.

    Afterwards the chosen quantile of the training deaths, or persistences, is 1. Births
    and deaths are divided alike, so that the shape of a diagram does not change, and
    test diagrams are divided by the number of the training ones. Vectorizers of pbow
    learn the scale by themselves (``whiten=True``); parameters in units of the
    coordinates, such as a bandwidth, are easier to choose after this.

    Parameters
    ----------
    by : {"death", "persistence"}, default="death"
        What is to become 1: the absolute value of deaths, or persistence.
    quantile : float, default=1.0
        Which quantile of these, over finite points; 1 is the largest.

    Attributes
    ----------
    scales_ : dict of str to float
        What coordinates are divided by, for each part. It is 1 where there is nothing
        to learn from: no finite point, or a quantile of 0.
    parts_ : tuple of str
        The parts seen in fit.

    Examples
    --------
    >>> from pbow.preprocessing import Rescale
    >>> Rescale().fit_transform([[[0.0, 4.0], [2.0, 3.0]], [[1.0, float("inf")]]])[0]
    array([[0.  , 1.  ],
           [0.5 , 0.75]])
    """

    short_name: ClassVar[str] = "rescale"
    constraints: ClassVar[Mapping[str, Constraint]] = {
        "by": OneOf("death", "persistence"),
        "quantile": Number(minimum=0.0, maximum=1.0),
    }

    scales_: dict[str, float]

    def __init__(self, by: str = "death", *, quantile: float = 1.0) -> None:
        self.by = by
        self.quantile = quantile

    def _learn(self, X: Diagrams) -> dict[str, Any]:
        scales = {name: self._scale(X[name].finite().points) for name in X.parts}
        return {"scales_": scales}

    def _check_learnt(self) -> None:
        if tuple(self.scales_) != self.parts_ or not all(
            scale > SMALLEST_SCALE for scale in self.scales_.values()
        ):
            msg = f"its scales are {self.scales_!r:.200}; expected one per part."
            raise ValueError(msg)

    def _scale(self, points: Floats) -> float:
        sizes = np.abs(points[:, 1]) if self.by == "death" else _persistence(points)
        scale = float(np.quantile(sizes, float(self.quantile))) if len(sizes) else 0.0
        return scale if scale > SMALLEST_SCALE else 1.0

    def _change(self, part: Diagrams, name: str) -> Diagrams:
        return Diagrams(
            part.points / self.scales_[name],
            part.offsets,
            name=name,
            locations=part.locations,
        )


class SelectParts(DiagramTransformer):
    """Keep some parts of each sample.

    Parameters
    ----------
    parts : str or sequence of str, default="H1"
        Names of the parts to keep, in the order in which they are to come. A single
        name is given to the diagrams of a list, which have none.

    Attributes
    ----------
    selected_ : tuple of str
        The parts that are kept.
    parts_ : tuple of str
        The parts seen in fit; others are not expected afterwards.

    Examples
    --------
    >>> from pbow import Diagrams
    >>> from pbow.preprocessing import SelectParts
    >>> X = Diagrams.from_parts({"H0": [[[0, 1]]], "H1": [[]], "H2": [[]]})
    >>> SelectParts(["H2", "H0"]).fit_transform(X).parts
    ('H2', 'H0')
    """

    short_name: ClassVar[str] = "select-parts"

    selected_: tuple[str, ...]

    def __init__(self, parts: str | Sequence[str] = "H1") -> None:
        self.parts = parts

    def _check_training(self, X: Any) -> Any:
        X = super()._check_training(X)
        # Diagrams without a name are taken for those that are wanted.
        if isinstance(self.parts, str) and X.parts == (UNNAMED,):
            return check_diagrams(X, parts=[self.parts])
        return X

    def _check_together(self, parts: tuple[str, ...]) -> None:
        wanted = [self.parts] if isinstance(self.parts, str) else self.parts
        if (
            not isinstance(wanted, (list, tuple))
            or not wanted
            or not all(isinstance(name, str) and name in parts for name in wanted)
            or len(set(wanted)) < len(wanted)
        ):
            expected = f"one or some of {', '.join(parts)}, each once"
            raise ParameterError("parts", expected, self.parts, type(self).__name__)

    def _learn(self, X: Diagrams) -> dict[str, Any]:
        wanted = (self.parts,) if isinstance(self.parts, str) else tuple(self.parts)
        return {"selected_": wanted}

    def _check_learnt(self) -> None:
        if not self.selected_ or not set(self.selected_) <= set(self.parts_):
            msg = f"its selected parts are {self.selected_!r:.200}."
            raise ValueError(msg)

    def _change(self, part: Diagrams, name: str) -> Diagrams:
        return part

    def _parts_out(self) -> tuple[str, ...]:
        return self.selected_


def _persistence(points: Floats) -> Floats:
    persistence: Floats = points[:, 1] - points[:, 0]
    return persistence


def _keep(part: Diagrams, keep: NDArray[np.bool_], name: str) -> Diagrams:
    if keep.all():
        return part
    kept_before = np.concatenate(([0], np.cumsum(keep)))
    return Diagrams(
        part.points[keep],
        kept_before[part.offsets],
        name=name,
        locations=None if part.locations is None else part.locations[keep],
    )
