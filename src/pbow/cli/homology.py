"""``pbow homology``: raw data to diagrams."""

from __future__ import annotations

import inspect
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pbow.cli import options
from pbow.cli.inputs import (
    check_format,
    check_json,
    check_output,
    is_stream,
    say_written,
    standard_input,
    write_diagrams,
    writing,
)
from pbow.cli.raw import (
    KINDS,
    check_coordinates,
    ending_of,
    find_files,
    guess_kind,
    read_all,
    read_clouds,
    read_graphs,
    read_images,
    read_meshes,
    sample_names,
)
from pbow.cli.show import print_json

if TYPE_CHECKING:
    from pbow.diagrams import Diagrams

    # And the file that each sample comes from.
    Computed = tuple[Diagrams, Sequence[Path]]

__all__ = ["homology"]

# The first one is the default.
METHODS = {
    "clouds": ("rips", "sparse-rips", "alpha", "dtm-rips"),
    "images": ("sublevel", "superlevel"),
    "graphs": ("sublevel", "extended"),
    "meshes": ("geodesic",),
}
ALL_METHODS = tuple(dict.fromkeys(m for methods in METHODS.values() for m in methods))


@click.command()
@click.argument(
    "inputs", metavar="INPUT...", nargs=-1, required=True, type=options.path
)
@options.output("File for the diagrams, as in diagrams.pbow or .csv; - prints CSV.")
@click.option(
    "--kind",
    type=click.Choice(tuple(KINDS)),
    default=None,
    show_default="what the files can only be",
    help="What INPUT is.",
)
@click.option(
    "--method",
    type=click.Choice(ALL_METHODS),
    default=None,
    show_default="rips of clouds, sublevel of images and graphs",
    help="The filtration.",
)
@click.option(
    "--dims",
    metavar="LIST",
    callback=lambda context, option, value: _parse_dims(value),
    show_default="0,1; 0 of graphs",
    help="Dimensions of homology, as in 0,1: components, loops.",
)
@click.option("--max-edge", type=float, help="Leave longer edges of clouds out.")
@click.option(
    "--heat",
    type=click.FloatRange(min=0),
    metavar="T",
    help="Give vertices of graphs their heat kernel signature at time T, and not their "
    "degree.",
)
@click.option(
    "--sources",
    type=click.IntRange(min=1),
    metavar="N",
    show_default="all",
    help="Vertices of each mesh to start from, spread over their numbers.",
)
@options.settings(
    "Another parameter of the function of pbow.homology, as epsilon, k, periodic."
)
@click.option(
    "--names-out",
    type=options.path,
    metavar="FILE",
    help="Write the names of the files, one a line, in the order of the diagrams.",
)
@options.jobs
@options.as_json
def homology(
    inputs: tuple[Path, ...],
    output: Path,
    kind: str | None,
    method: str | None,
    dims: list[int] | None,
    max_edge: float | None,
    heat: float | None,
    sources: int | None,
    settings: dict[str, Any],
    names_out: Path | None,
    n_jobs: int,
    *,
    as_json: bool,
) -> None:
    r"""Compute diagrams of clouds, images, graphs or meshes.

    INPUT are files, or folders of files:

    \b
    clouds   a .npy array of shape (clouds, points, coordinates), or a cloud a
             file: .npy, .csv, .txt, .xyz, a point a line
    images   a .npy array of shape (images, h, w), or an image a file: .npy,
             .png, .jpg, .tif; of colours, the mean
    graphs   a list of edges a file: .txt or .csv, two whole numbers a line; or
             a graphs_*.npz file of the data sets
    meshes   .off or .ply; a sample is a vertex from which a ball grows

    Files of a folder are taken in the order of their names, 2 before 10; --names-out
    writes it down. With --kind, INPUT may be - for one such file by a pipe.

    \b
    pbow homology clouds.npy --kind clouds -o diagrams.pbow
    pbow homology scans/ --kind clouds --method alpha --dims 1,2 -o diagrams.pbow
    pbow homology scans/ --kind clouds --names-out names.txt -o diagrams.pbow
    pbow homology pictures/*.png --method superlevel -o diagrams.csv
    pbow homology graphs/ --kind graphs --method extended --heat 10 -o diagrams.pbow
    pbow homology airplane.off --sources 300 -o diagrams.pbow
    """
    start = time.perf_counter()
    check_json(output, as_json=as_json)
    check_format(output, None)
    if names_out is not None:
        check_output(names_out, keep=[output])
    if any(map(is_stream, inputs)):
        if kind is None:
            msg = "Say by --kind what comes by the standard input."
            raise click.UsageError(msg)
        if names_out is not None:
            msg = "What comes by the standard input has no name for --names-out."
            raise click.UsageError(msg)
    kind = kind or guess_kind(inputs)
    method = method or METHODS[kind][0]
    if method not in METHODS[kind]:
        listed = " or ".join(METHODS[kind])
        msg = f"--method {method} is not for {kind}; take {listed}."
        raise click.UsageError(msg)
    given = {"dims": dims, "max_edge": max_edge, "heat": heat, "sources": sources}
    for name in settings:
        if name in given:
            msg = f"Pass --{name.replace('_', '-')}, not --set {name}."
            raise click.UsageError(msg)
    asked = settings | {name: v for name, v in given.items() if v is not None}
    with _files(inputs, kind) as files:
        # Again, as only now the files of folders are known.
        check_format(output, None, keep=files)
        if names_out is not None:
            check_output(names_out, keep=files)
            sample_names(files)
        X, origins = COMPUTE[kind](files, method, asked, n_jobs)
    if names_out is None:
        write_diagrams(X, output)
    else:
        names = sample_names(origins)
        with writing(names_out) as lines:
            lines.write("".join(f"{name}\n" for name in names).encode())
            # Inside, so that names never appear without their diagrams.
            write_diagrams(X, output)
        say_written(names_out, f"{len(names)} names")
    if as_json:
        print_json(
            {
                "output": output,
                "samples": len(X),
                "parts": X.parts,
                "seconds": time.perf_counter() - start,
            }
        )


