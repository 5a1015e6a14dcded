"""Files of networks: every sample by its expected.json, and small inputs of the field.

The samples are made up; `expected.json` states the right reading, found by hand from the grammar.
Distances, links, ports and notes are compared with the network that a command gets.
"""

from __future__ import annotations

import gzip
import itertools
import json
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import networkx as nx
import pytest

from lccmodel import place
from lccmodel.errors import FileError, InputError, NetworkError
from lccmodel.network import Allocation, Network, RouteTable, as_network, parse_network
from lccmodel.problem import Problem
from lccmodel.reading import recognise
from lccmodel.reading.description import NetworkDescription
from tests.cli import calling

HERE = Path(__file__).parent
SAMPLES, CASES = HERE / "samples", HERE / "cases"
FOLDERS = (
    "slurm-scontrol-show-topology", "slurm-topology-block-ring", "slurm-topology-conf",
    "slurm-topology-forest", "slurm-topology-yaml", "ibnetdiscover", "iblinkinfo",
    "booksim-anynet", "nccl-topo-xml", "nccl-graph-xml", "nvidia-smi-topo", "graphml-network",
    "edge-list-network",
)  # fmt: skip


def _expectations() -> list[Any]:
    found = []
    for folder in FOLDERS:
        samples = json.loads((SAMPLES / folder / "expected.json").read_text())["samples"]
        for name, expected in samples.items():
            found.append(pytest.param(SAMPLES / folder / name, expected, id=f"{folder}/{name}"))
    return found


@pytest.mark.parametrize(("path", "expected"), _expectations())
def test_a_sample_is_read_as_expected(path: Path, expected: dict[str, Any]) -> None:
    found = recognise.read(path, expected["kind"])
    if expected["kind"] == "order":
        assert [list(ring) for ring in found.value] == expected["rings"]
        assert all(any(word in note for note in found.notes) for word in expected["notes"])
        return
    expected = expected["network"]
    network = parse_network(f"graph:{path}")
    names = [network.name(node) for node in range(network.size)]
    assert names == expected["nodes"]
    for pair, links in expected["hops"].items():
        assert network.distance(*map(names.index, pair.split(","))) == links, pair
    description: NetworkDescription = found.value
    for u, v, width in expected.get("links", ()):
        cables = [
            cable.bandwidth for cable in description.cables
            if {description.switches[cable.u], description.switches[cable.v]} == {u, v}
        ]  # fmt: skip
        assert cables == [Fraction(width)]
    assert list(description.switches)[: len(expected.get("routers", ()))] == [
        *expected.get("routers", ())
    ]
    for host, switches in expected.get("rails", {}).items():
        own = next(one for one in description.hosts if one.name == host)
        assert [description.switches[port] for port in own.ports] == switches
    for pair in expected.get("refuse_pairs", ()):
        with pytest.raises(NetworkError, match="no common switch"):
            network.distance(*map(names.index, pair.split(",")))
    if "blocks" in expected:
        assert [list(group) for group in description.groups] == expected["blocks"]
    for part, rate in expected.get("bandwidth_GBps", {}).items():
        assert float(description.rates[part]) == rate
    assert dict(description.near) == expected.get("nic_of", {})
    for pair, level in expected.get("levels", {}).items():
        assert description.levels[tuple(pair.split(","))] == level  # type: ignore[index]
    for word in expected.get("notes", ()):
        assert any(word in note for note in network.notes), network.notes
    if "parts" in expected:
        reach = nx.Graph()
        reach.add_nodes_from(names)
        for x, y in itertools.combinations(range(network.size), 2):
            try:
                network.distance(x, y)
            except NetworkError:
                continue
            reach.add_edge(names[x], names[y])
        assert nx.number_connected_components(reach) == expected["parts"]


@pytest.mark.parametrize("path", [p.values[0] for p in _expectations()
                                  if "nccl-graph" not in str(p.values[0])])  # fmt: skip
def test_slots_and_names_survive(path: Any) -> None:
    """`graph:FILE*3` has three slots in every host, at distance 0 of each other."""
    one, three = parse_network(f"graph:{path}"), parse_network(f"graph:{path}*3")
    assert three.size == 3 * one.size
    assert three.host_slots == tuple((name, 3) for name in one.names)
    for x in range(one.size):
        assert three.name(3 * x + 2) == one.name(x) or not one.names
        assert one.at_router(x) == three.at_router(3 * x)
        for y in range(one.size):
            try:
                links = one.distance(x, y)
            except NetworkError:
                with pytest.raises(NetworkError):
                    three.distance(3 * x, 3 * y + 1)
                continue
            assert three.distance(3 * x, 3 * y + 1) == links
    assert parse_network(three.spec) == three


def test_a_file_is_read_whatever_its_bytes_and_name(tmp_path: Path) -> None:
    """gzip, UTF-16 with its mark, CRLF, a name with * and commas: the longest path is the file."""
    conf = (SAMPLES / "slurm-topology-conf" / "a.conf").read_text()
    plain = tmp_path / "t"
    plain.write_text(conf)
    expected = parse_network(f"slurm:{plain}")
    for name, content in {
        "t.gz": gzip.compress(conf.encode()),
        "t16": conf.encode("utf-16"),
        "t*4,routing=x": conf.replace("\n", "\r\n").encode(),
    }.items():
        (tmp_path / name).write_bytes(content)
        network = parse_network(f"slurm:{tmp_path / name}")
        assert network.names == expected.names
        assert network.distance(0, 2) == 2
        assert parse_network(f"slurm:{tmp_path / name}*2").size == 8


