"""Files of networks: every sample by its expected.json, and small inputs of the field.

The samples are made up; `expected.json` states the right reading, found by hand from the grammar.
Distances, links, ports and notes are compared with the network that a command gets.
"""

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
from tests.cli.calling import records_of, refused, typed
from tests.reading.files import SAMPLES, samples, written

CASES = Path(__file__).parent / "cases"
CONF = SAMPLES / "slurm-topology-conf" / "a.conf"


@pytest.mark.parametrize(("path", "expected"), samples("network", "order"))
def test_a_sample_is_read_as_expected(path, expected):
    part = recognise.read(path, expected["kind"])
    if expected["kind"] == "order":
        assert [list(ring) for ring in part.value] == expected["rings"]
        assert all(any(word in note for note in part.notes) for word in expected["notes"])
        return
    expected = expected["network"]
    network = parse_network(f"graph:{path}")
    names = [network.name(node) for node in range(network.size)]
    assert names == expected["nodes"]
    for pair, links in expected["hops"].items():
        assert network.distance(*map(names.index, pair.split(","))) == links, pair
    description: NetworkDescription = part.value
    switches = list(description.switches)
    for u, v, width in expected.get("links", ()):
        cables = [c for c in description.cables if {switches[c.u], switches[c.v]} == {u, v}]
        assert [cable.bandwidth for cable in cables] == [Fraction(width)]
    routers = expected.get("routers", [])
    assert switches[: len(routers)] == routers
    ports = {host.name: [switches[port] for port in host.ports] for host in description.hosts}
    assert ports.items() >= expected.get("rails", {}).items()
    for pair in expected.get("refuse_pairs", ()):
        with pytest.raises(NetworkError, match="no common switch"):
            network.distance(*map(names.index, pair.split(",")))
    if "blocks" in expected:
        assert [list(group) for group in description.groups] == expected["blocks"]
    for part, rate in expected.get("bandwidth_GBps", {}).items():
        assert float(description.rates[part]) == rate
    assert dict(description.near) == expected.get("nic_of", {})
    for pair, level in expected.get("levels", {}).items():
        assert description.levels[tuple(pair.split(","))] == level
    for word in expected.get("notes", ()):
        assert any(word in note for note in network.notes), network.notes
    if "parts" in expected:
        reach = nx.Graph()
        reach.add_nodes_from(range(network.size))
        for x, y in itertools.combinations(range(network.size), 2):
            if _hops(network, x, y) is not None:
                reach.add_edge(x, y)
        assert nx.number_connected_components(reach) == expected["parts"]


def _hops(network: Network, x: int, y: int) -> int | None:
    """The links between two nodes; None if they have no common switch."""
    try:
        return network.distance(x, y)
    except NetworkError:
        return None


@pytest.mark.parametrize("path", [sample.values[0] for sample in samples("network")])
def test_slots_and_names_survive(path):
    """`graph:FILE*3` has three slots in every host, at distance 0 of each other."""
    base, three = parse_network(f"graph:{path}"), parse_network(f"graph:{path}*3")
    assert three.size == 3 * base.size
    assert three.host_slots == tuple((name, 3) for name in base.names)
    for x in range(base.size):
        assert three.name(3 * x + 2) == base.name(x) or not base.names
        assert base.at_router(x) == three.at_router(3 * x)
        for y in range(base.size):
            assert _hops(three, 3 * x, 3 * y + 1) == _hops(base, x, y)
    assert parse_network(three.spec) == three


def test_a_file_is_read_whatever_its_bytes_and_name(tmp_path):
    """gzip, UTF-16 with its mark, CRLF, a name with * and commas: the longest path is the file."""
    conf = CONF.read_text()
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

