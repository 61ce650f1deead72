import json
import subprocess
import sys
import tracemalloc

import numpy as np
import pandas
import pyarrow as pa
import pyarrow.ipc
import pytest
from pyarrow import parquet

from pbow import Diagrams
from pbow.errors import DiagramError
from pbow.io import FileFormatError, from_arrow, read_diagrams, write_diagrams
from pbow.io.arrow import write_parquet

POINT = pa.struct([("birth", pa.float64()), ("death", pa.float64())])


@pytest.fixture(params=["parquet", "arrow"])
def kind(request):
    return request.param


def write_table(table, path, compression=None):
    """Write a table as another program would."""
    if path.suffix == ".parquet":
        parquet.write_table(table, path, compression=compression or "snappy")
    else:
        options = pa.ipc.IpcWriteOptions(compression=compression)
        with pa.ipc.new_file(path, table.schema, options=options) as writer:
            writer.write_table(table)


def read_table(path):
    if path.suffix == ".parquet":
        return parquet.read_table(path)
    return pa.ipc.open_file(path).read_all()


@pytest.fixture
def save(kind, tmp_path):
    def save(table):
        path = tmp_path / f"foreign.{kind}"
        write_table(table, path)
        return path

    return save


@pytest.fixture(name="X")
def two_samples():
    return Diagrams.from_parts(
        {"H0": [[[0, np.inf], [0, 0.5]], []], "β.1": [[], [[0.25, 0.75]]]}
    )


def test_a_row_is_a_sample_and_a_column_a_part(X, kind, tmp_path):
    path = tmp_path / f"diagrams.{kind}"
    write_diagrams(X, path)
    table = read_table(path)
    assert table.to_pylist() == [
        {
            "H0": [{"birth": 0.0, "death": np.inf}, {"birth": 0.0, "death": 0.5}],
            "β.1": [],
        },
        {"H0": [], "β.1": [{"birth": 0.25, "death": 0.75}]},
    ]
    about = json.loads(table.schema.metadata[b"pbow"])
    assert about == {"format": "pbow-diagrams", "version": 1}


def test_large_collections_are_cut_into_batches(rng, kind, tmp_path):
    sizes = rng.integers(0, 60_000, size=40)
    points = np.sort(rng.uniform(size=(sizes.sum(), 2)), axis=1)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    X = Diagrams.from_parts(
        {"H0": Diagrams(points, offsets), "H1": Diagrams(points, offsets)[::-1]}
    )
    path = tmp_path / f"diagrams.{kind}"
    write_diagrams(X, path)
    if kind == "parquet":
        assert parquet.ParquetFile(path).num_row_groups > 1
    else:
        assert pa.ipc.open_file(path).num_record_batches > 1
    assert read_diagrams(path) == X


def test_files_of_other_programs_need_no_key(save):
    structs = pa.array([[{"birth": 0, "death": 1}], []], pa.large_list(POINT))
    narrow = pa.struct(
        [("death", pa.float32()), ("extra", pa.string()), ("birth", pa.int8())]
    )
    shuffled = pa.array(
        [[{"birth": 1, "death": 2.5, "extra": "x"}], []], pa.list_(narrow)
    )
    table = pa.table({"label": ["a", "b"], "H0": structs, "H1": shuffled})
    expected = Diagrams.from_parts({"H0": [[[0, 1]], []], "H1": [[[1, 2.5]], []]})
    assert read_diagrams(save(table)) == expected
    assert read_diagrams(save(table.slice(1))) == expected[1:]


def test_columns_may_share_a_name_if_one_is_a_part(save):
    diagrams = pa.array([[{"birth": 0, "death": 1}]], pa.list_(POINT))
    table = pa.Table.from_arrays([diagrams, pa.array([7])], names=["H1", "H1"])
    assert read_diagrams(save(table)) == Diagrams.from_list([[[0, 1]]], name="H1")
    table = pa.Table.from_arrays([diagrams, diagrams], names=["H1", "H1"])
    with pytest.raises(FileFormatError, match="several columns of one name"):
        read_diagrams(save(table))


def test_rows_in_several_chunks_follow_one_another(save):
    one = pa.table({"H1": pa.array([[{"birth": 0, "death": 1}]], pa.list_(POINT))})
    table = pa.concat_tables([one, one, one])
    assert read_diagrams(save(table)).sizes.tolist() == [1, 1, 1]


