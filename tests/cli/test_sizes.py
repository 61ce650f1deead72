from importlib import import_module

import pytest

from pbow import vectorizers
from pbow.cli import sizes
from pbow.cli.descriptors import VECTORIZERS

TOO_MUCH = [
    ("image", "resolution=100000", "10,000,000,000"),
    ("image", "resolution=(100000, 101)", "10,100,000"),
    ("landscape", "n_levels=99999999999999999999", "9,999,999,999,999,999,999,900"),
    ("riemannian", "resolution=3163", "10,004,569"),
    ("pbow", "n_words=10000001", "10,000,001"),
    ("spbow", 'n_words={"H0": 2, "H1": 10000001}', "10,000,001"),
]


@pytest.mark.parametrize(("name", "setting", "number"), TOO_MUCH)
def test_absurd_sizes_are_refused_before_anything_is_read(run, name, setting, number):
    words = ["--descriptor", name, "--set", setting]
    for command in (
        ["fit", "nowhere.pbow", "-o", "m.pbow"],
        ["evaluate", "nowhere.pbow", "--labels", "nowhere.txt"],
    ):
        result = run(*command, *words)
        assert result.exit_code == 2
        last = result.stderr.splitlines()[-1]
        assert f"would make {number} numbers of each part of a diagram; expec" in last


def test_the_directions_of_a_kernel_are_bounded_too(run):
    words = ["--descriptor", "swk", "--set", "n_directions=10000001"]
    result = run("evaluate", "nowhere.pbow", "--labels", "nowhere.txt", *words)
    assert result.exit_code == 2
    assert "swk with n_directions=10000001 would make" in result.stderr


@pytest.mark.parametrize(
    "value", [3162, (1_000_000, 10), -100_000, "large", 1e12, (), [3, "x"]]
)
def test_what_can_be_held_or_is_no_size_is_left_to_the_class(value):
    sizes.check_parameters("image", {"resolution": value})


@pytest.mark.parametrize("essential", ["drop", "separate"])
@pytest.mark.parametrize("name", VECTORIZERS)
def test_features_are_counted_as_they_are_named(X, name, essential):
    fitted = getattr(vectorizers, VECTORIZERS[name])(essential=essential)
    if name in {"pbow", "spbow"}:
        fitted.set_params(n_words=3)
    if name == "image":
        fitted.set_params(resolution=(3, 4))
    fitted.fit(X)
    assert sizes.count_features(fitted) == len(fitted.get_feature_names_out())


def test_nothing_is_written_before_features_are_counted(run, folder, monkeypatch):
    def refuse(fitted):
        raise MemoryError

    monkeypatch.setattr(import_module("pbow.cli.fit"), "count_features", refuse)
    assert run("fit", "diagrams.pbow", "--words", "2", "-o", "m.pbow").exit_code == 1
    assert not (folder / "m.pbow").exists()
