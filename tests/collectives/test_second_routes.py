"""Plans, times, bounds, choices and texts, each compared with a second route."""

from __future__ import annotations

import pytest

from tests.choosing import sampled
from tests.collectives.second_routes import CASES, checked


@pytest.mark.parametrize("case", sampled(CASES, 4))
def test_answers_agree_with_their_second_route(case: str) -> None:
    """Plans replayed, messages walked, segments near by counted, no bound above."""
    if case.startswith("front"):
        pytest.importorskip("ortools")
    without = case.endswith((" trivance", " packed-trees"))  # rules that cover none of the networks
    assert checked(case) > 0 or without
