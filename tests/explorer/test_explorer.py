"""The page in a real browser: what is chosen, and what that shows."""

import re

import numpy as np
import pytest
from sklearn.feature_selection import f_classif
from tests.explorer.driving import (
    HOSTILE,
    choose,
    choose_file,
    csv_of,
    download,
    downloaded,
    drop_file,
    open_page,
    requests,
    text_of,
    trace,
    traces,
    visit,
    wait_until,
)
from tests.explorer.models import diagrams

from pbow import Diagrams, PersistenceBoW, StablePersistenceBoW
from pbow.encoding import encode_counts
from pbow.explorer import write_explorer
from pbow.explorer.content import check_samples, robust_axes
from pbow.explorer.page import Limits, make_page

NEW = diagrams(25, seed=9)


@pytest.fixture
def hard(browser, shapes):
    """Open the page of a PersistenceBoW, with labels and names."""
    open_page(browser, shapes.pages["hard"])
    return browser


@pytest.fixture
def soft(browser, shapes):
    """Open the page of a StablePersistenceBoW, without labels."""
    open_page(browser, shapes.pages["soft"])
    return browser


def label_means(shapes, part):
    counts = encode_counts(shapes.X[part].finite(), shapes.hard.codebooks_[part])
    return {name: counts[shapes.y == name].mean(axis=0) for name in np.unique(shapes.y)}


def rows_of(browser, table):
    script = """
        const rows = document.getElementById(arguments[0]).tBodies[0].rows;
        return [...rows].map((row) => [...row.cells].map((cell) => cell.textContent));
    """
    return browser.execute_script(script, table)


def word_circles(browser):
    script = """
        const all = [...document.querySelectorAll("#plane .scatterlayer .trace")];
        const words = all.find((one) => one.__data__[0].trace.name === "words");
        return [...words.querySelectorAll(".points path")];
    """
    return browser.execute_script(script)


def hover(browser, element):
    box = element.rect
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    scrolled = browser.execute_script("return window.scrollY")
    browser.execute_cdp_cmd(
        "Input.dispatchMouseEvent",
        {"type": "mouseMoved", "x": x, "y": y - scrolled},
    )


def click(browser, element):
    hover(browser, element)
    box = element.rect
    scrolled = browser.execute_script("return window.scrollY")
    x = box["x"] + box["width"] / 2
    y = box["y"] + box["height"] / 2 - scrolled
    for kind in ("mousePressed", "mouseReleased"):
        event = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
        browser.execute_cdp_cmd("Input.dispatchMouseEvent", event)


def leave(browser):
    event = {"type": "mouseMoved", "x": 3, "y": 3}
    browser.execute_cdp_cmd("Input.dispatchMouseEvent", event)


def title_starts(browser, text):
    wait_until(lambda: text_of(browser, "word-title").startswith(text))


def address(browser):
    return browser.current_url.partition("#")[2]


def outlined(browser):
    """Return the words that are outlined in the plane, in the bars, in the table."""
    circles = trace(browser, "plane", "words")["marker"]["line"]["width"]
    bars = traces(browser, "bars")[0]["marker"]["line"]["width"]
    row = "return document.querySelector('#ranking tr.current').dataset.word"
    (band,) = browser.execute_script(
        "return document.getElementById('bars').layout.shapes"
    )
    assert band["x0"] + 0.5 == bars.index(2)
    return [circles.index(3), bars.index(2), int(browser.execute_script(row))]


def test_a_word_shows_its_count_and_fraction_in_each_label(hard, shapes):
    choose(hard, "part", 1)
    word = 7
    hover(hard, word_circles(hard)[word])
    title_starts(hard, f"Word {word}: ")
    rows = {name: (c, f) for name, c, _, f in rows_of(hard, "word-table")}
    for name, means in label_means(shapes, "H1").items():
        count, fraction = rows[name]
        assert fraction == f"{100 * means[word] / means.sum():.2f} %"
        assert float(count) == pytest.approx(means[word], rel=1e-3)
    (label,) = hard.find_elements("css selector", "#plane .hoverlayer .hovertext")
    assert f"word {word}: birth" in label.text
    assert f"circle: {rows['circle'][0]}" in label.text
    # The label with a hostile name is there as text, as far as there is room for it.
    assert f"{HOSTILE[:39]}…: {rows[HOSTILE][0]}" in label.text


VIEWS = {
    "plane": lambda browser, word: word_circles(browser)[word],
    "bars": lambda browser, word: browser.find_elements(
        "css selector", "#bars .points path"
    )[word],
    "table": lambda browser, word: browser.find_element(
        "css selector", f"#ranking tr[data-word='{word}'] button"
    ),
}


@pytest.mark.parametrize("view", VIEWS)
def test_hovering_previews_a_word_and_a_click_selects_it(hard, view):
    choose(hard, "part", 0)
    choose(hard, "word", 1)
    hard.execute_script(
        "document.getElementById(arguments[0]).scrollIntoView()",
        {"table": "ranking"}.get(view, "controls"),
    )
    element = VIEWS[view](hard, 3)
    hover(hard, element)
    title_starts(hard, "Word 3: ")
    assert outlined(hard) == [3, 3, 3]
    assert "word=1" in address(hard)
    leave(hard)
    title_starts(hard, "Word 1: ")
    assert outlined(hard) == [1, 1, 1]
    click(hard, VIEWS[view](hard, 3))
    leave(hard)
    wait_until(lambda: "word=3" in address(hard))
    title_starts(hard, "Word 3: ")
    assert outlined(hard) == [3, 3, 3]
    assert hard.find_element("id", "word").get_property("value") == "3"
    pressed = hard.find_elements("css selector", "#ranking [aria-pressed=true]")
    assert [button.text for button in pressed] == ["word 3"]


