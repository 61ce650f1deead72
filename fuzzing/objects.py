"""Odd arrays as diagrams, and odd parameters: a sound result, or an error of pbow's."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tests.estimators import ESTIMATORS

from fuzzing.trial import Target, Trial, is_own_error
from pbow import Diagrams
from pbow._utils.constraints import OneOf
from pbow.diagrams import LARGEST_COORDINATE, check_diagrams
from pbow.errors import shown
from pbow.io import (
    from_cripser,
    from_dionysus,
    from_giotto,
    from_gudhi,
    from_ripser,
    from_torch_topological,
)

__all__ = ["check_result", "object_targets"]

Make = Callable[[random.Random], Any]

NUMBERS = (
    *(0.0, -0.0, 1.0, -1.0, 0.5, 5e-324, -5e-324, 1e-310, 1e-200, 1e100, 1.1e100),
    *(
        1e200,
        1.797e308,
        -1.797e308,
        np.inf,
        -np.inf,
        np.nan,
        2**53 + 1,
        2**63,
        -(2**63),
    ),
    *(2**64, 10**400, True, None, "1", "inf", "nan", "", b"1", 1j, Decimal("0.5")),
    *(Fraction(1, 3), Decimal("NaN"), np.float32(0.1), np.float16(6e4), np.int8(-128)),
    *(
        np.uint64(2**64 - 1),
        np.longdouble("1e4000"),
        np.datetime64("NaT", "s"),
        pd.NA,
        pd.NaT,
    ),
    *([], [1.0], (1.0, 2.0), {}, np.array(1.0), np.array([1.0])),
)
DTYPES = "f8 f4 f2 >f8 g i8 i1 u8 ? O U4 S4 c16 M8[s] m8[s] V8"
NAMES = (
    "H0",
    "H1",
    "h0",
    "",
    " ",
    None,
    "\ud800",
    "a/b",
    "x" * 300,
    0,
    1.5,
    (),
    "é\n\0",
)
# Sizes that would take minutes or all memory are refused, so that small ones do.
SIZES = (0, 1, 2, 3, 5, -1, 10**8, 2**31, 2**63, 10**400)


def object_targets() -> list[Target]:
    """Return the targets that are no files, with half of all inputs."""
    return [
        Target("diagrams", 40, _diagrams_trial),
        Target("results", 8, _results_trial),
        Target("parameters", 18, _parameters_trial),
    ]


def _diagrams_trial(rng: random.Random, folder: Path) -> Trial:
    """Construct, check, join or index collections."""
    errors: tuple[type[Exception], ...] = (ValueError, TypeError)
    match rng.randrange(8):
        case 0:
            value = collection(rng)
            name = None if rng.random() < 0.7 else rng.choice(NAMES)
            call, shows = partial(Diagrams.from_list, value, name=name), (value, name)
        case 1:
            value = by_name(rng)
            call, shows = partial(Diagrams.from_parts, value), (value,)
        case 2 | 3:
            value = rng.choice((collection, by_name))(rng)
            parts = rng.choice((None, None, ["H1"], ["H1", "H0"], ("",), [], ["x"]))
            least = rng.choice((0, 0, 1, 3))
            call = partial(check_diagrams, value, parts=parts, min_samples=least)
            shows = (value, parts, least)
        case 4 | 5:
            value, cuts = points(rng), offsets(rng)
            where = None if rng.random() < 0.7 else locations(rng)
            call = partial(Diagrams, value, cuts, locations=where)
            shows = (value, cuts, where)
        case 6:
            value = [sound(rng) if rng.random() < 0.9 else odd(rng) for _ in range(2)]
            call, shows = partial(Diagrams.concatenate, value), (value,)
        case _:
            X, index = sound(rng), odd_index(rng)
            errors += (IndexError, KeyError)
            of = X.__getitem__ if rng.random() < 0.8 else X.locations_of
            call, shows = partial(of, index), (X, index)

    def run() -> None:
        check_result(call())

    return Trial(
        run, lambda error: is_own_error(error, *errors), partial(_text, call, shows)
    )


CONVERTERS: tuple[Callable[..., Diagrams], ...] = (
    from_cripser,
    from_dionysus,
    from_giotto,
    from_gudhi,
    partial(from_gudhi, extended=True),
    from_ripser,
    from_torch_topological,
)


def _results_trial(rng: random.Random, folder: Path) -> Trial:
    """Convert what other programs might return."""
    convert = rng.choice(CONVERTERS)
    value = rng.choice((collection, by_name, results, results))(rng)
    dims = rng.choice((None, None, None, 0, (0, 1), [1], -1, 1.5, [], "0", 10**400))
    call = partial(convert, value, dims=dims)

    def run() -> None:
        check_result(call())

    def accepts(error: Exception) -> bool:
        return is_own_error(error, ValueError, TypeError)

    return Trial(run, accepts, partial(_text, call, (value, dims)))


def _parameters_trial(rng: random.Random, folder: Path) -> Trial:
    """Fit and transform with some parameters changed."""
    estimator = rng.choice(ESTIMATORS)
    parameters = estimator.get_params(deep=False)
    for _ in range(rng.choice((1, 1, 2, 3))):
        parameters[rng.choice(list(parameters))] = parameter(rng)
    X = rng.choice(SAMPLES)
    model = type(estimator)(**parameters)

    def run() -> None:
        check_result(model.fit(X).transform(X[::-1]))

    def accepts(error: Exception) -> bool:
        return is_own_error(error, ValueError, TypeError)

    def text() -> str:
        return f"{type(model).__name__} {shown(parameters, 1000)} {X}"

    return Trial(run, accepts, text)


def check_result(result: Any) -> None:
    """Raise an AssertionError unless diagrams are valid, and other numbers finite."""
    if isinstance(result, dict):
        for value in result.values():
            check_result(value)
    elif isinstance(result, Diagrams):
        for name in result.parts:
            _check_part(result[name])
    elif result is not None:
        # One sample: its points, of which essential ones are infinite.
        finite = np.nan_to_num(result, posinf=0.0, nan=np.nan, neginf=np.nan)
        is_sample = result.ndim == 2 and result.shape[1] == 2
        assert np.isfinite(finite if is_sample else result).all(), "not finite"


def _check_part(X: Diagrams) -> None:
    births, deaths = X.points.T
    assert X.points.dtype == np.float64
    assert np.abs(births).max(initial=0.0) <= LARGEST_COORDINATE
    assert (deaths >= births).all()
    assert np.abs(deaths[np.isfinite(deaths)]).max(initial=0.0) <= LARGEST_COORDINATE
    assert X.offsets[0] == 0
    assert X.offsets[-1] == len(X.points)
    assert (np.diff(X.offsets) >= 0).all()
    assert len(X.offsets) == len(X) + 1
    assert X.locations is None or len(X.locations) == len(X.points)


def points(rng: random.Random) -> Any:
    """Return a diagram, or what somebody may take for one."""
    rows: list[Any] = []
    for _ in range(rng.choice((0, 1, 2, 2, 3, 6))):
        birth = rng.choice((rng.random(), rng.randrange(5), -0.0, 5e-324, -1e99))
        rows.append([birth, birth + rng.choice((0, 0.5, rng.random(), np.inf))])
    while rows and rng.random() < 0.4:
        rng.choice(rows)[rng.randrange(2)] = rng.choice(NUMBERS)
        if rng.random() < 0.2:
            rows[rng.randrange(len(rows))] = rng.choice(([], [1.0], [0, 1, 2], 3, None))
            break
    return odd_form(rows, rng) if rng.random() < 0.6 else rows


def odd_form(rows: list[Any], rng: random.Random) -> Any:
    """Return rows as an array of some type and layout, if they make one."""
    try:
        with np.errstate(all="ignore"):
            array = np.array(rows, dtype=rng.choice(DTYPES.split()))
    except (ValueError, TypeError, OverflowError):
        return rows
    match rng.randrange(14):
        case 0:
            return array.T
        case 1:
            return array[None]
        case 2:
            return array.reshape(-1)
        case 3:
            return np.asfortranarray(array)
        case 4:
            return array[::-1]
        case 5:
            return np.repeat(array, 2, axis=-1)[..., ::2]
        case 6:
            return np.ma.masked_array(array, mask=rng.random() < 0.5)
        case 7:
            return pd.DataFrame(array)
        case 8:
            return tuple(map(tuple, rows)) if all(map(is_list, rows)) else rows
        case 9:
            array.flags.writeable = False
            return array
        case 10:
            return iter(rows)
        case 11:
            return array.view(np.recarray) if array.dtype.kind == "V" else array[:1]
        case _:
            return array


def is_list(value: Any) -> bool:
    """Whether a row is a list still."""
    return isinstance(value, list)


def collection(rng: random.Random) -> Any:
    """Return a collection of diagrams, or what somebody may take for one."""
    samples: Any = [points(rng) for _ in range(rng.choice((0, 1, 2, 3)))]
    if samples and rng.random() < 0.1:
        samples[rng.randrange(len(samples))] = odd(rng)
    match rng.randrange(16):
        case 0:
            return tuple(samples)
        case 1:
            return iter(samples)
        case 2:
            return pd.Series(boxed(samples))
        case 3:
            return boxed(samples)
        case 4:
            return [dict.fromkeys(rng.sample(NAMES[:3], 2), one) for one in samples]
        case 5:
            return np.full(
                (2, 3, rng.choice((1, 2, 3))), rng.choice((0.0, 1.0, np.nan))
            )
        case 6:
            return odd(rng)
        case 7:
            return points(rng)
        case 8:
            return {len(samples), 1.5}
        case _:
            return samples


def boxed(values: list[Any]) -> Any:
    """Return an object array that holds values as they are."""
    array = np.empty(len(values), object)
    for k, value in enumerate(values):
        array[k] = value
    return array


def by_name(rng: random.Random) -> Any:
    """Return parts by name, or what somebody may take for these."""
    names = rng.sample(NAMES, 2) if rng.random() < 0.3 else ["H0", "H1"]
    parts = {name: collection(rng) for name in names[: rng.choice((1, 2, 2))]}
    if rng.random() < 0.5:
        parts = {name: [points(rng), points(rng)] for name in parts}
    if rng.random() < 0.2:
        try:
            return pd.DataFrame(parts)
        except (ValueError, TypeError, OverflowError):
            pass
    return parts if rng.random() < 0.9 else odd(rng)


def results(rng: random.Random) -> Any:
    """Return what looks like results of other programs, with some odd numbers."""
    pair = (
        [rng.choice(NUMBERS), rng.choice(NUMBERS)] if rng.random() < 0.3 else [0.0, 1]
    )
    dim = rng.choice((0, 1, 1, 2, -1, 0.5, np.nan, 999, 10**30, True, "1", None))
    match rng.randrange(8):
        case 0:
            return [[(dim, tuple(pair)), (0, (0.0, np.inf))]]
        case 1:
            return [{"dgms": [points(rng), points(rng)]}]
        case 2:
            return [{dim: points(rng)}]
        case 3:
            return [odd_form([[*pair, dim], [0.0, 1.0, 0]], rng)]
        case 4:
            return np.array([[[0.0, 1.0, 0], [0.5, rng.choice((0.8, np.nan, 0.1)), 1]]])
        case 5:
            return [odd_form([[dim, *pair, 0, 0, 0, 0, 0, 0]], rng)]
        case 6:
            return [[[(dim, tuple(pair))], [], [(0, (0.0, 2.0))], [(1, (2.0, 0.0))]]]
        case _:
            return [points(rng), odd(rng)]


def offsets(rng: random.Random) -> Any:
    """Return offsets of a few points, or something else."""
    cuts = sorted(rng.choices(range(7), k=rng.choice((0, 1, 2, 3))))
    cuts = [0, *cuts, rng.choice((0, 1, 2, 2, 3, 6))]
    while rng.random() < 0.2:
        cuts[rng.randrange(len(cuts))] = rng.choice((-1, 2**31, 2**63 - 1, 1.0))
    form = rng.random()
    if form < 0.4:
        return cuts
    return odd(rng) if form < 0.5 else odd_form(cuts, rng)


def locations(rng: random.Random) -> Any:
    """Return locations of a few points, or something else."""
    shape = (rng.choice((0, 1, 2, 3)), rng.choice((2, 2, 2, 1)), rng.choice((0, 1, 3)))
    values = np.full(shape, rng.choice((-1, 0, 5, -2)))
    values = values.astype(rng.choice(("i8", "u8", "f8")))
    return values if rng.random() < 0.9 else odd(rng)


def odd(rng: random.Random) -> Any:
    """Return anything."""
    return rng.choice(ODD)()


def odd_index(rng: random.Random) -> Any:
    """Return what a collection may be indexed with."""
    return rng.choice(
        (
            *(0, -1, 3, 2**63, 10**30, True, None, 1.0, np.int8(1), "H1", "x", "", []),
            *(slice(1), slice(None, None, -2), slice(0, 2**70), slice(1.5), ["H1"]),
            *([0, 2], [True, False, True], [0.5], ["H1", 0], np.array([True] * 3)),
            *(np.array([2, -1]), np.array([9]), np.array(1), (0, ...), (0, 1), ()),
            *((["H1"], ...), [["H1"]], np.array([], int), np.array([]), {0}, ...),
            *(np.array(["H1"]), np.array([2**64 - 1], "u8"), np.zeros((2, 2), int)),
            odd(rng),
        )
    )


def sound(rng: random.Random) -> Diagrams:
    """Return diagrams of three samples."""
    return rng.choice(SAMPLES)[:3] if rng.random() < 0.5 else SAMPLES[0][:3]["H1"]


def _itself() -> list[Any]:
    itself: list[Any] = []
    itself.append(itself)
    return itself


def _nested(depth: int) -> list[Any]:
    nested: list[Any] = []
    for _ in range(depth):
        nested = [nested]
    return nested


def _always(value: Any) -> Callable[[], Any]:
    return lambda: value


# Made anew where a call could change them.
ODD: list[Callable[[], Any]] = [
    *map(_always, NUMBERS),
    *map(_always, ("H1", "file.csv", range(3), object(), len, int, ..., slice(2))),
    *map(_always, (NotImplemented, np.dtype("f8"), np.array(None), memoryview(b"12"))),
    *(_itself, partial(_nested, 10), partial(_nested, 70), partial(_nested, 3000)),
    *(lambda: {1, 2}, lambda: {"H1": None}, lambda: bytearray(b"12"), lambda: iter(())),
    *(lambda: np.empty((0, 2)), lambda: np.zeros(2), lambda: np.zeros((2, 2))),
    *(lambda: np.zeros((0, 3)), lambda: np.empty((2, 0)), np.random.default_rng),
    *(lambda: pd.Series([1.0]), lambda: pd.DataFrame({"H1": [1.0]})),
]


def _samples() -> list[Diagrams]:
    gen = np.random.default_rng(0)
    usual = [np.sort(gen.uniform(0, 4, (n, 2)), axis=1) for n in (6, 0, 9)]
    essential = [np.vstack(([0.0, np.inf], points / 2)) for points in usual]
    few: list[Any] = [[[1.0, 2.0]], []]
    return [
        Diagrams.from_parts({"H0": essential, "H1": usual}),
        Diagrams.from_list(usual),
        Diagrams.from_parts({"H1": few}),
        Diagrams.from_list([[[0.5, 0.5], [0.5, 0.5]], [[0.5, np.inf]]]),
        Diagrams.from_list([[], []]),
        Diagrams.from_list([points * 1e-300 for points in usual]),
        Diagrams.from_list([points * 2e99 for points in usual]),
    ]


SAMPLES = _samples()
OPTIONS = sorted(
    {
        option
        for estimator in ESTIMATORS
        for constraint in estimator.constraints.values()
        if isinstance(constraint, OneOf)
        for option in constraint.options
        if option is not None
    }
    | {"auto", "drop", "separate", "data", "zero", "birth-death", "float32", "H0"}
)


def parameter(rng: random.Random) -> Any:
    """Return a value of a parameter: one that some parameter takes, or an odd one."""
    match rng.randrange(10):
        case 0 | 1:
            return rng.choice(OPTIONS)
        case 2:
            return rng.choice(SIZES)
        case 3 | 4:
            return rng.choice(
                (1, 2, 3, 0.25, 0.5, 1.0, 2.0, 1e-3, 1e3, None, True, False)
            )
        case 5:
            kind: Callable[[Iterable[Any]], Any] = rng.choice(
                (tuple, tuple, list, np.array)
            )
            values = rng.choices((1, 2, 3, 0.0, 0.05, 0.5, 0.95, 1.0, None), k=2)
            return kind(values)
        case 6:
            names = rng.choice((("H0", "H1"), ("H1",), ("",), ("H0", "H1", "x")))
            return {name: parameter(rng) for name in names}
        case 7:
            return rng.choice((np.random.RandomState, np.random.default_rng))(0)
        case 8:
            return rng.choice(NUMBERS)
        case _:
            return odd(rng)


def _text(call: Any, values: tuple[Any, ...]) -> str:
    """Return a call as it is shown after a failure."""
    name = getattr(call.func, "__qualname__", str(call.func))
    try:
        return f"{name}{shown(values, 2000)}"
    except Exception as error:  # pandas cannot show all that it holds
        return f"{name} of values that cannot be shown ({error!r})"
