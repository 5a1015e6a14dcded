"""From a program to a `Demand`: weighted volumes as integers of one unit; and back, to a `Use`.

phase 0, weight 1      volumes 3, 1/2          unit 1/2, times its weight
phase 1, weight 1/3    volume  2               unit 2/3
common unit 1/6:       18, 3 and 4

Volumes as they are measured may have no unit that is large enough; then they are rounded, and the
answer says so (`notes_of`).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lccmodel._arrays import Ints
from lccmodel._numbers import as_fraction, as_number
from lccmodel.communication.program import Program
from lccmodel.communication.volumes import Number, common_unit, exact_sum, in_common_unit, in_unit
from lccmodel.errors import CommunicationError, InputError
from lccmodel.lattice.programme import Objective
from lccmodel.methods.contention import Contention
from lccmodel.methods.placed import Use
from lccmodel.methods.placement.problem import Demand, peaks
from lccmodel.methods.placement.routes import Routes
from lccmodel.problem import Problem

MAX_UNITS = 1 << 60
"""Weighted volumes times the longest route stay below this many units: sums are exact."""

Weighted = list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]


def demand_of(
    program: Program, objective: Objective, weights: Sequence[Number] | None, routes: Routes
) -> Demand:
    """The weighted volumes of a program as integers of one unit.

    Exact where their common unit is large enough for sums of 64 bits, else rounded to multiples of
    a power of ten that is as small as can be (`Demand.rounded`).

    Raises:
        CommunicationError: there are so many messages on such long routes that no unit will do.
        InputError: weights that are not one positive number a phase.
    """
    chosen = weights_of(program, weights)
    most = MAX_UNITS // (max(1, routes.longest) * int(routes.cost.max(initial=1)))
    exact = _exact(program, chosen, most)
    parts, unit = exact or _rounded(program, chosen, most)
    rounded = None if exact else unit
    return Demand.of(program.ranks, parts, unit / routes.scale, objective, rounded)


def _exact(
    program: Program, weights: Sequence[Fraction], most: int
) -> tuple[Weighted, Fraction] | None:
    """Messages and integers of every phase, and their unit; None where they add up to too much."""
    found = [in_common_unit(phase.traffic.volumes) for phase in program.phases]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
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
    sums = (w * exact_sum(p.traffic.volumes) for p, w in zip(program, weights, strict=True))
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
        (phase.traffic.messages, in_unit(phase.traffic.volumes, unit / weight))
        for phase, weight in zip(program, weights, strict=True)
    ]
    return parts, unit


def weights_of(program: Program, weights: Sequence[Number] | None) -> tuple[Fraction, ...]:
    """One exact positive weight a phase; a float means its shortest decimal."""
    given = [phase.weight for phase in program.phases] if weights is None else list(weights)
    rule = f"must be {len(program.phases)} positive numbers, one a phase"
    try:
        chosen = tuple(as_fraction(w) for w in given)
    except (TypeError, ValueError):
        raise InputError("weights", rule, weights) from None
    if len(chosen) != len(program.phases) or min(chosen, default=Fraction(0)) <= 0:
        raise InputError("weights", rule, weights)
    return chosen


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
    found = peaks(loads, routes.ways)
    crossed = [int(row.sum()) * routes.scale for row in loads // routes.cost]
    members = []
    for k, weight in enumerate(chosen):
        busiest = tuple(as_number(int(load) * rows.unit / weight) for load in found[k])
        distance = as_number(crossed[k] * rows.unit / weight)
        alone = problem.phase(k)
        members.append(Contention(busiest, "walk", alone, distance=distance))
    return Use(
        members=tuple(members),
        problem=problem,
        value=number_of(demand.value(demand.loads(node_of, routes), routes), demand),
        joint=number_of(int(loads.sum(axis=0).max(initial=0)), rows),
        phases=number_of(int(found.max(axis=1, initial=0).sum()), rows),
        distance=number_of(sum(crossed), rows),
    )


def number_of(value: int | Fraction, demand: Demand) -> Number:
    """A sum of weighted volumes that is counted in units of the demand."""
    return as_number(value * demand.unit)


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
