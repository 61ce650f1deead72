"""
Kernels and distances between diagrams
======================================

A kernel returns one number per pair of diagrams. Support vector machines, nearest
neighbors and embeddings need nothing else.
"""

# %%
# We compute the H1 diagrams of six shapes and use half of the clouds for training.

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
# Kernels in a pipeline
# ---------------------
# ``transform`` returns the kernel with all training diagrams, for an SVM with
# ``kernel="precomputed"``, or the distances to them, for nearest neighbors.

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
# Kernel matrix and embedding
# ---------------------------
# Clouds are sorted by label: blocks on the diagonal are labels with similar diagrams.
# Kernel PCA of the same matrix is on the right.

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
