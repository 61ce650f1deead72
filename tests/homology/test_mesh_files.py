import struct
import tracemalloc

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from pbow.errors import FileFormatError
from pbow.homology import read_mesh

VERTICES = np.array([[0, 0, 0.5], [1, 0, 0.25], [1, 1, -2], [0, 1, 1e-3], [7, 8, 9]])
POLYGONS = [[0, 1, 2], [0, 1, 2, 3], [4, 3, 2, 1, 0]]
TRIANGLES = [[0, 1, 2], [0, 1, 2], [0, 2, 3], [4, 3, 2], [4, 2, 1], [4, 1, 0]]


def as_off(vertices=VERTICES, polygons=POLYGONS):
    lines = ["OFF", f"{len(vertices)} {len(polygons)} 0"]
    lines += [" ".join(map(repr, row)) for row in vertices.tolist()]
    lines += [" ".join(map(str, [len(row), *row])) for row in polygons]
    return "\n".join(lines).encode() + b"\n"


def ply_header(order, vertices=VERTICES, polygons=POLYGONS, *, real="double"):
    return (
        f"ply\nformat {order} 1.0\ncomment by hand\nobj_info none\n"
        f"element vertex {len(vertices)}\n"
        f"property {real} x\nproperty {real} y\nproperty {real} z\n"
        "property uchar red\n"
        f"element face {len(polygons)}\n"
        "property list uchar int vertex_indices\nproperty short part\n"
        "end_header\n"
    ).encode()


def as_text_ply(vertices=VERTICES, polygons=POLYGONS):
    lines = [" ".join(map(repr, row)) + " 255" for row in vertices.tolist()]
    lines += [" ".join(map(str, [len(row), *row, 3])) for row in polygons]
    return ply_header("ascii") + "\n".join(lines).encode()


def as_binary_ply(vertices=VERTICES, polygons=POLYGONS, *, order="<"):
    name = "binary_little_endian" if order == "<" else "binary_big_endian"
    body = b"".join(struct.pack(order + "3dB", *row, 255) for row in vertices)
    body += b"".join(
        struct.pack(f"{order}B{len(row)}ih", len(row), *row, -3) for row in polygons
    )
    return ply_header(name, vertices, polygons) + body


FILES = {
    "off": as_off(),
    "text": as_text_ply(),
    "little": as_binary_ply(),
    "big": as_binary_ply(order=">"),
}
each_format = pytest.mark.parametrize("content", FILES.values(), ids=FILES.keys())


@pytest.fixture
def read(tmp_path):
    def read_bytes(content):
        path = tmp_path / "some.mesh"
        path.write_bytes(content)
        return read_mesh(path)

    return read_bytes


@each_format
def test_polygons_are_cut_into_triangles_from_their_first_corner(read, content):
    vertices, faces = read(content)
    assert_array_equal(vertices, VERTICES)
    assert_array_equal(faces, TRIANGLES)
    assert vertices.dtype == np.float64
    assert faces.dtype == np.int64


