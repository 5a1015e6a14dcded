"""Open MPI by itself sends the messages of the plans that `defaults_of` names, pair by pair."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from lccmodel.collectives.algorithms import Site
from lccmodel.collectives.defaults import defaults_of
from tests.mpi.test_launch import needs_mpi
from tests.mpi.test_rules import Pairs, counted


def messages_of(name: str, ranks: int, size: int) -> Pairs:
    """Messages and bytes of every pair, from the plan of the default."""
    default = [d for d in defaults_of(name, ranks) if d.first <= size][-1]  # type: ignore[arg-type]
    assert default.algorithm is not None
    plan = default.algorithm.on(Site(ranks, (ranks,)))
    cut = plan if plan.blocks % ranks == 0 else plan.refined(ranks)
    unit = 0 if name == "barrier" else cut.unit * size
    carried: Counter[tuple[int, int, int]] = Counter()
    for each in cut.transfers():
        carried[each.step, each.source, each.destination] += 1
    pairs: Pairs = Counter()
    for (_, source, target), blocks in carried.items():
        pairs[source, target, "messages"] += 1
        pairs[source, target, "bytes"] += int(Fraction(blocks) * unit)
    return +pairs


@needs_mpi
@pytest.mark.slow
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
def test_open_mpi_by_itself_sends_what_its_default_says(
    name: str, ranks: int, sizes: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Linear alltoalls are not counted by Open MPI, nor is what a rank sends itself."""
    for size in sizes:
        found = counted(monkeypatch, tmp_path, ranks, name, [size], None)
        assert found == messages_of(name, ranks, size), size
