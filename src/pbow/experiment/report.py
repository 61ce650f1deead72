"""One HTML page with the tables and figures of an experiment; it needs no network."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from pbow._utils.files import AnyPath, atomic_write
from pbow._utils.optional import import_optional
from pbow.experiment.declaration import Experiment
from pbow.experiment.tables import readable_tables, remarks, summarize
from pbow.experiment.tasks import Runs

__all__ = ["write_report"]

TEMPLATE = Path(__file__).with_name("report.html.jinja")
CHOICES = (
    *("dataset_title", "descriptor_title", "classifier", "status"),
    *("nested_params", "test_chosen_params"),
)


def write_report(
    experiment: Experiment,
    runs: Runs,
    path: AnyPath,
    *,
    figures: AnyPath | None = None,
) -> None:
    """Write tables, figures and chosen parameters into one page.

    Parameters
    ----------
    experiment : Experiment
        The declaration.
    runs : dict of str to dict
        Finished runs by key.
    path : str or path-like
        The page; it is written atomically.
    figures : str or path-like, optional
        Folder of figures with ``captions.json``, as ``python -m experiments.figures``
        writes it.
    """
    jinja2 = import_optional("jinja2", extra="experiment", purpose="The report")
    template = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    summary = summarize(experiment, runs)
    known = [name for name in CHOICES if name in summary]
    page = template.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        experiment=experiment,
        tables=readable_tables(experiment, runs),
        choices=summary[known].fillna("").astype(str),
        remarks=remarks(experiment, runs),
        figures=[] if figures is None else _figures(Path(figures)),
    )
    with atomic_write(path) as file:
        file.write(page.encode())


def _figures(folder: Path) -> list[dict[str, Any]]:
    captions = folder / "captions.json"
    if not captions.exists():
        return []
    return [
        text
        | {"data": base64.b64encode((folder / f"{name}.png").read_bytes()).decode()}
        for name, text in json.loads(captions.read_text(encoding="utf-8")).items()
    ]
