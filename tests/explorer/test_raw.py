"""Raw data beside its diagram: what fits, and both ways in a real browser."""

import re

import numpy as np
import pytest
from tests.explorer.driving import (
    choose,
    csv_of,
    drop_file,
    open_page,
    text_of,
    trace,
    wait_until,
)

from pbow import Diagrams, PersistenceBoW
from pbow.explorer import write_explorer
from pbow.explorer.raw import check_raw, pack_raw

NONE = np.zeros(4, np.int64)


def located(n_samples, located_in):
    """Return diagrams of four points each, with locations drawn from a number."""
    rng = np.random.default_rng(0)
    births = rng.uniform(0.0, 1.0, 4 * n_samples)
    points = np.c_[births, births + rng.uniform(0.1, 1.0, len(births))]
    width = 1 if located_in == "image" else 3
    locations = rng.integers(0, 60, (len(points), 2, width))
    if width == 3:
        locations[:, 0, 1:] = -1  # born at a vertex, dead at a triangle
    offsets = 4 * np.arange(n_samples + 1)
    return Diagrams(points, offsets, name="H0", locations=locations)


@pytest.fixture
def page(browser, tmp_path):
    """Write and open a page of images or clouds; all but the third sample have them."""

    def opened(kind, *, with_locations=True, dimension=2):
        X = located(8, kind)
        if not with_locations:
            X = Diagrams(X["H0"].points, X["H0"].offsets, name="H0")
        rng = np.random.default_rng(1)
        shape = (6, 10) if kind == "image" else (60, dimension)
        raw = [rng.uniform(size=shape) for _ in range(8)]
        raw[2] = None
        model = PersistenceBoW(3, random_state=0).fit(X)
        path = tmp_path / "page.html"
        labels = list("abababab")
        write_explorer(model, X, path, labels=labels, raw=raw, raw_kind=kind)
        open_page(browser, path)
        return X, model, raw

    return opened


def record(browser):
    """Remember from now on what is drawn on the canvas, by a proxy of its context."""
    browser.execute_script("""
        window.arcs = [];
        const arc = CanvasRenderingContext2D.prototype.arc;
        CanvasRenderingContext2D.prototype.arc = function (x, y, radius, ...rest) {
            if (radius === 5) window.arcs.push([x, y]);
            return arc.call(this, x, y, radius, ...rest);
        };
    """)


def marked(browser):
    arcs = browser.execute_script("return window.arcs")
    browser.execute_script("window.arcs = []")
    return {(round(x), round(y)) for x, y in arcs}


def choose_word(browser, word):
    """Choose a word, also one that is chosen already."""
    script = """
        const select = document.getElementById("word");
        select.value = arguments[0];
        select.dispatchEvent(new Event("change"));
    """
    marked(browser)
    browser.execute_script(script, str(word))
    return marked(browser)


def marks_of_a_word(browser):
    """Choose a word that has points, and return where it is marked."""
    return next(found for k in range(3) if (found := choose_word(browser, k)))


