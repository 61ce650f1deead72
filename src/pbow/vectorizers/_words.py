"""What every codebook vectorizer shares: sample, learn words, encode by them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from pbow._utils.checks import (
    check_choice,
    check_flag,
    check_integer,
    check_quantiles,
    is_integer,
    refuse,
)
from pbow.codebook import GaussianCodebook, KMeansCodebook, TooFewPointsError
from pbow.diagrams import Diagrams
from pbow.essential import ESSENTIAL_SUFFIX
from pbow.sampling import draw_sample, persistence_ramp
from pbow.vectorizers._base import PartsVectorizer
from pbow.weighting import Ramp

__all__ = ["CodebookVectorizer"]


class CodebookVectorizer(PartsVectorizer):
    """Learn a codebook a part on a sample of its points, then encode diagrams.

    Subclasses choose the codebook (:meth:`_learn_words`) and the encoding
    (:meth:`_encode`).
    """

    _by_part: ClassVar[str] = "codebooks_"

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
    def _encode(self, X: Diagrams, codebook: Any, ramp: Ramp | None) -> NDArray[Any]:
        """Encode one part, with the normalization."""

    def _learn(
        self, parts: dict[str, Diagrams], births_only: Collection[str]
    ) -> dict[str, Any]:
        seed = _integer_seed(self.random_state)
        codebooks: dict[str, KMeansCodebook | GaussianCodebook] = {}
        ramps: dict[str, Ramp | None] = {}
        for name, part in parts.items():
            codebooks[name], ramps[name] = self._fit_part(
                name, part, seed, never_dies=name in births_only
            )
        return {"codebooks_": codebooks, "ramps_": ramps}

    def _encode_part(self, name: str, part: Diagrams) -> NDArray[Any]:
        return self._encode(part, self.codebooks_[name], self.ramps_[name])

    def _column_names(self, name: str) -> list[str]:
        return [f"word{k}" for k in range(self.codebooks_[name].n_words)]

    def _fit_part(
        self, name: str, part: Diagrams, seed: int, *, never_dies: bool
    ) -> tuple[KMeansCodebook | GaussianCodebook, Ramp | None]:
        ramp = None
        # Points that never die have no persistence to be weighted by.
        if "ramp" in {self.weighting, self.point_weight} and not never_dies:
            ramp = persistence_ramp([part], self.quantiles)
        sample = draw_sample(
            [part],
            self.sample_size,
            ramp=ramp if self.weighting == "ramp" else None,
            seed=seed,
        )
        try:
            codebook = self._learn_words(
                sample[:, :1] if never_dies else sample,
                self._n_words(name),
                seed,
                allow_fewer=never_dies,
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

    def _n_words(self, name: str) -> int:
        if not isinstance(self.n_words, Mapping):
            return int(self.n_words)
        if name not in self.n_words:
            name = name.removesuffix(ESSENTIAL_SUFFIX)
        return int(self.n_words[name])

    def _check_params(self, parts: tuple[str, ...]) -> None:
        self._check_n_words(parts)
        check_integer(self, "sample_size", minimum=1, optional=True)
        check_choice(self, "weighting", ["uniform", "ramp"])
        check_quantiles(self, "quantiles")
        check_flag(self, "whiten")
        check_choice(self, "point_weight", [None, "ramp"])
        check_choice(self, "normalize", [None, "sqrt", "sqrt-l2", "lipschitz"])
        check_integer(self, "n_init", minimum=1)
        super()._check_params(parts)
        most = max(self._n_words(name) for name in parts)
        if self.sample_size is not None and self.sample_size < most:
            msg = (
                f"Cannot learn n_words={most} words from a sample of at most "
                f"sample_size={self.sample_size} points. Raise sample_size or lower "
                "n_words."
            )
            raise ValueError(msg)

    def _check_n_words(self, parts: tuple[str, ...]) -> None:
        if not isinstance(self.n_words, Mapping):
            check_integer(self, "n_words", minimum=1)
            return
        if not all(is_integer(n, 1) for n in self.n_words.values()):
            refuse(self, "n_words", "an int >= 1, or a dict of such by part")
        allowed = set(parts)
        if self.essential == "separate":
            allowed |= {name + ESSENTIAL_SUFFIX for name in parts}
        if not set(parts) <= set(self.n_words) <= allowed:
            names = ", ".join(parts)
            refuse(
                self, "n_words", f"given for each of the parts {names}, and no other"
            )


def _integer_seed(random_state: Any) -> int:
    """Return an int as it is; a RandomState or None gives one."""
    if is_integer(random_state, 0):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))
