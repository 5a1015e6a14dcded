"""The pages for clusters, from the files that people have to the file that the launcher reads.

The loads that are stated are counted again without the library: from the messages as lines of text,
the host of every rank in the file that was written, and the rack, group or NIC of every host.
"""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.cli import calling

CLUSTERS = Path(__file__).parents[2] / "examples" / "clusters"
RACK = {"c1": 1, "c2": 1, "c3": 2, "c4": 2}
HOSTS = [f"nid001{k:03}" for k in (0, 1, 2, 3, 4, 5, 200, 201)]
GROUP = dict(zip(HOSTS, (0, 0, 0, 0, 1, 1, 2, 2), strict=True))


def _crossing(messages: list[tuple[int, int, int]], part_of: dict[int, int]) -> Counter[object]:
    loads: Counter[object] = Counter()
    for source, destination, volume in messages:
        ends = part_of[source], part_of[destination]
        if ends[0] != ends[1]:
            loads[ends] += volume
    return loads


def _monitored() -> list[tuple[int, int, int]]:
    lines = (CLUSTERS / "run.prof").read_text()
    return [tuple(map(int, row)) for row in re.findall(r"E\t(\d+)\t(\d+)\t(\d+) bytes", lines)]


def test_slurm_and_open_mpi(tmp_path):
    """The rank file's own hosts give the load that `map` states: with two racks, what crosses."""
    ranks = tmp_path / "ranks.txt"
    result = calling.run(
        *("map", CLUSTERS / "run.prof", "-N", f"slurm:{CLUSTERS / 'topo.txt'}*4"),
        *("--moves", "5000", "--rankfile", ranks, "--hosts", "c4:4,c2:4,c1:4,c3:4", "-f", "json"),
        *("--now", CLUSTERS / "now.txt"),
    )
    assert result.exit_code == 0, result.output
    present = dict(re.findall(r"(\d+): (c\d)", (CLUSTERS / "now.txt").read_text()))
    now = _crossing(_monitored(), {int(rank): RACK[host] for rank, host in present.items()})
    record = json.loads(result.stdout)[0]
    assert record["value_now"] == max(now.values()) == 4 * 65536
    host_of = dict(re.findall(r"rank (\d+)=(\w+) slot=\d", ranks.read_text()))
    assert Counter(host_of.values()) == dict.fromkeys(RACK, 4)
    racks = {int(rank): RACK[host] for rank, host in host_of.items()}
    loads = _crossing(_monitored(), racks)
    assert record["degree_after"] == max(loads.values())
    natural = _crossing(_monitored(), {rank: 1 + rank // 8 for rank in range(16)})
    assert max(loads.values()) <= max(natural.values()) == 4 * 8192


@pytest.mark.slow
def test_cray_and_pals_on_groups_of_different_sizes(tmp_path):
    """MPICH_RANK_ORDER has the rank of every slot; the launch fills the hosts in order."""
    order, word = tmp_path / "MPICH_RANK_ORDER", f"graph:{CLUSTERS / 'groups.txt'}*2,bandwidth=4"
    hosts = sorted(GROUP, key=lambda host: (host[-1], host))  # in another order than the table
    messages = [
        tuple(map(int, line.split(",")))
        for line in (CLUSTERS / "torus.csv").read_text().splitlines()[1:]
    ]
    for launcher in ("pals", "cray"):
        result = calling.run(
            *("map", CLUSTERS / "torus.csv", "-N", word, "--moves", "5000", "-f", "json"),
            *("--rankfile", order, "--launcher", launcher),
            *("--hosts", ",".join(f"{host}:2" for host in hosts)),
        )
        assert result.exit_code == 0, result.output
        ranks = list(map(int, re.findall(r"\d+", order.read_text())))
        assert sorted(ranks) == list(range(16))
        groups = {rank: GROUP[hosts[slot // 2]] for slot, rank in enumerate(ranks)}
        loads = _crossing(messages, groups)
        assert json.loads(result.stdout)[0]["degree_after"] * 4 == max(loads.values())
        assert max(loads.values()) < 524288  # in the order of ranks


def _through_a_nic(order: list[int], hosts: dict[int, tuple[str, int]]) -> float:
    """The largest time of what leaves a node by one NIC at 400,000 Mbit/s; rank 8 i + j at (i, j).

    The messages are those of rings along i, from their definition.
    """
    sent: dict[tuple[str, int], int] = {}
    for i in range(16):
        for j in range(8):
            here = hosts[order[8 * i + j]]
            for neighbour in (8 * ((i + 1) % 16) + j, 8 * ((i - 1) % 16) + j):
                if hosts[order[neighbour]][0] != here[0]:
                    sent[here] = sent.get(here, 0) + 8
    return max(sent.values()) * 8000 / 400000


def test_pytorch_and_nccl_on_rails(tmp_path):
    order = tmp_path / "order.json"
    record = calling.records(
        *("map", "grid:16x8:rings:8,1", "--moves", "300"),
        *("-N", f"rails:16,8,node={CLUSTERS / 'nccl_topo.xml'}"),
        *("--now", CLUSTERS / "nccl.log", "--launcher", "pytorch", "--rankfile", order),
    )[0]
    log = (CLUSTERS / "nccl.log").read_text()
    lines = re.findall(r"(\w+):\d+:\d+ \[(\d)\] NCCL INFO comm \S+ rank (\d+) ", log)
    hosts = {int(rank): (host, int(device)) for host, device, rank in lines}
    listed = json.loads(order.read_text())
    assert sorted(listed) == list(range(128))
    assert record["value_now"] == _through_a_nic(list(range(128)), hosts)
    assert record["value_after"] == _through_a_nic(listed, hosts)
    assert record["value_after"] < record["value_now"]
    moved = sum(hosts[listed[rank]] != hosts[rank] for rank in range(128))
    assert record["moved_ranks"] <= moved


def test_an_order_of_devices_needs_the_nodes_of_the_present_run(tmp_path):
    """A list of present ranks cannot name a GPU that runs none."""
    now = tmp_path / "now.txt"
    now.write_text("0: a\n1: b\n")
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("source,destination,bytes\n0,1,8\n")
    order = tmp_path / "order.json"
    result = calling.run(
        *("map", pairs, "-N", "mesh:8", "--hosts", "a:1,x:6,b:1", "--now", now),
        *("--launcher", "pytorch", "--rankfile", order, "--objective", "distance"),
    )
    assert "no rank is now on" in calling.refused(result)
    assert not order.exists()
