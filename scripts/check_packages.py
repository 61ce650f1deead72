"""Build the sdist and the wheel, install them into empty environments, use them there.

    python scripts/check_packages.py [--python python3.13] [--extras none plot all]
                                     [--no-tests] [--dist FOLDER]

The wheel is built from the sdist. It is installed with no extra, with each one and with
all; the sdist with no extra. In each environment,

- the Python lines and the commands of the README and of Get started run, or stop at an
  error that names an extra that is not installed;
- what needs an extra runs where it is installed, and elsewhere names it;
- the version is the same wherever it is asked for.

Then the tests of repository and documentation run in the unpacked sdist. All this takes
about twenty minutes, and downloads what pbow depends on.
"""

from __future__ import annotations

import argparse
import doctest
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PAGES = ("README.md", "docs/get_started.md")
EXTRAS = ("homology", "plot", "arrow", "datasets", "explorer", "experiment", "dask")
EXTRAS += ("homcloud",)
SDIST_MB = 7
NOT_PYTHON = {
    "pbow/py.typed",
    "pbow/__init__.pyi",
    "pbow/explorer/page.html",
    "pbow/explorer/style.css",
    "pbow/explorer/encode.js",
    "pbow/experiment/report.html.jinja",
}

CORE = """
import json, pbow, subprocess, sys
from importlib.metadata import version
from safetensors import safe_open
X = [[[0, 1], [0, 2]], [[0, 1]], [[3, 9], [3, 8]], [[3, 8]]]
pbow.save(pbow.PersistenceBoW(n_words=2, random_state=0).fit(X), "model.pbow")
with safe_open("model.pbow", "np") as file:
    saved = json.loads(file.metadata()["pbow"])["pbow"]
shell = subprocess.run(
    [sys.executable, "-m", "pbow", "--version"], capture_output=True, text=True
).stdout.split()[-1]
assert pbow.__version__ == version("pbow") == saved == shell, (saved, shell)
assert pbow.__version__ == sys.argv[1], sys.argv[1]
"""

# What each extra is for, in a few lines that fail without it.
NEEDS = {
    "homology": """
from pbow.homology import rips
assert len(rips([[[0, 0], [0, 1], [1, 0], [1, 1]]], dims=1)) == 1
""",
    "plot": """
from pbow.plotting import plot_diagram
plot_diagram([[0, 1], [0, 2]]).figure.savefig("diagram.png")
""",
    "homcloud": """
from pbow.io import read_diagrams
from pbow.io.homcloud import SIGNATURE
content = b""
try:
    import msgpack
except ImportError:
    pass
else:
    chunk = {"degree": 1, "births": [0.0], "deaths": [1.0], "essential_births": []}
    chunk = msgpack.packb(chunk)
    chunks = [{"chunktype": "pd", "degree": 1, "start": 0, "length": len(chunk)}]
    head = msgpack.packb({"format_version": 1, "sign_flipped": False, "chunks": chunks})
    content = len(head).to_bytes(8, "little") + head + chunk
with open("diagram.pdgm", "wb") as file:
    file.write(SIGNATURE + content)
assert read_diagrams("diagram.pdgm").parts == ("H1",)
""",
    "arrow": """
from pbow.io import read_diagrams, write_diagrams
write_diagrams([[[0, 1]], []], "diagrams.parquet")
assert len(read_diagrams("diagrams.parquet")) == 2
""",
    "datasets": """
from io import BytesIO
from pbow.datasets.importing.hdf5 import open_hdf5
data = BytesIO()
try:
    import h5py
except ImportError:
    pass
else:
    with h5py.File(data, "w") as file:
        file["x"] = [1, 2]
with open_hdf5(data.getvalue(), "a file") as file:
    assert file["x"][1] == 2
""",
    "explorer": """
from pbow import PersistenceBoW
from pbow.explorer import write_explorer
X = [[[0, 1], [0, 2]], [[0, 1]], [[3, 9], [3, 8]], [[3, 8]]]
bow = PersistenceBoW(n_words=2, random_state=0).fit(X)
write_explorer(bow, X, "page.html", labels=["flat", "flat", "tall", "tall"])
""",
    "experiment": """
from pathlib import Path
from pbow.__main__ import main
Path("small.toml").write_text('''
repetitions = 2
[datasets.smooth-or-rough]
surfaces = { n_diagrams = 40, n_points = 60 }
[descriptors.Statistics]
make = "PersistenceStatistics"
standardize = true
''')
import sys
for words in ("run small.toml --out results", "table results", "report results"):
    sys.argv = ["pbow", "experiment", *words.split()]
    try:
        main()
    except SystemExit as end:
        if end.code:
            raise
""",
    "dask": """
from pbow.cli.streaming import cluster
try:
    from dask.distributed import LocalCluster
except ImportError:
    address = "tcp://127.0.0.1:8786"
else:
    local = LocalCluster(n_workers=1, processes=False, dashboard_address=None)
    address = local.scheduler_address
with cluster(address) as executor:
    assert executor.submit(sum, [1, 2]).result() == 3
""",
}


