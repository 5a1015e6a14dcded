"""Depths, latencies, credits, ports, virtual channels and service: closed forms and BookSim 2.

Every rule is also compared with an engine of lists, cycle by cycle (test_engines).
"""

import json
from itertools import product
from typing import Any

import numpy as np
import pytest

from lccmodel.communication import catalog
from lccmodel.errors import InputError
from lccmodel.network import Hypercube, Mesh, Torus, as_network
from lccmodel.routing import Fabric, ManyChannels, UserRouting, deadlock_free, find_routing
from lccmodel.wormhole import run_trace
from lccmodel.wormhole.plan import NEVER, deadlocked, waiting_ring
from lccmodel.wormhole.simulation import Simulation, simulate
from lccmodel.wormhole.timing import Timing
from lccmodel.wormhole.traffic import messages_of
from tests.choosing import sampled
from tests.cli.calling import refused, run

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


@pytest.mark.parametrize("flits", [1, 4, 20])
@pytest.mark.parametrize(
    "machine",
    [
        {},
        {"router_latency": 3},
        BOOKSIM,
        BOOKSIM | {"depth": 9},
        {"depth": 4, "router_latency": 1, "link_latency": 3},
    ],
)
def test_a_message_alone(machine, flits):
    """H + 2 + F - 1, and a latency for H + 1 routers, H links and both ports; 4H + 6 in BookSim 2.

    Its buffers of one place are used every 5 cycles.
    """
    names = ("router_latency", "link_latency", "injection_latency", "ejection_latency")
    router, link, *ports = (machine.get(name, 0) for name in names)
    for links in (1, 3, 5):
        made = Simulation.of([(0, links)], "mesh:6", **machine)
        alone = links + 2 + flits - 1 + router * (links + 1) + link * links + sum(ports)
        assert delivered([(0, links)], "mesh:6", flits, **machine) == [alone]
        assert made.timing.unblocked(flits, links) == alone
        shallow = delivered([(0, links)], "mesh:6", flits, **BOOKSIM | {"depth": 1})
        assert shallow == [4 * links + 6 + 5 * (flits - 1)]


@pytest.mark.parametrize(
    ("tail_credit", "link", "source"), [(True, 6, 4), (False, 1, 1)], ids=["tail", "sent"]
)
@pytest.mark.parametrize("flits", [1, 2, 7])
def test_when_a_channel_serves_the_next_message(tail_credit, link, source, flits):
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
def test_buffers_too_shallow_for_their_credits(depth, booksim):
    """F = 64, to the neighbour, overloaded, measured by BookSim 2 (its topology mesh, k=2, n=1).

    Without credits 0.4 gave 0.483 and 0.919 for depths of 1 and 2.
    """
    made = Simulation.of([(0, 1)], "mesh:2", **BOOKSIM | {"depth": depth})
    assert 0.96 <= made.use(booksim, 64) <= 1.01
    at_once = np.zeros(20, np.int64)
    ends = made.execute(messages_of(made.table, made.sent, at_once, at_once, 64)).delivered
    assert 64 * 19 / (ends[-1] - ends[0]) == pytest.approx(booksim, rel=0.015)


def test_links_of_several_latencies():
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


def test_one_flit_a_cycle_from_a_source_of_several_channels():
    """Single flits: 0.5 with one channel at the default pace, 0.995 of BookSim 2 with eight."""
    made = BOOKSIM | {"virtual_channels": 8}
    one = simulate([(0, 1)], "mesh:2", load=1.0, flits=1, cycles=2000, virtual_channels=8)
    assert one.throughput == pytest.approx(0.5, abs=0.01)
    many = simulate(
        [(0, 1), (0, 2)], "cube:2", load=1.0, flits=1, cycles=2000, end_channels=8,
        source="bernoulli", **made,
    )  # fmt: skip
    assert many.throughput == pytest.approx(0.995, abs=0.01)


# -- how much is delivered ----------------------------------------------------------------------


