"""Compare settings and descriptors over all data sets; docs/defaults.md discusses them.

``python -m experiments.choose_defaults`` measures what results/defaults does not have
yet, and writes the tables of that folder, which the page includes.
"""

from itertools import product
from pathlib import Path
from typing import Any

import click
import pandas as pd
from experiments.compare import Part, compare, corrected_error
from sklearn.kernel_approximation import AdditiveChi2Sampler
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import StandardScaler

from pbow import PersistenceBoW, StablePersistenceBoW, vectorizers
from pbow.experiment.external import Atol
from pbow.features import DistanceScaler
from pbow.kernels import SlicedWassersteinKernel

RESULTS = Path(__file__).parent / "results" / "defaults"

# Settings are chosen on these, about 1,000 samples each.
CHOSEN_ON = {
    "geomat-standin": Part(60, 5),
    "reddit-5k": Part(200, 5),
    "synthetic": Part(None, 10),
}
TITLES = {
    "geomat-standin": "GeoMat stand-in",
    "reddit-5k": "Reddit-5k",
    "synthetic": "Shapes (generated)",
    "synthetic-authors-7": "Synthetic, 7 classes",
    "petrosurf3d-standin": "PetroSurf3D stand-in",
    "shape-segmentation-paper": "3D Shape Segm.",
    "reddit-12k": "Reddit-12k",
}
# Finalists run on whole sets; the folds of the surfaces are drawn three times.
WHOLE = dict.fromkeys(TITLES, Part(None, 10))
WHOLE |= dict.fromkeys(("reddit-5k", "reddit-12k"), Part(None, 5))
WHOLE |= {"petrosurf3d-standin": Part(None, 3)}

MACHINES = ["linear", "distance"]  # support vector machines
OTHERS = ["forest", "neighbors"]

SIZES = (10, 30, 100)
# Was not better, and has no code any more; its rows are kept.
REJECTED = None
BEFORE = StablePersistenceBoW(50, temperature=1.0)
CERTIFIED_BEFORE = StablePersistenceBoW(
    50, temperature=1.0, scale="peak", point_weight="ramp", normalize=None
)
STATISTICS = make_pipeline(vectorizers.PersistenceStatistics(), StandardScaler())


def words(**params: Any) -> StablePersistenceBoW:
    """Return sPBoW at three resolutions, with temperature 2 unless it is given."""
    return StablePersistenceBoW(SIZES, **{"temperature": 2.0} | params)


def certified(**params: Any) -> StablePersistenceBoW:
    """Return a setting with a proven constant."""
    settings = {"covariance": "tied", "temperature": 1.5}
    return words(**settings | {"quantiles": (None, 0.1)} | params)


def with_statistics(words: StablePersistenceBoW) -> Any:
    """Return words and statistics side by side, as blocks of equal weight."""
    return make_union(
        make_pipeline(words, DistanceScaler()),
        make_pipeline(STATISTICS, DistanceScaler()),
    )


