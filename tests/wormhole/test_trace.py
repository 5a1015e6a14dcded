"""Traces against the engine that moves every flit, and by hand."""

from __future__ import annotations

import numpy as np
import pytest

from lccmodel.communication.catalog import build
from lccmodel.errors import CommunicationError, InputError, NodeError
from lccmodel.network import BristledHypercube, Hypercube, Mesh, Torus
from lccmodel.routing import Fabric, RoutingError, routing_table, routings
from lccmodel.wormhole import flit_engine
from lccmodel.wormhole.plan import NEVER, empty_outcome, wiring
from lccmodel.wormhole.timing import TIE_RULES
from lccmodel.wormhole.tracing import trace
from lccmodel.wormhole.traffic import Pattern, messages_of


def test_an_unblocked_worm_is_the_picture_of_the_convention():
    """F = 3 flits over one link: the chart in `timing`."""
    found = trace([(0, 1)], Hypercube(2), flits=3)
    assert found.names == ("in 0", "0->1", "out 1")
    assert found.flit.T.tolist() == [[0, 1, 2, -1, -1], [-1, 0, 1, 2, -1], [-1, -1, 0, 1, 2]]
    assert found.worms[0].blocked == ()


def test_a_blocked_worm_waits_until_the_channel_has_been_empty():
    found = trace([(1, 3), (0, 3)], Hypercube(2), flits=3)
    first, second = found.worms
    assert first.delivered == 1 + 2 + 3 - 1
    assert second.path[1:3] == (Fabric(Hypercube(2)).channel(0, 1), first.path[1])
    # the tail of the first leaves 1->3 in cycle 5, so that it is granted in cycle 6
    assert second.entered == (1, 2, 6, 7)
    assert second.blocked == (3, 4, 5)
    held = found.holder[2:5, found.channels.index(second.path[1])]
    assert held.tolist() == [1, 1, 1]


def buffers_after(table, messages, cycle, tie):
    """What the flit engine has in its buffers at the end of a cycle."""
    kept = []
    original = flit_engine._run

    def watching(wired, own, outcome, buffers, *rest):
        kept.append(buffers)
        return original(wired, own, outcome, buffers, *rest)

    flit_engine._run = watching
    try:
        wired = wiring(table)
        outcome = empty_outcome(len(messages.source), wired)
        flit_engine.run_flits(wired, messages, outcome, cycle, tie, 0)
    finally:
        flit_engine._run = original
    return kept[0].message, kept[0].flit


@pytest.mark.parametrize("seed", range(12))
def test_every_buffer_in_every_cycle_is_as_in_the_flit_engine(seed):
    draw = np.random.default_rng(seed)
    networks = (Hypercube(3), BristledHypercube(3), Mesh((4, 4)))
    network = networks[seed % 3]
    count, flits = int(draw.integers(2, 12)), int(draw.integers(1, 9))
    source = draw.integers(0, network.size, count)
    target = source ^ draw.integers(1, network.size, count)
    ready = np.sort(draw.integers(0, 15, count))
    routing = routings(network)[seed % 2]
    tie = TIE_RULES[seed % 4]
    rows = np.stack([source, target, ready], axis=1).tolist()
    found = trace(rows, network, routing, flits, tie=tie)
    table = routing_table(routing, Fabric(network), [tuple(row[:2]) for row in rows])
    sent = Pattern(np.array(rows)[:, :2], np.arange(count), "")
    messages = messages_of(table, sent, ready, np.arange(count), flits)
    for cycle in range(1, found.cycles + 1):
        message, flit = buffers_after(table, messages, cycle, TIE_RULES.index(tie))
        inside = np.flatnonzero(message >= 0)
        assert set(inside.tolist()) <= set(found.channels)
        assert message[list(found.channels)].tolist() == found.holder[cycle - 1].tolist()
        full = found.holder[cycle - 1] >= 0
        channels = np.array(found.channels)[full]
        assert flit[channels].tolist() == found.flit[cycle - 1][full].tolist()
    assert found.stuck == ()


def test_a_communication_and_its_mapping():
    c, cube = build("bit-reverse", 4), Hypercube(4)
    plain, mapped = (trace(c, cube, flits=3, mapping=order) for order in (None, (0, 3, 1, 2)))
    assert len(plain.worms) == len(mapped.worms) == 12
    assert any(worm.blocked for worm in plain.worms)
    assert not any(worm.blocked for worm in mapped.worms)
    assert plain.cycles == max(worm.delivered for worm in plain.worms)


def test_messages_wait_in_order_at_their_source():
    found = trace([(0, 1, 4), (0, 1), (2, 3, 7), (0, 0)], Hypercube(2), flits=2)
    late, early, _ = found.worms
    assert (early.entered[0], late.entered[0]) == (1, 5)
    same = trace([(0, 1), (0, 3)], Hypercube(2), flits=2)
    assert [worm.queued for worm in same.worms] == [0, 3]


def test_a_deadlock_is_traced_to_its_end():
    ring = [(0, 2), (1, 3), (2, 0), (3, 1)]
    found = trace(ring, Torus((4,)), "dimension-order-one-channel", flits=4)
    assert found.stuck == (0, 1, 2, 3)
    assert found.cycles < 12
    assert (found.holder[-1] == found.holder[-2]).all()
    assert all(worm.delivered is None for worm in found.worms)
    assert NEVER not in found.holder


def test_bad_input():
    cube = Hypercube(3)
    with pytest.raises(CommunicationError, match="leaves its node"):
        trace([(1, 1)], cube)
    with pytest.raises(CommunicationError, match="rows"):
        trace([(1, 2, 3, 4)], cube)
    with pytest.raises(CommunicationError, match="integers"):
        trace([("a", 2)], cube)
    with pytest.raises(NodeError):
        trace([(1, 8)], cube)
    with pytest.raises(InputError, match="flits"):
        trace([(1, 2)], cube, flits=0)
    with pytest.raises(InputError, match="cycle"):
        trace([(1, 2, -1)], cube)
    with pytest.raises(RoutingError, match="virtual channel"):
        trace([(1, 2)], Torus((4, 4)), "dimension-order")
    with pytest.raises(InputError, match="4096 cycles"):
        trace([(1, 2)], cube, flits=5000)


@pytest.mark.parametrize("turned", [False, True])
def test_oldest_goes_by_the_lower_node_whatever_the_order_of_the_list(turned: bool) -> None:
    """Timing: "the message generated first, then the one from the lower node".

    1 -> 3 by dimension 1 and 2 -> 3 by dimension 0 meet at the port of node 3 in one cycle.
    """
    pairs = [(1, 3), (2, 3)]
    worms = trace(pairs[::-1] if turned else pairs, Hypercube(2), flits=3, tie="oldest").worms
    first = min(worms, key=lambda worm: worm.delivered or 0)
    assert first.source == 1
    late = [(1, 3, 1), (2, 3, 0)]
    worms = trace(late[::-1] if turned else late, Hypercube(2), flits=3, tie="oldest").worms
    assert min(worms, key=lambda worm: worm.delivered or 0).source == 2
    by_input = trace(pairs[::-1], Hypercube(2), flits=3).worms
    assert min(by_input, key=lambda worm: worm.delivered or 0).source == 2
