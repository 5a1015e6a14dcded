"""Open MPI does what a decision file says, and by itself what `defaults_of` says: its own count.

Open MPI counts messages and bytes of every pair of ranks inside collectives. They are those of
the plan that the rule or the default names, block by block, so a rule that is read wrongly or is
for another algorithm shows.
"""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lccmodel import collectives
from lccmodel.collectives.algorithms import Site
from lccmodel.collectives.defaults import defaults_of
from lccmodel.collectives.libraries import NUMBERS, theirs
from lccmodel.collectives.plans import Plan
from lccmodel.mpi import launch
from lccmodel.pipelining import Linear
from tests.mpi.test_launch import monitored, needs_mpi

pytestmark = [pytest.mark.slow, needs_mpi]

PROGRAM = """
import sys
import numpy as np
from mpi4py import MPI
comm = MPI.COMM_WORLD
p, name = comm.size, sys.argv[1]
for size in map(int, sys.argv[2:]):
    whole, more, part = np.ones(size // 8), np.empty(size // 8), np.empty(size // 8 // p)
    {
        "allreduce": lambda: comm.Allreduce(whole, more),
        "broadcast": lambda: comm.Bcast(whole, root=0),
        "reduce": lambda: comm.Reduce(whole, more, root=0),
        "allgather": lambda: comm.Allgather(part, more),
        "reduce-scatter": lambda: comm.Reduce_scatter(whole, part, [len(part)] * p),
        "alltoall": lambda: comm.Alltoall(whole, more),
        "barrier": comm.Barrier,
    }[name]()
"""
Pairs = Counter[tuple[int, int, str]]
"""Messages and bytes of every pair of ranks."""


@pytest.fixture
def counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Pairs]:
    """As Open MPI counts them, of a collective on so many ranks, with a decision file or none."""

    def count(name: str, ranks: int, sizes: list[int], rules: str | None = None) -> Pairs:
        settings = {"coll": "^han,hcoll,ucc,xhc,sm,adapt", "coll_tuned_priority": "100"}
        if rules is not None:
            (tmp_path / "rules.txt").write_text(rules)
            settings["coll_tuned_use_dynamic_rules"] = "1"
            settings["coll_tuned_dynamic_rules_filename"] = str(tmp_path / "rules.txt")
        for key, value in settings.items():
            monkeypatch.setenv(f"OMPI_MCA_{key}", value)
        (tmp_path / "program.py").write_text(PROGRAM)
        with monitored(tmp_path, monkeypatch, "I") as pairs:
            arguments = [str(tmp_path / "program.py"), name, *map(str, sizes)]
            launch.start(ranks, arguments, timeout=120)
        return +pairs

    return count