FULL_INFO = """Switch 8 "S-01" # "a" base port 0 lid 1 lmc 0
[1] "S-02"[1] # "b" lid 2 4xHDR s=25 w=2 v=4
[2] "S-02"[2] # "b" lid 2 4xEDR s=25 w=2 v=4
[3] "H-0a"[1](a) # "n1 mlx5_0" lid 3 4xHDR s=25 w=2 v=4
Switch 8 "S-02" # "b" base port 0 lid 2 lmc 0
[1] "S-01"[1] # "a" lid 1 4xHDR s=25 w=2 v=4
[2] "S-01"[2] # "a" lid 1 4xEDR s=25 w=2 v=4
[3] "H-0b"[1](b) # "n2 mlx5_0" lid 4 4xHDR s=25 w=2 v=4
"""
P4, P2 = (f"==( {w}X  53.125 Gbps Active/  LinkUp)==>" for w in (4, 2))
BY_LINES = (
    f'0x00f1 "   lfA"  1  1[  ] {P4} 0x0e01  4  1[  ] "moth1 mlx5_0" ( )\n'
    f'0x00f1 "   lfA"  1  3[  ] {P4} 0x00f2  2  3[  ] "lfB" ( )\n'
    f'0x00f1 "   lfA"  1  5[  ] {P2} 0x00f2  2  5[  ] "lfB" ( Could be 106.25 Gbps)\n'
    '0x00f1 "   lfA"  1  4[  ] ==(      Down/ Polling)==>     [  ] "" ( )\n'
    f'0x00f2 "   lfB"  2  1[  ] {P4} 0x0e03  6  1[  ] "moth3 mlx5_0" ( )\n'
    f'0x00f2 "   lfB"  2  3[  ] {P4} 0x00f1  1  3[  ] "lfA" ( )\n'
)
BY_BLOCKS = (
    "CA: moth1 mlx5_0:\n"
    f'  0x0e01  4  1[  ] {P4}  1  1[  ] "lfA" ( )\n  0x0e02  5  2[  ] {P4}  2  2[  ] "lfB" ( )\n'
    "Switch: 0x00f1 lfA:\n"
    f'  1  1[  ] {P4}  4  1[  ] "moth1 mlx5_0" ( )\n  1  4[  ] {P4}  7  1[  ] "moth2 mlx5_0" ( )\n'
    f'  1  3[  ] {P4}  2  3[  ] "lfB" ( )\n'
    f'Switch: 0x00f2 lfB:\n  2  2[  ] {P4}  5  2[  ] "moth1 mlx5_0" ( )\n'
)
OLD_PORT = '  3 {0}[ ] ==( 4X 53.125 Gbps Active/ LinkUp)==> 1{0} 1[ ] "{1} HCA-1" ( )\n'
SMI = """        GPU0    GPU1    GPU2    GPU3    mlx5_0  mlx5_1  CPU Affinity
GPU0     X      NV1     PHB     SYS     PIX     SYS     0-9
GPU1    NV1      X      SYS     PHB     PIX     SYS     0-9
GPU2    PHB     SYS      X      PIX     SYS     PIX     10-19
GPU3    SYS     PHB     PIX      X      SYS     PIX     10-19
mlx5_0  PIX     PIX     SYS     SYS      X      SYS
mlx5_1  SYS     SYS     PIX     PIX     SYS      X
"""
NVLINK = '<nvlink target="0000:0{}:00.0" count="4" tclass="0x030200"/>'
GPU = (
    '<pci busid="0000:0{0}:00.0" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16">'
    '<gpu dev="{0}" sm="80" rank="{0}">{1}</gpu></pci>'
)
CHAIN = '<system version="1"><cpu numaid="0" arch="x86_64" vendor="AuthenticAMD">' + "".join(
    GPU.format(k, "".join(map(NVLINK.format, beside)))
    for k, beside in enumerate(([1], [0, 2], [1]))
) + "</cpu></system>"  # fmt: skip
GPUS = [f"GPU{k}" for k in range(4)]
LEAVES = "SwitchName=s0 Nodes={}\nSwitchName=s1 Nodes={}\nSwitchName=t Switches=s[0-1]{}\n"
SPINES = "n0-n1 0, n0-n2 2, n0-n3 2"

