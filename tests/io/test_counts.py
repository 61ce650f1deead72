"""Numbers of values are those that pyarrow says of sound files."""

import contextlib
import struct

import numpy as np
import pytest

from pbow.io.counts import count_arrow_values, count_parquet_values

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def footer_of(path):
    data = path.read_bytes()
    (size,) = struct.unpack("<I", data[-8:-4])
    return data[-8 - size : -8]


@pytest.fixture(params=[0, 1, 700])
def table(request, rng):
    lists = [rng.uniform(size=n).tolist() for n in rng.integers(0, 9, request.param)]
    flags = pa.array(rng.integers(0, 2, request.param).astype(bool))
    return pa.table({"a": pa.array(lists, pa.list_(pa.float64())), "b": flags})


def test_a_footer_tells_the_values_of_all_columns(table, tmp_path):
    path = tmp_path / "a.parquet"
    parquet.write_table(table, path, row_group_size=300)
    metadata = parquet.ParquetFile(path).metadata
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    expected = sum(group.column(c).num_values for group in groups for c in range(2))
    assert count_parquet_values(footer_of(path)) == expected


@pytest.mark.parametrize("length", [0, 1, 10, 60, -1])
def test_a_footer_that_is_cut_off_is_refused(length, tmp_path):
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"a": [1.0]}), path)
    with pytest.raises(ValueError, match=r"ends too soon|unknown type"):
        count_parquet_values(footer_of(path)[:length])


def test_spoilt_descriptions_are_refused_or_counted(rng, table, tmp_path):
    path = tmp_path / "a.parquet"
    parquet.write_table(table, path)
    message = table.to_batches()[0].serialize() if len(table) else None
    for _ in range(300):
        spoilt = np.frombuffer(footer_of(path), np.uint8).copy()
        spoilt[rng.integers(0, len(spoilt), 3)] = rng.integers(0, 256, 3)
        with contextlib.suppress(ValueError):
            assert count_parquet_values(spoilt.tobytes()) >= 0
        if message is None:
            continue
        spoilt = np.frombuffer(message.to_pybytes()[8:300], np.uint8).copy()
        spoilt[rng.integers(0, len(spoilt), 3)] = rng.integers(0, 256, 3)
        with contextlib.suppress(ValueError):
            assert count_arrow_values(spoilt.tobytes()) >= 0


def test_nesting_without_end_is_refused():
    with pytest.raises(ValueError, match="nested too deeply"):
        count_parquet_values(bytes([0x1C]) * 1000)


def test_a_message_tells_the_lengths_of_its_arrays(table):
    for batch in table.to_batches():
        message = pa.ipc.read_message(batch.serialize())
        values = batch.column(0).flatten()
        expected = 2 * len(batch) + len(values)
        assert count_arrow_values(message.metadata.to_pybytes()) == expected
