import numpy as np
import pytest

from pbow import Diagrams
from pbow.errors import FileFormatError
from pbow.io import read_diagrams

msgpack = pytest.importorskip("msgpack")

MAGIC = b"HomCloud .pdgm format" + bytes(3)


def packed(diagrams, *, flipped=False, version=1):
    """Return a file with (births, deaths, essential births) by degree."""
    chunks = [(b"not a diagram", {"chunktype": "index_to_level"})]
    for degree, (births, deaths, essential) in diagrams.items():
        kind = {"chunktype": "pd", "degree": degree}
        content = {"births": births, "deaths": deaths, "essential_births": essential}
        chunks.append((msgpack.packb(kind | content), kind))
    listed, start = [], 0
    for data, kind in chunks:
        listed.append({**kind, "start": start, "length": len(data)})
        start += len(data)
    head = {"format_version": version, "filtration_type": "bitmap", "dim": 2}
    head = msgpack.packb(head | {"sign_flipped": flipped, "chunks": listed})
    size = len(head).to_bytes(8, "little")
    return MAGIC + size + head + b"".join(data for data, _ in chunks)


def test_each_degree_is_a_part(tmp_path):
    path = tmp_path / "a.pdgm"
    path.write_bytes(
        packed({0: ([1.0], [3.0], [0.5]), 1: ([2.0, 2.5], [4.0, 5.0], [])})
    )
    expected = {"H0": [[[1, 3], [0.5, np.inf]]], "H1": [[[2, 4], [2.5, 5]]]}
    assert read_diagrams(path) == Diagrams.from_parts(expected)


def test_superlevel_sets_are_negated(tmp_path):
    path = tmp_path / "a.pdgm"
    negated = Diagrams.from_parts({"H0": [[[-9, -4], [-10, np.inf]]]})
    path.write_bytes(packed({0: ([9.0], [4.0], [10.0])}, flipped=True))
    assert read_diagrams(path) == negated
    path.write_bytes(packed({0: ([-9.0], [-4.0], [-10.0])}, flipped=True))
    assert read_diagrams(path) == negated


def test_the_first_bytes_decide_and_a_folder_is_a_collection(tmp_path):
    for k in (2, 10):
        (tmp_path / f"{k}.dat").write_bytes(packed({1: ([0.0], [float(k)], [])}))
    assert read_diagrams(tmp_path)["H1"].points[:, 1].tolist() == [2.0, 10.0]


def test_damage_is_refused(tmp_path):
    path = tmp_path / "a.pdgm"
    data = packed({1: ([0.0], [1.0], [])})
    for cut in (10, 30, 60, len(data) - 3):
        path.write_bytes(data[:cut])
        with pytest.raises(FileFormatError, match=r"damaged|begin|incomplete"):
            read_diagrams(path)


@pytest.mark.parametrize(
    ("diagrams", "options", "message"),
    [
        ({1: ([0.0], [1.0], [])}, {"version": 2}, "its version is 2; expected 1"),
        ({1: ([2.0], [1.0], [])}, {}, "dies before it is born"),
        ({1: ([2.0, 3.0], [4.0], [])}, {}, "must match"),
        ({1: (["a"], [4.0], [])}, {}, "could not convert"),
    ],
)
def test_other_content_is_refused(tmp_path, diagrams, options, message):
    path = tmp_path / "a.pdgm"
    path.write_bytes(packed(diagrams, **options))
    with pytest.raises(FileFormatError, match=message):
        read_diagrams(path)


def test_a_degree_below_0_or_given_twice_is_refused(tmp_path):
    path = tmp_path / "a.pdgm"
    path.write_bytes(packed({-1: ([0.0], [1.0], [])}))
    with pytest.raises(FileFormatError, match="a diagram of degree -1; expected"):
        read_diagrams(path)
    # Keys that are equal for HomCloud, and two for a dict.
    path.write_bytes(packed({1: ([0.0], [1.0], []), "1": ([0.0], [2.0], [])}))
    with pytest.raises(FileFormatError, match="degree '1'"):
        read_diagrams(path)
