"""Persistence bag-of-words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from pbow.codebook import KMeansCodebook, Sizes, learn_kmeans
from pbow.diagrams import Diagrams
from pbow.encoding import encode_counts
from pbow.vectorizers.words import CodebookVectorizer, NWords
from pbow.weighting import Ramp

__all__ = ["PersistenceBoW"]


class PersistenceBoW(CodebookVectorizer):
    """Persistence bag-of-words (PBoW): counts of points nearest to each word.

    Training diagrams are merged, sub-sampled and clustered by k-means. A diagram is
    then the histogram of its points over the clusters, square-rooted. It is not stable:
    a point halfway between two words can change sides.

    The defaults are those that won over the data sets at hand without tuning;
    :meth:`paper` gives the settings of the paper. Read more in the user guide.

    Parameters
    ----------
    n_words : int, tuple of int, "auto", or dict of such, default=(10, 30, 100)
        Size of the codebook, N in the paper. A tuple gives several resolutions, learnt
        from one sample, whose columns stand side by side; "auto" chooses one by the
        distortion of held-out points; a dict has one of these for each part. With fewer
        distinct points than words, each point is a word, with a warning; resolutions
        that would coincide are learnt once.
    weighting : {"uniform", "ramp"}, default="uniform"
        Probability of a point to be sampled for clustering: the same for all (without
        replacement), or growing linearly with persistence between two quantiles (with
        replacement).
    quantiles : (float or None, float), default=(0.05, 0.95)
        Where the ramp starts and ends: quantiles of the training persistences. With
        None it starts at 0.
    sample_size : int or None, default=10_000
        Number of points sampled for clustering, S in the paper. None takes as many as
        there are.
    whiten : bool, default=True
        Learn and compare in coordinates divided by the sample's standard deviations.
    point_weight : {None, "ramp", "squared-ramp"}, default=None
        Whether a point counts as 1 in the histogram, as the ramp of its persistence, or
        as the square of that.
    normalize : {"sqrt", "sqrt-l2", "smooth-sqrt", "lipschitz", None}, default="sqrt"
        Square roots of the counts; those divided by their L2 norm, as in the paper; the
        smooth roots sqrt(v + 0.1) - sqrt(0.1) of counts v; counts divided by 1 + their
        L2 norm; or the counts themselves. Each part and each resolution is normalized
        by itself.
    essential : {"drop", "separate"} or float, default="drop"
        What to do with essential points: leave them out; give them a codebook of their
        own over births, in a part ``<part>_inf`` with at most as many words as there
        are distinct births; or take this number as their death.
    n_init : int, default=1
        Number of k-means starts, of which the best is kept.
    n_jobs : int or None, default=None
        Number of threads: None is one, -1 as many as there are processors. The result
        does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seeds the sampling and the clustering.

    Attributes
    ----------
    codebooks_ : dict of str to KMeansCodebook
        The words of each part in birth-persistence coordinates, those of all
        resolutions one after another.
    parts_ : tuple of str
        The parts seen in fit.
    ranges_ : dict of str to SeenRange or None
        Births and persistences of the training points of each part, as far as known.
    ramps_ : dict of str to Ramp or None
        The weight of a point in the histogram, by part.
    size_curves_ : dict of str to SizeCurve or None
        With ``n_words="auto"``, the criterion by the number of words, by part.

    See Also
    --------
    StablePersistenceBoW : Soft counts, which change smoothly with the points.

    References
    ----------
    Zieliński, Lipiński, Juda, Zeppelzauer, Dłotko. Persistence Bag-of-Words for
    Topological Data Analysis. IJCAI 2019. Section 3.1.

    Examples
    --------
    >>> from pbow import PersistenceBoW
    >>> X = [[[0.0, 1.0], [0.0, 0.9], [0.5, 0.6]], [[0.5, 0.7]], []]
    >>> PersistenceBoW(n_words=2, random_state=0).fit_transform(X).round(2)
    array([[1.  , 1.41],
           [1.  , 0.  ],
           [0.  , 0.  ]])
    """

    short_name: ClassVar[str] = "pbow"

    codebooks_: dict[str, KMeansCodebook]

    def __init__(
        self,
        n_words: NWords | Mapping[str, NWords] = (10, 30, 100),
        *,
        weighting: str = "uniform",
        quantiles: tuple[float | None, float] = (0.05, 0.95),
        sample_size: int | None = 10_000,
        whiten: bool = True,
        point_weight: str | None = None,
        normalize: str | None = "sqrt",
        essential: str | float = "drop",
        n_init: int = 1,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_words = n_words
        self.weighting = weighting
        self.quantiles = quantiles
        self.sample_size = sample_size
        self.whiten = whiten
        self.point_weight = point_weight
        self.normalize = normalize
        self.essential = essential
        self.n_init = n_init
        self.n_jobs = n_jobs
        self.random_state = random_state

    @classmethod
    def paper(cls, n_words: NWords | Mapping[str, NWords] = 50, **params: Any) -> Self:
        """Return the descriptor with the settings of the paper and its program.

        Parameters
        ----------
        n_words : int, tuple of int, "auto", or dict of such, default=50
            Size of the codebook, N in the paper.
        **params
            Other parameters, which win over the paper's.

        Returns
        -------
        vectorizer : PersistenceBoW
            Words in plain coordinates, learnt on uniformly drawn points (the paper
            tries ``weighting="ramp"`` too); square roots divided by their L2 norm.

        Examples
        --------
        >>> from pbow import PersistenceBoW
        >>> PersistenceBoW.paper(20, weighting="ramp")
        PersistenceBoW(n_words=20, normalize='sqrt-l2', weighting='ramp', whiten=False)
        """
        settings: dict[str, Any] = {"whiten": False, "normalize": "sqrt-l2"}
        return cls(n_words, **settings | params)

    def _learn_words(
        self, sample: NDArray[np.float64], n_words: Sizes, seed: int
    ) -> KMeansCodebook:
        return learn_kmeans(
            sample,
            n_words,
            whiten=bool(self.whiten),
            n_init=self.n_init,
            seed=seed,
            n_jobs=self.n_jobs,
        )

    def _encode_words(
        self, X: Diagrams, codebook: KMeansCodebook, ramp: Ramp | None
    ) -> NDArray[np.float64]:
        return encode_counts(
            X, codebook, ramp=ramp, normalize=self.normalize, n_jobs=self.n_jobs
        )
