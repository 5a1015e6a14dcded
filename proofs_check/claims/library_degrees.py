"""Bridges: best degrees on grids of machines, how far they hold, and bounds of the exchange."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from lccmodel import pipelining
from lccmodel.network import Mesh
from proofs_check.cases import on_meshes
from proofs_check.claim import Control, Finding, Sizes, claim
from proofs_check.claims.calmant_performance import steps_of
from proofs_check.domain import Enumerated

_COSTS = ((0, 1, 0), (3, 1, 0), (40, 1, 4), (7, 0, 2), (5, 2, 3))
"""α, τ and b."""
_MOST_N = 40


def _shares(d: int, c: int, N: int, Q: int) -> tuple[Fraction, Fraction, Fraction]:
    """What α, τ and b are multiplied by in T(Q)."""
    steps = Fraction(steps_of(d, Q, c, "bound"))
    return steps, steps * N / Q, Fraction(d + Q - 1)


def _time(d: int, c: int, N: int, Q: int, costs: tuple[Any, Any, Any]) -> Fraction:
    return sum((s * cost for s, cost in zip(_shares(d, c, N, Q), costs, strict=True)), Fraction(0))


def _best(d: int, c: int, N: int, costs: tuple[Any, Any, Any]) -> int:
    """The smallest Q of least time."""
    return min(range(1, N + 1), key=lambda Q: _time(d, c, N, Q, costs))


def _machine(d: int, c: int, costs: tuple[Any, Any, Any]) -> pipelining.Machine:
    return pipelining.Machine(Mesh((1 << d // c,) * c), *costs)


_OVER = on_meshes(
    "all d = n on one, two and three axes, five machines, three numbers of items",
    costs=_COSTS,
    N=(1, 7, 24),
)


@claim(
    "library.degree_ranges",
    place="lccmodel.pipelining.sensitivity, degree_interval",
    says="sensitivity gives all α, τ and b for which the best degree stays a best one, and all N "
    "for which it is the smallest; degree_interval gives the least and the largest best degree and "
    "gain of the costs compared, but for as many at both ends as its share leaves out",
    over=_OVER,
    evidence="steps counted; every Q in 1..N compared in fractions, every N up to 40 tried",
    control=Control("the range of τ a tenth longer", longer=Fraction(1, 10)),
    sizes=Sizes(limit=6),
)
def library_degree_ranges(
    d: int, c: int, costs: tuple[int, int, int], N: int, *, longer: Fraction = Fraction(0)
) -> Finding:
    """T(Q) is linear in α, τ and b, so each Q that is better somewhere cuts a piece off."""
    machine, Q = _machine(d, c, costs), _best(d, c, N, costs)
    found = pipelining.sensitivity(machine, N, "lower-bound")
    given = [found.alpha, found.tau, found.barrier]
    stated = [_range(d, c, N, Q, costs, place) for place in range(3)]
    stated[1] = (stated[1][0], stated[1][1] * (1 + longer))
    low, high = found.N
    same = [count for count in range(1, _MOST_N + 1) if _best(d, c, count, costs) == Q]
    listed = [count for count in range(1, _MOST_N + 1) if low <= count <= high]
    if (found.Q, given, listed) != (Q, stated, same):
        return Finding(False, answer=[found.Q, given, listed], counted=[Q, stated, same])
    return _interval(machine, d, c, N)


def _range(
    d: int, c: int, N: int, Q: int, costs: tuple[int, int, int], place: int
) -> tuple[Fraction, Fraction | float]:
    """Where the line of Q is nowhere above another, as one cost changes."""
    low: Fraction = Fraction(0)
    high: Fraction | float = math.inf
    alpha, tau, b = (0 if k == place else cost for k, cost in enumerate(costs))
    rest = alpha, tau, b
    here = _time(d, c, N, Q, rest), _shares(d, c, N, Q)[place]
    for other in range(1, N + 1):
        line = _time(d, c, N, other, rest), _shares(d, c, N, other)[place]
        if line[1] != here[1]:
            crossing = (line[0] - here[0]) / (here[1] - line[1])
            if line[1] > here[1]:
                low = max(low, crossing)
            else:
                high = min(high, crossing)
    return low, high


def _interval(machine: pipelining.Machine, d: int, c: int, N: int) -> Finding:
    others = [costs for costs in _COSTS if not costs[2]] + [(9, 1, 0), (100, 1, 0), (1, 3, 0)]
    b = machine.barrier
    every = [(machine.alpha, machine.tau, b), *((alpha, tau, b) for alpha, tau, _ in others)]
    degrees = [_best(d, c, N, costs) for costs in every]
    gains = [
        _time(d, c, N, 1, costs) / _time(d, c, N, Q, costs)
        for costs, Q in zip(every, degrees, strict=True)
    ]
    linear = [pipelining.Linear(alpha, tau) for alpha, tau, _ in every[1:]]
    for share, out in ((1.0, 0), (0.6, 1)):  # of six costs
        found = pipelining.degree_interval(machine, N, linear, share=share, model="lower-bound")
        stated = [(ordered[out], ordered[-1 - out]) for ordered in (sorted(degrees), sorted(gains))]
        if [found.Q, found.gain] != stated or found.costs != len(every):
            return Finding(False, share=share, answer=[found.Q, found.gain], counted=stated)
    return Finding(True)


@claim(
    "library.degree_grid",
    place="lccmodel.pipelining.optimal_degrees, times, time",
    says="optimal_degrees names the smallest best Q at every point of a grid, times and time are "
    "T(Q) there",
    over=_OVER,
    evidence="steps counted; every Q in 1..N compared in fractions",
    control=Control("a barrier more in every iteration of a machine with barriers", more=1),
    sizes=Sizes(most=6, limit=9),
)
def library_degree_grid(
    d: int, c: int, costs: tuple[int, int, int], N: int, *, more: int = 0
) -> Finding:
    """[calmant, section 5], for many machines at once."""
    machine, alphas, items = _machine(d, c, costs), [1, 6, 50], [N, N + 5]
    b = costs[2] + (more if costs[2] else 0)
    points = [[(a, costs[1], b) for a in alphas] for _ in items]
    found = pipelining.optimal_degrees(
        machine, [[count] for count in items], alpha=alphas, model="lower-bound"
    )
    stated = [
        [_best(d, c, count, point) for point in row]
        for count, row in zip(items, points, strict=True)
    ]
    if found.tolist() != stated:
        return Finding(False, answer=found, counted=stated)
    for Q in {1, min(d, N), N}:
        given = pipelining.times(machine, N, Q, alpha=alphas, model="lower-bound")
        ours = [_time(d, c, N, Q, point) for point in points[0]]
        if not np.allclose(given, [float(time) for time in ours], rtol=1e-12):
            return Finding(False, Q=Q, answer=given, counted=ours)
        exact = pipelining.time(machine, N, Q, "lower-bound")
        if exact != _time(d, c, N, Q, (*costs[:2], b)):
            return Finding(False, Q=Q, answer=exact)
    return Finding(True)


# -- the exchange -------------------------------------------------------------------------------


@claim(
    "library.exchange_bounds",
    place="lccmodel.pipelining.exchange_bounds",
    says="the bounds of start-ups, ports and bisection, and the one for methods in rounds with the "
    "rounds that attain it, are those of the blocks that have to travel",
    over=Enumerated(
        lambda n: ((shape, costs, B) for shape in _shapes(n) for costs in _COSTS for B in (1, 6)),
        size=lambda n: 2 * len(_COSTS) * sum(1 for _ in _shapes(n)),
        names="shape, costs, B",
        text="all meshes of 2^n nodes with sides in ascending order, five machines, two sizes",
    ),
    evidence="blocks and links across every middle counted; the nodes that data reach in r rounds "
    "listed, a node for every set of rounds",
    control=Control("one block of a node stays", fewer=1),
    sizes=Sizes(limit=4),
)
def library_exchange_bounds(
    shape: tuple[int, ...], costs: tuple[int, int, int], B: int, *, fewer: int = 0
) -> Finding:
    """This project's bounds, for any method."""
    alpha, tau, _ = costs
    size = math.prod(shape)
    d = size.bit_length() - 1
    across = max(_across(shape, axis, B) for axis in range(len(shape)))
    rounds = {
        r: r * alpha + max(Fraction(_travelled(r, size - 1)) * B, across) * tau
        for r in range(d, size)
    }
    first = min(rounds, key=lambda r: (rounds[r], r))
    ports = alpha + (size - 1 - fewer) * B * tau
    stated = [d * alpha, ports, alpha + across * tau, rounds[first], first]
    found = pipelining.exchange_bounds(pipelining.Machine(Mesh(shape), alpha, tau), B)
    given = [found.startups, found.ports, found.bisection, found.lockstep, found.rounds]
    return Finding(given == stated, answer=given, counted=stated)


