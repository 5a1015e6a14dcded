"""Schedules, degrees and plans obey the rules of [calmant] and repeat themselves."""

from __future__ import annotations

import pytest

from tests.choosing import sampled
from tests.pipelining.second_routes import CASES, facts


@pytest.mark.parametrize("case", sampled(CASES, 3))
def test_answers_agree_with_their_second_route(case: str) -> None:
    """`facts` compares while it counts the answers."""
    assert int(facts(case).split()[0]) > 0
