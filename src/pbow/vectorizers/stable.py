"""Stable persistence bag-of-words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from pbow._utils.constraints import Constraint, Number, OneOf
from pbow.codebook import COVARIANCES, GaussianCodebook, Sizes, learn_gaussian
from pbow.diagrams import Diagrams
from pbow.encoding import encode_likelihoods
from pbow.stability import lipschitz_constant
from pbow.vectorizers.words import CodebookVectorizer, NWords
from pbow.weighting import Ramp

__all__ = ["StablePersistenceBoW"]

# Beyond these, words are points, or all the same.
LEAST_TEMPERATURE, MOST_TEMPERATURE = 1e-3, 1e3


class StablePersistenceBoW(CodebookVectorizer):
    """Stable persistence bag-of-words (sPBoW): soft counts of points by each word.

    Training diagrams are merged, sub-sampled and described by a Gaussian mixture. A
    diagram is then, for each component, the sum of its points' likelihoods: by default
    of their posterior probabilities, under components twice as wide as those learnt, in
    mixtures of 10, 30 and 100 components side by side. Soft counts change smoothly
    with the points, but only some settings, as those of :meth:`certified`, have a
    proven Lipschitz constant (see :func:`pbow.stability.lipschitz_constant`).

    The defaults are those that won over the data sets at hand without tuning;
    :meth:`paper` gives the settings of the paper. Read more in the user guide.

    Parameters
    ----------
    n_words : int, tuple of int, "auto", or dict of such, default=(10, 30, 100)
        Number of components, N in the paper. A tuple gives several resolutions, learnt
        from one sample, whose columns stand side by side; "auto" chooses one by the
        Bayesian information criterion; a dict has one of these for each part. With
        fewer distinct points than components, each point has one, with a warning;
        resolutions that would coincide are learnt once.
    covariance : {"diag", "full", "tied"}, default="diag"
        Shape of the components: axis-parallel; any; or that of all k-means clusters
        together, the same for each, which has a proven constant also with posteriors.
    temperature : float, default=2.0
        Widens the components: covariances are multiplied by its square, means and
        weights stay. 1.0 keeps the mixture as it was learnt. It is not the temperature
        of a softmax in a neural network, which would flatten the weights as well.
    scale : {"posterior", "peak", "density"}, default="posterior"
        What a point x adds to word i: its share w_i p_i(x) / sum_j w_j p_j(x), in all
        1; p_i(x) / p_i(mean_i), at most 1; or w_i p_i(x) as in the paper, in which a
        tight component drowns the others.
    dtype : {"float64", "float32"}, default="float64"
        Precision of the features. float32 is faster, to about six digits.
    weighting : {"uniform", "ramp"}, default="uniform"
        Probability of a point to be sampled for the mixture: the same for all (without
        replacement), or growing linearly with persistence between two quantiles (with
        replacement).
    quantiles : (float or None, float), default=(0.05, 0.95)
        Where the ramp starts and ends: quantiles of the training persistences. With
        None it starts at 0.
    sample_size : int or None, default=10_000
        Number of points sampled for the mixture, S in the paper. None takes as many as
        there are.
    whiten : bool, default=True
        Learn in coordinates divided by the sample's standard deviations. Means,
        covariances and densities are those of the original coordinates.
    point_weight : {None, "ramp", "squared-ramp"}, default=None
        Whether a point counts as 1 in the sums, as the ramp of its persistence, or as
        the square of that, which makes square roots stable.
    normalize : {"sqrt", "sqrt-l2", "smooth-sqrt", "lipschitz", None}, default="sqrt"
        Square roots of the sums; those divided by their L2 norm; the smooth roots
        sqrt(v + 0.1) - sqrt(0.1) of sums v; sums divided by 1 + their L2 norm; or the
        sums themselves. Each part and each resolution is normalized by itself.
    essential : {"drop", "separate"} or float, default="drop"
        What to do with essential points: leave them out; give them a mixture of their
        own over births, in a part ``<part>_inf`` with at most as many words as there
        are distinct births; or take this number as their death.
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
    stability_constant_ : float or None
        A proven C with ``max|v(B) - v(B')| <= C * W1(B, B')``, the 1-Wasserstein
        distance with the L-infinity metric in the birth-death plane, the largest over
        parts; None where none is proven (:func:`pbow.stability.obstacle` says why).

    See Also
    --------
    PersistenceBoW : Hard assignment: counts of points nearest to each word.
    pbow.features.distance_kernel : A better classifier on these features than a linear.
    pbow.stability.lipschitz_constant : The constant in another ground metric.

    References
    ----------
    Zieliński, Lipiński, Juda, Zeppelzauer, Dłotko. Persistence Bag-of-Words for
    Topological Data Analysis. IJCAI 2019. Section 3.2.

    Examples
    --------
    Two words, near persistence 1.5 and 4.5. A point near one of them counts for that
    one; a point between them counts for both, in all as 1.

    >>> from pbow import StablePersistenceBoW
    >>> X = [[[0, 1], [0, 2], [1, 2], [1, 3]], [[0, 4], [0, 5], [1, 5], [1, 6]]]
    >>> bow = StablePersistenceBoW(n_words=2, normalize=None, random_state=0).fit(X)
    >>> bow.transform([[[0, 1]], [[0, 2.5]], [[0, 3]], []]).round(2)
    array([[1.  , 0.  ],
           [0.82, 0.18],
           [0.5 , 0.5 ],
           [0.  , 0.  ]])

    Several resolutions stand side by side.

    >>> bow = StablePersistenceBoW(n_words=(1, 2), random_state=0).fit(X)
    >>> bow.get_feature_names_out().tolist()
    ['n1_word0', 'n2_word0', 'n2_word1']
    """

    short_name: ClassVar[str] = "spbow"
    constraints: ClassVar[Mapping[str, Constraint]] = {
        "covariance": OneOf(*COVARIANCES),
        "temperature": Number(LEAST_TEMPERATURE, MOST_TEMPERATURE),
        "scale": OneOf("density", "peak", "posterior"),
        "dtype": OneOf("float64", "float32"),
        **CodebookVectorizer.constraints,
    }

    codebooks_: dict[str, GaussianCodebook]

    def __init__(
        self,
        n_words: NWords | Mapping[str, NWords] = (10, 30, 100),
        *,
        covariance: str = "diag",
        temperature: float = 2.0,
        scale: str = "posterior",
        dtype: str = "float64",
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
        self.scale = scale
        self.dtype = dtype
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
            Number of components, N in the paper.
        **params
            Other parameters, which win over the paper's.

        Returns
        -------
        vectorizer : StablePersistenceBoW
            Diagonal components in plain coordinates, learnt on points drawn by the
            ramp (the paper tries ``weighting="uniform"`` too); densities, square roots
            divided by their L2 norm.

        Examples
        --------
        >>> from pbow import StablePersistenceBoW
        >>> StablePersistenceBoW.paper(20).get_params()["scale"]
        'density'
        """
        settings: dict[str, Any] = {
            "covariance": "diag",
            "temperature": 1.0,
            "scale": "density",
            "weighting": "ramp",
            "whiten": False,
            "normalize": "sqrt-l2",
        }
        return cls(n_words, **settings | params)

    @classmethod
    def certified(
        cls, n_words: NWords | Mapping[str, NWords] = (10, 30, 100), **params: Any
    ) -> Self:
        """Return the descriptor in a form whose Lipschitz constant is proven.

        Parameters
        ----------
        n_words : int, tuple of int, "auto", or dict of such, default=(10, 30, 100)
            Number of components.
        **params
            Other parameters, which win over these. If they leave nothing proven,
            ``stability_constant_`` is None.

        Returns
        -------
        vectorizer : StablePersistenceBoW
            Square roots of sums of posteriors, under components that share one
            covariance, of points weighted by the squared ramp of their persistence. The
            ramp reaches 1 at the first decile, so that nearly all points count fully.

        Examples
        --------
        >>> from pbow import StablePersistenceBoW
        >>> X = [[[0.0, 1.0], [0.0, 0.9], [0.5, 0.6]], [[0.5, 0.7]], []]
        >>> fitted = StablePersistenceBoW.certified(2, random_state=0).fit(X)
        >>> fitted.stability_constant_ > 0
        True
        """
        settings: dict[str, Any] = {
            "covariance": "tied",
            "temperature": 1.5,
            "point_weight": "squared-ramp",
            "quantiles": (None, 0.1),
        }
        return cls(n_words, **settings | params)

    @property
    def stability_constant_(self) -> float | None:
        """A proven Lipschitz constant of the fitted features, or None."""
        check_is_fitted(self)
        # Computed at the first look and never saved: no file can claim one.
        fitted = vars(self).get("fitted_", self)
        if "_constant" not in vars(fitted):
            fitted._constant = lipschitz_constant(fitted)
        constant: float | None = fitted._constant
        return constant

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
    ) -> NDArray[Any]:
        return encode_likelihoods(
            X,
            codebook,
            scale=self.scale,
            ramp=ramp,
            normalize=self.normalize,
            dtype=self.dtype,
            n_jobs=self.n_jobs,
        )
