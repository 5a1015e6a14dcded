"""What the ports of nodes carry: two kinds of link on a host, and how wide one port is.

By hand, two nodes of two GPUs, each with NVLink to its node's switch (400) and a NIC (50) on a
leaf. Rabenseifner's allreduce halves over NVLink, then over the NIC, and back: 2 (1/2)/400 =
1/400 of the vector on NVLink and 2 (1/4)/50 = 1/100 on the NIC. With one port they follow one
another, 1/80; with all ports in many segments they overlap, 1/100, which is the cut's bound.
"""

from __future__ import annotations

import itertools
import pickle
from fractions import Fraction
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from lccmodel import collectives
from lccmodel.collectives.bounds import collective_bound
from lccmodel.collectives.problem import CollectiveProblem
from lccmodel.errors import NetworkError
from lccmodel.network import Network, RouteTable, as_network
from lccmodel.pipelining import Linear
from tests.cli import calling

GPUS = """routers: nvs[0-1] leaf[0-1] spine
g0 nvs0 400
g0 leaf0 50
g1 nvs0 400
g1 leaf1 50
g2 nvs1 400
g2 leaf0 50
g3 nvs1 400
g3 leaf1 50
leaf0 spine 100
leaf1 spine 100
"""


def _network(folder: Path, text: str, options: str = "") -> Network:
    file = folder / "links.txt"
    file.write_text(text)
    return as_network(f"graph:{file}{options}")


def test_a_host_uses_two_kinds_of_link_side_by_side(tmp_path) -> None:
    """The module's example; nothing is in doubt, so no note on the unit of a port."""
    where = _network(tmp_path, GPUS)
    one, both = (
        collectives.allreduce("rabenseifner", where, ports=ports)  # type: ignore[arg-type]
        for ports in ("one", "all")
    )
    assert one.busiest == both.busiest == Fraction(1, 80)
    assert both.bound.data == Fraction(1, 100)
    assert both.bound.cut == "ranks 0-1 of 4, which a bandwidth of 100 leaves"
    many = both.time(Linear(0, 1), 1000, 1000) / 1000
    assert Fraction(1, 100) < many < Fraction(101, 10_000)
    assert not any("port of a rank" in note for note in one.notes)


def test_two_hosts_at_one_switch_take_the_widest_of_nearest_ports(tmp_path) -> None:
    """NVLink and the NIC lead to a switch that both have: no channel either way, so the wider."""
    text = "routers: nvs leaf\na leaf 50\na nvs 400\nb leaf 50\nb nvs 400\nnvs leaf 9\n"
    where = _network(tmp_path, text)
    found = collectives.allgather("ring", where, ports="all")
    assert found.busiest == Fraction(1, 2) / 400
    assert where.channels(0, 1) == []


@pytest.mark.parametrize("ports", ["one", "all"])
def test_a_port_of_width_four_is_four_times_as_fast(tmp_path, ports) -> None:
    """A star: all that is carried is over ports, whose unit is the file's."""
    text = "routers: s\n" + "".join(f"h{k} s{{}}\n" for k in range(4))
    plain, wide = (_network(tmp_path, text.replace("{}", width)) for width in ("", " 4"))
    for name in ("ring", "recursive-doubling", "direct"):
        made = [collectives.allreduce(name, where, ports=ports) for where in (plain, wide)]
        assert made[0].busiest == 4 * made[1].busiest
        assert made[0].bound.data == 4 * made[1].bound.data <= made[0].busiest


def test_a_port_without_a_width_carries_one_and_a_note_says_so(tmp_path) -> None:
    """As before: bandwidths between switches alone do not say what a port carries."""
    where = _network(tmp_path, "routers: s t\na s\nb s\nc t\nd t\ns t 10\n")
    found = collectives.allgather("ring", where)
    assert not where.node_ports.is_stated
    assert found.busiest == Fraction(3, 4)
    assert any("the port of a rank carries 1" in note for note in found.notes)


def _random_hosts(seed: int) -> RouteTable:
    """Three or four hosts with one or two ports on two or three switches, widths by chance."""
    draw = np.random.default_rng(seed)
    graph = nx.Graph()
    switches = [f"s{k}" for k in range(int(draw.integers(2, 4)))]
    for a, b in itertools.pairwise(switches):
        graph.add_edge(a, b, bandwidth=int(draw.integers(1, 9)))
    for switch in switches:
        graph.add_node(switch, role="router")
    for k in range(int(draw.integers(3, 5))):
        graph.add_node(k, role="node")
        for switch in draw.permutation(switches)[: int(draw.integers(1, 3))].tolist():
            graph.add_edge(k, switch, bandwidth=int(draw.integers(1, 9)))
    return RouteTable.from_graph(graph)