def test_colors_link_circles_bars_points_and_table(hard):
    choose(hard, "part", 0)
    points = trace(hard, "plane", "points")
    words = [int(text.split("word ")[1].split("<")[0]) for text in points["text"]]
    bars = traces(hard, "bars")[0]["marker"]["color"]
    circles = trace(hard, "plane", "words")["marker"]["color"]
    assert circles == [f"{color}4d" for color in bars]
    assert points["marker"]["color"] == [bars[word] for word in words]
    script = """
        return [...document.querySelectorAll("#ranking button")].map(
            (one) => [one.textContent, one.style.getPropertyValue("--swatch")]);
    """
    swatches = dict(hard.execute_script(script))
    assert swatches == {f"word {k}": color for k, color in enumerate(bars)}


def test_the_points_of_the_word_stand_out(hard):
    choose(hard, "part", 0)
    choose(hard, "word", 2)
    points = trace(hard, "plane", "points")
    own = ["word 2" in text.split("<br>") for text in points["text"]]
    assert any(own)
    assert points["marker"]["opacity"] == [0.9 if one else 0.3 for one in own]


def scores_of(model, X, y):
    return f_classif(model.transform(X), y)[0]


def test_a_page_opens_on_the_word_that_separates_the_labels_best(hard, shapes):
    scores = scores_of(shapes.hard, shapes.X, shapes.y)
    part, word = divmod(int(scores.argmax()), 8)
    assert hard.find_element("id", "part").get_property("value") == str(part)
    assert text_of(hard, "word-title").startswith(f"Word {word}: ")
    assert address(hard) == f"part={part}&word={word}"


def test_without_labels_a_page_opens_on_the_word_of_largest_variance(soft, shapes):
    variances = shapes.soft.transform(shapes.X).var(axis=0)
    part, word = divmod(int(variances.argmax()), 6)
    assert address(soft) == f"part={part}&word={word}"
    assert "because there are no labels" in text_of(soft, "ranking-note")
    assert text_of(soft, "score-name") == "variance"
    assert not soft.find_element("id", "label").is_displayed()


@pytest.mark.parametrize("part", [0, 1])
def test_words_are_ranked_by_how_well_they_separate(hard, shapes, part):
    choose(hard, "part", part)
    scores = scores_of(shapes.hard, shapes.X, shapes.y)[8 * part : 8 * part + 8]
    rows = rows_of(hard, "ranking")
    order = np.argsort(-scores, kind="stable")
    assert [row[1] for row in rows] == [f"word {k}" for k in order]
    assert np.allclose([float(row[2]) for row in rows], scores[order], rtol=1e-3)
    assert text_of(hard, "word-title").startswith(f"Word {order[0]}: ")
    options = hard.find_elements("css selector", "#word option")
    assert [option.text for option in options] == [f"word {k}" for k in order]


def test_two_labels_are_side_by_side_with_their_difference(hard, shapes):
    choose(hard, "part", 0)
    means = label_means(shapes, "H0")
    labels = list(np.unique(shapes.y))
    choose(hard, "label", labels.index("torus"))
    choose(hard, "other", labels.index("circle"))
    marker = trace(hard, "plane", "words")["marker"]
    difference = means["torus"] - means["circle"]
    sizes, largest = np.array(marker["size"]), np.abs(difference).max()
    assert np.allclose(sizes, np.maximum(6, 42 * np.sqrt(abs(difference) / largest)))
    orange, blue = "rgba(213, 94, 0, 0.3)", "rgba(0, 114, 178, 0.3)"
    assert marker["color"] == [orange if d >= 0 else blue for d in difference]
    assert {orange, blue} == set(marker["color"])
    note = text_of(hard, "plane-note")
    assert "orange where torus has more and blue where circle has more" in note
    # Points and bars have the colors of the two labels, too.
    colors = ["rgb(213, 94, 0)", "rgb(0, 114, 178)"]
    assert set(trace(hard, "plane", "points")["marker"]["color"]) == set(colors)
    bars = traces(hard, "bars")
    vectors = shapes.hard.transform(shapes.X)
    for bar, name, color in zip(bars, ("torus", "circle"), colors, strict=True):
        expected = vectors[shapes.y == name].mean(axis=0)[:8]
        assert np.allclose(bar["y"], expected)
        assert bar["marker"]["color"] == color
    assert text_of(hard, "bars-title") == "Mean vectors of torus and circle"
    choose(hard, "other", -1)
    assert len(traces(hard, "bars")) == 1


def test_a_label_filters_mean_vector_points_and_stepping(hard, shapes):
    choose(hard, "part", 0)
    label = list(np.unique(shapes.y)).index("torus")
    choose(hard, "label", label)
    members = np.flatnonzero(shapes.y == "torus")
    vectors = shapes.hard.transform(shapes.X)
    (bars,) = traces(hard, "bars")
    assert np.allclose(bars["y"], vectors[members].mean(axis=0)[:8])
    births = np.concatenate([shapes.X["H0"].finite()[i][:, 0] for i in members])
    note = text_of(hard, "plane-note")
    assert f"Points: torus, {len(births)} of {len(births)} drawn" in note
    assert len(trace(hard, "plane", "points")["x"]) == len(births)
    assert text_of(hard, "found") == "20 of 60 samples to step through."
    stepped = []
    for _ in range(3):
        hard.find_element("id", "next").click()
        stepped.append(text_of(hard, "bars-title"))
    assert stepped == [f"Vector of {shapes.names[i]}" for i in members[:3]]
    hard.find_element("id", "previous").click()
    assert text_of(hard, "bars-title") == stepped[1]


