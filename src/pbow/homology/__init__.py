"""Raw data in, persistence diagrams out.

Point clouds and images need the extra ``homology`` (gudhi); graphs and meshes do not,
but for meshes with branching edges.
"""

from pbow.homology.alpha_complex import alpha
from pbow.homology.dtm_rips_complex import dtm_rips
from pbow.homology.graph_collection import Graphs
from pbow.homology.graphs import graph_extended, graph_sublevel, gudhi_orientation
from pbow.homology.images import cubical
from pbow.homology.mesh_files import read_mesh
from pbow.homology.meshes import mesh_geodesic
from pbow.homology.rips_complex import rips
from pbow.homology.signatures import heat_kernel_signature
from pbow.homology.sparse_rips_complex import sparse_rips

__all__ = [
    "Graphs",
    "alpha",
    "cubical",
    "dtm_rips",
    "graph_extended",
    "graph_sublevel",
    "gudhi_orientation",
    "heat_kernel_signature",
    "mesh_geodesic",
    "read_mesh",
    "rips",
    "sparse_rips",
]
