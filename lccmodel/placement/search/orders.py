"""Orders of address bits and linear maps, for any program on any network with 2^n nodes.

Where every phase is linear-complement and the network a hypercube or a bristled one, ranks of
submatrices answer (`placement.mapping`). Otherwise the messages are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from lccmodel.communication.lcc import LCC
from lccmodel.communication.program import Program
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import InputError
from lccmodel.ground.arrays import Ints
from lccmodel.ground.numbers import Number, as_fraction
from lccmodel.lattice.programme import best_order
from lccmodel.lattice.weights import SET_OBJECTIVES
from lccmodel.network import Network
from lccmodel.placement.mapping import optimal_linear_mapping, optimal_reordering
from lccmodel.placement.mapping.linear import reordering_bound
from lccmodel.placement.placement_result import Placement, is_linear_complement
from lccmodel.placement.search.problem import Demand
from lccmodel.placement.search.routes import Routes
from lccmodel.placement.search.search_budget import MOST_TRIES, programme_seconds
from lccmodel.problem import Problem

_MOST_SECONDS = 150.0
"""Nominal seconds up to which the programme is run where nothing else is asked for."""


@dataclass(frozen=True)
class Renaming:
    """A renaming of the bits of ranks: the places, how it was found, a proof if there is one."""

    node_of: Ints
    how: str
    proof: str
    order: tuple[int, ...] | None


def rank_bound(problem: Problem, objective: str, weights: Sequence[Number]) -> Number:
    """What ranks say that no order is below [hou, Theorem 3]; 0 if they say nothing."""
    if not is_linear_complement(problem):
        return 0
    phases = problem.program.phases
    paid = [as_fraction(w) * p.traffic.uniform_volume for w, p in zip(weights, phases, strict=True)]
    members = [phase.lcc for phase in phases if phase.lcc is not None]
    inside = problem.network.internal_bits
    known = (name for name in SET_OBJECTIVES if name == objective)
    return max((reordering_bound(members, paid, name, inside) for name in known), default=0)


def best_order_of_bits(
    program: Program,
    network: Network,
    demand: Demand,
    routes: Routes,
    weights: Sequence[Fraction],
    tries: int = MOST_TRIES,
    affords: Callable[[float], bool] = lambda seconds: seconds <= _MOST_SECONDS,
) -> Renaming | None:
    """The best order of bits; None on a network whose nodes have no n bits.

    Where `affords` refuses the nominal seconds of the subset programme, a descent of so many
    `tries` takes its place, without proof.
    """
    if routes.places & routes.places - 1 or routes.places < 2:
        return None
    if demand.objective != "joint" and is_linear_complement(Problem(program, network)):
        members, scaled = _members(program, weights)
        return _from_mapping(
            optimal_reordering(members, network, demand.objective, scaled),
            program.ranks,
        )
    return _counted(program, network, demand, routes, tries, affords)


def program_of(demand: Demand) -> Program:
    """The phases in integers of the demand's unit, weights included; one where they are joint."""
    rows = map(demand.row_of, range(demand.rows))
    pairs = ((np.stack([row.source, row.destination], 1), row.volume) for row in rows)
    return Program([Traffic(ends, volume, demand.ranks) for ends, volume in pairs])


def _members(program: Program, weights: Sequence[Fraction]) -> tuple[list[LCC], list[Fraction]]:
    """The communications and their weights, times the volume of each message."""
    members, scaled = [], []
    for phase, weight in zip(program.phases, weights, strict=True):
        assert phase.lcc is not None
        integers, unit = phase.traffic.exact
        members.append(phase.lcc)
        scaled.append(weight * unit * int(integers[0]))
    return members, scaled


def _from_mapping(mapping: Placement, ranks: int) -> Renaming:
    order = mapping.order
    what = "the best order of bits" if order is not None else "the best linear map"
    return Renaming(mapping.to_physical[:ranks], what, mapping.proof, order)


