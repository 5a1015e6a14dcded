"""Samples of hosts, placements and times: each is read as its `expected.json` states.

The expectations were written down with the samples, by hand and from the tools' sources.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from lccmodel.errors import FileError
from lccmodel.reading.labels import without_labels
from lccmodel.reading.placements import needs_hosts, with_hosts
from lccmodel.reading.recognise import hosts_of, read, recognise
from lccmodel.reading.text import Text

SAMPLES = Path(__file__).with_name("samples")
FOLDERS = (
    "labels", "nodefile-pbs-oar", "lsf-sge", "flux-r", "slurm-env", "openmpi-hostfile",
    "hydra-hostfile", "labelled-hostname", "openmpi-rankfile", "openmpi-report-bindings",
    "openmpi-display-map", "cray-rank-order", "nccl-debug", "perftest",
    "ucx-perftest", "nccl-tests", "several-runs",
)  # fmt: skip


def samples() -> list[tuple[Path, dict[str, Any]]]:
    found = []
    for folder in FOLDERS:
        expected = json.loads((SAMPLES / folder / "expected.json").read_text())
        found += [(SAMPLES / folder / name, what) for name, what in expected["samples"].items()]
    return found


@pytest.mark.parametrize(("path", "expected"), samples(), ids=lambda x: getattr(x, "name", ""))
def test_a_sample_is_read_as_expected(path: Path, expected: dict[str, Any]) -> None:
    kind = expected["kind"]
    part = read(path, kind)
    if kind == "hosts":
        assert [list(host) for host in part.value] == expected["hosts"]
    if kind == "times":
        runs = expected.get("runs") or [expected["times"]]
        assert [[[s, t] for s, t in run.times] for run in part.value] == [r["rows"] for r in runs]
        assert [run.what for run in part.value] == [r["what"] for r in runs]
    if "placement" in expected:
        placement = read(path, "placement")
        assert needs_hosts(placement) == ("needs" in expected)
        if "needs" in expected:
            hosts = hosts_of(expected["needs"].removeprefix("hosts ")).value
            placement = with_hosts(placement, hosts)
        assert list(placement.value) == expected["placement"]
    if "cores" in expected:
        assert list(read(path, "cores").value) == expected["cores"]
    if "rings" in expected:
        assert [list(ring) for ring in read(path, "order").value] == expected["rings"]
    for note in expected.get("notes", ()):
        assert any(note in line for line in part.notes), part.notes


@pytest.mark.parametrize(("path", "expected"), samples(), ids=lambda x: getattr(x, "name", ""))
def test_a_sample_keeps_its_kind_without_a_suffix(path: Path, expected: dict[str, Any]) -> None:
    """Content alone decides: no name, no suffix."""
    text = Text.typed(path.read_text())
    form = recognise(text, expected["kind"])
    assert expected["kind"] in (form.kind, *form.also)


DISPLAY_5 = """
=================================   JOB MAP   =================================
Data for JOB prterun-ibex1-6987@1 offset 0 Total slots allocated 3

Data for node: ibex1\tState: 3\tFlags: DAEMON_LAUNCHED:MAPPED:SLOTS_GIVEN
                resolved from localhost
                resolved from 127.0.0.1
        Daemon: [prterun-ibex1-6987@0,0]\tDaemon launched: True
            Num slots allocated: 2\tMax slots: 0\tNum procs: 2
        Data for proc: [prterun-ibex1-6987@1,0]
                Pid: 0\tLocal rank: 0\tNode rank: 0\tApp rank: 0
        \tBinding: package[0][core:3]
        Data for proc: [prterun-ibex1-6987@1,2]
                Pid: 0\tLocal rank: 1\tNode rank: 1\tApp rank: 0
        \tBinding: package[0][core:L1]
Data for node: ibex2\tState: 3
        Daemon: [prterun-ibex1-6987@0,1]\tDaemon launched: True
        Data for proc: [prterun-ibex1-6987@1,1]
                Pid: 0\tLocal rank: 0\tNode rank: 0\tApp rank: 1
        \tBinding: package[1][core:64-71]
