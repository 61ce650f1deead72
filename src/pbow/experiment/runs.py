"""The results folder: one small file a run, written whole or not at all.

``runs/<key>.json`` holds a run that is finished, ``runs.csv`` those that were packed,
``locks/`` who works on what, ``matrices/`` distances that repetitions share, ``data/``
digests of the data sets, and ``experiment.toml`` the declaration. The key of a run is a
hash of all that its result depends on, so that nothing is counted twice and nothing
stale is taken for new.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from pbow._utils.files import AnyPath, atomic_write
from pbow.errors import FileFormatError

__all__ = ["FINAL", "MATRIX", "OVER_BUDGET", "SCREEN", "Folder", "Run", "key_of"]

# What a run is for: a quick look at one combination of parameters; the whole protocol;
# the distances between all diagrams; a note that a cell has used up its time.
SCREEN, FINAL, MATRIX, OVER_BUDGET = "screen", "final", "matrix", "over budget"
STAGES = (SCREEN, FINAL, MATRIX, OVER_BUDGET)

# The lock that everyone holds who works on the folder.
IN_USE = "in-use"


@dataclass(frozen=True, kw_only=True)
class Run:
    """The result of one run.

    Attributes
    ----------
    key : str
        Hash of all that the result depends on.
    stage : str
        SCREEN, FINAL, MATRIX or OVER_BUDGET.
    dataset, descriptor : str
        Names in the declaration.
    params : dict
        Parameters of the descriptor.
    repetition : int or None
        Which division, counted from 0; None for distances, which all share.
    accuracy : float or None
        Share of the test samples that was right.
    validation : float or None
        The same inside the training part, at the chosen cost.
    cost : float or None
        The chosen C.
    by_cost : list of float
        Accuracy inside the training part, for each value of C that was tried.
    confusion : list of list of int or None
        Test samples by true class (row) and predicted class; of final runs.
    n_train, n_test, n_features : int
        Sizes; `n_features` is 0 of kernel methods.
    seconds : dict of str to float
        ``fit`` (learning codebook, box, axes), ``encode`` (vectors, or the matrix of
        distances), ``gram``, ``classify``.
    n_fits, n_capped : int
        Support vector machines that were fitted, and that met the cap of iterations.
    versions : dict of str to str
        Of pbow, Python and the packages that numbers depend on.
    machine : str
        Processor and number of cores.
    note : str
        What else there is to say.
    """

    key: str
    stage: str
    dataset: str
    descriptor: str
    params: dict[str, Any]
    repetition: int | None = None
    accuracy: float | None = None
    validation: float | None = None
    cost: float | None = None
    by_cost: list[float] = field(default_factory=list)
    confusion: list[list[int]] | None = None
    n_train: int = 0
    n_test: int = 0
    n_features: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    n_fits: int = 0
    n_capped: int = 0
    versions: dict[str, str] = field(default_factory=dict)
    machine: str = ""
    note: str = ""

    @property
    def per_class(self) -> list[float] | None:
        """Share of the test samples of each class that was right; None without."""
        if self.confusion is None:
            return None
        counts = np.asarray(self.confusion, dtype=float)
        totals = np.maximum(counts.sum(axis=1), 1.0)
        return [float(share) for share in np.diag(counts) / totals]

    @property
    def representation_seconds(self) -> float:
        """Time to construct the representation: what the paper's table gives."""
        return self.seconds.get("fit", 0.0) + self.seconds.get("encode", 0.0)


