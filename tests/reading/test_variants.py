"""Files of the same formats as other versions, options and people write them.

Each is read as the sample of its format is, or refused in words that say what to do.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from lccmodel.errors import FileError
from lccmodel.network import as_network, parse_network
from lccmodel.reading.placements import needs_hosts, with_hosts
from lccmodel.reading.recognise import read
from lccmodel.reading.text import Text
from tests.cli import calling

APS_HEAD = "| Rank --> Rank  Time(sec)  Time(%)  Volume(MB)  Volume(%)  Transfers\n"
APS = "| Data Transfers per Rank-to-Rank Communication\n|-----\n" + APS_HEAD
MATRIX = [(0, 1, 4), (2, 0, 5)]
RING_OF_TWO = [(0, 1, 4), (1, 0, 5)]
SENT = "E\t{}\t{}\t{} bytes\t1 msgs sent\t1,0\n"
HENT = '<hent call="MPI_Send" bytes="4" orank="1" count="1" >1 1 1</hent>'

TRAFFIC: dict[str, tuple[str, list[tuple[int, int, int]], str]] = {
    "APS below a summary": (
        "| Summary information\n|----\n  Application : ring\n|\n" + APS
        + "0000 --> 0001 1.0 50.0 4.00 44.4 1\n0002 --> 0000 1.0 50.0 5.00 55.6 1\n"
        "| TOTAL 2.0 100.0 9.00 100.0 2\n|\n| Data Transfers per Rank\n  0000 9.00\n",
        [(s, d, v * 10**6) for s, d, v in MATRIX], "10^6 bytes",
    ),
    "APS with bars": (
        APS + "| 0000 --> 0001 1.0 50.0 4.00 44.4 1\n| 0001 --> 0000 1.0 50.0 5.00 55.6 1\n",
        [(s, d, v * 10**6) for s, d, v in RING_OF_TWO], "",
    ),
    "sums at both sides": (
        ",0,1,2,All\n0,0,4,0,4\n1,0,0,0,0\n2,5,0,0,5\nAll,5,4,0,9\n", MATRIX, "sums of rows",
    ),
    "empty cells of a pivot": ("rank,0,1,2\n0,,4,\n1,,,\n2,5,,\n", MATRIX, "empty cells are 0"),
    "tabs and blanks": ("0\t1\t4\n2 0 5\n1\t0 \t0\n2 1 0\n", MATRIX, ""),
    "names of ranks": ("source,target,bytes\nrank0,rank1,4\nrank2,rank0,5\n", MATRIX, ""),
    "names of hosts": ("src,dst,bytes\na,b,4\nb,a,5\n", RING_OF_TWO, "order of the file: a, b"),
    "a banner in small letters": (
        "%%matrixmarket matrix coordinate integer general\n3 3 2\n1 2 4\n3 1 5\n", MATRIX, "",
    ),
    "adjacency of networkx": (
        ('{"directed": true, "multigraph": false, "graph": [], "nodes": [{"id": 0}, {"id": 1}], '
        '"adjacency": [[{"id": 1, "bytes": 4}], [{"id": 0, "bytes": 5}]]}'), RING_OF_TWO, "",
    ),
    "undirected adjacency": (
        ('{"directed": false, "nodes": [{"id": 0}, {"id": 1}], '
        '"adjacency": [[{"id": 1, "bytes": 4}], [{"id": 0, "bytes": 4}]]}'),
        [(0, 1, 4), (1, 0, 4)], "sent each way",
    ),
    "Cytoscape.js": (
        ('{"directed": true, "elements": {"nodes": [{"data": {"id": "0"}}, {"data": {"id": "1"}}], '
        '"edges": [{"data": {"source": "0", "target": "1", "bytes": 4}}, '
        '{"data": {"source": "1", "target": "0", "bytes": 5}}]}}'), RING_OF_TWO, "",
    ),
    "a dump between lines of the program": (
        "Starting\n# POINT TO POINT\n" + SENT.format(0, 1, 4) + "step 1\n# POINT TO POINT\n"
        + SENT.format(1, 0, 5), RING_OF_TWO, "2 lines that are not of the monitoring",
    ),
    "the part of one rank, without its heading": (
        SENT.format(0, 1, 4) + SENT.format(0, 2, 5), [(0, 1, 4), (0, 2, 5)],
        "2 of 3 ranks are missing from the dump (1, 2)",
    ),
    "a profile of one rank": (
        f"<ipm><task mpi_rank='0' mpi_size='2'>{HENT}</task></ipm>", [(0, 1, 4)],
        "1 of 2 ranks are missing from the profile (1)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TRAFFIC)
def test_messages_of_other_variants(name: str) -> None:
    content, expected, note = TRAFFIC[name]
    found = read(Text.typed(content, "a.txt"), "traffic")
    traffic = found.value[0].content
    volumes = traffic.volumes.tolist()
    rows = [(*ends, v) for ends, v in zip(traffic.messages.tolist(), volumes, strict=True) if v]
    assert sorted(rows) == expected
    assert not note or any(note in line for line in found.notes), found.notes


BOUND = "[a{}:1] {}ank {} bound to package[0][core:{}]\n"
PLACEMENTS = {
    "an order, a rank a line": ("0\n2\n1\n3\n", "abab"),
    "an order of one line with a comment": ("# -R\n0,1,3,2 # x\n", "aabb"),
    "a report of the scheduler before": (
        "srun: job 1 queued\nsrun: job 1 has resources\n0: a\n1: b\n", "ab",
    ),
    "addresses": ("0: 10.0.0.2\n1: 10.0.0.1\n", ["10.0.0.2", "10.0.0.1"]),
    "a table without a heading": ("1 b\n0 a\n2 b\n", "abb"),
    "a table with a heading": ("rank,host,core\n0,a,3\n1,b,4\n", "ab"),
    "ranks with their word": ("rank 0 a\nrank 1 b\n", "ab"),
    "a user in a rank file": ("Rank 0=me@a Slot=0\nrank 1=b slots=1\n", "ab"),
    "the name of a process in a binding": (
        "[a:1] [prterun-a-1@1,0] Rank 0 bound to package[0][core:0]\n", "a",
    ),
    "what Cray MPICH displays": (
        ("[PE_0]: MPI rank order: Using default aprun rank ordering.\n"
        "[PE_0]: rank 0 is on b\n[PE_0]: rank 1 is on a\nhello\n"), "ba",
    ),
    "an arbitrary distribution": (
        ("SLURM_JOB_NODELIST=a,b\nSLURM_TASKS_PER_NODE=2,1\nSLURM_DISTRIBUTION=arbitrary\n"
        "SLURM_ARBITRARY_NODELIST=a,b,a\n"), "aba",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PLACEMENTS)
def test_placements_of_other_variants(name: str) -> None:
    content, ranks = PLACEMENTS[name]
    placement = read(Text.typed(content), "placement")
    if needs_hosts(placement):
        placement = with_hosts(placement, (("a", 2), ("b", 2)))
    assert list(placement.value) == list(ranks)


@pytest.mark.parametrize(
    ("content", "hosts"),
    [
        ("owl1 2\nowl2 1\n", (("owl1", 2), ("owl2", 1))),
        ("n1:4 n2:2\n", (("n1", 4), ("n2", 2))),
        ("n1 2 all.q@n1\nn2 1 all.q@n2\n", (("n1", 2), ("n2", 1))),
        ("n1 slots=2 sockets=2\n", (("n1", 2),)),
    ],
)
def test_lists_of_hosts_of_other_variants(content: str, hosts: tuple[tuple[str, int], ...]) -> None:
    assert read(Text.typed(content), "hosts").value == hosts


MAP = " Data for JOB [7,1]\n ==== JOB MAP ====\n Data for node: a\tNum procs: 2\n {}"
PROCESS = "\tProcess OMPI jobid: [7,1] App: 0 Process rank: 0\n"


@pytest.mark.parametrize(
    ("content", "role", "rule"),
    [
        ("0,2,2,3\n", "placement", ":1: must be an order of the ranks 0 to 3, each once; got 2"),
        ("3-0\n", "placement", ":1: a range of ranks must go up"),
        ("rank 0=a\n", "placement", ":1: must be `rank N=HOST slot=LIST`"),
        (MAP.format(PROCESS), "placement", "is cut: node a must have 2 or more processes; got 1"),
        (
            "SLURM_JOB_NODELIST=a\nSLURM_TASKS_PER_NODE=2\nSLURM_NTASKS=1\n", "placement",
            "SLURM_NTASKS is 1, but the hosts have 2 slots",
        ),
        ("SwitchName=s0 Nodes=ALL\n", "network", ":1: must name the nodes"),
        ("Include x\nSwitchName=s0 Nodes=a\n", "network", ":1: .* give the file that Include"),
        ("BlockName=b Nodes=a\nBlockSizes=4,9\n", "network", ":2: .* each a power of two times"),
        (
            ("BlockName=b1 Nodes=a\nBlockName=b2 Nodes=b\nBlockName=b3 Nodes=c\n"
            "AggregatedBlock=b[1-2]\nAggregatedBlock=b[2-3]\n"), "network",
            "must be apart, or one inside the other",
        ),
        ("- topology: a\n  flat: true\n", "network", "flat names no switches"),
        ("Hello from n1\nHello from n2\n", "network", "in a known format"),
        ("srun: x\nsrun: y\n", "network", "in a known format"),
        ("source,target,speed_up,speed_down\na,b,1,2\n", "network", "one of several columns must"),
        ("source,target,bytes\na,b,1\n", "network", "as tables with a header .* messages"),
    ],
)  # fmt: skip
def test_what_is_cut_or_no_such_file_is_refused(content: str, role: str, rule: str) -> None:
    """0.4 made networks with a host `include` or `srun:` of some of these."""
    with pytest.raises(FileError, match=rule):
        read(Text.typed(content, "a.txt"), role)


@pytest.mark.parametrize(
    ("content", "bandwidths"),
    [
        ("source,target,capacity_gbps\na,b,10\nb,c,1\n", {1, 10}),
        ("src dst cost bandwidth\na b 7 10\nb c 7 1\n", {1, 10}),
    ],
)
def test_lists_of_links_with_headings(tmp_path: Any, content: str, bandwidths: set[int]) -> None:
    (tmp_path / "links").write_text(content)
    network = parse_network(f"graph:{tmp_path / 'links'}")
    assert network.names == ("a", "b", "c")
    assert set(network.bandwidths) == bandwidths
    assert ("cost" in content) == any("not read: cost" in note for note in network.notes)


BLOCKS = "".join(f"BlockName=b{k} Nodes=i{2 * k},i{2 * k + 1}\n" for k in range(4))
JOINED = "AggregatedBlock=b[0-1] BlockSize=4\nAggregatedBlock=b[2-3] BlockSize=4\n"
YAML = "- topology: t\n  block:\n    block_sizes: [2, 4, 8]\n    blocks:\n" + "".join(
    f"      - block: b{k}\n        nodes: i{2 * k},i{2 * k + 1}\n" for k in range(4)
)


@pytest.mark.parametrize(
    ("content", "levels"),
    [
        (BLOCKS, 1), (BLOCKS + "BlockSizes=2,8\n", 1), (BLOCKS + "BlockSizes=2,4\n", 2),
        (BLOCKS + "BlockSizes=2,4,8\n", 2), (BLOCKS + JOINED, 2), (YAML, 2),
    ],
)  # fmt: skip
def test_block_sizes_are_levels(tmp_path: Any, content: str, levels: int) -> None:
    """Nodes i and j are apart by twice the level at which their blocks are joined."""
    (tmp_path / "topology").write_text(content)
    network = parse_network(f"slurm:{tmp_path / 'topology'}")
    for x in range(8):
        level = 0 if x < 2 else 1 if x < 4 or levels == 1 else 2
        assert network.distance(0, x) == 2 * level
    assert "A block is modelled as one switch" in network.notes[0]


UCX = "| API: protocol layer |\n| Test: tag match latency |\n| Message size: 8 |\n"
COLUMNS = "iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr\n"
ROW = "10000{0}1.2{0}1.2{0}1.21{0}6.3{0}6.3{0}826446{0}826446\n"
JSON = '{{\n"test_info": {{\n"test": "RDMA_{}_Test",\n"Mtu": 4096\n}},\n"results": {{\n{}}}\n}}\n'
BANDWIDTH = '"MsgSize": 65536,\n"BW_average": {},\n"MsgRate": 0.183105\n'


@pytest.mark.parametrize(
    ("content", "what", "rows"),
    [
        (UCX + COLUMNS + ROW.format(","), "one message, one way", [(8, 1.21)]),
        ("tests,sizes," + COLUMNS + "tag_lat,64," + ROW.format(","), "one message, one way",
         [(64, 1.21)]),
        ("tests,sizes," + COLUMNS + "ucp_put_bw,64," + ROW.format(","), "gap between messages",
         [(64, 1.21)]),
        (UCX + "| Test | # iterations | 50.0%ile |\n" + ROW.format("  "), "one message, one way",
         [(8, 1.21)]),
        (UCX + "+tag_lat/64----+-----+\nFinal: " + ROW.format(" "), "one message, one way",
         [(64, 1.21)]),
        (UCX + "Final: " + ROW.format(" ").replace("826446", "826,446"), "one message, one way",
         [(8, 1.21)]),
        (JSON.format("Write_Latency", '"MsgSize": 2,\n"t_typical": 1.00,\n"t_avg": 1.01\n'),
         "one message, one way", [(2, 1.0)]),
        (JSON.format("Write_BW", BANDWIDTH.format("96.00")), "gap between messages",
         [(65536, 8e-3 * 65536 / 96)]),
        (JSON.format("Write_BW", BANDWIDTH.format("11444.06")), "gap between messages",
         [(65536, 65536 / 11444.06 / 1.048576)]),
        (JSON.format("Read_Latency", '"MsgSize": 2,\n"t_avg": 2.01,\n"tps_average": 5\n'),
         "not one message", [(2, 2.01)]),
    ],
)  # fmt: skip
def test_times_of_other_options(content: str, what: str, rows: list[tuple[int, float]]) -> None:
    """perftest's JSON does not say the unit of a rate: its rate of messages does."""
    (run,) = read(Text.typed(content), "times").value
    assert run.what == what
    assert run.times == [(size, pytest.approx(time)) for size, time in rows]
    assert not re.search("row|result", " ".join(run.left_out))


