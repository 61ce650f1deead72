"""What an experiment is: a TOML file, read into small frozen objects."""

from __future__ import annotations

import itertools
import json
import tomllib
import types
import typing
from collections.abc import Collection, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, get_args, get_origin

from pbow._utils.checks import is_finite_number, is_integer
from pbow._utils.files import AnyPath
from pbow._utils.text import did_you_mean
from pbow.datasets.splits import PROTOCOLS
from pbow.evaluation import CLASSIFIERS

__all__ = [
    "Cell",
    "Classifier",
    "DatasetEntry",
    "DeclarationError",
    "DescriptorEntry",
    "Experiment",
    "Reported",
    "describe",
    "read_experiment",
]

Params = dict[str, Any]
Grid = dict[str, list[Any]]

# The ways to say where diagrams are from; exactly one is given.
SOURCES = ("load", "diagrams", "shapes", "surfaces")
# TOML has no null.
NONE = "none"


class DeclarationError(ValueError):
    """An experiment's file is not what was expected; the message says where and how."""


@dataclass(frozen=True, kw_only=True)
class Reported:
    """What a publication reports for a cell.

    Attributes
    ----------
    accuracy : float
        In percent.
    std : float or None
        Its standard deviation over the runs.
    seconds : float or None
        Time to construct the representation.
    runs : int
        Number of runs that the mean is of.
    best, fastest : bool
        Printed bold: not significantly worse than the best, or the fastest.
    source : str
        Where it is from, if not from the paper itself.
    """

    accuracy: float
    std: float | None = None
    seconds: float | None = None
    runs: int = 5
    best: bool = False
    fastest: bool = False
    source: str = ""


@dataclass(frozen=True, kw_only=True)
class Classifier:
    """Support vector machines, and how parameters are chosen.

    Attributes
    ----------
    names : tuple of str
        How vectors are compared, see :func:`pbow.evaluation.compare`. Kernels have
        their own way. The first one screens combinations of parameters.
    c_values : tuple of float
        Values of C in increasing order; of equally good ones the first wins.
    folds : int
        Inner folds that choose C for finalists.
    c_rows : int or None
        At most so many training samples choose C for finalists.
    max_iterations : int
        Limit of the solver for each pair of labels; runs say how often it was met.
    screen_rows : int or None
        At most so many training samples screen combinations of parameters, by one of
        three inner folds; None takes the whole training set.
    finalists : int
        Combinations that go on from the screening, in each repetition. A cell that has
        no more of them is not screened.
    """

    names: tuple[str, ...] = ("distance", "linear")
    c_values: tuple[float, ...] = (0.1, 1.0, 10.0, 100.0, 1000.0)
    folds: int = 5
    c_rows: int | None = None
    max_iterations: int = 20_000
    screen_rows: int | None = None
    finalists: int = 5


@dataclass(frozen=True, kw_only=True)
class DatasetEntry:
    """A data set of an experiment.

    Attributes
    ----------
    name, title : str
        In the file, and in tables.
    load : str or None
        A name of :func:`pbow.datasets.load_dataset`.
    diagrams, labels : str or None
        Files in the data folder.
    shapes, surfaces : dict or None
        Arguments of :func:`pbow.datasets.make_shapes`, or of
        :func:`pbow.experiment.diagrams_like_surfaces`.
    per_label : int or None
        Samples per label to draw, anew in each repetition; None for all.
    protocol : str or None
        As in :meth:`pbow.datasets.Dataset.splits`; None is the data set's own.
    repetitions : int or None
        None is the experiment's.
    variant_of : str
        Another data set of the experiment, of which this one is a variant: what was
        reported for that one stands beside its results.
    state_of_the_art : Reported or None
        What the paper cites.
    """

    name: str
    title: str = ""
    load: str | None = None
    diagrams: str | None = None
    labels: str | None = None
    shapes: Params | None = None
    surfaces: Params | None = None
    per_label: int | None = None
    protocol: str | None = None
    repetitions: int | None = None
    variant_of: str = ""
    state_of_the_art: Reported | None = None