def key_of(content: dict[str, Any]) -> str:
    """Return a hash of what a run depends on, the same on every machine."""
    text = json.dumps(content, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


class Folder:
    """A folder of results, which several processes may work on at once.

    Parameters
    ----------
    path : str or path-like
        The folder.
    """

    def __init__(self, path: AnyPath) -> None:
        self.path = Path(path)
        self.declaration = self.path / "experiment.toml"
        self.packed = self.path / "runs.csv"
        self._runs = self.path / "runs"
        self._locks = self.path / "locks"
        self._data = self.path / "data"
        self.matrices = self.path / "matrices"

    def make(self, declaration: str) -> None:
        """Make what is missing, and keep the declaration with the results."""
        for folder in (self._runs, self._locks, self._data, self.matrices):
            folder.mkdir(parents=True, exist_ok=True)
        with atomic_write(self.declaration) as file:
            file.write(declaration.encode())

    def check_data(self, name: str, digest: str) -> None:
        """Raise where a data set is not the one that the results here were made with.

        Parameters
        ----------
        name : str
            Of the data set.
        digest : str
            Of its content; it is written down the first time.
        """
        file = self._data / f"{name}.sha256"
        if not file.exists():
            with atomic_write(file) as stream:
                stream.write(f"{digest}\n".encode())
        known = file.read_text().strip()
        if known != digest:
            msg = (
                f"Data set {name} has changed since the results in {self.path} were "
                f"made (digest {digest[:12]}, expected {known[:12]}). Take another "
                "folder, or delete this one."
            )
            raise ValueError(msg)

    def is_done(self, key: str) -> bool:
        """Say whether a run has a file; those that were packed are not looked at."""
        return self._file(key).exists()

    def read(self, key: str) -> Run:
        """Return one run that has a file."""
        return _parsed(self._file(key))

    def write(self, run: Run) -> None:
        """Write one run; a reader sees all of it or nothing."""
        content = asdict(run) | {"per_class": run.per_class}
        with atomic_write(self._file(run.key)) as file:
            file.write(json.dumps(content, sort_keys=True, indent=1).encode())

    def forget(self, key: str) -> None:
        """Remove a run's file, if there is one."""
        self._file(key).unlink(missing_ok=True)

    def load(self, known: dict[str, Run] | None = None) -> dict[str, Run]:
        """Return all runs by their keys; those in `known` are not read again."""
        runs: dict[str, Run] = {}
        # In order, so that whatever is made of the runs never depends on the disk.
        for file in sorted(self._runs.glob("*.json")):
            if known is None or file.stem not in known:
                with suppress(FileNotFoundError):  # it has just been packed
                    runs[file.stem] = _parsed(file)
        if known is None and self.packed.exists():
            # After the files: what is packed meanwhile is in one of both. A file is
            # newer than a line of the same key.
            known = {run.key: run for run in _unpacked(self.packed)}
        return {**(known or {}), **runs}

    def pack(self) -> int:
        """Move all runs into runs.csv; return how many there are.

        Raises
        ------
        BlockingIOError
            Where a process is at work on the folder.
        """
        with self._alone():
            runs = sorted(self.load().values(), key=_order)
            text = io.StringIO()
            # All text in quotes: a lone "\r" would end a line otherwise.
            writer = csv.DictWriter(
                text, COLUMNS, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC
            )
            writer.writeheader()
            writer.writerows(_row(run) for run in runs)
            with atomic_write(self.packed) as file:
                file.write(text.getvalue().encode())
            for run in runs:
                self.forget(run.key)
            for draft in self._runs.glob(".*.tmp"):  # of a process that was killed
                draft.unlink(missing_ok=True)
        return len(runs)

    def remove_unused(self) -> None:
        """Remove what was made here, unless it has runs or distances, or is in use.

        What others have put here stays, and so does the folder then.
        """
        with suppress(BlockingIOError), self._alone():
            made = (*self._runs.glob("*.json"), *self.matrices.glob("*"))
            if made or self.packed.exists():
                return
            for file in (
                self.declaration,
                *self._data.glob("*.sha256"),
                *self._locks.glob("*"),
            ):
                file.unlink(missing_ok=True)
            for folder in (
                self._runs,
                self._locks,
                self._data,
                self.matrices,
                self.path,
            ):
                with suppress(OSError):  # it is not empty
                    folder.rmdir()

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Keep others from packing; any number of processes may be within."""
        with _opened(self._locks / IN_USE) as descriptor:
            _lock(descriptor, shared=True)
            yield

    @contextmanager
    def claim(self, key: str) -> Iterator[bool]:
        """Give True to the one process that may work on a run, False to the others.

        The lock is the kernel's: it goes with the process, however that ends.
        """
        path = self._locks / key
        with _opened(path) as descriptor:
            try:
                _lock(descriptor)
            except BlockingIOError:
                yield False
                return
            # Whoever had it may have finished, and removed the file locked here.
            yield not self.is_done(key)
            if self.is_done(key):
                path.unlink(missing_ok=True)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Make sure that nobody works on the folder, nor starts to."""
        with ExitStack() as until_done:
            # The one that all share comes first: who starts now waits there.
            names = {file.name for file in self._locks.glob("*")} - {IN_USE}
            for name in [IN_USE, *names] if self._locks.is_dir() else []:
                descriptor = until_done.enter_context(_opened(self._locks / name))
                try:
                    _lock(descriptor)
                except BlockingIOError as error:
                    msg = (
                        f"A process is at work on {self.path}. Wait for its end, or "
                        "stop it; what is finished is kept."
                    )
                    raise BlockingIOError(msg) from error
            yield

    def _file(self, key: str) -> Path:
        return self._runs / f"{key}.json"


@contextmanager
def _opened(lock: Path) -> Iterator[int]:
    """Open a file to lock, made where there is none; closing it gives the lock back."""
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _lock(descriptor: int, *, shared: bool = False) -> None:
    """Lock a file for this process: alone and at once, or shared after a wait."""
    try:
        import fcntl  # noqa: PLC0415  tables and figures do not need it
    except ImportError as error:  # pragma: no cover
        msg = "Experiments are run on Linux or macOS: they need the system's flock."
        raise ImportError(msg) from error
    fcntl.flock(descriptor, fcntl.LOCK_SH if shared else fcntl.LOCK_EX | fcntl.LOCK_NB)


COLUMNS = [item.name for item in fields(Run)]
# Kept as JSON; the others are text or numbers.
_AS_JSON = {"params", "by_cost", "confusion", "seconds", "versions"}
_NUMBERS = {"accuracy", "validation", "cost"}
_COUNTS = {"repetition", "n_train", "n_test", "n_features", "n_fits", "n_capped"}
# What every field must be; a number may be written without its point.
_KINDS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("key", "stage", "dataset", "descriptor", "machine"), (str,)),
    "note": (str,),
    "params": (dict,),
    "seconds": (dict,),
    "versions": (dict,),
    "by_cost": (list,),
    "confusion": (list, type(None)),
    **dict.fromkeys(_NUMBERS, (float, int, type(None))),
    **dict.fromkeys(_COUNTS, (int,)),
    "repetition": (int, type(None)),
}


