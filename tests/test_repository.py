"""What must hold of the repository as a whole."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

import pbow

ROOT = Path(__file__).parent.parent


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_the_version_is_that_of_the_installed_package_and_in_no_file():
    assert pbow.__version__ == version("pbow") == str(Version(pbow.__version__))
    assert "version" not in PROJECT
    assert PROJECT["dynamic"] == ["version"]


def test_the_citation_names_the_last_release_and_the_paper():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    software, paper = citation.split("\npreferred-citation:\n")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    releases = re.findall(r"^## \[(\d.*?)\]", changelog, re.M)
    assert re.findall("^version: (.+)", software, re.M) == releases[:1]
    assert "Persistence Bag-of-Words for Topological Data Analysis" in paper
    families = re.findall("family-names: (.+)", paper)
    assert families == ["Zieliński", "Lipiński", "Juda", "Zeppelzauer", "Dłotko"]
    assert "doi: 10.24963/ijcai.2019/624\n" in paper
    assert "arXiv:1812.09245" in paper


def run(code):
    subprocess.run([sys.executable, "-c", f"import sys; {code}"], check=True)


def test_importing_pbow_neither_imports_nor_needs_an_optional_package():
    optional = {"gudhi", "matplotlib", "click", "dask", "networkx", "plotly"}
    run(f"from pbow import *; assert not {optional} & sys.modules.keys()")
    # Where pandas is installed, scikit-learn imports it, and that pyarrow. None in
    # sys.modules makes an import fail as if the package were not there.
    optional |= {"pandas", "pyarrow"}
    run(f"sys.modules.update(dict.fromkeys({optional})); from pbow import *")


def test_names_and_modules_are_imported_at_their_first_use():
    run(
        "import pbow; assert not {'numpy', 'pbow.diagrams'} & sys.modules.keys(); "
        "assert {*pbow.__all__, 'kernels', 'datasets'} <= {*dir(pbow)}; "
        "assert pbow.stability.lipschitz_constant and pbow.Diagrams; "
        "assert 'pbow.diagrams' in sys.modules; "
        "from pbow import load; assert load is pbow.io.models.load"
    )
    with pytest.raises(AttributeError, match="No pbow attribute Diagram"):
        pbow.Diagram  # noqa: B018


def test_every_public_module_is_an_attribute_of_the_package():
    folder = Path(pbow.__file__).parent
    modules = {path.stem for path in folder.glob("*.py")}
    modules |= {path.parent.name for path in folder.glob("*/__init__.py")}
    inner = {"cli", "compute", "demo", "essential", "learning"}
    public = {name for name in modules if not name.startswith("_")} - inner
    assert public <= set(pbow.__all__)
    assert all(getattr(pbow, name) for name in pbow.__all__)


def tracked_files():
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("which files are tracked is known only to git in a clone")
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True
    )
    files = [ROOT / name for name in listing.stdout.decode().split("\0") if name]
    # A tracked file may be missing from the tree before its removal is committed.
    return [file for file in files if file.is_file()]


@pytest.mark.parametrize(
    "text",
    [rb"(?<![\w.])/(work|root)/", rb"\b(test\.)?pypi\.org|pythonhosted\.org"],
    ids=["a path of one machine", "the host of a package registry"],
)
def test_no_tracked_file_holds(text):
    found = [file for file in tracked_files() if re.search(text, file.read_bytes())]
    # This one has the patterns.
    assert found in ([], [Path(__file__)])


def test_a_repository_that_welcomes_contributors_has_these_files():
    files = (
        "LICENSE",
        "SECURITY.md",
        "CODE_OF_CONDUCT.md",
        ".pre-commit-config.yaml",
        ".github/pull_request_template.md",
        ".github/ISSUE_TEMPLATE/bug.yml",
        "paper/paper.md",
    )
    assert [name for name in files if not (ROOT / name).is_file()] == []


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda path: path.stem)
def test_every_step_of_a_workflow_runs_a_command_or_a_pinned_action(file):
    jobs = yaml.safe_load(file.read_text(encoding="utf-8"))["jobs"]
    steps = [step for job in jobs.values() for step in job["steps"]]
    assert all(("run" in step) != ("uses" in step) for step in steps)
    used = [step["uses"] for step in steps if "uses" in step]
    assert [name for name in used if not re.search(r"@(release/)?v\d+$", name)] == []
    targets = {
        word
        for step in steps
        for word in re.findall(r"^make (\S+)", step.get("run", ""), re.M)
    }
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert targets <= {*re.findall(r"^([a-z-]+):", makefile, re.M)}
    scripts = re.findall(r"scripts/\w+\.\w+", file.read_text(encoding="utf-8"))
    assert [name for name in scripts if not (ROOT / name).is_file()] == []


def test_all_supported_versions_of_python_are_tested_on_all_systems():
    supported = [
        text.rpartition(" ")[2]
        for text in PROJECT["classifiers"]
        if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", text)
    ]
    assert PROJECT["requires-python"] == f">={supported[0]}"
    checks = ROOT / ".github" / "workflows" / "checks.yml"
    jobs = yaml.safe_load(checks.read_text(encoding="utf-8"))["jobs"]
    posix = jobs["test"]["strategy"]["matrix"]
    windows = jobs["test-windows"]
    assert posix["python"] == windows["strategy"]["matrix"]["python"] == supported
    systems = {name.partition("-")[0] for name in [*posix["os"], windows["runs-on"]]}
    assert systems == {"ubuntu", "macos", "windows"}


def test_the_oldest_versions_that_are_tested_are_those_that_are_allowed():
    oldest = dict(
        line.split("==")
        for line in (ROOT / "constraints-oldest.txt").read_text("utf-8").splitlines()
        if not line.startswith("#")
    )
    extras = PROJECT["optional-dependencies"]
    users = [extra for extra in extras if extra not in ("lint", "docs")]
    listed = [*PROJECT["dependencies"], *(line for e in users for line in extras[e])]
    own = [
        requirement for requirement in map(Requirement, listed) if requirement.specifier
    ]
    # Of ">=0.9", 0.9.0 is the oldest, or 0.9.1 where there is no such release.
    wrong = [
        str(line)
        for line in own
        if oldest[canonicalize_name(line.name)]
        not in SpecifierSet(str(line.specifier).replace(">=", "==") + ".*")
    ]
    assert wrong == []


def test_the_readme_names_every_extra_for_users():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    extras = {*PROJECT["optional-dependencies"]} - {"test", "lint", "docs"}
    assert [extra for extra in sorted(extras) if f"`{extra}`" not in readme] == ["all"]
    assert "[all]" in readme


def table_of(document, first_row):
    """Return the rows of the table that has this one, by their first cell."""
    text = document.read_text(encoding="utf-8")
    start = text.rindex("\n\n", 0, text.index(f"| {first_row} |"))
    lines = text[start:].lstrip().partition("\n\n")[0].splitlines()[2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {name: rest for name, *rest in cells}


def test_accuracies_of_the_article_are_those_of_the_readme():
    article = table_of(ROOT / "paper" / "paper.md", "sPBoW")
    readme = table_of(ROOT / "README.md", "sPBoW")
    names = {
        "certified sPBoW": "`certified()` sPBoW",
        "statistics": "PersistenceStatistics",
        "persistence images": "PersistenceImage",
        "Atol, 100 centers": "Atol (GUDHI), 100 centers",
    }
    on_distances = {
        name: [cell.partition(" / ")[2] for cell in readme[names.get(name, name)]]
        for name in article
    }
    assert article == on_distances


def test_every_reference_of_the_article_is_used_and_is_there():
    cited = re.findall(r"@(\w+\d{4})", (ROOT / "paper" / "paper.md").read_text("utf-8"))
    entries = (ROOT / "paper" / "paper.bib").read_text("utf-8")
    keys = re.findall(r"^@\w+\{(\w+),", entries, re.M)
    assert sorted({*cited}) == sorted(keys)
    assert entries.count("  doi ") + entries.count("  url ") == len(keys)


def test_every_module_has_a_test_file_of_its_own_name():
    source, tests = ROOT / "src" / "pbow", ROOT / "tests"
    expected = [
        module.parent.relative_to(source) / f"test_{module.stem.lstrip('_')}.py"
        for module in sorted(source.rglob("*.py"))
        if module.stem not in {"__init__", "__main__", "_version"}
    ]
    missing = [path.as_posix() for path in expected if not (tests / path).is_file()]
    assert missing == []


# What a test varies is an argument: a constant that is patched is tested as nobody uses
# it. The sizes of public releases are facts, and those of tests are smaller.
MAY_PATCH = {"importing", "test_benchmarks.py"}


def test_no_test_patches_a_constant():
    found = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        if MAY_PATCH & {*path.relative_to(ROOT / "tests").parts}:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(
                ("monkeypatch.setattr", "monkeypatch.setitem")
            ):
                names = [a.value for a in node.args if isinstance(a, ast.Constant)]
                found += [
                    f"{path.relative_to(ROOT)}:{node.lineno} {name}"
                    for name in names
                    if re.search(r"(^|\.)[A-Z][A-Z0-9_]+$", str(name))
                ]
    assert found == []
