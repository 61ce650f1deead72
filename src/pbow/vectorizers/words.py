"""The base of vectorizers with a codebook: sample, learn words, encode by them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from pbow._utils.checks import is_finite_number, is_integer
from pbow._utils.constraints import (
    Boolean,
    Constraint,
    Integer,
    OneOf,
    PerPart,
    Quantiles,
)
from pbow._utils.warn import warn_user
from pbow.codebook import GaussianCodebook, KMeansCodebook, Sizes
from pbow.codebook_size import SIZES, SizeCurve, choose_size
from pbow.diagrams import Diagrams
from pbow.errors import FewerWordsWarning, ParameterError
from pbow.estimator import value_of_part
from pbow.learning import PartSummary, Request
from pbow.vectorizers.points import PointVectorizer
from pbow.weighting import Ramp

__all__ = ["CodebookVectorizer", "NWords"]

Codebook = KMeansCodebook | GaussianCodebook
# Of one part: a size, one per resolution, or "auto".
NWords = int | tuple[int, ...] | str

# More starts than this are a mistyped number.
MOST_STARTS = 10_000
POINT_WEIGHTS: Mapping[str, int] = {"ramp": 1, "squared-ramp": 2}


def _is_n_words(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return (
            len(value) > 0
            and all(is_integer(size, 1) for size in value)
            and all(i < j for i, j in pairwise(value))
        )
    return is_integer(value, 1) or (isinstance(value, str) and value == "auto")


RAMP_QUANTILES = Constraint(
    lambda value: Quantiles.accepts(value) or _starts_at_zero(value),
    f"{Quantiles.expected}; low may be None",
)


def _starts_at_zero(value: Any) -> bool:
    return (
        isinstance(value, (tuple, list))
        and len(value) == 2
        and value[0] is None
        and is_finite_number(value[1])
        and 0.0 < value[1] <= 1.0
    )


class CodebookVectorizer(PointVectorizer):
    """Learn a codebook per part on a sample of its points, then encode diagrams.

    Subclasses choose the codebook (:meth:`_learn_words`) and the encoding
    (:meth:`_encode_words`).
    """

    size_parameter: ClassVar[str] = "n_words"
    # What it means, a sentence, that each distinct point is a word.
    of_fewer: ClassVar[str] = ""
    by_part: ClassVar[str] = "codebooks_"
    constraints: ClassVar[Mapping[str, Constraint]] = {
        "n_words": PerPart(
            Constraint(
                _is_n_words,
                "an int >= 1, a tuple of such in increasing order, or 'auto'",
            )
        ),
        "weighting": OneOf("uniform", "ramp"),
        "quantiles": RAMP_QUANTILES,
        "sample_size": Integer(1, optional=True),
        "whiten": Boolean,
        "point_weight": OneOf(None, *POINT_WEIGHTS),
        "normalize": OneOf(None, "sqrt", "sqrt-l2", "smooth-sqrt", "lipschitz"),
        "n_init": Integer(1, MOST_STARTS),
        **PointVectorizer.constraints,
    }

    ramps_: dict[str, Ramp | None]
    size_curves_: dict[str, SizeCurve | None]

    n_words: NWords | Mapping[str, NWords]
    weighting: str
    quantiles: tuple[float | None, float]
    sample_size: int | None
    whiten: bool
    point_weight: str | None
    normalize: str | None
    n_init: int
    random_state: Any

    @abstractmethod
    def _learn_words(
        self, sample: NDArray[np.float64], n_words: Sizes, seed: int
    ) -> Codebook:
        """Learn a codebook from points in birth-persistence coordinates.

        `n_words` is the size of one resolution, or of several. If there are fewer
        distinct points, each is a word, and there are no further resolutions.
        """

    @abstractmethod
    def _encode_words(
        self, X: Diagrams, codebook: Any, ramp: Ramp | None
    ) -> NDArray[Any]:
        """Encode one part, with the normalization of each resolution."""

    def _adapt_words(self, codebook: Any) -> Any:
        """Return the words as they are used, of those that were learnt."""
        return codebook

    def _request(self) -> Request:
        weighted = self.weighting == "ramp"
        has_ramp = weighted or self.point_weight is not None
        return Request(
            essential=self.essential,
            quantiles=self.quantiles if has_ramp else None,
            # Points drawn by weight may all lie in a corner of the others' range.
            has_extent=weighted,
            has_sample=True,
            size=self.sample_size,
            by_weight=weighted,
            seed=_integer_seed(self.random_state),
        )

    def _learn_from(
        self, parts: dict[str, PartSummary], request: Request
    ) -> dict[str, Any]:
        codebooks: dict[str, Codebook] = {}
        ramps: dict[str, Ramp | None] = {}
        curves: dict[str, SizeCurve | None] = {}
        for name, part in parts.items():
            assert part.sample is not None  # it was asked for
            codebooks[name], curves[name] = self._learn_resolutions(
                part.sample[:, :1] if part.births_only else part.sample,
                value_of_part(self.n_words, name),
                request.seed,
            )
            ramp, power = part.ramp, POINT_WEIGHTS.get(self.point_weight or "")
            ramps[name] = Ramp(ramp.low, ramp.high, power) if ramp and power else None
        # That essential classes have few distinct births is usual, and documented.
        self._warn_of_fewer(
            {name: codebooks[name] for name in parts if not parts[name].births_only}
        )
        return {"codebooks_": codebooks, "ramps_": ramps, "size_curves_": curves}

    def _learn_resolutions(
        self, sample: NDArray[np.float64], n_words: NWords, seed: int
    ) -> tuple[Codebook, SizeCurve | None]:
        curve = None
        if n_words == "auto":
            n_words, curve = choose_size(
                sample, lambda points, n: self._learn_words(points, n, seed)
            )
        codebook = self._learn_words(sample, _sizes(n_words), seed)
        return self._adapt_words(codebook), curve

    def _warn_of_fewer(self, codebooks: Mapping[str, Codebook]) -> None:
        """Warn, once for all parts, of fewer words than were asked for."""
        fewer, topic = [], []
        for name, codebook in codebooks.items():
            n_words = value_of_part(self.n_words, name)
            if n_words != "auto" and max(codebook.sizes) < max(_sizes(n_words)):
                there, asked = (
                    " + ".join(map(str, sizes))
                    for sizes in (codebook.sizes, _sizes(n_words))
                )
                has = f"part {name} has" if name else "the model has"
                noun = "word" if there == "1" else "words"
                fewer.append(f"{has} {there} {noun} instead of {asked}")
                topic.append((name, asked))
        if fewer:
            msg = (
                "There are fewer distinct points to learn from than words: "
                f"{', '.join(fewer)}. {self.of_fewer}Lower n_words, which may be a "
                "dict by part, or raise sample_size where it is the limit."
            )
            # Not by how many: each split of a cross-validation has another number.
            warn_user(msg, FewerWordsWarning, topic=tuple(topic))

    def _encode_part(self, name: str, part: Diagrams) -> NDArray[Any]:
        return self._encode_words(part, self.codebooks_[name], self.ramps_[name])

    def _column_names(self, name: str) -> list[str]:
        n_words = value_of_part(self.n_words, name)
        has_resolutions = isinstance(n_words, (tuple, list))
        return [
            f"n{size}_word{k}" if has_resolutions else f"word{k}"
            for size in self.codebooks_[name].sizes
            for k in range(size)
        ]

    def _check_learnt(self) -> None:
        super()._check_learnt()
        for name, codebook in self.codebooks_.items():
            n_words = value_of_part(self.n_words, name)
            asked = _sizes(n_words)
            if len(codebook.sizes) > len(asked) or codebook.sizes[-1] > asked[-1]:
                msg = f"its codebook of part {name!r} has more words than n_words."
                raise ValueError(msg)

    def _n_columns(self, name: str) -> int:
        n_words: int = self.codebooks_[name].n_words
        return n_words

    def _n_numbers(self) -> int:
        values = self.n_words
        each = values.values() if isinstance(values, Mapping) else [values]
        return max(sum(_sizes(value)) for value in each)


def _sizes(n_words: NWords) -> tuple[int, ...]:
    """Return the number of words of each resolution; of "auto", the most it may be."""
    if isinstance(n_words, str):
        return SIZES[-1:]
    if isinstance(n_words, (tuple, list)):
        return tuple(map(int, n_words))
    return (int(n_words),)


def _integer_seed(random_state: Any) -> int:
    """Return an int as it is; a RandomState or None gives one."""
    if is_integer(random_state, 0):
        return int(random_state)
    if not (random_state is None or isinstance(random_state, RandomState)):
        expected = "an int >= 0, a numpy RandomState, or None"
        raise ParameterError("random_state", expected, random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))
