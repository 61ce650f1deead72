"""
Pipelines and grid search
=========================

A vectorizer is a step of a scikit-learn pipeline. Grid search can tune its parameters,
and in each fold the words are learned from the training diagrams only.
"""

# %%
# We generate training and test clouds.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC

from pbow import PersistenceBoW
from pbow.datasets import SHAPE_NAMES, make_shapes
from pbow.homology import rips
from pbow.plotting import plot_confusion

clouds, y = make_shapes(n_per_class=20, n_points=120, random_state=0)
X = rips(clouds, dims=1)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.5, stratify=y, random_state=0
)

# %%
# Grid search over vectorizer and classifier
# ------------------------------------------

model = Pipeline(
    [("words", PersistenceBoW(random_state=0)), ("svm", SVC(kernel="linear"))]
)
grid = {
    "words__n_words": [2, 5, 10, 20, 40],
    "words__weighting": ["uniform", "ramp"],
    "svm__C": [0.1, 1.0, 10.0],
}
search = GridSearchCV(model, grid, cv=3).fit(X_train, y_train)
print(search.best_params_)

# %%
# The default of 10, 30 and 100 words needs no search except over C.

default = GridSearchCV(model, {"svm__C": grid["svm__C"]}, cv=3).fit(X_train, y_train)

# %%
# Accuracy by number of words
# ---------------------------
# For each number of words, the plot shows the mean accuracy over the folds at the best
# C. The dashed line is the default.

results = search.cv_results_
for weighting in grid["words__weighting"]:
    best = [
        results["mean_test_score"][
            (results["param_words__n_words"] == n_words)
            & (results["param_words__weighting"] == weighting)
        ].max()
        for n_words in grid["words__n_words"]
    ]
    plt.plot(grid["words__n_words"], 100 * np.array(best), "o-", label=weighting)
plt.axhline(100 * default.best_score_, color="gray", ls="--", label="10 + 30 + 100")
plt.xlabel("number of words")
plt.ylabel("accuracy in cross-validation, %")
plt.legend(title="weighting")
plt.show()

# %%
# Test set
# --------
# Rows are true labels; numbers are percentages.

predicted = search.predict(X_test)
plot_confusion(confusion_matrix(y_test, predicted), SHAPE_NAMES)
plt.show()