"""
BINDINGS_5 = """program starts
[elk1:5] Rank 1 bound to package[0][core:L1]
[elk1:5] Rank 0 bound to package[0][core:0-23]
[elk2.site] Rank 2 bound to package[1][hwt:4]
"""
FLUX = (
    '{"version": 1, "execution": {"R_lite": [{"rank": "1", "children": {"core": "0-1"}},'
    '{"rank": "0", "children": {"core": "5"}}], "nodelist": ["f[7-8]"]}}'
)
UNBOUND = """[c1.x.edu:12049] MCW rank 0 is not bound (or bound to all available processors)
[c2.x.edu:11136] MCW rank 1 is not bound (or bound to all available processors)
"""
NCCL_OLD = """[1,1]<stdout>:yew2:7:9 [3] NCCL INFO comm 0x5 rank 1 nranks 2 - Init
[1,0]<stdout>:yew1:7:9 [2] NCCL INFO comm 0x6 rank 0 nranks 2 - Init
[1,0]<stdout>:yew1:7:9 [2] NCCL INFO comm 0x7 rank 0 nranks 1 - Init
"""


@pytest.mark.parametrize(
    ("text", "hosts", "cores"),
    [
        (DISPLAY_5, ["ibex1", "ibex2", "ibex1"], [3, 64, 1]),
        (BINDINGS_5, ["elk1", "elk1", "elk2.site"], None),
        (UNBOUND, ["c1.x.edu", "c2.x.edu"], None),
        (NCCL_OLD, ["yew1", "yew2"], [2, 3]),
        ("rank 0=+n1 slot=0\nrank 1=+n0 slot=0\n", ["b", "a"], [0, 0]),
        (
            "cpu_index_using: logical\nrank: 0: {host: 2; cpu: {4}}\nrank: 1: {host: 1; cpu: {0}}",
            ["b", "a"],
            [4, 0],
        ),
        ("[0] n1\n[1] n2\n[0] n1\n", ["n1", "n2"], None),
        ("welcome\n0: n2\n1: n2\n2: n3\n3: n3\n", ["n2", "n2", "n3", "n3"], None),
        ("[1,1][n9:4]<stdout>: hi\n[1,0][n8:3]<stdout>: there you\n", ["n8", "n9"], None),
        ("# order\n3,0-1\n2\n", ["a", "b", "b", "a"], None),
        ("0-1\n3,2\n", ["a", "a", "b", "b"], None),
    ],
)
def test_other_versions_of_a_placement(
    text: str, hosts: list[str], cores: list[int] | None
) -> None:
    """Open MPI 5, NCCL before 2.19, labels of every launcher; cores only where all have one."""
    placement = read(Text.typed(text), "placement")
    if needs_hosts(placement):
        placement = with_hosts(placement, (("a", 2), ("b", 2)))
    assert list(placement.value) == hosts
    listed = placement.of("cores")
    assert (listed and list(listed.value)) == cores


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("rank 0=a slot=0\nrank 2=a slot=1\n", "every rank from 0 to 2"),
        ("rank 0=a slot=0\nrank 0=b slot=1\n", "every rank once"),
        ("rank 0=a slot=0\nrank 1=b\n", "rank N=HOST slot=LIST"),
        ("0: a1\n0: a2\n1: a1\n", "rank 0 on one host"),
        ("[a1:1] Rank 1 bound to package[0][core:0]\n", "every rank from 0 to 1"),
        ("a1:1:2 [0] NCCL INFO comm 0x1 rank 0 nRanks 4 nNodes 2\n", "4 ranks"),
        ("a1:1:2 [0] NCCL INFO Bootstrap : Using eth0\n", "NCCL_DEBUG=INFO"),
    ],
)
def test_a_cut_or_contradictory_placement_is_refused(text: str, rule: str) -> None:
    with pytest.raises(FileError, match=re.escape(rule)):
        read(Text.typed(text), "placement")


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("n1 2 all.q@n1 UNDEFINED\nn2 3 x.q@n2 <NULL>\n", (("n1", 2), ("n2", 3))),
        ("export LSB_MCPU_HOSTS='a 2 b 3'\nexport X=1\n", (("a", 2), ("b", 3))),
        ('LSB_HOSTS="a a b"\n', (("a", 2), ("b", 1))),
        ("n1\nn2\nn1\n", (("n1", 2), ("n2", 1))),
        ("u@n1 slots=2\n/* a\nb */n2 cpu=3\nn1 slots=1", (("n1", 3), ("n2", 3))),
        ("n[1-2]:3\nlogin", (("n1", 3), ("n2", 3), ("login", 1))),
        (
            FLUX,
            (("f7", 1), ("f8", 2)),
        ),
        ("SLURM_NODELIST=n[1-2]\nSLURM_NTASKS_PER_NODE=4\n", (("n1", 4), ("n2", 4))),
        ("0: n1\n1: n2\n2: n1\n", (("n1", 2), ("n2", 1))),
    ],
)
def test_other_lists_of_hosts(text: str, hosts: tuple[tuple[str, int], ...]) -> None:
    assert read(Text.typed(text), "hosts").value == hosts


@pytest.mark.parametrize(
    ("distribution", "ranks"),
    [
        ("SLURM_DISTRIBUTION=block", "aaabbc"),
        ("SLURM_DISTRIBUTION=cyclic:block", "abcaba"),
        ("SLURM_DISTRIBUTION=plane=2", "aabbca"),
        ("SLURM_DISTRIBUTION=plane\nSLURM_DIST_PLANESIZE=2", "aabbca"),
    ],
)
def test_the_distribution_of_slurm_places_the_ranks(distribution: str, ranks: str) -> None:
    """Tasks 3, 2, 1: cyclic deals one to each host that has room, plane deals two."""
    text = f"SLURM_JOB_NODELIST=a,b,c\nSLURM_TASKS_PER_NODE=3,2,1\n{distribution}\n"
    assert "".join(read(Text.typed(text), "placement").value) == ranks


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("SLURM_JOB_NODELIST=n[1-3]\nSLURM_TASKS_PER_NODE=2(x2)\n", "a count for each of 3 hosts"),
        ("SLURM_JOB_NODELIST=n[1-\nSLURM_TASKS_PER_NODE=2\n", "range"),
        ("LSB_MCPU_HOSTS=a 2 b\n", "hosts with their slots"),
        ('{"execution": {"R_lite": [{"rank": "0", "children": {"core": "0"}}], "nodelist": []}}',
         "nodelist must name 1 hosts"),
        ('{"execution": {"R_lite": [', "must be R of Flux"),
    ],
)  # fmt: skip
def test_a_cut_list_of_hosts_is_refused(text: str, rule: str) -> None:
    with pytest.raises(FileError, match=re.escape(rule)):
        read(Text.typed(text), "hosts")


def test_runs_of_every_suite_are_told_apart() -> None:
    """perftest's rates are gaps (MiB: 8 bytes in 1 µs are 7.63), a read waits; UCX sweeps sizes."""
    rate = (
        "                    RDMA_Write BW Test\n"
        " #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]\n"
        " 1048576    1000             10.00              10.00                0.000010\n"
        "                    RDMA_Read Latency Test\n"
        " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]\n"
        " 2       1000          1.85           28.40          2.05             2.11\n"
    )
    write, wait = read(Text.typed(rate), "times").value
    assert (write.what, write.times) == ("gap between messages", [(1048576, pytest.approx(1e5))])
    assert (wait.what, wait.times) == ("not one message", [(2, 2.05)])
    ucx = "| API:  x |\n| Test:         put latency  |\n"
    rows = "".join(
        f"{ucx}| Message size: {size} |\nFinal: 100 1.0 1.1 1.{size} 6.3 6.3 8 8\n"
        for size in (1, 2, 1, 2)
    )
    runs = read(Text.typed(rows), "times")
    assert [run.times for run in runs.value] == [[(1, 1.1), (2, 1.2)]] * 2
    assert "2 runs agree" in runs.notes[0]


