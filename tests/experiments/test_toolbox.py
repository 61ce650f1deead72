import numpy as np
from experiments.toolbox import ToolboxLandscapes, peel_levels

from pbow import Diagrams
from pbow.kernels import LandscapeKernel


def distances(X):
    makers = (ToolboxLandscapes, LandscapeKernel)
    return [make(output="distance").fit(X).transform(X) for make in makers]


def test_levels_are_the_kth_largest_tents():
    rng = np.random.default_rng(0)
    points = np.cumsum(rng.integers(1, 9, (12, 2)), axis=1)
    times = np.linspace(-1.0, 20.0, 500)
    tents = np.minimum(times - points[:, :1], points[:, 1:] - times).clip(0.0)
    expected = np.sort(tents, axis=0)[::-1]
    levels = [np.interp(times, *np.array(level).T) for level in peel_levels(points)]
    np.testing.assert_allclose(levels, expected[: len(levels)], atol=1e-12)
    assert not expected[len(levels) :].any()


def test_whole_numbers_have_the_exact_distances():
    rng = np.random.default_rng(1)
    whole = [np.cumsum(rng.integers(1, 9, (n, 2)), axis=1) for n in (0, 1, 5, 9)]
    np.testing.assert_allclose(*distances(Diagrams.from_list(whole)), atol=1e-12)


def test_rounding_is_seen_where_landscapes_run_parallel():
    rng = np.random.default_rng(2)
    X = Diagrams.from_list([np.cumsum(rng.random((9, 2)), axis=1) for _ in range(20)])
    rounded, exact = distances(X)
    np.testing.assert_allclose(rounded, exact, rtol=0.1)
    assert np.abs(rounded - exact).max() > 1e-4
