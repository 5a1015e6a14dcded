"""Networks and jobs from files: InfiniBand tools, GraphML, lists of links and of nodes, Slurm.

samples/fabric.* are what infiniband-diags 44 (ibnetdiscover, dump_fts, ibtracert) and OpenSM 3.3.23
(opensm-lfts.dump, opensm.fdbs; minhop) wrote about a fabric of five switches in ibsim 0.10;
samples/manual.ibnetdiscover is the example of infiniband-diags' page on topology files.
"""

import json
import re
from itertools import product
from pathlib import Path

import networkx as nx
import pytest

from lccmodel import Traffic, place
from lccmodel.errors import FileError, InputError, NodeError
from lccmodel.network import Allocation, Network, as_network, parse_network
from tests.cli import calling

SAMPLES = Path(__file__).parent / "samples"
FABRIC = SAMPLES / "fabric.ibnetdiscover"


def _traced() -> dict[tuple[str, str], list[str]]:
    """What ibtracert says: the switches between two nodes, with the port that each is left by."""
    found: dict[tuple[str, str], list[str]] = {}
    for trace in (SAMPLES / "fabric.ibtracert").read_text().split("From ca ")[1:]:
        hops = re.findall(r'\[(\d+)\] -> (switch|ca) port .* "([^"]*)"', trace)
        first = re.search(r'"([^" ]*)', trace)
        assert first
        switches = [f"{name}[{hops[k + 1][0]}]" for k, (_, _, name) in enumerate(hops[:-1])]
        found[first[1], hops[-1][2].split()[0]] = switches
    return found


@pytest.mark.parametrize("tables", ["dump_fts", "lfts", "fdbs"])
def test_the_tables_of_a_fabric_route_as_the_fabric_does(tables):
    """All 72 routes, by name and port, are those that ibtracert followed hop by hop."""
    net = parse_network(f"graph:{FABRIC},tables={SAMPLES / f'fabric.{tables}'}")
    assert net.names == tuple(f"node0{k}" for k in (7, 8, 9, 4, 5, 6, 1, 2, 3))
    assert (net.size, net.routers, net.n_channels, net.diameter) == (9, 5, 14, 2)
    ports = {
        ("leaf3", "spine1", 0): 6, ("leaf3", "spine1", 1): 7, ("leaf3", "spine2", 0): 8,
        ("spine1", "leaf3", 0): 4, ("spine1", "leaf3", 1): 3,
        **{(f"leaf{k}", f"spine{s}", 0): 6 + s for k in (1, 2) for s in (1, 2)},
        **{(f"spine{s}", f"leaf{k}", 0): k for k in (1, 2) for s in (1, 2)},
        ("spine2", "leaf3", 0): 3,
    }  # fmt: skip
    switch = ("leaf3", "leaf2", "spine2", "spine1", "leaf1")  # in the order of the file
    traced = _traced()
    assert len(traced) == 72
    for x in range(9):
        for y in range(9):
            if x != y:
                found = []
                for channel in net.channels(x, y):
                    u, v, cable = (*channel, 0)[:3]
                    ends = switch[u - 9], switch[v - 9]
                    found.append(f"{ends[0]}[{ports[(*ends, cable)]}]")
                assert found == traced[net.name(x), net.name(y)][:-1]


def test_the_example_of_the_manual_is_read():
    """Two switches, two cables of other widths, adapters that share a description.

    0.4 read five hosts: the adapter with two ports was two of them.
    """
    net = parse_network(f"graph:{SAMPLES / 'manual.ibnetdiscover'}")
    assert (net.size, net.routers, net.n_channels) == (4, 2, 4)
    assert [str(width) for width in net.bandwidths] == ["1", "4"]
    assert net.names[0] == "MT23108 InfiniHost Mellanox Technologies 8f10403961354"
    assert len(set(net.names)) == 4
    ports, repeated = net.notes
    assert ports == "MT23108 InfiniHost Mellanox Technologies 8f10403960558 has 2 ports"
    assert repeated.startswith("descriptions of adapters are repeated, so that every such adapter")


def test_a_list_of_links_and_graphml_are_the_graph_they_say(tmp_path):
    links = tmp_path / "links.txt"
    links.write_text(
        "# two leaves\nrouters: leaf[1-2] top\nn1 leaf1\nn2 leaf1\nn3 leaf2\nleaf1 top 2.5\n"
        "leaf2 top 5/2\nleaf1 leaf2\n"
    )
    net = parse_network(f"graph:{links}")
    assert net.names == ("n1", "n2", "n3")
    assert [str(width) for width in net.bandwidths] == ["1", "5/2"]
    assert (net.routers, net.n_channels, net.path(0, 2)) == (3, 6, [0, 3, 4, 2])
    graph = nx.petersen_graph()
    nx.write_graphml(graph, tmp_path / "petersen.graphml")
    net = parse_network(f"graph:{tmp_path / 'petersen.graphml'},routing=shortest-first,hosts=2")
    assert (net.size, net.routers, net.diameter, net.n_channels) == (20, 10, 2, 30)
    assert net == parse_network(net.spec)
    for options, size in (("routing=updown", 3), ("hosts=1", 3)):
        assert parse_network(f"graph:{links},{options}").size == size


