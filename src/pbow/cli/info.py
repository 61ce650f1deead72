"""``pbow info``: what is in a file."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pbow.cli import options
from pbow.cli.inputs import is_stream, load_model, read_diagrams
from pbow.cli.show import aligned, file_size, print_json, print_text
from pbow.cli.sizes import count_features

if TYPE_CHECKING:
    from pbow.diagrams import Diagrams

    Found = dict[str, Any]

__all__ = ["info"]

# A death so many times the usual one may stand for infinity.
HUGE = 1e6


@click.command()
@click.argument("path", metavar="FILE", type=options.path)
@options.as_json
def info(path: Path, *, as_json: bool) -> None:
    r"""Say what is in FILE, and what may be wrong with it.

    FILE has diagrams in any format, a model, or the arrays of a data set (.npz); or it
    is a folder with the results of an experiment, or - for diagrams by a pipe.

    \b
    pbow info diagrams.pbow
    pbow info model.pbow --json
    """
    n_bytes = path.stat().st_size if path.is_file() else None
    found = {"file": str(path), "bytes": n_bytes, **_look(path)}
    if as_json:
        print_json(found)
        return
    size = f", {file_size(n_bytes)}" if n_bytes is not None else ""
    print_text(f"{path}: {found['summary']}{size}")
    print_text(SHOW[found["kind"]](found))
    for warning in found.get("warnings", []):
        print_text(f"Warning: {warning}")


def _look(path: Path) -> Found:
    if is_stream(path):
        return _of_diagrams(read_diagrams(path))
    if (path / "experiment.toml").is_file():
        return _of_results(path)
    if path.suffix.lower() == ".npz":
        return _of_arrays(path)
    if path.is_file() and _is_model(path):
        return _of_model(path)
    return _of_diagrams(read_diagrams(path))


def _is_model(path: Path) -> bool:
    from pbow.errors import FileFormatError  # noqa: PLC0415
    from pbow.io.container import MODEL, read_header  # noqa: PLC0415

    try:
        read_header(path, MODEL)
    except FileFormatError:
        return False
    return True


def _of_diagrams(X: Diagrams) -> Found:
    parts = {name: _of_part(X[name]) for name in X.parts}
    warnings = [] if len(X) else ["there is no sample."]
    for name, part in parts.items():
        warnings += _doubts(name, part, len(X))
    return {
        "kind": "diagrams",
        "summary": f"diagrams, {_counted(len(X), 'sample')}",
        "samples": len(X),
        "parts": parts,
        "warnings": warnings,
    }


def _of_part(part: Diagrams) -> Found:
    import numpy as np  # noqa: PLC0415

    def span(values: Any) -> list[float] | None:
        return [float(values.min()), float(values.max())] if len(values) else None

    births, deaths = part.points.T
    finite = np.isfinite(deaths)
    lives = deaths[finite] - births[finite]
    median = float(np.median(np.abs(deaths[finite]))) if finite.any() else 0.0
    return {
        "points": len(part.points),
        "essential": int((~finite).sum()),
        "empty": int((part.sizes == 0).sum()),
        "on_diagonal": int((lives == 0.0).sum()),
        "sizes": [int(size) for size in span(part.sizes) or [0, 0]],
        "births": span(births),
        "deaths": span(deaths[finite]),
        "persistences": span(lives),
        "median_death": median,
    }


def _doubts(name: str, part: Found, n_samples: int) -> list[str]:
    """Return what users may not expect of a part."""
    doubts = []
    if part["empty"]:
        share = f"{part['empty']:,} of {_counted(n_samples, 'diagram')}"
        doubts.append(f"{name} has no point in {share}.")
    if part["points"] and part["points"] == part["essential"]:
        doubts.append(
            f"no point of {name} ever dies; descriptors leave such points out unless "
            "their parameter essential says otherwise."
        )
    if part["on_diagonal"]:
        n = _counted(part["on_diagonal"], "point")
        doubts.append(f"{name} has {n} on the diagonal, of no persistence.")
    largest = max(map(abs, part["deaths"] or [0.0]))
    if part["median_death"] > 0.0 and largest > HUGE * part["median_death"]:
        doubts.append(
            f"{name} has a death of size {largest:g}, and half of them are below "
            f"{part['median_death']:.4g}. If it stands for infinity, write inf."
        )
    return doubts


def _of_model(path: Path) -> Found:
    model = load_model(path)
    name = type(model).__name__
    codebooks = getattr(model, "codebooks_", {})
    return {
        "kind": "model",
        "summary": f"a fitted {name}",
        "class": name,
        "parameters": model.get_params(),
        "parts": list(model.parts_),
        "words": {part: book.n_words for part, book in codebooks.items()},
        "features": count_features(model),
    }


def _of_arrays(path: Path) -> Found:
    import numpy as np  # noqa: PLC0415

    from pbow.errors import format_error  # noqa: PLC0415

    with path.open("rb") as file, format_error(path):
        try:
            with np.load(file, allow_pickle=False) as stored:
                arrays = {name: stored[name] for name in stored.files}
        except (zipfile.BadZipFile, zlib.error, EOFError, AttributeError) as error:
            msg = "it is damaged, or no .npz file."
            raise ValueError(msg) from error
    labels, counts = np.unique(arrays.get("labels", []), return_counts=True)
    names = dict(enumerate(arrays.get("label_names", np.empty(0)).ravel().tolist()))
    classes = {
        str(names.get(label, label)): n
        for label, n in zip(labels.tolist(), counts.tolist(), strict=True)
    }
    return {
        "kind": "arrays",
        "summary": _counted(len(arrays), "array"),
        "arrays": {
            name: {"dtype": str(array.dtype), "shape": list(array.shape)}
            for name, array in arrays.items()
        },
        "classes": classes,
    }


def _of_results(path: Path) -> Found:
    from pbow.experiment import Folder, read_experiment, summarize  # noqa: PLC0415

    folder = Folder(path)
    declared = read_experiment(folder.declaration)
    runs = folder.load()
    outcomes = summarize(declared, runs).values()
    return {
        "kind": "results",
        "summary": f"results of {declared.title}",
        "title": declared.title,
        "runs": len(runs),
        "cells": [
            {
                "dataset": outcome.cell.dataset.title,
                "descriptor": outcome.cell.descriptor.title,
                "done": outcome.n_done,
                "planned": outcome.n_planned,
                "is_complete": outcome.is_complete,
            }
            for outcome in outcomes
        ],
    }


def _show_diagrams(found: Found) -> str:
    head = ("part", "points", "essential", "empty", "points a diagram", "births")
    rows = [(*head, "deaths", "persistence")]
    rows += [
        (
            name,
            f"{part['points']:,}",
            f"{part['essential']:,}",
            f"{part['empty']:,}",
            _range(part["sizes"]),
            _range(part["births"]),
            _range(part["deaths"]),
            _range(part["persistences"]),
        )
        for name, part in found["parts"].items()
    ]
    return aligned(rows, left=(0,))


def _show_model(found: Found) -> str:
    rows = [("parts", ", ".join(found["parts"]))]
    words = ", ".join(f"{n} for {part}" for part, n in found["words"].items())
    rows += [("words", words)] if words else []
    rows += [("features", str(found["features"]))]
    rows += [(name, repr(value)) for name, value in found["parameters"].items()]
    return aligned(rows, left=(0, 1))


def _show_arrays(found: Found) -> str:
    rows = [("array", "type", "shape")]
    rows += [
        (name, array["dtype"], " x ".join(map(str, array["shape"])) or "one")
        for name, array in found["arrays"].items()
    ]
    classes = ", ".join(f"{n:,} {name}" for name, n in found["classes"].items())
    return aligned(rows, left=(0, 1, 2)) + (f"\nClasses: {classes}" if classes else "")


def _show_results(found: Found) -> str:
    rows = [("data set", "descriptor", "runs", "complete")]
    rows += [
        (
            cell["dataset"],
            cell["descriptor"],
            f"{cell['done']} of {cell['planned']}",
            "yes" if cell["is_complete"] else "no",
        )
        for cell in found["cells"]
    ]
    return aligned(rows, left=(0, 1))


SHOW = {
    "diagrams": _show_diagrams,
    "model": _show_model,
    "arrays": _show_arrays,
    "results": _show_results,
}


def _range(ends: list[float] | None) -> str:
    if ends is None:
        return ""
    low, high = (f"{end:.4g}" for end in ends)
    return low if low == high else f"{low} to {high}"


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
