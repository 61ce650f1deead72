"""From a classifier to its words, from words to points, from points to raw data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier
from sklearn.model_selection import check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from pbow._utils.checks import check_labels, is_finite_number, is_integer
from pbow._utils.optional import import_optional
from pbow.codebook import GaussianCodebook, KMeansCodebook
from pbow.diagrams import Diagrams, check_diagrams
from pbow.encoding import encode_counts, encode_likelihoods
from pbow.errors import ParameterError, of_part
from pbow.essential import ESSENTIAL_SUFFIX, finite_parts

if TYPE_CHECKING:
    from pbow.vectorizers import PersistenceBoW, StablePersistenceBoW

__all__ = [
    "WordExplanation",
    "WordPoints",
    "explain_words",
    "locate_word",
    "word_memberships",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Codebook = KMeansCodebook | GaussianCodebook

# Points whose memberships are in memory at once: 8 MB for 100 words.
POINTS_AT_ONCE = 10_000


class _Word(NamedTuple):
    """A word: its feature, its part, the codebook of its resolution, its place in it.

    `diagrams` is the part of the diagrams that has its points: for the essential
    classes of H1, that is H1.
    """

    name: str
    part: str
    diagrams: str
    codebook: Codebook
    place: int


class WordPoints(NamedTuple):
    """The points that fall to one word, and where they are in the raw data.

    Attributes
    ----------
    samples : ndarray of int of shape (n_points,)
        Sample of each point.
    points : ndarray of shape (n_points, 2)
        Birth and death.
    memberships : ndarray of shape (n_points,)
        How much of each point belongs to the word, up to 1.
    births, deaths : ndarray of int of shape (n_points, k)
        Vertices, or pixels in C order, of birth and of death; -1 fills up rows.
    """

    samples: Ints
    points: Floats
    memberships: Floats
    births: Ints
    deaths: Ints


@dataclass(frozen=True, eq=False)
class WordExplanation:
    """What the words say for the labels under a classifier, by :func:`explain_words`.

    Words are in the order of the features of the vectorizer.

    Attributes
    ----------
    names : ndarray of str objects of shape (n_words,)
        Features, as ``get_feature_names_out`` names them.
    parts : ndarray of str objects of shape (n_words,)
        Part of each word.
    resolutions : ndarray of int of shape (n_words,)
        Number of words of the codebook that a word is of.
    births, persistences : ndarray of shape (n_words,)
        Place of each word; persistences of essential classes are ``inf``.
    labels : ndarray of shape (n_labels,)
        The sorted labels.
    effects : ndarray of shape (n_folds, n_labels, n_words)
        What a word says for a label in each fold: above 0 for it, below 0 against it.
    differences : ndarray of shape (n_labels, n_words)
        Points per diagram: how many points of a diagram fall to the word, averaged over
        the label, minus the average of all samples. For sPBoW, each point counts by its
        membership. Without weights and normalization. A word may speak for a label
        because the label has more points there, or because it has fewer.
    accuracies : ndarray of shape (n_folds,)
        Accuracy on the held-out samples, from 0 to 1. A classifier that errs explains
        nothing.

    See Also
    --------
    pbow.plotting.plot_explanation : The words in the plane, by what they say.
    """

    names: NDArray[Any]
    parts: NDArray[Any]
    resolutions: Ints
    births: Floats
    persistences: Floats
    labels: NDArray[Any]
    effects: Floats
    differences: Floats
    accuracies: Floats

    @property
    def mean(self) -> Floats:
        """Mean effect over the folds, shape (n_labels, n_words)."""
        means: Floats = self.effects.mean(axis=0)
        return means

    @property
    def std(self) -> Floats:
        """Sample standard deviation over the folds, shape (n_labels, n_words)."""
        deviations: Floats = self.effects.std(axis=0, ddof=1)
        return deviations

    def row_of(self, label: Any) -> int:
        """Return the place of a label in `labels`.

        Parameters
        ----------
        label : object
            One of the labels.

        Returns
        -------
        row : int
        """
        known: list[Any] = self.labels.tolist()
        if isinstance(label, np.generic):
            label = label.item()
        if isinstance(label, (list, tuple, np.ndarray)) or label not in known:
            raise ParameterError("label", f"one of {known!r:.200}", label)
        return known.index(label)

    def top(
        self, label: Any, n_words: int = 5, *, more_points: bool = False
    ) -> list[str]:
        """Name the words that say most for a label, the first one most.

        Parameters
        ----------
        label : object
            One of the labels.
        n_words : int, default=5
            How many words at most. Words that say nothing for the label are left out.
        more_points : bool, default=False
            Whether to name only words that have more points in a diagram of the label
            than in an average one: those with points to look at.

        Returns
        -------
        names : list of str
        """
        row = self.row_of(label)
        if not is_integer(n_words, 1):
            raise ParameterError("n_words", "an int >= 1", n_words)
        effects = self.mean[row]
        order = np.argsort(-effects, kind="stable")
        speaks = effects[order] > 0.0
        if more_points:
            speaks &= self.differences[row, order] > 0.0
        return [str(name) for name in self.names[order[speaks][:n_words]]]

    def to_frame(self) -> Any:
        """Return a table with one row per label and word.

        Returns
        -------
        frame : pandas.DataFrame
            For each label, the words that say most for it first. Column "difference" is
            in points per diagram. Needs pandas.
        """
        pandas = import_optional(
            "pandas", extra="experiment", purpose="WordExplanation.to_frame"
        )
        n_labels, n_words = self.differences.shape
        frame = pandas.DataFrame(
            {
                "label": np.repeat(self.labels, n_words),
                "word": np.tile(self.names, n_labels),
                "part": np.tile(self.parts, n_labels),
                "resolution": np.tile(self.resolutions, n_labels),
                "birth": np.tile(self.births, n_labels),
                "persistence": np.tile(self.persistences, n_labels),
                "effect": self.mean.ravel(),
                "std": self.std.ravel(),
                "difference": self.differences.ravel(),
            }
        )
        return frame.sort_values(
            ["label", "effect"], ascending=[True, False], ignore_index=True
        )


def explain_words(
    vectorizer: PersistenceBoW | StablePersistenceBoW,
    classifier: Any,
    X: Any,
    y: ArrayLike,
    *,
    cv: Any = 5,
) -> WordExplanation:
    r"""Say which words speak for which label under a classifier, and how surely.

    **The effect of a word for a label** is how much the decision value of the label
    decreases if the word's feature is replaced by its mean over the training samples,
    averaged over the held-out samples of the label. For a linear classifier this is the
    coefficient times the difference of two means,
    :math:`w_{lj} (\bar h_{lj} - \bar h_j)`; for any other classifier it is computed by
    replacing. The classifier is fitted on the training samples of each fold, so that
    effects have a standard deviation over the folds.

    The vectorizer is fitted already, and its words are the same in all folds: words
    that are learned anew could not be compared. They are learned without labels, but
    accuracies are slightly optimistic if they were learned from `X`, too.

    Words whose features depend on each other, such as those of several resolutions at
    the same place, share their effect: another of them still has the information. For
    a clear picture, explain one resolution.

    Parameters
    ----------
    vectorizer : PersistenceBoW or StablePersistenceBoW
        Fitted.
    classifier : estimator
        A classifier of scikit-learn for the features, not necessarily fitted; copies of
        it are. Its decision values are those of ``decision_function``, or, without it,
        the probabilities; it has one of the two. For ``SVC``, the decision value of a
        label is the mean of its decisions against each other label.
    X : Diagrams or list of array-like of shape (n_points_i, 2)
        Diagrams with the same parts as in fit.
    y : array-like of shape (n_samples,)
        Label of each diagram; two or more different ones.
    cv : int or splitter of scikit-learn, default=5
        Number of stratified folds, in the order of the samples. Each label has at least
        as many samples. A splitter, as ``RepeatedStratifiedKFold``, is used as it is.

    Returns
    -------
    explanation : WordExplanation

    See Also
    --------
    pbow.features.distance_kernel : The classifier that the guide recommends.
    pbow.plotting.plot_explanation : The result as a figure.
    locate_word : The points of a word, in the raw data.

    Notes
    -----
    One call of the decision function per word and fold.

    Examples
    --------
    >>> import numpy as np
    >>> from pbow import PersistenceBoW
    >>> from pbow.explain import explain_words
    >>> from sklearn.svm import LinearSVC
    >>> X = [[[0, 1 + k % 3], [0, 9]] if k % 2 else [[0, 1 + k % 3]] for k in range(20)]
    >>> y = np.where(np.arange(20) % 2, "loop", "none")
    >>> bow = PersistenceBoW(n_words=2, random_state=0).fit(X)
    >>> explanation = explain_words(bow, LinearSVC(), X, y)
    >>> explanation.top("loop", 1), explanation.persistences.round(2).tolist()
    (['word1'], [1.95, 9.0])
    >>> float(explanation.accuracies.mean())
    1.0
    """
    words = _words_of(vectorizer)
    diagrams = check_diagrams(X, parts=vectorizer.parts_, min_samples=1)
    known = check_labels(y, len(diagrams))
    labels, codes = np.unique(known, return_inverse=True)
    folds = _folds(classifier, cv, known, labels, codes)
    H = np.asarray(vectorizer.transform(diagrams), dtype=np.float64)
    effects = np.empty((len(folds), len(labels), len(words)))
    accuracies = np.empty(len(folds))
    for k, (train, test) in enumerate(folds):
        fitted = clone(classifier).fit(H[train], known[train])
        held_out = H[test]
        accuracies[k] = np.mean(fitted.predict(held_out) == known[test])
        decide = _decision_function(fitted, len(labels))
        effects[k] = _fold_effects(decide, held_out, codes[test], H[train].mean(axis=0))
    counts = _count_points(vectorizer, diagrams)
    means = np.stack([counts[codes == k].mean(axis=0) for k in range(len(labels))])
    places = np.array([_place(word) for word in words])
    return WordExplanation(
        names=np.array([word.name for word in words], dtype=object),
        parts=np.array([word.part for word in words], dtype=object),
        resolutions=np.array([word.codebook.n_words for word in words]),
        births=places[:, 0],
        persistences=places[:, 1],
        labels=labels,
        effects=effects,
        differences=means - counts.mean(axis=0),
        accuracies=accuracies,
    )


def word_memberships(
    vectorizer: PersistenceBoW | StablePersistenceBoW, X: Any, word: int | str
) -> Floats:
    """Return how much of each point belongs to a word.

    For PBoW, 1 if it is the nearest word of its resolution and 0 otherwise. For sPBoW,
    the posterior probability (responsibility) of the word in the mixture of its
    resolution. This is what the point alone would add to the feature with
    ``scale="posterior"``, without weighting and normalization.

    Parameters
    ----------
    vectorizer : PersistenceBoW or StablePersistenceBoW
        Fitted.
    X : Diagrams or list of array-like of shape (n_points_i, 2)
        Diagrams with the same parts as in fit. One sample is ``X[3:4]``.
    word : int or str
        Column of the features, or its name, as ``"h1_n30_word4"``.

    Returns
    -------
    memberships : ndarray of shape (n_points,)
        For each point of the word's part, in the order of ``X["H1"].points``; 0 for
        essential points that the vectorizer leaves out or counts in other words.

    Examples
    --------
    >>> from pbow import PersistenceBoW, StablePersistenceBoW
    >>> from pbow.explain import word_memberships
    >>> X = [[[0, 1], [0, 2], [0, 5]], [[0, 6]]]
    >>> bow = PersistenceBoW(n_words=2, random_state=0).fit(X)
    >>> word_memberships(bow, X, "word1")
    array([0., 0., 1., 1.])
    >>> soft = StablePersistenceBoW(n_words=2, random_state=0).fit(X)
    >>> word_memberships(soft, [[[0, 3.5]]], "word1").round(1)
    array([0.5])
    """
    found = find_word(vectorizer, word)
    diagrams = check_diagrams(X, parts=vectorizer.parts_)
    memberships, _ = _memberships(vectorizer, diagrams, found)
    return memberships


def locate_word(
    vectorizer: PersistenceBoW | StablePersistenceBoW, X: Any, word: int | str
) -> WordPoints:
    """Find the points that fall to a word, and where they are in the raw data.

    A point falls to the word of which it has the largest membership, of all words of
    the same resolution: for PBoW the nearest, for sPBoW the most probable one.

    Parameters
    ----------
    vectorizer : PersistenceBoW or StablePersistenceBoW
        Fitted.
    X : Diagrams
        Diagrams with locations, which functions of :mod:`pbow.homology` compute if
        ``return_locations=True``; with the same parts as in fit. One sample is
        ``X[3:4]``.
    word : int or str
        Column of the features, or its name, as ``"h1_n30_word4"``.

    Returns
    -------
    found : WordPoints
        The most persistent points first.

    Raises
    ------
    ValueError
        If the diagrams have no locations.

    See Also
    --------
    pbow.plotting.plot_word_in_image : The result in an image.
    pbow.plotting.plot_word_in_graph : The result in a graph.
    pbow.plotting.plot_word_in_cloud : The result in a point cloud or a mesh.

    Examples
    --------
    Points with the pixels of their births and deaths, as of an image; the first word
    is the less persistent one.

    >>> from pbow import Diagrams, PersistenceBoW
    >>> from pbow.explain import locate_word
    >>> pixels = [[[5], [6]], [[9], [2]], [[7], [3]]]
    >>> X = Diagrams([[2, 7], [0, 1], [0, 2]], [0, 3], locations=pixels)
    >>> bow = PersistenceBoW(n_words=2, random_state=0).fit(X)
    >>> found = locate_word(bow, X, "word0")
    >>> found.points.tolist(), found.births.tolist(), found.deaths.tolist()
    ([[0.0, 2.0], [0.0, 1.0]], [[7], [9]], [[3], [2]])
    """
    found = find_word(vectorizer, word)
    diagrams = check_diagrams(X, parts=vectorizer.parts_)
    part = diagrams[found.diagrams]
    if part.locations is None:
        msg = (
            f"The diagrams{of_part(found.diagrams)} have no locations: where their "
            "points are in the raw data is not known. Compute them with "
            "return_locations=True, as in cubical(images, return_locations=True)."
        )
        raise ValueError(msg)
    memberships, falls = _memberships(vectorizer, diagrams, found)
    rows = np.flatnonzero(falls)
    rows = rows[np.argsort(-np.ptp(part.points[rows], axis=1), kind="stable")]
    return WordPoints(
        samples=np.searchsorted(part.offsets, rows, side="right") - 1,
        points=part.points[rows],
        memberships=memberships[rows],
        births=part.locations[rows, 0],
        deaths=part.locations[rows, 1],
    )


def find_word(vectorizer: Any, word: int | str) -> _Word:
    """Return the word of a column, or of its name."""
    words = _words_of(vectorizer)
    if is_integer(word, 0) and int(word) < len(words):
        return words[int(word)]
    for found in words:
        if isinstance(word, str) and found.name == word:
            return found
    expected = (
        f"a column from 0 to {len(words) - 1}, or its name, such as {words[-1].name!r}"
    )
    raise ParameterError("word", expected, word)


def _words_of(vectorizer: Any) -> list[_Word]:
    """Return the words in the order of the features, or raise if they are not words."""
    check_is_fitted(vectorizer)
    codebooks = getattr(vectorizer, "codebooks_", None)
    if not isinstance(codebooks, Mapping) or vectorizer.n_features_by_part() != {
        part: codebook.n_words for part, codebook in codebooks.items()
    }:
        msg = (
            "Only features that are words can be explained, so a fitted PersistenceBoW "
            f"or StablePersistenceBoW is expected; got {type(vectorizer).__name__}."
        )
        raise TypeError(msg)
    names = iter(vectorizer.get_feature_names_out())
    words = []
    for part, codebook in codebooks.items():
        diagrams = part.removesuffix(ESSENTIAL_SUFFIX) if codebook.births_only else part
        words += [
            _Word(str(next(names)), part, diagrams, resolution, k)
            for resolution in codebook.resolutions
            for k in range(resolution.n_words)
        ]
    return words


def _place(word: _Word) -> tuple[float, float]:
    book = word.codebook
    places = book.words if isinstance(book, KMeansCodebook) else book.means
    birth, *persistence = places[word.place].tolist()
    return birth, persistence[0] if persistence else np.inf


def _memberships(
    vectorizer: Any, X: Diagrams, word: _Word
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the memberships of all points, and which points fall to the word."""
    points = X[word.diagrams].points
    is_essential = np.isposinf(points[:, 1])
    # As it was in fit, where the parameter may have been changed since.
    essential = vars(vectorizer).get("fitted_", vectorizer).essential
    deaths = points[:, 1]
    if word.codebook.births_only:
        counts, deaths = is_essential, points[:, 0]
    elif is_finite_number(essential):
        counts = np.ones(len(points), dtype=bool)
        deaths = np.where(is_essential, float(essential), deaths)
    else:
        counts = ~is_essential
    encoded = np.column_stack((points[:, 0], deaths))[counts]
    memberships = np.zeros(len(points))
    falls = np.zeros(len(points), dtype=bool)
    kept = np.flatnonzero(counts)
    for first in range(0, len(kept), POINTS_AT_ONCE):
        rows = _encode_each(encoded[first : first + POINTS_AT_ONCE], word.codebook)
        those = kept[first : first + POINTS_AT_ONCE]
        memberships[those] = rows[:, word.place]
        falls[those] = rows.argmax(axis=1) == word.place
    return memberships, falls


