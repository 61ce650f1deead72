"""A folder with small files of every kind, and the command in it."""

import numpy as np
import pytest
from click.testing import CliRunner

from pbow import Diagrams, PersistenceBoW, save
from pbow.cli import main
from pbow.io import write_diagrams

N_PER_CLASS = 6


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the command in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments, input=None):
        words = [str(argument) for argument in arguments]
        return CliRunner().invoke(main, words, prog_name="pbow", input=input)

    return invoke


@pytest.fixture(scope="session", name="X")
def two_classes():
    """Two classes of six diagrams, with few points and with many; H0 has an inf."""
    rng = np.random.default_rng(7)
    samples = []
    for n in [4] * N_PER_CLASS + [20] * N_PER_CLASS:
        births = rng.uniform(size=n)
        loops = np.c_[births, births + rng.uniform(0.05, 1.0, size=n)]
        components = np.c_[np.zeros(n), [*rng.uniform(0.1, 1.0, size=n - 1), np.inf]]
        samples.append({"H0": components, "H1": loops})
    return Diagrams.from_list(samples)


@pytest.fixture(scope="session")
def bow(X):
    return PersistenceBoW(n_words=3, random_state=0).fit(X)


@pytest.fixture
def folder(tmp_path, X, bow):
    """Diagrams, a model and labels in the folder of `run`."""
    write_diagrams(X, tmp_path / "diagrams.pbow")
    save(bow, tmp_path / "model.pbow")
    labels = ["few points"] * N_PER_CLASS + ["many"] * N_PER_CLASS
    (tmp_path / "labels.txt").write_text("\n".join(labels) + "\n")
    return tmp_path


@pytest.fixture
def square():
    """A square, whose loop is born at 1 and dies at the square root of 2."""
    return np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
