"""How much numpy computes before a loop is worth compiling, or loading."""

from __future__ import annotations

__all__ = ["Allowance"]


class Allowance:
    """What numpy may do in the place of a loop that is not compiled.

    A first call waits for seconds while a loop is compiled, and for a tenth of one
    while it is loaded; numpy is done with a few hundred diagrams before that. But it is
    slower, so it may do no more than `total` in all, in units of the caller: then the
    loop is compiled, as interpreters do after some calls of a function. The only state
    that modules of pbow keep: it decides when results come, and never which. So it is
    only for what has the same bits either way.

    Examples
    --------
    >>> from pbow.compute.allowance import Allowance
    >>> allowance = Allowance(100)
    >>> [allowance.covers(work) for work in (60, 60, 40)]
    [True, False, True]
    """

    def __init__(self, total: float) -> None:
        self.left = total

    def covers(self, work: float) -> bool:
        """Return whether numpy may do this work; if so, less of it is left."""
        if work > self.left:
            return False
        self.left -= work
        return True
