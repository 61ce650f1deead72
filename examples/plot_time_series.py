"""
Time series: delay embedding
============================

A delay embedding combines each value of a time series with two earlier values to a
point in 3-D. A periodic series becomes a closed curve, whatever its frequency,
amplitude and phase, and persistent homology detects the loop.
"""

# %%
# Three types of series
# ---------------------
# The series are a single tone, the sum of two tones with incommensurable frequencies,
# and smoothed noise. Each series has its own frequencies and noise.

import matplotlib.pyplot as plt
import numpy as np
from scipy.ndimage import gaussian_filter1d
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from pbow import PersistenceBoW
from pbow.homology import rips
from pbow.plotting import plot_diagram

n_per_class = 20
n_points = 120
delay = 12
times = np.arange(n_points + 2 * delay)
rng = np.random.default_rng(0)


def tone(length):
    return np.sin(2 * np.pi * times / length + rng.uniform(0, 7))


def draw(kind):
    length = rng.uniform(40, 60)
    if kind == "one tone":
        series = tone(length)
    elif kind == "two tones":
        series = tone(length) + tone(length / 2.618)
    else:
        series = gaussian_filter1d(rng.normal(size=len(times)), length / 8)
    series = (series - series.mean()) / series.std()
    return series + rng.normal(scale=0.1, size=len(times))


def embed(series):
    return np.c_[series[: -2 * delay], series[delay:-delay], series[2 * delay :]]


kinds = ["one tone", "two tones", "no rhythm"]
series = [draw(kind) for kind in kinds for _ in range(n_per_class)]
y = np.repeat(kinds, n_per_class)

# %%
# From series to diagrams
# -----------------------
# The middle column shows the first two of the three coordinates.

X = rips([embed(one) for one in series], dims=1)
figure, axes = plt.subplots(3, 3, figsize=(9, 8), layout="constrained")
for k, (name, row) in enumerate(zip(kinds, axes, strict=True)):
    one = series[k * n_per_class]
    row[0].plot(one)
    row[0].set(ylabel=name, xlabel="time")
    row[1].scatter(*embed(one)[:, :2].T, s=5)
    row[1].set(xlabel="now", ylabel=f"{delay} steps later")
    plot_diagram(X[k * n_per_class], ax=row[2])
plt.show()

# %%
# Classification
# --------------

model = make_pipeline(PersistenceBoW(n_words=8, random_state=0), SVC(kernel="linear"))
scores = cross_val_score(model, X, y, cv=3)
print(f"accuracy {100 * scores.mean():.0f} %")
