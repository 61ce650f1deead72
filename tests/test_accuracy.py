"""What the descriptors must reach on known data, by the protocol of the experiments.

Splits and seeds are fixed, and the thresholds hold for them: on the authors' shapes the
mean of five other splits may be anything from 89 to 96 %.
"""

import pytest
from experiments.choose_defaults import accuracies
from experiments.recipes import geomat_standin, reddit_5k, shapes, synthetic_authors

from pbow import PersistenceBoW, StablePersistenceBoW


@pytest.mark.usefixtures("data_home")
@pytest.mark.parametrize(
    ("vectorizer", "threshold"),
    [(PersistenceBoW.paper(100), 93.0), (StablePersistenceBoW.paper(20), 92.0)],
    ids=["PBoW", "sPBoW"],
)
def test_the_papers_settings_tell_the_authors_shapes_apart(vectorizer, threshold):
    scores, _ = accuracies(vectorizer, synthetic_authors(), n_splits=5)
    assert scores.mean() >= threshold


def test_stable_words_tell_generated_shapes_apart():
    scores, _ = accuracies(StablePersistenceBoW(), shapes())
    assert scores.mean() >= 96.5


@pytest.mark.long
@pytest.mark.usefixtures("data_home")
def test_stable_words_tell_materials_of_unseen_surfaces_apart():
    scores, _ = accuracies(StablePersistenceBoW(), geomat_standin())
    assert scores.mean() >= 79.0


@pytest.mark.long
@pytest.mark.usefixtures("data_home")
def test_words_tell_discussion_graphs_apart():
    scores, _ = accuracies(PersistenceBoW(100), reddit_5k(), n_splits=5, test_size=0.1)
    assert scores.mean() >= 47.5
