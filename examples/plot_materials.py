"""
Materials: the pits and bumps of two surfaces
=============================================

The minima of a height map are pits, and the maxima are bumps. A classifier is asked
which of them it uses to tell two materials apart, and these are marked in the maps.
"""

# %%
# The maps are GelSight height maps of leather and polymer foam, if the file of the data
# set ``geomat-standin`` is in the folder ``PBOW_DATA``. This data set is a stand-in for
# GeoMat, which is available only from its authors. Without the file, the maps are
# generated: smooth noise, bumpy or pitted. The first line of the output says which of
# them this page was built with. The six patches of one surface are in a row, and so in
# the same fold of five.

import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.ndimage import gaussian_filter
from sklearn.svm import SVC

from pbow import PersistenceBoW
from pbow.datasets import read_raw, remove_paraboloid
from pbow.explain import explain_words, locate_word
from pbow.features import distance_kernel
from pbow.homology import cubical
from pbow.plotting import plot_explanation, plot_word_in_image

n_per_class = 60
file = Path(os.environ.get("PBOW_DATA", ""), "heightmaps_gelsight_19cls_100px.npz")
if file.is_file():
    print("GelSight height maps of materials (stand-in for GeoMat)")
    names = ("leather", "foam")
    data = read_raw(file, kind="images")  # heights are in units of the file
    labels = np.array(data.labels)
    maps = [
        remove_paraboloid(data.samples[i])
        for name in ("Leather1", "PolymericFoam1")
        for i in np.flatnonzero(labels == name)[:n_per_class]
    ]
else:
    print("generated height maps, because PBOW_DATA has no file of geomat-standin")
    names = ("bumpy", "pitted")
    noise = np.random.default_rng(0).normal(size=(2 * n_per_class, 60, 60))
    smooth = [gaussian_filter(patch, 2.5) / 0.11 for patch in noise]
    bumps, pits = np.split(np.abs(smooth), 2)
    maps = [*bumps, *-pits]
y = np.repeat(names, n_per_class)

# %%
# Which words speak for a material?
# ---------------------------------
# A component (H0) of the sublevel sets is born in a pit. A loop (H1) is a rim around a
# bump, and dies at its top. Orange words speak for the first material, blue words
# against it.

X = cubical(maps, return_locations=True)
bow = PersistenceBoW(n_words=10, point_weight="ramp", random_state=0).fit(X)
explanation = explain_words(bow, SVC(kernel=distance_kernel, C=10), X, y, cv=5)
print(f"accuracy {100 * explanation.accuracies.mean():.0f}%")
figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for part, ax in zip(X.parts, axes, strict=True):
    plot_explanation(explanation, names[0], part=part, ax=ax)
    ax.set_title(f"{ax.get_title()}, {part}")
plt.show()

# %%
# Back to the surfaces
# --------------------
# Of the words that each material has more of, the one that says most for it is marked
# in one map of each. An orange circle is a birth, a blue cross a death.

# sphinx_gallery_thumbnail_number = 2
figure, axes = plt.subplots(2, 2, figsize=(9, 8), layout="constrained")
for name, row in zip(names, axes, strict=True):
    word = explanation.top(name, 1, more_points=True)[0]
    for shown, ax in zip(names, row, strict=True):
        i = int(np.flatnonzero(y == shown)[10 % n_per_class])
        plot_word_in_image(bow, maps[i], X[i : i + 1], word, ax=ax)
        ax.set_title(f"{shown}, {ax.get_title()}")
        if ax is row[0]:
            ax.set_ylabel(f"speaks for {name}")
plt.show()

# %%
# How many points does a map have?
# --------------------------------

for name in names:
    word = explanation.top(name, 1, more_points=True)[0]
    column = explanation.names.tolist().index(word)
    birth, persistence = explanation.births[column], explanation.persistences[column]
    what = "pits" if word.startswith("h0") else "bumps"
    print(f"{word} speaks for {name}: {what}, birth {birth:.2f},", end=" ")
    print(f"persistence {persistence:.2f}")
    for other in names:
        found = locate_word(bow, X[y == other], word)
        print(f"   {other:8} {len(found.points) / n_per_class:6.1f} {what} per map")

# %%
# With the measured maps, the script prints
#
# .. code-block:: text
#
#    h0_word6 speaks for leather: pits, birth -1849.23, persistence 689.62
#       leather     2.9 pits per map
#       foam        0.1 pits per map
#    h1_word5 speaks for foam: bumps, birth 3063.88, persistence 84.72
#       leather     3.5 bumps per map
#       foam       12.8 bumps per map
#
# and draws the figure below. **In one sentence:** leather has pits along its grooves,
# of which foam has almost none, and foam has many tiny bumps on the walls between its
# cells.
#
# .. image:: ../images/materials.png
#    :alt: height maps of leather and foam; marks along the grooves of leather and on
#          the walls of foam