def test_the_points_of_a_word_are_marked_in_the_image(browser, page):
    X, model, raw = page("image")
    record(browser)
    choose(browser, "sample", "page 1")
    for word in range(3):
        found = choose_word(browser, word)
        one_by_one = Diagrams.from_list([[point] for point in X["H0"][1]], name="H0")
        is_of_word = model.transform(one_by_one).argmax(axis=1) == word
        pixels = X.locations_of(1)[is_of_word].ravel()
        scale = 480 / 10
        expected = {
            (round((p % 10 + 0.5) * scale), round((p // 10 + 0.5) * scale))
            for p in pixels.tolist()
        }
        assert found == expected
        note = text_of(browser, "raw-note")
        assert note.startswith(f"{is_of_word.sum()} point")
        assert f"of word {word}: births are filled" in note
    # The image is there in grays, its darkest pixel black and its brightest white.
    image = raw[1]
    for value, extreme in ((0, image.argmin()), (255, image.argmax())):
        x, y = (int((i + 0.5) * 48) for i in (extreme % 10, extreme // 10))
        script = """
            const context = document.getElementById("raw").getContext("2d");
            return [...context.getImageData(arguments[0], arguments[1], 1, 1).data];
        """
        corner = browser.execute_script(script, x - 20, y - 20)
        assert corner == [value, value, value, 255]


def test_the_simplices_of_a_word_are_marked_in_the_cloud(browser, page):
    X, model, raw = page("cloud")
    record(browser)
    choose(browser, "sample", "page 1")
    low, high = raw[1].min(axis=0), raw[1].max(axis=0)
    places = (raw[1] - (low + high) / 2) * [1, -1] * 440 / (high - low).max() + 240
    alone = Diagrams.from_list([[point] for point in X["H0"][1]], name="H0")
    word_of = model.transform(alone).argmax(axis=1)
    for word in range(3):
        vertices = X.locations_of(1)[word_of == word]
        expected = places[vertices[vertices >= 0]].round().astype(int)
        assert choose_word(browser, word) == set(map(tuple, expected.tolist()))


def test_the_page_is_seen_through_the_mask_of_an_image(browser, tmp_path):
    X = located(1, "image")
    image = np.zeros((6, 10))
    image[0, 1], image[2, 3] = np.inf, 1.0
    model = PersistenceBoW(1, random_state=0).fit(X)
    write_explorer(model, X, tmp_path / "page.html", raw=[image])
    open_page(browser, tmp_path / "page.html")
    choose(browser, "sample", "page 0")
    script = """
        const context = document.getElementById("raw").getContext("2d");
        return [...context.getImageData(...arguments, 1, 1).data];
    """
    for row, column, color in (
        (0, 0, [1] * 3 + [255]),
        (0, 1, [0] * 4),
        (2, 3, [255] * 4),
    ):
        x, y = 48 * column + 4, 48 * row + 4  # a corner, where no mark is
        assert browser.execute_script(script, x, y) == color


@pytest.mark.parametrize("kind", ["image", "cloud"])
def test_a_click_marks_the_points_born_or_dying_there(browser, page, kind):
    X, _, _ = page(kind)
    record(browser)
    choose(browser, "sample", "page 1")
    x, y = sorted(marks_of_a_word(browser))[0]
    script = """
        const canvas = document.getElementById("raw");
        const box = canvas.getBoundingClientRect();
        const [x, y] = arguments;
        canvas.dispatchEvent(new MouseEvent("click", {
            clientX: box.left + (x * box.width) / 480,
            clientY: box.top + (y * box.height) / 480, bubbles: true }));
    """
    browser.execute_script(script, x, y)
    note = text_of(browser, "raw-note")
    numbers = [int(number) for number in re.findall(r"\d+", note)]
    vertex = 10 * numbers[0] + numbers[1] if kind == "image" else numbers[0]
    here = (X.locations_of(1) == vertex).any(axis=(1, 2))
    assert here.any()
    rings = trace(browser, "plane", "marked")
    births = X["H0"][1][here, 0]
    assert np.allclose(sorted(rings["x"]), sorted(births))
    assert f"{here.sum()} point" in note
    browser.execute_script(script, -50, -50)
    assert trace(browser, "plane", "marked")["x"] == []


@pytest.mark.parametrize("kind", ["image", "cloud"])
def test_keys_step_through_the_places_of_a_word(browser, page, kind):
    X, model, _ = page(kind)
    choose(browser, "sample", "page 1")
    choose(browser, "word", 0)
    alone = Diagrams.from_list([[point] for point in X["H0"][1]], name="H0")
    of_word = model.transform(alone).argmax(axis=1) == 0
    vertices = list(dict.fromkeys(X.locations_of(1)[of_word].ravel().tolist()))
    vertices = [vertex for vertex in vertices if vertex >= 0]
    from selenium.webdriver import Keys  # noqa: PLC0415

    for vertex in vertices:
        browser.find_element("id", "raw").send_keys(Keys.ENTER)
        name = f"vertex {vertex}: "
        if kind == "image":
            name = f"pixel (row {vertex // 10}, column {vertex % 10}): "
        assert text_of(browser, "raw-note").startswith(name)
        here = (X.locations_of(1) == vertex).any(axis=(1, 2))
        births = X["H0"][1][here, 0]
        assert np.allclose(
            sorted(trace(browser, "plane", "marked")["x"]), sorted(births)
        )
    browser.find_element("id", "raw").send_keys(Keys.ENTER)
    assert text_of(browser, "raw-note").startswith(f"{of_word.sum()} point")
    assert trace(browser, "plane", "marked")["x"] == []


def test_a_cloud_of_space_turns_by_keys(browser, page):
    page("cloud", dimension=3)
    record(browser)
    choose(browser, "sample", "page 1")
    before = marks_of_a_word(browser)
    from selenium.webdriver import Keys  # noqa: PLC0415

    browser.find_element("id", "raw").send_keys(Keys.ARROW_RIGHT)
    after = marked(browser)
    assert len(after) == len(before)
    assert after != before


def test_points_that_are_not_drawn_are_not_counted_and_the_page_says_so(
    browser, tmp_path
):
    births = np.random.default_rng(0).uniform(0.0, 1.0, 2_500)
    where = np.arange(2_500)[:, None, None] % [[60], [7]]
    points = np.c_[births, births + 0.5]
    X = Diagrams(points, [0, 2_500], name="H0", locations=where)
    model = PersistenceBoW(1, random_state=0).fit(X)
    write_explorer(model, X, tmp_path / "page.html", raw=[np.eye(6, 10)])
    open_page(browser, tmp_path / "page.html", "sample=0")
    note = text_of(browser, "raw-note")
    drawn = "of the 2,000 of 2,500 drawn"
    assert note.startswith(f"2,000 points of word 0, {drawn}: births are filled")
    from selenium.webdriver import Keys  # noqa: PLC0415

    browser.find_element("id", "raw").send_keys(Keys.ENTER)
    note = text_of(browser, "raw-note")
    assert note.endswith(f"points of the diagram born or dying there, {drawn}.")


def test_what_has_no_raw_data_or_locations_says_so(browser, page):
    page("image", with_locations=False)
    choose(browser, "sample", "page 2")
    assert text_of(browser, "raw-note") == "No raw data was given for this sample."
    assert not browser.find_element("id", "raw").is_displayed()
    choose(browser, "sample", "page 1")
    assert "has no locations" in text_of(browser, "raw-note")
    assert browser.find_element("id", "raw").is_displayed()
    choose(browser, "sample", "page -1")
    assert text_of(browser, "raw-note").startswith("Choose a sample")
    drop_file(browser, "own.csv", csv_of(located(1, "image")))
    wait_until(
        lambda: "dropped diagram has no raw data" in text_of(browser, "raw-note")
    )
    assert "Raw data of 7 of 8 samples are in this page." in text_of(browser, "notes")


def test_without_raw_data_there_is_no_panel(browser, shapes):
    open_page(browser, shapes.pages["hard"])
    assert not browser.find_element("id", "raw-panel").is_displayed()


def test_large_images_are_averaged_and_the_page_says_so():
    image = np.arange(300 * 200).reshape(300, 200) % 7
    packed = pack_raw([image, None], "image", NONE[:2], 1_000_000)
    height, width = packed.items[0]["shape"]
    assert (height, width) == (100, 67)
    # Blocks of 3 x 3 pixels; those of the last column are narrower.
    means = np.array(
        [
            [image[r : r + 3, c : c + 3].mean() for c in range(0, 200, 3)]
            for r in range(0, 300, 3)
        ]
    )
    grays = 255 * (means - means.min()) / np.ptp(means)
    assert (packed.numbers.reshape(height, width) == np.rint(grays)).all()
    assert packed.without == [1]
    assert any("averaged" in note for note in packed.notes)


def grays_of(image):
    """Return the grays of an image in a page, and whether it is masked."""
    packed = pack_raw([image], "image", NONE[:1], 10**6)
    return packed.numbers.reshape(packed.items[0]["shape"]), packed.items[0]["masked"]


def test_masked_pixels_have_a_gray_of_their_own():
    image = np.array([[3.0, np.inf, 4.0], [-np.inf, 5.0, 3.0]])
    grays, masked = grays_of(image)
    assert masked
    assert grays.tolist() == [[1, 0, 128], [0, 255, 1]]
    grays, masked = grays_of(np.nan_to_num(image, posinf=3.0, neginf=3.0))
    assert not masked
    assert grays.tolist() == [[0, 0, 128], [0, 255, 0]]
    assert grays_of(np.full((2, 3), np.inf))[0].tolist() == [[0] * 3] * 2
    assert grays_of([[7.0, np.inf]])[0].tolist() == [[1, 0]]


def test_averages_are_of_the_pixels_that_are_not_masked():
    image = np.full((200, 200), np.inf)
    image[0, 1] = image[:2, 2:4] = 1.0
    image[4:6, 0:2] = [[3.0, np.inf], [np.inf, 5.0]]  # 4 on average
    image[6, 6] = 7.0
    grays, _ = grays_of(image)
    assert grays.shape == (100, 100)
    assert [grays[0, 0], grays[0, 1], grays[2, 0], grays[3, 3]] == [1, 1, 128, 255]
    assert np.count_nonzero(grays) == 4


@pytest.mark.parametrize("factor", [1e-320, 1e-200, 1e300, 1e307])
def test_images_of_any_scale_have_all_grays(factor):
    levels = np.tile(np.arange(-8.0, 9.0), (200, 12))[:, :200]
    expected, _ = grays_of(levels)
    found, _ = grays_of(levels * factor)
    assert np.ptp(expected) == 255
    assert np.abs(found.astype(int) - expected).max() <= (1 if factor < 1e-300 else 0)


@pytest.mark.parametrize(
    "move", [lambda x: x + 1e9, lambda x: x * 1e60, lambda x: x * 5e307]
)
def test_clouds_of_any_place_and_scale_keep_their_shape(move):
    cloud = np.random.default_rng(0).uniform(-3.0, 3.0, (50, 3))
    points = [
        pack_raw([one], "cloud", NONE[:1], 10**6).numbers.reshape(50, 3)
        for one in (cloud, move(cloud))
    ]
    assert np.ptp(points[0], axis=0).max() == pytest.approx(1.0)
    assert np.allclose(*points, rtol=0, atol=1e-6)
    single = pack_raw([move(np.ones((1, 2)))], "cloud", NONE[:1], 10**6)
    assert single.numbers.tolist() == [0.0, 0.0]


def test_what_does_not_fit_is_left_out_evenly_and_said():
    rng = np.random.default_rng(0)
    raw = [rng.integers(0, 256, (32, 32)) for _ in range(40)]
    members = np.arange(40) % 4
    packed = pack_raw(raw, "image", members, 20_000)
    kept = np.array(list(packed.items))
    assert 8 <= len(kept) <= 16
    assert np.ptp(np.bincount(members[kept], minlength=4)) <= 1
    assert packed.notes[0] == f"Raw data of {len(kept)} of 40 samples are in this page."
    assert packed.notes[1].startswith(f"Raw data of {40 - len(kept)} samples are left")
    assert pack_raw(raw, "image", members, 10).items == {}
    whole = pack_raw(raw, "image", members, 10**9)
    assert whole.notes == ["Raw data of 40 of 40 samples are in this page."]
    start = whole.items[3]["start"]
    grays = whole.numbers[start : start + 1024].reshape(32, 32)
    assert np.corrcoef(grays.ravel(), raw[3].ravel())[0, 1] > 0.999


def test_clouds_that_are_too_large_are_left_out_and_said():
    packed = pack_raw([np.zeros((5_001, 2)), np.ones((3, 2))], "cloud", NONE[:2], 10**6)
    assert list(packed.items) == [1]
    assert "1 clouds of more than 5,000 points are left out." in packed.notes


@pytest.mark.parametrize(
    ("raw", "kind", "message"),
    [
        ([np.zeros((2, 2))], "mesh", "raw_kind to be 'image' or 'cloud'; got 'mesh'"),
        ([], "image", "raw to be a sequence of 1 items, one per diagram .*; got 0"),
        (5, "image", "raw to be a sequence of 1 items.*; got 5"),
        ({0: np.zeros((2, 2))}, "image", "raw to be a sequence of 1 items.*; got {0: "),
        ((i for i in range(1)), "image", "raw to be a sequence of .*; got <generator"),
        ([np.zeros(3)], "image", r"raw\[0\] to be an image of shape \(rows, columns\)"),
        ([np.zeros((3, 4))], "cloud", r"points of shape \(n, 2\) or \(n, 3\)"),
        ([np.zeros((0, 2))], "cloud", r"raw\[0\].*got 'shape \(0, 2\)'"),
        ([[[np.nan, 1.0]]], "cloud", r"raw\[0\] to be finite numbers; got .*nan"),
        ([[[-np.inf, 1.0]]], "cloud", r"raw\[0\] to be finite numbers; got .*-inf"),
        (
            [[[np.nan, 1.0]]],
            "image",
            r"without NaN; got .*nan.*\. Set pixels .* to inf",
        ),
        ([[["a", "b"]]], "image", r"raw\[0\] to be numbers; got '<U1'|str"),
    ],
)
def test_raw_data_of_another_kind_are_refused(raw, kind, message):
    with pytest.raises(ValueError, match=message):
        check_raw(raw, kind, located(1, "cloud"))


@pytest.mark.parametrize(
    ("kind", "location", "message"),
    [
        ("image", 60, "Diagram 2 of part H0 has a point at pixel 60, and there are 60"),
        ("image", 2**32 + 5, "pixel 4294967301, and there are 60"),
        (
            "cloud",
            30,
            "Diagram 2 of part H0 has a point at vertex 30, and there are 30",
        ),
    ],
)
def test_raw_data_without_the_place_of_a_point_are_refused(
    tmp_path, kind, location, message
):
    points = [[0.0, 1.0], [0.2, np.inf], [0.1, 2.0], [0.3, 0.7]]
    where = [[[59, 3], [7, -1]], [[1, 2], [-1, -1]], [[0, 4], [location, 2]]]
    X = Diagrams(points, [0, 2, 2, 4], name="H0", locations=[*where, where[1]])
    model = PersistenceBoW(1, random_state=0).fit(X)
    raw = [np.zeros((6, 10) if kind == "image" else (n, 2)) for n in (60, 1, 30)]
    with pytest.raises(ValueError, match=message):
        write_explorer(model, X, tmp_path / "p.html", raw=raw, raw_kind=kind)
    assert not list(tmp_path.iterdir())
    # One sample has no raw data: nothing is marked there.
    write_explorer(model, X, tmp_path / "p.html", raw=[*raw[:2], None], raw_kind=kind)


def test_images_with_more_pixels_than_the_page_can_number_are_refused():
    huge = np.broadcast_to(np.uint8(0), (2**16, 2**15))
    with pytest.raises(ValueError, match=r"raw\[0\] to be fewer than 2147483648 numb"):
        check_raw([huge], "image", located(1, "image"))
