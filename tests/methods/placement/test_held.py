"""Every piece of the search answers as it did, and each placement is worth what is counted."""

from __future__ import annotations

import json

import pytest

from tests.methods.placement.held import CASES, HELD, facts

KNOWN = json.loads(HELD.read_text())


def test_every_case_is_held() -> None:
    assert list(KNOWN) == list(CASES)


@pytest.mark.parametrize("case", CASES)
def test_a_piece_of_the_search_answers_as_it_did(case: str) -> None:
    """Valid placements, their value recounted message by message, no bound above; then the same."""
    assert facts(case) == KNOWN[case]