def test_ports_of_older_iblinkinfo_and_repeated_descriptions(tmp_path: Any) -> None:
    port = '  3 {0}[ ] ==( 4X 53.125 Gbps Active/ LinkUp)==> 1{0} 1[ ] "{1} HCA-1" ( )\n'
    (tmp_path / "links").write_text(
        "Switch 0xa1 leaf:\n" + port.format(1, "a") + port.format(2, "b")
    )
    assert parse_network(f"graph:{tmp_path / 'links'}").names == ("a", "b")
    (tmp_path / "links").write_text(
        "Switch 0xa1 leaf:\n" + port.format(1, "a") + port.format(2, "a")
    )
    network = parse_network(f"graph:{tmp_path / 'links'}")
    assert network.size == 2
    assert "descriptions of adapters are repeated" in network.notes[0]


def test_a_table_of_groups_has_other_columns_and_two_adapters_in_a_group(tmp_path: Any) -> None:
    (tmp_path / "groups").write_text("xname,host,group\nx0,a,0\nx1,a,0\nx2,b,1\n")
    network = parse_network(f"graph:{tmp_path / 'groups'}")
    assert network.names == ("a", "b")
    assert network.distance(0, 1) == 1
    assert "Columns that are not read: xname" in network.notes
    assert "a has 2 ports" in network.notes