def test_pandas_reads_it(X, tmp_path):
    write_diagrams(X, tmp_path / "a.parquet")
    frame = pandas.read_parquet(tmp_path / "a.parquet")
    assert frame["β.1"][1].tolist() == [{"birth": 0.25, "death": 0.75}]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"x": [1.0]}, r"type list<struct<birth, death>> for each part; got x: double"),
        ({"x": [[1.0]]}, "got x: list"),
        ({"x": pa.array([[{"birth": 1.0}]])}, "got x: list<"),
        ({"H1": pa.array([None], pa.list_(POINT))}, "Diagram 0 of part H1 has a null"),
        (
            {"H1": pa.array([[None]], pa.list_(POINT))},
            "Diagram 0 of part H1 has a null",
        ),
        (
            {"H1": pa.array([[{"birth": 0.0, "death": None}]], pa.list_(POINT))},
            "Diagram 0 of part H1 has a null.* inf for the death",
        ),
        (
            {"H1": pa.array([[{"birth": 1.0, "death": 0.0}]], pa.list_(POINT))},
            "dies before it is born",
        ),
        ({"H1": pa.array([[{"birth": "a", "death": "b"}]])}, "Failed to parse string"),
        ({"H1": pa.array([[{"birth": [0.0], "death": [1.0]}]])}, "Unsupported cast"),
    ],
)
def test_other_tables_are_refused(save, columns, message):
    path = save(pa.table(columns))
    with pytest.raises(FileFormatError, match=message):
        read_diagrams(path)
    with pytest.raises(ValueError, match=message):
        from_arrow(pa.table(columns))


@pytest.mark.parametrize(
    ("diagram", "problem"),
    [
        (None, "has a null"),
        ([None], "has a null"),
        ([{"birth": 0.0, "death": 1.0}, {"birth": None, "death": 1.0}], "has a null"),
        ([{"birth": 0.0, "death": None}], "has a null"),
        ([{"birth": 0.0, "death": float("nan")}], "has a point that is NaN"),
    ],
)
@pytest.mark.parametrize("kind_of_list", [pa.list_, pa.large_list])
def test_a_row_that_is_no_diagram_is_named(diagram, problem, kind_of_list):
    good = [{"birth": 0.0, "death": 1.0}]
    column = pa.array([good, [], diagram, good, diagram], kind_of_list(POINT))
    table = pa.table({"H0": pa.array([good] * 5, pa.list_(POINT)), "H1": column})
    chunked = pa.concat_tables([table.slice(0, 1), table.slice(1, 3), table.slice(4)])
    for one in (table, chunked):
        with pytest.raises(DiagramError, match=f"2 of part H1 {problem}") as caught:
            from_arrow(one)
        assert (caught.value.item, caught.value.part) == (2, "H1")
    with pytest.raises(DiagramError, match=f"Diagram 0 of part H1 {problem}"):
        from_arrow(table.slice(2))
    assert from_arrow(table.slice(0, 2))["H1"].sizes.tolist() == [1, 0]


def test_tables_and_batches_of_engines_are_diagrams(X, kind, tmp_path):
    path = tmp_path / f"diagrams.{kind}"
    write_diagrams(X, path)
    table = read_table(path)
    assert from_arrow(table) == X
    assert from_arrow(table.to_batches()[0].slice(1)) == X[1:]
    labeled = table.append_column("label", pa.array(["a", "b"]))
    assert from_arrow(labeled.select([2, 1, 0])) == X[["β.1", "H0"]]
    assert from_arrow(table.slice(0, 0)) == X[:0]


def test_names_of_samples_are_a_text_column(tmp_path):
    # Two samples do not go into one batch.
    points = np.column_stack((np.arange(1.2e6), np.arange(1.2e6) + 1.0))
    X, names = Diagrams(points, [0, 600_000, 1_200_000], name="H1"), ["a", 'b "2"']
    path = tmp_path / "named.parquet"
    with path.open("wb") as file:
        write_parquet(X, file, names)
    assert parquet.ParquetFile(path).num_row_groups == 2
    assert parquet.read_schema(path).names == ["H1", "sample"]
    assert parquet.read_table(path, columns=["sample"])["sample"].to_pylist() == names
    assert read_diagrams(path) == X


@pytest.mark.parametrize(
    ("about", "message"),
    [
        (
            '{"format": "pbow-diagrams", "version": 2}',
            "version 2, made by a newer pbow",
        ),
        ('{"format": "pbow-model", "version": 1}', "not pbow-diagrams"),
        ('{"format": "pbow-diagrams", "version": "1"}', "not pbow-diagrams"),
        ("[]", "not pbow-diagrams"),
        ("{", "Expecting property name"),
        ("[" * 100_000, "recursion"),
    ],
)
def test_other_versions_are_refused(save, about, message):
    table = pa.table({"H1": pa.array([[]], pa.list_(POINT))})
    path = save(table.replace_schema_metadata({"pbow": about}))
    with pytest.raises(FileFormatError, match=message):
        read_diagrams(path)