# -- small inputs of the field --------------------------------------------------------------------


def test_the_host_with_two_adapters_is_one_host_and_no_transit() -> None:
    """0.4 had five nodes `n1 HCA-1` ...; n1 to n3 is one link, never over nas."""
    network = parse_network(f"graph:{CASES / '04-one-host-with-two-hcas.ibnet'}")
    assert network.names == ("n1", "n2", "nas", "n3")
    assert [network.distance(0, y) for y in range(4)] == [0, 0, 0, 1]
    assert network.distance(3, 2) == 0
    job = as_network(network, str(CASES / "04-job.txt"))
    assert job.names == ("n1", "n2", "n3")
    assert job.channel_loads([(0, 1), (1, 2), (2, 0)]).degree == 1


def test_a_job_lies_in_one_part_of_a_forest() -> None:
    path = CASES / "06-forest.conf"
    job = as_network(f"slurm:{path}", "n[1-8]")
    assert job.channel_loads([(0, 4), (0, 1)]).degree == 1
    placed = place([(0, 4), (4, 0)], f"slurm:{path}", nodes="n[1-8]", over="placements")
    assert placed.after.value == 0
    with pytest.raises(InputError, match="n1 and g1 have no common switch"):
        as_network(f"slurm:{path}", "n1,g1").channel_loads([(0, 1)])
    with pytest.raises(InputError, match="have no common switch"):
        place([(0, 1), (1, 0)], f"slurm:{path}", over="placements")
    assert as_network(f"slurm:{path}", "g[1-4]").diameter == 0


def test_two_spines_are_two_ways_up_and_down(tmp_path: Path) -> None:
    """07: both spines are used; 07b: Nodes= of a higher switch repeats those below."""
    network = parse_network(f"slurm:{CASES / '07-two-spines.conf'}")
    assert network.names == ("n0", "n1", "n2", "n3")
    assert [network.distance(0, y) for y in range(4)] == [0, 0, 2, 2]
    loads = network.channel_loads([(0, 2), (0, 3)])
    assert loads.degree == 1  # by destination, one message over each spine
    repeated = tmp_path / "t.conf"
    repeated.write_text(
        "SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes=n[2-3]\n"
        "SwitchName=s2 Nodes=n[0-3] Switches=s[0-1]\n"
    )
    network = parse_network(f"slurm:{repeated}")
    assert network.names == ("n0", "n1", "n2", "n3")
    assert [network.distance(0, y) for y in range(4)] == [0, 0, 2, 2]


@pytest.mark.parametrize(("speed", "ratio"), [
    ("4", 4), ("0x10", 16), ("010", 8), ("1k", 1024), ("2K", 2048), ("UNLIMITED", 1),
])  # fmt: skip
def test_link_speeds_are_read_as_slurm_reads_them(tmp_path: Path, speed: str, ratio: int) -> None:
    path = tmp_path / "t.conf"
    path.write_text(
        f"SwitchName=s0 Nodes=a LinkSpeed={speed}\nSwitchName=s1 Nodes=b\n"
        "SwitchName=t Switches=s[0-1]\n"
    )
    assert sorted(parse_network(f"slurm:{path}").bandwidths) == sorted({Fraction(1), ratio})


def test_a_speed_with_a_suffix_that_slurm_refuses_has_a_note(tmp_path: Path) -> None:
    """07c: LinkSpeed=100G everywhere is the ratio 1."""
    path = tmp_path / "t.conf"
    path.write_text(
        "SwitchName=s0 Nodes=a LinkSpeed=100G\nSwitchName=s1 Nodes=b LinkSpeed=100G\n"
        "SwitchName=t Switches=s[0-1]\n"
    )
    network = parse_network(f"slurm:{path}")
    assert len(network.bandwidths) == 1
    assert "suffix k alone" in network.notes[0]


def test_a_torus_of_slurm_is_the_torus_with_names(tmp_path: Path) -> None:
    """08: x is fastest; two texts of YAML, regions and a single list."""
    listed = tmp_path / "t.yaml"
    listed.write_text(
        "- topology: t\n  torus3d:\n    toruses:\n      - name: a\n"
        "        dims: {x: 4, y: 2, z: 2}\n        nodes: n[01-16]\n"
    )
    network = parse_network(f"slurm:{listed}")
    torus = parse_network("torus:4x2x2")
    assert network.names[:2] == ("n01", "n02")
    assert network.coordinates(network.names.index("n06")) == (1, 1, 0)
    for x, y in itertools.product(range(16), repeat=2):
        assert network.distance(x, y) == torus.distance(x, y)
    region = tmp_path / "r.yaml"
    region.write_text(
        "- topology: t\n  torus3d:\n    toruses:\n      - name: a\n"
        "        dims: {x: 4, y: 2, z: 2}\n        regions:\n"
        "          - anchor: {x: 2, y: 0, z: 1}\n            dims: {x: 2, y: 2, z: 1}\n"
        "            nodes: m[1-4]\n"
    )
    network = parse_network(f"slurm:{region}")
    assert [network.coordinates(node) for node in range(4)] == [
        (2, 0, 1), (3, 0, 1), (2, 1, 1), (3, 1, 1),
    ]  # fmt: skip


