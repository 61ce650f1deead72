import struct
import tracemalloc

import numpy as np
import pytest

from pbow import Diagrams
from pbow.io import FileFormatError, read_diagrams, write_diagrams

MAGIC = 8067171840


def as_dipha(rows, kind=2, n_points=None):
    """Bytes after the section on file formats of DIPHA's README, version 2.1."""
    header = struct.pack(
        "<3q", MAGIC, kind, len(rows) if n_points is None else n_points
    )
    return header + b"".join(struct.pack("<q2d", *row) for row in rows)


@pytest.fixture
def read(tmp_path):
    def read(content):
        path = tmp_path / "a.diagram"
        path.write_bytes(content)
        return read_diagrams(path, "dipha")

    return read


def test_negative_dimensions_never_die(read):
    X = read(as_dipha([(-1, 0.0, 9.0), (-2, 0.5, 9.0), (0, 0.0, 1.0), (1, 0.5, 0.75)]))
    assert (
        Diagrams.from_parts(
            {"H0": [[[0.0, np.inf], [0.0, 1.0]]], "H1": [[[0.5, np.inf], [0.5, 0.75]]]}
        )
        == X
    )


def test_what_never_dies_is_written_with_the_largest_value(tmp_path):
    X = Diagrams.from_parts({"H0": [[[0, np.inf], [0, 1]]], "H2": [[[3, np.inf]]]})
    write_diagrams(X, tmp_path / "a.dipha")
    expected = as_dipha([(-1, 0.0, 3.0), (0, 0.0, 1.0), (-3, 3.0, 3.0)])
    assert (tmp_path / "a.dipha").read_bytes() == expected


def test_a_file_without_points_is_an_empty_diagram(read):
    assert read(as_dipha([])) == Diagrams.from_list([[]])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "does not begin as files of DIPHA"),
        (as_dipha([])[:23], "does not begin as files of DIPHA"),
        (b"\1" + as_dipha([])[1:], "does not begin as files of DIPHA"),
        (as_dipha([], kind=7), "of kind 7; .* the file that DIPHA wrote"),
        (as_dipha([(0, 0.0, 1.0)])[:-1], "promises 1 points .* has 23 bytes"),
        (as_dipha([(0, 0.0, 1.0)]) + b"\0", "promises 1 points .* has 25 bytes"),
        (as_dipha([], n_points=-1), "promises -1 points"),
        (as_dipha([(1000, 0.0, 1.0)]), "Point 0 has dimension 1000"),
        (as_dipha([(-(2**63), 0.0, 1.0)]), "dimension 9223372036854775807"),
        (as_dipha([(0, 1.0, 0.5)]), "dies before it is born"),
        (as_dipha([(0, float("nan"), 0.5)]), "NaN"),
        (as_dipha([(-1, float("-inf"), 0.5)]), "infinite birth"),
        (as_dipha([(0, 0.0, 1.7e308)]), r"beyond 1e\+100"),
    ],
)
def test_what_is_not_a_diagram_of_dipha_is_refused(read, content, message):
    with pytest.raises(FileFormatError, match=message):
        read(content)


def test_a_huge_count_takes_no_memory(read):
    tracemalloc.start()
    try:
        for n_points in (2**40, 2**62, 2**63 - 1):
            with pytest.raises(FileFormatError, match="promises"):
                read(as_dipha([(0, 0.0, 1.0)], n_points=n_points))
        assert tracemalloc.get_traced_memory()[1] < 1e6
    finally:
        tracemalloc.stop()
