"""What must hold of the repository as a whole."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import pbow

ROOT = Path(__file__).parent.parent


def test_the_installed_version_is_that_of_pyproject():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert pbow.__version__ == project["version"]


def test_the_citation_names_this_version_and_the_paper():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    software, paper = citation.split("\npreferred-citation:\n")
    assert f"\nversion: {pbow.__version__}\n" in software
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


def test_no_tracked_file_holds_a_path_of_one_machine():
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("which files are tracked is known only to git in a clone")
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True
    )
    files = [ROOT / name for name in listing.stdout.decode().split("\0") if name]
    machine_path = re.compile(rb"(?<![\w.])/(work|root)/")
    # A tracked file may be missing from the tree before its removal is committed.
    found = [f for f in files if f.is_file() and machine_path.search(f.read_bytes())]
    assert found == []


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
