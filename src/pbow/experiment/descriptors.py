"""Descriptors by the names that experiments have for them."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator, Mapping
from typing import Any

import pbow
from pbow import kernels, vectorizers
from pbow._utils.text import did_you_mean
from pbow.experiment.declaration import DeclarationError, Params

__all__ = ["find_maker", "make_descriptor"]


def find_maker(name: str) -> Any:
    """Return what makes a descriptor: a class, or a class method.

    `name` is ``"Class"`` or ``"Class.method"`` of pbow, or ``"package.module:Class"``.
    """
    module_name, _, path = name.rpartition(":")
    places: list[Any] = [pbow, vectorizers, kernels]
    if module_name:
        try:
            places = [importlib.import_module(module_name)]
        except (ModuleNotFoundError, TypeError) as error:  # a leading dot: TypeError
            msg = f"{name!r} cannot be imported: {error}. Is its package installed?"
            raise DeclarationError(msg) from error
    first, *rest = path.split(".")
    for place in places:
        found = getattr(place, first, None)
        for attribute in rest:
            found = getattr(found, attribute, None)
        if callable(found):
            return found
    known = (
        f"{module_name}:{one}" if module_name else one for one in _makers_in(places)
    )
    msg = (
        f"Expected a descriptor, as 'PersistenceBoW', 'PersistenceImage.paper' or "
        f"'package.module:Class'; there is no {name!r}{did_you_mean(name, known)}."
    )
    raise DeclarationError(msg)


def _makers_in(places: list[Any]) -> Iterator[str]:
    for place in places:
        for name in getattr(place, "__all__", dir(place)):
            if inspect.isclass(found := getattr(place, name, None)):
                yield name
                if hasattr(found, "paper"):
                    yield f"{name}.paper"


def make_descriptor(name: str, params: Params, *, seed: int) -> Any:
    """Return a descriptor that is not fitted yet, seeded if it draws anything."""
    maker = find_maker(name)
    try:
        made = maker(**params)
    except (TypeError, ValueError) as error:
        refused = _unknown(maker, params) or f"{params}: {error}"
        msg = f"{name} does not accept {refused}"
        raise DeclarationError(msg) from error
    if not all(hasattr(made, name) for name in ("get_params", "fit", "transform")):
        msg = f"Expected {name} to make an estimator with fit and transform; got {made}"
        raise DeclarationError(msg)
    if "random_state" in made.get_params():
        made.set_params(random_state=seed)
    return made


def _unknown(maker: Any, params: Params) -> str:
    """Name the parameters that a maker does not have; "" where that cannot be said."""
    try:
        taken: Mapping[str, inspect.Parameter] = inspect.signature(maker).parameters
        owner = getattr(maker, "__self__", None)
        if inspect.isclass(owner):  # its **params are those of its class
            taken = {**taken, **inspect.signature(owner).parameters}
    except (TypeError, ValueError):  # some that are written in C have no signature
        return ""
    known = [name for name, p in taken.items() if p.kind != p.VAR_KEYWORD]
    unknown = [f"{name!r}{did_you_mean(name, known)}" for name in params.keys() - known]
    if not unknown:
        return ""
    return f"{', '.join(sorted(unknown))}: it accepts {', '.join(known)}"
