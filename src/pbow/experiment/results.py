"""The runs of an experiment: a folder of files, one table, and what was chosen."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pbow._utils.files import AnyPath, atomic_write, claim
from pbow._utils.optional import import_optional
from pbow._utils.warn import warn_user
from pbow.experiment.declaration import Cell, Experiment, describe, read_experiment
from pbow.experiment.tasks import FINAL, Record, Runs, find_finalists, plan

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "NESTED",
    "TEST_CHOSEN",
    "DamagedRunWarning",
    "Folder",
    "choose",
    "planned",
    "progress",
    "to_frame",
]

# How parameters were chosen: inside each training set; or by the mean accuracy on the
# test sets, as the authors do, which is optimistic.
NESTED, TEST_CHOSEN = "nested", "test-chosen"

# The columns of the table that hold what is said of a run, and of one classifier.
OF_RUNS = (
    *("key", "stage", "dataset", "descriptor", "params", "repetition"),
    *("n_train", "n_test", "n_features", "error"),
    *("code", "data", "machine", "versions"),
)
OF_SCORES = ("accuracy", "validation", "C", "n_fits", "n_capped", "confusion")
SECONDS = ("fit_seconds", "encode_seconds", "classify_seconds")
# What the table would hold as something else where it is damaged, or a run has failed.
TYPES = (
    dict.fromkeys(("repetition", "n_train", "n_test", "n_features"), "int64")
    | dict.fromkeys(("accuracy", "validation", "C", *SECONDS), "float64")
    | dict.fromkeys(("n_fits", "n_capped"), "Int64")
)
CHOSEN_FIELDS = (
    *("dataset", "descriptor", "classifier", "selection", "repetition", "accuracy"),
    *("params", "C", "seconds", "n_features", "n_train", "n_test", "confusion"),
    *("n_fits", "n_capped", "classify_seconds"),
)
MALFORMED = (AttributeError, KeyError, TypeError, ValueError)


class DamagedRunWarning(UserWarning):
    """A run's file cannot be read; the run is made again."""


class Folder:
    """The folder of an experiment's results.

    ``runs/<key>.json`` is written when a run is finished; ``runs.parquet`` has the runs
    that were gathered; ``<name of the experiment>.toml`` is the declaration.

    Parameters
    ----------
    path : str or path-like
        The folder.
    """

    def __init__(self, path: AnyPath) -> None:
        self.path = Path(path)
        self.table = self.path / "runs.parquet"
        self._runs = self.path / "runs"

    def run_file(self, key: str) -> Path:
        """Return the file of a run."""
        return self._runs / f"{key}.json"

    def has(self, key: str) -> bool:
        """Return whether the file of a run is there, and complete."""
        return _read_record(self.run_file(key)) is not None

    def read_declaration(self) -> Experiment:
        """Return the experiment that the results are of.

        Raises
        ------
        FileNotFoundError
            If the folder has none, or several.
        """
        found = sorted(self.path.glob("*.toml"))
        if len(found) != 1:
            msg = (
                f"Expected {self.path} to be a folder of results, with one TOML file; "
                f"it has {len(found)}. `pbow experiment run FILE --out {self.path}` "
                "makes one."
            )
            raise FileNotFoundError(msg)
        return read_experiment(found[0])

    def check(self, experiment: Experiment) -> None:
        """Raise if the folder has anything but results of this experiment."""
        for path in sorted(self.path.glob("*.toml")):
            if path.stem != experiment.name:
                msg = (
                    f"{self.path} has the results of the experiment {path.stem!r}, not "
                    f"of {experiment.name!r}. Pass another folder."
                )
                raise FileExistsError(msg)

    def make(self, experiment: Experiment) -> None:
        """Make the folder, and write the declaration into it."""
        _arrow()  # to be missed now, not after hours of work
        self._runs.mkdir(parents=True, exist_ok=True)
        with atomic_write(self.path / f"{experiment.name}.toml") as file:
            file.write(experiment.text.encode())

    def read(self) -> dict[str, Record]:
        """Return all runs by key: those of the table, and those of files."""
        records = {record["key"]: record for record in self._gathered()}
        for path in sorted(self._runs.glob("*.json")):
            record = _read_record(path)
            if record is None:
                records.pop(path.stem, None)
                msg = f"{path} is damaged: this run is made again."
                warn_user(msg, DamagedRunWarning)
            else:
                records[record["key"]] = record
        return records

    def gather(self) -> None:
        """Write all runs into the table; the files stay.

        If another process is at it, its table will have all files of that moment.
        """
        with claim(self.table) as is_mine:
            if is_mine:
                frame = to_frame(self.read())
                with atomic_write(self.table) as file:
                    frame.to_parquet(file, index=False, compression="zstd")

    def _gathered(self) -> Iterator[Record]:
        if not self.table.exists():
            return
        _arrow()
        try:
            frame = pandas().read_parquet(self.table).astype(TYPES).astype(object)
            by_key: dict[str, list[dict[str, Any]]] = {}
            for row in frame.where(frame.notna(), None).to_dict("records"):
                by_key.setdefault(row["key"], []).append(row)
            yield from map(_record, by_key.values())
        except (*MALFORMED, NotImplementedError, OSError) as error:
            msg = (
                f"{self.table} is damaged ({error}). Restore it, or remove it to make "
                "all runs again."
            )
            raise ValueError(msg) from error


