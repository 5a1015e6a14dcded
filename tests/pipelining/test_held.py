"""Searches for schedules find what they found, once it is seen to obey the rules [calmant 3.2]."""

from __future__ import annotations

import json

import pytest

from tests.choosing import sampled
from tests.pipelining.held import CASES, HELD, facts

KNOWN = json.loads(HELD.read_text())


@pytest.mark.parametrize("case", sampled(CASES, 3))
def test_a_search_for_a_schedule_finds_what_it_found(case: str) -> None:
    assert list(KNOWN) == list(CASES)
    assert facts(case) == KNOWN[case]