def _encode_each(points: Floats, codebook: Codebook) -> Floats:
    """Encode each point as a diagram of its own."""
    return _count_part(Diagrams(points, np.arange(len(points) + 1)), codebook)


def _count_points(vectorizer: Any, X: Diagrams) -> Floats:
    """Return how many points of each diagram fall to each word, by memberships."""
    # As it was in fit, where the parameter may have been changed since.
    parts = finite_parts(X, vars(vectorizer).get("fitted_", vectorizer).essential)
    blocks = [_count_part(parts[k], book) for k, book in vectorizer.codebooks_.items()]
    return np.concatenate(blocks, axis=1)


def _count_part(part: Diagrams, codebook: Codebook) -> Floats:
    if isinstance(codebook, KMeansCodebook):
        return encode_counts(part, codebook)
    return encode_likelihoods(part, codebook, scale="posterior")


def _folds(
    classifier: Any,
    cv: Any,
    y: NDArray[Any],
    labels: NDArray[Any],
    codes: NDArray[np.intp],
) -> list[tuple[Ints, Ints]]:
    """Return training and test rows, or raise unless each fold has all labels."""
    is_instance = hasattr(classifier, "get_params") and not isinstance(classifier, type)
    if not is_instance or not is_classifier(classifier):
        expected = "a classifier of scikit-learn, such as SVC(kernel=distance_kernel)"
        raise ParameterError("classifier", expected, classifier)
    if len(labels) < 2:
        msg = (
            f"Expected two or more different labels; all {len(y)} samples have the "
            f"label {labels[0]!r}. There is nothing to tell apart."
        )
        raise ValueError(msg)
    if not hasattr(cv, "split"):
        if not is_integer(cv, 2):
            raise ParameterError("cv", "an int >= 2 or a splitter of scikit-learn", cv)
        counts = np.bincount(codes)
        if counts.min() < cv:
            few = labels.tolist()[int(counts.argmin())]
            msg = (
                f"Expected {cv} or more samples of each label, one per fold; label "
                f"{few!r} has {counts.min()}. Lower cv, or leave the label out."
            )
            raise ValueError(msg)
    splitter = check_cv(cv, y, classifier=True)
    folds = [(train, test) for train, test in splitter.split(np.zeros(len(y)), y)]
    if len(folds) < 2:
        msg = (
            f"Expected two or more folds, for a deviation over them; got {len(folds)}."
        )
        raise ValueError(msg)
    for k, fold in enumerate(folds):
        for rows, what in zip(fold, ("training", "held-out"), strict=True):
            n_samples = np.bincount(codes[rows], minlength=len(labels))
            if not n_samples.all():
                label = labels.tolist()[int(n_samples.argmin())]
                msg = (
                    f"Fold {k} has no {what} sample of label {label!r}. Choose a cv "
                    "with all labels in each fold, as StratifiedKFold has."
                )
                raise ValueError(msg)
    return folds


