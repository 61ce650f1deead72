import io

import numpy as np
import pytest
from numpy.testing import assert_allclose

from pbow import Diagrams, homology
from pbow.io import read_diagrams, read_images

CLOUDS = "homology clouds.npy --kind clouds "


@pytest.mark.parametrize(
    ("options", "compute"),
    [
        ("", homology.rips),
        ("--dims 1", lambda c: homology.rips(c, 1)),
        ("--max-edge 1.2", lambda c: homology.rips(c, max_edge=1.2)),
        (
            "--method sparse-rips --set epsilon=0.2 --jobs 2",
            lambda c: homology.sparse_rips(c, epsilon=0.2),
        ),
        ("--method alpha --set field=3", homology.alpha),
        ("--method dtm-rips --set k=2", lambda c: homology.dtm_rips(c, k=2)),
    ],
    ids=["rips", "dims", "max-edge", "sparse-rips", "alpha", "dtm-rips"],
)
def test_clouds_have_the_diagrams_of_the_function(run, folder, options, compute):
    result = run(f"{CLOUDS} {options} -o x.pbow")
    expected = compute(np.load("clouds.npy"))
    assert read_diagrams("x.pbow") == expected
    assert result.stdout == ""
    assert result.stderr.splitlines()[-1] == f"x.pbow: {expected}"


def test_matrices_of_distances_of_any_size_are_taken_as_such(run, tmp_path):
    (tmp_path / "a.csv").write_text("0,1,2\n1,0,1.5\n2,1.5,0\n")
    (tmp_path / "b.csv").write_text("0,1\n1,0\n")
    result = run("homology a.csv --kind clouds --dims 0 -o x.csv")
    assert "Warning: These clouds look like distance matrices" in result.stderr
    assert 'For distances, set metric="precomputed".' in result.stderr
    asked = "--kind clouds --set metric=precomputed --dims 0 -o x.csv"
    result = run(f"homology a.csv b.csv {asked}")
    assert read_diagrams("x.csv")[0].tolist() == [[0, 1], [0, 1.5], [0, np.inf]]
    assert "Warning" not in result.stderr


def test_a_folder_of_clouds_may_have_clouds_of_any_size(run, tmp_path, square):
    (tmp_path / "scans").mkdir()
    for i, n in enumerate((4, 3, 2)):
        np.savetxt(tmp_path / "scans" / f"{i}.xyz", square[:n])
    run("homology scans --dims 0 -o x.pbow")
    assert read_diagrams("x.pbow").sizes.tolist() == [4, 3, 2]


@pytest.mark.parametrize("method", ["sublevel", "superlevel"])
def test_images_are_flooded_from_below_or_above(run, tmp_path, rng, method):
    images = rng.normal(size=(2, 6, 5))
    np.save(tmp_path / "images.npy", images)
    default = "" if method == "sublevel" else f"--method {method}"
    words = f"--kind images -o x.pbow {default} --set 'periodic=(True, False)'"
    run(f"homology images.npy {words}")
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
    words = "homology graphs --kind graphs -o x.pbow"
    run(f"{words} --dims 0,1")
    assert read_diagrams("x.pbow") == homology.graph_sublevel(graphs, dims=(0, 1))
    run(f"{words} --method extended --heat 10")
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
    ("options", "sources"), [("", range(8)), ("--sources 3", [0, 2, 5])]
)
def test_a_mesh_has_a_sample_and_a_name_a_source(run, tmp_path, rng, options, sources):
    names = ["a.off", "b.off"]
    for name in names:
        write_ring(tmp_path / name, rng)
    run(f"homology a.off b.off -o x.pbow --names-out n.txt {options}")
    meshes = [homology.read_mesh(tmp_path / name) for name in names]
    expected = [homology.mesh_geodesic(*mesh, list(sources)) for mesh in meshes]
    assert read_diagrams("x.pbow") == Diagrams.concatenate(expected)
    births = read_diagrams("x.pbow").points[:, 0]
    assert len(np.unique(births)) > len(meshes)
    lines = [f"{name}:{k}" for name in names for k in range(len(sources))]
    assert (tmp_path / "n.txt").read_text().splitlines() == lines


