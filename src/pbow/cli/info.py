"""``pbow info``: what is in a file."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pbow._utils.text import file_size, plural
from pbow.cli import options
from pbow.cli.inputs import is_stream, read_diagrams
from pbow.cli.shell import Command
from pbow.cli.show import aligned, print_json, print_text

if TYPE_CHECKING:
    from pbow.diagrams import Diagrams

    # Facts for programs, and a text for people.
    Found = tuple[dict[str, Any], str]

__all__ = ["info"]

# A death so many times the usual one may stand for infinity.
HUGE = 1e6


@click.command(cls=Command)
@click.argument("path", metavar="FILE", type=options.path)
@options.model_classes
@options.as_json
def info(path: Path, model_classes: tuple[type, ...], *, as_json: bool) -> None:
    r"""Describe the content of FILE, and warn of what may be wrong with it.

    FILE holds diagrams in any format, a model, or the arrays of a data set (.npz); or
    it is a folder with the results of an experiment, or - for diagrams by a pipe.

    \b
    pbow info diagrams.pbow
    pbow info model.pbow --json
    """
    n_bytes = path.stat().st_size if path.is_file() else None
    facts, table = _describe(path, model_classes)
    if as_json:
        print_json({"file": str(path), "bytes": n_bytes, **facts})
        return
    size = "" if n_bytes is None else f", {file_size(n_bytes)}"
    print_text(f"{path}: {facts['summary']}{size}")
    print_text(table)
    for warning in facts.get("warnings", []):
        print_text(f"Warning: {warning}")


def _describe(path: Path, model_classes: tuple[type, ...]) -> Found:
    if is_stream(path):
        return _describe_diagrams(read_diagrams(path))
    if (path / "experiment.toml").is_file():
        return _describe_results(path)
    if path.suffix.lower() == ".npz":
        return _describe_arrays(path)
    if path.is_file() and _is_model(path):
        return _describe_model(path, model_classes)
    return _describe_diagrams(read_diagrams(path))


def _is_model(path: Path) -> bool:
    from pbow.errors import FileFormatError  # noqa: PLC0415
    from pbow.io.container import MODEL, read_header  # noqa: PLC0415

    try:
        read_header(path, MODEL)
    except FileFormatError:
        return False
    return True


def _describe_diagrams(X: Diagrams) -> Found:
    parts = {name: _count_points(X[name]) for name in X.parts}
    warnings = [] if len(X) else ["there is no sample."]
    for name, part in parts.items():
        warnings += _doubts(name, part, len(X))
    facts = {
        "kind": "diagrams",
        "summary": f"diagrams, {plural(len(X), 'sample')}",
        "samples": len(X),
        "parts": parts,
        "warnings": warnings,
    }
    counts = ("points", "essential", "empty")
    ranges = ("sizes", "births", "deaths", "persistences")
    head = ("points per diagram", "births", "deaths", "persistence")
    rows: list[tuple[str, ...]] = [("part", *counts, *head)]
    for name, part in parts.items():
        cells = [f"{part[key]:,}" for key in counts]
        rows.append((name, *cells, *(_range(part[key]) for key in ranges)))
    return facts, aligned(rows, left=(0,))


def _count_points(part: Diagrams) -> dict[str, Any]:
    import numpy as np  # noqa: PLC0415

    def span(values: Any) -> list[float] | None:
        return [float(values.min()), float(values.max())] if len(values) else None

    births, deaths = part.points.T
    finite = np.isfinite(deaths)
    persistences = deaths[finite] - births[finite]
    median = float(np.median(np.abs(deaths[finite]))) if finite.any() else 0.0
    return {
        "points": len(part.points),
        "essential": int((~finite).sum()),
        "empty": int((part.sizes == 0).sum()),
        "on_diagonal": int((persistences == 0.0).sum()),
        "sizes": [int(size) for size in span(part.sizes) or [0, 0]],
        "births": span(births),
        "deaths": span(deaths[finite]),
        "persistences": span(persistences),
        "median_death": median,
    }


def _doubts(name: str, part: dict[str, Any], n_samples: int) -> list[str]:
    """Return what users may not expect of a part."""
    doubts = []
    if part["empty"]:
        which = f"{part['empty']:,} of {plural(n_samples, 'diagram')}"
        doubts.append(f"{name} has no point in {which}.")
    if part["points"] and part["points"] == part["essential"]:
        doubts.append(
            f"all points of {name} are essential; descriptors leave such points out "
            "unless their parameter essential says otherwise."
        )
    if part["on_diagonal"]:
        n = plural(part["on_diagonal"], "point")
        doubts.append(f"{name} has {n} on the diagonal, with persistence 0.")
    largest = max(map(abs, part["deaths"] or [0.0]))
    if part["median_death"] > 0.0 and largest > HUGE * part["median_death"]:
        doubts.append(
            f"{name} has a death of size {largest:g}, and half of them are below "
            f"{part['median_death']:.4g}. If it stands for infinity, write inf."
        )
    return doubts


def _range(ends: list[float] | None) -> str:
    if ends is None:
        return ""
    low, high = (f"{end:.4g}" for end in ends)
    return low if low == high else f"{low} to {high}"


def _describe_model(path: Path, model_classes: tuple[type, ...]) -> Found:
    from pbow import load  # noqa: PLC0415

    model = load(path, classes=model_classes)
    name = type(model).__name__
    codebooks = getattr(model, "codebooks_", {})
    facts = {
        "kind": "model",
        "summary": f"a fitted {name}",
        "class": name,
        "parameters": model.get_params(),
        "parts": list(model.parts_),
        "words": {part: book.n_words for part, book in codebooks.items()},
        "features": getattr(model, "n_features_out_", None),
    }
    words = ", ".join(f"{n} for {part}" for part, n in facts["words"].items())
    rows = [("parts", ", ".join(model.parts_))]
    rows += [("words", words)] if words else []
    rows += [("features", str(facts["features"]))] if facts["features"] else []
    rows += [(name, repr(value)) for name, value in facts["parameters"].items()]
    return facts, aligned(rows, left=(0, 1))


def _describe_arrays(path: Path) -> Found:
    import numpy as np  # noqa: PLC0415

    from pbow.errors import format_error  # noqa: PLC0415

    with path.open("rb") as file, format_error(path):
        try:
            with np.load(file, allow_pickle=False) as stored:
                arrays = {name: stored[name] for name in stored.files}
        except (zipfile.BadZipFile, zlib.error, EOFError, AttributeError) as error:
            msg = "it is damaged, or not a .npz file."
            raise ValueError(msg) from error
    labels, counts = np.unique(arrays.get("labels", []), return_counts=True)
    names = dict(enumerate(arrays.get("label_names", np.empty(0)).ravel().tolist()))
    classes = {
        str(names.get(label, label)): n
        for label, n in zip(labels.tolist(), counts.tolist(), strict=True)
    }
    facts = {
        "kind": "arrays",
        "summary": plural(len(arrays), "array"),
        "arrays": {
            name: {"dtype": str(array.dtype), "shape": list(array.shape)}
            for name, array in arrays.items()
        },
        "classes": classes,
    }
    rows = [("array", "type", "shape")]
    for name, array in arrays.items():
        shape = " x ".join(map(str, array.shape)) or "one"
        rows.append((name, str(array.dtype), shape))
    listed = ", ".join(f"{n:,} {name}" for name, n in classes.items())
    table = aligned(rows, left=(0, 1, 2))
    return facts, f"{table}\nClasses: {listed}" if listed else table


def _describe_results(path: Path) -> Found:
    from pbow.experiment import Folder, read_experiment, summarize  # noqa: PLC0415

    folder = Folder(path)
    declared = read_experiment(folder.declaration)
    runs = folder.load()
    cells: list[dict[str, Any]] = [
        {
            "dataset": outcome.cell.dataset.title,
            "descriptor": outcome.cell.descriptor.title,
            "done": outcome.n_done,
            "planned": outcome.n_planned,
            "is_complete": outcome.is_complete,
        }
        for outcome in summarize(declared, runs).values()
    ]
    facts = {
        "kind": "results",
        "summary": f"results of {declared.title}",
        "title": declared.title,
        "runs": len(runs),
        "cells": cells,
    }
    rows = [("data set", "descriptor", "runs", "complete")]
    for cell in cells:
        done = f"{cell['done']} of {cell['planned']}"
        complete = "yes" if cell["is_complete"] else "no"
        rows.append((cell["dataset"], cell["descriptor"], done, complete))
    return facts, aligned(rows, left=(0, 1))
