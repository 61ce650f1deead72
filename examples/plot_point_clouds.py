"""
Point clouds: Rips and alpha complexes
======================================

A cloud of points has no loops. Balls that grow around its points do: a loop is born
when they first close a ring, and dies when they fill it. Two complexes tell when.
"""

# %%
# Six noisy shapes in space, twelve clouds of each.

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
# The same cloud, twice
# ---------------------
# ``rips`` looks at distances alone, and takes distance matrices, too. ``alpha`` follows
# the union of balls exactly, and is much faster in the plane and in space. Its values
# are radii and those of ``rips`` diameters, which is why they are doubled here. The
# circle is the one loop far from the diagonal in both.

circle = y.tolist().index(SHAPE_NAMES.index("circle"))
figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
axes[0].scatter(*clouds[circle, :, :2].T, s=6)
axes[0].set(title="a noisy circle, from above", aspect="equal")
plot_diagram(diagrams["rips"][circle], ax=axes[1]).set_title("rips")
plot_diagram(2 * diagrams["alpha"][circle], ax=axes[2]).set_title("alpha, doubled")
plt.show()

# %%
# Which one to take
# -----------------
# For a bag-of-words it matters little here: words settle where the points are.

for name, X in diagrams.items():
    model = make_pipeline(PersistenceBoW(n_words=20, random_state=0), SVC(C=10.0))
    accuracy = cross_val_score(model, X, y, cv=3).mean()
    print(f"{name:5} {len(X.points):6} points, accuracy {100 * accuracy:.0f} %")
