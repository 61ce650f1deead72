"""
Points that never die, in several dimensions
============================================

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
# One cloud
# ---------
# On the dashed line, and as bars with an arrow, are those that are still alive: the
# three clusters, which never met, and the loop of a circle.

clusters = y.tolist().index(SHAPE_NAMES.index("clusters"))
circle = y.tolist().index(SHAPE_NAMES.index("circle"))
figure, axes = plt.subplots(2, 2, figsize=(9, 7), layout="constrained")
for name, i, row in zip(("clusters", "circle"), (clusters, circle), axes, strict=True):
    plot_diagram(X[i], ax=row[0]).set_title(name)
    plot_barcode(X[i], ax=row[1]).set_title(name)
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
