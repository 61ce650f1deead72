"""
Meshes: where a surface is thin
===============================

A ball that grows on a surface, along the edges of its mesh, closes to a loop when it
has gone around an arm or a hole. From a thin place this happens early, from a thick one
late. So each vertex has a diagram of its own, and words tell parts of a shape apart.
"""

# %%
# A torus whose tube is thrice as thick on one side as on the other.

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
# Two vertices and what they see
# ------------------------------
# Both handles of the torus are loops that nothing ever fills, on the dashed line: one
# goes around the tube, the other around the hole. The first is born later where the
# tube is thick.

sources = np.arange(0, len(vertices), 3)
X = mesh_geodesic(vertices, faces, sources)
figure, axes = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
for name, i, ax in zip(("thick", "thin"), (0, len(X) // 2), axes, strict=True):
    plot_diagram(X[i], ax=ax).set_title(f"from the {name} side")
plt.show()

# %%
# Parts of the shape, without labels
# ----------------------------------
# Essential loops are made to die at 10, later than all others, and a weight that
# grows with persistence leaves those of a moment out. Vertices with similar vectors lie
# on parts of the shape that look alike.

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
