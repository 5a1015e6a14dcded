"""Credits, tail credits and the channels of ports: cycles counted by hand, and bounds.

Every rule is also compared with an engine of lists, cycle by cycle (`test_engines`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lccmodel.errors import InputError
from lccmodel.network import Hypercube
from lccmodel.routing import Fabric, UserRouting
from lccmodel.wormhole.plan import NEVER, deadlocked, waiting_ring
from lccmodel.wormhole.simulation import Simulation, simulate
from lccmodel.wormhole.timing import Timing
from lccmodel.wormhole.traffic import messages_of

BOOKSIM: dict[str, Any] = {
    "depth": 8, "router_latency": 1, "link_latency": 2, "credit_latency": 2,
    "injection_latency": 1, "ejection_latency": 2,
}  # fmt: skip
"""A router of BookSim 2 with its default delays and look-ahead routing."""


def delivered(pairs: Any, network: str, flits: int, **made: Any) -> list[int]:
    """All messages generated at cycle 0."""
    simulation = Simulation.of(pairs, network, **made)
    count = np.arange(len(pairs))
    sent = messages_of(simulation.table, simulation.sent, np.zeros_like(count), count, flits)
    return simulation.execute(sent).delivered.tolist()


@pytest.mark.parametrize("links", [1, 3, 5])
@pytest.mark.parametrize("flits", [1, 4, 16])
def test_a_message_alone_takes_4h_and_6_and_f_less_1_cycles(links: int, flits: int) -> None:
    """As in BookSim 2, with 2 cycles of the wires of both ports; unlimited by credits from 5 on."""
    alone = 4 * links + 6 + flits - 1
    assert delivered([(0, links)], "mesh:6", flits, **BOOKSIM) == [alone]
    assert Timing("oldest", 8, 1, 2, 2, True, 1, 1, 2).unblocked(flits, links) == alone
    shallow = delivered([(0, links)], "mesh:6", flits, **BOOKSIM | {"depth": 1})
    assert shallow == [4 * links + 6 + 5 * (flits - 1)]  # a place is used every 5 cycles


@pytest.mark.parametrize(
    ("tail_credit", "link", "source"), [(True, 6, 4), (False, 1, 1)], ids=["tail", "sent"]
)
@pytest.mark.parametrize("flits", [1, 2, 7])
def test_when_a_channel_serves_the_next_message(
    tail_credit: bool, link: int, source: int, flits: int
) -> None:
    """F + 6 cycles on a link and F + 4 at the source, or F + 1: BookSim 2 counts these."""
    made = BOOKSIM | {"tail_credit": tail_credit, "depth": 16}
    ends = delivered([(0, 3), (1, 3)], "mesh:4", flits, **made)  # meet on 1->2
    assert abs(ends[0] - ends[1]) == max(flits + link, 4)  # one comes a hop later
    ends = delivered([(0, 1), (0, 2)], "mesh:3", flits, **made | {"end_channels": 4})
    assert ends[1] - ends[0] == 4 + flits + (link if tail_credit else 1)  # meet on 0->1
    one = delivered([(0, 1), (0, 2)], "cube:2", flits, **made)
    assert one[1] - one[0] == flits + source  # meet at the source alone
    assert Timing("oldest", 16, 1, 2, 2, tail_credit).service(flits)[1] == flits + link


@pytest.mark.parametrize(
    ("depth", "booksim"), [(1, 0.199), (2, 0.393), (3, 0.571), (4, 0.753), (6, 0.914)]
)
def test_buffers_too_shallow_for_their_credits(depth: int, booksim: float) -> None:
    """F = 64, to the neighbour, overloaded, measured by BookSim 2 (its topology mesh, k=2, n=1).

    Without credits 0.4 gave 0.483 and 0.919 for depths of 1 and 2.
    """
    made = Simulation.of([(0, 1)], "mesh:2", **BOOKSIM | {"depth": depth})
    assert 0.96 <= made.use(booksim, 64) <= 1.01
    at_once = np.zeros(20, np.int64)
    ends = made.execute(messages_of(made.table, made.sent, at_once, at_once, 64)).delivered
    assert 64 * 19 / (ends[-1] - ends[0]) == pytest.approx(booksim, rel=0.015)


def test_links_of_several_latencies() -> None:
    """Alone 4H + 6 + F - 1 and the delays of both links; the next one follows after F + 6 + 2 · 9.

    The link 0->1 takes 9 cycles longer and 1->2 takes 99, so do their credits.
    """
    made = BOOKSIM | {"depth": 256, "link_delays": [9, 99, 9, 99]}  # 0->1, 1->2, 1->0, 2->1
    assert delivered([(0, 2)], "mesh:3", 4, **made) == [4 * 2 + 6 + 3 + 9 + 99]
    first, second = delivered([(0, 1), (0, 1)], "mesh:3", 4, **made)
    assert second - first == 4 + 6 + 2 * 9
    simulation = Simulation.of([(0, 1)], "mesh:3", **made)
    assert simulation.use(4 / (4 + 6 + 2 * 9), 4) == pytest.approx(1)
    assert simulation.hardware["longest_link_delay"] == 99
    for bad in ([1], [-1] * 4, [0.5] * 4, [5000] * 4):
        with pytest.raises(InputError, match=r"link_delays: must be 4 integers in 0\.\.4096, one"):
            Simulation.of([(0, 1)], "mesh:3", link_delays=bad)


def test_one_flit_a_cycle_from_a_source_of_several_channels() -> None:
    """Single flits: 0.5 with one channel at the default pace, 0.995 of BookSim 2 with eight."""
    made = BOOKSIM | {"virtual_channels": 8}
    one = simulate([(0, 1)], "mesh:2", load=1.0, flits=1, cycles=2000, virtual_channels=8)
    assert one.throughput == pytest.approx(0.5, abs=0.01)
    many = simulate(
        [(0, 1), (0, 2)], "cube:2", load=1.0, flits=1, cycles=2000, end_channels=8,
        source="bernoulli", **made,
    )  # fmt: skip
    assert many.throughput == pytest.approx(0.995, abs=0.01)


@pytest.mark.parametrize("tail_credit", [True, False])
@pytest.mark.parametrize("ports", [1, 3])
def test_no_more_is_delivered_than_the_use_allows(tail_credit: bool, ports: int) -> None:
    """Of an injection port, a link and an ejection port that alone limit."""
    made = BOOKSIM | {"tail_credit": tail_credit, "end_channels": ports}
    at_once = np.zeros(30, np.int64)
    for pairs in ([(0, 1), (0, 2)], [(0, 3)], [(1, 0), (2, 0)]):
        simulation = Simulation.of(pairs, "cube:2", **made)
        which = np.arange(30) % len(pairs)
        sent = messages_of(simulation.table, simulation.sent, at_once, which, 5)
        ends = np.sort(simulation.execute(sent).delivered)
        measured = 5 * 19 / (ends[-1] - ends[10]) / simulation.sent.senders
        assert 0.9 < simulation.use(measured, 5) <= 1.02


def test_a_ring_of_queued_messages_is_a_deadlock_and_named() -> None:
    """Without tail credits a header may wait behind another message; the ring still closes."""
    turn = {0: 1, 1: 3, 3: 2, 2: 0}

    def clockwise(fabric: Fabric, at: int, to: int, arrived: int) -> list[int]:
        return [fabric.channel(at, turn[at])]

    cube, pairs = Hypercube(2), [(0, 2), (1, 0), (3, 1), (2, 3)] * 3
    routing = UserRouting("clockwise", clockwise)
    made = Simulation.of(pairs, cube, routing, depth=3, credit_latency=1, tail_credit=False)
    count = np.arange(12)
    sent = messages_of(made.table, made.sent, np.zeros_like(count), count, 2)
    outcome = made.execute(sent)
    assert (outcome.delivered == NEVER).any()
    stuck = deadlocked(made.table, sent, outcome)
    assert stuck
    ring = waiting_ring(made.table, sent, outcome)
    assert sorted({made.table.fabric.name(c) for _, c in ring}) == ["0->1", "1->3", "2->0", "3->2"]
