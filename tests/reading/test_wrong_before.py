"""Files that 0.4 read wrongly without a word: each with the wrong value, and what is right."""

import itertools
from fractions import Fraction
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import lccmodel as lcc
from lccmodel import Traffic
from lccmodel.communication.rows import shape_of
from lccmodel.errors import CommunicationError, FileError, InputError
from lccmodel.reading.programs import read
from tests.cli.calling import records_of
from tests.reading.files import sent, written


def test_three_messages_in_an_array_of_numpy_are_messages(tmp_path):
    """0.4 read three triples in an npy as a matrix, and refused two or four of them."""
    for rows in range(2, 5):
        triples = np.array([(k, k + 1, 5 + 2 * k) for k in range(rows)])
        np.save(tmp_path / "a.npy", triples)
        path = written(tmp_path, "\n".join(" ".join(map(str, row)) for row in triples.tolist()))
        expected = [tuple(row) for row in triples.tolist()]
        assert sent(tmp_path / "a.npy") == sent(path) == expected


def test_every_table_of_two_and_three_rows_has_one_reading():
    """All 3 × 3 of 0..3 with the columns of ranks below 3: never a matrix and messages both."""
    for entries in itertools.product(range(4), repeat=6):
        pairs = {entries[0:2], entries[2:4], entries[4:6]}
        names = sorted({rank for pair in pairs for rank in pair})
        for volumes in ((0, 0, 0), (1, 2, 3), (1, 0, 2)):
            table = np.column_stack([np.reshape(entries, (3, 2)), volumes])
            is_matrix = not np.diag(table).any()
            can_be = len(pairs) == 3 and all(s != d for s, d in pairs) and min(volumes) > 0
            can_be = can_be and names in ([*range(len(names))], [*range(1, len(names) + 1)])
            assert not (is_matrix and can_be)
            assert _shape(table) == ("matrix" if is_matrix else "messages" if can_be else "")
    ambiguous = [
        rows
        for entries in itertools.product(range(4), repeat=4)
        if _shape(rows := np.reshape(entries, (2, 2)).tolist()) == "may be messages"
    ]
    assert ambiguous == [[[0, 1], [2, 0]], [[0, 2], [1, 0]]]


def _shape(rows: Any) -> str:
    """The reading of a table; empty if it has none."""
    try:
        return shape_of(np.array(rows))
    except CommunicationError as error:
        return "may be messages" if "may be messages" in error.rule else ""


def test_what_may_be_both_is_refused_and_can_be_stated(tmp_path):
    path = written(tmp_path, "0 1\n2 0\n")
    with pytest.raises(FileError, match=r"state which .--as matrix, --as messages"):
        read(path)
    assert sent(path, shape="matrix") == [(0, 1, 1), (1, 0, 2)]
    assert sent(path, shape="messages") == [(0, 1, 1), (2, 0, 1)]
    path = written(tmp_path, "0 1 9 3\n1 2 7 3\n2 3 5 3\n3 0 4 4\n")
    with pytest.raises(FileError, match="a message with its time or tag"):
        read(path)
    assert len(sent(path, shape="matrix")) == 14


@pytest.mark.parametrize("rows", [[[1, 2], [3, 4]], [[1, 2, 5], [2, 3, 5], [3, 1, 5]]])
def test_a_list_and_a_file_of_one_table_are_read_alike(rows, tmp_path):
    """`Traffic.of` took two messages among five ranks of `1 2 / 3 4`, which a file refuses."""
    path = written(tmp_path, "\n".join(" ".join(map(str, row)) for row in rows) + "\n")
    for given in (rows, np.array(rows)):
        with pytest.raises(InputError, match="look numbered from one"):
            Traffic.of(given)
    with pytest.raises(FileError, match="look numbered from one"):
        read(path)
    as_tuples = [tuple(row) for row in rows]
    assert Traffic.of(as_tuples).messages.tolist() == [row[:2] for row in rows]
    assert Traffic.of(rows, 5).messages.tolist() == Traffic.of(as_tuples).messages.tolist()


@pytest.mark.parametrize(
    "heading", ["weight", "Weight", "bytes", "total_bytes", "bytes_sent", "Volume (B)", "x"]
)
def test_volumes_under_the_names_people_use(heading, tmp_path):
    """0.4 dropped them: 1, 1 and 1 for 500, 700 and 10, and mesh:4 had a busiest channel of 1."""
    path = written(tmp_path, f"source,target,{heading}\n0,1,500\n1,2,700\n2,3,10\n", "a.csv")
    assert sent(path) == [(0, 1, 500), (1, 2, 700), (2, 3, 10)]
    assert lcc.contention(read(path), "mesh:4").degree == 700
    frame = Traffic.of(pd.read_csv(path))
    assert frame.volumes.tolist() == [500, 700, 10]
    if heading != "bytes":
        assert heading in " ".join(read(path).notes)
        assert heading in " ".join(frame.notes)


def test_a_table_of_edges_is_the_graph_that_it_was_made_of():
    """0.4: 1 and 1 of the table, 5 and 7 of the graph."""
    graph = nx.DiGraph([(0, 1, {"weight": 5}), (1, 2, {"weight": 7})])
    table = Traffic.of(nx.to_pandas_edgelist(graph))
    assert table == Traffic.of(graph) == Traffic([(0, 1), (1, 2)], [5, 7])
    assert table.notes == Traffic.of(graph).notes == ("the volume is the column weight",)


