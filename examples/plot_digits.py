"""
Digits: the holes of an eight
=============================

Ink is bright and paper is dark in an image of a digit. Areas of paper are components of
its sublevel sets: one around the digit, and one in each hole. We ask a classifier which
of them it uses, and mark them in the images.
"""

# %%
# We take zeros, ones and eights of scikit-learn, enlarged four times so that their
# pixels are small. A margin of paper connects all paper around the digit.

import matplotlib.pyplot as plt
import numpy as np
from scipy.ndimage import zoom
from sklearn.datasets import load_digits
from sklearn.svm import SVC

from pbow import PersistenceBoW
from pbow.explain import explain_words, locate_word
from pbow.features import distance_kernel
from pbow.homology import cubical
from pbow.plotting import plot_explanation, plot_word_in_image

n_per_class = 60
digits = load_digits()
rows = [np.flatnonzero(digits.target == d)[:n_per_class] for d in (0, 1, 8)]
images = [zoom(np.pad(digits.images[i], 1), 4, order=1) for i in np.concatenate(rows)]
y = np.repeat(["zero", "one", "eight"], n_per_class)

# %%
# What speaks for an eight
# ------------------------
# We compute components (H0) with the pixels of birth and death, fit eight words, and
# explain a support vector machine on distances. Orange words speak for an eight.

X = cubical(images, dims=0, return_locations=True)
bow = PersistenceBoW(n_words=8, random_state=0).fit(X)
explanation = explain_words(bow, SVC(kernel=distance_kernel, C=10), X, y, cv=3)
print(f"accuracy {100 * explanation.accuracies.mean():.0f}%")
plot_explanation(explanation, "eight")
plt.show()

# %%
# Back to the images
# ------------------
# The first word is the one that says most for a zero, the second one for an eight. An
# orange circle is the darkest pixel of a hole, a blue cross the pixel where the hole
# opens to the paper around it.

# sphinx_gallery_thumbnail_number = 2
words = [explanation.top(name, 1, more_points=True)[0] for name in ("zero", "eight")]
figure, axes = plt.subplots(2, 3, figsize=(9, 6), layout="constrained")
for word, row in zip(words, axes, strict=True):
    for name, ax in zip(("zero", "one", "eight"), row, strict=True):
        i = int(np.flatnonzero(y == name)[1])
        plot_word_in_image(bow, images[i], X[i : i + 1], word, ax=ax)
        ax.set_title(f"{name}, {ax.get_title()}")
plt.show()

# %%
# How many points of these words do the digits have, on average?

for word in words:
    column = explanation.names.tolist().index(word)
    place = f"birth {explanation.births[column]:.1f}"
    for name in ("zero", "one", "eight"):
        found = locate_word(bow, X[y == name], word)
        print(f"{word}, {place}: {name:5} {len(found.points) / np.sum(y == name):.2f}")

# %%
# **In one sentence:** zeros and eights both have holes of clean paper, but only eights
# have holes that ink has partly filled, which are born later, and these tell the
# classifier that a digit is an eight.
