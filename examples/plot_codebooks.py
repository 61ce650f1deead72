"""
Codebooks: cells and Gaussians
==============================

A bag-of-words learns words: positions in the plane of birth and persistence. PBoW
assigns each point to the nearest word, and sPBoW to overlapping Gaussians. This example
shows the effect of the width of the Gaussians, the number of words, and the sampling of
training points.
"""

# %%
# We compute the H1 diagrams of six shapes and fit two codebooks of twelve words.

import matplotlib.pyplot as plt

from pbow import PersistenceBoW, StablePersistenceBoW
from pbow.datasets import make_shapes
from pbow.homology import rips
from pbow.plotting import plot_codebook
from pbow.sampling import draw_sample, persistence_ramp

clouds, y = make_shapes(n_per_class=10, n_points=150, random_state=0)
X = rips(clouds, dims=1)
hard = PersistenceBoW(n_words=12, random_state=0).fit(X)
soft = StablePersistenceBoW(n_words=12, random_state=0).fit(X)

# %%
# Hard and soft assignment
# ------------------------
# PBoW counts each point for the word whose cell contains it (left). sPBoW distributes
# each point over all words by their posterior probabilities (right; the ellipses show
# one standard deviation). The points of all diagrams are gray.

figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
plot_codebook(hard, X, ax=axes[0]).set_title("PersistenceBoW")
plot_codebook(soft, X, ax=axes[1]).set_title("StablePersistenceBoW")
plt.show()

# %%
# Temperature
# -----------
# A Gaussian mixture fits the points closely (left). By default, sPBoW doubles the
# standard deviations (right), so that each point contributes to several words.

figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for temperature, ax in zip((1.0, 2.0), axes, strict=True):
    bow = StablePersistenceBoW(12, temperature=temperature, random_state=0).fit(X)
    plot_codebook(bow, X, ax=ax).set_title(f"temperature={temperature}")
plt.show()

# %%
# Several resolutions
# -------------------
# Few words are robust, and many words are discriminative. By default there are three
# resolutions of 10, 30 and 100 words. They are learned from the same points, and their
# features are concatenated.

bow = PersistenceBoW(n_words=(10, 30, 100), random_state=0).fit(X)
figure, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
for n_words, ax in zip(bow.n_words, axes, strict=True):
    plot_codebook(bow, X, resolution=n_words, ax=ax).set_title(f"{n_words} words")
plt.show()
print(f"{bow.transform(X).shape[1]} features")

# %%
# Weighted sampling
# -----------------
# Most points have low persistence. ``weighting="ramp"`` samples persistent points more
# often, and words move upwards. A sample of 300 points is blue.

ramp = persistence_ramp([X], (0.05, 0.95))
figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for weighting, weight, ax in zip(("uniform", "ramp"), (None, ramp), axes, strict=True):
    bow = PersistenceBoW(n_words=12, weighting=weighting, random_state=0).fit(X)
    sample = draw_sample([X], 300, ramp=weight, seed=0)
    plot_codebook(bow, X, sample=sample, ax=ax).set_title(f'weighting="{weighting}"')
plt.show()
