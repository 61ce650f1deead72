"""Discussion graphs of Reddit by extended persistence and wide words.

``python -m experiments.reddit --data reddit-5k`` prints the accuracy in each of ten
folds over all graphs, and writes it to results/reddit/reddit-5k.txt.
"""

import os
import platform
import time
import warnings
from pathlib import Path

import click
import numpy as np
import scipy
import sklearn
from joblib import Memory
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.svm import SVC

import pbow
from pbow import Diagrams, StablePersistenceBoW
from pbow.errors import FewerWordsWarning
from pbow.features import DistanceScaler, distance_kernel
from pbow.homology import Graphs, graph_extended

RESULTS = Path(__file__).parent / "results" / "reddit"
FILES = {"reddit-5k": "graphs_REDDIT_MULTI_5K", "reddit-12k": "graphs_REDDIT_MULTI_12K"}

N_FOLDS = 10
C_VALUES = (0.3, 1.0, 3.0, 10.0)
# C is chosen on at most this many training graphs, by this many folds.
MOST_ROWS = 3000
INNER_FOLDS = 3
# Values of vertices that a symmetry exchanges differ in the last digits; those would
# give points next to the diagonal.
DECIMALS = 9
DAMPING = 0.85
N_ROUNDS = 15

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@click.command()
@click.option("--data", type=click.Choice([*FILES]), default="reddit-5k")
@click.option("--cache", type=click.Path(file_okay=False), help="Keeps diagrams.")
def main(data: str, cache: str | None) -> None:
    """Classify all graphs of a data set by ten-fold cross-validation."""
    graphs, y = read(data)
    start = time.perf_counter()
    X = Memory(cache, verbose=0).cache(compute_diagrams)(graphs)
    lines = [*describe(data, X), f"diagrams: {time.perf_counter() - start:.0f} s", ""]
    lines.append("fold  accuracy (%)     C  seconds")
    click.echo("\n".join(lines))
    scores = []
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
    for fold, (train, test) in enumerate(folds.split(y, y)):
        start = time.perf_counter()
        accuracy, C = classify(X, y, train, test, seed=fold)
        scores.append(accuracy)
        seconds = time.perf_counter() - start
        lines.append(f"{fold:4}  {accuracy:12.2f}  {C:4g}  {seconds:7.0f}")
        click.echo(lines[-1])
    mean, deviation = np.mean(scores), np.std(scores, ddof=1)
    lines.append(f"mean {mean:.2f}, standard deviation over folds {deviation:.2f}")
    click.echo(lines[-1])
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{data}.txt"
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")


def read(data: str) -> tuple[Graphs, Ints]:
    """Return the graphs of a data set, and the label of each."""
    path = Path(os.environ.get("PBOW_DATA", ""), f"{FILES[data]}.npz")
    if not path.is_file():
        msg = f"Expected {path.name} in the data folder: set PBOW_DATA to it."
        raise click.ClickException(msg)
    with np.load(path, allow_pickle=False) as arrays:
        flat = [arrays[name] for name in ("edges", "offsets", "num_nodes")]
        return Graphs(*flat), arrays["labels"].astype(np.int64)


def describe(data: str, X: Diagrams) -> list[str]:
    """Return what is measured, and with which versions."""
    versions = {
        "Python": platform.python_version(),
        "pbow": pbow.__version__,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
    }
    return [
        f"{data}: {len(X)} graphs, {len(X.parts)} parts",
        f"{N_FOLDS} stratified folds, shuffled by seed 0; all that is learnt is learnt "
        "on the other nine.",
        f"C by {INNER_FOLDS} folds on {MOST_ROWS} graphs of the training set.",
        ", ".join(f"{name} {version}" for name, version in versions.items()),
    ]


def compute_diagrams(graphs: Graphs) -> Diagrams:
    """Return the extended persistence of every vertex function: four parts of each."""
    ends = np.cumsum(graphs.num_nodes)[:-1]
    return Diagrams.from_parts(
        {
            f"{name} {part}": X[part]
            for name, values in vertex_functions(graphs).items()
            for X in [graph_extended(graphs, np.split(values, ends))]
            for part in X.parts
        }
    )


