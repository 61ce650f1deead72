"""Diagrams that are never whole in memory: blocks that are read one at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from pickle import PicklingError
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

import joblib
import numpy as np
from numpy.typing import NDArray

from pbow._conversion import listed
from pbow._utils.executors import run_in_order
from pbow.diagrams import Diagrams, check_diagrams
from pbow.errors import DiagramError

__all__ = ["BlockError", "DiagramBlocks", "Rows", "Source"]

Result = TypeVar("Result")

# Called with the file, the row, the number of rows from there on, and the reason.
Skip = Callable[[str, int, int, str], None]


class BlockError(ValueError):
    """Some diagrams of a block cannot be read or used.

    Parameters
    ----------
    where : str
        The block: a file, with row groups or rows.
    row : int or None
        The row of the file, counted from 0, if it is one.
    problem : str
        What is wrong and what to do.

    Examples
    --------
    >>> from pbow.blocks import BlockError
    >>> str(BlockError("a.parquet", 7, "part H1 has a point that is NaN."))
    'a.parquet, row 7: part H1 has a point that is NaN.'
    """

    def __init__(self, where: str, row: int | None, problem: str) -> None:
        super().__init__(where, row, problem)
        self.where = where
        self.row = row
        self.problem = problem

    def __str__(self) -> str:
        row = "" if self.row is None else f", row {self.row}"
        return f"{self.where}{row}: {self.problem}"


class Rows(NamedTuple):
    """Some samples of a block, as they are read.

    Attributes
    ----------
    diagrams : Diagrams
        The samples.
    numbers : ndarray of int
        The row of each, counted from 0 in its file.
    names : pyarrow.Array or None
        What they are called, if anything.
    """

    diagrams: Diagrams
    numbers: NDArray[np.int64]
    names: Any = None


class NamedDiagrams(NamedTuple):
    """A block of diagrams in memory, with the names of the samples."""

    diagrams: Diagrams
    names: Any


class Source(Protocol):
    """Where a block is read from.

    A source is small, and goes to other processes in place of the block.
    """

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def file(self) -> str:
        """What rows are counted in."""

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of the parts."""

    @property
    def n_samples(self) -> int:
        """Number of samples."""

    def fingerprint(self) -> str:
        """Return a text that changes when the data do."""

    def read(self, skip: Skip | None = None) -> Iterator[Rows]:
        """Read the block in pieces of about a million points.

        Calls `skip`, if given, for each unreadable sample, and omits it.
        """


