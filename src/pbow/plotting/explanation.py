"""Figure of an explanation: the words in the plane, by what they say for a label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pbow._utils.checks import check_label_names, is_integer
from pbow.errors import ParameterError
from pbow.explain import WordExplanation
from pbow.plotting._axes import BLUE, GRAY, ORANGE, check_axes, without_formulas
from pbow.plotting._circles import add_key, draw_circles, draw_words_beyond, room_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_explanation"]


def plot_explanation(
    explanation: WordExplanation,
    label: Any,
    *,
    part: str | None = None,
    resolution: int | None = None,
    label_names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the words in the plane, colored by what they say for a label.

    One circle per word at its birth and persistence. Orange words speak for the label
    and blue words against it; the area of a circle is the size of the mean effect. Gray
    words are uncertain: their mean effect is within one standard deviation, over the
    folds, of 0. Full circles are words of which the label has more points than the
    average sample, empty circles those of which it has fewer. Words of essential
    classes have no persistence and are drawn on a line.

    Parameters
    ----------
    explanation : WordExplanation
        What :func:`pbow.explain.explain_words` returns.
    label : object
        One of its labels.
    part : str, optional
        Part to draw, for example ``"H1"`` or, for essential classes, ``"H1_inf"``.
        Needed if there are several.
    resolution : int, optional
        Number of words of the resolution to draw, if there are several. By default the
        finest.
    label_names : sequence of str, optional
        Names of all labels of the explanation, in the order of its `labels`. By default
        the labels themselves.
    ax : matplotlib.axes.Axes, optional
        Where to draw. By default in a new figure.

    Returns
    -------
    ax : matplotlib.axes.Axes
        ``ax.figure`` is the figure.

    Raises
    ------
    ImportError
        Without matplotlib, which is in the extra ``plot``.

    Examples
    --------
    >>> from pbow import PersistenceBoW
    >>> from pbow.explain import explain_words
    >>> from pbow.plotting import plot_explanation
    >>> from sklearn.svm import LinearSVC
    >>> X = [[[0, 1 + k % 3], [0, 9]] if k % 2 else [[0, 1 + k % 3]] for k in range(20)]
    >>> y = ["loop" if k % 2 else "none" for k in range(20)]
    >>> bow = PersistenceBoW(n_words=2, random_state=0).fit(X)
    >>> ax = plot_explanation(explain_words(bow, LinearSVC(), X, y), "loop")
    >>> ax.get_title()
    'what words say for loop'
    """
    if not isinstance(explanation, WordExplanation):
        expected = "a WordExplanation, as pbow.explain.explain_words returns it"
        raise ParameterError("explanation", expected, explanation)
    row = explanation.row_of(label)
    name = check_label_names(label_names, explanation.labels)[row]
    shown = _check_words(explanation, part, resolution)
    mean, std = explanation.mean[row, shown], explanation.std[row, shown]
    words = np.column_stack((explanation.births, explanation.persistences))[shown]
    is_line = bool(np.isinf(words).any())
    if is_line:
        words[:, 1] = 0.0
    more = explanation.differences[row, shown] >= 0.0
    colors = np.where(mean > 0.0, ORANGE, BLUE)
    colors = np.where(np.abs(mean) > std, colors, GRAY)
    sizes = np.abs(mean)
    ax = check_axes(ax, 6.0)
    limits = room_for(words, sizes)
    largest = float(sizes.max())
    draw_circles(ax, words, sizes, largest, colors.tolist(), filled=more.tolist())
    draw_words_beyond(ax, words, limits, colors.tolist())
    ax.set(
        xlabel="birth",
        ylabel="" if is_line else "persistence",
        title=f"what words say for {name}",
        **limits,
    )
    if is_line:
        ax.set_yticks([])
    if largest > 0.0:
        what = "mean effect,\nfor or against"
        # Axes keep one legend; the next one would replace it.
        ax.add_artist(add_key(ax, largest, len(words), what, low=True))
    _add_legend(ax, name)
    without_formulas(ax)
    return ax


def _check_words(
    explanation: WordExplanation, part: str | None, resolution: int | None
) -> NDArray[np.intp]:
    """Return the columns of one part and resolution."""
    parts = list(dict.fromkeys(explanation.parts.tolist()))
    if part is None and len(parts) == 1:
        [part] = parts
    if part not in parts:
        expected = f"one of {', '.join(map(repr, parts))}, the parts with words"
        raise ParameterError("part", expected, part)
    of_part = explanation.parts == part
    sizes = np.unique(explanation.resolutions[of_part]).tolist()
    if resolution is None:
        resolution = sizes[-1]
    if not is_integer(resolution, 1) or resolution not in sizes:
        expected = f"one of {', '.join(map(str, sizes))}, the numbers of words"
        raise ParameterError("resolution", expected, resolution)
    return np.flatnonzero(of_part & (explanation.resolutions == resolution))


def _add_legend(ax: Axes, label: str) -> None:
    from matplotlib.lines import Line2D  # noqa: PLC0415

    looks = (
        (f"for {label}", ORANGE, (ORANGE, 0.4)),
        (f"against {label}", BLUE, (BLUE, 0.4)),
        ("uncertain", GRAY, (GRAY, 0.4)),
        ("more points", "black", ("black", 0.4)),
        ("fewer points", "black", "none"),
    )
    handles = [
        Line2D(
            [],
            [],
            linestyle="",
            marker="o",
            markersize=8.0,
            markeredgecolor=edge,
            markerfacecolor=face,
            label=text,
        )
        for text, edge, face in looks
    ]
    # Beside the plane: words are everywhere in it.
    ax.legend(
        handles=handles, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False
    )
