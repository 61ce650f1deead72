"""What is committed in experiments/results belongs together, and says what is said."""

import re
import tomllib
from functools import cache
from pathlib import Path

import pandas as pd
import pytest
from experiments.compare import Part, measure

from experiments import choose_defaults, claims, reddit_variants, verdicts
from pbow.experiment import Folder, progress
from pbow.experiment.tables import make_tables, summarize

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
RESULTS = EXPERIMENTS / "results"
README = (EXPERIMENTS.parent / "README.md").read_text(encoding="utf-8")
NAMES = sorted(path.parent.name for path in RESULTS.glob("*/runs.parquet"))


@cache
def read(name):
    folder = Folder(RESULTS / name)
    return folder.read_declaration(), folder.read()


@cache
def read_verdicts():
    return verdicts.read_verdicts()


def in_readme(start):
    """Return the table that begins so."""
    lines = README[README.index(start) :].partition("\n\n")[0].splitlines()
    head, _, *rows = (
        [cell.strip("`* ") for cell in line[1:-1].split("|")] for line in lines
    )
    return pd.DataFrame(rows, columns=head).set_index("")


def test_the_results_of_every_experiment_are_here():
    declared = {path.stem for path in EXPERIMENTS.glob("*.toml")}
    assert {*NAMES} == declared - {"quick"}


@pytest.mark.parametrize("name", NAMES)
def test_results_are_complete_of_the_declaration_and_say_by_what_they_were_made(name):
    kept = RESULTS / name / f"{name}.toml"
    assert kept.read_text() == (EXPERIMENTS / f"{name}.toml").read_text()
    cells = progress(*read(name))
    assert cells[~cells.complete].empty
    assert set(cells.errors) == {""}
    for record in read(name)[1].values():
        assert re.fullmatch("[0-9a-f]{12}", record["code"])
        assert re.fullmatch("[0-9a-f]{64}", record["data"])
        assert record["versions"].startswith("python 3")


MADE = {
    "verdicts.md": lambda: verdicts.to_markdown(read_verdicts()),
    "claims.md": lambda: claims.check_claims(
        *(claims.results_of(*read(name)) for name in ("exp_a", "exp_b"))
    ),
    "reddit/variants.md": lambda: reddit_variants.to_markdown(
        pd.read_csv(RESULTS / "reddit" / "variants.csv")
    ),
    **{f"{name}/table.md": lambda n=name: make_tables(*read(n)) for name in NAMES},
    **{
        f"defaults/{name}": lambda text=text: text
        for name, text in choose_defaults.tables().items()
    },
}


@pytest.mark.parametrize("path", MADE)
def test_texts_are_made_of_these_runs(path):
    assert (RESULTS / path).read_text(encoding="utf-8") == MADE[path]()


def test_so_many_of_eight_methods_agree_with_the_paper_and_the_others_say_why():
    found = read_verdicts()
    agreeing = found[found.verdict == "agrees"].dataset.value_counts()
    expected = {"synthetic": 8, "synthetic-6": 8}
    expected |= {"shape-segmentation": 6, "shape-segmentation-extra": 5}
    assert agreeing[[*expected]].to_dict() == expected
    assert set(found.dataset.value_counts()[[*expected]]) == {8}
    assert found[(found.verdict == "differs") & (found.why == "")].empty
    notes = tomllib.loads((RESULTS / "notes.toml").read_text(encoding="utf-8"))
    on_methods = [
        why for data in notes.values() for each in data.values() for why in each
    ]
    assert len(on_methods) == (found.why != "").sum()


def test_the_papers_own_table_contradicts_what_it_says_of_kernels():
    text = (RESULTS / "claims.md").read_text(encoding="utf-8")
    assert "| 5 of 6. Best vectorized method and best kernel: Synthetic PI 98.3" in text
    assert "; PetroSurf3D PI 80.0 and MK 80.2; " in text


def test_the_representations_of_the_whole_table_take_minutes():
    total = 0.0
    for name in ("exp_a", "exp_b"):
        summary = summarize(*read(name))
        paper = summary[summary.paper_seconds.notna() & (summary.variant_of == "")]
        one = paper.drop_duplicates(["dataset", "descriptor"])
        total += one.test_chosen_seconds.sum()
    assert total < 420.0


@pytest.mark.parametrize(("title", "descriptor"), choose_defaults.SETTINGS.items())
def test_settings_can_be_measured_again(title, descriptor):
    if descriptor is choose_defaults.REJECTED:
        pytest.skip("its code is not kept")
    [row] = measure("synthetic", Part(5, 1), title, descriptor, ["distance"])
    assert row["accuracy"] > 50.0


def test_the_readme_has_the_numbers_of_the_defaults():
    shown = in_readme("| | Synthetic, 7 classes").rename(
        {"certified()` sPBoW": "certified"}
    )
    finalists = pd.read_csv(choose_defaults.RESULTS / "finalists.csv")
    table = choose_defaults.accuracies(finalists, choose_defaults.MACHINES, shown.index)
    assert len(shown) >= 6
    pd.testing.assert_frame_equal(shown, table[shown.columns], check_names=False)


def test_the_readme_counts_verdicts():
    found = read_verdicts().query("dataset != 'synthetic-6'")
    counts = in_readme("| | cells | agree").astype(int).T.to_dict("list")
    assert counts == {
        data: [len(of), *((of == v).sum() for v in ("agrees", "undecided", "differs"))]
        for data, of in found.groupby("data").verdict
    }


def test_the_page_says_what_screening_changes():
    page = (EXPERIMENTS.parent / "docs" / "reproduction.md").read_text("utf-8")
    said = " ".join(page.split()).replace("\N{MINUS SIGN}", "-")
    for dataset, method in (("synthetic", "PBoW"), ("reddit-5k", "RM")):
        cell = f"dataset == '{dataset}' and descriptor == '{method}'"
        screened, unreduced = (
            summarize(*read(name)).query(f"{cell} and classifier == 'distance'")
            for name in ("exp_a", "unreduced")
        )
        nested, test_chosen = (
            screened[what].item() - unreduced[what].item()
            for what in ("nested_mean", "test_chosen_mean")
        )
        assert (
            f"{method} on {screened.dataset_title.item()} by {nested:+.1f} and its "
            f"test-chosen accuracy by {test_chosen:+.1f} points" in said
        )


def test_the_numbers_of_the_notes_are_in_the_tables():
    paths = (*RESULTS.glob("*/table.md"), RESULTS / "reddit" / "variants.md")
    tables = "".join(path.read_text(encoding="utf-8") for path in paths)
    notes = (RESULTS / "notes.toml").read_text(encoding="utf-8")
    quoted = re.findall(r"\d+\.\d ± \d+\.\d", notes)
    assert len(quoted) > 10
    assert [number for number in quoted if number not in tables] == []
