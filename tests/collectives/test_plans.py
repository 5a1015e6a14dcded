"""Plans do what their collectives ask, every algorithm; what is wrong is in test_replay."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import numpy as np
import pytest

from lccmodel import collectives
from lccmodel.collectives.algorithms import Algorithm, Site
from lccmodel.collectives.catalogue import ALGORITHMS
from lccmodel.collectives.plans import Plan
from lccmodel.collectives.replay import Kept, run_plan
from lccmodel.collectives.rings import hamiltonian_cycles
from lccmodel.errors import InputError
from lccmodel.network import as_network
from tests.bridges import check_bridge
from tests.choosing import slow


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
@pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=lambda a: f"{a.collective}-{a.name}")
def test_every_plan_achieves_its_collective(algorithm: Algorithm, ranks: Iterable[int]) -> None:
    """Postconditions on rows and grids; beyond 32 ranks on rings, and alltoalls beyond 16."""
    for p in ranks:
        alone = p > 32 or (algorithm.collective == "alltoall" and p > 16)
        for site in [Site(p, (p,))] if alone else sites(p):
            if algorithm.covers(site):
                replayed = algorithm.on(site).replay()
                assert isinstance(replayed, Kept), (site, str(replayed))
                assert replayed.exact


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


@pytest.mark.parametrize(
    ("bridge", "n", "most"),
    [
        ("collectives", 3, 60), ("collectives", 4, 60), ("collectives.tori", 3, 100),
        *(slow(("collectives", p, 60)) for p in (2, 6, 7, 8)), slow(("collectives.tori", 5, 100)),
    ],
)  # fmt: skip
def test_plans_end_as_their_blocks_are_walked(bridge: str, n: int, most: int) -> None:
    """By the bridge: each contribution exactly once, start-ups, data on the busiest channel."""
    check_bridge(bridge, n, most)


def test_segments_are_the_same_collective() -> None:
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
def test_bad_input_is_refused(call: object, rule: str) -> None:
    with pytest.raises(InputError) as refused:
        call()
    assert rule in str(refused.value)
