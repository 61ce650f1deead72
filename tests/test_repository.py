"""What must hold of the repository as a whole."""

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


def test_importing_pbow_imports_no_optional_package():
    code = "import sys; from pbow import *; print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    imported = set(run.stdout.split())
    assert "pbow.vectorizers" in imported
    # pandas is not among them, nor pyarrow: where they are installed, scikit-learn
    # imports the one, and that the other.
    optional = {"gudhi", "matplotlib", "click", "dask", "networkx", "plotly"}
    assert optional & imported == set()


def test_importing_pbow_needs_no_optional_package():
    optional = (
        "gudhi",
        "matplotlib",
        "pandas",
        "click",
        "dask",
        "pyarrow",
        "networkx",
        "plotly",
    )
    # None in sys.modules makes an import fail as if the package were not there.
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({optional})); from pbow import *"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_names_and_modules_are_imported_at_their_first_use():
    code = (
        "import sys, pbow; assert not {'numpy', 'pbow.diagrams'} & set(sys.modules); "
        "assert {*pbow.__all__, 'kernels', 'datasets'} <= {*dir(pbow)}; "
        "assert pbow.stability.lipschitz_constant and pbow.Diagrams; "
        "from pbow import load; assert load is pbow.io.models.load"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="No pbow attribute Diagram"):
        pbow.Diagram  # noqa: B018


def test_every_public_module_is_an_attribute_of_the_package():
    folder = Path(pbow.__file__).parent
    modules = {path.stem for path in folder.glob("*.py")}
    modules |= {path.parent.name for path in folder.glob("*/__init__.py")}
    inner = {"cli", "compute", "demo", "essential"}
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
