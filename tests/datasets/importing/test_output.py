import json
from hashlib import sha256

import numpy as np
import pytest

from pbow.datasets.importing.output import MOST_SUMS, Converted, write_npz
from pbow.datasets.importing.release import open_release

CONVERTED = Converted("two", {"x": np.arange(3), "names": np.array(["a"])}, "Nothing.")


def test_arrays_and_where_they_are_from_are_in_the_file(tmp_path, write_folder, load):
    with open_release(write_folder({"a": "1", "b": "2"})) as release:
        release.read("a")
        path = write_npz(tmp_path, CONVERTED, "name", release)
        first = path.read_bytes()
        assert write_npz(tmp_path, CONVERTED, "name", release).read_bytes() == first
    arrays = load(path)
    assert path == tmp_path / "two.npz"
    assert arrays["x"].tolist() == [0, 1, 2]
    record = json.loads(str(arrays["provenance"]))
    assert record["dataset"] == "name"
    assert record["source"] == "release"
    assert record["files"] == {"sha256": {"a": sha256(b"1").hexdigest()}}
    assert str(tmp_path) not in str(arrays["provenance"])


def test_an_interrupted_import_leaves_what_was_there(
    tmp_path, write_folder, monkeypatch
):
    def interrupted(file, **_):
        file.write(b"half")
        raise KeyboardInterrupt

    with open_release(write_folder({"a": "1"})) as release:
        path = write_npz(tmp_path / "out", CONVERTED, "name", release)
        before = path.read_bytes()
        monkeypatch.setattr(np, "savez_compressed", interrupted)
        with pytest.raises(KeyboardInterrupt):
            write_npz(tmp_path / "out", CONVERTED, "name", release)
    assert [file.read_bytes() for file in (tmp_path / "out").iterdir()] == [before]


def test_of_many_files_one_digest_is_kept(tmp_path, write_folder, load):
    files = dict.fromkeys(map(str, range(MOST_SUMS + 1)), "1")
    records = []
    for last in "223":
        with open_release(write_folder(files | {"0": last})) as release:
            for name in release.names:
                release.read(name)
            path = write_npz(tmp_path, CONVERTED, "name", release)
        records.append(json.loads(str(load(path)["provenance"]))["files"])
    assert records[0]["count"] == len(files)
    assert records[0] == records[1] != records[2]
