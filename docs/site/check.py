"""Look at the built site as a reader would: `python docs/site/check.py SITE`.

By reading the files: every link and anchor leads somewhere, every picture is there and has a text
instead, nothing is loaded from another host. In a browser, if there is one: no picture fails, and
on a phone (390 pixels) and on a screen (1280) no page has to be moved sideways, no command is cut
off, no head of a table breaks inside a word and no `--option` breaks at a hyphen. The search lists
the page of every index term first or second.
"""

import contextlib
import functools
import http.server
import json
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from index_terms import TERMS

WIDTHS = (390, 1280)
"""A phone and a screen, in pixels."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
LOADED = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src"}
QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
EYE = "eye.html"
"""A page that opens every other page in a frame as wide as a phone and writes down what it sees."""

_EYE = """<!doctype html><meta charset="utf-8"><body><script>
const pages = %s, queries = %s, seen = {};
const note = (page, fault) => (seen[page] ??= []).push(fault);
async function framed(page, width, act) {
  const frame = document.createElement("iframe");
  frame.style.cssText = "height:844px;border:0;width:" + width + "px";
  frame.src = page;
  await new Promise(done => { frame.onload = done; document.body.append(frame); });
  await act(frame.contentDocument, frame.contentWindow);
  frame.remove();
}
// The matches of a pattern in the text below an element that lie on more than one line.
function broken(inside, element, pattern) {
  const found = [], walker = inside.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (walker.nextNode())
    for (const match of walker.currentNode.data.matchAll(pattern)) {
      const range = inside.createRange();
      range.setStart(walker.currentNode, match.index);
      range.setEnd(walker.currentNode, match.index + match[0].length);
      const lines = [...range.getClientRects()].map(box => box.bottom);
      if (Math.max(...lines) - Math.min(...lines) > 4) found.push(match[0]);
    }
  return found;
}
function hidden(inside, view, element) {
  const right = element.getBoundingClientRect().right;
  for (let box = element; box !== inside.body; box = box.parentElement) {
    const way = view.getComputedStyle(box).overflowX, edge = box.getBoundingClientRect().right;
    if (way === "auto" || way === "scroll") return false;
    if (way !== "visible" && right > edge + 1) return true;
  }
  return right > inside.documentElement.clientWidth + 1;
}
function laid(page, width, inside, view) {
  const wide = inside.documentElement.scrollWidth;
  if (wide > width) note(page, "page is " + wide + " pixels wide on " + width);
  for (const head of inside.querySelectorAll("th"))
    for (const word of broken(inside, head, /[^\\s–-]+/g))
      note(page, "head of a table breaks inside " + word + " on " + width);
  for (const code of inside.querySelectorAll("article :is(code, pre)")) {
    for (const option of broken(inside, code, /--[a-z][\\w-]*/g))
      note(page, "option breaks: " + option + " on " + width);
    if (hidden(inside, view, code))
      note(page, "cut off: " + code.textContent.trim().slice(0, 60) + " on " + width);
  }
}
async function look() {
  for (const page of pages) {
    await framed(page, %d, async (inside, view) => {
      for (const image of inside.images) image.loading = "eager";
      await Promise.all([...inside.images].map(image => image.decode().catch(() => {})));
      for (const image of inside.images)
        if (!image.naturalWidth) note(page, "picture fails: " + image.getAttribute("src"));
      for (const entry of view.performance.getEntriesByType("resource"))
        if (!entry.name.startsWith(location.origin) && !entry.name.startsWith("data:"))
          note(page, "loads " + entry.name);
      for (const width of %s) {
        view.frameElement.style.width = width + "px";
        laid(page, width, inside, view);
      }
    });
  }
  for (const [query, wanted] of queries)
    await framed("search.html?q=" + encodeURIComponent(query), 1280, async inside => {
      const links = () => [...inside.querySelectorAll("#search-results li a")];
      for (let wait = 0; links().length < 2 && wait < 100; wait++)
        await new Promise(done => setTimeout(done, 50));
      const first = links().slice(0, 2).map(link => new URL(link.href).pathname.slice(1));
      if (!first.includes(wanted))
        note("search.html", query + ": " + wanted + " is not among the first two: " + first);
    });
  const end = document.createElement("pre");
  end.id = "seen";
  end.textContent = JSON.stringify({looked: pages.length, seen});
  document.body.append(end);
  fetch("/seen", {method: "POST", body: end.textContent});
}
look();
</script>"""


def of_this_machine(text: str) -> list[str]:
    """Paths of the machine that made a page, warnings and inner names of Python, in a text."""
    return [found[0] for found in _OF_THIS_MACHINE.finditer(text)]


_OF_THIS_MACHINE = re.compile(
    r"(?<![\w.])/(?:home|root|Users|tmp|work|build|mnt|opt|var)/[\w.-]+/\S*"
    r"|\b\w*Warning: [^\n]{0,60}|site-packages/\S*|ipykernel_\d+"
    r"|~typing\.\w+|<lambda>|<function \w+|<\w[\w. ]* object at 0x\w+"
)


class Page(HTMLParser):
    """Links, anchors and what is loaded, of one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.faults: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag points at, and its name."""
        values = {key: value or "" for key, value in attrs}
        if values.get("id"):
            self.anchors.add(values["id"])
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag in LOADED and values.get(LOADED[tag]):
            self.loads.append(values[LOADED[tag]])
        if tag == "img" and "alt" not in values:
            self.faults.append(f"picture without words: {values.get('src')}")

    def handle_data(self, data: str) -> None:
        """Note a formula that stands there as it was typed."""
        if "$\\displaystyle" in data:
            self.faults.append(f"formula that is not drawn: {data.strip()[:60]}")
        self.faults += [f"of the machine that built it: {found}" for found in of_this_machine(data)]


def dead(site: Path) -> Iterator[str]:
    """What links and pictures of the files are not there."""
    pages = {
        path: Page(path.read_text(encoding="utf-8"))
        for path in sorted(site.rglob("*.html"))
        if "_static" not in path.parts
    }
    for path, page in pages.items():
        here = path.relative_to(site)
        yield from (f"{here}: {fault}" for fault in page.faults)
        for target in page.loads:
            if urlsplit(target).netloc:
                yield f"{here}: loads {target}"
        for target in [*page.links, *page.loads]:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            goal = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if goal.is_dir():
                goal /= "index.html"
            if not goal.exists():
                yield f"{here}: dead link {target}"
            elif goal in pages and unquote(parts.fragment) not in {"", *pages[goal].anchors}:
                yield f"{here}: no such place {target}"


class Eye(http.server.SimpleHTTPRequestHandler):
    """Serves the site on loopback and takes the browser's notes."""

    notes: str = ""
    done = threading.Event()

    def do_POST(self) -> None:
        """Keep what the page saw."""
        Eye.notes = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.send_response(204)
        self.end_headers()
        Eye.done.set()

    def handle(self) -> None:
        """Answer, unless the browser has left the page."""
        with contextlib.suppress(ConnectionError):
            super().handle()

    def log_message(self, *words: object) -> None:
        """Say nothing."""