def _order(run: Run) -> tuple[Any, ...]:
    repetition = -1 if run.repetition is None else run.repetition
    params = json.dumps(run.params, sort_keys=True)
    return run.dataset, run.descriptor, run.stage, params, repetition, run.key


def _row(run: Run) -> dict[str, Any]:
    row = asdict(run)
    for name in _AS_JSON:
        row[name] = json.dumps(row[name], sort_keys=True, separators=(",", ":"))
    return row


def _parsed(file: Path) -> Run:
    try:
        content = json.loads(file.read_bytes())
        content.pop("per_class", None)
        return _checked(Run(**content))
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        msg = f"it is not the result of a run ({error}); delete it to run anew."
        raise FileFormatError(file, msg) from error


def _unpacked(file: Path) -> Iterator[Run]:
    line = 1
    try:
        text = file.read_bytes().decode()
        if not text.endswith("\n"):
            msg = "its end is missing"
            raise ValueError(msg)
        rows = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        if rows.fieldnames != COLUMNS:
            msg = f"expected columns {COLUMNS}, got {rows.fieldnames}"
            raise ValueError(msg)
        for row in rows:
            line = rows.line_num
            content: dict[str, Any] = dict(row)
            for name, value in row.items():
                if name in _AS_JSON:
                    content[name] = json.loads(value)
                elif name in _NUMBERS:
                    content[name] = float(value) if value else None
                elif name in _COUNTS:
                    content[name] = int(value) if value else None
            yield _checked(Run(**content))
    except (ValueError, TypeError, RecursionError, csv.Error) as error:
        msg = f"it is not a table of runs (line {line}: {error})."
        raise FileFormatError(file, msg) from error


def _checked(run: Run) -> Run:
    for name, kinds in _KINDS.items():
        value = getattr(run, name)
        if not isinstance(value, kinds) or isinstance(value, bool):
            msg = f"{name} is {value!r:.60}"
            raise ValueError(msg)
    if run.stage not in STAGES:
        msg = f"stage is {run.stage!r:.60}, expected one of {', '.join(STAGES)}"
        raise ValueError(msg)
    return run
