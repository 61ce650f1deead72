"""
Codebooks: cells and ellipses
=============================

What a bag-of-words learns is a handful of places in the plane of birth and persistence.
PBoW has cells around them; sPBoW has Gaussians, which overlap. How wide these are, how
many words there are, and which points they are learnt from are choices.
"""

# %%
# The loops of six shapes, and two codebooks of twelve words.

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
# Hard and soft words
# -------------------
# A point counts for the word in whose cell it lies (left), or for all words by their
# shares of the density (right; ellipses are one standard deviation). Gray are the
# points of all diagrams.

figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
plot_codebook(hard, X, ax=axes[0]).set_title("PersistenceBoW")
plot_codebook(soft, X, ax=axes[1]).set_title("StablePersistenceBoW")
plt.show()

# %%
# Wider words
# -----------
# A mixture fits the points closely (left). The default of sPBoW doubles the widths of
# its components (right), so that each point counts for several words.

figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for temperature, ax in zip((1.0, 2.0), axes, strict=True):
    bow = StablePersistenceBoW(12, temperature=temperature, random_state=0).fit(X)
    plot_codebook(bow, X, ax=ax).set_title(f"temperature={temperature}")
plt.show()

# %%
# Several resolutions
# -------------------
# Few words are robust, many words discriminate. By default there are 10, 30 and 100 of
# them, learnt from the same points, with their features side by side.

bow = PersistenceBoW(n_words=(10, 30, 100), random_state=0).fit(X)
figure, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
for n_words, ax in zip(bow.n_words, axes, strict=True):
    plot_codebook(bow, X, resolution=n_words, ax=ax).set_title(f"{n_words} words")
plt.show()
print(f"{bow.transform(X).shape[1]} features")

# %%
# Learnt from persistent points
# -----------------------------
# Most points live shortly. ``weighting="ramp"`` draws those that live longer more
# often, and words move upwards. Blue is a sample of 300 points.

ramp = persistence_ramp([X], (0.05, 0.95))
figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for weighting, weight, ax in zip(("uniform", "ramp"), (None, ramp), axes, strict=True):
    bow = PersistenceBoW(n_words=12, weighting=weighting, random_state=0).fit(X)
    sample = draw_sample([X], 300, ramp=weight, seed=0)
    plot_codebook(bow, X, sample=sample, ax=ax).set_title(f'weighting="{weighting}"')
plt.show()
