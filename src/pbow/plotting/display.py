"""A codebook and the labels of its words, as a Display like those of scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pbow._utils.checks import check_label_names, check_labels
from pbow.codebook import GaussianCodebook, KMeansCodebook
from pbow.encoding import encode_counts, encode_likelihoods
from pbow.errors import ParameterError
from pbow.plotting._axes import (
    COLORS,
    GRAY,
    LIGHT_GRAY,
    MARKERS,
    ORANGE,
    check_axes,
    without_formulas,
)
from pbow.plotting._checks import check_codebook, check_points, check_samples
from pbow.plotting.codebook import draw_codebook, thinned

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pbow.vectorizers import PersistenceBoW, StablePersistenceBoW

__all__ = ["CodebookDisplay"]

Floats = NDArray[np.float64]

# For a word that no diagram has a point near.
NOBODY = -1


class CodebookDisplay:
    """Codebook visualization: the words, the points below, and the label of each word.

    Made by :meth:`from_estimator`. All parameters are kept as attributes.

    Parameters
    ----------
    codebook : KMeansCodebook or GaussianCodebook
        The words, in the plane; of one resolution.
    points : array-like of shape (n_points, 2)
        Births and persistences to draw below the words.
    labels : array-like of shape (n_labels,), optional
        The labels.
    shares : array-like of shape (n_labels, n_words), optional
        The share of each word in the points of a label. Needed with `labels`.
    label_names : sequence of str, optional
        Names of the labels, for the legend. By default the labels themselves.

    Attributes
    ----------
    codebook, points, labels, label_names, shares
        As above, as arrays; None without labels.
    word_labels : ndarray of int of shape (n_words,) or None
        Index in `labels` of the label that a word has the largest share in, of equal
        ones the first; -1 for a word without points. None without labels.
    ax_ : matplotlib.axes.Axes
        Where :meth:`plot` has drawn.
    figure_ : matplotlib.figure.Figure
        The figure of these Axes.

    See Also
    --------
    plot_codebook : The words alone, with a sample of your own.
    plot_class_words : How many points diagrams of each label have near the words.

    Examples
    --------
    >>> from pbow import PersistenceBoW
    >>> from pbow.plotting import CodebookDisplay
    >>> X = [[[0, 1], [0, 2]], [[0, 1]], [[3, 9], [3, 8]], [[3, 8]]]
    >>> bow = PersistenceBoW(n_words=2, random_state=0).fit(X)
    >>> y = ["flat", "flat", "tall", "tall"]
    >>> display = CodebookDisplay.from_estimator(bow, X, y)
    >>> display.labels[display.word_labels].tolist()
    ['flat', 'tall']
    >>> [text.get_text() for text in display.ax_.get_legend().get_texts()]
    ['flat', 'tall']
    """

    ax_: Axes
    figure_: Any

    def __init__(
        self,
        codebook: KMeansCodebook | GaussianCodebook,
        points: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        shares: ArrayLike | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        if len(codebook.sizes) > 1:
            expected = "of one resolution, as codebook.resolutions[-1]"
            got = f"resolutions of {', '.join(map(str, codebook.sizes))} words"
            msg = f"Expected codebook to be {expected}; got {got}."
            raise ValueError(msg)
        self.codebook = codebook
        self.points = check_points(points, "points")
        self.labels, self.shares = _check_shares(labels, shares, codebook.n_words)
        self.label_names = _check_names(label_names, self.labels)

    @classmethod
    def from_estimator(
        cls,
        estimator: PersistenceBoW | StablePersistenceBoW,
        X: Any,
        y: ArrayLike | None = None,
        *,
        part: str | None = None,
        resolution: int | None = None,
        label_names: Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the codebook of a vectorizer, over diagrams and their labels.

        Parameters
        ----------
        estimator : PersistenceBoW or StablePersistenceBoW
            Fitted.
        X : Diagrams or list of array-like of shape (n_points_i, 2)
            Diagrams with the same parts as in fit. Their points are drawn in gray: all
            that are finite, or 5000 of them drawn at random.
        y : array-like of shape (n_samples,), optional
            Label of each diagram. The color and the shape of a word are those of the
            label that it has the largest share in. The shares of all words in a label
            add up to 1: of its points by their nearest words, or of its sums of
            likelihoods, without point weights and before normalization.
        part : str, optional
            Part to draw, for example ``"H1"``. Needed if there are several.
        resolution : int, optional
            Number of words of the resolution to draw, if the codebook has several. By
            default the finest.
        label_names : sequence of str, optional
            Names of the labels, in the order of the sorted labels of `y`. By default
            the labels themselves.
        ax : matplotlib.axes.Axes, optional
            Where to draw. By default in a new figure.

        Returns
        -------
        display : CodebookDisplay

        Raises
        ------
        ImportError
            Without matplotlib, which is in the extra ``plot``.
        """
        part, codebook = check_codebook(estimator, part, resolution)
        finite = check_samples(estimator, X, part)
        points = thinned(finite)
        if y is None:
            return cls(codebook, points, label_names=label_names).plot(ax)
        labels, members = np.unique(check_labels(y, len(finite)), return_inverse=True)
        if isinstance(codebook, KMeansCodebook):
            rows = encode_counts(finite, codebook)
        else:
            scale = getattr(estimator, "scale", "posterior")
            rows = encode_likelihoods(finite, codebook, scale=scale)
        sums = np.stack([rows[members == k].sum(axis=0) for k in range(len(labels))])
        totals = sums.sum(axis=1, keepdims=True)
        shares = np.divide(sums, totals, out=np.zeros_like(sums), where=totals > 0.0)
        display = cls(
            codebook, points, labels=labels, shares=shares, label_names=label_names
        )
        return display.plot(ax)

    @property
    def word_labels(self) -> NDArray[np.intp] | None:
        """Index in `labels` of the label that each word has the largest share in."""
        if self.shares is None:
            return None
        return np.where(self.shares.any(axis=0), self.shares.argmax(axis=0), NOBODY)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw. By default in a new figure.

        Returns
        -------
        display : CodebookDisplay
            With `ax_` and `figure_`.

        Raises
        ------
        ImportError
            Without matplotlib, which is in the extra ``plot``.
        """
        ax = check_axes(ax, 5.0 if self.labels is None else 5.8)
        words = draw_codebook(ax, self.codebook, [(self.points, LIGHT_GRAY)])
        for label, members, color, marker in self._groups():
            if isinstance(self.codebook, GaussianCodebook):
                for k in members:
                    ellipse = ax.patches[k - len(words)]
                    ellipse.set(facecolor=(color, 0.15), edgecolor=color)
            births, persistences = words[members].T
            ax.scatter(
                births,
                persistences,
                s=40.0,
                color=color,
                marker=marker,
                edgecolor="white",
                linewidths=0.6,
                zorder=3,
                label=label,
            )
        if self.labels is not None:
            # Beside the plane: words are everywhere in it.
            ax.legend(
                title="largest share in", loc="upper left", bbox_to_anchor=(1.0, 1.0)
            )
            without_formulas(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _groups(self) -> Iterator[tuple[str, NDArray[np.intp], str, str]]:
        """Yield the words that look alike: their name, places, color and shape."""
        if self.labels is None:
            yield "words", np.arange(self.codebook.n_words), ORANGE, "o"
            return
        for k, name in enumerate(self.label_names or ()):
            members = np.flatnonzero(self.word_labels == k)
            # After all colors, the same ones come with other shapes.
            marker = MARKERS[(k + k // len(COLORS)) % len(MARKERS)]
            yield name, members, COLORS[k % len(COLORS)], marker
        nobodys = np.flatnonzero(self.word_labels == NOBODY)
        if len(nobodys):
            yield "none", nobodys, GRAY, "o"


def _check_shares(
    labels: ArrayLike | None, shares: ArrayLike | None, n_words: int
) -> tuple[NDArray[Any] | None, Floats | None]:
    if labels is None and shares is None:
        return None, None
    known = np.asarray([] if labels is None else labels)
    values = np.asarray([] if shares is None else shares, dtype=np.float64)
    expected = (known.size, n_words)
    is_list = known.ndim == 1 and known.size > 0
    if not is_list or values.shape != expected or not (values >= 0.0).all():
        msg = (
            "Expected labels, and shares of shape (n_labels, n_words) = "
            f"{expected}, none below 0; got labels {labels!r:.100} and shares "
            f"{shares!r:.100}."
        )
        raise ValueError(msg)
    return known, values


def _check_names(
    label_names: Sequence[str] | None, labels: NDArray[Any] | None
) -> list[str] | None:
    if labels is not None:
        return [str(name) for name in check_label_names(label_names, labels)]
    if label_names is not None:
        raise ParameterError("label_names", "None without labels", label_names)
    return None