YAML = (
    "- topology: one\n  tree:\n    switches:\n      - {switch: s, nodes: '012,no'}\n"
    "- topology: two\n  block:\n    block_sizes: [2]\n    blocks:\n"
    "      - {block: b0, nodes: 'a[1-2]'}\n      - {block: b1, nodes: 'a[3-4]'}\n"
    "- topology: three\n  flat: true\n"
)


def test_topologies_are_chosen_by_name(tmp_path: Path) -> None:
    """Scalars stay texts: 012 and `no` are nodes, where YAML 1.1 has 10 and False."""
    path = tmp_path / "topology.yaml"
    path.write_text(YAML)
    assert parse_network(f"slurm:{path},topology=one").names == ("012", "no")
    blocks = parse_network(f"slurm:{path}*2,topology=two")
    assert blocks.host_slots[0] == ("a1", 2)
    assert [blocks.distance(0, 2 * k) for k in range(4)] == [0, 0, 2, 2]
    for option, told in {"": "topology=NAME", ",topology=four": "one of one, two, three",
                         ",topology=three": "flat names no switches"}.items():  # fmt: skip
        with pytest.raises(FileError, match=told):
            parse_network(f"slurm:{path}{option}")
    with pytest.raises(FileError, match="requires a topology"):
        parse_network(f"slurm:{SAMPLES / 'slurm-topology-conf' / 'a.conf'},topology=one")


def test_rings_of_slurm(tmp_path: Path) -> None:
    path = tmp_path / "t.conf"
    path.write_text("RingName=r Nodes=n[0-5]\n")
    network = parse_network(f"slurm:{path}")
    assert [network.distance(0, y) for y in range(6)] == [0, 1, 2, 3, 2, 1]
    path.write_text("RingName=r Nodes=n[0-3]\nRingName=q Nodes=m[0-2]\n")
    network = parse_network(f"slurm:{path}")
    assert [network.distance(4, y) for y in (4, 5, 6)] == [0, 1, 1]
    with pytest.raises(NetworkError, match="n0 and m0 have no common switch"):
        network.distance(0, 4)


def test_a_job_on_hosts_of_a_ring_with_slots(tmp_path: Path) -> None:
    path = tmp_path / "t.conf"
    path.write_text("RingName=r Nodes=n[0-7]\n")
    job = as_network(f"slurm:{path}*2", "n6,n1")
    assert job.host_slots == (("n6", 2), ("n1", 2))
    assert [job.distance(0, node) for node in range(4)] == [0, 0, 3, 3]
    assert as_network(f"slurm:{path}", "n6,n1,n6").host_slots == (("n6", 2), ("n1", 1))
    assert as_network(f"slurm:{path}", [6, 1]).names == ("n6", "n1")
    with pytest.raises(InputError, match="must be "):
        as_network(f"slurm:{path}", "9")


def test_a_node_below_two_leaves_has_two_ports(tmp_path: Path) -> None:
    path = tmp_path / "t.conf"
    path.write_text(
        "SwitchName=s0 Nodes=a,io\nSwitchName=s1 Nodes=b,io\nSwitchName=t Switches=s[0-1]\n"
    )
    network = parse_network(f"slurm:{path}")
    io, a, b = (network.names.index(name) for name in ("io", "a", "b"))
    assert (network.distance(a, io), network.distance(b, io), network.distance(a, b)) == (0, 0, 2)
    assert "io has 2 ports" in network.notes[0]


def test_ranks_are_on_hosts_alone_where_a_line_names_the_switches() -> None:
    """09: 0.4 put four ranks on each of l1, l2 and top, too: 28 nodes."""
    for word in (f"graph:{CASES / '09-tree.txt'},hosts=4", f"graph:{CASES / '09-tree.txt'}*4"):
        network = parse_network(word)
        assert network.size == 16
        assert network.host_slots == tuple((f"n{k}", 4) for k in range(1, 5))
        assert [network.distance(0, node) for node in (3, 4, 8)] == [0, 0, 2]


def test_links_that_are_listed_both_ways_are_one_cable() -> None:
    """10: 0.4 made two cables of a link that is listed from both ends, and the load 1 of 2."""
    network = parse_network(f"graph:{CASES / '10-both-directions.txt'}")
    problem = Problem.read(str(CASES / "10-t.csv"), network)
    assert network.channel_loads(problem.program.phases[0].traffic).degree == 20
    assert network.n_channels == 4
    assert any("listed both ways" in note for note in problem.notes)


def test_two_lines_in_one_direction_are_two_cables(tmp_path: Path) -> None:
    path = tmp_path / "links"
    path.write_text("a b\na b\nb c\n")
    assert parse_network(f"graph:{path}").n_channels == 6
    path.write_text("a b\nb a\na b\nb a\n")
    assert parse_network(f"graph:{path}").n_channels == 4
    for content, told in {
        "a b\nb a\nb c\n": "all links in both directions or none",
        "a b 2\nb a 3\n": "as much in both directions",
    }.items():
        path.write_text(content)
        with pytest.raises(FileError, match=told):
            parse_network(f"graph:{path}")


