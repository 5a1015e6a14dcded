"""Generated SPMD programs run on fake communicators and, where there is one, on real MPI."""

import queue
import sys
import threading
import types
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from lccmodel import LCC, catalog
from lccmodel.communication.program import Phase, Program
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import InputError, SizeLimitError
from lccmodel.gf2 import GF2Matrix, enumeration
from lccmodel.mpi import launch
from lccmodel.placement.mapping.spmd import spmd_program, spmd_traffic_program
from lccmodel.placement.placement_result import node_program
from tests.choosing import sampled

TIMEOUT = 20


class World:
    """What the processes share: a queue for every pair, a barrier, and a log of all messages."""

    def __init__(self, size):
        self.size = size
        self.queues = {(p, q): queue.Queue() for p in range(size) for q in range(size)}
        self.barrier = threading.Barrier(size, timeout=TIMEOUT)
        self.shared = [None] * size
        self.log = []

    def deliver(self, source, destination, item):
        self.log.append((source, destination, item))
        self.queues[source, destination].put(item)


class Garbling(World):
    """Every item says on the way that it comes from another source."""

    def deliver(self, source, destination, item):
        super().deliver(source, destination, ("r", item[1] ^ 1, item[2]))


class Communicator:
    """The part of an mpi4py communicator that the program uses."""

    def __init__(self, world, rank):
        self.world, self.rank = world, rank

    def Get_rank(self):
        return self.rank

    def Get_size(self):
        return self.world.size

    def isend(self, item, dest, tag):
        self.world.deliver(self.rank, dest, item)
        return types.SimpleNamespace(wait=lambda: None)

    def recv(self, source, tag):
        return self.world.queues[source, self.rank].get(timeout=TIMEOUT)

    def barrier(self):
        self.world.barrier.wait()

    def allreduce(self, value):
        self.world.shared[self.rank] = value
        self.world.barrier.wait()
        total = sum(self.world.shared)
        self.world.barrier.wait()
        return total


def namespace_of(program):
    namespace = {"__name__": "program"}
    exec(compile(program, "program.py", "exec"), namespace)
    return namespace


def on_all_ranks(size, work):
    """Run work(rank) in a thread for every rank; the results in the order of ranks."""
    with ThreadPoolExecutor(size) as pool:
        return list(pool.map(work, range(size), timeout=TIMEOUT))


def run(program, size):
    """(items received, items wrong) of every rank, and the world with its log."""
    namespace, world = namespace_of(program), World(size)
    return on_all_ranks(size, lambda rank: namespace["run"](Communicator(world, rank))), world


GATHER = [[1, 1, 0, 0], [0, 0, 1, 1], [1, 1, 1, 1], [0, 0, 0, 0]]
COMMUNICATIONS = [
    LCC([[1]]), LCC.scatter([[0]], [1]), LCC(GF2Matrix.from_order([2, 3, 0, 1]), 0b1010),
    LCC(GATHER, [0, 0, 0, 1]), LCC([[1, 1, 0], [0, 1, 1], [1, 1, 1]], [1, 0, 1]),
    LCC.scatter(GATHER, [0, 0, 0, 1]), LCC.scatter(GF2Matrix.zeros(4), [1, 0, 0, 1]),
]  # fmt: skip


@pytest.mark.parametrize("communication", sampled(COMMUNICATIONS, 2), ids=repr)
@pytest.mark.parametrize("mapping", ["none", "reordering", "linear", "any"])
@pytest.mark.parametrize("listed", [0, 1024])
def test_every_message_travels_between_the_mapped_processors(communication, mapping, listed):
    """The messages are {(to_physical[x], to_physical[y])}, each item arrives where it should.

    By a linear mapping they are those of (QAQ⁻¹, Qb) [hou, Theorem 2].
    """
    n, rng = communication.n, np.random.default_rng(communication.n)
    reordering = GF2Matrix.from_order(list(rng.permutation(n)))
    Q = enumeration.random_nonsingular(n, rng)
    to_physical = {
        "none": None,
        "reordering": LCC(reordering).images(),
        "linear": LCC(Q).images(),
        "any": rng.permutation(1 << n),
    }[mapping]
    program = spmd_program(communication, to_physical=to_physical, listed=listed)
    results, world = run(program, communication.size)
    place = range(communication.size) if to_physical is None else to_physical.tolist()
    expected = [(place[x], place[y], ("r", x, y)) for x, y in communication.pairs().tolist()]
    assert sorted(world.log) == sorted(expected)
    assert sum(received for received, _ in results) == communication.size
    assert sum(wrong for _, wrong in results) == 0
    assert all(q.empty() for q in world.queues.values())
    if mapping == "linear":
        renamed = communication.reordered(Q).pairs().tolist()
        assert sorted(message[:2] for message in world.log) == sorted(map(tuple, renamed))


def test_large_linear_mappings_are_computed_not_listed():
    c = LCC(GF2Matrix.from_order(range(11)[::-1]))
    linear = LCC(enumeration.random_nonsingular(11, np.random.default_rng(1))).images()
    shifted = (np.arange(2048) + 1) % 2048
    for to_physical, listed, computed in ((linear, 1024, True), (linear, 2048, False),
                                          (shifted, 1024, False)):  # fmt: skip
        program = spmd_program(c, to_physical=to_physical, listed=listed)
        assert ("Q_columns" in program, len(program) < 5000) == (computed, computed)
        names = namespace_of(program)
        assert names["to_physical"] == to_physical.tolist()
        assert [names["to_virtual"][p] for p in to_physical] == list(range(2048))
        assert max(map(len, program.splitlines())) <= 100


