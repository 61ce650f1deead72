"""
Differences between two labels
==============================

Each feature of a bag-of-words counts the points in one region of the diagram, so the
difference between two labels can be plotted.
"""

# %%
# We compute the H1 diagrams of point clouds from six shapes and fit thirty words.

import matplotlib.pyplot as plt

from pbow import PersistenceBoW
from pbow.datasets import SHAPE_NAMES, make_shapes
from pbow.homology import rips
from pbow.plotting import plot_class_difference, plot_class_words

clouds, y = make_shapes(n_per_class=15, n_points=200, noise=0.05, random_state=0)
X = rips(clouds, dims=1)
bow = PersistenceBoW(n_words=30, random_state=0).fit(X)

# %%
# Average diagram per label
# -------------------------
# Circles are words, and their areas are average numbers of points.

plot_class_words(bow, X, y, label_names=SHAPE_NAMES)
plt.show()

# %%
# Sphere and torus
# ----------------
# Orange words have more points in spheres, blue words in tori. The most persistent
# loops belong to the torus: on a sphere every loop is filled.

between = [SHAPE_NAMES.index("sphere"), SHAPE_NAMES.index("torus")]
plot_class_difference(bow, X, y, between, label_names=SHAPE_NAMES)
plt.show()

# %%
# Zoom
# ----
# Most points are near the diagonal. ``zoom`` restricts the plot to a range of births
# and persistences, with its own color scale.

zoom = ((0.0, 0.4), (0.0, 0.2))
plot_class_difference(bow, X, y, between, label_names=SHAPE_NAMES, zoom=zoom)
plt.show()
