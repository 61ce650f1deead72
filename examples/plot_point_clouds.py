"""
Point clouds: Rips and alpha complexes
======================================

Balls around the points of a cloud grow: a loop is born when the balls close a ring, and
dies when they fill it. The Rips complex and the alpha complex compute births and
deaths.
"""

# %%
# We generate twelve clouds of each of six noisy shapes in 3-D.

import matplotlib.pyplot as plt
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from pbow import PersistenceBoW
from pbow.datasets import SHAPE_NAMES, make_shapes
from pbow.homology import alpha, rips
from pbow.plotting import plot_diagram

clouds, y = make_shapes(n_per_class=12, n_points=150, noise=0.05, random_state=0)
diagrams = {"rips": rips(clouds, dims=1), "alpha": alpha(clouds, dims=1)}

# %%
# Rips and alpha diagrams of one cloud
# ------------------------------------
# ``rips`` uses only distances, so it also accepts distance matrices. ``alpha`` computes
# the union of balls exactly and is much faster in 2-D and 3-D. Its values are radii and
# those of ``rips`` are diameters, so we double them. In both diagrams, the circle is
# the only loop far from the diagonal.

circle = y.tolist().index(SHAPE_NAMES.index("circle"))
figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
axes[0].scatter(*clouds[circle, :, :2].T, s=6)
axes[0].set(title="a noisy circle, from above", aspect="equal")
plot_diagram(diagrams["rips"][circle], ax=axes[1]).set_title("rips")
plot_diagram(2 * diagrams["alpha"][circle], ax=axes[2]).set_title("alpha, doubled")
plt.show()

# %%
# Accuracy of both
# ----------------
# For a bag-of-words the choice matters little here: the words adapt to the points.

for name, X in diagrams.items():
    model = make_pipeline(PersistenceBoW(n_words=20, random_state=0), SVC(C=10.0))
    accuracy = cross_val_score(model, X, y, cv=3).mean()
    print(f"{name:5} {len(X.points):6} points, accuracy {100 * accuracy:.0f} %")
