"""What is one message, which ports a rank has and how wide they are, and bounds that they give.

By hand, two nodes of two GPUs, each with NVLink to its node's switch (400) and a NIC (50) on a
leaf. Rabenseifner's allreduce halves over NVLink, then over the NIC, and back: 2 (1/2)/400 =
1/400 of the vector on NVLink and 2 (1/4)/50 = 1/100 on the NIC. With one port they follow one
another, 1/80; with all ports in many segments they overlap, 1/100, which is the cut's bound.
"""

import itertools
import pickle
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from lccmodel import collectives
from lccmodel.cli.collective import plan_text
from lccmodel.collectives.algorithms import has_own_links, uses_all_ports
from lccmodel.collectives.bounds import collective_bound, ports_between
from lccmodel.collectives.problem import CollectiveProblem
from lccmodel.errors import FileError, NetworkError
from lccmodel.network import Network, RouteTable, as_network
from lccmodel.pipelining import Linear
from tests.cli import calling

F = Fraction
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
PAIRS = "routers: near[0-1] far\n" + "".join(f"h{k} near{k // 2}\nh{k} far\n" for k in range(4))


def _network(folder: Path, text: str, options: str = "") -> Network:
    file = folder / "links.txt"
    file.write_text(text)
    return as_network(f"graph:{file}{options}")


# -- one message -------------------------------------------------------------------------------


def test_what_goes_from_one_rank_to_another_in_a_step_is_one_message():
    """By hand: two rows from 0 to 1 start once; the same block in two segments starts twice.

    On sides of 2 both directions of Swing lead to one rank: 2 n start-ups, as for one part.
    """
    plan = collectives.Plan.of_steps("broadcast", 2, [[(0, 1, [0]), (0, 1, [1])]], 2)
    assert plan.messages == 1
    assert [len(set(stage.message_of())) for stage in plan.stages] == [1]
    loads = collectives.PlanLoads(plan, as_network("mesh:2"), np.arange(2))
    assert (loads.start_ups, loads.busiest) == (1, 1)
    twice = collectives.Plan.of_steps("broadcast", 2, [[(0, 1, [0])], [(0, 1, [1])]], 2)
    cut = collectives.PlanLoads(twice.segmented(2), as_network("mesh:2"), np.arange(2))
    assert [cost.start_ups for cost in cut.per_step_costs] == [1, 2, 1]
    for n, ports in itertools.product((1, 2, 3, 4), ("one", "all")):
        assert collectives.allreduce("swing", f"cube:{n}", ports=ports).start_ups == 2 * n


def test_rows_of_one_message_have_one_number():
    """The CSV of a plan: swing with all ports on cube:2, 4 ranks × 2 links × 4 steps."""
    plan = collectives.allreduce("swing", "cube:2", ports="all").plan
    head, *rows = [line.split(",") for line in plan_text(plan).splitlines()]
    assert head == ["step", "source", "destination", "block", "operation", "message"]
    numbers = {(*row[:3], row[5]) for row in rows}
    assert len({row[:3] for row in numbers}) == len({row[3] for row in numbers}) == len(numbers)
    assert len(numbers) == plan.messages == 32


# -- ports -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "own"),
    [
        *((word, True) for word in ("torus:4", "hyperx:4", "rails:4,2", "rails:4,2,nodes=0-3")),
        *((word, False) for word in ("fattree:4x4", "torus:4*2", "hyperx:4*2")),
    ],
)
def test_ranks_with_links_of_their_own_use_all_of_them(word, own):
    """On rails a GPU has a link to its node's switch and a NIC; else a note says so."""
    assert has_own_links(as_network(word)) is own
    ring = collectives.allreduce("ring", word, ports="all")
    assert bool(ring.notes) is not own
    if not own:
        assert ring.notes == ring.as_table().notes
        one, default = (
            collectives.broadcast("binomial", word, **ports).time(Linear(5, 1), 7)
            for ports in ({"ports": "one"}, {})
        )
        assert one == default


def test_hosts_with_several_ports_use_all_of_them(tmp_path):
    """By hand: a rank sends to one over one link and to another over the other, in one step.

    Four hosts on a switch of their pair and one of all; GPUs with NVLink and a NIC.
    """
    plan = collectives.Plan.of_steps("broadcast", 4, [[(0, 1, [0]), (0, 2, [0])]], 1)
    hosts = _network(tmp_path, PAIRS)
    assert (uses_all_ports(hosts, "all"), uses_all_ports(hosts, "one")) == (True, False)
    for where, (ports, start_ups, busiest) in itertools.product(
        (hosts, as_network("rails:2,2")), (("one", 2, 2), ("all", 1, 1))
    ):
        loads = collectives.PlanLoads(plan, where, np.arange(4), ports)
        assert (loads.start_ups, loads.busiest) == (start_ups, busiest)
    for kind in collectives.COLLECTIVES:
        best = collectives.choose(kind, Linear(F(1, 10**9), 1), 720, hosts, ports="all")
        assert best.lower_bound <= best.time
        assert best.collective.notes == hosts.notes
    assert collectives.allreduce("ring", hosts, ports="all").bound.data == F(6, 8)
    text = "routers: s1 s2\n" + "".join(f"s{s} h{h}\n" for h in range(9) for s in (1, 2))
    nine = _network(tmp_path, text)
    assert nine.notes[2:] == ("h2 has 2 ports", "6 further hosts have several ports")


