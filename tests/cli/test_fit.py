import json

import pytest
from numpy.testing import assert_array_equal

from pbow import load
from pbow.cli.descriptors import Descriptor

CLASSES = Descriptor("vectorizers").classes()


@pytest.mark.parametrize("name", CLASSES)
def test_the_model_is_what_the_class_learns(run, folder, X, name):
    result = run("fit", "diagrams.pbow", "--descriptor", name, "-o", "m.pbow")
    assert result.exit_code == 0, result.output
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
    words = ["--words", "4", "--seed", "3", "--jobs", "2", "--set", "n_init=2"]
    assert run("fit", "diagrams.pbow", "-o", "m.pbow", *words).exit_code == 0
    model = load("m.pbow")
    assert (model.n_words, model.random_state, model.n_init) == (4, 3, 2)
    # The model may be used on another machine.
    assert model.n_jobs is None


def test_words_are_not_for_descriptors_without(run, folder):
    words = ["--descriptor", "image", "--words", "4"]
    result = run("fit", "diagrams.pbow", "-o", "m.pbow", *words)
    assert result.exit_code == 2
    assert "image has no parameter n_words; known are bandwidth," in result.stderr


def test_diagrams_may_come_by_a_pipe(run, folder):
    printed = run("convert", "diagrams.pbow", "-").stdout_bytes
    assert run("fit", "-", "-o", "piped.pbow", input=printed).exit_code == 0
    assert run("fit", "diagrams.pbow", "-o", "read.pbow").exit_code == 0
    same = [(folder / name).read_bytes() for name in ("piped.pbow", "read.pbow")]
    assert same[0] == same[1]


def test_the_result_is_reported_as_json(run, folder):
    result = run("fit", "diagrams.pbow", "--words", "3", "-o", "m.pbow", "--json")
    report = json.loads(result.stdout)
    assert report.pop("seconds") > 0.0
    assert report == {
        "output": "m.pbow",
        "samples": 12,
        "parts": ["H0", "H1"],
        "features": 6,
    }


def test_a_cloud_is_not_taken_for_a_diagram(run, tmp_path):
    (tmp_path / "x.csv").write_text("sample,part,birth,death\n0,H1,1,0\n")
    result = run("fit", "x.csv", "-o", "m.pbow")
    assert result.exit_code == 1
    assert result.stderr.endswith("Of point clouds, compute the diagrams first.\n")


@pytest.mark.parametrize(
    ("name", "setting", "number"),
    [
        ("image", "resolution=100000", "10,000,000,000"),
        ("landscape", "n_levels=99999999999999999999", "9,999,999,999,999,999,999,900"),
        ("spbow", 'n_words={"H0": 2, "H1": 10000001}', "10,000,001"),
    ],
)
def test_absurd_sizes_are_refused(run, folder, name, setting, number):
    words = ["--descriptor", name, "--set", setting, "-o", "m.pbow"]
    result = run("fit", "diagrams.pbow", *words)
    assert result.exit_code == 1
    assert f"would need {number} numbers for each part of a dia" in result.stderr
    assert not (folder / "m.pbow").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--set", "n_init=0"], "Expected --set n_init=... to be "),
        (["--set", "n_words=none"], "Expected --words to be "),
        (["--set", "weighting=5"], "Expected --set weighting=... to be "),
    ],
)
def test_a_parameter_is_named_as_it_is_set(run, folder, words, message):
    result = run("fit", "diagrams.pbow", *words, "-o", "m.pbow")
    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {message}")
