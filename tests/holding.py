"""Answers that are held: a table of what each case says, made by one command, compared by a test.

Only for what no equation states, such as which of several best answers a search comes to. A module
with such cases verifies each answer by another route before it is compared (`held.py`, beside the
tests of its package; `tests/cli/frozen.py` for commands).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any


def write(file: Path, cases: Iterable[str], facts: Callable[[str], Any]) -> None:
    """Write what is told of every case, one a line, so that a change is seen by its line."""
    lines = (f"{json.dumps(one)}: {json.dumps(facts(one), ensure_ascii=False)}" for one in cases)
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def short(text: str) -> str:
    """A text in 12 digits."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def digest(answers: Iterable[Any]) -> str:
    """How many answers there are, and a digest of their texts."""
    found = [str(one) for one in answers]
    return f"{len(found)} {short(chr(10).join(found))}"
