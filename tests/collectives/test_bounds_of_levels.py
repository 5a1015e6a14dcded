"""Bounds where a rank has several links: which cut, every level of links by its own price."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from lccmodel import collectives
from lccmodel.collectives.algorithms import uses_all_ports
from lccmodel.collectives.bounds import collective_bound
from lccmodel.collectives.problem import CollectiveProblem
from lccmodel.network import as_network
from lccmodel.pipelining.message_cost import Linear
from tests.choosing import fast_only

F = Fraction
NVLINK, NIC = Linear("1/2", "1/400000"), Linear(5, "1/50000")


def test_gpus_with_nvlink_and_nic_by_hand() -> None:
    """32 GPUs: 62 vectors leave by 32 links of 1 and 32 of 8; 6 must leave 4 nodes by 32 links.

    0.4 had 1/8 of the vector for all ports, which is one link of a node alone.
    """
    where = as_network("rails:4,8")
    problem = CollectiveProblem("allreduce", where, ports="all")
    bound = collective_bound(problem, item=F(1, 8))
    assert (bound.data, bound.by) == (F(62, 32 * 9), "sums")
    found = collectives.allreduce("rabenseifner", where, ports="all")
    assert found.lower_bound(NIC, 1 << 30, inside=NVLINK) == 5 * 1 + F(62, 288) * F(1 << 30, 50000)
    slow = found.lower_bound(NIC, 1 << 30, inside=Linear(5, 0))  # NVLink costs nothing
    assert slow == 4 * 5 + F(6, 32) * F(1 << 30, 50000)


@pytest.mark.parametrize(
    ("network", "item"),
    fast_only(
        product(("rails:2,2", "rails:3,2", "mesh:2*2", "torus:2x2*2/2"), (F(1, 3), F(1))),
        ("rails:2,2", F(1, 3)), ("mesh:2*2", F(1)),
    ),
)  # fmt: skip
def test_no_plan_is_below_the_bound_of_every_level(network: str, item: Fraction) -> None:
    """Every algorithm of every collective, data alone: alpha is next to nothing."""
    between = Linear(F(1, 10**9), 1)
    inside = Linear(F(1, 10**9), item)
    for ports in ("one", "all"):
        for kind in collectives.COLLECTIVES:
            best = collectives.choose(kind, between, 720, network, ports=ports, inside=inside)  # type: ignore[arg-type]
            assert best.lower_bound <= best.time, (kind, ports)


@pytest.mark.parametrize(
    ("network", "word"),
    [
        ("mesh:4x8", "a box 4x4 of 4x8, 4 leave"),
        ("cube:5", "a subcube of 4 of 5 dimensions, 16 leave"),
        ("mesh:6", "ranks 0-2 of 6, which a bandwidth of 1 leaves"),
    ],
)
def test_the_bound_names_its_cut(network: str, word: str) -> None:
    where = as_network(network)
    bound = collective_bound(CollectiveProblem("alltoall", where, ports="all"))
    assert (bound.by, bound.cut) == ("cut", word)
    table = collectives.alltoall("pairwise", where, ports="all").as_table()
    assert table.records()[0]["cut"] == word
    assert word in table.render()


def test_the_ranks_of_a_cut_are_those_that_its_bandwidth_leaves() -> None:
    """Of all sets, on two triangles that one link joins: half of the ranks leave by it."""
    import networkx as nx

    from lccmodel.network import RouteTable

    graph = nx.Graph([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)])
    where = RouteTable.from_graph(graph)
    for kind in ("allgather", "alltoall", "allreduce"):
        bound = collective_bound(CollectiveProblem(kind, where, np.arange(6), "all"))  # type: ignore[arg-type]
        assert bound.cut in (
            "ranks 0-2 of 6, which a bandwidth of 1 leaves",
            "ranks 3-5 of 6, which a bandwidth of 1 leaves",
        )
    leaving = {
        inside: sum((u in inside) != (v in inside) for u, v in graph.edges)
        for k in (1, 2, 3)
        for inside in combinations(range(6), k)
    }
    assert min(leaving.values()) == leaving[0, 1, 2] == 1


def test_a_host_with_adapters_at_two_switches_uses_both(tmp_path: object) -> None:
    """Four hosts on a switch of their pair and one of all: two messages start at a time.

    By hand: host 0 sends to 1 by the switch of their pair, and to 2 by the other. 0.4 had one port.
    """
    lines = ["routers: near[0-1] far"]
    lines += [f"h{k} near{k // 2}\nh{k} far" for k in range(4)]
    file = tmp_path / "hosts.txt"  # type: ignore[operator]  # a path
    file.write_text("\n".join(lines))
    where = as_network(f"graph:{file}")
    assert uses_all_ports(where, "all")
    assert not uses_all_ports(where, "one")
    plan = collectives.Plan.of_steps("broadcast", 4, [[(0, 1, [0]), (0, 2, [0])]], 1)
    for ports, start_ups, busiest in (("one", 2, 2), ("all", 1, 1)):
        loads = collectives.PlanLoads(plan, where, np.arange(4), ports)  # type: ignore[arg-type]
        assert (loads.start_ups, loads.busiest) == (start_ups, busiest)
    for kind in collectives.COLLECTIVES:
        best = collectives.choose(kind, Linear(F(1, 10**9), 1), 720, where, ports="all")
        assert best.lower_bound <= best.time
        assert best.collective.notes == where.notes
    assert collectives.allreduce("ring", where, ports="all").bound.data == F(6, 8)