def _fold_effects(
    decide: Any, held_out: Floats, codes: NDArray[np.intp], means: Floats
) -> Floats:
    """Return the effects of one fold, shape (n_labels, n_words)."""
    own = decide(held_out)[np.arange(len(codes)), codes]
    counts = np.bincount(codes)
    effects = np.empty((len(counts), held_out.shape[1]))
    replaced = held_out.copy()
    for word, mean in enumerate(means):
        replaced[:, word] = mean
        falls = own - decide(replaced)[np.arange(len(codes)), codes]
        effects[:, word] = np.bincount(codes, weights=falls) / counts
        replaced[:, word] = held_out[:, word]
    return effects


def _decision_function(fitted: Any, n_labels: int) -> Any:
    """Return the function from rows to decision values, one column per label."""
    if not hasattr(fitted, "decision_function") and not hasattr(
        fitted, "predict_proba"
    ):
        expected = (
            "a classifier with decision_function or predict_proba: effects are changes "
            "of decision values"
        )
        raise ParameterError("classifier", expected, fitted)
    last = _last_step(fitted)
    pairwise = hasattr(last, "decision_function_shape") and n_labels > 2
    if pairwise:
        # Otherwise decisions are votes, which jump. Read when called: no new fit.
        last.set_params(decision_function_shape="ovo", break_ties=False)

    def decide(rows: Floats) -> Floats:
        if not hasattr(fitted, "decision_function"):
            return np.asarray(fitted.predict_proba(rows), dtype=np.float64)
        values = np.asarray(fitted.decision_function(rows), dtype=np.float64)
        if values.ndim == 1:
            return np.column_stack((-values, values))
        return _mean_of_pairs(values, n_labels) if pairwise else values

    return decide


def _last_step(fitted: Any) -> Any:
    while True:
        if isinstance(fitted, Pipeline):
            fitted = fitted.steps[-1][1]
        elif hasattr(fitted, "best_estimator_"):
            fitted = fitted.best_estimator_
        else:
            return fitted


def _mean_of_pairs(values: Floats, n_labels: int) -> Floats:
    """Average the decisions of each label against the others.

    Columns are the pairs (0, 1), (0, 2), ..., (1, 2), ...; positive is the first.
    """
    firsts, seconds = np.triu_indices(n_labels, 1)
    signs = np.zeros((len(firsts), n_labels))
    signs[np.arange(len(firsts)), firsts] = 1.0
    signs[np.arange(len(firsts)), seconds] = -1.0
    means: Floats = values @ signs / (n_labels - 1)
    return means
