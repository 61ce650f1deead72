"""Compiled loops: plain arrays in, a caller-allocated array out, no Python objects.

Conventions of every loop in this package:

* ``points`` is (n_points, 2): birth and finite death; loops take death - birth;
* a block of diagrams is ``offsets[i:j + 1]`` with the *whole* ``points``: no copy;
* the result goes to ``out``, which the caller allocates and zeroes;
* ``points`` and ``offsets`` of diagrams are read-only arrays and all others are not:
  to numba these are different types, and each is compiled for one of them only (loops
  over a grid for two: codes of one byte and of two);
* loops are serial and release the GIL; the caller runs blocks in threads.
  (``parallel=True`` aborts the process when two threads enter it under numba's
  workqueue layer, and hangs after a fork under OpenMP.)
* no ``fastmath`` but "contract" (``contracted``): a product and a sum may round once.
  The rest of it assumes that there is no inf or NaN, and reorders sums.
"""

from pbow.compute.notice import give_notice

give_notice()