SMALL: dict[str, tuple[str | Path, str, str, dict[str, Any]]] = {
    "a host with two adapters is one host and no transit": (  # 0.4: five nodes n1 HCA-1 ...
        CASES / "04-one-host-with-two-hcas.ibnet", "n1 n2 nas n3",
        "n1-n2 0, n1-nas 0, n1-n3 1, n3-nas 0", {},
    ),
    "two spines": (CASES / "07-two-spines.conf", "n0 n1 n2 n3", SPINES, {}),
    "nodes of a higher switch are repeated": (
        LEAVES.format("n[0-1]", "n[2-3]", " Nodes=n[0-3]"), "n0 n1 n2 n3", SPINES, {},
    ),
    "a node below two leaves": (
        LEAVES.format("a,io", "b,io", ""), "a io b", "a-io 0, b-io 0, a-b 2",
        {"note": "io has 2 ports"},
    ),
    "a ring": ("RingName=r Nodes=n[0-5]\n", "n0 n1 n2 n3 n4 n5", "n0-n1 1, n0-n3 3, n0-n5 1", {}),
    "two rings": (
        "RingName=r Nodes=n[0-3]\nRingName=q Nodes=m[0-2]\n", "n0 n1 n2 n3 m0 m1 m2",
        "m0-m1 1, m0-m2 1, n0-m0 -", {},
    ),
    "links that are listed both ways": (  # 0.4: two cables, and the load 1 of 2
        CASES / "10-both-directions.txt", "", "", {"n_channels": 4, "note": "listed both ways"},
    ),
    "two lines in one direction are two cables": ("a b\na b\nb c\n", "", "", {"n_channels": 6}),
    "two cables both ways": ("a b\nb a\na b\nb a\n", "", "", {"n_channels": 4}),
    "no message passes through a host": (  # 0.4: from n1 to n2 through io
        "routers: s t u v\nn1 s\nio s\nio t\nn2 t\ns u\nu v\nv t\n", "n1 io n2",
        "n1-n2 3, n1-io 0, io-n2 0", {},
    ),
    "rates in front of what ibnetdiscover -f appends": (  # 0.4 missed every rate
        FULL_INFO, "n1 n2", "", {"bandwidths": (1, 2)},
    ),
    "iblinkinfo -l, with both GUIDs in every line": (
        BY_LINES, "moth1 moth3", "moth1-moth3 1",
        {"n_channels": 4, "bandwidths": (1, 2)},
    ),
    "iblinkinfo in blocks, with two ports of an adapter": (
        BY_BLOCKS, "moth1 moth2", "moth1-moth2 0",
        {"n_channels": 2, "note": "moth1 has 2 ports"},
    ),
    "older iblinkinfo": (
        "Switch 0xa1 leaf:\n" + OLD_PORT.format(1, "a") + OLD_PORT.format(2, "b"), "a b", "", {},
    ),
    "repeated descriptions": (
        "Switch 0xa1 leaf:\n" + OLD_PORT.format(1, "a") + OLD_PORT.format(2, "a"), "", "",
        {"size": 2, "note": "descriptions of adapters are repeated"},
    ),
    "classes of connections": (  # a bonded link, one switch of PCI, two sockets
        SMI, " ".join(GPUS), "GPU0-GPU1 1, GPU2-GPU3 2, GPU0-GPU3 3",
        {"near": dict(zip(GPUS, ("mlx5_0", "mlx5_0", "mlx5_1", "mlx5_1"), strict=True))},
    ),
    "NVLinks 0-1-2; from 0 to 2 over PCI and the socket, not through a GPU": (
        CHAIN, "gpu0 gpu1 gpu2", "gpu0-gpu1 1, gpu1-gpu2 1, gpu0-gpu2 2",
        {"bandwidths": (24, 80), "avoids": (0, 2, 1)},
    ),
    "groups with other columns": (
        "xname,host,group\nx0,a,0\nx1,a,0\nx2,b,1\n", "a b", "a-b 1",
        {"note": "Columns that are not read: xname"},
    ),
    "two adapters in a group": (
        "xname,host,group\nx0,a,0\nx1,a,0\nx2,b,1\n", "a b", "", {"note": "a has 2 ports"},
    ),
    "links with a unit in the heading": (
        "source,target,capacity_gbps\na,b,10\nb,c,1\n", "a b c", "", {"bandwidths": (1, 10)},
    ),
    "links with a column that is not read": (
        "src dst cost bandwidth\na b 7 10\nb c 7 1\n", "a b c", "",
        {"bandwidths": (1, 10), "note": "not read: cost"},
    ),
    "a speed with a suffix that Slurm refuses": (
        LEAVES.format("a LinkSpeed=100G", "b LinkSpeed=100G", ""), "a b", "",
        {"bandwidths": (100_000,), "note": "suffix k alone"},
    ),
    **{
        f"LinkSpeed={speed}, as Slurm reads it": (
            LEAVES.format(f"a LinkSpeed={speed}", "b", ""), "a b", "",
            {"bandwidths": (1, ratio) if ratio > 1 else (1,)},
        )
        for speed, ratio in {"4": 4, "0x10": 16, "010": 8, "1k": 1024, "2K": 2048, "UNLIMITED": 1}
        .items()
    },
}  # fmt: skip


