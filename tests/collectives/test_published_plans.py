"""Plans by their published rules: steps and blocks by hand, what they share, and what they take."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from lccmodel import collectives
from lccmodel.collectives import circulant, exchanges, trees
from lccmodel.collectives.algorithms import Site, direct_wires
from lccmodel.collectives.packing import packed_trees
from lccmodel.collectives.plans import Plan
from lccmodel.collectives.rings import snake
from lccmodel.errors import InputError
from lccmodel.network import as_network
from lccmodel.pipelining.message_cost import Linear
from tests.choosing import sampled, slow
from tests.collectives.reading import messages_of

F = Fraction
COST = Linear(5, "1/1000")
Rows = list[list[tuple[int, int, tuple[int, ...]]]]


def rows(plan: Plan) -> Rows:
    return [sorted((u, v, tuple(some)) for u, v, some, _ in step) for step in messages_of(plan)]


def on(kind: Any, name: str, network: str, ports: Any = "one") -> Callable[[], Plan]:
    return lambda: collectives.collective_of(kind, name, network, ports=ports).plan


_INSIDE_FIRST: Rows = [
    [(0, 1, (1, 3)), (1, 0, (4, 6)), (2, 3, (9, 11)), (3, 2, (12, 14))],
    [(0, 2, (2, 6)), (1, 3, (3, 7)), (2, 0, (8, 12)), (3, 1, (9, 13))],
]
BY_HAND: list[tuple[Callable[[], Plan], Rows]] = [
    # skips 1, 2, 3: the table of the module; blocks 0, 1, 2 in six rounds
    (lambda: circulant.turns(5), [
        [(0, 1, (0,))],
        [(0, 2, (1,))],
        [(0, 3, (2,)), (1, 4, (0,))],
        [(1, 2, (0,)), (2, 3, (1,)), (3, 4, (2,))],
        [(1, 3, (0,)), (2, 4, (1,)), (4, 1, (2,))],
        [(3, 1, (1,)), (4, 2, (2,))],
    ]),
    # rank 0 sends to 1 what is for 1 and 3, then to 2 what 0 and 1 have for 2
    (lambda: exchanges.along_axes((2, 2)), _INSIDE_FIRST),
    (on("alltoall", "hierarchical-pairwise", "mesh:2*2"), _INSIDE_FIRST),
    # halves inside, quarters round the ring of two nodes and back, halves inside
    (on("allreduce", "hierarchical-ring", "mesh:2*2"), [
        [(0, 1, (2, 3)), (1, 0, (0, 1)), (2, 3, (2, 3)), (3, 2, (0, 1))],
        [(0, 2, (1,)), (1, 3, (3,)), (2, 0, (0,)), (3, 1, (2,))],
        [(0, 2, (0,)), (1, 3, (2,)), (2, 0, (1,)), (3, 1, (3,))],
        [(0, 1, (0, 1)), (1, 0, (2, 3)), (2, 3, (0, 1)), (3, 2, (2, 3))],
    ]),
    # radix 2: what goes 1 or 3 on goes 1 on first; rank 0 then has what 3 has for 2, block 14
    (on("alltoall", "bruck", "mesh:4"), [
        [(0, 1, (1, 3)), (1, 2, (4, 6)), (2, 3, (9, 11)), (3, 0, (12, 14))],
        [(0, 2, (2, 14)), (1, 3, (3, 7)), (2, 0, (4, 8)), (3, 1, (9, 13))],
    ]),
    # both ways round a ring, half of the data each
    (on("broadcast", "cycles", "torus:3", "all"),
     [[(0, 1, (0,)), (0, 2, (1,))], [(1, 2, (0,)), (2, 1, (1,))]]),
    (on("allreduce", "packed-trees", "mesh:3", "all"),
     [[(0, 1, (0,)), (2, 1, (0,))], [(1, 0, (0,)), (1, 2, (0,))]]),
]  # fmt: skip


@pytest.mark.parametrize(("make", "steps"), BY_HAND)
def test_steps_and_blocks_by_hand(make, steps):
    assert rows(make()) == steps


@pytest.mark.parametrize("p", [*range(2, 34), 63, 64, 65, 100, 127])
def test_n_blocks_take_n_minus_1_and_log_p_rounds_with_one_port(p):
    """For any n a rank sends one message a round, and gets each block once.

    In a turn a rank receives each block once: its base block, and all others of the turn before.
    """
    q, skips = (p - 1).bit_length(), circulant.skips_of(p)
    for rank in range(1, p):
        base = circulant.base_block(rank, skips)
        blocks = sorted(circulant.received(rank, skips))
        assert blocks == sorted([base, *(j - q for j in range(q) if j != base)])
    plan = circulant.rounds(p)
    for n in (1, 2, q, q + 1, q + 2, 2 * q + 1, 3 * q):
        cut = plan.segmented(n)
        assert cut.steps == n - 1 + q
        assert cut.messages == n * (p - 1)
        for step in rows(cut):
            assert len({u for u, _, _ in step}) == len(step) == len({v for _, v, _ in step})
        if p < 40:
            assert cut.replay().ok
            up = plan.backwards("reduce", add=True).segmented(n)
            assert up.replay().ok
            assert up.collective == "reduce"


# -- trees -------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", range(1, 7))
def test_the_trees_of_a_cube_share_no_channel_and_are_n_plus_1_high(n):
    """[ho]: n trees over 2^n - 1 channels each, of n 2^n; by hand n = 2: 0-1-3-2 and 0-2-3-1."""
    forest = [trees.disjoint_parents(n, tree).tolist() for tree in range(n)]
    if n == 2:
        assert forest == [[0, 0, 3, 1], [0, 3, 0, 2]]
    used = Counter((parent, child) for tree in forest for child, parent in enumerate(tree) if child)
    assert set(used.values()) == {1}
    assert len(used) == n * (2**n - 1)
    assert all((u ^ v).bit_count() == 1 for u, v in used)
    for name in ("broadcast", "reduce"):
        made = collectives.collective_of(name, "edge-disjoint-trees", f"cube:{n}", ports="all")
        assert made.steps == (n + 1 if n > 1 else 1)
        assert made.busiest == F(made.steps, n)
        assert made.loads().full.carried * made.loads().grain == F(1, n)


def least_load(network: str) -> Fraction:
    """max over partitions P of (|P| - 1) / |links between its parts| [nash]."""
    where = as_network(network)
    links = [(u, v) for u, v in where.graph().edges if u < v]
    labels: list[tuple[int, ...]] = [()]
    for _ in range(where.size):
        labels = [(*some, k) for some in labels for k in range(max(some, default=-1) + 2)]
    between = [(max(parts), sum(parts[u] != parts[v] for u, v in links)) for parts in labels]
    return max(F(parts, cut) for parts, cut in between if parts)


@pytest.mark.parametrize("network", ["mesh:3x2", "torus:4", "mesh:4", "cube:3", "torus:3x2"])
def test_packed_trees_are_spanning_and_no_load_is_below_all_partitions(network):
    where = as_network(network)
    wires = direct_wires(where)
    channels = {(u, v) for u, v, _ in wires}
    for both in (True, False):
        forest = packed_trees(where.size, wires, both=both)
        used: Counter[tuple[int, int]] = Counter()
        for tree in forest:
            reached = {0}
            for _ in range(where.size):
                reached |= {c for c, parent in enumerate(tree.tolist()) if parent in reached}
            assert len(reached) == where.size
            for child, parent in enumerate(tree.tolist()):
                if child:
                    assert (parent, child) in channels
                    used[parent, child] += 1
                    used[child, parent] += both
        load = F(max(used.values()), len(forest))
        if both:
            assert least_load(network) <= load <= least_load(network) * F(5, 4)
        else:
            ways_in = Counter(v for _, v, _ in wires)
            assert load == 1 / F(min(ways_in[rank] for rank in range(1, where.size)))
    made = collectives.allreduce("packed-trees", network, ports="all")
    assert made.replay().ok
    assert made.loads().full.carried * made.loads().grain >= made.bound.data


def test_sites_with_wires_have_packed_trees_and_others_have_not():
    wires = [("rails:2,2", 0), ("torus:4", 8), ("torus:300", 0)]
    assert [(word, len(Site.on(as_network(word), ports="all").wires)) for word, _ in wires] == wires
    ends = [wire[:2] for wire in direct_wires(as_network("cube:2,nodes=0-1"))]
    assert ends == [(0, 1), (1, 0)]
    assert direct_wires(as_network("cube:2,nodes=0:3")) == ()


def test_paths_along_cycles_go_from_neighbour_to_neighbour():
    """Of torus:4x4 two cycles, each both ways: four chains over a quarter of the data each."""
    assert snake((3, 2)).tolist() == [0, 1, 2, 5, 4, 3]
    assert trees.path_parents(np.array([0, 2, 1])).tolist() == [0, 2, 0]
    for network, ways in (("torus:4x4", 4), ("torus:5", 2), ("mesh:3x3", 1), ("cube:4", 4)):
        made = collectives.broadcast("cycles", network, ports="all")
        assert made.plan.blocks == ways
        assert made.steps == made.plan.ranks - 1
        assert max(cost.hops for cost in made.loads().costs(1)) == 1
        assert made.loads().full.carried * made.loads().grain == F(1, ways)


# -- direct and axis by axis -------------------------------------------------------------------


def test_direct_plans_take_one_step_for_each_half():
    """On hyperx:5 every rank has a link to each other: start-ups 1 and 2, data 1/5 a step."""
    steps = {"allgather": 1, "reduce-scatter": 1, "allreduce": 2, "broadcast": 2, "reduce": 2}
    for name, many in (*steps.items(), ("scatter", 1), ("gather", 1)):
        made = collectives.collective_of(name, "direct", "hyperx:5", ports="all")
        assert (made.steps, made.start_ups, made.busiest) == (many, many, F(many, 5))
        assert collectives.collective_of(name, "direct", "hyperx:5").start_ups == 4 * many
    with pytest.raises(InputError, match="at most 1024 ranks"):
        collectives.allgather("direct", "torus:1025")


@pytest.mark.parametrize("sides", [(3, 2), (4, 3, 2), (5, 1, 2), (4, 4)])
def test_an_alltoall_may_begin_with_any_axis_either_way(sides):
    for first, back in product(range(len(sides)), (False, True)):
        plan = exchanges.along_axes(sides, first, back=back)
        assert plan.replay().ok
        assert plan.steps == sum(side - 1 for side in sides)


# -- two levels --------------------------------------------------------------------------------

NAMES = {
    "allreduce": ("swing", "rabenseifner", "double-tree", "direct"),
    "reduce-scatter": ("bucket", "direct"),
    "allgather": ("bruck", "swing", "direct"),
    "broadcast": ("binomial", "circulant", "scatter-ring"),
    "reduce": ("binomial", "circulant"),
    "alltoall": ("bruck-3", "linear", "axes"),
    "scatter": ("binomial", "direct"),
    "gather": ("chain",),
}


@pytest.mark.parametrize("collective", NAMES)
def test_every_algorithm_goes_between_nodes_and_inside(collective):
    inner = {"alltoall": ("pairwise", "bruck"), "scatter": ("chain",), "gather": ("direct",)}
    for name, network in product(NAMES[collective], ("torus:4*2", "cube:2*3", "rails:4,2")):
        for inside in ("", *inner.get(collective, ("ring", "direct", "recursive-doubling"))):
            word = f"hierarchical-{name}" + (f"-{inside}" if inside else "")
            rooted = collective in ("broadcast", "reduce", "scatter", "gather")
            for root in {0, as_network(network).size - 1 if rooted else 0}:
                try:
                    made = collectives.collective_of(collective, word, network, root=root)
                except InputError as error:
                    assert "is for" in error.rule  # noqa: PT017 - not for these ranks
                    continue
                assert (made.algorithm.name, made.plan.root) == (word, root)
                assert made.replay().ok, (word, network, root)


def test_names_in_two_levels():
    old = collectives.allreduce("hierarchical", "torus:4*2")
    assert old.algorithm.name == "hierarchical-ring"
    wrong = ("hierarchical-none", "hierarchical-ring-none", "hierarchical-")
    for kind, name in (*(("allreduce", name) for name in wrong), ("barrier", "hierarchical-ring")):
        with pytest.raises(InputError, match="algorithm: must be one of"):
            collectives.collective_of(kind, name, "torus:4*2")
    with pytest.raises(InputError, match="several ranks to a node"):
        collectives.allreduce("hierarchical-ring", "torus:4")


# -- what they take ----------------------------------------------------------------------------

NVLINK, NIC = Linear("1/2", "1/400000"), Linear(5, "1/50000")
MiB, GiB = 1 << 20, 1 << 30
TABLE = [
    *sampled([
        ("allreduce", "hyperx:8", "all", MiB, 272.2),
        ("broadcast", "cube:6", "all", 32 * MiB, 6452),
        ("broadcast", "torus:8x8", "all", 32 * MiB, 13402),
        ("broadcast", "torus:4x4x4", "all", 32 * MiB, 9251),
        ("reduce", "fattree:4^3", "one", MiB, 1397.5),
        ("allreduce", "mesh:8x8", "all", GiB, 678991),
    ], 4),
    *map(slow, [
        ("allgather", "fattree:8x48", None, 64 * MiB, 345),
        ("alltoall", "fattree:8x48", None, 64 * MiB, 1699.516),
        ("allreduce", "fattree:8x48", None, 64 * MiB, 690),
        ("allreduce", "rails:4,8", None, GiB, 10800),
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "network", "ports", "m", "most"), TABLE)
def test_published_plans_are_as_fast_as_they_say(kind, network, ports, m, most):
    """At 5 and 1/1000; where no ports are stated at 5 and 1/50000, and inside 1/2 and 1/400000."""
    if ports is None:
        best = collectives.choose(kind, NIC, m, network, inside=NVLINK)
    else:
        best = collectives.choose(kind, COST, m, network, ports=ports)
        assert best.collective.replay().ok
    assert best.lower_bound <= best.time <= most


def test_figures_that_papers_state():
    """docs/collective_results.md: Bine's distances, Trivance, NCCL's double trees."""

    def distance(kind: str, name: str, p: int) -> Fraction:
        plan, far = collectives.plan(kind, name, p), F(0)
        for stage in plan.stages:
            for send in stage.sends:
                ahead = np.abs(send.source - send.destination)
                far += int(np.minimum(ahead, p - ahead).sum()) * send.size * stage.times
        return far * plan.unit

    for p in (64, 1024):
        latency = distance("allreduce", "recursive-doubling", p)
        assert distance("allreduce", "bine-latency", p) == latency * F(2, 3)
        tree = distance("broadcast", "bine", p) / distance("broadcast", "binomial", p)
        assert F(2, 3) < tree < F(71, 100)
    for p, steps in ((9, 2), (27, 3), (81, 4)):
        assert collectives.allreduce("trivance", f"torus:{p}", ports="all").steps == steps
    double = collectives.allreduce("double-tree", "hyperx:64").loads()
    assert double.full.carried * double.grain == 2
    assert double.start_ups == 22
    for p in (8, 64):  # NCCL counts 2 log2(N) messages one after another up and down its trees
        waits: Counter[tuple[int, int]] = Counter()  # messages before a block is at a rank
        for step in rows(collectives.plan("allreduce", "double-tree", p)):
            came = [(v, block, waits[u, block] + 1) for u, v, some in step for block in some]
            for v, block, many in came:
                waits[v, block] = max(waits[v, block], many)
        assert max(waits.values()) == 2 * (p - 1).bit_length()
