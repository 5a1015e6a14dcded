"""What profilers and tracers write, read as traffic: real files, each counted another way here.

Samples, in `traces`: `ring` and `windows` by Open MPI 5.0.11's monitoring, `ring.ipm.xml` by IPM
2.0.6 and `ring.mpiP` by mpiP 3.5.0, of programs of this project run by eight and four ranks; `ring`
sends 1000 (r + 1) bytes three times to the next rank, then 500 to the rank three on, then adds up
one double. `qsort_beo3.prv` is from the tests of bsc-performance-tools/paraver-kernel,
`ping_pong` (a Score-P trace) from those of hpcgroup/pipit.
"""

import gzip
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from lccmodel.communication.traffic import Traffic
from lccmodel.errors import FileError
from lccmodel.reading.entries import Sums
from lccmodel.reading.options import reading_with
from lccmodel.reading.programs import read, read_typed
from lccmodel.reading.text import Text
from tests.cli.calling import typed
from tests.reading.files import rows_of, sent, written

SAMPLES = Path(__file__).parent / "traces"
RING = Counter({(r, (r + 1) % 8): 3000 * (r + 1) for r in range(8)})
RING.update({(r, (r + 3) % 8): 500 for r in range(8)})


def volumes(traffic: Traffic) -> dict[tuple[int, int], int]:
    return {(source, destination): volume for source, destination, volume in rows_of(traffic)}


def volumes_of(path: Path) -> dict[tuple[int, int], int]:
    return {(source, destination): volume for source, destination, volume in sent(path)}


def test_a_dump_of_open_mpi():
    """What the program sent, and eight bytes for every message of the allreduce's doubling."""
    found = read(SAMPLES / "ring/ring.3.prof")
    rounds = {(r, r ^ step): 8 for r in range(8) for step in (1, 2, 4)}
    assert volumes(found[0].traffic) == RING + Counter(rounds)
    assert (found.ranks, found[0].name) == (8, "ring")


def test_any_file_stands_for_the_dump_and_all_of_them_do_once(tmp_path):
    files = sorted(map(str, (SAMPLES / "ring").glob("*.prof")))
    assert len(read_typed(files)) == 1
    assert len(read_typed(["bit-reverse", "bit-reverse"], 3)) == 2
    for file in files:
        (tmp_path / Path(file).name).write_text(Path(file).read_text())
    (tmp_path / "other.3.prof").write_text("E\t3\t0\t77 bytes\t1 msgs sent\n")
    (tmp_path / "notes.txt").write_text("of another program\n")
    beside = read(tmp_path / "ring.5.prof")
    assert volumes(beside[0].traffic) == volumes_of(files[0])
    whole = tmp_path / "all.prof"
    whole.write_text("".join(Path(file).read_text() for file in files))
    assert volumes_of(whole) == volumes_of(files[0])


def test_windows_of_open_mpi():
    """Put travels to the partner, get from it: rank r puts 100 (r + 1) bytes, gets 7 (r + 1)."""
    found = volumes_of(SAMPLES / "windows/o.0.prof")
    own: Counter[tuple[int, int]] = Counter()  # the library's own messages, counted from the text
    for r in range(4):
        for line in (SAMPLES / f"windows/o.{r}.prof").read_text().splitlines():
            if line[:1] in "EI" and line:
                cells = line.split("\t")
                own[int(cells[1]), int(cells[2])] += int(cells[3].split()[0])
    moved = Counter({(r, (r + 1) % 4): 100 * (r + 1) for r in range(4)})
    moved.update({((r + 2) % 4, r): 7 * (r + 1) for r in range(4)})
    assert found == own + moved


def test_a_profile_of_ipm():
    """The same program: sizes are the least of IPM's bins, so at most what was sent."""
    program = read(SAMPLES / "ring.ipm.xml.gz")
    profiled = volumes(program[0].traffic)
    assert set(profiled) == set(RING)
    assert all(0.8 * RING[pair] <= volume <= RING[pair] for pair, volume in profiled.items())
    assert profiled[0, 1] == 3 * 896
    notes = [note.split(": ", 1)[1][:11] for note in program.notes]
    assert notes == ["IPM keeps s", "IPM writes ", "collectives"]


def test_what_weighs_most_is_the_weight_of_a_trace(tmp_path):
    """Sums of a pair over all lines; its first line, and the bits of all ranks that there are."""
    sums = Sums(tmp_path / "a")
    for line, row in enumerate([(0, 1, 5), (2, 0, 3), (0, 1, 4), (1, 2, 0), (2, 0, 9)], 1):
        sums.add(line, *row)
    text = Text.typed("", str(tmp_path / "a"))
    entry = sums.entry(text, "here")
    assert (entry.weight, entry.line, entry.lines.tolist()) == (12, 1, [1, 2])
    assert volumes(entry.content) == {(0, 1): 9, (2, 0): 12}
    assert (entry.content.ranks, entry.bits, entry.name) == (3, 2, "a")
    for ranks, bits in ((4, 2), (5, 3), (8, 3), (9, 4)):
        sums.hold(0, ranks)
        assert sums.entry(text, "here").bits == bits
    with reading_with(n=3), pytest.raises(FileError, match=r"must be in 0..7 for n = 3; got 8"):
        sums.entry(text, "here")
    with reading_with(n=4):
        assert sums.entry(text, "here").content.ranks == 9
    with pytest.raises(FileError, match="must record messages"):
        Sums(tmp_path / "a").entry(text, "here")


