"""Files that once were not refused as they should be, or that attack on purpose.

Each stays here as it was. A failure that `make fuzz` finds is added to the folder of
its reader.
"""

from pathlib import Path

import pytest

import pbow
from pbow.datasets import read_raw
from pbow.datasets.importing.hdf5 import open_hdf5, read_array
from pbow.datasets.importing.matlab import read_matlab
from pbow.errors import FileFormatError, ParameterError
from pbow.homology import read_mesh
from pbow.io import read_diagrams, read_images, read_labels, read_names

pytest.importorskip("resource", reason="needs limits of Unix")
from fuzzing.trial import Trial
from fuzzing.workers import FAILED, attempt

FOLDER = Path(__file__).parent / "corpus"
FILES = sorted(path for path in FOLDER.rglob("*") if path.is_file())


def read_hdf5(path):
    with open_hdf5(path.read_bytes(), str(path)) as file:
        for name in file:
            read_array(file, name)


def read_two_labels(path):
    read_labels(path, 2)


READERS = {
    "clouds": lambda path: read_raw(path, "clouds"),
    "diagrams": read_diagrams,
    "graphs": lambda path: read_raw(path, "graphs"),
    "hdf5": read_hdf5,
    "images": read_images,
    "labels": read_two_labels,
    "matlab": lambda path: read_matlab(path.read_bytes(), str(path), ("a",)),
    "meshes": read_mesh,
    "models": pbow.load,
    "names": read_names,
}


@pytest.mark.parametrize(
    "path", FILES, ids=lambda path: path.relative_to(FOLDER).as_posix()
)
def test_a_file_that_once_failed_is_read_or_refused(path):
    read = READERS[path.parent.name]

    def is_right(error):
        # Where the format or the names of samples have to be said, that is right, too.
        kinds = FileFormatError | ParameterError
        return isinstance(error, kinds) and str(path) in str(error)

    outcome, text = attempt(Trial(lambda: read(path), is_right, b""))
    assert outcome != FAILED, text


def test_files_are_small_and_there_are_some():
    assert len(FILES) > 30
    assert max(path.stat().st_size for path in FILES) < 20_000