@pytest.mark.parametrize("name", SMALL)
def test_a_small_network(name, tmp_path):
    """Names, links between hosts (`-`: no common switch), and what the file says of both."""
    content, names, hops, facts = SMALL[name]
    path = content if isinstance(content, Path) else written(tmp_path, content)
    network = parse_network(f"graph:{path}")
    if names:
        assert network.names == tuple(names.split())
    for pair, links in (part.split() for part in hops.split(", ") if part):
        x, y = map(network.names.index, pair.split("-"))
        assert _hops(network, x, y) == (None if links == "-" else int(links)), pair
    for attribute, value in facts.items():
        if attribute == "note":
            assert any(value in note for note in network.notes), network.notes
        elif attribute == "avoids":
            assert value[2] not in network.path(*value[:2])
        elif attribute == "near":
            assert recognise.read(path, "network").value.near == value
        else:
            known = getattr(network, attribute)
            assert (tuple(sorted(known)) if attribute == "bandwidths" else known) == value


def test_loads_and_notes_of_small_networks():
    """One adapter carries a ring of three; by destination, one message over each spine."""
    job = as_network(
        f"graph:{CASES / '04-one-host-with-two-hcas.ibnet'}", str(CASES / "04-job.txt")
    )
    assert job.names == ("n1", "n2", "n3")
    assert job.channel_loads([(0, 1), (1, 2), (2, 0)]).degree == 1
    spines = parse_network(f"slurm:{CASES / '07-two-spines.conf'}")
    assert spines.channel_loads([(0, 2), (0, 3)]).degree == 1
    network = parse_network(f"graph:{CASES / '10-both-directions.txt'}")
    problem = Problem.read(str(CASES / "10-t.csv"), network)
    assert network.channel_loads(problem.program.phases[0].traffic).degree == 20
    assert any("listed both ways" in note for note in problem.notes)


def test_a_job_lies_in_one_part_of_a_forest():
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


def test_a_torus_of_slurm_is_the_torus_with_names(tmp_path):
    """08: x is fastest; two texts of YAML, regions and a single list."""
    head = "- topology: t\n  torus3d:\n    toruses:\n      - name: a\n"
    head += "        dims: {x: 4, y: 2, z: 2}\n"
    listed = written(tmp_path, f"{head}        nodes: n[01-16]\n")
    network, torus = parse_network(f"slurm:{listed}"), parse_network("torus:4x2x2")
    assert network.names[:2] == ("n01", "n02")
    assert network.coordinates(network.names.index("n06")) == (1, 1, 0)
    for x, y in itertools.product(range(16), repeat=2):
        assert network.distance(x, y) == torus.distance(x, y)
    region = (
        f"{head}        regions:\n          - anchor: {{x: 2, y: 0, z: 1}}\n"
        "            dims: {x: 2, y: 2, z: 1}\n            nodes: m[1-4]\n"
    )
    network = parse_network(f"slurm:{written(tmp_path, region)}")
    places = [network.coordinates(node) for node in range(4)]
    assert places == [(2, 0, 1), (3, 0, 1), (2, 1, 1), (3, 1, 1)]


