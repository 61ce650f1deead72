"""What an experiment is: a TOML file, read into small frozen objects."""

from __future__ import annotations

import itertools
import json
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

from pbow._utils.checks import is_finite_number, is_integer
from pbow._utils.files import AnyPath
from pbow._utils.text import did_you_mean
from pbow.datasets.splits import PROTOCOLS

__all__ = [
    "Cell",
    "Classifier",
    "DatasetEntry",
    "DeclarationError",
    "DescriptorEntry",
    "Experiment",
    "Reported",
    "read_experiment",
]

Params = dict[str, Any]

# The ways to say where diagrams are from; exactly one is given.
SOURCES = ("load", "diagrams", "shapes", "surfaces")
SIMILARITIES = ("kernel", "max-distance")


class DeclarationError(ValueError):
    """An experiment's file is not what it was expected to be; the message says how."""


@dataclass(frozen=True, kw_only=True)
class Reported:
    """What a publication reports for a cell: percent, and seconds."""

    score: float
    std: float | None = None
    seconds: float | None = None
    best: bool = False  # printed bold: not significantly worse than the best
    fastest: bool = False
    source: str = ""  # where it is from, if not the paper itself


@dataclass(frozen=True, kw_only=True)
class Classifier:
    """A support vector machine on Gram matrices, and how its cost C is chosen.

    Attributes
    ----------
    costs : tuple of float
        Values of C, from small to large; among equals the first wins. Where the solver
        meets its cap and the accuracy falls, larger ones are not tried.
    folds : int
        Of the cross-validation in the training part of a finalist.
    max_iterations : int
        At which the solver of a pair of classes stops; results say how often it did.
    screen_rows, screen_iterations : int
        Training samples, at most, by which combinations of parameters are screened, and
        the cap of iterations there.
    finalists : int
        Combinations that go on from the screening, in each repetition.
    """

    costs: tuple[float, ...] = (0.1, 1.0, 10.0, 100.0, 1000.0)
    folds: int = 5
    max_iterations: int = 20_000
    screen_rows: int = 1000
    screen_iterations: int = 5_000
    finalists: int = 3


@dataclass(frozen=True, kw_only=True)
class DatasetEntry:
    """A data set of an experiment.

    Attributes
    ----------
    name, title : str
        In the file, and in tables.
    source : dict
        ``load`` is a name of :func:`pbow.datasets.load_dataset`; ``diagrams`` and
        ``labels`` are files in the data folder; ``shapes`` has arguments of
        :func:`pbow.datasets.make_shapes`; ``surfaces`` those of
        :func:`pbow.experiment.diagrams_like_surfaces`.
    per_class : int or None
        Samples of each class to draw; None for all.
    protocol : str or None
        As in :meth:`pbow.datasets.Dataset.splits`; None is the data set's own.
    repetitions : int or None
        None is the experiment's.
    state_of_the_art : Reported or None
        What the paper cites.
    differs : str
        In what it is not the paper's, where it is no stand-in and yet not the same.
    """

    name: str
    title: str
    source: Params
    per_class: int | None = None
    protocol: str | None = None
    repetitions: int | None = None
    state_of_the_art: Reported | None = None
    differs: str = ""


