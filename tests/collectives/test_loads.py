"""Loads and times of plans: the facts of the field, an independent walk, segments replayed."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise, permutations
from types import SimpleNamespace

import numpy as np
import pytest

from lccmodel import collectives
from lccmodel.collectives import exchanges
from lccmodel.collectives import loads as loads_module
from lccmodel.collectives import times as times_module
from lccmodel.collectives.algorithms import Site
from lccmodel.collectives.catalogue import ALGORITHMS
from lccmodel.collectives.loads import PlanLoads, _half_ways
from lccmodel.collectives.times import (
    Prices,
    Totals,
    best_segments,
    least_of_more,
    prices_of,
    time_of,
)
from lccmodel.errors import InputError
from lccmodel.movement import Movement
from lccmodel.network import as_network
from lccmodel.pipelining.message_cost import Linear, Piecewise
from tests.choosing import fast_only, sampled

F = Fraction


@pytest.mark.parametrize(
    ("p", "swing", "halving", "doubling", "ring"),
    [
        (8, 2, F(5, 2), 5, F(7, 4)),
        (16, F(19, 8), F(7, 2), 11, F(15, 8)),
        (32, F(11, 4), F(9, 2), 23, F(31, 16)),
    ],
)
def test_vectors_on_the_busiest_channel_of_a_ring(
    p: int, swing: Fraction, halving: Fraction, doubling: Fraction, ring: Fraction
) -> None:
    """One port; a message half-way round goes by the parity of its source."""
    names = {"swing": swing, "rabenseifner": halving, "recursive-doubling": doubling, "ring": ring}
    for name, busiest in names.items():
        assert collectives.allreduce(name, f"torus:{p}").busiest == busiest, name


@pytest.mark.parametrize(
    ("network", "axes", "deficiency"),
    [
        ("torus:8x8", 2, F(23, 21)),
        ("torus:16x16", 2, F(97, 85)),
        ("torus:8x8x8", 3, F(75, 73)),
    ],
)
def test_deficiency_of_swing_on_tori(network: str, axes: int, deficiency: Fraction) -> None:
    """All 2 D ports, relative to 2 (p - 1) / p / 2 D [swing, which prints the limits]."""
    found = collectives.allreduce("swing", network, ports="all")
    p = found.plan.ranks
    assert found.busiest / (F(2 * (p - 1), p) / (2 * axes)) == deficiency
    if network == "torus:16x16":
        assert float(deficiency) == pytest.approx(1.14118, abs=1e-5)


NETWORKS = (
    "torus:8",
    "torus:4x4",
    "mesh:4x4",
    "cube:4",
    "torus:8x2",
    "mesh:16",
    "torus:6x4",
    "mesh:5x3",
)


def walked(found: PlanLoads) -> list[Fraction]:
    """An independent route: every message walked as a `Movement`, channels counted by hand."""
    network, loads = found.network, []
    for _, _, stage in found.plan.timed():
        use: Counter[tuple[int, int]] = Counter()
        ports: Counter[tuple[str, int]] = Counter()
        for send in stage.sends:
            for u, v in zip(send.source.tolist(), send.destination.tolist(), strict=True):
                x, y = int(found.node_of[u]), int(found.node_of[v])
                path = Movement.of_schedule(network, [[x, y]], [0], "split").path(0)
                for pair in pairwise(path):
                    use[pair] += send.size
                ports["out", u] += send.size
                ports["in", v] += send.size
        most = max(use.values(), default=0)
        if found.ports == "one":
            most = max(most, max(ports.values(), default=0))
        loads.append(most * found.plan.unit)
    return loads


@pytest.mark.parametrize("network", fast_only(NETWORKS, "mesh:5x3"))
def test_loads_are_those_of_a_walk(network: str) -> None:
    for ports in ("one", "all"):
        for (collective, name), algorithm in ALGORITHMS.items():
            site = Site.on(as_network(network), ports=ports)
            if algorithm.covers(site) and name not in ("linear", "chain", "chain-tree", "pairwise"):
                made = collectives.collective_of(collective, name, network, ports=ports)
                assert list(made.loads().per_step) == walked(made.loads()), (collective, name)


def waited(found: PlanLoads, tie: str) -> Counter[tuple[int, int]]:
    """Start-ups one after another and the longest route of every step, by walking as above.

    With all ports a message begins at the first of its links and ends at the last.
    """
    steps: Counter[tuple[int, int]] = Counter()
    for _, _, stage in found.plan.timed():
        starts: Counter[tuple] = Counter()
        hops = 0
        messages = set()  # all that goes from one rank to another in a step is one message
        for send in stage.sends:
            for u, v in zip(send.source.tolist(), send.destination.tolist(), strict=True):
                if (u, v) in messages:
                    continue
                messages.add((u, v))
                x, y = int(found.node_of[u]), int(found.node_of[v])
                path = Movement.of_schedule(found.network, [[x, y]], [0], tie).path(0)
                links = list(pairwise(path))
                hops = max(hops, len(links))
                ends = (("out", u), ("in", v))
                if found.ports == "all":
                    ends = (("out", links[0]), ("in", links[-1]))
                starts.update(ends)
        steps[max(starts.values(), default=0), hops] += 1
    return steps


@pytest.mark.parametrize("ports", ["one", "all"])
@pytest.mark.parametrize(
    "network",
    fast_only(
        ["torus:8", "torus:4x4", "mesh:3x2", "cube:3", "torus:6x4,nodes=0-9"], "mesh:3x2", "cube:3"
    ),
)
def test_start_ups_and_longest_routes_are_those_of_a_walk(network: str, ports: str) -> None:
    """Half-way round a ring both ways are taken, by a job on some nodes as by all."""
    for (collective, name), algorithm in ALGORITHMS.items():
        site = Site.on(as_network(network), ports=ports)
        if algorithm.covers(site) and name not in ("linear", "chain", "chain-tree"):
            found = collectives.collective_of(collective, name, network, ports=ports).loads()
            counted: Counter[tuple[int, int]] = Counter()
            for cost, times in found.costs(1).items():
                counted[cost.start_ups, cost.hops] += times
            assert counted == waited(found, "split"), (collective, name)


@pytest.mark.parametrize("network", ["torus:4x4", "torus:8x4", "mesh:4x4", "mesh:2x8"])
def test_no_order_of_bits_is_better_for_halving_and_doubling(network: str) -> None:
    """Every order of bits, tried."""
    where = as_network(network)
    bits = [exchanges.bit_partners(where.size, bit) for bit in range(where.n)]
    least = min(
        PlanLoads(exchanges.gathered(where.size, order), where, np.arange(where.size)).busiest
        for order in permutations(bits)
    )
    assert collectives.allreduce("rabenseifner", network).busiest == 2 * least


def test_loads_under_a_placement() -> None:
    nodes = np.random.default_rng(3).permutation(16)[:12]
    found = collectives.allreduce("ring", "torus:4x4", node_of=nodes).loads()
    assert list(found.per_step) == walked(found)


def test_bandwidths_count() -> None:
    fast = collectives.allreduce("ring", "torus:8,bandwidth=2", ports="all")
    assert fast.busiest == collectives.allreduce("ring", "torus:8", ports="all").busiest / 2


PIPELINED = "chain-tree", "double-tree", "recursive-doubling", "ring", "swing", "rabenseifner"


@pytest.mark.parametrize("ports", ["one", "all"])
@pytest.mark.parametrize("network", ["torus:8", "mesh:4x2"])
def test_segments_are_counted_by_replay_of_the_pipelined_plan(network: str, ports: str) -> None:
    """`costs(Q)` is the count of `segmented(Q)` as a plan of its own, for shallow and deep Q."""
    for kind, name in (
        *(("allreduce", name) for name in PIPELINED),
        ("broadcast", "circulant"),
        ("reduce", "circulant"),
    ):
        found = collectives.collective_of(kind, name, network, ports=ports)
        loads = found.loads()
        for Q in (2, 3, found.steps, found.steps + 4):
            cut = PlanLoads(found.plan.segmented(Q), found.network, found.node_of, found.ports)
            whole: Counter[tuple] = Counter()
            for cost, times in cut.costs(1).items():
                whole[cost.start_ups, cost.carried * cut.grain, cost.hops] += times
            mine: Counter[tuple] = Counter()
            for cost, times in loads.costs(Q).items():
                mine[cost.start_ups, cost.carried * loads.grain / Q, cost.hops] += times
            assert mine == whole, (name, Q)
            steps = loads.costs(Q).items()
            sums = [sum(cost[k] * times for cost, times in steps) for k in range(4)]
            assert [*Totals.of(loads, Q).all] == sums, (name, Q)


COSTS = (
    Linear(10, 1),
    Linear(1000, 1),
    Linear(1, 100),
    Linear(0, 1),
    Linear(5, 0),
    Piecewise([(64, 5, 1), (None, 60, "1/2")]),
    Piecewise([(64, 50, 1), (1000, 20, "1/2"), (None, 600, "1/9")]),
    Piecewise([(100, 10, 0), (None, F(-90), 1)]),
)


def _as_written(loads: PlanLoads, prices: Prices, m: F, Q: int) -> F:
    """Step by step, as the module of times states it."""
    total, part = F(0), loads.grain * m / Q
    for step, times in loads.costs(Q).items():
        first = prices.cost.time(step.carried * part) + (step.start_ups - 1) * prices.cost.time(0)
        more = step.hops * prices.hop + step.reduced * part * prices.add
        total += times * (first + more) if step.start_ups else 0
    return total


def check_best_segments(
    loads: PlanLoads, cost: Linear | Piecewise, m: F, hop: int = 0, add: F | int = 0
) -> None:
    """The fewest segments of the least time of all up to 200; times are those as written."""
    prices = prices_of(cost, hop=hop, add=add)
    best = best_segments(loads, prices, m)
    times = [time_of(loads, prices, m, Q) for Q in range(1, 201)]
    for Q in (1, 2, 3, 7, 50):
        assert times[Q - 1] == _as_written(loads, prices, m, Q)
    assert best.time == time_of(loads, prices, m, best.segments)
    if best.segments <= 200:
        assert (best.time, best.segments) == (min(times), times.index(min(times)) + 1)
    else:
        assert best.time < min(times)


@pytest.mark.parametrize("ports", ["one", "all"])
@pytest.mark.parametrize("cost", sampled(COSTS, 4), ids=str)
def test_best_segments_are_those_of_a_search(cost: Linear | Piecewise, ports: str) -> None:
    for collective, name, network in (
        ("broadcast", "chain", "mesh:3"),
        ("broadcast", "chain", "mesh:16"),
        ("broadcast", "split-binary", "torus:9"),
        ("reduce", "circulant", "mesh:5"),
        ("allreduce", "chain-tree", "torus:8"),
        ("allreduce", "double-tree", "torus:4x4"),
        ("allreduce", "recursive-doubling", "cube:4"),
        ("allreduce", "ring", "torus:8"),
        ("allreduce", "swing", "torus:4x4"),
    ):
        loads = collectives.collective_of(collective, name, network, ports=ports).loads()
        for m in (F(0), F(1), F(100), F(3000), F(70_000, 3)):
            check_best_segments(loads, cost, m, 3 * (m == 100), F(m == 3000, 7))


@pytest.mark.parametrize("ports", ["one", "all"])
@pytest.mark.parametrize(
    "cost", sampled([*COSTS, Piecewise([(7, 0, 0), (20, F(-7), 1), (None, F(-27), 2)])], 4), ids=str
)
def test_best_segments_of_one_step_and_of_steps_without_a_message(
    cost: Linear | Piecewise, ports: str
) -> None:
    """Two messages of half the length may cost less than one; a step that waits costs nothing."""
    for kind, name in (("broadcast", "chain"), ("allgather", "ring"), ("reduce", "binomial")):
        loads = collectives.collective_of(kind, name, "mesh:2", ports=ports).loads()
        assert loads.plan.steps == 1
        for m, hop in ((F(60), 1), (F(1), 0), (F(0), 2), (F(5000, 3), 0)):
            check_best_segments(loads, cost, m, hop)
    for chain in (
        [[], [(0, 1, [0])], [(1, 2, [0])], [], [(2, 3, [0])]],
        [[(0, 1, [0])], [], [(0, 2, [0]), (1, 3, [0])]],
        [[], []],
    ):
        plan = collectives.Plan.of_steps("broadcast", 4, chain, 1)
        loads = PlanLoads(plan, as_network("mesh:4"), np.arange(4), ports)
        for m in (F(0), F(70), F(3000)):
            check_best_segments(loads, cost, m, 1)


def test_time_of_the_ring_is_its_formula() -> None:
    """2 (p - 1) (α + m/p τ) [patarasuk]."""
    for p in (2, 5, 8):
        found = collectives.allreduce("ring", f"torus:{p}")
        assert found.time(Linear(7, 3), 100) == 2 * (p - 1) * (7 + F(100, p) * 3)


def test_hops_and_sums_have_their_prices() -> None:
    found = collectives.allreduce("recursive-doubling", "mesh:8")
    bare = found.time(Linear(7, 3), 100)
    assert found.time(Linear(7, 3), 100, hop=2) == bare + 2 * (1 + 2 + 4)
    assert found.time(Linear(7, 3), 100, add="1/4") == bare + 3 * 25


def test_all_ports_of_a_rank_wait_by_link() -> None:
    """A star sends p - 1 messages in one step: on a ring of 4, two of them by one link."""
    plan = collectives.Plan.of_steps("broadcast", 4, [[(0, v, [0]) for v in (1, 2, 3)]], blocks=1)
    ring, nodes = as_network("torus:4"), np.arange(4)
    assert PlanLoads(plan, ring, nodes, "one").start_ups == 3
    assert PlanLoads(plan, ring, nodes, "all").start_ups == 2
    assert PlanLoads(plan, as_network("torus:2*2"), nodes, "all").start_ups == 3


def test_a_rank_alone_takes_no_time() -> None:
    for name in ("ring", "recursive-doubling", "double-tree", "swing"):
        plan = collectives.plan("allreduce", name, 1)
        loads = PlanLoads(plan, as_network("mesh:2"), np.zeros(1, np.int64))
        assert (plan.steps, loads.busiest, loads.start_ups) == (0, 0, 0)
        assert best_segments(loads, prices_of(Linear(1, 1)), F(5)).time == 0
        assert (*loads.full,) == (0, 0, 0, 0)
        assert [sum(loads.costs(Q).values()) for Q in (1, 2, 5)] == [0, 0, 0]


@pytest.mark.parametrize(
    "network",
    ["mesh:4", "mesh:5", "torus:2", "torus:4", "torus:5", "torus:6", "cube:2", "mesh:4x2",
     "torus:4x3", "torus:4x4", "torus:3x4", "torus:2x4", "torus:4*2", "fattree:2^2"],
)  # fmt: skip
def test_messages_half_way_round_go_in_two_parts(network: str) -> None:
    """Both parts the way +, one after the other, are the route of the rule `split`."""
    where = as_network(network)
    pairs = np.array(list(permutations(range(where.size), 2)))
    sizes = np.arange(1, len(pairs) + 1)
    for k, (pair, size) in enumerate(zip(pairs.tolist(), sizes.tolist(), strict=True)):
        legs, each = _half_ways(where, pairs[k : k + 1], sizes[k : k + 1])
        assert set(each.tolist()) == {size}
        assert len(legs) <= 2 ** len(getattr(where, "shape", (1,)))
        links = [link for leg in legs.tolist() for link in where.channels(*leg)]
        routed = Movement.of_schedule(where, [pair], [0], "split").path(0)
        if len(where.channels(*pair)) == len(where.path(*pair)) - 1:  # no routers on the way
            assert Counter(links) == Counter(pairwise(routed)), pair
        else:
            assert len(legs) == 1 or "*" in network
    legs, each = _half_ways(where, pairs, sizes)
    together = Counter(link for leg, n in zip(legs.tolist(), each.tolist(), strict=True)
                       for link in where.channels(*leg) * n)  # fmt: skip
    alone = [_half_ways(where, pairs[k : k + 1], sizes[k : k + 1]) for k in range(len(pairs))]
    assert together == Counter(
        link
        for legs, (n, *_) in alone
        for leg in legs.tolist()
        for link in where.channels(*leg) * n
    )


def test_no_number_of_segments_up_to_the_last_is_below_the_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where every further segment pays the last one counts, too."""
    monkeypatch.setattr(times_module, "MOST_SEGMENTS", 8)
    loads = collectives.broadcast("chain", "mesh:4").loads()
    for cost in (Linear(0, 1), Linear(1, 100), Piecewise([(3, 0, 0), (None, F(-6), 2)])):
        prices = prices_of(cost)
        for m in (F(24), F(60)):
            at = [time_of(loads, prices, m, Q) for Q in range(1, 9)]
            best = best_segments(loads, prices, m)
            assert (best.time, best.segments) == (min(at), at.index(min(at)) + 1)
            for few in range(1, 8):
                assert least_of_more(loads, prices, m, few) <= min(at[few:])
    for Q in (0, 9):
        with pytest.raises(InputError, match=r"must be in 1\.\.8"):
            time_of(loads, prices_of(Linear(1, 1)), F(1), Q)


