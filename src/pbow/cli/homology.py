"""``pbow homology``: raw data to diagrams."""

from __future__ import annotations

import inspect
import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pbow._utils.text import plural
from pbow.cli import options
from pbow.cli.inputs import (
    check_format,
    check_json,
    check_output,
    is_stream,
    standard_input,
    write_diagrams,
    writing,
)
from pbow.cli.shell import Command
from pbow.cli.show import report, waiting
from pbow.errors import ItemError

if TYPE_CHECKING:
    from pbow.datasets import RawData
    from pbow.diagrams import Diagrams


__all__ = ["homology"]

# Functions of pbow.homology by kind of data and method; the first is the default.
METHODS = {
    "clouds": {
        "rips": "rips",
        "sparse-rips": "sparse_rips",
        "alpha": "alpha",
        "dtm-rips": "dtm_rips",
    },
    "images": {"sublevel": "cubical", "superlevel": "cubical"},
    "graphs": {"sublevel": "graph_sublevel", "extended": "graph_extended"},
    "meshes": {"geodesic": "mesh_geodesic"},
}
ALL_METHODS = tuple(dict.fromkeys(m for methods in METHODS.values() for m in methods))
# Options of the command itself, beside those of the functions.
OWN_OPTIONS = {"graphs": ("heat",), "meshes": ("sources",)}
# Fewer distinct points than this make a poor codebook.
FEW_POINTS = 10
# What a file by a pipe is, by how it begins; the last that fits.
PIPED = {
    "clouds": {b"": ".csv", b"\x93NUMPY": ".npy", b"PK": ".npz"},
    "images": {b"": ".png", b"\x93NUMPY": ".npy", b"PK": ".npz"},
    "graphs": {b"": ".csv", b"PK": ".npz"},
    "meshes": {b"": ".off", b"ply": ".ply", b"PK": ".npz"},
}


def _parse_dims(
    context: click.Context, option: click.Parameter, text: str | None
) -> list[int] | None:
    if text is None:
        return None
    try:
        return [int(word) for word in text.split(",")]
    except ValueError as error:
        msg = f"expected dimensions separated by commas, as in 0,1; got {text!r}."
        raise click.BadParameter(msg) from error


def _parse_columns(
    context: click.Context, option: click.Parameter, text: str | None
) -> list[int | str] | None:
    if text is None:
        return None
    words = [word.strip() for word in text.split(",")]
    if "" in words:
        msg = f"expected numbers or names, as in 1,2,3 or x,y,z; got {text!r}."
        raise click.BadParameter(msg)
    return [int(word) if word.isdecimal() else word for word in words]