class Environment:
    """A virtual environment with nothing but pbow and one extra."""

    def __init__(self, folder: Path, python: str, requirement: str) -> None:
        self.folder = folder
        run([python, "-m", "venv", folder])
        self.bin = folder / ("Scripts" if os.name == "nt" else "bin")
        self.python = self.bin / "python"
        pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        run([self.python, *pip, requirement])

    def packages(self) -> set[str]:
        """Return the names of all packages there, also of what others depend on."""
        code = "from importlib.metadata import distributions as installed\n"
        code += "print(*(each.name for each in installed()))"
        command = [self.python, "-c", code]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return {name.lower().replace("_", "-") for name in done.stdout.split()}

    def missing_extra(self, *command: str | Path) -> str | None:
        """Run a command; return the extra that its error names, None if it succeeds."""
        work = self.folder / "work"
        work.mkdir(exist_ok=True)
        # An empty PYTHONPATH, and no figure opens a window.
        env = os.environ | {"PYTHONPATH": "", "MPLBACKEND": "agg"}
        done = subprocess.run(
            command, cwd=work, env=env, capture_output=True, text=True, check=False
        )
        if done.returncode == 0:
            return None
        named = re.search(r"the extra (\w+) of pbow installs", done.stderr)
        if named is None:
            sys.exit(f"{done.stdout}{done.stderr}\n{command} has failed.")
        return named[1]


def run(command: list[str | Path], **options: Any) -> None:
    """Run a command, or end."""
    done = subprocess.run(command, check=False, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} has failed.")


def build(folder: Path, dist: Path) -> tuple[Path, Path]:
    """Return the sdist and the wheel, which is built from it."""
    tools = Environment(folder / "build", sys.executable, "build")
    run([tools.python, "-m", "build", "--outdir", dist, ROOT])
    (sdist,), (wheel,) = (list(dist.glob(form)) for form in ("*.tar.gz", "*.whl"))
    return sdist.resolve(), wheel.resolve()


def check_content(sdist: Path, wheel: Path) -> None:
    """End if a package lacks a file, or has too much."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    folders = {name.partition("/")[0] for name in names}
    dist_info = f"pbow-{version_of(wheel)}.dist-info"
    if lacking := NOT_PYTHON - names:
        sys.exit(f"The wheel has no {', '.join(sorted(lacking))}.")
    if folders != {"pbow", dist_info}:
        sys.exit(f"The wheel has the folders {sorted(folders)}.")
    source = ROOT / "src"
    for path in source.rglob("*"):
        name = path.relative_to(source).as_posix()
        if path.is_file() and "__pycache__" not in name and name not in names:
            sys.exit(f"The wheel has no {name}.")
    if (size := sdist.stat().st_size / 1e6) > SDIST_MB:
        sys.exit(f"The sdist has {size:.1f} MB, more than {SDIST_MB}.")


def version_of(wheel: Path) -> str:
    """Return the version in the name of a file."""
    return wheel.name.split("-")[1]


def blocks_of(page: str) -> list[tuple[str, str]]:
    """Return the language and the text of every block of code."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"^```(\w+)\n(.*?)^```", text, re.M | re.S)


