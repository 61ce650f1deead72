"""Which step each variant of the Reddit diagrams changes, by hand."""

import numpy as np
import pytest
from experiments.reddit_variants import Variant, measure, variants_of

from pbow import Diagrams

INF = np.inf
# Births from 1, the largest death is 201: the threshold is 2 degrees. The second has no
# finite death, the last one an essential point that is born after all deaths.
RAW = [
    [[1, 3], [1, 4], [51, 201], [1, INF], [101, INF]],
    [[2, INF]],
    [[1, 5], [9, INF]],
]
EXPECTED = {
    "as in EXP-B": [
        [[0, 0.015], [0.25, 1], [0, INF], [0.5, INF]],
        [[0, INF]],
        [[0, 1], [2, INF]],
    ],
    "no threshold of persistence": [
        [[0, 0.01], [0, 0.015], [0.25, 1], [0, INF], [0.5, INF]],
        [[0, INF]],
        [[0, 1], [2, INF]],
    ],
    "degrees neither shifted nor scaled": [
        [[1, 4], [51, 201], [1, INF], [101, INF]],
        [[2, INF]],
        [[1, 5], [9, INF]],
    ],
    "essential points, which die at the largest finite death, too": [
        [[0, 0.015], [0.25, 1], [0, 1], [0.5, 1]],
        [[0, 1]],
        [[0, 1]],
    ],
}


def test_every_variant_changes_one_step():
    made = variants_of(Diagrams.from_list(RAW, name="H0"), np.array([0, 1, 0]))
    variants = {variant.title: variant for variant in made}
    whitened = variants.pop("words in whitened coordinates")
    assert (whitened.methods, whitened.params) == (("PBoW",), {"whiten": True})
    assert whitened.diagrams is variants["as in EXP-B"].diagrams
    assert variants.keys() == EXPECTED.keys()
    for title, variant in variants.items():
        assert (variant.methods, variant.params) == (("PBoW", "PI"), {})
        for found, expected in zip(variant.diagrams, EXPECTED[title], strict=True):
            np.testing.assert_allclose(found, expected)


def test_methods_are_those_of_exp_b_at_the_optimum(monkeypatch):
    seen = []

    def evaluate(descriptor, X, labels, split, classifiers, **how):
        seen.append((descriptor.get_params(), how))
        raise StopIteration

    monkeypatch.setattr("experiments.reddit_variants.evaluate_split", evaluate)
    variant = Variant("", Diagrams.from_list([[]] * 20), np.repeat([0, 1], 10))
    for method in ("PI", "PBoW"):
        with pytest.raises(StopIteration):
            measure("reddit-12k", variant, method)
    (image, of_image), (words, of_words) = seen
    assert (image["resolution"], image["bandwidth"], image["weight"]) == (50, 0.5, None)
    assert (words["n_words"], words["sample_size"]) == (100, 50_000)
    assert (words["weighting"], words["whiten"]) == ("uniform", False)
    assert (of_image["fit_on_all"], of_words["fit_on_all"]) == (True, False)
    assert (of_words["search"].folds, of_words["search"].rows) == (3, 1500)
