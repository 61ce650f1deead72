"""The commands of the guide, as they stand there, one after another in one folder."""

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


def test_new_data_are_classified_as_the_page_says(run, scans, capsys):
    pytest.importorskip("gudhi")
    for folder, output in {"scans": "diagrams.pbow", "new-scans": "new.pbow"}.items():
        run("homology", folder, "--kind", "clouds", "-o", output)
    text = PAGE.read_text(encoding="utf-8")
    [code] = re.findall(r"(?:^    .+\n|^\n)+(?=\nThe cost C)", text, re.MULTILINE)
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