def test_loads_beyond_memory_are_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """All stages together count, the smallest number that holds them included."""
    found = collectives.allreduce("recursive-doubling", "mesh:4x4")
    kept = sum(len(use.places) for use in found.loads()._uses)
    for most, segmentable in ((kept, True), (kept - 1, False)):
        monkeypatch.setattr(loads_module, "_MOST_KEPT", most)
        loads = PlanLoads(found.plan, found.network, found.node_of)
        assert loads.segmentable == segmentable
        assert loads.busiest == found.busiest


def test_what_is_asked_of_loads_is_there() -> None:
    """Steps 0..s - 1, and a plan and as many nodes as it has ranks."""
    found = collectives.allreduce("swing", "torus:4").loads()
    for step in range(found.plan.steps):
        carried = found.of(step)
        assert carried.degree == found.per_step[step]
    for step in (-1, found.plan.steps):
        with pytest.raises(InputError, match=r"must be in 0\.\.3"):
            found.of(step)
    for plan, nodes in ((found.plan, np.arange(3)), (3, np.arange(4))):
        with pytest.raises(InputError):
            PlanLoads(plan, found.network, nodes)
    with pytest.raises(InputError):
        found.costs(0)
    alltoall = collectives.alltoall("linear", "torus:4").loads()
    with pytest.raises(InputError, match="segments: must be 1"):
        time_of(alltoall, prices_of(Linear(1, 1)), F(1), 2)


