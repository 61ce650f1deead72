"""Diagrams, models and processes that get killed; workers import this module, too."""

import itertools
import os
import signal
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import pbow
from pbow import Diagrams, PersistenceBoW, StablePersistenceBoW
from pbow._utils import matrix_file
from pbow.distributed import _transform
from pbow.io.arrow import write_parquet

# Of the files: all different, so that blocks are known by them.
SIZES = (2, 9, 3, 5, 4, 8, 6)

# Samples are smaller than the collection, so that what is drawn matters.
MODELS = {
    "PBoW": PersistenceBoW(4, sample_size=150, random_state=0),
    "sPBoW": StablePersistenceBoW((2, 4), sample_size=150, random_state=1),
    "ramp": PersistenceBoW(
        4, weighting="ramp", point_weight="ramp", sample_size=150, random_state=2
    ),
    "essential": StablePersistenceBoW(
        (2, 3), essential="separate", sample_size=150, dtype="float32", random_state=3
    ),
}


def make_diagrams(n_samples, seed=20190810):
    """Two parts, both with essential points; some diagrams are empty."""
    rng = np.random.default_rng(seed)

    def diagram(n, n_essential):
        births = rng.uniform(0.0, 1.0, size=n)
        deaths = births + rng.exponential(0.3, size=n)
        deaths[:n_essential] = np.inf
        return np.c_[births, deaths]

    n_points = rng.integers([1, 0], [8, 12], size=(n_samples, 2))
    return Diagrams.from_parts(
        {
            "H0": [diagram(n, 1) for n in n_points[:, 0]],
            "H1": [diagram(n, n // 4) for n in n_points[:, 1]],
        }
    )


def write_files(X, folder, sizes, names=None):
    """Write so many samples to each Parquet file of a new folder."""
    folder.mkdir()
    first = 0
    for i, size in enumerate(sizes):
        rows = slice(first, first + size)
        with (folder / f"{i}.parquet").open("wb") as file:
            write_parquet(X[rows], file, None if names is None else names[rows])
        first += size
    return folder


def spoil(path, row, part, points):
    """Put points into a diagram of a Parquet file, whatever they are."""
    table = pq.read_table(path)
    column = table[part].to_pylist()
    column[row] = [{"birth": birth, "death": death} for birth, death in points]
    at = table.schema.get_field_index(part)
    field = table.schema.field(at)
    pq.write_table(table.set_column(at, field, pa.array(column, field.type)), path)


def read_features(folder):
    """Return the features in a folder, and the names of the samples."""
    files = sorted(Path(folder).glob("*.parquet"))
    table = pa.concat_tables([pq.read_table(file) for file in files])
    columns = [name for name in table.column_names if name != "sample"]
    H = np.column_stack([table[name].to_numpy() for name in columns])
    return H, table["sample"].to_pylist()


def contents(folder):
    """Return the bytes of all files of a folder."""
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def saved(model):
    """Return all that a model has learnt, as the bytes of its file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.pbow")
        pbow.save(model, path)
        return path.read_bytes()


@dataclass(frozen=True)
class Watched:
    """Pass diagrams on, note how often blocks come, and kill the process at times.

    Blocks are known by their number of samples. The process is killed when the block
    of `deadly` samples comes for the first time, or `always` every other time.
    """

    log: Path
    deadly: int = 0
    always: bool = False

    def __call__(self, X):
        with (self.log / str(len(X))).open("ab") as file:
            file.write(b".")
            visit = file.tell()
        is_due = visit % 2 == 1 if self.always else visit == 1
        if len(X) == self.deadly and is_due:
            os.kill(os.getpid(), signal.SIGKILL)
        return X

    def visits(self, size):
        """Return how often a block has come."""
        path = self.log / str(size)
        return path.stat().st_size if path.exists() else 0


def die_at_sync(n, function, *args, **options):
    """Call a function, and be killed when its n-th file is nearly written."""
    sync, counter = os.fsync, itertools.count()

    def fsync(file):
        if next(counter) == n:
            os.kill(os.getpid(), signal.SIGKILL)
        sync(file)

    os.fsync = fsync
    function(*args, **options)


def die_at_block(n, log, function, *args, **options):
    """Call a function that fills a matrix, and be killed in its n-th block."""
    encode, counter = _transform._encode_into, itertools.count()

    def encode_into(source, *others):
        done = encode(source, *others)
        if next(counter) == n:
            os.kill(os.getpid(), signal.SIGKILL)
        with log.open("a") as file:
            print(source.name, file=file)
        return done

    _transform._encode_into = encode_into
    # Ten seconds a look, so that every block is noted as done at once.
    matrix_file.time = SimpleNamespace(monotonic=itertools.count(step=10).__next__)
    function(*args, **options)


def fail_while(marker, X):
    """Return diagrams as they are, unless a file is there."""
    if marker.exists():
        msg = "there is a marker"
        raise RuntimeError(msg)
    return X
