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
