import io
import json
import zipfile

import numpy as np
import pytest

from pbow import Diagrams
from pbow.errors import FileFormatError
from pbow.io import read_diagrams

META = {"format": "akriti.diagrams.akd", "format_version": 0, "spec": "RFC-0001"}
META |= {"spec_version": "1.1.1"}
ABOUT = dict.fromkeys(("filtration", "backend", "backend_version", "coeff_field"))
ABOUT |= {"params": {}, "provenance": {}, "description": None}
BARS = {
    "births": np.array([0.0, 0.0, 0.5]),
    "deaths": np.array([1.0, np.inf, 0.75]),
    "dims": np.array([0, 0, 1], np.int32),
}


def write(path, meta, bars, members=("meta.json", "bars.npz")):
    """Write a file as section 10.2 of the specification says."""
    packed = io.BytesIO()
    np.savez(packed, **bars)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(members[0], json.dumps(meta, sort_keys=True))
        archive.writestr(members[1], packed.getvalue())
    return path


def test_one_sample_has_its_bars_by_dimension(tmp_path):
    meta = META | {"kind": "diagram", "meta": ABOUT}
    path = write(tmp_path / "a.akd", meta, BARS)
    expected = {"H0": [[[0, 1], [0, np.inf]]], "H1": [[[0.5, 0.75]]]}
    assert read_diagrams(path) == Diagrams.from_parts(expected)


def test_a_batch_has_samples_which_may_be_empty(tmp_path):
    meta = META | {"kind": "batch", "metas": [ABOUT] * 3}
    offsets = np.array([0, 2, 2, 3])
    path = write(tmp_path / "a.akd", meta, BARS | {"offsets": offsets})
    X = read_diagrams(path)
    assert X["H0"].sizes.tolist() == [2, 0, 0]
    assert X["H1"].sizes.tolist() == [0, 0, 1]


def test_files_of_a_folder_may_have_different_dimensions(tmp_path):
    meta = META | {"kind": "diagram", "meta": ABOUT}
    write(tmp_path / "2.akd", meta, {name: bars[:2] for name, bars in BARS.items()})
    write(tmp_path / "10.akd", meta, {name: bars[2:] for name, bars in BARS.items()})
    X = read_diagrams(tmp_path)
    assert X["H0"].sizes.tolist() == [2, 0]
    assert X["H1"].sizes.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("change", "bars", "message"),
    [
        ({"format_version": 1}, BARS, "'format_version': 0, .*it has"),
        ({"format": "other"}, BARS, "it has {'format': 'other'"),
        ({}, {"births": BARS["births"]}, "has no array deaths"),
        ({}, BARS | {"dims": np.zeros(2, int)}, "3 deaths and 2 dimensions"),
        ({}, BARS | {"dims": np.full(3, -1)}, "dimension -1"),
        ({"kind": "batch"}, BARS, "has no array offsets"),
        ({"kind": "batch"}, BARS | {"offsets": [0, 5]}, "do not rise from 0 to 3"),
        ({}, BARS | {"births": BARS["births"] + 2}, "dies before it is born"),
    ],
)
def test_other_files_are_refused(tmp_path, change, bars, message):
    meta = META | {"kind": "diagram", "meta": ABOUT} | change
    path = write(tmp_path / "a.akd", meta, bars)
    with pytest.raises(FileFormatError, match=message):
        read_diagrams(path)


def test_other_members_and_damage_are_refused(tmp_path):
    path = write(tmp_path / "a.akd", META, BARS, ("meta.json", "other.npz"))
    with pytest.raises(FileFormatError, match=r"expected meta\.json and bars\.npz"):
        read_diagrams(path)
    path = write(tmp_path / "a.akd", META, BARS)
    data = path.read_bytes()
    for cut in (0, 10, len(data) // 2, len(data) - 5):
        path.write_bytes(data[:cut])
        with pytest.raises(FileFormatError, match="damaged"):
            read_diagrams(path)
