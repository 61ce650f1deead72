"""``pbow transform``: diagrams to vectors."""

from __future__ import annotations

import csv
import io
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from pbow.cli import options
from pbow.cli.descriptors import KERNELS, VECTORIZERS
from pbow.cli.inputs import (
    check_json,
    check_output,
    is_stream,
    load_model,
    read_diagrams,
    read_lines,
    say_written,
    writing,
)
from pbow.cli.show import print_json, progress_bar
from pbow.cli.sizes import check_vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pbow.diagrams import Diagrams

__all__ = ["transform"]

# Rows that are Python objects at a time.
N_ROWS = 1 << 10
# Parts in which progress is shown.
N_STEPS = 100


@click.command()
@click.argument("model", type=options.path)
@options.diagrams
@options.output("File for the vectors, .npy, .csv or .parquet; - prints CSV.")
@click.option(
    "--names",
    type=options.path,
    default=None,
    metavar="FILE",
    help="Names of the samples, one a line, for a first column 'sample'.",
)
@options.jobs
@options.as_json
def transform(
    model: Path,
    diagrams: Path,
    output: Path,
    names: Path | None,
    n_jobs: int,
    *,
    as_json: bool,
) -> None:
    r"""Turn DIAGRAMS into vectors by a MODEL that `pbow fit` has saved.

    One row a sample; the columns have names, as h1_word0, but in .npy.

    \b
    pbow transform model.pbow diagrams.pbow -o vectors.npy
    pbow transform model.pbow diagrams.pbow -o vectors.parquet --names files.txt
    cat diagrams.csv | pbow transform model.pbow - -o - | head
    """
    start = time.perf_counter()
    check_json(output, as_json=as_json)
    write = _writer(output)
    if names is not None and write is _write_npy:
        msg = "A .npy file holds numbers only; with --names take .csv or .parquet."
        raise click.UsageError(msg)
    if not is_stream(output):
        check_output(output, keep=[model, diagrams, names])
    fitted = _load(model).set_params(n_jobs=n_jobs)
    X = read_diagrams(diagrams)
    samples = None if names is None else read_lines(names, "name")
    if samples is not None and len(samples) != len(X):
        msg = (
            f"Expected a name for each of the {len(X)} samples; {names} has "
            f"{len(samples)}."
        )
        raise ValueError(msg)
    H = _vectors(fitted, X)
    with writing(output) as file:
        write(file, H, fitted.get_feature_names_out().tolist(), samples)
    if not is_stream(output):
        say_written(output, f"{H.shape[0]} rows, {H.shape[1]} columns")
    if as_json:
        print_json(
            {
                "output": output,
                "samples": H.shape[0],
                "features": H.shape[1],
                "seconds": time.perf_counter() - start,
            }
        )


def _load(path: Path) -> Any:
    fitted = load_model(path)
    name = type(fitted).__name__
    if name not in {*VECTORIZERS.values(), *KERNELS.values()}:
        msg = f"{path} has a {name}, which makes diagrams of diagrams."
        raise ValueError(msg)
    check_vectors(path, fitted)
    return fitted


def _vectors(fitted: Any, X: Diagrams) -> NDArray[Any]:
    """Return a row a sample, and show on a terminal how many are done."""
    import numpy as np  # noqa: PLC0415

    from pbow.essential import check_births  # noqa: PLC0415

    if type(fitted).__name__ in KERNELS.values():
        kernel: NDArray[Any] = fitted.transform(X, progress=sys.stderr.isatty())
        return kernel
    if not isinstance(fitted.essential, str):
        # Here, where samples still have their own numbers.
        for name in X.parts:
            check_births(X[name], float(fitted.essential), name)
    step = max(len(X) // N_STEPS, 1)
    with progress_bar("Computing vectors", len(X)) as bar:
        rows = fitted.transform(X[:step])
        H = np.empty((len(X), rows.shape[1]), rows.dtype)
        for start in range(0, len(X), step):
            if start:
                rows = fitted.transform(X[start : start + step])
            H[start : start + step] = rows
            bar.update(len(rows))
    return H


Writer = Callable[[BinaryIO, "NDArray[Any]", list[str], Sequence[str] | None], None]


def _writer(path: Path) -> Writer:
    if is_stream(path):
        return _write_csv
    if path.suffix.lower() not in WRITERS:
        msg = (
            f"Expected a file that ends in {', '.join(WRITERS)} for the vectors; got "
            f"{path}."
        )
        raise click.UsageError(msg)
    return WRITERS[path.suffix.lower()]


def _write_npy(
    file: BinaryIO, H: NDArray[Any], columns: list[str], samples: Sequence[str] | None
) -> None:
    import numpy as np  # noqa: PLC0415

    np.save(file, H)


def _write_csv(
    file: BinaryIO, H: NDArray[Any], columns: list[str], samples: Sequence[str] | None
) -> None:
    head = columns if samples is None else ["sample", *columns]
    file.write(_csv_lines([head]))
    for start in range(0, len(H), N_ROWS):
        rows = H[start : start + N_ROWS].tolist()
        if samples is not None:
            named = zip(samples[start : start + N_ROWS], rows, strict=True)
            rows = [[name, *row] for name, row in named]
        file.write(_csv_lines(rows))


def _csv_lines(rows: list[list[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def _write_parquet(
    file: BinaryIO, H: NDArray[Any], columns: list[str], samples: Sequence[str] | None
) -> None:
    try:
        import pyarrow  # noqa: PLC0415
        import pyarrow.parquet  # noqa: PLC0415
    except ImportError as error:
        msg = "Parquet needs pyarrow, of the extra arrow: pip install pyarrow."
        raise ImportError(msg) from error
    table = {} if samples is None else {"sample": pyarrow.array(samples)}
    table |= {name: pyarrow.array(H[:, k]) for k, name in enumerate(columns)}
    pyarrow.parquet.write_table(pyarrow.table(table), file)


WRITERS: dict[str, Writer] = {
    ".npy": _write_npy,
    ".csv": _write_csv,
    ".parquet": _write_parquet,
}
