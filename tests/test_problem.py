"""What is asked, read once: words, files, arrays and objects on a network."""

from pathlib import Path

import numpy as np
import pytest

import lccmodel as lcc
from lccmodel.errors import CommunicationError, FileError, NetworkError
from lccmodel.network import Hypercube
from lccmodel.placement import optimal_orders, optimal_reordering
from lccmodel.problem import Problem, network_for
from lccmodel.reading.options import reading_with
from lccmodel.reading.programs import read_communications, read_typed
from lccmodel.wormhole import simulate, trace

REVERSE = lcc.catalog.bit_reverse(4)
EXAMPLES = Path(__file__).parents[1] / "examples"


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


def test_a_file_with_a_permutation_is_compared(tmp_path):
    path = tmp_path / "turn.csv"
    path.write_text("source,destination\n0,1\n1,3\n2,0\n3,2\n", encoding="utf-8")
    assert lcc.compare(str(path)).destinations.tolist() == [1, 3, 0, 2]


def test_a_word_that_means_nothing_is_refused():
    with pytest.raises(CommunicationError, match="did you mean 'bit-reverse'"):
        lcc.contention("bit-reverze", "cube:4")
    with pytest.raises(
        NetworkError, match=r"must have 2\^n nodes for bit-reverse.*; got 'mesh:3x4'"
    ):
        lcc.contention("bit-reverse", "mesh:3x4")
    with pytest.raises(FileError, match=r"missing\.csv: cannot read the file"):
        lcc.place("missing.csv", "cube:4")
    for network in (None, "cube"):
        with pytest.raises(NetworkError, match="since bit-reverse exists for any n"):
            Problem.read("bit-reverse", network)


@pytest.mark.parametrize(
    ("what", "single"),
    [
        ("bit-reverse", True),
        ("; ".join(f"y{k} = x{k}" for k in range(6)), True),
        (["bit-reverse"], False),
        (REVERSE, True),
        ([REVERSE], False),
        ([(0, 1), (1, 2)], True),
        (np.array([1, 0, 3, 2]), True),
        (lambda rank: rank ^ 1, True),
        (lcc.Traffic([(0, 1)]), True),
        (lcc.Program.of([(0, 1)]), False),
        ("grid:4x4", False),
        (str(EXAMPLES / "trace.csv"), False),
        (EXAMPLES / "trace.csv", False),
        ((lcc.Traffic([(0, 1)]) for _ in range(2)), False),
    ],
    ids=lambda what: type(what).__name__,
)
def test_what_a_problem_is_read_from(what, single):
    """A program, its network, where it was read, and whether it was given by itself."""
    problem = Problem.read(what, "cube:6")
    assert problem.network == Hypercube(6)
    assert problem.single == single
    assert len(problem.origin) in (0, len(problem.program))
    assert Problem.read(problem) is problem
    moved = Problem.read(problem, "mesh:8x8")
    assert (moved.network.spec, moved.program) == ("mesh:8x8", problem.program)


def test_a_problem_knows_where_it_was_read():
    """Name, file, line and grid of every phase, and the network that the file names."""
    problem = Problem.read([str(EXAMPLES / "origin32.toml"), "grid:8x4:rings", "bit-reverse"])
    assert problem.network.spec == "origin:5"
    assert [one.name for one in problem.origin] == [phase.name for phase in problem.program]
    assert [(one.line, one.grid) for one in problem.origin] == [
        (6, ()),
        (0, (8, 4)),
        (0, (8, 4)),
        (0, ()),
    ]
    assert problem.program.network == "origin:5"


def test_the_network_is_that_of_the_size_where_nothing_names_one():
    assert Problem.read([(0, 1), (1, 4)]).network == Hypercube(3)
    assert Problem.read(REVERSE, "origin").network.spec == "origin:4"
    assert Problem.read(lcc.Program.of([(0, 1)]).of([REVERSE])).network == Hypercube(4)
    named = lcc.Program([[(0, 1)]], network="torus:3x3")
    assert Problem.read(named).network.spec == "torus:3x3"


