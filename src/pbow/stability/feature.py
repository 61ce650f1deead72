"""What one point adds to a feature, as a function of its share and its ramp.

The function is ``f(r**power * s)`` of the ramp ``r``, 0 to 1, and a word's share
``s >= 0``. Its derivative in a direction ``u`` of the plane is

    slope(s, r) * (power * r' * u_p + r * D_u log s),

and all bounds are made of these two factors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pbow.compute.normalize import EPSILON

__all__ = ["Feature"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Feature:
    """A normalization ``f`` and the power of the ramp.

    Attributes
    ----------
    epsilon : float or None
        None: ``f(t) = t``; otherwise ``f(t) = sqrt(t + epsilon) - sqrt(epsilon)``.
    power : int
        1 or 2. Without an epsilon, a root needs 2 (or a ramp that is 1 everywhere).
    """

    epsilon: float | None
    power: int

    @classmethod
    def of(cls, normalize: str | None, power: int) -> Feature:
        """Return the feature of a normalization; "lipschitz" comes after the sums."""
        epsilons = {None: None, "lipschitz": None, "sqrt": 0.0, "smooth-sqrt": EPSILON}
        return cls(epsilons[normalize], power)

    @property
    def steepest(self) -> float:
        """The slope of f at 0."""
        if self.epsilon is None:
            return 1.0
        return 0.5 / np.sqrt(self.epsilon) if self.epsilon else np.inf

    def slope(self, s: Floats, r: Floats) -> Floats:
        """Return ``f'(r**power * s) * r**(power - 1) * s``."""
        if self.epsilon == 0.0:
            return 0.5 * np.sqrt(s)  # the ramp's root is linear: it cancels
        scaled = s if self.power == 1 else r * s
        if self.epsilon is None:
            return scaled
        return scaled / (2.0 * np.sqrt(r * scaled + self.epsilon))

    def steep_end(self, r_lo: Floats, r_hi: Floats) -> Floats:
        """Return the ramp where the slope is largest; it grows with the share."""
        falls = self.epsilon is not None and self.power == 1
        return r_lo if falls else r_hi

    def largest(
        self,
        s: tuple[Floats, Floats],
        r: tuple[Floats, Floats],
        k0: Floats,
        k1: Floats,
    ) -> Floats:
        """Return sup of ``slope(s, r) * (k0 - k1 * s)``, or 0 if it is negative.

        Over shares and ramps between two limits each, from above: the ramp is the
        steepest. For ``k1 > 0`` the product rises up to the root of a quadratic
        equation, and falls from there.
        """
        ramp = self.steep_end(*r)
        rho, epsilon = np.zeros_like(k0), 1.0
        if self.epsilon is not None:
            # Of a plain root, the ramp cancels.
            rho = ramp**self.power if self.epsilon else np.ones_like(k0)
            epsilon = self.epsilon
        with np.errstate(all="ignore"):
            b = 0.5 * k0 * rho - 2.0 * k1 * epsilon
            root = np.sqrt(b * b + 6.0 * k0 * k1 * rho * epsilon)
            # Of two equal forms, that which does not cancel.
            peak = np.where(
                b > 0.0, (b + root) / (3.0 * k1 * rho), 2.0 * k0 * epsilon / (root - b)
            )
        # Where the second factor grows, or numbers overflow, each factor has its own.
        single = (k0 > 0.0) & (k1 > 0.0) & np.isfinite(peak)
        at = np.where(single, np.clip(peak, *s), s[1])
        least = np.where(single, at, np.where(k1 > 0.0, s[0], s[1]))
        with np.errstate(all="ignore"):
            product = self.slope(at, ramp) * (k0 - k1 * least)
        return np.maximum(product, 0.0)  # keeps NaN
