"""What the documents say is true: examples run, and links lead somewhere."""

import contextlib
import doctest
import importlib
import io
import pkgutil
import re
import shlex
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from click.testing import CliRunner
from joblib.externals.loky import get_reusable_executor
from tests.datasets.layouts import graph_arrays, write

import pbow
from pbow.cli import main
from pbow.experiment import read_experiment, run_experiment
from pbow.experiment.tables import summarize
from pbow.io import read_diagrams, write_diagrams

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
GUIDE, HOWTO, API = (ROOT / "docs" / name for name in ("guide", "howto", "api"))
GET_STARTED = ROOT / "docs" / "get_started.md"
DOCUMENTS = [README, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]

# Modules of pbow that users do not import from; all others have a page in docs/api.
INNER = {"cli", "compute", "demo", "essential", "learning"}
MODULES = {module.name for module in pkgutil.iter_modules(pbow.__path__)}
PUBLIC = ["pbow", *(f"pbow.{n}" for n in sorted(MODULES - INNER) if n[0] != "_")]

# What people copy from. Every block of code in them is run by a test.
LESSONS = [
    README,
    GET_STARTED,
    *sorted(GUIDE.glob("*.md")),
    *sorted(HOWTO.glob("*.md")),
]

# Commands that are not run, by how they begin, and why. That they exist is tested.
NOT_RUN = {
    "make ": "takes minutes, or would run these tests",
    "python -m pip install ": "would change the environment of the tests",
    "pbow datasets import ": "needs a release that must be downloaded",
}

FENCE = re.compile(r"^ *```")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def blocks_of(path, language):
    """The text of a document with everything but blocks of one language blanked out.

    Lines keep their numbers.
    """
    kept, inside = [], None
    for line in path.read_text(encoding="utf-8").splitlines():
        if FENCE.match(line):
            inside = line.strip("` ") if inside is None else None
            kept.append("")
        else:
            kept.append(line if inside == language else "")
    return "\n".join(kept) + "\n"


class Block(NamedTuple):
    path: Path
    language: str
    text: str


def fenced(path):
    """All blocks of a document, whatever language they are in."""
    found = re.findall(r"^ *```(.*)\n((?:.*\n)*?) *```$", path.read_text("utf-8"), re.M)
    return [Block(path, language.strip(), text) for language, text in found]


def lines_of(block):
    return block.text.replace("\\\n", " ").splitlines()


def is_run(line):
    return not line.startswith(tuple(NOT_RUN))


def name_of(path):
    return path.relative_to(ROOT).as_posix()


def require(*modules):
    """Skip without the modules; but what `make test` installs must be there."""
    for module in modules:
        if Path(sys.prefix, ".has-test").exists():
            importlib.import_module(module)
        else:
            pytest.importorskip(module)


with_examples = [path for path in DOCUMENTS if ">>> " in blocks_of(path, "pycon")]


@pytest.mark.parametrize("path", with_examples, ids=name_of)
def test_examples_give_what_is_printed_under_them(path, tmp_path, monkeypatch):
    require("gudhi", "matplotlib", "plotly", "pyarrow")
    monkeypatch.chdir(tmp_path)
    text = blocks_of(path, "pycon")
    for module in ("cripser", "networkx", "ripser"):
        if f"import {module}" in text:
            require(module)
    name, report = name_of(path), io.StringIO()
    test = doctest.DocTestParser().get_doctest(text, {}, name, str(path), 0)
    result = doctest.DocTestRunner(verbose=False).run(test, out=report.write)
    assert result.failed == 0, report.getvalue()


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_no_example_stands_where_it_would_not_be_run(path):
    everywhere = path.read_text(encoding="utf-8").count(">>> ")
    assert blocks_of(path, "pycon").count(">>> ") == everywhere


def test_the_readme_prints_what_its_comments_promise(tmp_path, monkeypatch):
    require("gudhi")
    monkeypatch.chdir(tmp_path)
    code = blocks_of(README, "python")
    promised = re.findall(r"print\(.*\)  # (.+)", code)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, str(README), "exec"), {"__name__": "__main__"})
    assert promised
    assert printed.getvalue().splitlines() == promised