@click.command(cls=Command)
@click.argument(
    "inputs", metavar="INPUT...", nargs=-1, required=True, type=options.path
)
@options.output("File for the diagrams, as in diagrams.pbow or .csv; - prints CSV.")
@click.option(
    "--kind",
    type=click.Choice(tuple(METHODS)),
    default=None,
    show_default="inferred from the files when unambiguous",
    help="What INPUT is.",
)
@click.option(
    "--method",
    type=click.Choice(ALL_METHODS),
    default=None,
    show_default="rips for clouds, sublevel for images and graphs",
    help="The filtration.",
)
@click.option(
    "--dims",
    metavar="LIST",
    callback=_parse_dims,
    show_default="0,1; 0 for graphs",
    help="Homology dimensions, as in 0,1: components, loops.",
)
@click.option(
    "--columns",
    metavar="LIST",
    callback=_parse_columns,
    show_default="all coordinates; source and target, or the first two",
    help="Columns of clouds that are coordinates, or of edge lists that are the two "
    "ends: by number, counted from 0, as in 1,2,3, or by name, as in x,y,z.",
)
@click.option("--max-edge", type=float, help="Leave longer edges of clouds out.")
@click.option(
    "--heat",
    type=click.FloatRange(min=0),
    metavar="T",
    help="Filter graphs by the heat kernel signature at time T instead of the degree.",
)
@click.option(
    "--sources",
    type=click.IntRange(min=1),
    metavar="N",
    show_default="all",
    help="Vertices of each mesh to start from, spread evenly over their indices.",
)
@click.option(
    "--locations",
    "return_locations",
    is_flag=True,
    default=None,
    help="Keep where in the data each point is born and dies; a .pbow file stores it.",
)
@options.settings(
    "Another parameter of the function of pbow.homology, as epsilon, k, periodic."
)
@click.option(
    "--names-out",
    type=options.path,
    metavar="FILE",
    help="Write the names of the files, one per line, in the order of the diagrams.",
)
@click.option(
    "--labels-out",
    type=options.path,
    metavar="FILE",
    help="Write the labels, one per line, in the order of the diagrams: the name of "
    "the folder that a file is in, or the labels in a .npz file.",
)
@options.jobs
@options.as_json
def homology(
    inputs: tuple[Path, ...],
    output: Path,
    kind: str | None,
    method: str | None,
    settings: dict[str, Any],
    columns: list[int | str] | None,
    names_out: Path | None,
    labels_out: Path | None,
    n_jobs: int,
    *,
    as_json: bool,
    **given: Any,
) -> None:
    r"""Compute diagrams of clouds, images, graphs or meshes.

    INPUT are files, or folders of files:

    \b
    clouds   a .npy array of shape (clouds, points, coordinates), or one cloud
             per file: .npy, .csv, .txt, .xyz, one point per line
    images   a .npy array of shape (images, h, w), or one image per file: .npy,
             .png, .jpg, .tif, .bmp; the mean of red, green and blue of color images
    graphs   one list of edges per file: .txt or .csv, two integers per line
    meshes   .off or .ply; a sample is a vertex from which a ball grows

    Each may be in a .npz file: arrays images; clouds, or points and offsets; edges,
    offsets and num_nodes; vertices, vertex_offsets, faces and face_offsets.

    Files of a folder are taken in natural order, 2 before 10; --names-out writes it
    down. A folder without such files stands for its subfolders: put the files of each
    label into one, and --labels-out writes the labels. With --kind, INPUT may be - for
    one such file by a pipe.

    \b
    pbow homology clouds.npy --kind clouds -o diagrams.pbow
    pbow homology scans/ --kind clouds --method alpha --dims 1,2 -o diagrams.pbow
    pbow homology scans/ --kind clouds --names-out names.txt -o diagrams.pbow
    pbow homology numbered.csv --kind clouds --columns 1,2,3 -o diagrams.pbow
    pbow homology pictures/*.png --method superlevel -o diagrams.csv
    pbow homology by-label/ --kind images --labels-out labels.txt -o diagrams.pbow
    pbow homology graphs/ --kind graphs --method extended --heat 10 -o diagrams.pbow
    pbow homology airplane.off --sources 300 -o diagrams.pbow
    """
    from pbow.datasets import raw  # noqa: PLC0415

    start = time.perf_counter()
    check_json(output, as_json=as_json)
    check_format(output)
    lists = {"--names-out": names_out, "--labels-out": labels_out}
    asked = {option: path for option, path in lists.items() if path is not None}
    for option, path in asked.items():
        others = [other for other in asked.values() if other is not path]
        check_output(path, keep=[output, *others])
        if any(map(is_stream, inputs)):
            noun = option.removeprefix("--").removesuffix("s-out")
            msg = f"What comes by the standard input has no {noun} for {option}."
            raise click.UsageError(msg)
    _check_locations(output, located=bool(given["return_locations"]))
    if kind is None and any(map(is_stream, inputs)):
        msg = "Pass --kind: what comes by the standard input has no extension."
        raise click.UsageError(msg)
    kind = kind or raw.infer_kind(inputs)
    function = _find_function(kind, method, settings, given)
    with _files(inputs, kind) as files:
        # Again, as only now the files of folders are known.
        check_format(output, keep=files)
        for path in asked.values():
            check_output(path, keep=files)
        data = raw.read_raw(files, kind, columns=columns)
        _report_folders(inputs, files, labels_out)
        if kind == "meshes":
            data = _with_sources(data, given["sources"])
        elif kind == "clouds" and settings.get("metric") != "precomputed":
            _check_coordinates(data)
        # Before the work, as it may refuse one.
        lines = {names_out: _one_per_line(data.names)} if names_out else {}
        if labels_out is not None:
            _check_labels(data.labels)
            lines[labels_out] = _one_per_line(data.labels)
        located = bool(given["return_locations"])
        X = _compute(function, data, n_jobs, located=located)
    with ExitStack() as stack:
        for path, text in lines.items():
            stack.enter_context(writing(path)).write(text)
        # Inside, so that names and labels never appear without their diagrams.
        write_diagrams(X, output)
    if names_out is not None:
        click.echo(f"{names_out}: {len(X)} names", err=True)
    if labels_out is not None:
        counts = Counter(data.labels).items()
        listed = ", ".join(f"{n} {label}" for label, n in counts)
        click.echo(f"{labels_out}: {listed}", err=True)
    if kind != "meshes":
        _report_input(kind, data)
    report(output, X, start, as_json=as_json, samples=len(X), parts=X.parts)
    if kind == "graphs" and given["heat"] is None and "values" not in settings:
        _report_few_values(X)


