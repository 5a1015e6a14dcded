"""The nodes that a job gets, as they are typed and written to files; trees of Slurm."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lccmodel import Traffic, place
from lccmodel.errors import FileError, InputError, NodeError
from lccmodel.network import Allocation, Network, as_network, parse_network
from tests.cli import calling

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


def test_a_tree_of_slurm_has_its_nodes_switches_and_speeds(tree: Network) -> None:
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
def test_nodes_are_numbers_ranges_or_names(tree: Network, nodes: Any, found: list[int]) -> None:
    job = as_network(tree, nodes)
    assert isinstance(job, Allocation)
    assert job.nodes.tolist() == found
    assert job.names == tuple(tree.names[node] for node in found)
    many = ",".join(map(str, range(2000)))  # longer than a file name may be
    assert as_network("mesh:64x64", many).size == 2000


def test_a_file_lists_nodes_or_names_with_coordinates(tmp_path: Path, tree: Network) -> None:
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
def test_nodes_that_there_are_not_are_refused(tree: Network, nodes: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        as_network(tree, nodes)


def test_a_node_of_a_job_has_the_coordinates_that_it_has_in_the_network() -> None:
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
def test_a_wrong_file_is_refused(
    tmp_path: Path, kind: str, content: str, told: str, line: int
) -> None:
    """A list of nodes of torus:4x4, or a topology of Slurm."""
    file = tmp_path / "topology.conf"
    file.write_text(content)
    with pytest.raises(FileError, match=told) as error:
        as_network("torus:4x4", file) if kind == "nodes" else parse_network(f"slurm:{file}")
    assert error.value.line == line


def test_a_job_is_placed_on_its_nodes_alone(tree: Network) -> None:
    """`nodes=` of place: two pairs are apart on six nodes, below one switch where they can be."""
    pairs = Traffic([(0, 1), (1, 0), (2, 3), (3, 2)], [1] * 4, 4)
    found = place(pairs, tree, nodes="dev0,dev03,dev04,dev1", over="placements")
    assert found.after.value == 0
    assert found.optimal
    assert found.rankfile(launcher="slurm").split() != ["dev0", "dev03", "dev04", "dev1"]
    with pytest.raises(InputError, match="have no names"):
        place(pairs, "torus:4x4", nodes="0-5", over="placements").rankfile()
    with pytest.raises(NodeError):
        place(pairs, "torus:4x4", nodes="16")


def test_commands_take_the_nodes_of_a_job(tmp_path: Path, tree: Network) -> None:
    ring = ("grid:4:rings", "--network", tree.spec, "--nodes", "dev[03-04],tux,dev0")
    record = json.loads(calling.run("contention", *ring, "-f", "json").stdout)[0]
    assert (record["network"], record["degree"]) == (f"{tree.spec},nodes=3-5:0", 2)
    ranks = tmp_path / "ranks"
    mapped = calling.run(
        "map", *ring, "--rankfile", str(ranks), "--launcher", "slurm", "-f", "json"
    )
    hosts = ranks.read_text().split()
    assert sorted(hosts) == ["dev0", "dev03", "dev04", "tux"]
    assert json.loads(mapped.stdout)[0]["host_of"] == hosts
    for command in (
        ("simulate", *ring, "--load", "0.01", "--cycles", "500"), ("trace", *ring),
        ("collective", "allreduce", *ring[1:], "--alpha", "5", "--tau", "1/1000"),
    ):  # fmt: skip
        result = calling.run(*command)
        assert result.exit_code in (0, 1), result.output
        assert "error" not in result.output
    for wrong in (("--nodes", "99"), ("--nodes", "x,,"), ("--nodes", "0", "--network", "cube")):
        result = calling.run("contention", "grid:2:rings", "--network", "cube:3", *wrong)
        assert (result.exit_code, result.output.count("\n")) == (2, 1)
