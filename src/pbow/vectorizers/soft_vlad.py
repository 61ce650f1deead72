"""Soft persistence VLAD: residuals weighted by posteriors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from pbow._utils.constraints import Constraint, OneOf
from pbow.codebook import COVARIANCES, GaussianCodebook, Sizes, learn_gaussian
from pbow.diagrams import Diagrams
from pbow.residuals import SOFT_NORMALIZATIONS, encode_soft_residuals
from pbow.vectorizers.residuals import NO_RESIDUALS, TEMPERATURE, ResidualVectorizer
from pbow.vectorizers.words import NWords
from pbow.weighting import Ramp

__all__ = ["SoftPersistenceVLAD"]


class SoftPersistenceVLAD(ResidualVectorizer):
    """Soft persistence VLAD: residuals of points to all words, weighted by posteriors.

    Words are the components of a Gaussian mixture, as of
    :class:`~pbow.StablePersistenceBoW`. Each point is shared out among them by its
    posterior probabilities; features are, for each word, the sums of shares times the
    differences from the word's mean, in births and in persistences. They change
    smoothly with the points, but no Lipschitz constant is proven, and they do not know
    how many points lie symmetrically around a word.

    The defaults were chosen among a few settings, on small samples of the data sets at
    hand; :meth:`paper` gives the settings of the authors' program. Read more in the
    user guide.

    Parameters
    ----------
    n_words : int, tuple of int, "auto", or dict of such, default=(10, 30)
        Number of components, N. Each word has two features. A tuple gives several
        resolutions, learnt from one sample, whose columns stand side by side; "auto"
        chooses one by the Bayesian information criterion; a dict has one of these for
        each part. With fewer distinct points than components, each point has one, with
        a warning: its residual is 0, and so are all features. Resolutions that would
        coincide are learnt once.
    covariance : {"diag", "full", "tied"}, default="diag"
        Shape of the components: axis-parallel, any, or any but the same for all.
    temperature : float, default=2.0
        Widens the components: covariances are multiplied by its square, means and
        weights stay. 1.0 keeps the mixture as it was learnt. It is not the temperature
        of a softmax in a neural network.
    weighting : {"uniform", "ramp"}, default="uniform"
        Probability of a point to be sampled for the mixture: the same for all (without
        replacement), or growing linearly with persistence between two quantiles (with
        replacement).
    quantiles : (float or None, float), default=(0.05, 0.95)
        Where the ramp starts and ends: quantiles of the training persistences. With
        None it starts at 0.
    sample_size : int or None, default=10_000
        Number of points sampled for the mixture. None takes as many as there are.
    whiten : bool, default=True
        Learn and take differences in coordinates divided by the sample's standard
        deviations.
    point_weight : {None, "ramp", "squared-ramp"}, default=None
        Whether a point counts as 1 in the sums, as the ramp of its persistence, or as
        the square of that.
    normalize : {"sqrt", "sqrt-l2", "sqrt-l2-twice", None}, default="sqrt"
        Signed square roots of the sums; those divided by their L2 norm; the same a
        second time, as in the authors' program, which makes fourth roots of L2 norm 1;
        or the sums themselves. Each part and each resolution is normalized by itself.
    essential : {"drop", "separate"} or float, default="drop"
        What to do with essential points: leave them out; give them a codebook of their
        own over births, in a part ``<part>_inf`` with at most as many words as there
        are distinct births, and one feature per word; or take this number as
        their death.
    n_init : int, default=1
        Number of k-means starts, of which the best starts the mixture.
    n_jobs : int or None, default=None
        Number of threads: None is one, -1 as many as there are processors. The result
        does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seeds the sampling and the mixture.

    Attributes
    ----------
    codebooks_ : dict of str to GaussianCodebook
        The words of each part in birth-persistence coordinates, widened by the
        temperature; those of all resolutions one after another.
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
    PersistenceVLAD : Every point belongs to its nearest word.
    PersistenceFisherVector : Has the second moments, too.
    pbow.StablePersistenceBoW : Counts instead of differences.

    References
    ----------
    Jégou, Douze, Schmid, Pérez. Aggregating Local Descriptors into a Compact Image
    Representation. CVPR 2010.

    Examples
    --------
    >>> from pbow.vectorizers import SoftPersistenceVLAD
    >>> X = [[[0.0, 1.0], [0.1, 0.9], [0.5, 0.6]], [[0.5, 0.7], [0.2, 0.9]], []]
    >>> vlad = SoftPersistenceVLAD(n_words=2, random_state=0).fit(X)
    >>> vlad.transform(X).round(2)
    array([[ 0.  , -0.38, -0.7 ,  0.62],
           [ 0.  ,  0.38,  0.7 , -0.62],
           [ 0.  ,  0.  ,  0.  ,  0.  ]])
    >>> vlad.get_feature_names_out()[:2].tolist()
    ['word0_birth', 'word0_persistence']
    """

    short_name: ClassVar[str] = "soft-vlad"
    of_fewer: ClassVar[str] = NO_RESIDUALS
    features: ClassVar[tuple[str, ...]] = ("birth", "persistence")
    constraints: ClassVar[Mapping[str, Constraint]] = {
        "covariance": OneOf(*COVARIANCES),
        "temperature": TEMPERATURE,
        **ResidualVectorizer.constraints,
        "normalize": OneOf(*SOFT_NORMALIZATIONS),
    }

    codebooks_: dict[str, GaussianCodebook]

    def __init__(
        self,
        n_words: NWords | Mapping[str, NWords] = (10, 30),
        *,
        covariance: str = "diag",
        temperature: float = 2.0,
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
        self.covariance = covariance
        self.temperature = temperature
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
        vectorizer : SoftPersistenceVLAD
            Diagonal components in plain coordinates; square roots divided by their
            L2 norm, twice.

        Examples
        --------
        >>> from pbow.vectorizers import SoftPersistenceVLAD
        >>> SoftPersistenceVLAD.paper(20).get_params()["temperature"]
        1.0
        """
        settings: dict[str, Any] = {
            "temperature": 1.0,
            "whiten": False,
            "normalize": "sqrt-l2-twice",
        }
        return cls(n_words, **settings | params)

    def _learn_words(
        self, sample: NDArray[np.float64], n_words: Sizes, seed: int
    ) -> GaussianCodebook:
        return learn_gaussian(
            sample,
            n_words,
            covariance=self.covariance,
            whiten=bool(self.whiten),
            n_init=self.n_init,
            seed=seed,
            n_jobs=self.n_jobs,
        )

    def _adapt_words(self, codebook: GaussianCodebook) -> GaussianCodebook:
        return codebook.widened(self.temperature)

    def _encode_words(
        self, X: Diagrams, codebook: GaussianCodebook, ramp: Ramp | None
    ) -> NDArray[np.float64]:
        return encode_soft_residuals(
            X, codebook, ramp=ramp, normalize=self.normalize, n_jobs=self.n_jobs
        )