def test_a_sample_is_found_by_its_name(browser, tmp_path):
    X = diagrams(12)
    model = PersistenceBoW(3, random_state=0).fit(X)
    names = [f"Scan {i:02} {'left' if i % 3 else 'right'}" for i in range(12)]
    write_explorer(model, X, tmp_path / "page.html", sample_names=names)
    open_page(browser, tmp_path / "page.html")
    from selenium.webdriver import Keys  # noqa: PLC0415

    search = browser.find_element("id", "search")
    search.send_keys("RIGHT")
    options = browser.find_elements("css selector", "#sample option")
    assert [option.text for option in options[1:]] == names[::3]
    assert text_of(browser, "found") == "4 of 12 samples to step through."
    search.send_keys(Keys.ENTER)
    assert text_of(browser, "bars-title") == "Vector of Scan 00 right"
    browser.find_element("id", "next").click()
    assert text_of(browser, "bars-title") == "Vector of Scan 03 right"
    search.send_keys(" nothing")
    assert text_of(browser, "found") == "0 of 12 samples to step through."
    assert text_of(browser, "bars-title") == "Mean vector of all samples"


def test_a_view_can_be_sent_by_its_address(hard, shapes):
    labels = list(np.unique(shapes.y))
    choose(hard, "part", 1)
    choose(hard, "label", labels.index("torus"))
    choose(hard, "other", labels.index("circle"))
    choose(hard, "sample", "page 2")
    choose(hard, "word", 5)
    sent = address(hard)
    assert sent == (
        f"part=1&word=5&label={labels.index('torus')}"
        f"&with={labels.index('circle')}&sample=2"
    )
    before = [text_of(hard, one) for one in ("bars-title", "word-title", "plane-note")]
    open_page(hard, shapes.pages["hard"])
    assert text_of(hard, "word-title") != before[1]
    hard.execute_script("location.hash = arguments[0]", sent)
    wait_until(lambda: text_of(hard, "word-title") == before[1])
    open_page(hard, shapes.pages["hard"], sent)
    after = [text_of(hard, one) for one in ("bars-title", "word-title", "plane-note")]
    assert after == before
    assert address(hard) == sent
    # A search of the reader does not hide the sample that the address asks for.
    hard.find_element("id", "search").send_keys("nothing")
    hard.execute_script("location.hash = arguments[0]", f"{sent}&again")
    wait_until(lambda: text_of(hard, "bars-title") == before[0])
    assert hard.find_element("id", "search").get_property("value") == ""


@pytest.mark.parametrize(
    "sent",
    ["part=9&word=99&label=7&with=-1&sample=600", "word=<b>&part=1e0", "%%%&&=", "x"],
)
def test_an_address_of_what_is_not_there_opens_as_without(hard, shapes, sent):
    usual = address(hard)
    open_page(hard, shapes.pages["hard"], sent)
    assert address(hard) == usual


def test_points_and_words_beyond_the_axes_are_marked_at_the_edge(browser, tmp_path):
    rng = np.random.default_rng(0)
    births = rng.uniform(0.0, 1.0, (20, 50))
    lists = [np.c_[b, b + rng.uniform(0.1, 1.0, 50)] for b in births]
    lists[7] = np.r_[lists[7], [[500.0, 501.0], [0.5, 800.0]]]
    X = Diagrams.from_list(lists)
    model = PersistenceBoW(6, whiten=False, random_state=0).fit(X)
    assert model.codebooks_[""].words.max() > 400.0
    write_explorer(model, X, tmp_path / "page.html")
    open_page(browser, tmp_path / "page.html")
    choose(browser, "sample", "page 7")
    ranges = browser.execute_script("""
        const { xaxis, yaxis } = document.getElementById("plane").layout;
        return [...xaxis.range, ...yaxis.range];
    """)
    assert max(ranges) < 2.0
    points = trace(browser, "plane", "points")
    assert points["marker"]["symbol"][-2:] == [
        "triangle-right-open",
        "triangle-up-open",
    ]
    assert max(points["x"] + points["y"]) < 2.0
    assert points["text"][-2].startswith("birth 500, persistence 1<br>")
    words = trace(browser, "plane", "words")
    assert max(words["x"] + words["y"]) < 2.0
    note = text_of(browser, "plane-note")
    assert re.search(r"marked at the edge: \d words?, 2 points\.", note)


@pytest.mark.parametrize("sample", [0, 31])
def test_a_diagram_shows_its_points_by_word_and_its_vector(hard, shapes, sample):
    choose(hard, "part", 0)
    choose(hard, "sample", f"page {sample}")
    points, words = (trace(hard, "plane", name) for name in ("points", "words"))
    finite = shapes.X["H0"].finite()[sample]
    left, right, _, top = robust_axes(shapes.X["H0"].finite(), is_line=False)
    assert points["x"] == np.clip(finite[:, 0], left, right).tolist()
    persistences = finite[:, 1] - finite[:, 0]
    assert points["y"] == np.minimum(persistences, top).tolist()
    # The others are behind it.
    assert len(trace(hard, "plane", "others")["x"]) > 100
    book = shapes.hard.codebooks_["H0"]
    one_by_one = Diagrams.from_list([[point] for point in finite], name="H0")
    labels = encode_counts(one_by_one, book).argmax(axis=1)
    assert [f"word {k}" for k in labels] == [t.split("<br>")[1] for t in points["text"]]
    colors = points["marker"]["color"]
    assert len(set(zip(labels, colors, strict=True))) == len(set(labels))
    assert words["x"] == book.words[:, 0].tolist()
    (bars,) = traces(hard, "bars")
    vector = shapes.hard.transform(shapes.X)[sample]
    assert bars["y"] == vector[:8].tolist()
    assert f"{len(finite)} of {len(finite)} drawn" in text_of(hard, "plane-note")


