"""The base of vectorizers that learn from points: at once, in blocks, in batches."""

from __future__ import annotations

from abc import abstractmethod
from copy import deepcopy
from dataclasses import replace
from typing import Any, Self

from pbow._utils.checks import is_integer
from pbow._utils.warn import warn_user
from pbow.blocks import DiagramBlocks
from pbow.diagrams import Diagrams, check_diagrams
from pbow.learning import OnePass, PartSummary, Request, summarize
from pbow.vectorizers.base import Vectorizer
from pbow.vectorizers.seen import SeenRange

__all__ = ["PointVectorizer"]


class PointVectorizer(Vectorizer):
    """Learn from the points of all training diagrams, wherever these are.

    Subclasses say what is to be found out about the points (:meth:`_request`) and what
    is learnt from that (:meth:`_learn_from`).
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from training diagrams.

        Parameters
        ----------
        X : Diagrams, DiagramBlocks or list of array-like of shape (n_points_i, 2)
            Training diagrams. Several parts come as Diagrams, as a list of dicts
            ``{part: array}``, as a dict of lists or as a DataFrame with one column per
            part; the part of a plain list has no name. Blocks
            (:class:`~pbow.DiagramBlocks`) are read one at a time, at most three
            times, and lead to the same result as all diagrams in memory.
        y : None
            Ignored; here for the scikit-learn API.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        super().fit(X, y)
        self.__dict__.pop("batches_", None)
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Learn from one more batch of training diagrams.

        After each batch the estimator is what ``fit`` on all batches so far would have
        made, to the last bit. Between the batches it keeps a sample of the points, or
        their extent, and not the diagrams.

        Parameters
        ----------
        X : Diagrams or list of array-like of shape (n_points_i, 2)
            The batch, with the same parts as those before.
        y : None
            Ignored; here for the scikit-learn API.

        Returns
        -------
        self : object
            The estimator, fitted to all batches so far.

        Raises
        ------
        ValueError
            If what is learnt takes several passes over the diagrams, which is so for
            quantiles of the persistence (``"ramp"``); ``fit`` takes
            :class:`~pbow.DiagramBlocks` then. And if parameters have changed
            since the first batch.

        Warns
        -----
        UserWarning
            If the estimator was fitted otherwise before: it begins anew.

        Examples
        --------
        >>> from pbow import PersistenceBoW
        >>> X = [[[0.0, 1.0], [0.0, 0.9]], [[0.5, 0.7]], [[0.2, 0.3]]]
        >>> in_batches = PersistenceBoW(2, random_state=0)
        >>> in_batches = in_batches.partial_fit(X[:1]).partial_fit(X[1:])
        >>> at_once = PersistenceBoW(2, random_state=0).fit(X)
        >>> bool((in_batches.transform(X) == at_once.transform(X)).all())
        True
        """
        learner: OnePass | None = vars(self).get("batches_")
        if learner is None and "fitted_" in vars(self):
            msg = (
                f"This {type(self).__name__} was fitted by fit, or loaded, which keep "
                "no sample of the points: partial_fit begins anew."
            )
            warn_user(msg)
        X = check_diagrams(X, parts=self.parts_ if learner else None, min_samples=1)
        self.check_parameters(X.parts)
        request = self._request()
        if not request.takes_one_pass:
            msg = (
                "partial_fit sees each batch once, and quantiles of the persistence "
                "take several passes. Call fit on pbow.DiagramBlocks instead, "
                "or give no point a weight by a ramp."
            )
            raise ValueError(msg)
        if learner is not None and not is_integer(vars(self).get("random_state"), 0):
            # A generator, or None, has given its seed for the first batch.
            request = replace(request, seed=learner.request.seed)
        if learner is None:
            learner = OnePass(request)
        elif request != learner.request:
            msg = "Parameters have changed since the first batch. Begin with a new one."
            raise ValueError(msg)
        learner = deepcopy(learner).add(X)
        self.fitted_ = self._fit(
            X.parts, lambda new: new._learn_all(learner.summaries(), learner.request)
        )
        self.batches_ = learner
        return self

    @abstractmethod
    def _learn_from(
        self, parts: dict[str, PartSummary], request: Request
    ) -> dict[str, Any]:
        """Return the learnt attributes by name.

        `parts` are those with training points; `request` is what was asked of them.
        """

    def _request(self) -> Request:
        """Say what is to be found out about the training points."""
        return Request(essential=self.essential)

    def _check_training(self, X: Any) -> Diagrams | DiagramBlocks:
        return X if isinstance(X, DiagramBlocks) else super()._check_training(X)

    def _learn(self, X: Diagrams | DiagramBlocks) -> dict[str, Any]:
        request = self._request()
        return self._learn_all(summarize(X, request), request)

    def _learn_all(
        self, parts: dict[str, PartSummary], request: Request
    ) -> dict[str, Any]:
        ranges = {name: SeenRange.of_summary(part) for name, part in parts.items()}
        return {**self._learn_from(parts, request), "ranges_": ranges}
