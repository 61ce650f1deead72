"""What tests do in the browser."""

import csv
import io
import itertools
import json
import shutil
import time

import pytest

from pbow.io.csv import write_csv

_visits = itertools.count()

SECONDS = 300  # at most, on a busy machine; nothing waits that long

HOSTILE = "<b>&lt;</b></script><img src=x onerror=alert(1)>\"'\u2028 🙂 %{x}"


def find_browser():
    """Return where chromium and its driver are, or fail."""
    found = {name: shutil.which(name) for name in ("chromium", "chromedriver")}
    missing = [name for name, path in found.items() if path is None]
    if missing:
        pytest.fail(
            f"{' and '.join(missing)} not found; scripts/install-chromium.sh installs "
            "what these tests need"
        )
    return list(found.values())


def open_page(browser, path, view=""):
    """Open a page anew, and forget what was logged before."""
    browser.get_log("browser")
    browser.get_log("performance")
    # The page before may be the same, and must not be taken for this one.
    visit(browser, f"{path.as_uri()}?{next(_visits)}{view and '#' + view}")
    busy = "return document.querySelector('main').getAttribute('aria-busy')"
    wait_until(lambda: browser.execute_script(busy) == "false")
    assert [row["message"] for row in browser.get_log("browser")] == []


def visit(browser, address):
    """Go to an address, and wait until all is loaded."""
    browser.get(address)
    is_ready = """
        const bare = (address) => address.split("#")[0];
        const [wanted, here] = [arguments[0], location.href].map(bare);
        return here === wanted && document.readyState === "complete";
    """
    wait_until(lambda: browser.execute_script(is_ready, address))


def text_of(browser, element_id):
    return browser.execute_script(
        "return document.getElementById(arguments[0]).textContent", element_id
    )


def wait_until(condition):
    """Return what a condition returns, once that is true."""
    end = time.monotonic() + SECONDS
    while not (result := condition()):
        assert time.monotonic() < end, "The page did not get there."
        time.sleep(0.02)
    return result


def choose(browser, element_id, value):
    """Choose an option by its value, as a click does."""
    select = browser.find_element("id", element_id)
    select.find_element("css selector", f'option[value="{value}"]').click()


def traces(browser, element_id):
    """Return what plotly draws."""
    return browser.execute_script(
        "return JSON.parse(JSON.stringify(document.getElementById(arguments[0]).data))",
        element_id,
    )


def trace(browser, element_id, name):
    """Return one of the things that plotly draws, by its name."""
    (found,) = [t for t in traces(browser, element_id) if t["name"] == name]
    return found


def requests(browser):
    """Return the addresses that were asked for since the last call."""
    messages = [
        json.loads(row["message"])["message"] for row in browser.get_log("performance")
    ]
    return [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]


def choose_file(browser, path):
    """Choose a CSV file by the button, and return what the page says of it."""
    browser.execute_script("document.getElementById('status').textContent = ''")
    browser.find_element("id", "file").send_keys(str(path))
    return wait_until(lambda: _verdict(browser))


def drop_file(browser, name, text):
    """Drop a CSV file onto the page, and return what the page says of it."""
    script = """
        document.getElementById("status").textContent = "";
        const transfer = new DataTransfer();
        transfer.items.add(new File([arguments[1]], arguments[0]));
        const drop = { dataTransfer: transfer, bubbles: true, cancelable: true };
        document.querySelector("main").dispatchEvent(new DragEvent("drop", drop));
    """
    browser.execute_script(script, name, text)
    return wait_until(lambda: _verdict(browser))


def _verdict(browser):
    status = text_of(browser, "status")
    return "" if status.endswith("…") else status


def csv_of(X):
    """Return diagrams as the text of a CSV file."""
    file = io.BytesIO()
    write_csv(X, file)
    return file.getvalue().decode()


def download(browser, button):
    """Press a button, and return the rows of the CSV file that comes."""
    browser.execute_script("document.getElementById(arguments[0]).click()", button)
    return downloaded(browser)


def downloaded(browser):
    """Wait for a CSV file, and return its rows."""

    def complete():
        found = list(browser.downloads.glob("*.csv"))
        return found[0] if found and found[0].stat().st_size else None

    path = wait_until(complete)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    path.unlink()
    return rows
