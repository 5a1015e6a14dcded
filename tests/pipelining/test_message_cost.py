"""Costs of straight pieces: the values, the exact best degree, grids, intervals, bounds.

The sums of [calmant, sections 3.3 and 4.3] with a cost of several pieces for α + τN/Q.
"""

import random
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from lccmodel.errors import InputError
from lccmodel.pipelining import (
    Linear,
    Machine,
    Piecewise,
    degree_interval,
    exchange_bounds,
    exchange_time,
    optimal_degree,
    optimal_degrees,
    sensitivity,
    step_table,
    time,
    times,
)

MESHES = ("2", "4", "4x4", "2x4", "8x8", "2x2x2", "16", "torus:4x4")


def some_cost(rng: random.Random) -> Piecewise:
    """Up to four pieces; ends that may be fractions, a start-up below 0 where that is allowed."""
    ends = sorted(rng.sample(range(1, 120), rng.randint(1, 3)))
    scale = rng.choice([1, 2, 3])
    pieces, start = [], Fraction(0)
    for end in [*ends, None]:
        tau = rng.choice([Fraction(0), Fraction(1), Fraction(2), Fraction(1, 3)])
        least = -start * tau
        pieces.append((end and Fraction(end, scale), least + rng.randint(0, 50), tau))
        start = Fraction(end or 0, scale)
    return Piecewise(pieces)


