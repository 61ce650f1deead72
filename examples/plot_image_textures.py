"""
Images: cubical persistence of textures
=======================================

Sublevel sets of an image start at its darkest pixel. Dark regions appear and merge
(H0), and bright regions are surrounded and filled (H1). The numbers of these regions
and their pixel values distinguish textures, independently of position.
"""

# %%
# We generate three textures from smoothed random numbers: unchanged, with dark pits,
# and with bright hills at all values far from the mean. All images have mean 0 and
# standard deviation 1, so brightness and contrast carry no information.

import matplotlib.pyplot as plt
import numpy as np
from scipy.ndimage import gaussian_filter
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from pbow import PersistenceBoW
from pbow.homology import cubical
from pbow.plotting import plot_confusion, plot_diagram

n_per_class = 20
textures = {
    "grains": lambda smooth: smooth,
    "pits": lambda smooth: -np.abs(smooth),
    "hills": np.abs,
}
rng = np.random.default_rng(0)
images, y = [], []
for name, make in textures.items():
    for noise in rng.normal(size=(n_per_class, 40, 40)):
        image = make(gaussian_filter(noise, 1.5))
        images.append((image - image.mean()) / image.std())
        y.append(name)

# %%
# Images and their diagrams
# -------------------------
# The essential component is on the dashed line.

X = cubical(images)
figure, axes = plt.subplots(2, 3, figsize=(9, 6), layout="constrained")
for label, (name, above, below) in enumerate(zip(textures, *axes, strict=True)):
    above.imshow(images[label * n_per_class], cmap="gray")
    above.set(title=name, xticks=[], yticks=[])
    plot_diagram(X[label * n_per_class], ax=below)
plt.show()

# %%
# Classification
# --------------
# The features are ten words for H0 and ten words for H1. Each image is predicted by a
# model that was fitted without it.

model = make_pipeline(PersistenceBoW(n_words=10, random_state=0), SVC(kernel="linear"))
names = list(textures)
predicted = cross_val_predict(model, X, y, cv=3)
plot_confusion(confusion_matrix(y, predicted, labels=names), names)
plt.show()

# %%
# :ref:`Which pits and bumps does a classifier use
# <sphx_glr_gallery_plot_materials.py>` to tell two textures apart?