@pytest.mark.parametrize(("known", "stated"), [("a{}.site.org", "a{}"), ("a{}", "a{}.site.org")])
def test_nodes_of_a_job_have_short_or_full_names(tmp_path: Any, known: str, stated: str) -> None:
    """0.4 refused them, though --hosts matched them."""
    names = ",".join(known.format(k) for k in range(3))
    (tmp_path / "topology").write_text(f"SwitchName=s Nodes={names}\n")
    whole = parse_network(f"slurm:{tmp_path / 'topology'}")
    job = as_network(whole, f"{stated.format(2)},{stated.format(0)}")
    assert job.names == (known.format(2), known.format(0))


def test_notes_of_hosts_are_in_the_records_of_a_rank_file(tmp_path: Any) -> None:
    """0.4 wrote them to standard error alone."""
    (tmp_path / "topology").write_text("SwitchName=s Nodes=a[1-2]\n")
    (tmp_path / "hosts").write_text("a1 slots=1 port=7\na2.site.org slots=1\n")
    result = calling.run(
        "map", "grid:2:rings", "-N", f"slurm:{tmp_path / 'topology'}", "--hosts",
        tmp_path / "hosts", "--rankfile", tmp_path / "ranks", "--moves", "1", "-f", "json",
    )  # fmt: skip
    (record,) = json.loads(result.stdout)
    assert "port is not used (port=7)" in record["notes"]
    assert any("short or full name is matched" in note for note in record["notes"])