def test_the_mixture_shows_its_ellipses(soft, shapes):
    choose(soft, "part", 0)
    ellipses, words = (trace(soft, "plane", name) for name in ("ellipses", "words"))
    book = shapes.soft.codebooks_["H0"]
    outline = np.array([ellipses["x"][:49], ellipses["y"][:49]], float).T
    apart = outline - book.means[0]
    distance = np.einsum(
        "ij,jk,ik->i", apart, np.linalg.inv(book.covariances[0]), apart
    )
    assert np.allclose(distance, 1.0)
    assert words["y"] == book.means[:, 1].tolist()


def test_parts_are_switched_essential_ones_too(soft, shapes):
    assert list(shapes.soft.codebooks_) == ["H0", "H0_inf", "H1", "H1_inf"]
    vectors = shapes.soft.transform(shapes.X)
    choose(soft, "sample", "page 4")
    choose(soft, "part", 1)
    points, words = (trace(soft, "plane", name) for name in ("points", "words"))
    endless = shapes.X["H0"].essential()[4]
    assert points["x"] == endless[:, 0].tolist()
    assert set(points["y"]) == {0}
    assert words["x"] == shapes.soft.codebooks_["H0_inf"].means[:, 0].tolist()
    (bars,) = traces(soft, "bars")
    assert bars["y"] == vectors[4, 6:12].tolist()


def test_resolutions_are_switched_as_parts_are(browser, shapes):
    open_page(browser, shapes.pages["several"])
    options = browser.find_elements("css selector", "#part option")
    assert [option.text for option in options] == [
        *("H0, 3 words", "H0, 7 words"),
        *("H1, 2 words", "H1, 5 words", "H1, 12 words"),
    ]
    vectors = shapes.several.transform(shapes.X)
    books = [
        (part, resolution)
        for part, book in shapes.several.codebooks_.items()
        for resolution in book.resolutions
    ]
    choose(browser, "sample", "page 4")
    start = 0
    for k, (part, book) in enumerate(books):
        choose(browser, "part", k)
        points, words = (trace(browser, "plane", n) for n in ("points", "words"))
        assert len(points["x"]) == len(shapes.X[part].finite()[4])
        assert words["y"] == book.means[:, 1].tolist()
        (bars,) = traces(browser, "bars")
        assert bars["y"] == vectors[4, start : start + book.n_words].tolist()
        note = f"{book.n_words} of 29 features: part {part}, {book.n_words} words. "
        assert text_of(browser, "bars-note").startswith(note)
        assert len(rows_of(browser, "word-table")) == 4
        start += book.n_words
    assert start == 29


def test_a_zoom_stays_when_the_resolution_changes_and_not_when_the_part_does(
    browser, shapes
):
    open_page(browser, shapes.pages["several"])
    choose(browser, "part", 0)

    def left_and_right():
        script = "return document.getElementById('plane').layout.xaxis.range"
        return browser.execute_script(script)

    whole = left_and_right()
    box = browser.find_element("css selector", "#plane .nsewdrag").rect
    middle = box["y"] + box["height"] / 2
    places = [box["x"] + part * box["width"] for part in (0.3, 0.4, 0.6, 0.6)]
    kinds = ("mousePressed", "mouseMoved", "mouseMoved", "mouseReleased")
    for kind, x in zip(kinds, places, strict=True):
        event = {"type": kind, "x": x, "y": middle, "button": "left", "clickCount": 1}
        browser.execute_cdp_cmd("Input.dispatchMouseEvent", event)
    wait_until(lambda: left_and_right() != whole)
    zoomed = left_and_right()
    choose(browser, "part", 1)
    assert left_and_right() == zoomed
    choose(browser, "part", 2)
    assert left_and_right() not in (zoomed, whole)


@pytest.mark.parametrize("way", ["drop", "button"])
@pytest.mark.parametrize("kind", ["hard", "soft", "several"])
def test_own_diagrams_have_the_vectors_of_python(browser, shapes, tmp_path, kind, way):
    open_page(browser, shapes.pages[kind])
    if way == "drop":
        verdict = drop_file(browser, "own.csv", csv_of(NEW))
    else:
        path = tmp_path / "own.csv"
        path.write_text(csv_of(NEW))
        verdict = choose_file(browser, path)
    model = getattr(shapes, kind)
    expected = model.transform(NEW)
    assert verdict == f"own.csv: 25 diagrams, {expected.shape[1]} features."
    head, *rows = download(browser, "download-own")
    assert head == ["sample", *model.get_feature_names_out()]
    assert [row[0] for row in rows] == [str(i) for i in range(25)]
    found = np.array([row[1:] for row in rows], float)
    assert (np.abs(found - expected) <= 1e-9 * np.maximum(1, abs(expected))).all()
    # The first of them is shown at once, among those of the page.
    assert text_of(browser, "bars-title") == "Vector of diagram 0 of your file"
    choose(browser, "part", 0)
    choose(browser, "sample", "own 3")
    (bars,) = traces(browser, "bars")
    assert np.allclose(bars["y"], expected[3, : len(bars["y"])], rtol=1e-12)
    left, right, _, _ = robust_axes(shapes.X["H0"].finite(), is_line=False)
    births = NEW["H0"].finite()[3][:, 0]
    points = trace(browser, "plane", "points")
    assert points["x"] == np.clip(births, left, right).tolist()
    assert len(trace(browser, "plane", "others")["x"]) > 100
    # Its nearest samples and label.
    vectors = model.transform(shapes.X)
    distances = np.linalg.norm(vectors - expected[3], axis=1)
    nearest = np.argsort(distances, kind="stable")[:5]
    rows = rows_of(browser, "nearest")
    assert np.allclose([float(row[-1]) for row in rows], distances[nearest], rtol=1e-3)
    if kind == "soft":
        assert text_of(browser, "nearest-label") == ""
        assert [row[0] for row in rows] == [f"sample {i}" for i in nearest]
        return
    assert [row[1] for row in rows] == shapes.y[nearest].tolist()
    labels = np.unique(shapes.y)
    means = np.array([vectors[shapes.y == name].mean(axis=0) for name in labels])
    closest = labels[np.linalg.norm(means - expected[3], axis=1).argmin()]
    assert text_of(browser, "nearest-label").startswith(f"Nearest label: {closest} (")