def test_a_small_file_that_unfolds_into_a_large_one_is_refused(tmp_path):
    lists = pa.array([[]] * 1000, pa.list_(POINT))
    table = pa.table({"H1": pa.chunked_array([lists] * 6000)})
    parquet.write_table(table, tmp_path / "a.parquet")
    assert (tmp_path / "a.parquet").stat().st_size < 50_000
    with pytest.raises(FileFormatError, match="claims to unfold into 96 MB"):
        read_diagrams(tmp_path / "a.parquet")


def test_so_is_one_long_list_of_zeros(kind, tmp_path):
    n = 10_000_000
    zeros = pa.array(np.zeros(n))
    points = pa.StructArray.from_arrays([zeros, zeros], fields=list(POINT))
    lists = pa.ListArray.from_arrays(pa.array([0, n], pa.int32()), points)
    path = tmp_path / f"a.{kind}"
    write_table(pa.table({"H1": lists}), path, compression="zstd")
    assert path.stat().st_size < 400_000
    with pytest.raises(FileFormatError, match="claims to unfold into 160 MB"):
        read_diagrams(path)


def test_compressed_files_are_read(X, kind, tmp_path):
    path = tmp_path / f"a.{kind}"
    write_diagrams(X, path)
    write_table(read_table(path), path, compression="zstd")
    assert read_diagrams(path) == X


# A process of its own, as some damage has ended the process.
PROGRAM = """
import sys
from pathlib import Path
from pbow.io import FileFormatError, read_diagrams

path, *changes = sys.argv[1:]
data = Path(path).read_bytes()
everywhere = [f"{place}:{(data[place] + 2) % 256}" for place in range(len(data))]
for change in changes or everywhere:
    changed = bytearray(data)
    for place, value in (pair.split(":") for pair in change.split()):
        changed[int(place)] = int(value)
    Path(path).write_bytes(changed)
    try:
        read_diagrams(path)
    except FileFormatError as error:
        print(error)
"""


def complaints(path, *changes):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, path, *changes],
        check=False,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    "change",
    [
        "37:0 320:4",  # the type of the first message
        " ".join(f"{place}:0" for place in range(8, 16)),  # its length
        "1415:4 1655:1",  # types of columns that do not fit the buffers
    ],
)
def test_known_attacks_do_not_end_the_process(tmp_path, change):
    X = Diagrams.from_parts(
        {
            "H0": [[[0, 1], [0, np.inf]], [[0, 2.5]], []],
            "H1": [[[1, 2]], [], [[0.25, 0.75], [1e-3, 7.0]]],
        }
    )
    path = tmp_path / "a.arrow"
    write_diagrams(X, path)
    (complaint,) = complaints(path, change)
    assert complaint.startswith(f"Cannot read {path}: ")


def test_no_changed_byte_ends_the_process(X, kind, tmp_path):
    path = tmp_path / f"a.{kind}"
    write_diagrams(X, path)
    n_bytes = path.stat().st_size
    assert n_bytes / 4 < len(complaints(path)) < n_bytes


def test_a_damaged_file_gives_diagrams_or_our_error(X, kind, tmp_path, rng):
    path = tmp_path / f"a.{kind}"
    write_diagrams(X, path)
    data = np.frombuffer(path.read_bytes(), np.uint8)
    n_refused = 0
    tracemalloc.start()
    try:
        for _ in range(300):
            changed = data.copy()
            changed[rng.integers(len(data), size=rng.integers(1, 9))] = rng.choice(256)
            path.write_bytes(
                changed[: rng.integers(len(data) // 2, 2 * len(data))].tobytes()
            )
            try:
                read_diagrams(path)
            except FileFormatError as error:
                n_refused += str(path) in str(error)
        assert tracemalloc.get_traced_memory()[1] < 100e6
    finally:
        tracemalloc.stop()
    assert 200 < n_refused < 300


@pytest.mark.parametrize("content", [b"", b"\0" * 100, b"PAR1", b"ARROW1\0\0"])
def test_what_is_no_such_file_is_refused(kind, tmp_path, content):
    path = tmp_path / "a"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=f"Cannot read {path}"):
        read_diagrams(path, kind)


def test_without_pyarrow_the_error_names_the_extra(X, kind, tmp_path, monkeypatch):
    path = tmp_path / f"diagrams.{kind}"
    write_diagrams(X, path)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    monkeypatch.setitem(sys.modules, "pyarrow.ipc", None)
    with pytest.raises(ImportError, match="the extra arrow"):
        read_diagrams(path)
    with pytest.raises(ImportError, match="the extra arrow"):
        write_diagrams(X, tmp_path / f"other.{kind}")
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
