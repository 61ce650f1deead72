"""``pbow info``: what is in a file."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pbow._utils.text import file_size, plural
from pbow.cli import options
from pbow.cli.descriptors import model_classes
from pbow.cli.inputs import is_model, is_stream, load_model, read_diagrams
from pbow.cli.shell import Command
from pbow.cli.show import aligned, print_json, print_text

if TYPE_CHECKING:
    from pbow.diagrams import Diagrams

    # Facts for programs, and a text for people.
    Found = tuple[dict[str, Any], str]

__all__ = ["info"]


@click.command(cls=Command)
@click.argument("path", metavar="FILE", type=options.path)
@model_classes
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
    if any(path.glob("*.toml")):
        return _describe_results(path)
    if path.suffix.lower() == ".npz":
        return _describe_arrays(path)
    if path.is_file() and is_model(path):
        return _describe_model(path, model_classes)
    return _describe_diagrams(read_diagrams(path))


def _describe_diagrams(X: Diagrams) -> Found:
    from pbow.io import describe  # noqa: PLC0415

    facts = asdict(describe(X))
    summary = f"diagrams, {plural(len(X), 'sample')}"
    counts = ("points", "essential", "empty")
    ranges = ("sizes", "births", "deaths", "persistences")
    head = ("points per diagram", "births", "deaths", "persistence")
    rows: list[tuple[str, ...]] = [("part", *counts, *head)]
    for name, part in facts["parts"].items():
        cells = [f"{part[key]:,}" for key in counts]
        cells[0] += " located" if part["located"] else ""
        rows.append(
            (name or "(unnamed)", *cells, *(_range(part[key]) for key in ranges))
        )
    return {"kind": "diagrams", "summary": summary, **facts}, aligned(rows, left=(0,))


def _range(ends: tuple[float, float] | None) -> str:
    if ends is None:
        return ""
    low, high = (f"{end:.4g}" for end in ends)
    return low if low == high else f"{low} to {high}"


def _describe_model(path: Path, model_classes: tuple[type, ...]) -> Found:
    from pbow.vectorizers.base import Vectorizer  # noqa: PLC0415
    from pbow.vectorizers.words import CodebookVectorizer  # noqa: PLC0415

    model = load_model(path, model_classes)
    name = type(model).__name__
    by_part = model.n_features_by_part() if isinstance(model, Vectorizer) else {}
    codebooks = model.codebooks_ if isinstance(model, CodebookVectorizer) else {}
    words = {part: list(codebook.sizes) for part, codebook in codebooks.items()}
    facts = {
        "kind": "model",
        "summary": f"a fitted {name}",
        "class": name,
        "parameters": model.get_params(),
        "parts": list(model.parts_),
        "features": getattr(model, "n_features_out_", None),
        "features_by_part": by_part,
        "words_by_part": words,
    }
    rows = [("parts", ", ".join(model.parts_) or "(unnamed)")]
    if facts["features"] is not None:
        rows.append(("features", f"{facts['features']:,}"))
    rows += [(f"features of {part}", f"{n:,}") for part, n in by_part.items() if part]
    rows += [
        (f"words of {part}" if part else "words", ", ".join(f"{n:,}" for n in sizes))
        for part, sizes in words.items()
    ]
    rows += [(name, repr(value)) for name, value in facts["parameters"].items()]
    return facts, aligned(rows, left=(0, 1))


def _describe_arrays(path: Path) -> Found:
    import numpy as np  # noqa: PLC0415

    from pbow.errors import FileFormatError  # noqa: PLC0415
    from pbow.io.npz import opened  # noqa: PLC0415
    from pbow.io.npz_diagrams import kind_of_arrays  # noqa: PLC0415

    with opened(path) as stored:
        holds = kind_of_arrays(stored)
        arrays = {name: stored.describe(name) for name in stored.names}
        # Of the values only these are shown; all others may be large.
        found, names = (
            stored.read(name, kinds, 1) if _is_list(arrays, name, kinds) else ()
            for name, kinds in (("labels", "iuU"), ("label_names", "U"))
        )
    labels, counts = np.unique(found, return_counts=True)
    titles = dict(enumerate(map(str, names)))
    classes = {
        titles.get(label, str(label)): n
        for label, n in zip(labels.tolist(), counts.tolist(), strict=True)
    }
    listed = ", ".join(f"{n:,} {name}" for name, n in classes.items())
    listed = f"\nLabels: {listed}" if listed else ""
    # Points of a cloud in the plane have these arrays, too.
    with suppress(FileFormatError):
        facts, table = _describe_diagrams(read_diagrams(path))
        return {**facts, "classes": classes}, f"{table}{listed}"
    of_what = f" of {holds}" if holds else ""
    facts = {
        "kind": "arrays",
        "summary": f"{plural(len(arrays), 'array')}{of_what}",
        "arrays": {
            name: {"dtype": str(dtype), "shape": list(shape)}
            for name, (dtype, shape) in arrays.items()
        },
        "classes": classes,
    }
    rows = [("array", "type", "shape")]
    for name, (dtype, shape) in arrays.items():
        rows.append((name, str(dtype), " x ".join(map(str, shape)) or "one"))
    return facts, f"{aligned(rows, left=(0, 1, 2))}{listed}"


def _is_list(arrays: dict[str, Any], name: str, kinds: str) -> bool:
    """Return whether an array is there, of one axis and of one of some kinds."""
    dtype, shape = arrays.get(name, (None, ()))
    return len(shape) == 1 and dtype.kind in kinds


def _describe_results(path: Path) -> Found:
    from pbow.experiment import Folder, progress  # noqa: PLC0415

    folder = Folder(path)
    declared, runs = folder.read_declaration(), folder.read()
    cells = progress(declared, runs)
    facts = {
        "kind": "results",
        "summary": f"results of {declared.title}",
        "title": declared.title,
        "runs": len(runs),
        "cells": cells.to_dict("records"),
    }
    rows = [("data set", "descriptor", "runs", "complete")]
    for cell in cells.itertuples():
        done = f"{cell.done} of {cell.planned}"
        complete = "yes" if cell.complete else "no"
        rows.append((cell.dataset, cell.descriptor, done, complete))
    return facts, aligned(rows, left=(0, 1))