@pytest.mark.parametrize("router", [0, 2, 5])
@pytest.mark.parametrize("flits", [1, 4])
def test_a_sender_to_four_neighbours_is_limited_by_its_injection(router, flits):
    """A message keeps the injection channel busy for F + 1 + R cycles: the header waits in it.

    0.4 counted F + 1. For F = 4 and R = 2 it allowed a load of 0.80; 0.571 can be carried.
    """
    made = Simulation.of([(0, 1), (0, 2), (0, 4), (0, 8)], "cube:4", depth=8, router_latency=router)
    limit = flits / (flits + 1 + router)
    assert made.use(limit, flits) == pytest.approx(1)
    overload = made.run(1.0, flits, 8000)
    assert overload.throughput == pytest.approx(limit, rel=0.01)  # measured, flit by flit
    assert made.run(min(1.0, 1.03 * limit), flits, 8000).saturated


PACES = [(1, 0, 1), (1, 0, 3), (2, 0, 3), (3, 0, 4), (1, 2, 0), (1, 5, 3), (2, 2, 3), (8, 5, 3)]
MACHINES: list[dict[str, int]] = [
    *[BOOKSIM | {"tail_credit": t, "end_channels": k} for t, k in product((True, False), (1, 3))],
    *[{"depth": d, "router_latency": r, "link_latency": k} for d, r, k in PACES],
]


@pytest.mark.parametrize("machine", sampled(MACHINES, 2))
@pytest.mark.parametrize("flits", [1, 4, 9])
def test_no_more_is_delivered_than_the_use_of_channels_allows(machine, flits):
    """Measured under overload, flit by flit; one depth for each link cycle is no bottleneck.

    0.4 gave no part of the limit to shallow buffers: 0.5 for F = 4, D = 1, L = 3, where 0.235 is
    delivered.
    """
    depth, is_exact = machine["depth"], "credit_latency" in machine
    is_exact |= machine["router_latency"] == 0 and (depth == 1 or flits == 1)
    for pairs, network in (
        ([(0, 1)], "mesh:2"),
        ([(0, 3)], "mesh:4"),
        ([(1, 0), (2, 0)], "cube:2"),
    ):
        made = Simulation.of(pairs, network, **machine)
        use = made.use(made.run(1.0, flits, 4000).throughput, flits)
        assert use <= 1.01
        assert use >= 0.99 or not is_exact or len(pairs) == 2


def test_half_a_row_of_a_mesh_shares_its_middle_link():
    """Dimension order: the 4 senders of a half row send 32 of 63 messages across it, of 8 by 8."""
    pairs = [(x, y) for x in range(64) for y in range(64) if x != y]
    many = Simulation.of(pairs, Mesh((8, 8)), virtual_channels=8, depth=8)
    assert 1 / many.use(1, 5) == pytest.approx(63 / 128)
    assert many.run(0.51, 5, 600).saturated


SATURATION = {1: 0.127, 2: 0.257, 4: 0.391, 8: 0.438}
"""Flits per cycle and node that BookSim 2 delivers of 0.6 (docs/wormhole_quality.md)."""


@pytest.mark.slow
@pytest.mark.parametrize("channels", SATURATION)
def test_saturation_of_dimension_order_on_a_mesh_of_8_by_8(channels):
    """Uniform traffic, 5 flits, buffers of 8, against BookSim 2.

    Where channels limit, with the time from tail to next header that it has; where wires limit,
    with the latency of a message alone that it has.
    """
    pairs = [(x, y) for x in range(64) for y in range(64) if x != y]
    pace = {"depth": 8, "virtual_channels": channels, "link_latency": 1}
    slow = Simulation.of(pairs, Mesh((8, 8)), router_latency=4, **pace).run(0.6, 5, 3000)
    assert slow.saturated
    assert slow.throughput == pytest.approx(SATURATION[channels], rel=0.12)
    like = Simulation.of(pairs, Mesh((8, 8)), router_latency=2, **pace)
    assert like.run(0.02, 5, 3000).latency == pytest.approx(31.2, rel=0.1)
    if channels >= 4:
        assert like.run(0.6, 5, 2000).throughput == pytest.approx(SATURATION[channels], rel=0.08)