@pytest.mark.parametrize("key", ["LinkSpeedRaw", "capacity", "weight", "bandwidth"])
def test_speeds_of_graphml_count(tmp_path: Path, key: str) -> None:
    """11: 0.4 ignored LinkSpeedRaw, capacity and weight; b-c carries a tenth of a-b."""
    content = (CASES / "11-LinkSpeedRaw.graphml").read_text().replace("LinkSpeedRaw", key)
    path = tmp_path / "net.graphml"
    path.write_text(content)
    network = parse_network(f"graph:{path}")
    loads = network.channel_loads([(0, 1), (1, 2)])
    narrow, wide = network.bandwidths
    assert (loads.of(0, 1) * wide, loads.of(1, 2) * narrow) == (1, 1)
    assert wide == 10 * narrow
    assert (narrow == 1) == (key != "bandwidth")  # `bandwidth` is taken as it stands
    assert any(key in note for note in network.notes) == (key != "bandwidth")


def test_attributes_that_are_not_read_are_named(tmp_path: Path) -> None:
    graph = nx.Graph()
    graph.add_edge("a", "b", latency=3, LinkSpeed="10", LinkSpeedUnits="G")
    graph.add_edge("b", "c", latency=4, LinkSpeed="622", LinkSpeedUnits="M")
    graph.add_edge("c", "d")
    nx.write_graphml(graph, tmp_path / "net.graphml")
    network = parse_network(f"graph:{tmp_path / 'net.graphml'}")
    assert sorted(network.bandwidths) == [1, Fraction(10000, 622)]
    assert any("latency" in note for note in network.notes)
    assert any("1 of 3 links have no LinkSpeed" in note for note in network.notes)


def test_numbers_of_a_graph_that_are_not_read_are_named() -> None:
    """0.4 ignored `weight` and `capacity` of a networkx graph without a word."""
    graph = nx.Graph()
    graph.add_edge(0, 1, weight=4, label="x")
    graph.add_edge(1, 2, capacity=2.5, bandwidth=3)
    table = RouteTable.from_graph(graph)
    assert "capacity, weight" in table.notes[0]
    assert RouteTable.from_graph(nx.path_graph(3)).notes == ()
    assert Problem.read([(0, 1)], table).notes == table.notes


@pytest.mark.parametrize("word", ["mesh:4x3", "torus:4x5", "cube:4"])
def test_the_order_of_links_in_a_file_decides_ties(tmp_path: Path, word: str) -> None:
    """Links of a grid listed both ways, axis 0 first: shortest-first is dimension order."""
    network = as_network(word)
    graph = nx.DiGraph()
    graph.add_nodes_from(network.graph())
    graph.add_edges_from(network.graph().edges)
    nx.write_graphml(graph, tmp_path / "g.graphml")
    table = parse_network(f"graph:{tmp_path / 'g.graphml'},routing=shortest-first")
    for x, y in itertools.product(range(network.size), repeat=2):
        assert table.path(x, y) == network.path(x, y)


def test_the_same_graph_in_five_formats(tmp_path: Path) -> None:
    graph = nx.petersen_graph()
    nx.write_graphml(graph, tmp_path / "g.graphml")
    nx.write_gml(graph, tmp_path / "g.gml")
    for key in ("links", "edges"):
        document = nx.node_link_data(graph, edges=key)
        (tmp_path / f"{key}.json").write_text(json.dumps(document))
    nx.write_edgelist(graph, tmp_path / "g.edgelist")
    nx.write_weighted_edgelist(nx.Graph((u, v, {"weight": 2}) for u, v in graph.edges),
                               tmp_path / "g.weighted")  # fmt: skip
    away = dict(nx.all_pairs_shortest_path_length(graph))
    for name in ("g.graphml", "g.gml", "links.json", "edges.json", "g.edgelist", "g.weighted"):
        network = parse_network(f"graph:{tmp_path / name}")
        names = [int(network.name(node)) for node in range(10)]
        assert network.n_channels == 30
        for x, y in itertools.product(range(10), repeat=2):
            assert network.distance(x, y) == away[names[x]][names[y]]


def test_no_message_passes_through_a_host(tmp_path: Path) -> None:
    """0.4 sent a message from n1 to n2 through the host io, which has two links."""
    path = tmp_path / "links"
    path.write_text("routers: s t u v\nn1 s\nio s\nio t\nn2 t\ns u\nu v\nv t\n")
    network = parse_network(f"graph:{path}")
    n1, io, n2 = (network.names.index(name) for name in ("n1", "io", "n2"))
    assert network.distance(n1, n2) == 3
    assert (network.distance(n1, io), network.distance(io, n2)) == (0, 0)
    graph = nx.Graph([("n1", "s"), ("io", "s"), ("io", "t"), ("n2", "t"), ("s", "u"), ("u", "t")])
    nx.set_node_attributes(graph, {v: "router" if len(v) == 1 else "node" for v in graph}, "role")
    table = RouteTable.from_graph(graph)
    assert table.distance(table.names.index("n1"), table.names.index("n2")) == 2


FULL_INFO = """Switch 8 "S-01" # "a" base port 0 lid 1 lmc 0
[1] "S-02"[1] # "b" lid 2 4xHDR s=25 w=2 v=4
[2] "S-02"[2] # "b" lid 2 4xEDR s=25 w=2 v=4
[3] "H-0a"[1](a) # "n1 mlx5_0" lid 3 4xHDR s=25 w=2 v=4
Switch 8 "S-02" # "b" base port 0 lid 2 lmc 0
[1] "S-01"[1] # "a" lid 1 4xHDR s=25 w=2 v=4
[2] "S-01"[2] # "a" lid 1 4xEDR s=25 w=2 v=4
[3] "H-0b"[1](b) # "n2 mlx5_0" lid 4 4xHDR s=25 w=2 v=4
"""


