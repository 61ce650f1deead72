"""Files that are read in blocks: which, in what order and pieces, and what is bad."""

import os
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
import pytest
from numpy.testing import assert_array_equal
from pyarrow import parquet

from pbow import DiagramBlocks, Diagrams, PersistenceBoW
from pbow.blocks import BlockError
from pbow.errors import FileFormatError
from pbow.io import read_diagrams, scan_diagrams, write_diagrams
from pbow.io.container import DIAGRAMS, write_container
from pbow.io.scanning import Sizes, estimated_bytes, sources_of

POINT = pa.struct([("birth", pa.float64()), ("death", pa.float64())])
LIST = pa.list_(POINT)
each_kind = pytest.mark.parametrize("kind", ["parquet", "arrow", "pbow"])
each_table = pytest.mark.parametrize("kind", ["parquet", "arrow"])
GOOD, NAN, LATE = [[0.0, 1.0]], [[0.0, 1.0], [np.nan, 1.0]], [[2.0, 1.0]]


def as_table(parts, **columns):
    """A table with one row per sample; a diagram may be None, or have any points."""
    arrays = {
        name: pa.array(
            [
                d if d is None else [{"birth": b, "death": e} for b, e in d]
                for d in diagrams
            ],
            LIST,
        )
        for name, diagrams in parts.items()
    }
    return pa.table({**columns, **arrays})


def write_table(table, path, group=10**6):
    if path.suffix == ".parquet":
        with parquet.ParquetWriter(
            path, table.schema, write_page_checksum=True
        ) as writer:
            for i in range(0, max(1, table.num_rows), group):
                writer.write_table(table.slice(i, group))
    else:
        with pa.ipc.new_file(path, table.schema) as writer:
            for i in range(0, max(1, table.num_rows), group):
                for batch in table.slice(i, group).combine_chunks().to_batches():
                    writer.write_batch(batch)


def write(parts, path, group=10**6, **columns):
    """Write diagrams, good or bad, as another program would."""
    if path.suffix != ".pbow":
        write_table(as_table(parts, **columns), path, group)
        return path
    arrays = {}
    for k, diagrams in enumerate(parts.values()):
        sizes = [len(d) for d in diagrams]
        points = [np.reshape(d, (-1, 2)) for d in diagrams]
        arrays[f"points{k}"] = np.concatenate([np.empty((0, 2)), *points])
        arrays[f"offsets{k}"] = np.cumsum([0, *sizes], dtype=np.int64)
    write_container(path, DIAGRAMS, {"parts": list(parts), "metadata": {}}, arrays)
    return path


def read_all(blocks, skip=None):
    """The rows of all pieces: diagrams, numbers and names."""
    pieces = [rows for source in blocks.sources() for rows in source.read(skip)]
    numbers = np.concatenate([rows.numbers for rows in pieces]).tolist()
    names = [n for r in pieces for n in (r.names.to_pylist() if r.names else [])]
    return Diagrams.concatenate(rows.diagrams for rows in pieces), numbers, names


def skipping(blocks):
    """All that can be read, and what was skipped."""
    skipped = []
    X, numbers, names = read_all(blocks, lambda *what: skipped.append(what))
    return X, numbers, names, skipped


# Blocks of about 40 points, in pieces of about 10.
SMALL = Sizes(block_bytes=40 * 16, piece_bytes=10 * 16)


def scan_in_small_pieces(*files, sizes=SMALL):
    return DiagramBlocks.of_sources(sources_of(list(files), sizes=sizes))


each_size = pytest.mark.parametrize("scan", [scan_diagrams, scan_in_small_pieces])


@pytest.fixture
def two_parts(ragged):
    return Diagrams.from_parts({"H0": ragged[::-1], "H1": ragged})


@each_kind
def test_a_file_is_scanned_without_loading_it(kind, two_parts, tmp_path):
    path = tmp_path / f"a.{kind}"
    write_diagrams(two_parts, path)
    for given in (path, str(path), [path], (str(path),)):
        blocks = scan_diagrams(given)
        assert (blocks.n_blocks, blocks.n_samples) == (1, 30)
        assert blocks.parts == ("H0", "H1")
        assert [source.name for source in blocks.sources()] == [str(path)]
        for _ in range(2):
            assert Diagrams.concatenate(blocks) == two_parts
        assert scan_diagrams(blocks) is blocks


