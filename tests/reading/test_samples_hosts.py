"""Samples of hosts, placements and times: each is read as its `expected.json` states.

The expectations were written down with the samples, by hand and from the tools' sources.
"""

import re
from pathlib import Path

import pytest

from lccmodel.errors import FileError
from lccmodel.reading.labels import without_labels
from lccmodel.reading.placements import needs_hosts, with_hosts
from lccmodel.reading.recognise import hosts_of, read, recognise
from lccmodel.reading.text import Text
from tests.reading.files import samples


@pytest.mark.parametrize(("path", "expected"), samples("hosts", "placement", "times"))
def test_a_sample_is_read_as_expected(path, expected):
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
    form = recognise(Text(Path("a"), path.read_bytes()), kind)
    assert kind in (form.kind, *form.also), "content alone decides: no name, no suffix"


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


PLACEMENTS: dict[str, tuple[str, str, list[int] | None]] = {
    "Open MPI 5, display-map": (DISPLAY_5, "ibex1 ibex2 ibex1", [3, 64, 1]),
    "Open MPI 5, bindings": (BINDINGS_5, "elk1 elk1 elk2.site", None),
    "not bound": (UNBOUND, "c1.x.edu c2.x.edu", None),
    "NCCL before 2.19": (NCCL_OLD, "yew1 yew2", [2, 3]),
    "a rank file of relative hosts": ("rank 0=+n1 slot=0\nrank 1=+n0 slot=0\n", "b a", [0, 0]),
    "jsrun": (
        "cpu_index_using: logical\nrank: 0: {host: 2; cpu: {4}}\nrank: 1: {host: 1; cpu: {0}}",
        "b a", [4, 0],
    ),
    "a rank twice on one host": ("[0] n1\n[1] n2\n[0] n1\n", "n1 n2", None),
    "a line before": ("welcome\n0: n2\n1: n2\n2: n3\n3: n3\n", "n2 n2 n3 n3", None),
    "hosts in labels": ("[1,1][n9:4]<stdout>: hi\n[1,0][n8:3]<stdout>: there you\n", "n8 n9", None),
    "an order": ("# order\n3,0-1\n2\n", "a b b a", None),
    "an order of ranges": ("0-1\n3,2\n", "a a b b", None),
    "an order, a rank a line": ("0\n2\n1\n3\n", "a b a b", None),
    "an order of one line with a comment": ("# -R\n0,1,3,2 # x\n", "a a b b", None),
    "a report of the scheduler before": (
        "srun: job 1 queued\nsrun: job 1 has resources\n0: a\n1: b\n", "a b", None,
    ),
    "addresses": ("0: 10.0.0.2\n1: 10.0.0.1\n", "10.0.0.2 10.0.0.1", None),
    "a table without a heading": ("1 b\n0 a\n2 b\n", "a b b", None),
    "a table with a heading": ("rank,host,core\n0,a,3\n1,b,4\n", "a b", None),
    "ranks with their word": ("rank 0 a\nrank 1 b\n", "a b", None),
    "a user in a rank file": ("Rank 0=me@a Slot=0\nrank 1=b slots=1\n", "a b", [0, 1]),
    "the name of a process in a binding": (
        "[a:1] [prterun-a-1@1,0] Rank 0 bound to package[0][core:0]\n", "a", [0],
    ),
    "what Cray MPICH displays": (
        ("[PE_0]: MPI rank order: Using default aprun rank ordering.\n"
        "[PE_0]: rank 0 is on b\n[PE_0]: rank 1 is on a\nhello\n"), "b a", None,
    ),
    "an arbitrary distribution": (
        ("SLURM_JOB_NODELIST=a,b\nSLURM_TASKS_PER_NODE=2,1\nSLURM_DISTRIBUTION=arbitrary\n"
        "SLURM_ARBITRARY_NODELIST=a,b,a\n"), "a b a", None,
    ),
    **{  # tasks 3, 2, 1: cyclic deals one to each host that has room, plane deals two
        f"a distribution by {how}": (
            ("SLURM_JOB_NODELIST=a,b,c\nSLURM_TASKS_PER_NODE=3,2,1\n"
            f"SLURM_DISTRIBUTION={how}\n"), " ".join(ranks), None,
        )
        for how, ranks in {
            "block": "aaabbc", "cyclic:block": "abcaba", "plane=2": "aabbca",
            "plane\nSLURM_DIST_PLANESIZE=2": "aabbca",
        }.items()
    },
}  # fmt: skip


