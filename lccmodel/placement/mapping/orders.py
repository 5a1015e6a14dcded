"""A mapping problem, checked once for all solvers; and all its orders of least contention.

Orders that are optimal for "max-max" often differ in the members below the maximum: for matrix
transpose and bit reversal on 256 nodes, 2304 orders have the largest degree 2, but only 256 of
them free one of the two [hou, Example 6]. The order to use lowers the degree of every member as
far as the others allow, the last member first: no member can do better without another doing
worse. Which of the members profits is a convention; this one gives the degrees of Example 6.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Any

from lccmodel.communication.lcc import LCC
from lccmodel.communication.program import Program
from lccmodel.errors import CommunicationError, NetworkError
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.ground.numbers import Number, as_fraction, as_number
from lccmodel.ground.views import Answer
from lccmodel.ground.words import checked_word
from lccmodel.lattice.ranks import Ranks
from lccmodel.lattice.subset import SubsetProgramme, first_of_least
from lccmodel.lattice.weights import (
    SET_OBJECTIVES,
    SetObjective,
    exact_weights,
    objective_value,
    plain_weights,
)
from lccmodel.network import Network
from lccmodel.placement.contention import (
    Contention,
    contention,
    internal_bits,
    require_fit,
)
from lccmodel.placement.mapping.linear import reordering_bound
from lccmodel.placement.placement_result import Over, Placement, Use
from lccmodel.problem import Problem


@dataclass(frozen=True)
class RankProblem:
    """Communications to be mapped onto a hypercube or bristled hypercube.

    `called`: how often each member runs; `weights`: that times the volume of each of its messages,
    by which ranks, which count messages, give volumes.
    """

    problem: Problem
    members: tuple[LCC, ...]
    objective: SetObjective
    called: tuple[Number, ...]
    weights: tuple[Number, ...]

    @classmethod
    def of(
        cls,
        communications: Any,
        network: Network | str | None,
        objective: SetObjective,
        weights: Sequence[Number] | None,
    ) -> RankProblem:
        """Check the arguments of `optimal_reordering`; raises what that function documents."""
        problem = Problem.read(communications, network)
        network = problem.network
        members = tuple(phase.lcc for phase in problem.program if phase.lcc is not None)
        if len(members) < len(problem.program):
            rule = "must be one LCC or several"
            raise CommunicationError("communications", rule, communications)
        for member in members:
            require_fit(member, network)
        internal_bits(network)
        checked_word("objective", objective, SET_OBJECTIVES)
        own = tuple(as_number(as_fraction(phase.weight)) for phase in problem.program)
        called = own if weights is None else plain_weights(weights)
        exact_weights(called, len(members))
        volumes = [phase.traffic.uniform_volume for phase in problem.program]
        priced = tuple(
            as_number(as_fraction(w) * volume) for w, volume in zip(called, volumes, strict=True)
        )
        return cls(problem, members, objective, called, priced)

    @property
    def network(self) -> Network:
        """Where the members run."""
        return self.problem.network

    @property
    def n(self) -> int:
        """Number of address bits."""
        return self.members[0].n

    @property
    def lone(self) -> bool:
        """Whether there is one member, be it given by itself (`single`) or in a list."""
        return len(self.members) == 1

    @property
    def bristled(self) -> bool:
        """Whether bit 0 lies inside a router."""
        return bool(internal_bits(self.network))

    def contention(self, Q: GF2Matrix) -> tuple[Contention, ...]:
        """The members' contention after the nodes are renamed x' = Qx."""
        return tuple(contention(member.reordered(Q), self.network) for member in self.members)

    def value(self, Q: GF2Matrix) -> Number:
        """The objective after the nodes are renamed x' = Qx."""
        return objective_value(self.loads(Q), self.weights, self.objective)

    def loads(self, Q: GF2Matrix) -> list[tuple[int, ...]]:
        """The members' loads T_i after the nodes are renamed x' = Qx.

        A reordering takes another path through the lattice of the members as they are.
        """
        order = Q.as_order()
        if order is None:
            return [tuple(map(int, member.per_dimension)) for member in self.contention(Q)]
        inside = int(self.bristled)
        return [
            (0,) * inside + Ranks(member, order[:inside]).loads(order[inside:])
            for member in self.members
        ]

    def _use(self, Q: GF2Matrix) -> Use:
        """What the channels carry after the nodes are renamed x' = Qx."""
        members = self.contention(Q)
        scale, exact = exact_weights(self.weights, len(members))

        def total(of_members: Iterable[int]) -> Number:
            return as_number(
                Fraction(sum(w * value for w, value in zip(exact, of_members, strict=True)), scale)
            )

        loads = [tuple(map(int, c.per_dimension)) for c in members]
        value = objective_value(loads, self.weights, self.objective)
        phases = total(max(phase_loads, default=0) for phase_loads in loads)
        distance = total(member.distance for member in members)
        phases_sent = zip(members, self.problem.program, strict=True)
        carried = tuple(_carrying(c, phase.traffic.uniform_volume) for c, phase in phases_sent)
        return Use(carried, self.problem, value, phases if self.lone else None, phases, distance)

    def placement(
        self, Q: GF2Matrix, bound: Number, proof: str, over: Over = "orders"
    ) -> Placement:
        """The answer Q with its contention before and after."""
        return Placement(
            problem=self.problem,
            objective=self.objective,
            over=over,
            weights=self.called,
            before=self._use(GF2Matrix.identity(self.n)),
            after=self._use(Q),
            lower_bound=bound,
            proof=proof,
            order=Q.as_order(),
            Q=Q,
        )


