"""What of the Reddit diagrams the accuracy depends on: one change at a time.

The paper took diagrams that Hofer et al. had published, 513 graphs per label of
Reddit-12k; ours are computed from the graphs, and which graphs were drawn is not known.
Every row starts from the recipe of EXP-B and changes one step: which graphs are drawn,
the threshold of persistence, the scaling of degrees, what becomes of essential points,
or the coordinates of the words. PBoW and PI are evaluated as in EXP-B, at the paper's
optima and with the classifier on distances. ``python -m experiments.reddit_variants``
writes ``variants.csv`` and ``variants.md`` into ``results/reddit``.
"""

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from experiments.reddit import RESULTS, read
from experiments.verdicts import CLASSIFIER
from joblib import Parallel, delayed

from pbow import Diagrams
from pbow.datasets import normalize_graph_diagrams
from pbow.datasets.drawing import FOR_SAMPLES, draw_per_class
from pbow.datasets.splits import make_splits
from pbow.errors import FewerWordsWarning
from pbow.evaluation import Search, evaluate_split
from pbow.experiment import read_experiment
from pbow.experiment.descriptors import make_descriptor
from pbow.experiment.tables import spread
from pbow.homology import graph_sublevel

EXP_B = read_experiment(Path(__file__).with_name("exp_b.toml"))
CELLS = {cell.name: cell for cell in EXP_B.cells}
METHODS = ("PBoW", "PI")
PROTOCOL = "90/10"
# As normalize_graph_diagrams has it.
MIN_PERSISTENCE = 0.01

PER_LABEL = {"reddit-5k": None, "reddit-12k": 513}
OTHER_DRAWS = (1, 2, 3)


class Variant(NamedTuple):
    """Diagrams, their labels, and which methods see them with which parameters."""

    title: str
    diagrams: Diagrams
    labels: np.ndarray
    methods: tuple[str, ...] = METHODS
    params: dict[str, Any] = {}  # noqa: RUF012 - never changed


def main() -> None:
    """Measure all variants, and write both files."""
    jobs = (
        delayed(measure)(name, variant, method)
        for name in PER_LABEL
        for variant in read_variants(name)
        for method in variant.methods
    )
    frame = pd.DataFrame([row for rows in Parallel(2)(jobs) for row in rows])
    frame.to_csv(RESULTS / "variants.csv", index=False, lineterminator="\n")
    (RESULTS / "variants.md").write_text(to_markdown(frame), encoding="utf-8")


def read_variants(name: str) -> Iterator[Variant]:
    """Give the diagrams of EXP-B, and others that differ in one step each."""
    graphs, labels = read(name)
    X, n = graph_sublevel(graphs, "degree", dims=0), PER_LABEL[name]
    if n is None:
        yield from variants_of(X, labels)
        return

    def draw(seed: int) -> np.ndarray:
        n_labels = labels.max() + 1
        return draw_per_class(labels, n_labels, n, seed=seed, purpose=FOR_SAMPLES)

    yield from variants_of(X[draw(0)], labels[draw(0)])
    normalized = normalize_graph_diagrams(X)
    for seed in OTHER_DRAWS:
        title = f"another draw of {n} graphs per label (seed {seed})"
        yield Variant(title, normalized[draw(seed)], labels[draw(seed)])
    yield Variant(f"all {len(X):,} graphs", normalized, labels)


def variants_of(X: Diagrams, labels: np.ndarray) -> Iterator[Variant]:
    """Give the variants of the same graphs.

    X is by degree, neither scaled nor filtered, with essential points.
    """
    normalized = normalize_graph_diagrams(X, min_persistence=MIN_PERSISTENCE)
    yield Variant("as in EXP-B", normalized, labels)
    unfiltered = normalize_graph_diagrams(X, min_persistence=0.0)
    yield Variant("no threshold of persistence", unfiltered, labels)
    yield Variant("degrees neither shifted nor scaled", unscaled(X), labels)
    title = "essential points, which die at the largest finite death, too"
    yield Variant(title, closed(normalized), labels)
    title = "words in whitened coordinates"
    yield Variant(title, normalized, labels, ("PBoW",), {"whiten": True})


def unscaled(X: Diagrams) -> Diagrams:
    """Leave out the points that normalized diagrams leave out, and change nothing."""
    kept = []
    for points in X:
        births, deaths = points.T
        finite = deaths[np.isfinite(deaths)]
        scale = finite.max() - births.min() if len(finite) else 1.0
        kept.append(points[deaths - births > MIN_PERSISTENCE * scale])
    return Diagrams.from_list(kept, name=X.parts[0])


def closed(normalized: Diagrams) -> Diagrams:
    """Let essential points die at 1, the largest finite death of each sample.

    Those that are born later are left out. A sample without a finite death is not
    scaled: there 1 is one degree above the lowest.
    """
    closed = [np.where(np.isinf(points), 1.0, points) for points in normalized]
    kept = [points[points[:, 1] > points[:, 0]] for points in closed]
    return Diagrams.from_list(kept, name=normalized.parts[0])


def measure(name: str, variant: Variant, method: str) -> list[dict[str, object]]:
    """Return the accuracy of one method on each split."""
    cell, asked = CELLS[f"{name}/{method}"], EXP_B.classifier
    search = Search(
        c_values=asked.c_values,
        folds=asked.folds,
        rows=asked.c_rows,
        max_iterations=asked.max_iterations,
    )
    params = cell.descriptor.params | (cell.optimum or {}) | variant.params
    n = EXP_B.n_repetitions(cell.dataset)
    splits = make_splits(
        variant.labels, None, None, PROTOCOL, seed=EXP_B.seed, repetitions=n
    )
    rows = []
    for number, split in enumerate(splits):
        seed = EXP_B.seed + number
        with warnings.catch_warnings(action="ignore", category=FewerWordsWarning):
            found = evaluate_split(
                make_descriptor(cell.descriptor.make, params, seed=seed),
                variant.diagrams,
                variant.labels,
                split,
                (CLASSIFIER,),
                search=search,
                fit_on_all=cell.descriptor.fit_on_all,
                rescale=cell.descriptor.rescale,
                seed=seed,
            )
        accuracy = 100.0 * found.scores[CLASSIFIER].accuracy
        place = {"dataset": name, "variant": variant.title, "method": method}
        rows.append(place | {"split": number, "accuracy": accuracy})
    return rows


def to_markdown(frame: pd.DataFrame) -> str:
    """Return one table per data set: mean ± standard deviation over the splits."""
    cells = frame.groupby(["dataset", "variant", "method"], sort=False).accuracy
    text = cells.agg(lambda found: spread(found.mean(), found.std()))
    parts = []
    for name in frame.dataset.unique():
        table = text[name].unstack("method", sort=False).fillna("")
        papers = [CELLS[f"{name}/{method}"].paper for method in table]
        table.loc["paper"] = [spread(paper.accuracy, paper.std) for paper in papers]
        title = CELLS[f"{name}/{METHODS[0]}"].dataset.title
        parts.append(f"**{title}**\n\n{table.to_markdown(disable_numparse=True)}")
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    main()
