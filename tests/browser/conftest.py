"""A headless browser, and JupyterLab in it, for tests marked `browser`."""

import os
import shutil

import pytest

from tests.browser.lab import Lab

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,1600",
)


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """Chromium, driven by Selenium; nothing is fetched from elsewhere."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("needs chromium and chromedriver; `.ci/browser` installs them on Debian")
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium: the dev extra")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('browser')}"):
        options.add_argument(flag)
    loopback = {"NO_PROXY": "localhost,127.0.0.1", "no_proxy": "localhost,127.0.0.1"}
    os.environ.update(loopback)
    service = webdriver.ChromeService(executable_path=driver)
    opened = webdriver.Chrome(options=options, service=service)
    opened.set_page_load_timeout(60)
    yield opened
    opened.quit()


@pytest.fixture(scope="session")
def lab(browser, tmp_path_factory):
    """JupyterLab on loopback, with a token, in a folder of its own."""
    pytest.importorskip("jupyterlab", reason="needs JupyterLab: the notebook extra")
    with Lab(browser, tmp_path_factory.mktemp("lab")) as running:
        yield running
