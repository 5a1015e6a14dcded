"""Every measure of a simulation is worked out again from the cycles of its messages.

Each measure follows its definition, and both engines have to agree on every message.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from statistics import mean, stdev
from typing import Any

import numpy as np
import pytest

from lccmodel import Traffic, catalog
from lccmodel.communication.program import Phase, Program
from lccmodel.network import as_network
from lccmodel.wormhole.curves import curve, sustained_throughput
from lccmodel.wormhole.plan import NEVER
from lccmodel.wormhole.simulation import Simulation, SimulationResult, simulate
from lccmodel.wormhole.statistics import BATCHES, grows, student
from lccmodel.wormhole.timed import TimedMessages, run_program, run_trace
from lccmodel.wormhole.timing import Timing
from lccmodel.wormhole.tracing import trace
from tests.choosing import sampled

SIMULATED = (
    "cube:3 | bit-reverse | load=0.3, flits=6",
    "cube:4 | bit-reverse | load=0.2, flits=5, tie='random'",
    "cube:4 | matrix-transpose | load=0.15, flits=9, seed=2, tie='oldest'",
    "cube:4 | perfect-shuffle | load=0.9, flits=4",
    "cube:4 | pairs | load=0.3, flits=3, routing='p-cube'",
    "cube:3 | volumes | load=0.4, flits=7, routing='fully-adaptive'",
    "cube:3 | everyone | load=0.6, flits=1",
    "cube:3 | gather | load=0.2, flits=2",
    "cube:3 | bit-reverse | load=0.3, flits=6, mapping=(2, 0, 1)",
    "origin:4 | bit-reverse | load=0.3, flits=6",
    "mesh:4x4 | pairs | load=0.2, flits=8, warm_up=100",
    "mesh:4x3 | volumes | load=0.3, flits=5, warm_up='mser-5'",
    "mesh:3x2*2 | pairs | load=0.3, flits=5",
    "torus:4x4 | pairs | load=0.3, flits=4",
    "torus:8 | pairs | load=0.2, flits=4, own_wires=True",
    "torus:5 | everyone | load=0.3, flits=3, virtual_channels=4",
    "torus:6 | shift | load=0.8, flits=6, routing='dimension-order-one-channel'",
    "mesh:4x2,bandwidth=2:1 | pairs | load=0.2, flits=4",
    "cube:3 | bit-reverse | load=0.3, flits=6, depth=3, router_latency=2",
    "cube:3 | bit-reverse | load=0.3, flits=6, link_latency=3, engine='flit'",
    "fattree:2^3 | pairs | load=0.3, flits=4",
    "dragonfly:1,2,1 | volumes | load=0.2, flits=4",
    "cube:3 | bit-reverse | load=0.4, flits={2: 3, 9: 1}",
    "cube:3 | volumes | load=0.3, flits=4, burst=2.5",
    "mesh:3x3 | pairs | load=0.2, flits={1: 1, 4: 2, 30: 1}, burst=3, warm_up=0",
    "cube:1 | pairs | load=0.5, flits=1, cycles=41, warm_up=1",
    "cube:2 | pairs | load=0.01, flits=20, cycles=60",
    "cube:3 | bit-reverse | load=0.1, flits=4, cycles=1000, most_cycles=16000",
    "mesh:7 | volumes | load=0.05, flits=16, cycles=4000, seed=5",
)
TIMED = (
    "cube:3 | 30 | flits=5",
    "cube:4 | 60 | flits=3, routing='p-cube', tie='random', seed=4",
    "mesh:4x3 | 40 | flits=9, tie='oldest'",
    "cube:3 | 40 | tie='random'",
    "mesh:3x2*2 | 30 | flits=2, depth=2",
    "torus:4x3 | 50 | flits=4, virtual_channels=4",
    "torus:6 | 25 | flits=6, own_wires=True",
    "torus:140 | 90 | virtual_channels=2",
    "torus:150x2 | 120 | virtual_channels=4, tie='oldest'",
    "origin:3 | 30 | flits=7, router_latency=1, link_latency=2",
    "mesh:4,bandwidth=2 | 20 | flits=3",
    "fattree:2x3/2 | 25 | flits=5",
    "torus:5 | 40 | flits=8, routing='dimension-order-one-channel'",
)
RUN = (
    "cube:3 | flits=4",
    "cube:3 | flits=4, barrier=True",
    "mesh:4x2 | flits=2, compute=30",
    "mesh:4x2 | flits=2, compute=30, barrier=True, depth=2",
    "torus:8 | flits=3, tie='random', seed=3",
    "origin:3 | flits=5, router_latency=1",
    "fattree:2^3 | flits=1",
    "mesh:5 | volume=1.5, compute=3, tie='oldest'",
)
TRACED = (
    "cube:3 | 12 | flits=3",
    "mesh:3x3 | 14 | flits=5, tie='oldest'",
    "torus:4x2 | 10 | flits=2, tie='random', seed=2",
    "torus:5 | 12 | flits=9, routing='dimension-order-one-channel'",
    "origin:3 | 9 | flits=1",
)
CURVES = (
    "cube:3 | bit-reverse | loads=(0.6, 0.1, 0.3, 0.1), flits=5, cycles=600, workers=2",
    "torus:5 | pairs | loads=(0.1, 0.2), flits=3, cycles=500, seed=2, label='five'",
    "mesh:3x2 | volumes | loads=(0.9,), flits=2, cycles=300, tie='oldest'",
)
SUSTAINED = (
    "cube:3 | bit-reverse | flits=4, cycles=800, seeds=(1, 2, 3), tolerance=0.05",
    "mesh:4 | pairs | flits=6, cycles=600, seeds=(4,), tolerance=0.1, mapping=(1, 0)",
    "torus:4x2 | shift | flits=2, cycles=700, seeds=(1, 5), tolerance=0.2, tie='random'",
)
"""Network, what is sent (a name, so many messages drawn, or points), and arguments."""


def _sent(name: str, nodes: int) -> Any:
    draw = np.random.default_rng(len(name) + nodes)
    ring = np.arange(nodes)
    match name:
        case "pairs":
            return np.stack([ring, (ring * 3 + 1) % nodes], axis=1)
        case "shift":
            return np.stack([ring, (ring + nodes // 2) % nodes], axis=1)
        case "volumes":
            ends = draw.integers(0, nodes, (2 * nodes, 2))
            return Traffic(ends, draw.integers(1, 9, len(ends)), nodes)
        case "everyone":
            return np.argwhere(~np.eye(nodes, dtype=bool))
        case "gather":
            return catalog.build("bit-reverse", nodes.bit_length() - 1).pairs() // 2
        case _:
            return catalog.build(name, nodes.bit_length() - 1)


def _rows(network: str, count: int) -> list[tuple[int, ...]]:
    """Messages with cycles and lengths; a source sends one in a cycle, so that none is tied."""
    size, found, seen = as_network(network).size, [], set()
    draw = np.random.default_rng(count)
    while len(found) < count:
        x, y, cycle, flits = draw.integers(0, [size, size, 50, 12]).tolist()
        if x != y and (x, cycle) not in seen:
            seen.add((x, cycle))
            found.append((x, y, cycle, flits + 1))
    return found


def _program(nodes: int) -> Program:
    draw = np.random.default_rng(nodes)
    phases = []
    for k in range(4):
        ends = draw.integers(0, nodes, (2 + 3 * k, 2))
        ends = ends[ends[:, 0] != ends[:, 1]]
        phases.append(Phase(Traffic(ends, draw.integers(1, 4, len(ends)), nodes), k + 1, f"p{k}"))
    return Program(phases)


# -- by definition --------------------------------------------------------------------------


def _interval(parts: Sequence[float]) -> tuple[float, float]:
    half = student(len(parts) - 1) * stdev(parts) / len(parts) ** 0.5
    return mean(parts) - half, mean(parts) + half


def _close(one: Any, other: Any) -> bool:
    return bool(np.allclose(one, other, rtol=1e-9, atol=1e-12, equal_nan=True))


def _columns(sent: Any, *names: str) -> list[tuple[int, ...]]:
    return list(zip(*(getattr(sent, name).tolist() for name in names), strict=True))


def checked(found: SimulationResult, simulation: Simulation) -> None:
    """Every measure from the cycles of the messages."""
    W, end, F = found.warm_up, found.cycles, found.flits
    window, senders = end - W, found.senders
    rows = _columns(found, "ready", "injected", "delivered", "source", "destination")
    pairs = {(x, y) for x, y in simulation.sent.pairs.tolist()}
    assert senders == len({int(s) for s in simulation.sent.streams})
    alone, network = simulation.timing, found.network
    one_length = isinstance(found.flits, int)
    for ready, injected, delivered, x, y in rows:
        assert (x, y) in pairs
        assert 0 < ready <= end
        assert delivered == NEVER or ready < injected < delivered
        if one_length and "adaptive" not in found.routing and delivered < NEVER:
            assert delivered - ready >= alone.unblocked(1, network.distance(x, y)) + F - 1
    timed = [row for row in rows if W < row[0]]
    latencies = [d - r for r, _, d, *_ in timed if d < NEVER]
    assert found.generated == len(timed)
    assert sorted(found.latencies.tolist()) == sorted(latencies)
    marks = [W + k * window // 80 for k in range(81)]
    waiting = [sum(r <= at for r, *_ in rows) - sum(i <= at for _, i, *_ in rows) for at in marks]
    assert _close(found.waiting, mean(waiting))
    use = simulation.use(found.load, F)
    over = use > 1 or grows(np.array(waiting[::4])) or any(d == NEVER for _, _, d, *_ in timed)
    assert found.saturated == over
    assert found.latency == np.inf if over else _close(found.latency, mean(latencies or [np.nan]))
    if not over and len(latencies) > 1:
        assert found.interval.low <= found.latency <= found.interval.high
        for percent in (10, 50, 99):
            value, (low, high) = found.percentile(percent)
            assert value == min(
                v for v in latencies
                if sum(each <= v for each in latencies) * 100 >= percent * len(latencies)
            )  # fmt: skip
            assert low <= value <= high
    if not one_length:
        return
    assert _close(found.offered, F * len(timed) / window / senders)
    edges = [W + k * window // BATCHES for k in range(BATCHES + 1)]
    for which, value, interval in (
        (1, found.accepted, found.accepted_interval),
        (2, found.throughput, found.throughput_interval),
    ):
        rates = [
            F * sum(a < row[which] <= b for row in rows) / max(b - a, 1) / senders
            for a, b in pairwise(edges)
        ]
        assert _close(value, mean(rates))
        assert _close(tuple(interval), _interval(rates))
    if all(d < NEVER for _, _, d, *_ in rows) and "adaptive" not in found.routing:
        hops = sum(network.distance(x, y) for *_, x, y in rows)
        assert _close(found.channel_use.sum(), hops * F / end)
        assert found.channel_loads.total == hops


# -- kinds of runs ------------------------------------------------------------------------------

MACHINE = ("routing", "mapping", "tie", "engine", "depth", "router_latency", "link_latency",
           "virtual_channels", "own_wires")  # fmt: skip


def _simulated(word: str, name: str, arguments: dict[str, Any]) -> None:
    sent = _sent(name, as_network(word).size)
    arguments = {"cycles": 700, **arguments}
    machine = {key: value for key, value in arguments.items() if key in MACHINE}
    simulation = Simulation.of(sent, word, **machine)
    checked(simulate(sent, word, **arguments), simulation)
    run = {key: value for key, value in arguments.items() if key not in MACHINE}
    by_flits = replace(simulation, engine="flit")
    ends = [
        _columns(s.run(**run), "ready", "injected", "delivered") for s in (simulation, by_flits)
    ]
    assert ends[0] == ends[1]


def _checked_timed(sent: TimedMessages, arguments: dict[str, Any]) -> None:
    keys = ("router_latency", "link_latency")
    alone = Timing("oldest", arguments.get("depth", 1), *(arguments.get(k, 0) for k in keys))
    rows = _columns(sent, "source", "destination", "flits", "ready", "injected", "delivered")
    for x, y, F, ready, injected, delivered in rows:
        assert delivered == NEVER or ready < injected < delivered
        if delivered < NEVER and sent.network.size <= 16:
            assert delivered - ready >= alone.unblocked(1, sent.network.distance(x, y)) + F - 1
    arrived = [(F, end) for _, _, F, _, _, end in rows if end < NEVER]
    assert sent.cycles == max(end for _, end in arrived)
    assert _close(sent.throughput, sum(F for F, _ in arrived) / sent.cycles)
    assert bool(sent.deadlock) == (len(arrived) < len(rows))


def _timed(word: str, count: str, arguments: dict[str, Any]) -> None:
    rows = _rows(word, int(count))
    sent, exact = (run_trace(rows, word, engine=e, **arguments) for e in ("auto", "flit"))
    _checked_timed(sent, arguments)
    assert _columns(sent, "source", "destination", "ready", "flits") == rows
    assert np.array_equal(exact.delivered, sent.delivered)


def _run(word: str, arguments: dict[str, Any]) -> None:
    program = _program(as_network(word).size)
    sent, exact = (run_program(program, word, engine=e, **arguments) for e in ("auto", "flit"))
    _checked_timed(sent, arguments)
    assert np.array_equal(exact.delivered, sent.delivered)


def _traced(word: str, count: str, arguments: dict[str, Any]) -> None:
    rows = [row[:3] for row in _rows(word, int(count))]
    found = trace(rows, word, **arguments)
    fast = run_trace(rows, word, **arguments)
    arrived = [NEVER if worm.delivered is None else worm.delivered for worm in found.worms]
    assert fast.delivered.tolist() == arrived
    for m, worm in enumerate(found.worms):
        at = [found.channels.index(channel) for channel in worm.path]
        first = [int(np.argmax((found.holder[:, c] == m) & (found.flit[:, c] == 0))) for c in at]
        assert [1 + cycle for cycle in first] == list(worm.entered)
        if worm.entered:
            waits = sum(b - a - 1 for a, b in pairwise(worm.entered))
            assert (len(worm.blocked), worm.queued) == (waits, worm.entered[0] - worm.ready - 1)
        flits = found.flit[found.holder == m]
        assert set(flits.tolist()) <= set(range(worm.flits))


def _curve(word: str, name: str, arguments: dict[str, Any]) -> None:
    sent = _sent(name, as_network(word).size)
    found = curve(sent, word, **arguments)
    of = {k: value for k, value in arguments.items() if k in ("flits", "cycles", "seed", "tie")}
    same = ("load", "throughput", "throughput_interval", "latency", "interval", "waiting",
            "saturated", "settled")  # fmt: skip
    for point in found.points:
        one = simulate(sent, word, load=point.load, **of)
        for key in same:
            assert repr(getattr(point, key)) == repr(getattr(one, key)), key
        assert point.deadlocked == bool(one.deadlock)
    sustained = [point for point in found.points if not point.saturated]
    asked = sorted(set(arguments["loads"]))
    assert [point.load for point in found.points] == asked[: len(sustained) + 1]
    assert found.highest == max((point.throughput for point in sustained), default=0)
    assert (found.overload is None) == (len(sustained) == len(found.points))


def _sustained(word: str, name: str, arguments: dict[str, Any]) -> None:
    sent = _sent(name, as_network(word).size)
    found = sustained_throughput(sent, word, workers=1, **arguments)
    again = sustained_throughput(sent, word, workers=3, **arguments)
    assert repr(found) == repr(again)
    cycles = arguments["cycles"]
    of = {key: value for key, value in arguments.items() if key in ("flits", "tie", "mapping")}
    lowest = []
    for seed, (low, high) in zip(arguments["seeds"], found.brackets, strict=True):
        assert 0 < high - low <= arguments["tolerance"]
        of |= {"seed": seed, "cycles": cycles, "warm_up": cycles // 2}
        ends = [simulate(sent, word, load=load, **of) for load in (low, high) if 0 < load < 1]
        assert [one.saturated for one in ends][: 1 + (high < 1)] in ([False, True], [False], [True])
        lowest.append(ends[0].throughput if low else 0.0)
    assert _close(found.throughput, mean(lowest))


KINDS = {
    "simulate": (SIMULATED, _simulated),
    "run_trace": (TIMED, _timed),
    "run_program": (RUN, _run),
    "trace": (TRACED, _traced),
    "curve": (CURVES, _curve),
    "sustained_throughput": (SUSTAINED, _sustained),
}
CASES = [f"{kind} | {case}" for kind, (cases, _) in KINDS.items() for case in cases]


@pytest.mark.parametrize("case", sampled(CASES, 3))
def test_answers_agree_with_their_second_route(case):
    """One call, and its answer by definition and by the other engine."""
    kind, *words, arguments = case.split(" | ")
    partial(KINDS[kind][1], *words)(eval(f"dict({arguments})"))


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
def test_small_traces_are_the_printed_ones(word, rows, machine, injected, delivered, engine):
    """By either engine."""
    run = run_trace(rows, word, engine=engine, **machine)
    assert (run.injected.tolist(), run.delivered.tolist()) == (injected, delivered)
