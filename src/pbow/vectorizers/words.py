"""The base of vectorizers with a codebook: sample, learn words, encode by them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from pbow._utils.checks import is_integer
from pbow._utils.constraints import (
    Boolean,
    Constraint,
    Integer,
    OneOf,
    PerPart,
    Quantiles,
)
from pbow.codebook import GaussianCodebook, KMeansCodebook, TooFewPointsError
from pbow.diagrams import Diagrams
from pbow.errors import ParameterError
from pbow.estimator import value_of_part
from pbow.sampling import draw_sample, persistence_ramp
from pbow.vectorizers.base import Vectorizer
from pbow.weighting import Ramp

__all__ = ["CodebookVectorizer"]


# More starts than this are a mistyped number.
MOST_STARTS = 10_000


class CodebookVectorizer(Vectorizer):
    """Learn a codebook per part on a sample of its points, then encode diagrams.

    Subclasses choose the codebook (:meth:`_learn_words`) and the encoding
    (:meth:`_encode_words`).
    """

    size_parameter: ClassVar[str] = "n_words"
    by_part: ClassVar[str] = "codebooks_"
    constraints: ClassVar[Mapping[str, Constraint]] = {
        "n_words": PerPart(Integer(1)),
        "weighting": OneOf("uniform", "ramp"),
        "quantiles": Quantiles,
        "sample_size": Integer(1, optional=True),
        "whiten": Boolean,
        "point_weight": OneOf(None, "ramp"),
        "normalize": OneOf(None, "sqrt", "sqrt-l2", "lipschitz"),
        "n_init": Integer(1, MOST_STARTS),
        **Vectorizer.constraints,
    }

    ramps_: dict[str, Ramp | None]

    n_words: int | Mapping[str, int]
    weighting: str
    quantiles: tuple[float, float]
    sample_size: int | None
    whiten: bool
    point_weight: str | None
    normalize: str | None
    n_init: int
    random_state: Any

    @abstractmethod
    def _learn_words(
        self, sample: NDArray[np.float64], n_words: int, seed: int, *, allow_fewer: bool
    ) -> KMeansCodebook | GaussianCodebook:
        """Learn a codebook from points in birth-persistence coordinates."""

    @abstractmethod
    def _encode_words(
        self, X: Diagrams, codebook: Any, ramp: Ramp | None
    ) -> NDArray[Any]:
        """Encode one part, with the normalization."""

    def _learn_parts(
        self, parts: dict[str, Diagrams], births_only: Collection[str]
    ) -> dict[str, Any]:
        seed = _integer_seed(self.random_state)
        codebooks: dict[str, KMeansCodebook | GaussianCodebook] = {}
        ramps: dict[str, Ramp | None] = {}
        for name, part in parts.items():
            codebooks[name], ramps[name] = self._fit_part(
                name, part, seed, births_only=name in births_only
            )
        return {"codebooks_": codebooks, "ramps_": ramps}

    def _encode_part(self, name: str, part: Diagrams) -> NDArray[Any]:
        return self._encode_words(part, self.codebooks_[name], self.ramps_[name])

    def _column_names(self, name: str) -> list[str]:
        return [f"word{k}" for k in range(self.codebooks_[name].n_words)]

    def _fit_part(
        self, name: str, part: Diagrams, seed: int, *, births_only: bool
    ) -> tuple[KMeansCodebook | GaussianCodebook, Ramp | None]:
        ramp = None
        # Essential points have no persistence to be weighted by.
        if "ramp" in {self.weighting, self.point_weight} and not births_only:
            ramp = persistence_ramp([part], self.quantiles)
        sample = draw_sample(
            [part],
            self.sample_size,
            ramp=ramp if self.weighting == "ramp" else None,
            seed=seed,
        )
        try:
            codebook = self._learn_words(
                sample[:, :1] if births_only else sample,
                int(value_of_part(self.n_words, name)),
                seed,
                allow_fewer=births_only,
            )
        except TooFewPointsError as error:
            msg = f"Part {name}: {error}"
            if not isinstance(self.n_words, Mapping):
                msg += f" n_words may be a dict by part, as in {{{name!r}: 3, ...}}."
            if ramp is not None and self.weighting == "ramp":
                msg += (
                    " A sample by weighting='ramp' repeats points; 'uniform' does not."
                )
            raise TooFewPointsError(msg) from error
        return codebook, ramp if self.point_weight == "ramp" else None

    def _n_columns(self, name: str) -> int:
        n_words: int = self.codebooks_[name].n_words
        return n_words

    def _n_numbers(self) -> int:
        n_words = self.n_words
        return int(max(n_words.values()) if isinstance(n_words, Mapping) else n_words)

    def _check_together(self, parts: tuple[str, ...]) -> None:
        super()._check_together(parts)
        most = self._n_numbers()
        if self.sample_size is not None and self.sample_size < most:
            raise ParameterError(
                "n_words",
                f"at most sample_size={self.sample_size}, the points to learn from",
                self.n_words,
                type(self).__name__,
            )


def _integer_seed(random_state: Any) -> int:
    """Return an int as it is; a RandomState or None gives one."""
    if is_integer(random_state, 0):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))
