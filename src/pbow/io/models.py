"""Fitted estimators in a file: parameters and what was learnt, and no code.

A file holds numbers, strings and arrays. The class says what it learns, and of which
type (:meth:`DiagramEstimator.learnt_types`): a value is built by its type, and a record
validates itself. So a file can hold only what fit could have made; what follows from
that, as a proven constant, is computed and never read.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from numbers import Integral, Real
from types import ModuleType, NoneType, UnionType
from typing import Any, NoReturn, Union, get_args, get_origin, get_type_hints
from urllib.parse import quote

import numpy as np
from numpy.random import BitGenerator, Generator, RandomState
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from pbow import kernels, preprocessing, vectorizers
from pbow._utils.checks import is_finite_number
from pbow._utils.files import AnyPath
from pbow.diagrams import Diagrams
from pbow.errors import ParameterError, format_error
from pbow.estimator import DiagramEstimator
from pbow.io.container import MODEL, Arrays, pack, read_container, write_container
from pbow.io.native import from_arrays, to_arrays

__all__ = ["load", "public_estimators", "save"]

SEQUENCES: Mapping[str, type] = {"list": list, "tuple": tuple}
# scikit-learn's own settings of an estimator, which are not of the model.
SETTINGS = frozenset({"_sklearn_output_config", "_metadata_request"})
RANDOM = (RandomState, Generator, BitGenerator)


def save(estimator: DiagramEstimator, path: AnyPath) -> None:
    """Save a fitted estimator to a file, usually named ``*.pbow``.

    The file has the parameters and what was learnt, as JSON and plain arrays: it can be
    loaded by later versions of Python and of pbow, and loading it runs no code. It is
    complete or not there: an interrupted write leaves the old file as it was.

    Parameters
    ----------
    estimator : fitted estimator
        A vectorizer, a kernel, or a transformer of :mod:`pbow.preprocessing`; also of
        a class of your own that derives from theirs. Of a pipeline, save the steps of
        pbow, and the others with skops or joblib. A kernel is saved with its training
        diagrams. Parameters are saved as they were in fit.
    path : str or path-like
        The file to make or replace.

    Raises
    ------
    NotFittedError
        If it is not fitted.
    TypeError
        If it is not an estimator of diagrams.
    ValueError
        If a parameter is not a number, a string, None, or a list or dict of such. A
        generator of random numbers as ``random_state`` is saved as None: it has no
        effect on what is fitted.
    OSError
        If the file cannot be written.

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
    write_container(path, MODEL, *_describe(estimator))


def digest_of(estimator: DiagramEstimator) -> str:
    """Return a digest of what a file of the estimator would hold, but for `n_jobs`."""
    header, arrays = _describe(estimator)
    header["parameters"].pop("n_jobs", None)
    digest = hashlib.sha256()
    for piece in pack(MODEL, header, arrays):
        digest.update(piece)
    return digest.hexdigest()


def _describe(estimator: DiagramEstimator) -> tuple[dict[str, Any], Arrays]:
    """Return the header and the arrays of the file of an estimator."""
    cls = type(estimator)
    if not isinstance(estimator, DiagramEstimator):
        msg = (
            f"Expected a vectorizer, kernel or transformer of pbow; got {cls.__name__}."
        )
        if isinstance(estimator, Diagrams):
            msg += " Use pbow.io.write_diagrams."
        else:
            msg += (
                " Of a pipeline, save the steps of pbow, as in pbow.save(pipeline[0], "
                "path), and the others with skops or joblib."
            )
        raise TypeError(msg)
    if not hasattr(estimator, "fitted_"):
        msg = f"This {cls.__name__} is not fitted yet. Call fit before save."
        raise NotFittedError(msg)
    fitted = estimator._model()
    parameters = fitted.get_params(deep=False)
    if isinstance(parameters.get("random_state"), RANDOM):
        parameters["random_state"] = None
    others = set(vars(estimator)) - set(parameters) - {"fitted_", "batches_"} - SETTINGS
    if others:
        msg = (
            f"This {cls.__name__} has attributes that neither its parameters nor fit "
            f"set: {', '.join(sorted(others))}. Delete them, or keep them elsewhere."
        )
        raise ValueError(msg)
    arrays: Arrays = {}
    header = {
        "class": _name_of(cls),
        "parameters": {
            name: _pack_parameter(value, name) for name, value in parameters.items()
        },
        "learnt": {
            name: _pack(getattr(fitted, name), arrays, name)
            for name in cls.learnt_types()
        },
    }
    _build(header, dict(arrays), [cls])  # what cannot be loaded must not be saved
    return header, arrays


