"""
Essential classes
=================

Components and loops that are alive at the end of a filtration are essential: their
death is infinite. The parameter ``essential`` decides how they are encoded.
"""

# %%
# We compute H0 and H1 of Rips complexes without edges longer than 0.35.

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
# Diagrams with essential classes
# -------------------------------
# Essential classes lie on the dashed line of a diagram, and are bars with an arrow in a
# barcode: one connected component, the loop of the circle, and many loops of the torus.

figure, axes = plt.subplots(2, 2, figsize=(9, 7), layout="constrained")
for name, row in zip(("circle", "torus"), axes, strict=True):
    first = y.tolist().index(SHAPE_NAMES.index(name))
    plot_diagram(X[first], ax=row[0]).set_title(name)
    plot_barcode(X[first], ax=row[1]).set_title(name)
plt.show()

# %%
# Three options
# -------------
# Remove essential points; set their death to a number above all filtration values; or
# learn separate words from their births, in the parts ``H0_inf`` and ``H1_inf``.

for essential in ("drop", 0.5, "separate"):
    bow = PersistenceBoW(n_words=8, essential=essential, random_state=0)
    parts = ", ".join(bow.fit(X).codebooks_)
    scores = cross_val_score(make_pipeline(bow, SVC(C=10.0)), X, y, cv=3)
    print(f"essential={essential!r:10} {parts:26} {100 * scores.mean():.0f} %")
