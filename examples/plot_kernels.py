"""
Kernels: comparing diagrams two at a time
=========================================

A kernel has no vector, only a number for each pair of diagrams. Support vector
machines, nearest neighbors and embeddings need no more.
"""

# %%
# Loops of six shapes; half of the clouds are for training.

import matplotlib.pyplot as plt
from sklearn.decomposition import KernelPCA
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from pbow.datasets import SHAPE_NAMES, make_shapes
from pbow.homology import rips
from pbow.kernels import MultiScaleKernel, SlicedWassersteinKernel, WassersteinKernel

clouds, y = make_shapes(n_per_class=10, n_points=100, noise=0.05, random_state=0)
X = rips(clouds, dims=1)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.5, stratify=y, random_state=0
)

# %%
# In a pipeline
# -------------
# ``transform`` gives the kernel with all training diagrams, which an SVM takes as
# ``kernel="precomputed"``, or the distances to them for nearest neighbors.

svm, nearest = (
    SVC(kernel="precomputed", C=10.0),
    KNeighborsClassifier(3, metric="precomputed"),
)
for name, model in {
    "sliced Wasserstein, SVM": make_pipeline(SlicedWassersteinKernel(), svm),
    "multi-scale, SVM": make_pipeline(MultiScaleKernel(), svm),
    "Wasserstein, 3 neighbors": make_pipeline(
        WassersteinKernel(output="distance"), nearest
    ),
}.items():
    accuracy = model.fit(X_train, y_train).score(X_test, y_test)
    print(f"{name:26} {100 * accuracy:.0f} %")

# %%
# A look at the matrix
# --------------------
# Clouds are in the order of their classes: squares on the diagonal are classes whose
# diagrams resemble each other. On the right the same matrix as places in the plane.

K = SlicedWassersteinKernel().fit_transform(X)
places = KernelPCA(2, kernel="precomputed").fit_transform(K)
figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
figure.colorbar(axes[0].imshow(K, cmap="viridis"), ax=axes[0], label="kernel")
axes[0].set(title="sliced Wasserstein kernel", xlabel="cloud", ylabel="cloud")
for label, (name, marker) in enumerate(zip(SHAPE_NAMES, "osv^DP", strict=True)):
    axes[1].scatter(*places[y == label].T, marker=marker, s=20, label=name)
axes[1].set(title="kernel PCA", xlabel="first", ylabel="second")
axes[1].legend(fontsize="small")
plt.show()
