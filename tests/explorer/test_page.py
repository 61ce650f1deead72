import base64
import json
import re
import sys

import numpy as np
import pytest
from tests.explorer.driving import HOSTILE
from tests.explorer.models import diagrams

from pbow import Diagrams, PersistenceBoW, StablePersistenceBoW
from pbow.explorer import page as page_module
from pbow.explorer import write_explorer


@pytest.fixture
def fitted(ragged):
    return PersistenceBoW(5, random_state=0).fit(ragged)


def content_of(path):
    text = path.read_text(encoding="utf-8")
    (content,) = re.findall(r'id="content">(.*?)</script>', text)
    return json.loads(content)


def test_nothing_is_loaded_from_elsewhere(fitted, ragged, tmp_path):
    path = tmp_path / "page.html"
    write_explorer(fitted, ragged, path)
    text = path.read_text(encoding="utf-8")
    assert "default-src 'none'" in text
    assert not re.search(r"<(script|img|iframe|link)[^>]*\s(src|href)=", text)
    assert "{{" not in text.split('<script type="application/json"')[0]


def test_names_cannot_leave_their_place(fitted, ragged, tmp_path):
    path = tmp_path / "page.html"
    labels = np.array([HOSTILE, "{{plotly}}"])[np.arange(30) % 2]
    names = [f"{HOSTILE}{i}" for i in range(30)]
    plain = tmp_path / "plain.html"
    write_explorer(fitted, ragged, plain)
    write_explorer(
        fitted, ragged, path, labels=labels, sample_names=names, title=HOSTILE
    )
    pages = [p.read_text(encoding="utf-8") for p in (plain, path)]
    for tag in ("<script", "</script", "<img"):
        assert pages[0].count(tag) == pages[1].count(tag)
    content = content_of(path)
    assert content["classes"] == [HOSTILE, "{{plotly}}"]
    assert content["samples"]["names"] == names


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_vectors_are_embedded_to_the_last_bit(ragged, tmp_path, dtype):
    model = StablePersistenceBoW(5, dtype=dtype, random_state=0).fit(ragged)
    path = tmp_path / "page.html"
    write_explorer(model, ragged, path)
    (text,) = re.findall('id="vectors">(.*?)</script>', path.read_text("utf-8"))
    vectors = np.frombuffer(base64.b64decode(text), dtype).reshape(30, 5)
    assert (vectors == model.transform(ragged)).all()


def test_a_vectorizer_that_makes_data_frames_will_do(ragged, tmp_path):
    pytest.importorskip("pandas")
    paths = [tmp_path / "array.html", tmp_path / "frame.html"]
    model = PersistenceBoW(5, random_state=0).fit(ragged)
    write_explorer(model, ragged, paths[0])
    write_explorer(model.set_output(transform="pandas"), ragged, paths[1])
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_many_points_are_thinned_out_and_the_page_says_so(tmp_path, monkeypatch):
    X = diagrams(30)
    model = PersistenceBoW(5, random_state=0).fit(X)
    path = tmp_path / "page.html"
    monkeypatch.setattr(page_module, "MOST_POINTS", 100)
    write_explorer(model, X, path)
    content = content_of(path)
    n_finite = sum(len(X[name].finite().points) for name in X.parts)
    kept = [sum(part["kept"]) for part in content["samples"]["points"]]
    assert 60 <= sum(kept) <= 100
    (note,) = content["notes"]
    assert f"{sum(kept)} of {n_finite} are in this page" in note


def test_what_does_not_fit_is_left_out_and_the_page_says_so(tmp_path, monkeypatch):
    X = Diagrams.from_list([[[0.0, 1.0 + i], [i, i + 0.5]] for i in range(400)])
    model = PersistenceBoW(60, random_state=0).fit(X)
    static = tmp_path / "static.html"
    write_explorer(model, X[:1], static)
    limit = static.stat().st_size + page_module.SPARE + 100_000
    monkeypatch.setattr(page_module, "LARGEST_PAGE", limit)
    path = tmp_path / "page.html"
    write_explorer(model, X, path, labels=["same"] * 400)
    content = content_of(path)
    assert 50 < content["samples"]["n"] < 400
    first, _ = content["notes"]
    assert f"The first {content['samples']['n']} of 400 diagrams" in first
    assert limit - page_module.SPARE - 20_000 < path.stat().st_size < limit


def test_a_model_without_room_is_refused(fitted, ragged, tmp_path, monkeypatch):
    monkeypatch.setattr(page_module, "LARGEST_PAGE", 1_000_000)
    with pytest.raises(ValueError, match="no room for a model of 5 words"):
        write_explorer(fitted, ragged, tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_extra_is_named(fitted, ragged, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    with pytest.raises(ImportError, match="the extra explorer"):
        write_explorer(fitted, ragged, tmp_path / "page.html")


def test_a_failed_write_leaves_the_old_page(fitted, ragged, tmp_path):
    folder = tmp_path / "folder.html"
    folder.mkdir()
    with pytest.raises(IsADirectoryError):
        write_explorer(fitted, ragged, folder)
    assert [p.name for p in tmp_path.iterdir()] == ["folder.html"]