def to_frame(runs: Runs) -> pd.DataFrame:
    """Return one row per run and classifier, as in ``runs.parquet``.

    Parameters
    ----------
    runs : dict of str to dict
        Finished runs by key.
    """
    rows = [row for record in runs.values() for row in _rows(record)]
    columns = (*OF_RUNS, "classifier", *OF_SCORES, *SECONDS)
    order = ["dataset", "descriptor", "stage", "params", "repetition", "classifier"]
    frame = pandas().DataFrame(rows, columns=columns)
    return frame.sort_values(order, kind="stable", ignore_index=True)


def planned(experiment: Experiment, runs: Runs) -> dict[str, Record]:
    """Return the runs of a declaration, without those of earlier ones.

    Parameters
    ----------
    experiment : Experiment
        The declaration.
    runs : dict of str to dict
        Finished runs by key.
    """
    tasks = (task for cell in experiment.cells for task in plan(experiment, cell, runs))
    return {task.key: runs[task.key] for task in tasks if task.key in runs}


def choose(experiment: Experiment, runs: Runs) -> pd.DataFrame:
    """Return the run that counts for each cell, classifier and repetition.

    Parameters
    ----------
    experiment : Experiment
        The declaration.
    runs : dict of str to dict
        Finished runs by key, as :func:`run_experiment` returns them, or
        :meth:`Folder.read`. Those of other declarations do not matter.

    Returns
    -------
    chosen : pandas.DataFrame
        One row per data set, descriptor, classifier, repetition and `selection`:
        ``"nested"`` is the combination with the best validation inside the training
        set of that repetition, ``"test-chosen"`` the one with the best mean accuracy
        on the test sets. Accuracies are in percent; ``seconds`` is the time to
        construct the representation. Cells that are not complete are left out.
    """
    rows: list[dict[str, Any]] = []
    for cell in experiment.cells:
        tasks = plan(experiment, cell, runs)
        if any(task.key not in runs for task in tasks):
            continue
        done = {
            (describe(task.params), task.repetition): runs[task.key]
            for task in tasks
            if task.stage == FINAL
        }
        finalists = find_finalists(experiment, cell, runs)
        repetitions = range(experiment.n_repetitions(cell.dataset))
        for classifier in tasks[-1].classifiers:
            nested: list[Record] = []
            for r in repetitions:
                each = [[done[params, r]] for params in finalists.inside[r]]
                nested += _best(each, classifier, "validation")
            each = [[done[p, r] for r in repetitions] for p in finalists.tested]
            tested = _best(each, classifier, "accuracy")
            for selection, chosen in ((NESTED, nested), (TEST_CHOSEN, tested)):
                if len(chosen) == len(repetitions):
                    rows += [
                        _chosen(cell, one, classifier, selection) for one in chosen
                    ]
    return pandas().DataFrame(rows, columns=list(CHOSEN_FIELDS))


