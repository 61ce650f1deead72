"""Persistence Fisher vector: gradients of the log-likelihood."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from pbow._utils.constraints import Constraint, OneOf
from pbow.codebook import GaussianCodebook, Sizes, learn_gaussian
from pbow.diagrams import Diagrams
from pbow.residuals import FISHER_NORMALIZATIONS, check_diagonal, encode_gradients
from pbow.vectorizers.residuals import TEMPERATURE, ResidualVectorizer
from pbow.vectorizers.words import NWords
from pbow.weighting import Ramp

__all__ = ["PersistenceFisherVector"]


class PersistenceFisherVector(ResidualVectorizer):
    """Persistence Fisher vector (PFV): how a diagram would change the mixture.

    Words are the components of a Gaussian mixture with diagonal covariances. Features
    are the gradients of a diagram's log-likelihood by the means and the variances of
    the components, in units of the Fisher information: for each word, the sums of
    posterior-weighted differences from the mean and of squared differences less the
    variance. With a temperature of 1, a diagram that looks like all training points
    together is close to 0; above it, points are nearer to the means than the variance,
    so that gradients by variances know how many points there are. No Lipschitz constant
    is proven.

    The defaults were chosen among a few settings, on small samples of the data sets at
    hand; :meth:`paper` gives the settings of the authors' program. Read more in the
    user guide.

    Parameters
    ----------
    n_words : int, tuple of int, "auto", or dict of such, default=(10, 30)
        Number of components, N. Each word has four features. A tuple gives several
        resolutions, learnt from one sample, whose columns stand side by side; "auto"
        chooses one by the Bayesian information criterion; a dict has one of these for
        each part. With fewer distinct points than components, each point has one, with
        a warning; resolutions that would coincide are learnt once.
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
        Learn in coordinates divided by the sample's standard deviations. Features have
        no unit either way.
    point_weight : {None, "ramp", "squared-ramp"}, default=None
        Whether a point counts as 1 in the sums, as the ramp of its persistence, or as
        the square of that.
    normalize : {"sqrt", "sqrt-l2", None}, default="sqrt"
        Signed square roots; those divided by their L2 norm: the improved Fisher vector
        [2]_, as in the authors' program; or the gradients themselves. Each part and
        each resolution is normalized by itself.
    essential : {"drop", "separate"} or float, default="drop"
        What to do with essential points: leave them out; give them a codebook of their
        own over births, in a part ``<part>_inf`` with at most as many words as there
        are distinct births, and two features per word; or take this number as
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
    SoftPersistenceVLAD : Only the differences from means, not scaled by the components.
    pbow.StablePersistenceBoW : Counts instead of gradients.

    Notes
    -----
    The gradients are sums over the points and are not divided by the number of points,
    which the L2 norm removes in any case. The authors' program, by VLFeat, divides by
    it and skips posteriors under 1e-6; its columns are all gradients by means before
    all gradients by variances. Here the features of a word stand together.

    References
    ----------
    .. [1] Perronnin, Dance. Fisher Kernels on Visual Vocabularies for Image
       Categorization. CVPR 2007.
    .. [2] Perronnin, Sánchez, Mensink. Improving the Fisher Kernel for Large-Scale
       Image Classification. ECCV 2010.
    .. [3] Sánchez, Perronnin, Mensink, Verbeek. Image Classification with the Fisher
       Vector: Theory and Practice. International Journal of Computer Vision, 2013.

    Examples
    --------
    >>> from pbow.vectorizers import PersistenceFisherVector
    >>> X = [[[0.0, 1.0], [0.1, 0.9], [0.5, 0.6]], [[0.5, 0.7], [0.2, 0.9]], []]
    >>> fisher = PersistenceFisherVector(n_words=1, random_state=0).fit(X)
    >>> fisher.transform(X).round(2)
    array([[-0.66,  0.56, -1.22, -1.21],
           [ 0.66, -0.56, -1.08, -1.09],
           [ 0.  ,  0.  ,  0.  ,  0.  ]])
    >>> fisher.get_feature_names_out()[:2].tolist()
    ['word0_mean_birth', 'word0_mean_persistence']
    """

    short_name: ClassVar[str] = "fisher"
    features: ClassVar[tuple[str, ...]] = (
        "mean_birth",
        "mean_persistence",
        "variance_birth",
        "variance_persistence",
    )
    constraints: ClassVar[Mapping[str, Constraint]] = {
        "temperature": TEMPERATURE,
        **ResidualVectorizer.constraints,
        "normalize": OneOf(*FISHER_NORMALIZATIONS),
    }

    codebooks_: dict[str, GaussianCodebook]

    def __init__(
        self,
        n_words: NWords | Mapping[str, NWords] = (10, 30),
        *,
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
        vectorizer : PersistenceFisherVector
            A mixture in plain coordinates; square roots divided by their L2 norm.

        Examples
        --------
        >>> from pbow.vectorizers import PersistenceFisherVector
        >>> PersistenceFisherVector.paper(20).get_params()["temperature"]
        1.0
        """
        settings: dict[str, Any] = {
            "temperature": 1.0,
            "whiten": False,
            "normalize": "sqrt-l2",
        }
        return cls(n_words, **settings | params)

    def _learn_words(
        self, sample: NDArray[np.float64], n_words: Sizes, seed: int
    ) -> GaussianCodebook:
        return learn_gaussian(
            sample,
            n_words,
            covariance="diag",
            whiten=bool(self.whiten),
            n_init=self.n_init,
            seed=seed,
            n_jobs=self.n_jobs,
        )

    def _adapt_words(self, codebook: GaussianCodebook) -> GaussianCodebook:
        return codebook.widened(self.temperature)

    def _check_learnt(self) -> None:
        super()._check_learnt()
        for codebook in self.codebooks_.values():
            check_diagonal(codebook)

    def _encode_words(
        self, X: Diagrams, codebook: GaussianCodebook, ramp: Ramp | None
    ) -> NDArray[np.float64]:
        return encode_gradients(
            X, codebook, ramp=ramp, normalize=self.normalize, n_jobs=self.n_jobs
        )
