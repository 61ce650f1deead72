"""
Graphs: sublevel and extended persistence
=========================================

The degree of its vertices filters a graph: vertices with few neighbors enter first. In
sublevel set persistence, all loops are essential. Extended persistence adds a pass over
superlevel sets and gives each loop a finite death.
"""

# %%
# We generate three types of graphs with the same number of vertices and about the same
# number of edges: random edges; edges between neighbors on a ring, half of them
# rewired; and preferential attachment.

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


def random_edges():
    return rng.integers(n_vertices, size=(2 * n_vertices, 2))


def rewired_ring():
    starts, steps = np.tile(places, 2), np.repeat([1, 2], n_vertices)
    ends = (starts + steps) % n_vertices
    moved = rng.uniform(size=len(ends)) < 0.5
    return np.c_[
        starts, np.where(moved, rng.integers(n_vertices, size=len(ends)), ends)
    ]


def preferential():
    edges = [(0, 1), (1, 2), (2, 0)]
    for vertex in places[3:]:
        # The probability of a vertex is proportional to its degree.
        chosen = rng.choice(np.ravel(edges), size=2)
        edges.extend((vertex, other) for other in chosen)
    return np.array(edges)


generators = [random_edges, rewired_ring, preferential]
graphs = [(make(), n_vertices) for make in generators for _ in range(n_per_class)]
y = np.repeat(np.arange(3), n_per_class)

# %%
# Barcodes of one graph
# ---------------------
# Bars with an arrow are essential. Extended persistence has none: a loop (Ext1) extends
# from its lowest to its highest degree.

sublevel, extended = graph_sublevel(graphs, dims=(0, 1)), graph_extended(graphs)
figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
plot_barcode(sublevel[-1], ax=axes[0]).set_title("sublevel sets")
plot_barcode(extended[-1], ax=axes[1]).set_title("extended persistence")
plt.show()

# %%
# Classification
# --------------
# Essential classes are removed, or die at a number above all degrees. Degrees are
# integers, so three words are enough.

for name, X, essential in (
    ("sublevel, finite H0", sublevel["H0"], "drop"),
    ("sublevel, all", sublevel, float(n_vertices)),
    ("extended", extended[["Ord0", "Ext0", "Ext1"]], "drop"),
):
    bow = PersistenceBoW(n_words=3, essential=essential, random_state=0)
    scores = cross_val_score(make_pipeline(bow, SVC(kernel="linear")), X, y, cv=3)
    print(f"{name:20} {100 * scores.mean():.0f} %")

# %%
# Back to the graphs
# ------------------
# Which loops tell preferential attachment from the other two? The word that says most
# for it, and of which it has more, is marked in one graph of each type: a loop is born
# at its vertex of the lowest degree (orange) and dies at that of the highest (blue).

from pbow.explain import explain_words, locate_word
from pbow.features import distance_kernel
from pbow.plotting import plot_word_in_graph

names = ["random", "ring", "preferential"]
loops = graph_extended(graphs, return_locations=True)["Ext1"]
bow = PersistenceBoW(n_words=6, random_state=0).fit(loops)
machine = SVC(kernel=distance_kernel, C=10)
explanation = explain_words(bow, machine, loops, np.array(names)[y], cv=3)
print(f"accuracy {100 * explanation.accuracies.mean():.0f}%")
word = explanation.top("preferential", 1, more_points=True)[0]
column = explanation.names.tolist().index(word)
print(f"{word}: from degree {explanation.births[column]:.1f}", end=" ")
print(f"up by {explanation.persistences[column]:.1f}")
figure, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
for label, (name, ax) in enumerate(zip(names, axes, strict=True)):
    i = label * n_per_class
    plot_word_in_graph(bow, graphs[i], loops[i : i + 1], word, ax=ax)
    ax.set_title(f"{name}: {ax.get_title()}")
plt.show()
for label, name in enumerate(names):
    found = locate_word(bow, loops[y == label], word)
    print(f"{name:12} {len(found.points) / np.sum(y == label):.1f} loops per graph")

# %%
# **In one sentence:** graphs that grow by preferential attachment are recognized by
# many loops that lead from vertices with two neighbors to a few hubs.