def vertex_functions(graphs: Graphs) -> dict[str, Floats]:
    """Return functions of the vertices of all graphs, one after another.

    The logarithm of 1 + degree; its mean over the neighbors; the logarithm of the
    probability that a random walk is back after two steps; and that of PageRank.
    """
    A, sizes = adjacency(graphs), np.repeat(graphs.num_nodes, graphs.num_nodes)
    degrees = np.diff(A.indptr)
    # A vertex without neighbors has sums of 0.
    divisors = np.maximum(degrees, 1)
    returns = np.where(degrees, A @ (1.0 / divisors) / divisors, 1.0)
    rank = 1.0 / sizes
    for _ in range(N_ROUNDS):
        rank = (1.0 - DAMPING) / sizes + DAMPING * (A @ (rank / divisors))
    functions = {
        "degree": np.log1p(degrees),
        "neighbors": A @ np.log1p(degrees) / divisors,
        "return": np.log(returns),
        "rank": np.log(rank),
    }
    return {name: values.round(DECIMALS) for name, values in functions.items()}


def adjacency(graphs: Graphs) -> csr_array:
    """Return one matrix with all graphs on its diagonal."""
    ends = np.cumsum(graphs.num_nodes)
    first = np.repeat(ends - graphs.num_nodes, np.diff(graphs.offsets))
    i, j = (graphs.edges + first[:, np.newaxis]).T
    places = np.concatenate((i, j)), np.concatenate((j, i))
    return csr_array((np.ones(2 * len(i)), places), shape=(ends[-1], ends[-1]))


def classify(
    X: Diagrams, y: Ints, train: Ints, test: Ints, seed: int
) -> tuple[float, float]:
    """Return the accuracy on the test set in percent, and C."""
    H, H_test = encode(X, train, test, seed)
    K, K_test = distance_kernel(H, H), distance_kernel(H_test, H)
    size = -np.mean(K)
    K /= size
    K_test /= size
    C = choose_c(K, y[train], seed)
    return 100 * fit_svm(K, y[train], C).score(K_test, y[test]), C


def encode(X: Diagrams, train: Ints, test: Ints, seed: int) -> tuple[Floats, Floats]:
    """Return wide words of each part; all parts weigh the same in distances."""
    blocks = []
    for part in X.parts:
        words = StablePersistenceBoW((5, 15, 40), temperature=2.0, random_state=seed)
        scaler = DistanceScaler()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FewerWordsWarning)
            H = scaler.fit_transform(words.fit_transform(X[part][train]))
        blocks.append((H, scaler.transform(words.transform(X[part][test]))))
    H, H_test = (np.hstack(columns) for columns in zip(*blocks, strict=True))
    return H, H_test


def choose_c(K: Floats, y: Ints, seed: int) -> float:
    """Return the first C with the best accuracy over inner folds."""
    rows = np.arange(len(y))
    if len(y) > MOST_ROWS:
        rows, _ = train_test_split(
            rows, train_size=MOST_ROWS, stratify=y, random_state=seed
        )
    folds = StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=seed)
    right = dict.fromkeys(C_VALUES, 0.0)
    for kept, held_out in folds.split(rows, y[rows]):
        fit, check = rows[kept], rows[held_out]
        K_fit, K_check = K[np.ix_(fit, fit)], K[np.ix_(check, fit)]
        for C in C_VALUES:
            predicted = fit_svm(K_fit, y[fit], C).predict(K_check)
            right[C] += np.sum(predicted == y[check])
    return max(right, key=right.__getitem__)


def fit_svm(K: Floats, y: Ints, C: float) -> SVC:
    """Fit a support vector machine to a kernel matrix."""
    return SVC(kernel="precomputed", C=C, cache_size=1000).fit(K, y)


if __name__ == "__main__":
    main()
