import pytest

from pbow import load


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("n_words=4", 4),
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