@pytest.mark.parametrize(
    "start",
    [
        b"OFF\n3 1 3\n",
        b"OFF 3 1 3\n",
        b"OFF3 1 3\n",
        b"# by hand\n\nOFF # yes\n3 1\n",
        b"COFF\n3 1 3\n",
        b"NOFF\n3 1 3\n",
        b"STCNOFF\r\n3 1 3\r\n",
        b" OFF\n\n3 1 3 \n",
    ],
)
def test_headers_of_off_vary(read, start):
    rows = b"0 0 0 9 9\n1 0 0 9 9 # a comment\n\n0 1 0 9 9\n3 0 1 2 255 0 0\n"
    vertices, faces = read(start + rows)
    assert_array_equal(vertices, [[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    assert_array_equal(faces, [[0, 1, 2]])


@pytest.mark.parametrize("newline", [b"\r\n", b"\r"])
@each_format
def test_lines_of_text_end_as_they_like(read, content, newline):
    if b"binary" in content:
        header, end, body = content.partition(b"end_header\n")
        content = (header + end).replace(b"\n", newline) + body
    else:
        content = content.replace(b"\n", newline)
    assert_array_equal(read(content)[1], TRIANGLES)


def test_a_table_of_ply_may_stand_before_and_between(read):
    content = as_binary_ply().replace(
        b"element vertex",
        b"element empty 7\nelement camera 2\nproperty list uint float view\n"
        b"property double far\nelement vertex",
    )
    header, end, body = content.partition(b"end_header\n")
    cameras = struct.pack("<I2fd", 2, 1, 2, 3) + struct.pack("<I0fd", 0, 4)
    vertices, faces = read(header + end + cameras + body)
    assert_array_equal(vertices, VERTICES)
    assert_array_equal(faces, TRIANGLES)


def test_names_and_types_of_ply_vary(read):
    content = (
        b"ply\nformat ascii 1.0\nelement vertex 3\nproperty int32 z\n"
        b"property uint8 x\nproperty float32 y\nelement face 1\n"
        b"property list uint16 uint32 vertex_index\n"
        b"end_header\n3 1 2.5\n6 4 5\n\n9 7 8\n3 0 1 2\n"
    )
    vertices, faces = read(content)
    assert_array_equal(vertices, [[1, 2.5, 3], [4, 5, 6], [7, 8, 9]])
    assert_array_equal(faces, [[0, 1, 2]])


def test_a_mesh_may_be_empty(read):
    for content in (b"OFF 0 0 0", as_binary_ply(VERTICES[:0], []), b"OFF 1 0\n1 2 3"):
        vertices, faces = read(content)
        assert vertices.shape[1:] == faces.shape[1:] == (3,)
        assert len(faces) == 0


def test_trimesh_writes_what_is_read(tmp_path, rng):
    trimesh = pytest.importorskip("trimesh")
    sphere = trimesh.creation.icosphere(subdivisions=2)
    for name, options in {
        "a.off": {},
        "a.ply": {"encoding": "ascii"},
        "b.ply": {"encoding": "binary"},
    }.items():
        sphere.export(tmp_path / name, **options)
        vertices, faces = read_mesh(tmp_path / name)
        np.testing.assert_allclose(vertices, sphere.vertices, atol=1e-6)
        assert_array_equal(faces, sphere.faces)


HUGE = b"999999999999999999"
NO_MESH = "begins neither with 'OFF' nor with 'ply'"
NO_COUNTS = "numbers of vertices and faces after 'OFF'"
NO_COLUMNS = "numbers x, y and z of vertices, and a list of integers vertex_indices"
ONE_OFF = b"OFF\n1 1 0\n0 0 0\n"
TEXT, LITTLE, BIG = (FILES[name] for name in ("text", "little", "big"))
PLY = b"ply\nformat ascii 1.0\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", NO_MESH),
        (b"solid cube", NO_MESH),
        (b"plywood", NO_MESH),
        (b"4OFF\n1 0 0\n1 2 3 4", NO_MESH),
        (b"OFF", NO_COUNTS),
        (b"OFF BINARY\n\x00\x00", NO_COUNTS),
        (b"OFF\n-3 1 0", NO_COUNTS),
        (b"OFF\n2 0 0\n0 0 0", "2 vertices and 0 faces, one per line, but there are 1"),
        (b"OFF\n" + HUGE + b" 1 0\n0 0 0", "one per line, but there are 1"),
        (b"OFF\n3 0 0\n0 0\n1 1\n2 2", "vertex 0 has 2 coordinates"),
        (b"OFF\n1 0 0\n0 0 x", "could not convert"),
        (b"OFF\n1 0 0\n0 0 nan", r"vertex 0 is \[0.0, 0.0, nan\]"),
        (b"OFF\n1 0 0\n0 0 1e999", r"vertex 0 is \[0.0, 0.0, inf\]"),
        (ONE_OFF + b"3 0 0", "face 0 should have 3 corners; got 2 numbers"),
        (ONE_OFF + b"-3 0 0", "face 0 should have -3 corners"),
        (ONE_OFF + HUGE + b" 0", "face 0 should have 99999999999999"),
        (ONE_OFF + b"2 0 0", "face 0 has 2 corners; expected at least 3"),
        (ONE_OFF + b"3 0 0 " + HUGE * 3, "face 0 has the corner 9999999"),
        (as_off(polygons=[[0, 1, 2], [0, 1, 5]]), "face 1 has the corner 5; there are"),
        (as_off(polygons=[[0, 1, -2]]), "face 0 has the corner -2"),
        (b"ply\n", "header has no end"),
        (b"ply\nend_header\n", "header has no line 'format'"),
        (b"ply\nformat ascii 2.0\nend_header\n", "the line 'format ascii 2.0'"),
        (b"ply\nproperty int x\nend_header\n", "header has the line 'property int x'"),
        (PLY + b"end_header\n", "one element vertex, one element face"),
        (TEXT.replace(b"end_h", b"element face 0\nend_h"), "no name twice"),
        (TEXT.replace(b"double", b"quad"), "has the line 'property quad x'"),
        (TEXT.replace(b"list uchar", b"list float"), "has the line 'property list"),
        (TEXT.replace(b"uchar int", b"uchar float"), NO_COLUMNS),
        (LITTLE.replace(b"uchar int", b"uchar float"), NO_COLUMNS),
        (TEXT.replace(b" x\n", b" u\n"), NO_COLUMNS),
        (TEXT.replace(b"vertex_indices", b"corners"), NO_COLUMNS),
        (TEXT.replace(b"x 5", b"x " + HUGE), "row 8 of element vertex is cut off"),
        (TEXT.replace(b"face 3", b"face 4"), "row 3 of element face is cut off"),
        (TEXT.replace(b"4 0 1 2 3 3", b"4 0 1 2 3"), "row 1 of element face is"),
        (TEXT.replace(b"4 0 1 2 3 3", b"-4 0 1 2 3 3"), "row 1 of element face"),
        (LITTLE.replace(b"x 5", b"x " + HUGE), "row .* of element .* is cut off"),
        (LITTLE.replace(b"face 3", b"face " + HUGE), "row 3 of element face is"),
        (LITTLE[:-1], "row 2 of element face is cut off"),
        (BIG.partition(b"end_header\n")[0] + b"end_header\n", "row 0 of element"),
        (LITTLE.replace(b"list uchar", b"list uint"), "row . of element face is cut"),
    ],
)
def test_bad_files_are_refused_with_a_reason(read, content, message):
    with pytest.raises(
        FileFormatError, match=rf"(?s)Cannot read .*some\.mesh: .*({message})"
    ):
        read(content)


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_mesh(tmp_path / "none.off")


