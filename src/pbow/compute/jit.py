"""How functions are compiled that only loops call.

Each compiled function costs a tenth of a second and more in a first call, part of it
for being callable from Python and from C; and what a loop calls is optimized again with
the loop. So a small function is compiled without these wrappers (:func:`helper`), or
put into its callers before they are compiled (``inlined``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

__all__ = ["contracted_helper", "helper", "inlined"]

F = TypeVar("F", bound=Callable[..., Any])

inlined = njit(nogil=True, cache=True, inline="always")


def helper(function: F) -> F:
    """Compile a function that loops call and Python does not."""
    return _compile(function)


def contracted_helper(function: F) -> F:
    """Do so with a product and a sum rounded once: see ``exponential.contracted``."""
    return _compile(function, fastmath={"contract"})


def _compile(function: F, **options: Any) -> F:
    options |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    compiled: F = njit(nogil=True, cache=True, **options)(function)
    return compiled
