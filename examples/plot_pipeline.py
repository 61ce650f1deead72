"""
The method at a glance
======================

Persistence bag-of-words in one figure: from point clouds to persistence diagrams, from
the points of all diagrams to a codebook, and from each diagram to a histogram of words.
"""

# %%
# Three labels of the generated shapes, and the loops (H1) of their Rips complexes.
# ``fit`` merges the points of all diagrams and clusters them: the centers are the
# words. ``transform`` counts, for each diagram, the points nearest to each word.

import matplotlib.pyplot as plt
import numpy as np

from pbow import PersistenceBoW
from pbow.datasets import SHAPE_NAMES, make_shapes
from pbow.homology import rips
from pbow.plotting import plot_codebook

shown = {"circle": "tab:blue", "clusters": "tab:orange", "torus": "tab:green"}
clouds, y = make_shapes(n_per_class=15, n_points=200, random_state=0)
names = np.array(SHAPE_NAMES)[y]
diagrams = rips(clouds, dims=1)
bow = PersistenceBoW(n_words=12, normalize=None, random_state=0)
histograms = bow.fit_transform(diagrams)
words = bow.codebooks_["H1"].words
# From short-lived to persistent loops, so that the last bars are the persistent ones.
order = np.argsort(words[:, 1])

# %%
# The circle differs from the others by a single point, its one persistent loop. A
# histogram keeps it as a word of its own.

figure = plt.figure(figsize=(12, 4.6), layout="constrained")
clouds_panel, diagrams_panel, codebook_panel, histograms_panel = figure.subfigures(
    1, 4, width_ratios=[0.7, 0.85, 1.5, 1.1]
)
titles = ("point clouds", "persistence diagrams", "codebook", "histograms of words")
for panel, title in zip(figure.subfigs, titles, strict=True):
    panel.suptitle(title, fontsize="large")

codebook = codebook_panel.subplots()
plot_codebook(bow, diagrams, ax=codebook)
for rank, word in enumerate(words[order], start=1):
    codebook.annotate(
        str(rank), word, xytext=(4, 3), textcoords="offset points", fontweight="bold"
    )
codebook.set(title="", xlim=(0.0, 0.42))
view = {"xlim": codebook.get_xlim(), "ylim": codebook.get_ylim()}

panels = clouds_panel, diagrams_panel, histograms_panel
axes = [panel.subplots(len(shown), sharex=True, sharey=True) for panel in panels]
for (name, color), cloud_ax, ax, bars in zip(shown.items(), *axes, strict=True):
    row = names.tolist().index(name)
    cloud_ax.scatter(*clouds[row, :, :2].T, s=3, color=color)
    cloud_ax.set(title=name, aspect="equal", xticks=[], yticks=[])
    births, deaths = diagrams[row].T
    ax.scatter(births, deaths - births, s=6, color=color)
    ax.axhline(0.0, color="0.4", linewidth=0.8, linestyle=":")
    ax.set(ylabel="persistence", **view)
    bars.bar(np.arange(1, len(words) + 1), histograms[row, order], color=color)
    bars.set(ylabel="points", xticks=range(1, len(words) + 1))
axes[1][-1].set_xlabel("birth")
axes[2][-1].set_xlabel("word")
plt.show()
