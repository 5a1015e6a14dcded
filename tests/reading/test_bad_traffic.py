"""Bad files of messages: one line on standard error, exit code 2, nothing written; also large ones.

Every file of `WRONG` is refused by `lccmodel map`, which would write a rank file.
"""

import gzip
import re

import numpy as np
import pytest

import lccmodel.reading.cells as cells
from lccmodel.communication.rows import Described
from lccmodel.kernels.notice import tell
from lccmodel.reading.entries import traffic_entry
from lccmodel.reading.programs import read, read_entries
from lccmodel.reading.text import Text
from tests.choosing import sampled
from tests.cli.calling import refused, run, typed
from tests.reading.files import written
from tests.reading.test_samples_traffic import TRAFFIC

PROF = "# POINT TO POINT\nE\t0\t1\t4 bytes\t1 msgs sent\n"
PRV = "#Paraver (now):1:1(1):1:2(1:1,1:1)\n"
WRONG: dict[str, tuple[str | bytes, str]] = {
    "two kinds": (PROF + PRV, "must be one kind of file"),
    "two reports": ("@ mpiP\n" + PROF, "like Open MPI .* and like mpiP"),
    "a cut profile": ("<ipm_job_profile><task mpi_rank='0' mpi_size='2'>", "must be whole XML"),
    "a cut graph": ("3 2 001\n2 500\n1 500 3 70\n", "must have 3 lines, one a vertex; got 2"),
    "a cut scotch": ("0\n3 4\n0 010\n1 500 1\n2 500 0 70\n", "must have 4 arcs of 3 vertices"),
    "a cut json": ('{"nodes": [{"id": 0}], "links": [', "must be JSON"),
    "weights differ": ("3 2 001\n2 500\n1 501 3 70\n2 70\n", "listed from both ends"),
    "run_msg_all.mat": ("0 5 0 \n7 0 4 \n0 4 0 \n", "numbers of messages or averages"),
    "not square": ("0 4 0 1\n0 0 0 1\n5 0 0 1\n", "a matrix must be square"),
    "ragged": ("0 4 0 1\n0 0 0\n5 0 0 1\n", ":2: must have 4 columns"),
    "several": ("0 4\n3 0\n\n0 1\n7 0\n", ":4: must contain one matrix; blank lines part several"),
    "names differ": (",a,b\nc,0,1\nd,1,0\n", "must have the names of its rows"),
    "a name twice": ("rank,a,a\na,0,1\na,1,0\n", "the names of a matrix must differ"),
    "doctype": ('<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><graphml/>', "DOCTYPE"),
    "doctype of IPM": ("<!DOCTYPE a><ipm_job_profile/>", "DOCTYPE"),
    "shortened": ("[[0 1 2 ... 3]\n [0 0 0 ... 0]]\n", "numpy has shortened it"),
    "skipped": (
        "| Data Transfers per Rank-to-Rank Communication\n| [skipped 4 lines]\n",
        "must have all lines .aps-report -x --no-filters",
    ),
    "latin": (b"source,target\n0,1\n# caf\xe9\n", ":3: must be text in UTF-8"),
    "utf-16 without mark": ("source,target\n0,1\n".encode("utf-16-le"), "in a known format"),
    "half a gzip": (gzip.compress(b"0 1\n1 0\n" * 99)[:-9], "must be a whole gzip file"),
    "nothing": ("", "must not be empty"),
    "a line.prof": ("E 0 1 8 bytes 1 msgs sent\nX 1\n", ":2: .*line of Open MPI's monitoring"),
    "a.1.prof": ("E 0 1 8 bytes 1 msgs sent\n", ":1: .*rank 1, as the name says"),
    "no message.prof": ("# POINT TO POINT\n", "must record messages"),
    "far.prof": ("E 0 99999999 8 bytes 1 msgs sent\n", ":1: .*ranks must be below"),
    "much.prof": ("E 0 1 9223372036854775807 bytes 1 msgs sent\n", r":1: .*2\^62"),
    "encoding.xml": ("<?xml version='1.0' encoding='none'?><ipm/>", "whole XML"),
    "no calls.xml": ("<ipm><task mpi_rank='0' mpi_size='2'/></ipm>", "IPM_LOG"),
    "a rank.xml": ("<ipm><task mpi_rank='2' mpi_size='2'/></ipm>", "below mpi_size = 2"),
    "two.prv": ("#Paraver (now):1:1(1):2:1(1:1),1(1:1)\n", ":1: .*one application"),
    "a task.prv": (PRV + "3:1:1:1:1:0:0:2:1:3:1:1:1:8:0\n", ":2: .*1..2"),
    "short.prv": (PRV + "3:1:1:1\n", ":2: .*15 numbers"),
    "other.prv": (PRV + "# note\n\n5:1:1\n", ":4: .*must begin"),
    "a.otf2": ("nothing", "OTF2"),
    "words": ("the quick brown\nfox jumps over\n", "in a known format"),
    "a network": ("SwitchName=s1 Nodes=n[1-4]\n", "it contains a network, .*: --network slurm:"),
    "hosts": ("n1 slots=4\nn2 slots=4\n", "it contains a list of hosts"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_file_is_one_line_exit_2_and_nothing_is_written(name, tmp_path):
    content, rule = WRONG[name]
    file, ranks = written(tmp_path, content, name), tmp_path / "ranks"
    message = refused(run("map", file, "--network", "mesh:4x4", "--rankfile", ranks))
    assert message.startswith(f"lccmodel: error: {file}")
    assert re.search(rule, message), message
    assert not ranks.exists()


@pytest.mark.parametrize("path", sampled([sample.values[0] for sample in TRAFFIC], 3))
def test_a_sample_that_is_cut_anywhere_is_read_or_refused_in_one_line(path, tmp_path):
    """Every prefix of every sample: a program, or one line."""
    if path.is_dir():
        path = min(path.iterdir())
    raw = path.read_bytes()
    for end in range(0, len(raw), max(1, len(raw) // 60)):
        try:
            assert read(written(tmp_path, raw[:end], path.name)).ranks > 0
        except ValueError as error:
            assert "\n" not in str(error)  # noqa: PT017 - any error, if it is one line


CONF = "SwitchName=l1 Nodes=a[1-2]\nSwitchName=l2 Nodes=b[1-2]\n"
ROOT = "SwitchName=top Switches=l[1-2]\n"
ON_CLUSTER: dict[str, tuple[str, str, str]] = {
    "fewer slots than ranks": ("", "-N mesh:4 --hosts a:1,b:1", "at least 4 slots"),
    "an unknown host": (CONF + ROOT, "--hosts a1,a2,b1,zebra", "of the network.*'zebra'"),
    "a host is missing": (CONF + ROOT, "--hosts a1,a2,b1", "must list b2, where rank 3"),
    "two parts": (CONF, "", "a. and b. have no common switch"),
    "a node twice": ("SwitchName=l1 Nodes=a,a,b,c\n", "", ":1: must name each node and"),
    "a switch twice": (CONF + CONF, "", ":3: must have one line; got 'l1'"),
    "more ranks than nodes": ("SwitchName=l1 Nodes=a[1-2]\n", "", r"at least 4 nodes.*\*2 after"),
    "a cut list": ("SwitchName=l1 Nodes=a[1-4", "", ":1: is cut in the middle of a list"),
    "another kind": ("# nThread 1 nGpus 1\n", "", "contains measured times of messages"),
    "a document type": ("<!DOCTYPE a><graphml/>", "", "DOCTYPE"),
    "ranks of now": ("0: a1\n1: a2\n", "-N mesh:4 --now FILE", "host of 4 ranks"),
    "ranks of now left out": ("0: a1\n3: a2\n", "-N mesh:4 --now FILE", "missing is"),
    "messages for now": ("source,target\n0,1\n", "-N mesh:4 --now FILE", "messages of"),
}  # fmt: skip


@pytest.mark.parametrize("name", ON_CLUSTER)
def test_what_is_wrong_on_a_cluster_is_one_line_exit_2_and_nothing_is_written(name, tmp_path):
    content, options, rule = ON_CLUSTER[name]
    file, ranks = written(tmp_path, content), tmp_path / "ranks"
    pairs = written(tmp_path, "source,destination\n0,1\n1,2\n2,3\n3,0\n", "pairs.csv")
    options = options.replace("FILE", str(file))
    if "-N" not in options:
        options += f" -N graph:{file}"
    message = refused(typed(f"map {pairs} {options} --moves 1 --rankfile {ranks}"))
    assert re.search(rule, message), message
    assert not ranks.exists()


@pytest.mark.parametrize("line", ["1 2 3-0", "1 2", "1 2 3 4", "1,,3", "1,2;3", "1 2 x", "1 2 nan"])
def test_a_large_table_with_a_wrong_line_is_left_to_the_careful_reader(line, monkeypatch):
    """Blocks of some lines: a word more or less, an empty cell, a number and a half."""
    monkeypatch.setattr(cells, "_LARGE", 0)
    monkeypatch.setattr(cells, "_BLOCK", 64)
    mark = "," if "," in line else " "
    rows = [mark.join(map(str, (k, k + 1, 7))) for k in range(40)]
    text = Text.typed("\n".join(rows))
    table, numbers = cells.quick_numbers(text)
    assert table.tolist() == [[k, k + 1, 7] for k in range(40)]
    assert numbers.tolist() == list(range(1, 41))
    bad = Text.typed("\n".join([*rows[:20], line, *rows]))
    assert cells.quick_numbers(bad) is None


def test_progress_of_a_large_file_is_told_in_percent(monkeypatch):
    monkeypatch.setattr(cells, "_LARGE", 0)
    monkeypatch.setattr(cells, "_BLOCK", 100)
    told: list[str] = []
    before = tell(told.append)
    try:
        cells.quick_numbers(Text.typed("1 2 3\n" * 50, "a.txt"))
    finally:
        tell(before)
    assert told == ["reading a.txt: 0 %", "reading a.txt: 32 %", "reading a.txt: 64 %",
                    "reading a.txt: 96 %", ""]  # fmt: skip


def test_large_tables_are_read_by_compiled_code_to_the_same_messages(tmp_path, monkeypatch):
    """10^4 rows of every shape: the compiled reader, the careful one, and numpy agree."""
    rng = np.random.default_rng(5)
    rows = rng.integers(0, 300, (10_000, 3))
    plain = "\n".join(" ".join(map(str, row)) for row in rows.tolist())
    files = {
        "a.txt": plain + "\n",
        "b.csv": plain.replace(" ", ",") + "\n",
        "c.csv": "time,source,target,bytes\n"
        + "\n".join(f"x{k},{s},{d},{v}" for k, (s, d, v) in enumerate(rows.tolist())),
        "d.txt": "# comment\n\n" + plain.replace("\n", "\n\n", 5) + "\n",
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content)
        results = []
        for large in (0, 1 << 30):
            monkeypatch.setattr(cells, "_LARGE", large)
            (entry,) = read_entries(tmp_path / name)
            results.append((entry.content, entry.lines.tolist()))
        assert results[0] == results[1]
        table = np.column_stack([results[0][0].messages, results[0][0].volumes])
        assert np.array_equal(table, rows)
    lines = (tmp_path / "d.txt").read_text().split("\n")
    assert [lines[k - 1] for k in results[0][1][:7]] == plain.split("\n")[:7]


def test_an_entry_names_the_line_of_a_rank_that_n_bits_do_not_name():
    text = Text.typed("", "a.csv")
    described = Described([(0, 1), (2, 3)], None, 4)
    entry = traffic_entry(text, described, "2 pairs", lines=np.array([1, 2]))
    assert (entry.n, entry.ranks, entry.line, entry.name) == (2, 4, 1, "a")