@pytest.mark.parametrize("name", PLACEMENTS)
def test_placements_of_every_launcher(name):
    """Cores only where all ranks have one; an order of ranks takes the hosts a and b."""
    text, hosts, cores = PLACEMENTS[name]
    placement = read(Text.typed(text), "placement")
    if needs_hosts(placement):
        placement = with_hosts(placement, (("a", 2), ("b", 2)))
    assert list(placement.value) == hosts.split()
    listed = placement.of("cores")
    assert (listed and list(listed.value)) == cores


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("n1 2 all.q@n1 UNDEFINED\nn2 3 x.q@n2 <NULL>\n", "n1:2 n2:3"),
        ("n1 2 all.q@n1\nn2 1 all.q@n2\n", "n1:2 n2:1"),
        ("export LSB_MCPU_HOSTS='a 2 b 3'\nexport X=1\n", "a:2 b:3"),
        ('LSB_HOSTS="a a b"\n', "a:2 b:1"),
        ("n1\nn2\nn1\n", "n1:2 n2:1"),
        ("owl1 2\nowl2 1\n", "owl1:2 owl2:1"),
        ("n1:4 n2:2\n", "n1:4 n2:2"),
        ("u@n1 slots=2\n/* a\nb */n2 cpu=3\nn1 slots=1", "n1:3 n2:3"),
        ("n1 slots=2 sockets=2\n", "n1:2"),
        ("n[1-2]:3\nlogin", "n1:3 n2:3 login:1"),
        (FLUX, "f7:1 f8:2"),
        ("SLURM_NODELIST=n[1-2]\nSLURM_NTASKS_PER_NODE=4\n", "n1:4 n2:4"),
        ("0: n1\n1: n2\n2: n1\n", "n1:2 n2:1"),
    ],
)
def test_lists_of_hosts(text, hosts):
    value = read(Text.typed(text), "hosts").value
    assert " ".join(f"{host}:{slots}" for host, slots in value) == hosts


MAP = " Data for JOB [7,1]\n ==== JOB MAP ====\n Data for node: a\tNum procs: 2\n {}"
PROCESS = "\tProcess OMPI jobid: [7,1] App: 0 Process rank: 0\n"


