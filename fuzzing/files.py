"""Damaged and forged files of every format: read, or refused by a FileFormatError."""

from __future__ import annotations

import json
import random
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import msgpack
import numpy as np
import pyarrow as pa
from PIL import Image
from pyarrow import feather, parquet
from scipy.io import savemat

import pbow
from fuzzing.mutation import damage, forge, forge_npy, forge_zip
from fuzzing.trial import Target, Trial, is_own_error
from pbow import Diagrams
from pbow.blocks import BlockError
from pbow.datasets import read_raw
from pbow.datasets.importing.hdf5 import open_hdf5, read_group, read_points
from pbow.datasets.importing.matlab import read_matlab
from pbow.datasets.importing.pictures import read_picture
from pbow.errors import FileFormatError, ParameterError
from pbow.homology import read_mesh
from pbow.io import (
    describe,
    read_diagrams,
    read_images,
    read_labels,
    read_metadata,
    read_names,
    read_native,
    scan_diagrams,
    write_diagrams,
)
from pbow.io.akriti import FORMAT as AKRITI
from pbow.io.container import DIAGRAMS, MODEL, read_container
from pbow.io.homcloud import SIGNATURE as HOMCLOUD
from pbow.io.models import public_estimators

__all__ = ["SOUND", "TARGETS", "file_targets"]

Read = Callable[[Path], object]
Change = Callable[[random.Random], bytes]

# How many inputs each has, against the others; and which library reads it.
TARGETS = {
    "pbow": (11, ""),
    "model": (9, ""),
    "csv": (5, ""),
    "pers": (3, ""),
    "hera": (3, ""),
    "perseus": (3, ""),
    "text": (4, ""),
    "dipha": (2, ""),
    "npz": (8, ""),
    "npy": (4, ""),
    "akriti": (3, ""),
    "labels": (5, ""),
    "names": (2, ""),
    "raw": (5, ""),
    "mesh": (3, ""),
    "parquet": (1, "pyarrow"),
    "arrow": (1, "pyarrow"),
    "hdf5": (1, "h5py"),
    "matlab": (1, "scipy"),
    "image": (1, "Pillow"),
    "homcloud": (1, "msgpack"),
}
TEXT = {"csv", "pers", "hera", "perseus", "text", "labels", "names", "raw", "mesh"}


class Sound(NamedTuple):
    """A file that can be read, how it is read, and how it is forged, if it can be."""

    name: str
    content: bytes
    read: Read
    forged: Change | None = None


def diagrams() -> Diagrams:
    """Return a small collection with empty diagrams and essential points."""
    rng = np.random.default_rng(0)
    samples = [np.sort(rng.uniform(0, 4, (n, 2)), axis=1) for n in (6, 0, 9, 4, 7, 5)]
    essential = [[[0.0, np.inf], *(points / 2)] for points in samples]
    return Diagrams.from_parts({"H0": essential, "H1": samples})


def file_targets(folder: Path, only: Collection[str] = ()) -> list[Target]:
    """Return a target for each format, or for some; `folder` is for sound files."""
    X = diagrams()
    return [
        Target(name, share, partial(_trial, name, list(SOUND[name](X, folder))), by)
        for name, (share, by) in TARGETS.items()
        if not only or name in only
    ]


def _trial(target: str, files: list[Sound], rng: random.Random, folder: Path) -> Trial:
    good = rng.choice(files)
    if good.forged is not None and rng.random() < 0.5:
        content = good.forged(rng)
    else:
        content = damage(good.content, rng, text=target in TEXT)
    path = folder / good.name
    path.write_bytes(content)

    def accepts(error: Exception) -> bool:
        if target in ("text", "raw") and is_own_error(error, ParameterError):
            return True  # which format or kind it is, has to be said
        # BlockError names the row, too, of a file that is read in blocks.
        is_of_file = isinstance(error, FileFormatError | BlockError)
        return is_of_file and str(path) in str(error)

    return Trial(partial(good.read, path), accepts, content)


def _written(X: Diagrams, name: str, folder: Path, format: str) -> bytes:
    path = folder / name
    write_diagrams(X, path, format)
    return path.read_bytes()


