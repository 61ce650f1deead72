"""
Saving and loading models
=========================

A fitted model is saved to a small file without pickle: loading it executes no code.
"""

# %%
# We fit a model of twenty words to point clouds.

from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np

import pbow
from pbow.datasets import make_shapes
from pbow.homology import rips
from pbow.io import read_diagrams, write_diagrams
from pbow.plotting import plot_codebook

clouds, y = make_shapes(n_per_class=10, n_points=120, random_state=0)
X = rips(clouds, dims=1)
bow = pbow.PersistenceBoW(n_words=20, random_state=0).fit(X)

# %%
# Save and load
# -------------
# Diagrams can be saved as well, so that they need not be computed again.

with TemporaryDirectory() as folder:
    model_file, diagram_file = Path(folder) / "words.pbow", Path(folder) / "shapes.pbow"
    pbow.save(bow, model_file)
    write_diagrams(X, diagram_file)
    for path in (model_file, diagram_file):
        print(f"{path.name}: {path.stat().st_size / 1024:.0f} kB")
    loaded, X_again = pbow.load(model_file), read_diagrams(diagram_file)
loaded

# %%
# Loaded models give identical features
# -------------------------------------

print(X_again == X, np.array_equal(loaded.transform(X_again), bow.transform(X)))

# %%
# Transform new data
# ------------------
# The points of new clouds are blue.

new_clouds, _ = make_shapes(n_per_class=2, n_points=120, random_state=1)
new = rips(new_clouds, dims=1)
births, deaths = new.points.T
plot_codebook(loaded, X, sample=np.c_[births, deaths - births])
plt.show()
print(loaded.transform(new).shape)
