import pytest
from numpy.testing import assert_array_equal

from pbow import PersistenceBoW, load
from pbow.cli.descriptors import Descriptor

CLASSES = Descriptor("vectorizers").classes()


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