@each_kind
def test_files_teach_what_diagrams_in_memory_do(kind, two_parts, tmp_path):
    for i, rows in enumerate((slice(0, 12), slice(12, 13), slice(13, 30))):
        parts = {name: list(two_parts[name][rows]) for name in two_parts.parts}
        write(parts, tmp_path / f"{i}.{kind}", group=2)
    blocks = scan_in_small_pieces(*sorted(tmp_path.iterdir()))
    assert blocks.n_blocks > 5
    bow = PersistenceBoW(4, weighting="ramp", sample_size=200, random_state=0)
    expected = bow.fit(two_parts).transform(two_parts)
    assert_array_equal(bow.fit(blocks).transform(two_parts), expected)
    with ThreadPoolExecutor(2) as pool:
        assert_array_equal(bow.fit(blocks.on(pool)).transform(two_parts), expected)


@each_kind
def test_blocks_are_read_in_pieces_whose_rows_are_those_of_the_file(
    kind, two_parts, tmp_path
):
    parts = {name: list(two_parts[name]) for name in two_parts.parts}
    path = write(parts, tmp_path / f"a.{kind}", group=7)
    blocks = scan_in_small_pieces(path)
    X, numbers, _ = read_all(blocks)
    assert two_parts == X
    assert numbers == list(range(30))
    names = [source.name for source in blocks.sources()]
    assert names[0].startswith(f"{path}, rows 0 to ")
    assert names[-1].endswith(" to 29")
    assert all(source.file == str(path) for source in blocks.sources())
    assert sum(source.n_samples for source in blocks.sources()) == 30
    pieces = [len(list(source.read())) for source in blocks.sources()]
    assert len(pieces) > 3
    assert max(pieces) > 1


@each_table
def test_small_row_groups_make_a_block_together(kind, ragged, tmp_path):
    path = write({"H1": list(ragged)}, tmp_path / f"a.{kind}", group=1)
    blocks = scan_diagrams(path)
    assert blocks.n_blocks == 1
    assert read_all(blocks)[:2] == (ragged, list(range(30)))


@each_kind
def test_a_large_row_group_is_read_in_pieces(kind, ragged, tmp_path):
    path = write({"H1": list(ragged)}, tmp_path / f"a.{kind}")
    blocks = scan_in_small_pieces(path, sizes=Sizes(piece_bytes=50 * 16))
    assert blocks.n_blocks == 1
    pieces = list(blocks)
    assert len(pieces) > 5
    assert max(len(piece.points) for piece in pieces) < 200
    assert Diagrams.concatenate(pieces) == ragged


@each_table
def test_pieces_are_cut_by_their_size_in_memory(kind, tmp_path):
    path = tmp_path / f"a.{kind}"
    points = np.arange(80_000.0).reshape(-1, 2) % 200  # a byte of the file per number
    points.sort(axis=1)
    X = Diagrams(points, np.arange(0, 40_001, 10))
    write_diagrams(X, path)
    if kind == "parquet":
        assert path.stat().st_size < points.nbytes / 7
    sizes = Sizes(piece_bytes=1 << 15)
    pieces = list(scan_in_small_pieces(path, sizes=sizes))
    assert max(piece.points.nbytes for piece in pieces) <= 1 << 15
    assert len(pieces) <= 2 * points.nbytes >> 15
    assert Diagrams.concatenate(pieces) == X


@each_table
def test_the_size_in_memory_is_estimated_from_a_few_blocks(kind, tmp_path, ragged):
    for i in range(25):
        write_diagrams(ragged, tmp_path / f"{i}.{kind}")
    n_bytes = estimated_bytes(sorted(tmp_path.iterdir()))
    assert n_bytes == 25 * ragged.points.nbytes


