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
X = rips(clouds, dims=1, return_locations=True)
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

# %%
# What a classifier uses
# ----------------------
# ``explain_words`` asks a classifier which words speak for a label, with their
# uncertainty over folds. ``point_weight="ramp"`` gives persistent points more weight.
# Orange words speak for the circle; the largest of them is the most persistent word.

from sklearn.svm import SVC

from pbow.explain import explain_words, locate_word
from pbow.features import distance_kernel
from pbow.plotting import plot_explanation, plot_word_in_cloud

weighted = PersistenceBoW(n_words=12, point_weight="ramp", random_state=0).fit(X)
names = [SHAPE_NAMES[label] for label in y]
machine = SVC(kernel=distance_kernel, C=10)
explanation = explain_words(weighted, machine, X, names, cv=3)
print(f"accuracy {100 * explanation.accuracies.mean():.0f}%")
plot_explanation(explanation, "circle")
plt.show()

# %%
# Back to the clouds
# ------------------
# ``return_locations=True`` has kept where each loop is born and dies. The loop of this
# word is born with the edge that closes the ring (orange). It dies with a triangle that
# fills the circle; the longest edge of the triangle is blue.

# sphinx_gallery_thumbnail_number = 5
[word] = explanation.top("circle", 1, more_points=True)
i = names.index("circle")
figure, ax = plt.subplots(figsize=(5, 4), layout="constrained")
plot_word_in_cloud(weighted, clouds[i], X[i : i + 1], word, ax=ax)
plt.show()

for name in SHAPE_NAMES:
    found = locate_word(weighted, X[[other == name for other in names]], word)
    print(f"{name:22} {len(found.points) / names.count(name):.2f} loops per cloud")

# %%
# **In one sentence:** the classifier recognizes a circle by one loop that goes around
# all of it; the other shapes have no loop that lives as long.
