"""Descriptors by name: the classes know their names on the command line."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import click

from pbow.cli.options import LazyChoice

__all__ = ["Descriptor", "DescriptorOption", "make_descriptors", "model_classes"]


# Parameters that have an option of their own.
OPTIONS = {"n_words": "--words", "random_state": "--seed", "n_jobs": "--jobs"}


class OwnClass(click.ParamType):  # type: ignore[type-arg]
    """A class of the user's, as ``module:Class``, also from the current folder."""

    name = "module:Class"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Import the class that the user named."""
        from pbow.estimator import DiagramEstimator  # noqa: PLC0415

        module_name, colon, class_name = value.partition(":")
        if not colon or module_name.endswith(".py") or "/" in module_name:
            msg = f"expected module:Class, without a path or .py; got {value!r}."
            self.fail(msg, param, ctx)
        sys.path.insert(0, "")  # as `python -m` does
        if ctx is not None:
            # Until the command ends: a method may import a module beside its own.
            ctx.find_root().call_on_close(partial(sys.path.remove, ""))
        try:
            found = getattr(import_module(module_name), class_name, None)
        except Exception as error:  # whatever runs in the user's module
            why = f"{type(error).__name__}: {error}"
            self.fail(f"cannot import {module_name!r} ({why}).", param, ctx)
        if not isinstance(found, type) or not issubclass(found, DiagramEstimator):
            what = "does not exist" if found is None else f"is {found!r}"
            msg = f"expected a subclass of DiagramEstimator; {value} {what}."
            self.fail(msg, param, ctx)
        return found


class Descriptor(LazyChoice):
    """A class of some subpackages by its short name, or one of the user's."""

    name = "descriptor"

    def __init__(self, *subpackages: str) -> None:
        super().__init__(self.classes)
        self._subpackages = subpackages

    def classes(self) -> dict[str, type]:
        """Return the classes by short name; imports them."""
        from pbow.io.models import public_estimators  # noqa: PLC0415

        modules = [import_module(f"pbow.{name}") for name in self._subpackages]
        return {cls.short_name: cls for cls in public_estimators(*modules)}

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Return the class of a name."""
        if ":" in value:
            return OwnClass().convert(value, param, ctx)
        return self.classes()[super().convert(value, param, ctx)]

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """Say which names there are."""
        known = ", ".join(self.choices)
        return f"expected one of {known}, or module:Class; got {value!r}."


class DescriptorOption(click.Option):
    """An option of that type, whose help has the short names for ``{names}``."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the option and its help, when that is shown."""
        option, text = super().get_help_record(ctx) or ("", "")
        assert isinstance(self.type, Descriptor)
        return option, text.format(names=", ".join(self.type.choices))


model_classes = click.option(
    "--descriptor",
    "model_classes",
    type=OwnClass(),
    metavar="MODULE:CLASS",
    callback=lambda context, option, value: () if value is None else (value,),
    help="Class of a MODEL that is not one of pbow's.",
)


def make_descriptors(
    classes: Sequence[type], settings: Mapping[str, Any], **common: Any
) -> dict[str, Any]:
    """Return descriptors that are not fitted yet, by name.

    Each of the settings is set where a class has such a parameter; at least one must.
    So are `common` ones, of which None is left to the class.
    """
    named: dict[str, type] = {}
    for cls in classes:
        # Of the class itself: a subclass of the user's has another name.
        name = vars(cls).get("short_name") or cls.__name__
        if named.setdefault(name, cls) is not cls:
            named[f"{cls.__module__}:{cls.__qualname__}"] = cls
    known = {
        name: list(inspect.signature(cls).parameters) for name, cls in named.items()
    }
    given = {p: v for p, v in common.items() if v is not None}
    for parameter in settings.keys() & given.keys():
        # Options have the library's names, but for these.
        option = OPTIONS.get(parameter, f"--{parameter}")
        msg = f"Pass {option} or --set {parameter}, not both."
        if parameter in ("random_state", "n_jobs"):  # these have a default
            msg = f"Pass {option}, not --set {parameter}."
        raise click.UsageError(msg)
    asked = {**settings, **given}
    for parameter in asked.keys() - {"random_state", "n_jobs"}:
        if not any(parameter in parameters for parameters in known.values()):
            listed = sorted({p for parameters in known.values() for p in parameters})
            verb = "has" if len(named) == 1 else "have"
            msg = (
                f"{' and '.join(named)} {verb} no parameter {parameter}; known are "
                f"{', '.join(listed)}."
            )
            raise click.UsageError(msg)
    made = {}
    for name, cls in named.items():
        try:
            made[name] = cls(**{p: v for p, v in asked.items() if p in known[name]})
        except TypeError as error:  # a parameter without a default, an abstract class
            msg = f"Cannot make {name}, whose parameters --set sets: {error}."
            raise click.UsageError(msg) from error
    return made