def test_mpip_does_not_say_who_received():
    with pytest.raises(FileError, match="mpiP did not write who received; Open MPI's monitoring"):
        read(SAMPLES / "ring.mpiP.gz")


def test_a_report_of_mpip_with_pairs(tmp_path):
    """The section that some builds add, in a real report."""
    text = gzip.decompress((SAMPLES / "ring.mpiP.gz").read_bytes()).decode()
    rule = "-" * 75 + "\n"
    head = "@--- Aggregate Point-To-Point Stats ({}bytes, milliseconds) ---\n"
    for counted in ("", "count, "):
        rows = "".join(
            f"{s:8} {d:8} {'3 ' if counted else ''}{v:8}   0.005\n" for (s, d), v in RING.items()
        )
        section = rule + head.format(counted) + rule + "Src-Rank Dest-Rank ...\n" + rows + rule
        path = tmp_path / "a.mpiP"
        path.write_text(text + section + "@--- End of Report ---\n" + rule)
        assert volumes_of(path) == RING
        path.write_text(text + section + section + rule)  # of two runs, one behind the other
        doubled = {pair: 2 * sent for pair, sent in RING.items()}
        assert volumes_of(path) == doubled


def test_a_paraver_trace():
    """Records that begin with 3: tasks in fields 3 and 9, counted from 1, bytes in field 13."""
    path = SAMPLES / "qsort_beo3.prv.gz"
    expected: Counter[tuple[int, int]] = Counter()
    for line in gzip.decompress(path.read_bytes()).decode().splitlines():
        cells = line.split(":")
        if cells[0] == "3":
            expected[int(cells[3]) - 1, int(cells[9]) - 1] += int(cells[13])
    assert len(expected) == 11
    assert volumes_of(path) == expected


def test_an_otf2_archive():
    """Eight messages each way, of 2^14, ..., 2^21 bytes (the events, listed by otf2-print)."""
    pytest.importorskip("otf2")
    found = read(SAMPLES / "ping_pong/traces.otf2")
    sent = sum(1 << k for k in range(14, 22))
    assert volumes(found[0].traffic) == {(0, 1): sent, (1, 0): sent}


@pytest.mark.parametrize("cut", [10, 100, 200])
def test_a_broken_otf2_archive(cut, tmp_path, capfd):
    pytest.importorskip("otf2")
    shutil.copytree(SAMPLES / "ping_pong", tmp_path / "a")
    anchor = tmp_path / "a/traces.otf2"
    anchor.write_bytes(anchor.read_bytes()[:cut])
    with pytest.raises(FileError, match="must be a whole OTF2 archive"):
        read(anchor)
    assert capfd.readouterr() == ("", "")  # the C library has said nothing beside


def test_from_a_dump_and_a_node_list_to_a_rank_file(tmp_path):
    """One command, on eight nodes of a torus; a host of the list for every rank."""
    ranks = tmp_path / "ranks"
    line = f"map {SAMPLES / 'ring/ring.0.prof'} -N torus:4x4 --nodes 0-3,8-11 --rankfile {ranks}"
    result = typed(f"{line} --hosts node[05-12] --seconds 0.2")
    assert result.exit_code == 0, result.output
    slots = sorted(row.split("=", 1)[1] for row in ranks.read_text().splitlines())
    assert slots == [f"node{k:02} slot=0" for k in range(5, 13)]


@pytest.mark.slow
def test_the_real_open_mpi(tmp_path):
    """A program that is run now, on four ranks: what it sends is what is read."""
    mpirun = Path(sys.executable).with_name("mpirun")
    if not mpirun.exists():
        pytest.skip("no mpirun beside this python")
    program = tmp_path / "program.py"
    program.write_text(
        "from mpi4py import MPI\nc = MPI.COMM_WORLD\n"
        "c.Sendrecv(bytearray(4321), (c.rank + 1) % 4, recvbuf=bytearray(4321), "
        "source=(c.rank - 1) % 4)\n"
    )
    options = {"pml_monitoring_enable": 2, "pml_monitoring_enable_output": 3,
               "pml_monitoring_filename": tmp_path / "run"}  # fmt: skip
    settings = [word for key, value in options.items() for word in ("--mca", key, str(value))]
    command = [mpirun, "--oversubscribe", "--allow-run-as-root", "-n", "4", *settings]
    subprocess.run([*command, sys.executable, program], check=True, timeout=120)
    found = volumes_of(tmp_path / "run.0.prof")
    assert found == {(r, (r + 1) % 4): 4321 for r in range(4)}


@pytest.mark.parametrize(
    ("more", "noted"),
    [("", False), ("4:1:1\n", True), ("4:1:1\n4:2:1\n", True), ("2:4:1\nc:1\n", False)],
)
def test_collectives_of_a_paraver_trace_are_said_to_be_left_out(more, noted, tmp_path):
    """A record that begins with 4; without one, nothing is said."""
    head = "#Paraver (now):1:1(1):1:2(1:1,1:1)\n3:1:1:1:1:0:0:2:1:2:1:1:1:8:0\n"
    notes = " ".join(read(written(tmp_path, head + more)).notes)
    assert ("collectives are left out" in notes) == noted