def _check_locations(output: Path, *, located: bool) -> None:
    if located and output.suffix.lower() != ".pbow":
        msg = f"--locations: only .pbow files store locations; got -o {output}."
        raise click.UsageError(msg)


def _report_input(kind: str, data: RawData) -> None:
    """Say what was read: a user who expected something else sees it."""
    samples = data.samples
    if kind == "images":
        shapes = sorted((image.shape for image in samples), key=math.prod)
        ends = (" x ".join(map(str, shape)) for shape in (shapes[0], shapes[-1]))
        what = f"{_range(*ends)} pixels"
    elif kind == "graphs":
        sizes = [n for _, n in samples]
        what = f"{_range(min(sizes), max(sizes))} vertices"
    else:
        points, dims = zip(*(cloud.shape for cloud in samples), strict=True)
        what = f"{_range(min(points), max(points))} points, "
        what += f"{_range(min(dims), max(dims))} coordinates"
    click.echo(f"Read {plural(len(samples), kind[:-1])}: {what}", err=True)


def _range(low: object, high: object) -> str:
    return f"{low}" if low == high else f"{low} to {high}"


def _report_few_values(X: Diagrams) -> None:
    """Say how to tell graphs apart whose degrees give a few distinct points only."""
    import numpy as np  # noqa: PLC0415

    points = np.concatenate([X[part].points for part in X.parts])
    n_distinct = len(np.unique(points[np.isfinite(points[:, 1])], axis=0))
    if n_distinct < FEW_POINTS:
        click.echo(
            f"Degrees give {plural(n_distinct, 'distinct point')} with a finite death; "
            "--heat 10 and --method extended tell more graphs apart",
            err=True,
        )


def _report_folders(
    inputs: Sequence[Path], files: Sequence[Path], labels_out: Path | None
) -> None:
    """Say which folders had no files of their own, and how many were not read."""
    from pbow.io.folders import files_of  # noqa: PLC0415

    read = {*files}
    for given in filter(Path.is_dir, inputs):
        folders = dict.fromkeys(
            file.parent for file in files if given in {file.parent, file.parent.parent}
        )
        if given not in folders and labels_out is None:
            listed = ", ".join(folder.name for folder in folders)
            click.echo(
                f"{given}: files of its subfolders {listed}; --labels-out FILE writes "
                "the labels",
                err=True,
            )
        others = [file for one in folders for file in files_of(one) if file not in read]
        if others:
            listed = ", ".join(sorted({file.suffix or file.name for file in others}))
            click.echo(
                f"{given}: {plural(len(others), 'file')} not read ({listed})", err=True
            )


def _check_labels(labels: Sequence[str]) -> None:
    if len(set(labels)) < 2:
        msg = (
            f"--labels-out: all files are of one label, {labels[0]!r}. Put the files "
            "of each label into a subfolder of its own, and pass the folder that has "
            "these; or a .npz file with an array labels."
        )
        raise ValueError(msg)


@contextmanager
def _files(inputs: tuple[Path, ...], kind: str) -> Iterator[Sequence[Path]]:
    from pbow.datasets.raw import find_raw_files  # noqa: PLC0415

    if not any(map(is_stream, inputs)):
        yield find_raw_files(inputs, kind)
        return

    def extension(data: bytes) -> str:
        known = PIPED[kind].items()
        return [name for first, name in known if data.startswith(first)][-1]

    with standard_input(inputs, extension) as file:
        yield [file]