def test_diagrams_are_printed_as_csv(run, folder):
    before = sorted(folder.iterdir())
    result = run(f"{CLOUDS} --dims 1 -o -")
    rows = np.loadtxt(io.StringIO(result.stdout), delimiter=",", dtype=str)
    assert rows[0].tolist() == ["sample", "part", "birth", "death"]
    assert rows[1:, :2].tolist() == [["0", "H1"], ["1", "H1"]]
    expected = [[1, np.sqrt(2)], [2, np.sqrt(8)]]
    assert_allclose(rows[1:, 2:].astype(float), expected)
    assert sorted(folder.iterdir()) == before


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
    run(f"homology - --kind {kind} -o x.pbow", input=piped)
    expected = compute(np.array([[0.0, 0.0], [0.0, 2.0]]))
    assert read_diagrams("x.pbow") == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--max-edge -1", "Expected --max-edge to be a number > 0; got -1.0."),
        ("--dims=-1,0", "Expected --dims to be one or more different ints >= 0"),
        ("--method dtm-rips --set k=0", "Expected --set k=... to be an int >= 1; got "),
        ("--set metric=mine", "Expected --set metric=... to be one of 'euc"),
    ],
)
def test_parameters_are_checked_before_data_are_read(run, folder, options, message):
    (folder / "clouds.npy").write_bytes(b"no array")
    result = run(f"{CLOUDS} -o x.pbow {options}", code=1)
    assert result.stderr.startswith(f"Error: {message}")


@pytest.mark.parametrize(
    ("array", "kind", "message"),
    [
        ([[0, 0], [0, np.inf]], "clouds", "point 1 is [0.0, inf]; expected"),
        ([[0, 0], [0, np.nan]], "images", "pixel (1, 1) is nan; expected a"),
    ],
)
def test_what_is_wrong_with_a_file_names_it(run, folder, array, kind, message):
    for name, stored in {"b.npy": array, "b.npy:1": [np.eye(2), array]}.items():
        np.save(folder / "b.npy", stored)
        result = run(f"homology clouds.npy b.npy --kind {kind} -o x.pbow", code=1)
        assert result.stderr.startswith(f"Error: {name}: {message}")


def test_names_are_written_in_the_order_of_the_diagrams(run, tmp_path):
    for folder, names in {"a": ("c10.csv", "c2.csv"), "b": ("c1.csv",)}.items():
        (tmp_path / folder).mkdir()
        for name in names:
            (tmp_path / folder / name).write_text("0,0\n1,0\n"[: 4 * (len(name) - 5)])
    result = run("homology a b --kind clouds --dims 0 -o x.pbow --names-out n.txt")
    assert (tmp_path / "n.txt").read_text() == "c2.csv\nc10.csv\nc1.csv\n"
    assert "n.txt: 3 names" in result.stderr
    assert read_diagrams("x.pbow").sizes.tolist() == [1, 2, 1]


@pytest.fixture
def labeled(tmp_path, rng):
    """Images in one folder per label, and the stack of them."""
    pillow = pytest.importorskip("PIL.Image")
    images = rng.integers(0, 256, (4, 6, 5)).astype(np.uint8)
    for label, k, image in zip("bbaa", (2, 10, 1, 2), images, strict=True):
        folder = tmp_path / "all" / label
        folder.mkdir(parents=True, exist_ok=True)
        pillow.fromarray(image).save(folder / f"{k}.png")
    return images[[2, 3, 0, 1]]


def test_folders_are_labels(run, tmp_path, labeled):
    result = run("homology all --labels-out l.txt --names-out n.txt -o x.pbow")
    assert read_diagrams("x.pbow") == homology.cubical(labeled)
    assert (tmp_path / "l.txt").read_text().splitlines() == ["a", "a", "b", "b"]
    names = ["a/1.png", "a/2.png", "b/2.png", "b/10.png"]
    assert (tmp_path / "n.txt").read_text().splitlines() == names
    assert result.stderr.splitlines()[:2] == ["n.txt: 4 names", "l.txt: 2 a, 2 b"]
    run("homology all/b all/a --labels-out l.txt -o x.pbow")
    assert (tmp_path / "l.txt").read_text().splitlines() == ["b", "b", "a", "a"]


def test_subfolders_that_were_read_are_named(run, labeled):
    first = run("homology all -o x.pbow").stderr.splitlines()[0]
    assert first == (
        "all: files of its subfolders a, b; --labels-out FILE writes the labels"
    )


def test_what_was_read_is_named(run, tmp_path, graphs, labeled):
    (tmp_path / "graphs" / "3.txt").write_text("0 1\n")
    error = run("homology graphs --kind graphs -o x.pbow").stderr
    most = max(n for _, n in graphs)
    assert f"Read 4 graphs: 2 to {most} vertices" in error.splitlines()
    np.save(tmp_path / "all" / "a" / "3.npy", np.zeros((9, 8)))
    error = run("homology all --kind images -o x.pbow").stderr
    assert "Read 5 images: 6 x 5 to 9 x 8 pixels" in error.splitlines()


