"""A folder with small files of every kind, and the command in it."""

import shlex
import shutil

import numpy as np
import pytest
from click.testing import CliRunner

from pbow import Diagrams, PersistenceBoW, StablePersistenceBoW, save
from pbow.cli import main
from pbow.io import write_diagrams
from pbow.preprocessing import Rescale
from pbow.vectorizers import PersistenceStatistics

LABELS = ["few points"] * 6 + ["many"] * 6
NAMES = [f"c{i}.csv" for i in range(12)]
DECLARATION = """
title = "Tiny"
repetitions = 1

[datasets.shapes]
shapes = { n_per_class = 12, n_points = 20, random_state = 0 }
protocol = "50/50"

[descriptors.PBoW]
make = "PersistenceBoW"
"""
TEXTS = {
    "labels.txt": "\n".join(LABELS),
    "names.txt": "\n".join(NAMES),
    "labels.csv": "file,label\n"
    + "".join(f"{c},{y}\n" for c, y in zip(NAMES[::-1], LABELS[::-1], strict=True)),
    "two.txt": "a\nb\n",
    "graph.txt": "0 1\n",
    "mesh.off": "OFF 3 1 3\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
    "declared.toml": DECLARATION,
    "results/declared.toml": DECLARATION,
}
# What commands need beside pbow itself.
MODULES = {
    "homology": ["gudhi"],
    "plot": ["matplotlib"],
    "explore": ["plotly"],
    "demo": ["gudhi", "matplotlib"],
}


@pytest.fixture
def run(tmp_path, tmp_path_factory, monkeypatch):
    """Run the command in a folder of its own; it ends with the code."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PBOW_CACHE", str(tmp_path_factory.mktemp("cache")))

    def invoke(command, *more, code=0, input=None):
        words = [*shlex.split(command), *map(str, more)]
        for module in MODULES.get(words[0], ()) if "--help" not in words else ():
            pytest.importorskip(module)
        result = CliRunner().invoke(main, words, prog_name="pbow", input=input)
        assert result.exit_code == code, result.output
        assert isinstance(result.exception, SystemExit | None)
        return result

    return invoke


@pytest.fixture(scope="session", name="X")
def two_classes():
    """Two classes of six diagrams, with few points and with many; H0 has an inf."""
    rng = np.random.default_rng(7)
    samples = []
    for n in [4] * 6 + [20] * 6:
        births = rng.uniform(size=n)
        loops = np.c_[births, births + rng.uniform(0.05, 1.0, size=n)]
        components = np.c_[np.zeros(n), [*rng.uniform(0.1, 1.0, size=n - 1), np.inf]]
        samples.append({"H0": components, "H1": loops})
    return Diagrams.from_list(samples)


@pytest.fixture(scope="session")
def bow(X):
    return PersistenceBoW(n_words=3, random_state=0).fit(X)


@pytest.fixture(scope="session")
def square():
    """A square, whose loop is born at 1 and dies at the square root of 2."""
    return np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


@pytest.fixture(scope="session")
def template(tmp_path_factory, X, bow, square):
    """Inputs of all commands."""
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "results").mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    write_diagrams(X, folder / "diagrams.pbow")
    write_diagrams(X["H1"], folder / "h1.csv")
    for name, model in {
        "model": bow,
        "h1": PersistenceBoW(2, random_state=0).fit(X["H1"]),
        "soft": StablePersistenceBoW(2, random_state=0).fit(X),
        "several": PersistenceBoW({"H0": 3, "H1": (2, 5)}, random_state=0).fit(X),
        "statistics": PersistenceStatistics().fit(X),
        "rescale": Rescale().fit(X),
    }.items():
        save(model, folder / f"{name}.pbow")
    np.save(folder / "clouds.npy", [square, 2 * square])
    np.save(folder / "images.npy", [square])
    np.savez(folder / "arrays.npz", points=square)
    return folder


@pytest.fixture
def folder(tmp_path, template):
    """The folder of `run`, with these inputs."""
    return shutil.copytree(template, tmp_path, dirs_exist_ok=True)
