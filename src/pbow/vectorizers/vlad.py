"""Persistence VLAD: residuals to the nearest word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from pbow._utils.constraints import Constraint, OneOf
from pbow.codebook import KMeansCodebook, Sizes, learn_kmeans
from pbow.diagrams import Diagrams
from pbow.residuals import VLAD_NORMALIZATIONS, encode_residuals
from pbow.vectorizers.residuals import NO_RESIDUALS, ResidualVectorizer
from pbow.vectorizers.words import NWords
from pbow.weighting import Ramp

__all__ = ["PersistenceVLAD"]


class PersistenceVLAD(ResidualVectorizer):
    """Persistence VLAD (PVLAD): residuals of points to their nearest word, summed.

    VLAD is the vector of locally aggregated descriptors. Words are those of
    :class:`~pbow.PersistenceBoW`; instead of how many points are nearest to a word,
    features say on which side of it they lie: the sums of their differences from the
    word, in births and in persistences. It does not know how many points lie
    symmetrically around a word, and is not stable: a point halfway between two words
    can change sides.

    The defaults were chosen among a few settings, on small samples of the data sets at
    hand; :meth:`paper` gives the settings of the authors' program. Read more in the
    user guide.

    Parameters
    ----------
    n_words : int, tuple of int, "auto", or dict of such, default=(5, 10, 20)
        Size of the codebook, N. Each word has two features. A tuple gives several
        resolutions, learnt from one sample, whose columns stand side by side; "auto"
        chooses one by the distortion of held-out points; a dict has one of these for
        each part. With fewer distinct points than words, each point is a word, with a
        warning: its residual is 0, and so are all features. Resolutions that would
        coincide are learnt once.
    weighting : {"uniform", "ramp"}, default="uniform"
        Probability of a point to be sampled for clustering: the same for all (without
        replacement), or growing linearly with persistence between two quantiles (with
        replacement).
    quantiles : (float or None, float), default=(0.05, 0.95)
        Where the ramp starts and ends: quantiles of the training persistences. With
        None it starts at 0.
    sample_size : int or None, default=10_000
        Number of points sampled for clustering. None takes as many as there are.
    whiten : bool, default=True
        Learn, compare and take differences in coordinates divided by the sample's
        standard deviations.
    point_weight : {None, "ramp", "squared-ramp"}, default=None
        Whether a point counts as 1 in the sums, as the ramp of its persistence, or as
        the square of that.
    normalize : {"sqrt", "sqrt-l2", "sqrt-intra-l2", None}, default="sqrt"
        Signed square roots of the sums; those divided by their L2 norm; those divided
        by the L2 norm of each word, and then by the norm of the row, as in the authors'
        program; or the sums themselves. Each part and each resolution is normalized by
        itself.
    essential : {"drop", "separate"} or float, default="drop"
        What to do with essential points: leave them out; give them a codebook of their
        own over births, in a part ``<part>_inf`` with at most as many words as there
        are distinct births, and one feature per word; or take this number as
        their death.
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
        The weight of a point in the sums, by part.
    size_curves_ : dict of str to SizeCurve or None
        With ``n_words="auto"``, the criterion by the number of words, by part.

    See Also
    --------
    SoftPersistenceVLAD : Every point is shared out among all words.
    pbow.PersistenceBoW : Counts instead of differences.

    Notes
    -----
    The norm of each word (``"sqrt-intra-l2"``, intra-normalization [2]_) leaves the
    direction of its two sums. Of one essential part, with births alone, it leaves only
    the sign.

    References
    ----------
    .. [1] Jégou, Douze, Schmid, Pérez. Aggregating Local Descriptors into a Compact
       Image Representation. CVPR 2010.
    .. [2] Arandjelović, Zisserman. All About VLAD. CVPR 2013.

    Examples
    --------
    >>> from pbow.vectorizers import PersistenceVLAD
    >>> X = [[[0.0, 1.0], [0.1, 0.9], [0.5, 0.6]], [[0.5, 0.7], [0.2, 0.9]], []]
    >>> vlad = PersistenceVLAD(n_words=2, random_state=0).fit(X)
    >>> vlad.transform(X).round(2)
    array([[ 0.  , -0.38, -0.7 ,  0.62],
           [ 0.  ,  0.38,  0.7 , -0.62],
           [ 0.  ,  0.  ,  0.  ,  0.  ]])
    >>> vlad.get_feature_names_out()[:2].tolist()
    ['word0_birth', 'word0_persistence']
    """

    short_name: ClassVar[str] = "vlad"
    of_fewer: ClassVar[str] = NO_RESIDUALS
    features: ClassVar[tuple[str, ...]] = ("birth", "persistence")
    constraints: ClassVar[Mapping[str, Constraint]] = {
        **ResidualVectorizer.constraints,
        "normalize": OneOf(*VLAD_NORMALIZATIONS),
    }

    codebooks_: dict[str, KMeansCodebook]

    def __init__(
        self,
        n_words: NWords | Mapping[str, NWords] = (5, 10, 20),
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
        """Return the descriptor with the settings of the authors' program.

        Parameters
        ----------
        n_words : int, tuple of int, "auto", or dict of such, default=50
            Number of words.
        **params
            Other parameters, which win over the program's.

        Returns
        -------
        vectorizer : PersistenceVLAD
            Words in plain coordinates; square roots divided by the norm of each
            word and of the row.

        Examples
        --------
        >>> from pbow.vectorizers import PersistenceVLAD
        >>> PersistenceVLAD.paper(20)
        PersistenceVLAD(n_words=20, normalize='sqrt-intra-l2', whiten=False)
        """
        settings: dict[str, Any] = {"whiten": False, "normalize": "sqrt-intra-l2"}
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
        return encode_residuals(
            X, codebook, ramp=ramp, normalize=self.normalize, n_jobs=self.n_jobs
        )
