"""The page in a real browser: what is chosen, and what that shows."""

import re

import numpy as np
import pytest
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
    traces,
    visit,
    wait_until,
)
from tests.explorer.models import diagrams

from pbow import Diagrams, PersistenceBoW, StablePersistenceBoW
from pbow.encoding import encode_counts
from pbow.explorer import write_explorer
from pbow.explorer.content import check_samples
from pbow.explorer.page import Limits, make_page

NEW = diagrams(25, seed=9)


@pytest.fixture
def hard(browser, shapes):
    """Open the page of a PersistenceBoW, with classes and names."""
    open_page(browser, shapes.pages["hard"])
    return browser


@pytest.fixture
def soft(browser, shapes):
    """Open the page of a StablePersistenceBoW, without labels."""
    open_page(browser, shapes.pages["soft"])
    return browser


def class_means(shapes, part):
    counts = encode_counts(shapes.X[part].finite(), shapes.hard.codebooks_[part])
    return {name: counts[shapes.y == name].mean(axis=0) for name in np.unique(shapes.y)}


def rows_of(browser, table):
    script = """
        const rows = document.getElementById(arguments[0]).tBodies[0].rows;
        return [...rows].map((row) => [...row.cells].map((cell) => cell.textContent));
    """
    return browser.execute_script(script, table)


def word_circles(browser):
    return browser.find_elements(
        "css selector", "#plane .scatterlayer .trace:last-child .points path"
    )


def hover(browser, element):
    box = element.rect
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    scrolled = browser.execute_script("return window.scrollY")
    browser.execute_cdp_cmd(
        "Input.dispatchMouseEvent",
        {"type": "mouseMoved", "x": x, "y": y - scrolled},
    )


def test_hovering_a_word_shows_its_share_of_each_class(hard, shapes):
    choose(hard, "part", 1)
    word = 7
    hover(hard, word_circles(hard)[word])
    wait_until(lambda: text_of(hard, "word-title").startswith(f"Word {word}: "))
    rows = {name: (share, mean) for name, share, _, mean in rows_of(hard, "word-table")}
    for name, means in class_means(shapes, "H1").items():
        share, mean = rows[name]
        assert share == f"{100 * means[word] / means.sum():.2f} %"
        assert float(mean) == pytest.approx(means[word], rel=1e-3)
    (label,) = hard.find_elements("css selector", "#plane .hoverlayer .hovertext")
    assert f"word {word}: birth" in label.text
    assert f"circle: {rows['circle'][0]}" in label.text
    # The class with a hostile name is there as text, as far as there is room for it.
    assert f"{HOSTILE[:39]}…: {rows[HOSTILE][0]}" in label.text


def test_two_classes_show_their_difference_in_red_and_blue(hard, shapes):
    means = class_means(shapes, "H0")
    classes = list(np.unique(shapes.y))
    choose(hard, "first", classes.index("torus"))
    choose(hard, "second", classes.index("circle"))
    marker = traces(hard, "plane")[-1]["marker"]
    difference = means["torus"] - means["circle"]
    sizes, largest = np.array(marker["size"]), np.abs(difference).max()
    assert np.allclose(sizes, np.maximum(5, 42 * np.sqrt(abs(difference) / largest)))
    red, blue = "rgba(213, 94, 0, 0.4)", "rgba(0, 114, 178, 0.4)"
    assert marker["color"] == [red if d >= 0 else blue for d in difference]
    assert {red, blue} == set(marker["color"])
    note = text_of(hard, "plane-note")
    assert "red where torus has more and blue where circle has" in note
    assert "drawn, in gray." in note
    assert traces(hard, "plane")[0]["marker"]["color"] == "rgb(211, 216, 222)"
    choose(hard, "second", -1)
    assert set(traces(hard, "plane")[-1]["marker"]["color"]) == {blue}