@pytest.mark.parametrize(
    ("unit", "bytes_in_a_second"),
    [("MiB/sec", 2**20), ("MB/sec", 2**20), ("Gb/sec", 10**9 / 8), ("GiB/sec", 2**30)],
)
def test_a_rate_of_perftest_is_in_its_unit(unit: str, bytes_in_a_second: float) -> None:
    """Microseconds of 65,536 bytes at a rate of 4; older heads write MB for 2^20 bytes."""
    text = (
        "                    RDMA_Write BW Test\n"
        f" #bytes     #iterations    BW peak[{unit}]    BW average[{unit}]   MsgRate[Mpps]\n"
        " 65536      1000             5.00               4.00               0.000010\n"
    )
    (run,) = read(Text.typed(text), "times").value
    assert run.times == [(65536, pytest.approx(65536 / (4 * bytes_in_a_second) * 1e6))]


OSU = "# OSU MPI Latency Test v7.3\n# Size          Latency (us)\n1   1.00\n\n1024    1.25\n"
TIME = "Thu Nov 26 10:00:00 2026"


@pytest.mark.parametrize(
    ("label", "host"),
    [
        ("0: ", ""), (" 0: ", ""), ("0.1: ", ""), ("[0] ", ""), ("[1,0]<stdout>:", ""),
        (f"{TIME}[1,0]<stdout>:", ""), (f"{TIME}<stdout>:", ""), ("[1,0]<stdout>: ", ""),
        ("[1,0][gnat1:940]<stdout>: ", "gnat1"), ("[prterun-gnat1-940@1,0]<stdout>: ", ""),
        ("[0]<stdout>: ", ""), (f"[{TIME}][1,0]<stdout>: ", ""), ("[rank0]: ", ""),
        (f"[{TIME}][1,0][gnat1:940]<stderr>: ", "gnat1"), ("gnat1 0: ", "gnat1"),
    ],
)  # fmt: skip
def test_every_form_of_label_comes_off(label: str, host: str) -> None:
    """Also off empty lines, with a message of the day before; a host in it is a placement."""
    text = Text.typed("welcome\n" + "".join(f"{label}{line}\n" for line in OSU.split("\n")[:-1]))
    assert [run.times for run in read(text, "times").value] == [[(1, 1.0), (1024, 1.25)]]
    if host:
        assert read(text, "placement").value == (host,)
    else:
        with pytest.raises(FileError, match="must contain"):
            read(text, "placement")


