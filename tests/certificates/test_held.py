"""A checker says of true and of altered certificates what it said ([hou], [calmant], bounds)."""

from __future__ import annotations

import json

import pytest

from tests.certificates.held import HELD, facts, made

KNOWN = json.loads(HELD.read_text()) if HELD.exists() else {}


@pytest.mark.parametrize("name", KNOWN)
def test_a_checker_says_what_it_said(name: str) -> None:
    assert list(KNOWN) == list(made())
    assert facts(name) == KNOWN[name]