def test_a_host_uses_two_kinds_of_link_side_by_side(tmp_path):
    """The module's example; nothing is in doubt, so no note on the unit of a port."""
    where = _network(tmp_path, GPUS)
    one, both = (
        collectives.allreduce("rabenseifner", where, ports=ports) for ports in ("one", "all")
    )
    assert one.busiest == both.busiest == F(1, 80)
    assert both.bound.data == F(1, 100)
    assert both.bound.cut == "ranks 0-1 of 4, which a bandwidth of 100 leaves"
    assert F(1, 100) < both.time(Linear(0, 1), 1000, 1000) / 1000 < F(101, 10_000)
    assert not any("port of a rank" in note for note in one.notes)


def test_two_hosts_at_one_switch_take_the_widest_of_nearest_ports(tmp_path):
    """NVLink and the NIC lead to a switch that both have: no channel either way, so the wider."""
    text = "routers: nvs leaf\na leaf 50\na nvs 400\nb leaf 50\nb nvs 400\nnvs leaf 9\n"
    where = _network(tmp_path, text)
    assert collectives.allgather("ring", where, ports="all").busiest == F(1, 2) / 400
    assert where.channels(0, 1) == []


@pytest.mark.parametrize("ports", ["one", "all"])
def test_a_port_of_width_four_is_four_times_as_fast(tmp_path, ports):
    """A star: all that is carried is over ports, whose unit is the file's."""
    text = "routers: s\n" + "".join(f"h{k} s{{}}\n" for k in range(4))
    plain, wide = (_network(tmp_path, text.replace("{}", width)) for width in ("", " 4"))
    for name in ("ring", "recursive-doubling", "direct"):
        made = [collectives.allreduce(name, where, ports=ports) for where in (plain, wide)]
        assert made[0].busiest == 4 * made[1].busiest
        assert made[0].bound.data == 4 * made[1].bound.data <= made[0].busiest


def test_a_port_without_a_width_carries_one_and_a_note_says_so(tmp_path):
    """Bandwidths between switches, or of all links, do not say what a port carries."""
    where = _network(tmp_path, "routers: s t\na s\nb s\nc t\nd t\ns t 10\n")
    ring = collectives.allgather("ring", where)
    assert not where.node_ports.is_stated
    assert ring.busiest == F(3, 4)
    assert any("the port of a rank carries 1" in note for note in ring.notes)
    chain = _network(tmp_path, "a b 4\nb c 4\nc d 2\n")
    for ports, time in (("one", 8), ("all", 2)):
        made = collectives.collective_of("broadcast", "chain", chain, ports=ports)
        assert made.loads().per_step[0] * 8 == time
        notes = [note for note in made.as_table().notes if "(2, 4) count in this unit" in note]
        assert len(notes) == (ports == "one")
    assert not collectives.broadcast("chain", "torus:4,bandwidth=4").notes


def test_widths_go_with_slots_jobs_copies_and_equality(tmp_path):
    """Cables to one switch add up; four ways to carry a table on keep what its ports carry."""
    text = GPUS + "g3 leaf1 30\n"
    where = _network(tmp_path, text)
    assert where.node_ports.bandwidth.tolist() == [400, 50] * 3 + [400, 80]
    assert pickle.loads(pickle.dumps(where)) == where
    slots = _network(tmp_path, text, "*2")
    assert slots.node_ports.bandwidth.tolist() == [400, 50] * 6 + [400, 80] * 2
    job = _network(tmp_path, text, ",nodes=1:3")
    # over nvs0 and the host g0 nothing passes, so the NIC of g1 alone counts
    assert collectives.allgather("ring", job, ports="all").bound.data == F(1, 2) / 50
    assert _network(tmp_path, text.replace("g0 nvs0 400", "g0 nvs0 401")) != where


def test_bad_widths_are_refused(tmp_path):
    for widths, words in (
        *(([[1]], "a bandwidth for every port"), ([[1, 1], [1]], "a bandwidth for every port")),
        *(([[1], [w]], "positive finite numbers, one a port") for w in (0, -1, "x", float("nan"))),
    ):
        with pytest.raises(NetworkError, match=words):
            RouteTable([(0, 1), (1, 0)], [[-1, 0], [1, -1]], port_bandwidths=widths)
    with pytest.raises(FileError, match="positive number"):
        _network(tmp_path, GPUS.replace("g0 nvs0 400", "g0 nvs0 -4"))


# -- bounds ------------------------------------------------------------------------------------


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


