"""Samples of traffic in every format, each by its `expected.json`; see docs/formats.md.

An expectation names the ranks and the messages from rank 0, the words that a note must have, the
host of every rank where the file tells it, or why the file is refused.
"""

import gzip
import shutil
from pathlib import Path
from typing import Any

import pytest

from lccmodel.errors import FileError
from lccmodel.problem import Problem
from lccmodel.reading import recognise
from lccmodel.reading.programs import read
from lccmodel.reading.recognise import formats
from lccmodel.reading.text import Text
from tests.reading.files import SAMPLES, rows_of, samples, sent, written

TRAFFIC = samples("traffic")
FILES = [sample for sample in TRAFFIC if sample.values[0].is_file()]


def check(path: Path, expected: dict[str, Any]) -> None:
    """The ranks and the messages are those that are expected."""
    messages: list[list[int]] = expected["traffic"]["messages"]
    assert sent(path) == sorted(map(tuple, messages))
    assert read(path).ranks == expected["traffic"]["ranks"]


@pytest.mark.parametrize(("path", "expected"), TRAFFIC)
def test_messages_notes_and_hosts_of_a_sample(path, expected):
    check(path, expected)
    problem = Problem.read(path)
    for word in expected.get("notes", ()):
        assert word in " ".join(problem.notes).replace("×", "x"), problem.notes
    assert problem.read_as
    if "placement" in expected:
        file = next(path.glob("*.prv")) if path.is_dir() else path
        assert list(recognise.read(file, "placement").value) == expected["placement"]


def test_mpisee_records_no_partner():
    with pytest.raises(FileError, match="no partner"):
        read(SAMPLES / "mpisee-sqlite/a.db")


@pytest.mark.parametrize(("path", "expected"), FILES)
def test_a_sample_is_recognised_by_its_content_alone(path, expected, tmp_path):
    """Under a name without a suffix, packed or not, as UTF-16 if it is text, and by one format."""
    raw = path.read_bytes()
    contents = [raw, gzip.compress(raw)]
    if not raw.startswith((b"SQLite", b"<?xml", b"%%MatrixMarket")):
        contents += [raw.decode().replace("\n", "\r\n").encode("utf-16"), b"\xef\xbb\xbf" + raw]
    for content in contents:
        check(written(tmp_path, content, "file"), expected)
    text = Text.at(path)
    tiers = [form.tier for form in formats() if form.recognises(text) and form.kind == "traffic"]
    assert tiers.count(max(tiers)) == 1


def test_every_format_of_traffic_has_a_sample_or_a_test_of_its_own():
    """A format that is new is read from a sample, or this says where else."""
    elsewhere = {
        "mpip",
        "mpisee-sqlite",
        "otf2",
        "npy",
        "npz",
        "matlab",
        "json",
        "toml",
        "equations",
    }
    names = {form.name for form in formats() if form.kind == "traffic"}
    paths = [sample.values[0] for sample in TRAFFIC]
    files = [min(path.iterdir()) if path.is_dir() else path for path in paths]
    seen = {recognise.recognise(Text.at(file), "traffic").name for file in files}
    assert names - seen - elsewhere == {"graphml"}, "read as a network elsewhere"


def test_a_folder_of_two_runs_is_refused(tmp_path):
    shutil.copytree(SAMPLES / "tau-profile/a", tmp_path / "run")
    assert read(tmp_path / "run").ranks == 3
    shutil.copy(SAMPLES / "paraver-row/a/t.prv", tmp_path / "run")
    with pytest.raises(FileError, match="paraver-row and of tau-profile"):
        read(tmp_path / "run")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileError, match="a folder with the files of one run"):
        read(tmp_path / "empty")


# -- other versions and options ------------------------------------------------------------------

APS_HEAD = "| Rank --> Rank  Time(sec)  Time(%)  Volume(MB)  Volume(%)  Transfers\n"
APS = "| Data Transfers per Rank-to-Rank Communication\n|-----\n" + APS_HEAD
MATRIX = [(0, 1, 4), (2, 0, 5)]
RING_OF_TWO = [(0, 1, 4), (1, 0, 5)]
SENT = "E\t{}\t{}\t{} bytes\t1 msgs sent\t1,0\n"
HENT = '<hent call="MPI_Send" bytes="4" orank="1" count="1" >1 1 1</hent>'