def test_files_of_folders_that_were_not_read_are_counted(run, tmp_path, labeled):
    for name in ("a/scan.gif", "b/README", "b/notes.txt", "b/more.txt"):
        (tmp_path / "all" / name).touch()
    error = run("homology all -o x.pbow --kind images").stderr
    assert "all: 4 files not read (.gif, .txt, README)" in error.splitlines()
    assert "not read" not in run("homology all/a/1.png -o x.pbow").stderr


def test_one_label_is_none(run, tmp_path, labeled):
    error = run("homology all/a --labels-out l.txt -o x.pbow", code=1).stderr
    assert "all files are of one label, 'a'. Put the files of each label" in error
    assert not (tmp_path / "l.txt").exists()


def test_the_shell_and_python_read_the_same_images(run, labeled):
    run("homology all -o x.pbow")
    assert read_diagrams("x.pbow") == homology.cubical(read_images("all"))


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_are_recognized_with_their_labels(run, tmp_path, labeled, save):
    arrays = {"labels": [1, 0, 1, 0], "label_names": ["flat", "steep"]}
    save(tmp_path / "a.npz", images=labeled, **arrays)
    run("homology a.npz --labels-out l.txt -o x.pbow")
    assert read_diagrams("x.pbow") == homology.cubical(labeled)
    assert (tmp_path / "l.txt").read_text().split() == ["steep", "flat"] * 2
    piped = (tmp_path / "a.npz").read_bytes()
    run("homology - --kind images -o y.pbow", input=piped)
    assert read_diagrams("y.pbow") == read_diagrams("x.pbow")


def test_columns_choose_coordinates(run, tmp_path, square):
    rows = [f"p{i},{x},{y}" for i, (x, y) in enumerate(square.tolist())]
    (tmp_path / "a.csv").write_text("\n".join(["id,x,y", *rows]))
    for columns in ("1,2", "x,y", "x,2"):
        run(f"homology a.csv --kind clouds --columns {columns} -o x.pbow")
        assert read_diagrams("x.pbow") == homology.rips([square])
    error = run("homology a.csv --kind clouds --columns x,z -o x.pbow", code=1).stderr
    assert "a.csv: it has no column 'z'; it has id, x, y." in error
    error = run("homology a.csv --kind clouds --columns x,, -o x.pbow", code=2).stderr
    assert "expected numbers or names, as in 1,2,3 or x,y,z; got 'x,,'" in error


def test_graphs_with_a_few_distinct_points_have_advice(run, tmp_path, rng):
    (tmp_path / "a.txt").write_text("0 1\n1 2\n2 3\n")
    result = run("homology a.txt --kind graphs -o x.pbow")
    assert "Degrees give 1 distinct point with a finite death; --heat 10" in (
        result.stderr
    )
    result = run("homology a.txt --kind graphs --heat 10 -o x.pbow")
    assert "distinct" not in result.stderr


def test_locations_are_stored_on_request(run, tmp_path, rng):
    image, cloud = rng.normal(size=(1, 6, 6)), rng.normal(size=(1, 9, 2))
    np.save(tmp_path / "image.npy", image)
    np.save(tmp_path / "cloud.npy", cloud)
    mesh = "OFF\n4 3 0\n0 0 0\n1 0 0\n1 1 0\n0 1 2\n3 0 1 2\n3 0 2 3\n3 0 1 3\n"
    (tmp_path / "mesh.off").write_text(mesh)
    out = tmp_path / "X.pbow"
    for name, kind in (("image.npy", "images"), ("cloud.npy", "clouds")):
        run("homology", tmp_path / name, "--kind", kind, "--locations", "-o", out)
        X = read_diagrams(out)
        assert all(X[part].locations is not None for part in X.parts)
    run("homology", tmp_path / "mesh.off", "--locations", "-o", out)
    assert read_diagrams(out).locations.shape[1:] == (2, 1)
    run("homology", tmp_path / "mesh.off", "-o", out)
    assert read_diagrams(out).locations is None


def test_locations_need_a_file_that_stores_them(run, tmp_path):
    words = ["homology", tmp_path, "--kind", "images", "--locations"]
    found = run(*words, "-o", tmp_path / "X.csv", code=2)
    assert "only .pbow files store locations" in found.stderr
    words = ["homology", tmp_path, "--kind", "clouds", "--locations"]
    words += ["--method", "sparse-rips", "-o", tmp_path / "X.pbow"]
    assert "no parameter return_locations" in run(*words, code=2).stderr
