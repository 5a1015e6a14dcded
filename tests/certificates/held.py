"""What a checker says of true certificates, and of each with one entry changed, held.

    python -m tests.certificates.held      write `held.json` anew, which a test compares

That what is accepted is true, and that what proves nothing is refused, other tests show by trying
everything; here is held with which words, since they say which rule was broken. Without Scotch,
whose versions differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from lccmodel.certificates.checker import certificate_digest, check
from lccmodel.certificates.reading import Refused
from lccmodel.methods.placement import starts
from tests.certificates.samples import altered, another, entry, leaves, samples
from tests.holding import digest, write

HELD = Path(__file__).with_name("held.json")


@cache
def made() -> dict[str, dict[str, Any]]:
    with patch.object(starts, "scotch_placement", lambda *_: None):
        return samples()


def _said(certificate: dict[str, Any]) -> str:
    certificate["digest"] = certificate_digest(certificate)
    try:
        return check(certificate)
    except Refused as refused:
        return str(refused).split("Error:")[0]  # what Python says differs between its versions


def _answers(name: str) -> Iterator[str]:
    whole = made()[name]
    yield check(whole)
    yield str({key: part for key, part in whole.items() if key != "digest"})
    paths = [path for path in leaves(whole) if path[0] != "digest"]
    for path in paths[:: max(1, len(paths) // 80)]:
        now = entry(whole, path)
        for instead in (another(now), -1, 0, "1/3", None, [now], now + 2 if now == 1 else 10**9):
            yield f"{path} {instead}: {_said(altered(whole, path, instead))}"


def facts(name: str) -> str:
    """How many certificates were looked at, and a digest of what was said."""
    return digest(_answers(name))


if __name__ == "__main__":
    write(HELD, made(), facts)