def test_a_nearest_sample_is_selected_by_a_click(hard, shapes):
    choose(hard, "sample", "page 4")
    button = hard.find_element("css selector", "#nearest button")
    (row, *_) = rows_of(hard, "nearest")
    button.click()
    title = text_of(hard, "bars-title").removeprefix("Vector of ")
    assert title.startswith(row[0].rstrip("…"))
    assert title in shapes.names
    assert title != shapes.names[4]


def test_a_bad_file_is_told_in_words_and_changes_nothing(hard):
    drop_file(hard, "good.csv", csv_of(NEW))
    before = traces(hard, "bars")
    hostile = f"{HOSTILE}.csv"
    verdict = drop_file(hard, hostile, "sample,part,birth,death\n0,H0,2,1\n")
    assert "dies before it is born" in verdict
    assert "wrong" in hard.find_element("id", "status").get_attribute("class")
    assert traces(hard, "bars") == before
    assert "columns sample, part" in drop_file(hard, "bad.csv", "\x89PNG")
    head = "sample,part,birth,death\n"
    verdict = drop_file(hard, "other.csv", f"{head}0,H2,0,1\n")
    assert "parts H0, H1: H0 is missing, H1 is missing, H2 is unexpected" in verdict
    assert "that is NaN" in drop_file(hard, "nan.csv", f"{head}0,H0,nan,1\n")
    assert traces(hard, "bars") == before
    drop_file(hard, "good.csv", csv_of(NEW[:2]))
    options = hard.find_elements("css selector", "#sample option[value^=own]")
    assert len(options) == 2
    assert hard.find_element("id", "status").get_attribute("class") == ""


def test_a_file_that_comes_during_a_download_waits_for_the_next(hard, shapes):
    drop_file(hard, "first.csv", csv_of(NEW))
    # By this clock each row takes long, so that there is a pause after it.
    hard.execute_script("""
        let now = 0;
        performance.now = () => (now += 1000);
        window.said = [];
        for (const status of document.querySelectorAll("[role=status]")) {
            const listen = () => window.said.push([status.id, status.textContent]);
            new MutationObserver(listen).observe(status, { childList: true });
        }
        const click = HTMLAnchorElement.prototype.click;
        HTMLAnchorElement.prototype.click = function () {
            window.said.push(["saved", ""]);
            click.call(this);
        };
        document.getElementById("download-own").click();
    """)
    verdict = drop_file(hard, "second.csv", csv_of(NEW[3:4]))
    assert verdict == "second.csv: 1 diagram, 16 features."
    _, *rows = downloaded(hard)
    found = np.array([row[1:] for row in rows], float)
    assert np.allclose(found, shapes.hard.transform(NEW), rtol=1e-9, atol=1e-9)
    said = hard.execute_script("return window.said")
    assert ["own-download-status", "1 of 25 rows …"] in said
    assert "download-status" not in [place for place, _ in said]
    # This was the case to be seen: the other file was there first.
    assert said.index(["status", verdict]) < said.index(["saved", ""])


def test_all_vectors_are_downloaded_to_the_last_digit(hard, shapes):
    head, *rows = download(hard, "download-all")
    columns = shapes.hard.get_feature_names_out()
    assert head == ["sample", "name", "label", *columns]
    assert [row[1] for row in rows] == shapes.names
    assert [row[2] for row in rows] == shapes.y.tolist()
    vectors = np.array([row[3:] for row in rows], float)
    assert (vectors == shapes.hard.transform(shapes.X)).all()


def test_of_a_choice_of_diagrams_each_keeps_its_number(browser, shapes):
    whole = shapes.pages["soft"].stat().st_size + Limits.spare
    path = shapes.pages["soft"].with_name("choice.html")
    samples = check_samples(shapes.soft, shapes.X, None, None, None)
    pages = (
        make_page(shapes.soft, samples, "choice", Limits(whole - less))
        for less in range(9_000, 60_000, 2_000)
    )
    page = next(page for page in pages if "of 60 diagrams, spread" in page)
    path.write_text(page, encoding="utf-8")
    open_page(browser, path)
    (note,) = re.findall(r"holds (\d+) of 60 diagrams", text_of(browser, "notes"))
    last = int(note) - 1
    _, *rows = download(browser, "download-all")
    numbers = [int(row[0]) for row in rows]
    assert len(numbers) == last + 1 < 60
    assert numbers[-1] > last
    expected = shapes.soft.transform(shapes.X)[numbers]
    found = np.array([row[1:] for row in rows], float)
    assert np.allclose(found, expected, rtol=0.0, atol=1.2e-10)
    choose(browser, "part", 0)
    choose(browser, "sample", f"page {last}")
    title = text_of(browser, "bars-title")
    assert title == f"Vector of sample {numbers[-1]}"
    drawn = np.array(trace(browser, "plane", "points")["x"])
    births = shapes.X["H0"].finite()[numbers[-1]][:, 0]
    assert len(drawn) > 0
    assert np.abs(births - drawn[:, np.newaxis]).min(axis=1).max() < 1e-6