YAML = (
    "- topology: one\n  tree:\n    switches:\n      - {switch: s, nodes: '012,no'}\n"
    "- topology: two\n  block:\n    block_sizes: [2]\n    blocks:\n"
    "      - {block: b0, nodes: 'a[1-2]'}\n      - {block: b1, nodes: 'a[3-4]'}\n"
    "- topology: three\n  flat: true\n"
)


def test_topologies_are_chosen_by_name(tmp_path):
    """Scalars stay texts: 012 and `no` are nodes, where YAML 1.1 has 10 and False."""
    path = written(tmp_path, YAML)
    assert parse_network(f"slurm:{path},topology=one").names == ("012", "no")
    blocks = parse_network(f"slurm:{path}*2,topology=two")
    assert blocks.host_slots[0] == ("a1", 2)
    assert [blocks.distance(0, 2 * k) for k in range(4)] == [0, 0, 2, 2]
    for option, told in {"": "topology=NAME", ",topology=four": "one of one, two, three",
                         ",topology=three": "flat names no switches"}.items():  # fmt: skip
        with pytest.raises(FileError, match=told):
            parse_network(f"slurm:{path}{option}")
    with pytest.raises(FileError, match="requires a topology"):
        parse_network(f"slurm:{CONF},topology=one")


BLOCKS = "".join(f"BlockName=b{k} Nodes=i{2 * k},i{2 * k + 1}\n" for k in range(4))
JOINED = "AggregatedBlock=b[0-1] BlockSize=4\nAggregatedBlock=b[2-3] BlockSize=4\n"
BLOCKS_YAML = "- topology: t\n  block:\n    block_sizes: [2, 4, 8]\n    blocks:\n" + "".join(
    f"      - block: b{k}\n        nodes: i{2 * k},i{2 * k + 1}\n" for k in range(4)
)


@pytest.mark.parametrize(
    ("content", "levels"),
    [
        (BLOCKS, 1), (BLOCKS + "BlockSizes=2,8\n", 1), (BLOCKS + "BlockSizes=2,4\n", 2),
        (BLOCKS + "BlockSizes=2,4,8\n", 2), (BLOCKS + JOINED, 2), (BLOCKS_YAML, 2),
    ],
)  # fmt: skip
def test_block_sizes_are_levels(tmp_path, content, levels):
    """Nodes i and j are apart by twice the level at which their blocks are joined."""
    network = parse_network(f"slurm:{written(tmp_path, content)}")
    for x in range(8):
        level = 0 if x < 2 else 1 if x < 4 or levels == 1 else 2
        assert network.distance(0, x) == 2 * level
    assert "A block is modelled as one switch" in network.notes[0]


def test_a_job_on_hosts_of_a_ring_with_slots(tmp_path):
    path = written(tmp_path, "RingName=r Nodes=n[0-7]\n")
    job = as_network(f"slurm:{path}*2", "n6,n1")
    assert job.host_slots == (("n6", 2), ("n1", 2))
    assert [job.distance(0, node) for node in range(4)] == [0, 0, 3, 3]
    assert as_network(f"slurm:{path}", "n6,n1,n6").host_slots == (("n6", 2), ("n1", 1))
    assert as_network(f"slurm:{path}", [6, 1]).names == ("n6", "n1")
    with pytest.raises(InputError, match="must be "):
        as_network(f"slurm:{path}", "9")


def test_ranks_are_on_hosts_alone_where_a_line_names_the_switches():
    """09: 0.4 put four ranks on each of l1, l2 and top, too: 28 nodes."""
    for word in (f"graph:{CASES / '09-tree.txt'},hosts=4", f"graph:{CASES / '09-tree.txt'}*4"):
        network = parse_network(word)
        assert network.size == 16
        assert network.host_slots == tuple((f"n{k}", 4) for k in range(1, 5))
        assert [network.distance(0, node) for node in (3, 4, 8)] == [0, 0, 2]