@each_kind
def test_one_sample_may_be_larger_than_a_block(kind, tmp_path):
    long = [[i, i + 1.0] for i in range(500)]
    diagrams = [[], long, [], [], GOOD, long]
    path = write({"H1": diagrams}, tmp_path / f"a.{kind}", group=2)
    assert read_all(scan_in_small_pieces(path))[:2] == (
        Diagrams.from_list(diagrams, name="H1"),
        list(range(6)),
    )


@pytest.mark.parametrize("kind_of_text", [pa.string(), pa.large_string()])
@each_table
def test_a_text_column_has_the_names_of_the_samples(
    kind, kind_of_text, ragged, tmp_path
):
    names = [f"sample {i}" for i in range(30)]
    path = tmp_path / f"a.{kind}"
    column = pa.array(names, kind_of_text)
    write({"H1": list(ragged)}, path, group=7, sample=column, label=pa.array([1] * 30))
    X, _, found = read_all(scan_in_small_pieces(path))
    assert found == names
    assert ragged == X


@each_table
def test_names_may_be_whole_numbers_or_categories_and_nothing_else(kind, tmp_path):
    for number, (column, expected) in enumerate(
        [
            (pa.array([7]), ["7"]),
            (pa.array(["a"]).dictionary_encode(), ["a"]),
            (pa.array([0.5]), []),
        ]
    ):
        path = write({"H1": [GOOD]}, tmp_path / f"{number}.{kind}", sample=column)
        assert [*map(str, read_all(scan_diagrams(path))[2])] == expected
    path = write({"sample": [GOOD]}, tmp_path / f"b.{kind}")
    blocks = scan_diagrams(path)
    assert blocks.parts == ("sample",)
    assert read_all(blocks)[2] == []


@each_kind
def test_the_files_of_a_folder_are_in_natural_order(kind, ragged, tmp_path):
    for i in (10, 2, 1):
        write_diagrams(ragged[[i]], tmp_path / f"part-{i}.{kind}")
    write_diagrams(ragged[[7]], tmp_path / f".hidden.{kind}")
    write_diagrams(ragged[[8]], tmp_path / f"_private.{kind}")
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / "more").mkdir()
    write_diagrams(ragged[[9]], tmp_path / "more" / f"part-3.{kind}")
    in_order = ragged[[1, 2, 10]]
    for given in (tmp_path, f"{tmp_path}/*", f"{tmp_path}/*.{kind}"):
        assert Diagrams.concatenate(scan_diagrams(given)) == in_order
    files = [tmp_path / f"part-{i}.{kind}" for i in (10, 1)]
    assert Diagrams.concatenate(scan_diagrams(files)) == ragged[[10, 1]]
    both = [tmp_path / "more", f"{tmp_path}/part-?.{kind}"]
    assert Diagrams.concatenate(scan_diagrams(dict.fromkeys(both))) == ragged[[9, 1, 2]]


def test_a_file_whose_name_looks_like_a_pattern_is_itself(ragged, tmp_path):
    write_diagrams(ragged, tmp_path / "a[1].parquet")
    write_diagrams(ragged[:3], tmp_path / "a1.parquet")
    assert scan_diagrams(tmp_path / "a[1].parquet").n_samples == 30
    assert scan_diagrams(tmp_path / "a[12].parquet").n_samples == 3


def test_files_of_different_formats_may_stand_side_by_side(two_parts, tmp_path):
    for i, kind in enumerate(["parquet", "arrow", "pbow"]):
        write_diagrams(two_parts[10 * i : 10 * i + 10], tmp_path / f"{i}.{kind}")
    assert Diagrams.concatenate(scan_diagrams(tmp_path)) == two_parts


@each_kind
def test_parts_may_come_in_another_order_but_must_be_the_same(
    kind, two_parts, tmp_path
):
    write_diagrams(two_parts[:10], tmp_path / f"1.{kind}")
    write_diagrams(two_parts[["H1", "H0"]][10:], tmp_path / f"2.{kind}")
    blocks = scan_diagrams(tmp_path)
    assert blocks.parts == ("H0", "H1")
    assert Diagrams.concatenate(blocks) == two_parts
    write_diagrams(two_parts["H1"], tmp_path / f"3.{kind}")
    with pytest.raises(
        FileFormatError,
        match=rf"{tmp_path}/3\.{kind}: it has parts H1, and .*1\.{kind} has H0, H1",
    ):
        scan_diagrams(tmp_path)