def _carrying(c: Contention, volume: int | Fraction) -> Contention:
    """The contention of the same messages where each carries a volume."""
    if volume == 1:
        return c
    sent = Problem(Program.of(c.problem.program[0].traffic * volume), c.problem.network, (), True)
    loads = tuple(as_number(as_fraction(load) * volume) for load in c.per_dimension)
    return replace(c, per_dimension=loads, distance=as_number(c.distance * volume), problem=sent)


Order = tuple[int, ...]
Caps = tuple[int | None, ...]


class OptimalOrders(Answer, view="orders"):
    """All optimal orders of a problem: iterate lazily, or `count()` them.

    On a bristled hypercube an order begins with the bit inside the router.

    Attributes:
        value: the optimum of the objective.
        programmes: the subset programmes, one for every choice of the bit inside the router.

    >>> from lccmodel.communication.catalog import bit_reverse
    >>> from lccmodel.placement.mapping import optimal_orders
    >>> from lccmodel.network import Hypercube
    >>> orders = optimal_orders(bit_reverse(4), Hypercube(4))
    >>> orders.value, orders.count(), next(iter(orders))
    (1, 8, (0, 3, 1, 2))
    """

    def __init__(self, programmes: Sequence[SubsetProgramme]) -> None:
        self.programmes = tuple(programmes)
        self.value: Number = _least(self.programmes)

    def _reaching(self) -> Iterator[SubsetProgramme]:
        """The programmes that reach the optimum, their costs forgotten one after another."""
        for programme in self.programmes:
            if programme.optimum == self.value:
                yield programme
                if len(self.programmes) > 1:
                    programme.release()

    def __iter__(self) -> Iterator[Order]:
        for programme in self._reaching():
            for order in programme.orders():
                yield (*programme.internal, *order)

    def __repr__(self) -> str:
        return f"<OptimalOrders with the optimum {self.value}>"

    def count(self) -> int:
        """Return how many orders are optimal.

        Raises:
            SizeLimitError: more than 20 bits to order.
        """
        return sum(programme.count() for programme in self._reaching())


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
            allowed = _first(problem, (*caps[:r], degree, *caps[r + 1 :]))
            if allowed is not None:
                order, degrees = allowed, _degrees(problem, allowed)
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
    checked_word("objective", objective, SET_OBJECTIVES)
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