def _native(X: Diagrams, folder: Path) -> Iterator[Sound]:
    points, offsets = X["H1"].points, X["H1"].offsets
    where = np.arange(6 * len(points)).reshape(-1, 2, 3)
    located = Diagrams(points, offsets, name="H1", locations=where)
    for k, one in enumerate((X, located)):
        content = _written(one, f"{k}.pbow", folder, "pbow")
        forged = partial(forge, *_opened(folder / f"{k}.pbow", DIAGRAMS), DIAGRAMS)
        for read in (
            read_diagrams,
            partial(read_native, mmap=True),
            lambda path: list(scan_diagrams(path)),
            read_metadata,
        ):
            yield Sound("a.pbow", content, read, forged)


def _opened(path: Path, kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    header, arrays = read_container(path, kind)
    added = ("format", "version", "pbow")
    return {k: v for k, v in header.items() if k not in added}, arrays


def _models(X: Diagrams, folder: Path) -> Iterator[Sound]:
    for cls in public_estimators():
        model = cls()
        if "n_words" in model.get_params():
            model.set_params(n_words=2)
        path = folder / f"{cls.__name__}.pbow"
        pbow.save(model.fit(X), path)
        forged = partial(forge, *_opened(path, MODEL), MODEL)
        yield Sound("model.pbow", path.read_bytes(), pbow.load, forged)


def _text(name: str, X: Diagrams, folder: Path) -> Iterator[Sound]:
    read = partial(read_diagrams, format=name)
    if name == "csv":
        content = _written(X, "a.csv", folder, "csv")
        yield Sound("a.csv", content, read)
        yield Sound("a.csv", content, lambda path: describe(read(path)))
        return
    write_diagrams(X[2:3]["H1"], folder / name, name)
    (file,) = (folder / name).iterdir()
    yield Sound("bad_1.txt" if name == "perseus" else "a.x", file.read_bytes(), read)


def _inferred(X: Diagrams, folder: Path) -> Iterator[Sound]:
    for name, content in (
        ("a.txt", b"0.0 0.5\n0.25 0.75\n0.1 inf\n"),
        ("a.csv", b"birth,death\n0.0,0.5\n0.25,0.75\n"),
        ("a.dat", b"0 0.0 0.5\n1 0.25 0.75\n"),
        ("a.csv", b"sample,part,birth,death\n0,H1,0.0,1.0\n1,H1,,\n"),
        ("a.pers", b"0 0.0 0.5 # dimension, birth, death\n1 .5 inf\n"),
    ):
        yield Sound(name, content, read_diagrams)


def _npz(X: Diagrams, folder: Path) -> Iterator[Sound]:
    X = X["H1"]
    arrays = {"points": X.points, "offsets": X.offsets, "labels": np.arange(6) % 2}
    labeled = {**arrays, "label_names": ["a", "b"], "part": "H1"}
    for save in (np.savez, np.savez_compressed):
        content = _saved(save, **labeled)
        for read in (
            partial(read_diagrams, format="npz"),
            partial(read_labels, n_samples=6),
        ):
            yield Sound("a.npz", content, read, partial(forge_zip, content))
    for kind, arrays in (
        ("images", {"images": np.arange(24).reshape(2, 3, 4)}),
        ("clouds", {"clouds": np.arange(24.0).reshape(2, 6, 2)}),
        (
            "graphs",
            {"edges": [[0, 1], [1, 2]], "offsets": [0, 2], "num_nodes": [3]},
        ),
        (
            "meshes",
            {
                "vertices": np.eye(3),
                "vertex_offsets": [0, 3],
                "faces": [[0, 1, 2]],
                "face_offsets": [0, 1],
            },
        ),
    ):
        content = _saved(np.savez, **arrays)
        read = partial(read_raw, kind=kind)
        yield Sound("a.npz", content, read, partial(forge_zip, content))


def _saved(save: Callable[..., None], *values: Any, **arrays: Any) -> bytes:
    stream = BytesIO()
    save(stream, *values, **arrays)
    content = stream.getvalue()
    # Without the time of day, so that a seed gives the same inputs in every run.
    if content.startswith(b"PK"):
        return _undated(content)
    if content.startswith(b"MATLAB"):
        return b"MATLAB 5.0 MAT-file".ljust(116) + content[116:]
    return content


def _undated(content: bytes) -> bytes:
    """Return a zip with the members of another, of no date."""
    stream = BytesIO()
    with zipfile.ZipFile(BytesIO(content)) as old, zipfile.ZipFile(stream, "w") as new:
        for member in old.infolist():
            info = zipfile.ZipInfo(member.filename)
            new.writestr(info, old.read(member), member.compress_type)
    return stream.getvalue()


def _with_npy(name: str, array: Any, read: Read) -> Sound:
    content = _saved(np.save, array)
    return Sound(name, content, read, partial(forge_npy, content))


def _names(X: Diagrams, folder: Path) -> Iterator[Sound]:
    yield Sound("names.txt", b"a\nb\n\xc3\xa9 c\n", read_names)


def _npy(X: Diagrams, folder: Path) -> Iterator[Sound]:
    yield _with_npy("a.npy", X["H1"][2], partial(read_diagrams, format="npy"))


def _akriti(X: Diagrams, folder: Path) -> Iterator[Sound]:
    X = X["H1"]
    births, deaths = X.points.T
    dims = np.ones(len(births), np.int64)
    bars = _saved(np.savez, births=births, deaths=deaths, dims=dims, offsets=X.offsets)
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("meta.json", json.dumps({**AKRITI, "kind": "batch"}))
        archive.writestr("bars.npz", bars)
    content = _undated(stream.getvalue())
    yield Sound("a.akd", content, read_diagrams, partial(forge_zip, content))


def _labels(X: Diagrams, folder: Path) -> Iterator[Sound]:
    names = folder / "names.txt"
    names.write_text("".join(f"{i}\n" for i in range(6)))
    read = partial(read_labels, n_samples=6, names=names)
    yield Sound("labels.txt", b"a\nb\n" * 3, read)
    yield Sound("labels.txt", b"10\n-2\n" * 3, partial(read_labels, n_samples=6))
    rows = b"file,label\n" + b"".join(b"%d,a\n" % i for i in range(6))
    yield Sound("labels.csv", rows, read)
    yield _with_npy("labels.npy", np.arange(6), read)
    yield _with_npy("labels.npy", np.array(list("abcabc")), read)


def _raw(X: Diagrams, folder: Path) -> Iterator[Sound]:
    clouds, graphs = (partial(read_raw, kind=kind) for kind in ("clouds", "graphs"))
    yield Sound("a.csv", b"x,y,z\n1,2,3.5\n4,5,6\n-1e3,0,.5\n", clouds)
    yield Sound("a.txt", b"# cloud\n1 2\n3 4.5\n\n5 6\n", clouds)
    yield Sound("a.xyz", b"1\t2\t3\n4\t5\t6\n", clouds)
    yield Sound("a.txt", b"1 2\n2 3 0.5\n7\n", graphs)
    yield Sound("a.csv", b"source,target\n1,2\n2,3\n", graphs)
    yield _with_npy("a.npy", np.arange(12.0).reshape(6, 2), clouds)
    yield _with_npy("a.npy", np.arange(24).reshape(2, 3, 4), read_images)


def _meshes(X: Diagrams, folder: Path) -> Iterator[Sound]:
    square = "0 0 0\n1 0 0\n1 1 0.5\n0 1 0\n"
    faces = "4 0 1 2 3\n3 0 1 2\n"
    yield Sound("a.off", f"OFF\n4 2 0\n{square}{faces}".encode(), read_mesh)
    header = (
        "ply\nformat {} 1.0\nelement vertex 4\nproperty float x\n"
        "property float y\nproperty float z\nelement face 2\n"
        "property list uchar int vertex_indices\nend_header\n"
    )
    text = header.format("ascii") + square + faces
    yield Sound("a.ply", text.encode(), read_mesh)
    for order, kind in (("<", "little"), (">", "big")):
        vertices = np.array(square.split(), f"{order}f4").tobytes()
        corners = b"".join(
            bytes([len(face)]) + np.array(face, f"{order}i4").tobytes()
            for face in ([0, 1, 2, 3], [0, 1, 2])
        )
        binary = header.format(f"binary_{kind}_endian").encode() + vertices + corners
        yield Sound("a.ply", binary, read_mesh)


def _arrow(name: str, X: Diagrams, folder: Path) -> Iterator[Sound]:
    file = f"a.{name}"
    contents = [_written(X, file, folder, name)]
    stream = BytesIO(_written(X, "b", folder, "parquet"))
    table = parquet.read_table(stream, use_threads=False)
    table = table.append_column("sample", pa.array([f"s{i}" for i in range(len(X))]))
    for packing in ("zstd", "lz4") if name == "arrow" else ("snappy", "zstd", "gzip"):
        stream = BytesIO()
        write = feather.write_feather if name == "arrow" else parquet.write_table
        write(table, stream, compression=packing)
        contents.append(stream.getvalue())
    for content in contents:
        yield Sound(file, content, read_diagrams)
        yield Sound(file, content, lambda path: list(scan_diagrams(path)))


def _hdf5(X: Diagrams, folder: Path) -> Iterator[Sound]:
    X = X["H1"]
    for options in ({}, {"compression": "gzip"}, {"chunks": (2, 2), "shuffle": True}):
        stream = BytesIO()
        with h5py.File(stream, "w") as file:
            group = file.create_group("views").create_group("0")
            for i in range(3):
                group.create_dataset(str(i), data=X[2 * i + 2 * (i == 0)], **options)
        yield Sound("a.h5", stream.getvalue(), _read_hdf5)


def _read_hdf5(path: Path) -> None:
    with open_hdf5(path.read_bytes(), str(path)) as file:
        group = read_group(read_group(file, "views"), "0")
        for name in group:
            read_points(group, name)


def _matlab(X: Diagrams, folder: Path) -> Iterator[Sound]:
    arrays = {"depth": X["H1"].points, "other": np.arange(4)}
    streams = [_saved(savemat, arrays, format=version) for version in ("4", "5")]
    streams.append(_saved(savemat, arrays, do_compression=True))
    stream = BytesIO()
    with h5py.File(stream, "w", userblock_size=512) as file:
        file["depth"] = X["H1"].points
    streams.append(stream.getvalue())

    def read(path: Path) -> None:
        read_matlab(path.read_bytes(), str(path), ("depth",))

    for content in streams:
        yield Sound("a.mat", content, read)


def _images(X: Diagrams, folder: Path) -> Iterator[Sound]:
    gray = np.arange(96, dtype=np.uint8).reshape(8, 12)
    color = np.dstack([gray, gray[::-1], gray])
    wide = (gray * 300.0).astype(np.uint16)
    for name, kind, arrays in (
        ("a.png", "PNG", (gray, color, wide, gray > 40)),
        ("a.jpg", "JPEG", (gray, color)),
        ("a.tif", "TIFF", (gray, wide, gray.astype(np.float32))),
    ):
        for array in arrays:
            content = _saved_image(array, kind)
            yield Sound(name, content, read_images)
            if kind != "JPEG":
                yield Sound(name, content, _read_picture)
    pages = [Image.fromarray(gray), Image.fromarray(gray[:4])]
    for packing in ("tiff_lzw", "tiff_adobe_deflate", "packbits"):
        content = _saved_image(gray, "TIFF", compression=packing)
        yield Sound("a.tif", content, read_images)
    content = _saved_image(gray, "TIFF", save_all=True, append_images=pages)
    yield Sound("a.tif", content, read_images)


def _read_picture(path: Path) -> None:
    read_picture(path.read_bytes(), str(path), "")


def _saved_image(array: Any, kind: str, **options: Any) -> bytes:
    stream = BytesIO()
    Image.fromarray(array).save(stream, kind, **options)
    return stream.getvalue()


def _homcloud(X: Diagrams, folder: Path) -> Iterator[Sound]:
    births, deaths = X["H1"].points.T.tolist()
    chunk = {"births": births, "deaths": deaths, "essential_births": [0.5]}
    body, listed = b"", []
    for degree in (0, 1):
        kind = {"chunktype": "pd", "degree": degree}
        packed = msgpack.packb(kind | chunk)
        listed.append({**kind, "start": len(body), "length": len(packed)})
        body += packed
    head = {"format_version": 1, "sign_flipped": False, "chunks": listed}
    packed = msgpack.packb(head)
    content = HOMCLOUD + len(packed).to_bytes(8, "little") + packed + body
    yield Sound("a.pdgm", content, read_diagrams)


# Sound files of each target, from diagrams and a folder to write to.
SOUND: dict[str, Callable[[Diagrams, Path], Iterable[Sound]]] = {
    "pbow": _native,
    "model": _models,
    **{
        name: partial(_text, name)
        for name in ("csv", "pers", "hera", "perseus", "dipha")
    },
    "text": _inferred,
    "npz": _npz,
    "npy": _npy,
    "akriti": _akriti,
    "labels": _labels,
    "names": _names,
    "raw": _raw,
    "mesh": _meshes,
    "parquet": partial(_arrow, "parquet"),
    "arrow": partial(_arrow, "arrow"),
    "hdf5": _hdf5,
    "matlab": _matlab,
    "image": _images,
    "homcloud": _homcloud,
}