def test_a_page_opens_on_a_part_that_fills_the_plane(browser, tmp_path):
    deaths = np.arange(1.0, 9.0)
    H0 = [np.column_stack([np.zeros(8), deaths]) for _ in range(3)]
    H1 = [np.column_stack([deaths, deaths + deaths[::-1]]) for _ in range(3)]
    X = Diagrams.from_parts({"H0": H0, "H1": H1})
    model = PersistenceBoW(n_words=3, random_state=0).fit(X)
    write_explorer(model, X, tmp_path / "page.html")
    open_page(browser, tmp_path / "page.html")
    part = browser.find_element("id", "part")
    assert part.get_property("selectedIndex") == 1
    assert (
        traces(browser, "plane")[-1]["x"] == model.codebooks_["H1"].words[:, 0].tolist()
    )


@pytest.mark.parametrize("sample", [0, 31])
def test_a_diagram_shows_its_points_by_word_and_its_vector(hard, shapes, sample):
    choose(hard, "sample", f"page {sample}")
    points, words = traces(hard, "plane")
    finite = shapes.X["H0"].finite()[sample]
    assert points["x"] == finite[:, 0].tolist()
    assert points["y"] == (finite[:, 1] - finite[:, 0]).tolist()
    book = shapes.hard.codebooks_["H0"]
    one_by_one = Diagrams.from_list([[point] for point in finite], name="H0")
    labels = encode_counts(one_by_one, book).argmax(axis=1)
    assert [f"word {k}" for k in labels] == [t.split("<br>")[1] for t in points["text"]]
    colors = points["marker"]["color"]
    assert len(set(zip(labels, colors, strict=True))) == len(set(labels))
    assert words["x"] == book.words[:, 0].tolist()
    (bars,) = traces(hard, "histogram")
    vector = shapes.hard.transform(shapes.X)[sample]
    assert bars["y"] == vector[:8].tolist()
    assert f"{len(finite)} of {len(finite)} drawn" in text_of(hard, "plane-note")


def test_the_mixture_shows_its_ellipses(soft, shapes):
    _, ellipses, words = traces(soft, "plane")
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
    points, words = traces(soft, "plane")
    endless = shapes.X["H0"].essential()[4]
    assert points["x"] == endless[:, 0].tolist()
    assert set(points["y"]) == {0}
    assert words["x"] == shapes.soft.codebooks_["H0_inf"].means[:, 0].tolist()
    (bars,) = traces(soft, "histogram")
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
        points, _, words = traces(browser, "plane")
        assert points["x"] == shapes.X[part].finite()[4][:, 0].tolist()
        assert words["y"] == book.means[:, 1].tolist()
        (bars,) = traces(browser, "histogram")
        assert bars["y"] == vectors[4, start : start + book.n_words].tolist()
        note = f"{book.n_words} of 29 features: part {part}, {book.n_words} words. "
        assert text_of(browser, "histogram-note").startswith(note)
        shares = [row[1] for row in rows_of(browser, "word-table")]
        assert len(shares) == 4
        start += book.n_words
    assert start == 29


def test_a_zoom_stays_when_the_resolution_changes_and_not_when_the_part_does(
    browser, shapes
):
    open_page(browser, shapes.pages["several"])

    def left_and_right():
        script = "return document.getElementById('plane').layout.xaxis.range"
        return browser.execute_script(script)

    # As plotly does after a drag with the mouse.
    browser.execute_async_script("""
        const done = arguments[arguments.length - 1];
        const zoom = { "xaxis.range[0]": 0.2, "xaxis.range[1]": 0.4 };
        Plotly.relayout("plane", zoom).then(() => done());
    """)
    choose(browser, "part", 1)
    assert left_and_right() == [0.2, 0.4]
    choose(browser, "part", 2)
    assert left_and_right() != [0.2, 0.4]


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
    shown = np.array(rows_of(browser, "own-table"), float)
    assert shown[:, 0].tolist() == list(range(20))
    assert np.allclose(shown[:, 1:], expected[:20], rtol=1e-3)
    browser.find_element("id", "later").click()
    assert len(rows_of(browser, "own-table")) == 5
    # And they can be looked at as those of the page.
    choose(browser, "sample", "own 3")
    (bars,) = traces(browser, "histogram")
    assert np.allclose(bars["y"], expected[3, : len(bars["y"])], rtol=1e-12)
    points = traces(browser, "plane")[0]
    assert points["x"] == NEW["H0"].finite()[3][:, 0].tolist()