def test_either_array_is_enough():
    c = LCC(GF2Matrix.identity(2))
    program = spmd_program(c, to_physical=[1, 2, 3, 0])
    assert program == spmd_program(c, to_virtual=[3, 0, 1, 2])
    assert program == spmd_program(c, [3, 0, 1, 2], [1, 2, 3, 0])
    assert "to_virtual = [3, 0, 1, 2]\nto_physical = [1, 2, 3, 0]" in program


def test_exit_codes(monkeypatch, capsys):
    """0 when every item arrives, 1 when one is wrong, 2 for another number of processes."""
    program = spmd_program(LCC(GF2Matrix.from_order([1, 0])), to_physical=[0, 3, 2, 1])
    local = threading.local()

    class Standin:
        @property
        def COMM_WORLD(self):
            return local.communicator

    monkeypatch.setitem(sys.modules, "mpi4py", types.SimpleNamespace(MPI=Standin()))
    namespace = namespace_of(program)
    for world, code, words in (
        (World(4), 0, "permutation: 4 items received on 4 processors, 0 wrong"),
        (Garbling(4), 1, "4 wrong"), (World(3), 2, "needs 4 processes, has 3"),
    ):  # fmt: skip

        def main(rank, world=world):
            local.communicator = Communicator(world, rank)
            return namespace["main"]()

        assert on_all_ranks(world.size, main) == [code] * world.size
        assert words in "".join(capsys.readouterr())


def test_the_text_states_equations_and_name_and_needs_no_mpi_until_main_runs():
    """Importing the file must not import mpi4py, nor this toolkit."""
    program = spmd_program(LCC.scatter([[0, 1], [0, 0]], [1, 0], name='a "quoted"\n\\ name {n}'))
    assert "    x0 = y1 + 1\n    x1 = 0\n" in program
    assert program.startswith('"""a \'quoted\' / name {n} (scatter) on 4 processors.')
    assert namespace_of(program)["kind"] == "scatter"
    before, main = program.split("def main():")
    assert "import mpi4py" not in before
    assert "from mpi4py import MPI" in main
    assert "lccmodel" not in program


# -- real MPI -----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("make", [LCC, LCC.scatter])
def test_on_real_mpi(tmp_path, make):
    if launch.unavailable():
        pytest.skip(launch.unavailable())
    c, path = make([[0, 1], [0, 0]], [1, 0]), tmp_path / "program.py"
    path.write_text(spmd_program(c, to_physical=[0, 3, 1, 2]))
    written = launch.start(4, [str(path)], timeout=120)
    assert f"{c.kind}: 4 items received on 4 processors, 0 wrong" in written
    with pytest.raises(launch.MPIError, match="needs 4 processes, has 1"):
        launch.start(1, [str(path)], timeout=120)


def test_any_traffic_arrives_where_its_ranks_run():
    """Several messages of a pair, one to oneself, idle nodes: all as the placement says."""
    node_of = [5, 0, 3, 2]
    messages = [(0, 1), (0, 1), (2, 2), (3, 0), (1, 3)]
    first = Phase(Traffic(messages, [1, 2, 3, 0.5, 7], 4), 1, "first")
    program = Program([first, Phase(Traffic([(1, 0)], ranks=4), 3, 'a "name"')])
    names = namespace_of(spmd_traffic_program(program, node_of))
    assert names["size"] == 6
    world = World(6)
    for phase, (name, sent) in enumerate(names["phases"]):
        assert name in ("first", 'a "name"')
        results = on_all_ranks(
            6, lambda p, k=phase, m=sent: names["run_phase"](Communicator(world, p), k, m)
        )
        assert sum(received for received, _ in results) == len(sent)
        assert not any(wrong for _, wrong in results)
    routes = [(source, goal) for source, goal, _ in world.log]
    expected = [(node_of[s], node_of[d]) for s, d in [*messages, (1, 0)]]
    assert sorted(routes) == sorted(expected)


@pytest.mark.parametrize(("call", "error", "words"), [
    *((lambda stated=stated: spmd_program(LCC(GF2Matrix.identity(2)), **stated), InputError, "to_")
      for stated in (
        {"to_physical": [0, 1, 2]}, {"to_physical": [0, 1, 2, 2]}, {"to_virtual": [0, 1, 2, 4]},
        {"to_physical": [0.0, 1.0, 2.0, 3.0]}, {"to_physical": [[0, 1], [2, 3]]},
        {"to_virtual": [1, 2, 3, 0], "to_physical": [1, 2, 3, 0]},
    )),
    (lambda: spmd_program(LCC(GF2Matrix.identity(21))), SizeLimitError, "20"),
    (lambda: spmd_traffic_program([(0, 1)], [0]), InputError, "one node for each"),
    (lambda: spmd_traffic_program([(0, 1)], [1, 1]), InputError, "different"),
    (lambda: spmd_traffic_program(np.zeros(((1 << 17) + 1, 2), int)), SizeLimitError, "messages"),
])  # fmt: skip
def test_refusals(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_a_form_is_written_as_arithmetic_where_ranks_fill_the_cube():
    """Renamed, too; on other nodes, or of several communications, every message is listed."""
    lcc, renamed = catalog.bit_reverse(3), [0, 2, 1, 3, 4, 6, 5, 7]
    program = Program.of(lcc)
    assert node_program(program, renamed) == spmd_program(lcc, to_physical=renamed)
    wider = [0, 2, 1, 3, 4, 6, 5, 9]
    assert node_program(program, wider) == spmd_traffic_program(program, wider)
    assert node_program(program, wider) != node_program(program, renamed)
