"""Discussion graphs of Reddit without a neural network: words, distances, boosting.

``python -m experiments.reddit --data reddit-5k`` prints the accuracy of each model in
each of ten folds over all graphs, and writes it to results/reddit/reddit-5k.txt.
"""

import time
import warnings
from pathlib import Path
from typing import Any, Self

import click
import numpy as np
import pandas as pd
from experiments.reddit_features import FILTRATIONS, Floats, Ints, compute_features
from sklearn.base import ClassifierMixin, clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.svm import SVC

from pbow import Diagrams, StablePersistenceBoW
from pbow.datasets.sources import find_files, plain, search_folders
from pbow.errors import FewerWordsWarning
from pbow.experiment.environment import versions
from pbow.features import DistanceScaler, distance_kernel
from pbow.homology import Graphs

RESULTS = Path(__file__).parent / "results" / "reddit"
FILES = {"reddit-5k": "graphs_REDDIT_MULTI_5K", "reddit-12k": "graphs_REDDIT_MULTI_12K"}

N_FOLDS = 10
C_VALUES = (0.3, 1.0, 3.0, 10.0)
PENALTIES = (0.5, 1.0, 2.0)
# C and the penalty are chosen on at most this many training graphs.
MOST_ROWS = 3000
INNER_FOLDS = 3
BOOSTING = {
    "learning_rate": 0.04,
    "max_iter": 160,
    "max_leaf_nodes": 8,
    "max_features": 0.15,
    "l2_regularization": 5.0,
}

PROTOCOL = f"""\
{N_FOLDS} stratified folds over all graphs, shuffled with seed 0. Words, scales, C and
the penalty are learnt on the training set of a fold; C from {C_VALUES}
and the penalty from {PENALTIES} by {INNER_FOLDS} folds on {MOST_ROWS} graphs of it.

four      SVM on distances between wide words of extended persistence: degree,
          neighbors, return and rank, 16 parts
depth     the same with the depth, 19 parts
words     the same with words of vertices and edges, 32 parts
boosting  gradient boosting on statistics of graphs, without persistence
average   mean of boosting and of kernel ridge regression on the distances of 'words'

What was explored before: 'four' is the recipe of a prototype; it was run on these ten
folds before the other models were added. Functions, parts, statistics and the settings
of boosting were compared on 3,000 to 3,500 graphs of the training set of fold 0, by
five folds. These graphs are in the test sets of folds 1 to 9.
"""


@click.command()
@click.option("--data", type=click.Choice([*FILES]), default="reddit-5k")
def main(data: str) -> None:
    """Classify all graphs of a data set by ten-fold cross-validation."""
    graphs, y = read(data)
    X, statistics = compute_features(graphs)
    rows = []
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
    for fold, (train, test) in enumerate(folds.split(y, y)):
        start = time.perf_counter()
        labels, chosen = classify(X, statistics, y, train, test, seed=fold)
        seconds = {"seconds": round(time.perf_counter() - start)}
        correct = {n: 100 * float(np.mean(y[test] == labels[n])) for n in labels}
        rows.append({"fold": fold} | correct | chosen | seconds)
        click.echo(rows[-1], err=True)
    table = pd.DataFrame(rows).set_index("fold")
    two_digits = dict.fromkeys(correct, "{:.2f}".format)
    parts = [
        f"{data}: {len(graphs)} graphs, {graphs.num_nodes.sum()} vertices",
        f"{PROTOCOL}\nAccuracy (%), then what was chosen",
        table.to_string(float_format="{:g}".format, formatters=two_digits),
        table[[*correct]].agg(["mean", "std"]).to_string(float_format="{:.2f}".format),
        versions(),
    ]
    text = "\n\n".join(parts) + "\n"
    click.echo(text)
    (RESULTS / f"{data}.txt").write_text(text, encoding="utf-8")


def read(data: str) -> tuple[Graphs, Ints]:
    """Return the graphs of a data set, and the label of each."""
    path = find_files(search_folders(None)).get(plain(FILES[data]))
    if path is None:
        msg = f"Expected {FILES[data]}.npz in the data folder: set PBOW_DATA to it."
        raise click.ClickException(msg)
    with np.load(path, allow_pickle=False) as arrays:
        flat = [arrays[name] for name in ("edges", "offsets", "num_nodes")]
        return Graphs(*flat), arrays["labels"].astype(np.int64)


