"""Plans found by a solver: what SCCL prints for the DGX-1, optima by hand, replayed."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from lccmodel import collectives
from lccmodel.collectives import front, synthesis, synthesize
from lccmodel.collectives.loads import PlanLoads
from lccmodel.errors import InputError, SizeLimitError

pytest.importorskip("ortools")

NVLINKS = """0 1 2|0 2|0 3|0 4 2|1 2|1 3 2|1 5|2 3 2|2 6 2|3 7|4 5 2|4 6|4 7|5 6|5 7 2|6 7 2"""
"""The NVLinks of a DGX-1: two chips, and how many links join them."""


@pytest.fixture
def dgx1(tmp_path: Path) -> str:
    file = tmp_path / "dgx1.txt"
    file.write_text(NVLINKS.replace("|", "\n") + "\n")
    return f"graph:{file}"


def test_the_allgathers_of_a_dgx_1_are_those_that_sccl_prints(dgx1: str) -> None:
    """Steps, rounds, chunks 2, 3, 2 and 3, 7, 6; at least 7/6; 2, 4, 3 cannot be [sccl]."""
    found = front("allgather", dgx1)
    assert [corner[:3] for corner in found.corners] == [(2, 3, 2), (3, 7, 6)]
    assert found.data_bound == Fraction(7, 6)
    assert (2, 4, 3) in found.refuted
    assert found.complete
    for corner in found.corners:
        assert corner.plan.replay().ok
        placed = collectives.PlanLoads(corner.plan, found.network, range_of(8), "all")
        assert placed.busiest <= corner.data / 8
        assert corner.plan.steps == corner.steps


def test_allreduces_and_alltoalls_of_a_dgx_1(dgx1: str) -> None:
    """14 of 48 vectors over all links are 7/3 shares; 16 blocks leave a half by 6 links: 8/3."""
    sums = front("allreduce", dgx1)
    assert [corner[:3] for corner in sums.corners] == [(4, 6, 2), (6, 14, 6)]
    assert (sums.data_bound, sums.complete) == (Fraction(7, 3), True)
    every = front("alltoall", dgx1, most_chunks=3)
    assert [corner[:3] for corner in every.corners] == [(2, 8, 3)]
    assert (every.data_bound, every.complete) == (Fraction(8, 3), True)
    assert all(corner.plan.replay().ok for corner in (*sums.corners, *every.corners))


def test_what_is_below_the_bound_is_refuted() -> None:
    """Two chunks for each other rank of a ring of four in three rounds: 32 hops, 24 places."""
    assert synthesize("alltoall", "torus:4", 2, 3, 2) is None
    assert synthesize("alltoall", "torus:4", 2, 4, 2).replay().ok
    assert synthesize("allreduce", "torus:4", 4, 4, 2) is None


def range_of(p: int):
    import numpy as np

    return np.arange(p)


def test_steps_are_stated_by_the_farthest(dgx1: str) -> None:
    assert synthesize("allgather", dgx1, 1, 9, 1) is None
    assert synthesize("allgather", dgx1, 2, 2, 1).replay().ok


@pytest.mark.parametrize(
    ("collective", "network", "corners"),
    [
        ("allgather", "torus:4", [(2, Fraction(3, 2))]),
        ("allgather", "torus:5", [(2, Fraction(2))]),
        ("allgather", "mesh:4", [(3, Fraction(3))]),
        ("allgather", "cube:2", [(2, Fraction(3, 2))]),
        ("reduce-scatter", "torus:4", [(2, Fraction(3, 2))]),
        ("broadcast", "mesh:3", [(2, Fraction(2)), (3, Fraction(3, 2)), (4, Fraction(4, 3))]),
        ("reduce", "torus:3", [(1, Fraction(1)), (2, Fraction(2, 3))]),
        ("alltoall", "torus:4", [(2, Fraction(2))]),
        ("alltoall", "torus:5", [(2, Fraction(3))]),
        ("alltoall", "mesh:3", [(2, Fraction(2))]),
        ("alltoall", "cube:3", [(3, Fraction(4))]),
        ("allreduce", "torus:4", [(4, Fraction(3))]),
        ("allreduce", "mesh:3", [(4, Fraction(4))]),
    ],
)
def test_fronts_by_hand(collective: str, network: str, corners: list[object]) -> None:
    """Rings: (p - 1) / 2 with both ports. A chain of 3 in C chunks: C + 1 steps, (C + 1) / C."""
    limit = 3 if collective in ("broadcast", "reduce") else 2
    found = front(collective, network, most_chunks=limit)
    assert [(c.steps, c.data) for c in found.corners][: len(corners)] == corners
    for corner in found.corners:
        assert corner.plan.replay().ok
        assert corner.plan.collective == collective
    for first, second in pairwise(found.corners):
        assert first.steps < second.steps
        assert first.data > second.data


def test_a_front_is_of_the_links_that_routes_take(tmp_path: Path) -> None:
    """Of two cables a message has one, and round a ring by up*/down* one link is no route."""
    pair, ring = tmp_path / "pair.txt", tmp_path / "ring.txt"
    pair.write_text("0 1\n0 1 2\n1 2 2\n")
    ring.write_text("".join(f"{k} {(k + 1) % 5}\n" for k in range(5)))
    for word in (f"graph:{pair}", f"graph:{ring},routing=updown"):
        found = collectives.front("broadcast", word, most_chunks=2)
        corner = found.corners[-1]
        assert corner.plan is not None
        loads = PlanLoads(corner.plan, found.network, np.arange(corner.plan.ranks), "all")
        assert loads.busiest == corner.data >= found.data_bound


def test_no_published_plan_is_below_the_front() -> None:
    """Of an allgather on a cube of eight, all ports."""
    found = front("allgather", "cube:3", most_chunks=3)
    assert found.corners[0].steps == 3
    least = min(corner.data for corner in found.corners)
    for each in collectives.algorithms_of("allgather"):
        try:
            made = collectives.allgather(each, "cube:3", ports="all")
        except InputError:
            continue
        assert made.steps >= 3
        assert made.busiest * 8 >= found.data_bound
        assert made.busiest * 8 >= least or not found.complete


@pytest.mark.parametrize(
    ("call", "rule"),
    [
        (lambda: synthesize("barrier", "torus:4", 2, 2), "collective: must be"),
        (lambda: synthesize("allreduce", "torus:4", 3, 4), "steps: must be even"),
        (lambda: synthesize("allgather", "fattree:2^2", 2, 2), "network: must have no routers"),
        (lambda: synthesize("allgather", "torus:4", 3, 2), "rounds: must be at least 3"),
        (lambda: synthesize("broadcast", "torus:4", 2, 2, root=4), "root: must be in 0..3"),
        (lambda: synthesize("allgather", "torus:16x16", 9, 99), "must have at most 64 nodes"),
    ],
)
def test_bad_input_is_refused(call: object, rule: str) -> None:
    with pytest.raises(InputError) as refused:
        call()
    assert rule in str(refused.value)


def test_a_front_that_is_never_decided_ends_after_eight_questions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also where one number of steps has more: 8 are named, as they are asked."""

    def late(*_: object, **__: object) -> None:
        raise TimeoutError

    monkeypatch.setattr(synthesis, "synthesize", late)
    found = front("allgather", "torus:4", most_chunks=16)
    assert (found.corners, found.refuted, len(found.undecided)) == ((), (), 8)
    asked = [(steps, Fraction(rounds, chunks)) for steps, rounds, chunks in found.undecided]
    assert asked == sorted(asked)
    assert asked[0][0] == 2


@pytest.mark.parametrize(
    ("collective", "chunks"), [("allgather", 4), ("broadcast", 1), ("alltoall", 12)]
)
def test_questions_are_limited_by_their_sends(
    collective: str, chunks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chunks times links times steps, counted on a ring of four; one fewer allowed is refused."""
    sends = 2 * chunks * 8 * 2
    monkeypatch.setattr(synthesis, "_MOST", sends)
    assert synthesize(collective, "torus:4", 2, 4, 2).replay().ok
    monkeypatch.setattr(synthesis, "_MOST", sends - 1)
    with pytest.raises(
        SizeLimitError, match=f"at most {sends - 1} sends are asked about; got {sends}"
    ):
        synthesize(collective, "torus:4", 2, 4, 2)
