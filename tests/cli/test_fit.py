import json

import pytest
from numpy.testing import assert_array_equal

from pbow import PersistenceBoW, load
from pbow.cli.descriptors import Descriptor
from pbow.vectorizers.points import PointVectorizer

CLASSES = Descriptor("vectorizers").classes()
LEARN_FROM_POINTS = [
    name for name, cls in CLASSES.items() if issubclass(cls, PointVectorizer)
]
OWN = """
import numpy as np
from pbow.vectorizers.base import Vectorizer

class Counts(Vectorizer):
    by_part = "counts_"
    counts_: dict[str, int]

    def __init__(self, *, essential="drop", n_jobs=None):
        self.essential, self.n_jobs = essential, n_jobs

    def _learn_parts(self, parts, births_only):
        return {"counts_": {name: 1 for name in parts}}

    def _encode_part(self, name, part):
        return np.diff(part.offsets)[:, np.newaxis].astype(float)

    def _column_names(self, name):
        return ["count"]
"""


@pytest.mark.parametrize("name", CLASSES)
def test_the_model_is_what_the_class_learns(run, folder, X, name):
    result = run(f"fit diagrams.pbow --descriptor {name} -o m.pbow")
    model = load("m.pbow")
    expected = CLASSES[name]()
    if "random_state" in expected.get_params():
        expected.set_params(random_state=0)
    assert repr(model) == repr(expected)
    assert_array_equal(model.transform(X), expected.fit_transform(X))
    assert result.stdout == ""
    n_features = len(model.get_feature_names_out())
    assert result.stderr.splitlines()[-1] == f"m.pbow: {model}, {n_features} features"


def test_words_seed_and_threads_are_set(run, folder):
    run("fit diagrams.pbow -o m.pbow --words 4 --seed 3 --jobs 2 --set n_init=2")
    model = load("m.pbow")
    assert (model.n_words, model.random_state, model.n_init) == (4, 3, 2)
    # The model may be used on another machine.
    assert model.n_jobs is None


def test_words_may_have_several_resolutions(run, folder, X):
    run("fit diagrams.pbow -o m.pbow --words 2,5")
    model = load("m.pbow")
    assert model.n_words == (2, 5)
    expected = PersistenceBoW((2, 5), random_state=0).fit_transform(X)
    assert_array_equal(model.transform(X), expected)


@pytest.mark.parametrize("options", ["", "--words 2,4,90", "--descriptor spbow"])
def test_graphs_with_few_distinct_points_have_fewer_words_and_one_warning(
    run, tmp_path, options
):
    (tmp_path / "graphs").mkdir()
    for n in range(2, 8):  # a star of n leaves has the point (1, n), repeatedly
        star = "\n".join(f"0 {leaf}" for leaf in range(1, n + 1))
        (tmp_path / "graphs" / f"{n}.txt").write_text(star)
    run("homology graphs --kind graphs -o d.pbow")
    result = run(f"fit d.pbow -o m.pbow {options}")
    warning, _ = result.stderr.splitlines()
    assert warning.startswith("Warning: There are fewer distinct points to learn ")
    assert "6 words instead of " in warning
    assert result.stdout == ""
    run("transform m.pbow d.pbow -o v.npy")
    assert load("m.pbow").codebooks_["H0"].sizes[-1] == 6


def test_diagrams_may_come_by_a_pipe(run, folder):
    printed = run("convert diagrams.pbow -").stdout_bytes
    run("fit - -o piped.pbow", input=printed)
    run("fit diagrams.pbow -o read.pbow")
    same = [(folder / name).read_bytes() for name in ("piped.pbow", "read.pbow")]
    assert same[0] == same[1]


@pytest.mark.parametrize("name", LEARN_FROM_POINTS)
def test_a_model_that_is_learnt_in_blocks_is_the_same_file(run, folder, name):
    command = f"fit diagrams.pbow --descriptor {name} --seed 3"
    whole = run(f"{command} -o whole.pbow")
    in_blocks = run(f"{command} --stream -o blocks.pbow")
    assert (folder / "blocks.pbow").read_bytes() == (folder / "whole.pbow").read_bytes()
    assert in_blocks.stdout == ""
    assert in_blocks.stderr == whole.stderr.replace("whole", "blocks")


@pytest.mark.parametrize("stream", ["--stream", "--no-stream"])
def test_all_options_are_for_blocks_too(run, folder, stream):
    chosen = "--words 2,5 --seed 3 --jobs 2 --set n_init=2 --set weighting=ramp"
    result = run(f"fit diagrams.pbow -o m.pbow {chosen} {stream} --json")
    model = load("m.pbow")
    assert (model.n_words, model.random_state, model.n_init) == ((2, 5), 3, 2)
    assert model.n_jobs is None
    facts = json.loads(result.stdout)
    assert facts.pop("seconds") > 0.0
    expected = {"samples": 12, "parts": ["H0", "H1"], "features": 14}
    assert facts == {"output": "m.pbow"} | expected


@pytest.mark.parametrize("descriptor", ["riemannian", "own_counts:Counts"])
def test_what_cannot_learn_from_blocks_is_refused(run, folder, descriptor):
    (folder / "own_counts.py").write_text(OWN)
    command = f"fit diagrams.pbow --descriptor {descriptor} -o m.pbow"
    result = run(f"{command} --stream", code=1)
    [line] = result.stderr.splitlines()
    assert "Expected a vectorizer that learns from points, such as Pers" in line
    assert not (folder / "m.pbow").exists()
    run(f"{command} --no-stream")


def test_what_comes_by_a_pipe_is_not_read_in_blocks(run, folder):
    for option in ("--stream", "--scheduler tcp://nowhere:1"):
        result = run(f"fit - -o m.pbow {option}", input="", code=2)
        message = f"Error: {option.split()[0]} reads the diagrams in blocks; name a fi"
        assert result.stderr.splitlines()[-1].startswith(message)
