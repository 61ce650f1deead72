"""
Images: valleys and rings of a texture
======================================

Flood an image from its darkest pixel upwards. Lakes appear and join (H0), and islands
are surrounded and drown (H1). How many do so, and at which heights, tells textures
apart, wherever in an image they are.
"""

# %%
# Three textures, made of random numbers that are smoothed: as they are, and with all
# that is far from the mean as dark pits or as bright hills. All images have mean 0 and
# standard deviation 1, so that brightness and contrast say nothing.

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
# Pictures and their diagrams
# ---------------------------
# One component is essential; it is on the dashed line.

X = cubical(images)
figure, axes = plt.subplots(2, 3, figsize=(9, 6), layout="constrained")
for label, (name, above, below) in enumerate(zip(textures, *axes, strict=True)):
    above.imshow(images[label * n_per_class], cmap="gray")
    above.set(title=name, xticks=[], yticks=[])
    plot_diagram(X[label * n_per_class], ax=below)
plt.show()

# %%
# Which is which
# --------------
# Ten words for lakes and ten for islands, and each image predicted by a model that has
# not seen it.

model = make_pipeline(PersistenceBoW(n_words=10, random_state=0), SVC(kernel="linear"))
names = list(textures)
predicted = cross_val_predict(model, X, y, cv=3)
plot_confusion(confusion_matrix(y, predicted, labels=names), names)
plt.show()
