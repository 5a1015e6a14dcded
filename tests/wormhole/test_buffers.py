"""Deeper buffers, latencies, more virtual channels, wires of their own: against other routes."""

from __future__ import annotations

import numpy as np
import pytest

from lccmodel.communication import catalog
from lccmodel.errors import InputError
from lccmodel.network import Hypercube, Mesh, Torus
from lccmodel.routing import (
    Fabric,
    ManyChannels,
    RoutingError,
    RoutingTable,
    deadlock_free,
    find_routing,
    routing_table,
)
from lccmodel.wormhole.flit_engine import run_flits, watch_flits
from lccmodel.wormhole.message_engine import run_messages
from lccmodel.wormhole.plan import NEVER, Messages, Outcome, Pace, empty_outcome, wiring
from lccmodel.wormhole.simulation import Simulation, simulate
from lccmodel.wormhole.timing import Timing
from lccmodel.wormhole.traffic import messages_of
from tests.choosing import sampled
from tests.wormhole.running import chained, random_run


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


@pytest.mark.parametrize(
    ("depth", "router", "link"),
    sampled(
        [(1, 0, 1), (1, 0, 3), (2, 0, 3), (3, 0, 4), (1, 2, 0), (1, 5, 3), (2, 2, 3), (8, 5, 3)], 2
    ),
)
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


def test_shallow_buffers_slow_a_long_wire_down() -> None:
    """D flits in L + 1 cycles."""
    for depth, link in ((1, 1), (1, 4), (2, 5)):
        made = Simulation.of([(0, 1)], Hypercube(1), depth=depth, link_latency=link)
        ends = []
        for flits in (60, 120):
            one = messages_of(made.table, made.sent, np.zeros(1, np.int64), np.arange(1), flits)
            ends.append(int(made.execute(one).delivered[0]))
            assert ends[-1] <= made.timing.unblocked(flits, 1)
        assert (ends[1] - ends[0]) / 60 == (link + 1) / depth


def test_one_sender_with_latencies_is_a_queue() -> None:
    """M/D/1 whose service is F + 1 cycles and the latencies of a link and the router behind it."""
    F, depth, router, link, load = 20, 8, 2, 3, 0.4
    service = F + 1 + router + link
    use = load * service / F
    made = Simulation.of([(0, 1)], Hypercube(1), depth=depth, router_latency=router,
                         link_latency=link)  # fmt: skip
    assert made.use(load, F) == pytest.approx(use)
    truth = made.timing.unblocked(F, 1) + use * service / (2 * (1 - use))
    held = [made.run(load, F, 20_000, seed=seed) for seed in range(1, 31)]
    assert sum(r.interval.low <= truth <= r.interval.high for r in held) >= 26
    assert np.mean([r.latency for r in held]) == pytest.approx(truth, rel=0.03)


def torus_run(seed: int) -> tuple[RoutingTable, Messages, int, int]:
    """Messages with datelines, some waiting for others."""
    draw = np.random.default_rng(seed)
    network = (Torus((4, 4)), Torus((8,)), Torus((3, 5)), Torus((4, 2, 4)))[seed % 4]
    count = int(draw.integers(1, 120))
    x = draw.integers(0, network.size, count)
    y = (x + draw.integers(1, network.size, count)) % network.size
    many = ManyChannels(find_routing("dimension-order", network), 2 * int(draw.integers(1, 3)))
    pairs = list(zip(x.tolist(), y.tolist(), strict=True))
    table = routing_table(many, Fabric(network, many.virtual_channels), pairs)
    ready = np.sort(draw.integers(0, 200, count))
    waits_for, first, after = chained(draw, count)
    messages = Messages(
        x, y, table.start, draw.integers(1, 25, count), ready, waits_for, first, after,
        np.sort(draw.integers(0, 20, count)), np.flatnonzero(waits_for == 0),
    )  # fmt: skip
    return table, messages, int(draw.integers(4)), NEVER if draw.random() < 0.7 else 150


@pytest.mark.parametrize("seed", range(40))
def test_with_wires_of_their_own_both_engines_agree_on_tori(seed: int) -> None:
    table, messages, tie, last = torus_run(seed)
    wired = wiring(table, own_wires=True)
    fast, exact = (empty_outcome(len(messages.source), wired) for _ in range(2))
    run_messages(wired, messages, fast, last, tie, seed)
    run_flits(wired, messages, exact, last, tie, seed)
    for name in Outcome._fields:
        assert np.array_equal(getattr(fast, name), getattr(exact, name)), name


