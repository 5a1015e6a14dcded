"""JupyterLab in a browser: start it, open a notebook, run its cells, look at what they show."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_FAILED = '.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.error"]'


class Lab:
    """A JupyterLab that runs while the `with` does.

    Args:
        browser: of Selenium.
        folder: where its notebooks, settings and caches are kept.
    """

    def __init__(self, browser, folder):
        self.browser = browser
        self.folder = Path(folder)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.token = secrets.token_hex(16)

    def __enter__(self):
        home = self.folder / ".home"
        home.mkdir()
        places = {
            name: str(home / name.lower())
            for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_SETTINGS_DIR")
        }
        places["JUPYTERLAB_WORKSPACES_DIR"] = str(home / "workspaces")
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1"]
        command += ["--expose-app-in-browser"]
        command += [f"--port={self.port}", f"--IdentityProvider.token={self.token}"]
        command += ["--ServerApp.port_retries=0", f"--ServerApp.root_dir={self.folder}"]
        command += [
            "--LabApp.news_url=",
            "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        ]
        if os.name == "posix" and os.geteuid() == 0:
            command.append("--allow-root")
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
        self.log = (home / "log").open("w")
        self.server = subprocess.Popen(
            command,
            env=os.environ | places | {"PYTHONPATH": path},
            stdout=self.log,
            stderr=subprocess.STDOUT,
            cwd=self.folder,
        )
        self.wait(self._answers, "JupyterLab to answer", 60)
        return self

    def __exit__(self, *_):
        self.browser.get("about:blank")
        self.server.terminate()
        try:
            self.server.wait(15)
        except subprocess.TimeoutExpired:
            self.server.kill()
            self.server.wait()
        self.log.close()

    def _answers(self):
        if self.server.poll() is not None:
            raise AssertionError((self.folder / ".home" / "log").read_text()[-3000:])
        try:
            with urllib.request.urlopen(self.address("api/status"), timeout=5) as answer:
                return answer.status == 200
        except OSError:
            return False

    def address(self, path):
        return f"http://127.0.0.1:{self.port}/{path}?token={self.token}"

    def wait(self, ready, what, seconds=40):
        """Wait until `ready()` is true and return it."""
        end = time.monotonic() + seconds
        while not (found := ready()):
            assert time.monotonic() < end, f"waited {seconds} s for {what}"
            time.sleep(0.1)
        return found

    def run(self, name, *sources, seconds=90):
        """Open a new notebook with these cells, alone in the window, and run them all."""
        import nbformat  # loads grammars for seconds, which only this needs

        book = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(source) for source in sources],
            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)"}},
        )
        nbformat.write(book, self.folder / name)
        self.open(name, seconds)

    def open(self, name, seconds=90):
        """Open a notebook of the folder, alone in the window, and run all cells."""
        self.browser.get(self.address(f"doc/tree/{name}"))
        self.wait(lambda: self.count(".jp-Notebook .jp-CodeCell"), "the notebook's cells")
        self.wait(self._is_ready, "an idle kernel")
        self.command("notebook:run-all-cells")
        cells = self.count(".jp-Notebook .jp-CodeCell")

        def finished():
            failed = self.texts(_FAILED)
            assert not failed, failed
            return self._numbered() == cells and self._is_ready()

        self.wait(finished, "every cell to have run", seconds)

    def command(self, name):
        """Run one of JupyterLab's commands, as its menus do."""
        self.script("jupyterapp.commands.execute(arguments[0])", name)

    def _is_ready(self):
        return self.script(
            "document.querySelector('.jp-Dialog .jp-mod-accept')?.click();"
            "const session = jupyterapp.shell.currentWidget?.sessionContext;"
            "return session?.isReady && session.session?.kernel?.status == 'idle'"
        )

    def _numbered(self):
        return self.script(
            "return [...document.querySelectorAll('.jp-Notebook .jp-CodeCell .jp-InputPrompt')]"
            ".filter(e => /\\[\\d+\\]/.test(e.textContent)).length"
        )

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def count(self, selector):
        return self.script("return document.querySelectorAll(arguments[0]).length", selector)

    def texts(self, selector):
        """The text of everything that a selector finds."""
        return self.script(
            "return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)", selector
        )

    def element(self, selector, k=0):
        """The element number k that a selector finds, moved into the window."""
        found = self.browser.find_elements("css selector", selector)[k]
        self.script("arguments[0].scrollIntoView({block: 'center'})", found)
        return found

    def choose(self, selector, text):
        """Choose an entry of a list."""
        from selenium.webdriver.support.ui import Select

        Select(self.element(selector)).select_by_visible_text(text)

    def type_into(self, selector, text):
        """Write a text in place of the one that is there, and leave the box."""
        from selenium.webdriver.common.keys import Keys

        self.element(selector).send_keys(Keys.CONTROL, "a", Keys.NULL, text, Keys.TAB)

    def press_right(self, selector, k=0, *, first=False):
        """Move a slider one step up; with `first`, the first slider of exploration number k."""
        from selenium.webdriver.common.keys import Keys

        if not first:
            self.element(selector, k).send_keys(Keys.ARROW_RIGHT)
            return
        cells = self.browser.find_elements("css selector", ".jp-OutputArea .widget-vbox")
        slider = cells[k].find_element("css selector", selector)
        self.script("arguments[0].scrollIntoView({block: 'center'})", slider)
        slider.send_keys(Keys.ARROW_RIGHT)
