"""Files of earlier versions: loaded for ever, with the features they had.

`scripts/make_golden.py` makes files for new estimators. Never make an old one anew: a
test that fails here says that models people have saved no longer mean the same.
"""

import re
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import pbow
from pbow import Diagrams
from pbow.io import read_native
from pbow.io.models import public_estimators

FOLDER = Path(__file__).parent / "golden"
FIRST = [[0.3596904892668231, 0.59907764145651], [1.0, np.inf]]
MODELS = sorted(FOLDER.glob("*-*[0-9].pbow"))


@pytest.fixture(scope="module", name="X")
def diagrams():
    return read_native(FOLDER / "diagrams.pbow")


def test_every_class_that_can_be_saved_has_a_golden_file():
    classes = {cls.__name__ for cls in public_estimators()}
    assert {path.stem.partition("-")[0] for path in MODELS} == classes


def test_every_file_is_used():
    stems = [path.stem for path in MODELS]
    pattern = re.compile(rf"({'|'.join(stems)})\.(pbow|npy|out\.pbow)|diagrams\.pbow")
    others = [p.name for p in FOLDER.iterdir() if not pattern.fullmatch(p.name)]
    assert others == []


def test_golden_diagrams_are_read_to_the_bit(X):
    assert X.parts == ("H0", "H1")
    assert [len(part) for part in X["H1"]] == [0, 2, 3, 4, 6, 9, 9, 10, 11, 12, 13, 13]
    # Written out, so that no reader can be wrong in the same way twice.
    assert X["H0"][1].tolist() == FIRST
    assert X["H1"][1].tolist() == [FIRST[0], FIRST[0]]
    assert X["H0"][0].tolist() == [[0.0, np.inf]]


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_a_golden_model_gives_the_features_it_gave(path, X):
    model = pbow.load(path)
    assert type(model).__name__ == path.stem.partition("-")[0]
    features = model.transform(X)
    if isinstance(features, Diagrams):
        expected = read_native(path.with_suffix(".out.pbow"))
        assert features.parts == expected.parts
        for part in expected.parts:
            pairs = zip(features[part], expected[part], strict=True)
            for ours, theirs in pairs:
                assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)
        return
    expected = np.load(path.with_suffix(".npy"))
    assert features.dtype == expected.dtype
    # Of float32 half a unit in the last place is more than 1e-12.
    tolerance = 1e-12 if expected.dtype == np.float64 else 2**-23
    assert_allclose(features, expected, rtol=tolerance, atol=tolerance)
