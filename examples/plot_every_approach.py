"""
Comparison of all vectorizers and kernels
=========================================

The paper compares the bag-of-words with six other methods that pass persistence
diagrams to a classifier. All are scikit-learn estimators with the same interface, so a
comparison is a loop over a dict.
"""

# %%
# Data: point clouds of six shapes
# --------------------------------
# The shapes are a cube, a circle, a sphere, clusters, clusters of clusters and a torus.
# We compute their Rips diagrams in dimension 1 and split them into training and test
# sets.

import time

import matplotlib.pyplot as plt
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from pbow.datasets import make_shapes
from pbow.homology import rips
from pbow.kernels import (
    LandscapeKernel,
    MultiScaleKernel,
    SlicedWassersteinKernel,
    WassersteinKernel,
)
from pbow.vectorizers import (
    PersistenceBoW,
    PersistenceImage,
    PersistenceLandscape,
    PersistenceStatistics,
    RiemannianHeatMap,
    StablePersistenceBoW,
)

clouds, y = make_shapes(n_per_class=20, n_points=200, noise=0.1, random_state=0)
X = rips(clouds, dims=1)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.5, stratify=y, random_state=0
)
X

# %%
# Vectorizers and kernels
# -----------------------
# Vectorizers return one row per diagram, for a linear SVM. Kernels return one number
# per pair of a diagram and a training diagram, for an SVM with
# ``kernel="precomputed"``. Statistics have different units and are standardized. All
# parameters are defaults; the bag-of-words has 10, 30 and 100 words.

vectorizers = {
    "PBoW": PersistenceBoW(random_state=0),
    "sPBoW": StablePersistenceBoW(random_state=0),
    "PI: persistence image": PersistenceImage(),
    "PL: landscape on a grid": PersistenceLandscape(),
    "RM: Riemannian heat map": RiemannianHeatMap(),
    "statistics": make_pipeline(PersistenceStatistics(), StandardScaler()),
}
kernels = {
    "2Wd: Wasserstein": WassersteinKernel(order=2),
    "MK: multi-scale kernel": MultiScaleKernel(),
    "SWK: sliced Wasserstein": SlicedWassersteinKernel(),
    "PL: exact landscapes": LandscapeKernel(),
}

# %%
# Train and test
# --------------
# C is chosen by cross-validation on the training set, as in the paper.

pipelines = {
    name: make_pipeline(vectorizer, SVC(kernel="linear"))
    for name, vectorizer in vectorizers.items()
} | {
    name: make_pipeline(kernel, SVC(kernel="precomputed"))
    for name, kernel in kernels.items()
}
accuracies, seconds = {}, {}
for name, pipeline in pipelines.items():
    # Time of the vectorizer or kernel without the classifier.
    start = time.perf_counter()
    pipeline[0].fit(X_train).transform(X)
    seconds[name] = time.perf_counter() - start
    C = [0.1, 1.0, 10.0, 100.0, 1000.0]
    search = GridSearchCV(pipeline, {"svc__C": C}, cv=3).fit(X_train, y_train)
    accuracies[name] = search.score(X_test, y_test)
    print(f"{name:25} {100 * accuracies[name]:5.1f} %  {seconds[name]:6.2f} s")

# %%
# Results
# -------
# One split of a small data set does not show which method is best; see the experiments
# for larger data sets. The times include compilation if a loop runs for the first time
# on this machine.

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
bars = axes.barh(list(accuracies), [100 * a for a in accuracies.values()])
axes.bar_label(bars, fmt="%.1f", padding=3)
axes.set(xlabel="accuracy on the test clouds, %", xlim=(0, 108))
axes.invert_yaxis()
plt.show()
