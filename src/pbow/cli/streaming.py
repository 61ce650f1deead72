"""Diagrams larger than memory: when they are read in blocks, and who works on these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from pbow._utils.memory import available_memory
from pbow._utils.optional import import_optional
from pbow._utils.unpacking import most_unpacked
from pbow.cli.inputs import is_stream

__all__ = ["cluster", "find_files", "is_streamed"]


def find_files(diagrams: Path) -> list[Path]:
    """Return the files of a path, a folder or a quoted pattern; ``-`` as it is."""
    from pbow.io import scanning  # noqa: PLC0415

    return [diagrams] if is_stream(diagrams) else scanning.find_files(diagrams)


def is_streamed(
    files: Sequence[Path], others: Mapping[str, Any], *, asked: bool | None
) -> bool:
    """Return whether to read files in blocks.

    `others` are options that work on blocks alone, by name, with their values: each
    that is given asks for blocks. `asked` is ``--stream`` or ``--no-stream``, if given.
    """
    reasons = ["--stream"] if asked else []
    reasons += [name for name, value in others.items() if value]
    if reasons and asked is False:
        msg = f"{reasons[0]} reads the diagrams in blocks; leave --no-stream out."
        raise click.UsageError(msg)
    if reasons and is_stream(files[0]):
        msg = f"{reasons[0]} reads the diagrams in blocks; name a file of them, not -."
        raise click.UsageError(msg)
    if asked is None and not reasons:
        return not is_stream(files[0]) and _are_large(files)
    return bool(reasons)


def _are_large(files: Sequence[Path]) -> bool:
    """Whether the files are better read in blocks, and can be.

    More than a quarter of the memory is large: features need some, too. Repeated values
    take few bytes of a file, so that points in memory may be far more.
    """
    n_bytes = sum(file.stat().st_size for file in files)
    limit = available_memory() / 4
    if most_unpacked(n_bytes) <= limit:
        return False
    from pbow.io.files import format_of  # noqa: PLC0415
    from pbow.io.scanning import SCANNERS, estimated_bytes  # noqa: PLC0415

    if any(format_of(file) not in SCANNERS for file in files):
        return False
    return n_bytes > limit or estimated_bytes(list(files)) > limit


@contextmanager
def cluster(address: str | None, seconds: float = 10.0) -> Iterator[Executor | None]:
    """Give the executor of a Dask cluster; without an address, none.

    Raises an OSError if there is no scheduler after so many seconds, or if the cluster
    loses its workers.
    """
    if address is None:
        yield None
        return
    dask = import_optional("dask.distributed", extra="dask", purpose="--scheduler")
    with _connect(dask.Client, address, seconds) as client:
        try:
            yield client.get_executor()
        except (dask.KilledWorker, CancelledError) as error:
            why = str(error) or "the scheduler has cancelled the work"
            msg = f"The Dask cluster at {address} cannot go on: {why}"
            raise OSError(msg) from error


def _connect(client_class: Any, address: str, seconds: float) -> Any:
    # Not by a call of the class: of a client that has failed nothing would be left to
    # close, and it complains of that by a traceback, long after.
    client = client_class.__new__(client_class)
    try:
        client.__init__(address, timeout=seconds, set_as_default=False)
    except Exception as error:  # anything may answer at an address
        client.status = "closed"
        msg = f"There is no Dask scheduler at {address!r}: {error}"
        raise OSError(msg) from error
    return client
