import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from pbow.vectorizers.statistics import PersistenceStatistics

NAMES = {
    "mean": np.mean,
    "std": np.std,
    "median": np.median,
    "iqr": lambda values: np.subtract(*np.quantile(values, [0.75, 0.25])),
    "range": np.ptp,
    "q10": lambda values: np.quantile(values, 0.1),
    "q25": lambda values: np.quantile(values, 0.25),
    "q75": lambda values: np.quantile(values, 0.75),
    "q90": lambda values: np.quantile(values, 0.9),
}


def by_name(points):
    """All statistics of one diagram, as their names define them."""
    births, deaths = points.T
    quantities = {
        "birth": births,
        "death": deaths,
        "midpoint": (births + deaths) / 2,
        "lifetime": deaths - births,
    }
    shares = (deaths - births) / (deaths - births).sum()
    return {
        f"h1_{quantity}_{name}": function(values)
        for quantity, values in quantities.items()
        for name, function in NAMES.items()
    } | {"h1_count": len(points), "h1_entropy": -(shares * np.log(shares)).sum()}


def test_columns_are_what_they_are_called(ragged):
    statistics = PersistenceStatistics().fit(ragged)
    features = statistics.transform(ragged)
    names = statistics.get_feature_names_out()
    assert len(names) == 38
    for points, row in zip(ragged[1:], features[1:], strict=True):
        expected = by_name(points)
        assert list(expected) == names.tolist()
        assert_allclose(row, list(expected.values()), rtol=1e-12, atol=1e-14)


def test_an_empty_diagram_and_a_single_point_have_all_statistics():
    statistics = PersistenceStatistics()
    empty, single = statistics.fit_transform([[], [[1.0, 3.0]]])
    assert not empty.any()
    one = dict(zip(statistics.columns_[""], single, strict=True))
    assert {name for name, value in one.items() if value == 0.0} == {
        *(
            f"{quantity}_{statistic}"
            for quantity in ("birth", "death", "midpoint", "lifetime")
            for statistic in ("std", "iqr", "range")
        ),
        "entropy",
    }
    assert one["midpoint_mean"] == one["lifetime_q10"] == 2.0


def test_nothing_but_names_is_learnt(ragged):
    few = PersistenceStatistics().fit(ragged[:2])
    all_of_them = PersistenceStatistics().fit(ragged)
    assert_array_equal(few.transform(ragged), all_of_them.transform(ragged))
    assert few.columns_ == all_of_them.columns_


def test_essential_points_have_statistics_of_their_births(ragged, rng):
    births = rng.uniform(size=(30, 2))
    X = [
        np.concatenate((d, [[a, np.inf], [b, np.inf]]))
        for d, (a, b) in zip(ragged, births, strict=True)
    ]
    statistics = PersistenceStatistics(essential="separate").fit(X)
    features = statistics.transform(X)[:, 38:]
    names = [*(f"inf_birth_{name}" for name in NAMES), "inf_count"]
    assert statistics.get_feature_names_out()[38:].tolist() == names
    assert_allclose(features[:, 0], births.mean(axis=1))
    assert_array_equal(features[:, -1], 2.0)