def load(
    path: AnyPath, *, classes: Iterable[type[DiagramEstimator]] = ()
) -> DiagramEstimator:
    """Load an estimator that :func:`save` saved.

    Parameters
    ----------
    path : str or path-like
        The file; its name does not matter.
    classes : iterable of type, default=()
        Estimators of other packages that the file may hold, beside pbow's own. A file
        never decides what is imported.

    Returns
    -------
    estimator : fitted estimator
        Of the class that was saved. It gives the same features, to the last bit on the
        same machine.

    Raises
    ------
    FileFormatError
        If the file is damaged, is not a model, was made by a newer pbow, or holds an
        estimator of a class that is neither pbow's nor in `classes`.
    OSError
        If it cannot be read.

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
    ...     scale = Rescale().fit({"H1": [[[0.0, 4.0]]]})
    ...     pbow.save(scale, Path(folder) / "scale.pbow")
    ...     pbow.load(Path(folder) / "scale.pbow").scales_
    {'H1': 4.0}
    """
    passed = list(classes)
    if not all(isinstance(c, type) and issubclass(c, DiagramEstimator) for c in passed):
        raise ParameterError("classes", "estimators of diagrams, in a list", classes)
    header, arrays = read_container(path, MODEL)
    # Forged numbers may overflow in the checks that refuse them.
    with format_error(path), np.errstate(all="ignore"):
        return _build(header, arrays, passed)


def public_estimators(*subpackages: ModuleType) -> list[type[DiagramEstimator]]:
    """Return the estimators that subpackages export; by default, all that pbow has."""
    return [
        getattr(subpackage, name)
        for subpackage in subpackages or (vectorizers, kernels, preprocessing)
        for name in subpackage.__all__
    ]


def _name_of(cls: type) -> str:
    """Return the name of a class in files: of other packages, with its module."""
    is_own = cls.__module__.partition(".")[0] == "pbow"
    return cls.__name__ if is_own else f"{cls.__module__}:{cls.__qualname__}"


def _build(
    header: Mapping[str, Any], arrays: Arrays, classes: Iterable[type[DiagramEstimator]]
) -> DiagramEstimator:
    """Make the estimator that a header describes, or raise a ValueError."""
    known = {_name_of(cls): cls for cls in public_estimators()}
    name = header.get("class")
    if isinstance(name, str) and ":" in name:
        # By its name alone: a module may have moved, or have been a script. The caller
        # names the class; the file only says which of them it is.
        known = {f"{name.partition(':')[0]}:{cls.__qualname__}": cls for cls in classes}
    if not isinstance(name, str) or name not in known:
        _refuse(
            f"it holds a {name!r:.90}, which is not a class of this pbow. Update pbow "
            "if a newer one made it; if it is yours, pass the class (classes=[...], or "
            "--descriptor)"
        )
    cls: type[DiagramEstimator] = known[name]
    parameters, learnt = header.get("parameters"), header.get("learnt")
    types = cls.learnt_types()
    if (
        not isinstance(parameters, dict)
        or not isinstance(learnt, dict)
        # What the file does not have is newer than the file; attributes may be None.
        or not set(learnt) <= set(types)
        or not set(parameters) <= set(cls._get_param_names())
    ):
        _refuse(f"it has other parameters or attributes than a {name}")
    estimator = cls(**{key: _unpack_parameter(v) for key, v in parameters.items()})
    values = {
        key: _unpack(learnt.get(key), kind, arrays, key) for key, kind in types.items()
    }
    if arrays:
        _refuse(f"it has an array too many: {min(arrays)[:60]!r}")
    nothing: list[Any] = []
    parts = Diagrams.from_parts(dict.fromkeys(values["parts_"], nothing)).parts
    estimator.check_parameters(parts)
    fitted = cls(**estimator.get_params(deep=False))
    for key, value in values.items():
        setattr(fitted, key, value)
    fitted._check_learnt()
    estimator.fitted_ = fitted
    return estimator


def _pack(value: Any, arrays: Arrays, path: str) -> Any:
    """Return a learnt value as JSON holds it; arrays go to `arrays`, by their path."""
    if isinstance(value, np.ndarray):
        arrays[path] = value
        return path
    if isinstance(value, Diagrams):
        header, parts = to_arrays(value)
        # Estimators have no use for locations.
        parts = {n: a for n, a in parts.items() if not n.startswith("locations")}
        arrays.update({f"{path}/{name}": array for name, array in parts.items()})
        return header
    if is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, dict):
        return {key: _pack(v, arrays, _inner(path, key)) for key, v in value.items()}
    if isinstance(value, tuple):
        return [_pack(v, arrays, _inner(path, k)) for k, v in enumerate(value)]
    return _plain_scalar(value)


