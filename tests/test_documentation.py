"""What the documents say is true: examples run, and links lead somewhere."""

import contextlib
import doctest
import importlib
import io
import pkgutil
import re
import tomllib
from pathlib import Path

import pytest

import pbow

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
API = ROOT / "docs" / "api"
DOCUMENTS = [README, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]

# Modules of pbow that users do not import from; all others have a page in docs/api.
INNER = {"cli", "compute", "demo", "essential", "progress", "threads", "validation"}
INNER |= {"__main__"}
MODULES = {module.name for module in pkgutil.iter_modules(pbow.__path__)}
PUBLIC = ["pbow", *(f"pbow.{name}" for name in sorted(MODULES - INNER))]

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


def name_of(path):
    return path.relative_to(ROOT).as_posix()


with_examples = [path for path in DOCUMENTS if ">>> " in blocks_of(path, "pycon")]


@pytest.mark.parametrize("path", with_examples, ids=name_of)
def test_examples_give_what_is_printed_under_them(path, tmp_path, monkeypatch):
    pytest.importorskip("gudhi")
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    text = blocks_of(path, "pycon")
    if "import ripser" in text:
        pytest.importorskip("ripser")
    name, report = name_of(path), io.StringIO()
    test = doctest.DocTestParser().get_doctest(text, {}, name, str(path), 0)
    result = doctest.DocTestRunner(verbose=False).run(test, out=report.write)
    assert result.failed == 0, report.getvalue()


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_no_example_stands_where_it_would_not_be_run(path):
    everywhere = path.read_text(encoding="utf-8").count(">>> ")
    assert blocks_of(path, "pycon").count(">>> ") == everywhere


def test_the_readme_prints_what_its_comments_promise(tmp_path, monkeypatch):
    pytest.importorskip("gudhi")
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
    get_started = blocks_of(ROOT / "docs" / "get_started.md", "sh").splitlines()
    commands = [line for line in get_started if line.startswith("pbow ")]
    assert commands
    assert "\n".join(commands) in blocks_of(README, "sh")


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


def test_the_drawing_of_the_house_has_the_storeys_of_the_import_contract():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    layers = next(c["layers"] for c in contracts if c["type"] == "layers")
    storeys = [re.findall(r"pbow\.(\w+)", layer) for layer in layers]
    drawing = blocks_of(ROOT / "docs" / "architecture.md", "text")
    house = drawing[drawing.index("┌") :]
    rooms = {room for storey in storeys for room in storey}
    drawn = [
        [word for word in re.findall(r"│ (\w+)", line) if word in rooms]
        for line in house.splitlines()
    ]
    assert [storey for storey in drawn if storey] == storeys


def test_the_advice_on_choosing_has_the_numbers_of_the_defaults():
    defaults = (ROOT / "docs" / "defaults.md").read_text(encoding="utf-8")
    advice = (ROOT / "docs" / "guide" / "choosing.md").read_text(encoding="utf-8")
    names = re.search(r"\| settings \| (.*) \| to the best", defaults)[1].split(" | ")
    # PBoW and sPBoW, with 50 and with 100 words.
    rows = re.findall(r"\| \*\*defaults\*\* \| (.*) \| \|", defaults.replace("  ", " "))
    cells = [re.findall(r"([\d.]+) ±", row) for row in rows]
    for name, *means in zip(names, *cells, strict=True):
        assert f"| {' | '.join([name, *means])} |" in advice
    differences = re.findall(r"-\d\.\d ± \d\.\d", advice)
    assert len(differences) == 4
    assert [d for d in differences if d not in defaults] == []


def test_the_picture_of_the_readme_is_small():
    assert (ROOT / "docs" / "images" / "words.png").stat().st_size < 150_000
