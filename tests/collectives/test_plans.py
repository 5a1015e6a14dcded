"""Plans do what their collectives ask, every algorithm; what is wrong is in test_replay."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import numpy as np
import pytest

from lccmodel import collectives
from lccmodel.collectives.algorithms import Algorithm, Site
from lccmodel.collectives.catalogue import ALGORITHMS
from lccmodel.collectives.collective import algorithm as named
from lccmodel.collectives.plans import Plan
from lccmodel.collectives.replay import Kept, run_plan
from lccmodel.collectives.rings import hamiltonian_cycles
from lccmodel.errors import InputError, SizeLimitError
from lccmodel.network import as_network
from tests.bridges import check_bridge
from tests.choosing import slow


def sites(p: int) -> list[Site]:
    """p ranks in a row, and as grids and cubes where p allows, with one port and with all."""
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


@pytest.mark.parametrize(
    "ranks", [range(1, 9), slow(range(9, 18)), slow(((27, 32),))], ids=["few", "more", "many"]
)
@pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=lambda a: f"{a.collective}-{a.name}")
def test_every_plan_achieves_its_collective(algorithm: Algorithm, ranks: Iterable[int]) -> None:
    """Postconditions for every p up to 17 and 27, 32 that the rule covers, on rows and grids."""
    for p in ranks:
        for site in sites(p):
            if algorithm.covers(site) and not (algorithm.collective == "alltoall" and p > 16):
                found = algorithm.on(site).replay()
                assert isinstance(found, Kept), (site, str(found))
                assert found.exact


@pytest.mark.slow
@pytest.mark.parametrize("collective", collectives.COLLECTIVES)
def test_every_algorithm_achieves_its_collective_for_every_p_up_to_64(collective: str) -> None:
    """On a ring of ranks, each contribution followed by itself; alltoalls, too."""
    for algorithm in collectives.algorithms_of(collective):
        for p in range(2, 65):
            site = Site(p, (p,))
            if algorithm.covers(site):
                found = algorithm.on(site).replay()
                assert isinstance(found, Kept), (algorithm.name, p, str(found))
                assert found.exact


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_a_torus_has_as_many_hamiltonian_cycles_as_links_allow(axes: int) -> None:
    """Through all nodes, no link twice, half the degree of a node of them [aubert]."""
    for shape in [*product(range(1, 7), repeat=axes), (16, 16), (2,) * 5]:
        p, used = int(np.prod(shape)), set[frozenset[int]]()
        if p == 1:
            continue
        links = as_network("torus:" + "x".join(map(str, shape))).graph()
        found = hamiltonian_cycles(shape)
        for cycle in found:
            assert sorted(cycle.tolist()) == list(range(p))
            for u, v in zip(cycle.tolist(), np.roll(cycle, 1).tolist(), strict=True):
                assert links.has_edge(u, v)
                assert frozenset((u, v)) not in used
                used.add(frozenset((u, v)))
        degree = sum(min(2, side - 1) for side in shape)
        assert len(found) == (degree // 2 if p > 2 else 0), shape


def test_any_radix_of_bruck() -> None:
    for p in (1, 5, 9, 12):
        for radix in (2, 3, 5, 7, 100):
            assert named("alltoall", f"bruck-{radix}").on(Site(p, (p,))).replay().ok
    with pytest.raises(InputError):
        collectives.plan("alltoall", "bruck-1", 4)


@pytest.mark.parametrize(
    "shape",
    [
        case if case in ((3, 3, 3), (6, 4)) else slow((case,))
        for case in [(4, 4, 4), (8, 8), (16, 16), (9, 9), (3, 3, 3), (6, 4), (8, 4, 4)]
    ],
)
def test_every_allreduce_on_tori_up_to_256(shape: tuple[int, ...]) -> None:
    p = int(np.prod(shape))
    for algorithm in collectives.algorithms_of("allreduce"):
        for ports in ("one", "all"):
            site = Site(p, shape, ports=ports)
            if algorithm.covers(site):
                assert algorithm.on(site).replay().ok, (algorithm.name, ports)


@pytest.mark.parametrize(
    ("bridge", "n", "most"),
    [
        case if case[1] in (3, 4) else slow(case)
        for case in [
            *(("collectives", p, 60) for p in (2, 3, 4, 6, 7, 8)),
            ("collectives.tori", 3, 100),
        ]
    ],
)
def test_plans_end_as_their_blocks_are_walked(bridge: str, n: int, most: int) -> None:
    """By the bridge: each contribution exactly once, start-ups, data on the busiest channel."""
    check_bridge(bridge, n, most)


def test_segments_are_the_same_collective() -> None:
    """One behind the other, each does the whole plan."""
    for (collective, name), algorithm in ALGORITHMS.items():
        if collective not in ("alltoall", "barrier") and algorithm.covers(Site(8, (8,))):
            plan = algorithm.on(Site(8, (8,)))
            assert plan.segmented(3).steps == plan.steps + 2 * plan.lag
            assert plan.segmented(3).replay().ok, name


@pytest.mark.parametrize("p", range(1, 6))
def test_blocks_that_are_not_said_are_one_a_rank_or_one_a_pair(p: int) -> None:
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
    """As a function of rank and step, which `own` takes."""
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
        (lambda: collectives.allreduce("ring", "mesh:2", node_of=[0, 1, 1]), "at least 3 nodes"),
        (lambda: collectives.allreduce("ring", "mesh:4", node_of=[0, 1, 1]), "different nodes"),
        (lambda: collectives.allreduce("ring", "mesh:4", ports="two"), 'must be "one" or "all"'),
        (lambda: Plan.of_steps("reduce", 2, [[(0, 2, [0])]]), "must be two ranks of 0..1"),
        (lambda: Plan.of_steps("reduce", 2, [[(0, 1, [2])]]), "block: must be in 0..1"),
        (lambda: Plan.of_steps("reduce", 2, [[(0, 1, [0], "sum")]]), 'must be "add" or "copy"'),
        (lambda: run_plan(collectives.plan("allreduce", "ring", 2), [[1]]), "a multiple of 2"),
    ],
)
def test_bad_input_is_refused(call: object, rule: str) -> None:
    with pytest.raises(InputError) as refused:
        call()
    assert rule in str(refused.value)


def test_too_many_blocks_are_refused() -> None:
    with pytest.raises(SizeLimitError, match="blocks on all ranks"):
        collectives.plan("alltoall", "bruck", 1 << 12).replay()


@pytest.mark.parametrize(
    ("given", "argument"),
    [
        ({"messages": lambda rank, step, p: None}, "messages of mine"),
        ({"steps": 3}, "steps"),
        ({"blocks": 1}, "blocks"),
    ],
)
def test_an_algorithm_of_ones_own_that_is_no_function_is_named(given, argument):
    made = {"messages": lambda rank, step, p: [], "steps": lambda p: 1, "blocks": lambda p: 1}
    with pytest.raises(InputError) as caught:
        collectives.own("mine", "reduce", **{**made, **given}).on(collectives.Site(4, (4,)))
    assert caught.value.argument == argument