def test_a_bad_file_is_told_in_words_and_changes_nothing(hard):
    drop_file(hard, "good.csv", csv_of(NEW))
    before = rows_of(hard, "own-table")
    hostile = f"{HOSTILE}.csv"
    verdict = drop_file(hard, hostile, "sample,part,birth,death\n0,H0,2,1\n")
    assert "dies before it is born (birth=2, death=1)" in verdict
    assert "wrong" in hard.find_element("id", "status").get_attribute("class")
    assert rows_of(hard, "own-table") == before
    assert "columns sample, part" in drop_file(hard, "bad.csv", "\x89PNG")
    drop_file(hard, "good.csv", csv_of(NEW[:2]))
    assert len(rows_of(hard, "own-table")) == 2
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
    limits = Limits(shapes.pages["soft"].stat().st_size + Limits.spare)
    path = shapes.pages["soft"].with_name("choice.html")
    samples = check_samples(shapes.soft, shapes.X, None, None, None)
    page = make_page(shapes.soft, samples, "choice", limits)
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
    choose(browser, "sample", f"page {last}")
    title = text_of(browser, "histogram-title")
    assert title == f"Vector of diagram {numbers[-1]}"
    drawn = traces(browser, "plane")[0]["x"]
    assert set(drawn) <= set(shapes.X["H0"][numbers[-1]][:, 0])
    assert drawn


def test_hostile_names_are_text_and_nothing_runs(hard, shapes):
    choose(hard, "sample", "page 1")
    choose(hard, "first", 0)
    choose(hard, "second", 1)
    assert hard.title.split() == HOSTILE.split()
    assert text_of(hard, "histogram-title") == f"Vector of {HOSTILE}1"
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
    assert asked == [hard.current_url]
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
    controls = "theme part first second sample previous next word file download-all"
    assert [one for one in reached if one in controls.split()] == controls.split()

    def go_to(element_id):
        hard.execute_script("document.getElementById(arguments[0]).focus()", element_id)

    go_to("part")
    press(Keys.DOWN)
    assert "part H1" in text_of(hard, "histogram-note")
    outline = "return getComputedStyle(document.activeElement).outlineStyle"
    assert hard.execute_script(outline) == "solid"
    go_to("next")
    press(Keys.ENTER)
    press(Keys.SPACE)
    assert text_of(hard, "histogram-title") == f"Vector of {shapes.names[1]}"
    go_to("word")
    press(Keys.DOWN)
    assert text_of(hard, "word-title").startswith("Word 1: ")


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
        wide = "return document.documentElement.scrollWidth - window.innerWidth"
        wait_until(lambda: hard.execute_script(wide) <= 0)
        bars = hard.find_elements("css selector", "#histogram .points path")
        assert [bar.is_displayed() for bar in bars] == [True] * 8
    finally:
        hard.set_window_size(size["width"], size["height"])


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
    [(1_000, 20), pytest.param(10_000, 100, marks=pytest.mark.long)],
)
def test_many_diagrams_stay_usable(browser, tmp_path, n_samples, n_words):
    X, model, path = many(n_samples, n_words, tmp_path)
    assert path.stat().st_size < 20_000_000
    open_page(browser, path)
    last = n_samples - 1
    choose(browser, "sample", f"page {last}")
    (bars,) = traces(browser, "histogram")
    (expected,) = model.transform(X[last:])
    assert bars["y"] == expected.tolist()
    notes = text_of(browser, "notes")
    if n_samples == 10_000:
        (kept,) = re.findall(
            r"thinned out: ([\d,]+) of 500,000 are in this page", notes
        )
        (drawn,) = re.findall(r"(\d+) of 50 drawn", text_of(browser, "plane-note"))
        assert int(kept.replace(",", "")) == 10_000 * int(drawn) >= 100_000
    else:
        assert "Points in this page: all 50,000." in notes
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
