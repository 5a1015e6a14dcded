"""Every measure of a simulation is what the cycles of its messages say."""

from __future__ import annotations

from typing import Any

import pytest

from lccmodel.wormhole.timed import run_trace
from tests.choosing import sampled
from tests.wormhole.second_routes import CASES, check


@pytest.mark.parametrize("case", sampled(CASES, 3))
def test_answers_agree_with_their_second_route(case: str) -> None:
    check(case)


PRINTED: list[tuple[str, list[tuple[int, int, int, int]], dict[str, int], list[int], list[int]]] = [
    # three headers to node 3: the nearest passes first, each other waits for the tail before it
    ("mesh:4", [(0, 3, 1, 4), (1, 3, 1, 4), (2, 3, 1, 4)], {}, [2, 2, 2], [17, 12, 7]),
    # two messages of one node: the second is injected when the first has left the first channel
    ("mesh:4", [(0, 3, 1, 4), (0, 2, 1, 4)], {}, [2, 7], [9, 13]),
    ("mesh:4", [(0, 3, 1, 4), (1, 3, 1, 4)], {"depth": 4}, [2, 2], [13, 8]),
    ("cube:2", [(0, 3, 1, 2), (1, 3, 1, 2)], {}, [2, 2], [8, 5]),
    ("fattree:2^2", [(0, 2, 1, 3), (1, 2, 1, 3)], {}, [2, 2], [7, 11]),
    ("cube:3", [(0, 7, 5, 1)], {"router_latency": 2, "link_latency": 1}, [6], [21]),
]
"""Network, messages (source, destination, cycle, flits), machine; injected and delivered."""


@pytest.mark.parametrize("engine", ["auto", "flit"])
@pytest.mark.parametrize(("word", "rows", "machine", "injected", "delivered"), PRINTED)
def test_small_traces_are_the_printed_ones(
    word: str, rows: Any, machine: Any, injected: list[int], delivered: list[int], engine: Any
) -> None:
    """By either engine."""
    run = run_trace(rows, word, engine=engine, **machine)
    assert (run.injected.tolist(), run.delivered.tolist()) == (injected, delivered)
