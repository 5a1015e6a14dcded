"""Short digests of answers, to compare what two processes or two runs return."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any


def short(text: str) -> str:
    """A text in 12 digits."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def digest(answers: Iterable[Any]) -> str:
    """How many answers there are, and a digest of their texts."""
    texts = [str(answer) for answer in answers]
    return f"{len(texts)} {short(chr(10).join(texts))}"
