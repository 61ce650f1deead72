"""Commands run as the README, the guide and the help print them."""

import csv
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from click.shell_completion import get_completion_class

from pbow.cli import main
from pbow.datasets import SHAPE_NAMES, make_shapes
from pbow.io import read_diagrams

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "guide" / "command_line.md"
if not PAGE.is_file():
    pytest.skip("needs docs/, which only a clone has", allow_module_level=True)
BLOCKS = re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
COMPLETION = "_PBOW_COMPLETE"
DECLARATION = """
repetitions = 2

[datasets.smooth-or-rough]
surfaces = { n_diagrams = 20, n_points = 30 }

[descriptors.PBoW]
make = "PersistenceBoW"
params.n_words = 5
"""


def lines_of(block):
    return block.replace("\\\n", " ").splitlines()


def test_the_readme_leads_from_an_empty_folder_to_a_page(run, tmp_path):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text.partition("\n## From an empty folder\n")[2].partition("\n## ")[0]
    [block] = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    printed = {}
    for line in block.splitlines():
        program, name, _ = line.split(maxsplit=2)
        assert program == "pbow"
        result = run(line.removeprefix("pbow"))
        assert "Warning" not in result.stderr
        printed[name] = result.stdout
    steps = ["datasets", "homology", "fit", "transform", "evaluate", "explore"]
    assert list(printed) == steps

    labels = (tmp_path / "labels.txt").read_text().splitlines()
    X = read_diagrams(tmp_path / "diagrams.pbow")
    assert np.load(tmp_path / "clouds.npy").shape == (len(X), 200, 3)
    assert set(labels) == set(SHAPE_NAMES)
    with (tmp_path / "vectors.csv").open(newline="") as file:
        head, *rows = csv.reader(file)
    assert head[-1] == "h1_word19"
    assert np.array(rows, dtype=float).shape == (len(labels), 40)
    accuracies = re.findall(r"^s?pbow +([0-9.]+) ±", printed["evaluate"], re.MULTILINE)
    # Six classes: 17 % by chance.
    assert [float(accuracy) > 80.0 for accuracy in accuracies] == [True, True]
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "clusters of clusters" in page
    assert len(list(tmp_path.iterdir())) == len(steps)


@pytest.fixture
def scans(tmp_path):
    """Five circles and five tori, as a folder of files and as an array."""
    clouds, shapes = make_shapes(5, 120, noise=0.02, random_state=0)
    names = [SHAPE_NAMES[shape] for shape in shapes]
    chosen = [i for i, name in enumerate(names) if name in {"circle", "torus"}]
    for folder in ("scans", "new-scans"):
        (tmp_path / folder).mkdir()
        for i in chosen:
            np.savetxt(tmp_path / folder / f"{i}.csv", clouds[i], delimiter=",")
    np.save(tmp_path / "clouds.npy", clouds[chosen])
    labels = "".join(f"{names[i]}\n" for i in chosen)
    (tmp_path / "labels.txt").write_text(labels)
    rows = "".join(f"{i}.csv,{names[i]}\n" for i in reversed(chosen))
    (tmp_path / "labels.csv").write_text(f"file,label\n{rows}")
    pillow = pytest.importorskip("PIL.Image")
    rng = np.random.default_rng(0)
    for label, levels in {"rough": 256, "smooth": 64}.items():
        folder = tmp_path / "by-label" / label
        folder.mkdir(parents=True)
        for i in range(6):
            pixels = rng.integers(0, levels, (8, 9)).astype(np.uint8)
            pillow.fromarray(pixels).save(folder / f"{i}.png")
    return tmp_path


def test_every_command_of_the_page_runs(run, scans):
    blocks = [block for block in BLOCKS if COMPLETION not in block]
    for line in [line for block in blocks for line in lines_of(block)]:
        carried = None
        # `head` at the end of a pipe is not ours.
        for step in line.removesuffix("| head -3").split("|"):
            assert step.strip().startswith("pbow ")
            carried = run(step.strip().removeprefix("pbow"), input=carried).stdout_bytes
    written = {path.suffix for path in scans.iterdir()}
    assert {".pbow", ".csv", ".png"} <= written


def commands(group, name=""):
    """Yield the names of all commands, those of groups included."""
    yield name
    for one, command in getattr(group, "commands", {}).items():
        yield from commands(command, f"{name} {one}".strip())


