"""The base of all estimators: vectorizers, kernels and transformers of diagrams.

A class declares its parameters (``constraints``), what it learns (annotated attributes
that end in an underscore) and its name on the command line (``short_name``). Checks,
saving, the command line and the tests ask the class; there is no list elsewhere.

``fit`` leaves one attribute, ``fitted_``: a copy of the estimator with the parameters
of that moment and with what was learnt. Everything that needs a fit works on that copy.
So ``set_params`` has no effect before the next fit, and a thread that transforms while
another one fits again sees the old model or the new one, never a mixture.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Mapping
from copy import copy, deepcopy
from functools import wraps
from typing import Any, ClassVar, Self, get_origin, get_type_hints

from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from pbow._conversion import is_table
from pbow._utils.constraints import Constraint, PerPart, check_parameter
from pbow.diagrams import UNNAMED, check_diagrams
from pbow.errors import ParameterError
from pbow.essential import ESSENTIAL_SUFFIX, check_suffix

__all__ = ["DiagramEstimator", "value_of_part"]

# A diagram then takes 80 MB. Who asks for more has mistyped a number.
MOST_NUMBERS = 10_000_000


# The result of fit_transform is that of transform, which subclasses have wrapped.
class DiagramEstimator(  # type: ignore[call-arg]
    TransformerMixin, BaseEstimator, metaclass=ABCMeta, auto_wrap_output_keys=None
):
    """Learn from persistence diagrams, and transform diagrams by what was learnt.

    Subclasses write ``__init__`` and say what is learnt (:meth:`_learn`).
    """

    # What the command line calls it.
    short_name: ClassVar[str] = ""
    # What each parameter may be.
    constraints: ClassVar[Mapping[str, Constraint]] = {}
    # The parameter that `_n_numbers` grows with.
    size_parameter: ClassVar[str] = ""

    parts_: tuple[str, ...]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Let ``transform`` run on the fitted copy, with all that wraps it.

        scikit-learn wraps it to give the output its column names: those of the model
        that has made the output, also if another thread has fitted again since.
        """
        super().__init_subclass__(**kwargs)
        transform = vars(cls).get("transform")
        if transform is not None:

            @wraps(transform)
            def on_the_fitted_copy(self: Any, X: Any, **options: Any) -> Any:
                return transform(self._model(), X, **options)

            cls.transform = on_the_fitted_copy

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from training diagrams.

        Parameters
        ----------
        X : Diagrams or list of array-like of shape (n_points_i, 2)
            Training diagrams. Several parts come as Diagrams, as a list of dicts
            ``{part: array}``, as a dict of lists or as a DataFrame with one column per
            part; the part of a plain list has no name.
        y : None
            Ignored; here for the scikit-learn API.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        checked = self._check_training(X)
        self.fitted_ = self._fit(checked.parts, lambda new: new._learn(checked))
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Learn from diagrams, and transform the same ones.

        Parameters
        ----------
        X : Diagrams or list of array-like of shape (n_points_i, 2)
            Training diagrams.
        y : None
            Ignored; here for the scikit-learn API.
        **fit_params
            None are known; here for the scikit-learn API.

        Returns
        -------
        result : ndarray or Diagrams
            What ``transform`` gives, with one row or diagram per sample.
        """
        checked = check_diagrams(X, min_samples=1)
        self.fit(checked, y, **fit_params)
        # scikit-learn gives the index of a DataFrame to the one that comes out.
        return self.transform(X if is_table(X) else checked)

    def _check_training(self, X: Any) -> Any:
        """Return training diagrams in a form that :meth:`_learn` takes."""
        return check_diagrams(X, min_samples=1)

    def _fit(self, parts: tuple[str, ...], learn: Callable[[Self], Any]) -> Self:
        """Return a copy with the parameters of now and what it learns."""
        # Not scikit-learn's clone, which takes as long as a small fit. Parameters do
        # not end in an underscore, and what a fit before this one has left does. What
        # begins with one is scikit-learn's own, of this object alone.
        fitted = object.__new__(type(self))
        fitted.__dict__ = {
            k: v
            for k, v in vars(self).items()
            if not k.endswith("_") and (k[0] != "_" or k == "_sklearn_output_config")
        }
        fitted.check_parameters(parts)
        learnt = learn(fitted)
        # Afterwards: a generator of random numbers is the caller's until it was used.
        fitted.__dict__ = {**deepcopy(vars(fitted)), "parts_": parts, **learnt}
        return fitted

    def check_parameters(self, parts: tuple[str, ...]) -> None:
        """Raise unless all parameters are good for diagrams with these parts.

        Parameters
        ----------
        parts : tuple of str
            Names of the parts.

        Raises
        ------
        ParameterError
            That carries the first parameter that is not.
        """
        for name, constraint in self.constraints.items():
            check_parameter(self, name, constraint)
            value = getattr(self, name)
            if isinstance(constraint, PerPart) and isinstance(value, Mapping):
                self._check_keys(name, value, parts)
        self._check_together(parts)
        n_numbers = self._n_numbers()
        if n_numbers > MOST_NUMBERS:
            raise ParameterError(
                self.size_parameter,
                f"small enough for {MOST_NUMBERS:,} numbers per part of a diagram",
                getattr(self, self.size_parameter),
                type(self).__name__,
                f"It asks for {n_numbers:,}.",
            )

    def _check_together(self, parts: tuple[str, ...]) -> None:
        """Raise unless the parameters go together, and with these parts."""
        check_suffix(getattr(self, "essential", None), parts)

    def _check_keys(
        self, name: str, value: Mapping[str, Any], parts: tuple[str, ...]
    ) -> None:
        allowed = set(parts)
        if getattr(self, "essential", None) == "separate":
            allowed |= {part + ESSENTIAL_SUFFIX for part in parts}
        if not set(parts) <= set(value) <= allowed:
            expected = f"given for each of the parts {', '.join(parts)}, and no other"
            if parts == (UNNAMED,):
                expected = "one for all: the diagrams have no named parts"
            raise ParameterError(name, expected, value, type(self).__name__)

    @abstractmethod
    def _learn(self, X: Any) -> dict[str, Any]:
        """Return the learnt attributes by name."""

    def _n_numbers(self) -> int:
        """Return how many numbers the parameters ask for, for a part of a diagram."""
        return 0

    def _check_learnt(self) -> None:
        """Raise a ValueError unless the learnt attributes, from a file, are sound.

        Each has the declared type already; here is checked that they go together.
        """

    @classmethod
    def learnt_types(cls) -> dict[str, Any]:
        """Return the attributes that fit learns with their types.

        They are those that end in an underscore and are annotated on the class.

        Returns
        -------
        types : dict of str to type
            The parts come first.
        """
        hints = get_type_hints(cls)
        learnt = {
            name: kind
            for name, kind in hints.items()
            if name.endswith("_") and get_origin(kind) is not ClassVar
        }
        return {"parts_": learnt.pop("parts_"), **learnt}

    def _model(self) -> Self:
        """Return the fitted copy for one call, with the `n_jobs` of now."""
        check_is_fitted(self)
        model: Self = copy(vars(self).get("fitted_", self))
        output = vars(self).get("_sklearn_output_config")
        if output is not None:  # what set_output has set since
            model._sklearn_output_config = output
        if "n_jobs" in self.constraints:
            check_parameter(self, "n_jobs", self.constraints["n_jobs"])
            model.n_jobs = self.n_jobs
        return model

    def __getattr__(self, name: str) -> Any:
        # Called for what is not found: learnt attributes are those of the fitted copy.
        if isinstance(getattr(type(self), name, None), property):
            return object.__getattribute__(self, name)  # with its own error
        if name.endswith("_") and not name.startswith("_") and "fitted_" in vars(self):
            return getattr(self.fitted_, name)
        msg = f"{type(self).__name__!r} object has no attribute {name!r}"
        raise AttributeError(msg)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags


def value_of_part(value: Any, name: str) -> Any:
    """Return the value of a part, of one that may be a dict by part.

    The essential classes of a part have its value, unless they have their own.
    """
    if not isinstance(value, Mapping):
        return value
    return value[name if name in value else name.removesuffix(ESSENTIAL_SUFFIX)]
