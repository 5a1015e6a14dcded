"""What a placement makes the channels carry, in the units of the program: exact sums of counts."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from lccmodel._arrays import Ints
from lccmodel._numbers import as_number
from lccmodel.communication.volumes import Number
from lccmodel.methods.contention import Contention
from lccmodel.methods.placed import Use
from lccmodel.methods.placement.problem import Demand, demand_of, peaks, weights_of
from lccmodel.methods.placement.routes import Routes
from lccmodel.problem import Problem


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
