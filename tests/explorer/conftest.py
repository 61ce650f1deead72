"""A real browser, headless, and pages to open in it."""

from types import SimpleNamespace

import numpy as np
import pytest
from tests.explorer.driving import HOSTILE, SECONDS, find_browser
from tests.explorer.models import diagrams

from pbow import Diagrams, PersistenceBoW, StablePersistenceBoW
from pbow.explorer import write_explorer


@pytest.hookimpl(tryfirst=True)  # before -m selects by marker
def pytest_collection_modifyitems(items):
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """Return Chromium, without any network."""
    chromium_path, driver_path = find_browser()
    # A browser that is there and cannot be driven, or does not start, is a failure.
    from selenium import webdriver  # noqa: PLC0415

    options = webdriver.ChromeOptions()
    options.binary_location = chromium_path
    options.page_load_strategy = "none"  # on a busy machine a command must not wait
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--window-size=1400,1300",
        "--host-resolver-rules=MAP * ~NOTFOUND",
    ):
        options.add_argument(argument)
    downloads = tmp_path_factory.mktemp("downloads")
    prefs = {"download.default_directory": str(downloads)}
    options.add_experimental_option("prefs", prefs)
    options.set_capability(
        "goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"}
    )
    service = webdriver.ChromeService(executable_path=driver_path)
    chromium = webdriver.Chrome(options=options, service=service)
    chromium.set_script_timeout(SECONDS)
    chromium.downloads = downloads
    yield chromium
    chromium.quit()


@pytest.fixture(scope="session")
def shapes(tmp_path_factory):
    """Return two classes of diagrams in two parts, and pages of a model each."""
    X = diagrams(60)
    y = np.array(["circle", HOSTILE, "torus"])[np.arange(60) % 3]
    # Circles have more points than the others, and tori are born later.
    sizes = {"circle": None, HOSTILE: 8, "torus": 8}
    later = {"circle": 0.0, HOSTILE: 0.0, "torus": 0.5}
    lists = [
        {name: sample[name][: sizes[label]] + later[label] for name in X.parts}
        for sample, label in zip(X, y, strict=True)
    ]
    X = Diagrams.from_list(lists)
    folder = tmp_path_factory.mktemp("pages")
    hard = PersistenceBoW(8, random_state=0).fit(X)
    soft = StablePersistenceBoW(
        6, covariance="full", essential="separate", random_state=0
    ).fit(X)
    several = StablePersistenceBoW(
        {"H0": (3, 7), "H1": (2, 5, 12)}, temperature=2.0, random_state=0
    ).fit(X)
    names = [f"{HOSTILE}{i}" for i in range(60)]
    pages = {kind: folder / f"{kind}.html" for kind in ("hard", "soft", "several")}
    write_explorer(hard, X, pages["hard"], labels=y, sample_names=names, title=HOSTILE)
    write_explorer(soft, X, pages["soft"])
    write_explorer(several, X, pages["several"], labels=y)
    models = {"hard": hard, "soft": soft, "several": several}
    return SimpleNamespace(X=X, y=y, names=names, pages=pages, **models)
