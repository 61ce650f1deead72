import base64
import hashlib
import json
import re
import sys
import zlib

import numpy as np
import plotly.offline
import pytest
from tests.explorer.driving import HOSTILE
from tests.explorer.models import diagrams

from pbow import Diagrams, PersistenceBoW, StablePersistenceBoW
from pbow.explorer import write_explorer
from pbow.explorer.content import check_samples
from pbow.explorer.page import Limits, make_page


@pytest.fixture
def fitted(ragged):
    return PersistenceBoW(5, random_state=0).fit(ragged)


def content_of(path):
    text = path.read_text(encoding="utf-8")
    (content,) = re.findall(r'id="content">(.*?)</script>', text)
    return json.loads(content)


def vectors_of(path, dtype="float64"):
    (text,) = re.findall('id="vectors">(.*?)</script>', path.read_text("utf-8"))
    first, content = np.split(
        np.frombuffer(zlib.decompress(base64.b64decode(text)), np.uint8), [1]
    )
    if first[0] == 1:
        content = content.reshape(np.dtype(dtype).itemsize, -1).T.ravel()
    numbers = content.copy().view(dtype)
    return numbers.reshape(content_of(path)["samples"]["n"], -1)


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
    assert content["labels"] == [HOSTILE, "{{plotly}}"]
    assert content["samples"]["names"] == names


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_vectors_are_embedded_to_the_last_bit(ragged, tmp_path, dtype):
    model = StablePersistenceBoW(5, dtype=dtype, random_state=0).fit(ragged)
    path = tmp_path / "page.html"
    write_explorer(model, ragged, path)
    assert (vectors_of(path, dtype) == model.transform(ragged)).all()


def test_a_vectorizer_that_makes_data_frames_will_do(ragged, tmp_path):
    pytest.importorskip("pandas")
    paths = [tmp_path / "array.html", tmp_path / "frame.html"]
    model = PersistenceBoW(5, random_state=0).fit(ragged)
    write_explorer(model, ragged, paths[0])
    write_explorer(model.set_output(transform="pandas"), ragged, paths[1])
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.fixture
def write_limited(tmp_path):
    """Write a page that may hold less than others."""

    def write(model, X, limits, labels=None, sample_names=None):
        samples = check_samples(model, X, labels, None, sample_names)
        path = tmp_path / "page.html"
        path.write_text(make_page(model, samples, "title", limits), encoding="utf-8")
        assert path.stat().st_size < limits.n_bytes
        return path

    return write


def test_many_points_are_thinned_out_and_the_page_says_so(write_limited):
    X = diagrams(30)
    model = PersistenceBoW(5, random_state=0).fit(X)
    content = content_of(write_limited(model, X, Limits(n_points=100)))
    n_finite = sum(len(X[name].finite().points) for name in X.parts)
    kept = [sum(part["kept"]) for part in content["samples"]["points"]]
    assert 60 <= sum(kept) <= 100
    _, note = content["notes"]
    assert f"{sum(kept)} of {n_finite} are in this page" in note


@pytest.fixture
def write_with(write_limited):
    """Write a page that has room for little more than what all pages have."""

    def write(model, X, n_bytes, for_points=Limits.for_points, **given):
        static = write_limited(model, X[:1], Limits()).stat().st_size
        limit = static + Limits.spare + n_bytes
        return write_limited(model, X, Limits(limit, for_points=for_points), **given)

    return write


def many_soft(n_samples, n_points):
    rng = np.random.default_rng(0)
    births = rng.uniform(0.0, 1.0, (n_samples, n_points))
    deaths = births + rng.exponential(0.2, births.shape)
    X = Diagrams.from_list(np.stack((births, deaths), axis=-1))
    # Of narrow words many are 0, and vectors deflate.
    return X, StablePersistenceBoW(40, temperature=1.0, random_state=0).fit(X)


def test_vectors_leave_room_for_points(write_with):
    X, model = many_soft(600, n_points=20)
    for n_bytes in (150_000, 250_000, 350_000):
        path = write_with(model, X, n_bytes, for_points=60_000)
        (places,) = content_of(path)["samples"]["points"]
        assert min(places["kept"]) >= 4


def test_few_points_take_no_more_room_than_they_need(write_with):
    X, model = many_soft(300, n_points=1)
    content = content_of(write_with(model, X, 150_000))
    assert content["samples"]["n"] == 300
    assert content["notes"] == [
        "Points in this page: all 300. Vectors and means are computed from all points."
    ]