@each_kind
def test_files_and_groups_without_rows_are_passed_over(kind, ragged, tmp_path):
    write_diagrams(ragged[:0], tmp_path / f"1.{kind}")
    write_diagrams(ragged, tmp_path / f"2.{kind}")
    blocks = scan_diagrams(tmp_path)
    assert blocks.n_blocks == 1
    assert Diagrams.concatenate(blocks) == ragged
    with pytest.raises(ValueError, match=rf"no samples in {tmp_path}/1\.{kind}\."):
        scan_diagrams(tmp_path / f"1.{kind}")
    write_diagrams(ragged[:0], tmp_path / f"2.{kind}")
    with pytest.raises(ValueError, match=rf"samples in .*1\.{kind} and the others"):
        scan_diagrams(tmp_path)


@each_table
def test_groups_without_rows_may_stand_between_others(kind, ragged, tmp_path):
    table = as_table({"H1": list(ragged)})
    (whole,) = table.to_batches()
    path = tmp_path / f"a.{kind}"
    new_file = parquet.ParquetWriter if kind == "parquet" else pa.ipc.new_file
    with new_file(path, table.schema) as writer:
        for start, n_rows in ((0, 0), (0, 9), (9, 0), (9, 21), (30, 0)):
            writer.write_batch(whole.slice(start, n_rows))
    assert read_all(scan_diagrams(path))[:2] == (ragged, list(range(30)))


def test_without_a_file_there_is_nothing_to_scan(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "_SUCCESS").touch()
    with pytest.raises(FileNotFoundError, match=r"missing\.parquet"):
        scan_diagrams(tmp_path / "missing.parquet")
    with pytest.raises(FileNotFoundError, match=r"The folder .*/empty has no files"):
        scan_diagrams(tmp_path / "empty")
    with pytest.raises(
        FileNotFoundError, match=r"No file matches .*/empty/\*\.parquet"
    ):
        scan_diagrams(tmp_path / "empty" / "*.parquet")
    with pytest.raises(ValueError, match="There are no blocks"):
        list(scan_diagrams([]))


@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_other_formats_are_named_with_what_to_do(ragged, tmp_path, on_error):
    write_diagrams(ragged, tmp_path / "a.csv")
    with pytest.raises(
        FileFormatError, match=r"a\.csv: a file of the format csv .* `pbow convert`"
    ):
        scan_diagrams(tmp_path, on_error=on_error)
    (tmp_path / "a.csv").rename(tmp_path / "a.unknown")
    with pytest.raises(FileFormatError, match=r"a\.unknown: expected a Parquet, "):
        scan_diagrams(tmp_path, on_error=on_error)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            pa.table({"x": [1.0]}),
            "expected a column of type list<struct<birth, death>>",
        ),
        (
            pa.Table.from_arrays([pa.array([[]], LIST)] * 2, names=["H1", "H1"]),
            "several columns of one name among H1, H1",
        ),
        (
            pa.table({"H1": [1]}).replace_schema_metadata({"pbow": "[]"}),
            "not pbow-diagrams",
        ),
    ],
)
@each_table
def test_a_schema_without_diagrams_is_refused(kind, table, message, tmp_path):
    path = tmp_path / f"a.{kind}"
    write_table(table, path)
    with pytest.raises(FileFormatError, match=rf"Cannot read {path}: .*{message}"):
        scan_diagrams(path)


@each_table
def test_coordinates_that_are_no_numbers_are_refused_when_they_are_read(kind, tmp_path):
    for coordinate, message in (([1.0], "Unsupported cast"), ("x", "Failed to parse")):
        column = pa.array([[{"birth": coordinate, "death": coordinate}]] * 3)
        path = tmp_path / f"a.{kind}"
        write_table(pa.table({"H1": column}), path)
        blocks = scan_diagrams(path)
        with pytest.raises(FileFormatError, match=rf"{path}: .*{message}"):
            list(blocks)
        X, _, _, skipped = skipping(blocks)
        assert len(X) == 0
        ((file, row, n_rows, reason),) = skipped
        assert (file, row, n_rows) == (str(path), 0, 3)
        assert message in reason


