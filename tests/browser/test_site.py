"""The checker of the documentation site sees what a reader on a phone would see.

`make docs` looks at the real site; here are pages with a fault each, which it must find.
"""

from __future__ import annotations

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


@pytest.mark.browser
@pytest.mark.skipif(BROWSER is None, reason="no browser; .ci/browser installs one")
def test_a_fault_is_seen_in_the_browser(tmp_path: Path) -> None:
    """A page wider than a phone and a picture that is none, beside a page without fault."""
    assert BROWSER is not None
    (tmp_path / "good.html").write_text(GOOD)
    (tmp_path / "wide.html").write_text(
        f'{GOOD}<div style="position:absolute;left:0;width:600px">wide</div>'
    )
    (tmp_path / "no.png").write_text("not a picture")
    (tmp_path / "broken.html").write_text(f'{GOOD}<img src="no.png" alt="x">')
    found = sorted(check.seen(tmp_path, BROWSER, patience=60))
    assert found == ["broken.html: picture fails: no.png", "wide.html: page is 600 pixels wide"]
