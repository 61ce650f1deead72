"""Files that claim to hold more than they do: refused before anything is allocated."""

import json
import struct
import tracemalloc
import zipfile
import zlib
from io import BytesIO

import h5py
import numpy as np
import pytest
from PIL import Image
from scipy.io import savemat

from pbow.datasets.importing.hdf5 import open_hdf5, read_array
from pbow.datasets.importing.matlab import read_matlab
from pbow.errors import FileFormatError
from pbow.homology import read_mesh
from pbow.io import read_diagrams, read_images, read_labels
from pbow.io.akriti import FORMAT as AKRITI
from pbow.io.container import pack

HUGE = 10**10


def npy(shape, kind="<f8"):
    """An array without its numbers."""
    stream = BytesIO()
    header = {"descr": kind, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, header)
    return stream.getvalue() + bytes(64)


def zipped(members, claims=None):
    """A zip, whose directory claims so many bytes of each member."""
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    content = bytearray(stream.getvalue())
    if claims is not None:
        at = 0
        while (at := content.find(b"PK\x01\x02", at) + 1) > 0:
            struct.pack_into("<L", content, at + 23, claims)
    return bytes(content)


def native(**changes):
    """A file of diagrams, whose description claims another array."""
    parts = {"points0": np.zeros((1, 2)), "offsets0": np.array([0, 1])}
    header = {"format": "pbow-diagrams", "version": 1, "parts": ["H1"]}
    data = b"".join(pack("pbow-diagrams", header, parts))
    stop = 8 + int.from_bytes(data[:8], "little")
    description = json.loads(data[8:stop])
    description["points0"].update(changes)
    text = json.dumps(description).encode()
    return len(text).to_bytes(8, "little") + text + data[stop:]


def png(width, height):
    """A picture whose header claims so many pixels."""
    stream = BytesIO()
    Image.new("L", (2, 2)).save(stream, "PNG")
    content = bytearray(stream.getvalue())
    struct.pack_into(">LL", content, 16, width, height)
    struct.pack_into(">L", content, 29, zlib.crc32(content[12:29]))
    return bytes(content)


def tiff(width, height):
    """The same as TIFF: two entries of its directory."""
    stream = BytesIO()
    Image.new("L", (2, 2)).save(stream, "TIFF")
    content = bytearray(stream.getvalue())
    start = struct.unpack_from("<L", content, 4)[0]
    for k in range(struct.unpack_from("<H", content, start)[0]):
        place = start + 2 + 12 * k
        tag = struct.unpack_from("<H", content, place)[0]
        if tag in (256, 257):
            value = width if tag == 256 else height
            struct.pack_into("<HLL", content, place + 2, 4, 1, value)
    return bytes(content)


def hdf5():
    """An array that was never written."""
    stream = BytesIO()
    with h5py.File(stream, "w") as file:
        file.create_dataset("a", (HUGE // 100, 2), "f8", chunks=(1000, 2))
    return stream.getvalue()


def matlab():
    """An array with other numbers of rows and columns in its header."""
    stream = BytesIO()
    savemat(stream, {"a": np.arange(6.0).reshape(2, 3)})
    content = bytearray(stream.getvalue())
    at = content.index(struct.pack("<ll", 2, 3))
    struct.pack_into("<ll", content, at, 2**20, 2**10)
    return bytes(content)


def read_hdf5(path):
    with open_hdf5(path.read_bytes(), str(path)) as file:
        return read_array(file, "a")


def read_mat(path):
    return read_matlab(path.read_bytes(), str(path), ("a",))


def read_six_labels(path):
    return read_labels(path, 6)


META = json.dumps({**AKRITI, "kind": "single"})
INTS = npy((2,), "<i8")
CLAIMS = {
    "npy": ("a.npy", npy((HUGE, 2)), read_diagrams),
    "npy without end": ("a.npy", npy((10**400, 2)), read_diagrams),
    "npy of long strings": ("a.npy", npy((6,), "<U100000000"), read_six_labels),
    "npy of labels": ("a.npy", npy((HUGE,), "<i8"), read_six_labels),
    "npy of an image": ("a.npy", npy((100_000, 100_000)), read_images),
    "npz": (
        "a.npz",
        zipped({"points.npy": npy((HUGE, 2)), "offsets.npy": INTS}),
        read_diagrams,
    ),
    "npz whose directory claims it": (
        "a.npz",
        zipped({"points.npy": npy((1, 2)), "offsets.npy": INTS}, 2**31),
        read_diagrams,
    ),
    "npz of labels": (
        "a.npz",
        zipped({"labels.npy": npy((HUGE,), "<i8")}),
        read_six_labels,
    ),
    "npz of images": (
        "a.npz",
        zipped({"images.npy": npy((1, 100_000, 100_000))}),
        read_images,
    ),
    "akriti": (
        "a.akd",
        zipped({"meta.json": META, "bars.npz": zipped({"births.npy": npy((HUGE,))})}),
        read_diagrams,
    ),
    "akriti whose directory claims it": (
        "a.akd",
        zipped({"meta.json": META, "bars.npz": b""}, 2**31),
        read_diagrams,
    ),
    "pbow": ("a.pbow", native(shape=[HUGE, 2]), read_diagrams),
    "pbow with offsets": (
        "a.pbow",
        native(shape=[HUGE, 2], data_offsets=[0, 16 * HUGE]),
        read_diagrams,
    ),
    "pbow with a long description": (
        "a.pbow",
        (2**40).to_bytes(8, "little") + native()[8:],
        read_diagrams,
    ),
    "dipha": (
        "a.dipha",
        struct.pack("<qqq", 8067171840, 2, HUGE) + bytes(24),
        read_diagrams,
    ),
    "off": ("a.off", b"OFF\n%d 1 0\n0 0 0\n" % HUGE, read_mesh),
    "png": ("a.png", png(60_000, 60_000), read_images),
    "tiff": ("a.tif", tiff(60_000, 60_000), read_images),
    "hdf5": ("a.h5", hdf5(), read_hdf5),
    "matlab": ("a.mat", matlab(), read_mat),
}


@pytest.mark.parametrize(("name", "content", "read"), CLAIMS.values(), ids=CLAIMS)
def test_a_claim_is_refused_without_taking_memory(tmp_path, name, content, read):
    path = tmp_path / name
    path.write_bytes(content)
    tracemalloc.start()
    try:
        with pytest.raises(FileFormatError):
            read(path)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
