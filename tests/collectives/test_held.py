"""Plans, times, bounds of times, choices and texts as they were: replayed, walked, counted."""

from __future__ import annotations

import json

import pytest

from tests.collectives.held import CASES, HELD, facts

KNOWN = json.loads(HELD.read_text())


def test_every_case_is_held() -> None:
    assert list(KNOWN) == list(CASES)


@pytest.mark.parametrize("case", CASES)
def test_a_question_is_answered_as_it_was(case: str) -> None:
    """Plans replayed, messages walked, segments near by counted, no bound above; then the same."""
    if case.startswith("front"):
        pytest.importorskip("ortools")
    assert facts(case) == KNOWN[case]
