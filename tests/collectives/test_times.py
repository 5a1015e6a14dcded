"""Times of plans: prices, the best number of segments, bounds, slopes and turns.

Each is compared with the times of all numbers of segments up to 200, or of many sizes.
"""

from fractions import Fraction
from functools import partial
from itertools import pairwise, product
from types import SimpleNamespace

import numpy as np
import pytest

from lccmodel import collectives
from lccmodel.collectives import times
from lccmodel.collectives.loads import PlanLoads
from lccmodel.collectives.times import Prices, best_segments, least_of_more, prices_of, time_of
from lccmodel.errors import InputError
from lccmodel.network import as_network
from lccmodel.pipelining.message_cost import Linear, Piecewise
from tests.choosing import sampled

F = Fraction
COSTS = {
    "dear": Linear(1000, 1),
    "cheap": Linear(1, "3/7"),
    "pieces": Piecewise([(64, 5, 1), (1024, 40, "1/2"), (None, 300, "1/3")]),
    "free": Linear(0, 1),
    "tiny": Linear("1/100000", "1/9000"),
    "falls": Piecewise([(30, 50, 1), (100, 20, "1/2"), (None, 100, "1/9")]),
    "steep": Piecewise([(7, 0, 0), (20, F(-7), 1), (None, F(-27), 2)]),
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
            ("broadcast", "chain", "mesh:16"), ("allreduce", "recursive-doubling", "cube:4"),
            ("allreduce", "swing", "torus:4x4"), ("allreduce", "double-tree", "torus:4x4"),
        )
    )
    for cost, m, hop, add in (
        ("pieces", 900, 0, 0), ("cheap", "77/3", 2, "1/7"), ("falls", 400, 0, 1),
        ("free", 5, 0, 0), ("steep", 60, 1, 0), ("nothing", 40, 0, 2), ("dear", 3000, 0, 7),
    )
    for ports in [("one", "all")[(k + len(cost)) % 2]]
]  # fmt: skip


def _as_written(loads: PlanLoads, prices: Prices, m: F, Q: int) -> F:
    total, part = F(0), loads.grain * m / Q
    for step, many in loads.costs(Q).items():
        first = prices.cost.time(step.carried * part) + (step.start_ups - 1) * prices.cost.time(0)
        more = step.hops * prices.hop + step.reduced * part * prices.add
        total += many * (first + more) if step.start_ups else 0
    return total


def check_best_segments(loads: PlanLoads, prices: Prices, m: F) -> list[F]:
    """The fewest segments of the least time of all up to 200, whose times are those as written."""
    best = best_segments(loads, prices, m)
    at = [time_of(loads, prices, m, Q) for Q in range(1, 201)]
    for Q in (1, 2, 3, 7, 50):
        assert at[Q - 1] == _as_written(loads, prices, m, Q)
    assert best.time == time_of(loads, prices, m, best.segments)
    if best.segments <= 200:
        assert (best.time, best.segments) == (min(at), at.index(min(at)) + 1)
    else:
        assert best.time < min(at)
    return at