def test_rates_are_read_in_front_of_what_full_info_appends(tmp_path: Path) -> None:
    """`ibnetdiscover -f` appends s= w= v=: 0.4 missed every rate, and the widths were 1 and 1."""
    path = tmp_path / "fabric"
    path.write_text(FULL_INFO)
    assert parse_network(f"graph:{path}").bandwidths == (1, 2)


PORT = "==( {width}X  53.125 Gbps Active/  LinkUp)==>"
BY_LINES = (
    '0x00f1 "   lfA"  1  1[  ] {4} 0x0e01  4  1[  ] "moth1 mlx5_0" ( )\n'
    '0x00f1 "   lfA"  1  3[  ] {4} 0x00f2  2  3[  ] "lfB" ( )\n'
    '0x00f1 "   lfA"  1  5[  ] {2} 0x00f2  2  5[  ] "lfB" ( Could be 106.25 Gbps)\n'
    '0x00f1 "   lfA"  1  4[  ] ==(      Down/ Polling)==>     [  ] "" ( )\n'
    '0x00f2 "   lfB"  2  1[  ] {4} 0x0e03  6  1[  ] "moth3 mlx5_0" ( )\n'
    '0x00f2 "   lfB"  2  3[  ] {4} 0x00f1  1  3[  ] "lfA" ( )\n'
)
BY_BLOCKS = (
    "CA: moth1 mlx5_0:\n"
    '  0x0e01  4  1[  ] {4}  1  1[  ] "lfA" ( )\n  0x0e02  5  2[  ] {4}  2  2[  ] "lfB" ( )\n'
    "Switch: 0x00f1 lfA:\n"
    '  1  1[  ] {4}  4  1[  ] "moth1 mlx5_0" ( )\n  1  4[  ] {4}  7  1[  ] "moth2 mlx5_0" ( )\n'
    '  1  3[  ] {4}  2  3[  ] "lfB" ( )\n'
    'Switch: 0x00f2 lfB:\n  2  2[  ] {4}  5  2[  ] "moth1 mlx5_0" ( )\n'
)


def test_iblinkinfo_by_lines_and_by_blocks(tmp_path: Path) -> None:
    """With -l every line has both GUIDs; in blocks the two ports of an adapter are one host's."""
    path = tmp_path / "links"
    ports = {width: PORT.format(width=width) for width in (2, 4)}
    path.write_text(BY_LINES.replace("{4}", ports[4]).replace("{2}", ports[2]))
    network = parse_network(f"graph:{path}")
    assert network.names == ("moth1", "moth3")
    assert (network.distance(0, 1), network.n_channels, network.bandwidths) == (1, 4, (1, 2))
    path.write_text(BY_BLOCKS.replace("{4}", ports[4]))
    network = parse_network(f"graph:{path}")
    assert network.names == ("moth1", "moth2")
    assert (network.distance(0, 1), network.n_channels) == (0, 2)
    assert network.notes == ("moth1 has 2 ports",)


RAILS = "".join(
    f'Switch 8 "S-0{s}" # "rail{s}" base port 0 lid {s} lmc 0\n'
    + "".join(f'[{h}] "H-{h}{s}"[1]({h}{s}) # "n{h} mlx5_{s}" lid {10 * h + s} 4xHDR\n'
              for h in (1, 2))
    + f'[8] "S-0{9}"[{s + 1}] # "core" lid 9 4xHDR\n'
    for s in range(2)
) + 'Switch 8 "S-09" # "core" base port 0 lid 9 lmc 0\n' + "".join(
    f'[{s + 1}] "S-0{s}"[8] # "rail{s}" lid {s} 4xHDR\n' for s in range(2)
)  # fmt: skip


@pytest.mark.parametrize(("rail", "way"), [
    ("nearest", {(0, 2): 0, (0, 3): 0, (1, 2): 0, (1, 3): 0}),
    ("slot", {(0, 2): 0, (0, 3): 0, (1, 2): 0, (1, 3): 0}),
    ("spread", {(0, 2): 0, (1, 3): 0}),
])  # fmt: skip
def test_two_rails(tmp_path: Path, rail: str, way: dict[tuple[int, int], int]) -> None:
    """Two hosts, each with an adapter on two rails: no message needs the link to the core."""
    path = tmp_path / "fabric"
    path.write_text(RAILS)
    network = parse_network(f"graph:{path}*2,rail={rail}")
    assert network.host_slots == (("n1", 2), ("n2", 2))
    for (x, y), links in way.items():
        assert network.distance(x, y) == links
    assert network.distance(0, 1) == 0
    with pytest.raises(InputError, match=r"rail:? must be one of"):
        parse_network(f"graph:{path},rail=best")


@pytest.mark.parametrize("command", [
    ("simulate", "--load", "0.1", "--cycles", "100"), ("contention", "--split", "hops"),
])  # fmt: skip
def test_what_knows_one_port_a_host_refuses_several(command: tuple[str, ...]) -> None:
    """A simulation would inject at the first port alone."""
    network = SAMPLES / "ibnetdiscover" / "a.ibnet"
    name, *options = command
    result = calling.run(name, "grid:3:all-to-all", "-N", f"graph:{network}", *options)
    assert result.exit_code == 2
    assert "one port each" in result.stderr