@dataclass(frozen=True, kw_only=True)
class DescriptorEntry:
    """A descriptor of an experiment.

    Attributes
    ----------
    name, title : str
        In the file, and in tables.
    make : str
        What is called with the parameters: a class of pbow or one of its class methods,
        as ``"PersistenceBoW.paper"``, or one of another package, as
        ``"package.module:Class"``.
    ours : bool
        Whether it stands below the paper's rows.
    standardize : bool
        Whether features are shifted and scaled by the training part's means and
        standard deviations.
    rescale : bool
        Whether similarities are divided by the mean similarity of a training sample to
        itself, for vectors their mean squared norm. Values of C then mean the same for
        all; the authors' program does not do so.
    similarity : str
        What a kernel method gives to the classifier: its ``"kernel"``, or as the
        authors did, ``"max-distance"``, the largest distance of the training part minus
        the distance.
    on_all_rows : bool
        Whether the representation is fitted to training and test samples together.
    params : dict
        Parameters that are always the same.
    """

    name: str
    title: str
    make: str
    ours: bool = False
    standardize: bool = False
    rescale: bool = False
    similarity: str = "kernel"
    on_all_rows: bool = False
    params: Params = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A descriptor on a data set: what is tried, and what was reported."""

    dataset: DatasetEntry
    descriptor: DescriptorEntry
    grid: dict[str, tuple[Any, ...]]
    optimum: Params | None = None
    reported: Reported | None = None

    @property
    def name(self) -> str:
        """The names of both, as ``"synthetic/PBoW"``."""
        return f"{self.dataset.name}/{self.descriptor.name}"

    def combinations(self) -> list[Params]:
        """Return all combinations of parameters, those that never change included."""
        values = itertools.product(*self.grid.values())
        return [
            self.descriptor.params | dict(zip(self.grid, chosen, strict=True))
            for chosen in values
        ]


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """Data sets times descriptors times parameters times repetitions.

    Attributes
    ----------
    name, title : str
        Short, and for tables.
    text : str
        The file, word for word.
    seed : int
        Seeds divisions, sub-samples and codebooks.
    repetitions : int
        Number of divisions; four folds are four of them.
    minutes_per_cell : float or None
        What a cell may take; None is as long as it needs.
    classifier : Classifier
        The same for all.
    cells : tuple of Cell
        Data set after data set, descriptors in the order of the file.
    """

    name: str
    title: str
    text: str
    seed: int
    repetitions: int
    minutes_per_cell: float | None
    classifier: Classifier
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

    def cell(self, dataset: str, descriptor: str) -> Cell | None:
        """Return the cell of a data set and a descriptor, None where it is left out."""
        for cell in self.cells:
            if (cell.dataset.name, cell.descriptor.name) == (dataset, descriptor):
                return cell
        return None

    def only(self, names: Collection[str]) -> Experiment:
        """Return the experiment with the cells that are asked for; by none, with all.

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
        A TOML file; docs/guide/experiments.md has its form.

    Returns
    -------
    experiment : Experiment
        Checked: every name that is used is declared, every value is of its kind.

    Raises
    ------
    DeclarationError
        Where the file says something else; the message gives the place.

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
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        msg = f"Expected {path} to be TOML: {error}"
        raise DeclarationError(msg) from error
    return _Reader(path).experiment(content, text)


# What TOML cannot say: it has no null.
NONE = "none"