def test_hostile_names_are_text_and_nothing_runs(hard, shapes):
    choose(hard, "sample", "page 1")
    assert text_of(hard, "bars-title") == f"Vector of {HOSTILE}1"
    assert [row[0] for row in rows_of(hard, "nearest")] == [f"{HOSTILE[:39]}…"] * 5
    choose(hard, "sample", "page -1")
    choose(hard, "label", 0)
    choose(hard, "other", 1)
    assert hard.title.split() == HOSTILE.split()
    assert HOSTILE in text_of(hard, "bars-title")
    assert HOSTILE in [row[0] for row in rows_of(hard, "word-table")]
    assert HOSTILE in text_of(hard, "plane-note")
    # An alert would make every command fail; an element would be found here.
    found = (
        "return document.querySelectorAll('img, body > b, main b, section b').length"
    )
    assert hard.execute_script(found) == 0


def test_nothing_is_asked_for_beyond_the_page(hard):
    drop_file(hard, "own.csv", csv_of(NEW))
    hover(hard, word_circles(hard)[0])
    download(hard, "download-all")
    asked = [url for url in requests(hard) if not url.startswith(("data:", "blob:"))]
    assert asked == [hard.current_url.partition("#")[0]]
    buttons = hard.find_elements("css selector", "#plane .modebar-btn")
    titles = [button.get_attribute("data-title").lower() for button in buttons]
    assert len(titles) == 6
    assert not [t for t in titles if "cloud" in t or "share" in t or "link" in t]


def test_all_can_be_reached_and_used_by_keys(hard, shapes):
    from selenium.webdriver import ActionChains, Keys  # noqa: PLC0415

    def press(key):
        ActionChains(hard).send_keys(key).perform()

    def focused():
        return hard.switch_to.active_element.get_attribute("id")

    reached = []
    while "download-all" not in reached:
        press(Keys.TAB)
        reached.append(focused())
        assert len(reached) < 50, reached
    controls = (
        "theme part label other search sample previous next word file download-all"
    )
    assert [one for one in reached if one in controls.split()] == controls.split()

    def go_to(element_id):
        hard.execute_script("document.getElementById(arguments[0]).focus()", element_id)

    choose(hard, "part", 0)
    go_to("part")
    press(Keys.DOWN)
    assert "part H1" in text_of(hard, "bars-note")
    outline = "return getComputedStyle(document.activeElement).outlineStyle"
    assert hard.execute_script(outline) == "solid"
    go_to("next")
    press(Keys.ENTER)
    press(Keys.SPACE)
    assert text_of(hard, "bars-title") == f"Vector of {shapes.names[1]}"
    options = hard.find_elements("css selector", "#word option")
    second = options[1].text.replace("w", "W")
    go_to("word")
    press(Keys.DOWN)
    assert text_of(hard, "word-title").startswith(f"{second}: ")
    # A row of the ranking previews its word on focus, and Enter selects it.
    button = hard.find_element("css selector", "#ranking tr:nth-child(4) button")
    hard.execute_script("arguments[0].focus()", button)
    fourth = button.text.replace("w", "W")
    assert text_of(hard, "word-title").startswith(f"{fourth}: ")
    assert hard.execute_script(outline) == "solid"
    press(Keys.ENTER)
    assert f"word={fourth.split()[1]}" in address(hard)


def test_points_of_neither_label_have_neither_color(hard, shapes):
    names = sorted(set(shapes.y))
    pair = [names.index("circle"), names.index("torus")]
    choose(hard, "label", pair[0])
    choose(hard, "other", pair[1])

    def looks():
        drawn = trace(hard, "plane", "points")["marker"]
        return set(zip(drawn["color"], drawn["symbol"], strict=True))

    both = looks()
    seen = set()
    for label in ("circle", "torus"):
        choose(hard, "sample", f"page {shapes.y.tolist().index(label)}")
        (look,) = looks()
        seen.add(look)
        assert "neither label" not in text_of(hard, "plane-note")
    assert seen == both
    drop_file(hard, "own.csv", csv_of(NEW[:1]))
    (neither,) = looks()
    assert neither not in both
    assert "drawn, of neither label." in text_of(hard, "plane-note")


def test_a_screen_reader_hears_what_is_selected(hard):
    live = "[role=status], [aria-live=polite]"
    ids = {one.get_attribute("id") for one in hard.find_elements("css selector", live)}
    assert {"word-title", "found", "nearest-label", "status"} <= ids
    tree = hard.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    named = {
        (node["role"]["value"], node.get("name", {}).get("value"))
        for node in tree
        if "role" in node
    }
    for name in ("Words in the plane", "Vector", "Words, ranked", "Nearest"):
        assert ("region", name) in named
    assert ("image", "Words in the plane") in named
    pressed = [
        node["name"]["value"]
        for node in tree
        for of in node.get("properties", [])
        if of["name"] == "pressed" and of["value"]["value"] == "true"
    ]
    title = text_of(hard, "word-title").partition(":")[0]
    assert pressed == [title.replace("W", "w")]