def test_channels_have_the_names_of_switches() -> None:
    network = SAMPLES / "slurm-topology-conf" / "a.conf"
    pairs = ("contention", "grid:4:rings", "-N", f"slurm:{network}", "--channels")
    result = calling.run(*pairs)
    assert "leaf1→core" in result.stdout
    records = json.loads(calling.run(*pairs, "-f", "json").stdout)
    assert records[0]["channel"] == [4, 6]  # in the graph: after the four nodes


FORMS = ("json", "csv", "markdown", "latex", "table")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("path", "expected"), [
    parameters.values for parameters in _expectations()
    if parameters.values[1].get("network", {}).get("notes")  # type: ignore[attr-defined]
])  # fmt: skip
def test_notes_are_in_every_format(path: Path, expected: Any, form: str) -> None:
    """What a sample's expected.json wants noted is in the output, or beside it on stderr."""
    result = calling.run("contention", "grid:2:rings", "-N", f"graph:{path}", "-f", form)
    assert result.exit_code == 0, result.stderr
    plain = " ".join(result.stdout.replace("\\_", "_").split())
    for word in expected["network"]["notes"]:
        assert word in plain


@pytest.mark.parametrize("command", [
    ("contention", "grid:8:rings"), ("map", "grid:8:rings", "--moves", "10"),
    ("simulate", "grid:8:rings", "--load", "0.1", "--cycles", "50"),
    ("collective", "allreduce", "--alpha", "5", "--tau", "1/1000"),
])  # fmt: skip
def test_notes_of_a_network_are_in_the_records_of_every_command(command: tuple[str, ...]) -> None:
    path = SAMPLES / "slurm-topology-block-ring" / "a.conf"
    result = calling.run(*command, "-N", f"slurm:{path}", "-f", "json")
    assert result.exit_code in (0, 1), result.stderr
    for record in json.loads(result.stdout):
        assert any("A block is modelled" in note for note in record["notes"])


def test_slots_take_their_ports_in_turn(tmp_path: Path) -> None:
    """Both ports of `far` are two links from `near`: slot s takes port s mod 2."""
    path = tmp_path / "links"
    path.write_text("routers: r0 r1 m\nfar r0\nfar r1\nr0 m\nr1 m\nnear m\n")
    network = parse_network(f"graph:{path}*4")
    assert isinstance(network, RouteTable)
    first = [network.channels(slot, 4)[0][0] - network.size for slot in range(4)]
    assert first == [0, 1, 0, 1]
    assert "far has 2 ports" in network.notes


def test_bounds_hold_where_hosts_have_several_ports(tmp_path: Path) -> None:
    """Brute force over all placements of random messages: no bound is above the best value."""
    path = tmp_path / "links"
    path.write_text("routers: r0 r1 r2\na r0\na r1\nb r0\nc r1\nd r2\nd r0\nr0 r1\nr1 r2\n")
    network = parse_network(f"graph:{path}")
    messages = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]
    best = min(
        network.channel_loads(messages, node_of=list(order)).degree
        for order in itertools.permutations(range(4))
    )
    placed = place(messages, network, over="placements")
    assert placed.after.value == best
    assert placed.lower_bound <= best


@pytest.mark.parametrize("seed", range(6))
def test_ports_are_the_nearest_by_breadth_first_search(tmp_path: Path, seed: int) -> None:
    """Random switches and hosts with one to three ports: networkx on the switches alone."""
    random = Random(seed)
    switches = nx.gnp_random_graph(8, 0.35, seed=seed)
    lines = ["routers: " + " ".join(f"s{k}" for k in switches if switches.degree(k))]
    lines += [f"s{u} s{v}" for u, v in switches.edges]
    at = {f"h{k}": random.sample([k for k in switches if switches.degree(k)], random.randint(1, 3))
          for k in range(6)}  # fmt: skip
    lines += [f"{host} s{k}" for host, own in at.items() for k in own]
    path = tmp_path / "links"
    path.write_text("\n".join(lines))
    away = dict(nx.all_pairs_shortest_path_length(switches))
    network = parse_network(f"graph:{path}*2")
    names = [network.name(node) for node in range(network.size)]
    for x, y in itertools.product(range(network.size), repeat=2):
        ways = [away[p][q] for p in at[names[x]] for q in at[names[y]] if q in away[p]]
        if not ways:
            with pytest.raises(NetworkError, match="no common switch"):
                network.distance(x, y)
        elif names[x] == names[y]:
            assert network.distance(x, y) == 0
        else:
            assert network.distance(x, y) == min(ways) == len(network.channels(x, y))


# -- parts inside a node --------------------------------------------------------------------------

SMI = """        GPU0    GPU1    GPU2    GPU3    mlx5_0  mlx5_1  CPU Affinity
GPU0     X      NV1     PHB     SYS     PIX     SYS     0-9
GPU1    NV1      X      SYS     PHB     PIX     SYS     0-9
GPU2    PHB     SYS      X      PIX     SYS     PIX     10-19
GPU3    SYS     PHB     PIX      X      SYS     PIX     10-19
mlx5_0  PIX     PIX     SYS     SYS      X      SYS
mlx5_1  SYS     SYS     PIX     PIX     SYS      X
"""