class _Reader:
    """Turns tables into objects; every error names the file and the place in it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def experiment(self, content: Params, text: str) -> Experiment:
        top = _Table(self, "", content)
        classifier = self._classifier(top.table("classifier"))
        datasets = {
            name: self._dataset(name, table)
            for name, table in top.tables("datasets").items()
        }
        cells: dict[tuple[str, str], Cell] = {}
        for name, table in top.tables("descriptors").items():
            for cell in self._cells(name, table, datasets):
                cells[cell.dataset.name, name] = cell
        experiment = Experiment(
            name=top.text("name", self.path.stem),
            title=top.text("title", self.path.stem),
            text=text,
            seed=top.integer("seed", 0, least=0),
            repetitions=top.integer("repetitions", 5),
            minutes_per_cell=top.positive("minutes_per_cell"),
            classifier=classifier,
            # In the order of the data sets, whatever order descriptors were read in.
            cells=tuple(
                cell
                for dataset in datasets
                for (of, _), cell in cells.items()
                if of == dataset
            ),
        )
        top.end()
        return experiment

    def _classifier(self, table: _Table) -> Classifier:
        standard = Classifier()
        costs = table.numbers("costs", standard.costs)
        made = Classifier(
            costs=costs,
            folds=table.integer("folds", standard.folds, least=2),
            max_iterations=table.integer("max_iterations", standard.max_iterations),
            screen_rows=table.integer("screen_rows", standard.screen_rows, least=4),
            screen_iterations=table.integer(
                "screen_iterations", standard.screen_iterations
            ),
            finalists=table.integer("finalists", standard.finalists),
        )
        table.end()
        return made

    def _dataset(self, name: str, table: _Table) -> DatasetEntry:
        given = [source for source in SOURCES if source in table.content]
        if len(given) != 1:
            table.fail(f"exactly one of {', '.join(SOURCES)}", f"{given or 'none'}")
        source: Params = {}
        if given[0] in ("shapes", "surfaces"):
            source[given[0]] = table.table(given[0]).rest()
        else:
            source[given[0]] = table.text(given[0])
        if given[0] == "diagrams":
            source["labels"] = table.text("labels")
        protocol = table.text("protocol", NONE)
        if protocol not in (NONE, *PROTOCOLS):
            table.fail(f"protocol to be one of {', '.join(PROTOCOLS)}", repr(protocol))
        entry = DatasetEntry(
            name=name,
            title=table.text("title", name),
            source=source,
            per_class=table.integer("per_class", None),
            protocol=None if protocol == NONE else protocol,
            repetitions=table.integer("repetitions", None),
            state_of_the_art=self._reported(table, "state_of_the_art"),
            differs=table.text("differs", ""),
        )
        table.end()
        return entry

    def _cells(
        self, name: str, table: _Table, datasets: Mapping[str, DatasetEntry]
    ) -> Iterator[Cell]:
        similarity = table.text("similarity", SIMILARITIES[0])
        if similarity not in SIMILARITIES:
            table.fail(f"similarity to be one of {SIMILARITIES}", repr(similarity))
        entry = DescriptorEntry(
            name=name,
            title=table.text("title", name),
            make=table.text("make"),
            ours=table.flag("ours"),
            standardize=table.flag("standardize"),
            rescale=table.flag("rescale"),
            similarity=similarity,
            on_all_rows=table.flag("on_all_rows"),
            params=_with_none(table.table("params").rest()),
        )
        grid = self._grid(table)
        asked = table.names("only", datasets)
        special = table.tables("on", optional=True)
        table.end()
        for dataset in special:
            if dataset not in asked:
                table.fail(f"'on' to have some of {', '.join(asked)}", repr(dataset))
        for dataset in asked:
            here = special.get(dataset, _Table(self, "", {}))
            yield Cell(
                dataset=datasets[dataset],
                descriptor=entry,
                grid=grid | self._grid(here),
                optimum=_with_none(here.table("optimum").rest()) or None,
                reported=self._reported(here, "paper"),
            )
            here.end()

    def _grid(self, table: _Table) -> dict[str, tuple[Any, ...]]:
        inner = table.table("grid")
        grid = inner.rest()
        for name, values in grid.items():
            if not isinstance(values, list) or not values:
                inner.fail(f"{name} to be a list of values", repr(values))
            # Twice the same combination would be one run that counts twice.
            if len(set(map(json.dumps, values))) < len(values):
                inner.fail(f"{name} to have every value once", repr(values))
        return {name: tuple(map(_or_none, values)) for name, values in grid.items()}

    def _reported(self, table: _Table, key: str) -> Reported | None:
        inner = table.table(key)
        if key not in table.content:
            return None
        made = Reported(
            score=inner.number("score"),
            std=inner.number("std", None),
            seconds=inner.number("seconds", None),
            best=inner.flag("best"),
            fastest=inner.flag("fastest"),
            source=inner.text("source", ""),
        )
        inner.end()
        return made


_ABSENT: Any = object()


class _Table:
    """One table of the file, of which every key must be asked for."""

    def __init__(self, reader: _Reader, place: str, content: Params) -> None:
        self.reader = reader
        self.place = place
        self.content = content
        self.asked: set[str] = set()

    def fail(self, expected: str, came: str) -> NoReturn:
        where = f" in [{self.place}]" if self.place else ""
        msg = f"{self.reader.path}: expected {expected}{where}; got {came}."
        raise DeclarationError(msg)

    def end(self) -> None:
        unknown = sorted(set(self.content) - self.asked)
        if unknown:
            known = ", ".join(sorted(self.asked))
            came = (f"{key}{did_you_mean(key, self.asked)}" for key in unknown)
            self.fail(f"only {known}", ", ".join(came))

    def rest(self) -> Params:
        """Return all of it; what JSON cannot hold would have no place in results."""
        for key, value in self.content.items():
            try:
                json.dumps(value, allow_nan=False)
            except (TypeError, ValueError):
                expected = "text, finite numbers, true, false or lists and tables"
                self.fail(f"{key} to be made of {expected}", repr(value))
        self.asked |= set(self.content)
        return dict(self.content)

    def _get(self, key: str, default: Any) -> Any:
        self.asked.add(key)
        if key in self.content:
            return self.content[key]
        if default is _ABSENT:
            self.fail(f"a value for {key}", "none")
        return default

    def table(self, key: str) -> _Table:
        value = self._get(key, {})
        if not isinstance(value, dict):
            self.fail(f"{key} to be a table", repr(value))
        return _Table(self.reader, f"{self.place}.{key}".lstrip("."), value)

    def tables(self, key: str, *, optional: bool = False) -> dict[str, _Table]:
        outer = self.table(key)
        if not outer.content and not optional:
            self.fail(f"at least one table [{key}.<name>]", "none")
        for name in outer.content:
            if not name or "/" in name:  # a cell is called data set/descriptor
                outer.fail("names that are not empty and have no '/'", repr(name))
        return {name: outer.table(name) for name in outer.content}

    def text(self, key: str, default: Any = _ABSENT) -> Any:
        value = self._get(key, default)
        if not isinstance(value, str):
            self.fail(f"{key} to be text", repr(value))
        return value

    def flag(self, key: str) -> bool:
        value = self._get(key, False)  # noqa: FBT003
        if not isinstance(value, bool):
            self.fail(f"{key} to be true or false", repr(value))
        return value

    def integer(self, key: str, default: Any, *, least: int = 1) -> Any:
        value = self._get(key, default)
        if value is not default and not is_integer(value, least):
            self.fail(f"{key} to be a whole number >= {least}", repr(value))
        return value

    def number(self, key: str, default: Any = _ABSENT) -> Any:
        value = self._get(key, default)
        if value is not default and not is_finite_number(value):
            self.fail(f"{key} to be a number", repr(value))
        return None if value is None else float(value)

    def positive(self, key: str) -> float | None:
        value: float | None = self.number(key, None)
        if value is not None and value <= 0:
            self.fail(f"{key} to be > 0", repr(value))
        return value

    def numbers(self, key: str, default: tuple[float, ...]) -> tuple[float, ...]:
        values = self._get(key, list(default))
        if (
            not isinstance(values, list)
            or not values
            or not all(is_finite_number(value) and value > 0 for value in values)
        ):
            self.fail(f"{key} to be a list of numbers > 0", repr(values))
        return tuple(sorted(map(float, values)))

    def names(self, key: str, known: Collection[str]) -> tuple[str, ...]:
        values = self._get(key, list(known))
        is_list = isinstance(values, list) and bool(values)
        if not is_list or any(value not in list(known) for value in values):
            self.fail(f"{key} to be a list of some of {', '.join(known)}", repr(values))
        return tuple(name for name in known if name in values)


def _or_none(value: Any) -> Any:
    return None if value == NONE else value


def _with_none(params: Params) -> Params:
    return {name: _or_none(value) for name, value in params.items()}


def describe(params: Mapping[str, Any]) -> str:
    """Return parameters as one line of JSON in a fixed order: equal means equal."""
    return json.dumps(params, sort_keys=True)
