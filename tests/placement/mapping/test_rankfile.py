"""Rank files are read back by small independent readers of each launcher's rule.

Where the nodes of a network have names, hosts match by name: the oracle is the launcher's view,
which host every rank runs on, and the load that is counted there.
"""

import json
import re
from itertools import permutations
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel import place
from lccmodel.errors import FileError, InputError
from lccmodel.network import Allocation, Mesh, Network, parse_network
from lccmodel.network import hosts as rank_files
from lccmodel.network.hosts import (
    cray_rank_order,
    device_order,
    hydra_machinefile,
    lsf_resource_file,
    open_mpi_rankfile,
    read_hosts,
    slurm_hostfile,
)
from lccmodel.placement.launchers import LAUNCHERS, Launcher, rank_file
from lccmodel.reading.hostlist import Host
from tests.cli import calling


def processors(hosts):
    """(host, slot) of physical processors 0, 1, ..., by counting down the host list."""
    counted: dict[str, int] = {}
    places = []
    for name, slots in hosts:
        for _ in range(slots):
            places.append((name, counted.get(name, 0)))
            counted[name] = counted.get(name, 0) + 1
    return places


@st.composite
def mappings_and_hosts(draw, repeated=False):
    """A mapping of 1..16 processors, and hosts with slots enough, the last ones not all used."""
    count = draw(st.integers(1, 16))
    hosts, slots = [], 0
    while slots < count:
        number = draw(st.integers(0, 2)) if repeated else len(hosts)
        hosts.append((f"node{number:02}.cluster-1", draw(st.integers(1, 5))))
        slots += hosts[-1][1]
    return list(draw(st.permutations(range(count)))), hosts


@given(st.booleans().flatmap(mappings_and_hosts))
def test_rank_v_runs_on_processor_to_physical_v(case):
    """Hydra as that of MPICH 5.0.2 and Intel MPI 2021.19 did on a:1, b:2, a:1: a, b, b, a.

    A host that is named again goes on with its next slots.
    """
    to_physical, hosts = case
    listed = [Host(*host) for host in hosts]
    places = [processors(hosts)[processor] for processor in to_physical]
    assert len(set(places)) == len(places)
    names = [name for name, _ in places]
    assert slurm_hostfile(to_physical, listed).splitlines() == names
    runs = re.findall(r"(.+):(\d+)\n", hydra_machinefile(to_physical, listed))
    assert [name for name, many in runs for _ in range(int(many))] == names
    open_mpi = re.findall(r"rank (\d+)=(\S+) slot=(\d+)\n", open_mpi_rankfile(to_physical, listed))
    read = sorted((int(rank), name, int(slot)) for rank, name, slot in open_mpi)
    assert read == [(rank, *place) for rank, place in enumerate(places)]
    assert json.loads(device_order(to_physical)) == to_physical


@given(mappings_and_hosts())
def test_lsf_names_hosts_by_number(case):
    to_physical, hosts = case
    head, *lines = lsf_resource_file(to_physical, [Host(*host) for host in hosts]).splitlines()
    assert head == "cpu_index_using: logical"
    for rank, line in enumerate(lines):
        match = re.fullmatch(r"rank: (\d+): { host: (\d+); cpu: {(\d+)} }", line)
        place = (hosts[int(match[2]) - 1][0], int(match[3]))
        assert (int(match[1]), processors(hosts).index(place)) == (rank, to_physical[rank])
    assert len(lines) == len(to_physical)


@given(mappings_and_hosts(), st.booleans())
def test_cray_lists_the_rank_of_every_slot(case, broken):
    """The k-th number is the rank that is started in slot k, as the launcher fills the hosts."""
    to_physical, hosts = case
    listed = [Host(*host) for host in hosts]
    text = cray_rank_order(to_physical, listed if broken else None)
    started = [int(number) for number in re.findall(r"\d+", text)]
    assert [to_physical[rank] for rank in started] == list(range(len(to_physical)))
    lengths = [len(line.split(",")) for line in text.splitlines()]
    if broken:
        slots = [many for _, many in hosts]
        assert lengths[:-1] == slots[: len(lengths) - 1]
        assert lengths[-1] <= slots[len(lengths) - 1]
    else:
        assert len(lengths) == 1
    assert cray_rank_order(range(3), ["a", "a", "b"]) == "0,1\n2\n"


def test_every_launcher_has_its_line_in_the_table():
    assert set(get_args(Launcher)) == set(LAUNCHERS)
    for launch in LAUNCHERS.values():
        assert getattr(rank_files, launch.writer)([1, 0], ["a", "b"]).endswith("\n")
        assert "{file}" in launch.command


# -- lists of hosts -----------------------------------------------------------------------------


