"""Constructions with a choice are right by a second route."""

from __future__ import annotations

import pytest

from tests.choosing import sampled
from tests.placement.second_routes import CASES, facts


@pytest.mark.parametrize("case", sampled(CASES, 2))
def test_answers_agree_with_their_second_route(case: str) -> None:
    """`facts` compares while it counts the answers."""
    assert int(facts(case).split()[0]) > 0