def test_two_columns_that_may_be_the_volume_are_refused_until_one_is_named(tmp_path):
    path = written(tmp_path, "src,dst,alpha,beta\n0,1,8,5\n1,0,16,3\n", "a.csv")
    with pytest.raises(FileError, match=r"a.csv:1: several columns may be the volume: alpha, beta"):
        read(path)
    assert sent(path, volume="beta") == [(0, 1, 5), (1, 0, 3)]
    with pytest.raises(FileError, match=r'must be "alpha" or "beta" \(columns\); got .gamma.'):
        read(path, volume="gamma")


def test_symmetric_matrices_and_counts_are_noted(tmp_path):
    """0.4: no word on the halves of Open MPI's scripts, and counts taken for bytes."""
    path = written(tmp_path, "0 500 0 \n500 0 400 \n0 400 0 \n", "run_size_all.mat")
    assert "half the sum" in " ".join(read(path).notes)
    for name in ("run_msg_all.mat", "run_avg_all.mat", "communication_matrix.message_number.dat"):
        counts = written(tmp_path, "0 5 0 \n7 0 4 \n0 4 0 \n", name)
        with pytest.raises(FileError, match=r"numbers of messages or averages .--as counts"):
            read(counts)
        assert sent(counts, shape="counts") == [(0, 1, 5), (1, 0, 7), (1, 2, 4), (2, 1, 4)]
        assert "numbers of messages, as stated" in " ".join(read(counts, shape="counts").notes)


def test_one_file_of_a_dump_is_said_to_be_one(tmp_path):
    """0.4 refused it, or took a file under another name for the whole program."""
    lines = "# POINT TO POINT\nE\t0\t1\t8 bytes\t1 msgs sent\n# OSC\n"
    world = "D\tMPI_COMM_WORLD\tprocs: 0,1,2,3\n"
    for name in ("run.0.prof", "copied.txt"):
        (note,) = read(written(tmp_path, lines + world, name)).notes
        assert "3 of 4 ranks are missing from the dump (1, 2, 3)" in note
    others = "".join(f"# POINT TO POINT\n# OSC\n{world}" for _ in range(3))
    whole = written(tmp_path, lines + world + others, "whole.txt")
    assert not read(whole).notes, "ranks that send nothing have their heading all the same"


def test_fractions_stay_fractions():
    """0.4 answered 3333333333333333/10^16 for a third, and called it optimal."""
    traffic = Traffic([(0, 1), (1, 2)], [Fraction(1, 3), Fraction(1, 7)])
    assert (traffic.total, traffic.exact[1]) == (Fraction(10, 21), Fraction(1, 21))
    placed = lcc.place(traffic, "mesh:3", over="placements", seconds=0.1)
    assert placed.value_after == Fraction(1, 3)


def test_a_matrix_as_libraries_write_it(tmp_path):
    """What pandas and numpy write themselves, with every option that changes the look."""
    matrix = np.array([[0, 5, 2, 0], [0, 0, 7, 0], [0, 0, 0, 9], [11, 0, 0, 0]])
    frame = pd.DataFrame(matrix, columns=[f"r{k}" for k in range(4)])
    files = []
    for k, (index, header, mark) in enumerate(
        [(i, h, m) for i in (True, False) for h in (True, False) for m in (",", "\t", ";", " ")]
    ):
        frame.to_csv(tmp_path / f"{k}.csv", index=index, header=header, sep=mark)
        files.append(tmp_path / f"{k}.csv")
    for k, form in enumerate(("%.18e", "%d", "%5.1f")):
        np.savetxt(tmp_path / f"n{k}.txt", matrix, fmt=form, header="of four ranks")
        files.append(tmp_path / f"n{k}.txt")
    expected = [(0, 1, 5), (0, 2, 2), (1, 2, 7), (2, 3, 9), (3, 0, 11)]
    for file in files:
        assert sent(file) == expected, file.read_text()


def test_the_names_of_a_frame_say_which_rank_a_column_is():
    """A table of pandas whose columns stand in another order than its rows."""
    frame = pd.DataFrame([[0, 4], [5, 0]], index=["r1", "r0"], columns=["r1", "r0"])
    assert Traffic.of(frame).volumes.tolist() == [5, 4]
    turned = frame[["r0", "r1"]]
    assert Traffic.of(turned) == Traffic.of(frame) == Traffic([(0, 1), (1, 0)], [5, 4])
    frame.index = frame.columns = ["left", "right"]
    assert Traffic.of(frame).notes == ("ranks in the order of the file: left, right",)


@pytest.mark.parametrize(
    ("content", "options", "degree"),
    [
        ("0 1\n2 0\n", "--as matrix", 2),
        ("0 1\n2 0\n", "--as messages", 1),
        ("source,target,a,b\n0,1,5,9\n", "--volume b", 9),
        ("1 2 4\n2 3 4\n3 1 6\n", "--first-rank 1", 6),
        ("1 2 4\n2 3 4\n1 3 6\n", "--first-rank 0", 10),
        ("0 5\n3 0\n", "--as counts", 5),
    ],
)
def test_options_of_the_command_line_say_what_a_file_leaves_open(
    content, options, degree, tmp_path
):
    path = written(tmp_path, content)
    assert records_of(f"contention {path} -N mesh:4 {options}")[0]["degree"] == degree
