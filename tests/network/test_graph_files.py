"""Networks from files: genuine output of InfiniBand tools, GraphML, lists of links.

samples/fabric.* are what infiniband-diags 44 (ibnetdiscover, dump_fts, ibtracert) and OpenSM 3.3.23
(opensm-lfts.dump, opensm.fdbs; minhop) wrote about a fabric of five switches in ibsim 0.10;
samples/manual.ibnetdiscover is the example of infiniband-diags' page on topology files.
"""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import networkx as nx
import pytest

from lccmodel.errors import FileError, InputError
from lccmodel.network import RouteTable, parse_network

SAMPLES = Path(__file__).parent / "samples"
FABRIC = SAMPLES / "fabric.ibnetdiscover"


def _table(word: str) -> RouteTable:
    found = parse_network(word)
    assert isinstance(found, RouteTable)
    return found


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
def test_the_tables_of_a_fabric_route_as_the_fabric_does(tables: str) -> None:
    """All 72 routes, by name and port, are those that ibtracert followed hop by hop."""
    net = _table(f"graph:{FABRIC},tables={SAMPLES / f'fabric.{tables}'}")
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


def test_the_example_of_the_manual_is_read() -> None:
    """Two switches, two cables of other widths, adapters that share a description.

    0.4 read five hosts: the adapter with two ports was two of them.
    """
    net = _table(f"graph:{SAMPLES / 'manual.ibnetdiscover'}")
    assert (net.size, net.routers, net.n_channels) == (4, 2, 4)
    assert [str(width) for width in net.bandwidths] == ["1", "4"]
    assert net.names[0] == "MT23108 InfiniHost Mellanox Technologies 8f10403961354"
    assert len(set(net.names)) == 4
    ports, repeated = net.notes
    assert ports == "MT23108 InfiniHost Mellanox Technologies 8f10403960558 has 2 ports"
    assert repeated.startswith("descriptions of adapters are repeated, so that every such adapter")


def test_a_list_of_links_and_graphml_are_the_graph_they_say(tmp_path: Path) -> None:
    links = tmp_path / "links.txt"
    links.write_text(
        "# two leaves\nrouters: leaf[1-2] top\nn1 leaf1\nn2 leaf1\nn3 leaf2\nleaf1 top 2.5\n"
        "leaf2 top 5/2\nleaf1 leaf2\n"
    )
    net = _table(f"graph:{links}")
    assert net.names == ("n1", "n2", "n3")
    assert [str(width) for width in net.bandwidths] == ["1", "5/2"]
    assert (net.routers, net.n_channels, net.path(0, 2)) == (3, 6, [0, 3, 4, 2])
    graph = nx.petersen_graph()
    nx.write_graphml(graph, tmp_path / "petersen.graphml")
    net = _table(f"graph:{tmp_path / 'petersen.graphml'},routing=shortest-first,hosts=2")
    assert (net.size, net.routers, net.diameter, net.n_channels) == (20, 10, 2, 30)
    assert net == _table(net.spec)
    for options, size in (("routing=updown", 3), ("hosts=1", 3)):
        assert _table(f"graph:{links},{options}").size == size


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
def test_what_is_no_network_is_refused(
    content: str, options: str, told: str, line: int | None, tmp_path: Path
) -> None:
    """With the line that is wrong, if it is one."""
    file = tmp_path / "net.txt"
    file.write_text(content)
    with pytest.raises(InputError, match=told) as refused:
        parse_network(f"graph:{file}{options.format(file=file)}")
    assert line is None or refused.value.line == line  # type: ignore[attr-defined]


def test_addresses_of_more_than_one_digit_are_hexadecimal(tmp_path: Path) -> None:
    """The fabric with 40 added to every address: the same routes."""
    moved, tables = tmp_path / "moved", tmp_path / "tables"
    moved.write_text(re.sub(r"lid (\d+)", lambda m: f"lid {int(m[1]) + 40}", FABRIC.read_text()))
    lines = (SAMPLES / "fabric.lfts").read_text()
    tables.write_text(re.sub(r"(?m)^0x(\w{4})", lambda m: f"0x{int(m[1], 16) + 40:04x}", lines))
    found = _table(f"graph:{moved},tables={tables}")
    other = _table(f"graph:{FABRIC},tables={SAMPLES / 'fabric.lfts'}")
    ends = list(product(range(9), repeat=2))
    assert [found.route(*pair) for pair in ends] == [other.route(*pair) for pair in ends]


def test_tables_that_do_not_fit_are_refused(tmp_path: Path) -> None:
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
