"""The page for PyTorch and NCCL: the order of devices that is written gives the stated load.

Counted again without the library: hosts and GPUs from the lines of NCCL's log, messages from the
definition of the rings, 50 GB/s a NIC from the speed of 400,000 Mbit/s in the topology.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.cli import calling

CLUSTERS = Path(__file__).parents[2] / "examples" / "clusters"


def _through_a_nic(order: list[int], hosts: dict[int, tuple[str, int]]) -> float:
    """The largest time of the units that leave a node by one NIC; rank 8 i + j is at (i, j)."""
    sent: dict[tuple[str, int], int] = {}
    for i in range(16):
        for j in range(8):
            here = hosts[order[8 * i + j]]
            for neighbour in (8 * ((i + 1) % 16) + j, 8 * ((i - 1) % 16) + j):
                if hosts[order[neighbour]][0] != here[0]:
                    sent[here] = sent.get(here, 0) + 8
    return max(sent.values()) * 8000 / 400000


def test_pytorch_and_nccl_on_rails(tmp_path: Path) -> None:
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


def test_an_order_of_devices_needs_the_nodes_of_the_present_run(tmp_path: Path) -> None:
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