BAD = {
    "nan": (NAN, "part H1 has a point that is NaN"),
    "late": (LATE, "part H1 has a point that dies before it is born"),
    "infinite": ([[-np.inf, 1.0]], "part H1 has a point with an infinite birth"),
    "far": ([[0.0, 1e300]], r"part H1 has a point beyond 1e\+100"),
}
NULLS = {
    "null": (None, "part H1 has a null"),
    "null death": ([[0.0, 1.0], [0.0, None]], "part H1 has a null"),
}
CASES = [
    *((kind, *bad) for kind in ("parquet", "arrow", "pbow") for bad in BAD.values()),
    *((kind, *bad) for kind in ("parquet", "arrow") for bad in NULLS.values()),
]


def with_bad(diagram, places=(17,), n=30):
    """Diagrams of two points, but for bad ones."""
    return [diagram if i in places else [[0.0, i], [i, i + 1.0]] for i in range(n)]


@pytest.mark.parametrize(("kind", "diagram", "message"), CASES)
@each_size
def test_a_bad_diagram_is_named_by_file_and_row(kind, diagram, message, scan, tmp_path):
    H0 = with_bad([], places=range(3, 30, 3))
    path = tmp_path / f"a.{kind}"
    write({"H0": H0, "H1": with_bad(diagram, (17, 25))}, path, group=4)
    blocks = scan(path)
    with pytest.raises(BlockError, match=rf"^{path}, row 17: {message}") as caught:
        list(blocks)
    assert (caught.value.where, caught.value.row) == (str(path), 17)
    with pytest.raises(BlockError, match=rf"^{path}, row 17: {message}"):
        PersistenceBoW(2).fit(blocks)


@each_size
@each_kind
def test_bad_diagrams_can_be_left_out(kind, scan, tmp_path):
    places, names = [0, 3, 4, 17, 29], [f"sample {i}" for i in range(30)]
    H1 = with_bad(LATE, places)
    H0 = with_bad(NAN, [4, 5])
    path = tmp_path / f"a.{kind}"
    columns = {} if kind == "pbow" else {"sample": pa.array(names)}
    write({"H0": H0, "H1": H1}, path, group=4, **columns)
    X, numbers, found, skipped = skipping(scan(path))
    kept = [i for i in range(30) if i not in {*places, 5}]
    assert numbers == kept
    expected = {"H0": [H0[i] for i in kept], "H1": [H1[i] for i in kept]}
    assert Diagrams.from_parts(expected) == X
    if columns:
        assert found == [names[i] for i in kept]
    assert [what[:3] for what in skipped] == [
        (str(path), i, 1) for i in sorted([*places, 5])
    ]
    reasons = {what[1]: what[3] for what in skipped}
    assert reasons[3].startswith("part H1 has a point that dies before it is born")
    assert reasons[5].startswith("part H0 has a point that is NaN")


@each_kind
def test_all_diagrams_may_be_left_out(kind, tmp_path):
    path = tmp_path / f"a.{kind}"
    columns = {} if kind == "pbow" else {"sample": pa.array(["a", "b", "c"])}
    write({"H1": [NAN] * 3}, path, **columns)
    X, numbers, _, skipped = skipping(scan_in_small_pieces(path))
    assert (len(X), X.parts, numbers) == (0, ("H1",), [])
    assert [what[:3] for what in skipped] == [(str(path), i, 1) for i in range(3)]