def test_every_control_has_a_name(soft):
    script = """
        return [...document.querySelectorAll("select, input, button")]
            .filter((one) => !one.labels?.length && !one.textContent.trim()
                && !one.getAttribute("aria-label"))
            .map((one) => one.id);
    """
    assert soft.execute_script(script) == []


def test_colors_are_light_or_dark_as_the_system_or_as_chosen(soft):
    def colors():
        script = """
            const { color } = document.getElementById("plane").layout.font;
            return [getComputedStyle(document.body).backgroundColor, color];
        """
        return tuple(soft.execute_script(script))

    light = ("rgb(255, 255, 255)", "rgb(27, 31, 35)")
    dark = ("rgb(21, 25, 29)", "rgb(228, 231, 234)")
    for value, expected in (("dark", dark), ("light", light)):
        feature = {"name": "prefers-color-scheme", "value": value}
        soft.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        wait_until(lambda expected=expected: colors() == expected)
    choose(soft, "theme", "dark")
    assert colors() == dark
    choose(soft, "theme", "light")
    assert colors() == light


def test_a_narrow_window_shows_all_without_sideways_scrolling(hard):
    size = hard.get_window_size()
    try:
        hard.set_window_size(500, 900)
        drop_file(hard, "own.csv", csv_of(NEW))
        choose(hard, "sample", "page -1")
        wide = "return document.documentElement.scrollWidth - window.innerWidth"
        wait_until(lambda: hard.execute_script(wide) <= 0)
        bars = hard.find_elements("css selector", "#bars .points path")
        assert [bar.is_displayed() for bar in bars] == [True] * 8
        assert overlaps(hard) == []
    finally:
        hard.set_window_size(size["width"], size["height"])


def overlaps(browser):
    """Return pairs of sections and controls of the page that overlap."""
    script = """
        const all = "section, .controls .field, .steps";
        const boxes = [...document.querySelectorAll(all)]
            .filter((one) => one.offsetParent !== null)
            .map((one) => [one.id || one.textContent.trim().slice(0, 20),
                one.getBoundingClientRect(), one]);
        const found = [];
        for (const [a, p] of boxes) for (const [b, q] of boxes) {
            if (a < b && p.left < q.right - 1 && q.left < p.right - 1
                && p.top < q.bottom - 1 && q.top < p.bottom - 1) found.push([a, b]);
        }
        for (const [name, box, section] of boxes) for (const inner of
            section.querySelectorAll("svg.main-svg, canvas, h2, .scroll")) {
            const { right, bottom, left } = inner.getBoundingClientRect();
            if (right > box.right + 1 || bottom > box.bottom + 1
                || left < box.left - 1) {
                found.push([name, "cuts off", inner.tagName]);
            }
        }
        return found;
    """
    return browser.execute_script(script)


def test_a_large_model_is_shown_whole(browser, tmp_path):
    """Three resolutions, two parts, essential points and ten labels."""
    X = diagrams(60)
    labels = [f"label {i % 10}" for i in range(60)]
    model = PersistenceBoW((3, 8, 20), essential="separate", random_state=0).fit(X)
    write_explorer(model, X, tmp_path / "page.html", labels=labels)
    open_page(browser, tmp_path / "page.html")
    options = [o.text for o in browser.find_elements("css selector", "#part option")]
    assert options == [
        f"{part}, {n} words"
        for part, essential in (("H0", 0), ("H0_inf", 1), ("H1", 0), ("H1_inf", 1))
        for n in (3, 8, 20)
    ]
    seen = 0
    for k in range(12):
        choose(browser, "part", k)
        seen += len(traces(browser, "bars")[0]["y"])
        assert len(rows_of(browser, "ranking")) == (3, 8, 20)[k % 3]
        assert [row[0] for row in rows_of(browser, "word-table")][1:] == sorted(
            set(labels)
        )
        assert overlaps(browser) == []
    assert seen == len(model.get_feature_names_out())
    n_points = sum(len(X[name].points) for name in X.parts)
    assert f"Points in this page: all {n_points:,}." in text_of(browser, "notes")


def tiny(n_labels, n_samples):
    X = diagrams(n_samples)
    model = PersistenceBoW(4, random_state=0).fit(diagrams(30))
    return model, X, [f"label {i % n_labels:02}" for i in range(n_samples)]


@pytest.mark.parametrize(
    ("n_labels", "n_samples", "ranked_by"),
    [(1, 5, "variance"), (1, 1, "variance"), (50, 100, "F"), (5, 5, "variance")],
    ids=["one label", "one sample", "many labels", "a label each"],
)
def test_few_and_many_labels_are_shown(
    browser, tmp_path, n_labels, n_samples, ranked_by
):
    model, X, labels = tiny(n_labels, n_samples)
    write_explorer(model, X, tmp_path / "page.html", labels=labels)
    open_page(browser, tmp_path / "page.html")
    assert text_of(browser, "score-name") == ranked_by
    assert len(rows_of(browser, "word-table")) == n_labels + 1
    choose(browser, "sample", "page 0")
    assert len(rows_of(browser, "nearest")) == min(5, n_samples - 1)
    vectors = model.transform(X)
    means = [vectors[i::n_labels].mean(axis=0) for i in range(n_labels)]
    closest = np.linalg.norm(np.array(means) - vectors[0], axis=1).argmin()
    expected = f"Nearest label: {labels[closest]} ("
    assert text_of(browser, "nearest-label").startswith(expected)
    assert overlaps(browser) == []