def classify(
    X: Diagrams, statistics: Floats, y: Ints, train: Ints, test: Ints, seed: int
) -> tuple[dict[str, Ints], dict[str, float]]:
    """Return the labels that each model gives the test set, and what was chosen."""
    blocks = word_blocks(X, train, test, seed)
    n_parts = sum(map(len, FILTRATIONS.values()))
    n_four = n_parts - len(FILTRATIONS["depth"])
    ends = {"four": n_four, "depth": n_parts, "words": len(blocks)}
    labels: dict[str, Ints] = {}
    chosen: dict[str, float] = {}
    for name, end in ends.items():
        H, H_test = (np.hstack(rows) for rows in zip(*blocks[:end], strict=True))
        K, K_test = distance_kernel(H, H), distance_kernel(H_test, H)
        size = -np.mean(K)
        K /= size
        K_test /= size
        svm = SVC(kernel="precomputed", cache_size=1000)
        svm = choose(svm, {"C": C_VALUES}, K, y[train], seed)
        chosen[f"C {name}"], labels[name] = svm.C, svm.predict(K_test)
    # As in centered_distance_kernel, with the mean of the training rows as its origin.
    norms, norms_test = (np.linalg.norm(rows, axis=1) / size for rows in (H, H_test))
    K += norms + norms[:, np.newaxis]
    K_test += norms + norms_test[:, np.newaxis]
    ridge = RidgeClassifier(kernel="precomputed")
    ridge = choose(ridge, {"alpha": PENALTIES}, K, y[train], seed)
    chosen["penalty"], shares = ridge.alpha, ridge.predict_indicators(K_test)
    boosting = HistGradientBoostingClassifier(**BOOSTING, random_state=seed)
    boosting.fit(statistics[train], y[train])
    probabilities = boosting.predict_proba(statistics[test])
    labels["boosting"] = probabilities.argmax(axis=1)
    labels["average"] = (shares + probabilities).argmax(axis=1)
    return labels, chosen


def word_blocks(
    X: Diagrams, train: Ints, test: Ints, seed: int
) -> list[tuple[Floats, Floats]]:
    """Return wide words of each part; all parts weigh the same in distances."""
    blocks = []
    for part in X.parts:
        words = StablePersistenceBoW((5, 15, 40), temperature=2.0, random_state=seed)
        scaler = DistanceScaler()
        with warnings.catch_warnings(action="ignore", category=FewerWordsWarning):
            H = scaler.fit_transform(words.fit_transform(X[part][train]))
        blocks.append((H, scaler.transform(words.transform(X[part][test]))))
    return blocks


def choose(model: Any, values: dict[str, Any], K: Floats, y: Ints, seed: int) -> Any:
    """Return the model, fitted, with the value that is best over inner folds."""
    rows = np.arange(len(y))
    if len(y) > MOST_ROWS:
        rows, _ = train_test_split(
            rows, train_size=MOST_ROWS, stratify=y, random_state=seed
        )
    folds = StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=seed)
    search = GridSearchCV(model, values, cv=folds, refit=False)
    search.fit(K[np.ix_(rows, rows)], y[rows])
    return clone(model).set_params(**search.best_params_).fit(K, y)


class RidgeClassifier(ClassifierMixin, KernelRidge):
    """Kernel ridge regression of the indicators of labels."""

    def fit(self, K: Floats, y: Ints) -> Self:
        """Learn the indicators, each minus its mean."""
        Y = np.eye(y.max() + 1)[y]
        self.mean_ = Y.mean(axis=0)
        return super().fit(K, Y - self.mean_)

    def predict_indicators(self, K: Floats) -> Floats:
        """Return what is learnt of each label."""
        return super().predict(K) + self.mean_

    def predict(self, K: Floats) -> Ints:
        """Return the labels with the largest indicators."""
        return self.predict_indicators(K).argmax(axis=1)


if __name__ == "__main__":
    main()