def test_reading_hosts(tmp_path):
    path = tmp_path / "hosts"
    path.write_text(
        "# the cluster\n\nnode01 slots=2   # two of them\n  node02:3\n"
        "node03 slots = 4 max_slots=8\n10.0.0.7 max-slots=2\r\nn[1-2] slots=3\nnode04"
    )
    assert [(host.name, host.slots) for host in read_hosts(path)] == [
        ("node01", 2), ("node02", 3), ("node03", 4), ("10.0.0.7", 1), ("n1", 3), ("n2", 3),
        ("node04", 1),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("reason", "line"),
    [
        *(("positive integer", line) for line in (
            "node slots=0", "node slots=x", "node slots=", "node:0", "node:1:2",
            "node max_slots=-1",
        )),
        *(("at most one of", line) for line in (
            "node:2 slots=2", "node slots=1 slots=2", "node 4", "node other",
        )),
        *(("host name", line) for line in ("no=de", "nöde", "-node", ":4")),
    ],
)  # fmt: skip
def test_a_bad_line_is_named(tmp_path, line, reason):
    path = tmp_path / "hosts"
    path.write_text(f"good\n# comment\n{line}\n", encoding="utf-8")
    with pytest.raises(FileError, match=reason) as caught:
        read_hosts(path)
    assert caught.value.line == 3
    assert str(caught.value).startswith(f"{path}:3")


def test_files_without_hosts(tmp_path):
    (tmp_path / "empty").write_text("# nothing\n\n")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    for name in ("empty", "binary", "absent", "."):
        with pytest.raises(FileError) as caught:
            read_hosts(tmp_path / name)
        assert caught.value.line <= 1


@pytest.mark.parametrize(("text", "names"), [
    ("node[01-04,07]", ["node01", "node02", "node03", "node04", "node07"]), ("a, b", ["a", "b"]),
    ("r[1-2]n[9-10]", ["r1n9", "r1n10", "r2n9", "r2n10"]), ("x[3].site,y", ["x3.site", "y"]),
    ("n[098-101]", ["n098", "n099", "n100", "n101"]), ("n[1-2]:2,m", ["n1", "n1", "n2", "n2", "m"]),
])  # fmt: skip
def test_ranges_as_slurm_writes_them(text, names):
    assert [host.name for host in read_hosts(text) for _ in range(host.slots)] == names


@pytest.mark.parametrize(
    "text",
    ["", ",", "a,,b", "n[", "n[1", "n[2-1]", "n[a]", "n[1-99999999]", "a:x", "a:", "[1]]", "a;b",
     "a[1-9999][1-9999]", "h:99999999999999"],
)  # fmt: skip
def test_bad_host_lists(text):
    with pytest.raises(InputError):
        read_hosts(text)


# -- refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize("write", [open_mpi_rankfile, slurm_hostfile, cray_rank_order])
@pytest.mark.parametrize(("mapping", "hosts", "words"), [
    *((mapping, ["a", "b"], "permutation|different integers")
      for mapping in ([], [0, 0], [0.0, 1.0], [[0, 1]], "01", [-1, 0])),
    (range(4), ["a", Host("b", 2)], "at least 4 slots together.*2 hosts with 3 slots"),
    ([2, 1], ["a", "b"], "at least 3 slots|permutation"),
    *(([0], hosts, "host") for hosts in (["a b"], [""], ["a=b"], ["a#"], [3], "ab")),
])  # fmt: skip
def test_what_places_no_ranks_is_refused(write, mapping, hosts, words):
    with pytest.raises(InputError, match=words):
        write(mapping, hosts)


def test_hosts_without_slots_and_repeated_hosts_of_a_block_launch_are_refused():
    with pytest.raises(InputError, match="slots"):
        slurm_hostfile([0], ["a"], 0)
    with pytest.raises(InputError, match="slots"):
        Host("a", 0)
    with pytest.raises(InputError, match="one after the other"):
        cray_rank_order(range(3), ["a", "b", "a"])


# -- hosts by name --------------------------------------------------------------------------------

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


def test_the_rank_file_costs_what_was_proved_and_not_2000(tree, tmp_path):
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
def test_hosts_that_the_network_lacks_or_the_list_lacks_are_refused(tree, tmp_path, hosts):
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


def test_every_launcher_starts_a_rank_on_its_host(tree):
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


def test_short_and_full_names_match_where_that_is_unique(tree):
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


def test_by_position_only_without_names_and_the_note_says_so():
    result = rank_file(Mesh((2,)), [1, 0], ["b", "a"], "slurm")
    assert result.content.split() == ["a", "b"]
    assert "by position" in result.notes[0]


def test_without_a_list_the_order_of_the_launch_is_a_note(tree):
    result = rank_file(tree, [1, 0, 2, 3], None, "cray")
    assert result.content == "1,0,2,3\n"
    assert "ant01, ant02, ant03, ant04" in result.notes[0]
    assert place([(0, 1)], tree, over="placements").rankfile().startswith("rank 0=")
