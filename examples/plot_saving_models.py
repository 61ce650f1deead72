"""
Saving and loading a model
==========================

Words that were learnt once describe diagrams of years to come. A model is a small file
of numbers: nothing in it is executed when it is opened.
"""

# %%
# A model of twenty words, fitted to some clouds.

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
# To a file and back
# ------------------
# Diagrams have files of their own, so that they need not be computed twice.

with TemporaryDirectory() as folder:
    model_file, diagram_file = Path(folder) / "words.pbow", Path(folder) / "shapes.pbow"
    pbow.save(bow, model_file)
    write_diagrams(X, diagram_file)
    for path in (model_file, diagram_file):
        print(f"{path.name}: {path.stat().st_size / 1024:.0f} kB")
    loaded, X_again = pbow.load(model_file), read_diagrams(diagram_file)
loaded

# %%
# The same vectors, to the last bit
# ---------------------------------

print(X_again == X, np.array_equal(loaded.transform(X_again), bow.transform(X)))

# %%
# New clouds, old words
# ---------------------
# Blue are the points of clouds that the model has never seen.

new_clouds, _ = make_shapes(n_per_class=2, n_points=120, random_state=1)
new = rips(new_clouds, dims=1)
births, deaths = new.points.T
plot_codebook(loaded, X, sample=np.c_[births, deaths - births])
plt.show()
print(loaded.transform(new).shape)
