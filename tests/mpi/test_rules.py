"""Open MPI reads the decision file and does what it says: its own count of messages tells.

Open MPI counts messages and bytes of every pair of ranks inside collectives. They are those of
the plan that the rule names, block by block, so a rule that is read wrongly or is for another
algorithm shows.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from lccmodel import collectives
from lccmodel.collectives.libraries import NUMBERS, theirs
from lccmodel.mpi import launch
from lccmodel.pipelining import Linear
from tests.mpi.test_launch import needs_mpi

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


def counted(
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    ranks: int,
    name: str,
    sizes: list[int],
    rules: str | None,
) -> Pairs:
    """Messages and bytes of every pair, as Open MPI counts them inside collectives."""
    settings = {
        "pml_monitoring_enable": "2",
        "pml_monitoring_enable_output": "3",
        "pml_monitoring_filename": str(folder / "counts"),
        "coll": "^han,hcoll,ucc,xhc,sm,adapt",
        "coll_tuned_priority": "100",
    }
    if rules is not None:
        (folder / "rules.txt").write_text(rules)
        settings["coll_tuned_use_dynamic_rules"] = "1"
        settings["coll_tuned_dynamic_rules_filename"] = str(folder / "rules.txt")
    (folder / "program.py").write_text(PROGRAM)
    for key, value in settings.items():
        monkeypatch.setenv(f"OMPI_MCA_{key}", value)
    arguments = [str(folder / "program.py"), name, *map(str, sizes)]
    launch.start(ranks, arguments, timeout=120)
    files = sorted(folder.glob("counts.*.prof"))
    if not files:
        pytest.skip("this MPI does not count messages")
    found: Pairs = Counter()
    for file in files:
        for line in file.read_text().splitlines():
            kind, *rest = line.split("\t")
            if kind == "I" and len(rest) > 3:
                source, target, size, messages = rest[:4]
                pair = int(source), int(target)
                found[(*pair, "messages")] += int(messages.split()[0])
                found[(*pair, "bytes")] += int(size.split()[0])
        file.unlink()
    return +found


def planned(name: str, algorithm: str, ranks: int, size: int, segment: int = 0) -> Pairs:
    """The same from our plan of Open MPI's algorithm."""
    plan = collectives.collective_of(
        name,
        theirs("ompi", name, algorithm),
        f"mesh:{ranks}",
    ).plan
    part = 0 if name == "barrier" else Fraction(size, ranks)
    carried: Counter[tuple[int, int, int]] = Counter(
        (each.step, each.source, each.destination) for each in plan.transfers()
    )
    found: Pairs = Counter()
    for (_, source, target), blocks in carried.items():
        data = int(blocks * part)
        found[source, target, "messages"] += -(-data // segment) if segment else 1
        found[source, target, "bytes"] += data
    return +found


@pytest.mark.slow
@needs_mpi
def test_open_mpi_changes_its_algorithm_at_our_thresholds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On both sides of the crossover, and outside the range its own choice (algorithm 0)."""
    machine = Linear(5, "1/1000")
    file = collectives.rules_file("ompi", "allreduce", machine, 64, 1 << 16, "torus:4")
    [small, large] = file.rules
    assert (small.algorithm, large.algorithm) == ("recursive-doubling", "rabenseifner")
    sizes = [large.first // 32 * 32 - 32, large.first // 32 * 32 + 32]
    assert small.first <= sizes[0] < large.first <= sizes[1]
    found = counted(monkeypatch, tmp_path, 4, "allreduce", sizes, file.text)
    expected = planned("allreduce", small.algorithm, 4, sizes[0])
    assert found == expected + planned("allreduce", large.algorithm, 4, sizes[1])
    swapped = planned("allreduce", large.algorithm, 4, sizes[0])
    assert found != swapped + planned("allreduce", small.algorithm, 4, sizes[1])


@needs_mpi
@pytest.mark.slow
def test_one_file_for_several_collectives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Open MPI takes the algorithm of each from it."""
    asked = (("allreduce", "ring"), ("broadcast", "chain"), ("alltoall", "bruck"))
    files = [
        collectives.rules_file("ompi", name, Linear(1, 0), 64, 4096, "mesh:4", only=(algorithm,))
        for name, algorithm in asked
    ]
    text = collectives.rules_text(files)
    for name, algorithm in asked:
        found = counted(monkeypatch, tmp_path, 4, name, [1024], text)
        assert found == planned(name, algorithm, 4, 1024)


@needs_mpi
@pytest.mark.slow
def test_rules_are_for_their_number_of_ranks_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three ranks with a file for four: what Open MPI does without one."""
    file = collectives.rules_file(
        "ompi", "allreduce", Linear(5, 1), 64, 96, "torus:4", only=("ring",)
    )
    alone = counted(monkeypatch, tmp_path, 3, "allreduce", [96, 48], None)
    assert counted(monkeypatch, tmp_path, 3, "allreduce", [96, 48], file.text) == alone
    assert alone != planned("allreduce", "ring", 3, 96) + planned("allreduce", "ring", 3, 48)


@needs_mpi
@pytest.mark.slow
def test_a_chain_is_cut_into_our_segments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = collectives.rules_file(
        "ompi", "broadcast", Linear(5, "1/100"), 1 << 16, 1 << 16, "mesh:4", only=("chain",)
    )
    [rule] = file.rules
    segment = rule.segment // 8 * 8  # of doubles
    assert rule.segment > 0
    found = counted(monkeypatch, tmp_path, 4, "broadcast", [1 << 16], file.text)
    assert found == planned("broadcast", "chain", 4, 1 << 16, segment)


UNCOUNTED = ("alltoall", "linear")  # persistent requests, which Open MPI's monitoring leaves out
NAMES = [(name, each) for name in NUMBERS for each in NUMBERS[name] if (name, each) != UNCOUNTED]
POWERS = ("scatter-allgather", "recursive-halving", "rabenseifner")
"""For p a power of two, as is recursive doubling of an allgather."""


@needs_mpi
@pytest.mark.slow
@pytest.mark.parametrize("ranks", [6, 8])
@pytest.mark.parametrize(("name", "algorithm"), NAMES)
def test_every_algorithm_sends_the_messages_of_our_plan(
    name: str, algorithm: str, ranks: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A start-up of 0 would cut chains, so α = 1 and τ = 0: one segment."""
    powers = algorithm in POWERS or (name, algorithm) == ("allgather", "recursive-doubling")
    if powers and ranks == 6:
        pytest.skip("for p a power of two")
    size = 4608  # 8-byte numbers, cut into 6 and 8
    file = collectives.rules_file(
        "ompi",
        name,
        Linear(1, 0),
        size,
        size,
        f"mesh:{ranks}",
        only=(algorithm,),
    )
    found = counted(monkeypatch, tmp_path, ranks, name, [size], file.text)
    assert found == planned(name, algorithm, ranks, size)
