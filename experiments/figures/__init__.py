"""The figures of the paper and its supplement, from results of experiments.

``python -m experiments.figures RESULTS_FOLDER`` draws all that the results have.
"""

import json
import re
import tomllib
from pathlib import Path

from experiments.figures import curves, illustrations, labels, times
from experiments.figures.drawing import CannotDraw
from experiments.figures.results import Results
from matplotlib import style

from pbow._utils.files import AnyPath, atomic_write

__all__ = ["draw_figures"]

TEXTS = tomllib.loads(Path(__file__).with_name("captions.toml").read_text("utf-8"))
# In the order of the paper and its supplement.
FIGURES = (
    *(illustrations.pipeline, illustrations.rips_stages, illustrations.shapes),
    *(curves.accuracy_by_codebook_size, labels.class_histograms, labels.confusion),
    *(labels.class_differences, curves.accuracy_against_time, times.time_against_size),
)
# Without a salt, the names inside an SVG are random. A dollar sign in the name of a
# data set begins no formula.
STYLE = {"svg.hashsalt": "pbow", "text.parse_math": False}


def draw_figures(folder: AnyPath) -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    """Draw the figures of an experiment into ``figures`` in its folder of results.

    Return titles and captions by figure, as in ``captions.json``, and why the other
    figures are left out: no such runs, no data, no gudhi. The same results give the
    same bytes.
    """
    results = Results(folder)
    target = Path(folder) / "figures"
    target.mkdir(exist_ok=True)
    captions, left_out = {}, {}
    for draw in FIGURES:
        # Whatever the user's own settings of matplotlib are.
        with style.context(["default", STYLE]):
            try:
                figure, facts, *of = draw(results)
            except (CannotDraw, FileNotFoundError, ImportError) as error:
                left_out[draw.__name__] = str(error)
                continue
            # A data set may be called anything.
            names = (re.sub("[^A-Za-z0-9_-]+", "-", name)[:80] for name in of)
            name = "_".join((draw.__name__, *names))
            captions[name] = {
                key: " ".join(text.format(**facts).split())
                for key, text in TEXTS[draw.__name__].items()
            }
            about = {"Title": captions[name]["title"], "Date": None, "Creator": None}
            files = (("png", 150, {"Software": None}), ("svg", 100, about))
            for kind, dpi, metadata in files:
                with atomic_write(target / f"{name}.{kind}") as file:
                    figure.savefig(file, format=kind, dpi=dpi, metadata=metadata)
    with atomic_write(target / "captions.json") as file:
        file.write(json.dumps(captions, indent=2, ensure_ascii=False).encode() + b"\n")
    return captions, left_out