@contextmanager
def _files(inputs: tuple[Path, ...], kind: str) -> Iterator[Sequence[Path]]:
    if not any(map(is_stream, inputs)):
        yield find_files(inputs, KINDS[kind])
        return
    with standard_input(inputs, partial(ending_of, kind)) as file:
        yield [file]


@contextmanager
def _naming_files(origins: Sequence[Path]) -> Iterator[None]:
    """Let errors that know a cloud or an image by its number say its file."""

    def name_of(match: re.Match[str]) -> str:
        number = int(match[2])
        file = origins[number]
        if origins.count(file) == 1:
            return f"{match[1]} {file}"
        return f"{match[1]} {origins[:number].count(file)} of {file}"

    try:
        yield
    except ValueError as error:
        msg = re.sub(r"\b([Cc]loud|[Mm]atrix|[Ii]mage) (\d+)\b", name_of, str(error))
        raise ValueError(msg) from error


def _of_clouds(
    files: Sequence[Path], method: str, asked: dict[str, Any], n_jobs: int
) -> Computed:
    from pbow.homology import alpha, dtm_rips, rips, sparse_rips  # noqa: PLC0415

    functions: dict[str, Callable[..., Diagrams]] = {
        "rips": rips,
        "sparse-rips": sparse_rips,
        "alpha": alpha,
        "dtm-rips": dtm_rips,
    }
    function = _checked(functions[method], method, asked)
    clouds, origins = read_all(read_clouds, files)
    if asked.get("metric") != "precomputed":  # matrices are as wide as they are high
        check_coordinates(clouds, origins)
    with _naming_files(origins):
        return function(clouds, n_jobs=n_jobs, progress=sys.stderr.isatty()), origins


