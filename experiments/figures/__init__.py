"""The figures of the paper and its supplement, from results of experiments.

``python -m experiments.figures RESULTS_FOLDER`` draws all that the results have.
"""

import json
import re
import tomllib
from pathlib import Path

from matplotlib import style

from experiments.figures.curves import accuracy_against_time, accuracy_by_codebook_size
from experiments.figures.drawing import CannotDraw
from experiments.figures.illustrations import pipeline, rips_stages, shapes
from experiments.figures.labels import class_differences, class_histograms, confusion
from experiments.figures.results import Results
from experiments.figures.times import time_against_size
from pbow._utils.files import AnyPath, atomic_write

__all__ = ["draw_figures"]

TEXTS = tomllib.loads(Path(__file__).with_name("captions.toml").read_text("utf-8"))
# In the order of the paper and its supplement.
FIGURES = (
    *(pipeline, rips_stages, shapes, accuracy_by_codebook_size, class_histograms),
    *(confusion, class_differences, accuracy_against_time, time_against_size),
)
# Without a salt, the names inside an SVG are random. A dollar sign in the name of a
# data set begins no formula.
STYLE = {"svg.hashsalt": "pbow", "text.parse_math": False}


def draw_figures(
    folder: AnyPath, *, data_home: AnyPath | None = None
) -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    """Draw the figures of an experiment into ``figures`` in its folder of results.

    Each is written as PNG and as SVG. The same results give the same bytes.

    Parameters
    ----------
    folder : str or path-like
        Folder of results, as :func:`pbow.experiment.run_experiment` writes it.
    data_home : str or path-like, optional
        Folder of the data sets; by default the one that the variable PBOW_DATA names.

    Returns
    -------
    captions : dict of str to dict
        Title and caption of each figure by its name, as in ``captions.json``.
    left_out : dict of str to str
        Why others cannot be drawn: no such runs, no data, no gudhi.
    """
    results = Results(folder, data_home)
    target = Path(folder) / "figures"
    target.mkdir(exist_ok=True)
    captions, left_out = {}, {}
    for make in FIGURES:
        name = make.__name__
        # Whatever the user's own settings of matplotlib are.
        with style.context(["default", STYLE]):
            try:
                made = make(results)
            except (CannotDraw, FileNotFoundError, ImportError) as error:
                left_out[name] = str(error)
                continue
            title = results.titles.get(made.dataset)
            texts = {
                key: " ".join(text.format(dataset=title, **made.numbers).split())
                for key, text in TEXTS[name].items()
            }
            if "{dataset}" in TEXTS[name]["title"] and made.is_named_after:
                ...
    return captions, left_out
