"""How loops are compiled, and the functions that only they call.

Each compiled function costs a tenth of a second and more in a first call, part of it
for being callable from Python and from C; and what a loop calls is optimized again with
the loop. So nothing is made callable from C, a function that only loops call is not
made callable from Python (:func:`helper`), or it is put into its callers before they
are compiled (``inlined``).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from numba import njit

from pbow._utils.warn import warn_user

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
CONTRACTED: dict[str, Any] = {"fastmath": {"contract"}, "error_model": "numpy"}


def _decorator(**options: Any) -> Callable[[F], F]:
    """Return what compiles a function when it is first called, and caches the code."""
    compiling = njit(nogil=True, cache=True, **options)

    def decorate(function: F) -> F:
        compiled: F = compiling(function)
        cache = getattr(compiled, "_cache", None)  # none where Numba is switched off
        if cache is not None:
            # Numba would lose the result of the call to the error of a full disk.
            cache.save_overload = partial(_save, cache.save_overload, cache.cache_path)
        return compiled

    return decorate


def _save(
    save: Callable[[Any, Any], None], folder: str, signature: Any, data: Any
) -> None:
    try:
        save(signature, data)
    except OSError as error:
        msg = (
            f"Compiled loops could not be cached in {folder} ({error.strerror}), so"
            " every process compiles them again. Make room there, or set the variable"
            " NUMBA_CACHE_DIR to another folder."
        )
        warn_user(msg, topic="compiled loops could not be cached")


# Types of the arguments are those of the compiler: some calls hand over tuples.
loop: Any = _decorator(**NOT_FROM_C)
# Multiply and add may round once instead of twice; nothing else is relaxed. Nor is it
# looked for a divisor of 0, which would keep a loop from being vectorized.
contracted = _decorator(**CONTRACTED, **NOT_FROM_C)
# Not even these, which has to be said: what is first called by a loop that may would be
# compiled like it.
exact = _decorator(fastmath=False, **NOT_FROM_C)
inlined = _decorator(inline="always")


def helper(function: F) -> F:
    """Compile a function that loops call and Python does not."""
    return _decorator(no_cpython_wrapper=True, **NOT_FROM_C)(function)


def contracted_helper(function: F) -> F:
    """Do so with products and sums rounded once."""
    options = NOT_FROM_C | {"no_cpython_wrapper": True} | CONTRACTED
    return _decorator(**options)(function)


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
