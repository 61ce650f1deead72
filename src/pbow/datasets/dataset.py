"""A data set: diagrams, labels, how they came about, and how to split them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbow._utils.checks import check_option, is_integer
from pbow._utils.html import html_table
from pbow.datasets.drawing import FOR_SUBSAMPLES, check_seed, draw_per_class
from pbow.datasets.splits import PROTOCOLS, Split, make_splits
from pbow.diagrams import Diagrams
from pbow.errors import ParameterError

__all__ = ["Dataset", "Provenance", "check_label_names", "check_labels"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """Where a data set is from, and what was done to it.

    Attributes
    ----------
    origin : str
        Where the data are from.
    stand_in_for : str or None
        The data set that this one stands in for: it is a similar one, used because the
        original was not available. None for the data that `name` says.
    recipe : str
        How the diagrams were made.
    selection : str
        Which samples of the source were taken; empty if all were.
    path : Path or None
        The source file; None if the data were generated.
    sha256 : str or None
        Checksum of the source file, or of the generated data.
    other_files : tuple of (Path, str)
        Other files that the diagrams were made of, and the checksum of each.
    import_record : str or None
        What a converter has written down about the release that it read, in JSON.

    See Also
    --------
    Dataset : Has one.

    Examples
    --------
    >>> from pbow.datasets import Provenance
    >>> provenance = Provenance(origin="Scans of our own.", recipe="Rips, H1.")
    >>> provenance.origin, provenance.stand_in_for
    ('Scans of our own.', None)
    """

    origin: str
    stand_in_for: str | None = None
    recipe: str = ""
    selection: str = ""
    path: Path | None = None
    sha256: str | None = None
    other_files: tuple[tuple[Path, str], ...] = ()
    import_record: str | None = None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Dataset:
    """Diagrams with labels, where they are from, and the paper's way to split them.

    Made by :func:`load_dataset`, or by hand. Arrays are read-only.

    Attributes
    ----------
    name : str
        Name in :func:`load_dataset`.
    diagrams : Diagrams
        The samples.
    labels : ndarray of int64 of shape (n_samples,)
        Label of each sample, counted from 0.
    label_names : tuple of str
        Name of each label.
    groups : ndarray of int64 of shape (n_samples,) or None
        The surface or mesh that a sample was cut from: samples of one group resemble
        each other, so training and test should not share it.
    in_test : ndarray of bool of shape (n_samples,) or None
        The test samples of the release's own split, if it has one.
    protocol : str
        The paper's protocol for this set, see :meth:`splits`.
    exp_a_per_class : int or None
        Samples per label in the paper's EXP-A (:meth:`subsample`); None for all.
    provenance : Provenance
        Where the data are from, whether they are a stand-in, and the recipe.

    See Also
    --------
    load_dataset : Load one by its name.

    Examples
    --------
    One of your own, for the sake of its splits:

    >>> from pbow import Diagrams
    >>> from pbow.datasets import Dataset, Provenance
    >>> dataset = Dataset(
    ...     name="mine",
    ...     diagrams=Diagrams.from_list([[[0, k]] for k in range(10)]),
    ...     labels=[0, 1] * 5,
    ...     label_names=("even", "odd"),
    ...     protocol="80/20",
    ...     provenance=Provenance(origin="Made up."),
    ... )
    >>> dataset
    Dataset('mine', 2 classes, Diagrams(n_samples=10, 10 points))
    >>> train, test = dataset.splits(seed=0)[0]
    >>> len(train), dataset.labels[test]
    (8, array([0, 1]))
    """

    name: str
    diagrams: Diagrams
    labels: Ints
    label_names: tuple[str, ...]
    groups: Ints | None = None
    in_test: NDArray[np.bool_] | None = None
    protocol: str
    exp_a_per_class: int | None = None
    provenance: Provenance

    def __post_init__(self) -> None:
        self._check_types()
        for name, kinds in (("labels", "iu"), ("groups", "iu"), ("in_test", "b")):
            values = getattr(self, name)
            if values is not None or name == "labels":
                array = _one_per_diagram(values, len(self.diagrams), name, kinds)
                object.__setattr__(self, name, array)
        object.__setattr__(self, "label_names", check_label_names(self.label_names))
        check_labels(self.labels, self.label_names)

    def _check_types(self) -> None:
        for name, kind in (
            ("name", str),
            ("diagrams", Diagrams),
            ("provenance", Provenance),
        ):
            value = getattr(self, name)
            if not isinstance(value, kind):
                hint = " Make them by Diagrams.from_list." if kind is Diagrams else ""
                msg = (
                    f"Expected {name} to be {kind.__name__}; got "
                    f"{type(value).__name__}.{hint}"
                )
                raise ValueError(msg)
        check_option("protocol", self.protocol, PROTOCOLS)
        n = self.exp_a_per_class
        if n is not None and not is_integer(n, 1):
            raise ParameterError("exp_a_per_class", "an int >= 1", n, optional=True)

    def __reduce__(self) -> tuple[Any, ...]:
        # Copies made by pickle would have writable arrays.
        return partial(Dataset, **vars(self)), ()

    def __len__(self) -> int:
        return len(self.diagrams)

    def splits(
        self,
        protocol: str | None = None,
        *,
        seed: int = 0,
        repetitions: int | None = None,
    ) -> list[Split]:
        """Return rows for training and for testing, as scikit-learn's ``cv=`` takes.

        The same seed gives the same rows on every machine, with any versions.

        Parameters
        ----------
        protocol : str, optional
            By default the paper's for this data set.

            * ``"80/20"``, ``"90/10"``, ``"50/50"``: percentages for training and
              testing, stratified by label, drawn at random;
            * ``"groups"``, ``"50/50 groups"``: whole groups, a third or a half of them
              for testing, stratified by the most frequent label of each group;
            * ``"4 folds"``: four folds of whole groups, balanced in samples and
              labels, each of them tested on once;
            * ``"original"``: the split of the release itself.
        seed : int, default=0
            Seeds the draws.
        repetitions : int, optional
            How many times to draw: by default 5, as the paper does, and once for the
            four folds. There is one original split.

        Returns
        -------
        splits : list of (train, test)
            Pairs of arrays of rows, in order.

        Raises
        ------
        ValueError
            If the data set lacks what the protocol needs: groups, a split of its own,
            two samples per label.

        Examples
        --------
        >>> from pbow import Diagrams
        >>> from pbow.datasets import Dataset, Provenance
        >>> dataset = Dataset(
        ...     name="mine",
        ...     diagrams=Diagrams.from_list([[[0, k]] for k in range(20)]),
        ...     labels=[0, 1] * 10,
        ...     label_names=("even", "odd"),
        ...     protocol="80/20",
        ...     provenance=Provenance(origin="Made up."),
        ... )
        >>> [(len(train), len(test)) for train, test in dataset.splits(repetitions=2)]
        [(16, 4), (16, 4)]
        >>> [(train, test)] = dataset.splits("50/50", seed=3, repetitions=1)
        >>> dataset.labels[test]
        array([1, 0, 1, 0, 0, 1, 1, 0, 0, 1])
        """
        return make_splits(
            self.labels,
            self.groups,
            self.in_test,
            self.protocol if protocol is None else protocol,
            seed=seed,
            repetitions=repetitions,
        )

    def subsample(self, n_per_class: int | None = None, *, seed: int = 0) -> Dataset:
        """Draw some samples per label: a smaller data set.

        Parameters
        ----------
        n_per_class : int, optional
            By default as many as the paper's EXP-A takes of this set: 30 of GeoMat, 100
            of Reddit-5k, 50 of Reddit-12k, 390 of PetroSurf3D, and all of the others.
        seed : int, default=0
            Seeds the draw, which is the same on every machine.

        Returns
        -------
        dataset : Dataset
            Samples in the order that they have here.

        Raises
        ------
        ValueError
            If a label has fewer samples.

        Examples
        --------
        >>> from pbow import Diagrams
        >>> from pbow.datasets import Dataset, Provenance
        >>> dataset = Dataset(
        ...     name="mine",
        ...     diagrams=Diagrams.from_list([[[0, k]] for k in range(20)]),
        ...     labels=[0, 1] * 10,
        ...     label_names=("even", "odd"),
        ...     protocol="80/20",
        ...     provenance=Provenance(origin="Made up."),
        ... )
        >>> small = dataset.subsample(3, seed=1)
        >>> small
        Dataset('mine', 2 classes, Diagrams(n_samples=6, 6 points))
        >>> small.provenance.selection
        '3 samples per label, seed 1'
        """
        check_seed(seed)
        n = self.exp_a_per_class if n_per_class is None else n_per_class
        if n is None:
            return self
        if not is_integer(n, 1):
            raise ParameterError("n_per_class", "an int >= 1", n, optional=True)
        rows = draw_per_class(
            self.labels,
            len(self.label_names),
            int(n),
            seed=seed,
            purpose=FOR_SUBSAMPLES,
        )
        drawn = f"{n} samples per label, seed {seed}"
        before = self.provenance.selection
        return replace(
            self,
            diagrams=self.diagrams[rows],
            labels=self.labels[rows],
            groups=None if self.groups is None else self.groups[rows],
            in_test=None if self.in_test is None else self.in_test[rows],
            provenance=replace(
                self.provenance, selection=f"{before}; {drawn}" if before else drawn
            ),
        )

    def __repr__(self) -> str:
        return f"Dataset({self._heading()}, {self.diagrams!r})"

    def _repr_html_(self) -> str:
        about = f"{self._heading()}. {self.provenance.origin} {self.provenance.recipe}"
        counts = np.bincount(self.labels, minlength=len(self.label_names))
        rows = zip(self.label_names, counts, strict=True)
        return (
            f"<p>{escape(about)}</p>{self.diagrams._repr_html_()}"
            f"{html_table('Labels', ('label', 'samples'), rows)}"
        )

    def _heading(self) -> str:
        words = [repr(self.name)]
        if self.provenance.stand_in_for is not None:
            words.append(f"a stand-in for {self.provenance.stand_in_for}")
        words.append(f"{len(self.label_names)} classes")
        if self.groups is not None:
            words.append(f"{len(np.unique(self.groups))} groups")
        return ", ".join(words)


def _one_per_diagram(values: Any, n: int, name: str, kinds: str) -> NDArray[Any]:
    """Return a read-only copy of n numbers or flags, or say what is wrong."""
    expected = (
        f"{'bool' if kinds == 'b' else 'integers'} of shape ({n},), one per diagram"
    )
    try:
        given = np.asarray(values)
    except ValueError as error:  # lists of different lengths
        msg = f"Expected {name} to be {expected}: {error}"
        raise ValueError(msg) from error
    # Of an empty list numpy makes floats.
    if given.shape != (n,) or (n > 0 and given.dtype.kind not in kinds):
        msg = (
            f"Expected {name} to be {expected}; got {given.dtype} of shape "
            f"{given.shape}."
        )
        raise ValueError(msg)
    array = np.array(given, dtype=bool if kinds == "b" else np.int64)
    array.flags.writeable = False
    return array


def check_labels(labels: NDArray[Any], names: tuple[str, ...]) -> None:
    """Raise unless every label is the place of one of the names."""
    valid = (labels >= 0) & (labels < len(names))
    if not valid.all():
        row = int(np.argmin(valid))
        msg = (
            f"Label {row} is {labels[row]}; expected 0 to {len(names) - 1}, as there "
            f"are {len(names)} label_names."
        )
        raise ValueError(msg)


def check_label_names(names: Any) -> tuple[str, ...]:
    """Return a tuple of different names, or raise."""
    given = () if isinstance(names, str) or not np.iterable(names) else tuple(names)
    are_names = bool(given) and all(isinstance(name, str) for name in given)
    if not are_names or len(set(given)) < len(given):
        msg = (
            "Expected label_names to be one or more strings that differ from each "
            f"other, as ('a', 'b'); got {names!r:.200}."
        )
        raise ValueError(msg)
    return given
