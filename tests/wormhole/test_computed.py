"""Routes computed hop by hop, and destinations that are drawn: what a table and a list would say.

The engine of lists (`running.Plain`) asks the routing function in Python for every hop; the engines
ask the compiled function. Where a table fits, everything must be as with it.
"""

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import lccmodel as lcc
from lccmodel.communication import patterns
from lccmodel.communication.patterns import Spread, pattern_traffic
from lccmodel.errors import CommunicationError, SizeLimitError
from lccmodel.problem import Problem
from lccmodel.routing import table
from lccmodel.routing.computed import ComputedRoutes, is_computed
from lccmodel.wormhole import simulate
from lccmodel.wormhole.plan import Pace
from lccmodel.wormhole.simulation import Simulation
from lccmodel.wormhole.traffic import messages_of
from tests.wormhole.running import check_engines

CASES: list[tuple[str, str, str, int]] = [
    ("torus:4x4", "uniform", "dimension-order", 2),
    ("torus:6x4,ties=split", "uniform", "dimension-order", 4),
    ("torus:4", "uniform", "dimension-order-one-channel", 1),
    ("torus:5x3", "hotspot:4,1/3", "dimension-order", 2),
    ("torus:4x4,wrap=0", "uniform", "dimension-order", 2),
    ("mesh:4x3*2", "uniform", "dimension-order", 1),
    ("mesh:2x1x5", "uniform", "dimension-order", 3),
    ("cube:4", "bit-reverse", "e-cube", 1),
    ("origin:4", "uniform", "e-cube", 2),
    ("torus:4x4,nodes=1-9", "randperm:3", "dimension-order", 2),
]


def computed(case: tuple[str, str, str, int], **made: Any) -> tuple[Simulation, Simulation]:
    """The simulation with a table, and with computed routes."""
    word, traffic, routing, channels = case
    one = Simulation.of(traffic, word, routing, virtual_channels=channels, **made)
    assert is_computed(one.table.routing, one.table.fabric)
    return one, replace(one, table=ComputedRoutes(one.table.fabric, one.table.routing))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_engines_agree_with_lists_cycle_by_cycle(case):
    for seed in range(4):
        _, simulation = computed(case)
        sent, routes = simulation.sent, simulation.table
        assert isinstance(routes, ComputedRoutes)
        draw = np.random.default_rng(seed)
        count = int(draw.integers(5, 40))
        ready = np.sort(draw.integers(0, 30, count))
        which = draw.integers(0, len(sent.pairs), count)
        messages = messages_of(routes, sent, ready, which, draw.integers(1, 7, count), seed)
        tie, own_wires = int(draw.integers(3)), bool(draw.integers(2))
        pace = Pace() if seed % 2 else Pace(*draw.integers((1, 0, 0), 5).tolist())
        check_engines(routes, messages, pace, tie, seed, own_wires, np.zeros(0, np.int64), 300)


@pytest.mark.parametrize("engine", ["message", "flit"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_table_says_the_same(case, engine):
    """Cycles, channels and rings of waiting messages; and the share of time that `use` states."""
    one, other = computed(case, engine=engine)
    for load in (0.1, 0.7):
        first, second = (s.run(load, flits=4, cycles=400) for s in (one, other))
        for name in ("delivered", "injected", "channel_use", "deadlock"):
            assert np.array_equal(getattr(first, name), getattr(second, name)), name
    assert bool(first.deadlock) == ("one-channel" in case[2])  # the last load
    assert one.use(0.1, 4) == pytest.approx(other.use(0.1, 4), rel=1e-12)


@pytest.mark.parametrize(
    ("traffic", "word", "made"),
    [
        ("uniform", "torus:4x4", {}),
        ("uniform", "torus:6x4,ties=split", {"virtual_channels": 4}),
        ("uniform", "cube:5", {"mapping": [4, 2, 0, 1, 3]}),
        ("uniform", "mesh:5x3,bandwidth=2:1", {}),
        ("hotspot:0,0.3", "torus:6x4,ties=split", {}),
        ("hotspot:5", "mesh:4x3*2", {}),
        ("hotspot:7,1/8", "cube:5", {"rates": "volume"}),
        ("hotspot:3,1", "torus:5x3", {"rates": "volume"}),
    ],
)
def test_destinations_drawn_are_those_of_the_list(traffic, word, made, monkeypatch):
    """Message for message with the seed of the list, and the loads of the channels to rounding."""
    listed = Simulation.of(traffic, word, **made)
    monkeypatch.setattr(patterns, "MAX_NODES", 2)
    drawn = Simulation.of(traffic, word, **made)
    assert drawn.sent.spread is not None
    assert listed.sent.spread is None
    first, second = (s.run(0.2, flits=4, cycles=1500) for s in (drawn, listed))
    for name in ("source", "destination", "ready", "injected", "delivered"):
        assert np.array_equal(getattr(first, name), getattr(second, name)), name
    assert first.senders == second.senders
    for mine, theirs in zip(drawn._shares, listed._shares, strict=True):
        size = max(len(mine), len(theirs))
        padded = [np.pad(part, (0, size - len(part))) for part in (mine, theirs)]
        assert np.allclose(*padded, rtol=1e-10, atol=1e-12)


@pytest.mark.slow
def test_a_large_torus_delivers_what_is_offered():
    """torus:32x16x16 with 8,192 nodes is listed, twice as many are not; latency without load."""
    result = simulate("uniform", "torus:32x32x16", load=0.01, flits=4, cycles=400, warm_up=100)
    mean = (32 / 4 + 32 / 4 + 16 / 4) * 16384 / 16383
    assert not result.saturated
    assert result.latency == pytest.approx(mean + 4 + 1, rel=0.05)


def test_a_table_that_does_not_fit_is_computed(monkeypatch):
    expected = simulate("bit-reverse", "torus:4x4", load=0.3, cycles=500)
    monkeypatch.setattr(table, "MAX_STATES", 10)
    assert isinstance(Simulation.of("bit-reverse", "torus:4x4").table, ComputedRoutes)
    found = simulate("bit-reverse", "torus:4x4", load=0.3, cycles=500)
    assert np.array_equal(found.delivered, expected.delivered)
    with pytest.raises(SizeLimitError, match="at most 10 states"):
        Simulation.of("bit-reverse", "fattree:4x4")


def test_large_uniform_traffic_is_a_value():
    spread = pattern_traffic("hotspot:3,1/4", (128, 128))
    assert isinstance(spread, Spread)
    assert (
        pickle.loads(pickle.dumps(spread)) == spread == pattern_traffic("hotspot:3,1/4", (16384,))
    )
    assert spread != pattern_traffic("hotspot:3,1/5", (128, 128))
    assert len(pattern_traffic("hotspot:3", (128, 128))) == 16383
    assert not isinstance(pattern_traffic("uniform", (16, 16)), Spread)
    with pytest.raises(SizeLimitError, match="simulate draws destinations"):
        _ = spread.messages


@pytest.mark.parametrize("ask", [lcc.contention, lcc.place], ids=["contention", "place"])
def test_what_counts_pairs_refuses_more_than_can_be_listed(ask):
    with pytest.raises(SizeLimitError, match="at most 8192"):
        ask(Problem.read("uniform", "torus:128x128"))


def test_other_routing_functions_list_their_pairs():
    with pytest.raises(SizeLimitError, match="must be e-cube or dimension-order"):
        Simulation.of("uniform", "torus:128x128", "valiant")
    with pytest.raises(CommunicationError, match="a rank for each node"):
        Simulation.of(pattern_traffic("uniform", (128, 128)), "torus:128x128*2", "dimension-order")