def _find_function(
    kind: str, method: str | None, settings: dict[str, Any], given: dict[str, Any]
) -> Callable[..., Diagrams]:
    """Return the function of a method, with its parameters set and checked."""
    from pbow import homology  # noqa: PLC0415

    method = method or next(iter(METHODS[kind]))
    if method not in METHODS[kind]:
        listed = " or ".join(METHODS[kind])
        msg = f"--method {method} is not for {kind}; take {listed}."
        raise click.UsageError(msg)
    function: Callable[..., Diagrams] = getattr(homology, METHODS[kind][method])
    known = [
        p.name
        for p in inspect.signature(function).parameters.values()
        # Data have no default.
        if (p.kind is p.KEYWORD_ONLY or p.default is not p.empty)
        and p.name not in {"n_jobs", "progress"}
    ]
    known += OWN_OPTIONS.get(kind, ())
    asked = settings | {name: v for name, v in given.items() if v is not None}
    for name in asked:
        if name not in known:
            listed = ", ".join(known) or "none"
            msg = f"{method} has no parameter {name}; it has {listed}."
            raise click.UsageError(msg)
        if name in settings and name in given:
            msg = f"Pass --{name.replace('_', '-')}, not --set {name}."
            raise click.UsageError(msg)
    if "k" in known and "k" not in asked:
        msg = f"{method} needs the number of neighbors, as in --set k=10."
        raise click.UsageError(msg)
    if kind == "meshes":
        return function
    if method == "superlevel":
        asked = {"superlevel": True, **asked}
    if "heat" in asked:
        values = partial(homology.heat_kernel_signature, t=asked.pop("heat"))
        asked["values"] = values
    made = partial(function, **asked)
    made([])  # checks the parameters
    return made


def _with_sources(data: RawData, most: int | None) -> RawData:
    """Return meshes with the vertices to start from, and a name for each of these."""
    import numpy as np  # noqa: PLC0415

    samples, names, labels = [], [], []
    given = zip(data.names, data.labels, data.samples, strict=True)
    for name, label, (vertices, faces) in given:
        n = min(most or len(vertices), len(vertices))
        samples.append((vertices, faces, np.arange(n) * len(vertices) // n))
        names += [name if n == 1 else f"{name}:{k}" for k in range(n)]
        labels += [label] * n
    return type(data)(samples, names, labels)


def _check_coordinates(data: RawData) -> None:
    """Raise if points of one cloud have more coordinates than those of another."""
    first = data.samples[0].shape[1]
    for cloud, name in zip(data.samples, data.names, strict=True):
        if cloud.shape[1] != first:
            msg = (
                "Expected all points to have the same number of coordinates; those of "
                f"{data.names[0]} have {first}, and those of {name} {cloud.shape[1]}."
            )
            raise ValueError(msg)


def _compute(
    function: Callable[..., Diagrams], data: RawData, n_jobs: int, *, located: bool
) -> Diagrams:
    """Compute the diagrams; an error of one item names its file."""
    from pbow.diagrams import Diagrams  # noqa: PLC0415
    from pbow.homology import mesh_geodesic  # noqa: PLC0415

    common: dict[str, Any] = {"n_jobs": n_jobs}
    if "progress" in inspect.signature(function).parameters:
        common["progress"] = sys.stderr.isatty()
    if function is mesh_geodesic:
        common["return_locations"] = located
        return Diagrams.concatenate([function(*m, **common) for m in data.samples])
    try:
        with waiting("Computing diagrams") if len(common) == 1 else nullcontext():
            return function(data.samples, **common)
    except ItemError as error:
        msg = f"{data.names[error.item]}: {error.problem}"
        raise ValueError(msg) from error


def _one_per_line(names: Sequence[str]) -> bytes:
    for name in names:
        on_a_line = name.encode(errors="ignore").decode().replace("\n", " ").strip()
        if name != on_a_line:
            msg = f"The name {name!r} cannot be one line of a text file. Rename it."
            raise ValueError(msg)
    return "".join(f"{name}\n" for name in names).encode()
