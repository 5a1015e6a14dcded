"""Every simulation answers as it did, and what it measures is what the messages' cycles say."""

from __future__ import annotations

import json

import pytest

from tests.wormhole.held import CASES, HELD, facts

KNOWN = json.loads(HELD.read_text())


def test_every_case_is_held() -> None:
    assert list(KNOWN) == list(CASES)


@pytest.mark.parametrize("case", CASES)
def test_a_simulation_answers_as_it_did(case: str) -> None:
    """Measures by their definitions, both engines alike; then the same as before."""
    assert facts(case) == KNOWN[case]
