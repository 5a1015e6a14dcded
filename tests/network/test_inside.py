"""Insides of nodes: messages climb to the first place above both ends.

Routes are walked on the graph in test_second_routes.
"""

from collections import Counter
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from lccmodel.errors import FileError, InputError, NetworkError
from lccmodel.network import RouteTable, parse_network
from lccmodel.network import node_hierarchy as inside_module
from lccmodel.network.node_hierarchy import rails, with_inside

CABLES = [
    nx.MultiGraph([(0, 1, {"bandwidth": w}) for w in ("1/4", "1/4", 3)]),
    nx.MultiGraph([(0, 1), (0, 1, {"bandwidth": 2}), (1, 2), (1, 2), (2, 0), (2, 0)]),
]
nx.set_node_attributes(CABLES[0], 2, "hosts")
BETWEEN = [
    *map(parse_network, (
        "torus:5x4,bandwidth=3:1/2", "mesh:3x2x2,bandwidth=2:1:5", "torus:4x2x3", "cube:3",
        "fattree:2x2/1", "fattree:2x3x2/1x2", "dragonfly:1,2,1",
    )),
    *map(RouteTable.from_graph, CABLES),
]  # fmt: skip


@pytest.mark.parametrize("base", BETWEEN, ids=lambda base: base.spec)
@pytest.mark.parametrize("counts", [(1,), (3,), (2, 1, 3)])
def test_every_level_carries_what_leaves_and_enters_its_groups(base, counts):
    """The network carries what it would by itself, ports what leaves or enters a node, and a link
    above a group what has one end in it; each over its bandwidth. Every cable is kept.
    """
    widths = [7, Fraction(1, 3), 2][: len(counts)]
    network = with_inside(base, counts, widths)
    rng = np.random.default_rng(base.size)
    pairs = rng.integers(0, network.size, (150, 2))
    volumes = rng.integers(1, 99, 150)
    alone = base.channel_loads(pairs // prod(counts), volumes)

    def most(groups: np.ndarray[Any, Any]) -> int:
        leaves = groups[:, 0] != groups[:, 1]
        ends = [np.bincount(side[leaves], volumes[leaves]) for side in groups.T]
        return int(max((int(end.max(initial=0)) for end in ends), default=0))

    expected: list[Any] = list(alone.per_dimension)
    if base.first_router:
        expected.append(most(pairs // prod(counts)))
    for level, width in enumerate(widths):
        expected.append(most(pairs // prod(counts[level + 1 :])) / Fraction(width))
    assert network.channel_loads(pairs, volumes).per_dimension == tuple(expected)


def test_networks_of_more_nodes_than_are_walked(monkeypatch):
    """Grids are known by arithmetic; of others up to 2^10 nodes are walked, here up to 3."""
    assert with_inside(parse_network("torus:41x26"), (1,)).distance(0, 20 + 41 * 13) == 35
    star, larger = parse_network("fattree:3"), parse_network("fattree:4")
    monkeypatch.setattr(inside_module, "_MOST_WALKED", 9)
    assert with_inside(star, (1,)).size == 3
    with pytest.raises(NetworkError, match="must have at most"):
        with_inside(larger, (1,))


def test_bandwidths_of_levels():
    """Four messages of 6 from slot 0: its link of 20 is busy for 24/20, the node's for 12/2."""
    network = parse_network("mesh:2*4/2,bandwidth=2,inside=10:20")
    loads = network.channel_loads([(0, 1), (0, 2), (0, 4), (0, 5)], [6, 6, 6, 6])
    assert loads.per_dimension == (6, Fraction(18, 10), Fraction(24, 20))


@pytest.mark.parametrize(("nodes", "nics"), [(1, 1), (1, 3), (3, 1), (2, 2), (4, 3)])
def test_rails(nodes, nics):
    """On its own rail 2 links; to another GPU inside first, so never from switch to switch."""
    cluster = rails(nodes, nics)
    assert (cluster.size, cluster.routers) == (nodes * nics, nodes * nics + nodes + nics)
    for x in range(cluster.size):
        for y in range(cluster.size):
            differ = (x // nics != y // nics) + (x % nics != y % nics)
            assert cluster.distance(x, y) == 2 * differ
            if differ == 2:  # its node's switch, the GPU on the goal's rail, the rail
                via = x // nics * nics + y % nics
                assert cluster.path(x, y)[-2] == cluster.path(via, y)[-2]


def test_rails_are_named_with_their_bandwidths_unless_they_are_1():
    words = ["rails:4,3" + end for end in ("", ",bandwidth=3:3", ",bandwidth=1:3")]
    assert [rails(4, 3, *widths).spec for widths in ((), (3, 3), (1, 3))] == words
    cluster = parse_network("rails:4,3,bandwidth=9:1")
    assert cluster == rails(4, 3, 9, 1)
    assert cluster.channel_loads([(0, 4)]).per_dimension == (Fraction(1, 9), 1)


def test_a_table_of_levels(tmp_path):
    path = tmp_path / "node.toml"
    path.write_text(
        'network = "torus:4x3"\n[[level]]\nname = "socket"\ncount = 2\nbandwidth = 50\n'
        '[[level]]\nname = "GPU"\ncount = 2\nbandwidth = 100.5\n'
    )
    pairs = [(x, 7 * x % 48) for x in range(48)]
    words = (f"levels:{path}", "torus:4x3*4/2,inside=50:100.5")
    by_file, by_word = (parse_network(word).channel_loads(pairs) for word in words)
    assert by_file.per_dimension == by_word.per_dimension


MESH = parse_network("mesh:2")


@pytest.mark.parametrize(("network", "counts", "widths", "told"), [
    ("mesh:2", (2,), (), "must be a network"),
    (MESH, (), (), "must be 1 to"),
    (MESH, (0,), (), "at least 1"),
    (MESH, (2, 2), (1,), "must be 2 bandwidths"),
    (parse_network("fattree:4x4/4,routing=s-mod-k"), (2,), (), "by where a message goes alone"),
    (parse_network("mesh:4096"), (1 << 10,), (), "entries"),  # 2^12 nodes, rows of 2^22
])  # fmt: skip
def test_insides_that_there_are_not_are_refused(network, counts, widths, told):
    with pytest.raises(InputError, match=told):
        with_inside(network, counts, widths)


@pytest.mark.parametrize(("text", "rule"), [
    ("network = 3", "must have network"),
    ("network = ", "TOML"),
    ('network = "mesh:2"\nlevel = [3]', "a level has"),
    ('network = "mesh:2"\n[[level]]\ncount = 0', "counts: must be at least 1"),
    ('network = "mesh:0"\n[[level]]\ncount = 2', "must be at least 1"),
    *[(f'network = "mesh:2"\n[[level]]\ncount = 2\nbandwidth = {width}',
       "bandwidth of a level must be a positive number") for width in ("0", "-1", "'x'", "1e400",
                                                                       "true")],
    ('network = "mesh:2"\n[[level]]\ncount = true', "count of a level must be an integer"),
    ('network = "levels:l.toml"\n[[level]]\ncount = 2', "network must have no file of levels"),
])  # fmt: skip
def test_a_bad_file_of_levels_is_refused(text, rule, tmp_path, monkeypatch):
    """Also a file that names itself, which ended in a RecursionError."""
    monkeypatch.chdir(tmp_path)
    Path("l.toml").write_text(text)
    with pytest.raises(FileError, match=rule) as caught:
        parse_network("levels:l.toml")
    assert "\n" not in str(caught.value)


def test_levels_below_hosts_have_the_ports_of_a_file(tmp_path):
    """Two slots in every host: the host's port is a link of its width both ways."""
    hosts = tmp_path / "hosts.txt"
    hosts.write_text("routers: s0 s1\na s0 4\nb s0 4\nc s1 4\nd s1 2\ns0 s1 3\n")
    levels = tmp_path / "levels.toml"
    levels.write_text(f'network = "graph:{hosts}"\n[[level]]\ncount = 2\nbandwidth = 9\n')
    widths = Counter(parse_network(f"levels:{levels}").wiring.bandwidth.tolist())
    assert widths == {9: 16, 4: 6, 2: 2, 3: 2}
    hosts.write_text("routers: s0 s1\na s0 4\na s1 4\nb s0 4\ns0 s1 3\n")
    with pytest.raises(FileError, match="one port each"):
        parse_network(f"levels:{levels}")