SWITCH, CABLE = 'Switch 8 "S-01" # "a"\n', '[1] "S-02"[1] # "b" lid 1 4xSDR\n'


@pytest.mark.parametrize(("content", "options", "told", "line"), [
    ("a b c d\n", "", "known format|must contain a network", 0),
    ("a b\n\n# c\na b c d\n", "", "must be a link", 4),
    ("# a\na b 1\na b -1\n", "", "a bandwidth must be a positive number", 3),
    ("a b 0\n", "", "a bandwidth must be a positive number", 1),
    ("a b 1/0\n", "", "bandwidth", 1),
    ("a b nan\n", "", "a bandwidth must be a positive number", 1),
    ("a a\n", "", "link a vertex with itself", None),
    ("routers: a z\na b\n", "", "routers must have links", None),
    ("routers: a\n\nrouters: a[5-1]\na b\n", "", "a range must go up", 3),
    ("", "", "must not be empty", None),
    ("routers: a\n", "", "must have a link", None),
    ("a b\n", ",routing=quick", "must be one of shortest", None),
    ("a b\n", ",hosts=0", "must be a number of nodes", None),
    ("a b\n", ",hosts=1,hosts=2", "may be given once", None),
    ("a b\n", ",tables=x", "cannot read the file", None),
    ("a b\n", ",tables={file}", "ibnetdiscover", None),
    ("a b\n", ",tables=x,routing=shortest", "exclude each other", None),
    ("<graphml", "", "must be GraphML", None),
    ('<graphml><graph edgedefault="undirected"/></graphml>', "", "must have nodes|GraphML", None),
    ("\x00\xff", "", "must be", None),
    (f"{SWITCH}{CABLE}", "", "both ends", None),
    (SWITCH, "", "must have channel adapters", None),
    (f'\n[1] "S-02"[1]\n{SWITCH}', "", "must be a link such as", 2),
    (f'# fabric\n{SWITCH}\n[1] "S-02"\n', "", "must be a link such as", 4),
    (f'{SWITCH}{CABLE}[2] "S-02"[1] # "b" lid 1 0xSDR\n', "", "must have a width and speed", 3),
    (f'{SWITCH}[1] "S-02"[1] # "b" lid 1 9xABC\n', "", "must have a width", 2),
    (f'{SWITCH}{CABLE}[1] "S-02"[2] # "b" lid 1 4xSDR\n', "", "a port must have one cable", 3),
    (f'{SWITCH}{CABLE}[2] "H-1"[1](2) # "n" lid 2 4xSDR\n', "", "both ends", None),
])  # fmt: skip
def test_what_is_no_network_is_refused(content, options, told, line, tmp_path):
    """With the line that is wrong, if it is one."""
    file = tmp_path / "net.txt"
    file.write_text(content)
    with pytest.raises(InputError, match=told) as refused:
        parse_network(f"graph:{file}{options.format(file=file)}")
    assert line is None or refused.value.line == line


def test_addresses_of_more_than_one_digit_are_hexadecimal(tmp_path):
    """The fabric with 40 added to every address: the same routes."""
    moved, tables = tmp_path / "moved", tmp_path / "tables"
    moved.write_text(re.sub(r"lid (\d+)", lambda m: f"lid {int(m[1]) + 40}", FABRIC.read_text()))
    lines = (SAMPLES / "fabric.lfts").read_text()
    tables.write_text(re.sub(r"(?m)^0x(\w{4})", lambda m: f"0x{int(m[1], 16) + 40:04x}", lines))
    found = parse_network(f"graph:{moved},tables={tables}")
    other = parse_network(f"graph:{FABRIC},tables={SAMPLES / 'fabric.lfts'}")
    ends = list(product(range(9), repeat=2))
    assert [found.route(*pair) for pair in ends] == [other.route(*pair) for pair in ends]


