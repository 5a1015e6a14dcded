"""JupyterLab in a browser: start it, open a notebook, run its cells, look at what they show."""

import os
import re
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
    """A JupyterLab that runs while the `with` does, its files in a folder of its own."""

    def __init__(self, browser, folder):
        self.browser, self.folder = browser, Path(folder)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.token = secrets.token_hex(16)

    def __enter__(self):
        home = self.folder / ".home"
        home.mkdir()
        names = ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_SETTINGS_DIR")
        places = {name: str(home / name) for name in (*names, "JUPYTERLAB_WORKSPACES_DIR")}
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1"]
        command += ["--expose-app-in-browser", "--LabApp.news_url=", f"--port={self.port}"]
        command += ["--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
        command += ["--ServerApp.port_retries=0", f"--ServerApp.root_dir={self.folder}"]
        command += [f"--IdentityProvider.token={self.token}"]
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

    def run(self, name, *sources):
        """Open a new notebook with these cells, alone in the window, and run them all."""
        import nbformat  # loads grammars for seconds, which only this needs

        book = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(source) for source in sources],
            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)"}},
        )
        nbformat.write(book, self.folder / name)
        self.browser.get(self.address(f"doc/tree/{name}"))
        self.wait(lambda: self.count(".jp-Notebook .jp-CodeCell"), "the notebook's cells")
        self.wait(self._is_ready, "an idle kernel")
        self.script("jupyterapp.commands.execute('notebook:run-all-cells')")

        def finished():
            failed = self.texts(_FAILED)
            assert not failed, failed
            prompts = self.texts(".jp-Notebook .jp-CodeCell .jp-InputPrompt")
            numbered = sum(bool(re.search(r"\[\d+\]", prompt)) for prompt in prompts)
            return numbered == len(sources) and self._is_ready()

        self.wait(finished, "every cell to have run", 90)

    def _is_ready(self):
        return self.script(
            "document.querySelector('.jp-Dialog .jp-mod-accept')?.click();"
            "const session = jupyterapp.shell.currentWidget?.sessionContext;"
            "return session?.isReady && session.session?.kernel?.status == 'idle'"
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

    def element(self, selector):
        """The first element that a selector finds, moved into the window."""
        found = self.browser.find_element("css selector", selector)
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

    def press_right(self, selector, k=0):
        """Move the first slider of exploration number k one step up."""
        from selenium.webdriver.common.keys import Keys

        cell = self.browser.find_elements("css selector", ".jp-OutputArea .widget-vbox")[k]
        slider = cell.find_element("css selector", selector)
        self.script("arguments[0].scrollIntoView({block: 'center'})", slider)
        slider.send_keys(Keys.ARROW_RIGHT)
