import pytest

from pbow import Diagrams
from pbow.io import read_diagrams, write_diagrams
from pbow.io.formats import EXTENSIONS, FORMATS, Format


def test_extensions_and_signatures_are_of_one_format_each():
    listed = [extension for known in FORMATS.values() for extension in known.extensions]
    assert len(set(listed)) == len(listed) == len(EXTENSIONS)
    signatures = [known.signature for known in FORMATS.values() if known.signature]
    assert len(set(signatures)) == len(signatures)


def test_a_format_without_a_signature_is_not_recognized():
    assert Format(None, None, signature=b"AB", signature_at=1).begins(b"xABy")
    assert not Format(None, None, signature=b"AB").begins(b"xABy")
    assert not Format(None, None).begins(b"")


@pytest.mark.parametrize("name", [n for n, f in FORMATS.items() if f.write])
def test_an_entry_is_all_that_reading_and_writing_need(name, tmp_path):
    X = Diagrams.from_list([[[0, 1], [0.5, 0.75]], [[0, 2]]], name="H1")
    write_diagrams(X, tmp_path / "X", name)
    assert read_diagrams(tmp_path / "X", name, name="H1") == X


@pytest.mark.parametrize("name", ["a.pdgm", "a.akd"])
def test_formats_that_are_only_read_are_not_written(tmp_path, name):
    with pytest.raises(ValueError, match="is only read; pbow writes pbow, csv"):
        write_diagrams([[[0, 1]]], tmp_path / name)
    assert not list(tmp_path.iterdir())
