"""From a program to a `Demand`: weighted volumes as integers of one unit; and back, to a `Use`.

phase 0, weight 1      volumes 3, 1/2          unit 1/2, times its weight
phase 1, weight 1/3    volume  2               unit 2/3
common unit 1/6:       18, 3 and 4
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from lccmodel._arrays import Ints
from lccmodel.communication.program import Program
from lccmodel.communication.volumes import Number, as_fraction, as_number, common_unit
from lccmodel.errors import CommunicationError, InputError
from lccmodel.lattice.programme import Objective
from lccmodel.methods.placement.problem import Demand, peaks
from lccmodel.methods.placement.result import Use
from lccmodel.methods.placement.routes import Routes

__all__ = ["demand_of", "number_of", "use_of", "weights_of"]


MAX_UNITS = 1 << 50
"""Weighted volumes times the longest route stay below this many units: sums are exact."""


def demand_of(
    program: Program, objective: Objective, weights: Sequence[Number] | None, routes: Routes
) -> Demand:
    """The weighted volumes of a program as integers of one unit.

    Raises:
        CommunicationError: there is no common unit in which the sums stay exact.
        InputError: weights that are not one positive number a phase.
    """
    chosen = weights_of(program, weights)
    parts, units = [], []
    for phase, weight in zip(program.phases, chosen, strict=True):
        integers, unit = phase.traffic.exact
        parts.append((phase.traffic.messages, integers))
        units.append(unit * weight)
    common = common_unit(units)
    factors = [int(unit / common) for unit in units]
    total = sum(int(v.sum()) * f for (_, v), f in zip(parts, factors, strict=True))
    if total * max(1, routes.longest) * int(routes.cost.max(initial=1)) >= MAX_UNITS:
        rule = "weights times volumes must have a common unit in which the sums are exact; round"
        raise CommunicationError("volumes", rule, program)
    scaled = [(m, v * f) for (m, v), f in zip(parts, factors, strict=True)]
    return Demand.of(program.ranks, scaled, common / routes.scale, objective)


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
    program: Program,
    demand: Demand,
    routes: Routes,
    node_of: Ints,
    weights: Sequence[Number] | None = None,
) -> Use:
    """What the channels carry when every rank is where `node_of` says."""
    rows = demand_of(program, "max-max", weights, routes)
    loads = rows.loads(node_of, routes)
    chosen = weights_of(program, weights)
    found = peaks(loads, routes.ways)
    value = demand.value(demand.loads(node_of, routes), routes)
    return Use(
        value=number_of(value, demand),
        per_dimension=tuple(
            tuple(as_number(int(load) * rows.unit / weight) for load in row)
            for row, weight in zip(found, chosen, strict=True)
        ),
        joint=number_of(int(loads.sum(axis=0).max(initial=0)), rows),
        phases=number_of(int(found.max(axis=1, initial=0).sum()), rows),
        distance=number_of(int((loads // routes.cost).sum()) * routes.scale, rows),
    )


def number_of(value: int, demand: Demand) -> Number:
    """A sum of weighted volumes that is counted in units of the demand."""
    return as_number(value * demand.unit)