@pytest.mark.parametrize("seed", range(12))
def test_a_shared_wire_carries_one_flit_a_cycle(seed: int) -> None:
    """And every worm's flits in order, whatever depth, latency and number of channels."""
    table, messages, tie, _ = torus_run(seed)
    wired, V = wiring(table), table.fabric.virtual_channels
    draw = np.random.default_rng(seed)
    pace = Pace(int(draw.integers(1, 5)), int(draw.integers(0, 3)), int(draw.integers(0, 3)))
    outcome = empty_outcome(len(messages.source), wired)
    last = run_flits(wired, messages, outcome, tie=tie, seed=seed, pace=pace)
    assert (outcome.delivered < NEVER).all()
    flits = np.bincount(np.arange(len(messages.flits)), messages.flits)
    crossings = outcome.use[: table.fabric.channels].reshape(-1, V).sum(axis=1)
    assert (crossings * flits.min() <= last).all()
    again = empty_outcome(len(messages.source), wired)
    channels = np.arange(table.fabric.channels)
    holder, front = watch_flits(wired, messages, again, channels, last, tie, seed, pace)
    gone = np.diff(front, axis=0)
    same = (holder[1:] == holder[:-1]) & (holder[1:] >= 0)
    assert set(np.unique(gone[same])) <= {0, 1}  # the foremost flits leave one by one, in order


def test_more_virtual_channels() -> None:
    """As many as asked for: the same with the same number, free of deadlock with more."""
    ring = Torus((8,))
    pairs = [(x, (x + 3) % 8) for x in range(8)]
    two, one = (simulate(pairs, ring, load=0.2, cycles=3000, virtual_channels=V) for V in (2, None))
    assert np.array_equal(two.delivered, one.delivered)
    for V in (2, 4, 6):
        function = ManyChannels(find_routing("dimension-order", ring), V)
        assert deadlock_free(function, ring)
        assert simulate(pairs, ring, load=0.9, cycles=3000, virtual_channels=V).deadlock == ()
    unsafe = ManyChannels(find_routing("dimension-order-one-channel", ring), 3)
    assert not deadlock_free(unsafe, ring)
    transpose = catalog.matrix_transpose(6)
    rates = [
        simulate(transpose, "cube:6", load=0.5, cycles=4000, virtual_channels=V).throughput
        for V in (1, 4)
    ]
    assert rates[1] > 1.02 * rates[0]  # a blocked worm lets others past


@pytest.mark.slow
def test_uniform_traffic_on_a_mesh_of_8_by_8() -> None:
    """Dimension order: the 4 senders of a half row send 32 of 63 messages across its middle link.

    So 63 / 128 is the most. One channel a link stays far below it; eight of them, eight flits deep,
    come to four fifths.
    """
    pairs = [(x, y) for x in range(64) for y in range(64) if x != y]
    mesh = Mesh((8, 8))
    many = Simulation.of(pairs, mesh, virtual_channels=8, depth=8)
    assert 1 / many.use(1, 5) == pytest.approx(63 / 128)
    assert many.run(0.51, 5, 600).saturated
    light, heavy = (many.run(load, 5, 3000) for load in (0.35, 0.49))
    assert not light.saturated
    assert light.throughput == pytest.approx(0.35, abs=0.02)
    assert 0.4 < heavy.throughput < 63 / 128
    assert Simulation.of(pairs, mesh).run(0.3, 5, 3000).throughput < 0.2


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


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"depth": 0}, InputError, "depth: must be in 1..4096"),
        ({"router_latency": -1}, InputError, "router: must be in 0..4096"),
        ({"link_latency": 1.5}, InputError, "link: must be an integer"),
        ({"depth": 2, "engine": "message"}, InputError, "buffers are deeper"),
        ({"virtual_channels": 0}, InputError, "virtual_channels"),
        ({"virtual_channels": 3, "network": "torus:16"}, RoutingError, "a multiple of 2"),
    ],
)
def test_bad_input(given: dict[str, object], error: type[Exception], said: str) -> None:
    made = {"communication": [(0, 5)], "network": "cube:4", "cycles": 100, **given}
    with pytest.raises(error, match=said):
        simulate(**made)


def test_defaults_are_the_convention() -> None:
    """Depth 1 and no latency: as the message engine, by the flit engine too."""
    for seed in range(30):
        table, messages, tie, last = random_run(seed)
        wired = wiring(table)
        outcomes = [empty_outcome(len(messages.source), wired) for _ in range(2)]
        run_messages(wired, messages, outcomes[0], last, tie, seed)
        run_flits(wired, messages, outcomes[1], last, tie, seed, Pace(1, 0, 0))
        assert np.array_equal(outcomes[0].delivered, outcomes[1].delivered)