def test_the_commands_of_get_started_are_those_of_the_readme():
    # Another test runs the latter.
    commands = [
        [line for line in blocks_of(path, "sh").splitlines() if line[:5] == "pbow "]
        for path in (GET_STARTED, README)
    ]
    assert commands[0]
    assert commands[0] == commands[1]


# Who runs the blocks of a page in a language. Functions of this module are below.
RUN_BY = {
    ("README.md", "python"): "test_the_readme_prints_what_its_comments_promise",
    ("README.md", "sh"): "tests/cli/test_guide.py",
    ("docs/get_started.md", "sh"): "test_the_commands_of_get_started_are_those_of_the_"
    "readme",
    ("docs/guide/command_line.md", "sh"): "tests/cli/test_guide.py",
    ("docs/guide/one_line.md", "sh"): "tests/test_one_line.py",
    ("docs/guide/classifiers.md", "sh"): "test_every_command_of_a_page_runs",
    ("docs/guide/explorer.md", "sh"): "test_every_command_of_a_page_runs",
    ("docs/guide/experiments.md", "sh"): "test_every_command_of_a_page_runs",
    ("docs/guide/importing.md", "sh"): "test_every_command_of_a_page_runs",
    ("docs/howto/reproducing_the_paper.md", "sh"): "test_every_command_of_a_page_runs",
    ("docs/guide/explorer.md", "text"): "test_the_file_of_the_explorer_can_be_read",
    ("docs/guide/experiments.md", "toml"): "test_entries_of_experiments_are_understood",
    ("docs/howto/big_data.md", "sh"): "test_every_command_of_a_page_runs",
    ("docs/howto/big_data.md", "python"): "test_code_for_pools_and_clusters_is_python",
    ("docs/guide/cluster.md", "python"): "test_code_for_pools_and_clusters_is_python",
    ("docs/guide/datasets.md", "python"): "test_data_sets_are_used_as_the_guide_says",
}


@pytest.mark.parametrize("path", LESSONS, ids=name_of)
def test_every_block_of_code_is_run(path):
    blocks = fenced(path)
    assert 2 * len(blocks) == len(re.findall(r"^ *```", path.read_text("utf-8"), re.M))
    # Examples are run wherever they stand; a directive of Sphinx is no code.
    languages = {block.language for block in blocks if block.language[:1] != "{"}
    languages -= {"pycon"}
    for language in languages:
        runner = RUN_BY[name_of(path), language]
        if runner.endswith(".py"):
            assert path.name in (ROOT / runner).read_text("utf-8")
        else:
            assert callable(globals()[runner])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Be in a folder with the files that commands of the guide speak of."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    births = rng.uniform(size=(12, 30))
    deaths = births + rng.exponential(size=births.shape)
    X = pbow.Diagrams.from_list(np.stack((births, deaths), axis=-1))
    write_diagrams(X, "diagrams.pbow")
    Path("diagrams").mkdir()
    write_diagrams(X, "diagrams/0.parquet")
    pbow.save(pbow.PersistenceBoW(4, random_state=0).fit(X), "model.pbow")
    Path("labels.txt").write_text("a\nb\n" * 6)
    Path("experiments").mkdir()
    for place in ("small.toml", "experiments/exp_b.toml"):
        Path(place).write_text(SMALL_EXPERIMENT)
    yield tmp_path
    # Processes that joblib keeps have the variables of these commands.
    get_reusable_executor().shutdown()


SMALL_EXPERIMENT = """
repetitions = 2
[classifier]
c_values = [1]
folds = 2
[datasets.surfaces]
surfaces = { n_diagrams = 12, n_points = 40 }
protocol = "50/50"
[descriptors.Statistics]
make = "PersistenceStatistics"
"""


def pages_run_by(test):
    return [ROOT / page for (page, _), runner in RUN_BY.items() if runner == test]


@pytest.mark.parametrize(
    "path", pages_run_by("test_every_command_of_a_page_runs"), ids=name_of
)
def test_every_command_of_a_page_runs(path, folder, monkeypatch):
    require("matplotlib", "plotly")
    for block in fenced(path):
        for line in lines_of(block) if block.language == "sh" else ():
            program, *words = shlex.split(line, comments=True)
            if not is_run(line):
                continue
            if line.startswith("python -m experiments.figures "):
                drawing = importlib.import_module("experiments.figures.__main__")
                result = CliRunner().invoke(drawing.main, words[2:])
                assert result.exit_code == 0, (line, result.output)
                continue
            if program == "export":
                for word in words:
                    name, _, value = word.partition("=")
                    monkeypatch.setenv(name, value)
                continue
            assert program == "pbow", line
            result = CliRunner().invoke(main, words, prog_name="pbow")
            assert result.exit_code == 0, (line, result.output)