@dataclass(frozen=True, kw_only=True)
class DescriptorEntry:
    """A descriptor of an experiment.

    Attributes
    ----------
    name, title : str
        In the file, and in tables.
    make : str
        What is called with the parameters: a class of pbow or one of its class methods,
        as ``"PersistenceBoW.paper"``, or of another module, as ``"package:Class"``.
    ours : bool
        Whether it is not one of the paper's rows.
    standardize : bool
        Whether features are standardized by the training set.
    rescale : bool
        Whether kernel matrices are divided by their mean scale, so that a value of C
        means the same for all. The authors' program does not do so.
    factor : float
        Multiplies kernel matrices.
    fit_on_all : bool
        Whether the representation is fitted to training and test samples.
    params : dict
        Parameters that are always the same.
    grid : dict of str to list
        Parameters that are searched.
    also : list of dict
        Parameters that are tried with the best combination of the screening only; in a
        cell that is not screened, with every one.
    only : tuple of str
        Names of the data sets that it is evaluated on; by default all.
    """

    name: str
    make: str
    title: str = ""
    ours: bool = False
    standardize: bool = False
    rescale: bool = False
    factor: float = 1.0
    fit_on_all: bool = False
    params: Params = field(default_factory=dict)
    grid: Grid = field(default_factory=dict)
    also: list[Params] = field(default_factory=list)
    only: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A descriptor on a data set: what is tried, and what was reported."""

    dataset: DatasetEntry
    descriptor: DescriptorEntry
    grid: Grid = field(default_factory=dict)
    optimum: Params | None = None
    paper: Reported | None = None

    @property
    def name(self) -> str:
        """The names of both, as ``"synthetic/PBoW"``."""
        return f"{self.dataset.name}/{self.descriptor.name}"

    def combinations(self) -> list[Params]:
        """Return all combinations of parameters, those that never change included."""
        return [
            self.descriptor.params | dict(zip(self.grid, chosen, strict=True))
            for chosen in itertools.product(*self.grid.values())
        ]


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """Data sets times descriptors times parameters times repetitions.

    Attributes
    ----------
    name, title, caption : str
        Short; for headings; and what a reader of its table must know.
    text : str
        The file, word for word.
    seed : int
        Seeds splits, sub-samples and descriptors.
    repetitions : int
        Number of splits; four folds are four of them.
    classifier : Classifier
        The same for all.
    cells : tuple of Cell
        Data set after data set, descriptors in the order of the file.
    """

    name: str = ""
    title: str = ""
    caption: str = ""
    text: str
    seed: int = 0
    repetitions: int = 5
    classifier: Classifier = Classifier()
    cells: tuple[Cell, ...]

    @property
    def datasets(self) -> tuple[DatasetEntry, ...]:
        """The data sets, in the order of the file."""
        return tuple({cell.dataset.name: cell.dataset for cell in self.cells}.values())

    @property
    def descriptors(self) -> tuple[DescriptorEntry, ...]:
        """The descriptors, in the order of the file."""
        entries = {cell.descriptor.name: cell.descriptor for cell in self.cells}
        return tuple(entries.values())

    def n_repetitions(self, dataset: DatasetEntry) -> int:
        """Return the number of splits of a data set."""
        return dataset.repetitions or self.repetitions

    def only(self, names: Collection[str]) -> Experiment:
        """Return the experiment with some of its cells; without names, with all.

        Parameters
        ----------
        names : collection of str
            Of data sets, of descriptors, or of cells as ``"synthetic/PBoW"``.
        """
        names_of = {
            cell.name: {cell.name, cell.dataset.name, cell.descriptor.name}
            for cell in self.cells
        }
        known = set().union(*names_of.values())
        for name in names:
            if name not in known:
                msg = (
                    "Expected names of data sets, descriptors or cells of "
                    f"{self.name} ({', '.join(sorted(known))}); got {name!r}"
                    f"{did_you_mean(name, known)}."
                )
                raise ValueError(msg)
        asked = (c for c in self.cells if not names or names_of[c.name] & set(names))
        return replace(self, cells=tuple(asked))


def read_experiment(path: AnyPath) -> Experiment:
    """Read a declared experiment.

    Parameters
    ----------
    path : str or path-like
        A TOML file; docs/guide/experiments.md describes it.

    Returns
    -------
    experiment : Experiment
        Checked: every name that is used is declared, every value has its type.

    Raises
    ------
    DeclarationError
        If the file says anything else; the message gives the place.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from pbow.experiment import read_experiment
    >>> text = '''
    ... [datasets.shapes]
    ... shapes = { n_per_class = 5, n_points = 60 }
    ...
    ... [descriptors.PBoW]
    ... make = "PersistenceBoW"
    ... grid = { n_words = [10, 20], weighting = ["ramp", "uniform"] }
    ... '''
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "small.toml")
    ...     _ = path.write_text(text)
    ...     experiment = read_experiment(path)
    >>> [cell.name for cell in experiment.cells]
    ['shapes/PBoW']
    >>> experiment.cells[0].combinations()[0]
    {'n_words': 10, 'weighting': 'ramp'}
    """
    path = Path(path)
    try:
        text = path.read_bytes().decode()
        content = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        msg = f"Expected {path} to be TOML: {error}"
        raise DeclarationError(msg) from error
    return _Reader(path).experiment(content, text)


def describe(params: Mapping[str, Any]) -> str:
    """Return parameters as one line of JSON in a fixed order: equal means equal."""
    return json.dumps(params, sort_keys=True)


class _Reader:
    """Makes objects of tables; every error names the file and the place in it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def fail(self, place: str, expected: str, got: Any) -> NoReturn:
        where = f" in [{place}]" if place else ""
        msg = f"{self.path}: expected {expected}{where}; got {got!s:.200}."
        raise DeclarationError(msg)

    def experiment(self, content: Params, text: str) -> Experiment:
        tables = {key: content.pop(key, {}) for key in ("datasets", "descriptors")}
        for key, table in tables.items():
            if not isinstance(table, dict) or not table:
                self.fail("", f"at least one table [{key}.<name>]", table or "none")
        read: Experiment = self.make(Experiment, "", content, text=text, cells=())
        name = read.name or self.path.stem
        datasets = {
            n: self._dataset(n, table, known=tables["datasets"])
            for n, table in tables["datasets"].items()
        }
        cells = [
            cell
            for n, table in tables["descriptors"].items()
            for cell in self._cells(n, table, datasets)
        ]
        papers = {cell.name: cell.paper for cell in cells}
        for k, cell in enumerate(cells):
            if original := cell.dataset.variant_of:
                paper = papers.get(f"{original}/{cell.descriptor.name}")
                cells[k] = replace(cell, paper=paper)
        order = list(datasets)
        cells.sort(key=lambda cell: order.index(cell.dataset.name))
        read = replace(
            read,
            name=name,
            title=read.title or name,
            classifier=self._classifier(read.classifier),
            cells=tuple(cells),
        )
        self._check_names("name", [name])  # it becomes a file's
        for key in tables:
            entries = getattr(read, key)
            self._check_names(key, [entry.name for entry in entries])
            titles = [entry.title for entry in entries]
            if len({*titles}) < len(titles):  # of columns and rows of tables
                self.fail(key, "titles that differ from each other", sorted(titles))
        return read

    def make(self, cls: type[Any], place: str, content: Any, **given: Any) -> Any:
        """Make a dataclass of a table: keys are its fields, values have their types."""
        if not isinstance(content, dict):
            self.fail(place, "a table", repr(content))
        types_of = typing.get_type_hints(cls)
        known = {f.name: f for f in fields(cls) if f.name not in given}
        unknown = [f"{k}{did_you_mean(k, known)}" for k in content if k not in known]
        if unknown:
            self.fail(place, f"only {', '.join(known)}", ", ".join(unknown))
        for name, f in known.items():
            if f.default is f.default_factory is MISSING and name not in content:
                self.fail(place, f"a value for {name}", "none")
        values = {
            key: self._value(types_of[key], f"{place}.{key}".lstrip("."), value)
            for key, value in content.items()
        }
        return cls(**given, **values)

    def _value(self, kind: Any, place: str, value: Any) -> Any:
        """Check one value against the type of its field."""
        # X | None: TOML leaves out what is None.
        if get_origin(kind) is types.UnionType:
            kind, _ = get_args(kind)
        origin, inner = get_origin(kind) or kind, get_args(kind)
        if is_dataclass(kind):
            return self.make(kind, place, value)  # type: ignore[arg-type]
        if origin in (tuple, list):
            if not isinstance(value, list) or not value:
                self.fail(place, "a list of values", repr(value))
            return origin(self._value(inner[0], place, one) for one in value)
        if origin is dict and isinstance(value, dict):
            return {k: self._value(inner[1], place, one) for k, one in value.items()}
        if kind is Any:
            try:
                json.dumps(value, allow_nan=False)  # the format of runs
            except (TypeError, ValueError):
                kinds = "text, finite numbers, true, false, lists or tables"
                self.fail(place, kinds, repr(value))
            return None if value == NONE else value
        expected, is_valid = _PLAIN_TYPES[origin]
        if origin is int and place != "seed":
            least = 2 if place == "classifier.folds" else 1
            expected = f"a whole number >= {least}"
            is_valid = partial(is_integer, minimum=least)
        if not is_valid(value):
            self.fail(place, expected, repr(value))
        return float(value) if origin is float else value

    def _classifier(self, read: Classifier) -> Classifier:
        for name in read.names:
            if name not in CLASSIFIERS:
                self.fail("classifier.names", f"some of {', '.join(CLASSIFIERS)}", name)
        if min(read.c_values) <= 0.0:
            self.fail("classifier.c_values", "numbers > 0", list(read.c_values))
        return replace(read, c_values=tuple(sorted(read.c_values)))

    def _dataset(self, name: str, table: Any, known: Collection[str]) -> DatasetEntry:
        place = f"datasets.{name}"
        entry: DatasetEntry = self.make(DatasetEntry, place, table, name=name)
        given = [source for source in SOURCES if getattr(entry, source) is not None]
        if len(given) != 1:
            self.fail(place, f"exactly one of {', '.join(SOURCES)}", given or "none")
        if (entry.diagrams is None) != (entry.labels is None):
            self.fail(place, "both diagrams and labels", given)
        for key, options in (("protocol", PROTOCOLS), ("variant_of", known)):
            if (value := getattr(entry, key)) and value not in options:
                expected = f"{key} to be one of {', '.join(options)}"
                self.fail(place, expected, repr(value))
        return replace(entry, title=entry.title or name)

    def _cells(
        self, name: str, table: Any, datasets: Mapping[str, DatasetEntry]
    ) -> Iterator[Cell]:
        place = f"descriptors.{name}"
        special = table.pop("on", {}) if isinstance(table, dict) else {}
        entry: DescriptorEntry = self.make(DescriptorEntry, place, table, name=name)
        entry = replace(entry, title=entry.title or name)
        if not isinstance(special, dict):
            self.fail(place, "'on' to be a table", repr(special))
        only = dict.fromkeys(entry.only or datasets)
        named = (("only", only, datasets), ("on", special, only))
        for key, names, known in named:
            if any(one not in known for one in names):
                expected = f"{key!r} to have some of {', '.join(known)}"
                self.fail(place, expected, list(names))
        for dataset in only:
            where, own = f"{place}.on.{dataset}", special.get(dataset, {})
            both = {"dataset": datasets[dataset], "descriptor": entry}
            cell: Cell = self.make(Cell, where, own, **both)
            yield replace(cell, grid=entry.grid | cell.grid)

    def _check_names(self, place: str, names: Collection[str]) -> None:
        for name in names:
            if not name or "/" in name:  # a cell is called data set/descriptor
                expected = "names that are not empty and have no '/'"
                self.fail(place, expected, repr(name))


_PLAIN_TYPES: Mapping[Any, tuple[str, Any]] = types.MappingProxyType(
    {
        str: ("text", lambda value: isinstance(value, str)),
        bool: ("true or false", lambda value: isinstance(value, bool)),
        int: ("a whole number >= 0", lambda value: is_integer(value, 0)),
        float: ("a number", is_finite_number),
        dict: ("a table", lambda value: isinstance(value, dict)),
    }
)
