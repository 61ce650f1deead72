"""What figures are drawn from: the declaration, frames of runs, and the data sets."""

from functools import cache, cached_property

import pandas as pd
from experiments.figures.drawing import CannotDraw

from pbow._utils.files import AnyPath
from pbow.datasets import Dataset
from pbow.experiment import Folder, choose, to_frame
from pbow.experiment.data import fingerprint, open_dataset
from pbow.experiment.declaration import describe
from pbow.experiment.results import NESTED
from pbow.experiment.tasks import plan

# The authors'; captions name it.
CLASSIFIER = "distance"
TASK = ["dataset", "descriptor", "stage", "params", "repetition"]
SECONDS = ["fit_seconds", "encode_seconds", "classify_seconds"]


class Results:
    """A folder of results; of all runs, what the authors' classifier gave."""

    def __init__(self, folder: AnyPath) -> None:
        self.experiment = Folder(folder).read_declaration()
        self._runs = Folder(folder).read()
        self._entries = {entry.name: entry for entry in self.experiment.datasets}
        # Several figures are of the same data.
        self.open = cache(self._open)

    @cached_property
    def runs(self) -> pd.DataFrame:
        """One row per planned run that is done, with its measurements."""
        # By key: the folder may have runs of an earlier declaration, and two cells with
        # the same effective parameters share theirs.
        planned = [
            (t.key, *cell.name.split("/"), t.stage, describe(t.params), t.repetition)
            for cell in self.experiment.cells
            for t in plan(self.experiment, cell, self._runs)
        ]
        done = to_frame(self._runs)[lambda frame: frame.classifier == CLASSIFIER]
        done = done[["key", "accuracy", "n_features", "machine", *SECONDS]]
        return pd.DataFrame(planned, columns=["key", *TASK]).merge(done, on="key")

    @cached_property
    def chosen(self) -> pd.DataFrame:
        """One row per repetition of a complete cell, parameters chosen by nesting."""
        found = choose(self.experiment, self._runs)
        return found[(found.classifier == CLASSIFIER) & (found.selection == NESTED)]

    def title(self, name: str) -> str:
        """Return what figures call a data set; the title of a stand-in says so."""
        return self._entries[name].title

    def first_of_shapes(self) -> str:
        """Return the name of the first data set of shapes, which illustrations need."""
        for name, entry in self._entries.items():
            if entry.shapes is not None or (entry.load or "").startswith("synthetic"):
                return name
        msg = "It is of a data set of shapes, which this experiment does not have."
        raise CannotDraw(msg)

    def _open(self, name: str) -> Dataset:
        """Return a data set, unless it is not the one that the runs are of."""
        dataset = open_dataset(self._entries[name], seed=self.experiment.seed)
        known = {run["data"] for run in self._runs.values() if run["dataset"] == name}
        if known and fingerprint(dataset) not in known:
            msg = f"The data of {name} are not those of the runs."
            raise CannotDraw(msg)
        return dataset
