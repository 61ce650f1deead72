import pytest

from pbow import load


@pytest.mark.parametrize(
    ("setting", "name", "value"),
    [
        ("n_words=4", "n_words", 4),
        ('n_words={"H0": 2, "H1": 5}', "n_words", {"H0": 2, "H1": 5}),
        ("quantiles=(0.1, 0.9)", "quantiles", (0.1, 0.9)),
        ("weighting=ramp", "weighting", "ramp"),
        ("normalize=none", "normalize", None),
        ("whiten=False", "whiten", False),
        ("essential=2.5", "essential", 2.5),
    ],
)
def test_a_setting_is_a_number_a_word_or_any_plain_value(
    run, folder, setting, name, value
):
    result = run("fit", "diagrams.pbow", "-o", "m.pbow", "--set", setting)
    assert result.exit_code == 0, result.output
    assert load("m.pbow").get_params()[name] == value


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("ramp", "expected NAME=VALUE, as in weighting=ramp; got 'ramp'."),
        ("a b=1", "expected NAME=VALUE, as in weighting=ramp; got 'a b=1'."),
        ("bins=3", "pbow has no parameter bins; known are essential, n_init,"),
    ],
)
def test_what_is_no_setting_ends_with_code_2(run, folder, setting, message):
    result = run("fit", "diagrams.pbow", "-o", "m.pbow", "--set", setting)
    assert result.exit_code == 2
    assert message in result.stderr
