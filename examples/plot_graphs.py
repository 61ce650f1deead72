"""
Graphs: degrees, and loops that die
===================================

Vertices enter a graph by their degree, those with few neighbors first. Sublevel sets
see loops being born, but never dying. Extended persistence comes back from the top and
gives each of them a death.
"""

# %%
# Three kinds of graphs with as many vertices and about as many edges: edges anywhere;
# edges between neighbors on a ring, half of them moved; and new vertices that prefer
# those which many others have chosen.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from pbow import PersistenceBoW
from pbow.homology import graph_extended, graph_sublevel
from pbow.plotting import plot_barcode

n_per_class = 30
n_vertices = 40
rng = np.random.default_rng(0)
places = np.arange(n_vertices)


def anywhere():
    return rng.integers(n_vertices, size=(2 * n_vertices, 2))


def ring():
    starts, steps = np.tile(places, 2), np.repeat([1, 2], n_vertices)
    ends = (starts + steps) % n_vertices
    moved = rng.uniform(size=len(ends)) < 0.5
    return np.c_[
        starts, np.where(moved, rng.integers(n_vertices, size=len(ends)), ends)
    ]


def popular():
    edges = [(0, 1), (1, 2), (2, 0)]
    for vertex in places[3:]:
        # An end of an edge: the more edges a vertex has, the likelier.
        chosen = rng.choice(np.ravel(edges), size=2)
        edges.extend((vertex, other) for other in chosen)
    return np.array(edges)


kinds = [anywhere, ring, popular]
graphs = [(kind(), n_vertices) for kind in kinds for _ in range(n_per_class)]
y = np.repeat(np.arange(3), n_per_class)

# %%
# One graph, seen twice
# ---------------------
# Bars with an arrow are essential. Extended persistence has none: a loop (Ext1)
# goes from its lowest to its highest degree.

sublevel, extended = graph_sublevel(graphs, dims=(0, 1)), graph_extended(graphs)
figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
plot_barcode(sublevel[-1], ax=axes[0]).set_title("sublevel sets")
plot_barcode(extended[-1], ax=axes[1]).set_title("extended persistence")
plt.show()

# %%
# What a classifier makes of them
# -------------------------------
# Essential classes are left out, or die at a number above all degrees. Degrees are
# integers, and three words tell them apart.

for name, X, essential in (
    ("sublevel, what dies", sublevel["H0"], "drop"),
    ("sublevel, all", sublevel, float(n_vertices)),
    ("extended", extended[["Ord0", "Ext0", "Ext1"]], "drop"),
):
    bow = PersistenceBoW(n_words=3, essential=essential, random_state=0)
    scores = cross_val_score(make_pipeline(bow, SVC(kernel="linear")), X, y, cv=3)
    print(f"{name:20} {100 * scores.mean():.0f} %")
