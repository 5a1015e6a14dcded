"""Placements between the busiest channel and hop-bytes: those that no other beats in both."""

from __future__ import annotations

import numpy as np
import pytest

from lccmodel.communication.traffic import Traffic
from lccmodel.placement.search import place
from lccmodel.placement.search.questions import SHARES, pareto_front
from tests.choosing import fast_only


@pytest.mark.parametrize(
    "word", fast_only(["torus:5x4", "mesh:6x3", "fattree:2x3x3/2x1", "mesh:3x3*2"], "mesh:6x3")
)
def test_the_front_is_what_no_other_beats(word: str) -> None:
    """By definition, over all that was found; a later objective starts from what came before."""
    rng = np.random.default_rng(1)
    sent = Traffic(rng.integers(0, 14, (30, 2)), rng.integers(1, 9, 30), 14)
    front = pareto_front(sent, word, seconds=0.01, seed=1)
    assert [one.objective for one in front.found] == [str(share) for share in SHARES]
    pairs = [(one.after.joint, one.after.distance) for one in front.found]
    kept = {
        (joint, far) for joint, far in pairs
        if not any(a <= joint and b <= far and (a, b) != (joint, far) for a, b in pairs)
    }  # fmt: skip
    best = [(one.after.joint, one.after.distance) for one in front.best]
    assert best == sorted(kept)
    assert all(any(one is other for other in front.found) for one in front.best)
    least = min(far for _, far in pairs)
    assert front.found[-1].after.distance == least
    assert not any("search from search" in one.found for one in front.found)


def test_a_stated_start_is_one_of_those_of_every_objective() -> None:
    ring = [(x, (x + 5) % 16) for x in range(16)]
    known = place(ring, "torus:4x4", "distance", "placements", moves=4000).node_of
    front = pareto_front(
        ring, "torus:4x4", ["joint", "distance"], seconds=0, starts={"known": known}
    )
    assert front.found[1].after.distance <= 16
    assert len(front.found) == 2