def python_lines(page: str) -> str:
    """Return the Python code of a page, block after block."""
    code = []
    for language, block in blocks_of(page):
        if language == "python":
            code.append(block)
        elif language == "pycon":
            examples = doctest.DocTestParser().get_examples(block)
            code += [example.source for example in examples]
    return "".join(code)


def commands(page: str) -> list[list[str]]:
    """Return the commands of a page that call pbow, word by word."""
    blocks = [block for language, block in blocks_of(page) if language == "sh"]
    lines = "".join(blocks).splitlines()
    return [line.split() for line in lines if line.startswith("pbow ")]


def packages_of(extra: str) -> set[str]:
    """Return the names of what an extra installs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = project["optional-dependencies"][extra]
    return {re.match(r"[\w-]+", item)[0].lower() for item in listed}


def check_environment(env: Environment, extra: str, version: str) -> None:
    """Use pbow in an environment that has one extra, ``"none"`` or ``"all"``."""
    packages = env.packages()
    has = {e for e in EXTRAS if packages_of(e) <= packages}

    def check(
        what: str, command: list[str | Path], allowed: set[str | None]
    ) -> str | None:
        named = env.missing_extra(*command)
        if named not in allowed:
            sys.exit(f"{what} with the extra {extra} asks for the extra {named}.")
        result = "runs" if named is None else f"needs the extra {named}"
        print(f"  {what}: {result}", flush=True)
        return named

    check("core", [env.python, "-c", CORE, version], {None})
    for needed, code in NEEDS.items():
        allowed = {None if needed in has else needed}
        check(f"an example of {needed}", [env.python, "-c", code], allowed)
    lacking = {None, *EXTRAS} - has
    for page in PAGES:
        check(f"Python of {page}", [env.python, "-c", python_lines(page)], lacking)
    # Those of Get started are the same.
    for program, *words in commands("README.md"):
        if check(f"pbow {words[0]}", [env.bin / program, *words], lacking):
            break


def check_tests(sdist: Path, folder: Path, python: str) -> None:
    """Run the tests that read the repository's own files, in the unpacked sdist."""
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    top = folder / sdist.name.removesuffix(".tar.gz")
    env = Environment(folder / "test", python, f"{top}[test]")
    pytest = [env.python, "-m", "pytest", "-q", "-m", "not long and not browser"]
    run([*pytest, "--collect-only", "-qq"], cwd=top, stdout=subprocess.DEVNULL)
    files = sorted(p.relative_to(top) for p in (top / "tests").glob("test_*.py"))
    run([*pytest, *files, "tests/experiments"], cwd=top)


def main() -> None:
    """Check what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", default=sys.executable, help="of the environments")
    parser.add_argument("--extras", nargs="+", default=["none", *EXTRAS, "all"])
    parser.add_argument("--no-tests", action="store_true", help="only the packages")
    parser.add_argument("--dist", type=Path, help="folder to keep the packages in")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pbow-packages-") as name:
        folder = Path(name)
        sdist, wheel = build(folder, options.dist or folder / "dist")
        check_content(sdist, wheel)
        version = version_of(wheel)
        for extra in options.extras:
            what = str(wheel) if extra == "none" else f"{wheel}[{extra}]"
            print(f"wheel, extra {extra}", flush=True)
            env = Environment(folder / extra, options.python, what)
            check_environment(env, extra, version)
        print("sdist, no extra", flush=True)
        env = Environment(folder / "sdist", options.python, str(sdist))
        check_environment(env, "none", version)
        if not options.no_tests:
            print("tests in the sdist", flush=True)
            check_tests(sdist, folder / "source", options.python)


if __name__ == "__main__":
    main()
