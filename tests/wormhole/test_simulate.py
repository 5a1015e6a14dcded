"""Simulations at a load: arrivals, saturation, deadlock, and what is refused.

Measures are worked out again from the cycles of the messages in test_second_routes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lccmodel.communication import catalog
from lccmodel.communication.lcc import LCC
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import CommunicationError, InputError, NetworkError, NodeError
from lccmodel.network import Hypercube, Torus
from lccmodel.placement.mapping.solve import optimal_reordering
from lccmodel.placement.search import place
from lccmodel.routing import RoutingError
from lccmodel.wormhole.simulation import Simulation, simulate
from lccmodel.wormhole.statistics import grows, student
from lccmodel.wormhole.timing import Timing
from lccmodel.wormhole.traffic import arrivals, pattern
from tests.cli.calling import run

CUBE = Hypercube(4)


# -- arrivals ---------------------------------------------------------------------------------


def test_senders_generate_messages_and_not_pairs() -> None:
    """0.4 refused all to all among 512 ranks: it took 261,632 pairs for as many senders."""
    everyone = [(i, j) for i in range(64) for j in range(64) if i != j]
    made = Simulation.of(everyone, "torus:4x4x4")
    cycles = 500_000  # 64 senders: 1.6 million messages at most; 64 * 63 senders: 100 million
    assert made.sent.senders == 64
    result = made.run(0.01, 20, cycles)
    assert len(result.ready) == pytest.approx(64 * 0.01 / 20 * cycles, rel=0.05)
    with pytest.raises(InputError, match="must generate at most 33554432 messages") as refused:
        made.run(0.9, 1, 600_000)
    assert refused.value.value == round(64 * 0.9 * 600_000)


def test_gathers_and_scatters_run() -> None:
    for c in (LCC([[0, 1], [0, 0]]), LCC.scatter([[0, 1], [0, 0]])):
        result = simulate(c, Hypercube(2), load=0.1, cycles=5000)
        sent = set(zip(result.source.tolist(), result.destination.tolist(), strict=True))
        assert sent == {(x, y) for x, y in c.pairs().tolist() if x != y}


@pytest.mark.parametrize(("load", "cycles"), [(0.9, 60), (0.3, 3000), (1e-4, 400_000)])
def test_arrivals_are_sorted_by_cycle_and_then_by_sender(load: float, cycles: int) -> None:
    """With many messages in a cycle and with many cycles for a message; drawn again by hand.

    A time in (c - 1, c] belongs to cycle c; gaps are exponential with mean F / load.
    """
    sent = pattern(catalog.reverse_flip(4), CUBE)
    times, pairs = arrivals(sent, load, 20, cycles, 5)
    expected, mean = cycles * load / 20, 20 / load
    draws = np.random.default_rng([5, 1]).exponential(
        mean, (sent.senders, int(expected + 6 * expected**0.5) + 16)
    )
    drawn = [
        (int(np.ceil(time)), sender)
        for sender, row in enumerate(np.cumsum(draws, axis=1))
        for time in row
        if time <= cycles
    ]
    assert np.cumsum(draws, axis=1)[:, -1].min() > cycles  # so one draw was enough
    assert list(zip(times.tolist(), pairs.tolist(), strict=True)) == sorted(drawn)
    mapped = pattern(catalog.reverse_flip(4), CUBE, mapping=[3, 2, 1, 0])
    assert np.array_equal(arrivals(mapped, load, 20, cycles, 5)[0], times)


def test_a_sender_chooses_in_proportion_to_volume() -> None:
    """Node 0 sends 1 : 3 to nodes 1 and 2, node 3 all to node 0; volume 0 is not sent."""
    sent = pattern(Traffic([(0, 1), (3, 0), (0, 2), (1, 2)], [1, 5, 3, 0]), Hypercube(2))
    assert sent.pairs.tolist() == [[0, 1], [3, 0], [0, 2]]
    assert sent.volumes is not None
    assert sent.volumes.tolist() == [1, 5, 3]
    cycles, pairs = arrivals(sent, 0.5, 1, 8000, seed=4)
    plain, _ = arrivals(pattern([(0, 1), (3, 0)], Hypercube(2)), 0.5, 1, 8000, seed=4)
    assert np.array_equal(cycles, plain)  # volumes choose the pair, never the time
    one, other, two = np.bincount(pairs, minlength=3).tolist()
    assert abs(two / (one + two) - 0.75) < 4 * (0.75 * 0.25 / (one + two)) ** 0.5
    assert abs(other - (one + two)) < 4 * (2 * 4000) ** 0.5  # either sender: 4000 on average
    equal = Traffic([(0, 1), (1, 0), (2, 2)], [3, 3, 5])  # the one that differs does not move
    assert pattern(equal, Hypercube(2)).volumes is None


def test_a_placement_moves_the_messages_on_its_own_network_only() -> None:
    placed = place([(0, 3), (3, 0)], "cube:2", over="placements")
    sent = pattern([(0, 3), (3, 0)], Hypercube(2), placed)
    assert sent.pairs.tolist() == placed.node_of[[[0, 3], [3, 0]]].tolist()
    assert sent.streams.tolist() == [0, 3]  # arrivals are those before it
    with pytest.raises(NetworkError, match=r"mapping: must be for torus:4; got 'cube:2'"):
        pattern([(0, 3), (3, 0)], Torus((4,)), placed)
    with pytest.raises(NetworkError, match=r"must map the 3 address bits of cube:3; got '2 bits'"):
        pattern([(0, 3)], Hypercube(3), optimal_reordering(catalog.bit_reverse(2), Hypercube(2)))


# -- saturation and deadlock ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("freedom", "quantile"), [(5, 2.571), (9, 2.262), (19, 2.093), (30, 2.042), (120, 1.980)]
)
def test_student_against_printed_tables(freedom: int, quantile: float) -> None:
    assert student(freedom) == pytest.approx(quantile, abs=0.01 if freedom < 9 else 0.0015)


def test_a_backlog_grows_if_its_steps_have_a_drift() -> None:
    steps = np.random.default_rng(1).normal(10, 15, 20)
    assert grows(np.cumsum([0, *steps]).astype(np.int64))
    for steady in (
        np.cumsum([0, *(steps - 10)]).astype(np.int64), np.tile([40, 60], 10),
        np.arange(21)[::-1] * 10, np.zeros(21, dtype=np.int64),
    ):  # fmt: skip
        assert not grows(steady)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_saturation_is_told_from_queues_that_are_long(seed: int) -> None:
    """Bit reversal can sustain 20 / (21 * 8) = 0.119, its mapping 20/21 [hou, section 6.1]."""
    c, cube = catalog.bit_reverse(8), Hypercube(8)
    plain = Simulation.of(c, cube)
    mapped = Simulation.of(c, cube, mapping=optimal_reordering(c, cube))
    for load, cycles, is_saturated in (
        (0.1, 10_000, False), (0.115, 50_000, False), (0.125, 20_000, True), (0.13, 10_000, True),
    ):  # fmt: skip
        assert plain.run(load, cycles=cycles, seed=seed).saturated == is_saturated, load
    full = mapped.run(0.9, cycles=50_000, seed=seed)
    assert not full.saturated
    assert full.waiting > 5 * full.senders
    assert mapped.run(0.96, cycles=20_000, seed=seed).saturated


def test_deadlock_is_reported_with_its_channels() -> None:
    pairs, ring = [(x, (x + 3) % 8) for x in range(8)], Torus((8,))
    result = simulate(pairs, ring, "dimension-order-one-channel", load=0.9, cycles=2000)
    assert len(result.deadlock) >= 3  # a worm may hold several links of the ring
    assert set(result.deadlock) <= {f"{x}->{(x + 1) % 8}" for x in range(8)}
    assert result.throughput == 0
    assert "deadlocked" in repr(result)
    assert simulate(pairs, ring, load=0.9, cycles=2000).deadlock == ()


def test_runs_with_one_message_and_with_none() -> None:
    """Generated in the last cycle, it is delivered after twice the run: that is no saturation."""
    result = simulate([(0, 15)], CUBE, load=0.99, flits=2000, cycles=500, seed=3, warm_up=0)
    assert (result.generated, result.saturated) == (1, False)
    assert result.latency == Timing().unblocked(2000, 4)
    nothing = simulate([(0, 1)], CUBE, load=0.001, cycles=10, seed=2)
    assert (nothing.generated, nothing.saturated, nothing.settled) == (0, False, False)
    assert np.isnan(nothing.latency)


@pytest.mark.parametrize("network", ["fattree:3", "fattree:2"])
def test_one_router_has_no_links_to_wait_for(network: str) -> None:
    """Injection and ejection alone: the tail is delivered F cycles after the header entered."""
    result = simulate([(0, 1)], network, load=0.01, flits=7, cycles=3000)
    assert (result.delivered - result.injected).tolist() == [7] * len(result.ready)
    assert result.latencies.min() == 1 + 7
    assert len(result.channel_use) == 0


# -- what is stated and refused ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("network", "stated", "hardware"),
    [
        ("cube:3", {"own_wires": True}, {}),  # one channel a link has it anyway
        ("torus:4", {"own_wires": True}, None),
        ("cube:3", {"service": "turns"}, None),
        ("cube:3", {"service": "turns", "service_rounds": 2}, None),
        ("cube:3", {"burst": 2}, None),
        ("cube:3", {"flits": {4: 3, 64: 1}}, {"lengths": "4: 0.75, 64: 0.25"}),
    ],
)
def test_results_state_their_hardware(
    network: str, stated: dict[str, Any], hardware: dict[str, Any] | None
) -> None:
    """As it was stated (None), or in fewer words."""
    expected = stated if hardware is None else hardware
    assert simulate([(0, 2)], network, cycles=300, **stated).hardware == expected


def test_several_routings_fit_a_line_and_ties_are_noted() -> None:
    """Only identity placements and dimension order go round even rings by that rule."""
    words = ("matrix-transpose", "-N", "torus:8x8", "--load", 0.05, "--cycles", 300)
    shown = run("simulate", *words, "--routing", "valiant,dimension-order").stdout.splitlines()
    rows = [line.split()[0] for line in shown if line.split()[1:2] == ["0.05"]]
    assert rows == ["valiant", "dimension-order"]
    assert any(line.split() == ["communication", "matrix-transpose"] for line in shown)
    small: dict[str, Any] = {"network": "torus:4x4", "load": 0.1, "cycles": 200}
    assert ["half-way" in note for note in simulate("uniform", **small).notes] == [True]
    assert simulate("uniform", **small, routing="xy-yx").notes == ()
    assert simulate("uniform", **small, mapping=(1, 0, 3, 2)).notes == ()


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"load": 0}, InputError, r"load: must be in \(0, 1\]"),
        ({"load": "much"}, InputError, "load"),
        ({"load": float("nan")}, InputError, "load"),
        ({"load": 1.0, "cycles": 10**9}, InputError, "at most 33554432 messages"),
        ({"flits": 0}, InputError, "flits: must be at least 1"),
        ({"flits": 2.5}, InputError, "flits: must be an integer"),
        ({"flits": 10**20}, InputError, "flits: must be at most 16777216"),
        ({"flits": {}}, InputError, "flits: .*how often each occurs, above 0"),
        ({"flits": {4: 0, 8: 1}}, InputError, "how often each occurs, above 0"),
        ({"flits": {4: 1, 8: float("inf")}}, InputError, "how often each occurs, above 0"),
        ({"flits": {0: 1}}, InputError, "flits"),
        ({"flits": {4: "x"}}, InputError, "flits"),
        ({"cycles": 0}, InputError, "cycles"),
        ({"cycles": 10**10, "load": 1e-9}, InputError, "cycles: must be at most 1073741824"),
        ({"most_cycles": 0.5}, InputError, "most_cycles"),
        ({"seed": -1}, InputError, "seed"),
        ({"warm_up": 1000}, InputError, "warm_up"),
        ({"warm_up": "mser"}, InputError, "mser-5"),
        ({"burst": 0.5}, InputError, "burst"),
        ({"tie": "coin"}, InputError, "tie: must be one of"),
        ({"engine": "worm"}, InputError, "engine"),
        ({"rates": "bytes"}, InputError, "rates"),
        ({"routing": "mixab4"}, RoutingError, "did you mean 'mixab3'"),
        ({"network": Hypercube(3)}, NetworkError, "fewer than the 16 ranks"),
        ({"network": "qube:4"}, NetworkError, "network"),
        ({"mapping": [0, 1, 1, 2]}, InputError, "order"),
        ({"mapping": [0, 1]}, InputError, "Q"),
        ({"communication": catalog.identity(4)}, CommunicationError, "another node"),
        ({"communication": [(0, 16)]}, NodeError, "16"),
        ({"depth": 0}, InputError, "depth: must be in 1..4096"),
        ({"depth": 4096, "end_channels": 4096}, InputError, "must fit 8 GB"),
        ({"router_latency": -1}, InputError, "router: must be in 0..4096"),
        ({"link_latency": 1.5}, InputError, "link: must be an integer"),
        ({"credit_latency": -1}, InputError, "credit: must be in 0..4096"),
        ({"end_channels": 0}, InputError, "ends: must be in 1..4096"),
        ({"injection_latency": 0.5}, InputError, "injection: must be an integer"),
        ({"tail_credit": 2}, InputError, "must be True or False"),
        ({"virtual_channels": 0}, InputError, "virtual_channels"),
        ({"virtual_channels": 3, "network": "torus:16"}, RoutingError, "a multiple of 2"),
        ({"depth": 2, "engine": "message"}, InputError, "must be flit .* buffers are deeper"),
        ({"credit_latency": 1, "engine": "message"}, InputError, "credits have a latency"),
        ({"service": "turns", "engine": "message"}, InputError, "service is in turns"),
        ({"service": "fair"}, InputError, "service: must be .*turns"),
        ({"service": "turns", "service_rounds": 0}, InputError, "rounds: must be at least 1"),
        ({"service": "turns", "tie": "oldest"}, InputError, "tie: must be lowest-input with serv"),
        ({"service_rounds": 2}, InputError, 'service_rounds: must be 1 unless service="turns"'),
        ({"source": "on-off:0.1"}, InputError, "source: must be poisson, bernoulli or on-off:ALP"),
        ({"source": "on-off:0.1,2"}, InputError, "beta: must be above 0 and up to 1"),
        ({"source": "on-off:.1,.9", "load": 0.9, "flits": 1}, InputError, "1 message a cycle whil"),
        ({"source": "bernoulli", "burst": 3}, InputError, "burst: must be 1 unless the source is"),
    ],
)
def test_bad_input(change: dict[str, object], error: type[Exception], message: str) -> None:
    standard = {"communication": catalog.bit_reverse(4), "network": CUBE, "cycles": 1000}
    with pytest.raises(error, match=message):
        simulate(**standard | change)