@pytest.mark.parametrize("key", ["LinkSpeedRaw", "capacity", "weight", "bandwidth"])
def test_speeds_of_graphml_count(tmp_path, key):
    """11: 0.4 ignored LinkSpeedRaw, capacity and weight; b-c carries a tenth of a-b."""
    content = (CASES / "11-LinkSpeedRaw.graphml").read_text().replace("LinkSpeedRaw", key)
    network = parse_network(f"graph:{written(tmp_path, content)}")
    loads = network.channel_loads([(0, 1), (1, 2)])
    narrow, wide = network.bandwidths
    assert (loads.of(0, 1) * wide, loads.of(1, 2) * narrow) == (1, 1)
    assert wide == 10 * narrow
    assert (narrow == 1) == (key != "bandwidth")  # `bandwidth` is taken as it stands
    assert any(key in note for note in network.notes) == (key != "bandwidth")


def test_attributes_that_are_not_read_are_named(tmp_path):
    graph = nx.Graph()
    graph.add_edge("a", "b", latency=3, LinkSpeed="10", LinkSpeedUnits="G")
    graph.add_edge("b", "c", latency=4, LinkSpeed="622", LinkSpeedUnits="M")
    graph.add_edge("c", "d")
    nx.write_graphml(graph, tmp_path / "net.graphml")
    network = parse_network(f"graph:{tmp_path / 'net.graphml'}")
    assert sorted(network.bandwidths) == [1, Fraction(10000, 622)]
    assert any("latency" in note for note in network.notes)
    assert any("1 of 3 links have no LinkSpeed" in note for note in network.notes)


def test_numbers_of_a_graph_that_are_not_read_are_named():
    """0.4 ignored `weight` and `capacity` of a networkx graph without a word."""
    graph = nx.Graph()
    graph.add_edge(0, 1, weight=4, label="x")
    graph.add_edge(1, 2, capacity=2.5, bandwidth=3)
    table = RouteTable.from_graph(graph)
    assert "capacity, weight" in table.notes[0]
    assert RouteTable.from_graph(nx.path_graph(3)).notes == ()
    assert Problem.read([(0, 1)], table).notes == table.notes


@pytest.mark.parametrize("word", ["mesh:4x3", "torus:4x5", "cube:4"])
def test_the_order_of_links_in_a_file_decides_ties(tmp_path, word):
    """Links of a grid listed both ways, axis 0 first: shortest-first is dimension order."""
    network = as_network(word)
    graph = nx.DiGraph()
    graph.add_nodes_from(network.graph())
    graph.add_edges_from(network.graph().edges)
    nx.write_graphml(graph, tmp_path / "g.graphml")
    table = parse_network(f"graph:{tmp_path / 'g.graphml'},routing=shortest-first")
    for x, y in itertools.product(range(network.size), repeat=2):
        assert table.path(x, y) == network.path(x, y)


def test_the_same_graph_in_five_formats(tmp_path):
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


def test_no_message_passes_through_a_host_of_a_graph():
    graph = nx.Graph([("n1", "s"), ("io", "s"), ("io", "t"), ("n2", "t"), ("s", "u"), ("u", "t")])
    nx.set_node_attributes(graph, {v: "router" if len(v) == 1 else "node" for v in graph}, "role")
    table = RouteTable.from_graph(graph)
    assert table.distance(table.names.index("n1"), table.names.index("n2")) == 2


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
def test_two_rails(tmp_path, rail, way):
    """Two hosts, each with an adapter on two rails: no message needs the link to the core."""
    path = written(tmp_path, RAILS)
    network = parse_network(f"graph:{path}*2,rail={rail}")
    assert network.host_slots == (("n1", 2), ("n2", 2))
    for (x, y), links in way.items():
        assert network.distance(x, y) == links
    assert network.distance(0, 1) == 0
    with pytest.raises(InputError, match=r"rail:? must be one of"):
        parse_network(f"graph:{path},rail=best")


