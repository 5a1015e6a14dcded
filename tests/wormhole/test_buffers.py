"""Deeper buffers, latencies and more virtual channels: against closed forms and BookSim 2."""

from __future__ import annotations

import numpy as np
import pytest

from lccmodel.communication import catalog
from lccmodel.network import Hypercube, Mesh, Torus
from lccmodel.routing import Fabric, ManyChannels, deadlock_free, find_routing
from lccmodel.wormhole.simulation import Simulation, simulate
from lccmodel.wormhole.timing import Timing
from lccmodel.wormhole.traffic import messages_of
from tests.choosing import sampled


@pytest.mark.parametrize("router", [0, 2, 5])
@pytest.mark.parametrize("flits", [1, 4])
def test_a_sender_to_four_neighbours_is_limited_by_its_injection(router: int, flits: int) -> None:
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


@pytest.mark.parametrize(("depth", "router", "link"), sampled(PACES, 2))
@pytest.mark.parametrize("flits", [1, 4, 9])
def test_no_more_is_delivered_than_the_use_of_channels_allows(
    depth: int, router: int, link: int, flits: int
) -> None:
    """Measured under overload, flit by flit; one depth for each link cycle is no bottleneck.

    0.4 gave no part of the limit to shallow buffers: 0.5 for F = 4, D = 1, L = 3, where 0.235 is
    delivered.
    """
    for pairs, network in (([(0, 1)], "mesh:2"), ([(0, 3)], "mesh:4")):
        made = Simulation.of(pairs, network, depth=depth, router_latency=router, link_latency=link)
        delivered = made.run(1.0, flits, 4000).throughput
        assert made.use(delivered, flits) <= 1.01
        if router == 0 and (depth == 1 or flits == 1):
            assert made.use(delivered, flits) >= 0.99


@pytest.mark.parametrize(("depth", "router", "link"), [(1, 0, 0), (1, 3, 0), (4, 1, 3), (9, 2, 5)])
@pytest.mark.parametrize("flits", [1, 2, 20])
def test_an_unblocked_message(depth: int, router: int, link: int, flits: int) -> None:
    """H + 2 + F - 1, and a latency for H + 1 routers and H links."""
    for links in (1, 3, 5):
        made = Simulation.of(
            [(0, (1 << links) - 1)], Hypercube(5), depth=depth, router_latency=router,
            link_latency=link,
        )  # fmt: skip
        alone = messages_of(made.table, made.sent, np.zeros(1, np.int64), np.arange(1), flits)
        expected = links + 2 + flits - 1 + router * (links + 1) + link * links
        assert made.execute(alone).delivered.tolist() == [expected]
        assert Timing("oldest", depth, router, link).unblocked(flits, links) == expected


def test_more_virtual_channels() -> None:
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


def test_half_a_row_of_a_mesh_shares_its_middle_link() -> None:
    """Dimension order: the 4 senders of a half row send 32 of 63 messages across it, of 8 by 8."""
    pairs = [(x, y) for x in range(64) for y in range(64) if x != y]
    many = Simulation.of(pairs, Mesh((8, 8)), virtual_channels=8, depth=8)
    assert 1 / many.use(1, 5) == pytest.approx(63 / 128)
    assert many.run(0.51, 5, 600).saturated


BOOKSIM = {1: 0.127, 2: 0.257, 4: 0.391, 8: 0.438}
"""Flits per cycle and node that BookSim 2 delivers of 0.6 (docs/wormhole_quality.md)."""


@pytest.mark.slow
@pytest.mark.parametrize("channels", BOOKSIM)
def test_saturation_of_dimension_order_on_a_mesh_of_8_by_8(channels: int) -> None:
    """Uniform traffic, 5 flits, buffers of 8, against BookSim 2.

    Where channels limit, with the time from tail to next header that it has; where wires limit,
    with the latency of a message alone that it has.
    """
    pairs = [(x, y) for x in range(64) for y in range(64) if x != y]
    pace = {"depth": 8, "virtual_channels": channels, "link_latency": 1}
    slow = Simulation.of(pairs, Mesh((8, 8)), router_latency=4, **pace).run(0.6, 5, 3000)
    assert slow.saturated
    assert slow.throughput == pytest.approx(BOOKSIM[channels], rel=0.12)
    like = Simulation.of(pairs, Mesh((8, 8)), router_latency=2, **pace)
    assert like.run(0.02, 5, 3000).latency == pytest.approx(31.2, rel=0.1)
    if channels >= 4:
        assert like.run(0.6, 5, 2000).throughput == pytest.approx(BOOKSIM[channels], rel=0.08)


def test_classes_of_channels_stay_apart() -> None:
    """Channel v of V belongs to class v // (V / b), of those offered and of the one arrived on."""
    torus = Torus((4, 4))
    base = find_routing("dimension-order", torus)
    many, few, wide = ManyChannels(base, 6), Fabric(torus, 2), Fabric(torus, 6)
    for at in range(16):
        for to in set(range(16)) - {at}:
            (only,) = base.outputs(few, at, to, -1)
            offered = many.outputs(wide, at, to, -1)
            assert [wide.ends(c)[:2] for c in offered] == [few.ends(only)[:2]] * 3
            assert {wide.ends(c)[2] // 3 for c in offered} == {few.ends(only)[2]}