@pytest.mark.parametrize("case", sampled((*BOUNDS_OF_TIMES, *TIES), 9))
def test_bounds_over_segments_and_sizes_hold_for_each_of_them(case):
    """No time is below its bound; between two turns the time is a straight line of the size."""
    kind, name, network, ports, _, cost, m, hop, add = case.split()
    made = collectives.collective_of(kind, name, network, ports=ports)
    loads, size = made.loads(), F(m)
    prices = prices_of(COSTS[cost], hop, add)
    if not loads.segmentable:
        assert made.best_segments(prices, size).segments == 1
        return
    at = dict(enumerate(check_best_segments(loads, prices, size), 1))
    timer = times.Timer(loads, prices, size)
    paced = loads.plan.paced is not None  # then `least_of_more` alone is a bound
    spans = ((1, 3), (1, 9), (2, 5), (3, 17), (5, 41), (1, 41), (16, 40))
    for low, high in () if paced else spans:
        bound, Q = times._least(timer, low, high)
        assert low < Q < high
        assert bound <= min(at[q] for q in range(low + 1, high))
    for few in (1, 4, 12):
        assert least_of_more(loads, prices, size, few) <= min(at[q] for q in range(few + 1, 41))
    rises = not any(c.alpha + u * c.tau < b.alpha + u * b.tau
                    for b, c in pairwise(prices.cost.pieces) for u in [b.up_to])  # fmt: skip
    for most in (1, 40, 3000) if rises else ():
        slope = times.least_slope(loads, prices, F(most))
        for Q in (1, 2, 7, 40):
            ends = [time_of(loads, prices, F(x), Q) for x in (0, most // 3, most)]
            assert all(
                z - y >= slope * (b - a)
                for (a, b), (y, z) in zip(
                    pairwise((0, most // 3, most)), pairwise(ends), strict=True
                )
            )
    for Q, low, high in ((1, 1, 300), (3, 10, 500), (30, 0, 900)):
        turns = sorted({*times.turns_of(loads, prices, Q, F(low), F(high))})
        assert all(low < turn < high for turn in turns)
        for a, b in pairwise([F(low), *turns, F(high)]):
            ends = [time_of(loads, prices, x, Q) for x in (a, F(int(a + b) // 2), b)]
            whole = F(int(a + b) // 2)
            if a < whole < b:
                assert (ends[1] - ends[0]) * (b - whole) == (ends[2] - ends[1]) * (whole - a)


@pytest.mark.parametrize("ports", ["one", "all"])
@pytest.mark.parametrize("cost", sampled(COSTS.values(), 4), ids=str)
def test_best_segments_of_one_step_and_of_steps_without_a_message(cost, ports):
    """Two messages of half the length may cost less than one; a step that waits costs nothing."""
    for kind, name in (("broadcast", "chain"), ("allgather", "ring"), ("reduce", "binomial")):
        loads = collectives.collective_of(kind, name, "mesh:2", ports=ports).loads()
        assert loads.plan.steps == 1
        for m, hop in ((F(60), 1), (F(1), 0), (F(0), 2), (F(5000, 3), 0)):
            check_best_segments(loads, prices_of(cost, hop), m)
    for chain in (
        [[], [(0, 1, [0])], [(1, 2, [0])], [], [(2, 3, [0])]],
        [[(0, 1, [0])], [], [(0, 2, [0]), (1, 3, [0])]],
        [[], []],
    ):
        plan = collectives.Plan.of_steps("broadcast", 4, chain, 1)
        loads = PlanLoads(plan, as_network("mesh:4"), np.arange(4), ports)
        for m in (F(0), F(70), F(3000)):
            check_best_segments(loads, prices_of(cost, 1), m)


def test_hops_and_sums_have_their_prices():
    made = collectives.allreduce("recursive-doubling", "mesh:8")
    bare = made.time(Linear(7, 3), 100)
    assert made.time(Linear(7, 3), 100, hop=2) == bare + 2 * (1 + 2 + 4)
    assert made.time(Linear(7, 3), 100, add="1/4") == bare + 3 * 25


def test_no_number_of_segments_up_to_the_last_is_below_the_bound(monkeypatch):
    """Where every further segment pays the last one counts, too."""
    monkeypatch.setattr(times, "MOST_SEGMENTS", 8)
    loads = collectives.broadcast("chain", "mesh:4").loads()
    for cost, m in product((Linear(0, 1), Piecewise([(3, 0, 0), (None, F(-6), 2)])), (24, 60)):
        prices = prices_of(cost)
        at = [time_of(loads, prices, F(m), Q) for Q in range(1, 9)]
        best = best_segments(loads, prices, F(m))
        assert (best.time, best.segments) == (min(at), at.index(min(at)) + 1)
        for few in range(1, 8):
            assert least_of_more(loads, prices, F(m), few) <= min(at[few:])
    for Q in (0, 9):
        with pytest.raises(InputError, match=r"must be in 1\.\.8"):
            time_of(loads, prices, F(1), Q)


def test_a_cost_inside_nodes_is_stated_once_and_weighed_by_the_one_between():
    """That of the machine, or one's own instead; a line beside a line, 0 where there is 0."""
    machine = SimpleNamespace(cost=Linear(10, 4), inside=Linear(1, 1))
    for inside, weights in ((None, (F(1, 10), F(1, 4))), (Linear(5, 8), (F(1, 2), F(2)))):
        assert prices_of(machine, inside=inside).weights == weights
    assert prices_of(Linear(10, 4)).weights == (1, 1)
    assert prices_of(Linear(10, 0), inside=Linear(5, 0)).weights == (F(1, 2), 1)
    assert prices_of(Linear(0, 4), inside=Linear(0, 1)).weights == (1, F(1, 4))
    pieces = Piecewise([(9, 1, 1), (None, 2, 1)])
    assert prices_of(pieces).weights == (1, 1)
    assert Prices(pieces, inside=Linear(1, 1)).weights == (1, 1)
    whole = prices_of(machine, 1, 2)
    assert prices_of(whole, 7, 7) is whole
    two = [
        (Linear(10, 0), Linear(1, 1)), (Linear(0, 4), Linear(1, 1)), (pieces, Linear(1, 1)),
        (Linear(10, 4), pieces), (pieces, pieces), (Linear(10, 4), 3),
    ]  # fmt: skip
    for call, argument in (
        *((partial(prices_of, cost, inside=inside), "inside") for cost, inside in two),
        *((partial(prices_of, wrong), "machine") for wrong in (3, None, "mesh:4")),
        *((partial(prices_of, Linear(1, 1), **{name: -1}), name) for name in ("hop", "add")),
    ):
        with pytest.raises(InputError) as refused:
            call()
        assert refused.value.argument == argument
