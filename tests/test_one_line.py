"""The one-liners of the guide, as they stand there, in a folder with such files."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from pbow import Diagrams
from pbow.io import write_diagrams

PAGE = Path(__file__).parent.parent / "docs" / "guide" / "one_line.md"
if not PAGE.is_file():
    pytest.skip("needs docs/, which only a clone has", allow_module_level=True)
LINES = re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def folder(tmp_path, rng):
    np.save(tmp_path / "clouds.npy", rng.normal(size=(6, 30, 2)))
    image = pytest.importorskip("matplotlib.image", reason="needs the extra plot")
    Image = pytest.importorskip("PIL.Image", reason="comes with matplotlib")
    (tmp_path / "images").mkdir()
    (tmp_path / "graphs").mkdir()
    for i in range(6):
        pixels = rng.integers(0, 256, size=(24, 20), dtype=np.uint8)
        path = tmp_path / "images" / f"{i}.png"
        if i % 2:  # with channels, and without
            image.imsave(path, pixels, cmap="gray")
        else:
            Image.fromarray(pixels).save(path)
        edges = rng.integers(0, 60, size=(90, 2))
        np.savetxt(tmp_path / "graphs" / f"{i}.txt", edges, fmt="%d")
    write_mesh(tmp_path / "shape.off", rng)
    births = rng.uniform(size=(6, 30))
    points = np.stack((births, births + rng.uniform(0.1, 1, births.shape)), axis=-1)
    write_diagrams(Diagrams.from_list(points), tmp_path / "diagrams.csv")
    return tmp_path


def write_mesh(path, rng):
    """Write a bumpy sheet of 40 by 40 vertices."""
    n = 40
    at = np.arange(n * n).reshape(n, n)
    y, x = np.divmod(at.ravel(), n)
    z = rng.uniform(0, 3, size=n * n)
    a, b, c, d = at[:-1, :-1], at[:-1, 1:], at[1:, :-1], at[1:, 1:]
    faces = np.concatenate((np.dstack((a, b, d)), np.dstack((a, d, c)))).reshape(-1, 3)
    rows = [f"OFF\n{n * n} {len(faces)} 0"]
    rows += [f"{i} {j} {k}" for i, j, k in zip(x, y, z, strict=True)]
    rows += [f"3 {i} {j} {k}" for i, j, k in faces]
    path.write_text("\n".join(rows) + "\n")


@pytest.mark.parametrize(
    "line", LINES, ids=["clouds", "images", "graphs", "mesh", "file"]
)
def test_each_line_makes_a_matrix(line, folder, monkeypatch):
    pytest.importorskip("gudhi", reason="needs the extra homology")
    pytest.importorskip("networkx", reason="needs networkx")
    monkeypatch.chdir(folder)
    program, option, code = shlex.split(line)
    assert (program, option) == ("python", "-c")
    exec(code, {})
    H = np.load("features.npy")
    assert len(H) == (40 if "mesh" in line else 6)
    assert np.isfinite(H).all()
    assert H.any()