def pairs_of(plan: Plan, size: int, segment: int = 0) -> Pairs:
    """The same from a plan for vectors of so many bytes, whose messages are cut into segments."""
    cut = plan if plan.blocks % plan.ranks == 0 else plan.refined(plan.ranks)
    part = 0 if plan.collective == "barrier" else cut.unit * size
    carried = Counter((t.step, t.source, t.destination) for t in cut.transfers())
    pairs: Pairs = Counter()
    for (_, source, target), blocks in carried.items():
        data = int(blocks * part)
        pairs[source, target, "messages"] += -(-data // segment) if segment else 1
        pairs[source, target, "bytes"] += data
    return +pairs


def planned(name: Any, algorithm: str, ranks: int, size: int, segment: int = 0) -> Pairs:
    rule = theirs("ompi", name, algorithm)
    plan = collectives.collective_of(name, rule, f"mesh:{ranks}").plan
    return pairs_of(plan, size, segment)


def test_open_mpi_changes_its_algorithm_at_our_thresholds(counted):
    """On both sides of the crossover, and outside the range its own choice (algorithm 0)."""
    machine = Linear(5, "1/1000")
    file = collectives.rules_file("ompi", "allreduce", machine, 64, 1 << 16, "torus:4")
    [small, large] = file.rules
    assert (small.algorithm, large.algorithm) == ("recursive-doubling", "rabenseifner")
    sizes = [large.first // 32 * 32 - 32, large.first // 32 * 32 + 32]
    assert small.first <= sizes[0] < large.first <= sizes[1]
    pairs = counted("allreduce", 4, sizes, file.text)
    for rules, same in (((small, large), True), ((large, small), False)):
        expected: Pairs = Counter()
        for rule, size in zip(rules, sizes, strict=True):
            expected += planned("allreduce", rule.algorithm, 4, size)
        assert (pairs == expected) == same


def test_one_file_for_several_collectives(counted):
    asked: tuple[tuple[Any, str], ...]
    asked = (("allreduce", "ring"), ("broadcast", "chain"), ("alltoall", "bruck"))
    files = [
        collectives.rules_file("ompi", name, Linear(1, 0), 64, 4096, "mesh:4", only=(algorithm,))
        for name, algorithm in asked
    ]
    for name, algorithm in asked:
        pairs = counted(name, 4, [1024], collectives.rules_text(files))
        assert pairs == planned(name, algorithm, 4, 1024)


def test_rules_are_for_their_number_of_ranks_alone(counted):
    """Three ranks with a file for four: what Open MPI does without one."""
    few = ("ring",)
    file = collectives.rules_file("ompi", "allreduce", Linear(5, 1), 64, 96, "torus:4", only=few)
    alone = counted("allreduce", 3, [96, 48])
    assert counted("allreduce", 3, [96, 48], file.text) == alone
    assert alone != planned("allreduce", "ring", 3, 96) + planned("allreduce", "ring", 3, 48)


def test_a_chain_is_cut_into_our_segments(counted):
    size, cost = 1 << 16, Linear(5, "1/100")
    file = collectives.rules_file("ompi", "broadcast", cost, size, size, "mesh:4", only=("chain",))
    [rule] = file.rules
    segment = rule.segment // 8 * 8  # of doubles
    assert rule.segment > 0
    pairs = counted("broadcast", 4, [size], file.text)
    assert pairs == planned("broadcast", "chain", 4, size, segment)


UNCOUNTED = ("alltoall", "linear")  # persistent requests, which Open MPI's monitoring leaves out
NAMES = [(name, word) for name in NUMBERS for word in NUMBERS[name] if (name, word) != UNCOUNTED]
POWERS = ("scatter-allgather", "recursive-halving", "rabenseifner")
"""For p a power of two, as is recursive doubling of an allgather."""


@pytest.mark.parametrize("ranks", [6, 8])
@pytest.mark.parametrize(("name", "algorithm"), NAMES)
def test_every_algorithm_sends_the_messages_of_our_plan(name, algorithm, ranks, counted):
    """A start-up of 0 would cut chains, so α = 1 and τ = 0: one segment."""
    powers = algorithm in POWERS or (name, algorithm) == ("allgather", "recursive-doubling")
    if powers and ranks == 6:
        pytest.skip("for p a power of two")
    size, network = 4608, f"mesh:{ranks}"  # 8-byte numbers, cut into 6 and 8
    cost, few = Linear(1, 0), (algorithm,)
    file = collectives.rules_file("ompi", name, cost, size, size, network, only=few)
    assert counted(name, ranks, [size], file.text) == planned(name, algorithm, ranks, size)


@pytest.mark.parametrize(
    ("name", "ranks", "sizes"),
    [
        ("allreduce", 6, [6 * 512, 6 * 16384]),
        ("allreduce", 3, [3 * 8 * 400, 3 * 8 * 600, 3 * 8 * 60000]),
        ("broadcast", 6, [48, 96, 9600, 6 * 8 * 40000]),
        ("reduce", 6, [48, 9600, 480000]),
        ("reduce-scatter", 4, [4 * 800, 4 * 160000]),
        ("allgather", 6, [4800]),
        ("allgather", 2, [1600]),
        ("alltoall", 3, [2400]),
        ("barrier", 6, [8]),
        ("barrier", 3, [8]),
    ],
)
def test_open_mpi_by_itself_sends_what_its_default_says(name, ranks, sizes, counted):
    """Linear alltoalls are not counted by Open MPI, nor is what a rank sends itself."""
    for size in sizes:
        default = [d for d in defaults_of(name, ranks) if d.first <= size][-1]
        assert default.algorithm is not None
        plan = default.algorithm.on(Site(ranks, (ranks,)))
        assert counted(name, ranks, [size]) == pairs_of(plan, size), size