def test_classes_of_connections_are_a_tree_without_bandwidths(tmp_path: Path) -> None:
    path = tmp_path / "topo"
    path.write_text(SMI)
    network = parse_network(f"graph:{path}")
    assert network.names == ("GPU0", "GPU1", "GPU2", "GPU3")
    assert network.distance(0, 1) == 1  # a bonded link
    assert network.distance(2, 3) == 2  # one switch of PCI
    assert network.distance(0, 3) > 2
    near = recognise.read(path, "network").value.near
    assert near == {"GPU0": "mlx5_0", "GPU1": "mlx5_0", "GPU2": "mlx5_1", "GPU3": "mlx5_1"}


def test_a_cluster_takes_the_bandwidths_of_its_node_from_the_file() -> None:
    path = SAMPLES / "nccl-topo-xml" / "a.xml"
    network = parse_network(f"rails:4,2,node={path}")
    plain = parse_network("rails:4,2,bandwidth=1854/5:50")
    assert network.bandwidths == plain.bandwidths == (Fraction(1854, 5), 50)
    assert [network.distance(0, y) for y in range(8)] == [plain.distance(0, y) for y in range(8)]
    assert any("gpu0 mlx5_0" in note for note in network.notes)
    assert parse_network(network.spec) == network
    with pytest.raises(FileError, match="a node with 8 GPUs"):
        parse_network(f"rails:4,8,node={path}")
    smi = SAMPLES / "nvidia-smi-topo" / "a.txt"
    with pytest.raises(FileError, match="a NIC for each of the 2 GPUs"):
        parse_network(f"rails:4,2,node={smi}")


def test_messages_between_gpus_do_not_pass_through_a_gpu(tmp_path: Path) -> None:
    """A chain of NVLinks 0-1-2: from 0 to 2 over PCI, three links and the socket."""

    def gpu(k: int, beside: list[int]) -> str:
        links = "".join(
            f'<nvlink target="0000:0{t}:00.0" count="4" tclass="0x030200"/>' for t in beside
        )
        return (
            f'<pci busid="0000:0{k}:00.0" class="0x030200" link_speed="16.0 GT/s PCIe" '
            f'link_width="16"><gpu dev="{k}" sm="80" rank="{k}">{links}</gpu></pci>'
        )

    path = tmp_path / "topo.xml"
    path.write_text(
        '<system version="1"><cpu numaid="0" arch="x86_64" vendor="AuthenticAMD">'
        + gpu(0, [1]) + gpu(1, [0, 2]) + gpu(2, [1]) + "</cpu></system>"
    )  # fmt: skip
    network = parse_network(f"graph:{path}")
    assert [network.distance(*pair) for pair in ((0, 1), (1, 2), (0, 2))] == [1, 1, 2]
    assert network.path(0, 2)[1] != 1
    assert sorted(network.bandwidths) == [24, 80]


# -- dragonflies by a table -----------------------------------------------------------------------

GROUPS = "host group\nnid[0001-0003,0010] a\nnid[0004-0005] b\nlogin c\nlogin a\n"


def test_groups_of_any_sizes_are_joined_two_by_two(tmp_path: Path) -> None:
    """Three groups of 5, 2 and 1 hosts; login has a port in two of them and is no transit."""
    path = tmp_path / "groups"
    path.write_text(GROUPS)
    network = parse_network(f"graph:{path},bandwidth=4")
    assert network.host_slots[:4] == (("nid0001", 1), ("nid0002", 1), ("nid0003", 1),
                                      ("nid0010", 1))  # fmt: skip
    name = network.names.index
    links = {("nid0001", "nid0010"): 0, ("nid0001", "nid0004"): 1, ("login", "nid0001"): 0,
             ("login", "nid0005"): 1}  # fmt: skip
    for (u, v), hops in links.items():
        assert network.distance(name(u), name(v)) == hops
    assert network.bandwidths == (4,)
    loads = network.channel_loads([(name("nid0001"), name("nid0004"))] * 8)
    assert loads.of(network.first_router, network.first_router + 1) == 2
    placed = place([(0, 1), (1, 0)], network, nodes="nid0001,nid0004,nid0005", over="placements")
    assert placed.after.value == 0
    with pytest.raises(FileError, match="has bandwidths of its own"):
        parse_network(f"graph:{SAMPLES / 'slurm-topology-conf' / 'a.conf'},bandwidth=2")
    with pytest.raises(InputError, match="must be a positive number"):
        parse_network(f"graph:{path},bandwidth=0")


# -- bad input ------------------------------------------------------------------------------------