@each_format
def test_a_file_that_is_cut_off_is_refused_or_shorter(read, content):
    for n in range(len(content)):
        try:
            vertices, faces = read(content[:n])
        except ValueError:
            continue
        # What is cut off is no more than the end of the last line of text.
        assert b"binary" not in content
        assert len(vertices) == len(VERTICES)
        assert len(faces) == len(TRIANGLES)


@given(
    st.sampled_from(sorted(FILES)),
    st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), max_size=4),
    st.binary(max_size=6),
    st.integers(0, 10_000),
)
@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_spoilt_files_are_refused_or_read(read, name, flips, extra, place):
    content = bytearray(FILES[name])
    for at, byte in flips:
        content[at % len(content)] = byte
    place %= len(content)
    content[place:place] = extra
    tracemalloc.start()
    try:
        vertices, faces = read(bytes(content))
    except ValueError:
        pass
    else:
        assert np.isfinite(vertices).all()
        assert ((faces >= 0) & (faces < len(vertices))).all()
    finally:
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert most < 1_000_000


def test_elements_without_properties_have_no_lines(read):
    header = ["ply", "format ascii 1.0"]
    header += [f"element e{i} 9999999" for i in range(300)]
    header += ["element vertex 1", *(f"property float {axis}" for axis in "xyz")]
    header += ["element face 0", "property list uchar int vertex_indices"]
    content = "\n".join([*header, "end_header", "1 2 3", *["0"] * 1000])
    vertices, faces = read(content.encode())
    assert_array_equal(vertices, [[1, 2, 3]])
    assert len(faces) == 0
