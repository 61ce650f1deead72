"""
Stability: counterexample and certified constant
================================================

A descriptor is stable if its vector changes by at most C times the Wasserstein distance
of the diagrams. The paper states this for sPBoW, but a diagram with one point is a
counterexample. A point weight that vanishes at the diagonal makes sPBoW stable, even
with square roots and posteriors if the weight is squared and all words share one
covariance.
"""

# %%
# We fit two models to the same diagrams: the settings of the paper without
# normalization, and settings with a proven constant, in which points below the median
# persistence have smaller weights.

import matplotlib.pyplot as plt
import numpy as np

from pbow import StablePersistenceBoW
from pbow.plotting import plot_codebook
from pbow.stability import lipschitz_constant, obstacle

rng = np.random.default_rng(0)
births = rng.uniform(0, 1, size=(50, 20))
X = [np.c_[b, b + rng.exponential(0.2, size=20)] for b in births]
paper = StablePersistenceBoW.paper(n_words=5, normalize=None, random_state=0).fit(X)
certified = StablePersistenceBoW.certified(
    n_words=5, quantiles=(None, 0.5), random_state=0
).fit(X)
print("paper:    ", paper.stability_constant_, "-", obstacle(paper))
print("certified:", round(certified.stability_constant_, 2))
length = lipschitz_constant(certified, norm="euclidean")
print("certified, for the Euclidean length of the vector:", round(length, 2))

# %%
# A point near the diagonal
# -------------------------
# Consider a diagram with the single point (0.5, 0.5 + p). Its distance to the empty
# diagram is p / 2, which converges to 0 with p. The vector of the paper does not: the
# point has full weight for any p, so the ratio is unbounded. With a ramp the ratio
# stays below the constant. It comes close to it, so the constant is not much too large.

persistences = np.logspace(-8, 0, 33)
one_point = [[[0.5, 0.5 + p]] for p in persistences]
figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
for name, model, style in (("paper", paper, "o-"), ("certified", certified, "s-")):
    # The vector of the empty diagram is zero.
    change = np.abs(model.transform(one_point)).max(axis=1)
    ax.loglog(
        persistences, change / (persistences / 2), style, label=name, markersize=4
    )
ax.axhline(certified.stability_constant_, color="black", linestyle="--")
ax.annotate("proven constant", (1e-8, 1.3 * certified.stability_constant_))
ax.set(xlabel="persistence of the point", ylabel="change of the vector / distance")
ax.legend()
plt.show()

# %%
# Gaussians at the diagonal
# -------------------------
# The diagonal is the bottom of the plot. Gaussians do not vanish there: a point of zero
# persistence has a positive density.

plot_codebook(paper, X).set_title("the paper's model")
plt.show()
