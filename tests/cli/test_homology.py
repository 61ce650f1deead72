import io
import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

from pbow import Diagrams, homology
from pbow.io import read_diagrams

CLOUDS = ["clouds.npy", "--kind", "clouds", "-o", "x.pbow"]


@pytest.fixture
def clouds(tmp_path, square):
    pytest.importorskip("gudhi")
    np.save(tmp_path / "clouds.npy", [square, 2 * square])
    return [square, 2 * square]


@pytest.mark.parametrize(
    ("options", "compute"),
    [
        ([], homology.rips),
        (["--dims", "1"], lambda c: homology.rips(c, 1)),
        (["--max-edge", "1.2"], lambda c: homology.rips(c, max_edge=1.2)),
        (
            ["--method", "sparse-rips", "--set", "epsilon=0.2", "--jobs", "2"],
            lambda c: homology.sparse_rips(c, epsilon=0.2),
        ),
        (["--method", "alpha", "--set", "field=3"], homology.alpha),
        (["--method", "dtm-rips", "--set", "k=2"], lambda c: homology.dtm_rips(c, k=2)),
    ],
    ids=["rips", "dims", "max-edge", "sparse-rips", "alpha", "dtm-rips"],
)
def test_clouds_have_the_diagrams_of_the_function(run, clouds, options, compute):
    result = run("homology", *CLOUDS, *options)
    assert result.exit_code == 0, result.output
    assert read_diagrams("x.pbow") == compute(clouds)
    assert result.stdout == ""
    assert result.stderr.splitlines()[-1] == f"x.pbow: {compute(clouds)}"


def test_matrices_of_distances_are_taken_as_such(run, tmp_path):
    pytest.importorskip("gudhi")
    (tmp_path / "a.csv").write_text("0,1,2\n1,0,1.5\n2,1.5,0\n")
    result = run("homology", "a.csv", "--kind", "clouds", "--dims", "0", "-o", "x.csv")
    assert "Warning: These clouds look like distance matrices" in result.stderr
    assert 'For distances, set metric="precomputed".' in result.stderr
    asked = ["--set", "metric=precomputed", "--dims", "0"]
    result = run("homology", "a.csv", "--kind", "clouds", "-o", "x.csv", *asked)
    assert result.exit_code == 0, result.output
    assert read_diagrams("x.csv")[0].tolist() == [[0, 1], [0, 1.5], [0, np.inf]]
    assert "Warning" not in result.stderr


def test_a_folder_of_clouds_may_have_clouds_of_any_size(run, tmp_path, square):
    pytest.importorskip("gudhi")
    (tmp_path / "scans").mkdir()
    for i, n in enumerate((4, 3, 2)):
        np.savetxt(tmp_path / "scans" / f"{i}.xyz", square[:n])
    result = run("homology", "scans", "--dims", "0", "-o", "x.pbow")
    assert result.exit_code == 0, result.output
    assert read_diagrams("x.pbow").sizes.tolist() == [4, 3, 2]


def test_clouds_have_the_same_number_of_coordinates(run, tmp_path):
    pytest.importorskip("gudhi")
    (tmp_path / "scans").mkdir()
    for name, row in {"a": "0,0", "b": "0,1", "c": "0,0,1"}.items():
        (tmp_path / "scans" / f"{name}.csv").write_text(f"{row}\n")
    result = run("homology", "scans", "--kind", "clouds", "-o", "x.pbow")
    assert result.exit_code == 1
    message = "those of a.csv have 2, and those of c.csv 3."
    assert result.stderr.endswith(f"{message}\n")


