"""What Open MPI chooses by itself: switch points by hand, plans replayed, times by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from lccmodel import collectives
from lccmodel.collectives.algorithms import Site
from lccmodel.collectives.defaults import defaults_of
from lccmodel.errors import InputError
from lccmodel.pipelining.message_cost import Linear

F = Fraction
COST = Linear(5, "1/1000")

DECISIONS = [
    # collective, p, {size of the vector of a rank: number}; read off coll_tuned_decision_fixed.c
    ("allreduce", 3, {0: 4, 8: 3, 4096: 4, 8192: 3, 262143: 5, 262144: 6}),
    ("allreduce", 64, {262143: 3, 262144: 6}),
    ("allreduce", 128, {131071: 2, 131072: 3, 262144: 6}),
    ("allreduce", 5000, {2047: 2, 2048: 5, 16384: 3, 32768: 6}),
    ("broadcast", 100, {0: 7, 1 << 30: 7}),
    ("broadcast", 1500, {524287: 7, 524288: 8}),
    ("reduce", 10, {8191: 4, 8192: 5}),
    ("reduce-scatter", 64, {255: 1, 256: 2, 512: 4, 2048: 2, 4096: 4}),
    ("allgather", 2, {0: 6, 1 << 20: 6}),
    ("allgather", 40, {40 * 1023: 3, 40 * 1024: 5, 40 * 65536: 4}),
    (
        "alltoall",
        100,
        {100 * 1023: 3, 100 * 1024: 1, 100 * 2048: 4, 100 * 4096: 1, 100 * 262144: 2},
    ),
    ("scatter", 64, {64 * 511: 2, 64 * 512: 3}),
    ("gather", 400, {400 * 2047: 2, 400 * 2048: 1, 400 * 8192: 2}),
    ("barrier", 100, {0: 4}),
    ("barrier", 300, {0: 6}),
]


@pytest.mark.parametrize(("collective", "ranks", "expected"), DECISIONS)
def test_switch_points_of_the_fixed_decision(
    collective: str, ranks: int, expected: dict[int, int]
) -> None:
    chosen = defaults_of(collective, ranks)  # type: ignore[arg-type]
    for size, number in expected.items():
        assert [d for d in chosen if d.first <= size][-1].number == number


@pytest.mark.parametrize("collective", collectives.COLLECTIVES)
def test_plans_of_defaults_do_what_they_shall(collective: str) -> None:
    for ranks in (2, 3, 6, 8, 33):
        for default in defaults_of(collective, ranks):  # type: ignore[arg-type]
            if default.algorithm is not None:
                plan = default.algorithm.on(Site(ranks, (ranks,)))
                assert plan.replay().ok, default


def test_an_allreduce_of_six_ranks_folds_halves_by_hand() -> None:
    """Ranks 0..3 swap halves in pairs, 1 and 3 send theirs home: m/2 and m/2, and m at the end."""
    rule = defaults_of("allreduce", 6)[-1].algorithm
    assert rule is not None
    plan = rule.on(Site(6, (6,)))
    assert plan.steps == 2 + 4 + 1
    share = [
        sum(F(send.size * len(send.source), plan.blocks) for send in stage.sends)
        for stage in plan.stages
    ]
    assert (share[0], share[1], share[-1]) == (2, 1, 2)


def test_times_beside_the_best_by_hand() -> None:
    """16 ranks, 1 MiB: Rabenseifner's by rank, 8 steps; hyperx:16 has a link for every pair."""
    row = collectives.default_costs("allreduce", COST, 2**20, 2**20, "hyperx:16")[0]
    assert row.times is not None
    assert row.times[0] == 8 * 5 + 2 * F(15, 16) * 2**20 / 1000
    assert row.best[0].time <= row.times[0]
    rows = collectives.default_costs("broadcast", COST, 1, 2**20, "torus:5x5")
    assert [(int(r.sizes[0]), r.default.number) for r in rows] == [(1, 7), (4096, 6), (2**20, 8)]
    assert rows[-1].times is None  # on 25 ranks its messages are none of ours


def test_refusals_of_defaults() -> None:
    with pytest.raises(InputError, match="ranks: must be at least 2"):
        defaults_of("allreduce", 1)
    with pytest.raises(InputError, match="must not exceed"):
        collectives.default_costs("reduce", COST, 9, 1, "torus:4")
