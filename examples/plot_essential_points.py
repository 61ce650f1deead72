"""
Essential classes in several dimensions
=======================================

A filtration that ends leaves some components and loops alive. They have no place in the
plane of birth and persistence. ``essential`` says what becomes of them.
"""

# %%
# Components and loops of balls that stop growing early: edges longer than 0.35 are
# left out.

import matplotlib.pyplot as plt
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from pbow import PersistenceBoW
from pbow.datasets import SHAPE_NAMES, make_shapes
from pbow.homology import rips
from pbow.plotting import plot_barcode, plot_diagram

clouds, y = make_shapes(n_per_class=15, n_points=120, noise=0.05, random_state=0)
X = rips(clouds, max_edge=0.35, dims=(0, 1))
X

# %%
# Two clouds
# ----------
# On the dashed line, and as bars with an arrow, is what is still alive then: all points
# in one component, the loop of the circle, and many loops of the torus.

figure, axes = plt.subplots(2, 2, figsize=(9, 7), layout="constrained")
for name, row in zip(("circle", "torus"), axes, strict=True):
    first = y.tolist().index(SHAPE_NAMES.index(name))
    plot_diagram(X[first], ax=row[0]).set_title(name)
    plot_barcode(X[first], ax=row[1]).set_title(name)
plt.show()

# %%
# Three answers
# -------------
# Leave them out; let them die at a number above all others; or give them words of their
# own, by birth alone, in the parts ``H0_inf`` and ``H1_inf``.

for essential in ("drop", 0.5, "separate"):
    bow = PersistenceBoW(n_words=8, essential=essential, random_state=0)
    parts = ", ".join(bow.fit(X).codebooks_)
    scores = cross_val_score(make_pipeline(bow, SVC(C=10.0)), X, y, cv=3)
    print(f"essential={essential!r:10} {parts:26} {100 * scores.mean():.0f} %")