def test_matrices_of_distances_may_differ_in_size(run, tmp_path):
    pytest.importorskip("gudhi")
    (tmp_path / "a.csv").write_text("0,1\n1,0\n")
    (tmp_path / "b.csv").write_text("0,1,1\n1,0,1\n1,1,0\n")
    words = ["--kind", "clouds", "--set", "metric=precomputed", "-o", "x.pbow"]
    result = run("homology", "a.csv", "b.csv", *words)
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("method", ["sublevel", "superlevel"])
def test_images_are_flooded_from_below_or_above(run, tmp_path, rng, method):
    pytest.importorskip("gudhi")
    images = rng.normal(size=(2, 6, 5))
    np.save(tmp_path / "images.npy", images)
    words = ["images.npy", "--kind", "images", "-o", "x.pbow"]
    default = [] if method == "sublevel" else ["--method", method]
    result = run("homology", *words, *default, "--set", "periodic=(True, False)")
    assert result.exit_code == 0, result.output
    assert read_diagrams("x.pbow") == homology.cubical(
        images, superlevel=method == "superlevel", periodic=(True, False)
    )


@pytest.fixture
def graphs(tmp_path, rng):
    (tmp_path / "graphs").mkdir()
    found = []
    for i in range(3):
        edges = rng.integers(0, 8, size=(12, 2))
        np.savetxt(tmp_path / "graphs" / f"{i}.txt", edges, fmt="%d")
        names, numbers = np.unique(edges, return_inverse=True)
        found.append((numbers.reshape(-1, 2), len(names)))
    return found


def test_graphs_have_values_by_degree_or_by_heat(run, graphs):
    words = ["homology", "graphs", "--kind", "graphs", "-o", "x.pbow"]
    assert run(*words, "--dims", "0,1").exit_code == 0
    assert read_diagrams("x.pbow") == homology.graph_sublevel(graphs, dims=(0, 1))
    assert run(*words, "--method", "extended", "--heat", "10").exit_code == 0
    values = [homology.heat_kernel_signature(graph, t=10.0) for graph in graphs]
    assert read_diagrams("x.pbow") == homology.graph_extended(graphs, values)


def write_ring(path, rng, n=8):
    """Write a crooked ring of triangles; its loop differs from vertex to vertex."""
    angles = 2 * np.pi * np.arange(n) / n
    vertices = np.c_[np.cos(angles), np.sin(angles), rng.uniform(size=n)]
    rows = [f"OFF {n} {n} 0", *(" ".join(map(str, v)) for v in vertices.tolist())]
    rows += [f"3 {i} {(i + 1) % n} {(i + 2) % n}" for i in range(n)]
    path.write_text("\n".join(rows) + "\n")


@pytest.mark.parametrize(
    ("options", "sources"), [([], range(8)), (["--sources", "3"], [0, 2, 5])]
)
def test_a_mesh_has_a_sample_a_source(run, tmp_path, rng, options, sources):
    names = ["a.off", "b.off"]
    for name in names:
        write_ring(tmp_path / name, rng)
    result = run("homology", *names, "-o", "x.pbow", *options)
    assert result.exit_code == 0, result.output
    meshes = [homology.read_mesh(tmp_path / name) for name in names]
    expected = [homology.mesh_geodesic(*mesh, list(sources)) for mesh in meshes]
    assert read_diagrams("x.pbow") == Diagrams.concatenate(expected)
    births = read_diagrams("x.pbow").points[:, 0]
    assert len(np.unique(births)) > len(meshes)


def test_diagrams_are_printed_as_csv(run, clouds, tmp_path):
    result = run("homology", "clouds.npy", "--kind", "clouds", "--dims", "1", "-o", "-")
    rows = np.loadtxt(io.StringIO(result.stdout), delimiter=",", dtype=str)
    assert rows[0].tolist() == ["sample", "part", "birth", "death"]
    assert rows[1:, :2].tolist() == [["0", "H1"], ["1", "H1"]]
    expected = [[1, np.sqrt(2)], [2, np.sqrt(8)]]
    assert_allclose(rows[1:, 2:].astype(float), expected)
    assert [path.name for path in tmp_path.iterdir()] == ["clouds.npy"]


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


