"""Lower bounds of volume times distance where places fall into groups of groups, as on fat trees.

If "no further than v" divides the places into groups for every distance v, the distance of two
places is a sum over these divisions: each that separates them adds its step. So the total of a
placement is the sum over the divisions of step times cut, the cut being the volume between ranks
in different groups. With W[i, j] what ranks i and j exchange, and groups of at most s places, two
bounds of the cut, for every placement:

    spectrum  the parts of at most s ranks are left by the smallest eigenvalues of the Laplacian
              [Donath and Hoffman 1973]; `placement.spectrum`
    program   d[i, j] = 1 if i and j are in different groups, else 0, satisfies

                  sum over j of d[i, j]  >=  n - s                    for every rank i,
                  d[i, k] + d[k, j]      >=  d[i, j]                  for three ranks,
                  0 <= d[i, j] <= 1,

              so the least sum of W d under these inequalities is a bound: a linear program, whose
              d is a spreading metric [Even, Naor, Rao and Schieber 2000]

The program is solved with those triangles that its solution has violated so far. Its solver works
in floating point, but any multipliers y of ranks and z of triangles, none negative, prove a bound:
with c[i, j] = y[i] + y[j] + what the triangles add at i, j,

    sum of W d  >=  (n - s) sum of y  -  sum over pairs of max(0, c[i, j] - W[i, j]).

The multipliers are rounded to whole numbers, and the right side is computed from these.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from importlib.util import find_spec
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from lccmodel.ground.arrays import Floats, Ints
from lccmodel.placement.search.assignment_bounds import matrices
from lccmodel.placement.search.problem import Demand
from lccmodel.placement.search.routes import Routes
from lccmodel.placement.search.spectrum import sums_at_least

MOST_RANKS = 64
"""Most ranks of a linear program: one to three seconds where all pairs exchange something."""

_MOST_ROUNDS = 8
_LEAST_GAIN = 1.005
"""Triangles are added until the bound grows by less than this factor."""

_ADDED = 3000
"""Most triangles that one round adds, those that are violated most."""

_PARTS = 1 << 20
"""The largest volume has about this many of the units in which multipliers are whole numbers."""


class CutProof(NamedTuple):
    """Multipliers that bound the volume between groups of at most so many ranks.

    Attributes:
        ranks: (n,), y of every rank, at least 0.
        triangles: (m, 3), three ranks i, j, k of d[i, k] + d[k, j] >= d[i, j].
        weights: (m,), z of every triangle, at least 0.
        unit: all multipliers are these numbers over this one.
    """

    ranks: Ints
    triangles: Ints
    weights: Ints
    unit: int


class Division(NamedTuple):
    """Groups of the places that are no further apart than `distance`.

    Attributes:
        distance: the v of the module.
        step: what places in different groups are further apart for, at least.
        size: most places of a group.
    """

    distance: int
    step: int
    size: int


def nested_divisions(apart: Ints) -> list[Division]:
    """Return the division of every distance but the largest; none where one has no groups.

    Args:
        apart: int64, (places, places), symmetric with a zero diagonal.

    >>> two_switches = np.array([[0, 0, 2, 2], [0, 0, 2, 2], [2, 2, 0, 0], [2, 2, 0, 0]])
    >>> nested_divisions(two_switches)
    [Division(distance=0, step=2, size=2)]
    >>> nested_divisions(np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]]))
    []
    """
    values = np.unique(apart)
    levels = []
    for value, following in zip(values[:-1].tolist(), values[1:].tolist(), strict=True):
        near = apart <= value
        first = near.argmax(axis=1)
        if (near != (first[:, None] == first)).any():
            return []
        levels.append(Division(value, following - value, int(near.sum(axis=1).max())))
    return levels


class Cut(NamedTuple):
    """What ranks in different groups of a division exchange at least.

    Attributes:
        division: its distance and step, and the most places of a group.
        volume: the bound, in units of the demand.
        reason: the argument.
        proof: the multipliers, if the argument is the linear program.
    """

    division: Division
    volume: int
    reason: str
    proof: CutProof | None


def nested_cuts(demand: Demand, routes: Routes, *, programs: bool = True) -> list[Cut]:
    """Return a bound of the cut for every division; none where places do not fall into groups.

    Args:
        demand, routes: the problem.
        programs: by the linear program, too.

    >>> from lccmodel.communication.program import Program
    >>> from lccmodel.network import parse_network
    >>> from lccmodel.placement.search.problem import demand_of
    >>> routes = Routes.of(parse_network("fattree:2x2"))
    >>> ring = Program([[(0, 1), (1, 2), (2, 3), (3, 0)]])
    >>> [cut] = nested_cuts(demand_of(ring, "distance", None, routes), routes)
    >>> cut.division, cut.volume, cut.reason
    (Division(distance=0, step=2, size=2), 2, 'a linear program of cuts')
    """
    known = matrices(demand, routes)
    if known is None:
        return []
    levels = [division for division in nested_divisions(known[1]) if division.size < demand.ranks]
    if not levels:
        return []
    flow = known[0][: demand.ranks, : demand.ranks]
    divisor = max(1, int(np.gcd.reduce(flow, axis=None)))
    sums = sums_at_least(demand)
    programs = programs and demand.ranks <= MOST_RANKS
    solver = programs and find_spec("scipy") is not None
    cuts = []
    for division in levels:
        least, reason = _least_left(sums, demand.ranks, division.size), "eigenvalues of cuts"
        proof = cut_proof(flow, division.size) if solver else None
        if proof is not None and (by_program := cut_bound(flow, division.size, proof)) >= least:
            least, reason = by_program, "a linear program of cuts"
        elif programs and not solver:
            reason += "; the linear program needs scipy: pip install 'lccmodel[sparse]'"
        cuts.append(Cut(division, ceil(least / divisor) * divisor, reason, proof))
    return cuts


def _least_left(sums: list[Fraction], ranks: int, size: int) -> Fraction:
    """What leaves parts of at most `size` ranks, by sums of the least eigenvalues."""
    if not sums:
        return Fraction(0)
    whole, rest = divmod(ranks, size)  # fewest parts: the least that they can be left by
    return ((size - rest) * sums[whole] + (rest * sums[whole + 1] if rest else 0)) / 2


def cut_bound(flow: Ints, size: int, proof: CutProof) -> Fraction:
    """Return what groups of at most `size` ranks exchange at least, by the multipliers of a proof.

    Args:
        flow: int64, (ranks, ranks), symmetric with a zero diagonal.
        size: at most this many ranks in a group.
        proof: any numbers that are not negative are a proof.
    """
    above = np.add.outer(proof.ranks, proof.ranks) - flow * proof.unit
    i, j, k = proof.triangles.T
    for ends, sign in (((i, j), -1), ((i, k), 1), ((k, j), 1)):
        np.add.at(above, ends, sign * proof.weights)
        np.add.at(above, ends[::-1], sign * proof.weights)
    spread = (len(flow) - size) * int(proof.ranks.sum())
    excess = int(np.maximum(np.triu(above, 1), 0).sum())
    return Fraction(max(0, spread - excess), proof.unit)


def cut_proof(flow: Ints, size: int) -> CutProof:
    """Return the multipliers of the linear program's solution; see the module. Needs scipy.

    Args:
        flow, size: as for `cut_bound`.

    >>> ring = np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]])
    >>> cut_bound(ring, 2, cut_proof(ring, 2))
    Fraction(2, 1)
    """
    n, program, before = len(flow), _Program(flow), 0.0
    for _ in range(_MOST_ROUNDS):
        program.solve(n - size)
        violated = program.violated()
        if not len(violated) or program.value < before * _LEAST_GAIN:
            break
        before = program.value
        program.triangles = np.concatenate([program.triangles, violated])
    unit = max(1, _PARTS // int(flow.max(initial=1)))
    spread, weights = (np.rint(x * unit).astype(np.int64) for x in program.multipliers)
    held = np.flatnonzero(weights)  # those added last have no multiplier yet
    return CutProof(spread, program.triangles[held], weights[held], unit)


class _Program:
    """The linear program with some triangles, and its solution."""

    def __init__(self, flow: Ints) -> None:
        n = len(flow)
        self.low, self.high = np.triu_indices(n, 1)
        self.volume = flow[self.low, self.high].astype(float)
        self.column = np.zeros((n, n), np.int64)
        self.column[self.low, self.high] = self.column[self.high, self.low] = np.arange(
            len(self.low)
        )
        self.triangles = np.zeros((0, 3), np.int64)
        self.metric: Floats = np.zeros((n, n))
        self.value = 0.0
        self.multipliers: tuple[Floats, Floats] = (np.zeros(n), np.zeros(0))

    def solve(self, spread: int) -> None:
        """The least sum of volumes times d, d and the multipliers."""
        from scipy.optimize import linprog
        from scipy.sparse import coo_matrix

        n, pairs, m = len(self.metric), len(self.low), len(self.triangles)
        i, j, k = self.triangles.T
        rows = np.concatenate([self.low, self.high, *[n + np.arange(m)] * 3])
        columns = np.concatenate(
            [np.arange(pairs)] * 2 + [self.column[i, j], self.column[i, k], self.column[k, j]]
        )
        entries = np.concatenate([np.full(2 * pairs, -1.0), np.ones(m), np.full(2 * m, -1.0)])
        scale = self.volume.max(initial=1.0)
        inequalities: Any = coo_matrix((entries, (rows, columns)), shape=(n + m, pairs)).tocsr()
        solution: Any = linprog(
            self.volume / scale,
            A_ub=inequalities,
            b_ub=np.concatenate([np.full(n, -float(spread)), np.zeros(m)]),
            bounds=(0, 1), method="highs-ipm",  # four times as fast here as the simplex method
        )  # fmt: skip
        if solution.success:
            weights = np.maximum(0.0, -np.asarray(solution.ineqlin.marginals)) * scale
            self.value, self.multipliers = float(solution.fun) * scale, (weights[:n], weights[n:])
            self.metric[self.low, self.high] = self.metric[self.high, self.low] = solution.x

    def violated(self) -> Ints:
        """The triangles that d violates most, (count, 3)."""
        d = self.metric
        triangles = np.concatenate(list(self._violated()))
        i, j, k = triangles.T
        excess = d[i, j] - d[i, k] - d[k, j]
        return triangles[np.argsort(-excess, kind="stable")[:_ADDED]]

    def _violated(self) -> Iterator[Ints]:
        for k in range(len(self.metric)):
            excess = self.metric - (self.metric[:, k, None] + self.metric[k])
            ends = np.argwhere(np.triu(excess, 1) > 1e-4)
            yield np.column_stack([ends, np.full(len(ends), k)])
