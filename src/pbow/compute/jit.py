"""How loops are compiled, and the functions that only they call.

Each compiled function costs a tenth of a second and more in a first call, part of it
for being callable from Python and from C; and what a loop calls is optimized again with
the loop. So nothing is made callable from C, a function that only loops call is not
made callable from Python (:func:`helper`), or it is put into its callers before they
are compiled (``inlined``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

__all__ = [
    "contracted",
    "contracted_helper",
    "exact",
    "helper",
    "inlined",
    "interpreted",
    "is_compiled",
    "loop",
]

F = TypeVar("F", bound=Callable[..., Any])

NOT_FROM_C: dict[str, Any] = {"no_cfunc_wrapper": True}
loop = njit(nogil=True, cache=True, **NOT_FROM_C)
# Multiply and add may round once instead of twice; nothing else is relaxed.
contracted = njit(nogil=True, cache=True, fastmath={"contract"}, **NOT_FROM_C)
# Not even these, which has to be said: what is first called by a loop that may would be
# compiled like it.
exact = njit(nogil=True, cache=True, fastmath=False, **NOT_FROM_C)
inlined = njit(nogil=True, cache=True, inline="always")


def helper(function: F) -> F:
    """Compile a function that loops call and Python does not."""
    return _compile(function)


def contracted_helper(function: F) -> F:
    """Do so with products and sums rounded once."""
    return _compile(function, fastmath={"contract"})


def _compile(function: F, **options: Any) -> F:
    options |= NOT_FROM_C | {"no_cpython_wrapper": True}
    compiled: F = njit(nogil=True, cache=True, **options)(function)
    return compiled


def is_compiled(
    function: Any, takes: Callable[[tuple[Any, ...]], bool] = lambda _: True
) -> bool:
    """Return whether a call need not wait: compiled before, or never to be.

    ``takes`` says of the types of the arguments whether they are those of the call.
    """
    signatures = getattr(function, "signatures", None)
    return signatures is None or any(map(takes, signatures))


def interpreted(function: F) -> F:
    """Return the function itself, for Python, also where Numba is switched off."""
    plain: F = getattr(function, "py_func", function)
    return plain