def test_an_empty_part_is_shown_empty(browser, tmp_path):
    full = diagrams(6)
    model = PersistenceBoW(4, random_state=0).fit(full)
    X = Diagrams.from_parts({"H0": [full["H0"][i] for i in range(6)], "H1": [[]] * 6})
    write_explorer(model, X, tmp_path / "page.html", labels=list("ababab"))
    open_page(browser, tmp_path / "page.html")
    choose(browser, "part", 1)
    assert trace(browser, "plane", "points")["x"] == []
    assert "0 of 0 drawn" in text_of(browser, "plane-note")
    assert traces(browser, "bars")[0]["y"] == [0] * 4


@pytest.mark.parametrize("plotlyjs", ["inline", "directory"])
def test_plotly_may_be_beside_the_page(browser, tmp_path, plotlyjs):
    model, X, labels = tiny(2, 6)
    write_explorer(model, X, tmp_path / "p.html", labels=labels, plotlyjs=plotlyjs)
    sizes = {path.name: path.stat().st_size for path in tmp_path.iterdir()}
    assert (sizes["p.html"] < 200_000) == (plotlyjs == "directory") == (len(sizes) == 2)
    open_page(browser, tmp_path / "p.html")
    assert len(traces(browser, "bars")[0]["y"]) == 4
    asked = [url for url in requests(browser) if not url.startswith(("data:", "blob:"))]
    files = [url.rpartition("/")[2].partition("?")[0] for url in asked]
    assert files == sorted(sizes)


@pytest.mark.parametrize("plotlyjs", ["directory", "cdn"])
def test_without_plotly_a_page_says_where_it_was_looked_for(
    browser, tmp_path, plotlyjs
):
    """There is no network here, and no file once it is deleted."""
    model, X, labels = tiny(2, 6)
    path = tmp_path / "page.html"
    write_explorer(model, X, path, labels=labels, plotlyjs=plotlyjs)
    (tmp_path / "plotly.min.js").unlink(missing_ok=True)
    visit(browser, path.as_uri())
    wait_until(lambda: text_of(browser, "summary"))
    summary = text_of(browser, "summary")
    assert summary.startswith("This page cannot start.")
    where = {"directory": tmp_path.as_uri(), "cdn": "https://cdn.plot.ly/"}[plotlyjs]
    assert f"plotly.js was not found at {where}" in summary


def test_a_page_that_cannot_start_says_so(browser, shapes, tmp_path):
    whole = shapes.pages["soft"].read_text(encoding="utf-8")
    path = tmp_path / "damaged.html"
    path.write_text(re.sub('(id="points">).*?<', r"\1AAAA<", whole), encoding="utf-8")
    visit(browser, path.as_uri())
    wait_until(lambda: text_of(browser, "summary"))
    assert text_of(browser, "summary").startswith("This page cannot start")


def many(n_samples, n_words, tmp_path):
    rng = np.random.default_rng(0)
    births = rng.uniform(0.0, 1.0, (n_samples, 50))
    X = Diagrams.from_list([np.c_[b, b + rng.exponential(0.2, 50)] for b in births])
    model = StablePersistenceBoW(n_words, random_state=0).fit(X[:200])
    path = tmp_path / "many.html"
    write_explorer(model, X, path, labels=np.arange(n_samples) % 7)
    return X, model, path


@pytest.mark.parametrize(
    ("n_samples", "n_words"),
    [(2_000, (10, 30, 100)), pytest.param(10_000, 100, marks=pytest.mark.long)],
)
def test_many_diagrams_stay_usable(browser, tmp_path, n_samples, n_words):
    X, model, path = many(n_samples, n_words, tmp_path)
    assert path.stat().st_size < (6_000_000 if n_samples == 2_000 else 20_000_000)
    open_page(browser, path)
    last = n_samples - 1
    choose(browser, "sample", f"page {last}")
    (bars,) = traces(browser, "bars")
    (expected,) = model.transform(X[last:])
    n_shown = len(bars["y"])  # of a resolution
    assert any(
        np.allclose(bars["y"], expected[first : first + n_shown], rtol=0, atol=1.2e-10)
        for first in (0, 10, 40)
    )
    notes = text_of(browser, "notes")
    assert "Vectors are rounded" in notes
    if n_samples == 10_000:
        (kept,) = re.findall(
            r"thinned out: ([\d,]+) of 500,000 are in this page", notes
        )
        (drawn,) = re.findall(r"(\d+) of 50 drawn", text_of(browser, "plane-note"))
        assert int(kept.replace(",", "")) == 10_000 * int(drawn) >= 100_000
    else:
        assert "Points in this page: all 100,000." in notes
    # Work that takes long is done in pieces, between which the page says how far it is.
    browser.execute_script("""
        window.said = [];
        const status = document.getElementById("status");
        const listen = () => window.said.push(status.textContent);
        new MutationObserver(listen).observe(status, { childList: true });
    """)
    half = X[: n_samples // 2]
    verdict = drop_file(browser, "half.csv", csv_of(half))
    assert verdict.startswith(f"half.csv: {n_samples // 2:,} diagrams")
    said = browser.execute_script("return window.said")
    if n_samples == 10_000:
        assert len([text for text in said if " of 5,000 diagrams …" in text]) > 3
    _, *rows = download(browser, "download-own")
    assert len(rows) == n_samples // 2
    found = np.array([row[1:] for row in rows], float)
    assert np.allclose(found, model.transform(half), rtol=1e-9, atol=1e-9)