@each_kind
def test_a_truncated_file_is_an_error_or_a_block_without_samples(
    kind, ragged, tmp_path
):
    for i in range(3):
        write_diagrams(ragged[10 * i : 10 * i + 10], tmp_path / f"{i}.{kind}")
    bad = tmp_path / f"1.{kind}"
    bad.write_bytes(bad.read_bytes()[:-40])
    with pytest.raises(FileFormatError, match=f"Cannot read {bad}") as caught:
        scan_diagrams(tmp_path)
    blocks = scan_diagrams(tmp_path, on_error="skip")
    assert (blocks.n_blocks, blocks.n_samples) == (3, 20)
    with pytest.raises(FileFormatError, match=f"Cannot read {bad}"):
        list(blocks)
    X, numbers, _, skipped = skipping(blocks)
    assert Diagrams.concatenate([ragged[:10], ragged[20:]]) == X
    assert numbers == [*range(10)] * 2
    assert skipped == [(str(bad), 0, 0, caught.value.problem)]
    with pytest.raises(FileFormatError, match=f"Cannot read {bad}"):
        scan_diagrams(bad, on_error="skip")


@each_kind
def test_empty_files_are_damaged(kind, tmp_path):
    path = tmp_path / f"a.{kind}"
    path.touch()
    with pytest.raises(FileFormatError, match=f"Cannot read {path}"):
        scan_diagrams(path)


def test_where_a_page_is_damaged_the_rows_before_it_are_read(tmp_path):
    diagrams = [[[i, i + 1.0]] for i in range(30)]
    path = tmp_path / "a.parquet"
    parquet.write_table(
        as_table({"H1": diagrams}),
        path,
        row_group_size=10,
        write_page_checksum=True,
        # A byte of a number: its checksum alone says that it has changed.
        compression="none",
        use_dictionary=False,
    )
    births = parquet.ParquetFile(path).metadata.row_group(1).column(0)
    data = bytearray(path.read_bytes())
    data[births.data_page_offset + births.total_compressed_size - 3] ^= 1
    path.write_bytes(data)
    # One piece per row group.
    blocks = scan_in_small_pieces(path, sizes=Sizes(piece_rows=10))
    with pytest.raises(FileFormatError, match=f"Cannot read {path}: it is damaged"):
        list(blocks)
    X, numbers, _, skipped = skipping(blocks)
    assert Diagrams.from_list(diagrams[:10], name="H1") == X
    assert numbers == list(range(10))
    ((file, row, n_rows, reason),) = skipped
    assert (file, row, n_rows) == (str(path), 10, 20)
    assert reason.startswith("it is damaged")


@pytest.mark.parametrize(
    "offsets", [[0, 1, 2**60], [1, 2], [0, 1], [0, 2, 1], [-1, 2], [0, -(2**62), 2]]
)
def test_offsets_that_do_not_fit_the_points_are_refused(offsets, tmp_path):
    path = tmp_path / "a.pbow"
    arrays = {
        "points0": np.array([[0.0, 1.0], [0.0, 2.0]]),
        "offsets0": np.array(offsets, np.int64),
    }
    write_container(path, DIAGRAMS, {"parts": ["H1"], "metadata": {}}, arrays)
    with pytest.raises(FileFormatError, match=rf"{path}: offsets of part H1 do not gr"):
        scan_diagrams(path)


def test_blocks_leave_locations_out(tmp_path):
    where = np.arange(6).reshape(3, 2, 1)
    X = Diagrams([[0, 1], [0, 2], [0, 3]], [0, 2, 3], name="H1", locations=where)
    write_diagrams(X, tmp_path / "a.pbow")
    found, _, _ = read_all(scan_diagrams(tmp_path / "a.pbow"))
    assert found == X
    assert found.locations is None


def test_parts_of_different_lengths_are_refused(tmp_path):
    path = write({"H0": [GOOD], "H1": [GOOD, GOOD]}, tmp_path / "a.pbow")
    with pytest.raises(FileFormatError, match=f"{path}: its parts have different numb"):
        scan_diagrams(path)


@each_kind
def test_a_damaged_file_gives_diagrams_or_an_error_that_names_it(kind, tmp_path, rng):
    path = tmp_path / f"a.{kind}"
    X = Diagrams.from_parts(
        {"H0": [[[0, np.inf], [0, 0.5]], []], "β.1": [[], [[0.25, 0.75]]]}
    )
    write_diagrams(X, path)
    data = np.frombuffer(path.read_bytes(), np.uint8)
    n_refused = 0
    for _ in range(60):
        changed = data.copy()
        changed[rng.integers(len(data), size=rng.integers(1, 5))] = rng.choice(256)
        path.write_bytes(changed.tobytes())
        try:
            list(scan_diagrams(path))
        except (FileFormatError, BlockError) as error:
            n_refused += str(path) in str(error)
    assert 20 < n_refused <= 60