@pytest.mark.parametrize("packets", ["even", "ceil"])
def test_the_best_degree_is_the_best_of_all(packets):
    """[calmant 3.3]: T(Q) for every Q in 1..N, for random pieces, meshes and barriers."""
    rng = random.Random(1)
    for _ in range(200):
        cost, b = some_cost(rng), rng.choice([0, 1, 5])
        machine = Machine(rng.choice(MESHES), cost=cost, barrier=b)
        N = rng.randint(1, 80)
        found, table = optimal_degree(machine, N, packets=packets), step_table(machine.mesh)
        size = {"even": lambda Q, N=N: Fraction(N, Q), "ceil": lambda Q, N=N: -(-N // Q)}[packets]
        every = [
            table.total(Q) * cost.time(size(Q)) + (table.d + Q - 1) * b for Q in range(1, N + 1)
        ]
        assert found.time == min(every)
        assert found.Q == every.index(min(every)) + 1
        assert found.gain == (every[0] / min(every) if min(every) else 1)
        evidence = found.evidence
        assert evidence.holds()
        assert all(every[Q - 1] == T for Q, T in evidence.times.items())
        assert time(machine, N, N, packets=packets) == every[-1]
        assert str(found.Q) in str(evidence)


def test_evidence_fails_with_another_degree():
    """A degree that is not the best is not proved, nor one with a candidate left out."""
    machine = Machine("8x8", cost=Piecewise([(100, 10, 1), (None, 50, "1/2")]))
    best = optimal_degree(machine, 4096)
    evidence = best.evidence
    assert evidence.holds()
    assert not evidence._replace(result=best._replace(Q=best.Q + 1)).holds()
    for left_out in evidence.times:
        rest = {Q: T for Q, T in evidence.times.items() if Q != left_out}
        assert not evidence._replace(times=rest).holds()


def test_one_piece_is_the_cost_of_the_paper():
    """[calmant (1)]: LogGP without a gap between messages is α + L τ, with the same solver."""
    machine = Machine("8x16", cost=Piecewise.loggp(L=496, o=2, g=0, G="1/2"), barrier=3)
    assert machine == Machine("8x16", "499.5", "1/2", 3)
    assert machine.in_ticks == (999, 1, 6, 2)


def test_a_grid_of_a_measured_cost_is_exact():
    """Every point as `optimal_degree` gives it, and T as `time`, also where packets end a piece."""
    rng = random.Random(7)
    for _ in range(40):
        machine = Machine(rng.choice(MESHES), cost=some_cost(rng), barrier=rng.choice([0, 2]))
        N = np.array([1, 2, 3, *(rng.randint(1, 10**6) for _ in range(20)), 1024, 2**40])
        found = optimal_degrees(machine, N)
        assert found.tolist() == [optimal_degree(machine, int(n)).Q for n in N]
        drawn = times(machine, N, found)
        assert drawn == pytest.approx(
            [float(time(machine, int(n), int(q))) for n, q in zip(N, found, strict=True)]
        )
    many = times(machine, np.array([[64], [4096]]), np.arange(1, 65))
    assert many.shape == (2, 64)
    assert many[1, 8] == pytest.approx(float(time(machine, 4096, 9)))


def test_a_grid_with_ends_beyond_the_kernel_is_exact():
    """Ends whose products pass 64 bits are decided in whole numbers."""
    cost = Piecewise([(Fraction(10**15 + 1, 10**13), 1, 1), (None, 20, "1/3")])
    machine, N = Machine("8x8", cost=cost), np.array([10, 10**6, 2**62])
    assert optimal_degrees(machine, N).tolist() == [optimal_degree(machine, int(n)).Q for n in N]


# -- intervals ------------------------------------------------------------------------------


def test_two_costs_bound_the_degree_and_the_gain_of_a_box():
    """Every α, τ inside lies within, with and without a barrier; the ends are attained."""
    for mesh, b, N in product(("4x4", "8x16", "torus:8x8"), (0, 40), (64, 4096)):
        machine = Machine(mesh, 100, 1, b)
        ends = [Linear(60, "1.5"), Linear(150, "0.8")]
        found = degree_interval(machine, N, ends)
        inside = [
            optimal_degree(Machine(mesh, float(a), float(t), b), N)
            for a in np.linspace(60, 150, 12)
            for t in np.linspace(0.8, 1.5, 12)
        ]
        assert found.Q == (min(r.Q for r in inside), max(r.Q for r in inside))
        assert found.gain == (min(r.gain for r in inside), max(r.gain for r in inside))


def test_the_steps_are_such_that_the_gain_falls_with_the_ratio():
    """P(1) (d + Q - 1) <= d P(Q), on which the interval of the gain rests."""
    for mesh in (*MESHES, "32x32", "8x8x8", "4x8x16", "torus:16x16", "64"):
        for model in ("load", "lower-bound", "schedule"):
            table = step_table(mesh, model)
            for Q in range(1, 4 * table.d):
                assert table.total(1) * (table.d + Q - 1) <= table.d * table.total(Q)


def test_repeated_fits_are_trimmed_at_both_ends():
    machine = Machine("16x16", cost=Piecewise([(512, 100, 1), (None, 900, 1)]))
    others = [Piecewise([(512, a, 1), (None, 900, 1)]) for a in range(20, 400, 4)]
    every, most = (degree_interval(machine, 4096, others, share=share) for share in (1.0, 0.9))
    degrees = sorted(
        optimal_degree(Machine("16x16", cost=c), 4096).Q for c in [machine.cost, *others]
    )
    assert every.Q == (degrees[0], degrees[-1])
    assert most.Q == (degrees[4], degrees[-5])
    assert (most.costs, str(every)) == (96, f"{degrees[0]} to {degrees[-1]}")


# -- costs that a method cannot beat ------------------------------------------------------------


@pytest.mark.parametrize("costs", [12, pytest.param(60, marks=pytest.mark.slow)])
def test_no_message_is_below_a_support(costs):
    """Nor is a larger α + L τ always possible: each support meets the hull of the cost."""
    rng = random.Random(3)
    sizes = [Fraction(k, 6) for k in range(1, 900)] + [Fraction(10**9)]
    for _ in range(costs):
        cost = some_cost(rng)
        for line in cost.supports:
            assert min(line.alpha, line.tau) >= 0
            assert all(line.time(size) <= cost.time(size) for size in sizes)
            above = Linear(line.alpha + Fraction(1, 10), line.tau)
            ends = [piece.up_to for piece in cost.pieces if piece.up_to is not None]
            near = [*sizes, *ends, *(end + Fraction(1, 10**9) for end in ends), Fraction(1, 10**9)]
            assert any(above.time(size) > cost.time(size) for size in near)
    for pieces, lines in (  # by hand; a line through the origin for edges that begin below it
        ([(4, 8, 0), (None, 4, 1)], {(4, 1), (8, 0)}),
        ([(10, 1, 0), (None, 5, 1)], {(1, 0), (0, Fraction(1, 10))}),
    ):
        assert {(line.alpha, line.tau) for line in Piecewise(pieces).supports} == lines


def test_bounds_hold_for_measured_costs():
    """[calmant 5]: no method is faster than the bounds, for costs of pieces either."""
    rng = random.Random(5)
    for _ in range(20):
        machine = Machine(rng.choice(["4x4", "8x8", "2x4"]), cost=some_cost(rng))
        bounds = exchange_bounds(machine, 4)
        for method in ("baseline", "direct", "calmant-schedule", "binary"):
            taken = exchange_time(method, machine, 4)
            assert taken >= max(bounds.universal, bounds.lockstep)


def test_loggp_and_tables_are_pieces():
    """LogGP by its definition, for every size; a table at its sizes and halfway between."""
    L, o, g, G = 5, 2, 12, Fraction(1, 3)
    cost = Piecewise.loggp(L, o, g, G)
    for items in range(1, 60):
        assert cost.time(items) == max(o + (items - 1) * G + L + o, g)
    table = Piecewise.table([2, 4, 8], [1, 9, 9])
    assert [table.time(n) for n in (1, 2, 3, 4, 6, 8, 100)] == [Fraction(1, 2), 1, 5, 9, 9, 9, 9]
    for start in (0, Fraction(1, 2), 3):  # the first line from (0, start), unless that is below 0
        table = Piecewise.table([8, 16], [start + 8, start + 16])
        assert [table.time(x) - start for x in (0, 1, 8, 16, 99)] == [0, 1, 8, 16, 99]
    below = Piecewise.table([8, 16], [4, 12])
    assert [below.time(items) for items in (0, 4, 8, 12)] == [0, 2, 4, 8]
    flat = Piecewise.loggp(L, o, g, 0)  # no gap per item: the gap between messages decides
    assert [flat.time(items) for items in (1, 60)] == [g, g]


PIECES = Machine("4x4", cost=Piecewise([(8, 1, 1), (None, 5, 1)]))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Machine("4x4", 1, 1, cost=Linear(1, 1)), "combined with alpha and tau"),
        (lambda: Machine("4x4"), "alpha: is required"),
        (lambda: Machine("4x4", alpha=1), "tau: is required"),
        (lambda: Machine("4x4", cost=3), "Linear or a Piecewise"),
        (lambda: Machine("4x4", cost=Piecewise([(None, 0, 0)])), "cannot both be 0"),
        (lambda: PIECES.alpha, "must be α"),
        (lambda: PIECES.tau, "must be α"),
        (lambda: sensitivity(PIECES, 8), "must be α"),
        (lambda: optimal_degrees(PIECES, [1, 2], alpha=3), "must be omitted"),
        (lambda: degree_interval(PIECES, 8, [], share=2), "share"),
        (lambda: Piecewise([]), "pieces"),
        (lambda: Piecewise([(8, 1, 1)]), "last up_to"),
        (lambda: Piecewise([(None, 1, 1), (None, 1, 1)]), "last up_to"),
        (lambda: Piecewise([(8, 1, 1), (8, 1, 1), (None, 1, 1)]), "rise"),
        (lambda: Piecewise([(0, 1, 1), (None, 1, 1)]), "rise"),
        (lambda: Piecewise([(8, 1, 1), (None, Fraction(-9), 1)]), "less than nothing"),
        (lambda: Piecewise.table([4], [1]), "sizes: must name at least two sizes; got 1"),
        (lambda: Piecewise.table([4, 4], [1, 2]), "sizes: must rise, and times must not fall"),
        (lambda: Piecewise.table([4, 8], [2, 1]), r"got \('8', '1'\)"),
        (lambda: Linear(1, 1).scaled(0), "items: must be more than 0; got 0"),
    ],
)
def test_bad_input_is_refused(call, words):
    with pytest.raises(InputError, match=words):
        call()