@pytest.mark.parametrize(
    "text",
    [
        "0: 1 2\n1: 0 2\n2: 0 1\n", "a:2\nb:1\n", "0 5\n1 2\n", "rank 0=ox slot=0\n",
        '[1]\t"H-0002c9"[1] \t\t# "n1"\n', '[1] "S-0002c9"[1] # "n1"\n', "[0, 1]\n[1, 0]\n",
        "0:  1  B  65021 times -->  24.9 Mbps  in  0.3 usecs\n", "switch 1: x\nswitch 2: y\n",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_label_stays(text: str) -> None:
    """Adjacency, hosts with slots, ports of ibnetdiscover, NetPIPE's rows, lists."""
    assert without_labels(text) == (text, ())


def test_labels_that_name_hosts_place_the_ranks_of_any_file() -> None:
    """A file of messages with mpirun's detailed tags holds the host of every rank besides."""
    lines = "".join(
        f"[1,{rank}][n{rank % 2}:7]<stdout>: E\t{rank}\t{1 - rank}\t4 bytes\t1 msgs sent\t1,0\n"
        for rank in range(2)
    )
    text = Text.typed("[1,0][n0:7]<stdout>: # POINT TO POINT\n" + lines)
    assert read(text, "placement").value == ("n0", "n1")
    assert read(text, "traffic").format == "openmpi-monitoring"
