"""Simulations at a load: traffic, intervals, saturation, deadlock, and limits known beforehand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lccmodel.communication import catalog
from lccmodel.communication.lcc import LCC
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import CommunicationError, InputError, NetworkError, NodeError
from lccmodel.network import BristledHypercube, Hypercube, Mesh, Torus
from lccmodel.placement.mapping.solve import optimal_reordering
from lccmodel.placement.search import place
from lccmodel.routing import RoutingError
from lccmodel.wormhole.plan import NEVER
from lccmodel.wormhole.simulation import Simulation, simulate
from lccmodel.wormhole.statistics import backlog, batch_mean, counts_until, grows, student
from lccmodel.wormhole.timing import TIE_RULES, Timing
from lccmodel.wormhole.tracing import trace
from lccmodel.wormhole.traffic import _by_cycle, _choose_by_volume, arrivals, pattern
from tests.cli.calling import run

CUBE = Hypercube(4)


def test_a_seed_gives_the_same_result_and_another_does_not() -> None:
    runs = [
        simulate(catalog.bit_reverse(4), CUBE, load=0.2, cycles=3000, seed=seed, tie="random")
        for seed in (3, 3, 4)
    ]
    assert np.array_equal(runs[0].delivered, runs[1].delivered)
    assert not np.array_equal(runs[0].ready, runs[2].ready)


@pytest.mark.parametrize("network", [CUBE, BristledHypercube(4), Mesh((4, 4)), Torus((4, 4))])
def test_at_a_small_load_latency_is_that_of_unblocked_messages(network: Hypercube) -> None:
    c = catalog.reverse_flip(4)
    result = simulate(c, network, load=0.001, cycles=200_000)
    pairs = np.stack([result.source, result.destination], axis=1)[result.ready > result.warm_up]
    unblocked = np.mean([Timing().unblocked(20, network.distance(*p)) for p in pairs.tolist()])
    assert unblocked <= result.latency < unblocked + 0.5
    assert result.interval.low < result.latency < result.interval.high
    assert not result.saturated
    assert result.throughput == pytest.approx(result.offered, rel=0.1)


def test_a_source_alone_sends_at_most_one_message_in_flits_plus_one_cycles() -> None:
    """Timing: a channel serves a message of F flits in F + 1 cycles."""
    result = simulate([(0, 15)], CUBE, load=1.0, cycles=2_000_000)
    assert result.saturated
    assert result.latency == float("inf")
    assert result.throughput == pytest.approx(20 / 21, abs=0.002)


def test_throughput_is_limited_by_the_degree_of_contention() -> None:
    """T messages share a channel: each sender gets at most F / (T (F + 1)) [hou, section 6.1]."""
    c = catalog.matrix_transpose(6)
    before = simulate(c, Hypercube(6), load=1.0, cycles=20_000)
    mapping = optimal_reordering(c, Hypercube(6))
    after = simulate(c, Hypercube(6), load=1.0, cycles=20_000, mapping=mapping)
    order = simulate(c, Hypercube(6), load=1.0, cycles=20_000, mapping=mapping.order)
    degree = mapping.value_before
    assert degree == 4
    assert before.throughput < 20 / 21 * 0.6
    assert after.throughput == pytest.approx(20 / 21, abs=0.01)
    assert np.array_equal(after.delivered, order.delivered)
    assert before.channel_loads.degree > after.channel_loads.degree


def test_channel_use_counts_the_links_of_every_message() -> None:
    c = catalog.bit_reverse(4)
    result = simulate(c, CUBE, load=0.1, cycles=5000)
    assert (result.delivered < NEVER).all()
    hops = sum(
        CUBE.distance(x, y)
        for x, y in zip(result.source.tolist(), result.destination.tolist(), strict=True)
    )
    assert result.channel_loads.total == hops
    assert result.channel_use.sum() == pytest.approx(hops * 20 / 5000)


def test_both_engines_measure_the_same() -> None:
    results = [
        simulate(catalog.bit_reverse(4), CUBE, "p-cube", 0.2, cycles=2000, engine=engine)
        for engine in ("message", "flit")
    ]
    assert np.array_equal(results[0].delivered, results[1].delivered)
    assert results[0].latency == results[1].latency
    assert results[0].waiting == results[1].waiting


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


@pytest.mark.parametrize(("word", "period"), [("torus:8", 1), ("torus:8x4,bandwidth=1:2", 2),
                                              ("torus:8x4,bandwidth=1:3", 3)])  # fmt: skip
def test_the_turns_of_a_wire_are_those_of_the_convention(word: str, period: int) -> None:
    """In cycle t virtual channel (t div p) mod V comes first [timing]; 0.4 said t mod V.

    One worm is on its way to the dateline, the other one has no dateline before it, so that both
    cross the wire from 6 to 7, on virtual channels 0 and 1.
    """
    watched = trace([(5, 0), (6, 7)], word, "dimension-order", flits=9)
    columns = [watched.names.index(f"6->7:{channel}") for channel in (0, 1)]
    flits = watched.flit[:, columns]
    both = range(int((flits[:, 0] == 0).argmax()) + 1, int((flits[:, 1] == 8).argmax()) + 1)
    crossed = [(t, channel) for t in both for channel in (0, 1) if flits[t - 1, channel] >= 0]
    assert len(crossed) >= 12
    assert [channel for _, channel in crossed] == [t // period % 2 for t, _ in crossed]


def test_deadlock_is_reported_with_its_channels() -> None:
    pairs = [(x, (x + 3) % 8) for x in range(8)]
    ring = Torus((8,))
    result = simulate(pairs, ring, "dimension-order-one-channel", load=0.9, cycles=2000)
    assert len(result.deadlock) >= 3  # a worm may hold several links of the ring
    assert set(result.deadlock) <= {f"{x}->{(x + 1) % 8}" for x in range(8)}
    assert result.throughput == 0
    assert "deadlocked" in repr(result)
    assert simulate(pairs, ring, load=0.9, cycles=2000).deadlock == ()


def test_gathers_and_scatters_run() -> None:
    gather = LCC([[0, 1], [0, 0]])
    result = simulate(gather, Hypercube(2), load=0.1, cycles=5000)
    assert set(result.destination.tolist()) <= {0, 1}
    scatter = LCC.scatter([[0, 1], [0, 0]])
    result = simulate(scatter, Hypercube(2), load=0.1, cycles=5000)
    sent = set(zip(result.source.tolist(), result.destination.tolist(), strict=True))
    assert sent == {(x, y) for x, y in scatter.pairs().tolist() if x != y}


@pytest.mark.parametrize(("load", "cycles"), [(0.9, 60), (0.3, 3000), (1e-4, 400_000)])
def test_arrivals_are_sorted_by_cycle_and_then_by_sender(load: float, cycles: int) -> None:
    """With many messages in a cycle and with many cycles for a message; drawn again by hand."""
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


@pytest.mark.parametrize("last", [1, 2, 5, 40, 1000])
def test_a_time_belongs_to_the_cycle_that_it_ends(last: int) -> None:
    """t in (c - 1, c] carries c, c up to the last; several in one bucket, and buckets of many."""
    draw = np.random.default_rng(last)
    for streams, times in ((1, 1), (3, 2), (4, 30), (2, 300)):
        drawn = np.sort(draw.integers(1, 2 * last + 4, (streams, times)) / 2, axis=1)
        drawn[-1, times // 2 :] = np.inf
        cycles, senders = _by_cycle(drawn, last)
        expected = sorted(
            (int(np.ceil(time)), k)
            for k, row in enumerate(drawn.tolist())
            for time in row
            if time <= last
        )
        assert list(zip(cycles.tolist(), senders.tolist(), strict=True)) == expected


def test_counts_until_are_those_of_sorted_cycles() -> None:
    """Also where marks are equal, and for cycles that do not come."""
    cycles = np.random.default_rng(2).permutation(np.append(np.arange(50) // 3, [NEVER, NEVER]))
    marks = np.array([-1, 0, 0, 4, 9, 9, 16, 17, NEVER])
    expected = [sum(cycle <= mark for cycle in cycles.tolist()) for mark in marks.tolist()]
    assert counts_until(cycles, marks).tolist() == expected
    assert counts_until(cycles[:0], marks).tolist() == [0] * len(marks)


def test_arrivals_are_exponential_and_shared_by_a_mapping() -> None:
    sent = pattern(catalog.reverse_flip(6), Hypercube(6))
    cycles, indices = arrivals(sent, 0.2, 20, 200_000, seed=5)
    assert (np.diff(cycles) >= 0).all()
    assert cycles.min() >= 1
    assert cycles.max() <= 200_000
    rate = len(cycles) / 200_000 / sent.senders
    assert rate == pytest.approx(0.01, rel=0.02)
    gaps = np.diff(cycles[indices == 0])
    assert gaps.mean() == pytest.approx(100, rel=0.1)
    assert gaps.std() == pytest.approx(100, rel=0.15)
    mapped = pattern(catalog.reverse_flip(6), Hypercube(6), mapping=[5, 4, 3, 2, 1, 0])
    assert np.array_equal(arrivals(mapped, 0.2, 20, 200_000, seed=5)[0], cycles)


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


def test_equal_volumes_are_as_good_as_none() -> None:
    sent = Traffic([(0, 1), (1, 0), (2, 2)], [3, 3, 5])
    assert pattern(sent, Hypercube(2)).volumes is None  # the one that differs does not move
    assert pattern(Traffic([(0, 1), (1, 0)], [3, 4]), Hypercube(2)).volumes is not None


def test_a_draw_falls_into_the_volumes_of_its_sender() -> None:
    """Sender 0 has pairs 0 and 2 of 1 and 3, sender 1 pair 1 of 5: shares of the unit interval."""

    def chosen(*drawn: float) -> list[int]:
        given: Any = SimpleNamespace(random=lambda count: np.array(drawn)[:count])
        senders = np.array([0, 0, 0, 0, 1, 1])
        where, volumes = np.array([0, 1, 0]), np.array([1.0, 5.0, 3.0])
        return _choose_by_volume(senders, where, volumes, given).tolist()

    assert chosen(0, 0.24, 0.26, 0.99, 0, 0.99) == [0, 0, 2, 2, 1, 1]
    assert chosen(0.25, 1, 1, 1, 1, 1) == [2, 2, 2, 2, 1, 1]  # 1 as rounding might make it


def test_no_values_have_no_mean() -> None:
    mean, interval = batch_mean(np.array([]), np.array([], np.int64), 20)
    assert np.isnan([mean, *interval]).all()


@pytest.mark.parametrize("flits", [{}, {4: 0, 8: 1}, {4: 1, 8: -1}, {4: 1, 8: float("inf")}])
def test_every_length_has_its_share(flits: dict[int, float]) -> None:
    with pytest.raises(InputError, match="how often each occurs, above 0"):
        simulate([(0, 1)], Hypercube(1), load=0.1, flits=flits)


def test_a_placement_moves_the_messages_on_its_own_network_only() -> None:
    placed = place([(0, 3), (3, 0)], "cube:2", over="placements")
    sent = pattern([(0, 3), (3, 0)], Hypercube(2), placed)
    assert sent.pairs.tolist() == placed.node_of[[[0, 3], [3, 0]]].tolist()
    assert sent.streams.tolist() == [0, 3]  # arrivals are those before it
    with pytest.raises(NetworkError, match=r"mapping: must be for torus:4; got 'cube:2'"):
        pattern([(0, 3), (3, 0)], Torus((4,)), placed)
    with pytest.raises(NetworkError, match=r"must map the 3 address bits of cube:3; got '2 bits'"):
        pattern([(0, 3)], Hypercube(3), optimal_reordering(catalog.bit_reverse(2), Hypercube(2)))


@pytest.mark.parametrize(
    ("freedom", "quantile"), [(5, 2.571), (9, 2.262), (19, 2.093), (30, 2.042), (120, 1.980)]
)
def test_student_against_printed_tables(freedom: int, quantile: float) -> None:
    assert student(freedom) == pytest.approx(quantile, abs=0.01 if freedom < 9 else 0.0015)


def test_the_interval_covers_the_mean_of_independent_values() -> None:
    draw = np.random.default_rng(1)
    covered = 0
    for _ in range(400):
        values = draw.exponential(3.0, 400)
        _, interval = batch_mean(values, np.arange(400) // 20, 20)
        covered += interval.low < 3.0 < interval.high
    assert 365 <= covered <= 395  # 95 % of 400 is 380


def test_backlog_and_growth() -> None:
    ready, injected = np.array([1, 2, 3, 9]), np.array([2, 4, NEVER, NEVER])
    assert backlog(ready, injected, np.array([0, 1, 2, 3, 4, 9])).tolist() == [0, 1, 1, 2, 1, 2]
    steps = np.random.default_rng(1).normal(10, 15, 20)
    assert grows(np.cumsum([0, *steps]).astype(np.int64))
    assert not grows(np.cumsum([0, *(steps - 10)]).astype(np.int64))
    assert not grows(np.tile([40, 60], 10))
    assert not grows(np.arange(21)[::-1] * 10)
    assert not grows(np.zeros(21, dtype=np.int64))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_saturation_is_told_from_queues_that_are_long(seed: int) -> None:
    """Bit reversal can sustain 20 / (21 * 8) = 0.119, its mapping 20/21 [hou, section 6.1]."""
    c, cube = catalog.bit_reverse(8), Hypercube(8)
    plain = Simulation.of(c, cube)
    mapped = Simulation.of(c, cube, mapping=optimal_reordering(c, cube))
    assert plain.run(0.13, cycles=10_000, seed=seed).saturated
    assert plain.run(0.125, cycles=20_000, seed=seed).saturated
    assert not plain.run(0.1, cycles=10_000, seed=seed).saturated
    assert not plain.run(0.115, cycles=50_000, seed=seed).saturated
    full = mapped.run(0.9, cycles=50_000, seed=seed)
    assert not full.saturated
    assert full.waiting > 5 * full.senders
    assert mapped.run(0.96, cycles=20_000, seed=seed).saturated


def test_a_message_longer_than_the_run_is_not_saturation() -> None:
    """Generated in the last cycle, it is delivered after twice the run."""
    result = simulate([(0, 15)], CUBE, load=0.99, flits=2000, cycles=500, seed=3, warm_up=0)
    assert result.generated == 1
    assert not result.saturated
    assert result.latency == Timing().unblocked(2000, 4)


def test_nothing_generated_in_the_measured_time() -> None:
    result = simulate([(0, 1)], CUBE, load=0.001, cycles=10, seed=2)
    assert result.generated == 0
    assert np.isnan(result.latency)
    assert not result.saturated


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"load": 0}, InputError, r"load: must be in \(0, 1\]"),
        ({"load": 1.5}, InputError, "load"),
        ({"load": "much"}, InputError, "load"),
        ({"load": float("nan")}, InputError, "load"),
        ({"flits": 0}, InputError, "flits: must be at least 1"),
        ({"flits": 2.5}, InputError, "flits: must be an integer"),
        ({"flits": 10**20}, InputError, "flits: must be at most 16777216"),
        ({"cycles": 0}, InputError, "cycles"),
        ({"cycles": 10**10, "load": 1e-9}, InputError, "cycles: must be at most 1073741824"),
        ({"seed": -1}, InputError, "seed"),
        ({"warm_up": 1000}, InputError, "warm_up"),
        ({"tie": "coin"}, InputError, "tie: must be one of"),
        ({"engine": "worm"}, InputError, "engine"),
        ({"routing": "e-qube"}, RoutingError, "did you mean"),
        ({"routing": "mixab4"}, RoutingError, "did you mean 'mixab3'"),
        ({"network": Hypercube(3)}, NetworkError, "fewer than the 16 ranks"),
        ({"network": "qube:4"}, NetworkError, "network"),
        ({"network": 4}, NetworkError, "must be a network such as"),
        ({"mapping": [0, 1, 1, 2]}, InputError, "order"),
        ({"mapping": [0, 1]}, InputError, "Q"),
        ({"communication": catalog.identity(4)}, CommunicationError, "another node"),
        ({"communication": [(0, 16)]}, NodeError, "16"),
        ({"depth": 2, "engine": "message"}, InputError, "must be flit .* where wires differ"),
        ({"load": 1.0, "cycles": 10**9}, InputError, "at most 33554432 messages"),
    ],
)
def test_bad_input(change: dict[str, object], error: type[Exception], message: str) -> None:
    given = {"communication": catalog.bit_reverse(4), "network": CUBE, "cycles": 1000, **change}
    with pytest.raises(error, match=message):
        simulate(**given)


@pytest.mark.parametrize("tie", TIE_RULES)
def test_tie_rules_decide_who_goes_first(tie: str) -> None:
    """Two headers reach router 3 in one cycle and want 3->7: from 1 (channel 1->3) and 2 (2->3)."""
    prepared = Simulation.of([(1, 7), (2, 7)], Hypercube(3), tie=tie)
    from lccmodel.wormhole.traffic import messages_of

    zeros = np.zeros(2, dtype=np.int64)
    messages = messages_of(prepared.table, prepared.sent, zeros, np.arange(2), 5)
    outcome = prepared.execute(messages, seed=1)
    first = int(outcome.delivered.argmin())
    arrived_on = {0: 1, 1: 0}  # message 0 comes along dimension 1, message 1 along dimension 0
    if tie == "lowest-input":
        assert arrived_on[first] == 0
    if tie == "highest-input":
        assert arrived_on[first] == 1
    if tie == "oldest":
        assert first == 0
    assert abs(int(np.diff(outcome.delivered)[0])) == 6


@pytest.mark.parametrize("network", ["fattree:3", "fattree:2"])
def test_one_router_has_no_links_to_wait_for(network: str) -> None:
    """Injection and ejection alone: the tail is delivered F cycles after the header entered."""
    found = simulate([(0, 1)], network, load=0.01, flits=7, cycles=3000)
    assert (found.delivered - found.injected).tolist() == [7] * len(found.ready)
    assert found.latencies.min() == 1 + 7
    assert len(found.channel_use) == 0


@pytest.mark.parametrize(("network", "own"), [("cube:3", {}), ("torus:4", {"own_wires": True})])
def test_wires_of_their_own_are_said_where_several_channels_have_them(
    network: str, own: dict[str, bool]
) -> None:
    assert simulate([(0, 2)], network, cycles=300, own_wires=True).hardware == own


def test_several_routings_fit_a_line_and_ties_are_noted() -> None:
    """Only identity placements and dimension order go round even rings by that rule."""
    words = ("matrix-transpose", "-N", "torus:8x8", "--load", 0.05, "--cycles", 300)
    shown = run("simulate", *words, "--routing", "valiant,dimension-order").stdout.splitlines()
    rows = [line.split()[0] for line in shown if line.split()[1:2] == ["0.05"]]
    assert rows == ["valiant", "dimension-order"]
    assert any(line.split() == ["communication", "matrix-transpose"] for line in shown)
    given: dict[str, Any] = {"network": "torus:4x4", "load": 0.1, "cycles": 200}
    assert ["half-way" in note for note in simulate("uniform", **given).notes] == [True]
    assert simulate("uniform", **given, routing="xy-yx").notes == ()
    assert simulate("uniform", **given, mapping=(1, 0, 3, 2)).notes == ()
