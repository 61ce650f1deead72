"""Read damaged and forged files: each must be read, or refused by a FileFormatError.

    python scripts/fuzz_files.py --count 100000 --seed 0

Native diagrams, text (CSV, .pers, Hera, Perseus), DIPHA, akriti, npy, npz, labels and
models of all classes are changed at random: bytes are flipped, cut, repeated and
replaced by awkward numbers; headers of pbow's own files are forged and signed with a
right checksum. Any other error, a warning, more than 5 seconds for a file or 1 GB of
memory is a failure: the file is kept, its name is printed, and the exit code is 1. The
same seed gives the same files.
"""

from __future__ import annotations

import argparse
import copy
import faulthandler
import json
import random
import resource
import signal
import sys
import tempfile
import time
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import pbow
from pbow import Diagrams
from pbow.datasets.sources import opened
from pbow.errors import FileFormatError
from pbow.io import read_diagrams, read_labels, read_native, write_diagrams
from pbow.io.akriti import FORMAT as AKRITI
from pbow.io.container import DIAGRAMS, MODEL, pack, read_container

MOST_SECONDS = 5
MOST_MEMORY = 1 << 30
TEXT = ("csv", "pers", "hera", "perseus", "labels")
TOKENS = (
    b"nan",
    b"inf",
    b"-inf",
    b"1e999",
    b"-1",
    b"1e-320",
    b"9" * 400,
    b"1_0",
    b"0x1p3",
    b'"',
    b"'=1",
    b"\xff\xfe",
    b"\0",
    b"\r",
    b"#",
    b",,",
)
LEAVES = (
    None,
    True,
    0,
    -1,
    2**31,
    2**63,
    10**400,
    1e308,
    -0.5,
    5e-324,
    "",
    "inf",
    "H1",
    "x" * 1000,
    [],
    {},
    {"float": "nan"},
    {"float": "inf"},
    {"list": []},
    {"tuple": [1, 2]},
    {"dict": {}},
    {"array": "array0"},
)
DTYPES = ("<f8", "<f4", "<i8", "<i4")


class Sluggish(BaseException):
    """A file has taken too long; no reader takes this for an error of its own."""


def diagrams() -> Diagrams:
    """Return a small collection with empty diagrams and essential points."""
    rng = np.random.default_rng(0)
    samples = [np.sort(rng.uniform(0, 4, (n, 2)), axis=1) for n in (6, 0, 9, 4, 7, 5)]
    essential = [[[0.0, np.inf], *(points / 2)] for points in samples]
    return Diagrams.from_parts({"H0": essential, "H1": samples})


def write_good_files(folder: Path) -> list[tuple[str, Path, Callable[[Path], Any]]]:
    """Return format, file and reader of sound files."""
    X = diagrams()
    files: list[tuple[str, Path, Callable[[Path], Any]]] = []
    for name in ("pbow", "csv"):
        path = folder / f"diagrams.{name}"
        write_diagrams(X, path, name)
        files.append((name, path, partial(read_diagrams, format=name)))
    mapped = partial(read_native, mmap=True)
    files.append(("pbow", folder / "diagrams.pbow", mapped))
    for name in ("pers", "hera", "perseus", "dipha"):
        write_diagrams(X[2:3]["H1"], folder / name, name)
        path = next((folder / name).iterdir())
        files.append((name, path, partial(read_diagrams, format=name)))
    np.save(folder / "labels.npy", np.arange(6))
    (folder / "labels.txt").write_text("a\nb\n" * 3)
    (folder / "labels.csv").write_text("".join(f"{i},a\n" for i in range(6)))
    (folder / "names.txt").write_text("".join(f"{i}\n" for i in range(6)))
    for name in ("labels.npy", "labels.txt", "labels.csv"):
        read = partial(read_labels, n_samples=6, names=folder / "names.txt")
        files.append(("labels", folder / name, read))
    arrays = {"points": X["H1"].points, "offsets": X["H1"].offsets, "names": ["a", "b"]}
    for save in (np.savez, np.savez_compressed):
        path = folder / f"{save.__name__}.npz"
        save(path, **arrays)
        files.append(("npz", path, read_npz))
        files.append(("npz", path, partial(read_diagrams, format="npz")))
    np.save(folder / "diagram.npy", X["H1"][2])
    files.append(("npy", folder / "diagram.npy", partial(read_diagrams, format="npy")))
    files.append(("akriti", write_akriti(X["H1"], folder), read_diagrams))
    for subpackage in (pbow.vectorizers, pbow.kernels, pbow.preprocessing):
        for name in subpackage.__all__:
            model = getattr(subpackage, name)()
            if "n_words" in model.get_params():
                model.set_params(n_words=2)
            path = folder / f"{name}.pbow"
            pbow.save(model.fit(X), path)
            files.append(("model", path, pbow.load))
    return files


def write_akriti(X: Diagrams, folder: Path) -> Path:
    """Return a file as akriti writes it."""
    bars = folder / "bars.npz"
    births, deaths = X.points.T
    dims = np.ones(len(births), np.int64)
    np.savez(bars, births=births, deaths=deaths, dims=dims, offsets=X.offsets)
    path = folder / "diagrams.akd"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("meta.json", json.dumps({**AKRITI, "kind": "batch"}))
        archive.write(bars, "bars.npz")
    return path


def read_npz(path: Path) -> None:
    """Read the arrays that a data set is made of."""
    with opened(path) as source:
        source.read("points", "f", 2)
        source.read("offsets", "iu", 1)
        source.read("names", "U", 1)