# -- virtual channels and deadlock --------------------------------------------------------------


def test_more_virtual_channels():
    """The same with the same number, free of deadlock with more; a blocked worm lets others past.

    With one channel a link and no dateline the ring closes.
    """
    ring, pairs = Torus((8,)), [(x, (x + 3) % 8) for x in range(8)]
    two, default = (
        simulate(pairs, ring, load=0.2, cycles=3000, virtual_channels=V) for V in (2, None)
    )
    assert np.array_equal(two.delivered, default.delivered)
    for V in (2, 4, 6):
        assert deadlock_free(ManyChannels(find_routing("dimension-order", ring), V), ring)
        assert simulate(pairs, ring, load=0.9, cycles=3000, virtual_channels=V).deadlock == ()
    unsafe = ManyChannels(find_routing("dimension-order-one-channel", ring), 3)
    assert not deadlock_free(unsafe, ring)
    one, four = (
        simulate(catalog.matrix_transpose(6), "cube:6", load=0.5, cycles=4000, virtual_channels=V)
        for V in (1, 4)
    )
    assert four.throughput > 1.02 * one.throughput


def test_a_ring_of_queued_messages_is_a_deadlock_and_named():
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


# -- service ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("service", "sequence"), [("arrival", [0, 2, 1]), ("turns", [0, 1, 2])])
def test_after_one_input_the_next_is_served_not_the_first_to_arrive(service, sequence):
    """Three inputs of the middle of mesh:3x3 by number; while 0 is served, 2 arrives, then 1."""
    fabric = Fabric(as_network("mesh:3x3"))
    sources = sorted((1, 3, 5), key=lambda node: fabric.channel(node, 4))
    rows = [(sources[0], 4, 0, 20), (sources[2], 4, 1, 20), (sources[1], 4, 3, 20)]
    sent = run_trace(rows, "mesh:3x3", service=service)
    ended = dict(zip(sent.source.tolist(), sent.delivered.tolist(), strict=True))
    assert [sources.index(node) for node in sorted(sources, key=ended.__getitem__)] == sequence


def either(fabric: Fabric, at: int, to: int, arrived: int) -> list[int]:
    """On a line of routers, channel 1 or 0 of the next link."""
    return [fabric.channel(at, at + 1, k) for k in (1, 0)]


@pytest.mark.parametrize(("rounds", "delivered"), [(1, [5, 5]), (2, [5, 4])])
def test_a_header_without_an_offer_waits_for_a_round(rounds, delivered):
    """In cycle 3 both channels of 1->2 are offered to the input 0->1, which takes one of them.

    The other one is offered to the injection of node 1 in the second round, or in cycle 4.
    """
    rows = [(0, 3, 0, 1), (1, 2, 1, 1)]
    how: Any = {"service": "turns", "service_rounds": rounds, "own_wires": True}
    sent = run_trace(rows, "mesh:4", UserRouting("either", either, 2), **how)
    assert sent.delivered.tolist() == delivered


def test_commands_state_the_service():
    words = ("simulate", "bit-reverse", "-N", "cube:3", "--cycles", 500, "--service", "turns")
    (record,) = json.loads(run(*words, "-f", "json").stdout)
    found = simulate(catalog.bit_reverse(3), "cube:3", cycles=500, service="turns")
    assert (record["service"], record["latency"]) == ("turns", pytest.approx(found.latency))
    assert "order of service" in run(*words).stdout
    assert "--tie changes nothing with --service turns" in refused(run(*words, "--tie", "oldest"))
    without = (*words[:-2], "--service-rounds", 2)
    assert "--service-rounds requires --service turns" in refused(run(*without))