TRIANGLE = "OFF 3 1 3\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"


@pytest.mark.parametrize(
    ("kind", "piped", "compute"),
    [
        ("clouds", npy([[0.0, 0.0], [0.0, 2.0]]), lambda a: homology.rips([a])),
        ("clouds", "x,y\n0,0\n0,2\n", lambda a: homology.rips([a])),
        ("images", npy([[0.0, 0.0], [0.0, 2.0]]), lambda a: homology.cubical([a])),
        ("graphs", "5 6\n", lambda a: homology.graph_sublevel([([[0, 1]], 2)])),
        (
            "meshes",
            TRIANGLE,
            lambda a: homology.mesh_geodesic(
                [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], [0, 1, 2]
            ),
        ),
    ],
    ids=["clouds", "csv", "images", "graphs", "meshes"],
)
def test_data_of_a_named_kind_may_come_by_a_pipe(run, kind, piped, compute):
    pytest.importorskip("gudhi")
    result = run("homology", "-", "--kind", kind, "-o", "x.pbow", input=piped)
    assert result.exit_code == 0, result.output
    expected = compute(np.array([[0.0, 0.0], [0.0, 2.0]]))
    assert read_diagrams("x.pbow") == expected


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (
            ["-"],
            2,
            "Error: Pass --kind: what comes by the standard input has no extension.",
        ),
        (
            ["-", "--kind", "clouds"],
            1,
            "Error: the standard input has no numbers; expected the coordinates of "
            "one point per line.",
        ),
        (
            ["-", "a.csv", "--kind", "clouds"],
            2,
            "Error: The standard input, -, cannot be read together with other files.",
        ),
        (["nowhere.pbow"], 1, "Error: nowhere.pbow: No such file or directory."),
    ],
)
def test_what_cannot_be_read_is_told_as_it_is(run, words, code, message):
    pytest.importorskip("gudhi")
    result = run("homology", *words, "-o", "x.pbow", input="")
    assert result.exit_code == code
    assert result.stderr.splitlines()[-1] == message


def test_an_ambiguous_kind_is_asked_for(run, clouds):
    result = run("homology", "clouds.npy", "-o", "x.pbow")
    assert result.exit_code == 1
    assert result.stderr == (
        "Error: Expected --kind to be one of clouds, images, graphs, meshes, as .npy "
        "files may be clouds or images; it is not given.\n"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--max-edge", "-1"], "Expected --max-edge to be a number > 0; got -1.0."),
        (["--dims=-1,0"], "Expected --dims to be one or more different ints >= 0"),
        (
            ["--dims", "0,0"],
            "Expected --dims to be one or more different ints >= 0",
        ),
        (
            ["--method", "dtm-rips", "--set", "k=0"],
            "Expected --set k=... to be an int >= 1; got 0.",
        ),
        (
            ["--set", "metric=mine"],
            "Expected --set metric=... to be one of 'euc",
        ),
    ],
)
def test_parameters_are_checked_before_data_are_read(run, tmp_path, options, message):
    pytest.importorskip("gudhi")
    (tmp_path / "clouds.npy").write_bytes(b"no array")
    result = run("homology", *CLOUDS, *options)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {message}")


@pytest.mark.parametrize(
    ("name", "array", "kind", "message"),
    [
        ("b.csv", [[0, 0], [0, np.inf]], "clouds", "point 1 is [0.0, inf]; expected"),
        ("b.npy", [[0, 0], [0, np.nan]], "images", "pixel (1, 1) is nan; expected a"),
    ],
)
def test_what_is_wrong_with_a_file_names_it(
    run, tmp_path, square, name, array, kind, message
):
    pytest.importorskip("gudhi")
    np.save(tmp_path / "a.npy", [square, square])
    if name.endswith("csv"):
        np.savetxt(tmp_path / name, array, delimiter=",")
    else:
        np.save(tmp_path / name, array)
    result = run("homology", "a.npy", name, "--kind", kind, "-o", "x.pbow")
    assert result.stderr.startswith(f"Error: {name}: {message}")
    np.save(tmp_path / "b.npy", [square[:2], array])
    result = run("homology", "a.npy", "b.npy", "--kind", kind, "-o", "x.pbow")
    assert result.stderr.startswith(f"Error: b.npy:1: {message}")