def test_a_cost_inside_nodes_is_stated_once_and_weighed_by_the_one_between() -> None:
    """That of the machine, or one's own instead; a line beside a line, 0 where there is 0."""
    machine = SimpleNamespace(cost=Linear(10, 4), inside=Linear(1, 1))
    for inside, weights in ((None, (F(1, 10), F(1, 4))), (Linear(5, 8), (F(1, 2), F(2)))):
        assert prices_of(machine, inside=inside).weights == weights
    assert prices_of(Linear(10, 4)).weights == (1, 1)
    assert prices_of(Linear(10, 0), inside=Linear(5, 0)).weights == (F(1, 2), 1)
    assert prices_of(Linear(0, 4), inside=Linear(0, 1)).weights == (1, F(1, 4))
    pieces = Piecewise([(9, 1, 1), (None, 2, 1)])
    assert prices_of(pieces).weights == (1, 1)
    assert Prices(pieces, inside=Linear(1, 1)).weights == (1, 1)
    whole = prices_of(machine, 1, 2)
    assert prices_of(whole, 7, 7) is whole
    wrong = [
        (Linear(10, 0), Linear(1, 1)), (Linear(0, 4), Linear(1, 1)), (pieces, Linear(1, 1)),
        (Linear(10, 4), pieces), (pieces, pieces), (Linear(10, 4), 3),
    ]  # fmt: skip
    for cost, inside in wrong:
        with pytest.raises(InputError) as refused:
            prices_of(cost, inside=inside)
        assert refused.value.argument == "inside"
    for none in (3, None, "mesh:4"):
        with pytest.raises(InputError) as refused:
            prices_of(none)
        assert refused.value.argument == "machine"
    for prices in ({"hop": -1}, {"add": -1}):
        with pytest.raises(InputError):
            prices_of(Linear(1, 1), **prices)