@each_kind
def test_a_file_that_has_changed_is_an_error(kind, ragged, tmp_path):
    path = tmp_path / f"a.{kind}"
    write_diagrams(ragged, path)
    blocks = scan_diagrams(path)
    fingerprints = [source.fingerprint() for source in blocks.sources()]
    os.utime(path, ns=(0, 0))
    message = f"Cannot read {path}: it has changed since it was first read"
    with pytest.raises(FileFormatError, match=message):
        list(blocks)
    # Nothing of it can be trusted, so that it is not skipped either.
    with pytest.raises(FileFormatError, match=message):
        skipping(blocks)
    again = scan_diagrams(path)
    assert Diagrams.concatenate(again) == ragged
    assert fingerprints != [source.fingerprint() for source in again.sources()]


@each_kind
def test_so_is_one_that_changes_while_it_is_read(kind, ragged, tmp_path):
    path = write({"H1": list(ragged)}, tmp_path / f"a.{kind}")
    source = next(scan_in_small_pieces(path).sources())
    walk = source.read()
    next(walk)
    os.utime(path, ns=(0, 0))
    with pytest.raises(FileFormatError, match="it has changed since"):
        list(walk)


@pytest.mark.parametrize("n_threads", [0, 2])
def test_so_is_one_that_changes_between_passes(ragged, tmp_path, n_threads):
    for i in range(3):
        write_diagrams(ragged[10 * i : 10 * i + 10], tmp_path / f"{i}.parquet")
    calls = []

    def note(X):
        calls.append(None)
        if len(calls) == 4:  # the first one was for the parts
            write_diagrams(ragged[:5], tmp_path / "1.parquet")
        return X

    with ThreadPoolExecutor(max(1, n_threads)) as pool:
        blocks = scan_diagrams(tmp_path).on(pool if n_threads else None).map(note)
        with pytest.raises(FileFormatError, match=r"/1\.parquet: it has changed since"):
            PersistenceBoW(3, weighting="ramp").fit(blocks)


@each_kind
def test_a_file_that_was_removed_is_an_error(kind, ragged, tmp_path):
    path = tmp_path / f"a.{kind}"
    write_diagrams(ragged, path)
    blocks = scan_diagrams(path)
    path.unlink()
    with pytest.raises(FileNotFoundError, match=rf"a\.{kind}"):
        list(blocks)
    skipped = skipping(blocks)[3]
    assert skipped == [(str(path), 0, 30, "the file is not there any more.")]


@each_kind
def test_sources_go_to_other_processes_in_place_of_their_data(kind, ragged, tmp_path):
    path = tmp_path / f"a.{kind}"
    write_diagrams(ragged, path)
    (source,) = scan_diagrams(path).sources()
    sent = pickle.dumps(source)
    assert len(sent) < 1000
    copy = pickle.loads(sent)
    assert (copy.name, copy.fingerprint()) == (source.name, source.fingerprint())
    assert Diagrams.concatenate(rows.diagrams for rows in copy.read()) == ragged


