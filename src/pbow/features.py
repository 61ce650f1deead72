"""Kernels on distances between feature vectors, and blocks that weigh the same."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.metrics import DistanceMetric
from sklearn.metrics.pairwise import check_pairwise_arrays
from sklearn.utils import Tags, gen_batches
from sklearn.utils.validation import FLOAT_DTYPES, check_is_fitted, validate_data

from pbow.errors import ParameterError

__all__ = ["DistanceScaler", "centered_distance_kernel", "distance_kernel"]

Floats = NDArray[np.float64]

# A tile of distances then has 8 MB: all steps on it stay in the processor's cache.
TILE = 1024
# Where a squared distance is less than this part of the squared norms that it is made
# of, too many digits have canceled, and it is computed from the difference of the rows.
CANCELED = 1e-6
# Differences of so many pairs are held at once.
PAIRS = 4096
# If more than this part of a tile has canceled, it is faster to compute all of it.
MANY = 0.1


def distance_kernel(U: ArrayLike, V: ArrayLike) -> Any:
    r"""Return the negative distances between feature vectors, :math:`-\|u - v\|`.

    A kernel for ``SVC(kernel=distance_kernel)``, and for everything else that accepts a
    conditionally positive definite kernel. On short histograms it is mostly better than
    a linear kernel.

    **Why there is no bandwidth.** Multiplying all distances by a number gives the same
    classifier as multiplying `C` by that number. So `C` is the only thing to search.

    **Why conditionally positive definite suffices.** The dual problem of a support
    vector machine has the constraint :math:`\sum_i \alpha_i y_i = 0`. Under it, a
    constant that is added to the kernel changes nothing, and the problem is convex
    as soon as :math:`\sum_{ij} c_i c_j K(u_i, u_j) \ge 0` for all `c` with sum 0, which
    holds for negative distances [1]_. For the same reason the similarity of the program
    of the authors of the persistence bag-of-words, the largest distance minus the
    distance, gives the same classifier. Methods without such a constraint, such as
    kernel ridge regression, need :func:`centered_distance_kernel`.

    **Cost.** One matrix product, and 8 bytes per pair: 10,000 by 10,000 vectors take
    800 MB, and little beyond that is held. The solver then takes time between quadratic
    and cubic in the number of samples. Entries have a relative error below 1e-8, also
    for rows that almost coincide: where digits cancel in the matrix product, the
    distance is computed from the difference of the two rows. Equal rows have
    similarity 0. Data in which many pairs almost coincide take up to ten times as long.

    Parameters
    ----------
    U : array-like of shape (n_u, n_features) or (n_features,)
        Feature vectors, or a single one.
    V : array-like of shape (n_v, n_features) or (n_features,)
        Feature vectors, or a single one. If it is the same object as `U`, half of the
        work is saved.

    Returns
    -------
    K : ndarray of shape (n_u, n_v) or float
        A number for two single vectors, which is how scikit-learn calls kernels in
        ``pairwise_kernels``.

    See Also
    --------
    centered_distance_kernel : For methods that need a positive semidefinite kernel.
    DistanceScaler : So that blocks of features weigh the same in distances.

    References
    ----------
    .. [1] B. Schölkopf, "The kernel trick for distances", Advances in Neural
       Information Processing Systems 13, 2000, pages 301-307.

    Examples
    --------
    >>> from pbow import StablePersistenceBoW
    >>> from pbow.features import distance_kernel
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import SVC
    >>> distance_kernel([[0.0, 0.0], [3.0, 4.0]], [[0.0, 0.0]])
    array([[ 0.],
           [-5.]])
    >>> X = [[[k % 2, 2.0 + k / 20]] * 3 for k in range(20)]
    >>> y = [k % 2 for k in range(20)]
    >>> words = StablePersistenceBoW(n_words=2, random_state=0)
    >>> model = make_pipeline(words, SVC(kernel=distance_kernel, C=10))
    >>> model.fit(X, y).score(X, y)
    1.0
    """
    if np.ndim(U) == np.ndim(V) == 1:
        return -_distance(U, V)
    return _negative_distances(*check_pairwise_arrays(U, V, dtype=float))


def centered_distance_kernel(
    U: ArrayLike, V: ArrayLike, origin: ArrayLike | None = None
) -> Any:
    r"""Return a positive semidefinite kernel that is made of distances.

    It is :math:`\|u - o\| + \|v - o\| - \|u - v\|` with an origin `o`. The last term is
    :func:`distance_kernel`; the others make the kernel positive semidefinite whatever
    the origin is, which kernel ridge regression and the Nyström method need. A support
    vector machine gives the same classifier for both kernels, and does not need this.

    ``SVC`` calls a kernel once, with all rows. ``Nystroem``, ``KernelPCA``,
    ``KernelRidge`` and all that use ``pairwise_kernels`` call it for **each pair of
    rows**, which takes some ten microseconds per pair: 1,000 by 1,000 rows take ten
    seconds. With ``kernel="precomputed"`` and a matrix of this function, the same takes
    a small part of one; the example shows it, with some rows as landmarks (Nyström).

    Parameters
    ----------
    U : array-like of shape (n_u, n_features) or (n_features,)
        Feature vectors, or a single one.
    V : array-like of shape (n_v, n_features) or (n_features,)
        Feature vectors, or a single one.
    origin : array-like of shape (n_features,), optional
        The same for training and test. None is the vector of zeros, for histograms that
        of an empty diagram. Pass the mean of the training rows if features are far from
        zero; in scikit-learn as ``kernel_params={"origin": mean}``.

    Returns
    -------
    K : ndarray of shape (n_u, n_v) or float
        A number for two single vectors.

    See Also
    --------
    distance_kernel : For support vector machines; has the cost and the accuracy.

    Examples
    --------
    >>> import numpy as np
    >>> from pbow.features import centered_distance_kernel
    >>> from sklearn.decomposition import KernelPCA
    >>> centered_distance_kernel([[3.0, 4.0], [0.0, 4.0]], [[3.0, 4.0]])
    array([[10.],
           [ 6.]])

    Two of three rows are landmarks; all three are mapped to features whose scalar
    products approximate the kernel, and a linear model does the rest.

    >>> H = np.array([[0.0, 1.0], [2.0, 0.0], [1.0, 1.0]])
    >>> landmarks = H[:2]
    >>> nystroem = KernelPCA(kernel="precomputed")
    >>> K = centered_distance_kernel(landmarks, landmarks)
    >>> Z = nystroem.fit(K).transform(centered_distance_kernel(H, landmarks))
    >>> Z.shape
    (3, 1)
    """
    if np.ndim(U) == np.ndim(V) == 1:
        o = _check_origin(origin, np.size(V))
        return _distance(U, o) + _distance(V, o) - _distance(U, V)
    A, B = check_pairwise_arrays(U, V, dtype=float)
    o = _check_origin(origin, B.shape[1])
    K = _negative_distances(A, B)
    from_a, from_b = (np.linalg.norm(rows - o, axis=1) for rows in (A, B))
    # Some rows at a time: all sums at once would be another matrix.
    for rows in gen_batches(len(K), TILE):
        K[rows] += from_a[rows, np.newaxis] + from_b
    return K


class DistanceScaler(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    r"""Center features, and divide all by one number: the typical distance of rows.

    Afterwards the root mean square of the distances between training rows is 1. So
    blocks of features that ``FeatureUnion`` joins weigh the same in a distance,
    whatever their units and numbers of columns are: words and statistics, or several
    homology dimensions. Within a block nothing changes but the unit.
    ``StandardScaler`` in contrast divides each column by its own number, and a block
    with more columns weighs more.

    The root mean square is used because it has a closed form: over all :math:`n^2`
    pairs of rows it is :math:`\sqrt{2 v}`, where `v` is the sum of the variances of the
    columns. It takes time proportional to the size of the data, where the plain mean of
    the distances takes quadratic time or a random sample.

    To give blocks different weights, use `transformer_weights` of ``FeatureUnion``.

    Attributes
    ----------
    mean_ : ndarray of shape (n_features,)
        Means of the training columns.
    scale_ : float
        Root mean square distance between training rows; 1 if all rows are equal.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if the training data had names.

    See Also
    --------
    distance_kernel : A kernel for support vector machines on the joined features.
    pbow.preprocessing.SelectParts : For one block per part.

    Examples
    --------
    Words and statistics, both with the same weight. The columns of statistics have
    different units, so they are standardized first.

    >>> from pbow import StablePersistenceBoW
    >>> from pbow.features import DistanceScaler, distance_kernel
    >>> from pbow.vectorizers import PersistenceStatistics
    >>> from sklearn.pipeline import make_pipeline, make_union
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.svm import SVC
    >>> blocks = make_union(
    ...     make_pipeline(
    ...         StablePersistenceBoW(n_words=2, random_state=0), DistanceScaler()
    ...     ),
    ...     make_pipeline(PersistenceStatistics(), StandardScaler(), DistanceScaler()),
    ... )
    >>> model = make_pipeline(blocks, SVC(kernel=distance_kernel))
    >>> X = [[[k % 2, 2.0 + k / 20]] * 3 for k in range(20)]
    >>> y = [k % 2 for k in range(20)]
    >>> model.fit(X, y).score(X, y)
    1.0
    """

    mean_: Floats
    scale_: float

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the means and the scale.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.
        y : None
            Ignored; here for the scikit-learn API.

        Returns
        -------
        self : object
            The fitted transformer.
        """
        X = validate_data(self, X, dtype=FLOAT_DTYPES)
        self.mean_ = X.mean(axis=0, dtype=float)
        # The mean of equal numbers may differ from them by rounding, and so would their
        # spread from 0.
        if np.all(X[0] == X):
            self.scale_ = 1.0
        else:
            centered = X - self.mean_
            # Squares of very large and very small numbers stay in range.
            unit = float(np.abs(centered).max())
            centered /= unit
            square = np.einsum("ij,ij->", centered, centered) / len(X)
            self.scale_ = unit * math.sqrt(2.0 * square)
        return self

    def transform(self, X: Any) -> Any:
        """Center rows and divide them by the scale.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_features)
            Rows in units of the root mean square distance between training rows.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=FLOAT_DTYPES, reset=False)
        scaled = X - self.mean_
        scaled /= self.scale_
        return scaled.astype(X.dtype, copy=False)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _negative_distances(U: Floats, V: Floats) -> Floats:
    """Return the negative distances between all pairs of rows, tile by tile.

    Squared distances are squared norms minus twice the scalar product. Rows are
    centered first, so that fewer digits cancel. The cost is that of the matrix product,
    half of it if both are one array, and that of a difference for each close pair.
    """
    is_same = U is V
    center = V.mean(axis=0)
    A = U - center
    B = A if is_same else V - center
    aa, bb = (np.einsum("ij,ij->i", rows, rows) for rows in (A, B))
    if not np.isfinite(aa.max() + bb.max()):
        msg = (
            "Expected feature vectors whose squared distances are finite numbers; got "
            f"values up to {max(np.abs(U).max(), np.abs(V).max()):.3g}. Scale them."
        )
        raise ValueError(msg)
    K = np.empty((len(U), len(V)))
    for rows in gen_batches(len(U), TILE):
        for columns in gen_batches(len(V), TILE):
            if is_same and columns.start < rows.start:
                continue
            norms = aa[rows, np.newaxis] + bb[columns]
            D = A[rows] @ B[columns].T
            D *= -2.0
            D += norms
            norms *= CANCELED
            _fill(D, norms >= D, U[rows], V[columns])
            np.sqrt(D, out=D)
            # Not the negative: that of 0.0 is -0.0.
            np.subtract(0.0, D, out=K[rows, columns])
            if is_same and columns != rows:
                np.subtract(0.0, D.T, out=K[columns, rows])
    return K


def _fill(D: Floats, where: NDArray[np.bool_], U: Floats, V: Floats) -> None:
    """Write the squared distances of some pairs of rows, from their differences."""
    if np.mean(where) > MANY:
        distances = DistanceMetric.get_metric("euclidean").pairwise(U, V)
        np.square(distances, out=D)
        return
    pairs = np.argwhere(where)
    for start in range(0, len(pairs), PAIRS):
        i, j = pairs[start : start + PAIRS].T
        differences = U[i] - V[j]
        D[i, j] = np.einsum("ij,ij->i", differences, differences)


def _distance(u: ArrayLike, v: ArrayLike) -> float:
    u, v = np.asarray(u, float), np.asarray(v, float)
    if u.shape != v.shape:
        msg = f"Expected vectors of equal length; got {u.size} and {v.size} features."
        raise ValueError(msg)
    difference = u - v
    return math.sqrt(difference @ difference)


def _check_origin(origin: ArrayLike | None, n_features: int) -> Floats:
    if origin is None:
        return np.zeros(n_features)
    o = np.asarray(origin, float)
    if o.shape != (n_features,) or not np.isfinite(o).all():
        expected = f"{n_features} finite numbers, one per feature"
        raise ParameterError("origin", expected, origin)
    return o
