"""Fitted estimators in a file: parameters and what was learnt, and no code.

A file holds numbers, strings and arrays only. Loading builds the estimator by its
constructor and sets what :data:`LEARNT` lists for its class, after checking that fit
could have made it; the file cannot name anything else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.random import BitGenerator, Generator, RandomState
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from pbow._utils.checks import is_finite_number
from pbow._utils.files import AnyPath
from pbow.codebook import GaussianCodebook, KMeansCodebook
from pbow.diagrams import LARGEST_COORDINATE, Diagrams
from pbow.errors import format_error
from pbow.essential import ESSENTIAL_SUFFIX, finite_parts
from pbow.io.container import MODEL, Arrays, read_container, write_container
from pbow.io.native import from_arrays, to_arrays
from pbow.kernels import (
    LandscapeKernel,
    MultiScaleKernel,
    SlicedWassersteinKernel,
    WassersteinKernel,
)
from pbow.preprocessing import (
    MostPersistent,
    PersistenceThreshold,
    Rescale,
    SelectParts,
)
from pbow.vectorizers import (
    PersistenceBoW,
    PersistenceImage,
    PersistenceLandscape,
    PersistenceStatistics,
    RiemannianHeatMap,
    StablePersistenceBoW,
)
from pbow.vectorizers.image import LEAST_WIDTH, ImageFrame
from pbow.vectorizers.landscape import LandscapeGrid
from pbow.vectorizers.riemannian import TangentSpace
from pbow.vectorizers.statistics import ALL_COLUMNS, BIRTH_COLUMNS
from pbow.weighting import Ramp

__all__ = ["load", "save"]

Learnt = Mapping[str, Any]
Check = Callable[[Any, Learnt], bool]

# Values that are written field by field, and built again by their constructors.
RECORDS: dict[str, type] = {
    cls.__name__: cls
    for cls in (
        Diagrams,
        KMeansCodebook,
        GaussianCodebook,
        ImageFrame,
        LandscapeGrid,
        TangentSpace,
        Ramp,
    )
}
SEQUENCES: dict[str, type] = {"list": list, "tuple": tuple}
# scikit-learn's own settings of an estimator, which are not of the model.
SETTINGS = {"_sklearn_output_config", "_metadata_request"}
RANDOM = (RandomState, Generator, BitGenerator)


def save(estimator: Any, path: AnyPath) -> None:
    """Save a fitted estimator of pbow to a file, usually named ``*.pbow``.

    The file has the parameters and what was learnt, as JSON and plain arrays: it can be
    loaded by later versions of Python and of pbow, and loading it runs no code. It is
    complete or not there: an interrupted write leaves the old file as it was.

    Parameters
    ----------
    estimator : fitted estimator
        A vectorizer, a kernel, or a transformer of :mod:`pbow.preprocessing`. Of a
        pipeline, save the steps of pbow, and the others with skops or joblib. A kernel
        is saved with its training diagrams.
    path : str or path-like
        The file to make or replace.

    Raises
    ------
    NotFittedError
        Before fit.
    TypeError
        For anything that is not an estimator of pbow.
    ValueError
        Where a parameter is not a number, a string, None, or a list or dict of such. A
        generator of random numbers as ``random_state`` is saved as None: it has no
        effect on what is fitted.
    OSError
        Where the file cannot be written.

    See Also
    --------
    load : Load the estimator.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pbow
    >>> X = [[[0.0, 1.0], [0.0, 0.9], [0.5, 0.6]], [[0.5, 0.7]], []]
    >>> bow = pbow.PersistenceBoW(n_words=2, random_state=0).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pbow.save(bow, Path(folder) / "model.pbow")
    ...     loaded = pbow.load(Path(folder) / "model.pbow")
    >>> loaded
    PersistenceBoW(n_words=2, random_state=0)
    >>> bool((loaded.transform(X) == bow.transform(X)).all())
    True
    """
    cls = type(estimator)
    if cls is Diagrams:
        msg = "Expected a fitted model, got Diagrams: use pbow.io.write_diagrams."
        raise TypeError(msg)
    if cls not in LEARNT:
        msg = (
            "Expected a vectorizer, kernel or transformer of pbow; "
            f"got {cls.__name__}. Of a pipeline, save the steps of pbow, as in "
            "pbow.save(pipeline[0], path), and the others with skops or joblib."
        )
        raise TypeError(msg)
    try:
        check_is_fitted(estimator)
    except NotFittedError as error:
        msg = f"This {cls.__name__} has learnt nothing yet. Call fit before save."
        raise NotFittedError(msg) from error
    parameters = estimator.get_params(deep=False)
    if isinstance(parameters.get("random_state"), RANDOM):
        parameters["random_state"] = None
    others = set(vars(estimator)) - set(parameters) - set(LEARNT[cls]) - SETTINGS
    if others:
        msg = (
            f"This {cls.__name__} has attributes that neither its parameters nor fit "
            f"set: {', '.join(sorted(others))}. Delete them, or keep them elsewhere."
        )
        raise ValueError(msg)
    arrays: Arrays = {}
    header = {
        "class": cls.__name__,
        "parameters": {
            name: _encode(value, arrays=None, what=f"parameter {name!r}")
            for name, value in parameters.items()
        },
        "learnt": {
            name: _encode(getattr(estimator, name), arrays, what=f"attribute {name!r}")
            for name in LEARNT[cls]
        },
    }
    _build(header, arrays)  # what cannot be loaded must not be saved
    write_container(path, MODEL, header, arrays)


def load(path: AnyPath) -> Any:
    """Load an estimator that :func:`save` saved.

    Parameters
    ----------
    path : str or path-like
        The file; its name does not matter.

    Returns
    -------
    estimator : fitted estimator
        Of the class that was saved. It gives the same features, to the last bit on the
        same machine.

    Raises
    ------
    FileFormatError
        Where the file is damaged, is no model, or was made by a newer pbow.
    OSError
        Where it cannot be read.

    See Also
    --------
    save : Save an estimator.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pbow
    >>> from pbow.preprocessing import Rescale
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pbow.save(Rescale().fit([[[0.0, 4.0]]]), Path(folder) / "scale.pbow")
    ...     pbow.load(Path(folder) / "scale.pbow").scales_
    {'H1': 4.0}
    """
    header, arrays = read_container(path, MODEL)
    # Forged numbers may overflow in the checks that refuse them.
    with format_error(path), np.errstate(all="ignore"):
        return _build(header, arrays)


def _build(header: Mapping[str, Any], arrays: Arrays) -> Any:
    """Make the estimator that a header describes, or raise a ValueError."""
    known = {cls.__name__: cls for cls in LEARNT}
    name = header.get("class")
    if not isinstance(name, str) or name not in known:
        msg = (
            f"its class is {name!r:.60}, which this pbow does not know. If a newer "
            f"pbow made it, update; known are {', '.join(known)}."
        )
        raise ValueError(msg)
    cls, unused = known[name], set(arrays)
    parameters = _decode_all(header.get("parameters"), {}, set())
    learnt = _decode_all(header.get("learnt"), arrays, unused)
    unknown = set(parameters) - set(cls().get_params(deep=False))
    if unknown or unused or set(learnt) != set(LEARNT[cls]):
        odd = unknown | unused | set(learnt) ^ set(LEARNT[cls])
        msg = f"it has more or less than a {name} has: {', '.join(sorted(odd))}."
        raise ValueError(msg)
    for attribute, check in LEARNT[cls].items():
        if not check(learnt[attribute], learnt):
            msg = f"its {attribute} is not what fit of {name} makes."
            raise ValueError(msg)
    # What was done with essential points in fit may differ from the parameter of now.
    essential = {"essential": learnt["_essential"]} if "_essential" in learnt else {}
    cls(**parameters | essential)._check_params(learnt["parts_"])
    estimator = cls(**parameters)
    vars(estimator).update(learnt)
    return estimator


def _encode(value: Any, arrays: Arrays | None, what: str) -> Any:
    """Return `value` as JSON holds it; an object has one key, which names its type.

    Arrays go to `arrays`; parameters have none.
    """
    if value is None or isinstance(value, (str, np.bool_, Real)):
        return _encode_scalar(value)
    if type(value) in SEQUENCES.values():
        items = [_encode(item, arrays, what) for item in value]
        return {type(value).__name__: items}
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {"dict": {k: _encode(v, arrays, what) for k, v in value.items()}}
    if arrays is not None and isinstance(value, np.ndarray):
        name = f"array{len(arrays)}"
        arrays[name] = value
        return {"array": name}
    if arrays is not None and type(value) in RECORDS.values():
        content = _encode(_fields_of(value), arrays, what)["dict"]
        return {type(value).__name__: content}
    msg = (
        f"Cannot save {what}, a {type(value).__name__}: expected a number, a string, "
        "None, or a list, tuple or dict of such."
    )
    raise ValueError(msg)


def _encode_scalar(value: Any) -> Any:
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        number = float(value)
        return number if math.isfinite(number) else {"float": repr(number)}
    return value


def _fields_of(record: Any) -> dict[str, Any]:
    if isinstance(record, Diagrams):
        header, arrays = to_arrays(record)
        return {**header, **arrays}
    return {field.name: getattr(record, field.name) for field in fields(record)}


def _decode(value: Any, arrays: Arrays, unused: set[str]) -> Any:
    """Return what :func:`_encode` was given, and strike its arrays off `unused`."""
    if not isinstance(value, (list, dict)):
        return value
    kind, content = "", None
    if isinstance(value, dict) and len(value) == 1:
        kind, content = next(iter(value.items()))
    if kind == "float" and content in ("inf", "-inf", "nan"):
        return float(content)
    if kind in SEQUENCES and isinstance(content, list):
        return SEQUENCES[kind](_decode(item, arrays, unused) for item in content)
    if kind == "array" and isinstance(content, str) and content in unused:
        unused.remove(content)
        return arrays[content]
    if kind == "dict":
        return _decode_all(content, arrays, unused)
    if kind in RECORDS:
        return _record(RECORDS[kind], _decode_all(content, arrays, unused))
    msg = f"it has a value that is none of pbow's: {value!r:.60}."
    raise ValueError(msg)


def _record(cls: type, values: dict[str, Any]) -> Any:
    if cls is Diagrams:
        return from_arrays({"parts": values.pop("parts", None)}, values)
    return cls(**values)


def _decode_all(values: Any, arrays: Arrays, unused: set[str]) -> dict[str, Any]:
    if not isinstance(values, dict):
        msg = f"expected an object with named values; got {values!r:.60}."
        raise ValueError(msg)
    return {name: _decode(value, arrays, unused) for name, value in values.items()}


def _is_parts(value: Any, learnt: Learnt) -> bool:
    """Whether a value is a tuple of names that a collection may have."""
    if not isinstance(value, tuple) or not all(isinstance(n, str) for n in value):
        return False
    empty: list[Any] = []
    return Diagrams.from_parts(dict.fromkeys(value, empty)).parts == value


def _is_some_parts(value: Any, learnt: Learnt) -> bool:
    return _is_parts(value, learnt) and set(value) <= set(learnt["parts_"])


def _is_essential(value: Any, learnt: Learnt) -> bool:
    return value in ("drop", "separate") or is_finite_number(value)


def _is_constant(value: Any, learnt: Learnt) -> bool:
    return value is None or (isinstance(value, float) and value >= 0.0)


def _is_size(value: Any) -> bool:
    return isinstance(value, float) and 0.0 <= value < math.inf


def _is_scale_by_part(value: Any, learnt: Learnt) -> bool:
    return (
        isinstance(value, dict)
        and tuple(value) == learnt["parts_"]
        and all(_is_size(scale) and scale > 0.0 for scale in value.values())
    )


def _is_ramp(value: Any) -> bool:
    return value is None or (
        isinstance(value, Ramp) and _is_size(value.low) and _is_size(value.high)
    )


def _is_ramp_by_codebook(value: Any, learnt: Learnt) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(learnt["codebooks_"], dict)
        and list(value) == list(learnt["codebooks_"])
        and all(_is_ramp(ramp) for ramp in value.values())
    )


def _is_learnable(codebook: KMeansCodebook | GaussianCodebook) -> bool:
    """Whether coordinates in their range lead to such numbers.

    Others would overflow in the loops that look words up, and these trust them.
    """
    smallest, largest = 1e-110, 4 * LARGEST_COORDINATE
    scale = codebook.scale
    if scale.min() < smallest or scale.max() > largest:
        return False
    if isinstance(codebook, KMeansCodebook):
        return bool(np.abs(codebook.words).max() <= largest)
    variances = np.diagonal(codebook.covariances, axis1=1, axis2=2)
    return bool(
        np.abs(codebook.means).max() <= largest
        and codebook.weights.max() < 1.0 + 1e-6
        and variances.min() >= smallest**2
        and variances.max() <= largest**2
    )


def _by_part(is_sound: Callable[[Any, bool], bool]) -> Check:
    """Return the check of a dict of parts; births alone are told apart by a bool."""

    def check(value: Any, learnt: Learnt) -> bool:
        if not isinstance(value, dict) or not value:
            return False
        parts = learnt["parts_"]
        births_only = set()
        if learnt["_essential"] == "separate":
            births_only = {name + ESSENTIAL_SUFFIX for name in parts} - set(parts)
        return all(
            (name in parts or name in births_only)
            and is_sound(one, name in births_only)
            for name, one in value.items()
        )

    return check


def _is_codebook(kind: type[KMeansCodebook] | type[GaussianCodebook]) -> Check:
    return _by_part(
        lambda codebook, births_only: (
            isinstance(codebook, kind)
            and _is_learnable(codebook)
            and len(codebook.scale) == (1 if births_only else 2)
        )
    )


def _is_range(value: Any) -> bool:
    return (
        isinstance(value, tuple)
        and len(value) == 2
        and all(isinstance(end, float) for end in value)
        and -4.0 * LARGEST_COORDINATE <= value[0] < value[1] <= 4.0 * LARGEST_COORDINATE
        and value[1] - value[0] >= LEAST_WIDTH
    )


def _is_grid(grid: Any, births_only: bool) -> bool:  # noqa: FBT001
    return (
        isinstance(grid, LandscapeGrid)
        and isinstance(grid.start, float)
        and isinstance(grid.stop, float)
        and -LARGEST_COORDINATE <= grid.start <= grid.stop <= LARGEST_COORDINATE
    )


def _is_space(space: Any, births_only: bool) -> bool:  # noqa: FBT001
    return (
        isinstance(space, TangentSpace)
        and len(space.limits) == (1 if births_only else 2)
        and bool(np.abs(space.limits).max() <= LARGEST_COORDINATE)
        # Of the unit sphere, and angles.
        and bool(np.abs(space.mean).max() < 1.0 + 1e-6)
        and bool(np.abs(space.origin).max() < math.pi + 1e-6)
        and bool(np.abs(space.components).max(initial=0.0) < 1.0 + 1e-6)
    )


def _is_frame(frame: Any, births_only: bool) -> bool:  # noqa: FBT001
    return (
        isinstance(frame, ImageFrame)
        and _is_range(frame.births)
        and (frame.persistences is None) == births_only
        and (births_only or _is_range(frame.persistences))
        and _is_size(frame.bandwidth)
        and frame.bandwidth > 0.0
        and _is_ramp(frame.ramp)
    )


def _is_columns(columns: Any, births_only: bool) -> bool:  # noqa: FBT001
    return bool(columns == (BIRTH_COLUMNS if births_only else ALL_COLUMNS))


def _is_training_set(value: Any, learnt: Learnt) -> bool:
    return isinstance(value, Diagrams) and value.parts == learnt["parts_"]


def _is_time_by_part(value: Any, learnt: Learnt) -> bool:
    """Whether the latest times of all parts are known where they are asked for."""
    parts = learnt["parts_"] if learnt["_essential"] == "separate" else ()
    return (
        isinstance(value, dict)
        and tuple(value) == parts
        and all(
            isinstance(time, float) and abs(time) <= LARGEST_COORDINATE
            for time in value.values()
        )
    )


def _is_compared(value: Any, learnt: Learnt) -> bool:
    known = set(finite_parts(learnt["X_fit_"], learnt["_essential"], learnt["ends_"]))
    return isinstance(value, tuple) and 0 < len(set(value) & known) == len(value)


def _is_bandwidth_by_part(value: Any, learnt: Learnt) -> bool:
    return (
        isinstance(value, dict)
        and tuple(value) == learnt["compared_"]
        # Of numbers whose squares are some, too: no data lead to others.
        and all(_is_size(w) and 1e-150 < w < 1e150 for w in value.values())
    )


_PARTS: dict[str, Check] = {"parts_": _is_parts}
_WORDS: dict[str, Check] = {
    **_PARTS,
    "_essential": _is_essential,
    "ramps_": _is_ramp_by_codebook,
}
_DESCRIPTOR: dict[str, Check] = {**_PARTS, "_essential": _is_essential}
_KERNEL: dict[str, Check] = {
    **_DESCRIPTOR,
    "X_fit_": _is_training_set,
    "ends_": _is_time_by_part,
    "compared_": _is_compared,
}
_WIDE_KERNEL: dict[str, Check] = {**_KERNEL, "bandwidths_": _is_bandwidth_by_part}
# What can be saved: each class with what fit sets, and how to tell that it is sound.
# Checked in this order; parts come first, as the others rely on them.
LEARNT: dict[type, dict[str, Check]] = {
    PersistenceBoW: {**_WORDS, "codebooks_": _is_codebook(KMeansCodebook)},
    StablePersistenceBoW: {
        **_WORDS,
        "codebooks_": _is_codebook(GaussianCodebook),
        "stability_constant_": _is_constant,
    },
    PersistenceImage: {**_DESCRIPTOR, "frames_": _by_part(_is_frame)},
    PersistenceLandscape: {**_DESCRIPTOR, "grids_": _by_part(_is_grid)},
    RiemannianHeatMap: {**_DESCRIPTOR, "spaces_": _by_part(_is_space)},
    PersistenceStatistics: {**_DESCRIPTOR, "columns_": _by_part(_is_columns)},
    WassersteinKernel: _WIDE_KERNEL,
    MultiScaleKernel: _WIDE_KERNEL,
    SlicedWassersteinKernel: _WIDE_KERNEL,
    LandscapeKernel: _KERNEL,
    PersistenceThreshold: _PARTS,
    MostPersistent: _PARTS,
    Rescale: {**_PARTS, "scales_": _is_scale_by_part},
    SelectParts: {**_PARTS, "selected_": _is_some_parts},
}