def test_tables_that_do_not_fit_are_refused(tmp_path):
    """A loop between leaf1 and spine1, a missing way, another fabric's switch, no tables at all."""
    file, lines = tmp_path / "lft", (SAMPLES / "fabric.lfts").read_text()
    loop = lines.replace("0x0009 002 #", "0x0009 001 #")  # spine1 and spine2 send node04 to leaf1
    lost = lines.replace("0x0009 002 #", "0x0009 055 #")
    strange = lines.replace("0x0000000000200000 (", "0x0000000000999999 (")
    cases = [
        (loop, "in a loop"),
        (lost, "must lead to every node"),
        (strange, "a switch that ibnetdiscover"),
        ("x", "must contain forwarding"),
    ]
    for content, told in cases:
        file.write_text(content)
        with pytest.raises(FileError, match=told) as error:
            parse_network(f"graph:{FABRIC},tables={file}")
        assert error.value.path == str(file)
        named = [k for k, one in enumerate(content.splitlines(), 1) if "999999" in one]
        assert error.value.line == (named[0] if named else 0)
    with pytest.raises(FileError, match="cannot read the file"):
        parse_network(f"graph:{FABRIC},tables={tmp_path / 'none'}")
    with pytest.raises(InputError, match="must name a file"):
        parse_network("graph:")


# -- the nodes that a job gets, and trees of Slurm -----------------------------------------------


CONF = """# Slurm's manual: three leaf switches, one above
SwitchName=s0 Nodes=dev[0-2]
SwitchName=s1 \\
   Nodes=dev[03-04] LinkSpeed=4
switchname = s2 nodes=tux,login1
SwitchName=top Switches=s[0-2]
"""


@pytest.fixture
def tree(tmp_path: Path) -> Network:
    file = tmp_path / "topology.conf"
    file.write_text(CONF)
    return parse_network(f"slurm:{file}")


def test_a_tree_of_slurm_has_its_nodes_switches_and_speeds(tree):
    """Every message crosses the links to the lowest common switch; one of them carries four."""
    assert tree.names == ("dev0", "dev1", "dev2", "dev03", "dev04", "tux", "login1")
    assert (tree.routers, tree.n_channels, tree.diameter) == (4, 6, 2)
    assert [tree.distance(x, y) for x, y in ((0, 2), (0, 3), (5, 6))] == [0, 2, 0]
    loads = tree.channel_loads([(0, 3), (1, 3), (2, 4), (0, 4), (5, 0)])
    assert loads.degree == 4
    assert loads.of(tree.first_router, tree.first_router + 3) == 4
    assert loads.of(tree.first_router + 3, tree.first_router + 1) == 1
    assert parse_network(tree.spec) == tree


@pytest.mark.parametrize(("nodes", "found"), [
    ("dev[0-2],login1", [0, 1, 2, 6]), ("3-4,0", [3, 4, 0]), ("dev04\ntux\n", [4, 5]),
    (["tux", 0], [5, 0]), ([4, 3], [4, 3]), (range(2), [0, 1]),
])  # fmt: skip
def test_nodes_are_numbers_ranges_or_names(tree, nodes, found):
    job = as_network(tree, nodes)
    assert isinstance(job, Allocation)
    assert job.nodes.tolist() == found
    assert job.names == tuple(tree.names[node] for node in found)
    many = ",".join(map(str, range(2000)))  # longer than a file name may be
    assert as_network("mesh:64x64", many).size == 2000


def test_a_file_lists_nodes_or_names_with_coordinates(tmp_path, tree):
    """What `scontrol show hostnames` prints, with slots repeated; and a table of coordinates."""
    file = tmp_path / "nodes"
    file.write_text("login1\nlogin1\ndev[0-1]\n\n# none\n3\n")
    job = as_network(tree, str(file))
    assert job.names == ("login1", "login1", "dev0", "dev1", "dev03")
    assert job.host_slots == (("login1", 2), ("dev0", 1), ("dev1", 1), ("dev03", 1))
    assert isinstance(job, Allocation)
    assert job.distance(0, 1) == 0
    file.write_text("cn07 3 2 0\ncn01 0 1 1\n")
    job = as_network("torus:4x4x2", file)
    assert isinstance(job, Allocation)
    assert (job.nodes.tolist(), job.names) == ([11, 20], ("cn07", "cn01"))
    assert job.coordinates(0) == (3, 2, 0)
    file.write_text("b 3\na 1\n")
    assert as_network("cube:2", file).names == ("b", "a")


@pytest.mark.parametrize(("nodes", "told"), [
    ("dev7", "must be a node of slurm"), ("0-9", "must be nodes of slurm"), ("5-3", "upwards"),
    ("0-99999999999", "upwards"), ("", "must be nodes such as"), ("dev[3-1]", "go up"),
    ([], "at least one"), ([9], "must be nodes of slurm"), ([0, 0], "different"), (7, "int"),
    ([1.5], "int"), ("a b", "must be a node"), (",", "must be nodes such as"),
])  # fmt: skip
def test_nodes_that_there_are_not_are_refused(tree, nodes, told):
    with pytest.raises(InputError, match=told):
        as_network(tree, nodes)


