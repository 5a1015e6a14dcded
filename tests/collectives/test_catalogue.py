"""The catalogue: which ranks a rule covers, what names stand for, and what its plans achieve."""

from itertools import product

import numpy as np
import pytest

from lccmodel import collectives
from lccmodel.collectives import bounds, exchanges, rings, trees
from lccmodel.collectives.algorithms import Site, hosts_of, slots_of
from lccmodel.collectives.bounds import collective_bound
from lccmodel.collectives.catalogue import ALGORITHMS, NESTED, with_radix
from lccmodel.collectives.collective import algorithm, algorithms_of, collective_of
from lccmodel.collectives.plans import Plan
from lccmodel.collectives.problem import CollectiveProblem
from lccmodel.collectives.replay import Kept, run_plan
from lccmodel.errors import InputError, NetworkError
from lccmodel.network import as_network
from tests.bridges import check_bridge
from tests.choosing import slow

TWO, THREE = {1 << k for k in range(8)}, {3**k for k in range(5)}
SITES = [
    Site(p, sides, per_node=shared)
    for p in (*range(1, 19), 27, 64, 81)
    for sides in {(p,), *((a, p // a) for a in (2, 3, 4) if p % a == 0), (1, p)}
    for shared in sorted({1, 2, p})
    if p % shared == 0
]
NEEDS = {
    "any p": lambda site: True,
    "p a power of two": lambda site: site.ranks in TWO,
    "an even p of at most 4096": lambda site: not site.ranks % 2,
    "at least 3 ranks": lambda site: site.ranks >= 3,
    "even sides": lambda site: not any(side % 2 for side in site.sides if side != 1),
    "sides that are powers of two": lambda site: set(site.sides) <= TWO,
    "sides that are powers of three": lambda site: set(site.sides) <= THREE,
    "several ranks to a node": lambda site: site.per_node in range(2, site.ranks),
    "at most 1024 ranks": lambda site: site.ranks <= 1024,
    "at most 4096 ranks": lambda site: site.ranks <= 4096,
    "several axes": lambda site: sorted(site.sides)[-2:-1] > [1],
    # sites that say all ports, and where they are: `test_published_plans`
    "a cube with all ports": lambda site: False,
    "ranks joined by channels of their own, all ports": lambda site: False,
}


@pytest.mark.parametrize("rule", ALGORITHMS.values(), ids=lambda a: f"{a.collective}-{a.name}")
def test_a_rule_covers_the_ranks_that_it_names(rule):
    for site in SITES:
        assert rule.covers(site) == NEEDS[rule.needs](site), site
        if not rule.covers(site):
            with pytest.raises(InputError, match=f"is for {rule.needs}"):
                rule.on(site)
    for root in (-1, 4):
        with pytest.raises(InputError) as refused:
            rule.on(Site(4, (4,), root=root))
        assert refused.value.argument == "root"


def test_names_stand_for_algorithms():
    """One's own come last; "calmant" is recursive doubling; Bruck's has any radix from 2 on."""
    for kind in collectives.COLLECTIVES:
        known = algorithms_of(kind)
        assert known == tuple(a for a in (*ALGORITHMS.values(), *NESTED) if a.collective == kind)
        for rule in known:
            assert algorithm(kind, rule.name).name == rule.name
            assert algorithm("barrier", rule) is rule
        mine = [collectives.own("o", of, lambda *_: [], lambda p: 0) for of in (kind, "reduce")]
        assert algorithms_of(kind, mine) == (*known, *(m for m in mine if m.collective == kind))
    assert algorithm("allreduce", "calmant").name == "recursive-doubling"
    for radix, p in product((2, 3, 5, 9, 999_999), (1, 5, 9, 12)):
        made = algorithm("alltoall", f"bruck-{radix}")
        assert made.on(Site(p, (p,))).replay().ok
        assert made.name == f"bruck-{radix}" if radix > 2 else "bruck"
    wrong = [("alltoall", "bruck-1"), ("alltoall", "bruck-1000000"), ("alltoall", "bruck-"),
             ("allgather", "bruck-3"), ("allgather", "calmant"), ("alltoall", 3)]  # fmt: skip
    for kind, name in wrong:
        with pytest.raises(InputError):
            algorithm(kind, name)  # a number is no name
    for kind, also in (("sum", ()), (3, ()), ("reduce", ["chain"])):
        with pytest.raises(InputError):
            algorithms_of(kind, also)  # as above
    with pytest.raises(InputError):
        with_radix(1)


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        ([], "of every rank"), ([[0, 1]], "of every rank"), ([0] * 6, "different nodes"),
        ([0, 6], "different nodes"), ([-1, 0], "different nodes"), ([2, 2], "different nodes"),
        (list(range(7)), "at least 7 nodes"),
    ],
)  # fmt: skip
def test_every_rank_has_a_node_of_its_own(nodes, said):
    made = collective_of("allgather", "ring", "mesh:6", node_of=[0, 1, 5])
    assert (made.node_of.tolist(), made.plan.ranks) == ([0, 1, 5], 3)
    assert not made.node_of.flags.writeable
    with pytest.raises((InputError, NetworkError), match=said):
        collective_of("allgather", "ring", "mesh:6", node_of=nodes)


@pytest.mark.parametrize(
    ("word", "ranks", "sides", "wraps", "shared"),
    [
        ("cube:3", None, (2, 2, 2), True, 1), ("cube:3", 7, (7,), True, 1),
        ("cube:1", None, (2,), True, 1), ("mesh:3x2", None, (3, 2), False, 1),
        ("mesh:2x2", None, (2, 2), True, 1), ("torus:3x2", None, (3, 2), True, 1),
        ("torus:4x4", 15, (15,), True, 1), ("torus:4*2", None, (2, 4), True, 2),
        ("mesh:4x2*3", None, (3, 4, 2), False, 3), ("fattree:2x3/2", None, (6,), True, 2),
        ("rails:4,2", None, (8,), True, 2), ("origin:3", None, (2, 2, 2), True, 2),
    ],
)  # fmt: skip
def test_ranks_lie_as_their_network_does(word, ranks, sides, wraps, shared):
    """Axes of a mesh or cube, ranks that share a node first; two in a row are a ring."""
    network = as_network(word)
    site = Site.on(network, ranks, "all", 1)
    assert (site.sides, site.wraps, site.per_node) == (sides, wraps, shared)
    assert (site.ranks, site.ports, site.root) == (ranks or network.size, "all", 1)
    at = np.arange(network.size)
    assert hosts_of(network, at).tolist() == (at // slots_of(network)).tolist()


# -- limits of what is looked at ---------------------------------------------------------------


@pytest.mark.parametrize("word", ["mesh:3x2", "torus:4x3", "cube:3", "mesh:3x2,bandwidth=1:5"])
def test_boxes_and_flows_find_the_same_cut(word, monkeypatch):
    """Whichever is asked at a size, and whatever the limit is; of fewer ranks flows are."""
    where = as_network(word)
    monkeypatch.setattr(bounds, "_ALL_SETS", 0)
    for kind in ("allreduce", "broadcast", "allgather", "reduce-scatter"):
        told = []
        for most in (where.size, where.size - 1):
            monkeypatch.setattr(bounds, "_BOXES", most)
            told.append(collective_bound(CollectiveProblem(kind, where, ports="all")))
        assert told[0] == told[1], kind
        few = np.arange(where.size - 1)
        monkeypatch.setattr(bounds, "_FLOWS", where.size)
        data = collective_bound(CollectiveProblem(kind, where, few, "all")).data
        monkeypatch.setattr(bounds, "_FLOWS", where.size - 1)
        assert collective_bound(CollectiveProblem(kind, where, few, "all")).data <= data
        monkeypatch.setattr(bounds, "_FLOWS", 64)


# -- partners and trees, by their rules ----------------------------------------------------------


@pytest.mark.parametrize("side", range(1, 28))
def test_partners_are_as_published(side):
    """rho_s = 1, -1, 3, -5, 11, ...; 3^s both ways, in the last step half of what is left."""
    c = np.arange(side)
    rho = 0
    for step in range(5):
        rho += (-2) ** step
        for mirrored in (False, True):
            signs = np.where((c % 2 == 1) ^ mirrored, -rho, rho)
            partners = exchanges.swing_partners(side, step, mirrored=mirrored)
            assert partners.tolist() == ((c + signs) % side).tolist()
        last = 3 ** (step + 1) >= side
        far = (side - 3**step + 1) // 2 if last else 3**step
        ahead, back = exchanges.three_ways(side, step)
        assert ahead.tolist() == ((c + far) % side).tolist()
        assert back.tolist() == ((c - far) % side).tolist()
    for bit in range(4):
        assert exchanges.bit_partners(16, bit)[0].tolist() == [r ^ 1 << bit for r in range(16)]
    assert (trees.binomial_parents(side) == [r & (r - 1) for r in range(side)]).all()


@pytest.mark.parametrize("steps", [(), (0,), (3,), (2, 1), (1, 3, 2), (0, 2), (2, 2, 2)])
def test_axes_take_turns(steps):
    """Round by round from the first, each until it has its steps."""
    for first in range(max(1, len(steps))):
        turns = [*range(first, len(steps)), *range(first)]
        rounds = range(max(steps, default=0))
        expected = [(axis, k) for k in rounds for axis in turns if k < steps[axis]]
        assert list(exchanges.axes_in_turn(steps, first)) == expected


@pytest.mark.parametrize("p", range(1, 34))
def test_parents_are_as_published(p):
    """In-order: below the rank at twice its lowest bit, or that less the bit [sanders]."""
    for r, parent in enumerate(trees.in_order_parents(p).tolist()):
        bit = r & -r
        up = (r & ~bit) | 2 * bit
        assert parent == (up if up < p else r - bit), r
    if p & (p - 1) == 0:  # far partners are told first
        known, parents = [0], {0: 0}
        for step in reversed(range(p.bit_length() - 1)):
            told = exchanges.swing_partners(p, step)
            for rank in list(known):
                parents[int(told[rank])] = rank
                known.append(int(told[rank]))
        assert trees.bine_parents(p).tolist() == [parents[r] for r in range(p)]


@pytest.mark.parametrize(
    "shape", [(2, 2), (3, 4), (4, 3), (2, 3, 3), (3, 3, 2), (1, 2, 5), (4, 4, 2)]
)
def test_a_mesh_with_an_even_side_has_a_cycle(shape):
    """Through all nodes, one channel at a time, and back to the first; in a row there is none."""
    for odd in ((3, 3), (5,), (1, 5), (3, 5, 3), (1, 1), (2, 1), (1,), (7, 1, 1)):
        assert rings.hamiltonian_cycles(odd, wraps=False) == []
    mesh = as_network("mesh:" + "x".join(map(str, shape)))
    (cycle,) = rings.hamiltonian_cycles(shape, wraps=False)
    assert sorted(cycle.tolist()) == list(range(mesh.size))
    ends = zip(cycle.tolist(), np.roll(cycle, 1).tolist(), strict=True)
    assert all(mesh.distance(u, v) == 1 for u, v in ends)


# -- what plans achieve ---------------------------------------------------------------------------


def sites(p: int) -> list[Site]:
    shapes = {(p,)}
    shapes |= {(a, p // a) for a in (2, 3, 4) if p % a == 0 and p > a}
    if p & p - 1 == 0 and p > 2:
        shapes.add((2,) * (p.bit_length() - 1))
    return [
        Site(p, sides, wraps, ports=ports, root=root)
        for sides in sorted(shapes)
        for wraps in (True, False)
        for ports in ("one", "all")
        for root in {0, p // 2}
    ]


RANKS = [range(1, 9), *map(slow, (range(9, 18), [27, 32], range(33, 65)))]


@pytest.mark.parametrize("ranks", RANKS, ids=["few", "more", "many", "rings"])
@pytest.mark.parametrize("rule", ALGORITHMS.values(), ids=lambda a: f"{a.collective}-{a.name}")
def test_every_plan_achieves_its_collective(rule, ranks):
    """Postconditions on rows and grids; beyond 32 ranks on rings, and alltoalls beyond 16."""
    for p in ranks:
        alone = p > 32 or (rule.collective == "alltoall" and p > 16)
        for site in [Site(p, (p,))] if alone else sites(p):
            if rule.covers(site):
                replayed = rule.on(site).replay()
                assert isinstance(replayed, Kept), (site, str(replayed))
                assert replayed.exact


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_a_torus_has_as_many_hamiltonian_cycles_as_links_allow(axes):
    """Through all nodes, no link twice, half the degree of a node of them [aubert]."""
    for shape in [*product(range(1, 7), repeat=axes), (16, 16), (2,) * 5]:
        p, used = int(np.prod(shape)), set[frozenset[int]]()
        if p == 1:
            continue
        links = as_network("torus:" + "x".join(map(str, shape))).graph()
        cycles = rings.hamiltonian_cycles(shape)
        for cycle in cycles:
            assert sorted(cycle.tolist()) == list(range(p))
            for u, v in zip(cycle.tolist(), np.roll(cycle, 1).tolist(), strict=True):
                assert links.has_edge(u, v)
                assert frozenset((u, v)) not in used
                used.add(frozenset((u, v)))
        degree = sum(min(2, side - 1) for side in shape)
        assert len(cycles) == (degree // 2 if p > 2 else 0), shape


@pytest.mark.parametrize(
    ("bridge", "n", "most"),
    [
        ("collectives", 3, 60), ("collectives", 4, 60), ("collectives.tori", 3, 100),
        *(slow(("collectives", p, 60)) for p in (2, 6, 7, 8)), slow(("collectives.tori", 5, 100)),
    ],
)  # fmt: skip
def test_plans_end_as_their_blocks_are_walked(bridge, n, most):
    """By the bridge: each contribution exactly once, start-ups, data on the busiest channel."""
    check_bridge(bridge, n, most)


def test_segments_are_the_same_collective():
    for (collective, name), rule in ALGORITHMS.items():
        if collective not in ("alltoall", "barrier") and rule.covers(Site(8, (8,))):
            plan = rule.on(Site(8, (8,)))
            assert plan.segmented(3).steps == plan.steps + 2 * plan.lag
            assert plan.segmented(3).replay().ok, name


@pytest.mark.parametrize("p", range(1, 6))
def test_blocks_that_are_not_said_are_one_a_rank_or_one_a_pair(p):
    """Each block straight to whom it is for; without any message the first is not where it goes."""
    pairs = [(u, v) for u in range(p) for v in range(p) if u != v]
    straight = {
        "alltoall": (p * p, [(u, v, [u * p + v]) for u, v in pairs]),
        "allgather": (p, [(u, v, [u]) for u, v in pairs]),
        "reduce-scatter": (p, [(u, v, [v], "add") for u, v in pairs]),
        "broadcast": (p, [(0, v, list(range(p))) for v in range(1, p)]),
    }
    for collective, (blocks, messages) in straight.items():
        plan = Plan.of_steps(collective, p, [messages])
        assert (plan.blocks, plan.replay().ok) == (blocks, True), collective
        assert Plan.of_steps(collective, p, []).replay().ok == (p == 1)
        made = collectives.own("o", collective, _listed(messages), lambda _: 1).on(Site(p, (p,)))
        assert (made.blocks, made.replay().ok) == (blocks, True), collective


def _listed(messages: list[tuple[int, ...]]):
    return lambda rank, step, p: [rest for source, *rest in messages if source == rank]


# -- refusals ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "rule"),
    [
        (lambda: collectives.plan("sum", "ring", 4), "collective: must be one of allreduce"),
        (lambda: collectives.plan("allreduce", "rong", 4), "algorithm: must be one of ring"),
        (lambda: collectives.plan("allreduce", "bine", 6), "is for p a power of two; got '6'"),
        (lambda: collectives.allreduce("swing", "torus:3x4"), "is for even sides; got '3x4'"),
        (lambda: collectives.broadcast("chain", "mesh:4", root=4), "root: must be in 0..3"),
        (lambda: collectives.allreduce("ring", "mesh:4", ports="two"), 'must be "one" or "all"'),
        (lambda: run_plan(collectives.plan("allreduce", "ring", 2), [[1]]), "a multiple of 2"),
    ],
)
def test_bad_input_is_refused(call, rule):
    with pytest.raises(InputError) as refused:
        call()
    assert rule in str(refused.value)
