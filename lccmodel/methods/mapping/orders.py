"""All orders of the address bits that have the least contention, and which of them is used.

Orders that are optimal for "max-max" often differ in the members below the maximum: for matrix
transpose and bit reversal on 256 nodes, 2304 orders have the largest degree 2, but only 256 of
them free one of the two [hou, Example 6]. The order to use lowers the degree of every member as
far as the others allow, the last member first: no member can do better without another doing
worse. Which of the members profits is a convention; this one gives the degrees of Example 6.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from lccmodel.communication.program import Program
from lccmodel.communication.volumes import Number
from lccmodel.errors import InputError, NetworkError
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.lattice.subset import SubsetProgramme, first_of_least
from lccmodel.lattice.weights import (
    SET_OBJECTIVES,
    SetObjective,
    exact_weights,
    plain_weights,
)
from lccmodel.methods.contention import internal_bits
from lccmodel.methods.mapping.bounds import reordering_bound
from lccmodel.methods.mapping.problem import RankProblem
from lccmodel.network import Network
from lccmodel.views import Viewed

Order = tuple[int, ...]
Caps = tuple[int | None, ...]


class OptimalOrders(Viewed, view="orders"):
    """All optimal orders of a problem: iterate lazily, or `count()` them.

    On a bristled hypercube an order begins with the bit inside the router.

    Attributes:
        value: the optimum of the objective.
        programmes: the subset programmes, one for every choice of the bit inside the router.

    >>> from lccmodel.communication.catalog import bit_reverse
    >>> from lccmodel.methods.mapping import optimal_orders
    >>> from lccmodel.network import Hypercube
    >>> orders = optimal_orders(bit_reverse(4), Hypercube(4))
    >>> orders.value, orders.count(), next(iter(orders))
    (1, 8, (0, 3, 1, 2))
    """

    def __init__(self, programmes: Sequence[SubsetProgramme]) -> None:
        self.programmes = tuple(programmes)
        self.value: Number = _least(self.programmes)

    def __iter__(self) -> Iterator[Order]:
        for programme in self.programmes:
            if programme.optimum == self.value:
                for order in programme.orders():
                    yield (*programme.internal, *order)
                if len(self.programmes) > 1:
                    programme.release()

    def __repr__(self) -> str:
        return f"<OptimalOrders with the optimum {self.value}>"

    def count(self) -> int:
        """How many orders are optimal.

        Raises:
            SizeLimitError: more than 20 bits to order.
        """
        total = 0
        for programme in self.programmes:
            if programme.optimum == self.value:
                total += programme.count()
                if len(self.programmes) > 1:
                    programme.release()
        return total


def _least(programmes: Sequence[SubsetProgramme]) -> Number:
    """The least optimum; only the costs of programmes that may reach it are kept in memory."""
    best: SubsetProgramme | None = None
    for programme in programmes:
        value = programme.optimum
        if value is not None and (best is None or value < _value(best)):
            best = programme
        if programme is not best:
            programme.release()
    assert best is not None, "without caps every order is allowed"
    return _value(best)


def _value(programme: SubsetProgramme) -> Number:
    assert programme.optimum is not None
    return programme.optimum


def order_to_use(problem: RankProblem) -> tuple[Order, int]:
    """The optimal order to use, and how many searches (S, j) prove it optimal."""
    programmes = programmes_of(problem)
    _, order = first_of_least(programmes)
    if problem.objective == "max-max" and len(problem.members) > 1:
        order = _lowered(problem, order)
    return order, sum(programme.searches for programme in programmes)


def _lowered(problem: RankProblem, order: Order) -> Order:
    """Lower the members' degrees in turn, the last first, each as far as the others allow."""
    degrees = _degrees(problem, order)
    _, weights = exact_weights(problem.weights, len(degrees))
    top = max(weight * degree for weight, degree in zip(weights, degrees, strict=True))
    caps = [top // weight for weight in weights]
    for r in reversed(range(len(caps))):
        degree = int(reordering_bound([problem.members[r]], [1], "max-max", problem.bristled))
        while degree < degrees[r]:
            found = _first(problem, (*caps[:r], degree, *caps[r + 1 :]))
            if found is not None:
                order, degrees = found, _degrees(problem, found)
                break
            degree = max(2 * degree, 1)
        caps[r] = degrees[r]
    return order


def _degrees(problem: RankProblem, order: Sequence[int]) -> list[int]:
    return [max(loads, default=0) for loads in problem.loads(GF2Matrix.from_order(order))]


def _first(problem: RankProblem, caps: Caps) -> Order | None:
    """The first order that keeps every member within its cap, or None."""
    for programme in programmes_of(problem, caps):
        order = programme.first_within_caps()
        if order is not None:
            return (*programme.internal, *order)
        programme.release()
    return None


def programmes_of(problem: RankProblem, caps: Caps = ()) -> tuple[SubsetProgramme, ...]:
    """The subset programmes of a problem, one for every choice of the bit inside the router."""
    internal = [(z,) for z in range(problem.n)] if problem.bristled else [()]
    return tuple(
        SubsetProgramme(problem.members, problem.weights, problem.objective, bits, caps)
        for bits in internal
    )


def programmes_of_traffic(
    program: Program,
    network: Network,
    objective: SetObjective,
    weights: Sequence[Number] | None,
) -> tuple[SubsetProgramme, ...]:
    """The subset programmes of any program, one for every choice of internal bits.

    Raises:
        NetworkError: not a hypercube, or fewer nodes than ranks.
        InputError: an unknown objective.
    """
    if objective not in SET_OBJECTIVES:
        raise InputError("objective", f"must be one of {', '.join(SET_OBJECTIVES)}", objective)
    inside = len(internal_bits(network))
    if program.ranks > network.size:
        rule = f"must have a node for each of the {program.ranks} ranks"
        raise NetworkError("network", rule, network)
    members = tuple(phase.traffic for phase in program.in_common_unit())
    chosen = tuple(phase.weight for phase in program) if weights is None else plain_weights(weights)
    return tuple(
        SubsetProgramme(members, chosen, objective, bits, n=network.n)
        for bits in combinations(range(network.n), inside)
    )