VARIANTS: dict[str, tuple[str, list[tuple[int, int, int]], str]] = {
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


RING_OF_FOUR = [(0, 1, 5), (0, 2, 2), (1, 2, 7), (2, 3, 9), (3, 0, 11)]
AS_TOOLS_WRITE_IT = {
    "pandas": ",0,1,2,3\n0,0,5,2,0\n1,0,0,7,0\n2,0,0,0,9\n3,11,0,0,0\n",
    "a blank at every end": "0 5 2 0 \n0 0 7 0 \n0 0 0 9 \n11 0 0 0 \n",
    "the count first": "4\n0 5 2 0\n0 0 7 0\n0 0 0 9\n11 0 0 0\n",
    "R": '"" "1" "2" "3" "4"\n"1" 0 5 2 0\n"2" 0 0 7 0\n"3" 0 0 0 9\n"4" 11 0 0 0\n',
    "write.table": '"V1" "V2" "V3" "V4"\n"1" 0 5 2 0\n"2" 0 0 7 0\n"3" 0 0 0 9\n"4" 11 0 0 0\n',
    "R's print": (
        "     [,1] [,2] [,3] [,4]\n[1,]    0    5    2    0\n[2,]    0    0    7    0\n"
        "[3,]    0    0    0    9\n[4,]   11    0    0    0\n"
    ),
    "R's print in two parts": (
        "     [,1] [,2]\n[1,]    0    5\n[2,]    0    0\n[3,]    0    0\n[4,]   11    0\n"
        "     [,3] [,4]\n[1,]    2    0\n[2,]    7    0\n[3,]    0    9\n[4,]    0    0\n"
    ),
    "numpy's print": "[[ 0  5  2  0]\n [ 0  0  7  0]\n [ 0  0  0  9]\n [11  0  0  0]]\n",
    "numpy's repr": (
        "array([[ 0,  5,  2,  0],\n       [ 0,  0,  7,  0],\n       [ 0,  0,  0,  9],\n"
        "       [11,  0,  0,  0]])\n"
    ),
    "JSON": "[[0,5,2,0],[0,0,7,0],[0,0,0,9],[11,0,0,0]]",
    "a comma at every end": "0,5,2,0,\n0,0,7,0,\n0,0,0,9,\n11,0,0,0,\n",
    "names of ranks": "rank;r0;r1;r2;r3\nr0;0;5;2;0\nr1;0;0;7;0\nr2;0;0;0;9\nr3;11;0;0;0\n",
    "names above alone": "a b c d\n0 5 2 0\n0 0 7 0\n0 0 0 9\n11 0 0 0\n",
    "names before alone": "a 0 5 2 0\nb 0 0 7 0\nc 0 0 0 9\nd 11 0 0 0\n",
    "an index, no header": "0 0 5 2 0\n1 0 0 7 0\n2 0 0 0 9\n3 11 0 0 0\n",
    "MATLAB": "% MATLAB\n0.0e+00 5.0e+00 2.0e+00 0\n0 0 7 0\n0 0 0 9\n11 0 0 0\n",
    "any order of names": ",r3,r2,r1,r0\nr2,9,0,0,0\nr0,0,2,5,0\nr1,0,7,0,0\nr3,0,0,0,11\n",
}
TWO = [(0, 1, 512), (1, 0, 512)]
HENT_NULL = '<hent call="MPI_Isend" bytes="8" orank="{}" count="100" >1 1 1</hent>'
TASK = '<task mpi_rank="{}" mpi_size="3"><host>n</host>{}</task>'
VARIANTS |= {
    **{
        f"a matrix, {tool}": (text, RING_OF_FOUR, "4×4 matrix: a row is a sender")
        for tool, text in AS_TOOLS_WRITE_IT.items()
    },
    **{  # 0.4 read the first matrix of everybody as 513 ranks on cube:10
        f"two ranks, {mark}": (f"0{mark}512\n512{mark}0\n", TWO, "read as a 2×2 matrix")
        for mark in " ,;"
    },
    "three ranks": ("0,4,0\n0,0,0\n5,0,0\n", MATRIX, ""),  # 0.4: messages with loads of 0
    "size times count": (  # 0.4: a volume of 8 for 100,000 messages of 8 bytes
        "src,dst,size,count\n0,1,8,100000\n1,0,16,3\n", [(0, 1, 800_000), (1, 0, 48)],
        "the volume is size × count",
    ),
    "MPI_PROC_NULL, which IPM writes as rank 0": (  # 0.4: ghosts of a line that does not wrap
        "<ipm_job_profile>"
        + "".join(
            TASK.format(rank, "".join(map(HENT_NULL.format, ends)))
            for rank, ends in enumerate([(0, 1), (0, 2), (1, 0)])
        )
        + "</ipm_job_profile>",
        [(0, 0, 800), (0, 1, 800), (1, 0, 800), (1, 2, 800), (2, 0, 800), (2, 1, 800)],
        "MPI_PROC_NULL",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", VARIANTS)
def test_messages_of_other_variants(name):
    """Files of the same formats as other versions, options and people write them."""
    content, expected, note = VARIANTS[name]
    part = recognise.read(Text.typed(content, "a.txt"), "traffic")
    assert rows_of(part.value[0].content) == expected
    assert not note or any(note in line for line in part.notes), part.notes
    assert ("MPI_PROC_NULL" in " ".join(part.notes)) == name.startswith("MPI_PROC_NULL")