def _unpack(value: Any, kind: Any, arrays: Arrays, path: str) -> Any:
    """Return the value of a type that :func:`_pack` was given, or raise a ValueError.

    Arrays are taken out of `arrays`.
    """
    kinds = get_args(kind)
    if get_origin(kind) in (Union, UnionType):
        if value is None and NoneType in kinds:
            return None
        (kind,) = (one for one in kinds if one is not NoneType)
    if kind is Diagrams and isinstance(value, dict):
        own = [name for name in arrays if name.startswith(f"{path}/")]
        parts = {name.removeprefix(f"{path}/"): arrays.pop(name) for name in own}
        return from_arrays(value, parts)
    inside = _types_inside(value, kind)
    if inside is None:
        return _unpack_leaf(value, kind, arrays, path)
    items = value.items() if isinstance(value, dict) else enumerate(value)
    unpacked: dict[Any, Any] = {
        key: _unpack(one, inside[key], arrays, _inner(path, key)) for key, one in items
    }
    if is_dataclass(kind):
        record: Any = kind
        return record(**unpacked)
    return unpacked if isinstance(value, dict) else tuple(unpacked.values())


def _inner(path: str, key: str | int) -> str:
    """Return the path of what is inside; parts may have any name."""
    return f"{path}/{quote(str(key), safe='', errors='surrogatepass')}"


def _types_inside(value: Any, kind: Any) -> dict[Any, Any] | None:
    """Return the types of what a value of `kind` holds; None if there is no such."""
    origin, inner = get_origin(kind), get_args(kind)
    types: dict[Any, Any] | None = None
    if is_dataclass(kind) and isinstance(value, dict):
        hints = get_type_hints(kind)
        types = {field.name: hints[field.name] for field in fields(kind)}
    elif origin is dict and isinstance(value, dict):
        types = dict.fromkeys(value, inner[1])
    elif origin is tuple and isinstance(value, list):
        types = dict(enumerate([inner[0]] * len(value) if inner[-1] is ... else inner))
    if types is not None and set(types) != set(
        value if isinstance(value, dict) else range(len(value))
    ):
        return None
    return types


def _unpack_leaf(value: Any, kind: Any, arrays: Arrays, path: str) -> Any:
    # Since numpy 2.5, the origin of NDArray[...] is NDArray itself.
    is_array = get_origin(kind) in (np.ndarray, NDArray)
    if is_array and value == path and path in arrays:
        return arrays.pop(path)
    if kind is float and is_finite_number(value):
        return float(value)
    if kind not in (str, int, bool) or type(value) is not kind:
        _refuse(f"its {path[:60]} is {value!r:.60}, which is not what fit learns")
    return value


def _pack_parameter(value: Any, name: str) -> Any:
    """Return a parameter as JSON holds it; an object has one key, its type."""
    if value is None or isinstance(value, (str, np.bool_, Real)):
        return _plain_scalar(value)
    if type(value) in SEQUENCES.values():
        return {type(value).__name__: [_pack_parameter(item, name) for item in value]}
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {"dict": {key: _pack_parameter(v, name) for key, v in value.items()}}
    msg = (
        f"Cannot save parameter {name!r}, a {type(value).__name__}: expected a number, "
        "a string, None, or a list, tuple or dict of such."
    )
    raise ValueError(msg)


def _unpack_parameter(value: Any) -> Any:
    if not isinstance(value, (list, dict)):
        return value
    kind, content = "", None
    if isinstance(value, dict) and len(value) == 1:
        kind, content = next(iter(value.items()))
    if kind == "float" and content in ("inf", "-inf", "nan"):
        return float(content)
    if kind in SEQUENCES and isinstance(content, list):
        return SEQUENCES[kind](map(_unpack_parameter, content))
    if kind != "dict" or not isinstance(content, dict):
        _refuse(f"it has a parameter that is not of pbow: {value!r:.60}")
    return {key: _unpack_parameter(one) for key, one in content.items()}


def _plain_scalar(value: Any) -> Any:
    """Return a scalar of Python or numpy as JSON holds it."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        number = float(value)
        return number if math.isfinite(number) else {"float": repr(number)}
    return value


def _refuse(what: str) -> NoReturn:
    msg = f"{what}."
    raise ValueError(msg)