@pytest.mark.parametrize("command", ["simulate --load 0.1 --cycles 100", "contention --split hops"])
def test_what_knows_one_port_a_host_refuses_several(command):
    """A simulation would inject at the first port alone."""
    network = SAMPLES / "ibnetdiscover" / "a.ibnet"
    assert "one port each" in refused(typed(f"{command} grid:3:all-to-all -N graph:{network}"))


def test_channels_have_the_names_of_switches():
    pairs = f"contention grid:4:rings -N slurm:{CONF} --channels"
    assert "leaf1→core" in typed(pairs).stdout
    assert records_of(pairs)[0]["channel"] == [4, 6]  # in the graph: after the four nodes


@pytest.mark.parametrize("command", [
    "contention grid:8:rings", "map grid:8:rings --moves 10",
    "simulate grid:8:rings --load 0.1 --cycles 50", "collective allreduce --alpha 5 --tau 1/1000",
])  # fmt: skip
def test_notes_of_a_network_are_in_the_records_of_every_command(command):
    path = SAMPLES / "slurm-topology-block-ring" / "a.conf"
    for record in records_of(f"{command} -N slurm:{path}", codes=(0, 1)):
        assert any("A block is modelled" in note for note in record["notes"])
    job = as_network(f"slurm:{path}", "ibex[1-4]")
    assert any("block" in note for note in Problem.read([(0, 1), (1, 2)], job).notes)


def test_slots_take_their_ports_in_turn(tmp_path):
    """Both ports of `far` are two links from `near`: slot s takes port s mod 2."""
    path = written(tmp_path, "routers: r0 r1 m\nfar r0\nfar r1\nr0 m\nr1 m\nnear m\n")
    network = parse_network(f"graph:{path}*4")
    assert isinstance(network, RouteTable)
    first = [network.channels(slot, 4)[0][0] - network.size for slot in range(4)]
    assert first == [0, 1, 0, 1]
    assert "far has 2 ports" in network.notes


def test_bounds_hold_where_hosts_have_several_ports(tmp_path):
    """Brute force over all placements of random messages: no bound is above the best value."""
    links = "routers: r0 r1 r2\na r0\na r1\nb r0\nc r1\nd r2\nd r0\nr0 r1\nr1 r2\n"
    network = parse_network(f"graph:{written(tmp_path, links)}")
    messages = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]
    best = min(
        network.channel_loads(messages, node_of=list(order)).degree
        for order in itertools.permutations(range(4))
    )
    placed = place(messages, network, over="placements")
    assert placed.after.value == best
    assert placed.lower_bound <= best


@pytest.mark.parametrize("seed", range(6))
def test_ports_are_the_nearest_by_breadth_first_search(tmp_path, seed):
    """Random switches and hosts with one to three ports: networkx on the switches alone."""
    random = Random(seed)
    switches = nx.gnp_random_graph(8, 0.35, seed=seed)
    lines = ["routers: " + " ".join(f"s{k}" for k in switches if switches.degree(k))]
    lines += [f"s{u} s{v}" for u, v in switches.edges]
    at = {f"h{k}": random.sample([k for k in switches if switches.degree(k)], random.randint(1, 3))
          for k in range(6)}  # fmt: skip
    lines += [f"{host} s{k}" for host, own in at.items() for k in own]
    path = written(tmp_path, "\n".join(lines))
    away = dict(nx.all_pairs_shortest_path_length(switches))
    network = parse_network(f"graph:{path}*2")
    names = [network.name(node) for node in range(network.size)]
    for x, y in itertools.product(range(network.size), repeat=2):
        ways = [away[p][q] for p in at[names[x]] for q in at[names[y]] if q in away[p]]
        nearest = 0 if names[x] == names[y] else min(ways, default=None)
        assert _hops(network, x, y) == nearest
        if nearest:
            assert len(network.channels(x, y)) == nearest


# -- parts inside a node --------------------------------------------------------------------------


def test_a_cluster_takes_the_bandwidths_of_its_node_from_the_file():
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


# -- dragonflies by a table -----------------------------------------------------------------------

GROUPS = "host group\nnid[0001-0003,0010] a\nnid[0004-0005] b\nlogin c\nlogin a\n"


