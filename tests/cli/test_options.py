import click
import pytest

from pbow import load
from pbow.cli.options import Words


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("n_words=4", 4),
        ("n_words=3,8", (3, 8)),
        ("n_words=auto", "auto"),
        ('n_words={"H0": 2, "H1": 5}', {"H0": 2, "H1": 5}),
        ("quantiles=(0.1, 0.9)", (0.1, 0.9)),
        ("weighting=ramp", "ramp"),
        ("normalize=none", None),
        ("whiten=False", False),
        ("essential=2.5", 2.5),
    ],
)
def test_a_setting_is_a_number_a_word_or_any_plain_value(run, folder, setting, value):
    run("fit diagrams.pbow -o m.pbow --set", setting)
    assert load("m.pbow").get_params()[setting.partition("=")[0]] == value


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ("20", 20),
        ("1", 1),
        ("10,30,100", (10, 30, 100)),
        ("10, 30", (10, 30)),
        ("auto", "auto"),
    ],
)
def test_words_are_a_number_several_or_auto(given, value):
    assert Words().convert(given, None, None) == value


@pytest.mark.parametrize(
    "given",
    [
        *("30,10", "10,10", "0", "0,5", "-3", ",", "10,", ",10", "ten", "", "1e2"),
        *("2.5", "10;30", "(10, 30)", "AUTO", "auto,10", "9" * 5000),
    ],
)
def test_other_words_are_refused_in_one_short_line(given):
    message = (
        "^expected a number, increasing numbers separated by commas, as in 10,30,100, "
        "or auto; got .{2,200}[.]$"
    )
    with pytest.raises(click.BadParameter, match=message):
        Words().convert(given, None, None)


@pytest.mark.parametrize(
    "command",
    [
        "plot classes --part H1 -o out.png",
        "plot difference --part H1 --between many 'few points' -o out.png",
        "explore -o out.html",
    ],
)
def test_labels_go_by_name_whatever_their_order(run, folder, command):
    written = []
    for labels in ("labels.csv", "labels.txt"):
        files = ["model.pbow", "diagrams.pbow", "--names", "names.txt"]
        run(command, *files, "--labels", labels)
        [output] = folder.glob("out.*")
        written.append(output.read_bytes())
    assert written[0] == written[1]
