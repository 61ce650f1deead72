"""Small files in the layouts of the data folder, and content of others."""

from io import BytesIO

import h5py
import numpy as np
from PIL import Image
from scipy.io import savemat


def hdf5(write):
    """The content of an HDF5 file that a function has written to."""
    stream = BytesIO()
    with h5py.File(stream, "w") as file:
        write(file)
    return stream.getvalue()


def matlab(arrays, **options):
    stream = BytesIO()
    savemat(stream, arrays, **options)
    return stream.getvalue()


def picture(array, kind="TIFF"):
    stream = BytesIO()
    Image.fromarray(array).save(stream, kind)
    return stream.getvalue()


def labeled(n_per_class, n_classes):
    """Labels, class by class in turn, and their names."""
    return {
        "labels": np.tile(np.arange(n_classes, dtype=np.int32), n_per_class),
        "label_names": np.array([f"class {k}" for k in range(n_classes)]),
    }


def diagram_arrays(n_per_class=4, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 6, n_per_class * n_classes)
    births = rng.uniform(size=sizes.sum())
    return {
        "points": np.column_stack((births, births + rng.uniform(size=len(births)))),
        "offsets": np.concatenate(([0], np.cumsum(sizes))),
        **labeled(n_per_class, n_classes),
    }


def graph_arrays(n_per_class=4, n_classes=2, n_nodes=8, seed=0):
    """Random graphs; ends of edges are in order, and none is there twice."""
    rng = np.random.default_rng(seed)
    n = n_per_class * n_classes
    pairs = np.column_stack(np.triu_indices(n_nodes, 1)).astype(np.int32)
    chosen = rng.uniform(size=(n, len(pairs))) < 0.25
    return {
        "edges": np.concatenate([pairs[row] for row in chosen]),
        "offsets": np.concatenate(([0], np.cumsum(chosen.sum(axis=1)))),
        "num_nodes": np.full(n, n_nodes, np.int32),
        **labeled(n_per_class, n_classes),
    }


def image_arrays(n_per_class=6, n_classes=2, size=12, dtype=np.int16, seed=0):
    """Every two neighboring samples of one class are from one surface."""
    rng = np.random.default_rng(seed)
    n = n_per_class * n_classes
    return {
        "images": rng.integers(0, 1000, (n, size, size)).astype(dtype),
        "groups": np.arange(n) // (2 * n_classes) * n_classes
        + np.arange(n) % n_classes,
        **labeled(n_per_class, n_classes),
    }


def mesh_arrays(n_meshes=20, side=18, n_classes=3, seed=0):
    """Square nets in space, side x side vertices each, with bumps."""
    rng = np.random.default_rng(seed)
    ids = np.arange(side * side).reshape(side, side)
    a, b, c, d = (
        ids[rows, columns].ravel()
        for rows in (slice(None, -1), slice(1, None))
        for columns in (slice(None, -1), slice(1, None))
    )
    faces = np.concatenate((np.column_stack((a, b, c)), np.column_stack((b, d, c))))
    flat = np.column_stack(np.divmod(np.arange(side * side), side)).astype(np.float32)
    nets = [
        np.column_stack((flat, rng.uniform(0, 3, side * side))) for _ in range(n_meshes)
    ]
    return {
        "vertices": np.concatenate(nets).astype(np.float32),
        "vertex_offsets": np.arange(n_meshes + 1) * side * side,
        "faces": np.tile(faces, (n_meshes, 1)).astype(np.int32),
        "face_offsets": np.arange(n_meshes + 1) * len(faces),
        "vertex_labels": rng.integers(0, n_classes, n_meshes * side**2, np.int16),
        "mesh_ids": np.arange(61, 61 + n_meshes, dtype=np.int32),
        "label_names": np.array([f"part {k}" for k in range(n_classes)]),
    }


def point_arrays(n_points=8, n_meshes=3, n_classes=4):
    """Every tenth of the first vertices of meshes that `mesh_arrays` makes."""
    n = n_points * n_meshes
    return {
        "mesh_ids": np.repeat(np.arange(61, 61 + n_meshes, dtype=np.int32), n_points),
        "vertices": np.tile(10 * np.arange(n_points, dtype=np.int32), n_meshes),
        **labeled(n // n_classes, n_classes),
    }


def write(folder, stem, arrays):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{stem}.npz"
    np.savez_compressed(path, **arrays)
    return path
