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

X = cubical(images, return_locations=True)
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
# Which pits and hills are used?
# ------------------------------
# We explain a support vector machine that tells pits from hills. Of the words that say
# most for each of the two and have more points there, we mark the points in an image.
# An orange circle is a birth, a blue cross a death.

from pbow.explain import explain_words
from pbow.features import distance_kernel
from pbow.plotting import plot_explanation, plot_word_in_image

two = np.isin(y, ["pits", "hills"])
bow = PersistenceBoW(n_words=10, random_state=0).fit(X[two])
machine = SVC(kernel=distance_kernel, C=10)
explanation = explain_words(bow, machine, X[two], np.array(y)[two], cv=3)
print(f"accuracy {100 * explanation.accuracies.mean():.0f}%")
figure, axes = plt.subplots(2, 2, figsize=(9, 7.5), layout="constrained")
for name, (left, right) in zip(("pits", "hills"), axes, strict=True):
    word = explanation.top(name, 1, more_points=True)[0]
    part = "H0" if word.startswith("h0") else "H1"
    plot_explanation(explanation, name, part=part, ax=left)
    left.set_title(f"{left.get_title()}, {part}")
    i = y.index(name)
    plot_word_in_image(bow, images[i], X[i : i + 1], word, ax=right)
    right.set_title(f"{name}, {right.get_title()}")
plt.show()

# %%
# **In one sentence:** not the deep pits tell the classifier that a texture has pits,
# but the many shallow bumps of the bright ground between them; likewise, hills are
# recognized by the many shallow dips of the dark ground.
