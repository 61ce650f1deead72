"""
What tells two classes apart
============================

Features of a bag-of-words can be read: each is a number of points at a place of the
diagram. So the difference of two classes is a figure, too.
"""

# %%
# Clouds of six shapes, their loops, and thirty words.

import matplotlib.pyplot as plt

from pbow import PersistenceBoW
from pbow.datasets import SHAPE_NAMES, make_shapes
from pbow.homology import rips
from pbow.plotting import plot_class_difference, plot_class_words

clouds, y = make_shapes(n_per_class=15, n_points=200, noise=0.05, random_state=0)
X = rips(clouds, dims=1)
bow = PersistenceBoW(n_words=30, random_state=0).fit(X)

# %%
# The average diagram of each label
# ---------------------------------
# Circles are words, and their areas are numbers of points.

plot_class_words(bow, X, y, label_names=SHAPE_NAMES)
plt.show()

# %%
# Sphere against torus
# --------------------
# Red words have more points in spheres, blue ones in tori. The loops of longest life
# are those of the torus: on a sphere every loop can be filled.

between = [SHAPE_NAMES.index("sphere"), SHAPE_NAMES.index("torus")]
plot_class_difference(bow, X, y, between, label_names=SHAPE_NAMES)
plt.show()

# %%
# A closer look
# -------------
# Most points are near the diagonal. ``zoom`` shows some births and persistences alone,
# with a scale of their own.

zoom = ((0.0, 0.4), (0.0, 0.2))
plot_class_difference(bow, X, y, between, label_names=SHAPE_NAMES, zoom=zoom)
plt.show()