def progress(experiment: Experiment, runs: Runs) -> pd.DataFrame:
    """Return how far each cell is: runs that are done, planned, and what failed.

    Parameters
    ----------
    experiment : Experiment
        The declaration.
    runs : dict of str to dict
        Finished runs by key. More may be planned when a screening is finished.
    """
    rows = []
    for cell in experiment.cells:
        tasks = plan(experiment, cell, runs)
        records = [runs[t.key] for t in tasks if t.key in runs]
        errors = [record["error"] for record in records if record["error"]]
        rows.append(
            {
                "dataset": cell.dataset.name,
                "descriptor": cell.descriptor.name,
                "classifiers": tasks[-1].classifiers,
                "done": len(records),
                "planned": len(tasks),
                "complete": len(records) == len(tasks),
                "failed": len(errors),
                "errors": "; ".join(sorted({*errors})),
            }
        )
    return pandas().DataFrame(rows)


def _best(groups: list[list[Record]], classifier: str, score: str) -> list[Record]:
    """Return the group with the best mean; none with a run that failed."""
    # max keeps the first of equals; without folds there is no validation.
    return max(
        (group for group in groups if all(record["scores"] for record in group)),
        key=lambda group: np.mean(
            [record["scores"][classifier][score] or 0.0 for record in group]
        ),
        default=[],
    )


def _chosen(cell: Cell, record: Record, classifier: str, selection: str) -> Record:
    scores = record["scores"][classifier]
    # Two cells that are the same but for their names share their runs.
    return {
        **record,
        **scores,
        "dataset": cell.dataset.name,
        "descriptor": cell.descriptor.name,
        "classifier": classifier,
        "selection": selection,
        "accuracy": 100.0 * scores["accuracy"],
        "params": describe(record["params"]),
        "seconds": sum(record["seconds"].values()),
        "classify_seconds": scores["seconds"],
    }


def _rows(record: Record) -> Iterator[dict[str, Any]]:
    """Give a row per classifier; of a run that failed, one without."""
    own = {name: record[name] for name in OF_RUNS}
    own["params"] = describe(record["params"])
    failed = dict.fromkeys((*OF_SCORES, "seconds"))
    for classifier, scores in (record["scores"] or {"": failed}).items():
        row = own | {"classifier": classifier}
        row |= {name: scores[name] for name in OF_SCORES}
        if row["confusion"] is not None:
            row["confusion"] = json.dumps(row["confusion"])
        seconds = record["seconds"] | {"classify": scores["seconds"]}
        yield row | {f"{name}_seconds": spent for name, spent in seconds.items()}


def _record(rows: list[dict[str, Any]]) -> Record:
    """Return the record that rows of the table were made of."""
    record: Record = {name: rows[0][name] for name in OF_RUNS}
    record |= {"params": json.loads(rows[0]["params"]), "seconds": {}, "scores": {}}
    for row in rows if not record["error"] else ():
        spent = {name.removesuffix("_seconds"): row[name] for name in SECONDS}
        scores = {name: row[name] for name in OF_SCORES}
        scores["confusion"] = json.loads(scores["confusion"] or "null")
        scores["seconds"] = spent.pop("classify")
        record["seconds"] = spent
        record["scores"][row["classifier"]] = scores
    return record


def _read_record(path: Path) -> Record | None:
    """Return what a run has written down; None if it is not there, or damaged."""
    try:
        record: Record = json.loads(path.read_bytes())
        list(_rows(record))
    except (*MALFORMED, FileNotFoundError):
        return None
    return record if record["key"] == path.stem else None


def pandas() -> Any:
    """Import pandas, or name the extra that has it."""
    return import_optional("pandas", extra="experiment", purpose="Tables of runs")


def _arrow() -> Any:
    """Name the extra where pandas would name a package."""
    return import_optional("pyarrow", extra="experiment", purpose="The table of runs")