def test_a_node_of_a_job_has_the_coordinates_that_it_has_in_the_network():
    """Of every node of the whole network: in the job at its place, or refused."""
    job = as_network("mesh:4x3", [7, 2, 11])
    for node in range(12):
        where = job.network.coordinates(node)
        if node in (7, 2, 11):
            assert job.coordinates(job.node(where)) == where
        else:
            with pytest.raises(NodeError, match="must be those of a node of the job"):
                job.node(where)


@pytest.mark.parametrize(("kind", "content", "told", "line"), [
    ("nodes", "3\n99\n", "must be nodes of torus", 2), ("nodes", "a 9 9\n", "on axis 1", 1),
    ("nodes", "a b\n", "coord", 1), ("nodes", "", "must name a node", 0),
    ("nodes", "x\n", "no names", 1), ("nodes", "a 0 0\nb 0 0\n", "one name", 2),
    ("nodes", "a 0 0\na 1 1\n", "different names", 2), ("nodes", "a 99\n", "coordinates", 1),
    ("slurm", "Nodes=a\n", "known format", 0), ("slurm", "SwitchName=s\n", "must have nodes", 0),
    ("slurm", "SwitchName=s Nodes=a\n\nSwitchName=s Nodes=b\n", "one line", 3),
    ("slurm", "SwitchName=s Nodes=a,a\n", "once", 1),
    ("slurm", "# top\nSwitchName=t \\\n Switches=s\n", "separate line", 2),
    ("slurm", "SwitchName=s Switches=s Nodes=a\n", "itself", 1),
    ("slurm", "SwitchName=s Switches=t Nodes=a\nSwitchName=t Switches=s Nodes=b\n", "itself", 1),
    ("slurm", "SwitchName=s Nodes=node[01-\n", "SLURM_TOPO_LEN", 1),
    ("slurm", "\nSwitchName=s Nodes=a LinkSpeed=-1\n", "LinkSpeed", 2),
    ("slurm", "SwitchName=s Nodes=a LinkSpeed=0\n", "LinkSpeed", 1),
    ("slurm", "SwitchName=s \\\n Nodes=a \\\n\n Nodes=b", "must be a line SwitchName", 4),
    ("slurm", "SwitchName=s Nodes=a[2-1]\n", "go up", 1),
    ("slurm", "SwitchName=s Nodes=s\n", "not both", 1),
])  # fmt: skip
def test_a_wrong_file_is_refused(tmp_path, kind, content, told, line):
    """A list of nodes of torus:4x4, or a topology of Slurm."""
    file = tmp_path / "topology.conf"
    file.write_text(content)
    with pytest.raises(FileError, match=told) as error:
        as_network("torus:4x4", file) if kind == "nodes" else parse_network(f"slurm:{file}")
    assert error.value.line == line


def test_a_job_is_placed_on_its_nodes_alone(tree):
    """`nodes=` of place: two pairs are apart on six nodes, below one switch where they can be."""
    pairs = Traffic([(0, 1), (1, 0), (2, 3), (3, 2)], [1] * 4, 4)
    placed = place(pairs, tree, nodes="dev0,dev03,dev04,dev1", over="placements")
    assert (placed.after.value, placed.optimal) == (0, True)
    with pytest.raises(InputError, match="have no names"):
        place(pairs, "torus:4x4", nodes="0-5", over="placements").rankfile()
    with pytest.raises(NodeError):
        place(pairs, "torus:4x4", nodes="16")


def test_commands_take_the_nodes_of_a_job(tmp_path, tree):
    ring = ("grid:4:rings", "--network", tree.spec, "--nodes", "dev[03-04],tux,dev0")
    record = json.loads(calling.run("contention", *ring, "-f", "json").stdout)[0]
    assert (record["network"], record["degree"]) == (f"{tree.spec},nodes=3-5:0", 2)
    ranks = tmp_path / "ranks"
    to_file = ("--rankfile", str(ranks), "--launcher", "slurm", "-f", "json")
    mapped = calling.run("map", *ring, *to_file)
    hosts = ranks.read_text().split()
    assert sorted(hosts) == ["dev0", "dev03", "dev04", "tux"]
    assert json.loads(mapped.stdout)[0]["host_of"] == hosts
    for wrong in (("--nodes", "99"), ("--nodes", "x,,"), ("--nodes", "0", "--network", "cube")):
        result = calling.run("contention", "grid:2:rings", "--network", "cube:3", *wrong)
        assert (result.exit_code, result.output.count("\n")) == (2, 1)