@pytest.mark.parametrize(
    "path", pages_run_by("test_code_for_pools_and_clusters_is_python"), ids=name_of
)
def test_code_for_pools_and_clusters_is_python(path):
    """No cluster is here; tests of pbow.distributed run the same calls on others."""
    for block in fenced(path):
        if block.language == "python":
            compile(block.text, name_of(path), "exec")


def test_functions_for_spark_and_ray_encode_arrow_batches(folder):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    X = read_diagrams("diagrams.pbow")
    write_diagrams(X, "diagrams.parquet")
    table = parquet.read_table("diagrams.parquet")
    table = table.append_column("sample", pa.array(map(str, range(len(X)))))
    expected = pbow.load("model.pbow").transform(X)
    blocks = fenced(ROOT / "docs" / "guide" / "cluster.md")
    names = {}
    for block in blocks:
        if block.text.startswith(("def encode(", "class Encode:")):
            # Without the last paragraph, which is for an engine.
            exec(block.text.rstrip().rpartition("\n\n")[0], names)
    in_spark = pa.Table.from_batches(names["encode"](table.to_batches(5)))
    for found in (in_spark, names["Encode"]()(table)):
        assert found["sample"].to_pylist() == table["sample"].to_pylist()
        np.testing.assert_array_equal(found["features"].to_pylist(), expected)


def commands_not_run():
    blocks = [block for path in LESSONS for block in fenced(path)]
    lines = [line for b in blocks if b.language == "sh" for line in lines_of(b)]
    return sorted({line for line in lines if not is_run(line)})


@pytest.mark.parametrize("line", commands_not_run())
def test_a_command_that_is_not_run_exists(line, folder):
    program, *words = shlex.split(line, comments=True)
    if program == "make":
        targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.M)
        assert words[0] in targets
    elif program == "python":
        assert words[:3] == ["-m", "pip", "install"]  # and see the next test
    else:
        # Everything about it is right, but for the file, which is not here.
        result = CliRunner().invoke(main, words, prog_name="pbow")
        assert result.exit_code == 1, result.output
        assert f"There is no file or folder {words[-1]}" in result.stderr


def test_every_reason_not_to_run_a_command_is_needed():
    lines = commands_not_run()
    assert [b for b in NOT_RUN if not any(line.startswith(b) for line in lines)] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_what_is_installed_is_this_checkout_with_an_extra_that_exists(path):
    # pbow is not published, so its name would install nothing, or something else.
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    wanted = re.findall(r"pip\s+install\s+(\S+)", path.read_text(encoding="utf-8"))
    known = {f'".[{extra}]"' for extra in extras}
    assert [name for name in wanted if name.rstrip("`.,;") not in known] == []


def test_the_file_of_the_explorer_can_be_read(tmp_path):
    path = tmp_path / "own.csv"
    [text] = [b.text for b in fenced(GUIDE / "explorer.md") if b.language == "text"]
    path.write_text(text)
    assert read_diagrams(path)["H1"].sizes.tolist() == [2, 0]


def entries():
    page = GUIDE / "experiments.md"
    return [block.text for block in fenced(page) if block.language == "toml"]


