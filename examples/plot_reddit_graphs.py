"""
Discussion graphs: several filtrations and resolutions
======================================================

In a discussion graph, vertices are users, and an edge means that one user answered the
other. Degrees alone carry little information. Here each graph is filtered by two
functions of its vertices, and each part has wide words at two resolutions.
``experiments/reddit.py`` applies the same method to real data, with more functions.
"""

# %%
# We generate three types of discussions. One user starts; then each newcomer answers
# either the first user, with a given probability, or any other user. Some users answer
# a second time, which closes a loop.

import warnings

import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import shortest_path
from sklearn.decomposition import KernelPCA
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import SVC

from pbow import Diagrams, StablePersistenceBoW
from pbow.errors import FewerWordsWarning
from pbow.features import DistanceScaler, centered_distance_kernel, distance_kernel
from pbow.homology import graph_extended
from pbow.plotting import plot_barcode
from pbow.preprocessing import SelectParts

n_per_class = 40
rng = np.random.default_rng(0)
# Probabilities of answering the first person, and of a second answer.
types = {"question": (0.7, 0.1), "debate": (0.4, 0.4), "chat": (0.4, 0.1)}


def discussion(to_first, again):
    n = rng.integers(20, 80)
    newcomers = np.arange(1, n)
    anybody = rng.integers(newcomers)  # one of those who are there already
    first = np.where(rng.uniform(size=n - 1) < to_first, 0, anybody)
    loops = newcomers[rng.uniform(size=n - 1) < again]
    edges = np.c_[newcomers, first], np.c_[loops, rng.integers(loops)]
    return np.concatenate(edges), int(n)


graphs = [
    discussion(*chances) for chances in types.values() for _ in range(n_per_class)
]
y = np.repeat(list(types), n_per_class)

# %%
# Two filtrations
# ---------------
# Extended persistence needs one value per vertex: the logarithm of its degree, or its
# depth, which is the number of steps to the vertex of highest degree. All points are
# finite.


def log_degree(graph):
    edges, n = graph
    return np.log1p(np.bincount(edges.ravel(), minlength=n))


def depth(graph):
    edges, n = graph
    adjacency = coo_array((np.ones(len(edges)), tuple(edges.T)), shape=(n, n))
    first = np.argmax(log_degree(graph))
    return shortest_path(adjacency, directed=False, unweighted=True, indices=first)


parts = {}
for function in (log_degree, depth):
    X = graph_extended(graphs, function)
    # The depth has one minimum per component, so all its branches point up.
    kept = [part for part in X.parts if X[part].sizes.any()]
    parts |= {f"{function.__name__} {part}": X[part] for part in kept}
X = Diagrams.from_parts(parts)

figure, axes = plt.subplots(1, 3, figsize=(11, 3.5), layout="constrained", sharex=True)
for ax, name in zip(axes, types, strict=True):
    example = X[[part for part in X.parts if "depth" in part]][list(y).index(name)]
    plot_barcode(example, ax=ax).set_title(name)
plt.show()

# %%
# Wide words and distances
# ------------------------
# Each part has its own words at two resolutions, twice as wide as the fitted mixture.
# ``DistanceScaler`` gives all parts equal weight, regardless of their number of points,
# and the support vector machine uses distances between vectors. Functions of small
# graphs have few distinct values, so fewer words are learned, with a warning.


def words_of(names):
    return make_union(
        *(
            make_pipeline(
                SelectParts([name]),
                StablePersistenceBoW((5, 15), temperature=2.0, random_state=0),
                DistanceScaler(),
            )
            for name in names
        )
    )


for name in ("log_degree", "depth", ""):
    names = [part for part in X.parts if part.startswith(name)]
    model = make_pipeline(words_of(names), SVC(kernel=distance_kernel, C=3.0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewerWordsWarning)
        scores = cross_val_score(model, X, y, cv=3)
    print(f"{name or 'both':10} {len(names)} parts: {100 * scores.mean():.0f} %")

# %%
# Kernel PCA of the same distances shows which types overlap and are therefore confused.

with warnings.catch_warnings():
    warnings.simplefilter("ignore", FewerWordsWarning)
    H = words_of(X.parts).fit_transform(X)
K = centered_distance_kernel(H, H)
places = KernelPCA(2, kernel="precomputed").fit_transform(K)
figure, ax = plt.subplots(layout="constrained")
for name, marker in zip(types, "osv", strict=True):
    ax.scatter(*places[y == name].T, marker=marker, label=name)
ax.set(xlabel="component 1", ylabel="component 2")
ax.legend()
plt.show()
