"""Times between numbers of segments and between sizes: bounds, slopes and turns.

Each is compared with the times of all numbers of segments up to 40, or of many sizes.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest

from lccmodel import collectives
from lccmodel.collectives import times
from lccmodel.pipelining.message_cost import Linear, Piecewise
from tests.choosing import sampled

COSTS = {
    "dear": Linear(1000, 1),
    "cheap": Linear(1, "3/7"),
    "pieces": Piecewise([(64, 5, 1), (1024, 40, "1/2"), (None, 300, "1/3")]),
    "free": Linear(0, 1),
    "tiny": Linear("1/100000", "1/9000"),
    "falls": Piecewise([(30, 50, 1), (100, 20, "1/2"), (None, 100, "1/9")]),
    "steep": Piecewise([(7, 0, 0), (20, Fraction(-7), 1), (None, Fraction(-27), 2)]),
    "nothing": Linear(3, 0),
    "even": Linear(3, 2),
    "one": Piecewise([(5, 0, 1), (None, 0, 1)]),
    "step": Piecewise([(9, 0, 1), (None, 1, 1)]),
}
TIES = (
    "broadcast chain mesh:7 one | even 12 1 0", "broadcast binomial mesh:8 one | one 16 0 0",
    "broadcast split-binary torus:9 all | step 8 1 0", "broadcast chain mesh:7 all | even 12 1 0",
    "broadcast binomial mesh:4 one | pieces 900 0 0", "reduce binomial mesh:5 all | pieces 70 0 1",
)  # fmt: skip
"""Numbers of segments that are as fast as others, or bounds that are met."""
BOUNDS_OF_TIMES = [
    f"{kind} {name} {network} {ports} | {cost} {m} {hop} {add}"
    for k, (kind, name, network) in enumerate(
        (
            ("broadcast", "chain", "mesh:5"), ("broadcast", "binomial", "mesh:2"),
            ("broadcast", "binary", "torus:7"), ("reduce", "chain", "torus:4*2"),
            ("allreduce", "chain-tree", "mesh:4"), ("allreduce", "ring", "torus:3"),
            ("allreduce", "double-tree", "mesh:6"), ("broadcast", "split-binary", "torus:6"),
            ("broadcast", "scatter-ring", "mesh:4,bandwidth=2/3"),
            ("allgather", "bruck", "mesh:5"),
            ("broadcast", "chain", "mesh:2"), ("alltoall", "linear", "torus:4"),
            ("allreduce", "hierarchical", "torus:3*2"), ("broadcast", "chain", "fattree:2x3/2"),
            ("broadcast", "circulant", "mesh:5"), ("reduce", "circulant", "fattree:2x3/2"),
        )
    )
    for cost, m, hop, add in (
        ("pieces", 900, 0, 0), ("cheap", "77/3", 2, "1/7"), ("falls", 400, 0, 1),
        ("free", 5, 0, 0), ("steep", 60, 1, 0), ("nothing", 40, 0, 2),
    )
    for ports in [("one", "all")[(k + len(cost)) % 2]]
]  # fmt: skip


@pytest.mark.parametrize("case", sampled((*BOUNDS_OF_TIMES, *TIES), 6))
def test_bounds_over_segments_and_sizes_hold_for_each_of_them(case: str) -> None:
    """No time is below its bound; between two turns the time is a straight line of the size."""
    kind, name, network, ports, _, cost, m, hop, add = case.split()
    made = collectives.collective_of(kind, name, network, ports=ports)
    loads, size = made.loads(), Fraction(m)
    prices = times.prices_of(COSTS[cost], hop, add)
    best = made.best_segments(prices, size)
    if not loads.segmentable:
        assert best.segments == 1
        return
    at = {Q: times.time_of(loads, prices, size, Q) for Q in range(1, 41)}
    assert best.time == min([best.time, *at.values()])
    timer = times.Timer(loads, prices, size)
    paced = loads.plan.paced is not None  # then `least_of_more` alone is a bound
    spans = ((1, 3), (1, 9), (2, 5), (3, 17), (5, 41), (1, 41), (16, 40))
    for low, high in () if paced else spans:
        bound, Q = times._least(timer, low, high)
        assert low < Q < high
        assert bound <= min(at[q] for q in range(low + 1, high))
    for few in (1, 4, 12):
        assert times.least_of_more(loads, prices, size, few) <= min(
            at[q] for q in range(few + 1, 41)
        )
    rises = not any(c.alpha + u * c.tau < b.alpha + u * b.tau
                    for b, c in pairwise(prices.cost.pieces) for u in [b.up_to])  # fmt: skip
    for most in (1, 40, 3000) if rises else ():
        slope = times.least_slope(loads, prices, Fraction(most))
        for Q in (1, 2, 7, 40):
            ends = [times.time_of(loads, prices, Fraction(x), Q) for x in (0, most // 3, most)]
            assert all(
                z - y >= slope * (b - a)
                for (a, b), (y, z) in zip(
                    pairwise((0, most // 3, most)), pairwise(ends), strict=True
                )
            )
    for Q, low, high in ((1, 1, 300), (3, 10, 500), (30, 0, 900)):
        turns = sorted({*times.turns_of(loads, prices, Q, Fraction(low), Fraction(high))})
        assert all(low < turn < high for turn in turns)
        for a, b in pairwise([Fraction(low), *turns, Fraction(high)]):
            ends = [times.time_of(loads, prices, x, Q) for x in (a, Fraction(int(a + b) // 2), b)]
            whole = Fraction(int(a + b) // 2)
            if a < whole < b:
                assert (ends[1] - ends[0]) * (b - whole) == (ends[2] - ends[1]) * (whole - a)