def _widest_cut(table: RouteTable, kind: str) -> Fraction:
    """What must leave a set of vertices over what leaves it, of all sets, one by one."""
    p, graph = table.size, nx.DiGraph(table.graph())
    own = table.ports or tuple((router,) for router in table.hosts.tolist())
    width = {
        (node, p + router): wide
        for node in range(p)
        for router, wide in zip(own[node], table.port_bandwidths[node], strict=True)
    }
    best = F(0)
    for many in range(1, len(graph)):
        for inside in map(set, itertools.combinations(graph, many)):
            ranks = sum(x < p for x in inside)
            leaves = sum(
                (width[min(u, v), max(u, v)] if min(u, v) < p else data["bandwidth"])
                for u, v, data in graph.edges(data=True)
                if u in inside and v not in inside
            )
            if 0 < ranks < p:
                best = max(best, (F(1) if kind == "allreduce" else F(ranks, p)) / leaves)
    return best


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["allgather", "allreduce"])
def test_the_bound_is_the_best_of_all_cuts_and_below_every_plan(seed, kind):
    """Every set of vertices by itself, ports as the file has them [forestcoll]; then all plans."""
    table = _random_hosts(seed)
    assert table.node_ports.is_stated
    bound = collective_bound(CollectiveProblem(kind, table, ports="all"))
    widths = list(map(sum, table.port_bandwidths))
    others = [F(table.size - 1, table.size) / min(widths)]
    if kind == "allreduce":
        others = [1 / min(widths), 2 * (table.size - 1) / sum(widths)]
    cut = _widest_cut(table, kind)
    assert bound.data == max(cut, *others)
    for rule, ports in itertools.product(collectives.algorithms_of(kind), ("one", "all")):
        try:
            made = collectives.collective_of(kind, rule, table, ports=ports)
        except ValueError:  # not for so many ranks
            continue
        assert made.busiest >= made.bound.data
    narrow = [[w / 9 for w in own] for own in table.port_bandwidths]
    wrong = RouteTable(*table._arguments[:-1], narrow)
    assert collective_bound(CollectiveProblem(kind, wrong, ports="all")).data > cut


def test_gpus_with_nvlink_and_nic_by_hand():
    """32 GPUs: 62 vectors leave by 32 links of 1 and 32 of 8; 6 must leave 4 nodes by 32 links."""
    where = as_network("rails:4,8")
    problem = CollectiveProblem("allreduce", where, ports="all")
    bound = collective_bound(problem, item=F(1, 8))
    assert (bound.data, bound.by) == (F(62, 32 * 9), "sums")
    made, nic = collectives.allreduce("rabenseifner", where, ports="all"), Linear(5, "1/50000")
    near = made.lower_bound(nic, 1 << 30, inside=Linear("1/2", "1/400000"))
    assert near == 5 * 1 + F(62, 288) * F(1 << 30, 50000)
    free = made.lower_bound(nic, 1 << 30, inside=Linear(5, 0))  # NVLink costs nothing
    assert free == 4 * 5 + F(6, 32) * F(1 << 30, 50000)


@pytest.mark.parametrize(
    ("kind", "word", "item", "bound"),
    [
        ("allgather", "mesh:2*2", 0, F(1, 4)),  # 1/2 from outside to two ports
        ("allgather", "mesh:2*2", 1, F(3, 4)),  # and 2/4 more
        ("alltoall", "mesh:2*2", 0, F(1, 2)),
        ("allreduce", "mesh:2*2", 0, F(1, 2)),
        ("barrier", "mesh:2*2", 1, 0),
        ("allreduce", "mesh:2*2,nodes=0-1", 1, 0),
        ("alltoall", "fattree:8x48", 0, F(47, 48)),  # all but a 48th leaves by every port
    ],
)
def test_the_bound_of_ports_by_hand(kind, word, item, bound):
    assert ports_between(CollectiveProblem(kind, as_network(word)), F(item)) == bound


@pytest.mark.parametrize(
    ("network", "word"),
    [
        ("mesh:4x8", "a box 4x4 of 4x8, 4 leave"),
        ("cube:5", "a subcube of 4 of 5 dimensions, 16 leave"),
        ("mesh:6", "ranks 0-2 of 6, which a bandwidth of 1 leaves"),
        ("triangles", "ranks [03]-[25] of 6, which a bandwidth of 1 leaves"),
    ],
)
def test_the_bound_names_its_cut(network, word):
    """Also of two triangles that one link joins."""
    where: Any = network
    if network == "triangles":
        edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)]
        where = RouteTable.from_graph(nx.Graph(edges))
    made = collectives.alltoall("pairwise", where, ports="all")
    assert made.bound.by == "cut"
    assert re.fullmatch(word, made.bound.cut)
    table = made.as_table()
    assert table.records()[0]["cut"] == made.bound.cut
    assert made.bound.cut in table.render()


def test_one_rank_meets_its_bound():
    asked = ["collective", "allreduce", "-N", "torus:4", "--nodes", "0"]
    result = calling.run(*asked, "--alpha", "5", "--tau", "1")
    assert result.exit_code == 0
    assert "∞" not in result.output
    assert "1.00" in result.output
