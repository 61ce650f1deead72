"""Descriptors by the names that experiments have for them."""

from __future__ import annotations

import importlib
from contextlib import suppress
from operator import attrgetter
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
    for place in places:
        with suppress(AttributeError):
            if callable(found := attrgetter(path)(place)):
                return found
    classes = (known for place in places for known in dir(place) if known[0].isupper())
    hint = did_you_mean(path, classes)
    msg = (
        f"Expected a descriptor, as 'PersistenceBoW', 'PersistenceImage.paper' or "
        f"'package.module:Class'; there is no {name!r}{hint}."
    )
    raise DeclarationError(msg)


def make_descriptor(name: str, params: Params, *, seed: int) -> Any:
    """Return a descriptor that is not fitted yet, seeded if it draws anything."""
    maker = find_maker(name)
    try:
        made = maker(**params)
    except (TypeError, ValueError) as error:
        msg = f"{name} does not accept {params}: {error}"
        raise DeclarationError(msg) from error
    if not all(hasattr(made, name) for name in ("get_params", "fit", "transform")):
        msg = f"Expected {name} to make an estimator with fit and transform; got {made}"
        raise DeclarationError(msg)
    if "random_state" in made.get_params():
        made.set_params(random_state=seed)
    return made