def _of_images(
    files: Sequence[Path], method: str, asked: dict[str, Any], n_jobs: int
) -> Computed:
    from pbow.homology import cubical  # noqa: PLC0415

    asked = {"superlevel": method == "superlevel", **asked}
    function = _checked(cubical, method, asked)
    images, origins = read_all(read_images, files)
    with _naming_files(origins):
        return function(images, n_jobs=n_jobs, progress=sys.stderr.isatty()), origins


def _of_graphs(
    files: Sequence[Path], method: str, asked: dict[str, Any], n_jobs: int
) -> Computed:
    from pbow._utils.progress import progress_bar  # noqa: PLC0415
    from pbow.homology import (  # noqa: PLC0415
        graph_extended,
        graph_sublevel,
        heat_kernel_signature,
    )

    heat = asked.pop("heat", None)
    compute = graph_extended if method == "extended" else graph_sublevel
    function = _checked(compute, method, asked)
    graphs, origins = read_all(read_graphs, files)
    if heat is None:  # too soon done for a bar
        return function(graphs, n_jobs=n_jobs), origins
    show = sys.stderr.isatty()
    with progress_bar(show=show, total=len(graphs), unit="graphs") as advance:

        def values(graph: Any) -> Any:
            signature = heat_kernel_signature(graph, t=heat)
            advance(1)
            return signature

        return function(graphs, values=values, n_jobs=n_jobs), origins


def _of_meshes(
    files: Sequence[Path], method: str, asked: dict[str, Any], n_jobs: int
) -> Computed:
    import numpy as np  # noqa: PLC0415

    from pbow.diagrams import Diagrams  # noqa: PLC0415
    from pbow.homology import mesh_geodesic  # noqa: PLC0415

    most = asked.pop("sources", None)
    nothing: tuple[Any, ...] = (np.empty((0, 3)), np.empty((0, 3), np.int64), [])
    function = _checked(mesh_geodesic, method, asked, nothing)
    meshes, files = read_all(read_meshes, files)
    numbers = [min(most or len(vertices), len(vertices)) for vertices, _ in meshes]
    found = []
    for (vertices, faces), n in zip(meshes, numbers, strict=True):
        chosen = np.arange(n) * len(vertices) // n
        show = sys.stderr.isatty()
        found.append(function(vertices, faces, chosen, n_jobs=n_jobs, progress=show))
    origins = [file for file, n in zip(files, numbers, strict=True) for _ in range(n)]
    return Diagrams.concatenate(found), origins


COMPUTE = {
    "clouds": _of_clouds,
    "images": _of_images,
    "graphs": _of_graphs,
    "meshes": _of_meshes,
}


def _checked(
    function: Callable[..., Diagrams],
    method: str,
    asked: dict[str, Any],
    nothing: tuple[Any, ...] = ([],),
) -> Callable[..., Diagrams]:
    """Return the function with parameters set, or say what is wrong with these."""
    parameters = inspect.signature(function).parameters.values()
    known = [
        p.name
        for p in parameters
        # Before these stand the data.
        if (p.kind is p.KEYWORD_ONLY or p.default is not p.empty)
        and p.name not in {"n_jobs", "progress"}
    ]
    for name in asked:
        if name not in known:
            listed = ", ".join(known) or "none"
            msg = f"{method} has no parameter {name}; it has {listed}."
            raise click.UsageError(msg)
    if "k" in known and "k" not in asked:
        msg = f"{method} needs the number of neighbours, as in --set k=10."
        raise click.UsageError(msg)
    made = partial(function, **asked)
    # Of no data at all it computes nothing but checks its parameters.
    made(*nothing)
    return made


def _parse_dims(text: str | None) -> list[int] | None:
    if text is None:
        return None
    try:
        return [int(word) for word in text.split(",")]
    except ValueError as error:
        msg = f"expected dimensions with commas between, as in 0,1; got {text!r}."
        raise click.BadParameter(msg) from error