def damage(data: bytes, rng: random.Random, *, text: bool) -> bytes:
    """Return bytes that something has happened to, once or a few times."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        at = rng.randrange(len(changed) + 1)
        n = rng.choice((1, 2, 4, 8, 64))
        match rng.randrange(7 if text else 6):
            case 0:
                changed[at : at + 1] = bytes([rng.randrange(256)])
            case 1:
                changed[at : at + n] = rng.choice((b"\0", b"\xff")) * n
            case 2:
                changed[at : at + n] = b""
            case 3:
                changed[at:at] = changed[rng.randrange(len(changed) + 1) :][:n]
            case 4:
                changed[at : at + n] = rng.randbytes(n)
            case 5:
                changed = changed[:at] if rng.random() < 0.3 else changed
            case _:
                changed[at : at + n] = rng.choice(TOKENS)
    return bytes(changed)


def forge(path: Path, kind: str, rng: random.Random) -> bytes:
    """Return a container with another header or other arrays, and a right checksum."""
    header, arrays = read_container(path, kind)
    for key in ("format", "version", "pbow"):
        del header[key]
    header = copy.deepcopy(header)
    for _ in range(rng.choice((1, 1, 2, 4))):
        if arrays and rng.random() < 0.4:
            name = rng.choice(list(arrays))
            arrays[name] = forged_array(arrays[name], rng)
        elif places := list(leaves(header)):
            holder, key = rng.choice(places)
            if rng.random() < 0.2:
                del holder[key]
            else:
                holder[key] = copy.deepcopy(rng.choice(LEAVES))
    return b"".join(pack(kind, header, arrays))


def leaves(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every place of a header, as what holds it and its key."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in list(items):
        yield value, key
        if isinstance(item, dict | list):
            yield from leaves(item)


def forged_array(array: np.ndarray[Any, Any], rng: random.Random) -> Any:
    """Return an array of another length, shape or type, or with an odd number."""
    changed = np.array(array)
    match rng.randrange(5):
        case 0:
            return changed[:-1] if changed.ndim else changed
        case 1:
            return changed.reshape(-1)
        case 2:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return changed.astype(rng.choice(DTYPES))
        case 3:
            return changed[..., None] if changed.ndim < 4 else changed
        case _:
            odd = (np.nan, np.inf, -1.0, 0.0, 1e200, 5e-324, 1e15)
            if changed.size:
                with np.errstate(all="ignore"), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    at = rng.randrange(changed.size)
                    changed.reshape(-1)[at] = np.float64(rng.choice(odd)).astype(
                        changed.dtype
                    )
            return changed


@contextmanager
def limited_time(seconds: float) -> Iterator[None]:
    """Raise Sluggish after so many seconds."""

    def stop(*_: Any) -> None:
        raise Sluggish

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    # Compiled code does not hear of signals: the process then ends with a traceback.
    faulthandler.dump_traceback_later(4 * seconds + 1, exit=True)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()


def peak_memory() -> int:
    """Return the largest memory that the process has had, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def attempt(
    read: Callable[[Path], Any], path: Path, seconds: float = MOST_SECONDS
) -> str:
    """Return ``"read"``, ``"refused"``, or what went wrong."""
    before = peak_memory()
    try:
        with limited_time(seconds), warnings.catch_warnings():
            warnings.simplefilter("error")
            read(path)
        outcome = "read"
    except FileFormatError as error:
        outcome = "refused" if str(path) in str(error) else f"nameless: {error}"
    except Sluggish:
        outcome = f"took more than {seconds} seconds"
    except Exception as error:  # what this script is for
        outcome = f"{type(error).__name__}: {error}"
    if peak_memory() - before > MOST_MEMORY:
        outcome = f"took {peak_memory() - before:,} bytes of memory"
    return outcome


def fuzz(
    count: int, seed: int, folder: Path
) -> tuple[Counter[tuple[str, str]], list[str]]:
    """Return how often each format had each outcome, and the failures."""
    files = write_good_files(folder)
    outcomes: Counter[tuple[str, str]] = Counter()
    failures = []
    formats = sorted({name for name, _, _ in files})
    for i in range(count):
        rng = random.Random(f"{seed} {i}")
        name = formats[i % len(formats)]
        _, good, read = rng.choice([one for one in files if one[0] == name])
        kind = {"pbow": DIAGRAMS, "model": MODEL}.get(name)
        if kind and rng.random() < 0.7:
            data = forge(good, kind, rng)
        else:
            data = damage(good.read_bytes(), rng, text=name in TEXT)
        bad = folder / f"bad-{good.name}"
        if name == "perseus":
            bad = folder / "bad_1.txt"
        bad.write_bytes(data)
        outcome = attempt(read, bad)
        if outcome not in ("read", "refused"):
            kept = folder / f"{len(failures)}-{good.name}"
            kept.write_bytes(data)
            failures.append(f"{kept}: file {i} of seed {seed}, {name}: {outcome}")
            outcome = "failed"
        outcomes[name, outcome] += 1
    return outcomes, failures


def main() -> None:
    """Read the options, and print what was tried."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=10_000, help="how many files")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="pbow-fuzz-"))
    start = time.perf_counter()
    outcomes, failures = fuzz(given.count, given.seed, folder)
    for (name, outcome), n in sorted(outcomes.items()):
        print(f"{name:8} {outcome:8} {n:8,}")
    print(
        f"{given.count:,} files of seed {given.seed} in "
        f"{time.perf_counter() - start:.0f} s: {len(failures)} failures"
    )
    for failure in failures[:50]:
        print(failure)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
