"""Rank files match hosts by name where the nodes of a network have names.

The oracle is the launcher's view: read back which host every rank runs on, put the ranks on the
nodes with these names, and count the load.
"""

from __future__ import annotations

import json
import re
from itertools import permutations
from pathlib import Path

import pytest

from lccmodel import place
from lccmodel.errors import InputError
from lccmodel.network import Allocation, Mesh, Network, parse_network
from lccmodel.placement.launchers import rank_file
from tests.cli import calling

TREE = """SwitchName=leaf1 Nodes=ant[01-02] LinkSpeed=1
SwitchName=leaf2 Nodes=ant[03-04]
SwitchName=core Switches=leaf[1-2]
"""
PAIRS = "source,destination,bytes\n0,2,1000\n2,0,1000\n1,3,1000\n3,1,1000\n"


@pytest.fixture
def tree(tmp_path: Path) -> Network:
    (tmp_path / "t2.conf").write_text(TREE)
    return parse_network(f"slurm:{tmp_path / 't2.conf'}")


def _cost(tree: Network, host_of: list[str]) -> int:
    """The maximum load if rank v runs on host_of[v], counted on the hosts by name."""
    node_of = [list(tree.names).index(host.partition(".")[0]) for host in host_of]
    pairs = [(0, 2), (2, 0), (1, 3), (3, 1)]
    return 1000 * tree.channel_loads(pairs, node_of=node_of).degree


def test_the_rank_file_costs_what_was_proved_and_not_2000(tree: Network, tmp_path: Path) -> None:
    """0.4 wrote a file of cost 2000 for the placement that it had proved to cost 0."""
    (tmp_path / "pairs.csv").write_text(PAIRS)
    for listed in permutations(tree.names):
        ranks = tmp_path / "ranks"
        result = calling.run(
            *("map", tmp_path / "pairs.csv", "--network", tree.spec, "--format", "json"),
            *("--rankfile", ranks, "--launcher", "slurm", "--hosts", ",".join(listed)),
        )
        assert result.exit_code == 0, result.output
        assert json.loads(result.stdout)[0]["degree_after"] == 0
        assert _cost(tree, ranks.read_text().split()) == 0


@pytest.mark.parametrize("hosts", ["zebra[1-4]", "ant[01-03],zebra", "ant01", "ant[01-05]"])
def test_hosts_that_the_network_lacks_or_the_list_lacks_are_refused(
    tree: Network, tmp_path: Path, hosts: str
) -> None:
    """0.4 accepted zebra[1-4] on a network of ant01 to ant04."""
    (tmp_path / "pairs.csv").write_text(PAIRS)
    result = calling.run(
        *("map", tmp_path / "pairs.csv", "--network", tree.spec),
        *("--rankfile", tmp_path / "ranks", "--hosts", hosts),
    )
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "--hosts" in result.stderr
    assert not (tmp_path / "ranks").exists()


def test_every_launcher_starts_a_rank_on_its_host(tree: Network) -> None:
    """Hosts in another order, with other slots: the files name the host of the node."""
    hosts = ["ant04", "ant02", "ant01", "ant03"]
    node_of = [2, 0, 3, 1]
    wanted = ["ant03", "ant01", "ant04", "ant02"]
    openmpi = rank_file(tree, node_of, hosts, "openmpi", slots_per_host=3).content
    assert re.findall(r"=(\S+) slot=0", openmpi) == wanted
    assert rank_file(tree, node_of, hosts, "slurm").content.split() == wanted
    # a block launch starts process p on the p-th listed host; the file gives the rank there
    cray = rank_file(tree, node_of, hosts, "cray").content.replace("\n", ",").split(",")[:4]
    assert [hosts[cray.index(str(rank))] for rank in range(4)] == wanted
    devices = json.loads(rank_file(tree, node_of, hosts, "pytorch").content)
    assert [hosts[device] for device in devices] == wanted


def test_short_and_full_names_match_where_that_is_unique(tree: Network) -> None:
    full = ["ant02.cluster.org", "ant01.cluster.org", "ant03.cluster.org", "ant04.cluster.org"]
    result = rank_file(tree, [0, 1, 2, 3], full, "slurm")
    assert result.content.split() == [full[1], full[0], full[2], full[3]]
    assert "'ant02.cluster.org' for 'ant02'" in result.notes[0]
    assert result.notes[0].startswith("4 short")
    twice = Allocation(Mesh((2,)), [0, 1], ["n1.east", "n1.west"])
    with pytest.raises(InputError, match="must be hosts of the network"):
        rank_file(twice, [0, 1], ["n1", "n1.east"], "slurm")
    with pytest.raises(InputError, match="must be hosts of the network"):
        rank_file(tree, [0, 1, 2, 3], ["ant01", "ant01.x", "ant02", "ant03", "ant04"], "slurm")
    with pytest.raises(InputError, match="in one way"):
        rank_file(tree, [0], ["ant01.x", "ant01.y"], "slurm")


def test_by_position_only_without_names_and_the_note_says_so() -> None:
    result = rank_file(Mesh((2,)), [1, 0], ["b", "a"], "slurm")
    assert result.content.split() == ["a", "b"]
    assert "by position" in result.notes[0]


def test_without_a_list_the_order_of_the_launch_is_a_note(tree: Network) -> None:
    result = rank_file(tree, [1, 0, 2, 3], None, "cray")
    assert result.content == "1,0,2,3\n"
    assert "ant01, ant02, ant03, ant04" in result.notes[0]
    assert place([(0, 1)], tree, over="placements").rankfile().startswith("rank 0=")
