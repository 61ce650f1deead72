"""How loops are compiled that only other loops call.

Each compiled function costs a tenth of a second and more in a first call, part of it
for being callable from Python and from C, and a call of one from another compiles it
into both. So a helper is either compiled without these wrappers (``helper``), or, where
one or two loops call it, put into them before they are compiled (``inlined``).
"""

from __future__ import annotations

from numba import njit

__all__ = ["helper", "inlined"]

helper = njit(nogil=True, cache=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
inlined = njit(nogil=True, cache=True, inline="always")
