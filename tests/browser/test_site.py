"""The checker of the documentation site sees what a reader on a phone would see.

`make docs` looks at the real site; here are pages with a fault each, which it must find.
"""

import importlib
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "docs" / "site"))
check = importlib.import_module("check")

GOOD = '<!doctype html><meta name="viewport" content="width=device-width"><p id="top">'
BROWSER = next(filter(None, map(shutil.which, check.BROWSERS)), None)
SCROLLED = '<article><pre style="overflow-x:auto"><code>'
WIDE = "x" * 300
FAULTS = {
    "wide": '<div style="position:absolute;left:0;width:600px">wide</div>',
    "broken": '<img src="no.png" alt="x">',
    "head": '<table><th style="width:1ch;overflow-wrap:anywhere">ab</th></table>',
    "option": '<article><code style="display:block;width:12ch">map --by-node</code></article>',
    "cut": f'<article><pre style="overflow-x:hidden"><code>{WIDE}</code></pre></article>',
}
SEEN = [
    "broken.html: picture fails: no.png",
    f"cut.html: cut off: {WIDE[:60]} on 1280",
    f"cut.html: cut off: {WIDE[:60]} on 390",
    "head.html: head of a table breaks inside ab on 1280",
    "head.html: head of a table breaks inside ab on 390",
    "option.html: option breaks: --by-node on 1280",
    "option.html: option breaks: --by-node on 390",
    "search.html: bit reversal: lecture.html is not among the first two: good.html,wide.html",
    "wide.html: page is 600 pixels wide on 390",
]
FOUND = "".join(f'<li><a href="{page}.html">x</a>' for page in ("good", "wide", "lecture"))


@pytest.mark.browser
@pytest.mark.skipif(BROWSER is None, reason="no browser; .ci/browser installs one")
def test_a_fault_is_seen_in_the_browser(tmp_path):
    """Pages with a fault each, beside a page without fault whose wide block scrolls."""
    assert BROWSER is not None
    good = f"<table><th>a word</th></table>{SCROLLED}map --by-node {WIDE}</code></pre></article>"
    for name, body in {**FAULTS, "good": good}.items():
        (tmp_path / f"{name}.html").write_text(f"{GOOD}{body}")
    (tmp_path / "no.png").write_text("not a picture")
    (tmp_path / "search.html").write_text(f'{GOOD}<ul id="search-results">{FOUND}</ul>')
    queries = [("trace", "good.html"), ("bit reversal", "lecture.html")]
    found = sorted(check.seen(tmp_path, BROWSER, queries, patience=120))
    assert found == SEEN


def test_pages_with_index_terms_exist():
    missing = [page for page in check.TERMS if not (ROOT / f"{page}.md").exists()]
    assert missing == []
