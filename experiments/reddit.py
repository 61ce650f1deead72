"""Discussion graphs of Reddit without a neural network: words, distances, boosting.

``python -m experiments.reddit --data reddit-5k`` prints the accuracy of each model in
each of ten folds over all graphs, and writes it to results/reddit/reddit-5k.txt.
"""

import os
import platform
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import click
import numpy as np
import pandas as pd
import scipy
import sklearn
from experiments.reddit_features import Features, Floats, Ints, compute_features
from joblib import Memory
from scipy.linalg import solve
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.svm import SVC

import pbow
from pbow import Diagrams, StablePersistenceBoW
from pbow.errors import FewerWordsWarning
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
@click.option("--cache", type=click.Path(file_okay=False), help="Keeps the features.")
@click.option("--predictions", type=click.Path(), help="CSV, one row per graph.")
def main(data: str, cache: str | None, predictions: str | None) -> None:
    """Classify all graphs of a data set by ten-fold cross-validation."""
    graphs, y = read(data)
    start = time.perf_counter()
    features = Memory(cache, verbose=0).cache(compute_features)(graphs)
    click.echo(f"features: {time.perf_counter() - start:.0f} s", err=True)
    predicted, rows = [], []
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
    for fold, (train, test) in enumerate(folds.split(y, y)):
        start = time.perf_counter()
        labels, chosen = classify(features, y, train, test, seed=fold)
        seconds = {"seconds": round(time.perf_counter() - start)}
        predicted.append(pd.DataFrame(labels, index=test).assign(label=y[test]))
        correct = {n: 100 * float(np.mean(y[test] == labels[n])) for n in labels}
        rows.append({"fold": fold} | correct | chosen | seconds)
        click.echo(rows[-1], err=True)
    table = pd.DataFrame(rows).set_index("fold")
    text = report(data, graphs, table, models=[*correct])
    click.echo(text)
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / f"{data}.txt").write_text(text, encoding="utf-8")
    if predictions is not None:
        pd.concat(predicted).sort_index().to_csv(predictions)


def read(data: str) -> tuple[Graphs, Ints]:
    """Return the graphs of a data set, and the label of each."""
    path = Path(os.environ.get("PBOW_DATA", ""), f"{FILES[data]}.npz")
    if not path.is_file():
        msg = f"Expected {path.name} in the data folder: set PBOW_DATA to it."
        raise click.ClickException(msg)
    with np.load(path, allow_pickle=False) as arrays:
        flat = [arrays[name] for name in ("edges", "offsets", "num_nodes")]
        return Graphs(*flat), arrays["labels"].astype(np.int64)


def report(data: str, graphs: Graphs, table: pd.DataFrame, models: list[str]) -> str:
    """Return the protocol, the table of folds, and means with standard deviations."""
    summary = table[models].agg(["mean", "std"])
    versions = {
        "Python": platform.python_version(),
        "pbow": pbow.__version__,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
    }
    return "\n".join(
        [
            f"{data}: {len(graphs)} graphs, {graphs.num_nodes.sum()} vertices",
            "",
            PROTOCOL,
            "Accuracy (%), then what was chosen",
            "",
            table.to_string(float_format="{:g}".format, formatters=_two_digits(models)),
            "",
            summary.to_string(float_format="{:.2f}".format),
            "",
            ", ".join(f"{name} {version}" for name, version in versions.items()),
            "",
        ]
    )


def _two_digits(names: list[str]) -> dict[str, Callable[[float], str]]:
    return dict.fromkeys(names, "{:.2f}".format)


def classify(
    features: Features, y: Ints, train: Ints, test: Ints, seed: int
) -> tuple[dict[str, Ints], dict[str, float]]:
    """Return the labels that each model gives the test set, and what was chosen."""
    blocks = [
        block
        for X in (features.persistence, features.clouds)
        for block in word_blocks(X, train, test, seed)
    ]
    parts = features.persistence.parts
    ends = {
        "four": sum(not part.startswith("depth") for part in parts),
        "depth": len(parts),
        "words": len(blocks),
    }
    labels: dict[str, Ints] = {}
    chosen: dict[str, float] = {}
    for name, end in ends.items():
        H, H_test = (np.hstack(rows) for rows in zip(*blocks[:end], strict=True))
        K, K_test = distance_kernel(H, H), distance_kernel(H_test, H)
        size = -np.mean(K)
        K /= size
        K_test /= size
        C = choose(C_VALUES, predict_svm, K, y[train], seed)
        chosen[f"C {name}"] = C
        labels[name] = predict_svm(K, y[train], K_test, C)
    # As in centered_distance_kernel, with the mean of the training rows as its origin.
    norms, norms_test = (np.linalg.norm(rows, axis=1) / size for rows in (H, H_test))
    K += norms + norms[:, np.newaxis]
    K_test += norms + norms_test[:, np.newaxis]
    penalty = choose(PENALTIES, predict_ridge, K, y[train], seed)
    chosen["penalty"] = penalty
    shares = fit_ridge(K, y[train], K_test, penalty)
    boosting = HistGradientBoostingClassifier(**BOOSTING, random_state=seed)
    boosting.fit(features.statistics[train], y[train])
    probabilities = boosting.predict_proba(features.statistics[test])
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
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FewerWordsWarning)
            H = scaler.fit_transform(words.fit_transform(X[part][train]))
        blocks.append((H, scaler.transform(words.transform(X[part][test]))))
    return blocks


def choose(
    values: tuple[float, ...],
    predict: Callable[[Floats, Ints, Floats, float], Ints],
    K: Floats,
    y: Ints,
    seed: int,
) -> float:
    """Return the first value with the best accuracy over inner folds."""
    rows = np.arange(len(y))
    if len(y) > MOST_ROWS:
        rows, _ = train_test_split(
            rows, train_size=MOST_ROWS, stratify=y, random_state=seed
        )
    folds = StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=seed)
    right = dict.fromkeys(values, 0)
    for kept, held_out in folds.split(rows, y[rows]):
        fit, check = rows[kept], rows[held_out]
        K_fit, K_check = K[np.ix_(fit, fit)], K[np.ix_(check, fit)]
        for value in values:
            right[value] += np.sum(predict(K_fit, y[fit], K_check, value) == y[check])
    return max(right, key=right.__getitem__)


def predict_svm(K: Floats, y: Ints, K_test: Floats, C: float) -> Ints:
    """Return the labels that a support vector machine gives."""
    machine = SVC(kernel="precomputed", C=C, cache_size=1000).fit(K, y)
    labels: Ints = machine.predict(K_test)
    return labels


def predict_ridge(K: Floats, y: Ints, K_test: Floats, penalty: float) -> Ints:
    """Return the labels that kernel ridge regression gives."""
    return fit_ridge(K, y, K_test, penalty).argmax(axis=1)


def fit_ridge(K: Floats, y: Ints, K_test: Floats, penalty: float) -> Floats:
    """Return the indicators of labels as kernel ridge regression predicts them."""
    Y = np.eye(y.max() + 1)[y]
    mean = Y.mean(axis=0)
    penalized = K + penalty * np.eye(len(K))
    shares: Floats = K_test @ solve(
        penalized, Y - mean, assume_a="pos", overwrite_a=True
    )
    return shares + mean


if __name__ == "__main__":
    main()