def best_linear_map(
    program: Program,
    network: Network,
    demand: Demand,
    routes: Routes,
    order: Renaming,
    enough: int,
    tries: int = MOST_TRIES,
) -> Renaming:
    """The best linear map known; `order` is what `best_order_of_bits` found.

    One linear-complement communication on a hypercube or Origin is solved [hou, Section 7]; else
    bits of the place are exchanged with, or added to, each other while that helps.
    """
    lone = len(program.phases) == 1 and demand.objective in ("max-max", "joint")
    if lone and is_linear_complement(Problem(program, network)):
        lcc = program.phases[0].lcc
        assert lcc is not None
        return _from_mapping(optimal_linear_mapping(lcc, network), program.ranks)
    return _added(program.ranks, order, demand, routes, enough, tries)


_Price = tuple[int, float]


def _price(node_of: Ints, demand: Demand, routes: Routes) -> _Price:
    """The objective; of equals, the smooth sum that the search over placements goes by, too."""
    loads = demand.loads(node_of, routes)
    return demand.value(loads, routes), float((loads.astype(float) ** 4).sum())


def _counted(
    program: Program,
    network: Network,
    demand: Demand,
    routes: Routes,
    tries: int,
    affords: Callable[[float], bool],
) -> Renaming:
    """The subset programme with counts; where it is too large, exchanges of bits that help."""
    if affords(programme_seconds(len(demand.source), network, routes)):
        with suppress(InputError):  # it reads no bits, or its sums would be too large
            best = best_order(program_of(demand), network, demand.objective)
            what = "the best order of bits"
            return Renaming(best.node_of[: program.ranks], what, best.proof, best.order)

    def price(order: tuple[int, ...]) -> _Price:
        columns = [1 << k for k in np.argsort(order).tolist()]
        return _price(_renamed(program.ranks, columns), demand, routes)

    order = _descended(tuple(range(network.n)), price, _exchanges, 0, tries)
    columns = [1 << k for k in np.argsort(order).tolist()]
    return Renaming(_renamed(program.ranks, columns), "an order of bits", "", order)


def _added(
    ranks: int, order: Renaming, demand: Demand, routes: Routes, enough: int, tries: int
) -> Renaming:
    """From the best order, bits of the place exchanged with or added to each other."""
    assert order.order is not None
    columns = tuple(1 << k for k in np.argsort(order.order).tolist())

    def price(tried: tuple[int, ...]) -> _Price:
        return _price(_renamed(ranks, tried), demand, routes)

    best = _descended(columns, price, _additions, enough, tries)
    if best == columns:
        return Renaming(order.node_of, order.how, "", order.order)
    return Renaming(_renamed(ranks, best), "a linear map", "", None)


def _descended(
    start: tuple[int, ...],
    price: Callable[[tuple[int, ...]], _Price],
    moves: Callable[[tuple[int, ...]], Iterator[tuple[int, ...]]],
    enough: int,
    tries: int,
) -> tuple[int, ...]:
    """The first move that helps, until none does or the tries are used up."""
    best, least = start, price(start)
    helped = True
    while helped and least[0] > enough:
        helped = False
        for tried in moves(best):
            tries -= 1
            if tries < 0:
                return best
            if (value := price(tried)) < least:
                best, least, helped = tried, value, True
                break
    return best


def _exchanges(order: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for i in range(len(order)):
        for j in range(i):
            tried = list(order)
            tried[i], tried[j] = tried[j], tried[i]
            yield tuple(tried)


def _additions(columns: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Bit j of the rank also reaches what bit i does; bit i of the place is added to bit j."""
    n = len(columns)
    for i in range(n):
        for j in range(n):
            if i != j:
                yield tuple(c ^ columns[i] if k == j else c for k, c in enumerate(columns))
                yield tuple(c ^ (c >> i & 1) << j for c in columns)


def _renamed(ranks: int, columns: Sequence[int]) -> Ints:
    """Place of rank x: the sum over GF(2) of columns[j] for the bits j of x."""
    x = np.arange(ranks)
    place = np.zeros(ranks, np.int64)
    for j, column in enumerate(columns):
        place ^= (x >> j & 1) * column
    return place