def seen(
    site: Path, browser: str, queries: list[tuple[str, str]], patience: float = 600
) -> Iterator[str]:
    """What a browser sees that it should not, on a phone and on a screen.

    A query is what is typed into the search, with the page that must be first or second.
    """
    pages = [str(p.relative_to(site)) for p in sorted(site.rglob("*.html"))]
    pages = [p for p in pages if not p.startswith("_static") and p not in (EYE, "index.html")]
    given = (json.dumps(pages), json.dumps(queries), WIDTHS[0], list(WIDTHS))
    (site / EYE).write_text(_EYE % given, encoding="utf-8")
    Eye.notes = ""
    Eye.done.clear()
    handler = functools.partial(Eye, directory=str(site))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}/{EYE}"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [browser, *QUIET, f"--user-data-dir={profile}", "--remote-debugging-port=0", url]
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        Eye.done.wait(patience)
        running.terminate()
        running.wait()
    server.shutdown()
    (site / EYE).unlink()
    if not Eye.notes:
        yield f"the browser did not finish within {patience:.0f} seconds"
        return
    notes = json.loads(Eye.notes)
    assert notes["looked"] == len(pages)
    for page, faults in notes["seen"].items():
        yield from (f"{page}: {fault}" for fault in faults)


def main() -> int:
    """Print every fault; 1 if there is one."""
    site = Path(sys.argv[1]).resolve()
    faults = list(dead(site))
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser:
        terms = ((term, f"{page}.html") for page, terms in TERMS.items() for term in terms)
        faults += seen(site, browser, list(terms))
    else:
        print("docs: no browser at hand, so the pages were not looked at")
    for fault in faults:
        print(fault)
    count = len(list(site.rglob("*.html")))
    print(
        f"docs: {count} pages, {len(faults)} faults" + (f", seen by {browser}" if browser else "")
    )
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