@pytest.mark.parametrize("name", ["a\nb.csv", " a.csv"])
def test_a_name_that_is_no_line_is_refused(run, tmp_path, name):
    pytest.importorskip("gudhi")
    (tmp_path / name).write_text("0,0\n")
    words = ["--kind", "clouds", "--names-out", "n.txt", "-o", "x.pbow"]
    result = run("homology", name, *words)
    assert result.exit_code == 1
    assert "cannot be one line of a text file. Rename it." in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_the_result_is_reported_as_json(run, clouds):
    result = run("homology", *CLOUDS, "--json")
    report = json.loads(result.stdout)
    assert report.pop("seconds") > 0.0
    assert report == {"output": "x.pbow", "samples": 2, "parts": ["H0", "H1"]}
    refused = run("homology", *CLOUDS[:-1], "-", "--json")
    assert refused.exit_code == 2
    assert "--json prints to the standard output, and so would -;" in refused.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--method", "sublevel"], "--method sublevel is not for clouds; take rips or"),
        (["--method", "alpha", "--max-edge", "1"], "alpha has no parameter max_edge;"),
        (["--heat", "1"], "rips has no parameter heat; it has dims, metric, max_edge,"),
        (["--sources", "1"], "rips has no parameter sources;"),
        (["--set", "n_jobs=3"], "rips has no parameter n_jobs;"),
        (["--set", "clouds=3"], "rips has no parameter clouds;"),
        (["--set", "max_edge=3"], "Pass --max-edge, not --set max_edge."),
        (["--method", "dtm-rips"], "dtm-rips needs the number of neighbors, as in"),
        (["--dims", "one"], "expected dimensions separated by commas, as in"),
    ],
)
def test_what_does_not_go_together_ends_with_code_2(run, clouds, options, message):
    result = run("homology", *CLOUDS, *options)
    assert result.exit_code == 2
    assert message in result.stderr.splitlines()[-1]
    assert "Usage: pbow homology" in result.stderr


def test_names_are_written_in_the_order_of_the_diagrams(run, tmp_path):
    pytest.importorskip("gudhi")
    for folder, names in {"a": ("c10.csv", "c2.csv"), "b": ("c1.csv",)}.items():
        (tmp_path / folder).mkdir()
        for name in names:
            (tmp_path / folder / name).write_text("0,0\n1,0\n"[: 4 * (len(name) - 5)])
    words = ["--kind", "clouds", "--dims", "0", "-o", "x.pbow", "--names-out", "n.txt"]
    result = run("homology", "a", "b", *words)
    assert result.exit_code == 0, result.output
    assert (tmp_path / "n.txt").read_text() == "c2.csv\nc10.csv\nc1.csv\n"
    assert "n.txt: 3 names" in result.stderr
    assert read_diagrams("x.pbow").sizes.tolist() == [1, 2, 1]


def test_every_source_of_a_mesh_has_a_name(run, tmp_path, rng):
    write_ring(tmp_path / "a.off", rng)
    words = ["--sources", "2", "-o", "x.pbow", "--names-out", "n.txt"]
    assert run("homology", "a.off", *words).exit_code == 0
    assert (tmp_path / "n.txt").read_text() == "a.off:0\na.off:1\n"


def test_a_pipe_has_no_name(run):
    words = ["-", "--kind", "clouds", "-o", "x.pbow", "--names-out", "n.txt"]
    result = run("homology", *words, input="0,0\n")
    assert result.exit_code == 2
    assert "has no name for --names-out." in result.stderr
