"""A word stands for the communication that the command line makes of it, in every function."""

from __future__ import annotations

import pytest

import lccmodel as lcc
from lccmodel.communication.words import as_communication
from lccmodel.errors import CommunicationError, FileError
from lccmodel.methods import optimal_orders, optimal_reordering
from lccmodel.wormhole import simulate, trace

REVERSE = lcc.catalog.bit_reverse(4)


@pytest.mark.parametrize(
    "answer",
    [
        lambda c: lcc.contention(c, "cube:4"),
        lambda c: lcc.contention(c, "mesh:4x4").per_dimension,
        lambda c: lcc.place(c, "cube:4").node_of.tolist(),
        lambda c: optimal_reordering(c, "origin:4").order,
        lambda c: optimal_orders(c, "cube:4").count(),
        lambda c: lcc.compare(c, "mesh:4x4")["hl"].order,
        lambda c: lcc.Hypercube(4).channel_loads(c).degree,
        lambda c: trace(c, "cube:4").cycles,
        lambda c: simulate(c, "cube:4", cycles=200).throughput,
    ],
)
def test_a_word_answers_as_its_object(answer):
    assert answer("bit-reverse") == answer(REVERSE)


def test_equations_and_grids_and_files(tmp_path):
    assert lcc.contention("y0 = x1; y1 = x0", "cube:2").degree == 1
    rings = lcc.contention("grid:4x4:rings", "torus:4x4")
    assert [member.degree for member in rings] == [1, 1]
    path = tmp_path / "messages.csv"
    path.write_text("source,destination\n0,1\n0,2\n", encoding="utf-8")
    assert lcc.contention(str(path), "cube:2").members == (
        lcc.contention([(0, 1), (0, 2)], "cube:2"),
    )
    assert lcc.place(str(path), "cube:2").program.ranks == 3


def test_what_is_no_word_stays_as_it_is():
    pairs = [(0, 1)]
    assert as_communication(pairs, 16) is pairs
    assert as_communication(REVERSE) is REVERSE


def test_a_word_that_means_nothing_is_refused():
    with pytest.raises(CommunicationError, match="did you mean 'bit-reverse'"):
        lcc.contention("bit-reverze", "cube:4")
    with pytest.raises(CommunicationError, match="needs the number of address bits"):
        lcc.contention("bit-reverse", "mesh:3x4")
    with pytest.raises(FileError, match=r"missing\.csv: must be a file that can be read"):
        lcc.place("missing.csv", "cube:4")
