"""Warnings that point at the line of the user, and come once per process."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Hashable

__all__ = ["warn_user"]

# Whose lines tell a user nothing: these stand between pbow and who called it, too.
LIBRARIES = frozenset(
    {
        "concurrent",
        "contextlib",
        "joblib",
        "multiprocessing",
        "pbow",
        "sklearn",
        "threading",
    }
)


def warn_user(
    message: str, category: type[Warning] = UserWarning, *, topic: Hashable = None
) -> None:
    """Warn, once per process, as if the nearest caller outside of libraries had.

    `topic` is what is not to be warned of again, by default the message. A filter of
    the user's has the last word: with "error" or "always", each warning is one.
    """
    frame = sys._getframe(1)
    while frame.f_back is not None and _module(frame.f_globals) in LIBRARIES:
        frame = frame.f_back
    module, line = str(frame.f_globals.get("__name__", "<unknown>")), frame.f_lineno
    if _action(message, category, module, line) in {"default", "module", "once"}:
        # Python's own memory of what was said once. That of "default" is forgotten at
        # every catch_warnings, of which scikit-learn has many.
        said: dict[Hashable, Hashable] = warnings.onceregistry  # type: ignore[attr-defined]
        topic = ("pbow", category, message if topic is None else topic)
        if topic in said:
            return
        said[topic] = True
    warnings.warn_explicit(message, category, frame.f_code.co_filename, line, module)


def _module(names: dict[str, object]) -> str:
    return str(names.get("__name__")).partition(".")[0]


def _action(text: str, category: type[Warning], module: str, line: int) -> str:
    """Return what the first filter that matches a warning does with it."""
    for action, message, kind, place, number in warnings.filters:
        if (
            _matches(message, text)
            and issubclass(category, kind)
            and _matches(place, module)
            and number in {0, line}
        ):
            return action
    return "default"


def _matches(pattern: object, text: str) -> bool:
    # Python's own filters have strings, those of users regular expressions.
    match = getattr(pattern, "match", None)
    return pattern in {None, text} if match is None else match(text) is not None
