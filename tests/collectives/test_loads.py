"""Loads of plans: an independent walk, segments replayed, closed forms, the best orders of bits."""

from collections import Counter
from fractions import Fraction
from functools import partial
from itertools import pairwise, permutations

import numpy as np
import pytest
import sympy

from lccmodel import collectives
from lccmodel.collectives import exchanges
from lccmodel.collectives import loads as loads_module
from lccmodel.collectives.algorithms import Site
from lccmodel.collectives.catalogue import ALGORITHMS
from lccmodel.collectives.formulas import ClosedForm, closed_form, closed_forms
from lccmodel.collectives.loads import PlanLoads
from lccmodel.collectives.times import Totals, best_segments, prices_of, time_of
from lccmodel.errors import InputError, NetworkError
from lccmodel.movement import Movement
from lccmodel.network import as_network
from lccmodel.pipelining.message_cost import Linear
from tests.choosing import fast_only, sampled
from tests.collectives.reading import messages_of

F = Fraction


def walked(loads: PlanLoads) -> list[tuple[Fraction, int, int]]:
    """Busiest channel, start-ups and longest route of every step, message by message.

    An independent route: every message is a `Movement`, channels are counted by hand. All that
    goes from one rank to another in a step is one message. With one port its ends wait for one
    another at ranks; with all ports at the first and the last of its links.
    """
    steps = []
    for step in messages_of(loads.plan):
        data: Counter[tuple] = Counter()
        starts: dict[tuple[int, int], list[tuple]] = {}
        hops = 0
        for u, v, blocks, _ in step:
            x, y = int(loads.node_of[u]), int(loads.node_of[v])
            path = Movement.of_schedule(loads.network, [[x, y]], [0], "split").path(0)
            links = list(pairwise(path))
            ends = [("out", u), ("in", v)]
            for place in links if loads.ports == "all" else [*links, *ends]:
                data[place] += len(blocks)
            hops = max(hops, len(links))
            starts[u, v] = ends if loads.ports == "one" else [("out", links[0]), ("in", links[-1])]
        waits = Counter(end for ends in starts.values() for end in ends)
        busiest = max(data.values(), default=0) * loads.plan.unit
        steps.append((busiest, max(waits.values(), default=0), hops))
    return steps


NETWORKS = ("torus:2x4", "torus:8", "torus:4x4", "mesh:4x4", "cube:3", "torus:8x2", "mesh:16",
            "torus:6x4", "mesh:5x3", "mesh:3x2", "torus:6x4,nodes=0-9")  # fmt: skip


