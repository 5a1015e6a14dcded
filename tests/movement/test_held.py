"""Conflicts, hops, tables of routes and cycles are what they were, once they are verified."""

from __future__ import annotations

import json

import pytest

from tests.movement.held import CASES, HELD, facts

KNOWN = json.loads(HELD.read_text())


@pytest.mark.parametrize("case", CASES)
def test_movements_and_routes_are_what_they_were(case: str) -> None:
    assert list(KNOWN) == list(CASES)
    assert facts(case) == KNOWN[case]