@pytest.mark.parametrize("entry", entries(), ids=lambda text: text.split("]")[0][1:])
def test_entries_of_experiments_are_understood(entry, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(f"""
[datasets.reddit-5k]
load = "reddit-5k"
[descriptors.PBoW]
make = "PersistenceBoW"
grid.n_words = [50]
{entry}""")
    given = tomllib.loads(entry)
    experiment = read_experiment(path)
    names = [dataset.name for dataset in experiment.datasets]
    assert names == ["reddit-5k", *given.get("datasets", {})]
    for name, options in given.get("descriptors", {}).items():
        [(dataset, special)] = options["on"].items()
        [cell] = [c for c in experiment.cells if c.dataset.name == dataset]
        assert cell.descriptor.name == name
        assert list(cell.grid["n_words"]) == special["grid"]["n_words"]


def test_entries_that_contributing_adds_are_a_row_and_a_column(tmp_path, monkeypatch):
    require("pandas", "pyarrow")
    monkeypatch.chdir(tmp_path)
    blocks = fenced(ROOT / "CONTRIBUTING.md")
    first, *entries = [block.text for block in blocks if block.language == "toml"]
    [files] = tomllib.loads(entries[-1])["datasets"].values()
    diagrams = [[[0.0, 1.0 + k / 100], [0.1, 0.2 + k % 2]] for k in range(10)]
    write_diagrams(pbow.Diagrams.from_list(diagrams), files["diagrams"])
    Path(files["labels"]).write_text("granite\nslate\n" * 5)
    path, runs = Path("mine.toml"), []
    for text in ("".join((first, *entries[:n])) for n in range(3)):
        path.write_text(text)
        runs.append(run_experiment(path, "results"))
    assert runs[0].items() <= runs[1].items() <= runs[2].items()
    found = summarize(read_experiment(path), run_experiment(path, "results"))
    assert {*found.status} == {"complete"}
    cells = {(row.descriptor_title, row.dataset_title) for row in found.itertuples()}
    columns = ("smooth-or-rough", files["title"])
    assert cells == {(row, of) for row in ("PBoW", "Statistics") for of in columns}


def test_data_sets_are_used_as_the_guide_says(tmp_path, monkeypatch):
    graphs = graph_arrays(n_per_class=105, n_classes=5, n_nodes=60)
    write(tmp_path, "graphs_REDDIT_MULTI_5K", graphs)
    monkeypatch.setenv("PBOW_DATA", str(tmp_path))
    monkeypatch.setenv("PBOW_CACHE", str(tmp_path / "cache"))
    code = blocks_of(GUIDE / "datasets.md", "python")
    names = {}
    exec(compile(code, "datasets.md", "exec"), names)
    assert len(names["reddit"].diagrams) == 525
    assert np.bincount(names["small"].labels).tolist() == [100] * 5


def test_the_data_set_of_the_guide_is_as_it_is_shown(data_home, tmp_path, monkeypatch):
    monkeypatch.setenv("PBOW_CACHE", str(tmp_path))
    code = blocks_of(GUIDE / "datasets.md", "python")
    [shown] = re.findall(r"^reddit  # (.*)$", code, re.M)
    assert repr(pbow.datasets.load_dataset("reddit-5k", data_home)) == shown


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_links_to_files_lead_to_files(path):
    links = LINK.findall(path.read_text(encoding="utf-8"))
    inner = [link for link in links if "://" not in link and link[0] != "#"]
    missing = [t for t in inner if not (path.parent / t.partition("#")[0]).exists()]
    assert missing == []


@pytest.mark.parametrize("module", PUBLIC)
def test_every_public_name_is_on_the_page_of_its_module(module):
    page = API / f"{module.removeprefix('pbow.') if module != 'pbow' else 'index'}.rst"
    text = page.read_text(encoding="utf-8")
    names = importlib.import_module(module).__all__
    assert [name for name in names if not re.search(rf"\b{name}\b", text)] == []


def test_every_page_of_the_reference_belongs_to_a_module():
    modules = {name.removeprefix("pbow.") for name in PUBLIC} - {"pbow"}
    assert {path.stem for path in API.glob("*.rst")} == {"index", *modules}


def test_the_architecture_lists_the_layers_of_the_import_contract():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    layers = next(c["layers"] for c in contracts if c["type"] == "layers")
    listed = blocks_of(ROOT / "docs" / "architecture.md", "text")
    assert "\n".join(layers).replace("pbow.", "") in listed


def test_figures_are_small():
    sizes = {p.name: p.stat().st_size for p in (ROOT / "docs" / "images").iterdir()}
    assert sizes["pipeline.png"] < 100_000  # the one of the README
    assert max(sizes.values()) < 200_000


def test_parts_of_reports_that_pages_include_start_where_a_section_does():
    found = []
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        for name, first in re.findall(r"```{include} (\S+)\n:start-line: (\d+)", text):
            lines = (path.parent / name).read_text(encoding="utf-8").splitlines()
            found.append(lines[int(first)])
    assert found
    assert {line[:3] for line in found} <= {"", "## "}, found
