"""What a placement is judged by: weighted loads of phases on channels, as exact integers.

Phase p has the weight w_p. With L_pc the volume that phase p sends over channel c, and
T_pi = max of L_pc over the channels c of dimension (axis, level) i [hou, Definition 6]:

    max-max   max over p and i of w_p T_pi            phases one at a time, the worst counts
    max-sum   max over i of the sum over p            bounds "joint" from above
    sum-sum   sum over p and i                        dimensions one after another
    joint     max over c of the sum over p of w_p L_pc    all phases at once, counted exactly
    distance  sum over p of w_p volume x channels         hop-bytes
    mixture:S    S x channels of the network x joint + (1 - S) x distance, 0 < S < 1

All volumes, times their weights, are integers over one common unit; "joint" has one row of loads.
Links with a bandwidth are busy for load / bandwidth: volumes count `Routes.cost` times there.

    phase 0, weight 1      volumes 3, 1/2          unit 1/2, times its weight
    phase 1, weight 1/3    volume  2               unit 2/3
    common unit 1/6:       18, 3 and 4

Volumes as they are measured may have no unit that is large enough; then they are rounded, and the
answer says so (`notes_of`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lccmodel.communication.program import Program
from lccmodel.errors import CommunicationError, InputError
from lccmodel.ground.arrays import Ints
from lccmodel.ground.numbers import (
    Number,
    as_fraction,
    as_number,
    common_unit,
    exact_sum,
    in_common_unit,
    in_unit,
)
from lccmodel.kernels.jit import light_kernel
from lccmodel.lattice.programme import OBJECTIVES, Objective
from lccmodel.network.ring_direction import PLUS
from lccmodel.network.routes import write_route
from lccmodel.placement.contention import Contention
from lccmodel.placement.objectives import loads_and_share
from lccmodel.placement.placement_result import Use
from lccmodel.placement.search.routes import Routes, Ways
from lccmodel.problem import Problem


class Aim(NamedTuple):
    """What is minimised, as the kernels know it.

    code: its place in OBJECTIVES; peak, hops: how much of that, and of volume times channels,
    makes the value; a cost of `Routes.scale` is taken off the loads first.
    """

    code: int
    peak: int
    hops: int


class Edges(NamedTuple):
    """The messages of a `Demand` as the kernels take them.

    source, destination, row, volume: (m,), as there; the messages that rank r sends or receives
    are `touching[first[r] : first[r + 1]]`.
    """

    source: Ints
    destination: Ints
    row: Ints
    volume: Ints
    first: Ints
    touching: Ints


@dataclass(frozen=True)
class Demand:
    """Messages between different ranks, one for each (row, source, destination).

    Attributes:
        ranks: number of ranks.
        rows: rows of loads: phases, or 1 for "joint".
        source, destination, row: (m,).
        volume: (m,), weight times volume, in multiples of `unit`.
        unit: the exact size of 1, on a link of cost `Routes.scale`.
        objective: what is minimised, or what `share` of it is.
        share: 1; 0 where it is volume times distance; between for a mixture of joint with it.
        aim: the objective and its share as the kernels know them.
        rounded: what weighted volumes are rounded to multiples of; None where they are exact.
    """

    ranks: int
    rows: int
    source: Ints
    destination: Ints
    row: Ints
    volume: Ints
    unit: Fraction
    objective: Objective
    rounded: Fraction | None = None
    share: Fraction = Fraction(1)
    aim: Aim = field(default_factory=lambda: Aim(0, 1, 0))

    def __post_init__(self) -> None:
        if self.share == 1:
            object.__setattr__(self, "aim", Aim(OBJECTIVES.index(self.objective), 1, 0))

    @classmethod
    def of(
        cls,
        ranks: int,
        phases: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]],
        unit: Fraction,
        objective: Objective,
        rounded: Fraction | None = None,
    ) -> Demand:
        """From (messages (m, 2), weighted volumes (m,)) of every phase; duplicates add up."""
        joint = objective == "joint"
        messages = np.concatenate([m.reshape(-1, 2) for m, _ in phases]).astype(np.int64)
        volumes = np.concatenate([v for _, v in phases]).astype(np.int64)
        row = np.repeat(np.arange(len(phases)), [len(v) for _, v in phases])
        row = np.zeros_like(row) if joint else row
        kept = (messages[:, 0] != messages[:, 1]) & (volumes > 0)
        key = (row[kept] * ranks + messages[kept, 0]) * ranks + messages[kept, 1]
        keys, place = np.unique(key, return_inverse=True)
        total = np.zeros(len(keys), np.int64)
        np.add.at(total, place, volumes[kept])
        return cls(
            ranks=ranks,
            rows=1 if joint else len(phases),
            source=keys // ranks % ranks,
            destination=keys % ranks,
            row=keys // ranks // ranks,
            volume=total,
            unit=unit,
            objective=objective,
            rounded=rounded,
        )

    @cached_property
    def edges(self) -> Edges:
        """What the kernels take."""
        ends = np.concatenate([self.source, self.destination])
        first = np.zeros(self.ranks + 1, np.int64)
        np.cumsum(np.bincount(ends, minlength=self.ranks), out=first[1:])
        touching = np.argsort(ends, kind="stable") % max(1, len(self.source))
        return Edges(self.source, self.destination, self.row, self.volume, first, touching)

    def row_of(self, p: int) -> Demand:
        """One phase alone."""
        kept = self.row == p
        return Demand(
            self.ranks,
            1,
            self.source[kept],
            self.destination[kept],
            np.zeros(int(kept.sum()), np.int64),
            self.volume[kept],
            self.unit,
            self.objective,
        )

    def between(self, pairs: Ints) -> Demand:
        """What some pairs of ranks exchange, (k, 2), in either direction."""
        low = np.minimum(self.source, self.destination)
        high = np.maximum(self.source, self.destination)
        kept = np.isin(low * self.ranks + high, pairs.min(axis=1) * self.ranks + pairs.max(axis=1))
        source, destination = self.source[kept], self.destination[kept]
        row, volume = self.row[kept], self.volume[kept]
        return replace(self, source=source, destination=destination, row=row, volume=volume)

    @cached_property
    def merged(self) -> Demand:
        """All phases at once."""
        pairs = np.stack([self.source, self.destination], axis=1)
        return Demand.of(self.ranks, [(pairs, self.volume)], self.unit, "joint")

    def loads(self, node_of: Ints, routes: Routes) -> Ints:
        """(rows, channel numbers): weighted volume times cost on every channel, in units."""
        loads = np.zeros((self.rows, routes.numbers), np.int64)
        node_of = node_of.view()
        node_of.flags.writeable = False  # one type for the kernel, whoever calls
        _add_loads(self.edges, node_of, routes.ways, loads)
        return loads

    def value(self, loads: Ints, routes: Routes) -> int:
        """The objective, in units."""
        return int(value_of(loads, routes.ways, self.aim))

    def number(self, value: int | Fraction) -> Number:
        """A sum of weighted volumes that is counted in units."""
        return as_number(value * self.unit)

    def mixed(self, share: Fraction, routes: Routes) -> Demand:
        """The same for a mixture of "joint" with volume times distance, in units that fit both.

        The value is (share x channels x joint + (1 - share) x distance) of the numbers as people
        see them: a load of cost `scale` is a unit, a channel crossed is one, too.
        """
        scale, parts = routes.scale, share.denominator * routes.scale.denominator
        aim = Aim(
            OBJECTIVES.index("joint"),
            int(share * parts) * routes.channels,
            int((1 - share) * scale * parts),
        )
        return replace(self, unit=self.unit / parts, share=share, aim=aim)


@light_kernel
def _add_loads(edges: Edges, node_of: Ints, ways: Ways, loads: Ints) -> None:
    """Send every message."""
    room = np.empty(ways.longest + 1, np.int64)
    for m in range(edges.source.size):
        x, y = node_of[edges.source[m]], node_of[edges.destination[m]]
        for i in range(write_route(ways.form, x, y, PLUS, room, ways.back)):
            loads[edges.row[m], room[i]] += edges.volume[m] * ways.cost[room[i]]


def peaks(loads: Ints, ways: Ways) -> Ints:
    """(rows, dimensions): the busiest channel of every dimension, T_pi."""
    largest = np.zeros((loads.shape[0], ways.dimensions), np.int64)
    for i in range(ways.dimensions):
        largest[:, i] = loads[:, ways.dimension_of == i].max(axis=1, initial=0)
    return largest


@light_kernel
def value_of(loads: Ints, ways: Ways, aim: Aim) -> int:
    """The objective, from the busiest channel T_pi of every phase p and dimension i.

    max-max: of all p and i the largest; max-sum: of all i the largest sum over p; sum-sum: the sum.
    One kernel with one array: a second one and its two-dimensional array compile for a second.
    """
    crossed, peak = 0, 0
    top = np.zeros(2 * ways.dimensions, np.int64)  # of this phase; of all before it
    for p in range(loads.shape[0]):
        for c in range(loads.shape[1]):
            i = ways.dimension_of[c]
            top[2 * i] = max(top[2 * i], loads[p, c])
            if aim.hops:
                crossed += loads[p, c] // ways.cost[c]
        for i in range(ways.dimensions):
            largest = max(top[2 * i], top[2 * i + 1])
            both = top[2 * i] + top[2 * i + 1]
            top[2 * i + 1] = both if aim.code == 1 or aim.code == 2 else largest
            top[2 * i] = 0
    for i in range(ways.dimensions):
        peak = peak + top[2 * i + 1] if aim.code == 2 else max(peak, top[2 * i + 1])
    return aim.hops * crossed + aim.peak * peak


@dataclass(frozen=True)
class Candidate:
    """A placement, its value in units, its total of volume times distance, its history."""

    value: int
    distance: int
    node_of: Ints
    found: str


def judged(demand: Demand, routes: Routes, node_of: Ints, found: str) -> Candidate:
    """A placement with its value and its total distance."""
    loads = demand.loads(node_of, routes)
    return Candidate(demand.value(loads, routes), int(loads.sum()), node_of, found)


MAX_UNITS = 1 << 60
"""Weighted volumes times the longest route stay below this many units: sums are exact."""

Weighted = list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]


def demand_of(
    program: Program, objective: str, weights: Sequence[Number] | None, routes: Routes
) -> Demand:
    """The weighted volumes of a program as integers of one unit.

    Exact where their common unit is large enough for sums of 64 bits, else rounded to multiples of
    a power of ten that is as small as can be (`Demand.rounded`).

    Raises:
        CommunicationError: there are so many messages on such long routes that no unit will do.
        InputError: weights that are not one positive number a phase.
    """
    chosen = weights_of(program, weights)
    kind, share = loads_and_share(objective)
    cost, longest = int(routes.cost.max(initial=1)), max(1, routes.longest)
    most = MAX_UNITS // (longest * cost)
    if share != 1:  # what `Demand.mixed` multiplies with
        units = share.denominator * routes.scale.denominator
        peak, hops = share * routes.channels * cost, (1 - share) * routes.scale * longest
        most = min(most, int(MAX_UNITS // ((peak + hops) * units)))
    exact = _exact(program, chosen, most)
    parts, unit = exact or _rounded(program, chosen, most)
    rounded = None if exact else unit
    demand = Demand.of(program.ranks, parts, unit / routes.scale, kind, rounded)
    return demand if share == 1 else demand.mixed(share, routes)


def _exact(
    program: Program, weights: Sequence[Fraction], most: int
) -> tuple[Weighted, Fraction] | None:
    """Messages and integers of every phase, and their unit; None where they add up to too much."""
    scales = [in_common_unit(phase.traffic.carried) for phase in program.phases]
    known = [scale for scale in scales if scale is not None]
    if len(known) < len(scales):
        return None
    units = [unit * weight for (_, unit), weight in zip(known, weights, strict=True)]
    common = common_unit(units)
    factors = [int(unit / common) for unit in units]
    if sum(int(v.sum()) * f for (v, _), f in zip(known, factors, strict=True)) >= most:
        return None
    volumes = [v * f for (v, _), f in zip(known, factors, strict=True)]
    return [(p.traffic.messages, v) for p, v in zip(program, volumes, strict=True)], common


def _rounded(program: Program, weights: Sequence[Fraction], most: int) -> tuple[Weighted, Fraction]:
    """As `_exact`, every volume times its weight as the nearest multiple of a power of ten."""
    sums = (w * exact_sum(p.traffic.carried) for p, w in zip(program, weights, strict=True))
    total, room = sum(sums, Fraction(0)), most - sum(len(p.traffic) for p in program)
    if room < 1000:
        rule = "must be fewer messages, or on a smaller network, for sums that are exact"
        raise CommunicationError("volumes", rule, program)
    unit = Fraction(1)
    while total >= room * unit:
        unit *= 10
    while total * 10 < room * unit:
        unit /= 10
    parts = [
        (phase.traffic.messages, in_unit(phase.traffic.carried, unit / weight))
        for phase, weight in zip(program, weights, strict=True)
    ]
    return parts, unit


def weights_of(program: Program, weights: Sequence[Number] | None) -> tuple[Fraction, ...]:
    """One exact positive weight a phase; a float means its shortest decimal."""
    stated = [phase.weight for phase in program.phases] if weights is None else list(weights)
    rule = f"must be {len(program.phases)} positive numbers, one a phase"
    try:
        chosen = tuple(as_fraction(w) for w in stated)
    except (TypeError, ValueError):
        raise InputError("weights", rule, weights) from None
    if len(chosen) != len(program.phases) or min(chosen, default=Fraction(0)) <= 0:
        raise InputError("weights", rule, weights)
    return chosen


# -- what a placement makes the channels carry, in the units of the program: exact sums ------------


def use_of(
    problem: Problem,
    demand: Demand,
    routes: Routes,
    node_of: Ints,
    weights: Sequence[Number] | None = None,
) -> Use:
    """What the channels carry when every rank is where `node_of` says."""
    rows = demand_of(problem.program, "max-max", weights, routes)
    loads = rows.loads(node_of, routes)
    chosen = weights_of(problem.program, weights)
    largest = peaks(loads, routes.ways)
    crossed = [int(row.sum()) * routes.scale for row in loads // routes.cost]
    members = []
    for k, weight in enumerate(chosen):
        busiest = tuple(as_number(int(load) * rows.unit / weight) for load in largest[k])
        distance = as_number(crossed[k] * rows.unit / weight)
        alone = problem.phase(k)
        members.append(Contention(busiest, "walk", alone, distance=distance, node_of=node_of))
    return Use(
        members=tuple(members),
        problem=problem,
        value=demand.number(demand.value(demand.loads(node_of, routes), routes)),
        joint=rows.number(int(loads.sum(axis=0).max(initial=0))),
        phases=rows.number(int(largest.max(axis=1, initial=0).sum())),
        distance=rows.number(sum(crossed)),
    )


def notes_of(demand: Demand, routes: Routes) -> tuple[str, ...]:
    """What a reader has to know of the numbers: what was rounded, and by how much."""
    notes = []
    if demand.rounded is not None:
        unit = (
            f"{demand.rounded.numerator:,}" if demand.rounded >= 1 else f"{float(demand.rounded):g}"
        )
        notes.append(f"volumes times weights are rounded to multiples of {unit}")
    if routes.error:
        notes.append(f"bandwidths are rounded by at most {float(routes.error):.0e} of each")
    return (*(f"{note}; values, bounds and proofs are of what is rounded" for note in notes),)