SETTINGS = {
    "sPBoW, 50 words": BEFORE,
    "sPBoW, 100 words": StablePersistenceBoW(100, temperature=1.0),
    "sPBoW, 100 words, t = 2": StablePersistenceBoW(100, temperature=2.0),
    **{
        f"sPBoW, 10 + 30 + 100, t = {t:g}": words(temperature=t)
        for t in (1.0, 1.5, 2.0, 3.0)
    },
    "sPBoW, 5 + 15 + 50, t = 2": StablePersistenceBoW((5, 15, 50), temperature=2.0),
    "… full covariances": words(covariance="full"),
    "… tied covariances": words(covariance="tied"),
    "… tied covariances, learnt by EM": REJECTED,
    "… words from persistent points (`weighting='ramp'`)": words(weighting="ramp"),
    "… (birth, log persistence)": REJECTED,
    "… temperatures 1 and 3 side by side": make_union(
        words(temperature=1.0), words(temperature=3.0)
    ),
    "… words per label": REJECTED,
    "… words weighted by labels": REJECTED,
    "… χ² map instead of roots": make_pipeline(
        words(normalize=None), AdditiveChi2Sampler()
    ),
    "… with statistics": with_statistics(words()),
    "PBoW, 50 words": PersistenceBoW(50),
    "PBoW, 100 words": PersistenceBoW(100),
    "PBoW, 10 + 30 + 100": PersistenceBoW(SIZES),
    "VLAD": vectorizers.PersistenceVLAD(),
    "soft VLAD": vectorizers.SoftPersistenceVLAD(),
    "Fisher vectors": vectorizers.PersistenceFisherVector(),
    "certified before (peak, ramp)": CERTIFIED_BEFORE,
    "certified: squared ramp, roots": certified(point_weight="squared-ramp"),
    "certified: squared ramp to the median, roots": certified(
        point_weight="squared-ramp", quantiles=(None, 0.5)
    ),
    "certified: ramp, smooth roots": certified(
        point_weight="ramp", normalize="smooth-sqrt"
    ),
    "PersistenceStatistics": STATISTICS,
    "PersistenceImage": vectorizers.PersistenceImage(),
    "Atol (GUDHI), 100 centers": make_pipeline(Atol(100), StandardScaler()),
}
FINALISTS = {
    "sPBoW, 50 words (before)": BEFORE,
    "sPBoW": StablePersistenceBoW(),
    "sPBoW with statistics": with_statistics(StablePersistenceBoW()),
    "PBoW, 50 words (before)": PersistenceBoW(50),
    "PBoW": PersistenceBoW(),
    "certified, before": CERTIFIED_BEFORE,
    "certified": StablePersistenceBoW.certified(),
    "PersistenceStatistics": STATISTICS,
    "PersistenceImage": vectorizers.PersistenceImage(),
    "Atol (GUDHI), 100 centers": make_pipeline(Atol(100), StandardScaler()),
}
# All pairs of the large sets would take hours.
PAIRWISE = {"sliced Wasserstein distances": SlicedWassersteinKernel()}
SMALL = {name: part for name, part in WHOLE.items() if not name.startswith("reddit")}
# Of which two are compared on the same splits.
PAIRS = {
    "sPBoW": "sPBoW, 50 words (before)",
    "PBoW": "PBoW, 50 words (before)",
    "certified": "certified, before",
}


@click.command()
@click.option("--jobs", default=2, show_default=True, help="Processes.")
def main(jobs: int) -> None:
    """Measure what is missing, then write the tables."""
    settings = {name: made for name, made in SETTINGS.items() if made is not REJECTED}
    compare(CHOSEN_ON, settings, MACHINES, RESULTS / "settings.csv", jobs)
    path = RESULTS / "finalists.csv"
    compare(WHOLE, FINALISTS, MACHINES, path, jobs)
    compare(SMALL, PAIRWISE, ["distance"], path, jobs)
    compare(WHOLE, FINALISTS, OTHERS, path, jobs)
    for name, text in tables().items():
        (RESULTS / name).write_text(text, encoding="utf-8")


def tables() -> dict[str, str]:
    """Return the tables in Markdown, made of the measured rows, by file name."""
    settings = pd.read_csv(RESULTS / "settings.csv")
    finalists = pd.read_csv(RESULTS / "finalists.csv")
    made = {
        "settings.md": accuracies(settings, MACHINES, list(SETTINGS)),
        "finalists.md": accuracies(finalists, MACHINES, [*FINALISTS, *PAIRWISE]),
        "others.md": accuracies(finalists, OTHERS, list(FINALISTS)),
        "errors.md": errors(finalists, of_differences=False),
        "differences.md": errors(finalists, of_differences=True),
    }
    return {name: table.to_markdown() + "\n" for name, table in made.items()}


def accuracies(
    rows: pd.DataFrame, classifiers: list[str], order: list[str]
) -> pd.DataFrame:
    """Return mean accuracies, those of the classifiers side by side in a cell."""
    means = rows.pivot_table(
        index="descriptor", columns=["data set", "classifier"], values="accuracy"
    )
    cells = means.reindex(order).map("{:.1f}".format).replace("nan", "-")
    table = {
        title: cells[name][classifiers].agg(" / ".join, axis=1)
        for name, title in TITLES.items()
        if name in cells
    }
    return pd.DataFrame(table).rename_axis(None)


def errors(rows: pd.DataFrame, *, of_differences: bool) -> pd.DataFrame:
    """Return means of new settings, or of new minus old, with corrected errors."""
    table: dict[str, dict[str, str]] = {}
    for (new, old), classifier in product(PAIRS.items(), MACHINES):
        table[f"{new}, {classifier}"] = cells = {}
        for name, title in TITLES.items():
            some = rows[(rows["data set"] == name) & (rows["classifier"] == classifier)]
            found = some.pivot(index="split", columns="descriptor", values="accuracy")
            values = found[new] - found[old] if of_differences else found[new]
            error = corrected_error(
                values, some["n_train"].mean(), some["n_test"].mean()
            )
            sign = "+" if of_differences else ""
            cells[title] = f"{values.mean():{sign}.1f} ± {error:.1f}"
    return pd.DataFrame(table).T


if __name__ == "__main__":
    main()
