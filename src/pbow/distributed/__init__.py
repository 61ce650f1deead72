"""Diagrams larger than memory: fit, transform and homology, block after block.

Steps run in this process, or on any ``concurrent.futures.Executor``: a process pool, a
Dask cluster (``client.get_executor()``), MPI (``mpi4py.futures.MPIPoolExecutor``). Only
file names, counts, candidates for the sample and the codebook travel. Whatever the
executor and the cut into blocks, the vectorizers of pbow give the results of ``fit``
and ``transform`` in memory, to the last bit.
"""

from pbow.distributed._fit import fit
from pbow.distributed._homology import homology
from pbow.distributed._jobs import Summary
from pbow.distributed._transform import transform
from pbow.io.output_folder import Skipped

__all__ = ["Skipped", "Summary", "fit", "homology", "transform"]
