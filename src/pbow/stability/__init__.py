"""Certified Lipschitz constants of the stable bag-of-words.

A feature is ``f(sum of r(p)^q * s(b, p))`` over the points of a diagram: a word's share
``s`` of a point, weighted by a ramp, and a root or none. Its constant is the supremum
of a norm of the gradient of ``f(r^q s)``, bounded here from ABOVE; an optimizer would
bound it from below and prove nothing. docs/guide/stability.md has the theorems and the
proof of every step.
"""

from __future__ import annotations

from pbow.stability.certificate import (
    component_constants,
    lipschitz_constant,
    obstacle,
)

__all__ = ["component_constants", "lipschitz_constant", "obstacle"]
