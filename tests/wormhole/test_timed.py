"""Traces with times and lengths, programs whose phases depend, worms flit by flit: by hand.

Alone a message of F flits over H links takes H + 2 + F - 1 cycles (docs/wormhole.md).
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from lccmodel.communication.catalog import build
from lccmodel.communication.program import Phase, Program
from lccmodel.errors import CommunicationError, FileError, InputError, NodeError
from lccmodel.network import Hypercube, Mesh, Torus
from lccmodel.reading.options import reading_with
from lccmodel.wormhole import timed
from lccmodel.wormhole.plan import NEVER
from lccmodel.wormhole.simulation import MAX_FLITS
from lccmodel.wormhole.timed import TimedMessages, read_recorded, run_program, run_trace
from lccmodel.wormhole.timing import seed_word
from lccmodel.wormhole.tracing import trace


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_the_rows_is_of_no_account(seed):
    draw = np.random.default_rng(seed)
    network = (Hypercube(3), Mesh((4, 4)), Torus((4, 4)))[seed]
    drawn = draw.integers(0, [network.size, network.size, 60], (30, 3)).tolist()
    rows = [(x, y, t) for (x, t), y in {(x, t): y for x, y, t in drawn}.items() if x != y]
    turned = draw.permutation(len(rows)).tolist()
    sent, again = (run_trace(r, network, flits=5) for r in (rows, [rows[k] for k in turned]))
    assert [sent.delivered[k] for k in turned] == again.delivered.tolist()


def test_a_trace_may_be_an_array_of_rows():
    """Two axes, three or four columns; nothing else is a trace."""
    rows = [(1, 3, 0), (0, 3, 0), (2, 1, 4)]
    expected = run_trace(rows, "cube:2", flits=3).delivered.tolist()
    assert run_trace(np.array(rows), "cube:2", flits=3).delivered.tolist() == expected
    lengths = np.c_[rows, [3, 3, 3]]
    assert run_trace(lengths, "cube:2", flits=9).delivered.tolist() == expected
    for wrong in (np.array([1, 3, 0]), np.array([rows]), np.zeros((0, 3), int), {(1, 3, 0)}):
        with pytest.raises(CommunicationError, match="must be rows of"):
            run_trace(wrong, "cube:2")


@pytest.mark.parametrize("flits", [1, MAX_FLITS])
def test_lengths_are_from_one_flit_to_the_most(flits):
    """Both ends are lengths, beside another; one less and one more are refused and named."""
    sent = run_trace([(0, 1, 0, flits), (2, 3, 0)], "cube:2", flits=flits)
    assert sent.flits.tolist() == [flits, flits]
    wrong = 0 if flits == 1 else flits + 1
    for rows, short in (([(2, 3, 0), (0, 1, 0, wrong)], 7), ([(0, 1, 0, 7), (2, 3, 0)], wrong)):
        with pytest.raises(InputError, match=f"must be in 1..{MAX_FLITS}; got {wrong}$"):
            run_trace(rows, "cube:2", flits=short)


@pytest.mark.parametrize("word", ["x", "-1", "1.5", " ", "9" * 19, "٤", None])
@pytest.mark.parametrize("line", [4, 9])
def test_lines_of_a_recorded_trace_are_named(word, line, tmp_path):
    """A word that is no number, or that is not there, in one row after comments and blanks."""
    file = tmp_path / "trace.csv"
    rows = [[k + 1, k, 3 * k, k ^ 1] for k in range(6)]
    lines = ["# recorded", "", "flits, Source ,cycle,dest", *(", ".join(map(str, r)) for r in rows)]
    file.write_text("\n".join(lines))
    assert read_recorded(file) == [(k, k ^ 1, 3 * k, k + 1) for k in range(6)]
    lines[line - 1] = "1,2,3" if word is None else f"1,{word},3,4" if line > 5 else f"{word},2,3,4"
    file.write_text("\n".join(lines))
    with pytest.raises(FileError, match="must have whole numbers for source") as refused:
        read_recorded(file)
    assert refused.value.line == line


def test_a_table_beyond_the_limit_is_said_to_be_one(monkeypatch, tmp_path):
    file = tmp_path / "trace.csv"
    file.write_text("source,destination,cycle\n0,1,0\n")
    size = file.stat().st_size
    monkeypatch.setattr(timed, "_LARGEST", size)
    assert read_recorded(file) == [(0, 1, 0)]
    monkeypatch.setattr(timed, "_LARGEST", size - 1)
    with pytest.raises(FileError, match=f"must have at most {size - 1} bytes"):
        read_recorded(file)
    with pytest.raises(FileError, match="cannot be read: No such file"):
        read_recorded(tmp_path / "none")
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(FileError, match="cannot be read: not a text file"):
        read_recorded(file)


def starts(program: list[list[tuple[int, int]]], found: TimedMessages, compute: int) -> list[int]:
    """When each message may start, rank by rank through the phases."""
    begin: dict[int, int] = {}
    expected: list[int] = []
    m = 0
    for phase in program:
        own = found.delivered[m : m + len(phase)].tolist()
        m += len(phase)
        begin = {rank: begin.get(rank, 0) + compute for rank in range(16)}
        expected += [begin[source] for source, _ in phase]
        for rank in {rank for pair in phase for rank in pair}:
            ends = [end for end, pair in zip(own, phase, strict=True) if rank in pair]
            begin[rank] = max(begin[rank], *ends)
    return expected


@pytest.mark.parametrize("seed", range(10))
def test_a_rank_goes_on_when_its_messages_have_arrived(seed):
    """Random phases, some of which leave ranks out: every start follows from the deliveries."""
    draw = np.random.default_rng(seed)
    program = []
    for _ in range(6):
        pairs = draw.integers(0, 16, (int(draw.integers(2, 20)), 2)).tolist()
        program.append(sorted({(x, y) for x, y in pairs if x != y} or {(0, 1)}))
    compute = int(draw.integers(0, 30))
    sent = run_program(program, "cube:4", flits=6, compute=compute)
    assert (sent.delivered < NEVER).all()
    assert sent.ready.tolist() == starts(program, sent, compute)


@pytest.mark.parametrize("barrier", [False, True])
def test_the_oldest_of_a_phase_is_that_of_the_lower_rank(barrier):
    """Two headers meet at node 3 in one cycle, whatever the order in which they are stated."""
    for pairs in ([(1, 7), (2, 7)], [(2, 7), (1, 7)]):
        found = run_program([[(4, 5)], pairs], "cube:3", flits=3, tie="oldest", barrier=barrier)
        ended = dict(zip(found.source.tolist(), found.delivered.tolist(), strict=True))
        assert found.source.tolist() == [4, *(x for x, _ in pairs)]
        assert ended[1] < ended[2]


def test_a_barrier_begins_every_phase_together():
    phases = [[(0, 7)], [(1, 0), (2, 3)], [], [(4, 5)]]
    found = run_program([p or [(0, 0)] for p in phases], "cube:3", flits=5, compute=3, barrier=True)
    first, second, third, last = found.delivered.tolist()
    assert found.ready.tolist() == [3, first + 3, first + 3, max(second, third) + 6]
    assert last == found.cycles
    free = run_program([p or [(0, 0)] for p in phases], "cube:3", flits=5, compute=3)
    assert free.ready.tolist() == [3, 6, 6, 12]  # nobody but 0 waits
    assert (free.delivered <= found.delivered).all()


def test_volumes_become_lengths():
    """⌈v / volume⌉ flits and a header; nothing is sent for volume 0."""
    sent = run_program([{(0, 1): 100, (2, 3): 1, (1, 2): 0}], "cube:2", volume=16)
    assert sent.flits.tolist() == [8, 2]


def test_a_deadlock_is_said():
    ring = [(x, (x + 2) % 4) for x in range(4)]
    found = run_program([ring], "torus:4", "dimension-order-one-channel", flits=8)
    assert found.deadlock
    assert "deadlocked" in repr(found)
    assert found.as_table().records()[0]["delivered"] is None


@pytest.mark.parametrize(
    ("call", "sent", "options", "error", "message"),
    [
        (run_trace, [(0, 1)], {}, CommunicationError, "rows"),
        (run_trace, [(0, 0, 1)], {}, CommunicationError, "leaves its node"),
        (run_trace, [], {}, CommunicationError, "rows"),
        (run_trace, [(0, 1, -1)], {}, InputError, "cycle"),
        (run_trace, [(0, 9, 0)], {}, NodeError, "9"),
        (run_program, [[(0, 0)]], {}, CommunicationError, "to another node"),
        (run_program, [[(0, 1)]], {"flits": 0}, InputError, "flits"),
        (run_program, [[(0, 1)]], {"volume": 0}, InputError, "volume"),
        (run_program, [[(0, 1)]], {"compute": -1}, InputError, "compute"),
        (run_program, [[(0, 9)]], {}, InputError, "9|10"),
        (trace, [(1, 1)], {}, CommunicationError, "leaves its node"),
        (trace, [(2, 2, 0), (3, 3, 2)], {}, CommunicationError, "must contain one that leaves"),
        (trace, [(1, 2, 3, 4)], {}, CommunicationError, "rows"),
        (trace, [("a", 2)], {}, CommunicationError, "integers"),
        (trace, [(1, 8)], {}, NodeError, "8"),
        (trace, [(1, 2, -1)], {}, InputError, "cycle"),
        (trace, [(1, 2)], {"flits": 0}, InputError, "flits"),
        (trace, [(1, 2)], {"flits": 5000}, InputError, "4096 cycles"),
        (trace, [(0, 1)], {"seed": 2**64}, InputError, "seed: must"),
        (trace, [(0, 1)], {"seed": -(2**63) - 1}, InputError, "seed: must"),
        (trace, [(0, 1)], {"seed": 1.5}, InputError, "seed: must"),
    ],
)
def test_bad_input(call, sent, options, error, message):
    with pytest.raises(error, match=message):
        call(sent, "cube:2", **options)


def test_a_recorded_trace_with_times_and_bytes_is_replayed_in_cycles(tmp_path):
    """Cycle ⌊(t - t_0) / step⌋, exactly; 1 + ⌈bytes / flit⌉ flits; heads as tracers write them."""
    file = tmp_path / "trace.csv"
    file.write_text("time,src,Dst,tag,bytes\n0.3,1,0,7,64\n0.1,3,2,7,1\n0.7,2,0,7,65\n")
    assert read_recorded(file, "0.2", 32) == [(1, 0, 1, 3), (3, 2, 0, 2), (2, 0, 3, 4)]
    assert read_recorded(file, Fraction(1, 10)) == [(1, 0, 2), (3, 2, 0), (2, 0, 6)]
    for wrong in (0, "x", float("nan"), None.__class__, [1]):
        with pytest.raises(InputError, match="cycle_time: must be a number above 0"):
            read_recorded(file, wrong)
    with pytest.raises(InputError, match="flit_bytes"):
        read_recorded(file, 1, 0)
    file.write_text("time,src,dst\n-1,1,0\n")
    with pytest.raises(FileError, match="a decimal number for time"):
        read_recorded(file, 1)
    file.write_text("source,destination\n0,1\n")
    for lacking, columns in (
        ({}, "cycle, and perhaps flits"), ({"cycle_time": 1}, "time, and perhaps flits"),
        ({"flit_bytes": 8}, "cycle, bytes"), ({"cycle_time": 1, "flit_bytes": 8}, "time, bytes"),
    ):  # fmt: skip
        with pytest.raises(FileError, match=f"the columns source, destination, {columns}; got"):
            read_recorded(file, **lacking)


def test_the_percentage_of_messages_that_a_latency_covers():
    """Latencies 3, 5, 7 and 9: a quarter takes at most 3, more than a quarter 5."""
    rows = [(0, 1, 100 * flits, flits) for flits in (1, 3, 5, 7)]
    found = run_trace(rows, "cube:2")
    assert sorted(found.latencies.tolist()) == [3, 5, 7, 9]
    shares = {1: 3, 25: 3, 25.1: 5, 50: 5, 75: 7, 75.1: 9, 99.9: 9}
    assert {share: found.percentile(share) for share in shares} == shares
    for wrong in (0, 100, -1, "50", None):
        with pytest.raises(InputError, match="percent: must be above 0 and below 100"):
            found.percentile(wrong)
    with pytest.raises(InputError, match="percent: needs a message that arrives"):
        replace(found, delivered=np.full(4, NEVER)).percentile(50)


def test_recorded_messages_count_ranks_and_write_times_as_stated(tmp_path):
    """0.4 dropped --first-rank and --decimal: 1 -> 4 went from node 1, and 0,5 was refused."""
    file = tmp_path / "sent.csv"
    file.write_text("source;destination;time\n1;4;0,5\n2;4;1,5\n")
    with reading_with(first_rank=1, decimal=","):
        assert read_recorded(file, "0.5") == [(0, 3, 0), (1, 3, 2)]
    file.write_text("source,destination,cycle\n1,4,0\n0,4,1\n")
    with reading_with(first_rank=1), pytest.raises(FileError, match="csv:3: ranks count from 1"):
        read_recorded(file)
    assert read_recorded(file) == [(1, 4, 0), (0, 4, 1)]


# -- one message after another, flit by flit ----------------------------------------------------


PICTURES = [
    (Hypercube(2), [(0, 1)], ("in 0", "0->1", "out 1"),
     ["012--", "-012-", "--012"]),  # the chart in `timing`
    (Mesh((2, 2), bandwidth=(2, 1)), [(0, 3)], ("in 0", "0->1", "1->3", "out 3"),
     ["0122----", "-01122--", "--0-1-2-", "---0-1-2"]),  # axis 1: a flit every second cycle
]  # fmt: skip


@pytest.mark.parametrize(("network", "messages", "names", "picture"), PICTURES)
def test_a_worm_alone_is_the_picture_of_the_convention(network, messages, names, picture):
    """The flit in each channel at the end of each cycle, F = 3."""
    found = trace(messages, network, flits=3)
    flits = [[-1 if flit == "-" else int(flit) for flit in row] for row in picture]
    assert (found.names, found.flit.T.tolist()) == (names, flits)
    assert found.worms[0].blocked == ()


def test_a_blocked_worm_waits_until_the_channel_has_been_empty():
    """The tail of the first leaves 1->3 in cycle 5, so that the second is granted it in cycle 6."""
    first, second = trace([(1, 3), (0, 3)], Hypercube(2), flits=3).worms
    assert first.delivered == 1 + 2 + 3 - 1
    assert second.path[2] == first.path[1]
    assert (second.entered, second.blocked) == ((1, 2, 6, 7), (3, 4, 5))


def test_a_communication_and_its_mapping():
    c, cube = build("bit-reverse", 4), Hypercube(4)
    plain, mapped = (trace(c, cube, flits=3, mapping=order) for order in (None, (0, 3, 1, 2)))
    assert len(plain.worms) == len(mapped.worms) == 12
    assert any(worm.blocked for worm in plain.worms)
    assert not any(worm.blocked for worm in mapped.worms)
    assert plain.cycles == max(worm.delivered for worm in plain.worms)


def test_a_deadlock_is_traced_to_its_end():
    ring = [(0, 2), (1, 3), (2, 0), (3, 1)]
    found = trace(ring, Torus((4,)), "dimension-order-one-channel", flits=4)
    assert found.stuck == (0, 1, 2, 3)
    assert found.cycles < 12
    assert (found.holder[-1] == found.holder[-2]).all()
    assert all(worm.delivered is None for worm in found.worms)
    assert NEVER not in found.holder


@pytest.mark.parametrize(
    ("messages", "tie", "first"),
    [
        ([(1, 3), (2, 3)], "oldest", 1),
        ([(1, 3, 1), (2, 3, 0)], "oldest", 2),
        ([(1, 3), (2, 3)], "lowest-input", 2),  # by dimension 0
    ],
)
def test_who_goes_first_does_not_depend_on_the_order_of_the_list(messages, tie, first):
    """Timing: "the message generated first, then the one from the lower node"."""
    for turned in (messages, messages[::-1]):
        worms = trace(turned, Hypercube(2), flits=3, tie=tie).worms
        assert min(worms, key=lambda worm: worm.delivered).source == first


def test_messages_to_their_own_node_are_left_out_whenever_they_are_generated():
    """Source, destination and cycle may be the same number."""
    found = trace([(3, 5, 3), (2, 2, 0), (0, 0, 1), (1, 0, 1), (4, 4, 4)], "cube:3", flits=1)
    assert [(w.source, w.destination, w.ready) for w in found.worms] == [(3, 5, 3), (1, 0, 1)]


def test_what_a_seed_gives_does_not_depend_on_seeds_before():
    """Engines take its 64 bits as a signed word: those of 2^63 on were refused after others."""
    words = [seed_word(seed) for seed in (0, 2**63 - 1, 2**63, 2**64 - 1, -1)]
    assert words == [0, 2**63 - 1, -(2**63), -1, -1]
    pairs = [(x, y) for x in range(4) for y in (0, 3) if x != y]
    ways = {"network": "cube:2", "flits": 3, "tie": "random"}
    first, _, again = (trace(pairs, seed=seed, **ways) for seed in (2**63, 5, 2**63))
    assert first.flit.tolist() == again.flit.tolist()


@pytest.mark.parametrize("nodes", [4, 5])
def test_a_matrix_of_volumes_is_one_phase(nodes):
    """Of four rows and more it is no list of rows (source, destination, cycle), which has three."""
    matrix = np.zeros((nodes, nodes), int)
    matrix[0, 1] = matrix[1, 0] = 3
    worms = trace(matrix, "mesh:5").worms
    assert [(w.source, w.destination, w.ready) for w in worms] == [(0, 1, 0), (1, 0, 0)]
    rows = np.array([[0, 1, 4], [1, 0, 2], [0, 0, 9]])
    assert [worm.ready for worm in trace(rows, "mesh:5").worms] == [4, 2]


def test_a_program_is_followed_phase_by_phase():
    """0.4 raised a CommunicationError for every program, also for one of a single phase."""
    there, back = Phase([(0, 3)], name="there"), Phase([(3, 0), (1, 2)])
    program = Program([there, back])
    assert program.names == ("there", "phase 1")
    for name, phase in zip(program.names, program, strict=True):
        followed = trace(program, "cube:2", name=name)
        alone = trace(phase.traffic.messages.tolist(), "cube:2")
        assert followed.worms == alone.worms == trace(phase, "cube:2").worms
    assert trace(Program([there]), "cube:2").worms == trace([(0, 3)], "cube:2").worms
    for sent, name, message in (
        (program, None, "name: is required.* holds 2: there, phase 1"),
        (program, "back", 'name: must be "there" or "phase 1"; got \'back\''),
        (Program([there, there]), "there", "name: must be the name of one, and 2 have it"),
        ([(0, 3)], "there", "name: chooses a phase of a program"),
    ):
        with pytest.raises(InputError, match=message):
            trace(sent, "cube:2", name=name)