def test_groups_of_any_sizes_are_joined_two_by_two(tmp_path):
    """Three groups of 5, 2 and 1 hosts; login has a port in two of them and is no transit."""
    path = written(tmp_path, GROUPS)
    network = parse_network(f"graph:{path},bandwidth=4")
    assert network.names[:4] == ("nid0001", "nid0002", "nid0003", "nid0010")
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
        parse_network(f"graph:{CONF},bandwidth=2")
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
    "two names of a host": "BlockName=a Nodes=n1\nBlockName=b Nodes=n1\n",
    "some links both ways": "a b\nb a\nb c\n",
    "two bandwidths of a link": "a b 2\nb a 3\n",
}


@pytest.mark.parametrize("content", [pytest.param(text, id=name) for name, text in BAD.items()])
def test_bad_input_is_one_error_with_the_file(tmp_path, content):
    path = written(tmp_path, content, "net")
    with pytest.raises(FileError, match="net") as error:
        parse_network(f"graph:{path}")
    assert "\n" not in str(error.value)


# -- slots in words -------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["fattree:2^3", "fattree:2x3x2/2x1", "dragonfly:1,2,1",
                                  "rails:2,2", "torus:3x2", "hyperx:2x2"])  # fmt: skip
def test_slots_of_a_word_are_at_their_node(word):
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
        ours, theirs = (
            [(a - net.first_router, b - net.first_router) for a, b, *_ in net.channels(*pair)]
            for net, pair in ((slotted, (x, y)), (base, (u, v)))
        )
        assert ours == theirs
    assert parse_network(slotted.spec) == slotted


def test_levels_and_groups_keep_the_names(tmp_path):
    grouped = parse_network(f"slurm:{CONF}*4/2,inside=50:100")
    assert grouped.host_slots == tuple((f"ant0{k}", 4) for k in range(1, 5))
    assert (grouped.distance(0, 1), grouped.distance(0, 2)) == (2, 4)
    levels = tmp_path / "levels.toml"
    levels.write_text(f'network = "slurm:{CONF}"\n[[level]]\ncount = 2\nbandwidth = 50\n')
    assert parse_network(f"levels:{levels}").host_slots[0] == ("ant01", 2)


def test_names_pick_all_slots_of_their_hosts():
    job = as_network(f"slurm:{CONF}*4", "ant03,ant01")
    assert isinstance(job, Allocation)
    assert job.nodes.tolist() == [8, 9, 10, 11, 0, 1, 2, 3]
    assert job.host_slots == (("ant03", 4), ("ant01", 4))
    two = as_network(f"slurm:{CONF}*4", "ant03,ant01,ant03")
    assert two.names == ("ant03", "ant01", "ant03")
    with pytest.raises(InputError, match="at most 4 times"):
        as_network(f"slurm:{CONF}*4", ",".join(["ant01"] * 5))


@pytest.mark.parametrize(("known", "stated"), [("a{}.site.org", "a{}"), ("a{}", "a{}.site.org")])
def test_nodes_of_a_job_have_short_or_full_names(tmp_path, known, stated):
    """0.4 refused them, though --hosts matched them."""
    names = ",".join(known.format(k) for k in range(3))
    path = written(tmp_path, f"SwitchName=s Nodes={names}\n")
    job = as_network(f"slurm:{path}", f"{stated.format(2)},{stated.format(0)}")
    assert job.names == (known.format(2), known.format(0))


def test_notes_of_hosts_are_in_the_records_of_a_rank_file(tmp_path):
    """0.4 wrote them to standard error alone."""
    path = written(tmp_path, "SwitchName=s Nodes=a[1-2]\n")
    hosts = written(tmp_path, "a1 slots=1 port=7\na2.site.org slots=1\n", "hosts")
    line = f"map grid:2:rings -N slurm:{path} --hosts {hosts} --rankfile {tmp_path / 'ranks'}"
    (record,) = records_of(f"{line} --moves 1")
    assert "port is not used (port=7)" in record["notes"]
    assert any("short or full name is matched" in note for note in record["notes"])