def _widest_cut(table: RouteTable, graph: nx.DiGraph, kind: str, ports: str) -> Fraction:
    """What must leave a set of vertices over what leaves it, of all sets, one by one."""
    p = table.size
    ends = table.port_bandwidths
    own = table.ports or tuple((router,) for router in table.hosts.tolist())
    width = {
        (node, p + router): wide
        for node in range(p)
        for router, wide in zip(own[node], ends[node], strict=True)
    }
    best = Fraction(0)
    vertices = list(graph)
    for many in range(1, len(vertices)):
        for inside in map(set, itertools.combinations(vertices, many)):
            ranks = sum(x < p for x in inside)
            if not 0 < ranks < p:
                continue
            leaves = Fraction(0)
            for u, v, data in graph.edges(data=True):
                if u in inside and v not in inside:
                    leaves += width[min(u, v), max(u, v)] if min(u, v) < p else data["bandwidth"]
            if ports == "all":
                needed = Fraction(1) if kind == "allreduce" else Fraction(ranks, p)
                best = max(best, needed / leaves)
    return best


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["allgather", "allreduce"])
def test_the_bound_is_the_best_of_all_cuts_and_below_every_plan(seed: int, kind: str) -> None:
    """Every set of vertices by itself, ports as the file has them [forestcoll]; then all plans."""
    table = _random_hosts(seed)
    assert table.node_ports.is_stated
    nodes = np.arange(table.size)
    bound = collective_bound(CollectiveProblem(kind, table, nodes, "all"))
    cut = _widest_cut(table, nx.DiGraph(table.graph()), kind, "all")
    others = [Fraction(table.size - 1, table.size) / min(map(sum, table.port_bandwidths))]
    if kind == "allreduce":
        total = sum(map(sum, table.port_bandwidths))
        others = [1 / min(map(sum, table.port_bandwidths)), 2 * (table.size - 1) / total]
    assert bound.data == max(cut, *others)
    for rule in collectives.algorithms_of(kind):
        for ports in ("one", "all"):
            try:
                found = collectives.collective_of(kind, rule, table, ports=ports)
            except ValueError:  # not for so many ranks
                continue
            assert found.busiest >= found.bound.data
    wrong = RouteTable(
        *table._arguments[:-1], [[w / 9 for w in own] for own in table.port_bandwidths]
    )
    assert collective_bound(CollectiveProblem(kind, wrong, nodes, "all")).data > cut


def test_widths_go_with_slots_jobs_copies_and_equality(tmp_path) -> None:
    """Cables to one switch add up; four ways to carry a table on keep what its ports carry."""
    text = GPUS + "g3 leaf1 30\n"
    where = _network(tmp_path, text)
    assert where.node_ports.bandwidth.tolist() == [400, 50] * 3 + [400, 80]
    assert pickle.loads(pickle.dumps(where)) == where
    slots = _network(tmp_path, text, "*2")
    assert slots.node_ports.bandwidth.tolist() == [400, 50] * 6 + [400, 80] * 2
    job = _network(tmp_path, text, ",nodes=1:3")
    # over nvs0 and the host g0 nothing passes, so the NIC of g1 alone counts
    assert collectives.allgather("ring", job, ports="all").bound.data == Fraction(1, 2) / 50
    other = _network(tmp_path, text.replace("g0 nvs0 400", "g0 nvs0 401"))
    assert other != where


def test_bad_widths_are_refused(tmp_path) -> None:
    links, routes = [(0, 1), (1, 0)], [[-1, 0], [1, -1]]
    for widths in ([[1]], [[1, 1], [1]]):
        with pytest.raises(NetworkError, match="a bandwidth for every port"):
            RouteTable(links, routes, port_bandwidths=widths)
    for width in (0, -1, "x", float("nan")):
        with pytest.raises(NetworkError, match="positive finite numbers, one a port"):
            RouteTable(links, routes, port_bandwidths=[[1], [width]])
    file = tmp_path / "links.txt"
    file.write_text(GPUS.replace("g0 nvs0 400", "g0 nvs0 -4"))
    refused = calling.run("collective", "allgather", "-N", f"graph:{file}", "--algorithm", "ring")
    assert (refused.exit_code, len(refused.output.strip().splitlines())) == (2, 1)