class DiagramBlocks:
    """A collection of diagrams in blocks, of which one at a time is in memory.

    :func:`pbow.io.scan_diagrams` makes it of files. Vectorizers learn from it as from
    :class:`~pbow.Diagrams`, with the same result to the last bit, and
    :func:`pbow.distributed.transform` turns it into features.

    Parameters
    ----------
    blocks : iterable of Diagrams, or function
        Collections of diagrams with the same parts: a list, any other iterable that
        can be walked several times, or a function that returns an iterator.

    Attributes
    ----------
    parts : tuple of str
        Names of the parts.

    See Also
    --------
    pbow.io.scan_diagrams : Blocks of files.

    Examples
    --------
    >>> from pbow import PersistenceBoW
    >>> from pbow.blocks import DiagramBlocks
    >>> first = [[[0.0, 1.0], [0.0, 3.0]], [[1.0, 2.0]]]
    >>> blocks = DiagramBlocks([first, [[[2.0, 3.0]]]])
    >>> blocks.n_blocks, blocks.n_samples, blocks.parts
    (2, 3, ('',))
    >>> PersistenceBoW(2, random_state=0).fit(blocks).n_features_out_
    2
    """

    def __init__(self, blocks: Iterable[Any] | Callable[[], Iterable[Any]]) -> None:
        if isinstance(blocks, Diagrams):
            blocks = [blocks]
        if not callable(blocks) and (
            not isinstance(blocks, Iterable) or iter(blocks) is blocks
        ):
            msg = (
                "Expected blocks that can be read several times: a list of Diagrams, "
                "or a function that returns an iterator; got "
                f"{type(blocks).__name__}."
            )
            raise ValueError(msg)
        self._blocks = blocks
        self._executor: Executor | None = None
        self._parts: tuple[str, ...] | None = None
        self._walked: Any = None

    @classmethod
    def of_sources(cls, sources: Sequence[Source]) -> DiagramBlocks:
        """Make it of sources, which are read when their turn comes.

        Parameters
        ----------
        sources : sequence of Source
            At least one, all with the same parts.

        Returns
        -------
        blocks : DiagramBlocks
        """
        blocks = cls(list(sources))
        blocks._parts = sources[0].parts
        return blocks

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of the parts."""
        if self._parts is None:
            self._parts = next(self.sources()).parts
        return self._parts

    @property
    def n_samples(self) -> int:
        """Number of samples; blocks that are not files are walked to count them."""
        return sum(source.n_samples for source in self.sources())

    @property
    def n_blocks(self) -> int:
        """Number of blocks, each a task of its own; iteration cuts them further."""
        if isinstance(self._blocks, Sequence):
            return len(self._blocks)
        return sum(1 for _ in self.sources())

    def __iter__(self) -> Iterator[Diagrams]:
        """Walk through all diagrams, in pieces of about a million points.

        A block may be several pieces: there are more of these than `n_blocks`.
        """
        for source in self.sources():
            for rows in source.read():
                yield rows.diagrams

    def map(self, function: Callable[[Diagrams], Diagrams]) -> DiagramBlocks:
        """Return the blocks with a function applied to them, when they are read.

        Parameters
        ----------
        function : callable
            From Diagrams to Diagrams with the same samples, as the ``transform`` of
            :class:`pbow.preprocessing.MostPersistent`. For other processes it must be
            one that pickle can send.

        Returns
        -------
        blocks : DiagramBlocks
            Samples keep their names.

        Examples
        --------
        >>> from pbow.blocks import DiagramBlocks
        >>> from pbow.preprocessing import SelectParts
        >>> X = {"H0": [[[0.0, 1.0]]], "H1": [[]]}
        >>> only_h0 = SelectParts("H0").fit(X).transform
        >>> DiagramBlocks([X]).map(only_h0).parts
        ('H0',)
        """
        mapped = DiagramBlocks(
            lambda: (_Mapped(source, function) for source in self.sources())
        )
        mapped._executor = self._executor
        return mapped

    def on(self, executor: Executor | None) -> DiagramBlocks:
        """Return the same blocks, to be worked on by an executor.

        Parameters
        ----------
        executor : concurrent.futures.Executor or None
            What runs a function on each block; None works in this process.

        Returns
        -------
        blocks : DiagramBlocks
        """
        same = DiagramBlocks(self._blocks)
        same._parts, same._executor, same._walked = self._parts, executor, self._walked
        return same

    @property
    def is_distributed(self) -> bool:
        """Whether an executor works on the blocks, several at a time."""
        return self._executor is not None

    def sources(self) -> Iterator[Source]:
        """Walk through the sources of the blocks.

        Yields
        ------
        source : Source

        Raises
        ------
        BlockError
            If a block is no collection of diagrams, or has other parts.
        """
        blocks = self._blocks() if callable(self._blocks) else self._blocks
        if blocks is self._walked:
            msg = (
                "The function of the blocks has returned the same iterator twice, and "
                "it can be walked once. Let it make a new one."
            )
            raise ValueError(msg)
        self._walked = blocks if isinstance(blocks, Iterator) else None
        found = False
        for number, block in enumerate(blocks):
            source = block
            if not hasattr(block, "fingerprint"):
                source = _in_memory(block, number, self._parts)
            self._parts = self._parts or source.parts
            found = True
            yield source
        if not found:
            msg = "There are no blocks, and so no diagrams."
            raise ValueError(msg)

    def run(self, task: Callable[..., Result], *arguments: Any) -> Iterator[Result]:
        """Give ``task(source, *arguments)`` for each block, in their order.

        Parameters
        ----------
        task : callable
            A function that pickle can send, if there is an executor.
        *arguments : iterables
            What else the task of each block gets.

        Yields
        ------
        result : object

        Raises
        ------
        ValueError
            If there are more or fewer blocks than arguments.
        """
        tasks = self._with(arguments)
        if self._executor is None:
            for source, *others in tasks:
                yield task(source, *others)
            return
        yield from run_in_order(self._executor, task, tasks)

    def _with(self, arguments: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        nothing = object()
        for given in zip_longest(self.sources(), *arguments, fillvalue=nothing):
            if any(one is nothing for one in given):
                msg = (
                    "There are more or fewer blocks than in the first pass. Fit again "
                    "when the data no longer change."
                )
                raise ValueError(msg)
            yield given

    def __repr__(self) -> str:
        if not isinstance(self._blocks, Sequence):  # not to be walked for this
            return "DiagramBlocks(...)"
        return f"DiagramBlocks(n_blocks={self.n_blocks}, parts={listed(self.parts)})"


@contextmanager
def locating(source: Source, numbers: NDArray[np.int64]) -> Iterator[None]:
    """Let an error about a diagram name its file and row."""
    try:
        yield
    except DiagramError as error:
        raise located(error, source.file, numbers) from error


def located(error: DiagramError, name: str, numbers: NDArray[np.int64]) -> BlockError:
    """Return the error with the file and the row that it speaks of."""
    problem = f"part {error.part} {error.problem}"
    return BlockError(name, int(numbers[error.item]), problem)


@contextmanager
def numbered(number: int) -> Iterator[str]:
    """Give the name of a block that is no file, and let errors have it."""
    name = f"block {number}"
    try:
        yield name
    except DiagramError as error:
        raise located(error, name, np.arange(error.item + 1)) from error
    except ValueError as error:
        raise BlockError(name, None, str(error)) from error


@dataclass(frozen=True)
class _InMemory:
    """A block that is in memory already, and goes to other processes whole."""

    name: str
    diagrams: Diagrams
    names: Any = None
    is_large: ClassVar[bool] = True

    @property
    def file(self) -> str:
        return self.name

    @property
    def parts(self) -> tuple[str, ...]:
        return self.diagrams.parts

    @property
    def n_samples(self) -> int:
        return len(self.diagrams)

    def fingerprint(self) -> str:
        digest = hashlib.sha256()
        for part in self.parts:
            for array in (self.diagrams[part].points, self.diagrams[part].offsets):
                digest.update(np.ascontiguousarray(array).data)
        if self.names is not None:
            digest.update(repr(self.names.to_pylist()).encode())
        return digest.hexdigest()

    def read(self, skip: Skip | None = None) -> Iterator[Rows]:
        yield Rows(self.diagrams, np.arange(len(self.diagrams)), self.names)


def _in_memory(block: Any, number: int, parts: tuple[str, ...] | None) -> _InMemory:
    names = None
    if isinstance(block, NamedDiagrams):
        block, names = block
    with numbered(number) as name:
        return _InMemory(name, check_diagrams(block, parts=parts), names)


@dataclass(frozen=True)
class _Mapped:
    """A block with a function applied to it."""

    source: Source
    function: Callable[[Diagrams], Diagrams]

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def file(self) -> str:
        return self.source.file

    @property
    def is_large(self) -> bool:
        return getattr(self.source, "is_large", False)

    @property
    def parts(self) -> tuple[str, ...]:
        for rows in self.source.read():
            with locating(self, rows.numbers):
                return self.function(rows.diagrams[:1]).parts
        return self.source.parts

    @property
    def n_samples(self) -> int:
        return self.source.n_samples

    def fingerprint(self) -> str:
        try:
            function = joblib.hash(self.function)
        except (TypeError, AttributeError, PicklingError):  # one that cannot be sent
            function = repr(self.function)
        return f"{self.source.fingerprint()}, {function}"

    def read(self, skip: Skip | None = None) -> Iterator[Rows]:
        for rows in self.source.read(skip):
            with locating(self, rows.numbers):
                diagrams = self.function(rows.diagrams)
            if len(diagrams) != len(rows.diagrams):
                msg = (
                    f"of {len(rows.diagrams)} samples the function has made "
                    f"{len(diagrams)}. Map with one that keeps every sample."
                )
                raise BlockError(self.name, None, msg)
            yield rows._replace(diagrams=diagrams)