# Those that need no more than their options have no example.
WITHOUT = {
    *("demo", "warm-up", "datasets", "datasets list", "datasets import"),
    *("experiment run", "experiment table", "experiment report"),
}
HELP = [name for name in commands(main) if name and name not in WITHOUT]
CAT = re.compile(r"cat (\S+) \| ")


@pytest.fixture
def inputs_of_help(run, scans):
    """Files of the names that the examples of the help have."""
    pillow = pytest.importorskip("PIL.Image")
    for folder in ("pictures", "graphs", "experiments"):
        (scans / folder).mkdir()
    for i in range(3):
        pixels = np.arange(20, dtype=np.uint8).reshape(4, 5) ** (i + 1)
        pillow.fromarray(pixels).save(scans / "pictures" / f"{i}.png")
        (scans / "graphs" / f"{i}.txt").write_text("0 1\n1 2\n2 0\n2 3\n")
    numbered = np.c_[np.arange(4), np.eye(4)[:, :3]]
    np.savetxt(scans / "numbered.csv", numbered, delimiter=",")
    (scans / "experiments" / "quick.toml").write_text(DECLARATION)
    (scans / "airplane.off").write_text("OFF 3 1 3\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")
    run("homology scans --kind clouds --names-out names.txt -o diagrams.pbow")
    run("convert diagrams.pbow diagrams.csv")
    run("convert --to pers diagrams.pbow gudhi-output")
    run("convert --to hera --parts H0 diagrams.pbow hera-output")
    run("fit diagrams.pbow --words 10,30 -o model.pbow")
    return scans


def examples_of(run, command):
    text = run(command, "--help").stdout.replace("\\\n", " ")
    lines = [" ".join(line.split()) for line in text.splitlines()]
    begin = f"pbow {command} ".replace("  ", " ")
    return [line for line in lines if CAT.sub("", line).startswith(begin)]


def test_the_examples_of_the_first_help_run_in_an_empty_folder(run, tmp_path):
    assert not list(tmp_path.iterdir())
    for line in examples_of(run, ""):
        run(line.removeprefix("pbow"))
    made = {path.name for path in tmp_path.iterdir()}
    assert {"diagrams.pbow", "model.pbow", "vectors.csv"} <= made


@pytest.mark.parametrize("command", sorted(WITHOUT))
def test_no_other_help_has_examples(run, command):
    assert examples_of(run, command) == []


@pytest.mark.parametrize("command", HELP)
def test_the_examples_of_help_run_as_printed(run, inputs_of_help, command):
    pytest.importorskip("pyarrow")
    examples = examples_of(run, command)
    assert examples
    # One of the examples makes what others read.
    before = (inputs_of_help / "model.pbow").read_bytes()
    for line in examples:
        (inputs_of_help / "model.pbow").write_bytes(before)
        piped = CAT.match(line)
        given = (inputs_of_help / piped[1]).read_bytes() if piped else None
        step = CAT.sub("", line).removesuffix("| head")
        words = [
            path
            for word in shlex.split(step)[1:]
            for path in (sorted(Path().glob(word)) if "*" in word else [word])
        ]
        run("", *words, input=given)


def test_new_data_are_classified_as_the_page_says(run, scans, capsys):
    run("homology scans --kind clouds -o diagrams.pbow")
    run("homology new-scans --kind clouds -o new.pbow")
    text = PAGE.read_text(encoding="utf-8")
    [code] = re.findall(r"(?:^    .+\n|^\n)+(?=\nC is 1)", text, re.MULTILINE)
    exec(textwrap.dedent(code))
    labels = (scans / "labels.txt").read_text().split()
    assert re.findall(r"\w+", capsys.readouterr().out) == labels


def test_shells_complete_by_the_lines_of_the_page():
    [block] = [block for block in BLOCKS if COMPLETION in block]
    shells = re.findall(rf"{COMPLETION}=(\w+)_source pbow", block)
    assert shells == ["bash", "zsh", "fish"]
    assert all(get_completion_class(shell) for shell in shells)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_takes_its_line():
    [line] = [line for block in BLOCKS for line in lines_of(block) if "bash_s" in line]
    here = Path(sys.executable).parent
    script = f'PATH="{here}:$PATH"\n{line}\ncomplete -p pbow'
    result = subprocess.run(
        ["bash", "-ec", script], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert "_pbow_completion" in result.stdout