BAD = {
    "switches and blocks": "SwitchName=a Nodes=x\nBlockName=b Nodes=y\n",
    "cut line": "SwitchName=a Level=0 LinkSpeed=1 Nodes=elk[1-\n",
    "duplicate names": '{"nodes": [{"id": 0, "name": "a"}], "links": [], "x": "',
    "no YAML": "- topology: a\n  tree: [\n",
    "entities": '<!DOCTYPE g [<!ENTITY a "b">]><graphml><graph edgedefault="directed"/></graphml>',
    "entities of NCCL": '<!DOCTYPE g><system version="1"></system>',
    "open XML": '<system version="1"><cpu>',
    "no GPU": '<system version="1"><cpu numaid="0"/></system>',
    "short row": "     GPU0 GPU1\nGPU0  X\nGPU1 SYS X\n",
    "unknown class": "     GPU0 GPU1\nGPU0  X  ABC\nGPU1 ABC X\n",
    "gap of nodes": "router 0 node 0 node 2\n",
    "node at two routers": "router 0 node 0 router 1\nrouter 1 node 0\n",
    "router with itself": "router 0 node 0 router 0\n",
    "unknown speed": 'Switch: 0x1 a:\n  1 2[ ] ==( 4X 7.5 Gbps Active/ LinkUp)==> 3 4[ ] "b" ( )\n'
    'Switch: 0x2 b:\n  3 4[ ] ==( 4X 7.5 Gbps Active/ LinkUp)==> 1 2[ ] "a" ( )\n',
    "no ring": '<graphs version="1"><graph id="1" pattern="2"/></graphs>',
    "a dump of traffic": "I\t0\t1\t512 bytes\t2 msgs sent\t0,0\n",
    "no group": "host group\nn1\n",
    "a host twice": "host,group\nn1,a\nn1,a\n",
    "NUL": "\x00\x01\x02",
}


@pytest.mark.parametrize("content", [pytest.param(text, id=name) for name, text in BAD.items()])
def test_bad_input_is_one_error_with_the_file(tmp_path: Path, content: str) -> None:
    path = tmp_path / "net"
    path.write_text(content)
    with pytest.raises(FileError, match="net") as error:
        parse_network(f"graph:{path}")
    assert "\n" not in str(error.value)


def test_two_names_of_one_host_in_a_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.conf"
    path.write_text("BlockName=a Nodes=n1\nBlockName=b Nodes=n1\n")
    with pytest.raises(FileError, match="different names"):
        parse_network(f"slurm:{path}")


# -- slots in words -------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["fattree:2^3", "fattree:2x3x2/2x1", "dragonfly:1,2,1",
                                  "rails:2,2", "torus:3x2", "hyperx:2x2"])  # fmt: skip
def test_slots_of_a_word_are_at_their_node(word: str) -> None:
    """Loads of `WORD*3` are those of the nodes that the slots are in, channel by channel."""
    base, slotted = parse_network(word), parse_network(f"{word}*3")
    assert slotted.size == 3 * base.size
    pairs = [(x, (5 * x + 1) % slotted.size) for x in range(slotted.size)]
    nodes = [(x // 3, y // 3) for x, y in pairs]
    expected = base.channel_loads(nodes)
    loads = slotted.channel_loads(pairs)
    assert (loads.degree, loads.total) == (expected.degree, expected.total)
    for (x, y), (u, v) in zip(pairs, nodes, strict=True):
        assert slotted.distance(x, y) == base.distance(u, v)
        ours = [(a - slotted.first_router, b - slotted.first_router)
                for a, b, *_ in slotted.channels(x, y)]  # fmt: skip
        theirs = [
            (a - base.first_router, b - base.first_router) for a, b, *_ in base.channels(u, v)
        ]
        assert ours == theirs
    assert parse_network(slotted.spec) == slotted


def test_levels_and_groups_keep_the_names(tmp_path: Path) -> None:
    path = SAMPLES / "slurm-topology-conf" / "a.conf"
    grouped = parse_network(f"slurm:{path}*4/2,inside=50:100")
    assert grouped.host_slots == tuple((f"ant0{k}", 4) for k in range(1, 5))
    assert (grouped.distance(0, 1), grouped.distance(0, 2)) == (2, 4)
    levels = tmp_path / "levels.toml"
    levels.write_text(f'network = "slurm:{path}"\n[[level]]\ncount = 2\nbandwidth = 50\n')
    assert parse_network(f"levels:{levels}").host_slots[0] == ("ant01", 2)


def test_names_pick_all_slots_of_their_hosts() -> None:
    path = SAMPLES / "slurm-topology-conf" / "a.conf"
    job = as_network(f"slurm:{path}*4", "ant03,ant01")
    assert isinstance(job, Allocation)
    assert job.nodes.tolist() == [8, 9, 10, 11, 0, 1, 2, 3]
    assert job.host_slots == (("ant03", 4), ("ant01", 4))
    two = as_network(f"slurm:{path}*4", "ant03,ant01,ant03")
    assert two.names == ("ant03", "ant01", "ant03")
    with pytest.raises(InputError, match="at most 4 times"):
        as_network(f"slurm:{path}*4", ",".join(["ant01"] * 5))


def test_ranks_beyond_the_hosts_are_refused_with_the_slots_they_need() -> None:
    path = SAMPLES / "slurm-topology-conf" / "a.conf"
    result = calling.run("contention", "grid:14:rings", "-N", f"slurm:{path}")
    assert result.exit_code == 2
    assert "*4 after the file gives every host 4 slots" in result.stderr
    assert calling.run("contention", "grid:14:rings", "-N", f"slurm:{path}*4").exit_code == 0


def test_a_network_in_a_job_has_its_notes(tmp_path: Path) -> None:
    path = SAMPLES / "slurm-topology-block-ring" / "a.conf"
    network: Network = as_network(f"slurm:{path}", "ibex[1-4]")
    problem = Problem.read([(0, 1), (1, 2)], network)
    assert any("block" in note for note in problem.notes)
