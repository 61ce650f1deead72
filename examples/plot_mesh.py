"""
Meshes: geodesic balls on a surface
===================================

A geodesic ball on a surface grows along the edges of the mesh. A loop is born when the
ball has grown around a handle or a limb: early at thin places and late at thick ones.
Each vertex has its own diagram, and words distinguish parts of a shape.
"""

# %%
# We create a torus whose tube is three times as thick on one side as on the other.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans

from pbow import PersistenceBoW
from pbow.homology import mesh_geodesic
from pbow.plotting import plot_diagram

n_around, n_across = 60, 20
around, across = np.divmod(np.arange(n_around * n_across), n_across)
alpha, beta = 2 * np.pi * around / n_around, 2 * np.pi * across / n_across
tube = 0.4 + 0.2 * np.cos(alpha)
from_axis = 2.0 + tube * np.cos(beta)
vertices = np.c_[
    from_axis * np.cos(alpha), from_axis * np.sin(alpha), tube * np.sin(beta)
]


def vertex(i, j):
    return i % n_around * n_across + j % n_across


a, b = vertex(around, across), vertex(around + 1, across)
c, d = vertex(around + 1, across + 1), vertex(around, across + 1)
faces = np.vstack([np.c_[a, b, c], np.c_[a, c, d]])

# %%
# Diagrams of two vertices
# ------------------------
# Two loops of the torus are essential (on the dashed line): one goes around the tube
# and one around the hole. The first is born later where the tube is thick.

sources = np.arange(0, len(vertices), 3)
X = mesh_geodesic(vertices, faces, sources)
figure, axes = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
for name, i, ax in zip(("thick", "thin"), (0, len(X) // 2), axes, strict=True):
    plot_diagram(X[i], ax=ax).set_title(f"from the {name} side")
plt.show()

# %%
# Clustering of vertices
# ----------------------
# We set the death of essential loops to 10, above all other deaths. A weight that grows
# with persistence suppresses short-lived loops. Vertices with similar feature vectors
# lie on similar parts of the shape.

bow = PersistenceBoW(n_words=8, essential=10.0, point_weight="ramp", random_state=0)
H = bow.fit_transform(X)
groups = KMeans(3, n_init=5, random_state=0).fit_predict(H)
# sphinx_gallery_thumbnail_number = 2
figure, ax = plt.subplots(
    figsize=(5, 4), subplot_kw={"projection": "3d"}, layout="constrained"
)
ax.scatter(*vertices[sources].T, c=groups, cmap="viridis", s=12)
ax.set(aspect="equal", title="three groups of vertices")
plt.show()

# %%
# What tells the thick side from the thin one?
# --------------------------------------------
# We label the vertices by the side they are on, explain a classifier, and mark the
# points of the word that says most for each side, in the diagram of one vertex (black
# star). The orange circle is the vertex where the ball closes a loop.

from sklearn.svm import SVC

from pbow.explain import explain_words
from pbow.features import distance_kernel
from pbow.plotting import plot_word_in_cloud

on_thick = tube[sources] > 0.5
sides = np.where(on_thick, "thick", "thin")[on_thick | (tube[sources] < 0.3)]
chosen = sources[on_thick | (tube[sources] < 0.3)]
located = mesh_geodesic(vertices, faces, chosen, return_locations=True)
bow.fit(located)
machine = SVC(kernel=distance_kernel, C=10)
shuffled = np.random.default_rng(0).permutation(len(chosen))
explanation = explain_words(bow, machine, located[shuffled], sides[shuffled], cv=3)
print(f"accuracy {100 * explanation.accuracies.mean():.0f}%")
figure = plt.figure(figsize=(10, 4), layout="constrained")
for k, side in enumerate(("thick", "thin")):
    word = explanation.top(side, 1, more_points=True)[0]
    column = explanation.names.tolist().index(word)
    print(f"{side}: {word}, born at {explanation.births[column]:.1f}")
    i = int(np.flatnonzero(sides == side)[0])
    ax = figure.add_subplot(1, 2, k + 1, projection="3d")
    plot_word_in_cloud(bow, vertices, located[i : i + 1], word, ax=ax)
    ax.scatter(*vertices[chosen[i]], color="black", marker="*", s=90)
    ax.set_title(f"{side} side, {ax.get_title()}")
    ax.view_init(elev=55)
    ax.set_axis_off()
plt.show()

# %%
# **In one sentence:** a ball closes around the tube early where the tube is thin and
# late where it is thick, and this birth alone tells the two parts of the surface apart.