def test_a_page_stays_small_by_rounding_and_fewer_points(write_limited):
    X, model = many_soft(300, n_points=100)
    static = write_limited(model, X[:1], Limits()).stat().st_size
    exact = write_limited(model, X, Limits())
    room = exact.stat().st_size - static
    assert (vectors_of(exact) == model.transform(X)).all()
    n_exact = static + Limits.spare + room // 2
    small = write_limited(model, X, Limits(n_exact=n_exact, few_points=99))
    assert small.stat().st_size < n_exact
    rounded, thinned = content_of(small)["notes"]
    assert rounded.startswith("Vectors are rounded, by 1.2e-10 at most, and points to")
    assert thinned.startswith("For drawing, points are thinned out")
    assert content_of(small)["samples"]["n"] == 300
    assert 0 < np.abs(vectors_of(small) - model.transform(X)).max() <= 1.2e-10
    # Where not even few points would fit, the page exceeds it, and has all.
    large = write_limited(model, X, Limits(n_exact=n_exact, few_points=30_000))
    assert content_of(large)["notes"][1].startswith("Points in this page: all 30,000.")


def test_vectors_are_rounded_before_any_is_left_out(write_with):
    X, model = many_soft(400, n_points=1)
    path = write_with(model, X, 130_000)
    content = content_of(path)
    assert content["samples"]["n"] == 400
    assert content["samples"]["numbers"] is None
    assert content["notes"][0].startswith("Vectors are rounded, by 1.2e-10 at most")
    vectors, exact = vectors_of(path), model.transform(X)
    assert 0 < np.abs(vectors - exact).max() <= 1.2e-10


@pytest.mark.parametrize("order", ["sorted", "in turn"])
def test_what_does_not_fit_is_left_out_evenly_and_the_page_says_so(write_with, order):
    X, model = many_soft(400, n_points=2)
    labels = np.arange(400) % 4 if order == "in turn" else np.arange(400) // 100
    names = [f"sample {i}" for i in range(400)]
    path = write_with(model, X, 66_000, labels=labels, sample_names=names)
    content = content_of(path)
    samples = content["samples"]
    assert 200 < samples["n"] < 300
    assert np.bincount(samples["labels"]).min() >= samples["n"] // 4
    assert samples["names"] == [names[i] for i in samples["numbers"]]
    assert samples["labels"] == labels[samples["numbers"]].tolist()
    assert np.allclose(
        vectors_of(path), model.transform(X)[samples["numbers"]], rtol=0, atol=1.2e-10
    )
    (places,) = samples["points"]
    assert sum(places["kept"]) == 2 * samples["n"]
    _, note, _ = content["notes"]
    assert note.startswith(
        f"This page holds {samples['n']} of 400 diagrams, spread evenly over each label"
    )


def test_a_model_without_room_is_refused(fitted, ragged, write_limited):
    with pytest.raises(ValueError, match="no room for a model of 5 words"):
        write_limited(fitted, ragged, Limits(n_bytes=1_000_000))


def test_plotly_of_the_server_is_pinned_and_the_only_address(fitted, ragged, tmp_path):
    path = tmp_path / "page.html"
    write_explorer(fitted, ragged, path, plotlyjs="cdn")
    text = path.read_text(encoding="utf-8")
    version = plotly.offline.get_plotlyjs_version()
    address = f"https://cdn.plot.ly/plotly-{version}.min.js"
    digest = hashlib.sha384(plotly.offline.get_plotlyjs().encode()).digest()
    assert f"script-src 'unsafe-inline' {address};" in text
    sri = base64.b64encode(digest).decode()
    assert f'<script src="{address}" integrity="sha384-{sri}"' in text
    assert re.findall(r'<script[^>]* src="([^"]*)"', text) == [address]
    assert len(text) < 200_000


def test_an_unknown_place_of_plotly_is_refused(fitted, ragged, tmp_path):
    with pytest.raises(ValueError, match="plotlyjs to be 'inline', 'directory' or"):
        write_explorer(fitted, ragged, tmp_path / "page.html", plotlyjs="here")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_extra_is_named(fitted, ragged, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    with pytest.raises(ImportError, match="the extra explorer of pbow"):
        write_explorer(fitted, ragged, tmp_path / "page.html")


def test_a_failed_write_leaves_the_old_page(fitted, ragged, tmp_path):
    folder = tmp_path / "folder.html"
    folder.mkdir()
    with pytest.raises(IsADirectoryError):
        write_explorer(fitted, ragged, folder)
    assert [p.name for p in tmp_path.iterdir()] == ["folder.html"]