def batches_of(X, n=3):
    table = as_table({name: list(X[name]) for name in X.parts})
    step = -(-len(X) // n)
    return [
        table.slice(i, step).combine_chunks().to_batches()[0]
        for i in range(0, len(X), step)
    ]


class Lazy:
    """An iterable that makes its blocks as it is walked."""

    def __init__(self, blocks):
        self.blocks = blocks
        self.n_made = 0

    def __iter__(self):
        for block in self.blocks:
            self.n_made += 1
            yield block


@pytest.mark.parametrize(
    "make",
    [
        list,
        tuple,
        lambda blocks: lambda: iter(blocks),
        Lazy,
        lambda blocks: [pa.Table.from_batches([block]) for block in blocks],
    ],
    ids=["list", "tuple", "function", "iterable", "tables"],
)
def test_batches_of_engines_are_blocks(make, two_parts):
    blocks = scan_diagrams(make(batches_of(two_parts)))
    assert (blocks.n_blocks, blocks.n_samples) == (3, 30)
    for _ in range(2):
        assert Diagrams.concatenate(blocks) == two_parts


def test_blocks_that_are_made_one_by_one_are_not_gathered(two_parts):
    lazy = Lazy(batches_of(two_parts, 10))
    walk = iter(scan_diagrams(lazy))
    lazy.n_made = 0
    next(walk)
    assert lazy.n_made == 1


def test_diagrams_and_lists_of_them_are_blocks(ragged):
    assert Diagrams.concatenate(scan_diagrams(ragged)) == ragged
    assert Diagrams.concatenate(scan_diagrams([ragged[:9], ragged[9:]])) == ragged


@pytest.mark.parametrize(
    "given",
    [7, None, pa.table({}), iter(["a.parquet"])],
    ids=lambda given: type(given).__name__,
)
def test_what_is_neither_a_path_nor_blocks_is_refused(given):
    with pytest.raises(ValueError, match="Expected blocks that can be read several"):
        scan_diagrams(given)


def test_paths_and_blocks_are_not_mixed(ragged, tmp_path):
    write_diagrams(ragged, tmp_path / "a.parquet")
    with pytest.raises(BlockError, match="block 0: Expected a collection of diagrams"):
        list(scan_diagrams([tmp_path / "a.parquet", ragged]))


@pytest.mark.parametrize("make", [lambda b: lambda: iter(b), list, Lazy])
def test_a_bad_row_of_a_batch_is_named(make, two_parts):
    bad = as_table({"H0": [GOOD, GOOD], "H1": [GOOD, None]})
    with pytest.raises(BlockError, match=r"^block 3, row 1: part H1 has a null"):
        list(scan_diagrams(make([*batches_of(two_parts), bad])))
    with pytest.raises(BlockError, match=r"^block 3: expected a column of type list"):
        list(scan_diagrams(make([*batches_of(two_parts), pa.table({"x": [1]})])))
    with pytest.raises(BlockError, match=r"^block 3: Expected parts H0, H1, got H1"):
        list(scan_diagrams(make([*batches_of(two_parts), bad.select(["H1"])[:1]])))


def test_what_to_do_with_errors_is_checked(tmp_path):
    with pytest.raises(ValueError, match="on_error"):
        scan_diagrams(tmp_path, on_error="ignore")


def test_files_of_our_own_need_no_pyarrow(ragged, tmp_path, monkeypatch):
    write_diagrams(ragged, tmp_path / "a.pbow")
    write_diagrams(ragged, tmp_path / "b.parquet")
    for name in ("pyarrow", "pyarrow.parquet", "pyarrow.ipc", "pyarrow.types"):
        monkeypatch.setitem(sys.modules, name, None)
    assert Diagrams.concatenate(scan_diagrams(tmp_path / "a.pbow")) == ragged
    with pytest.raises(ImportError, match="the extra arrow"):
        scan_diagrams(tmp_path / "b.parquet")


def test_blocks_are_what_the_whole_file_is(two_parts, tmp_path):
    for kind in ("parquet", "arrow", "pbow"):
        path = tmp_path / f"a.{kind}"
        write_diagrams(two_parts, path)
        assert Diagrams.concatenate(scan_in_small_pieces(path)) == read_diagrams(path)


def test_record_batches_and_tables_keep_the_names_of_samples(ragged, tmp_path):
    path = write(
        {"H1": list(ragged)}, tmp_path / "a.parquet", sample=pa.array(NAMES_OF_30)
    )
    table = pa.parquet.read_table(path)
    for blocks in (table.to_batches(7), [table]):
        found = [
            name
            for source in scan_diagrams(blocks).sources()
            for rows in source.read()
            for name in rows.names.to_pylist()
        ]
        assert found == NAMES_OF_30


NAMES_OF_30 = [f"sample {i}" for i in range(30)]
