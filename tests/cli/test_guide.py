"""The commands of the guide and of the help run as they are printed."""

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

from pbow.datasets import SHAPE_NAMES, make_shapes

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "command_line.md"
if not PAGE.is_file():
    pytest.skip("needs docs/, which only a clone has", allow_module_level=True)
BLOCKS = re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
COMPLETION = "_PBOW_COMPLETE"


def lines_of(block):
    return block.replace("\\\n", " ").splitlines()


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
    return tmp_path


def test_every_command_of_the_page_runs(run, scans):
    pytest.importorskip("gudhi")
    pytest.importorskip("matplotlib")
    blocks = [block for block in BLOCKS if COMPLETION not in block]
    lines = [line for block in blocks for line in lines_of(block)]
    for line in lines:
        # `head` at the end of a pipe is not ours.
        steps = [
            shlex.split(step) for step in line.removesuffix("| head -3").split("|")
        ]
        carried = None
        for program, *words in steps:
            assert program == "pbow"
            result = run(*words, input=carried)
            assert result.exit_code == 0, (line, result.output)
            carried = result.stdout_bytes
    written = {path.suffix for path in scans.iterdir()}
    assert {".pbow", ".csv", ".png"} <= written


# Their files are made from the scans before.
HELP = [
    *("homology", "convert", "info", "fit", "transform", "evaluate", "explore"),
    *("plot", "plot diagram", "plot barcode", "plot codebook", "plot classes"),
    *("plot difference", "datasets shapes"),
]
CAT = re.compile(r"cat (\S+) \| ")


@pytest.fixture
def inputs_of_help(run, scans):
    """Files of the names that the examples of the help have."""
    pillow = pytest.importorskip("PIL.Image")
    for folder in ("pictures", "graphs"):
        (scans / folder).mkdir()
    for i in range(3):
        pixels = np.arange(20, dtype=np.uint8).reshape(4, 5) ** (i + 1)
        pillow.fromarray(pixels).save(scans / "pictures" / f"{i}.png")
        (scans / "graphs" / f"{i}.txt").write_text("0 1\n1 2\n2 0\n2 3\n")
    (scans / "airplane.off").write_text("OFF 3 1 3\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")
    words = ["scans", "--kind", "clouds", "--names-out", "names.txt"]
    assert run("homology", *words, "-o", "diagrams.pbow").exit_code == 0
    for words in (
        ["convert", "diagrams.pbow", "diagrams.csv"],
        ["convert", "--to", "pers", "diagrams.pbow", "gudhi-output"],
        ["convert", "--to", "hera", "--parts", "H0", "diagrams.pbow", "hera-output"],
        ["fit", "diagrams.pbow", "--words", "5", "-o", "model.pbow"],
    ):
        result = run(*words)
        assert result.exit_code == 0, result.output
    return scans


def examples_of(run, command):
    text = run(*command.split(), "--help").stdout.replace("\\\n", " ")
    lines = [" ".join(line.split()) for line in text.splitlines()]
    return [line for line in lines if CAT.sub("", line).startswith(f"pbow {command} ")]


@pytest.mark.parametrize("command", HELP)
def test_the_examples_of_help_run_as_printed(run, inputs_of_help, command):
    for module in ("gudhi", "matplotlib", "plotly", "pyarrow"):
        pytest.importorskip(module)
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
        result = run(*words, input=given)
        assert result.exit_code == 0, (line, result.output)


def test_new_data_are_classified_as_the_page_says(run, scans, capsys):
    pytest.importorskip("gudhi")
    for folder, output in {"scans": "diagrams.pbow", "new-scans": "new.pbow"}.items():
        run("homology", folder, "--kind", "clouds", "-o", output)
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