def test_files_that_name_different_networks_need_one_that_is_stated(tmp_path):
    texts = {"p": "origin", "q": "cube:2"}
    for name, word in texts.items():
        text = f'{{"network": "{word}", "equations": "y0 = x1; y1 = x0"}}'
        (tmp_path / f"{name}.json").write_text(text)
    paths = [str(tmp_path / f"{name}.json") for name in texts]
    both = [one for path in paths for one in read_communications(path)]
    with pytest.raises(NetworkError, match="is required"):
        network_for(both)
    assert network_for(both, "cube:2") == Hypercube(2)
    assert Problem.read(paths, "cube:2").network == Hypercube(2)
    assert Problem.read(paths[0]).network.spec == "origin:2"
    with pytest.raises(NetworkError, match=r"must have 2\^2 nodes"):
        network_for(read_typed([paths[0]]), "cube:3", exact=True)


def test_a_network_too_small_is_refused_with_file_and_line(tmp_path):
    path = tmp_path / "trace.csv"
    path.write_text("source,destination\n0,1\n4,2\n", encoding="utf-8")
    with pytest.raises(FileError, match=r"trace\.csv:3: a rank must be in 0\.\.3 on mesh:2x2"):
        Problem.read(str(path), "mesh:2x2")


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([(1, 2), (2, 4)], True),  # ranks 1..4 of 4 nodes
        ([(0, 2), (3, 4)], False),  # a rank 0 is among them
        ([(1, 2), (3, 5)], False),  # one more than numbering from one explains
    ],
)
def test_ranks_that_look_numbered_from_one_are_said_to(messages, said, tmp_path):
    file = tmp_path / "sent.csv"
    file.write_text("source,destination\n" + "".join(f"{x},{y}\n" for x, y in messages))
    """Rank 0 is stated to be idle: else the file is refused where it is read."""
    with reading_with(first_rank=0), pytest.raises(FileError, match="must have at least") as told:
        Problem.read(file, "cube:2")
    assert ("ranks 1..4 look numbered from one" in str(told.value)) == said


@pytest.mark.parametrize("what", ["grid:4x4", [(0, 9)], ["grid:4x4", "grid:16"]])
def test_what_stands_in_no_file_is_no_error_of_a_file(what):
    with pytest.raises(NetworkError) as caught:
        lcc.place(what, "mesh:3x3" if isinstance(what[0], str) else "mesh:3", over="placements")
    assert type(caught.value) is NetworkError


@pytest.mark.parametrize(
    ("rows", "extends"),
    [
        ([(x, x ^ 5) for x in range(8)], True),  # all of y = x + 101
        ([(0, 5), (1, 4), (2, 7), (4, 1)], True),  # its values at 0 and at a basis say the rest
        ([(0, 5), (1, 4), (2, 7), (3, 6)], False),  # nothing is said of bit 2
        ([(0, 1), (1, 2), (2, 4), (4, 7), (3, 0)], False),  # not affine: 0 + 1 + 2 + 3 is not 0
    ],
)
def test_messages_extend_where_they_say_all_of_a_matrix(rows, extends, tmp_path):
    file = tmp_path / "sent.csv"
    file.write_text("".join(f"{x},{y}\n" for x, y in rows))
    assert Problem.read(str(file), "cube:3").extends == extends


def test_several_phases_extend_where_each_does(tmp_path):
    """One that says a matrix does not speak for one that says none."""
    file = tmp_path / "sent.csv"
    file.write_text("".join(f"{x},{y}\n" for x, y in [(0, 5), (1, 4), (2, 7), (3, 6)]))
    assert not Problem.read([str(file), "bit-reverse"], "cube:3").extends
    assert not Problem.read(["bit-reverse", str(file)], "cube:3").extends


@pytest.mark.parametrize("turned", [False, True])
def test_of_several_files_the_one_with_most_ranks_asks_for_more_nodes(turned, tmp_path):
    small, large = tmp_path / "small.eq", tmp_path / "large.eq"
    small.write_text("y0 = x1\ny1 = x0\n")
    large.write_text("y0 = x1\ny1 = x0\ny2 = x3\ny3 = x2\n")
    files = [str(large), str(small)] if turned else [str(small), str(large)]
    with pytest.raises(FileError, match=r"large\.eq:1: the network must have at least 16 nodes"):
        Problem.read(files, "mesh:2x3")