def _shapes(n: int) -> Iterator[tuple[int, ...]]:
    """Sides 2^k, k >= 1 ascending, with 2^n nodes."""
    for axes in range(1, n + 1):
        for parts in product(range(1, n + 1), repeat=axes):
            if sum(parts) == n and list(parts) == sorted(parts):
                yield tuple(1 << k for k in parts)


def _across(shape: tuple[int, ...], axis: int, B: int) -> Fraction:
    """Items over each link from the lower half of an axis to the upper one, shared evenly."""
    places = list(product(*map(range, shape)))
    half = shape[axis] // 2
    low = [p for p in places if p[axis] < half]
    links = sum(p[axis] == half - 1 for p in low)
    return Fraction(len(low) * (len(places) - len(low)) * B, links)


@cache
def _travelled(r: int, others: int) -> int:
    """The fewest messages in which data of a node reach all others, each in rounds of its own."""
    return sum(sorted(rounds.bit_count() for rounds in range(1, 1 << r))[:others])


@claim(
    "library.cube_fft",
    place="lccmodel.pipelining.cube_fft, run_pipelined",
    says="cube_fft is the Fourier transform for every degree, and no packet is computed from an "
    "item that has not come",
    over=Enumerated(
        lambda n: ((n, N, Q) for N in (1, 3, 4) for Q in range(1, N + 1)),
        size=lambda n: 8,
        names="d, N, Q",
        text="2^d processes of one, three or four numbers each, every degree",
    ),
    evidence="the sum of every output, term by term",
    control=Control("the last output without its last term", less=1),
    sizes=Sizes(limit=7),
)
def library_cube_fft(d: int, N: int, Q: int, *, less: int = 0) -> Finding:
    """[calmant, section 2.4]"""
    L = N << d
    signal = [complex((7 * k * k + 3 * k) % 11, (5 * k) % 7) for k in range(L)]
    run = pipelining.cube_fft(d).traced(signal, Q)
    roots = [cmath.exp(-2j * cmath.pi * k / L) for k in range(L)]
    stated = [sum(a * roots[f * k % L] for k, a in enumerate(signal)) for f in range(L)]
    if less:
        stated[-1] -= signal[-1] * roots[(L - 1) ** 2 % L]
    same = bool(np.allclose(run.result, stated, atol=1e-9 * L))
    return Finding(same and not run.violations, violations=len(run.violations))
