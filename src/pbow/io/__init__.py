"""Diagrams of other programs, and files: readers, writers and converters."""

from pbow.errors import FileFormatError
from pbow.io.arrow import from_arrow
from pbow.io.description import Description, PartDescription, describe
from pbow.io.files import read_diagrams, write_diagrams
from pbow.io.gudhi import from_gudhi, to_gudhi
from pbow.io.images import read_images
from pbow.io.labels import read_labels, read_names
from pbow.io.libraries import (
    from_cripser,
    from_dionysus,
    from_giotto,
    from_ripser,
    from_torch_topological,
    to_giotto,
    to_list,
)
from pbow.io.native import read_metadata, read_native, write_native
from pbow.io.scanning import scan_diagrams
from pbow.io.vectors import write_vectors

__all__ = [
    "Description",
    "FileFormatError",
    "PartDescription",
    "describe",
    "from_arrow",
    "from_cripser",
    "from_dionysus",
    "from_giotto",
    "from_gudhi",
    "from_ripser",
    "from_torch_topological",
    "read_diagrams",
    "read_images",
    "read_labels",
    "read_metadata",
    "read_names",
    "read_native",
    "scan_diagrams",
    "to_giotto",
    "to_gudhi",
    "to_list",
    "write_diagrams",
    "write_native",
    "write_vectors",
]