@pytest.mark.parametrize("ports", ["one", "all"])
@pytest.mark.parametrize("network", fast_only(NETWORKS, "torus:2x4", "mesh:3x2"))
def test_loads_start_ups_and_routes_are_those_of_a_walk(network, ports):
    """Every algorithm; half-way round a ring both ways are taken, by a job as by all nodes."""
    where = as_network(network)
    cases = [
        collectives.collective_of(kind, name, where, ports=ports).loads()
        for (kind, name), rule in ALGORITHMS.items()
        if rule.covers(Site.on(where, ports=ports))
        and name not in ("linear", "chain", "chain-tree", "pairwise")
    ]
    nodes = np.random.default_rng(3).permutation(where.size)[: where.size * 3 // 4]
    cases.append(collectives.allreduce("ring", where, ports=ports, node_of=nodes).loads())
    for loads in cases:
        steps = walked(loads)
        assert list(loads.per_step) == [busiest for busiest, _, _ in steps], loads.plan.name
        counted: Counter[tuple[int, int]] = Counter()
        for cost, times in loads.costs(1).items():
            counted[cost.start_ups, cost.hops] += times
        assert counted == Counter((starts, hops) for _, starts, hops in steps), loads.plan.name


def _xored(words: tuple[int, ...]) -> np.ndarray:
    nodes, placed = np.arange(8), np.zeros(8, np.int64)
    for j, word in enumerate(words):
        placed ^= np.where(nodes >> j & 1, word, 0)
    return placed


PLACED = fast_only(["torus:8", "mesh:8", "mesh:4x2", "torus:4*2", "fattree:2^3"], "mesh:8")


@pytest.mark.parametrize("ports", ["one", "all"])
@pytest.mark.parametrize("network", PLACED)
def test_no_basis_is_better_for_halving_and_doubling(network, ports):
    """All 168 nonsingular Q of three bits, each in its order."""
    where = as_network(network)
    plan = exchanges.gathered(8, [exchanges.bit_partners(8, bit) for bit in (2, 1, 0)])
    least = min(
        PlanLoads(plan, where, _xored(words), ports).busiest
        for words in permutations(range(1, 8), 3)
        if words[0] ^ words[1] != words[2]
    )
    placed = collectives.placed_halving(network, ports=ports)
    assert placed.busiest == 2 * least
    assert placed.replay().ok


@pytest.mark.parametrize("network", ["torus:4x4", "torus:8x4", "mesh:4x4", "mesh:2x8"])
def test_on_grids_no_order_of_bits_is_better(network):
    """Every order, tried; the rule of the catalogue takes the best, which needs no placement."""
    where = as_network(network)
    bits = [exchanges.bit_partners(where.size, bit) for bit in range(where.n)]
    least = min(
        PlanLoads(exchanges.gathered(where.size, order), where, np.arange(where.size)).busiest
        for order in permutations(bits)
    )
    assert collectives.allreduce("rabenseifner", network).busiest == 2 * least
    assert collectives.placed_halving(network).busiest == 2 * least
    with pytest.raises(NetworkError, match=r"must have 2\^n nodes"):
        collectives.placed_halving("torus:6")


def test_twice_the_bandwidth_is_half_the_load():
    fast = collectives.allreduce("ring", "torus:8,bandwidth=2", ports="all")
    assert fast.busiest == collectives.allreduce("ring", "torus:8", ports="all").busiest / 2


PIPELINED = "chain-tree", "double-tree", "recursive-doubling", "ring", "swing", "rabenseifner"


@pytest.mark.parametrize("ports", ["one", "all"])
@pytest.mark.parametrize("network", ["torus:8", "mesh:4x2"])
def test_segments_are_counted_by_replay_of_the_pipelined_plan(network, ports):
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


def test_a_rank_alone_takes_no_time():
    for name in ("ring", "recursive-doubling", "double-tree", "swing"):
        plan = collectives.plan("allreduce", name, 1)
        loads = PlanLoads(plan, as_network("mesh:2"), np.zeros(1, np.int64))
        assert (plan.steps, loads.busiest, loads.start_ups) == (0, 0, 0)
        assert best_segments(loads, prices_of(Linear(1, 1)), F(5)).time == 0
        assert (*loads.full,) == (0, 0, 0, 0)
        assert [sum(loads.costs(Q).values()) for Q in (1, 2, 5)] == [0, 0, 0]


def test_loads_beyond_memory_are_not_cut(monkeypatch):
    found = collectives.allreduce("recursive-doubling", "mesh:4x4")
    kept = sum(len(use.places) for use in found.loads()._uses)
    for most, segmentable in ((kept, True), (kept - 1, False)):
        monkeypatch.setattr(loads_module, "_MOST_KEPT", most)
        loads = PlanLoads(found.plan, found.network, found.node_of)
        assert loads.segmentable == segmentable
        assert loads.busiest == found.busiest


def test_what_is_asked_of_loads_is_there():
    loads = collectives.allreduce("swing", "torus:4").loads()
    steps = range(loads.plan.steps)
    assert tuple(loads.of(step).degree for step in steps) == tuple(loads.per_step)
    alltoall = collectives.alltoall("linear", "torus:4").loads()
    for call, words in (
        *((partial(loads.of, step), r"must be in 0\.\.3") for step in (-1, 4)),
        (partial(PlanLoads, loads.plan, loads.network, np.arange(3)), "node_of"),
        (partial(PlanLoads, 3, loads.network, np.arange(4)), "plan"),
        (partial(loads.costs, 0), "segments"),
        (partial(time_of, alltoall, prices_of(Linear(1, 1)), F(1), 2), "segments: must be 1"),
    ):
        with pytest.raises(InputError, match=words):
            call()


# -- closed forms -------------------------------------------------------------------------------

KNOWN = {
    "allreduce": 30, "reduce-scatter": 15, "allgather": 20, "broadcast": 18, "reduce": 15,
    "alltoall": 11, "barrier": 3, "scatter": 9, "gather": 9,
}  # fmt: skip
"""How many closed forms there are: of cubes, lines, rings and tori, with one port and with all."""


def networks(form: ClosedForm) -> list[tuple[str, dict[str, int]]]:
    least = int(form.where.split("k >= ")[-1].split("n >= ")[-1])
    if form.family == "torus":
        return [
            ("torus:" + "x".join([str(2**k)] * D), {"k": k, "D": D})
            for D in (2, 3)
            for k in range(least, 5)
            if D * k <= 9
        ]
    word = {"cube": "cube:{n}", "line": "mesh:{p}", "ring": "torus:{p}"}[form.family]
    return [(word.format(n=n, p=2**n), {"n": n}) for n in range(least, 8)]


@pytest.mark.parametrize("kind", sampled(KNOWN, 3))
@pytest.mark.parametrize("sizes", fast_only([2, 9], 2), ids=["small", "large"])
def test_a_closed_form_is_what_is_counted(kind, sizes):
    """Forms of one collective at a time, since all of them are made at once."""
    assert len(closed_forms(kind)) == KNOWN[kind]
    for form in closed_forms(kind):
        for network, values in networks(form)[:sizes]:
            counted = collectives.collective_of(
                form.collective, form.algorithm, network, ports=form.ports
            )
            assert form.at(**values) == (counted.start_ups, counted.busiest), (form, network)


@pytest.mark.parametrize(("axes", "limit"), [(2, (6, 5)), (3, (28, 27)), (4, (120, 119))])
def test_the_limit_of_swings_deficiency_follows(axes, limit):
    """d / (2 (p - 1) / p / 2 D) for sides that grow; the paper prints 1.19, 1.03, 1.008."""
    data = closed_form("allreduce", "swing", "torus", "all").at(D=axes, k=60)[1]
    assert 0 < Fraction(*limit) - data * axes < Fraction(1, 10**9)
    # those that are read off counts say so
    derived = [closed_form("allreduce", name, "ring").derived for name in ("double-tree", "bine")]
    assert derived == [False, True]


@pytest.mark.parametrize(
    ("name", "family", "ports", "sizes", "rule"),
    [
        # a double tree of two ranks would carry -1 vectors
        ("double-tree", "ring", "one", {"n": 1}, "n: must be at least 2"),
        ("swing", "torus", "all", {"D": 1, "k": 3}, "D: must be at least 2"),
        ("ring", "ring", "one", {"n": 2.5}, "n: must be"),
        ("ring", "ring", "one", {"k": 2}, "sizes: must be n"),
        ("swing", "torus", "all", {"k": 2}, "sizes: must be D and k"),
        ("binary-tree", "ring", "one", {"n": 2}, "has closed forms for"),
    ],
)
def test_sizes_outside_a_form_are_refused(name, family, ports, sizes, rule):
    with pytest.raises(InputError, match=rule):
        closed_form("allreduce", name, family, ports).at(**sizes)


@pytest.mark.parametrize("kind", sampled(collectives.COLLECTIVES, 4))
def test_the_time_is_that_of_start_ups_and_data(kind):
    """T = S α + d m τ in plain symbols; `subs` with string keys left all of them in 0.4."""
    alpha, tau, m = sympy.symbols("alpha tau m")
    for form in closed_forms(kind):
        assert sympy.expand(form.time - form.start_ups * alpha - form.data * m * tau) == 0
        names = {"alpha": 5, "tau": 2, "m": 7, "n": 3, "k": 3, "D": 2}
        assert form.time.subs(names) == (form.start_ups * 5 + form.data * 14).subs(names)
        assert form.time.subs(names).is_Rational