@pytest.mark.parametrize(
    ("role", "text", "rule"),
    [
        ("placement", "rank 0=a slot=0\nrank 2=a slot=1\n", "every rank from 0 to 2"),
        ("placement", "rank 0=a slot=0\nrank 0=b slot=1\n", "every rank once"),
        ("placement", "rank 0=a slot=0\nrank 1=b\n", ":2: must be `rank N=HOST slot=LIST`"),
        ("placement", "0: a1\n0: a2\n1: a1\n", "rank 0 on one host"),
        ("placement", "[a1:1] Rank 1 bound to package[0][core:0]\n", "every rank from 0 to 1"),
        ("placement", "a1:1:2 [0] NCCL INFO comm 0x1 rank 0 nRanks 4 nNodes 2\n", "4 ranks"),
        ("placement", "a1:1:2 [0] NCCL INFO Bootstrap : Using eth0\n", "NCCL_DEBUG=INFO"),
        ("placement", "0,2,2,3\n", ":1: must be an order of the ranks 0 to 3, each once; got 2"),
        ("placement", "3-0\n", ":1: a range of ranks must go up"),
        ("placement", MAP.format(PROCESS), "is cut: node a must have 2 or more processes; got 1"),
        (
            "placement", "SLURM_JOB_NODELIST=a\nSLURM_TASKS_PER_NODE=2\nSLURM_NTASKS=1\n",
            "SLURM_NTASKS is 1, but the hosts have 2 slots",
        ),
        (
            "hosts", "SLURM_JOB_NODELIST=n[1-3]\nSLURM_TASKS_PER_NODE=2(x2)\n",
            "a count for each of 3 hosts",
        ),
        ("hosts", "SLURM_JOB_NODELIST=n[1-\nSLURM_TASKS_PER_NODE=2\n", "range"),
        ("hosts", "LSB_MCPU_HOSTS=a 2 b\n", "hosts with their slots"),
        (
            "hosts",
            ('{"execution": {"R_lite": [{"rank": "0", "children": {"core": "0"}}], '
            '"nodelist": []}}'), "nodelist must name 1 hosts",
        ),
        ("hosts", '{"execution": {"R_lite": [', "must be R of Flux"),
        ("network", "SwitchName=s0 Nodes=ALL\n", ":1: must name the nodes"),
        ("network", "Include x\nSwitchName=s0 Nodes=a\n", "give the file that Include"),
        ("network", "BlockName=b Nodes=a\nBlockSizes=4,9\n", "each a power of two times"),
        (
            "network",
            ("BlockName=b1 Nodes=a\nBlockName=b2 Nodes=b\nBlockName=b3 Nodes=c\n"
            "AggregatedBlock=b[1-2]\nAggregatedBlock=b[2-3]\n"),
            "must be apart, or one inside the other",
        ),
        ("network", "- topology: a\n  flat: true\n", "flat names no switches"),
        ("network", "Hello from n1\nHello from n2\n", "in a known format"),
        ("network", "srun: x\nsrun: y\n", "in a known format"),
        ("network", "source,target,speed_up,speed_down\na,b,1,2\n", "one of several columns must"),
        ("network", "source,target,bytes\na,b,1\n", "as tables with a header"),
    ],
)  # fmt: skip
def test_what_is_cut_or_contradictory_is_refused(role, text, rule):
    """0.4 made networks with a host `include` or `srun:` of some of these."""
    with pytest.raises(FileError, match=re.escape(rule)):
        read(Text.typed(text, "a.txt"), role)


def test_runs_of_every_suite_are_told_apart():
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


UCX = "| API: protocol layer |\n| Test: tag match latency |\n| Message size: 8 |\n"
COLUMNS = "iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr\n"
ROW = "10000{0}1.2{0}1.2{0}1.21{0}6.3{0}6.3{0}826446{0}826446\n"
JSON = '{{\n"test_info": {{\n"test": "RDMA_{}_Test",\n"Mtu": 4096\n}},\n"results": {{\n{}}}\n}}\n'
RATE = (
    "                    RDMA_Write BW Test\n"
    " #bytes     #iterations    BW peak[{0}]    BW average[{0}]   MsgRate[Mpps]\n"
    " 65536      1000             5.00               4.00               0.000010\n"
)
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
        *(
            (RATE.format(unit), "gap between messages", [(65536, 65536 / (4 * rate) * 1e6)])
            for unit, rate in {
                "MiB/sec": 2**20, "MB/sec": 2**20, "Gb/sec": 10**9 / 8, "GiB/sec": 2**30,
            }.items()  # older heads write MB for 2^20 bytes
        ),
    ],
)  # fmt: skip
def test_times_of_other_options(content, what, rows):
    """perftest's JSON does not say the unit of a rate: its rate of messages does."""
    (run,) = read(Text.typed(content), "times").value
    assert run.what == what
    assert run.times == [(size, pytest.approx(time)) for size, time in rows]
    assert not re.search("row|result", " ".join(run.left_out))


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
def test_every_form_of_label_comes_off(label, host):
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
def test_what_only_looks_like_a_label_stays(text):
    """Adjacency, hosts with slots, ports of ibnetdiscover, NetPIPE's rows, lists."""
    assert without_labels(text) == (text, ())


def test_labels_that_name_hosts_place_the_ranks_of_any_file():
    """A file of messages with mpirun's detailed tags holds the host of every rank besides."""
    lines = "".join(
        f"[1,{rank}][n{rank % 2}:7]<stdout>: E\t{rank}\t{1 - rank}\t4 bytes\t1 msgs sent\t1,0\n"
        for rank in range(2)
    )
    text = Text.typed("[1,0][n0:7]<stdout>: # POINT TO POINT\n" + lines)
    assert read(text, "placement").value == ("n0", "n1")
    assert read(text, "traffic").format == "openmpi-monitoring"
